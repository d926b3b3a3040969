"""Which assignments of a step would take back one that stands before them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from bmc.lang.by_parts import ByParts
from bmc.lang.errors import AssignedTwice
from bmc.lang.one_key import AsOne, bare, may_be_one
from bmc.lang.places import Line
from bmc.lang.terms import Term, field, select, subterms
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


def require_apart(action: str, assigned: Sequence[Assigned], guards: Sequence[Term]) -> None:
    """AssignedTwice where a part is counted on for itself behind one that may be the same.

    ``s.n[x] -= 1`` and ``s.n[y] += 1`` are ``[n EXCEPT ![x] = n[x] - 1, ![y] = n[y] + 1]``, which
    adds one where both are one member, and not ``@ + 1``, as the text looks. It is refused where
    the guards plainly leave the keys equal.
    """
    for old, new in combinations(assigned, 2):
        if old.root != new.root or not _reads(new.value, new.part):
            continue
        pairs = zip(old.path, new.path, strict=False)
        different = [(a, b) for a, b in pairs if a is not b and not _same_name(a, b)]
        keys = [(a, b) for a, b in different if not isinstance(a, str) and not isinstance(b, str)]
        if not keys or len(keys) < len(different):
            continue
        as_one = AsOne(keys)
        if may_be_one(as_one, guards) and _takes_back(old, new, as_one):
            raise _lost(action, old, new, keys)


def _takes_back(old: Assigned, new: Assigned, as_one: AsOne) -> bool:
    """Whether what was assigned first is lost in what comes behind, where the keys are one."""
    after = new.value
    # What asks itself whether the keys are the same says what is meant then.
    if any(
        part.op == "eq"
        and part.args[0] is not part.args[1]
        and as_one(part) is not part
        and as_one(part.args[0]) is as_one(part.args[1])
        for part in subterms([after])
    ):
        return False
    if len(old.path) != len(new.path):
        return True
    first, second, part = (bare(as_one(one)) for one in (old.value, after, new.part))
    if first is part:
        return False
    if first is second:
        return _counts(second, part)
    return not _reads(second, first)


def _counts(value: Term, part: Term) -> bool:
    """Whether what is made of a part is another value when it is made twice."""
    if value.op == "not" and value.args[0] is part:
        return True
    return any(
        one.op in _COUNTING and one is not part and _reads(one, part) for one in subterms([value])
    )


_COUNTING = frozenset({"add", "sub", "mul", "append", "tail"})


def _reads(term: Term, part: Term) -> bool:
    return any(one is part for one in subterms([term]))


def _lost(
    action: str, old: Assigned, new: Assigned, keys: Sequence[tuple[Term, Term]]
) -> AssignedTwice:
    lost, kept = _shown(old.root, old.path), _shown(new.root, new.path)
    equal = " and ".join(f"{one!r} == {other!r}" for one, other in keys)
    apart = " | ".join(f"({one!r} != {other!r})" for one, other in keys)
    apart = apart if len(keys) > 1 else apart[1:-1]
    return AssignedTwice(
        f"{new.line}: in {action}, {kept} is counted on for itself, and {lost} was assigned before "
        f"({old.line}): what is read is always the value before the step, so where "
        f"{equal} the earlier one would be lost. Write s.require({apart}), or what is meant there "
        "with ite(…, …, …) of that"
    )


def _same_name(a: str | Term, b: str | Term) -> bool:
    return isinstance(a, str) and isinstance(b, str) and a == b


def _shown(root: str, path: Path) -> str:
    parts = (f".{p}" if isinstance(p, str) else f"[{p!r}]" for p in path)
    return f"s.{root}{''.join(parts)}"
