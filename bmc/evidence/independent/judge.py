"""The independent judge: every obligation of a certificate, decided by solvers from its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from bmc.evidence.certificate import Certificate, Disproved
from bmc.evidence.independent.formula import TooManyFormulas
from bmc.evidence.independent.literals import clauses_hold
from bmc.evidence.independent.machine import Machine
from bmc.evidence.independent.obligations import (
    Conjunct,
    Obligation,
    Questions,
    of_bounds,
    of_property,
)
from bmc.evidence.independent.smtlib import Theory, script
from bmc.evidence.independent.universe import NotRead
from bmc.evidence.statements import (
    claim_of,
    conjunct_of,
    expanding,
    model_of_certificate,
    suite_of_certificate,
)
from bmc.lang.errors import BmcError
from bmc.lang.protocol import parameter_values
from bmc.lang.suite import Suite
from bmc.solving.scripts import ScriptAnswer, ScriptSolver, answer, version

Progress = Callable[[str], None]

SOLVERS: tuple[ScriptSolver, ...] = ("z3", "cvc5")
"""The faster one first: on long scripts z3 takes a tenth of cvc5's time."""

_CHEAP = 200_000
"""Scripts up to so many characters are given to every solver, longer ones to the first only."""

_EARLY = 0.05
"""Seconds by which a solver may end before the time that it was given."""


class NotJudged(BmcError):
    """The independent judge could not decide a condition: neither accepted nor rejected."""


class SolversDisagree(BmcError):
    """Two solvers give different answers to one script: one of them is wrong."""


@dataclass(frozen=True)
class Judged:
    """A certificate that the independent judge accepts.

    ``conditions`` counts the obligations, which ``solvers[0]`` has all decided, ``by_all`` those
    that the others have decided too; ``seconds`` is wall time. ``remarks`` say what is worth
    knowing though it refutes nothing.
    """

    claims: tuple[str, ...]
    solvers: tuple[str, ...]
    conditions: int
    by_all: int
    seconds: float
    remarks: tuple[str, ...]


def obligations(
    certificate: Certificate, suite: Suite, most: int | None = None
) -> list[Obligation]:
    """Return all that a certificate claims, as questions over formulas.

    ``most`` limits how many formulas that may take.

    Raises CertificateError when it does not belong to the suite as it is now, and NotJudged when
    something in it has no reading here.
    """
    parameters = parameter_values(suite.protocol, certificate.parameters, suite.name)
    suite = suite_of_certificate(certificate, suite)
    model = model_of_certificate(certificate, suite, parameters)
    claims = [claim_of(statement, suite, model) for statement in certificate.claims]
    stated = [conjunct_of(statement, suite, model) for statement in certificate.conjuncts]
    try:
        machine = Machine(model, parameters, most)
        conjuncts = [of_property(machine, p) if p else of_bounds(machine) for p in stated]
        if certificate.clauses:
            conjuncts.append(_found(machine, certificate))
        with expanding(certificate):
            return list(Questions(machine, certificate.k, conjuncts, claims).all())
    except (NotRead, TooManyFormulas) as error:
        raise NotJudged(str(error)) from error
    except RecursionError:
        raise NotJudged("a term nests too deeply for the independent judge") from None


def _found(machine: Machine, certificate: Certificate) -> Conjunct:
    return Conjunct(
        "the found clauses",
        lambda state: clauses_hold(machine, certificate.clauses, state),
        lambda state: machine.formulas.negation(clauses_hold(machine, certificate.clauses, state)),
    )


def expected_answer(one: Obligation) -> ScriptAnswer:
    """Return the answer that an obligation needs, ``unknown`` where either will do."""
    return "unknown" if one.expected is None else "sat" if one.expected else "unsat"


def text_of(one: Obligation, theory: Theory = Theory.BIT_VECTORS) -> str:
    """Return an obligation as a self-contained SMT-LIB script."""
    status = None if one.expected is None else expected_answer(one)
    return script(one.assertions, status, one.about, theory)


def judge(
    certificate: Certificate,
    suite: Suite,
    progress: Progress = lambda text: None,
    timeout: float | None = None,
    solvers: Sequence[ScriptSolver] = SOLVERS,
    most: int | None = None,
) -> Judged:
    """Judge a certificate by a reading of terms that the finder does not share.

    ``timeout`` is in seconds for all of it, ``most`` limits the formulas it takes. Every solver is
    asked, of a long script the first one only. Raises CertificateError when the certificate does
    not belong to the suite, Disproved when a condition does not hold, NotJudged when one stays
    undecided, and SolversDisagree.
    """
    started = monotonic()
    end = None if timeout is None else started + timeout
    remarks: list[str] = []
    by_all = 0
    asked = obligations(certificate, suite, most)
    for number, one in enumerate(asked, 1):
        progress(f"independently: {one.name} ({number} of {len(asked)})")
        # Without the expected answer: a solver must not know what it is to say.
        text = script(one.assertions, None, one.about, Theory.BIT_VECTORS)
        long = len(text) > _CHEAP
        found = _decided(one.name, text, solvers[:1] if long else solvers, end)
        by_all += not long
        if one.expected is None:
            if found == "unsat":
                remarks.append(one.complaint)
        elif found != expected_answer(one):
            raise Disproved(f"the certificate is wrong: {one.complaint}")
    names = tuple(statement.name for statement in certificate.claims)
    versions = tuple(version(solver) for solver in solvers)
    seconds = monotonic() - started
    return Judged(names, versions, len(asked), by_all, seconds, tuple(remarks))


def _decided(
    name: str, text: str, solvers: Sequence[ScriptSolver], end: float | None
) -> ScriptAnswer:
    answers: set[ScriptAnswer] = set()
    for solver in solvers:
        left = None if end is None else end - monotonic()
        if left is not None and left <= 0:
            raise NotJudged(f"the time limit passed before {name} was judged")
        found = answer(text, solver, left)
        if found == "unknown":
            if end is not None and monotonic() >= end - _EARLY:
                raise NotJudged(f"the time limit passed before {solver} decided {name}")
            raise NotJudged(f"{solver} could not decide {name}")
        answers.add(found)
    if len(answers) != 1:
        raise SolversDisagree(f"{' and '.join(solvers)} give different answers to {name}")
    return answers.pop()
