"""Bags of messages: functions of varying domain with too many possible arguments for places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.frontends.tla import samples
from bmc.frontends.tla.agreement import compare_reachable
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle import wandering
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.samples import Samples
from bmc.frontends.tla.translate.model import translate
from bmc.frontends.tla.translated_model import TranslatedModel

VOTES = """---- MODULE Votes ----
EXTENDS Naturals, FiniteSets, Sequences, TLC
CONSTANT Node
VARIABLES bag, term, votes, round
Init == /\\ bag = [m \\in {} |-> 0] /\\ term = [n \\in Node |-> 0]
        /\\ votes = [n \\in Node |-> <<>>] /\\ round = 0
Send(b, m) == IF m \\in DOMAIN b THEN [b EXCEPT ![m] = @ + 1] ELSE b @@ (m :> 1)
Ask(n) == /\\ round < 2 /\\ round' = round + 1
          /\\ term' = [term EXCEPT ![n] = round + 1]
          /\\ LET asked == {[kind |-> "ask", term |-> round + 1, from |-> n, to |-> o,
                              seen |-> <<>>] : o \\in Node \\ {n}}
             IN /\\ \\A m \\in asked : m \\notin DOMAIN bag
                /\\ bag' = bag @@ [m \\in asked |-> 1]
          /\\ UNCHANGED votes
Answer == \\E m \\in DOMAIN bag :
            /\\ bag[m] > 0 /\\ m.kind = "ask" /\\ m.term >= term[m.to]
            /\\ term' = [term EXCEPT ![m.to] = m.term]
            /\\ bag' = Send([bag EXCEPT ![m] = @ - 1],
                           [kind |-> "yes", term |-> m.term, from |-> m.to, to |-> m.from,
                            seen |-> votes[m.to], of |-> m])
            /\\ UNCHANGED <<votes, round>>
Count == \\E m \\in DOMAIN bag :
           /\\ bag[m] > 0 /\\ m.kind = "yes" /\\ Len(votes[m.to]) < 2
           /\\ votes' = [votes EXCEPT ![m.to] = Append(@, m.term)]
           /\\ bag' = [bag EXCEPT ![m] = @ - 1] /\\ UNCHANGED <<term, round>>
Next == (\\E n \\in Node : Ask(n)) \\/ Answer \\/ Count
Spec == Init /\\ [][Next]_<<bag, term, votes, round>>
Once == \\A m \\in DOMAIN bag : bag[m] <= 1
NoLateVote == \\A m \\in DOMAIN bag : m.kind = "yes" => m.seen # <<1>>
====
"""


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    """Return a text whose messages hold sequences and each other."""
    (tmp_path / "Votes.cfg").write_text(
        "SPECIFICATION Spec\nCONSTANT Node = {a, b}\nCHECK_DEADLOCK FALSE\n"
        "INVARIANTS Once NoLateVote\n"
    )
    (tmp_path / "Votes.tla").write_text(VOTES)
    return tmp_path / "Votes.tla"


def test_a_bag_has_the_steps_and_truths_of_the_text(votes: Path) -> None:
    specification = load(votes)
    translation = translate(specification, samples=Samples(specification))
    assert translation.layout.tables
    compared = compare_reachable(
        Search(Machine(specification)), TranslatedModel(translation), 1_000
    )
    assert compared.complete
    assert compared.skipped == 0
    assert compared.states == 49  # TLC's count


def test_a_proof_says_which_messages_were_guessed(
    votes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["prove", str(votes), "--property", "Once", "--explain"]) == 0
    assert "arguments that were met: guessed" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["explore", "check", "prove"])
def test_a_message_that_no_sample_has_is_not_lost(
    votes: Path,
    command: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such a step leaves the bounds; without it the false claim would hold."""
    monkeypatch.setattr(samples, "_NEAR", 4)
    monkeypatch.setattr(samples, "_WALKS", 0)
    monkeypatch.setattr(wandering, "MOST", 1)
    assert run([command, str(votes), "--property", "NoLateVote", "--json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result["verdict"] == "violated"


MANY = """---- MODULE Many ----
EXTENDS Naturals, TLC
VARIABLES bag
Init == bag = [m \\in {} |-> 0]
Room == 1..6
Send == \\E a, b, c, d \\in Room :
          bag' = (IF [a |-> a, b |-> b, c |-> c, d |-> d] \\in DOMAIN bag THEN bag
                  ELSE bag @@ ([a |-> a, b |-> b, c |-> c, d |-> d] :> 1))
Next == Send
====
"""


def test_too_many_messages_are_refused_soon(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Walks went on for tens of seconds, and no model came of what they met."""
    (tmp_path / "Many.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    (tmp_path / "Many.tla").write_text(MANY)
    monkeypatch.setattr(samples, "_NEAR", 4)
    monkeypatch.setattr(samples, "_WALKS", 0)
    assert run(["doctor", str(tmp_path / "Many.tla")]) == 2
    said = capsys.readouterr().out
    assert "Many.tla:3:11: walks met more than 1,000 values that bag is defined at" in said
    assert "make the constants of the configuration smaller" in said


ROLES = """---- MODULE Roles ----
EXTENDS Naturals, TLC
CONSTANTS Voter, Gone
VARIABLES role, count
Init == role = (1 :> Voter) /\\ count = 0
Spawn == /\\ count < 2 /\\ count' = count + 1
         /\\ role' = role @@ (count + 2 :> Voter)
Fail == \\E i \\in DOMAIN role : /\\ role[i] = Gone
                              /\\ role' = [role EXCEPT ![i] = Gone] @@ (count + 2 :> Voter)
                              /\\ UNCHANGED count
Next == Spawn \\/ Fail
====
"""


def test_an_update_to_a_value_that_no_step_reaches_is_translated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What no state has is no value of the sort: the step that gives it leaves the bounds."""
    (tmp_path / "Roles.cfg").write_text(
        "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nCONSTANTS Voter = Voter Gone = Gone\n"
    )
    (tmp_path / "Roles.tla").write_text(ROLES)
    assert run(["explore", str(tmp_path / "Roles.tla")]) == 0
    assert "3 distinct states" in capsys.readouterr().out


FOLDS = """---- MODULE Emptied ----
EXTENDS Integers, Bags, BagsExt, TLC
VARIABLES bag, kept
Some(b) == CHOOSE e \\in DOMAIN b : TRUE
Large(b) == FoldBag(LAMBDA x, y : IF y > 1 THEN BagAdd(x, y) ELSE x, EmptyBag, b)
Init == bag = (1 :> 2) @@ (2 :> 1) @@ (3 :> 3) /\\ kept = Large(bag)
Next == bag # EmptyBag /\\ bag' = BagRemove(bag, Some(bag)) /\\ kept' = Large(bag')
First == BagCardinality(bag) = 6
TheBaseOnce == First => FoldBag(LAMBDA x, y : x + y, 1, bag) = 14
InOrder == First => FoldBag(LAMBDA x, y : x - y, 0, bag) = -13
TheBaseOfEach == First => MapThenFoldBag(LAMBDA x, y : x + y, 1, LAMBDA e : 1, Some, bag) = 10
Alternating == First => MapThenFoldBag(LAMBDA x, y : x - y, 0, LAMBDA e : e, Some, bag) = -9
Kept == \\A e \\in DOMAIN kept : e > 1 /\\ kept[e] = bag[e]
====
"""


def test_folds_of_bags_are_those_of_tlc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """TLC has FoldBag by itself, otherwise than BagsExt defines it: no invariant is violated."""
    claims = "TheBaseOnce InOrder TheBaseOfEach Alternating Kept"
    (tmp_path / "Emptied.cfg").write_text(
        f"INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nINVARIANTS {claims}\n"
    )
    (tmp_path / "Emptied.tla").write_text(FOLDS)
    assert run(["explore", str(tmp_path / "Emptied.tla"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {one["property"]: one["verdict"] for one in found["results"]} == dict.fromkeys(
        claims.split(), "proved"
    )
