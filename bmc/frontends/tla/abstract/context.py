"""What the abstract interpreter knows at a place of an action."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from bmc.frontends.tla import core as c
from bmc.frontends.tla.abstract.domain import (
    NOTHING,
    Interval,
    Sequences,
    Shape,
    join,
    meet,
)

Place: TypeAlias = tuple[Any, ...]
"""Where a value stands: a variable or a bound one, and the steps into it."""


LENGTH = ("length",)
"""The step from a sequence to its length."""

ANY = ("any",)
"""The step into a function at every one of its arguments."""


Facts: TypeAlias = Mapping[Place, Mapping[Place, Shape]]
"""What guards have said of places, by their roots.

An expression depends on what is said of the roots that it reads, and on nothing else."""

NONE: Mapping[Place, Shape] = {}


def root(place: Place) -> Place:
    """Return the variable, or the bound variable, that a place is in."""
    return place[:3] if place[0] == "bound" else place[:2]


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of a value: its shape, where it stands, and itself where it is a constant.

    With ``offset`` it is the value at the place plus a number.
    """

    shape: Shape
    place: Place | None = None
    constant: Any = None
    offset: int = 0


@dataclass(frozen=True, eq=False)
class Context:
    """The bound variables, what guards have said of places, and the assignments so far."""

    environment: Mapping[c.Binding, Any]
    facts: Facts
    next: Mapping[str, Shape]
    primed: bool = False

    def within(self, environment: Mapping[c.Binding, Any]) -> Context:
        """Return the context with other bound variables."""
        return Context(environment, self.facts, self.next, self.primed)

    def saying(self, facts: Facts) -> Context:
        """Return the context where guards have said other things."""
        return Context(self.environment, facts, self.next, self.primed)

    def of_next(self, primed: bool) -> Context:
        """Return the context with variables of the state after the step, or of that before."""
        return Context(self.environment, self.facts, self.next, primed)

    def giving(self, following: Mapping[str, Shape]) -> Context:
        """Return the context with other assignments."""
        return Context(self.environment, self.facts, following, self.primed)

    def fact(self, place: Place) -> Shape | None:
        """Return what guards have said of a place itself; None where they have not."""
        return self.facts.get(root(place), NONE).get(place)

    def with_fact(self, place: Place, shape: Shape) -> Context | None:
        """Return the context where the value at a place has a shape; None where it cannot."""
        stem = root(place)
        held = self.facts.get(stem, NONE)
        known = held.get(place)
        both = shape if known is None else meet(known, shape)
        if both.empty:
            return None
        if both == known:
            return self
        return self.saying({**self.facts, stem: {**held, place: both}})


def seen(
    shape: Shape, place: Place | None, context: Context, changed: tuple[Place, ...] = ()
) -> Shape:
    """Return the shape of the value at a place, as guards have narrowed it.

    Of ``changed`` places, by the steps from it to them, guards have said nothing.
    """
    said = context.facts.get(root(place)) if place is not None else None
    if place is None or said is None:
        return shape
    everywhere = tuple(ANY if _is_key(step) else step for step in place)
    size = len(place)
    for known, fact in said.items():
        if known[:size] in (place, everywhere) and not any(_is_key(s) for s in known[size:]):
            steps = known[size:]
            if all(apart(steps, other) for other in changed):
                shape = _narrowed(shape, steps, fact)
    return shape


def apart(one: Place, other: Place) -> bool:
    """Tell whether steps from one place surely lead to different places."""
    for a, b in zip(one, other, strict=False):
        if a is None or b is None or ANY in (a, b):
            return False
        if a != b:
            return bool(a[0] != "at" and b[0] != "at")
    return False


def _narrowed(shape: Shape, steps: Place, fact: Shape) -> Shape:
    """Return a shape in which what stands at some steps into it has the shape of a fact."""
    if not steps:
        return meet(shape, fact)
    step, rest = steps[0], steps[1:]
    if step == LENGTH:
        if shape.sequences is None or fact.integers is None:
            return shape
        return replace(shape, sequences=_cut(shape.sequences, fact.integers))
    if step == ANY:
        functions, sequences = shape.functions, shape.sequences
        if functions is not None:
            functions = replace(functions, values=_narrowed(functions.values, rest, fact))
        if sequences is not None and sequences.longest:
            parts = sequences.parts
            sequences = replace(
                sequences,
                element=_narrowed(sequences.element, rest, fact),
                parts=None if parts is None else tuple(_narrowed(p, rest, fact) for p in parts),
                first=tuple(_narrowed(p, rest, fact) for p in sequences.first),
            )
        return replace(shape, functions=functions, sequences=sequences)
    records = []
    for names, held in shape.records:
        if step[1] in names:
            at = names.index(step[1])
            part = _narrowed(held[at], rest, fact)
            if part.empty:
                continue
            held = (*held[:at], part, *held[at + 1 :])
        records.append((names, held))
    return replace(shape, records=tuple(records))


def _is_key(step: Any) -> bool:
    return isinstance(step, tuple) and step[0] in ("at", "constant")


def field_shape(shape: Shape, name: str) -> Shape:
    """Return the shape of a field in all records that have it."""
    found = NOTHING
    for names, parts in shape.records:
        if name in names:
            found = join(found, parts[names.index(name)])
    return found


def _cut(sequences: Sequences, lengths: Interval) -> Sequences | None:
    shortest = max(sequences.shortest, lengths.low)
    longest = min(sequences.longest, lengths.high)
    if shortest > longest:
        return None
    if longest == 0:
        return Sequences(NOTHING, 0, 0, ())
    parts = sequences.parts if shortest == longest == sequences.longest else None
    first = () if parts else sequences.first[:longest]
    return Sequences(sequences.element, shortest, longest, parts, first)


def new_facts(inner: Context, context: Context) -> Facts:
    """Return what a context says of roots of which another says something else or nothing."""
    known = context.facts
    return {stem: said for stem, said in inner.facts.items() if known.get(stem) is not said}


def joined_facts(contexts: list[Context]) -> Context | None:
    """Return what holds in all of some contexts that differ in their facts; None of no context."""
    if not contexts:
        return None
    first, *others = contexts
    if not others:
        return first
    facts = dict(first.facts)
    for other in others:
        facts = {
            stem: _joined(said, other.facts[stem])
            for stem, said in facts.items()
            if stem in other.facts
        }
    return first.saying(facts)


def _joined(left: Mapping[Place, Shape], right: Mapping[Place, Shape]) -> Mapping[Place, Shape]:
    if left is right:
        return left
    return {p: join(s, right[p]) for p, s in left.items() if p in right}


def apart_from(facts: Facts, inner: Iterable[Place]) -> Facts:
    """Return what is said of other places than those of some bound variables.

    Nothing outside of their binder can name them, nor a function's value at one of them.
    """
    gone = frozenset(inner)
    found = {}
    for stem, said in facts.items():
        if stem in gone:
            continue
        if any(_mentions(place, gone) for place in said):
            said = {p: s for p, s in said.items() if not _mentions(p, gone)}
        found[stem] = said
    return found


def _mentions(place: Place, roots: frozenset[Place]) -> bool:
    keys = [step[1] for step in place if isinstance(step, tuple) and step[0] == "at"]
    return any(root(key) in roots or _mentions(key, roots) for key in keys)
