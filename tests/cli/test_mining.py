"""`bmc mine` prints lemmas that prove what they are for, and `bmc prove` says what to do next."""

from pathlib import Path
from textwrap import dedent

import pytest

from tests.cli.running import bmc

PAIR = dedent(
    """\
    from bmc.lang import *


    class Pair(Protocol):
        limit = Parameter("limit", default=4, low=1, high=30, about="where both start again")

        Count = Integer("Count", 0, limit)
        one = Variable(Count)
        other = Variable(Count)

        @action()
        def Init(self, s):
            s.one = 0
            s.other = 0

        @action()
        def Advance(self, s):
            s.require(s.one < self.limit - 1)
            s.one = s.one + 1
            s.other = s.other + 1

        @action()
        def Reset(self, s):
            s.one = 0
            s.other = 0

        Next = one_of(Advance, Reset)

        @invariant("the second counter stays below the limit")
        def OtherBelowLimit(self, s):
            return s.other < self.limit
    """
)


def test_what_is_mined_can_be_pasted_and_proves_the_claim(tmp_path: Path) -> None:
    file = tmp_path / "pair.py"
    file.write_text(PAIR)
    open_ = bmc("prove", f"{file}:Pair", "--engine", "kinduction", "--k", "2", "--json")
    assert open_.code == 3
    found = bmc("mine", f"{file}:Pair", "--json")
    assert found.code == 0
    assert found.document["inductive"] == ["OtherBelowLimit", "WithinBounds"]
    assert found.document["imports"] == ["from bmc.lang import lemma"]
    (lemma,) = [one for one in found.document["lemmas"] if one["needed"]]
    assert lemma["formula"] == "one = other"
    file.write_text(PAIR + "\n" + "".join(f"    {line}\n" for line in lemma["text"].splitlines()))
    assert bmc("prove", f"{file}:Pair", "--engine", "kinduction", "--k", "2").code == 0


def test_the_candidate_of_a_failed_induction_can_be_pasted_too(tmp_path: Path) -> None:
    file = tmp_path / "pair.py"
    file.write_text(PAIR)
    answered = bmc("prove", f"{file}:Pair", "--engine", "kinduction", "--k", "2", "--json")
    step = answered.document["next_step"]
    assert (step["first_state"], step["broken_by"]) == ("unreachable", ["Advance"])
    best = step["candidates"][0]
    assert best["inductive"]
    assert best["closes"]
    text = bmc("prove", f"{file}:Pair", "--engine", "kinduction", "--k", "2").out
    assert "State 0 is unreachable: it is none of the 4 states that can be reached." in text
    for line in best["text"].splitlines():
        assert f"      {line}" in text.splitlines()
    file.write_text(PAIR + "\n" + "".join(f"    {line}\n" for line in best["text"].splitlines()))
    assert bmc("prove", f"{file}:Pair", "--engine", "kinduction", "--k", "2").code == 0


def test_a_proof_needs_no_next_step() -> None:
    answered = bmc("prove", "id-sequence", "-p", "max_id=2", "--json")
    assert answered.code == 0
    assert answered.document["next_step"] is None


def test_no_time_is_taken_that_the_limit_does_not_leave() -> None:
    answered = bmc(
        "prove", "kafka", "-p", "replicas=2", "--no-lemmas", "--timeout", "0.4", "--json"
    )
    assert answered.code == 3
    assert answered.document["next_step"] is None


def test_mined_text_says_where_its_names_come_from() -> None:
    small = ("-p", "replicas=2", "-p", "max_leader_epoch=1", "-p", "log_size=1")
    text = bmc("mine", "kafka", *small, "-p", "max_records=1", "--arguments", "1").out
    assert "from bmc.encodings.kafka.replication import KafkaReplication" in text.splitlines()
    assert "(s.quorumState.leaderEpoch + 1) == s.nextLeaderEpoch" in text
    assert "proved" not in text


def test_mining_for_a_violated_claim_shows_the_shortest_trace(counter: str) -> None:
    asked = ("mine", f"{counter}:Counter", "-P", "Small")
    answered = bmc(*asked)
    assert answered.code == 1
    assert "No lemma proves what is violated" in answered.out
    assert "Small is violated after step" in answered.out
    found = bmc(*asked, "--json")
    assert (found.code, found.document["lemmas"]) == (1, None)
    (result,) = found.document["results"]
    (explored,) = bmc("explore", f"{counter}:Counter", "-P", "Small", "--json").document["results"]
    assert (result["verdict"], len(result["trace"])) == ("violated", len(explored["trace"]))


def test_explain_says_what_a_proof_leans_on_and_what_it_is_about() -> None:
    asked = ("prove", "kafka", "-p", "replicas=2", "-P", "TypeOk")
    answered = bmc(*asked, "--explain", "--json")
    assert answered.document["witnesses_checked"]
    why = answered.document["why_it_holds"]
    assert why["claims"]["TypeOk"] == {
        "implied": True,
        "of_steps": False,
        "needs": ["records_fill_the_log"],
        "behind": ["records_fill_the_log"],
    }
    assert "log_matching" in why["redundant"]
    assert why["minimal"]
    assert why["vacuity"]["complete"]
    text = bmc(*asked, "--explain").out
    assert "TypeOk follows from records_fill_the_log" in text
    assert "9 of 9 actions happen, 3 of 3 witness states are reached" in text


def test_a_proof_that_did_not_look_for_witnesses_says_so() -> None:
    asked = ("prove", "kafka", "-p", "replicas=2", "-P", "TypeOk")
    assert "Witnesses: 3, not checked here" in bmc(*asked).out
    document = bmc(*asked, "--json").document
    assert not document["witnesses_checked"]
    assert document["why_it_holds"] is None


def test_explain_says_that_a_search_of_all_states_has_nothing_to_explain(tmp_path: Path) -> None:
    """It said that --explain would look for the witnesses, to whoever had given it."""
    file = tmp_path / "pair.py"
    witness = '    @witness("it starts again")\n    def Top(self, s):\n        return s.one == 1\n'
    file.write_text(PAIR + "\n" + witness)
    asked = ("prove", f"{file}:Pair", "--explain", "--engine")
    said = bmc(*asked, "explicit").out
    assert "Nothing to explain: all reachable states were looked at" in said
    assert "Witnesses: 1, not checked here (`bmc cover" in said
    assert "Nothing to explain" not in bmc(*asked, "ic3").out


def test_a_failure_that_is_reachable_is_shown_as_a_violation(tmp_path: Path) -> None:
    file = tmp_path / "tall.py"
    file.write_text(
        dedent(
            """\
            from bmc.lang import *


            class Tall(Protocol):
                height = Variable(Integer("Height", 0, 9))

                @action()
                def Init(self, s):
                    s.height = 0

                @action()
                def Grow(self, s):
                    s.require(s.height < 9)
                    s.height = s.height + 1

                Next = one_of(Grow)

                @invariant("it stays below 5")
                def Low(self, s):
                    return s.height < 5
            """
        )
    )
    asked = ("prove", f"{file}:Tall", "--engine", "kinduction", "--k", "1")
    answered = bmc(*asked, "--json")
    assert answered.code == 3
    step = answered.document["next_step"]
    assert (step["first_state"], step["reached_in"], step["not_reached_within"]) == (
        "reachable",
        4,
        3,
    )
    assert [one["state"]["height"] for one in step["violation"]] == [0, 1, 2, 3, 4, 5]
    text = bmc(*asked).out
    assert "State 0 is reachable in 4 steps: this is the end of a real execution." in text
    assert "So no lemma excludes it: Low is violated after 5 steps." in text
    assert "height  4 → 5" in text


GATE = """\
from bmc.lang import *


class Gate(Protocol):
    Node = Scalarset("Node", 3)
    inside = Variable(SetSort(Node))
    shut = Variable(BOOL)

    @action()
    def Init(self, s):
        s.inside, s.shut = set(), True

    @action(n=Node)
    def Enter(self, s, n):
        s.require(member(n, s.inside) | ~s.shut)
        s.inside, s.shut = insert(s.inside, n), False

    Next = one_of(Enter)

    @invariant("nobody is inside a gate that is shut")
    def Empty(self, s):
        return implies(s.shut, s.inside == set())
"""


def test_a_mined_body_names_the_sorts_of_its_class(tmp_path: Path) -> None:
    file = tmp_path / "gate.py"
    file.write_text(GATE)
    lemmas = bmc("mine", f"{file}:Gate", "--json").document["lemmas"]
    texts = [one["text"] for one in lemmas if "empty(" in one["text"]]
    assert texts
    pasted = "".join(f"    {line}\n" for text in texts for line in text.splitlines())
    file.write_text(GATE + "\n" + pasted)
    assert bmc("prove", f"{file}:Gate", "--engine", "kinduction").code == 0


SLOTS = """
from bmc.lang import BOOL, Integer, MapSort, Parameter, Protocol, Variable, action
from bmc.lang import forall, implies, invariant, mapping, one_of


class Slots(Protocol):
    \"\"\"Slots that are filled one at a time.\"\"\"

    slots = Parameter("slots", default=2, low=0, high=3, about="how many slots there are")

    Slot = Integer("Slot", 1, slots)
    filled = Variable(MapSort(Slot, BOOL))
    some = Variable(BOOL)

    @action()
    def Init(self, s):
        s.filled, s.some = mapping(self.Slot, lambda i: False, BOOL), False

    @action(i=Slot)
    def Fill(self, s, i):
        s.filled[i], s.some = True, True

    Next = one_of(Fill)

    @invariant("none is filled before one is")
    def Known(self, s):
        return forall(self.Slot, lambda i: implies(s.filled[i], s.some))
"""


@pytest.mark.parametrize("slots", [0, 2])
def test_a_sort_may_have_no_members(slots: int, tmp_path: Path) -> None:
    file = tmp_path / "slots.py"
    file.write_text(SLOTS)
    assert bmc("mine", f"{file}:Slots", "-p", f"slots={slots}").code == 0


def test_claims_of_steps_are_among_what_lemmas_are_looked_for(tmp_path: Path) -> None:
    file = tmp_path / "pair.py"
    stated = """
    @step_invariant("the other counter does not jump, nor without the first")
    def Slow(self, s, t):
        return implies(t.one == s.one + 1, t.other == t.one)
"""
    file.write_text(PAIR + stated)
    found = bmc("mine", f"{file}:Pair", "--json")
    assert found.code == 0
    assert {"OtherBelowLimit", "Slow"} <= set(found.document["inductive"])
    texts = [one["text"] for one in found.document["lemmas"] if one["needed"]]
    assert len(texts) == 1
    file.write_text(PAIR + stated + "\n" + "".join(f"    {x}\n" for x in texts[0].splitlines()))
    assert bmc("prove", f"{file}:Pair", "--engine", "kinduction", "-P", "Slow").code == 0


def test_a_violated_claim_of_steps_is_shown_with_its_trace(tmp_path: Path) -> None:
    file = tmp_path / "pair.py"
    stated = """
    @step_invariant("the counters never go back")
    def Forward(self, s, t):
        return s.one <= t.one
"""
    file.write_text(PAIR + stated)
    found = bmc("mine", f"{file}:Pair")
    assert (found.code, "Forward is violated after step" in found.out) == (1, True)
