"""Of lemmas that are not proven, those are named that fail though all the others are assumed."""

import json
from pathlib import Path

from tests.cli.running import bmc

CHAIN = """
from bmc.lang import Integer, Protocol, Variable, action, invariant, lemma, one_of


class Chain(Protocol):
    Count = Integer("Count", 0, 6)
    a = Variable(Count)
    b = Variable(Count)
    c = Variable(Count)

    @action()
    def Init(self, s):
        s.a = 0
        s.b = 0
        s.c = 0

    @action()
    def Up(self, s):
        s.require(s.a < 6)
        s.a = s.a + 1

    @action()
    def Follow(self, s):
        s.b = s.a
        s.c = s.b

    Next = one_of(Up, Follow)

    @invariant()
    def Safe(self, s):
        return s.c <= s.a

    @lemma("")
    def wrong(self, s):
        return (s.b <= s.a) & (s.a != 5)

    @lemma("")
    def leaning(self, s):
        return s.b != 5

    @lemma("")
    def right(self, s):
        return s.a >= 0
"""


def test_a_lemma_at_fault_is_told_from_those_that_lean_on_it(tmp_path: Path) -> None:
    file = tmp_path / "chain.py"
    file.write_text(CHAIN, encoding="utf-8")
    answered = bmc("prove", f"{file}:Chain", "--engine", "kinduction", "--k", "1")
    assert "Lemmas not proven here (2 of 3): wrong, leaning" in answered.out
    assert "first wrong, with all lemmas assumed" in answered.out
    assert "ask -P wrong" in answered.out


def test_a_lemma_that_is_false_in_the_beginning_is_named(tmp_path: Path) -> None:
    """Where no other lemma was proven, and none failed in a step, nothing was said of it."""
    file = tmp_path / "chain.py"
    alone = CHAIN.partition("    @lemma")[0].replace("return s.c <= s.a", "return s.c != 5")
    file.write_text(alone + '    @lemma("")\n    def late(self, s):\n        return s.a > 0\n')
    answered = bmc("prove", f"{file}:Chain", "--engine", "kinduction", "--k", "1")
    assert "Lemmas not proven here (1 of 1): late" in answered.out
    assert "0 of 1 lemmas proven" in answered.out


def test_lemmas_that_lean_on_a_claim_are_counted_once_it_is_proven(tmp_path: Path) -> None:
    """The count said 1 of 2, beside a list of the two."""
    file = tmp_path / "chain.py"
    claim = CHAIN.partition("    @lemma")[0].replace("return s.c <= s.a", "return s.b <= s.a")
    lemmas = [("leaning", "s.c <= s.a"), ("alone", "s.a >= 0")]
    text = "\n".join(
        f'    @lemma("")\n    def {n}(self, s):\n        return {f}\n' for n, f in lemmas
    )
    file.write_text(claim + text)
    answered = bmc("prove", f"{file}:Chain", "--engine", "kinduction", "--k", "1", "--json")
    assert json.loads(answered.out)["facts"] == [
        "1 of 2 lemmas proven by themselves",
        "2 of 2 lemmas proven, 1 of them together with claims",
    ]
