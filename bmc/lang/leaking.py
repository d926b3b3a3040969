"""What one `either` block does to the text behind it, found in a function's text.

Python runs the blocks one after the other, so behind them a name that they set has the last
block's value, in the steps of all of them, and what a block leaves is left by all. A name that a
loop of blocks sets in each turn has the last turn's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import combinations

from bmc.lang.beyond import place_of
from bmc.lang.function_text import FunctionText
from bmc.lang.scope import Block
from bmc.lang.value_kinds import ValueKind
from bmc.lang.watch import Position

_PUTS = frozenset(
    {"add", "append", "clear", "extend", "insert", "pop", "remove", "setdefault", "update"}
)
"""Methods of Python's containers that change one."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.While, *_COMPREHENSIONS)

_Loop = ast.For | ast.While | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class EnteredBlocks:
    """The `either` blocks that were entered from a function's text, by whatever name or helper."""

    def __init__(self, text: FunctionText, blocks: Sequence[Block]) -> None:
        positions = list(text.run.code.co_positions())
        places = [
            (positions[at // 2], block.group)
            for block in blocks
            for code, at in block.calls
            if code is text.run.code
        ]
        self.text = text
        self.blocks = [
            part
            for part in text.parts
            if isinstance(part, ast.With)
            # Some Pythons say where the block stands, others where what it enters does.
            for wanted in [{place_of(part), *(place_of(item.context_expr) for item in part.items)}]
            if any(place in wanted for place, _ in places)
        ]
        self.loops: list[tuple[_Loop, set[int]]] = [
            (part, groups)
            for part in text.parts
            if isinstance(part, _LOOPS)
            if (groups := {group for place, group in places if _within(place, part)})
        ]

    def leaving(self) -> Iterator[ast.stmt]:
        """Yield where a block ends its function or loop, and with it all that is behind it."""
        for block in self.blocks:
            yield from _leaving(block.body, in_a_loop=False)

    def beside(self) -> Iterator[_Loop]:
        """Yield each loop of blocks that follows another one whose list of disjuncts it goes on."""
        loops = sorted(self.loops, key=lambda one: _start(one[0]))
        for (one, groups), (other, others) in combinations(loops, 2):
            if groups & others and not _within(place_of(other), one):
                yield other

    def leaking(self) -> Iterator[ast.Name]:
        """Yield what reads a name whose last value before it, in the text, is one block's.

        So is what a block has put into something that a name stands for.
        """
        text = self.text
        if not self.blocks and not self.loops:
            return
        within = [set(ast.walk(block)) for block in self.blocks]
        turns = [set(ast.walk(loop)) for loop, _ in self.loops]
        own = {name for part in text.parts for name in _bound(part)}
        names = [part for part in text.parts if isinstance(part, ast.Name) and part not in own]
        stored = [name for name in names if isinstance(name.ctx, ast.Store)]
        # What is counted from turn to turn has the value that is meant behind them.
        added = {part.target for part in text.parts if isinstance(part, ast.AugAssign)}
        filled = list(_fillings(text))
        into = {name for name, _ in filled}
        loaded = [name for name in names if isinstance(name.ctx, ast.Load) and name not in into]
        for read in (*loaded, *_read_inside(text)):
            before = [one for one in stored if one.id == read.id and _start(one) < _start(read)]
            last = max(before, key=_start, default=None)
            since = (0, 0) if last is None else _start(last)
            then = [
                n for n, called in filled if called == read.id and since < _start(n) < _start(read)
            ]
            if any(read not in one and any(n in one for n in (last, *then)) for one in within) or (
                last not in added and any(read not in one and last in one for one in turns)
            ):
                yield read


def _leaving(body: Sequence[ast.stmt], in_a_loop: bool) -> Iterator[ast.stmt]:
    """Yield what leaves some statements, without those of functions that are made in them."""
    for one in body:
        match one:
            case ast.Return():
                yield one
            case ast.Break() | ast.Continue():
                if not in_a_loop:
                    yield one
            case ast.For(body=turns, orelse=rest) | ast.While(body=turns, orelse=rest):
                yield from _leaving(turns, in_a_loop=True)
                yield from _leaving(rest, in_a_loop)
            case ast.If(body=then, orelse=rest):
                yield from _leaving([*then, *rest], in_a_loop)
            case ast.With(body=inside):
                yield from _leaving(inside, in_a_loop)
            case ast.Match(cases=cases):
                for case in cases:
                    yield from _leaving(case.body, in_a_loop)


def _read_inside(text: FunctionText) -> Iterator[ast.Name]:
    """Yield the names that functions inside of this one read and do not set themselves."""
    for part in text.parts:
        if isinstance(part, ast.Lambda | ast.FunctionDef) and part is not text.node:
            names = [one for one in ast.walk(part) if isinstance(one, ast.Name)]
            own = {one.arg for one in ast.walk(part) if isinstance(one, ast.arg)}
            own |= {one.id for one in names if isinstance(one.ctx, ast.Store)}
            yield from (n for n in names if isinstance(n.ctx, ast.Load) and n.id not in own)


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


def _bound(part: ast.AST) -> Iterator[ast.AST]:
    """Yield the names in a comprehension that are its own."""
    if isinstance(part, _COMPREHENSIONS):
        targets = [n for one in part.generators for n in ast.walk(one.target)]
        bound = {n.id for n in targets if isinstance(n, ast.Name)}
        yield from (n for n in ast.walk(part) if isinstance(n, ast.Name) and n.id in bound)


def _start(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _within(place: Position, loop: ast.expr | ast.stmt) -> bool:
    first, last, begin, end = place
    outer_first, outer_last, outer_begin, outer_end = place_of(loop)
    return (outer_first, outer_begin) <= (first, begin) and (last, end) <= (outer_last, outer_end)
