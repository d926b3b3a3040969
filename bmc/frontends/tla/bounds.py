"""How far the values of a specification go, and who says so."""

from __future__ import annotations

from collections.abc import Iterator

from bmc.lang.sorts import (
    BoundedSetSort,
    SetSort,
    Sort,
    parts,
)

from .abstract.domain import FAR, NOTHING, Interval, Shape
from .specification import Specification
from .translate.model import Translation

GIVEN, READ, GUESSED = "given", "from the text", "guessed from samples, and proven"


def bound_lines(specification: Specification, translation: Translation) -> Iterator[str]:
    """Yield a line for each interval, length and number of members, variable by variable."""
    for variable in specification.variables:
        name = variable.name
        unended = translation.unended.get(name, NOTHING)
        for place, text, guessed in _bounds(name, translation.shapes[name], unended):
            given = name in specification.bounds and place == name
            yield f"{place} {text}: {GIVEN if given else GUESSED if guessed else READ}"
        for sort in _slots(translation.model.variables[name]):
            yield f"{name} at most {sort.capacity.at({})} members in {sort}: {GUESSED}"
        whole = translation.model.variables[name]
        a_set = isinstance(whole, SetSort)
        for table in translation.layout.tables_in(whole):
            what = f"{name} the {{}} members" if a_set else f"DOMAIN {name} the {{}} arguments"
            yield f"{what.format(len(table.rows))} that were met: {GUESSED}"


def _bounds(place: str, shape: Shape, unended: Shape) -> Iterator[tuple[str, str, bool]]:
    if shape.integers is not None:
        yield place, _interval(shape.integers), not _ends(unended.integers)
    known = unended.fields()
    for names, held in shape.records:
        for name, part in zip(names, held, strict=True):
            yield from _bounds(f"{place}.{name}", part, known.get(names, {}).get(name, NOTHING))
    if shape.functions is not None:
        before = unended.functions
        yield from _bounds(
            f"DOMAIN {place}", shape.functions.keys, NOTHING if before is None else before.keys
        )
        values = NOTHING if before is None else before.values
        yield from _bounds(f"{place}[_]", shape.functions.values, values)
    if shape.elements is not None:
        yield from _bounds(f"{place}{{_}}", shape.elements, unended.elements or NOTHING)
    if shape.sequences is not None:
        old = unended.sequences
        if shape.sequences.parts is None:
            guessed = old is not None and old.longest >= FAR
            yield f"Len({place})", f"up to {shape.sequences.longest}", guessed
        inner = NOTHING if old is None else old.element
        yield from _bounds(f"{place}[_]", shape.sequences.element, inner)


def _interval(found: Interval) -> str:
    return f"{found.low}..{found.high}"


def _ends(found: Interval | None) -> bool:
    return found is None or found.finite


def _slots(sort: Sort) -> Iterator[BoundedSetSort]:
    if isinstance(sort, BoundedSetSort):
        yield sort
    for part in parts(sort):
        yield from _slots(part)
