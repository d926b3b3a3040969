"""Shapes that grow without end: stretched to numbers of the text, and guessed from samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from bmc.frontends.tla.abstract.domain import (
    FAR,
    NOTHING,
    Functions,
    Interval,
    Sequences,
    Shape,
    as_functions,
    records_as_functions,
)

Stretch = Callable[[Interval, Interval], Interval]
"""What an interval becomes that grew, from what it was and what it is."""


def widen(old: Shape, new: Shape, steps: tuple[int, ...]) -> Shape:
    """Return ``new`` with every interval that grew stretched to the next of ``steps``.

    ``steps`` are numbers in ascending order; beyond the last there is infinity.
    """

    def stretch(before: Interval, after: Interval) -> Interval:
        low, high = after.low, after.high
        if low < before.low:
            low = max((s for s in steps if s <= low), default=-FAR)
        if high > before.high:
            high = min((s for s in steps if s >= high), default=FAR)
        return Interval(low, high)

    return _stretched(old, new, stretch)


def further(old: Shape, new: Shape, slack: int) -> Shape:
    """Return ``new`` with every interval that grew going on by ``slack`` on that side."""

    def stretch(before: Interval, after: Interval) -> Interval:
        low = after.low - slack if after.low < before.low else after.low
        return Interval(low, after.high + slack if after.high > before.high else after.high)

    return _stretched(old, new, stretch)


def _stretched(old: Shape, new: Shape, stretch: Stretch) -> Shape:
    """Return ``new`` with its intervals as ``stretch`` says, where ``old`` has one as well."""

    def stretched(before: Interval | None, after: Interval | None) -> Interval | None:
        return after if before is None or after is None else stretch(before, after)

    known = old.fields()
    records = []
    for names, parts in new.records:
        if names in known:
            parts = tuple(
                _stretched(known[names][n], p, stretch) for n, p in zip(names, parts, strict=True)
            )
        records.append((names, parts))
    functions = new.functions
    if old.functions is not None and functions is not None:
        functions = Functions(
            _stretched(old.functions.keys, functions.keys, stretch),
            _stretched(old.functions.values, functions.values, stretch),
            functions.domain,
        )
    elements = new.elements
    if old.elements is not None and elements is not None:
        elements = _stretched(old.elements, elements, stretch)
    sequences = new.sequences
    if old.sequences is not None and sequences is not None:
        longest = stretched(Interval(0, old.sequences.longest), Interval(0, sequences.longest))
        assert longest is not None
        parts_of = None
        if sequences.parts is not None and old.sequences.parts is not None:
            pairs = zip(old.sequences.parts, sequences.parts, strict=False)
            parts_of = tuple(_stretched(a, b, stretch) for a, b in pairs)
            parts_of = parts_of if len(parts_of) == sequences.longest else None
        first = zip(old.sequences.first, sequences.first, strict=False)
        sequences = Sequences(
            _stretched(old.sequences.element, sequences.element, stretch),
            sequences.shortest,
            longest.high,
            parts_of,
            tuple(_stretched(a, b, stretch) for a, b in first),
        )
    return Shape(
        new.truths,
        stretched(old.integers, new.integers),
        new.atoms,
        tuple(records),
        functions,
        elements,
        sequences,
    )


class Guess:
    """Gives ends to shapes without one, from what samples of states have at the same places.

    What is known to end keeps its end: samples say how far numbers and sequences go, never which
    kinds of values there are. Where no sample has been, a field is taken to go as far as fields of
    its name do elsewhere, and anything else as far as all numbers of the samples. Unless the
    samples are all the states there are, ends are stretched to the next of ``steps``, which are
    numbers in ascending order, and raised by ``slack``: samples are seldom long enough to see the
    end, and what is too small is worse than what is too large.
    """

    def __init__(
        self, samples: Iterable[Shape], steps: tuple[int, ...], all_seen: bool, slack: int = 0
    ) -> None:
        self.steps = steps
        self.slack = slack
        self.all_seen = all_seen
        self._fields: dict[str, Interval] = {}
        self._widest: Interval | None = None
        self._longest = 1
        for shape in samples:
            self._learn(shape, None)

    def _learn(self, shape: Shape, field: str | None) -> None:
        if shape.integers is not None:
            self._widest = _hull(self._widest, shape.integers)
            if field is not None:
                self._fields[field] = _hull(self._fields.get(field), shape.integers)
        for names, parts in shape.records:
            for name, part in zip(names, parts, strict=True):
                self._learn(part, name)
        if shape.functions is not None:
            self._learn(shape.functions.keys, None)
            self._learn(shape.functions.values, field)
        if shape.elements is not None:
            self._learn(shape.elements, field)
        if shape.sequences is not None:
            self._longest = max(self._longest, shape.sequences.longest)
            self._learn(shape.sequences.element, field)

    def ended(self, shape: Shape, sample: Shape, field: str | None = None) -> Shape:
        """Return the shape with an end to each interval and each sequence."""
        if shape.functions is not None and sample.sequences is not None:
            sample = as_functions(sample)
        sample = records_as_functions(sample, shape.functions)
        seen = sample.fields()
        records = tuple(
            (
                names,
                tuple(
                    self.ended(part, seen[names][name] if names in seen else NOTHING, name)
                    for name, part in zip(names, parts, strict=True)
                ),
            )
            for names, parts in shape.records
        )
        functions, sequences, elements = shape.functions, shape.sequences, shape.elements
        if functions is not None:
            known = sample.functions
            functions = replace(
                functions,
                keys=self.ended(functions.keys, NOTHING if known is None else known.keys),
                values=self.ended(
                    functions.values, NOTHING if known is None else known.values, field
                ),
            )
        if elements is not None:
            elements = self.ended(elements, sample.elements or NOTHING, field)
        if sequences is not None:
            sequences = self._sequences(sequences, sample.sequences, field)
        return replace(
            shape,
            integers=self._interval(shape.integers, sample.integers, field),
            records=records,
            functions=functions,
            elements=elements,
            sequences=sequences,
        )

    def _interval(
        self, found: Interval | None, seen: Interval | None, field: str | None
    ) -> Interval | None:
        if found is None or found.finite:
            return found
        known = seen or self._fields.get(field or "") or self._widest or Interval(0, 1)
        low, high = known.low, known.high
        if not self.all_seen or seen is None:
            low = max((s for s in self.steps if s <= low), default=low)
            near = [s for s in self.steps if high <= s <= 4 * abs(high) + 16]
            high = max(near, default=high) + self.slack
        return Interval(max(found.low, low), max(found.low, min(found.high, high)))

    def _sequences(self, found: Sequences, seen: Sequences | None, field: str | None) -> Sequences:
        longest, parts = found.longest, found.parts
        if longest >= FAR:
            longest = self._longest if seen is None else seen.longest
            if not self.all_seen or seen is None:
                near = [s for s in self.steps if longest <= s <= 2 * longest + 4]
                longest = max(near, default=longest) + self.slack
            longest = max(found.shortest, longest)
        element = NOTHING if seen is None else seen.element
        if parts is not None:
            same = seen.parts if seen is not None and seen.longest == found.longest else None
            held = same if same is not None else (element,) * len(parts)
            parts = tuple(self.ended(p, s, field) for p, s in zip(parts, held, strict=True))
        return Sequences(
            self.ended(found.element, element, field),
            found.shortest,
            longest,
            parts,
            tuple(self.ended(p, element, field) for p in found.first),
        )


def _hull(left: Interval | None, right: Interval) -> Interval:
    if left is None:
        return right
    return Interval(min(left.low, right.low), max(left.high, right.high))
