"""What is lost or decided where a file is loaded: at its top, and in the bodies of its classes.

All of Python is free there. Parameters and terms refuse by themselves to be true or false, to be
looked up in a table or written into a text; here is what asks no object, found in the text.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from bmc.lang.declared import Declaration
from bmc.lang.late import Around, around_in
from bmc.lang.namesakes import declares
from bmc.lang.parameters import TOLD_APART, Arithmetic, Parameter
from bmc.lang.set_orders import BY_PROCESS, ORDER, SetOrders
from bmc.lang.slips import bound_again, grown_too_late, slips
from bmc.lang.sorts import Sort
from bmc.lang.starred import replaced_by_stars
from bmc.lang.undecided import Undecided

_UNSAID = (
    "a formula that stands alone in a file says nothing: write s.require(...) in Init for what is "
    "assumed of parameters"
)
_UNNAMED = "what is declared without a name is no part of a protocol: write x = ... before it"
_REPLACED = (
    "what stands above the decorator that declares takes its place, so nothing is declared: write "
    "the language's decorator first"
)
_INNER = (
    "what a class inside of another declares is part of no protocol: write it in the body of the "
    "protocol itself, or in a class at the top of the file that the protocol inherits"
)
_INSIDE = (
    "what is declared inside of a function, and has a name there that nothing reads, is part of no "
    "protocol: write it in the body of the class, one step further to the left"
)
_DELETED = "what is declared and deleted is never asked: leave out one of the two"
_ANNOTATED = "an annotation declares nothing: write x = ... for what is declared"
_TELLING = (isinstance, issubclass, type, id, callable, hasattr, hash, repr, ascii)
_OF_A_PROCESS = (hash, id)
_WORDS = ("bmc.lang.build", "bmc.lang.formulas", "bmc.lang.terms")
_TELLING_PATTERNS = (ast.MatchSingleton, ast.MatchClass, ast.MatchSequence, ast.MatchMapping)

Found = tuple[ast.AST, str]


def lost_when_loaded(tree: ast.Module, known: Mapping[str, Any]) -> Iterator[Found]:
    """Yield what of a file's text is lost or decided in silence, with what to write instead.

    ``known`` are the names of the file.
    """
    yield from slips(tree)
    yield from replaced_by_stars(tree.body, known)
    yield from _body(tree.body, known, around_in(tree))


def _body(
    statements: Sequence[ast.stmt],
    known: Mapping[str, Any],
    around: Around,
    in_class: bool = False,
) -> Iterator[Found]:
    yield from bound_again(statements)
    if in_class:
        yield from grown_too_late(statements)
    for one in statements:
        match one:
            case ast.ClassDef(name, _, _, body):
                if in_class and _has_declared(one, known):
                    yield one, _INNER
                found = known.get(name)
                inside_of = ChainMap(_names_of(found), dict(known))
                yield from _body(body, inside_of, around, in_class=True)
                continue
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                there = name in known and declares(one, known)
                if there and not isinstance(known[name], Declaration):
                    yield one, _REPLACED
                for part in (*one.decorator_list, *one.args.defaults, *one.args.kw_defaults):
                    yield from () if part is None else _told_apart(part, known)
                if in_class:
                    yield from ((lost, _INSIDE) for lost in _declared_inside(one, known))
                continue
            case ast.Delete(targets):
                gone = {part.id for part in targets if isinstance(part, ast.Name)}
                if any(
                    getattr(e, "name", "") in gone and _has_declared(e, known) for e in statements
                ):
                    yield one, _DELETED
            case ast.Expr(value) if _is_symbolic(value, known):
                yield one, _UNSAID
            case ast.Expr(value) if any(_declares_by_itself(e, known) for e in _calls(value)):
                yield one, _UNNAMED
            case ast.AnnAssign(_, annotation, None) if _declares_by_itself(annotation, known):
                yield one, _ANNOTATED
        yield from _of_a_process(one, known, around)
        for child in ast.iter_child_nodes(one):
            if isinstance(child, ast.expr):
                yield from _told_apart(child, known)
        for inside in _bodies(one):
            yield from _body(inside, known, around, in_class)
        if isinstance(one, ast.Match) and _is_symbolic(one.subject, known):
            patterns = (part for case in one.cases for part in ast.walk(case.pattern))
            if any(isinstance(part, _TELLING_PATTERNS) for part in patterns):
                yield one, TOLD_APART


def _of_a_process(one: ast.stmt, known: Mapping[str, Any], around: Around) -> Iterator[Found]:
    """Yield what a statement takes from what is another one in each process."""
    orders = SetOrders(lambda e: _value(e, known), {}, lambda e: _is_symbolic(e, known))
    for part in _run_at_once(one):
        yield from ((taken, ORDER) for taken in orders.taken(part, around.get))
        if isinstance(part, ast.Call) and any(_value(part.func, known) is w for w in _OF_A_PROCESS):
            yield part, BY_PROCESS


def _run_at_once(part: ast.AST) -> Iterator[ast.AST]:
    """Yield a statement and its expressions, without the statements and functions inside of it."""
    yield part
    for child in ast.iter_child_nodes(part):
        if isinstance(child, ast.expr | ast.keyword | ast.comprehension) and not isinstance(
            child, ast.Lambda
        ):
            yield from _run_at_once(child)


def _declared_inside(
    function: ast.FunctionDef | ast.AsyncFunctionDef, known: Mapping[str, Any]
) -> Iterator[ast.FunctionDef]:
    """Yield what a function declares for nobody; what it gives back may be part of a protocol."""
    read = {
        part.id
        for part in ast.walk(function)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }
    if "locals" in read:
        return
    statements = list(function.body)
    while statements:
        one = statements.pop(0)
        if isinstance(one, ast.FunctionDef):
            if declares(one, known) and one.name not in read:
                yield one
            yield from _declared_inside(one, known)
        elif not isinstance(one, ast.ClassDef):
            statements += [inner for inside in _bodies(one) for inner in inside]


def _has_declared(one: ast.stmt, known: Mapping[str, Any]) -> bool:
    """Return whether a function is a declaration, or there is one in a class."""
    functions = (part for part in ast.walk(one) if isinstance(part, ast.FunctionDef))
    return any(declares(part, known) for part in functions)


def _names_of(owner: object) -> dict[str, Any]:
    """Return what a class has under names, its bases' as well."""
    if not isinstance(owner, type):
        return {}
    return {name: value for base in reversed(owner.__mro__) for name, value in vars(base).items()}


def _bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for which in ("body", "orelse", "finalbody"):
        yield getattr(statement, which, [])
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def _told_apart(e: ast.expr, known: Mapping[str, Any]) -> Iterator[Found]:
    printed = {
        inside
        for call in ast.walk(e)
        if isinstance(call, ast.Call) and _value(call.func, known) is print
        for inside in call.args
    }
    for part in ast.walk(e):
        match part:
            case ast.Compare(left, ops, others):
                operands = [left, *others]
                for op, one, two in zip(ops, operands, others, strict=False):
                    none = isinstance(two, ast.Constant) and two.value is None
                    told = isinstance(op, ast.Is | ast.IsNot) and not none
                    if told and any(_is_symbolic(operand, known) for operand in (one, two)):
                        yield part, TOLD_APART
            case ast.Call(word, [asked, *_]) if part not in printed:
                telling = any(_value(word, known) is one for one in _TELLING)
                if telling and _is_symbolic(asked, known):
                    yield part, TOLD_APART
            case ast.Attribute(whole, name) if name[:2] == "__" == name[-2:]:
                if _is_symbolic(whole, known):
                    yield part, TOLD_APART


def _is_symbolic(e: ast.expr, known: Mapping[str, Any]) -> bool:
    """Return whether an expression is a parameter, or made of some or of terms, for certain."""
    match e:
        case ast.BinOp(left, _, right):
            return _is_symbolic(left, known) or _is_symbolic(right, known)
        case ast.UnaryOp(ast.Invert() | ast.USub(), operand):
            return _is_symbolic(operand, known)
        case ast.Compare(left, [ast.Is() | ast.IsNot() | ast.In() | ast.NotIn(), *_]):
            return False
        case ast.Compare(left, _, others):
            return any(_is_symbolic(one, known) for one in (left, *others))
        case ast.Call(word):
            made = _value(word, known)
            return inspect.isfunction(made) and made.__module__ in _WORDS
    return isinstance(_value(e, known), Arithmetic | Undecided)


def _value(e: ast.expr, known: Mapping[str, Any]) -> Any:
    """Return what a name stands for when the file is loaded, None where that is not known."""
    match e:
        case ast.Name(name):
            return known.get(name, getattr(builtins, name, None))
        case ast.Attribute(whole, name):
            return inspect.getattr_static(_value(whole, known), name, None)
    return None


def _declares(made: object) -> bool:
    return isinstance(made, type) and issubclass(made, Declaration | Parameter)


def _calls(value: ast.expr) -> Iterator[ast.Call]:
    """Yield the calls that a line is, or lists."""
    match value:
        case ast.Call():
            yield value
        case ast.Tuple(parts) | ast.List(parts) | ast.Set(parts) | ast.Dict(_, parts):
            for part in parts:
                yield from _calls(part)
        case ast.ListComp(part) | ast.SetComp(part):
            yield from _calls(part)
        case ast.IfExp(_, part, other):
            yield from _calls(part)
            yield from _calls(other)


def _declares_by_itself(annotation: ast.expr, known: Mapping[str, Any]) -> bool:
    """Return whether an annotation, or a line of its own, is what a class body gives a name."""
    if isinstance(annotation, ast.Call):
        word = annotation.func
        while isinstance(word, ast.Call):
            word = word.func
        made = _value(word, known)
        return _declares(made) or str(getattr(made, "__module__", "")).startswith("bmc.lang.")
    return isinstance(_value(annotation, known), get_args(Sort))
