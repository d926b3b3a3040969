"""Sets of executions that cover a protocol are small, true and honest about what they lack."""

import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from bmc.analysis.covering.executions import CoveringSet, covering_set
from bmc.analysis.covering.goals import Cover, NothingToCover
from bmc.engines.simulate import Walks
from bmc.engines.task import Task
from bmc.lang import (
    BOOL,
    Expr,
    Integer,
    Protocol,
    Sequence,
    State,
    Step,
    Suite,
    Variable,
    action,
    append,
    at,
    size,
    witness,
)
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter
from tests.cli.running import bmc


class Gate(Protocol):
    """Opens after three knocks; what is behind it happens once, and the rest never."""

    Knocks = Integer("Knocks", 0, 9)
    knocks = Variable(Knocks)
    inside = Variable(Integer("Guests", 0, 1))

    @action()
    def Init(self, s: Step) -> None:
        s.knocks = 0
        s.inside = 0

    @action()
    def Knock(self, s: Step) -> None:
        s.require(s.knocks < 9)
        s.knocks = s.knocks + 1

    @action()
    def Enter(self, s: Step) -> None:
        s.require(s.knocks >= 3)
        s.require(s.inside == 0)
        s.inside = 1

    @action()
    def Fly(self, s: Step) -> None:
        s.require(s.inside == 1)
        s.require(s.knocks < 3)
        s.inside = 0

    Next = (Knock, Enter, Fly)

    @witness("somebody is inside")
    def SomebodyInside(self, s: State) -> Expr:
        return s.inside == 1

    @witness("nine knocks")
    def Nine(self, s: State) -> Expr:
        return s.knocks == 9


class Silent(Protocol):
    """Has nothing that can be reached."""

    n = Variable(Integer("N", 0, 1))

    @action()
    def Init(self, s: Step) -> None:
        s.n = 0

    @action()
    def Stay(self, s: Step) -> None:
        s.n = 0

    Next = (Stay,)


class Growing(Protocol):
    """A sequence whose second place is there at its end only."""

    Place = Integer("Place", 0, 1)
    kept = Variable(Sequence(BOOL, 2))

    @action()
    def Init(self, s: Step) -> None:
        s.kept = ()

    @action()
    def Keep(self, s: Step) -> None:
        s.require(size(s.kept) < 2)
        s.kept = append(s.kept, True)

    Next = (Keep,)

    @witness("somewhere it is kept", place=Place)
    def Kept(self, s: State, place: Expr) -> Expr:
        return at(s.kept, place)


def covered(
    cover: Cover, states: int = 1000, walks: Walks | None = None, of: type[Protocol] = Gate
) -> CoveringSet:
    task = Task(Suite.of(of, of.__name__), {}, ())
    return covering_set(task, cover, states, walks or Walks(1, 1))


def names(found: CoveringSet) -> list[list[str]]:
    return [[one.goal.name for one in execution.covers] for execution in found.executions]


def test_one_shortest_execution_takes_all_actions_that_can_be_taken() -> None:
    found = covered(Cover.ACTIONS)
    assert names(found) == [["Knock", "Enter"]]
    (execution,) = found.executions
    assert [step.action for step in execution.trace.steps] == [None, *["Knock"] * 3, "Enter"]
    assert [one.state for one in execution.covers] == [1, 4]
    assert found.unreached == ("Fly",)
    assert found.complete


def test_a_guard_is_covered_where_it_is_what_refuses_the_action() -> None:
    found = covered(Cover.GUARDS)
    assert found.unreached == ()
    model = Suite.of(Gate, "Gate").model(False)
    interpreter = Interpreter(model, Domains({}))
    for execution in found.executions:
        for one in execution.covers:
            assert one.goal.action is not None
            state = execution.trace.steps[one.state].state
            assert not list(interpreter.steps_of(one.goal.action, state))
    where = {
        one.goal.name: execution.trace.steps[one.state].state
        for execution in found.executions
        for one in execution.covers
    }
    assert where["Enter: inside = 0"] == {"knocks": 3, "inside": 1}
    assert where["Knock: knocks < 9"]["knocks"] == 9
    assert len(found.executions) == 2


def test_witnesses_are_covered_by_few_executions() -> None:
    found = covered(Cover.WITNESSES)
    assert {name for one in names(found) for name in one} == {"SomebodyInside", "Nine"}


def test_a_choice_without_a_value_says_nothing_of_the_others() -> None:
    """The second place has no value after one step, and the witness is reached by the first."""
    found = covered(Cover.WITNESSES, of=Growing)
    assert names(found) == [["Kept"]]
    assert [len(one.trace) for one in found.executions] == [2]


def test_what_an_exploration_did_not_come_to_is_not_called_unreachable() -> None:
    found = covered(Cover.WITNESSES, states=3)
    assert not found.complete
    assert found.unreached == ("SomebodyInside", "Nine")
    assert "limit of 3 states" in found.searched
    assert "random step" in found.searched


def test_walks_reach_what_an_exploration_did_not() -> None:
    found = covered(Cover.WITNESSES, states=3, walks=Walks(50, 30))
    assert found.unreached == ()
    assert not found.complete


@pytest.mark.parametrize("states", [1000, 4])
def test_what_was_reached_before_an_interruption_is_covered(states: int) -> None:
    """All of it was lost: of a limit of time it was told."""

    impatient = MagicMock()
    impatient.fact.side_effect = KeyboardInterrupt
    task, walks = Task(Suite.of(Gate, "Gate"), {}, ()), Walks(50, 4)
    found = covering_set(task, Cover.WITNESSES, states, walks, impatient)
    assert names(found) == [["SomebodyInside"]]
    assert (found.unreached, found.complete) == (("Nine",), False)
    assert found.searched.endswith("(interrupted)")


def test_no_witness_is_no_empty_success() -> None:
    with pytest.raises(NothingToCover, match="Silent has no witnesses"):
        covered(Cover.WITNESSES, of=Silent)


def test_the_files_replay_and_the_index_says_what_they_cover(tmp_path: Path) -> None:
    out = tmp_path / "made" / "here"
    asked = ("testgen", "kafka", "-p", "replicas=2", "-p", "max_records=1", "--out", str(out))
    answered = bmc(*asked, "--json")
    assert answered.code == 0, answered.err
    index = json.loads((out / "index.json").read_text(encoding="utf-8"))
    assert index["executions"] == answered.document["executions"]
    goals = {one["goal"] for part in index["executions"] for one in part["covers"]}
    assert len(goals) == index["goals"] == 9
    files = sorted(file.name for file in out.glob("*.itf.json"))
    assert files == [part["file"] for part in index["executions"]]
    for part in index["executions"]:
        replayed = bmc("trace", "replay", str(out / part["file"]), "--json")
        assert replayed.code == 0, replayed.err
        trace = replayed.document["trace"]
        assert len(trace) == part["steps"] + 1
        for one in part["covers"]:
            assert trace[one["state"]]["action"] == one["goal"]
    again = bmc(*asked)
    assert again.code == 2
    assert "executions of an earlier run" in again.err


def test_of_two_runs_at_once_one_alone_writes_into_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both found the folder free: an index spoke of files of which some were the other run's."""
    out = tmp_path / "cases"
    asked = ("testgen", "id-sequence", "--out", str(out))
    inner = iter([True])

    def beside(*given: Any) -> CoveringSet:
        if next(inner, False):
            assert bmc(*asked, "--cover", "guards").code == 0
        return covering_set(*given)

    monkeypatch.setattr("bmc.analysis.covering.executions.covering_set", beside)
    later = bmc(*asked)
    assert later.code == 2
    assert "executions of an earlier run" in later.err
    assert json.loads((out / "index.json").read_text(encoding="utf-8"))["cover"] == "guards"


def test_an_incomplete_search_is_exit_code_3(tmp_path: Path) -> None:
    words = ("--max-states", "5", "--walks", "1", "--length", "1", "--out", str(tmp_path))
    answered = bmc("testgen", "kafka", "-p", "replicas=2", *words)
    assert answered.code == 3
    assert "not reached within" in answered.out


def test_an_unknown_cover_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    answered = bmc("testgen", "id-sequence", "--cover", "guard", "--out", str(tmp_path))
    assert answered.code == 2
    assert "guards" in answered.err


def test_a_pipe_in_the_place_of_the_index_is_refused(tmp_path: Path) -> None:
    """Nobody reads it: it would be waited for without end."""
    index = tmp_path / "index.json"
    os.mkfifo(index)
    answered = bmc("testgen", "id-sequence", "--out", str(tmp_path))
    assert answered.code == 2
    assert f"cannot write {index}: it is no file but a pipe" in answered.err


def test_an_index_of_something_else_is_not_written_over(tmp_path: Path) -> None:
    index = tmp_path / "index.json"
    index.write_text('{"a project": 1}')
    answered = bmc("testgen", "id-sequence", "--out", str(tmp_path))
    assert answered.code == 2
    assert f"cannot write {index}: it is there and is about something else" in answered.err
    assert [file.read_text() for file in tmp_path.iterdir()] == ['{"a project": 1}']


def test_an_index_of_before_is_written_anew(tmp_path: Path) -> None:
    asked = ("testgen", "id-sequence", "--out", str(tmp_path))
    assert bmc(*asked).code == 0
    before = (tmp_path / "index.json").read_text()
    for file in tmp_path.glob("execution-*"):
        file.unlink()
    assert bmc(*asked).code == 0
    assert (tmp_path / "index.json").read_text() == before


@pytest.mark.parametrize("words", [("--walks", "0"), ("--max-states", "0"), ("--timeout", "0")])
def test_no_folder_is_made_for_options_that_are_refused(
    tmp_path: Path, words: tuple[str, str]
) -> None:
    answered = bmc("testgen", "id-sequence", *words, "--out", str(tmp_path / "made" / "here"))
    assert answered.code == 2
    assert not any(tmp_path.iterdir())


def test_a_folder_below_a_file_is_refused_before_the_search(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    answered = bmc("testgen", "id-sequence", "--walks", "0", "--out", str(file / "here"))
    assert answered.code == 2
    assert f"cannot write into {file / 'here'}: {file} is no directory" in answered.err
