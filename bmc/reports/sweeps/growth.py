"""How the cost of a job grows with each parameter, fitted on a logarithmic scale."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import geometric_mean

import numpy as np

from bmc.reports.sweeps.digest import Row


@dataclass(frozen=True)
class Series:
    """One protocol's cost along one parameter.

    ``points`` are (value, seconds) of every job, ``means`` the geometric mean at each value.
    ``factor`` is by what a job's seconds are multiplied at each step of the parameter while all
    else stays: the fit of ``log seconds`` to a plane over all parameters. None when the table
    cannot tell.
    """

    protocol: str
    points: tuple[tuple[int, float], ...]
    means: tuple[tuple[int, float], ...]
    factor: float | None

    def fit_at(self, value: float) -> float:
        """The fitted line through the middle of the means."""
        middle = sum(v for v, _ in self.means) / len(self.means)
        level = geometric_mean([s for _, s in self.means])
        return float(level * (self.factor or 1.0) ** (value - middle))


def growth(rows: Sequence[Row]) -> dict[str, list[Series]]:
    """For each parameter that varies, a series of each protocol in which it does."""
    together: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        # What was stopped by a limit did not take what it would take.
        if row["seconds"] and row["ended"] == "answered":
            together[row["protocol"]].append(row)
    found: dict[str, list[Series]] = defaultdict(list)
    for protocol, group in together.items():
        factors = _factors(group)
        for name in _common(group):
            points = sorted((int(r["parameters"][name]), float(r["seconds"])) for r in group)
            at: dict[int, list[float]] = defaultdict(list)
            for value, seconds in points:
                at[value].append(seconds)
            if len(at) > 1:
                means = tuple((v, geometric_mean(s)) for v, s in sorted(at.items()))
                found[name].append(Series(protocol, tuple(points), means, factors.get(name)))
    return dict(found)


def _common(rows: Sequence[Row]) -> list[str]:
    """The parameters that every row names: grids of one folder need not have the same axes."""
    return [n for n in rows[0]["parameters"] if all(n in row["parameters"] for row in rows)]


def _factors(rows: Sequence[Row]) -> dict[str, float]:
    """``e`` to the slope of each parameter, properties having levels of their own."""
    common = _common(rows)
    if any(len(row["parameters"]) > len(common) for row in rows):
        # What some rows do not name may have had any value there.
        return {}
    names = [n for n in common if len({r["parameters"][n] for r in rows}) > 1]
    stated = sorted({r["property"] for r in rows})
    if len(rows) < len(names) + len(stated) + 1:
        return {}
    table = np.array(
        [
            [*(r["parameters"][n] for n in names), *(float(r["property"] == p) for p in stated)]
            for r in rows
        ]
    )
    seconds = np.log([r["seconds"] for r in rows])
    slopes, _, rank, _ = np.linalg.lstsq(table, seconds, rcond=None)
    if rank < table.shape[1]:
        # Two parameters always moved together: neither's share can be told.
        return {}
    return {name: float(np.exp(s)) for name, s in zip(names, slopes, strict=False)}


@dataclass(frozen=True)
class Power:
    """``seconds = scale · bits^exponent``, fitted to all jobs that ended by themselves."""

    points: tuple[tuple[int, float, str], ...]
    scale: float
    exponent: float

    def at(self, bits: float) -> float:
        """The fitted seconds."""
        return float(self.scale * bits**self.exponent)


def by_size(rows: Sequence[Row]) -> Power | None:
    """Cost against state bits; None when all jobs have one size."""
    ran = [r for r in rows if r["seconds"] and r["ended"] == "answered" and r["state_bits"]]
    if len({r["state_bits"] for r in ran}) < 2:
        return None
    x = np.log([r["state_bits"] for r in ran])
    exponent, level = np.polyfit(x, np.log([r["seconds"] for r in ran]), 1)
    points = tuple((int(r["state_bits"]), float(r["seconds"]), str(r["protocol"])) for r in ran)
    return Power(points, float(np.exp(level)), float(exponent))
