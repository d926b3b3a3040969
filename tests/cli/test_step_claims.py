"""A claim of steps that needs a lemma: it is found, its lack is shown, and proofs are kept apart.

The protocol was written from the pages alone: writes with tokens reach a storage over a channel,
late ones too, and it has to refuse those of an older lease.
"""

from pathlib import Path

import pytest

from tests.cli.running import bmc

FENCED = '''
from bmc.lang import *


class Fenced(Protocol):
    """A storage that refuses writes under an older token than it has seen."""

    tokens = Parameter("tokens", default=3, low=1, high=5, about="how many leases there are")
    Token = Integer("Token", 0, tokens)

    granted = Variable(Token, "the last token handed out")
    writes = Variable(Sequence(Token, 2), "on the way to the storage")
    stored = Variable(Token, "that of the last write that was stored")
    highest = Variable(Token, "the highest that the storage has seen")

    @action()
    def Init(self, s):
        s.granted = s.stored = s.highest = 0
        s.writes = ()

    @action()
    def Grant(self, s):
        s.require(s.granted < self.tokens)
        s.granted = s.granted + 1

    @action(token=Token)
    def Send(self, s, token):
        s.require(token > 0, token <= s.granted, size(s.writes) < 2)
        s.writes = append(s.writes, token)

    @action()
    def Store(self, s):
        s.require(size(s.writes) > 0)
        token = at(s.writes, 0)
        s.writes = tail(s.writes)
        with s.either():
            s.require(token >= s.highest)
            s.stored = token
            s.highest = token
        with s.either():
            s.require(token < s.highest)

    Next = one_of(Grant, Send, Store)

    @invariant("nothing is stored before the storage has seen it")
    def NeverBack(self, s):
        return s.stored >= s.highest

    @step_invariant("what is stored does not go back")
    def Fences(self, s, t):
        return s.stored <= t.stored
'''
FORGETFUL = FENCED.replace("            s.highest = token\n", "")


@pytest.fixture
def fenced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("fenced.py").write_text(FENCED, encoding="utf-8")
    Path("forgetful.py").write_text(FORGETFUL, encoding="utf-8")
    return "fenced.py:Fenced"


def test_the_lemma_that_a_claim_of_steps_needs_is_found(fenced: str) -> None:
    alone = bmc("prove", fenced, "-P", "Fences", "--engine", "kinduction", "--k", "3")
    assert alone.code == 3
    for claims in (("-P", "Fences"), ()):
        found = bmc("infer", fenced, *claims, "--timeout", "30", "--json")
        assert found.code == 0, found.out
        (lemma,) = found.document["lemmas"]
        assert lemma["formula"] == "stored <= highest"


def test_a_claim_of_steps_that_is_false_is_violated_and_not_inferred(fenced: str) -> None:
    said = bmc("infer", "forgetful.py:Fenced", "-P", "Fences", "--timeout", "30")
    assert said.code == 1
    assert "Fences  violated  by a trace of 7 states" in said.out


def test_a_step_against_it_is_shown_where_it_is_open_at_all_parameters(fenced: str) -> None:
    said = bmc("prove", fenced, "--all-parameters")
    assert said.code == 3
    assert "At tokens=1 there is a step against one of them" in said.out
    assert "Fences fails after Store" in said.out
    assert "Fences after Store: its instances have a model: perhaps a lemma is missing" in said.out
    assert "No counterexample to induction was found" not in said.out


def test_a_lemma_about_a_sort_without_a_name_is_told_beside_those_to_paste(fenced: str) -> None:
    said = bmc("mine", fenced)
    assert said.code == 0, said.err
    assert "def mined_1(self, s):" in said.out
    assert "# not to paste (the sort Seq(Token[0..tokens], 2) has no name: give it" in said.out


def test_each_of_several_certificates_says_what_it_is_of(fenced: str) -> None:
    said = bmc("prove", fenced, "--certificate", "proof.json").out.splitlines()
    written = [line.partition(";")[0] for line in said if line.startswith("Certificate")]
    if len(written) == 1:
        assert written == ["Certificate: proof.json"]
    else:
        claims = [line.removeprefix("Certificate of ").partition(":")[0] for line in written]
        assert sorted(claims) == ["Fences", "NeverBack"]
        assert [line.rpartition(" ")[2] for line in written] == ["proof.json", "proof-2.json"]
