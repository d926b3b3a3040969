"""What one `either` block does to the text behind it, found in a function's text.

Python runs the blocks one after the other, so behind them a name that they set has the last
block's value, in the steps of all of them, and what a block leaves is left by all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bmc.lang.function_text import FunctionText
from bmc.lang.value_kinds import ValueKind

_PUTS = frozenset(
    {"add", "append", "clear", "extend", "insert", "pop", "remove", "setdefault", "update"}
)
"""Methods of Python's containers that change one."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def leaving(text: FunctionText) -> Iterator[ast.Return]:
    """Yield where a block ends its function, and with it all that is behind the block."""
    for block in _blocks(text):
        yield from (part for part in _own(block) if isinstance(part, ast.Return))


def leaking(text: FunctionText) -> Iterator[ast.Name]:
    """Yield what reads a name whose last value before it, in the text, is one block's.

    So is what a block has put into something that a name stands for.
    """
    blocks = _blocks(text)
    if not blocks:
        return
    within = {block: set(ast.walk(block)) for block in blocks}
    own = {name for part in text.parts for name in _bound(part)}
    names = [part for part in text.parts if isinstance(part, ast.Name) and part not in own]
    stored = [name for name in names if isinstance(name.ctx, ast.Store)]
    filled = list(_fillings(text))
    into = {name for name, _ in filled}
    for read in (name for name in names if isinstance(name.ctx, ast.Load) and name not in into):
        before = [one for one in stored if one.id == read.id and _place(one) < _place(read)]
        last = max(before, key=_place, default=None)
        since = (0, 0) if last is None else _place(last)
        then = [n for n, called in filled if called == read.id and since < _place(n) < _place(read)]
        for inside in within.values():
            if read not in inside and any(one in inside for one in (last, *then)):
                yield read


def _blocks(text: FunctionText) -> list[ast.With]:
    return [part for part in text.parts if isinstance(part, ast.With) and _chooses(text, part)]


def _own(part: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a block, without those of functions that are made in it."""
    for child in ast.iter_child_nodes(part):
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield child
            yield from _own(child)


def _fillings(text: FunctionText) -> Iterator[tuple[ast.Name, str]]:
    """Yield where something is put into what a name stands for, or a function here does so."""
    inside = [part for part in text.parts if isinstance(part, ast.FunctionDef)]
    changed = {one.name: _changed_by(text, one) for one in inside if one is not text.node}
    for part in text.parts:
        if (root := _filled(text, part)) is not None:
            yield root, root.id
        if isinstance(part, ast.Call) and isinstance(called := part.func, ast.Name):
            yield from ((called, name) for name in changed.get(called.id, ()))


def _changed_by(text: FunctionText, function: ast.FunctionDef) -> set[str]:
    found = set[str]()
    for part in ast.walk(function):
        if isinstance(part, ast.Nonlocal):
            found.update(part.names)
        if (root := _filled(text, part)) is not None:
            found.add(root.id)
    return found - {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}


def _filled(text: FunctionText, part: ast.AST) -> ast.Name | None:
    match part:
        case ast.Attribute(inside, _, ast.Store()) | ast.Subscript(inside, _, ast.Store()):
            pass
        case ast.Call(ast.Attribute(inside, word)) if word in _PUTS:
            pass
        case _:
            return None
    while isinstance(inside, ast.Attribute | ast.Subscript):
        inside = inside.value
    if not isinstance(inside, ast.Name) or text.kind(inside) is not ValueKind.HOST:
        return None
    return inside


def _chooses(text: FunctionText, block: ast.With) -> bool:
    for item in block.items:
        match item.context_expr:
            case ast.Call(ast.Attribute(base, "either")) if text.kind(base) is ValueKind.STATE:
                return True
    return False


def _bound(part: ast.AST) -> Iterator[ast.AST]:
    """Yield the names in a comprehension that are its own."""
    if isinstance(part, _COMPREHENSIONS):
        targets = [n for one in part.generators for n in ast.walk(one.target)]
        bound = {n.id for n in targets if isinstance(n, ast.Name)}
        yield from (n for n in ast.walk(part) if isinstance(n, ast.Name) and n.id in bound)


def _place(node: ast.Name) -> tuple[int, int]:
    return node.lineno, node.col_offset
