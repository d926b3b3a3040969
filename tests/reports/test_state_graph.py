"""`bmc explore --graph FILE`: each state and step of a small model, no picture of a large one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.running import bmc

COUNTER = """
from bmc.lang import *


class Counter(Protocol):
    most = Parameter("most", default=3, low=1, high=9000, about="the last number")
    Number = Integer("Number", 0, most)
    n = Variable(Number)

    @action()
    def Init(self, s):
        s.n = 0

    @action(by=Integer("Number", 1, 2))
    def Add(self, s, by):
        s.require(s.n + by <= self.most)
        s.n = s.n + by

    @action()
    def Reset(self, s):
        s.require(s.n == 2)
        s.n = 0

    @action()
    def Wait(self, s):
        s.n = s.n

    Next = one_of(Add, Reset, Wait)

    @invariant("three is never reached")
    def Below(self, s):
        return s.n != 3
"""
# Waiting changes nothing and is not drawn.
STEPS = {(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 0)}


@pytest.fixture
def counter(tmp_path: Path) -> str:
    (tmp_path / "counter.py").write_text(COUNTER)
    return f"{tmp_path / 'counter.py'}:Counter"


def test_a_dot_file_has_each_state_and_step_once(counter: str, tmp_path: Path) -> None:
    file = tmp_path / "states.dot"
    assert bmc("explore", counter, "--graph", str(file)).code == 1
    text = file.read_text()
    values = dict(re.findall(r'^  (s\d+) \[label="n = (\d)\\l"', text, re.MULTILINE))
    arrows = re.findall(r"^  (s\d+) -> (s\d+) \[label=\"(.*)\"\];$", text, re.MULTILINE)
    assert sorted(values.values()) == ["0", "1", "2", "3"]
    assert {(int(values[a]), int(values[b])) for a, b, _ in arrows} == STEPS
    assert len(arrows) == len(STEPS)
    assert {label for _, _, label in arrows} == {"Add(by=1)", "Add(by=2)", "Reset"}
    (bad,) = re.findall(r'^.*tooltip="Below".*$', text, re.MULTILINE)
    assert '"n = 3\\l"' in bad
    # As on the page: nothing leaves three but waiting.
    assert re.findall(r"^.*dashed.*$", text, re.MULTILINE) == [bad]


def test_a_page_has_the_graph_as_data_and_marks_what_is_wrong(counter: str, tmp_path: Path) -> None:
    file = tmp_path / "states.html"
    answer = bmc("explore", counter, "--graph", str(file))
    assert f"Graph: {file}" in answer.out
    text = file.read_text()
    found = re.search(r'<script type="application/json" id="data">(.*)</script>', text)
    assert found is not None
    data = json.loads(found[1])
    values = [int(state["lines"][0][1]) for state in data["states"]]
    assert {(values[e["source"]], values[e["target"]]) for e in data["edges"]} == STEPS
    assert [v for v, s in zip(values, data["states"], strict=True) if s["violated"]] == [3]
    assert text.count("<circle") == 4
    assert "Counter: states" in text
    # Nothing leaves three but waiting.
    assert "no step leaves it (1)" in text


@pytest.mark.parametrize("going", ["-PBelow", "--continue"])
def test_too_many_states_are_told_and_not_drawn(counter: str, tmp_path: Path, going: str) -> None:
    file = tmp_path / "states.html"
    answer = bmc("explore", counter, "-pmost=2100", going, "--graph", str(file))
    assert answer.code == 2
    assert "there are 2,101 states, and 2,000 are the most that are drawn" in answer.err
    assert "Below" in answer.out
    assert not file.exists()


def test_another_kind_of_file_is_refused_at_once(counter: str) -> None:
    answer = bmc("explore", counter, "--graph", "states.png")
    assert answer.code == 2
    assert "a graph is a .html page or a .dot file" in answer.err
