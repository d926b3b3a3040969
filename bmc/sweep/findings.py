"""What random walks met, as a row of a sweep holds it, and put together over many rows."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from typing import Any

from bmc.evidence import untrusted
from bmc.evidence.verdict import Verdict
from bmc.evidence.wording import count
from bmc.lang.errors import BmcError
from bmc.sweep.job import claims_of
from bmc.sweep.rows import Ended, Row
from bmc.sweep.seeds import read_seeds

_TRACE = re.compile(r"traces/[^/\0]+\.json")


class UnreadableFindings(BmcError):
    """A row does not hold what walks met in the form in which a sweep writes it."""


@dataclass(frozen=True)
class Shortest:
    """The shortest violation of a claim that was met.

    There was one with so many of the ``seeds``; the shortest has a trace of so many ``states`` and
    was met with this ``seed``. ``trace`` is its file below the sweep's directory, and ``digest``
    the file's.
    """

    seeds: int
    states: int
    seed: int
    trace: str
    digest: str

    def and_also(self, other: Shortest) -> Shortest:
        """Return the shorter of two violations, met with the seeds of both."""
        best = min(self, other, key=lambda one: (one.states, one.seed))
        return Shortest(self.seeds + other.seeds, best.states, best.seed, best.trace, best.digest)


@dataclass
class Findings:
    """How many ``seeds`` took how many ``walks`` and ``steps``, and what was met on them.

    ``fired`` counts the steps of each action, ``happened`` the seeds with which there was one.
    ``stopped_because`` says why not all seeds' walks were taken to their end.
    """

    seeds: int = 0
    walks: int = 0
    steps: int = 0
    dead_ends: int = 0
    fired: dict[str, int] = field(default_factory=dict)
    happened: dict[str, int] = field(default_factory=dict)
    violated: dict[str, Shortest] = field(default_factory=dict)
    stopped_because: str | None = None

    def to_json(self) -> str:
        """Return it as a row holds it."""
        return json.dumps(asdict(self))

    @staticmethod
    def of_row(row: Row) -> Findings:
        """Return what a row's walks met: nothing, where they came to no end.

        Raises UnreadableFindings.
        """
        if row["found"] is None:
            return Findings(stopped_because=row["reason"])
        try:
            return _read(untrusted.document(row["found"]))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            wrong = untrusted.what_is_wrong(error)
            raise UnreadableFindings(
                f"what the walks of row {row['key']:.10} met cannot be read: {wrong}: "
                "bmc sweep verify tells which rows are not as they were written"
            ) from None

    def add(self, other: Findings) -> None:
        """Take in what other walks of the same question met."""
        self.seeds += other.seeds
        self.walks += other.walks
        self.steps += other.steps
        self.dead_ends += other.dead_ends
        for mine, theirs in ((self.fired, other.fired), (self.happened, other.happened)):
            for name, times in theirs.items():
                mine[name] = mine.get(name, 0) + times
        for name, found in other.violated.items():
            known = self.violated.get(name)
            self.violated[name] = found if known is None else known.and_also(found)
        self.stopped_because = self.stopped_because or other.stopped_because


def are_as_said(row: Row) -> bool:
    """Return whether what walks met can be read, and is what the row's verdict says.

    A report shows what was met, whatever the verdict is, and judges of evidence go by the verdict.
    """
    if row["seeds"] is None or row["found"] is None:
        undecided = row["seeds"] is None or row["verdict"] == Verdict.UNKNOWN.value
        return row["found"] is None and bool(undecided)
    try:
        met = Findings.of_row(row)
    except UnreadableFindings:
        return False
    return bool(met.violated) is bool(row["verdict"] == Verdict.VIOLATED.value)


def has_its_traces(row: Row, read: Callable[[str], bytes]) -> bool:
    """Return whether the traces that a row's walks met are as they were written.

    The row's own evidence is the shortest of them alone; of each the findings have a digest.
    """
    if row["found"] is None:
        return True
    try:
        met = Findings.of_row(row).violated.values()
        return all(sha256(read(one.trace)).hexdigest() == one.digest for one in met)
    except (OSError, UnreadableFindings):
        return False


def _read(data: Mapping[str, Any]) -> Findings:
    untrusted.only(data, {one.name for one in fields(Findings)})
    fired, happened = _counts(data["fired"]), _counts(data["happened"])
    if fired.keys() != happened.keys():
        raise ValueError("its counts of steps and of seeds are about different actions")
    why = data["stopped_because"]
    return Findings(
        _natural(data["seeds"]),
        _natural(data["walks"]),
        _natural(data["steps"]),
        _natural(data["dead_ends"]),
        fired,
        happened,
        {name: _shortest(one) for name, one in data["violated"].items()},
        None if why is None else untrusted.text_of(why),
    )


def _shortest(data: Mapping[str, Any]) -> Shortest:
    untrusted.only(data, {one.name for one in fields(Shortest)})
    trace = untrusted.text_of(data["trace"])
    if _TRACE.fullmatch(trace) is None:
        raise ValueError(f"{trace!r:.60} is no name of a trace")
    seeds, states, seed = (_natural(data[name]) for name in ("seeds", "states", "seed"))
    return Shortest(seeds, states, seed, trace, untrusted.text_of(data["digest"]))


def _counts(data: Mapping[str, Any]) -> dict[str, int]:
    return {name: _natural(times) for name, times in data.items()}


def _natural(part: object) -> int:
    if (number := untrusted.integer_of(part)) < 0:
        raise ValueError(f"expected a number of things, found {number}")
    return number


@dataclass(frozen=True)
class Walked:
    """All rows about one protocol at one choice of parameters, and what their walks met."""

    rows: tuple[Row, ...]
    met: Findings

    @property
    def claims(self) -> tuple[str, ...]:
        """The claims that were watched."""
        return claims_of(self.rows[0]["property"])

    def by_claim(self) -> list[dict[str, Any]]:
        """Return a row for each claim, as other sweeps have them, for a report to show.

        Its seconds are those of all walks, its trace the shortest that was met.
        """
        return [self._of_claim(name) for name in self.claims]

    def _of_claim(self, claim: str) -> dict[str, Any]:
        found, met = self.met.violated.get(claim), self.met
        seconds = [row["seconds"] for row in self.rows if row["seconds"] is not None]
        peaks = [r["peak_memory_mb"] for r in self.rows if r["peak_memory_mb"] is not None]
        unended = next((r for r in self.rows if r["depth"] is None), None)
        row = {
            **(self.rows[0] if unended is None else unended),
            "property": claim,
            "seconds": round(sum(seconds), 4) if seconds else None,
            "peak_memory_mb": max(peaks, default=None),
            "finished": max(row["finished"] for row in self.rows),
            "verdict": Verdict.UNKNOWN.value,
            "trace": None,
            "trace_states": None,
        }
        if found is not None:
            row |= {
                "verdict": Verdict.VIOLATED.value,
                "ended": Ended.ANSWERED.value,
                "trace": found.trace,
                "trace_states": found.states,
                "seeds": str(found.seed),
                "reason": f"met with {found.seeds} of {count(met.seeds, 'seed')}",
            }
        elif unended is None:
            row["reason"] = f"not met on {count(met.steps, 'random step')}"
        return row


def walked(rows: Iterable[Row]) -> list[Walked]:
    """Put the rows of walks among these together, by what was asked; no seed counts twice.

    Raises UnreadableFindings.
    """
    together: dict[object, list[Row]] = defaultdict(list)
    for row in rows:
        if row["seeds"] is not None:
            point = tuple(sorted(row["parameters"].items()))
            how = row["bound"], row["walks"]
            together[row["protocol"], point, row["property"], how].append(row)
    found = []
    for group in together.values():
        met, chosen = Findings(), _apart(group)
        for row in chosen:
            met.add(Findings.of_row(row))
        found.append(Walked(tuple(chosen), met))
    return found


def _apart(rows: Iterable[Row]) -> list[Row]:
    """Return rows whose seeds overlap nowhere: of those that do the one that has most."""
    found: list[Row] = []
    end = -1
    ranges = [(read_seeds(row["seeds"], row["walks"]), row) for row in rows]
    for seeds, row in sorted(ranges, key=lambda one: (one[0].first, -len(one[0]))):
        if seeds.first > end:
            found.append(row)
            end = seeds.last
    return found
