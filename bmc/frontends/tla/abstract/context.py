"""What the abstract interpreter knows at a place of an action."""

from __future__ import annotations

from collections.abc import Mapping
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
    facts: Mapping[Place, Shape]
    next: Mapping[str, Shape]
    primed: bool = False

    def with_fact(self, place: Place, shape: Shape) -> Context | None:
        """Return the context where the value at a place has a shape; None where it cannot."""
        known = self.facts.get(place)
        both = shape if known is None else meet(known, shape)
        if both.empty:
            return None
        return replace(self, facts={**self.facts, place: both})


def seen(shape: Shape, place: Place | None, context: Context) -> Shape:
    """Return the shape of the value at a place, as guards have narrowed it."""
    if place is None or not context.facts:
        return shape
    everywhere = tuple(ANY if _is_key(step) else step for step in place)
    size = len(place)
    for known, fact in context.facts.items():
        if known[:size] in (place, everywhere) and not any(_is_key(s) for s in known[size:]):
            shape = _narrowed(shape, known[size:], fact)
    return shape


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
    return Sequences(sequences.element, shortest, longest, parts)


def joined_facts(contexts: list[Context]) -> Context | None:
    """Return what holds in all of some contexts that differ in their facts; None of no context."""
    if not contexts:
        return None
    first, *others = contexts
    if not others:
        return first
    facts = dict(first.facts)
    for other in others:
        facts = {p: join(s, other.facts[p]) for p, s in facts.items() if p in other.facts}
    return replace(first, facts=facts)
