"""What a monitor calls its own is nobody else's, though a protocol or its history says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bmc.evidence.certificate import Certificate, CertificateError, Statement, Watching
from bmc.evidence.certify import certify
from bmc.evidence.independent.judge import judge
from bmc.evidence.statements import suite_of_certificate
from bmc.evidence.verdict import Verdict
from bmc.lang import (
    BOOL,
    EnumSort,
    Expr,
    History,
    Protocol,
    State,
    Step,
    Suite,
    Term,
    Variable,
    action,
    lemma,
    one_of,
)
from bmc.lang.fingerprint import fingerprint
from bmc.lang.temporal import Formula, Specification, eventually, shown, temporal, weak

from .test_liveness_symbolic import asked


class Lamp(Protocol):
    """It is switched, and need not ever be broken."""

    on = Variable(BOOL)
    broken = Variable(BOOL)
    Fair = Specification("Fair", (weak("Switch"),))

    @action()
    def Init(self, s: Step) -> None:
        s.on, s.broken = False, False

    @action()
    def Switch(self, s: Step) -> None:
        s.on = ~s.on

    @action()
    def Break(self, s: Step) -> None:
        s.broken = True

    Next = one_of(Switch, Break)

    @temporal("it breaks: false", specification="Fair")
    def Breaks(self, s: State) -> Formula:
        return eventually(s.broken)

    @lemma("the history is in the proof", group="rounds")
    def no_round(self, s: State) -> Term:
        return s.watch_rounds == "0"


class Counting(History):
    watch_rounds = Variable(EnumSort("MonitorRounds", ("0", "1")), "as a monitor's counter")

    def initially(self, s: Step) -> None:
        s.watch_rounds = "0"


LAMP = replace(Suite.of(Lamp, "lamp"), history=Counting)


class Choosing(Lamp):
    """Who switches it says where a monitor of it goes next, as if that were asked."""

    Node = EnumSort("MonitorNode", ("0", "off"))

    @action(watch_next=Node)
    def Switch(self, s: Step, watch_next: Expr) -> None:
        s.require(watch_next == "off")
        s.on = ~s.on

    Next = one_of(Switch, Lamp.Break)


@pytest.mark.parametrize("by", ["inductive", "monitored"])
@pytest.mark.parametrize("suite", [LAMP, replace(Suite.of(Choosing, "choosing"), lemmas=())])
def test_a_false_claim_is_seen_to_be_false(by: str, suite: Suite) -> None:
    assert asked(by, suite, "Breaks").verdict is Verdict.VIOLATED


def test_a_ghost_is_no_counter_of_the_monitor() -> None:
    """The invariant read the ghost, which never changes, and both judges accepted that."""
    stated = LAMP.describe_temporal("Breaks", LAMP.model(False))
    watching = Watching("Breaks", shown(stated.formula), "Fair", 1)
    bounds = (Statement.bounds(),)
    made = Certificate("lamp", {}, "", 1, bounds, bounds, "cadical", watching=watching)
    beside = suite_of_certificate(made, LAMP)
    model = beside.model(True)
    claim = Statement.of(beside.describe(beside.find("Breaks"), model))
    forged = replace(
        made, fingerprint=fingerprint(model, {}), claims=(claim,), conjuncts=(*bounds, claim)
    )
    with pytest.raises(CertificateError, match="does not hold inductively"):
        certify(forged, LAMP)
    with pytest.raises(CertificateError, match="does not keep"):
        judge(forged, LAMP)
