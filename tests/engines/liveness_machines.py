"""Small protocols whose temporal claims are known, from the literature or by hand."""

from bmc.lang import (
    EnumSort,
    Expr,
    MapSort,
    Protocol,
    Scalarset,
    State,
    Step,
    Suite,
    Variable,
    action,
    exists,
    forall,
    mapping,
    one_of,
)
from bmc.lang.temporal import Formula, Specification, leads_to, strong, temporal, weak


class Mutex(Protocol):
    """Two processes and a lock that starves one of them unless entering is strongly fair."""

    Process = Scalarset("Process", 2)
    Phase = EnumSort("Phase", ("idle", "waiting", "critical"))

    phase = Variable(MapSort(Process, Phase))

    @action()
    def Init(self, s: Step) -> None:
        s.phase = mapping(self.Process, lambda p: "idle", self.Phase)

    @action(p=Process)
    def Ask(self, s: Step, p: Expr) -> None:
        s.require(s.phase[p] == "idle")
        s.phase[p] = "waiting"

    @action(p=Process)
    def Enter(self, s: Step, p: Expr) -> None:
        s.require(s.phase[p] == "waiting", forall(self.Process, lambda q: s.phase[q] != "critical"))
        s.phase[p] = "critical"

    @action(p=Process)
    def Leave(self, s: Step, p: Expr) -> None:
        s.require(s.phase[p] == "critical")
        s.phase[p] = "idle"

    Next = one_of(Ask, Enter, Leave)


NOTHING = Specification("NoFairness", ())
ANYBODY = Specification("Anybody", (weak("Enter"), weak("Leave")))
EACH_WEAK = Specification("EachWeak", (weak("Enter", per=("p",)), weak("Leave", per=("p",))))
EACH_STRONG = Specification("EachStrong", (strong("Enter", per=("p",)), weak("Leave", per=("p",))))


def _enters(m: Mutex, s: State, p: Expr) -> Formula:
    return leads_to(s.phase[p] == "waiting", s.phase[p] == "critical")


@temporal("whoever waits enters", specification="NoFairness", p=Mutex.Process)
def EntersUnfairly(m: Mutex, s: State, p: Expr) -> Formula:
    return _enters(m, s, p)


@temporal("whoever waits enters", specification="EachWeak", p=Mutex.Process)
def EntersWeakly(m: Mutex, s: State, p: Expr) -> Formula:
    return _enters(m, s, p)


@temporal("whoever waits enters", specification="EachStrong", p=Mutex.Process)
def EntersStrongly(m: Mutex, s: State, p: Expr) -> Formula:
    return _enters(m, s, p)


@temporal("while somebody waits, somebody enters", specification="Anybody")
def SomebodyEnters(m: Mutex, s: State) -> Formula:
    return leads_to(
        exists(m.Process, lambda p: s.phase[p] == "waiting"),
        exists(m.Process, lambda p: s.phase[p] == "critical"),
    )


MUTEX = Suite(
    "mutex",
    Mutex,
    "a lock",
    (),
    temporal=(EntersUnfairly, EntersWeakly, EntersStrongly, SomebodyEnters),
    specifications=(NOTHING, ANYBODY, EACH_WEAK, EACH_STRONG),
)
