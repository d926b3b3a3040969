"""What an expression of a function's text may hold, where Python would decide something about it.

The text says for certain, or it is taken to hold a term: a name is what all that it is ever given
are, and a list that is filled is what is put into it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cached_property, partial
from types import CodeType, FunctionType, ModuleType

from bmc.lang.allowed import is_pythons_own
from bmc.lang.function_text import FunctionText
from bmc.lang.sorts import OptionSort
from bmc.lang.state import State, variable_sorts
from bmc.lang.undecided import Undecided
from bmc.lang.value_kinds import ValueKind, is_told_apart, leads_to_a_term

_NEW = (ast.Constant, ast.JoinedStr, ast.Compare, ast.BinOp, ast.UnaryOp)
"""What is a text, a number, a truth value or a term that stands for one."""
_TABLES = (ast.Dict, ast.DictComp)
_NEVER_FILLED = (
    str,
    int,
    float,
    range,
    frozenset,
    type,
    FunctionType,
    ModuleType,
    State,
    Undecided,
)


class Holding:
    """What the expressions of one text hold."""

    def __init__(self, text: FunctionText) -> None:
        self.text = text

    @cached_property
    def bound(self) -> dict[str, list[ast.expr]]:
        """All that a name is given, as a whole or as one of several."""
        once: dict[str, list[ast.expr]] = {}
        for part in self.text.parts:
            for name, value in _bindings(part, lambda e: e):
                once.setdefault(name, []).append(value)
        more = {name for part in self.text.parts for name in _put_into(part)}
        displays = {
            name: values[0]
            for name, values in once.items()
            # What is put into a table later is under a key as well.
            if len(values) == 1 and (name not in more or isinstance(values[0], _TABLES))
        }

        def displayed(e: ast.expr) -> ast.expr:
            if isinstance(e, ast.Name) and e.id in displays:
                return displays[e.id]
            return ast.Dict([], []) if type(self.text.value(e)) is dict else e

        bound: dict[str, list[ast.expr]] = {}
        for part in self.text.parts:
            for name, value in _bindings(part, displayed):
                bound.setdefault(name, []).append(value)
        return bound

    @cached_property
    def _given(self) -> dict[str, list[ast.expr]]:
        """The same, with what may be put into what a name stands for."""
        given = {name: list(values) for name, values in self.bound.items()}
        for part in self.text.parts:
            for name, value in _fillings(part):
                if self._can_be_filled(name, frozenset()):
                    given.setdefault(name, []).append(value)
        return given

    def _can_be_filled(self, name: str, seen: frozenset[str]) -> bool:
        bound = self.bound.get(name, ())
        if name in seen:
            return False
        elsewhere = name in self.text.formals or not bound
        if elsewhere and _takes_more(self.text.values.get(name)):
            return True
        return any(self._is_filled(one, seen | {name}) for one in bound)

    def _is_filled(self, e: ast.expr, seen: frozenset[str]) -> bool:
        match e:
            case ast.Name(name):
                return self._can_be_filled(name, seen)
            case ast.IfExp(_, then, otherwise):
                return self._is_filled(then, seen) or self._is_filled(otherwise, seen)
            case ast.Attribute() if isinstance(self.text.value(e), _NEVER_FILLED):
                return False
        return not isinstance(e, _NEW) and self.text.kind(e) is not ValueKind.SYMBOLIC

    def is_plain(self, e: ast.expr) -> bool:
        """Return whether no term can be had from an expression, for certain."""
        return self._each(e, self._plain, frozenset())

    def may_be_none(self, e: ast.expr) -> bool:
        """Return whether an expression may be a term that stands for none in some state."""
        return not self._each(e, self._no_option, frozenset())

    def is_an_object(self, e: ast.expr) -> bool:
        """Return whether an expression is an object of a class of a user's, in some of its uses.

        What calls a function (a method of an object, a partial one) is told apart as objects are.
        """
        if isinstance(e, ast.Lambda) or is_told_apart(self.text.value(e)):
            return True
        if isinstance(e, ast.Name):
            if is_told_apart(self.text.run.values.get(e.id)):
                return True
            return any(
                self.is_an_object(one)
                for one in self.bound.get(e.id, ())
                if not isinstance(one, ast.Name)
            )
        made = self.text.value(e.func) if isinstance(e, ast.Call) else None
        return made is partial or (isinstance(made, type) and not is_pythons_own(made))

    def _each(
        self,
        e: ast.expr,
        holds: Callable[[ast.expr, frozenset[str]], bool],
        seen: frozenset[str],
    ) -> bool:
        if not isinstance(e, ast.Name) or e.id in seen:
            return isinstance(e, ast.Name) or holds(e, seen)
        elsewhere = e.id in self.text.formals or e.id not in self.bound
        if elsewhere and not holds(e, seen):
            return False
        inside = seen | {e.id}
        return all(self._each(one, holds, inside) for one in self._given.get(e.id, ()))

    def _plain(self, e: ast.expr, seen: frozenset[str]) -> bool:
        match e:
            case ast.Name(name):
                if name in self.text.run.kinds:
                    return name not in self.text.run.leading
                return not leads_to_a_term(self.text.value(e))
            case ast.Attribute(base):
                found = self.text.value(e)
                if found is None or hasattr(type(found), "__get__"):
                    return found is None and self._each(base, self._plain, seen)
                return not leads_to_a_term(found)
            case ast.Call(function, args, keywords):
                called = self.text.value(function)
                own = is_pythons_own(called) or _is_an_enumeration(called)
                if not (own or _is_a_method_of_data(function, called)):
                    return False
                given = (*args, *(one.value for one in keywords))
            case ast.Lambda(inside, body):
                bound = {one.arg for one in (*inside.posonlyargs, *inside.args)}
                return self._each(body, self._plain, seen | bound)
            case _:
                given = tuple(_parts(e))
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute):
            given = (e.func.value, *given)
        return all(self._each(one, self._plain, seen) for one in given)

    def _no_option(self, e: ast.expr, seen: frozenset[str]) -> bool:
        match e:
            case ast.IfExp(_, then, otherwise):
                return all(self._each(one, self._no_option, seen) for one in (then, otherwise))
            case ast.NamedExpr(_, value):
                return self._each(value, self._no_option, seen)
            case ast.Name(name):
                if name in self.text.run.kinds:
                    return name not in self.text.run.optional
            case ast.Attribute(ast.Name(name), part) if self.text.kind(e.value) is ValueKind.STATE:
                state = self.text.values.get(name)
                sort = variable_sorts(state).get(part) if isinstance(state, State) else None
                return sort is not None and not isinstance(sort, OptionSort)
            case ast.Call(function):
                code = code_of(self.text, function)
                if code is not None and self.text.runs.gives_no_option(code):
                    return True
        return isinstance(e, _NEW) or self._plain(e, seen)


def _takes_more(value: object) -> bool:
    """Return whether something can be put into a value, or into what it holds."""
    if isinstance(value, tuple):
        return any(_takes_more(one) for one in value)
    return value is not None and not isinstance(value, _NEVER_FILLED)


def code_of(text: FunctionText, function: ast.expr) -> CodeType | None:
    """Return the code of a user's function that is called or given away, None if not known."""
    if isinstance(function, ast.Name) and function.id in text.local:
        alike = [c for c in codes_in(text.run.code) if c.co_name == function.id]
        return alike[0] if len(alike) == 1 else None
    if isinstance(function, ast.Lambda):
        alike = [c for c in codes_in(text.run.code) if _starts(c, function)]
        return alike[0] if len(alike) == 1 else None
    value = text.value(function)
    found = getattr(getattr(value, "__func__", value), "__code__", None)
    return found if isinstance(found, CodeType) else None


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of the functions inside of a function."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes_in(constant)


def _starts(code: CodeType, function: ast.Lambda) -> bool:
    return code.co_name == "<lambda>" and code.co_firstlineno == function.lineno


def _is_an_enumeration(called: object) -> bool:
    return isinstance(called, type) and issubclass(called, Enum)


def _is_a_method_of_data(function: ast.expr, called: object) -> bool:
    return called is None and isinstance(function, ast.Attribute)


def _parts(e: ast.AST) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(e):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.comprehension):
            yield from (child.iter, *child.ifs)


_NO_TERM = ast.Constant("")
"""What stands for a number or a name of which nothing more is known."""
_ONLY_READ = frozenset(vars(builtins)) - {"setattr"} | {
    *("chain", "conj", "disj", "product", "reduce", "starmap"),
    *("copy", "get", "items", "join", "keys", "require", "values"),
}
"""What puts nothing into what it is given."""
_Displays = Callable[[ast.expr], ast.expr]
"""Gives the display that a name stands for, and a table for what is one."""


def _bindings(part: ast.AST, displays: _Displays) -> Iterator[tuple[str, ast.expr]]:
    match part:
        case ast.Assign(targets, value):
            for target in targets:
                yield from _to(target, value)
        case ast.AnnAssign(target, _, value) if value is not None:
            yield from _to(target, value)
        case ast.NamedExpr(target, value) | ast.AugAssign(target, _, value):
            yield from _to(target, value)
        case ast.For(target, iterated) | ast.comprehension(target, iterated):
            yield from _each_of(target, iterated, displays)
        case ast.withitem(given, target) if target is not None:
            yield from _to(target, given)
        case ast.Match(subject, cases):
            for inside in (one for case in cases for one in ast.walk(case.pattern)):
                name = getattr(inside, "name", None) or getattr(inside, "rest", None)
                if name is not None:
                    yield name, _part_of(subject)


def _each_of(
    target: ast.expr, iterated: ast.expr, displays: _Displays
) -> Iterator[tuple[str, ast.expr]]:
    """Yield what the names of a loop are given; Python's own words are taken for themselves."""
    match iterated, target:
        case ast.Call(ast.Name("enumerate"), [inside, *_]), ast.Tuple([number, one]):
            yield from _to(number, _NO_TERM)
            yield from _each_of(one, inside, displays)
        case ast.Call(ast.Name("zip"), given), ast.Tuple(places) if len(given) == len(places):
            for place, inside in zip(places, given, strict=True):
                yield from _each_of(place, inside, displays)
        case ast.Call(ast.Attribute(inside, "items"), []), ast.Tuple([key, one]) if isinstance(
            displays(inside), _TABLES
        ):
            yield from _to(key, _NO_TERM)
            yield from _to(one, _part_of(inside))
        case _:
            for element in _elements(iterated, displays):
                yield from _to(target, element)


def _elements(iterated: ast.expr, displays: _Displays) -> list[ast.expr]:
    match displays(iterated):
        case ast.Dict() | ast.DictComp():
            # A term that is a key was refused where it was put into the table.
            return [_NO_TERM]
        case ast.ListComp(element) | ast.SetComp(element) | ast.GeneratorExp(element):
            return [element]
        case ast.Tuple(elements) | ast.List(elements) | ast.Set(elements):
            return elements
        case ast.Call(ast.Attribute(inside, "keys"), []) if isinstance(displays(inside), _TABLES):
            return [_NO_TERM]
        case shown:
            return [_part_of(shown)]


def _part_of(whole: ast.expr) -> ast.expr:
    """Return what stands for any part of what an expression holds."""
    return ast.Subscript(whole, ast.Constant(None), ast.Load())


def _to(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case (ast.Tuple(places), ast.Tuple(parts) | ast.List(parts)) if len(places) == len(
            parts
        ) and not any(isinstance(one, ast.Starred) for one in (*places, *parts)):
            for place, part in zip(places, parts, strict=True):
                yield from _to(place, part)
        case ast.Tuple(places) | ast.List(places), _:
            for place in places:
                yield from _to(place, _part_of(value))
        case ast.Starred(inside), _:
            yield from _to(inside, value)
        case ast.Name(name), _:
            yield name, value


def _fillings(part: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield what may be put into what a name stands for, or be there under another name."""
    match part:
        case ast.Assign(targets, value):
            for target in targets:
                name = _root(target)
                if name is not None and not isinstance(target, ast.Name):
                    yield name, value
                if isinstance(value, ast.Name) and isinstance(target, ast.Name):
                    yield value.id, target
        case ast.AugAssign(target, _, value):
            name = _root(target)
            if name is not None:
                yield name, value
        case ast.Call(function, args, keywords):
            given = [*args, *(one.value for one in keywords)]
            receiver = [function.value] if isinstance(function, ast.Attribute) else []
            roots = [name for one in (*receiver, *given) if (name := _root(one)) is not None]
            for name in roots:
                yield from ((name, one) for one in given if _root(one) != name)


def _put_into(part: ast.AST) -> Iterator[str]:
    """Yield the names of what something more may be put into than it was made of."""
    given: list[ast.expr] = []
    match part:
        case ast.Subscript(inside, _, ast.Store()) | ast.AugAssign(inside):
            given = [inside]
        case ast.Call(ast.Attribute(inside, word), args) if word not in _ONLY_READ:
            given = [inside, *args]
        case ast.Call(ast.Name(word), args, keywords) if word not in _ONLY_READ:
            given = [*args, *(one.value for one in keywords)]
    yield from (name for one in given if (name := _root(one)) is not None)


def _root(e: ast.expr) -> str | None:
    inside = e
    while isinstance(inside, ast.Attribute | ast.Subscript | ast.Starred):
        inside = inside.value
    return inside.id if isinstance(inside, ast.Name) else None
