"""Which assignments of a step would take back one that stands before them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from bmc.lang.by_parts import ByParts
from bmc.lang.errors import AssignedTwice
from bmc.lang.places import Line
from bmc.lang.sorts import BOOL
from bmc.lang.substitution import substituted
from bmc.lang.terms import Term, field, make, select, subterms
from bmc.lang.updates import Path


@dataclass(frozen=True)
class Assigned(ByParts):
    """A part of a variable that was assigned, where, and with what."""

    root: str
    path: Path
    line: Line
    part: Term
    """Its value before the step."""
    value: Term
    """Its value after the step."""


def part_of(whole: Term, path: Path) -> Term:
    """Return the part of a value that fields and keys lead to."""
    for where in path:
        whole = field(whole, where) if isinstance(where, str) else select(whole, where)
    return whole


def require_both_stay(action: str, old: Assigned, root: str, path: Path, line: Line) -> None:
    """AssignedTwice where a part is assigned that was, or a whole of which a part was."""
    if old.root != root:
        return
    # A part may be written on top of the whole: nothing is read there that was not written.
    if len(path) > len(old.path):
        return
    if not all(a is b or _same_name(a, b) for a, b in zip(old.path, path, strict=False)):
        return
    first, second = _shown(root, old.path), _shown(root, path)
    if first == second:
        what = f"{second} is assigned twice"
    else:
        what = f"{second} is assigned, and {first} before it"
    raise AssignedTwice(
        f"{line}: in {action}, {what} ({old.line}): what is read is always the value before "
        f"the step, so the earlier one would be lost. Write one assignment of {second} "
        "with the whole new value, or put the two into `either` blocks if they are different steps"
    )


def require_apart(
    action: str, assigned: Sequence[Assigned], guards: Sequence[Term], free: Collection[Term]
) -> None:
    """AssignedTwice where a part is counted on for itself behind one that may be the same.

    ``s.n[x] -= 1`` and ``s.n[y] += 1`` are ``[n EXCEPT ![x] = n[x] - 1, ![y] = n[y] + 1]``, which
    adds one where both are one member, and not ``@ + 1``, as the text looks. It is refused where
    an argument in ``free`` may be the other key in such a step: where no guard says of it what
    none says of the other key. What other guards leave is not asked.
    """
    said: list[Term] | None = None
    for old, new in combinations(assigned, 2):
        if old.root != new.root or len(old.path) != len(new.path):
            continue
        pairs = zip(old.path, new.path, strict=True)
        keys = [(a, b) for a, b in pairs if a is not b and not _same_name(a, b)]
        if len(keys) != 1 or not _reads(new.value, new.part):
            continue
        (first, second), *_ = keys
        if isinstance(first, str) or isinstance(second, str):
            continue
        said = said if said is not None else list(_conjuncts(guards))
        for one, other in ((first, second), (second, first)):
            if any(one is f for f in free) and _may_be(one, other, old, new, said):
                raise _lost(action, old, new, first, second)


def _may_be(one: Term, other: Term, old: Assigned, new: Assigned, said: Sequence[Term]) -> bool:
    """Whether an argument may be another key, and what is assigned first is lost where it is."""
    # A neighbour (`s.n[k + 1]`) is another one.
    if one.sort != other.sort or one in other.free:
        return False
    as_one, known = {one: other}, {guard.uid for guard in said}
    if any(substituted(guard, as_one).uid not in known for guard in said if one in guard.free):
        return False
    before, after = old.value, new.value
    if any(_reads(after, make("eq", pair, BOOL)) for pair in ((one, other), (other, one))):
        return False
    lost = substituted(before, as_one)
    return lost is not substituted(after, as_one) and lost is not substituted(new.part, as_one)


def _reads(term: Term, part: Term) -> bool:
    return any(one is part for one in subterms([term]))


def _conjuncts(guards: Sequence[Term]) -> Iterator[Term]:
    for guard in guards:
        if guard.op == "and":
            yield from _conjuncts(guard.args)
        else:
            yield guard


def _lost(action: str, old: Assigned, new: Assigned, first: Term, second: Term) -> AssignedTwice:
    lost, kept = _shown(old.root, old.path), _shown(new.root, new.path)
    return AssignedTwice(
        f"{new.line}: in {action}, {kept} is counted on for itself, and {lost} was assigned before "
        f"({old.line}): what is read is always the value before the step, so where "
        f"{first!r} == {second!r} the earlier one would be lost. Write "
        f"s.require({first!r} != {second!r}), or what is meant there with "
        f"ite({first!r} == {second!r}, …, …)"
    )


def _same_name(a: str | Term, b: str | Term) -> bool:
    return isinstance(a, str) and isinstance(b, str) and a == b


def _shown(root: str, path: Path) -> str:
    parts = (f".{p}" if isinstance(p, str) else f"[{p!r}]" for p in path)
    return f"s.{root}{''.join(parts)}"
