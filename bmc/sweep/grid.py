"""`--grid` and `--where`: which choices of parameters a sweep visits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod

from bmc.lang.errors import BmcError, suggest
from bmc.lang.protocol import Protocol, parameter_values, parameters_of
from bmc.sweep.condition import Condition

MOST_POINTS = 100_000
_PIECE = re.compile(r"(-?\d{1,9})(?:\.\.(-?\d{1,9})(?::(\d{1,9}))?)?")


class GridError(BmcError):
    """A grid that cannot be read, is empty, or is too large to be meant."""


Axes = Mapping[str, tuple[int, ...]]


def read_axes(given: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """The axes that words such as ``replicas=2..4``, ``log_size=1,2,8`` or ``n=1..9:2`` mean.

    A range includes both ends; a number behind a colon is its step. Raises GridError.
    """
    axes: dict[str, tuple[int, ...]] = {}
    for word in given:
        name, equals, values = (part.strip() for part in word.partition("="))
        if not name or not equals or not values:
            raise GridError(f"{word!r} is no axis: write, for example, --grid replicas=2..4")
        if name in axes:
            raise GridError(f"--grid names {name} twice: join its values, as in {name}=1..3,5")
        found = sorted({v for piece in values.split(",") for v in _values(word, piece.strip())})
        axes[name] = tuple(found)
    return axes


def _values(word: str, piece: str) -> Sequence[int]:
    match = _PIECE.fullmatch(piece)
    if match is None:
        raise GridError(
            f"--grid {word!r}: {piece!r} is neither a number nor a range such as 2..4 or 1..9:2, "
            "of at most 9 digits each"
        )
    first, last = int(match[1]), int(match[2] or match[1])
    step = int(match[3] or 1)
    if step < 1:
        raise GridError(f"--grid {word!r}: a step must be 1 or more")
    if last < first:
        raise GridError(f"--grid {word!r}: the range {piece} is empty; write the lower end first")
    values = range(first, last + 1, step)
    if len(values) > MOST_POINTS:
        raise GridError(f"--grid {word!r}: {len(values):,} values are too many")
    return values


def points(
    protocol: type[Protocol], axes: Axes, fixed: Mapping[str, int], where: Sequence[str] = ()
) -> list[dict[str, int]]:
    """All choices of parameters on the grid that satisfy every condition, smallest first.

    Parameters that are neither on an axis nor ``fixed`` have their defaults. Raises GridError,
    ConditionError, or ParameterError for a value outside the declared range.
    """
    names = [p.name for p in parameters_of(protocol)]
    for name in axes:
        if name not in names:
            raise GridError(
                f"--grid names {name!r}, which {protocol.__name__} does not have: "
                f"{suggest(name, names)}"
            )
    for name, values in axes.items():
        # Both ends say whether all of them are in range.
        for end in (values[0], values[-1]):
            parameter_values(protocol, {**fixed, name: end})
    chosen = choices(axes, fixed)
    return where_all([parameter_values(protocol, one) for one in chosen], names, where)


def choices(axes: Axes, fixed: Mapping[str, int]) -> list[dict[str, int]]:
    """Return what is fixed with each choice on the grid, smallest first. Raises GridError."""
    for name in axes:
        if name in fixed:
            raise GridError(f"{name} is both fixed and on the grid: say it once")
    size = prod(len(values) for values in axes.values())
    if size > MOST_POINTS:
        raise GridError(f"the grid has {size:,} points, more than {MOST_POINTS:,}: narrow it")
    return [{**fixed, **dict(zip(axes, chosen, strict=True))} for chosen in product(*axes.values())]


def where_all(
    found: Sequence[dict[str, int]], names: Sequence[str], where: Sequence[str]
) -> list[dict[str, int]]:
    """Return the points that satisfy every condition over these names.

    Raises ConditionError, and GridError if none does.
    """
    conditions = [Condition(text, names) for text in where]
    kept = [one for one in found if all(condition.holds(one) for condition in conditions)]
    if not kept:
        said = " and ".join(where)
        raise GridError(f"no point of the grid satisfies --where {said}: nothing would run")
    return kept
