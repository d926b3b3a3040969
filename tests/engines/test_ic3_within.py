"""Clauses that say nothing of states from which no step is taken: what they prove, and what not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from bmc.engines.ic3 import learned, reach, sample
from bmc.engines.ic3.prove import prove
from bmc.engines.ic3.within import demanded
from bmc.engines.samples import Explored
from bmc.engines.task import SILENT, OutOfTime, Task
from bmc.evidence.certificate import Certificate, CertificateError, Clause
from bmc.evidence.certify import certify
from bmc.evidence.independent.judge import judge
from bmc.evidence.verdict import Contradiction, Verdict
from bmc.lang import BOOL, Expr, Integer, Protocol, Step, Variable, action, mapping, one_of
from bmc.lang.fingerprint import fingerprint
from bmc.system.atoms import Atoms
from bmc.system.transition import TransitionSystem
from tests.engines import machines

OUTSIDE = "passed >= 3"


class Leaving(machines.Tokens):
    """The token, with a constraint: no step is taken once it was passed three times.

    Then the start is forgotten: that nobody holds the token before it is false there.
    """

    passed = Variable(Integer("Passed", 0, 3))

    @action()
    def Init(self, s: Step) -> None:
        s.holds = mapping(self.Holder, lambda h: False, BOOL)
        s.started = False
        s.passed = 0

    @action(holder=machines.Tokens.Holder)
    def Start(self, s: Step, holder: Expr) -> None:
        s.require(s.passed <= 2)
        s.require(~s.started)
        s.holds[holder] = True
        s.started = True

    @action(source=machines.Tokens.Holder, target=machines.Tokens.Holder)
    def Pass(self, s: Step, source: Expr, target: Expr) -> None:
        s.require(s.passed <= 2)
        s.require(s.holds[source])
        s.holds[source] = False
        s.holds[target] = True
        s.passed = s.passed + 1
        s.started = s.passed < 2

    Next = one_of(Start, Pass)


class Doubling(Leaving):
    """The same, but the last step leaves the token where it was as well: the claim is false of
    states just outside only."""

    @action(source=machines.Tokens.Holder, target=machines.Tokens.Holder)
    def Pass(self, s: Step, source: Expr, target: Expr) -> None:
        s.require(s.passed <= 2)
        s.require(s.holds[source])
        s.holds[source] = s.passed == 2
        s.holds[target] = True
        s.passed = s.passed + 1
        s.started = s.passed < 2

    Next = one_of(Leaving.Start, Pass)


def asked(protocol: type[Protocol]) -> Task:
    return Task(machines.suite(protocol), {}, ("AtMostOne",), lemmas=False)


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    (result,) = prove(asked(Leaving))
    assert result.verdict is Verdict.PROVED
    assert result.certificate is not None
    return result.certificate


def _no_frames(*_: object) -> None:
    raise OutOfTime("frames are not looked for here")


def test_what_every_step_asks_for_is_found() -> None:
    for protocol, literals in ((Leaving, [f"~ {OUTSIDE}"]), (machines.Tokens, [])):
        system = TransitionSystem(asked(protocol).model(ghosts=False), {"holders": 3})
        atoms = Atoms(system)
        assert [atoms.text(one) for one in demanded(system, atoms)] == literals


@pytest.mark.parametrize("few", [False, True])
def test_clauses_allow_what_is_outside_and_the_claim_does_not(
    few: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From all states, and from some of which more and more are known."""
    monkeypatch.setattr("bmc.engines.ic3.prove.Ic3Search", _no_frames)
    if few:
        monkeypatch.setattr(sample, "STATES", 30)
        monkeypatch.setattr(reach, "_STATES", 30)
    (result,) = prove(asked(Leaving))
    assert result.verdict is Verdict.PROVED
    found = result.certificate
    assert found is not None
    assert found.clauses
    assert all(OUTSIDE in clause for clause in found.clauses)
    assert "AtMostOne" in [one.name for one in found.conjuncts]
    suite = machines.suite(Leaving)
    for solver in ("bitwuzla", "glucose", "z3"):
        assert certify(found, suite, solver=solver).claims == ("AtMostOne",)
    judge(found, suite)


@pytest.mark.parametrize("few", [False, True])
def test_a_claim_is_judged_just_outside(few: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if few:
        monkeypatch.setattr(sample, "STATES", 30)
        monkeypatch.setattr(reach, "_STATES", 30)
    (result,) = prove(asked(Doubling))
    assert result.verdict is Verdict.VIOLATED
    assert result.trace is not None
    assert len(result.trace) == 5


def test_claims_that_nobody_kept_outside_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned.Learner, "_keep_claims", lambda *_: None)
    monkeypatch.setattr(learned, "reduced", lambda state, step, orbits, *_, **__: tuple(orbits))
    with pytest.raises(Contradiction, match="AtMostOne does not hold inductively"):
        prove(asked(Doubling))


def _without_the_claim(one: Certificate) -> Certificate:
    kept = tuple(c for c in one.conjuncts if c.name != "AtMostOne")
    return replace(one, conjuncts=kept)


def _without_guards(one: Certificate) -> Certificate:
    return _with(one, lambda c: tuple(text for text in c if text != OUTSIDE))


def _guarded_inside(one: Certificate) -> Certificate:
    return _with(one, lambda c: tuple(f"~ {text}" if text == OUTSIDE else text for text in c))


def _guarded_by_more(one: Certificate) -> Certificate:
    """Allowed is what is outside of less than every step asks for."""
    return _with(one, lambda c: (*c, "passed >= 2"))


def _with(one: Certificate, change: Callable[[Clause], Clause]) -> Certificate:
    return replace(one, clauses=tuple(map(change, one.clauses)))


@pytest.mark.parametrize("solver", ["bitwuzla", "glucose"])
@pytest.mark.parametrize(
    ("forge", "reason"),
    [
        (_without_the_claim, "does not imply AtMostOne"),
        (_without_guards, "does not hold inductively"),
        (_guarded_inside, "does not hold"),
        (_guarded_by_more, "AtMostOne does not hold inductively"),
    ],
)
def test_a_guard_proves_nothing_outside(
    certificate: Certificate,
    forge: Callable[[Certificate], Certificate],
    reason: str,
    solver: str,
) -> None:
    with pytest.raises(CertificateError, match=reason):
        certify(forge(certificate), machines.suite(Leaving), solver=solver)


@pytest.mark.parametrize("solver", ["bitwuzla", "glucose"])
def test_a_claim_that_holds_within_only_has_no_certificate(
    certificate: Certificate, solver: str
) -> None:
    """All clauses are kept, and the claim is true wherever a step may be taken."""
    model = asked(Doubling).model(ghosts=False)
    forged = replace(
        certificate,
        protocol="Doubling",
        fingerprint=fingerprint(model, certificate.parameters),
    )
    with pytest.raises(CertificateError, match="AtMostOne does not hold inductively"):
        certify(forged, machines.suite(Doubling), solver=solver)


def test_a_sample_of_some_states_has_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bmc.engines.samples.LANES", 64)
    system = TransitionSystem(asked(Leaving).model(ghosts=False), {"holders": 6})
    explored = Explored(system, 0)
    explored.explore(1_000, 60.0, SILENT)
    atoms = Atoms(system)
    cube = demanded(system, atoms)
    whole, inside = sample.Sample.of_all(explored), sample.Sample.of_all(explored, cube)
    assert whole is not None
    assert inside is not None
    assert inside.count == whole.within(cube).count == whole.count - 6
    assert whole.meets(frozenset(-literal for literal in cube))
    for some in (inside, whole.within(cube)):
        assert some.complete
        assert not some.meets(frozenset(-literal for literal in cube))
        for literal in inside.literals():
            assert some.meets(frozenset((literal,))) == whole.meets(cube | {literal})
