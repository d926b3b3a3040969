"""What is asked to have a value, by `x = x`, and need not be where something else reads it.

A guard `x = x` is never false: it has no value where x has none, and TLC has an error there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bmc.frontends.tla.translate.formulas import decided
from bmc.lang.terms import Term

_FIRST_ONLY = frozenset({"and", "or", "implies", "ite"})
"""Operators of terms of which what stands first is always read, and what follows it may not be."""

_UNREAD = frozenset({"forall", "exists", "lambda", "filter", "choose", "last", "first", "union_of"})
"""Operators of terms that may read nothing of what they are made of."""


def without_repeated(guards: Sequence[Term], updates: Iterable[Term] = ()) -> tuple[Term, ...]:
    """Return guards without those that ask for what others, or the updates, read as well.

    What is read behind a guard that can be false may not be read where it is false; so only what
    is read before, and by the next such guard, makes asking needless.
    """
    kept: list[Term] = []
    read: set[Term] = set()
    for asking, judged in _runs(guards):
        if asking:
            read |= surely_read(updates if judged is None else [judged])
        # The last of them first: what is made of others comes behind these.
        wanted: list[Term] = []
        for one in reversed(asking):
            if not _needless(one, read):
                wanted.append(one)
                read |= surely_read([one])
        kept += reversed(wanted)
        if judged is not None:
            kept.append(judged)
            read |= surely_read([judged])
    return tuple(kept)


def _runs(guards: Sequence[Term]) -> Iterator[tuple[list[Term], Term | None]]:
    """Yield each guard that can be false, with those before it that cannot."""
    asking: list[Term] = []
    for one in guards:
        if decided(one) is True:
            asking.append(one)
        else:
            yield asking, one
            asking = []
    yield asking, None


def surely_read(formulas: Iterable[Term]) -> set[Term]:
    """Return the terms that are surely read where these are."""
    waiting = list(formulas)
    seen = set(waiting)
    while waiting:
        one = waiting.pop()
        if one.op in _UNREAD:
            continue
        read = one.args[:1] if one.op in _FIRST_ONLY else one.args
        following = [a for a in read if a not in seen]
        seen.update(following)
        waiting += following
    return seen


def _needless(asking: Term, read: set[Term]) -> bool:
    """Tell whether what is read makes a formula needless that is never false."""
    if asking in read:
        return True
    match asking.op:
        case "eq":
            return asking.args[0] is asking.args[1] and asking.args[0] in read
        case "and":
            return all(_needless(part, read) for part in asking.args)
        case "implies":
            premise, conclusion = asking.args
            holds = premise.op != "not"
            condition = premise if holds else premise.args[0]
            return condition in read and _needless(conclusion, _under(condition, holds, read))
    return False


def _under(condition: Term, holds: bool, read: set[Term]) -> set[Term]:
    """Return what is read where a condition holds, or where it does not."""
    branch = 1 if holds else 2
    taken = [one.args[branch] for one in read if one.op == "ite" and one.args[0] is condition]
    return read | surely_read(taken)
