"""Functions inside of a method, or given away by it, that nothing has run by the method's end.

What stands behind a `return` is here as well.
Whatever would run them later (a timer, the end of the process, nobody) says nothing of the step.
Only what a function comes to whatever its arguments are is looked at: where Python chooses, it may
well make a function and not need it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise
from types import CodeType, ModuleType
from typing import Any

from bmc.lang.function_text import FunctionText
from bmc.lang.value_kinds import ValueKind
from bmc.lang.watch import Activation

_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def may_be_unrun(run: Activation, ran: Container[int]) -> bool:
    """Return whether :func:`unrun` has to look: most functions make and give away none."""
    if all(kind is ValueKind.HOST for kind in run.kinds.values()):
        return False
    if any(id(code) not in ran for code in _codes_in(run.code)):
        return True
    return any(_is_pythons_own(run.known.get(name)) for name in run.code.co_names)


def unrun(text: FunctionText, ran: Container[int]) -> Iterator[ast.expr | ast.stmt]:
    """Yield what makes a function, or gives one to Python's own library, that has not run.

    ``ran`` has the code of those that have, by number.
    """
    inside = list(_codes_in(text.run.code))
    body = text.node.body
    for part in _block(body) if isinstance(body, list) else _parts(body):
        match part:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                first = min([part.lineno, *(one.lineno for one in part.decorator_list)])
            case ast.Lambda():
                name, first = "<lambda>", part.lineno
            case ast.Call():
                if any(_sleeps(text, one, ran) for one in _given_away(text, part)):
                    yield part
                continue
            case _:
                continue
        alike = [c for c in inside if (c.co_firstlineno, c.co_name) == (first, name)]
        speaking = [code for code in alike if _closes_over_a_state(text, code)]
        if speaking and not any(id(code) in ran for code in speaking):
            yield part


def behind_an_end(text: FunctionText) -> Iterator[ast.stmt]:
    """Yield what stands in a block behind a statement that leaves it, and so is never run."""
    for part in (text.node, *text.parts):
        for _, block in ast.iter_fields(part):
            for one, behind in pairwise(block) if isinstance(block, list) else ():
                # What yields there makes a function a generator of nothing.
                yields = isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Yield)
                if isinstance(one, _ENDS) and not yields:
                    yield behind


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes_in(constant)


def _closes_over_a_state(text: FunctionText, code: CodeType) -> bool:
    known = {**text.local, **text.run.kinds}
    return any(known.get(name, ValueKind.HOST) is not ValueKind.HOST for name in code.co_freevars)


def _given_away(text: FunctionText, call: ast.Call) -> list[ast.expr]:
    """What is given to a function or class of Python's own library."""
    if not _is_pythons_own(text.value(call.func)):
        return []
    return [*call.args, *(one.value for one in call.keywords)]


def _is_pythons_own(value: object) -> bool:
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    return str(module).partition(".")[0] in sys.stdlib_module_names


def _sleeps(text: FunctionText, given: ast.expr, ran: Container[int]) -> bool:
    if not isinstance(given, ast.Name | ast.Attribute):
        return False
    function: Any = text.value(given)
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    module = str(getattr(function, "__module__", "bmc.lang"))
    return code is not None and not module.startswith("bmc.lang") and id(code) not in ran


def _block(statements: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Yield what is come to, up to where Python may go elsewhere."""
    for one in statements:
        match one:
            case ast.With(items, body):
                for item in items:
                    yield from _parts(item.context_expr)
                yield from _block(body)
            case ast.For(_, iterated, body):
                yield from _parts(iterated)
                if _has_elements(iterated):
                    yield from _block(body)
            case ast.If(test) | ast.While(test):
                yield from _parts(test)
            case ast.Match(subject):
                yield from _parts(subject)
            case ast.ClassDef(_, _, _, body):
                yield from _block(body)
            case ast.Try():
                return
            case _:
                yield from _parts(one)
        if any(isinstance(part, _ENDS) for part in ast.walk(one)):
            return


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            return
        case ast.BoolOp(_, [first, *_]) | ast.IfExp(first):
            yield from _parts(first)
        case ast.AnnAssign(_, _, value):
            if value is not None:
                yield from _parts(value)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            yield from _of_comprehension(node)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _parts(child)


def _of_comprehension(
    made: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
) -> Iterator[ast.AST]:
    first = made.generators[0]
    yield from _parts(first.iter)
    if len(made.generators) == 1 and not first.ifs and _has_elements(first.iter):
        values = [made.key, made.value] if isinstance(made, ast.DictComp) else [made.elt]
        for value in values:
            yield from _parts(value)


def _has_elements(iterated: ast.expr) -> bool:
    match iterated:
        case ast.Tuple([first, *_]) | ast.List([first, *_]):
            return not isinstance(first, ast.Starred)
    return False
