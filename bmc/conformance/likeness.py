"""How alike two names are: a log's ``vote`` and a protocol's ``votedFor``."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_IDLE = frozenset({"a", "an", "by", "for", "in", "is", "of", "on", "the", "to"})
_SHORTEST_STEM = 3
_SPELT_ALIKE = 0.8
_TERSE = 0.75


@cache
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case, without those that say little."""
    found = tuple(word.lower() for word in _WORD.findall(name))
    return tuple(word for word in found if word not in _IDLE) or found


@cache
def likeness(one: str, other: str) -> float:
    """Return how alike two names are, from 0 to 1.

    It is the share of words that have a like one in the other name (Dice's coefficient), where a
    word that begins with the other, or is spelt nearly like it, counts for a little less; or three
    quarters of the share in the shorter name, whichever is more: logs are terse.
    """
    left, right = words_of(one), words_of(other)
    if not left or not right:
        return 0.0
    there = sum(max(_alike(a, b) for b in right) for a in left)
    back = sum(max(_alike(a, b) for a in left) for b in right)
    shorter = min((len(left), there), (len(right), back))
    return max((there + back) / (len(left) + len(right)), _TERSE * shorter[1] / shorter[0])


def _alike(one: str, other: str) -> float:
    if one == other:
        return 1.0
    short, long = sorted((one, other), key=len)
    if len(short) >= _SHORTEST_STEM and long.startswith(short):
        return 0.8
    ratio = SequenceMatcher(None, one, other).ratio()
    return ratio - 0.1 if ratio >= _SPELT_ALIKE else 0.0
