"""What a function's text reads behind a loop, or gives to names that nothing reads from there on.

Python takes both without a word. A line that has lost its indentation speaks of a loop's last turn
alone, and of an argument under the loop's name no more; and two copies of variables that are
exchanged, or counted together, change no variable.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

BEHIND = (
    "it is read behind the loop that sets it, where it has the value of the loop's last turn: "
    "write the line into the loop, or the value itself under a name of its own"
)

_Own = tuple[ast.Name, ...]


def behind_loops(function: Any) -> Iterator[ast.Name]:
    """Yield a name that is read behind a loop which alone has set it, and runs to its end."""
    own = _own_names(function)
    for loop in _own_parts(function):
        if not isinstance(loop, ast.For) or _breaks(loop):
            continue
        # Behind `either` blocks more is refused, and with more to say.
        if any(isinstance(one, ast.With) for one in ast.walk(loop)):
            continue
        for name in (one for one in ast.walk(loop.target) if isinstance(one, ast.Name)):
            same = [one for one in own if one.id == name.id]
            set_before = [one for one in same if _stores(one) and _start(one) < _start(loop)]
            if set_before and not _in_loop_of_the_name(function, set_before, name.id):
                continue
            behind = sorted((one for one in same if _start(one) > _end(loop)), key=_start)
            if behind and not _stores(behind[0]):
                yield behind[0]


def gone(function: Any) -> Iterator[ast.Assign]:
    """Yield what exchanges copies, or names a sum, where nothing reads that."""
    own = _all_names(function)
    looped = _inside_loops(function)
    shared = {
        name
        for one in ast.walk(function)
        if isinstance(one, ast.Global | ast.Nonlocal)
        for name in one.names
    }
    for part in _own_parts(function):
        match part:
            case ast.Assign([ast.Tuple(to)], ast.Tuple(of)) if id(part) not in looped:
                given, taken = [_name(one) for one in to], [_name(one) for one in of]
                names = set(given) - shared
                is_exchange = (
                    None not in names
                    and len(names) > 1
                    and sorted(map(str, given)) == (sorted(map(str, taken)))
                )
                if is_exchange and not any(
                    one.id in names and _start(one) > _end(part) and not _stores(one) for one in own
                ):
                    yield part
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("sum")) as value):
                inside = {id(one) for one in ast.walk(value)}
                read = (one for one in own if one.id == name and not _stores(one))
                if name != "_" and name not in shared and all(id(one) in inside for one in read):
                    yield part


def _name(part: ast.AST) -> str | None:
    return part.id if isinstance(part, ast.Name) else None


def _own_parts(function: Any) -> Iterator[Any]:
    """Yield the parts of a function's text without those of functions inside of it."""
    body = function.body if isinstance(function.body, list) else [function.body]
    stack: list[ast.AST] = list(reversed(body))
    while stack:
        part = stack.pop()
        yield part
        if not isinstance(part, _WITH_NAMES):
            stack.extend(reversed(list(ast.iter_child_nodes(part))))


_WITH_NAMES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def _own_names(function: Any) -> _Own:
    """Return names of the function, also where an inner one reads them and sets no such name."""
    found: list[ast.Name] = []
    for part in _own_parts(function):
        if isinstance(part, ast.Name):
            found.append(part)
        elif isinstance(part, _WITH_NAMES):
            inner = [one for one in ast.walk(part) if isinstance(one, ast.Name)]
            bound = {one.id for one in inner if _stores(one)}
            bound |= {one.arg for one in ast.walk(part) if isinstance(one, ast.arg)}
            found += [one for one in inner if one.id not in bound]
    return tuple(found)


def _all_names(function: Any) -> _Own:
    return tuple(one for one in ast.walk(function) if isinstance(one, ast.Name))


def _in_loop_of_the_name(function: Any, sets: list[ast.Name], name: str) -> bool:
    """Whether what sets a name before are loops over the same name alone."""
    targets = {
        id(one)
        for loop in _own_parts(function)
        if isinstance(loop, ast.For)
        for one in ast.walk(loop.target)
        if isinstance(one, ast.Name) and one.id == name
    }
    return all(id(one) in targets for one in sets)


def _breaks(loop: ast.For) -> bool:
    """Whether a loop may end before its last turn."""
    stack: list[ast.AST] = list(loop.body)
    while stack:
        part = stack.pop()
        if isinstance(part, ast.Break | ast.Return):
            return True
        if isinstance(part, ast.For | ast.While):
            stack.extend(part.orelse)
            stack.extend(one for one in ast.walk(part) if isinstance(one, ast.Return))
        elif not isinstance(part, _WITH_NAMES):
            stack.extend(ast.iter_child_nodes(part))
    return False


def _inside_loops(function: Any) -> set[int]:
    loops = (one for one in _own_parts(function) if isinstance(one, ast.For | ast.While))
    return {id(part) for loop in loops for part in ast.walk(loop)}


def _stores(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _start(part: Any) -> tuple[int, int]:
    return part.lineno, part.col_offset


def _end(part: Any) -> tuple[int, int]:
    return part.end_lineno or part.lineno, part.end_col_offset or 0
