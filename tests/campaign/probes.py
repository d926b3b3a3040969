"""Probes: each says nothing of a sound bmc, and raises something when its part has a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np

from bmc.engines import bounded, kinduction
from bmc.engines.agreement import require_agreement
from bmc.engines.ic3 import prove as ic3
from bmc.engines.ic3 import search, seeds
from bmc.engines.packed import table
from bmc.engines.task import Task
from bmc.evidence.certificate import Certificate, Disproved, Statement
from bmc.evidence.certificate import CertificateError as Rejected
from bmc.evidence.certify import NotDecided, certify
from bmc.evidence.independent import judge as second
from bmc.evidence.replay import replay, require_violation
from bmc.evidence.verdict import Contradiction, Result, Verdict
from bmc.lang import Suite
from bmc.lang.fingerprint import fingerprint, property_digest
from bmc.lang.properties import Kind
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter
from bmc.solving import bitwuzla_solver, sat_solver
from bmc.solving.interface import Answer
from tests.campaign import machines
from tests.campaign.engines import (
    CHECKS,
    NothingToCheck,
    Silence,
    Tally,
    TooMany,
    Truth,
    drawn,
    known,
    truth_of,
)
from tests.campaign.later_probes import LATER_PROBES
from tests.campaign.protocols import restarted
from tests.engines.explorable import Confined, Counter, DeadEnd, ManyStarts, Overflowing
from tests.engines.machines import Tokens

NUMBERS = range(3, 27)
"""Random protocols that every engine's probe looks at."""


class Survived(AssertionError):
    """A probe met what must not be."""


@dataclass(frozen=True)
class Written:
    """A protocol that was written by hand, where a plan is asked for."""

    protocol: type
    parameters: Mapping[str, int]

    def suite(self) -> Suite:
        """The suite without witnesses, which are no claims."""
        whole = Suite.of(self.protocol, self.protocol.__name__)
        kept = tuple(p for p in whole.properties if p.kind is not Kind.WITNESS)
        return replace(whole, properties=kept)


BY_HAND = (
    Written(machines.Ladder, {}),
    Written(machines.Votes, {"nodes": 2}),
    Written(machines.Votes, {"nodes": 3}),
    Written(machines.Sums, {}),
    Written(machines.Holder, {}),
    Written(machines.Fence, {}),
    Written(machines.Late, {}),
    Written(Counter, {"limit": 7}),
    Written(Confined, {"limit": 7}),
    Written(DeadEnd, {}),
    Written(ManyStarts, {}),
    Written(Overflowing, {}),
)


def _truths() -> Iterator[Truth]:
    for number in NUMBERS:
        random = Random(number)
        author, plan = drawn(random.randbytes(2500))
        for one in (plan, restarted(author, plan)):
            with suppress(NothingToCheck, TooMany):
                yield truth_of(author, one, number % 4 != 0)
                break


def by_hand(*names: str) -> None:
    """Some checks on the protocols written by hand."""
    for written in BY_HAND:
        truth = known(written)  # type: ignore[arg-type]
        for name in names:
            CHECKS[name](truth, Tally())


def engine(name: str) -> Callable[[], None]:
    """A check on protocols by hand and random ones."""

    def probe() -> None:
        by_hand(name)
        for truth in _truths():
            CHECKS[name](truth, Tally())

    return probe


# Judges: certificates that are wrong in one way each.

FALSE_PROOFS: tuple[tuple[type, int, tuple[str, ...], tuple[str, ...]], ...] = (
    (machines.Ladder, 1, ("NotThree",), ("NotThree",)),
    (machines.Ladder, 1, ("NotThree",), ()),
    (machines.Late, 2, ("NotOne",), ("NotOne",)),
    (machines.Ladder, 1, ("MarkIsSet",), ("MarkIsSet",)),
    (machines.Ladder, 1, ("NeverBack",), ()),
    (machines.Turns, 1, ("FirstBreaks",), ("FirstBreaks",)),
    (machines.Turns, 1, ("LastBreaks",), ("LastBreaks",)),
    (machines.Turns, 1, ("NeverA",), ()),
    (Overflowing, 1, ("Small",), ("Small",)),
    (machines.Nowhere, 1, ("Anything",), ("Anything",)),
)

TRUE_PROOFS: tuple[tuple[type, int, tuple[str, ...], tuple[str, ...]], ...] = (
    (machines.Ladder, 1, ("MarkIsNot", "NotOneFromTwo"), ("MarkIsNot",)),
    (machines.Votes, 1, ("OneLeader",), ("OneLeader", "LeaderVoted")),
)


def certificate(
    protocol: type, k: int, claims: tuple[str, ...], conjuncts: tuple[str, ...]
) -> tuple[Certificate, Suite]:
    """A certificate that nobody found, with its suite."""
    suite = Suite.of(protocol, protocol.__name__)
    task = Task(suite, {}, ())
    model = suite.model(ghosts=False)
    stated = {n: Statement.of(suite.describe(suite.find(n), model)) for n in (*claims, *conjuncts)}
    made = Certificate(
        suite.name,
        task.parameters,
        fingerprint(model, task.parameters),
        k,
        tuple(stated[n] for n in claims),
        tuple(stated[n] for n in conjuncts),
        "nobody 0",
    )
    return made, suite


def _judges(judge: Callable[[Certificate, Suite], object]) -> None:
    for proof in TRUE_PROOFS:
        judge(*certificate(*proof))
    for proof in FALSE_PROOFS:
        made, suite = certificate(*proof)
        try:
            judge(made, suite)
        except Disproved:
            continue
        raise Survived(f"a judge accepts {proof}")
    made, suite = certificate(*TRUE_PROOFS[0])
    try:
        judge(replace(made, fingerprint="0" * 64), suite)
    except Rejected:
        return
    raise Survived("a judge accepts a certificate of another model")


def judges() -> None:
    """`certify` accepts what is proven and rejects each certificate that is not."""
    _judges(lambda made, suite: certify(made, suite))
    _judges(lambda made, suite: certify(made, suite, every_instance=True))


def second_judge() -> None:
    """The independent judge does the same."""
    _judges(lambda made, suite: second.judge(made, suite))


# Traces.


def _paths() -> Iterator[tuple[str, list[dict[str, Any]], str]]:
    def at(*numbers: int) -> list[dict[str, Any]]:
        return [{"rung": n, "mark": False} for n in numbers]

    yield "it begins in the middle", at(2, 3), "NotThree"
    yield "it leaves out a step", at(0, 2, 3), "NotThree"
    yield "it ends well", at(0, 1, 2), "NotThree"
    yield "its only step is not back", at(0, 1), "NeverBack"


def traces() -> None:
    """Replay refuses paths that are no executions, or that violate nothing."""
    suite = Suite.of(machines.Ladder, "Ladder")
    model = suite.model(ghosts=False)
    interpreter = Interpreter(model, Domains({}))
    for wrong, states, name in _paths():
        stated = suite.describe(suite.find(name), model)
        try:
            require_violation(interpreter, replay(interpreter, states), stated)
        except Contradiction:
            continue
        raise Survived(f"a trace is believed though {wrong}")
    right = [{"rung": n, "mark": False} for n in (0, 1, 2, 3, 0)]
    stated = suite.describe(suite.find("NeverBack"), model)
    require_violation(interpreter, replay(interpreter, right), stated)


# Limits.


@contextmanager
def _instead(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def giving_up() -> None:
    """Nothing is decided when solvers give up or time has passed."""
    solver = sat_solver.SatSolver()
    one = solver.boolean()
    if solver.check([one], timeout=0.0) is not Answer.UNKNOWN:
        raise Survived("a time limit that has passed is an answer")
    suite = Suite.of(machines.Votes, "Votes")
    task = Task(suite, {}, ("OneLeader",), 3)
    with _instead(sat_solver, "limited", lambda engine, assumptions: None):
        for work in (kinduction.induct, bounded.search_to_bound):
            for result in work(task, Silence()):  # type: ignore[arg-type]
                if result.verdict is not Verdict.UNKNOWN or (result.depth or -1) >= 0:
                    raise Survived(f"{result.verdict} though the solver gave up")
    _unknown_induction(task)
    made, suite = certificate(*TRUE_PROOFS[1])

    class Gone:
        def check_sat(self, *_: object) -> None:
            return None

    judge = bitwuzla_solver.BitwuzlaSolver
    before = judge.check

    def gives_up(self: Any, *given: Any, **named: Any) -> Answer:
        real, self._solver = self._solver, Gone()
        try:
            return before(self, *given, **named)
        finally:
            self._solver = real

    with _instead(judge, "check", gives_up):
        try:
            certify(made, suite, solver="bitwuzla")
        except NotDecided:
            return
    raise Survived("a judge's solver that gives up has refuted")


def _unknown_induction(task: Task) -> None:
    """The search goes well, and the induction's solver gives up at every question."""
    from bmc.engines import goals

    class Tired(sat_solver.SatSolver):
        def check(self, *given: Any, **named: Any) -> Answer:
            return Answer.UNKNOWN

    with _instead(goals, "create", lambda name: Tired()):
        for result in kinduction.induct(task, Silence()):  # type: ignore[arg-type]
            if result.verdict is not Verdict.UNKNOWN:
                raise Survived(f"{result.verdict} though the induction's solver gave up")


def agreement() -> None:
    """A proof and a trace of one property are a contradiction."""
    proof = Result("P", Verdict.PROVED, "one", 0.0)
    trace = Result("P", Verdict.VIOLATED, "other", 0.0)
    try:
        require_agreement("P", {"one": proof, "other": trace})
    except Contradiction:
        return
    raise Survived("a proof and a trace live side by side")


# IC3's seeds and the table of states, where random protocols seldom lead.


def asked_seeds() -> None:
    """No seed has an initial state, whatever the sample has missed."""
    from tests.engines.test_ic3 import _every_literal, _nothing_sampled

    with (
        _instead(seeds, "_unseen", _every_literal),
        _instead(ic3, "sampled", _nothing_sampled),
    ):
        for written in BY_HAND[:3]:
            truth = known(written)  # type: ignore[arg-type]
            CHECKS["IC3"](truth, Tally())


def unsampled() -> None:
    """IC3 asks the start, where it has no sample of states that would notice."""
    from tests.engines.test_ic3 import _nothing_sampled

    with (
        _instead(ic3, "sampled", _nothing_sampled),
        _instead(search, "reduced", lambda state, step, orbits, goals, deadline: orbits),
    ):
        for written in (Written(machines.Stamped, {}), Written(Tokens, {"holders": 3})):
            CHECKS["IC3"](known(written), Tally())  # type: ignore[arg-type]
        by_hand("IC3")
        for truth in _truths():
            CHECKS["IC3"](truth, Tally())


def one_hash() -> None:
    """States are told apart exactly, whatever they hash to."""
    rows = np.arange(400, dtype=np.uint64).reshape(200, 2)
    rows[:100, 0] = 7
    for hashes in (table.hashes_of, lambda rows: np.full(len(rows), 5, np.uint64)):
        with _instead(table, "hashes_of", hashes):
            states = table.StateTable(2)
            if (states.add(rows, None), states.add(rows, None)) != (200, 0):
                raise Survived("states of one hash are taken for one")


# Fingerprints.


def fingerprints() -> None:
    """Models that differ in one thing have different fingerprints."""
    found: dict[str, str] = {}
    for name, protocol in machines.RELATED.items():
        model = Suite.of(protocol, "Related").model(ghosts=False)
        for limit in (1, 2):
            seen = fingerprint(model, {"limit": limit})
            if seen in found:
                raise Survived(f"{name} at {limit} has the fingerprint of {found[seen]}")
            found[seen] = f"{name} at {limit}"
    suite = Suite.of(machines.Ladder, "Ladder")
    model = suite.model(ghosts=False)
    stated = suite.describe(suite.find("NotThree"), model)
    if property_digest(stated) == property_digest(replace(stated, kind=Kind.STEP_INVARIANT)):
        raise Survived("an invariant has the digest of a step invariant")


PROBES: Mapping[str, Callable[[], None]] = {
    **{name: engine(name) for name in ("explicit", "symmetry", "bounded", "k-induction", "IC3")},
    "protocols": lambda: by_hand("explicit", "bounded", "k-induction", "IC3", "symmetry"),
    "judge": judges,
    "second judge": second_judge,
    "traces": traces,
    "giving up": giving_up,
    "agreement": agreement,
    "seeds": asked_seeds,
    "unsampled": unsampled,
    "table": one_hash,
    "fingerprints": fingerprints,
    **LATER_PROBES,
}

__all__ = ["PROBES", "ic3"]
