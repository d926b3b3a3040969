"""The judge of proofs at all parameter values.

It reads the model anew, lists by itself what has to be proven, makes every instance itself from
the formula and the terms that the certificate names, and asks a second solver, without
quantifiers, whether the instances contradict each other. Every axiom about the sizes of sets that
is used is shown to be true. It shares the reading of terms and the Skolem form with the finder, and
nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from bmc.evidence.certificate import CertificateError
from bmc.evidence.certify import NotDecided, resolve, second_opinion
from bmc.evidence.counting import ShownAxiom, require_true
from bmc.evidence.parametric_certificate import (
    ParametricCertificate,
    Refutation,
    axioms_in,
    parametric_fingerprint,
)
from bmc.evidence.statements import claim_of, suite_of_certificate
from bmc.evidence.substance import least_sizes, require_start
from bmc.lang.errors import BmcError, LanguageError
from bmc.lang.model import Model
from bmc.lang.properties import Kind
from bmc.lang.suite import NoFreeParameters, Suite
from bmc.readings.quantified.clauses import Universal
from bmc.readings.quantified.formulas import Expression
from bmc.readings.quantified.texts import TermReader, same_sort
from bmc.solving.factory import create
from bmc.solving.first_order_cvc5 import GroundChecker
from bmc.solving.first_order_cvc5 import name as checker_name
from bmc.solving.interface import Answer
from bmc.system.parametric import Name, ParametricSystem


@dataclass(frozen=True)
class ParametricallyCertified:
    """A certificate that was accepted: its claims, who checked how many questions, how long.

    ``axioms`` are those about the sizes of sets that it rests on, each shown to be true.
    """

    claims: tuple[str, ...]
    solver: str
    conditions: int
    seconds: float
    axioms: tuple[ShownAxiom, ...]


Progress = Callable[[str], None]


def certify_parametric(
    certificate: ParametricCertificate,
    suite: Suite,
    progress: Progress = lambda text: None,
    timeout: float | None = None,
) -> ParametricallyCertified:
    """Re-check a certificate against the suite it names; ``timeout`` in seconds for all of it.

    Raises CertificateError with the reason when it is rejected, NotDecided when time runs out.
    """
    started = monotonic()
    if certificate.found_by.split()[:1] == ["cvc5"]:
        raise CertificateError("cvc5 found this proof itself: it cannot give a second opinion")
    if not certificate.claims:
        raise CertificateError("the certificate claims nothing")
    try:
        suite.require_free()
    except NoFreeParameters as error:
        raise CertificateError(str(error)) from None
    suite = suite_of_certificate(certificate, suite)
    model = _model(certificate, suite)
    if certificate.lows != {p.name: p.low for p in model.parameters}:
        raise CertificateError(
            "the least values of the parameters are not what the certificate says they are: it "
            "would be read as a proof for others; prove it again"
        )
    invariants = [resolve(s, suite, model) for s in certificate.invariants]
    for stated in invariants:
        if stated.kind is Kind.STEP_INVARIANT:
            raise CertificateError(f"{stated.name} speaks of steps: it cannot be an invariant")
    claims = [claim_of(s, suite, model) for s in certificate.claims]
    try:
        system = ParametricSystem(model, invariants, claims)
        check = _Check(system, certificate, progress, timeout)
        for name in system.names():
            check.condition(name)
        axioms = check.axioms()
    except LanguageError as error:
        raise CertificateError(f"it cannot be read: {error}") from None
    except RecursionError:
        raise CertificateError("it cannot be read: its terms are nested too deeply") from None
    progress("small sizes have an initial state")
    solver = second_opinion(certificate.found_by)
    for values in least_sizes(model.parameters):
        try:
            require_start(model, values, create(solver))
        except BmcError as error:
            raise CertificateError(str(error)) from None
    names = tuple(c.name for c in claims)
    seconds = monotonic() - started
    return ParametricallyCertified(names, checker_name(), check.questions, seconds, axioms)


def _model(certificate: ParametricCertificate, suite: Suite) -> Model:
    for ghosts in (True, False):
        model = suite.model(ghosts)
        if parametric_fingerprint(model) == certificate.fingerprint:
            return model
    raise CertificateError(
        f"it belongs to another model than {suite.name}: the protocol (or the certificate) has "
        "changed since; prove it again"
    )


class _Check:
    def __init__(
        self,
        system: ParametricSystem,
        certificate: ParametricCertificate,
        progress: Progress,
        timeout: float | None,
    ) -> None:
        self.system = system
        self.certificate = certificate
        self.progress = progress
        self.end = None if timeout is None else monotonic() + timeout
        self.solver = GroundChecker()
        self.questions = 0

    def condition(self, name: Name) -> None:
        """That the certificate refutes the negation of each goal of a condition."""
        self.progress(f"re-checking {name}")
        condition = self.system.build(name)
        refutations = self.certificate.refutations.get(name)
        if refutations is None:
            raise CertificateError(f"it says nothing of {name}")
        if len(refutations) != len(condition.goals):
            raise CertificateError(
                f"{name} consists of {len(condition.goals)} goals, and the certificate refutes "
                f"the negation of {len(refutations)}"
            )
        common = (*condition.given, *self.system.allowed(name))
        for goal, refutation in zip(condition.goals, refutations, strict=True):
            self._refuted(name, (*goal, *common), refutation)

    def axioms(self) -> tuple[ShownAxiom, ...]:
        """Show each axiom about sizes that the refutations use, and that the certificate lists."""
        used = axioms_in(self.certificate.refutations.values())
        if used != tuple(sorted(self.certificate.axioms)):
            raise CertificateError(
                f"it lists {len(self.certificate.axioms)} axioms about sizes, and its refutations "
                f"use {len(used)}: {', '.join(used) or 'none'}"
            )
        self.progress("showing the axioms about sizes")
        known = self.system.axioms()
        unknown = [name for name in used if name not in known]
        if unknown:
            raise CertificateError(f"it uses axioms that there are not: {', '.join(unknown)}")
        return require_true(known[name] for name in used)

    def _refuted(self, name: Name, formulas: tuple[Universal, ...], refutation: Refutation) -> None:
        known = {u.name: u for u in formulas}
        if len(known) != len(formulas):
            raise CertificateError(f"two formulas of {name} have one name")
        used = [known.get(instance[0]) for instance in refutation]
        for universal, instance in zip(used, refutation, strict=True):
            if universal is None:
                raise CertificateError(f"{name} may not use {instance[0]}, which it does")
        terms = TermReader(formulas)
        ground: list[Expression] = []
        for universal, instance in zip(used, refutation, strict=True):
            assert universal is not None
            ground.append(_instance(universal, instance, terms))
        left = None if self.end is None else self.end - monotonic()
        if left is not None and left <= 0:
            raise NotDecided("the time limit has passed")
        self.questions += 1
        match self.solver.check(ground, left):
            case Answer.SAT:
                raise CertificateError(f"{name}: its instances do not contradict each other")
            case Answer.UNKNOWN:
                raise NotDecided(f"the second solver gave up on {name}")


def _instance(universal: Universal, texts: tuple[str, ...], terms: TermReader) -> Expression:
    values = texts[1:]
    if len(values) != len(universal.variables):
        raise CertificateError(
            f"{universal.name} has {len(universal.variables)} variables, not {len(values)}"
        )
    found = []
    for bound, text in zip(universal.variables, values, strict=True):
        term = terms.read(text, bound.sort)
        if not same_sort(term.sort, bound.sort) or term.free:
            raise CertificateError(f"{text!r} cannot stand for a variable of {universal.name}")
        found.append(term)
    return universal.instance(tuple(found))
