"""What one `either` block does to the text behind it, found in a function's text.

Python runs the blocks one after the other, so behind them a name that they set has the last
block's value, in the steps of all of them, and what a block leaves is left by all. A name that a
loop of blocks sets in each turn has the last turn's.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import FunctionType
from typing import TypeGuard

from bmc.lang.allowed import is_pythons_own
from bmc.lang.beyond import place_of
from bmc.lang.function_text import FunctionText, nodes_of
from bmc.lang.reads import Place, own_of_comprehensions, reads, start_of
from bmc.lang.scope import Block
from bmc.lang.value_kinds import ValueKind
from bmc.lang.watch import Position

NO_CASE = (
    "it runs over nothing, and a list of `either` blocks without a block is no case at all, which "
    "would be FALSE: write s.require(FALSE) where there is none, or make it an action's argument"
)

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.While, *_COMPREHENSIONS)

_Loop = ast.For | ast.While | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(frozen=True)
class _Entered:
    """A block, and where the text enters it: itself, or (not ``innermost``) by a call."""

    place: Position
    block: Block
    innermost: bool

    @property
    def start(self) -> Place:
        """Return where it begins."""
        return self.place[0] or 0, self.place[2] or 0

    def follows(self, before: _Entered | None) -> bool:
        """Return whether both stand in one text, ``before`` further up, or this is the first."""
        if before is None:
            return True
        *outer, (code, at) = self.block.calls
        *outer_before, (code_before, at_before) = before.block.calls
        return outer == outer_before and code is code_before and at_before < at


@dataclass(frozen=True)
class _Span:
    """What a name leads to changes at a place in a part of the text."""

    name: str
    at: Place
    part: set[ast.AST]
    """The part of the text, with all in it."""


class EnteredBlocks:
    """The `either` blocks that were entered from a function's text, by whatever name or helper."""

    def __init__(self, text: FunctionText, blocks: Sequence[Block]) -> None:
        positions = list(text.run.code.co_positions())
        self.entered = [
            _Entered(positions[at // 2], block, number == len(block.calls))
            for block in blocks
            for number, (code, at) in enumerate(block.calls, 1)
            if code is text.run.code
        ]
        self.text = text
        self.blocks = [
            part
            for part in text.parts
            if isinstance(part, ast.With)
            # Some Pythons say where the block stands, others where what it enters does.
            for wanted in [{place_of(part), *(place_of(item.context_expr) for item in part.items)}]
            if any(one.place in wanted for one in self.entered)
        ]
        self.loops: list[tuple[_Loop, set[int]]] = [
            (part, groups)
            for part in text.parts
            if isinstance(part, _LOOPS)
            if (groups := {one.block.group for one in self.entered if _within(one.place, part)})
        ]
        self.calls = [part for part in text.parts if self._is_a_case(part)]
        self.lists = self._lists_elsewhere()

    def _is_a_case(self, part: ast.AST) -> TypeGuard[ast.stmt]:
        """Return whether a statement calls what writes a part of a list of blocks."""
        if not isinstance(part, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr):
            return False
        inside = {one.block.group for one in self.entered if _within(one.place, part)}
        return any(
            one.block.group in inside and not _within(one.place, part) for one in self.entered
        )

    def _lists_elsewhere(self) -> dict[tuple[Position, int], list[ast.AST]]:
        """Return the calls that enter several blocks of a list, by their place and the list."""
        entered = Counter((one.place, one.block.group) for one in self.entered if not one.innermost)
        found: dict[tuple[Position, int], list[ast.AST]] = {}
        for (place, group), blocks in entered.items():
            if blocks > 1:
                parts = (one for one in self.text.parts if isinstance(one, ast.expr))
                found[place, group] = [one for one in parts if place_of(one) == place]
        return found

    def leaving(self) -> Iterator[ast.stmt]:
        """Yield where a block ends its function or loop, and with it all that is behind it."""
        for block in self.blocks:
            yield from _leaving(block.body, in_a_loop=False)

    def beside(self) -> Iterator[_Loop]:
        """Yield each loop of blocks that follows another one whose list of disjuncts it goes on."""
        loops = sorted(self.loops, key=lambda one: start_of(one[0]))
        for (one, groups), (other, others) in combinations(loops, 2):
            if groups & others and not _within(place_of(other), one):
                yield other

    def over_nothing(self) -> Iterator[ast.For]:
        """Yield each loop of blocks that the text comes to for certain and that enters none."""
        body = self.text.node.body
        for loop, beside in _come_to(body) if isinstance(body, list) else ():
            written = any(self._writes_a_case(one) for one in _certain(loop.body))
            # Beside others it is no case more of theirs, as it should be.
            around = (loop, *beside)
            if written and not any(_within(e.place, one) for e in self.entered for one in around):
                yield loop

    def _writes_a_case(self, part: ast.stmt) -> bool:
        """Return whether a statement is a block of a list, or calls what writes one for certain."""
        match part:
            case ast.With():
                return any(self.text.kind(e) is ValueKind.STATE for e in _either_of(part))
            case ast.Expr(ast.Call(word)):
                return _writes_cases(self.text.value(word), frozenset())
        return False

    def leaking(self) -> Iterator[ast.Name]:
        """Yield what reads a name whose last value before it, in the text, is one block's.

        So is what a block, or what a loop of them, has changed of what a name stands for.
        """
        text = self.text
        if not self.entered:
            return
        within = [set(ast.walk(part)) for part in (*self.blocks, *self.calls)]
        turns = [_turns(loop) for loop, _ in self.loops]
        stored = list(_stored(text))
        # What is counted from turn to turn has the value that is meant behind them.
        added = {part.target for part in text.parts if isinstance(part, ast.AugAssign)}
        changed = list(self._changed())
        for read in reads(text):
            before = [(at, n) for at, name, n in stored if name == read.name.id and at < read.at]
            at, last = max(before, key=lambda one: one[0], default=((0, 0), None))
            then = [one for one in changed if one.name == read.name.id and at < one.at < read.at]
            if (
                any(read.part not in one and last in one for one in within)
                or (last not in added and any(read.part not in o and last in o for o in turns))
                or any(read.part not in one.part for one in then)
            ):
                yield read.name

    def _changed(self) -> Iterator[_Span]:
        """Yield where in the text something changes that a name leads to, block by block."""
        rebinding = {
            n for p in ast.walk(self.text.node) if isinstance(p, ast.Nonlocal) for n in p.names
        }
        last: dict[int, _Entered] = {}
        for one in self.entered:
            lists = self.lists.get((one.place, one.block.group), [])
            follows = one.follows(last.get(one.block.group))
            last[one.block.group] = one
            around: list[ast.AST] = [
                part for part in (*self.blocks, *self.calls) if _within(one.place, part)
            ]
            loops: list[ast.AST] = [loop for loop, _ in self.loops if _within(one.place, loop)]
            # What changes between two blocks that stand in the text itself is the text's own.
            between = [*loops, *(() if one.innermost else around), *(() if follows else lists)]
            for found, spans in (
                *((found, [*around, *lists]) for found in one.block.changed),
                *((found, between) for found in one.block.before),
            ):
                if found.code is self.text.run.code and (
                    not found.rebound or found.name in rebinding
                ):
                    yield from (_Span(found.name, one.start, _turns(span)) for span in spans)


def _come_to(body: Sequence[ast.stmt]) -> Iterator[tuple[ast.For, list[ast.stmt]]]:
    """Yield the loops that statements come to whatever Python decides, each with its neighbours."""
    for number, one in enumerate(body):
        if isinstance(one, ast.For):
            yield one, [*body[max(0, number - 1) : number], *body[number + 1 : number + 2]]
        elif isinstance(one, ast.With):
            yield from _come_to(one.body)
        if any(isinstance(part, ast.Return) for part in ast.walk(one)):
            return


def _certain(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield what a turn of a loop comes to, whatever Python decides in it."""
    for one in body:
        yield one
        if isinstance(one, ast.With):
            yield from _certain(one.body)
        if any(isinstance(part, ast.Return | ast.Break | ast.Continue) for part in ast.walk(one)):
            return


def _either_of(block: ast.With) -> Iterator[ast.expr]:
    """Yield whose `either` a statement enters."""
    for item in block.items:
        match item.context_expr:
            case ast.Call(ast.Attribute(whole, "either")):
                yield whole


def _writes_cases(helper: object, callers: frozenset[object]) -> bool:
    """Return whether a function of the user's writes a block of a list, whenever it is called."""
    helper = getattr(helper, "__func__", helper)
    if not isinstance(helper, FunctionType) or helper in callers or is_pythons_own(helper):
        return False
    known = helper.__globals__
    for node in nodes_of(helper.__code__, known):
        for one in _certain(node.body) if isinstance(node.body, list) else ():
            match one:
                case ast.With() if any(_either_of(one)):
                    return True
                case ast.Expr(ast.Call(ast.Name(name))):
                    if _writes_cases(known.get(name), callers | {helper}):
                        return True
    return False


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


def _stored(text: FunctionText) -> Iterator[tuple[Place, str, ast.AST]]:
    own = own_of_comprehensions(text)
    for part in text.parts:
        match part:
            case ast.Name(name, ast.Store()) if part not in own:
                yield start_of(part), name, part
            case ast.MatchAs(_, str(name)) | ast.MatchStar(str(name)):
                yield start_of(part), name, part
            case ast.MatchMapping(_, _, str(name)):
                yield start_of(part), name, part


def _turns(span: ast.AST) -> set[ast.AST]:
    """Return the parts of a block, or of a loop without what it does behind its last turn."""
    left = span.orelse if isinstance(span, ast.For | ast.While) else []
    return set(ast.walk(span)) - {part for one in left for part in ast.walk(one)}


def _within(place: Position, loop: ast.expr | ast.stmt) -> bool:
    first, last, begin, end = place
    outer_first, outer_last, outer_begin, outer_end = place_of(loop)
    return (outer_first, outer_begin) <= (first, begin) and (last, end) <= (outer_last, outer_end)
