"""Values that a method counts on for itself, and that nothing reads: refused, like formulas.

``x = maximum(x, 1)`` gives a name of Python's a new value and no variable of a protocol, and so
does ``box.n += 1`` where ``box`` is an object of the method's own. Who writes it means the variable
that the value came from. A value that is made and not needed is nothing of this kind: it may be
wanted at other times, by another method or in the next turn of a loop.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from bmc.lang.function_text import file_of, is_a_function, nodes_of
from bmc.lang.places import Line, Spot
from bmc.lang.watch import Activation

_Place = ast.Name | ast.Attribute | ast.Subscript


def lost_updates(
    unread: Iterable[Spot], ran: Collection[Activation]
) -> Iterator[tuple[Line, ast.AST]]:
    """Yield the assignments that make what was made at these spots, where nobody can read it.

    ``ran`` has the functions that ran: one of them may count on what another one gives back.
    """
    for spot in unread:
        tree = file_of(spot.code, spot.known).tree
        for name in _returning(spot, tree):
            yield from _lost_calls(name, ran)
        # Of lambdas and comprehensions it is the function around them that has the name.
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.Lambda) and _is_in(spot, node):
                for assigned, place, value in _assignments(node):
                    if _is_in(spot, value) and _is_lost(node, place, value, _is_all(spot, value)):
                        yield Line(spot.code.co_filename, assigned.lineno), assigned


def _returning(spot: Spot, tree: ast.AST) -> Iterator[str]:
    """Yield the names of the functions that give back what was made at a spot."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name):
                gives = (one.value for one in ast.walk(node) if isinstance(one, ast.Return))
                if any(value is not None and _is_in(spot, value) for value in gives):
                    yield name
            case ast.Assign([ast.Name(name)], ast.Lambda(_, body)) if _is_in(spot, body):
                yield name
            case ast.AnnAssign(ast.Name(name), _, ast.Lambda(_, body)) if _is_in(spot, body):
                yield name


def _lost_calls(name: str, ran: Iterable[Activation]) -> Iterator[tuple[Line, ast.AST]]:
    """Yield ``x = name(x)`` where nothing else reads x.

    Whoever writes ``sent = name(s)`` may want what a helper does alone; who gives it the value
    that it makes a new one of wants the new one.
    """
    for run in ran:
        for node in nodes_of(run.code, run.known) if is_a_function(run.code) else ():
            for assigned, place, value in _assignments(node):
                if not (_calls(value, name) and _counts_on(value, place)):
                    continue
                if _is_lost(node, place, value, True):
                    yield Line(run.code.co_filename, assigned.lineno), assigned


def _calls(value: ast.AST, name: str) -> bool:
    match value:
        case ast.Call(ast.Name(called)) | ast.Call(ast.Attribute(_, called)):
            return called == name
    return False


def _assignments(node: Any) -> Iterator[tuple[Any, _Place, ast.AST]]:
    """Yield the assignments of a function, to what, and the text whose value it is given."""
    for part in ast.walk(node):
        match part:
            case ast.Assign(targets, value):
                for target in targets:
                    yield from ((part, *pair) for pair in _pairs(target, value))
            case ast.AnnAssign(target, _, value) | ast.NamedExpr(target, value) if value:
                yield from ((part, *pair) for pair in _pairs(target, value))
            case ast.AugAssign(target):
                yield part, target, part


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[_Place, ast.AST]]:
    match target, value:
        case ((ast.Tuple(to) | ast.List(to)), (ast.Tuple(of) | ast.List(of))) if len(to) == len(of):
            for one, given in zip(to, of, strict=True):
                yield from _pairs(one, given)
        case ((ast.Name() | ast.Attribute() | ast.Subscript()), _):
            yield target, value


def _is_all(spot: Spot, part: Any) -> bool:
    return spot.position == (part.lineno, part.end_lineno, part.col_offset, part.end_col_offset)


def _is_in(spot: Spot, part: Any) -> bool:
    first, last, column, end = spot.position
    if first is None or last is None or column is None or end is None:
        return False
    begins = (part.lineno, part.col_offset) <= (first, column)
    return begins and (last, end) <= (part.end_lineno, part.end_col_offset)


def _is_lost(node: Any, place: _Place, value: ast.AST, whole: bool) -> bool:
    """Whether nothing reads a place that is given a value, or a ``whole`` one that is new."""
    counting = [v for _, to, v in _assignments(node) if _same(to, place) and _counts_on(v, place)]
    inside = {id(one) for update in counting for one in ast.walk(update)}
    outside = [one for one in ast.walk(node) if id(one) not in inside]
    if any(_reads(one, place) for one in outside):
        return False
    root = _root(place)
    if not isinstance(root, ast.Name):
        return False
    if isinstance(place, ast.Name):
        return place.id != "_" and not _is_shared(node, place.id)
    if not whole:
        return False
    # Whoever is given the object may read it, at other times.
    parts = {id(one.value) for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    parts |= {id(one.value) for one in ast.walk(node) if isinstance(one, ast.Subscript)}
    if any(
        isinstance(one, ast.Name) and one.id == root.id and _given(one, parts) for one in outside
    ):
        return False
    return value in counting or root.id not in _formals(node)


def _is_shared(node: Any, name: str) -> bool:
    """Whether the name is of the function around, in whose text it is looked for as well."""
    body = node.body if isinstance(node.body, list) else []
    shared = (one for one in body if isinstance(one, ast.Global | ast.Nonlocal))
    return any(name in one.names for one in shared)


def _counts_on(value: ast.AST, place: _Place) -> bool:
    return isinstance(value, ast.AugAssign) or any(_reads(one, place) for one in ast.walk(value))


def _reads(one: ast.AST, place: _Place) -> bool:
    match one, place:
        case ast.Call(ast.Attribute(base, "get"), [key, *_]), ast.Subscript(of, at):
            return _same(base, of) and _same(key, at)
        case ((ast.Name() | ast.Attribute() | ast.Subscript()), _):
            return isinstance(one.ctx, ast.Load) and _same(one, place)
    return False


def _same(one: ast.AST, other: ast.AST) -> bool:
    return type(one) is type(other) and ast.unparse(one) == ast.unparse(other)


def _root(place: ast.expr) -> ast.expr:
    while isinstance(place, ast.Attribute | ast.Subscript):
        place = place.value
    return place


def _given(name: ast.Name, parts: set[int]) -> bool:
    return isinstance(name.ctx, ast.Load) and id(name) not in parts


def _formals(node: Any) -> set[str]:
    given = node.args
    more = [one for one in (given.vararg, given.kwarg) if one is not None]
    return {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, *more)}
