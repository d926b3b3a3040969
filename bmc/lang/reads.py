"""What a function's text reads, and where: a function inside of it reads where it is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bmc.lang.function_text import FunctionText, file_of
from bmc.lang.late import Surroundings

Place = tuple[int, int]
"""A line, and a column of it."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_INSIDE = (ast.FunctionDef, ast.Lambda)


@dataclass(frozen=True)
class NameRead:
    """A name that is read, from what place on, and the part of the text in which that is."""

    name: ast.Name
    at: Place
    part: ast.AST


def reads(text: FunctionText) -> Iterator[NameRead]:
    """Yield what a text reads, also by the functions in it, wherever these are run.

    What something is put into is not read.
    """
    other = own_of_comprehensions(text) | {root for part in text.parts for root in _filled(part)}
    for part in text.parts:
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part not in other:
            yield NameRead(part, start_of(part), part)
    inside = _Inside(text)
    for part in text.parts:
        if isinstance(part, _INSIDE) and part is not text.node:
            names = [one for one in ast.walk(part) if isinstance(one, ast.Name)]
            mine = {one.arg for one in ast.walk(part) if isinstance(one, ast.arg)}
            mine |= {one.id for one in names if isinstance(one.ctx, ast.Store)}
            asked = [n for n in names if isinstance(n.ctx, ast.Load) and n.id not in mine]
            if asked:
                where = list(inside.run_at(part, frozenset()))
                yield from (NameRead(name, at, one) for name in asked for at, one in where)


class _Inside:
    """Where the functions are run that a text has inside."""

    def __init__(self, text: FunctionText) -> None:
        self._text = text
        self._around = file_of(text.run.code, text.run.known).around
        self._surroundings = Surroundings(self._around, text.run.known)
        self._parts = set(text.parts)
        loads = [one for one in ast.walk(text.node) if isinstance(one, ast.Name)]
        self._loads = [one for one in loads if isinstance(one.ctx, ast.Load)]

    def run_at(self, function: Any, seen: frozenset[str]) -> Iterator[tuple[Place, ast.AST]]:
        """Yield where a function is run: at the end of the text, where it may be kept so long."""
        above = self._around[function]
        if isinstance(function, ast.FunctionDef):
            yield from self._called(function.name, function, seen)
        elif isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
            yield from self._called(above.targets[0].id, function, seen)
        elif self._surroundings.runs_at_once(function):
            yield start_of(function), function
        else:
            yield self._end, function

    def _called(
        self, name: str, function: Any, seen: frozenset[str]
    ) -> Iterator[tuple[Place, ast.AST]]:
        if name in seen:
            return
        for load in (one for one in self._loads if one.id == name):
            above = self._around[load]
            if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
                yield from self._called(above.targets[0].id, function, seen | {name})
            elif not self._surroundings.runs_at_once(load):
                yield self._end, function
            elif load in self._parts:
                yield start_of(load), load
            elif isinstance(holder := self._surroundings.body_around(load), _INSIDE):
                yield from self.run_at(holder, seen | {name})

    @property
    def _end(self) -> Place:
        return self._text.node.end_lineno + 1, 0


def _filled(part: ast.AST) -> Iterator[ast.AST]:
    match part:
        case ast.Attribute(inside, _, ast.Store()) | ast.Subscript(inside, _, ast.Store()):
            while isinstance(inside, ast.Attribute | ast.Subscript):
                inside = inside.value
            yield inside


def own_of_comprehensions(text: FunctionText) -> set[ast.AST]:
    """Return the names in comprehensions of a text that are their own."""
    found = set[ast.AST]()
    for part in text.parts:
        if isinstance(part, _COMPREHENSIONS):
            targets = [n for one in part.generators for n in ast.walk(one.target)]
            bound = {n.id for n in targets if isinstance(n, ast.Name)}
            found |= {n for n in ast.walk(part) if isinstance(n, ast.Name) and n.id in bound}
    return found


def start_of(node: Any) -> Place:
    """Return where a part of a text begins."""
    return node.lineno, node.col_offset
