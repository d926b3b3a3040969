"""Which `either` blocks stand side by side, so that they are one list of disjuncts.

A helper that writes one block is a case, and its calls beside each other are the cases of a list.
One that writes several reads as an operator that is a list by itself: beside other blocks it might
mean one list or a choice from each of two, so it is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType, FrameType

from bmc.lang.errors import LanguageError

_Calls = tuple[FrameType, ...]
"""The calls that a block is written in, the outermost first."""


@dataclass(frozen=True)
class BlocksBeside:
    """The blocks of a list that goes on, each by its calls, which are held so that they differ."""

    calls: tuple[_Calls, ...]


def another(before: BlocksBeside | None, frame: FrameType) -> BlocksBeside:
    """Return the blocks of a list with one more, which is written in a frame.

    Raises LanguageError where a call writes several of them, and not all.
    """
    new = _calls(frame)
    if before is None:
        return BlocksBeside((new,))
    last = before.calls[-1]
    shared = sum(1 for a, b in zip(last, new, strict=False) if a is b)
    ended = last[: shared + 1]
    goes_on = new[:shared]
    several = sum(_within(ended, one) for one in before.calls) > 1 and len(ended) > shared
    if several or not _within(goes_on, before.calls[0]):
        name = (ended if several else goes_on)[-1].f_code.co_name
        raise LanguageError(
            f"{name} writes several `either` blocks and others stand beside them: a step might "
            "take one of all, or one of these and one of those. Write s.require(TRUE) between the "
            "two lists for one of each; for one of all write the blocks in one method, or each in "
            "a helper of its own"
        )
    return BlocksBeside((*before.calls, new))


def places_of(blocks: BlocksBeside) -> tuple[tuple[CodeType, int], ...]:
    """Return the functions that the last of some blocks is entered in, and where each is."""
    return tuple((frame.f_code, frame.f_lasti) for frame in blocks.calls[-1])


def _within(calls: _Calls, others: _Calls) -> bool:
    return len(calls) <= len(others) and all(a is b for a, b in zip(calls, others, strict=False))


def _calls(frame: FrameType | None) -> _Calls:
    found: list[FrameType] = []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return tuple(reversed(found))
