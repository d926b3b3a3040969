"""Names that are set in one `either` block and read behind it, found in a function's text.

Python runs the blocks one after the other, so behind them such a name has the last block's value,
in the steps of all of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bmc.lang.function_text import FunctionText
from bmc.lang.value_kinds import ValueKind

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def leaking(text: FunctionText) -> Iterator[ast.Name]:
    """Yield what reads a name whose last value before it, in the text, is one block's."""
    blocks = [part for part in text.parts if isinstance(part, ast.With) and _chooses(text, part)]
    if not blocks:
        return
    within = {block: set(ast.walk(block)) for block in blocks}
    own = {name for part in text.parts for name in _bound(part)}
    names = [part for part in text.parts if isinstance(part, ast.Name) and part not in own]
    stored = [name for name in names if isinstance(name.ctx, ast.Store)]
    for read in (name for name in names if isinstance(name.ctx, ast.Load)):
        before = [one for one in stored if one.id == read.id and _place(one) < _place(read)]
        last = max(before, key=_place, default=None)
        if any(last in inside and read not in inside for inside in within.values()):
            yield read


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
