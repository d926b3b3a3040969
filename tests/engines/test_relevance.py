"""What is said to matter of a failed induction's first state does, and all of it."""

from dataclasses import replace
from itertools import product

from bmc.analysis.cti import study
from bmc.analysis.mining.mine import MiningOptions
from bmc.analysis.mining.relevance import relevant
from bmc.engines.kinduction import prove
from bmc.engines.task import Deadline, Task
from bmc.evidence.trace import CounterexampleToInduction, Trace
from bmc.lang import (
    BOOL,
    Integer,
    Protocol,
    State,
    Step,
    Term,
    Variable,
    action,
    invariant,
    ite,
    one_of,
    step_invariant,
)
from bmc.lang.suite import Suite
from bmc.layout.domain import Domains
from bmc.readings.value import ConcreteState, Interpreter
from bmc.system.transition import TransitionSystem
from tests.engines import machines

Small = Integer("Small", 0, 3)


class Noisy(Protocol):
    """Only what is below 2 is doubled; what the other variables are does not matter for that."""

    held = Variable(Small)
    noise = Variable(Small)
    armed = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.held, s.noise, s.armed = 0, 0, False

    @action()
    def Double(self, s: Step) -> None:
        s.require(s.armed, s.held < 2)
        s.held = ite(s.held == 1, 3, 0)
        s.noise = 0

    Next = one_of(Double)

    @invariant("never 3")
    def NotThree(self, s: State) -> Term:
        return s.held < 3

    @step_invariant("it does not grow")
    def Shrinks(self, s: State, t: State) -> Term:
        return t.held <= s.held


SUITE: Suite = machines.suite(Noisy)


def failure(name: str) -> tuple[CounterexampleToInduction, tuple[str, ...]]:
    (result,) = prove(Task(SUITE, {}, (name,), 1))
    found = result.induction_failure
    assert found is not None
    model = SUITE.model(False)
    stated = SUITE.describe(SUITE.find(name), model)
    system = TransitionSystem(model, {})
    return found, relevant(system, found, stated, Deadline(None))


def breaks(state: ConcreteState) -> bool:
    interpreter = Interpreter(SUITE.model(False), Domains({}))
    return any(way.state["held"] == 3 for way in interpreter.successors(state))


def test_the_parts_that_matter_suffice_and_are_needed() -> None:
    for name in ("NotThree", "Shrinks"):
        found, parts = failure(name)
        assert set(parts) == {"held", "armed"}, name
        first = found.path.steps[0].state
        assert all(breaks({**first, "noise": noise}) for noise in range(4))
        others = product(range(4), (False, True))
        changed = [{**first, "held": held, "armed": armed} for held, armed in others]
        assert [breaks(state) for state in changed].count(True) == 1


def test_nothing_is_said_of_a_failure_after_several_steps() -> None:
    one, _ = failure("NotThree")
    first, second = one.path.steps
    longer = replace(one, path=Trace((first, second, second)), k=2)
    model = SUITE.model(False)
    stated = SUITE.describe(SUITE.find("NotThree"), model)
    assert relevant(TransitionSystem(model, {}), longer, stated, Deadline(None)) == ()


def test_a_step_invariant_is_studied_as_an_invariant_is() -> None:
    found, parts = failure("Shrinks")
    task = Task(SUITE, {}, ("Shrinks",), 1)
    seen = study(task, found, (), MiningOptions(seconds=5))
    assert seen.broken_by == ("Double",)
    assert seen.relevant == parts
    assert any(one.mends == ("Double",) for one in seen.blockers)
