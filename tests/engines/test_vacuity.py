"""What is proved is proved of something: there is a state to start from."""

from dataclasses import replace

import pytest

from bmc.engines.allparams.prove import ParametricTask, prove_for_all
from bmc.engines.ic3.prove import prove as ic3
from bmc.engines.kinduction import prove
from bmc.engines.task import SILENT, Task
from bmc.evidence.certificate import Certificate, CertificateError, Statement
from bmc.evidence.certify import NO_START, STUCK, certify
from bmc.evidence.verdict import Verdict
from bmc.lang import (
    BOOL,
    FALSE,
    TRUE,
    Integer,
    Parameter,
    Protocol,
    Scalarset,
    SetSort,
    State,
    Step,
    Suite,
    Term,
    Variable,
    action,
    empty,
    insert,
    invariant,
    one_of,
)
from bmc.lang.fingerprint import fingerprint
from bmc.layout.inhabited import EmptySort
from bmc.system.transition import NoInitialState


class Nowhere(Protocol):
    """Init asks for what cannot be; of nothing everything holds."""

    members = Parameter("members", 1, 1, 5, "how many")
    Member = Scalarset("Member", members)
    Flags = SetSort(Member)
    flags = Variable(Flags)
    broken = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.require(empty(self.Flags) != empty(self.Flags))
        s.flags = empty(self.Flags)
        s.broken = FALSE

    @action(who=Member)
    def Raise(self, s: Step, who: Term) -> None:
        s.flags = insert(s.flags, who)
        s.broken = TRUE

    Next = one_of(Raise)

    @invariant("the absurd")
    def Absurd(self, s: State) -> Term:
        return ~s.broken


class Absent(Protocol):
    """Init has a state, but only where there is more than one number."""

    numbers = Parameter("numbers", 1, 0, 5, "how many")
    Number = Integer("Number", 1, numbers)
    number = Variable(Number)

    @action()
    def Init(self, s: Step) -> None:
        s.number = 1

    @action()
    def Stay(self, s: Step) -> None:
        s.number = s.number

    Next = one_of(Stay)

    @invariant("a number is a number")
    def Positive(self, s: State) -> Term:
        return s.number >= 1


class Still(Protocol):
    """An initial state that nothing leaves."""

    broken = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.broken = FALSE

    @action()
    def Break(self, s: Step) -> None:
        s.require(s.broken)

    Next = one_of(Break)

    @invariant("never broken")
    def Whole(self, s: State) -> Term:
        return ~s.broken


NOWHERE = Suite.of(Nowhere, "nowhere")
STILL = Suite.of(Still, "still")


@pytest.mark.parametrize("engine", [prove, ic3])
def test_nothing_is_proved_of_no_state(engine: type) -> None:
    with pytest.raises(NoInitialState):
        engine(Task(NOWHERE, {"members": 1}, ("Absurd",)))


@pytest.mark.parametrize("suite", [NOWHERE, Suite.of(Absent, "absent")], ids=["init", "sort"])
def test_nothing_is_proved_at_all_parameters_of_no_state(suite: Suite) -> None:
    claim = suite.properties[0].name
    with pytest.raises((NoInitialState, EmptySort)):
        prove_for_all(ParametricTask(suite, (claim,), processes=1), SILENT)


def test_a_certificate_of_no_state_is_rejected() -> None:
    """Whoever made it: each of its conditions is true, and says nothing."""
    model = NOWHERE.model(False)
    stated = Statement.of(NOWHERE.describe(NOWHERE.find("Absurd"), model))
    values = {"members": 1}
    forged = Certificate(
        "nowhere", values, fingerprint(model, values), 1, (stated,), (stated,), "cadical 1"
    )
    with pytest.raises(CertificateError, match=NO_START):
        certify(forged, NOWHERE)
    for judges in (1, 2):
        with pytest.raises(CertificateError, match=NO_START):
            certify(replace(forged, k=2), NOWHERE, judges=judges)


@pytest.mark.parametrize("judges", [1, 2])
def test_that_nothing_ever_happens_is_said(judges: int) -> None:
    (result,) = prove(Task(STILL, {}, ("Whole",)))
    assert result.verdict is Verdict.PROVED
    assert result.reason == STUCK
    assert result.certificate is not None
    assert certify(result.certificate, STILL, judges=judges).remarks == (STUCK,)


def test_what_moves_is_not_remarked_upon() -> None:
    (result,) = prove(Task(Suite.of(Absent, "absent"), {"numbers": 1}, ("Positive",)))
    assert (result.verdict, result.reason) == (Verdict.PROVED, None)
