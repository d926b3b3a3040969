"""A translation agrees with its text at every state; where it does not, that is found."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from bmc.cli.shared.catalogue import find
from bmc.engines import confirmation
from bmc.engines.explicit import explore
from bmc.engines.explored import explore_all
from bmc.engines.task import SILENT, Task
from bmc.evidence.verdict import Verdict
from bmc.frontends.tla.agreement import (
    Disagreement,
    Enough,
    Judged,
    OutsideBounds,
    Valued,
    compare_reachable,
    compare_walks,
    replay,
)
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.machine import Machine, State
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.stepping import Steps
from bmc.frontends.tla.suite import suite_of
from bmc.frontends.tla.translate.model import translate
from bmc.frontends.tla.translated_model import TranslatedModel
from bmc.lang import BoundTooSmall
from bmc.lang.build import TRUE
from bmc.readings.compiled import Compiler
from bmc.readings.value import Interpreter
from tests.strategies import effort
from tests.strategies.protocols import Drawn, protocols

from .small_texts import LIMITS, TEXTS, Text

CLOCK = Text(
    "clock",
    "VARIABLE x\nInit == x = 0\nTick == x' = (x + 1) % 5\nNext == Tick\nLow == x < 4",
    "INIT Init\nNEXT Next\nINVARIANT Low\nCHECK_DEADLOCK FALSE\n",
)


def search(text: Text, folder: Path) -> Search:
    return Search(Machine(load(text.write(folder))))


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_the_translation_agrees_with_the_text_at_every_state(text: Text, tmp_path: Path) -> None:
    specification = load(text.write(tmp_path))
    translated = TranslatedModel(translate(specification))
    compared = compare_reachable(Search(Machine(specification)), translated, 1_000)
    assert compared.complete
    assert compared.skipped == 0
    assert compared.states > 10


@effort(200)
@given(protocols())
def test_a_model_s_steps_are_the_interpreter_s(drawn: Drawn) -> None:
    interpreter = Interpreter(replace(drawn.model, constraint=TRUE), drawn.world.domains)
    compiler = Compiler(drawn.world.domains)
    for action in drawn.model.actions:
        steps = Steps(action, compiler)
        for state in drawn.states:
            try:
                taken = [step.state for step in interpreter.steps_of(action, state)]
            except BoundTooSmall:
                with pytest.raises(BoundTooSmall):
                    list(steps.after(state))
                continue
            found, expected = (
                Counter(tuple(after[name] for name in state) for after in states)
                for states in (steps.after(state), taken)
            )
            assert found == expected


def test_the_text_s_steps_are_looked_for_once_at_a_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the steps of a state say of it, that it is a deadlock, does not need them anew."""
    lamp = Text(
        "lamp",
        "VARIABLE x\nInit == x = 0\nNext == x < 7 /\\ x' = x + 1",
        "INIT Init\nNEXT Next\n",
    )
    specification = load(lamp.write(tmp_path))
    looked: list[object] = []
    one_by_one = Machine._steps
    monkeypatch.setattr(Machine, "_steps", lambda *a: looked.append(a[1]) or one_by_one(*a))
    translated = TranslatedModel(translate(specification))
    compared = compare_walks(Search(Machine(specification)), translated, seconds=60)
    assert compared.states == 8
    assert len(looked) == 8 + 1


class Clock:
    """The clock as a translation that may be wrong in one place."""

    def __init__(self, fault: str = "") -> None:
        self.fault = fault

    def initial_states(self) -> Iterable[State]:
        return [(0,), (1,)] if self.fault == "initial" else [(0,)]

    def steps(self, state: State) -> Iterable[tuple[str, State]]:
        (x,) = state
        if self.fault == "bounds" and x == 3:
            raise OutsideBounds
        if self.fault == "missing" and x == 3:
            return []
        after = (x + 1) % 5
        extra = [("Tick", (2,))] if self.fault == "extra" and x == 3 else []
        return [("Tock" if self.fault == "name" else "Tick", (after,)), *extra]

    def judged(self, state: State) -> Judged:
        return Judged({"Low"} if state[0] >= (3 if self.fault == "claim" else 4) else frozenset())

    def judged_step(self, before: State, after: State) -> Judged:
        return Judged(frozenset())

    def formulas(self, before: State, after: State | None = None) -> Iterable[Valued]:
        return []


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("initial", "only the translation has the initial state"),
        ("missing", r"only the text has a step Tick from \[x = 3\] to \[x = 4\]"),
        ("extra", r"only the translation has a step Tick from \[x = 3\] to \[x = 2\]"),
        ("name", "only the text has a step Tick"),
        ("claim", r"Low is false only for the translation at \[x = 3\]"),
    ],
)
def test_a_disagreement_is_found_and_told(fault: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(Disagreement, match=said):
        compare_reachable(search(CLOCK, tmp_path), Clock(fault), 100)
    with pytest.raises(Disagreement, match=said):
        compare_walks(search(CLOCK, tmp_path), Clock(fault), seconds=10)


def test_what_was_compared_is_counted(tmp_path: Path) -> None:
    compared = compare_reachable(search(CLOCK, tmp_path), Clock(), 100)
    assert (compared.states, compared.steps, compared.complete) == (5, 5, True)
    assert str(compared) == "compared with the text at 5 states"
    assert not compare_reachable(search(CLOCK, tmp_path), Clock(), 2).complete


def test_a_state_that_the_model_cannot_hold_is_counted_apart(tmp_path: Path) -> None:
    compared = compare_reachable(search(CLOCK, tmp_path), Clock("bounds"), 100)
    assert (compared.states, compared.skipped) == (3, 1)


EMPTIED = Text(
    "emptied",
    "VARIABLES x, q\nInit == x = 0 /\\ q = <<1>>\n"
    "Next == x < 3 /\\ x' = x + 1 /\\ q' = <<>>\nFirst == Head(q) # 77\nLow == x < 9\n"
    "Kept == [][Head(q) # 77]_x\nRises == [][x' > x]_x",
    "INIT Init\nNEXT Next\nINVARIANTS First Low\nPROPERTIES Kept Rises\nCHECK_DEADLOCK FALSE\n",
)


class Emptied(TranslatedModel):
    """A translation that takes a claim, or a claim about steps, for false where it is true."""

    fault = ""

    def judged(self, state: State) -> Judged:
        found = super().judged(state)
        return found._replace(false={"Low"}) if self.fault == "Low" and state[0] == 2 else found

    def judged_step(self, before: State, after: State) -> Judged:
        found = super().judged_step(before, after)
        return found._replace(false={"Rises"}) if (self.fault, before[0]) == ("Rises", 2) else found


@pytest.mark.parametrize("fault", ["Low", "Rises"])
def test_a_claim_is_compared_where_another_has_no_value(fault: str, tmp_path: Path) -> None:
    specification = load(EMPTIED.write(tmp_path))
    model = Emptied(translate(specification))
    compared = compare_reachable(Search(Machine(specification)), model, 100)
    assert (compared.states, compared.skipped) == (4, 0)
    model.fault = fault
    with pytest.raises(Disagreement, match=f"{fault} is false only for the translation"):
        compare_reachable(Search(Machine(specification)), model, 100)


def test_walks_end_when_nothing_new_is_met(tmp_path: Path) -> None:
    assert compare_walks(search(CLOCK, tmp_path), Clock(), seconds=60).states == 5


LADDER = Text(
    "ladder",
    "VARIABLE x\nInit == x = 0\nUp == x < 400 /\\ x' = x + 1\nNext == Up\nLow == x < 300",
    "INIT Init\nNEXT Next\nINVARIANT Low\nCHECK_DEADLOCK FALSE\n",
)


class Ladder:
    """The ladder, of which the translation has another top rung that is low."""

    def initial_states(self) -> Iterable[State]:
        return [(0,)]

    def steps(self, state: State) -> Iterable[tuple[str, State]]:
        return [("Up", (state[0] + 1,))] if state[0] < 400 else []

    def judged(self, state: State) -> Judged:
        return Judged({"Low"} if state[0] > 300 else frozenset())

    def judged_step(self, before: State, after: State) -> Judged:
        return Judged(frozenset())

    def formulas(self, before: State, after: State | None = None) -> Iterable[Valued]:
        return []


def test_a_fault_far_from_the_initial_states_is_found(tmp_path: Path) -> None:
    with pytest.raises(Disagreement, match=r"Low is false only for the text at \[x = 300\]"):
        compare_walks(search(LADDER, tmp_path), Ladder(), seconds=10)


NOISE = Text(
    "noise",
    "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nStir == \\E n \\in 1..60 : x' = n /\\ y' = y\n"
    "Rise == y < 30 /\\ y' = y + 1 /\\ x' = x\nNext == Stir \\/ Rise\nLow == y < 40",
    "INIT Init\nNEXT Next\nINVARIANT Low\nCHECK_DEADLOCK FALSE\n",
)


class Noise:
    """A text of which one step in sixty leads further; from the twelfth on it is translated ill."""

    asked = 0

    def initial_states(self) -> Iterable[State]:
        return [(0, 0)]

    def steps(self, state: State) -> Iterable[tuple[str, State]]:
        self.asked += 1
        x, y = state
        rise = [("Rise", (x, y + 1))] if y < 30 else []
        return [*rise, *(("Stir", (n, y)) for n in range(1, 61))]

    def judged(self, state: State) -> Judged:
        return Judged({"Low"} if state[1] >= 12 else frozenset())

    def judged_step(self, before: State, after: State) -> Judged:
        return Judged(frozenset())

    def formulas(self, before: State, after: State | None = None) -> Iterable[Valued]:
        return []


def test_walks_take_actions_that_they_took_least_often(tmp_path: Path) -> None:
    translated = Noise()
    with pytest.raises(Disagreement, match="Low is false only for the translation"):
        compare_walks(search(NOISE, tmp_path), translated, seconds=20)
    assert translated.asked < 200


def test_actions_without_a_step_in_the_comparison_are_named(tmp_path: Path) -> None:
    suite = suite_of("clock", CLOCK.write(tmp_path))
    text = suite.origin
    assert text is not None
    text.compare(0)
    assert text.notes()[-1] == "compared with the text at 0 states, where no step is one of Tick"
    text.compare(20)
    assert text.notes()[-1] == "compared with the text at 5 states"


GATE = Text(
    "gate",
    "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nWalk == x' = (x + 1) % 30 /\\ y' = y\n"
    "Pass == x = 7 /\\ y' = (y + 1) % 90 /\\ x' = 8\n"
    "Stay == x = 7 /\\ x > 7 /\\ x' = x /\\ y' = y\n"
    "Next == Walk \\/ Pass \\/ Stay",
    "INIT Init\nNEXT Next\n",
)


@pytest.mark.parametrize(
    ("actions", "least", "most"),
    [({"Walk"}, 20, 20), ({"Walk", "Pass"}, 200, 2_000), ({"Walk", "Stay"}, 2_700, 2_700)],
)
def test_walks_end_once_each_action_was_met_often(
    actions: set[str], least: int, most: int, tmp_path: Path
) -> None:
    """Not before, however many states were compared: Pass is possible at one state of thirty."""
    specification = load(GATE.write(tmp_path))
    translated = TranslatedModel(translate(specification))
    text = Search(Machine(specification))
    compared = compare_walks(text, translated, seconds=60, enough=Enough(20, actions))
    assert least <= compared.states <= most
    assert compared.complete is (compared.states == 2_700)


def test_a_small_instance_is_compared_at_every_state(tmp_path: Path) -> None:
    """Walks alone ended where twenty in a row met nothing new."""
    fork = Text(
        "fork",
        "VARIABLES x, y\nInit == x = 0 /\\ y = 0\n"
        "Next == \\E n \\in {0, 1} : x < 20 /\\ y < 20 /\\ x' = x + n /\\ y' = y + 1 - n",
        "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n",
    )
    specification = load(fork.write(tmp_path))
    translated = TranslatedModel(translate(specification))
    compared = compare_walks(Search(Machine(specification)), translated, seconds=60)
    assert (compared.states, compared.complete) == (21 * 21 - 1, True)


def test_initial_states_are_compared_as_long_as_there_is_time(tmp_path: Path) -> None:
    """A translation may tell its initial states more slowly than the text has them."""
    specification = load(CLOCK.write(tmp_path))
    begun = time.process_time()

    class Slow(TranslatedModel):
        def initial_states(self) -> Iterator[State]:
            while time.process_time() < begun + 20:
                yield (0,)
            raise AssertionError("it is asked for initial states without end")

    class Wrong(Slow):
        def initial_states(self) -> Iterator[State]:
            yield from ((0,), (1,))
            yield from super().initial_states()

    slow = Slow(translate(specification))
    compared = compare_walks(Search(Machine(specification)), slow, seconds=0.2)
    assert (compared.states, compared.complete) == (5, True)
    wrong = Wrong(translate(specification))
    with pytest.raises(Disagreement, match="only the translation has the initial state"):
        compare_walks(Search(Machine(specification)), wrong, seconds=0.2)


def test_what_an_exploration_reached_is_held_against_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Walks hardly climb this ladder: each step up may be one down to the ground."""
    text = Text(
        "slippery",
        "VARIABLE x\nInit == x = 0\nUp == x < 40 /\\ x' = x + 1\nSlip == x' = 0\n"
        "Next == Up \\/ Slip\nLow == x < 50",
        "INIT Init\nNEXT Next\nINVARIANT Low\n",
    )
    task = Task(find(str(text.write(tmp_path))), {}, ("Low",))
    found = explore(task)
    assert found.complete
    assert len(found.reached) == found.distinct_states == 41
    monkeypatch.setattr(confirmation, "COMPARED", confirmation.REACHED)
    (result,) = confirmation.confirmed(task, found.verdicts(), found.reached)
    assert result.verdict is Verdict.PROVED

    def without_the_top(self: TranslatedModel, state: State) -> list[tuple[str, State]]:
        return [step for step in steps(self, state) if step[1][0] < 39]

    steps = TranslatedModel.steps
    monkeypatch.setattr(TranslatedModel, "steps", without_the_top)
    with pytest.raises(Disagreement, match="only the text has a step Up"):
        confirmation.confirmed(task, found.verdicts(), found.reached)
    with pytest.raises(Disagreement):
        explore_all(task, SILENT)


def test_no_step_leaves_a_state_outside_of_the_constraint(tmp_path: Path) -> None:
    limits = search(LIMITS, tmp_path)
    assert limits.machine.steps((5, 0))
    assert limits.steps((5, 0)) == []


def test_a_trace_is_taken_on_the_text(tmp_path: Path) -> None:
    clock = search(CLOCK, tmp_path)
    replay(clock, [None, "Tick", None], [(0,), (1,), (2,)])
    with pytest.raises(Disagreement, match="no initial state"):
        replay(clock, [None], [(1,)])
    with pytest.raises(Disagreement, match="state 2 of the trace: Tock leads to"):
        replay(clock, [None, "Tock"], [(0,), (1,)])
    with pytest.raises(Disagreement, match="on the text no action does"):
        replay(clock, [None, None], [(0,), (2,)])
