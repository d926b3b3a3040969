"""The rows that a report is about: the latest answers, none about another text of a protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from bmc.analysis.mutants import parted, variant
from bmc.lang.errors import BmcError
from bmc.lang.suite import Suite
from bmc.sweep.job import Job, Method, as_row, identity_of
from bmc.sweep.plan import Share
from bmc.sweep.rows import Row

At: TypeAlias = "Callable[[Mapping[str, int]], Suite]"


@dataclass(frozen=True)
class Texts:
    """The identities of what rows are about, as the protocols of a sweep are written now.

    The variants of a campaign change with the text of their protocol, whoever is asked about.
    ``now`` has None for what they do not state any more; ``by_point`` names the protocols that
    are another model at each point.
    """

    now: Mapping[object, str | None] = field(default_factory=dict)
    by_point: frozenset[str] = frozenset()

    @staticmethod
    def of(shares: Sequence[Share], jobs: Iterable[Job], rows: Iterable[Row]) -> Texts:
        """Return what rows have to be about; protocols of other sweeps are left out."""
        by_name = {share.suite.name: share for share in shares}
        found = _Written({name: share.suite for name, share in by_name.items()})
        by_point = frozenset(name for name, share in by_name.items() if share.at is not None)
        now: dict[object, str | None] = {}
        for job in jobs:
            now[_about(as_row(job), by_point)] = job.identity
        for row in rows:
            about = _about(row, by_point)
            if about not in now and found.speaks_of(row["protocol"]):
                share = by_name.get(row["protocol"])
                now[about] = _identity(share.at if share else None, found, row)
        return Texts(now, by_point)

    def has(self, row: Row) -> bool:
        """Return whether a row is about the text as it is now, as far as that is known."""
        return bool(self.now.get(_about(row, self.by_point), row["identity"]) == row["identity"])


class _Written:
    """The suites of a sweep's protocols, and of the variants of each, by their names."""

    def __init__(self, suites: dict[str, Suite]) -> None:
        self._suites = suites

    def speaks_of(self, name: str) -> bool:
        """Return whether a name is that of one of the protocols, or of a variant of one."""
        base, changed = parted(name)
        return name in self._suites or (bool(changed) and self.speaks_of(base))

    def named(self, name: str) -> Suite:
        """Return the suite of such a name. Raises UnknownName where there is no such variant."""
        if name not in self._suites:
            base, changed = parted(name)
            self._suites[name] = variant(self.named(base), changed)
        return self._suites[name]


def _identity(at: At | None, written: _Written, row: Row) -> str | None:
    try:
        suite = written.named(row["protocol"]) if at is None else at(row["parameters"])
        method = Method(row["asked"], row["bound"], row["solver"], row["lemmas"])
        return identity_of(suite, row["property"], method)
    except BmcError:
        return None


def _about(row: Row, by_point: frozenset[str]) -> object:
    at = tuple(sorted(row["parameters"].items())) if row["protocol"] in by_point else ()
    how = (row["asked"], row["bound"], row["solver"], row["lemmas"])
    return row["protocol"], at, row["property"], how


def current(rows: Iterable[Row], jobs: Iterable[Job], texts: Texts) -> list[Row]:
    """Return the rows a report is about: of each question in the directory, the latest answer.

    Rows of other sweeps stay, but of a question among ``jobs`` only the answer to it as it is
    asked now, and no row about another text of a protocol.
    """
    wanted = {_question(as_row(job)): job.key for job in jobs}
    latest: dict[object, Row] = {}
    for row in rows:
        question = _question(row)
        if wanted.get(question, row["key"]) != row["key"] or not texts.has(row):
            continue
        known = latest.get(question)
        if known is None or row["finished"] > known["finished"]:
            latest[question] = row
    return sorted(
        latest.values(),
        key=lambda r: (r["protocol"], r["property"], tuple(r["parameters"].values())),
    )


def _question(row: Row) -> object:
    at = tuple(sorted(row["parameters"].items()))
    return row["protocol"], at, row["property"], row["seeds"], row["walks"]
