"""What each command says of claims about a history, beside claims that speak of none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import bmc

LETTERS = '''
"""Letters in a box, and who remembers them."""

from bmc.lang import *


class Letters(Protocol):
    Number = Integer("Number", 0, 3)
    sent = Variable(Number)
    read = Variable(Number)

    @action()
    def Init(self, s):
        s.sent, s.read = 0, 0

    @action()
    def Send(self, s):
        s.require(s.sent < 3)
        s.sent += 1

    @action()
    def Read(self, s):
        s.require(s.read < s.sent)
        s.read += 1

    Next = one_of(Send, Read)

    @invariant("nothing is read that was not sent")
    def Sent(self, s):
        return s.read <= s.sent


class Remembered(History):
    ever = Variable(SetSort(Letters.Number))

    def initially(self, h):
        h.ever = set()

    @after("Read")
    def Read(self, h):
        h.ever |= {h.read}


@invariant("what was read is remembered", n=Letters.Number)
def Kept(m, h, n):
    return member(n, h.ever) == (n < h.read)


@invariant("two are never remembered")
def Few(m, h):
    return size(h.ever) < 2


@witness("all are remembered")
def All(m, h):
    return size(h.ever) == 3


@witness("all are sent")
def Full(m, h):
    return h.sent == 3


SEEN = Suite("seen", Letters, "what is reached", (All, Full), history=Remembered,
    explained={"All": Unreached("nobody looks")})
HOLD = Suite("hold", Letters, "what holds", (Letters.Sent, Kept), history=Remembered)
BOTH = Suite("both", Letters, "memories", (Few, All), history=Remembered)
FAIL = Suite("fail", Letters, "what does not", (Few, Letters.Sent), history=Remembered)
'''


@pytest.fixture
def letters(tmp_path: Path) -> str:
    file = tmp_path / "letters.py"
    file.write_text(LETTERS)
    return str(file)


@pytest.mark.parametrize("words", [("infer", "--timeout", "30"), ("prove", "--infer")])
def test_lemmas_are_inferred_for_what_speaks_of_a_history(letters: str, words: list[str]) -> None:
    command, *options = words
    answered = bmc(command, f"{letters}:HOLD", *options, "--json")
    assert answered.code == 0
    found = {one["property"]: one["verdict"] for one in answered.document["results"]}
    assert found == {"Sent": "proved", "Kept": "proved"}


@pytest.mark.parametrize("command", ["infer", "mine"])
def test_what_is_violated_has_its_trace(letters: str, command: str) -> None:
    answered = bmc(command, f"{letters}:FAIL", "--json")
    assert answered.code == 1
    few = next(one for one in answered.document["results"] if one["property"] == "Few")
    assert (few["verdict"], len(few["trace"])) == ("violated", 5)


def test_an_exploration_names_what_it_does_not_judge(letters: str) -> None:
    answered = bmc("explore", f"{letters}:HOLD", "--json")
    (result,) = answered.document["results"]
    assert (result["property"], result["verdict"]) == ("Sent", "proved")
    (note,) = answered.document["scope"]["notes"]
    assert "not asked: Kept; `bmc prove" in note


@pytest.mark.parametrize(
    ("suite", "judged", "not_asked"),
    [
        ("SEEN", {"Full"}, ["All; `bmc regress`"]),
        ("FAIL", {"Sent"}, ["Few; `bmc prove"]),
        ("BOTH", set(), ["Few; `bmc prove", "All; `bmc regress`"]),
    ],
)
def test_all_claims_are_those_that_an_exploration_knows(
    letters: str, suite: str, judged: set[str], not_asked: list[str]
) -> None:
    """One claim about a history had all refused."""
    answered = bmc("explore", f"{letters}:{suite}", "--all", "--json")
    assert answered.code == 0
    results = {one["property"] for one in answered.document["results"]}
    assert results | set(answered.document["witnesses"]) == judged
    notes = [note for note in answered.document["scope"]["notes"] if "not asked: Sent" not in note]
    for note, said in zip(notes, not_asked, strict=True):
        assert said in note


def test_an_exploration_proves_what_stands_beside(letters: str) -> None:
    answered = bmc("prove", f"{letters}:HOLD", "--engine", "explicit", "--json")
    sent, kept = answered.document["results"]
    assert (answered.code, sent["verdict"], kept["verdict"]) == (3, "proved", "unknown")
    assert kept["reason"].startswith("Kept speaks of ever")


def test_coverage_is_of_what_an_exploration_knows(letters: str) -> None:
    answered = bmc("cover", f"{letters}:SEEN", "--json")
    document = answered.document
    assert (answered.code, document["witnesses"]) == (3, {"Full": 4})
    assert (document["missed"], document["disproved"]) == ([], [])
    assert any("not asked: All; `bmc regress`" in note for note in document["scope"]["notes"])


def test_no_execution_is_looked_for_that_shows_a_history(letters: str, tmp_path: Path) -> None:
    words = ("--cover", "witnesses", "--out", str(tmp_path / "out"))
    answered = bmc("testgen", f"{letters}:SEEN", *words)
    assert answered.code == 2
    assert "All speaks of ever" in answered.err


@pytest.mark.parametrize(
    ("kept", "written", "said"),
    [
        ("h.ever |= {h.read}", "h.ever = everything(self.Number)", "its class, P.Number"),
        ("    def initially(self, h):\n        h.ever = set()\n", "", "letters.py, line 33: Rem"),
    ],
)
def test_what_is_refused_in_a_history_has_its_place_and_a_remedy(
    letters: str, kept: str, written: str, said: str
) -> None:
    text = Path(letters).read_text()
    assert kept in text
    Path(letters).write_text(text.replace(kept, written))
    refused = bmc("prove", f"{letters}:HOLD")
    assert refused.code == 2
    assert said in refused.err
