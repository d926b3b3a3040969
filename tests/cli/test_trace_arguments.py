"""The arguments that a trace's file says its steps had are those of its steps."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import bmc
from tests.cli.test_trace_files import replay

MARKS = """
from bmc.lang import Integer, MapSort, Protocol, Scalarset, Variable, action, mapping


class Marks(Protocol):
    Replica = Scalarset("Replica", 2)
    Number = Integer("Number", 0, 2)
    count = Variable(Number)
    mark = Variable(MapSort(Replica, Number))

    @action()
    def Init(self, s):
        s.count = 0
        s.mark = mapping(self.Replica, lambda replica: 0, self.Number)

    @action(replica=Replica)
    def Mark(self, s, replica):
        s.mark[replica] = 1

    @action(replica=Replica)
    def Count(self, s, replica):
        s.require(s.count < 2)
        s.count = s.count + 1

    Next = (Mark, Count)
"""


@pytest.fixture
def marked(tmp_path: Path) -> tuple[Path, str]:
    """An execution whose last step has an argument that does not show in its state."""
    (tmp_path / "marks.py").write_text(MARKS, encoding="utf-8")
    steps = [(0, 0, None, {}), (0, 1, "Mark", "r1"), (1, 1, "Count", "r2")]
    states = [
        {
            "#meta": {"action": name, "arguments": {"replica": member} if name else {}},
            "count": count,
            "mark": {"#map": [["r1", mark], ["r2", 0]]},
        }
        for count, mark, name, member in steps
    ]
    path = tmp_path / "marks.itf.json"
    path.write_text(json.dumps({"vars": ["count", "mark"], "states": states}), encoding="utf-8")
    return path, f"{tmp_path / 'marks.py'}:Marks"


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"arguments": {"replica": "r2"}}, "not reached by Mark(replica=r2), as it says"),
        ({"arguments": {"replica": "r7"}}, "'r7' is none of r1, r2"),
        ({"arguments": {"leader": "r1"}}, "Mark has no argument leader"),
        ({"arguments": "r1"}, "arguments are an object"),
        ({"action": None}, "arguments of an action that it does not name"),
        ({"action": 7}, "an action is a name, and not 7"),
    ],
)
def test_a_wrong_argument_is_noticed(
    marked: tuple[Path, str], told: dict[str, Any], said: str
) -> None:
    """None was read, and a step of one member was shown as one of another."""
    path, protocol = marked
    data = json.loads(path.read_text(encoding="utf-8"))
    data["states"][1]["#meta"].update(told)
    # Its first state need not say that no action led there.
    del data["states"][0]["#meta"]
    wrong = path.with_name("wrong.itf.json")
    wrong.write_text(json.dumps(data), encoding="utf-8")
    answer = replay(wrong, "--protocol", protocol)
    assert answer.code == 2
    assert said in answer.err


@pytest.mark.parametrize("ending", ["again.itf.json", "again.json"])
def test_the_arguments_that_a_file_names_are_those_that_are_written_again(
    marked: tuple[Path, str], ending: str
) -> None:
    """Of several that lead to one state the first was taken, whatever the file said."""
    path, protocol = marked
    again = path.with_name(ending)
    assert bmc("trace", "export", str(path), "--protocol", protocol, "--to", str(again)).code == 0
    shown = bmc("trace", "show", str(again), "--protocol", protocol)
    assert "Count(replica=r2)" in shown.out
