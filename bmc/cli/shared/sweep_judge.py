"""Rows of a sweep judged again by the evidence that they name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from hashlib import sha256
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bmc.analysis.mutants import original
from bmc.cli.shared import catalogue, processors, specifications
from bmc.cli.shared.user_file import names_a_file
from bmc.cli.shared.widening import find_with_room
from bmc.lang.errors import BmcError, UnknownName
from bmc.lang.suite import Suite

if TYPE_CHECKING:
    from bmc.cli.shared.progress import Progress
    from bmc.evidence.certificate import Certificate
    from bmc.evidence.exploration_certificate import ExplorationCertificate
    from bmc.sweep.rows import Row


class Reviewed(Enum):
    """What became of a row's evidence.

    NOTHING: the row claims nothing that evidence could show: a search without a violation, or an
    unknown. OUTDATED: it is about another text of the protocol. CHANGED: it is not what a sweep
    wrote. UNCHECKED: there was no time.
    """

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    CHANGED = "changed"
    OUTDATED = "outdated"
    UNCHECKED = "unchecked"
    NOTHING = "nothing"


_CARRIED = ("protocol", "property", "identity", "verdict", "trace", "trace_states", "seeds")
"""Columns that a row has as the row that it is implied by."""
CHANGED = "it is not as a sweep wrote it, or its evidence is not"
OTHER_WORDS = "says something else than was judged: a sweep into an empty folder makes it anew"


@dataclass(frozen=True)
class Verified:
    """A row, what became of its evidence, and in which words; ``by`` is who accepted it."""

    row: Row
    standing: Reviewed
    said: str
    by: str = ""


class Judge:
    """Judges rows one by one."""

    def __init__(
        self,
        evidence: Any,
        rows: Sequence[Row],
        protocols: Sequence[str],
        timeout: float,
        progress: Progress,
    ) -> None:
        self._evidence = evidence
        self._rows = rows
        self._named = {_resolved(name): name for name in protocols}
        self._timeout = timeout
        self._progress = progress
        self._judged: dict[str, Verified] = {}

    def all(self) -> list[Verified]:
        """Judge every row; interrupted, those that are left stay unchecked."""
        try:
            # What is implied is judged after what it is implied by.
            for row in sorted(self._rows, key=lambda row: row["ended"] == "implied"):
                self._progress.phase(f"{len(self._judged) + 1} of {len(self._rows)} rows")
                self._judged[row["key"]] = self._one(row)
        except KeyboardInterrupt:
            pass
        return [
            self._judged.get(row["key"]) or Verified(row, Reviewed.UNCHECKED, "interrupted")
            for row in self._rows
        ]

    def _one(self, row: Row) -> Verified:
        from bmc.evidence.certify import NotDecided
        from bmc.lang.protocol import parameter_values
        from bmc.sweep.findings import are_as_said
        from bmc.sweep.rows import answers_its_key, is_a_row

        try:
            if not is_a_row(row) or not are_as_said(row):
                return Verified(row, Reviewed.CHANGED, CHANGED)
            if not answers_its_key(row):
                return Verified(row, Reviewed.REJECTED, "its key is that of another question")
            if row["verdict"] == "unknown":
                return Verified(row, Reviewed.NOTHING, "it claims nothing")
            suite, values = self._suite(row["protocol"], row["parameters"])
            if self._is_outdated(row, suite):
                return Verified(row, Reviewed.OUTDATED, "it is about another text of the protocol")
            # Of one that is left out evidence would say which value is meant.
            if parameter_values(suite.protocol, values) != values:
                return Verified(row, Reviewed.REJECTED, "it leaves out a parameter")
            if row["seeds"] is not None:
                return self._walks(row, suite, values)
            if row["verdict"] == "proved":
                return self._proof(row, suite, values)
            if row["implied_by"]:
                return self._implied(row, suite)
            if suite.is_temporal(row["property"]):
                return self._lasso(row, suite, values)
            return self._violation(row, suite, values)
        except (NotDecided, catalogue.NamesCode, OSError) as error:
            return Verified(row, Reviewed.UNCHECKED, str(error))
        except (BmcError, ValueError) as error:
            return Verified(row, Reviewed.REJECTED, str(error))

    def _suite(self, name: str, parameters: Mapping[str, int]) -> tuple[Suite, dict[str, int]]:
        """Return a row's suite, and which of its parameters are the suite's."""
        wanted, values = specifications.point(name, dict(parameters))
        if not names_a_file(name) and not specifications.names_a_specification(name):
            return catalogue.find(name), values
        if (named := self._named_as(name)) is None:
            # A specification that is here is read, as one that was named is.
            catalogue.require_no_code(name, "a row", "sweep verify DIR")
            named = name
        found = find_with_room(specifications.point(named, dict(parameters))[0])
        return replace(found, name=wanted), values

    def _named_as(self, name: str) -> str | None:
        """What the command line calls a file's protocol; who names it names its mutants too."""
        protocol = original(name)
        named = self._given(protocol)
        return None if named is None else f"{named}{name.removeprefix(protocol)}"

    def _given(self, protocol: str) -> str | None:
        """The name on the command line that is meant by a row's, of no mutant."""
        named = self._named.get(_resolved(protocol))
        if named is not None or lexists(catalogue.path_of(protocol)):
            return named
        # A sweep of another folder; whether it is the row's text is compared like any other.
        alike = [given for given in self._named.values() if _last(given) == _last(protocol)]
        return alike[0] if len(alike) == 1 else None

    def require_rows_of_all_named(self) -> None:
        """Raise UnknownName where no row speaks of a protocol that the command line names."""
        said = sorted({original(str(row.get("protocol"))) for row in self._rows})
        meant = {self._given(protocol) for protocol in said}
        for given in self._named.values():
            if given not in meant:
                raise UnknownName(
                    f"no row is of --protocol {catalogue.printable(given)}: they are of "
                    f"{catalogue.printable(', '.join(said))}"
                )

    def _is_outdated(self, row: Row, suite: Suite) -> bool:
        from bmc.sweep.job import Method, identity_of

        method = Method(row["asked"], row["bound"], row["solver"], row["lemmas"])
        return bool(identity_of(suite, row["property"], method) != row["identity"])

    def _proof(self, row: Row, suite: Suite, values: Mapping[str, int]) -> Verified:
        from bmc.cli.shared.certificates import kind_of
        from bmc.engines.confirmation import require_agreement
        from bmc.engines.liveness.fair_behaviour import require_fair_behaviour
        from bmc.engines.task import Deadline
        from bmc.evidence.certificate import Certificate
        from bmc.evidence.certify import certify
        from bmc.evidence.exploration_certificate import ExplorationCertificate

        file = self._evidence(row).get("certificate")
        if file is None and suite.is_temporal(row["property"]) and row["asked"] == "explicit":
            said = "proved on the graph of all states: `bmc prove` makes it again"
            return Verified(row, Reviewed.UNCHECKED, said)
        if file is None:
            return Verified(row, Reviewed.REJECTED, "it claims a proof and has no certificate")
        if row["trace_states"] is not None:
            return Verified(row, Reviewed.REJECTED, "it claims a proof and a trace")
        if kind_of(file) is ExplorationCertificate:
            return self._exploration(row, suite, values, file)
        certificate = Certificate.read(file)
        claimed = {claim.name for claim in certificate.claims}
        if wrong := _other(row, suite, values, file, certificate, claimed):
            return wrong
        deadline = Deadline(self._timeout)
        phase, judges = self._progress.phase, processors.usable()
        found = certify(certificate, suite, phase, self._timeout, judges=judges)
        require_fair_behaviour(certificate, suite, deadline)
        require_agreement(suite, claimed, certificate.watching is not None, deadline)
        return Verified(row, Reviewed.ACCEPTED, f"certificate accepted by {found.solver}", "proof")

    def _exploration(
        self, row: Row, suite: Suite, values: Mapping[str, int], file: Path
    ) -> Verified:
        from bmc.engines.explored import Budget, certify, shown_by
        from bmc.evidence.exploration_certificate import ExplorationCertificate

        certificate = ExplorationCertificate.read(file.read_text(encoding="utf-8"), file.name)
        claims, _ = shown_by(certificate, suite)
        if wrong := _other(row, suite, values, file, certificate, claims):
            return wrong
        by = certify(certificate, suite, Budget(self._timeout), self._progress)
        return Verified(row, Reviewed.ACCEPTED, f"explored again, looked at by {by}", "explored")

    def _violation(self, row: Row, suite: Suite, values: Mapping[str, int]) -> Verified:
        file = self._evidence(row).get("trace")
        if file is None:
            return Verified(row, Reviewed.REJECTED, "it claims a violation and has no trace")
        wrong = self._wrong(row, suite, values, file, row["property"], row["trace_states"])
        if wrong is not None:
            return Verified(row, Reviewed.REJECTED, wrong)
        return Verified(row, Reviewed.ACCEPTED, "trace replayed", "trace")

    def _wrong(
        self,
        row: Row,
        suite: Suite,
        values: Mapping[str, int],
        file: Path,
        claim: str,
        states: int,
    ) -> str | None:
        """What is wrong with a file that claims a violation in so many states, if anything is."""
        from bmc.cli.shared.stored_traces import replayed
        from bmc.cli.shared.sweep_evidence import is_about
        from bmc.evidence.verdict import Result, Verdict

        named = self._named_as(row["protocol"]) or str(row["protocol"])
        name, _ = specifications.point(named, dict(row["parameters"]))
        found = replayed(file, claim, name, [f"{key}={value}" for key, value in values.items()])
        if found.undecided is not None:
            return f"{file.name} decides nothing: {found.undecided}"
        if found.violated is None:
            return f"{file.name} violates nothing"
        if len(found.trace) != states:
            return f"{file.name} is of another length"
        judged = Result(claim, Verdict.VIOLATED, "", 0.0, trace=found.trace)
        return None if is_about(file, suite, values, judged) else f"{file.name} {OTHER_WORDS}"

    def _walks(self, row: Row, suite: Suite, values: Mapping[str, int]) -> Verified:
        """Judge every claim that walks are said to have violated."""
        from bmc.evidence.wording import count
        from bmc.sweep.findings import Findings
        from bmc.sweep.job import claims_of

        met = Findings.of_row(row)
        if row["verdict"] != "violated":
            said = f"walks do not show that it is {row['verdict']}"
            return Verified(row, Reviewed.REJECTED, said)
        if not met.violated or set(met.violated) - set(claims_of(row["property"])):
            return Verified(row, Reviewed.REJECTED, "it claims a violation of nothing it watched")
        for claim, found in met.violated.items():
            file = self._evidence({**row, "trace": found.trace})["trace"]
            if sha256(file.read_bytes()).hexdigest() != found.digest:
                return Verified(row, Reviewed.REJECTED, f"{file.name} is not as it was written")
            wrong = self._wrong(row, suite, values, file, claim, found.states)
            if wrong is not None:
                return Verified(row, Reviewed.REJECTED, wrong)
        number = count(len(met.violated), "trace")
        return Verified(row, Reviewed.ACCEPTED, f"{number} replayed", "trace")

    def _lasso(self, row: Row, suite: Suite, values: Mapping[str, int]) -> Verified:
        from bmc.cli.shared.sweep_evidence import is_about, lasso_of

        file = self._evidence(row).get("trace")
        if file is None:
            return Verified(row, Reviewed.REJECTED, "it claims a violation and has no lasso")
        found = lasso_of(file, suite, values, row["property"])
        if found is None:
            return Verified(row, Reviewed.REJECTED, f"{file.name} is no lasso that violates it")
        if found.trace is None or len(found.trace) != row["trace_states"]:
            return Verified(row, Reviewed.REJECTED, f"{file.name} is of another length")
        if not is_about(file, suite, values, found):
            return Verified(row, Reviewed.REJECTED, f"{file.name} {OTHER_WORDS}")
        return Verified(row, Reviewed.ACCEPTED, "lasso taken again", "trace")

    def _implied(self, row: Row, suite: Suite) -> Verified:
        cause = self._judged.get(row["implied_by"])
        if cause is None or cause.standing is not Reviewed.ACCEPTED:
            return Verified(row, Reviewed.REJECTED, "what it is implied by is not accepted")
        other = cause.row
        same = all(other[column] == row[column] for column in _CARRIED)
        below = other["parameters"].keys() == row["parameters"].keys() and all(
            other["parameters"][name] <= value
            if name in suite.monotone
            else other["parameters"][name] == value
            for name, value in row["parameters"].items()
        )
        # Of behaviours nothing is implied: where there are more steps, fairness asks for more.
        if suite.is_temporal(row["property"]) or not same or not below:
            return Verified(row, Reviewed.REJECTED, "what it names does not imply it")
        return Verified(row, Reviewed.ACCEPTED, "implied by a replayed trace", "implied")


def _other(
    row: Row,
    suite: Suite,
    values: Mapping[str, int],
    file: Path,
    certificate: Certificate | ExplorationCertificate,
    claimed: Collection[str],
) -> Verified | None:
    """A row whose certificate is of another model or claim than the row; None for a right one."""
    if (certificate.protocol, dict(certificate.parameters)) != (suite.name, values):
        return Verified(row, Reviewed.REJECTED, f"{file.name} is about something else")
    if row["property"] not in claimed:
        return Verified(row, Reviewed.REJECTED, f"{file.name} does not claim it")
    return None


def _resolved(name: str) -> str:
    path, colon, wanted = name.rpartition(":")
    return f"{Path(path).absolute()}{colon}{wanted}" if colon else str(Path(name).absolute())


def _last(name: str) -> str:
    """A file's protocol as it is called in the file's own folder."""
    path = catalogue.path_of(name)
    return f"{Path(path).name}{name.removeprefix(path)}"
