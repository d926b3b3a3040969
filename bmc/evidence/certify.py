"""Certify: the judge of certificates.

It takes the certificate's word for nothing: the model and the statements are looked up by name
and compared, and initiation, consecution and safety are decided again by another solver. The
step is built in a way of its own (a number chooses the rule, and each scalar's new value is one
conditional over it), every instance of every conjunct is checked, and symmetry is not used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

from bmc.evidence.certificate import Certificate, CertificateError, Clause, Statement
from bmc.evidence.wording import count
from bmc.lang.errors import UnknownName
from bmc.lang.fingerprint import fingerprint
from bmc.lang.properties import Kind, Property
from bmc.lang.protocol import Model, parameter_values
from bmc.lang.suite import Suite
from bmc.readings.circuit import Node
from bmc.solving.factory import create
from bmc.solving.interface import Answer, Handle, Solver, Translation
from bmc.system.atoms import Atoms, UnknownLiteral
from bmc.system.transition import TransitionSystem

_TOGETHER = 64
"""Clauses that are checked by one question."""


def second_opinion(found_by: str) -> str:
    """The solver that judges what ``found_by`` (a name, perhaps with a version) has found."""
    return "z3" if found_by.split()[0] == "bitwuzla" else "bitwuzla"


@dataclass(frozen=True)
class Certified:
    """A certificate that was accepted.

    ``conditions`` counts the solver queries that were decided; ``seconds`` is wall time.
    """

    claims: tuple[str, ...]
    solver: str
    conditions: int
    seconds: float


class NotDecided(CertificateError):
    """The second solver could not decide a condition in time: neither accepted nor refuted."""


Progress = Callable[[str], None]


def certify(
    certificate: Certificate,
    suite: Suite,
    progress: Progress = lambda text: None,
    timeout: float | None = None,
    solver: str | None = None,
) -> Certified:
    """Re-check a certificate against the suite it names.

    ``timeout`` is in seconds for the whole check; ``solver`` is :func:`second_opinion` unless
    named. Raises CertificateError with the reason when
    it is rejected, NotDecided when time runs out.
    """
    started = monotonic()
    solver = solver or second_opinion(certificate.found_by)
    if certificate.found_by.split()[0] == solver:
        raise CertificateError(f"{solver} found this proof itself: name another solver")
    parameters = parameter_values(suite.protocol, certificate.parameters, suite.name)
    model = _model(certificate, suite, parameters)
    claims = [resolve(s, suite, model) for s in certificate.claims]
    system = TransitionSystem(model, parameters)
    conjuncts = [_conjunct(s, suite, model, system) for s in certificate.conjuncts]
    conjuncts += _clauses(certificate.clauses, system)
    check = _Check(system, conjuncts, solver, progress, timeout)
    check.initiation(certificate.k)
    check.consecution(certificate.k)
    check.safety(claims)
    names = tuple(c.name for c in claims)
    return Certified(names, check.solver_name, check.conditions, monotonic() - started)


def _model(certificate: Certificate, suite: Suite, parameters: Mapping[str, int]) -> Model:
    """The suite's model that the certificate was made for: with its history, or without."""
    for ghosts in (True, False):
        model = suite.model(ghosts)
        if fingerprint(model, parameters) == certificate.fingerprint:
            return model
    raise CertificateError(
        f"it belongs to another model than {suite.name} at these parameters: the protocol "
        "(or the certificate) has changed since; prove it again"
    )


def resolve(statement: Statement, suite: Suite, model: Model) -> Property:
    """The property that a certificate speaks of; CertificateError when it is not there now."""
    try:
        stated = suite.describe(suite.find(statement.name), model)
    except UnknownName as error:
        raise CertificateError(f"it uses a statement that does not exist: {error}") from None
    if Statement.of(stated) != statement:
        raise CertificateError(
            f"{statement.name} is not what the certificate says it is: the statement (or the "
            "certificate) has changed since; prove it again"
        )
    return stated


def _conjunct(
    statement: Statement, suite: Suite, model: Model, system: TransitionSystem
) -> _Conjunct:
    if statement == Statement.bounds():
        return _Conjunct(statement.name, [system.within_bounds])
    stated = resolve(statement, suite, model)
    if stated.kind is Kind.STEP_INVARIANT:
        raise CertificateError(f"{stated.name} speaks of steps: it cannot be a conjunct")
    return _Conjunct(stated.name, [i.holds for i in system.instances(stated)])


def _clauses(clauses: Sequence[Clause], system: TransitionSystem) -> list[_Conjunct]:
    """Found clauses as conjuncts, some of them a conjunct: a question each is far slower."""
    if not clauses:
        return []
    atoms = Atoms(system)
    try:
        nodes = [atoms.clause([atoms.literal(text) for text in clause]) for clause in clauses]
    except UnknownLiteral as error:
        raise CertificateError(f"a clause cannot be read: {error}") from None
    found = []
    for first in range(0, len(nodes), _TOGETHER):
        some = nodes[first : first + _TOGETHER]
        name = f"one of the clauses {first + 1} to {first + len(some)}"
        found.append(_Conjunct(name, [system.circuit.all(some)]))
    return found


@dataclass(frozen=True)
class _Conjunct:
    name: str
    instances: Sequence[Node]


class _Check:
    def __init__(
        self,
        system: TransitionSystem,
        conjuncts: Sequence[_Conjunct],
        solver: str,
        progress: Progress,
        timeout: float | None,
    ) -> None:
        self.system = system
        self.conjuncts = conjuncts
        self.solver = solver
        self.solver_name = ""
        self.progress = progress
        self.end = None if timeout is None else monotonic() + timeout
        self.conditions = 0

    def initiation(self, k: int) -> None:
        """The conjunction holds in the first ``k`` states of every execution."""
        path = self._path()
        path.solver.add(path.read(self.system.initial))
        for depth in range(k):
            self._entails(path, "initially" if not depth else f"after {count(depth, 'step')}")
            if depth + 1 < k:
                path.advance()
                self._refute(path, path.is_state(), "a step leads outside the variables' sorts")

    def consecution(self, k: int) -> None:
        """``k`` states in a row that satisfy the conjunction are followed only by such."""
        path = self._path()
        for _ in range(k):
            self._assume(path)
            path.advance()
            self.progress("every step leads to a state")
            self._refute(path, path.is_state(), "a step leads outside the variables' sorts")
        self._entails(path, "inductively")

    def safety(self, claims: Sequence[Property]) -> None:
        """The conjunction implies the claims, and that no step leaves the model's bounds."""
        path = self._path()
        self._assume(path)
        self.progress("safety")
        bounds = self.system.within_bounds
        self._refute(path, path.read(bounds), "it does not imply that the model's bounds suffice")
        for claim in claims:
            if claim.kind is not Kind.STEP_INVARIANT:
                self._implies(path, claim)
        steps = [c for c in claims if c.kind is Kind.STEP_INVARIANT]
        if steps:
            before = list(path.handles)
            path.advance()
            both = Translation(path.solver, [*before, *path.handles])
            for claim in steps:
                for instance in self.system.instances(claim):
                    self._refute(path, both(instance.holds), f"it does not imply {claim.name}")

    def _implies(self, path: _Path, claim: Property) -> None:
        for instance in self.system.instances(claim):
            self._refute(path, path.read(instance.holds), f"it does not imply {claim.name}")

    def _assume(self, path: _Path) -> None:
        for one in self.conjuncts:
            for instance in one.instances:
                path.solver.add(path.read(instance))

    def _entails(self, path: _Path, when: str) -> None:
        for one in self.conjuncts:
            self.progress(f"{one.name} holds {when}")
            for instance in one.instances:
                self._refute(path, path.read(instance), f"{one.name} does not hold {when}")

    def _refute(self, path: _Path, formula: Handle, complaint: str) -> None:
        left = None if self.end is None else self.end - monotonic()
        if left is not None and left <= 0:
            raise NotDecided("the time limit passed before the certificate was re-checked")
        self.conditions += 1
        answer = path.solver.check([path.solver.negation(formula)], left)
        if answer is Answer.SAT:
            raise CertificateError(f"the certificate is wrong: {complaint}")
        if answer is Answer.UNKNOWN:
            raise NotDecided(f"{self.solver} could not decide whether {complaint}")

    def _path(self) -> _Path:
        solver = create(self.solver)
        self.solver_name = f"{solver.name} {solver.version}"
        return _Path(self.system, solver)


class _Path:
    """The scalars of the last state of a path, as terms over its first state and the choices."""

    def __init__(self, system: TransitionSystem, solver: Solver) -> None:
        self.system = system
        self.solver = solver
        self.handles: list[Handle] = [
            solver.boolean() if leaf.boolean else solver.integer(leaf.low, leaf.high)
            for leaf in system.leaves
        ]
        self.read = Translation(solver, self.handles)
        self.solver.add(self.is_state())
        self.solver.add(self.read(self.system.constraint))

    def is_state(self) -> Handle:
        """That the scalars are those of a state: in range, and canonical."""
        true = self.system.circuit.true
        parts = [self.read(self.system.well_formed)]
        for leaf, handle in zip(self.system.leaves, self.handles, strict=True):
            if not leaf.boolean:
                low, high = self.solver.number(leaf.low), self.solver.number(leaf.high)
                parts.append(self.solver.apply("le", true, [low, handle]))
                parts.append(self.solver.apply("le", true, [handle, high]))
        return self.solver.apply("and", true, parts) if len(parts) > 1 else parts[0]

    def advance(self) -> None:
        """Take one step: a number chooses the rule."""
        solver, rules = self.solver, self.system.rules
        choice = solver.integer(0, max(0, len(rules) - 1))
        after = list(self.handles)
        enabled: list[Handle] = []
        for number, rule in enumerate(rules):
            chosen = solver.equal(choice, solver.number(number), boolean=False)
            takes = self.system.circuit.and_(rule.guard, self.system.circuit.not_(rule.overflow))
            enabled.append(solver.any([solver.negation(chosen), self.read(takes)]))
            for index, node in rule.updates.items():
                after[index] = self._chosen(index, chosen, node, after[index])
        for condition in enabled or [solver.constant(False)]:
            solver.add(condition)
        self.handles = after
        self.read = Translation(solver, after)
        solver.add(self.read(self.system.constraint))

    def _chosen(self, index: int, chosen: Handle, node: Node, otherwise: Handle) -> Handle:
        then = self.read(node)
        if not self.system.leaves[index].boolean:
            return self.solver.apply("ite", node, [chosen, then, otherwise])
        negated = self.solver.negation(chosen)
        yes, no = self.solver.any([negated, then]), self.solver.any([chosen, otherwise])
        return self.solver.apply("and", node, [yes, no])
