"""A log is of a protocol's execution whatever a history or a constraint beside it says."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from bmc.cli.shared import catalogue
from bmc.cli.shared.log_windows import rows_of
from bmc.conformance.groups import GroupChecker, row_of
from bmc.conformance.mapping_file import read_mapping
from bmc.conformance.search import Limits
from tests.cli.running import Answered, bmc

PROTOCOL = """
from bmc.lang import History, Integer, Protocol, Suite, Variable, action, after, invariant, one_of

class Steps(Protocol):
    x = Variable(Integer("Number", 0, 9))

    @action()
    def Init(self, s):
        s.x = 0

    @action()
    def Up(self, s):
        s.x = s.x + 1

    Next = one_of(Up)

    def Constraint(self, s):
        return s.x < LIMIT

class Past(History):
    twice = Variable(Integer("Twice", 0, 3))

    def initially(self, s):
        s.twice = 0

    @after("Up")
    def Counted(self, s):
        s.twice = s.twice + 2

@invariant("it is even")
def Even(self, s):
    return s.twice != 1

@invariant("it is small")
def Small(self, s):
    return s.x < 2

steps = Suite("Steps", Steps, "counts", properties=(Even, Small), history=Past)
"""
MAPPING = """
[[event]]
name = "up"
actions = ["Up"]
after = { x = "$x?" }
"""


def check(folder: Path, seen: Sequence[int | None], *more: str, limit: int = 10) -> Answered:
    """What is said of a log that shows x after each step, where it is not None."""
    text, log, mapping = folder / "steps.py", folder / "log.ndjson", folder / "map.toml"
    text.write_text(PROTOCOL.replace("LIMIT", str(limit)), encoding="utf-8")
    mapping.write_text(MAPPING, encoding="utf-8")
    events = [{"event": "up"} | ({} if x is None else {"x": x}) for x in seen]
    log.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    asked = (f"{text}:steps", "--log", str(log), "--map", str(mapping))
    return bmc("trace", "check", *asked, "--json", *more)


@pytest.mark.parametrize("more", [("--no-invariants",), ("-P", "Small")])
def test_a_history_that_nobody_asks_may_have_no_value(
    more: tuple[str, ...], tmp_path: Path
) -> None:
    held = check(tmp_path, [1], *more)
    assert (held.code, held.document["verdict"]) == (0, "conforms")
    later = check(tmp_path, [1, None, 3], *more)
    assert later.document["verdict"] == "conforms"
    assert later.code == ("-P" in more)


def test_a_history_that_is_asked_and_has_no_value_is_refused_with_its_place(
    tmp_path: Path,
) -> None:
    assert check(tmp_path, [1], "-P", "Even").code == 0
    refused = check(tmp_path, [1, None], "-P", "Even")
    assert refused.code == 2
    said = refused.document["error"]["message"]
    assert "the history has no value after Up (steps.py:" in said
    assert "--no-invariants" in said


def test_the_execution_before_an_impossible_line_needs_no_history(tmp_path: Path) -> None:
    trace = tmp_path / "before.itf.json"
    found = check(tmp_path, [1, None, 5], "-P", "Even", "--trace", str(trace))
    assert (found.code, found.document["verdict"], found.document["line"]) == (1, "impossible", 3)
    states = json.loads(trace.read_text(encoding="utf-8"))["states"]
    assert [state["x"] for state in states] == [{"#bigint": str(x)} for x in (0, 1, 2)]


def test_the_execution_before_an_impossible_line_may_leave_the_constraint(tmp_path: Path) -> None:
    trace = tmp_path / "before.itf.json"
    found = check(tmp_path, [1, None, 5], "-P", "Small", "--trace", str(trace), limit=2)
    assert (found.code, found.document["verdict"], found.document["line"]) == (1, "impossible", 3)
    states = json.loads(trace.read_text(encoding="utf-8"))["states"]
    assert [state["x"] for state in states] == [{"#bigint": str(x)} for x in (0, 1, 2)]


def test_a_long_group_whose_history_has_no_value_in_a_later_window_is_unreadable(
    tmp_path: Path,
) -> None:
    """It ended the run, with all other groups."""
    check(tmp_path, [1])
    suite = catalogue.find(f"{tmp_path / 'steps.py'}:steps")
    mapping = read_mapping(tmp_path / "map.toml", suite)
    checker = GroupChecker(suite, mapping, {}, ("Even",), Limits(), window=1)
    *windows, row = rows_of(checker, [b'{"event": "up"}'] * 3)
    whole = checker.verdict([b'{"event": "up"}'] * 3)
    assert whole.verdict == "unreadable"
    assert row == (*row_of(whole).values(), None, None, None)
    assert len(windows) == 1
