"""Certify: the judge of certificates.

It takes the certificate's word for nothing: the model and the statements are looked up by name
and compared, and initiation, consecution and safety are decided again by another solver, on a
step that is built in a way of its own (:mod:`bmc.evidence.path`). Of instances that differ in the
names of scalarset members only one is asked for, after it was shown that names do not matter in
these very circuits (:mod:`bmc.evidence.interchange`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from time import monotonic
from typing import assert_never

from bmc.evidence.assumptions import IN_ONE_STATE, OF_A_STEP, Assumptions, consecution
from bmc.evidence.certificate import Certificate, CertificateError, Disproved, Statement
from bmc.evidence.families import AnyFamily, Family, FoundClauses, NoCounterpart
from bmc.evidence.interchange import Interchange, Orbits
from bmc.evidence.panel import (
    Inquiry,
    NotDecided,
    Panel,
    Progress,
    Refuted,
    Sitting,
    Tally,
    Work,
    inquire,
)
from bmc.evidence.path import SymbolicPath
from bmc.evidence.statements import (
    claim_of,
    conjunct_of,
    expanding,
    model_of_certificate,
    resolve,
    suite_of_certificate,
)
from bmc.evidence.wording import count
from bmc.lang.model import Model
from bmc.lang.properties import Kind, Property
from bmc.lang.protocol import parameter_values
from bmc.lang.suite import Suite
from bmc.layout.layouts import keeps_order
from bmc.readings.circuit import Node
from bmc.solving.factory import create
from bmc.solving.interface import Translation
from bmc.system.transition import Instance, TransitionSystem

__all__ = ["NO_START", "STUCK", "Certified", "NotDecided", "certify", "resolve", "second_opinion"]

_TOGETHER = 64
"""Clauses that are checked by one question, where a question each is far slower."""
_MANY = 1000
"""Of more clauses than these Glucose is the judge: bitwuzla comes to no end with some of them."""
_WORTHWHILE = 100
"""Instances that symmetry must save to be shown: it has some thousand small questions itself."""


NO_START = "there is no initial state: everything holds of nothing"
STUCK = "no step is enabled in any state that satisfies the conjunction: nothing ever happens"


@dataclass(frozen=True)
class Chosen:
    """Formulas to ask for together, by their positions, and the rules that the last step may be
    taken by."""

    positions: tuple[int, ...]
    last_rules: frozenset[int]


def second_opinion(found_by: str, clauses: int = 0) -> str:
    """Return the solver that judges what ``found_by`` (a name, perhaps with a version) has found.

    ``clauses`` is how many of the proof's conjuncts are found clauses.
    """
    finder = found_by.split()[0]
    if clauses > _MANY and finder != "glucose":
        return "glucose"
    return "z3" if finder == "bitwuzla" else "bitwuzla"


@dataclass(frozen=True)
class Certified:
    """A certificate that was accepted.

    ``conditions`` counts the solver queries that were decided; ``seconds`` is wall time.
    ``every_instance`` says that none was left out for symmetry. ``remarks`` are for the reader,
    such as :data:`STUCK`.
    """

    claims: tuple[str, ...]
    solver: str
    conditions: int
    seconds: float
    every_instance: bool
    remarks: tuple[str, ...] = ()


def certify(
    certificate: Certificate,
    suite: Suite,
    progress: Progress = lambda text: None,
    timeout: float | None = None,
    solver: str | None = None,
    judges: int = 1,
    every_instance: bool = False,
    panel: Panel | None = None,
) -> Certified:
    """Re-check a certificate against the suite it names.

    ``timeout`` is in seconds for the whole check; ``solver`` is :func:`second_opinion` unless
    named. ``judges`` processes share the work, unless there is another ``panel``;
    ``every_instance`` makes no use of symmetry.
    Raises CertificateError with the reason when it is rejected, NotDecided when time runs out.
    """
    started = monotonic()
    end = None if timeout is None else started + timeout
    solver = solver or second_opinion(certificate.found_by, len(certificate.clauses))
    questions = Questions(certificate, suite, solver)

    def ask(sitting: Sitting) -> Tally:
        work = questions.of(sitting)
        if panel is None:
            return inquire(work, judges, progress, end)
        return panel(sitting, work, progress, end)

    shown = None
    try:
        if not every_instance:
            progress("members can be interchanged")
            shown = _interchanged(questions, ask)
        asked = ask(Sitting.EVERY_INSTANCE if shown is None else Sitting.REPRESENTATIVES)
    except Refuted as error:
        raise Disproved(f"the certificate is wrong: {error}") from None
    version = create(solver)
    return Certified(
        tuple(claim.name for claim in questions.claims),
        f"{version.name} {version.version}",
        asked.questions + (0 if shown is None else shown.questions),
        monotonic() - started,
        shown is None,
        asked.remarks,
    )


def _interchanged(questions: Questions, ask: Callable[[Sitting], Tally]) -> Tally | None:
    """Have it shown that names of members do not matter; None where that is not so, or no use."""
    if not questions.is_worthwhile():
        return None
    try:
        return ask(Sitting.INTERCHANGE)
    except Refuted:
        return None


class Questions:
    """Everything that is asked about a certificate, in lists that every judge goes through alike.

    Raises CertificateError when it is not about this suite, or ``solver`` is who found it.
    """

    def __init__(self, certificate: Certificate, suite: Suite, solver: str) -> None:
        if certificate.found_by.split()[0] == solver:
            raise CertificateError(f"{solver} found this proof itself: name another solver")
        parameters = parameter_values(suite.protocol, certificate.parameters, suite.name)
        suite = suite_of_certificate(certificate, suite)
        model = model_of_certificate(certificate, suite, parameters)
        self._k = certificate.k
        self.claims = [claim_of(s, suite, model) for s in certificate.claims]
        system = TransitionSystem(model, parameters)
        with expanding(certificate):
            stated = [_conjunct(s, suite, model, system) for s in certificate.conjuncts]
        found = [FoundClauses(system, certificate.clauses)] if certificate.clauses else []
        self._together = _TOGETHER if solver != "glucose" else 1
        self._check = _Check(system, [*stated, *found], solver)

    def of(self, sitting: Sitting) -> Work:
        """Return a list of questions. Raises NoCounterpart where there is no such list."""
        match sitting:
            case Sitting.INTERCHANGE:
                interchange = self._interchange
                return lambda inquiry: interchange.require(inquiry, self._check.path())
            case Sitting.REPRESENTATIVES:
                return partial(self._ask, self._representatives)
            case Sitting.EVERY_INSTANCE:
                everything = frozenset(range(len(self._check.system.rules)))
                return partial(
                    self._ask,
                    [
                        self._groups(one, [Chosen((n,), everything) for n in range(len(one))])
                        for one in self._check.conjuncts
                    ],
                )
        assert_never(sitting)

    def _ask(self, chosen: Sequence[Sequence[Chosen]], inquiry: Inquiry) -> None:
        self._check.substance(inquiry)
        self._check.initiation(inquiry, self._k, chosen)
        self._check.consecution(inquiry, self._k, chosen)
        self._check.safety(inquiry, self.claims)

    @cached_property
    def _interchange(self) -> Interchange:
        return Interchange(self._check.system, self._check.conjuncts)

    @cached_property
    def _orbits(self) -> list[Orbits]:
        return [self._interchange.orbits(number) for number in range(len(self._check.conjuncts))]

    @cached_property
    def _representatives(self) -> list[list[Chosen]]:
        last_rules = self._interchange.last_rules
        return [
            self._groups(
                self._check.conjuncts[number],
                [Chosen((orbit[0],), last_rules(number, orbit[0])) for orbit in family],
            )
            for number, family in enumerate(self._orbits)
        ]

    def _groups(self, family: AnyFamily, each: Sequence[Chosen]) -> list[Chosen]:
        """Return what is to be asked for, clauses some at a time."""
        match family:
            case Family():
                return list(each)
            case FoundClauses():
                groups = (
                    each[first : first + self._together]
                    for first in range(0, len(each), self._together)
                )
                return [
                    Chosen(
                        tuple(n for one in group for n in one.positions),
                        frozenset().union(*(one.last_rules for one in group)),
                    )
                    for group in groups
                ]
        assert_never(family)

    def is_worthwhile(self) -> bool:
        """Whether symmetry may spare so many instances that showing it costs less."""
        system = self._check.system
        layouts = system.shapes.layouts
        if any(keeps_order(layouts.of(sort)) for sort in system.model.variables.values()):
            # Slots change places with the state, so no rule has one counterpart: it would
            # fail late.
            return False
        try:
            saved = sum(len(orbit) - 1 for family in self._orbits for orbit in family)
        except NoCounterpart:
            return False
        return saved >= _WORTHWHILE


def _conjunct(statement: Statement, suite: Suite, model: Model, system: TransitionSystem) -> Family:
    stated = conjunct_of(statement, suite, model)
    if stated is None:
        return Family(statement.name, (), [Instance(statement.name, (), system.within_bounds)])
    sorts = [argument.sort for argument in stated.arguments]
    return Family(stated.name, sorts, system.instances(stated))


class _Check:
    """What has to be asked of a conjunction, in an order that every judge keeps to."""

    def __init__(
        self, system: TransitionSystem, conjuncts: Sequence[AnyFamily], solver: str
    ) -> None:
        self.system = system
        self.conjuncts = conjuncts
        self.solver = solver

    def substance(self, inquiry: Inquiry) -> None:
        """What is shown afterwards is not shown of nothing: there is a state, and perhaps a step.

        An initial state exists, and one that satisfies the conjunction, which is what is assumed
        from then on. That no step leaves such states is no fault, but it is said.
        """
        inquiry.progress("there is an initial state")
        inquiry.exists(self._starts(), NO_START)
        inquiry.exists(self._states(), "no state satisfies the conjunction")
        inquiry.notices(self._steps(), STUCK)

    def _starts(self) -> Iterator[SymbolicPath]:
        """An initial state, built only where somebody looks at it."""
        path = self.path()
        path.solver.add(path.read(self.system.initial))
        yield path

    def _states(self) -> Iterator[SymbolicPath]:
        """Any state that satisfies the conjunction."""
        path = self.path()
        _assume(path, self.conjuncts)
        yield path

    def _steps(self) -> Iterator[SymbolicPath]:
        """A step out of an initial state, which is easily found; then one out of any."""
        for path in chain(self._starts(), self._states()):
            path.advance()
            yield path

    def initiation(self, inquiry: Inquiry, k: int, chosen: Sequence[Sequence[Chosen]]) -> None:
        """The conjunction holds in the first ``k`` states of every execution.

        ``chosen`` has each conjunct's instances to ask for.
        """
        path = self.path()
        path.solver.add(path.read(self.system.initial))
        for depth in range(k):
            when = "initially" if not depth else f"after {count(depth, 'step')}"
            for one, those in zip(self.conjuncts, chosen, strict=True):
                for each in those:
                    name = one.called(each.positions)
                    inquiry.progress(f"{name} holds {when}")
                    holds = self._holds(one, each)
                    inquiry.always(path, holds, f"{name} does not hold {when}")
            if depth + 1 < k:
                inquiry.steps_to_states(path)
                path.advance()

    def consecution(self, inquiry: Inquiry, k: int, chosen: Sequence[Sequence[Chosen]]) -> None:
        """``k`` states in a row that satisfy the conjunction are followed only by such.

        ``chosen`` has each conjunct's instances to ask for; all are assumed.
        """
        path = self._walked(inquiry, consecution(k), self.conjuncts)
        for one, those in zip(self.conjuncts, chosen, strict=True):
            for each in those:
                name = one.called(each.positions)
                inquiry.progress(f"{name} holds inductively")
                holds = self._holds(one, each)
                inquiry.after(path, each.last_rules, holds, f"{name} does not hold inductively")

    def _holds(self, family: AnyFamily, chosen: Chosen) -> Node:
        return self.system.circuit.all(map(family.holds, chosen.positions))

    def safety(self, inquiry: Inquiry, claims: Sequence[Property]) -> None:
        """The conjunction implies the claims, and that no step leaves the model's bounds."""
        path = self._walked(inquiry, IN_ONE_STATE, ())
        inquiry.progress("safety")
        bounds = self.system.within_bounds
        inquiry.always(path, bounds, "it does not imply that the model's bounds suffice")
        for claim in claims:
            if claim.kind is not Kind.STEP_INVARIANT:
                for instance in self.system.instances(claim):
                    inquiry.always(path, instance.holds, f"it does not imply {claim.name}")
        steps = [c for c in claims if c.kind is Kind.STEP_INVARIANT]
        if steps:
            path = self._walked(inquiry, OF_A_STEP, ())
            both = Translation(path.solver, [*path.before, *path.handles])
            for claim in steps:
                for instance in self.system.instances(claim):
                    inquiry.across(path, both(instance.holds), f"it does not imply {claim.name}")

    def _walked(
        self, inquiry: Inquiry, assumed: Assumptions, candidates: Sequence[AnyFamily]
    ) -> SymbolicPath:
        """A path in whose states is asserted what may be assumed of them.

        The certificate's conjuncts are ``candidates`` while they are being shown, and proven from
        then on. That every step leads to a state is asked where it is shown first.
        """
        path = self.path()
        proven = () if candidates else self.conjuncts
        for position in range(assumed.steps + 1):
            if position in assumed.proven:
                _assume(path, proven)
            if position in assumed.candidates:
                _assume(path, candidates)
            if position < assumed.steps:
                if candidates and not position:
                    # Of the first state no more is assumed than of those that follow it.
                    inquiry.progress("every step leads to a state")
                    inquiry.steps_to_states(path)
                path.advance()
        return path

    def path(self) -> SymbolicPath:
        """A path of one state, in a solver of its own."""
        return SymbolicPath(self.system, create(self.solver))


def _assume(path: SymbolicPath, conjuncts: Sequence[AnyFamily]) -> None:
    for one in conjuncts:
        one.assume(path)
