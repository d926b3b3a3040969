"""A violated property says which part of it is false, for which instance, or has no value."""

import io
from pathlib import Path
from textwrap import dedent

import pytest

from bmc.reports.page import Page
from tests.cli.running import bmc

LANGUAGE = dedent(
    """
    from bmc.lang import *
    Node = Scalarset("Node", 2)
    Number = Integer("Number", 0, 3)

    class Queue(Protocol):
        queue = Variable(Sequence(Number, 3))
        held = Variable(MapSort(Node, Number))

        @action()
        def Init(self, s):
            s.queue = empty(Sequence(Number, 3))
            s.held = mapping(Node, lambda n: 0, Number)

        @action(node=Node)
        def Put(self, s, node):
            s.require(size(s.queue) < 3, s.held[node] == 0)
            s.queue = append(s.queue, 2)
            s.held[node] = 2

        Next = one_of(Put)

        @alias("how much is in it")
        def length(self, s):
            return size(s.queue)

        @alias("twice what a node holds", node=Node)
        def double(self, s, node):
            return s.held[node] + s.held[node]

        @alias("the first of all")
        def head(self, s):
            return at(s.queue, 0)

        @invariant("the second number is no 2")
        def SecondIsNot2(self, s):
            return at(s.queue, 1) != 2

        @invariant("no node holds a 2 that another holds", one=Node)
        def Apart(self, s, one):
            return forall(Node, lambda other: implies(
                s.held[one] == 2, disj(other == one, s.held[other] < 2)))

        @invariant("some node holds nothing")
        def SomeoneIsFree(self, s):
            return exists(Node, lambda n: s.held[n] == 0)
    """
)


@pytest.fixture
def queue(tmp_path: Path) -> str:
    path = tmp_path / "queue_of_numbers.py"
    path.write_text(LANGUAGE, encoding="utf-8")
    return f"{path}:Queue"


def reasons(protocol: str, name: str) -> list[str]:
    lines = bmc("check", protocol, "--depth", "3", "-P", name).out.rstrip().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"{name} is violated"))
    return lines[start:]


def test_no_value_is_said_and_not_called_false(queue: str) -> None:
    first, second = reasons(queue, "SecondIsNot2")
    assert first == (
        "SecondIsNot2 is violated in the initial state: SecondIsNot2 has no value, "
        "which counts as false"
    )
    assert second == "  no value: queue[1] reads position 1 of 0 elements"
    (result,) = bmc("check", queue, "--depth", "3", "-P", "SecondIsNot2", "--json").document[
        "results"
    ]
    assert result["why"]["truth"] == "no value"


def test_a_quantifier_is_false_for_an_instance(queue: str) -> None:
    first, *rest = reasons(queue, "Apart")
    assert first == "Apart is violated after step 2: Apart(one=n1) is false"
    assert rest == [
        "  for other = n2",
        "    held[n1] = 2  TRUE   2 = 2",
        "    n2 = n1       FALSE  n2 = n1",
        "    held[n2] < 2  FALSE  2 < 2",
        "  It came about in",
        "    step 1   Put  held[n1]  0 → 2",
        "    step 2   Put  held[n2]  0 → 2",
    ]


def test_an_existential_is_false_for_each_instance(queue: str) -> None:
    assert reasons(queue, "SomeoneIsFree")[1:] == [
        "  for n = n1",
        "    held[n1] = 0  FALSE  2 = 0",
        "  for n = n2",
        "    held[n2] = 0  FALSE  2 = 0",
        "  It came about in",
        "    step 1   Put  held[n1]  0 → 2",
        "    step 2   Put  held[n2]  0 → 2",
    ]


def test_aliases_are_shown_where_they_change(queue: str) -> None:
    text = bmc("check", queue, "--depth", "3", "-P", "Apart").out
    start = text.index("  0  initial state")
    lines = text[start:].splitlines()
    assert lines[3:7] == [
        "     length (alias)      0",
        "     double[n1] (alias)  0",
        "     double[n2] (alias)  0",
        "     head (alias)        no value",
    ]
    assert [line.split() for line in lines if "→" in line][:5] == [
        ["queue", "⟨⟩", "→", "⟨2⟩"],
        [lines[9].split()[0], "0", "→", "2"],
        ["length", "0", "→", "1"],
        [lines[11].split()[0], "0", "→", "4"],
        ["head", "no", "value", "→", "2"],
    ]


def test_no_colour_means_no_bold_either(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    def written() -> str:
        stream = Terminal()
        page = Page(stream)
        page.line(("loud", "bold red"))
        return stream.getvalue()

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in written()
    monkeypatch.setenv("NO_COLOR", "1")
    assert written() == "loud\n"


def test_one_is_no_plural(queue: str) -> None:
    said = bmc("check", queue, "--depth", "1", "-P", "Apart").out
    assert "no violation within 1 step;" in said
