"""Functions that are kept in a loop and read a name of it: Python gives all of them its last value.

The methods of a class are kept with it.

``[lambda: s.x != k for k in (1, 2)]`` says twice that x is not 2.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from typing import Any

from bmc.lang.namesakes import is_a_declaring_word

LATE = (
    "it is kept in a loop, and where it is run later this has the last value for all: make it an "
    "argument of its own, as in lambda x, k=k: ..."
)

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_KEEPS = frozenset({"add", "append", "extend", "insert", "setdefault", "update"})

Around = Mapping[ast.AST, ast.AST]


def around_in(tree: ast.AST) -> Around:
    """Return what each part of a text is written in."""
    return {one: part for part in ast.walk(tree) for one in ast.iter_child_nodes(part)}


def late(function: ast.AST, around: Around, known: Mapping[str, Any]) -> Iterator[ast.Name]:
    """Yield a name that a function reads and that is a loop's, where the loop keeps the function.

    ``known`` are the names of the function's module.
    """
    read = _read_of_others(function)
    above = around.get(function)
    held = above if isinstance(above, ast.ClassDef) else function
    for loop in _loops(held, around):
        set_there = _set(_bound(loop))
        shared = [one for one in read if one.id in set_there]
        if shared and not all(_runs_at_once(e, loop, around, known) for e in _said(held, loop)):
            yield shared[0]


def _read_of_others(function: ast.AST) -> list[ast.Name]:
    """Return the names that a function reads and does not set."""
    body: Any = getattr(function, "body", [])
    parts = [part for one in (body if isinstance(body, list) else [body]) for part in ast.walk(one)]
    own = {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
    names = [one for one in parts if isinstance(one, ast.Name)]
    own |= {one.id for one in names if isinstance(one.ctx, ast.Store)}
    return [one for one in names if isinstance(one.ctx, ast.Load) and one.id not in own]


def _loops(part: ast.AST, around: Around) -> Iterator[ast.AST]:
    """Yield the loops around a part, up to the function or the class that it is written in."""
    above = around.get(part)
    while above is not None and not isinstance(above, (*_FUNCTIONS, ast.ClassDef)):
        if isinstance(above, (*_COMPREHENSIONS, ast.For, ast.While)):
            yield above
        above = around.get(above)


def _bound(loop: ast.AST) -> list[ast.AST]:
    if isinstance(loop, _COMPREHENSIONS):
        named = [one for one in ast.walk(loop) if isinstance(one, ast.NamedExpr)]
        return [*(one.target for one in loop.generators), *(one.target for one in named)]
    return [loop]


def _set(parts: list[ast.AST]) -> set[str]:
    found = set()
    for one in (one for part in parts for one in _own(part)):
        match one:
            case ast.Name(name, ast.Store()) | ast.MatchAs(_, str(name)) | ast.MatchStar(str(name)):
                found.add(name)
    return found


def _own(part: ast.AST) -> Iterator[ast.AST]:
    """Yield a part and all in it but what functions set."""
    yield part
    for child in ast.iter_child_nodes(part):
        if not isinstance(child, (*_FUNCTIONS, *_COMPREHENSIONS)):
            yield from _own(child)


def _said(held: ast.AST, loop: ast.AST) -> list[ast.AST]:
    """Return where a function or a class stands in a loop: itself, or its name."""
    name = getattr(held, "name", None)
    return [held] if name is None else _said_by(name, loop)


def _said_by(name: str, loop: ast.AST) -> list[ast.AST]:
    names = [one for one in ast.walk(loop) if isinstance(one, ast.Name) and one.id == name]
    return [one for one in names if isinstance(one.ctx, ast.Load)]


def _runs_at_once(e: ast.AST, loop: ast.AST, around: Around, known: Mapping[str, Any]) -> bool:
    """Return whether something is called, or given to a call that runs it, while it stands there.

    What a function of a user's gives back is not known.
    """
    above = around[e]
    match above:
        case ast.Call(word) if e is word:
            return True
        case ast.Call(ast.Attribute(_, word)) if word in _KEEPS:
            return False
        case ast.Call(word):
            declared = isinstance(word, ast.Call) and is_a_declaring_word(word.func, known)
            return not declared and not _is_a_class(word, known)
        case ast.Assign([ast.Name(name)]):
            uses = [one for one in _said_by(name, loop) if not isinstance(around[one], ast.Assign)]
            return all(_runs_at_once(one, loop, around, known) for one in uses)
        case ast.Expr() | ast.Attribute():
            return True
    return isinstance(above, ast.keyword | ast.IfExp) and _runs_at_once(above, loop, around, known)


def _is_a_class(word: ast.expr, known: Mapping[str, Any]) -> bool:
    """Return whether a word makes an object of what it is given; iterators run it meanwhile."""
    name = word.id if isinstance(word, ast.Name) else ""
    made = known.get(name, getattr(builtins, name, None)) if name else None
    return isinstance(made, type) and not hasattr(made, "__next__")
