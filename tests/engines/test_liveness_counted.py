"""How far a monitor counts, where all states of the model beside it can be looked at."""

from __future__ import annotations

import pytest

from bmc.engines.liveness import monitored
from bmc.engines.liveness.monitored import prove_by_monitor
from bmc.engines.liveness.question import Question
from bmc.engines.task import Deadline
from bmc.evidence.certify import certify
from bmc.evidence.verdict import Verdict
from bmc.lang import Integer, Protocol, State, Step, Suite, Variable, action, one_of
from bmc.lang.temporal import Formula, Specification, always, eventually, temporal, weak
from bmc.system.fair_monitor import Return, Rounds
from tests.campaign.temporal import Nobody

TOP = 5


class Stairs(Protocol):
    """Five steps up, each of which is taken in the end, and a way to the ground from the top."""

    Place = Integer("Place", 0, TOP)
    at = Variable(Place)
    Live = Specification("Live", (weak("Up"),))

    @action()
    def Init(self, s: Step) -> None:
        s.at = 0

    @action()
    def Up(self, s: Step) -> None:
        s.require(s.at < TOP)
        s.at = s.at + 1

    @action()
    def Fall(self, s: Step) -> None:
        s.require(s.at == TOP)
        s.at = 0

    Next = one_of(Up, Fall)

    @temporal("the top is reached", specification="Live")
    def Reached(self, s: State) -> Formula:
        return eventually(s.at == TOP)

    @temporal("the ground is reached again and again", specification="Live")
    def Grounded(self, s: State) -> Formula:
        return always(eventually(s.at == 0))


def stairs() -> Suite:
    return Suite.of(Stairs, "stairs")


def counted(claim: str) -> object:
    found = monitored._counted(Question(stairs(), {}, (claim,)), claim, Deadline(None), Nobody())  # type: ignore[arg-type]
    return None if found is None else found[0]


def test_the_monitor_is_asked_what_no_run_reaches() -> None:
    """All steps up but the one to the top are seen while it is not reached."""
    assert counted("Reached") == Rounds(TOP)


def test_what_is_violated_is_seen_without_end() -> None:
    assert counted("Grounded") == Return()


def test_nothing_is_counted_where_states_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitored, "_STATES", 3)
    monkeypatch.setattr("bmc.engines.samples.LANES", 2)
    assert counted("Reached") is None


@pytest.mark.parametrize("look_first", [True, False])
def test_the_answer_is_the_same(look_first: bool) -> None:
    for claim, verdict in (("Reached", Verdict.PROVED), ("Grounded", Verdict.VIOLATED)):
        question = Question(stairs(), {}, (claim,))
        (found,) = prove_by_monitor(question, Nobody(), look_first=look_first)  # type: ignore[arg-type]
        assert found.verdict is verdict
        if found.certificate is not None:
            certify(found.certificate, stairs())


def test_a_wrong_count_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """IC3 is asked whether it is right."""
    monkeypatch.setattr(monitored, "_counted", lambda *given: (Rounds(TOP - 1), None))
    (found,) = prove_by_monitor(Question(stairs(), {}, ("Reached",)), Nobody())  # type: ignore[arg-type]
    assert found.verdict is Verdict.UNKNOWN
