"""What there is to say about a sweep's table, before it is said in HTML or Markdown."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bmc.engines.engine import TEMPORAL_ENGINES, engine_of_row

Row = Mapping[str, Any]

OUTCOMES = ("proved", "violated", "clean", "unknown")
"""Verdicts as a sweep counts them: a search without a violation that did all it was asked to is
`clean`, which is no proof."""


def _searched(row: Row) -> bool:
    """Whether violations were searched for, and no proof."""
    return not engine_of_row(row["asked"]).proves


def outcome(row: Row) -> str:
    """One of :data:`OUTCOMES`."""
    searched = _searched(row) and row["ended"] == "answered"
    if row["verdict"] == "unknown" and searched and row["depth"] == row["bound"]:
        return "clean"
    return str(row["verdict"])


def point(row: Row) -> str:
    """The parameters of a row, in a line."""
    return " ".join(f"{name}={value}" for name, value in row["parameters"].items())


def command(row: Row) -> str:
    """The command line that asks one cell's question again."""
    if row.get("seeds") is not None:
        return simulation(row)
    # A temporal claim is asked about with `prove`, whoever answers.
    searched = _searched(row) and all(row["asked"] != one.name for one in TEMPORAL_ENGINES)
    words = ["bmc", "check" if searched else "prove", row["protocol"]]
    for name, value in row["parameters"].items():
        words += ["-p", f"{name}={value}"]
    words += ["-P", row["property"]]
    words += ["--depth", str(row["bound"])] if searched else ["--engine", row["asked"]]
    if row["asked"] == "kinduction":
        words += ["--k", str(row["bound"])]
    if row["solver"] != "cadical":
        words += ["--solver", row["solver"]]
    if not searched and not row["lemmas"]:
        words.append("--no-lemmas")
    words += ["--timeout", f"{row['timeout']:g}"]
    if not searched:
        words += ["--memory", str(row["memory_mb"])]
    return shlex.join(words)


def simulation(row: Row) -> str:
    """The command line that takes the walks of a row's first seed again."""
    words = ["bmc", "simulate", row["protocol"]]
    for name, value in row["parameters"].items():
        words += ["-p", f"{name}={value}"]
    words += ["-P", row["property"], "--seed", row["seeds"].partition("..")[0]]
    return shlex.join([*words, "--walks", str(row["walks"]), "--length", str(row["bound"])])


def counted(rows: Iterable[Row]) -> dict[str, int]:
    """How many rows have each outcome; all of them are named."""
    found = Counter(outcome(row) for row in rows)
    return {name: found[name] for name in OUTCOMES}


@dataclass(frozen=True)
class Overview:
    """Counts of outcomes, a line a protocol and a column a property."""

    protocols: tuple[str, ...]
    properties: tuple[str, ...]
    cells: Mapping[tuple[str, str], Mapping[str, int]]

    @staticmethod
    def of(rows: Sequence[Row]) -> Overview:
        """The overview of a table."""
        together: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in rows:
            together[row["protocol"], row["property"]].append(row)
        return Overview(
            tuple(dict.fromkeys(row["protocol"] for row in rows)),
            tuple(dict.fromkeys(row["property"] for row in rows)),
            {pair: counted(group) for pair, group in together.items()},
        )


def smallest_violations(rows: Sequence[Row]) -> list[Row]:
    """Of each protocol and property, the violations below which there is none; smallest first."""
    together: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row["verdict"] == "violated" and row["ended"] != "implied":
            together[row["protocol"], row["property"]].append(row)
    found = [
        row
        for group in together.values()
        for row in group
        if not any(_below(other, row) for other in group)
    ]
    return sorted(found, key=lambda r: (r["state_bits"], r["protocol"], r["property"]))


def _below(one: Row, other: Row) -> bool:
    mine, values = one["parameters"], other["parameters"]
    # Of a parameter that is not named in both nothing is known.
    comparable = mine != values and mine.keys() == values.keys()
    return comparable and all(mine[name] <= value for name, value in values.items())


def unknowns(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """What stayed unknown, by how it ended and why; the commonest reason first."""
    together: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if outcome(row) == "unknown":
            together[ending(row)].append(row)
    return sorted(together.items(), key=lambda pair: -len(pair[1]))


def ending(row: Row) -> str:
    """How an unknown came about, and why."""
    return f"{_ENDINGS.get(row['ended'], row['ended'])}: {row['reason']}"


_ENDINGS = {
    "answered": "undecided",
    "timeout": "out of time",
    "memory": "out of memory",
    "crash": "crashed",
    "failed": "bmc failed",
    "lost": "process lost",
}


def slowest(rows: Sequence[Row], most: int = 12) -> list[Row]:
    """The jobs that took longest."""
    ran = [row for row in rows if row["seconds"] is not None]
    return sorted(ran, key=lambda row: -row["seconds"])[:most]


def largest(rows: Sequence[Row], most: int = 12) -> list[Row]:
    """The jobs that took most memory."""
    ran = [row for row in rows if row["peak_memory_mb"] is not None]
    return sorted(ran, key=lambda row: -row["peak_memory_mb"])[:most]
