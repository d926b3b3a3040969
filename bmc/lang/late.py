"""Functions that read a name of the text around them which is set once more before they are run.

Python gives them the last value: ``[lambda: s.x != k for k in (1, 2)]`` says twice that x is not 2,
and so do the methods of a class that a loop keeps. What is run where it stands has the value that
it is written under.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from functools import reduce
from inspect import isfunction
from types import ModuleType
from typing import Any

from bmc.lang.namesakes import is_a_declaring_word

LATE = (
    "it is set once more, and where the function that reads it is run later this has the last "
    "value: make it an argument of its own, as in lambda x, k=k: ..."
)

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef)
_FUNCTIONS = (*_NAMED, ast.Lambda)
_BODIES = (*_FUNCTIONS, ast.ClassDef, ast.Module)
_RUNNING = (sorted, min, max, reduce)
"""What runs the function that it is given, besides iterators and the words of the language."""
_DEPTH = 4
"""How far functions are followed that hand on what they are given."""

Around = Mapping[ast.AST, ast.AST]


def around_in(tree: ast.AST) -> Around:
    """Return what each part of a text is written in."""
    return {one: part for part in ast.walk(tree) for one in ast.iter_child_nodes(part)}


def late(function: ast.AST, around: Around, known: Mapping[str, Any]) -> Iterator[ast.Name]:
    """Yield a name that a function reads, and may read when it has another value.

    ``known`` are the names of the function's module.
    """
    read = _read_of_others(function)
    above = around.get(function)
    held = above if isinstance(above, ast.ClassDef) else function
    text = Surroundings(around, known)
    for loop in text.loops(held):
        there = {one.id for one in _set(_bound(loop))}
        shared = [one for one in read if one.id in there]
        if shared and not all(text.runs_at_once(e) for e in _said(held, loop)):
            yield shared[0]
    body = text.body_around(held)
    placed = _set(list(ast.iter_child_nodes(body)))
    before = {one.id for one in placed if _start(one) < _start(held)} | _formals(body)
    for one in read:
        after = [_start(e) for e in placed if e.id == one.id and _start(e) > _start(held)]
        # What is set below alone is a word of the file, and has one meaning.
        if after and one.id in before:
            said = [held] if isinstance(held, ast.Lambda) else _said(held, body)
            if not all(_start(e) < min(after) and text.runs_at_once(e) for e in said):
                yield one


class Surroundings:
    """A file's text, and what its names stand for."""

    def __init__(self, around: Around, known: Mapping[str, Any]) -> None:
        self._around = around
        self._known = known

    def loops(self, part: ast.AST) -> Iterator[ast.AST]:
        """Yield the loops around a part, up to the function or the class that it is written in."""
        above = self._around.get(part)
        while above is not None and not isinstance(above, _BODIES):
            if isinstance(above, (*_COMPREHENSIONS, ast.For, ast.While)):
                yield above
            above = self._around.get(above)

    def body_around(self, part: ast.AST) -> ast.AST:
        """Return the function, the class or the file that a part is written in."""
        above = self._around[part]
        while not isinstance(above, _BODIES):
            above = self._around[above]
        return above

    def runs_at_once(self, e: ast.AST, depth: int = 0) -> bool:
        """Return whether something is called, or given to a call that runs it, where it stands."""
        above = self._around[e]
        match above:
            case ast.Call(word) if e is word:
                return True
            case ast.Call():
                return self._is_run_by(above, e, depth)
            case ast.keyword():
                call = self._around[above]
                return isinstance(call, ast.Call) and self._is_run_by(call, above, depth)
            case ast.Assign([ast.Name(name)]):
                said = _said_by(name, self.body_around(above))
                return all(self.runs_at_once(one, depth) for one in said)
            case ast.Expr() | ast.Attribute():
                return True
        return isinstance(above, ast.IfExp) and self.runs_at_once(above, depth)

    def _is_run_by(self, call: ast.Call, given: ast.AST, depth: int) -> bool:
        """Return whether a call runs what it is given while it lasts."""
        if isinstance(call.func, ast.Call) and is_a_declaring_word(call.func.func, self._known):
            return False
        word = self._value(call.func)
        if isinstance(word, type):
            return hasattr(word, "__next__")
        if any(word is one for one in _RUNNING):
            return True
        if str(getattr(word, "__module__", "")).startswith("bmc.lang."):
            return isfunction(word)
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        written = [one for one in self._around if isinstance(one, _NAMED) and one.name == name]
        return (
            bool(written)
            and depth < _DEPTH
            and all(self._runs(one, call, given, depth + 1) for one in written)
        )

    def _runs(self, function: Any, call: ast.Call, given: ast.AST, depth: int) -> bool:
        """Return whether a function of the file runs what it is given in a call, and no later."""
        formals = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
        if isinstance(given, ast.keyword):
            name = given.arg
        else:
            plain = any("staticmethod" in ast.unparse(one) for one in function.decorator_list)
            bound = isinstance(self._around[function], ast.ClassDef) and not plain
            place = call.args.index(given) + bound if given in call.args else len(formals)
            name = formals[place] if place < len(formals) else None
        said = [] if name is None else _said_by(name, function)
        return name in _formals(function) and all(
            self.runs_at_once(one, depth) and self._is_run_in(one, function, depth) for one in said
        )

    def _is_run_in(self, part: ast.AST, function: ast.AST, depth: int) -> bool:
        """Return whether the functions that a part is written in run where they stand."""
        body = self.body_around(part)
        if body is function:
            return True
        said = _said(body, function)
        return all(self.runs_at_once(e, depth) for e in said) and self._is_run_in(
            body, function, depth
        )

    def _value(self, word: ast.expr) -> Any:
        match word:
            case ast.Name(name):
                return self._known.get(name, getattr(builtins, name, None))
            case ast.Attribute(ast.Name(name), inside) if isinstance(
                self._known.get(name), ModuleType
            ):
                return getattr(self._known[name], inside, None)
        return None


def _formals(function: Any) -> set[str]:
    arguments = getattr(function, "args", None)
    if arguments is None:
        return set()
    listed = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return {one.arg for one in listed}


def _start(part: Any) -> tuple[int, int]:
    return part.lineno, part.col_offset


def _read_of_others(function: ast.AST) -> list[ast.Name]:
    """Return the names that a function reads and does not set."""
    body: Any = getattr(function, "body", [])
    parts = [part for one in (body if isinstance(body, list) else [body]) for part in ast.walk(one)]
    own = {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
    names = [one for one in parts if isinstance(one, ast.Name)]
    own |= {one.id for one in names if isinstance(one.ctx, ast.Store)}
    return [one for one in names if isinstance(one.ctx, ast.Load) and one.id not in own]


def _bound(loop: ast.AST) -> list[ast.AST]:
    if isinstance(loop, _COMPREHENSIONS):
        named = [one for one in ast.walk(loop) if isinstance(one, ast.NamedExpr)]
        return [*(one.target for one in loop.generators), *(one.target for one in named)]
    return [loop]


def _set(parts: list[ast.AST]) -> list[ast.Name]:
    found: list[ast.Name] = []
    for one in (one for part in parts for one in _own(part)):
        match one:
            case ast.Name(_, ast.Store()):
                found.append(one)
            case ast.MatchAs(_, str(name)) | ast.MatchStar(str(name)):
                found.append(ast.copy_location(ast.Name(name, ast.Store()), one))
    return found


def _own(part: ast.AST) -> Iterator[ast.AST]:
    """Yield a part and all in it but what functions, classes and comprehensions set."""
    yield part
    if isinstance(part, _COMPREHENSIONS):
        named = [one for one in ast.walk(part) if isinstance(one, ast.NamedExpr)]
        yield from (one.target for one in named)
    elif not isinstance(part, _BODIES):
        for child in ast.iter_child_nodes(part):
            yield from _own(child)


def _said(held: ast.AST, where: ast.AST) -> list[ast.AST]:
    """Return where a function or a class stands in a text: itself, or its name."""
    name = getattr(held, "name", None)
    return [held] if name is None else _said_by(name, where)


def _said_by(name: str, where: ast.AST) -> list[ast.AST]:
    names = [one for one in ast.walk(where) if isinstance(one, ast.Name) and one.id == name]
    return [one for one in names if isinstance(one.ctx, ast.Load)]
