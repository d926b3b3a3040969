"""`bmc export`: the file has what was asked for, with names; what cannot be written is said."""

from __future__ import annotations

from pathlib import Path

import pytest
import z3

from tests.cli.running import Answered, bmc
from tests.exports.aiger_reader import Aiger, read_aiger

SIZE = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 0}
KAFKA = ("kafka-truncate-to-hw", *(f"--parameter={name}={value}" for name, value in SIZE.items()))


def written(tmp_path: Path, *arguments: str, name: str = "system") -> tuple[Answered, Path]:
    path = tmp_path / name
    answer = bmc("export", *arguments, "-o", str(path))
    assert answer.code == 0, answer.err
    return answer, path


def circuit(tmp_path: Path, *arguments: str) -> Aiger:
    _, path = written(tmp_path, "aiger", *arguments)
    return read_aiger(path.read_bytes())


def outputs(read: Aiger, kind: str) -> list[str]:
    return [name for key, name in read.symbols.items() if key.startswith(kind)]


def test_every_property_has_an_output_and_so_have_the_bounds(tmp_path: Path, counter: str) -> None:
    read = circuit(tmp_path, f"{counter}:Counter", "-P", "Small", "-P", "NoJump")
    assert outputs(read, "b") == ["Small", "NoJump", "WithinBounds"]
    assert outputs(read, "l") == ["value_>=_1", "value_>=_2", "value_>=_3"]
    assert outputs(read, "i") == ["choice_0"]
    assert [first for _, _, first in read.latches] == [0, 0, 0]
    states, bad = read.reachable()
    assert len(states) == 4
    assert bad == {"Small": 3}


def test_text_and_binary_are_one_circuit(tmp_path: Path) -> None:
    binary = circuit(tmp_path, *KAFKA, "-P", "StrongIsr")
    text = circuit(tmp_path, *KAFKA, "-P", "StrongIsr", "--ascii")
    assert (tmp_path / "system").read_bytes().startswith(b"aag ")
    assert text == binary


def test_lemmas_constrain_nothing_that_is_reached(tmp_path: Path) -> None:
    """The reader fails where a constraint is false in a reachable state."""
    free = circuit(tmp_path, *KAFKA, "-P", "StrongIsr")
    told = circuit(tmp_path, *KAFKA, "-P", "StrongIsr", "--lemmas")
    assert not free.constraints
    assert len(told.constraints) == len(outputs(told, "c")) > 10
    assert told.reachable() == free.reachable()


def test_initial_states_that_are_several_are_entered(tmp_path: Path, written_in: str) -> None:
    read = circuit(tmp_path, written_in)
    assert outputs(read, "l")[-1] == "an_initial_state_was_entered"
    assert not any(first for _, _, first in read.latches)
    states, bad = read.reachable()
    # The one before the beginning, and that the value is 1 or 3.
    assert len(states) == 3
    assert bad == {"Small": 1}


@pytest.fixture
def written_in(tmp_path: Path, counter: str) -> str:
    text = Path(counter).read_text(encoding="utf-8")
    text += """

class Somewhere(Counter):
    @action(high=BOOL)
    def Init(self, s, high):
        s.value = ite(high, 3, 1)

    @action()
    def Stay(self, s):
        s.require(s.value == 0)

    Next = (Stay,)
"""
    path = tmp_path / "somewhere.py"
    path.write_text(text, encoding="utf-8")
    return f"{path}:Somewhere"


def test_a_script_is_sat_at_the_depth_of_the_violation(tmp_path: Path, counter: str) -> None:
    _, path = written(tmp_path, "smtlib", f"{counter}:Counter", "-P", "Small", "--depth", "4")
    text = path.read_text(encoding="utf-8")
    assert _sat(text) == [False, False, False, True, True]


def test_a_script_with_lemmas_is_sat_where_it_is_without(tmp_path: Path) -> None:
    asked = ("smtlib", *KAFKA, "-P", "LeaderInIsr", "--depth", "1")
    _, path = written(tmp_path, *asked)
    _, told = written(tmp_path, *asked, "--lemmas", name="told")
    assert len(told.read_text("utf-8")) > len(path.read_text("utf-8"))
    assert _sat(path.read_text("utf-8")) == _sat(told.read_text("utf-8")) == [True, True]


def _sat(script: str) -> list[bool]:
    """What z3 finds at each depth of a script, each question asked alone."""
    asked, found = "", []
    for part in script.split("(push 1)\n"):
        question, _, rest = part.rpartition("(check-sat)\n(pop 1)\n")
        if question:
            solver = z3.Solver()
            solver.add(z3.parse_smt2_string(asked + question))
            found.append(solver.check() == z3.sat)
        asked += rest
    return found


def test_the_document_says_what_was_written(tmp_path: Path, counter: str) -> None:
    answer, path = written(tmp_path, "smtlib", f"{counter}:Counter", "-P", "Small", "--json")
    assert path.read_text(encoding="utf-8").startswith(f"; {counter}:Counter top=3\n")
    document = answer.document
    assert document["file"] == str(path)
    assert document["properties"] == ["Small", "WithinBounds"]
    assert document["constraints"] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["smtlib", "id-sequence", "--depth", "-1"], "the depth must be 0 or more, you gave -1"),
        (["aiger", "id-sequence", "-P", "Nothing"], "Nothing"),
        (["aiger", "nothing-known"], "nothing-known"),
    ],
)
def test_what_cannot_be_exported_is_said(tmp_path: Path, arguments: list[str], said: str) -> None:
    answer = bmc("export", *arguments, "-o", str(tmp_path / "file"))
    assert answer.code == 2
    assert said in answer.err
    assert not (tmp_path / "file").exists()


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    answer = bmc("export", "aiger", "id-sequence", "-o", str(tmp_path / "none" / "file"))
    assert answer.code == 2
    assert "none" in answer.err


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (("--timeout", "0.2"), "the time limit has passed"),
        (("--memory", "1"), "the memory limit of 1 MB is met"),
    ],
)
@pytest.mark.parametrize("asked", [("aiger", "--lemmas"), ("smtlib", "--depth", "200")])
def test_a_limit_ends_it_and_leaves_the_file(
    tmp_path: Path, asked: tuple[str, ...], limit: tuple[str, ...], said: str
) -> None:
    """Lemmas were proven for as long as that took, whatever the limit was."""
    path = tmp_path / "system"
    path.write_text("before")
    answer = bmc("export", *asked, "kafka", "-p", "replicas=5", *limit, "-o", str(path))
    assert (answer.code, path.read_text()) == (3, "before")
    assert said in answer.err
