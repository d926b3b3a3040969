"""What is left out of a search cannot change its answer, and comes back in its trace."""

from __future__ import annotations

from hypothesis import given, reject
from hypothesis import strategies as st

from bmc.engines.bounded import BoundedSearch
from bmc.engines.kinduction import prove
from bmc.engines.task import Deadline, Task
from bmc.evidence.replay import replay
from bmc.evidence.verdict import Verdict
from bmc.lang import (
    BoundTooSmall,
    Expr,
    Integer,
    Protocol,
    State,
    Step,
    Suite,
    Variable,
    action,
    invariant,
    one_of,
)
from bmc.lang.describe import model_of
from bmc.readings.value import Interpreter
from bmc.solving.factory import create
from bmc.solving.interface import Answer
from bmc.system.cone import ConeOfInfluence
from bmc.system.transition import TransitionSystem
from bmc.system.unrolling import Unrolling
from tests.engines.test_precedence import by_the_interpreter
from tests.semantics.test_steps_agree import system_of
from tests.strategies import effort
from tests.strategies.protocols import Drawn, protocols


class Walked(Protocol):
    """``seen`` is written and read by nobody; ``permit`` is read by a guard only."""

    Place = Integer("Place", 0, 3)
    place = Variable(Place)
    permit = Variable(Place)
    seen = Variable(Place)
    copied = Variable(Place)

    @action()
    def Init(self, s: Step) -> None:
        s.place = s.permit = s.copied = 0
        s.seen = 3

    @action()
    def Walk(self, s: Step) -> None:
        s.require(s.place < s.permit)
        s.copied = s.seen
        s.seen = s.place
        s.place = s.place + 1

    @action(to=Place)
    def Permit(self, s: Step, to: Expr) -> None:
        s.require(s.permit < 2, to <= 2)
        s.permit = to

    Next = one_of(Walk, Permit)

    @invariant("the walk is short")
    def Short(self, s: State) -> Expr:
        return s.place < 2

    @invariant("nobody goes farther than the permit ever allows")
    def Inside(self, s: State) -> Expr:
        return s.place <= 2

    @invariant("what was copied was seen")
    def Copied(self, s: State) -> Expr:
        return s.copied != 1


WALKED = Suite.of(Walked, "walked")


def kept(*names: str) -> set[str]:
    """The variables in the cone of these properties."""
    system = TransitionSystem(model_of(Walked), {})
    stated = [WALKED.describe(WALKED.find(name), system.model) for name in names]
    asked = [i.holds for one in stated for i in system.instances(one)]
    return {system.leaves[index].variable for index in ConeOfInfluence(system).of(asked)}


def test_what_a_guard_reads_matters_and_what_nobody_reads_does_not() -> None:
    assert kept("Inside") == {"place", "permit"}
    assert kept("Copied") == {"place", "permit", "seen", "copied"}


def test_a_trace_has_the_values_that_were_left_out() -> None:
    system = TransitionSystem(model_of(Walked), {})
    short = WALKED.describe(WALKED.find("Short"), system.model)
    search = BoundedSearch(system, (short,), "cadical")
    while not search.found:
        search.deepen(Deadline(None))
    assert len(search.unrolling.cone) == 2
    last = search.found["Short"].steps[-1].state
    assert (last["seen"], last["copied"]) == (1, 0)


def test_a_counterexample_to_induction_is_a_whole_state() -> None:
    (result,) = prove(Task(WALKED, {}, ("Inside",), depth=1))
    assert result.verdict is Verdict.UNKNOWN
    assert result.induction_failure is not None
    state = result.induction_failure.path.steps[0].state
    assert set(state) == {"place", "permit", "seen", "copied"}


@effort(15)
@given(protocols(), st.data())
def test_a_variable_has_the_values_that_it_has_in_the_whole(
    drawn: Drawn, data: st.DataObject
) -> None:
    system = system_of(drawn)
    if system is None or not system.leaves:
        return
    try:
        levels = by_the_interpreter(system, 2, 60)
    except BoundTooSmall:
        reject()
    leaf = data.draw(st.integers(0, len(system.leaves) - 1))
    depth = len(levels) - 1
    expected = {system.encode(dict(state))[leaf] for state in levels[depth]}
    assert values_found(system, leaf, depth) == expected


def values_found(system: TransitionSystem, leaf: int, depth: int) -> set[int]:
    """The values of a scalar after so many steps, searched for on its cone, each replayed."""
    solver = create("cadical")
    unrolling = Unrolling(system, solver, ConeOfInfluence(system).of([system.leaf_node(leaf)]))
    unrolling.start()
    for k in range(depth):
        unrolling.step(k)
    boolean = system.leaves[leaf].boolean
    handle = unrolling.frame(depth).handles[leaf]
    found: set[int] = set()
    while solver.check() is Answer.SAT:
        states = unrolling.states(depth)
        replay(Interpreter(system.model, system.domains), states)
        value = system.encode(states[-1])[leaf]
        assert value == solver.value(handle)
        found.add(value)
        known = solver.constant(bool(value)) if boolean else solver.number(value)
        solver.add(solver.negation(solver.equal(handle, known, boolean)))
    return found
