"""`bmc export tla`: the text has the protocol's states and claims, by the evaluator of texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Explored, Search
from tests.cli.running import Answered, bmc

SMALL = [
    ("id-sequence", {"max_id": 3}, 5),
    ("replicated-log", {}, 49),
    ("kafka", {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}, 277),
    ("kafka-async-isr", {"replicas": 2, "max_version": 1}, 24),
]

POST = '''
"""Letters of two kinds, in a queue and on a pile."""

from bmc.lang import *
from bmc.lang.temporal import leads_to, temporal


class Post(Protocol):
    """A sender, a queue, a pile, and a constraint."""

    people = Parameter("people", 2, 1, 3, "who writes")
    Person = Scalarset("Person", people)
    Colour = EnumSort("Colour", ("red", "blue", "green"))
    Page = Record("Page", number=Integer("Number", 0, 1), colour=OptionSort(Colour))
    Letter = Variant("Letter", Text=Page, Empty=Person)
    queue = Variable(Sequence(Letter, 2))
    pile = Variable(BoundedSet(Letter, 2))
    first = Variable(OptionSort(Colour))
    WF_last = Variable(MapSort(Person, Integer("Count", -1, 2)))

    @action()
    def Init(self, s):
        s.queue = empty(Sequence(self.Letter, 2))
        s.pile = frozenset()
        s.first = None
        s.WF_last = mapping(self.Person, lambda p: -1, Integer("Count", -1, 2))

    @action(who=Person, page=Page, colour=Colour)
    def Append(self, s, who, page, colour):
        s.require(size(s.queue) < 2, s.WF_last[who] < 1, page.colour == colour)
        s.queue = append(s.queue, inject(self.Letter, "Text", page))
        s.WF_last[who] = s.WF_last[who] + 1

    @action(who=Person)
    def Blank(self, s, who):
        s.require(size(s.queue) == 0, s.WF_last[who] == -1)
        s.queue = append(s.queue, inject(self.Letter, "Empty", who))
        s.WF_last[who] = 1

    @action(fairness="weak")
    def Deliver(self, s):
        s.require(size(s.queue) > 0)
        letter = at(s.queue, 0)
        s.pile = insert(s.pile, letter)
        s.first = ite(
            conj(is_case(letter, "Text"), payload(letter, "Text").number == 1),
            choose(self.Colour, lambda c: c != "red"),
            s.first,
        )
        s.queue = tail(s.queue)

    Next = (Append, Blank, Deliver)

    def Constraint(self, s):
        return size(s.pile) < 2

    @invariant("it is set by pages of number 1 alone")
    def NotGreen(self, s):
        return s.first != "green"

    @invariant("false: a page may be delivered")
    def NothingDelivered(self, s):
        return size(s.pile) == 0

    @temporal("a single letter is delivered")
    def Emptied(self, s):
        return leads_to(size(s.queue) == 1, size(s.queue) == 0)

    @step_invariant("nothing leaves the pile")
    def Kept(self, s, t):
        return s.pile <= t.pile
'''


@pytest.fixture
def post(tmp_path: Path) -> str:
    (tmp_path / "post.py").write_text(POST)
    return f"{tmp_path / 'post.py'}:Post"


def exported(folder: Path, protocol: str, given: dict[str, int], *more: str) -> Answered:
    arguments = [f"-p{name}={value}" for name, value in given.items()]
    answer = bmc("export", "tla", protocol, *arguments, *more, "-o", str(folder / "Out.tla"))
    assert answer.code == 0, answer.err
    return answer


def evaluated(path: Path) -> Explored:
    return Search(Machine(load(path))).run()


@pytest.mark.parametrize(("protocol", "given", "states"), SMALL, ids=[one[0] for one in SMALL])
def test_the_text_has_the_states_of_the_protocol(
    tmp_path: Path, protocol: str, given: dict[str, int], states: int
) -> None:
    exported(tmp_path, protocol, given)
    found = evaluated(tmp_path / "Out.tla")
    assert (found.distinct, found.complete, found.violation) == (states, True, None)
    parameters = [f"-p{name}={value}" for name, value in given.items()]
    mine = json.loads(bmc("explore", protocol, *parameters, "--json").out)
    assert (mine["distinct_states"], mine["levels"]) == (states, found.levels)


@pytest.mark.nightly
def test_elasticsearch_is_read_back(tmp_path: Path) -> None:
    """Some of its lemmas choose a message from a set, and are not offered: it is said which."""
    exported(tmp_path, "elasticsearch", {})
    read = bmc("explore", str(tmp_path / "Out.tla"), "--json")
    mine = json.loads(bmc("explore", "elasticsearch", "--json").out)
    assert (read.code, read.document["levels"]) == (0, mine["levels"])
    assert read.document["generated_states"] == mine["generated_states"]
    told = [note for note in read.document["scope"]["notes"] if note.startswith("lemma ")]
    assert all("is not offered" in note and "CHOOSE" in note for note in told)


def test_the_text_is_read_back_with_its_lemmas(tmp_path: Path) -> None:
    exported(tmp_path, "kafka-async-isr", {"replicas": 2, "max_version": 1})
    read = bmc("explore", str(tmp_path / "Out.tla"), "--json")
    assert (read.code, read.document["distinct_states"]) == (0, 24)
    assert "bmc: lemma" in (tmp_path / "Out.cfg").read_text()


def test_every_sort_and_operator_of_a_protocol_is_written(tmp_path: Path, post: str) -> None:
    exported(tmp_path, post, {}, "-P", "NotGreen", "-P", "Kept")
    text = (tmp_path / "Out.tla").read_text()
    assert "Append2(who, page, colour) ==" in text
    assert "/\\ Inside'" in text
    found = evaluated(tmp_path / "Out.tla")
    mine = json.loads(bmc("explore", post, "--json", "-P", "NotGreen", "-P", "Kept").out)
    assert found.violation is None
    assert found.complete
    assert (found.distinct, found.levels) == (mine["distinct_states"], mine["levels"])


def test_a_false_claim_is_as_false_in_the_text(tmp_path: Path, post: str) -> None:
    exported(tmp_path, post, {}, "-P", "NothingDelivered")
    found = evaluated(tmp_path / "Out.tla").violation
    assert found is not None
    mine = json.loads(bmc("check", post, "-P", "NothingDelivered", "--json").out)
    assert found.property == "NothingDelivered"
    assert len(found.steps) == len(mine["results"][0]["trace"])


SPREAD = '''
"""Colours that spread, and a step that changes nothing."""

from bmc.lang import *


class Spread(Protocol):
    Colour = EnumSort("Colour", ("red", "blue", "green"))
    seen = Variable(SetSort(Colour))
    last = Variable(Colour)

    @action()
    def Init(self, s):
        s.seen = {"red"}
        s.last = "red"

    @action()
    def Spread(self, s):
        s.seen = union_of(
            s.seen,
            lambda c: ite(c == "red", {c, coerce("blue", self.Colour)}, one(c)),
            SetSort(self.Colour),
        )

    @action()
    def Rest(self, s):
        s.require(s.last == "red")

    Next = (Spread, Rest)

    @invariant("what was not seen does not spread")
    def NeverGreen(self, s):
        return ~member("green", s.seen)

    @step_invariant("false: a step may change nothing")
    def Grows(self, s, t):
        return size(s.seen) < size(t.seen)

    @step_invariant("nothing is forgotten", c=Colour)
    def Kept(self, s, t, c):
        return implies(member(c, s.seen), member(c, t.seen))
'''


@pytest.fixture
def spread(tmp_path: Path) -> str:
    (tmp_path / "spread.py").write_text(SPREAD)
    return f"{tmp_path / 'spread.py'}:Spread"


def test_a_union_runs_over_the_members_of_a_set_alone(tmp_path: Path, spread: str) -> None:
    exported(tmp_path, spread, {}, "-P", "NeverGreen")
    found = evaluated(tmp_path / "Out.tla")
    assert (found.levels, found.violation) == ([1, 1], None)


@pytest.mark.parametrize(("claim", "code"), [("Grows", 1), ("Kept", 0)])
def test_a_claim_of_steps_is_one_of_those_that_change_nothing_too(
    tmp_path: Path, spread: str, claim: str, code: int
) -> None:
    assert bmc("explore", spread, "-P", claim).code == code
    exported(tmp_path, spread, {}, "-P", claim)
    assert bmc("explore", str(tmp_path / "Out.tla")).code == code


def test_what_is_evident_of_a_step_that_changes_nothing_is_not_said(
    tmp_path: Path, post: str
) -> None:
    exported(tmp_path, post, {}, "-P", "Kept")
    assert "ENABLED" not in (tmp_path / "Out.tla").read_text()


def test_a_trace_in_tlc_s_form_ends_in_a_state_of_the_text(tmp_path: Path, post: str) -> None:
    exported(tmp_path, post, {}, "-P", "NotGreen")
    found = bmc("check", post, "-P", "NothingDelivered", "--format", "tla").out
    *before, last = found.split("\nState ")[1:]
    formula = last.partition("\n\n")[0].partition("\n")[2].replace("WF_last", "xWF_last")
    (tmp_path / "After.tla").write_text(
        "---- MODULE After ----\nEXTENDS Out, TLC\nCONSTANTS p1, p2\n"
        f"NotThere == ~(\n{formula}\n)\n====\n"
    )
    (tmp_path / "After.cfg").write_text(
        (tmp_path / "Out.cfg").read_text() + "INVARIANT NotThere CONSTANTS p1 = p1 p2 = p2"
    )
    reached = evaluated(tmp_path / "After.tla").violation
    assert reached is not None
    assert (reached.property, len(reached.steps)) == ("NotThere", len(before) + 1)


def test_a_history_is_a_module_that_extends_the_protocol_s(tmp_path: Path) -> None:
    small = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 0}
    answer = exported(tmp_path, "kafka", small, "--json")
    names = [Path(one).name for one in answer.document["files"]]
    assert names == ["Out.tla", "Out.cfg", "OutHistory.tla", "OutHistory.cfg"]
    config = (tmp_path / "OutHistory.cfg").read_text()
    (tmp_path / "OutHistory.cfg").write_text(
        config.replace("TypeOk", "TypeOk leader_covers_its_commits")
    )
    found = evaluated(tmp_path / "OutHistory.tla")
    assert (found.violation, found.complete) == (None, True)


def test_fairness_and_temporal_claims_are_written(tmp_path: Path, post: str) -> None:
    exported(tmp_path, post, {}, "-P", "Emptied")
    text, config = ((tmp_path / f"Out.{end}").read_text() for end in ("tla", "cfg"))
    assert "WF_vars(Deliver)" in text
    assert "\nEmptied ==\n  ((Len(queue) = 1) ~> (Len(queue) = 0))" in text
    assert "PROPERTIES\n  Emptied" in config
    load(tmp_path / "Out.tla")


TURNS = """
from bmc.lang import *
from bmc.lang.temporal import (
    Not, always, both, either_of, entails, eventually, happens, never, temporal
)


class Turns(Protocol):
    x = Variable(Integer("Turn", 0, 2))

    @action()
    def Init(self, s):
        s.x = 0

    @action(fairness="weak")
    def Go(self, s):
        s.x = (s.x + 1) % 3

    Next = one_of(Go)

    @temporal("a claim")
    def Claim(self, s):
        return STATED
"""


@pytest.mark.parametrize(
    ("stated", "text"),
    [
        ("entails(eventually(always(P)), always(eventually(Q)))", "(<>([](P)) => [](<>(Q)))"),
        ("entails(always(eventually(P)), always(eventually(Q)))", "(<>([](~P)) \\/ [](<>(Q)))"),
        ("Not(both(eventually(always(P)), eventually(Q)))", "(<>([](P)) => [](~Q))"),
        ("either_of(never(eventually(P)), eventually(Q))", "([]([](~P)) \\/ <>(Q))"),
        ("never(both(P, eventually(Q)))", "[]((P => [](~Q)))"),
        ("never(Not(eventually(P)))", "[](<>(P))"),
        ("Not(happens(P))", "[][~P]_vars"),
    ],
)
def test_temporal_claims_have_no_eventually_that_is_denied(
    stated: str, text: str, tmp_path: Path
) -> None:
    """TLC calls `~<>~<>P` violated where `[]<>P` holds: claims of that form were said to be."""
    written = stated.replace("P", "s.x == 0").replace("Q", "s.x == 1")
    (tmp_path / "turns.py").write_text(TURNS.replace("STATED", written))
    exported(tmp_path, f"{tmp_path / 'turns.py'}:Turns", {}, "-P", "Claim")
    said = (tmp_path / "Out.tla").read_text().partition("\nClaim ==\n  ")[2].partition("\n")[0]
    assert said.replace("(x = 0)", "P").replace("(x = 1)", "Q") == text
    load(tmp_path / "Out.tla")


def test_what_is_no_module_s_name_is_refused(tmp_path: Path) -> None:
    answer = bmc("export", "tla", "id-sequence", "-o", str(tmp_path / "my-spec.tla"))
    assert answer.code == 2
    assert "name it after the module" in answer.err


def test_a_text_of_somebody_else_s_is_not_replaced_and_an_own_one_is(tmp_path: Path) -> None:
    exported(tmp_path, "id-sequence", {})
    exported(tmp_path, "id-sequence", {})
    (tmp_path / "Out.tla").write_text("---- MODULE Out ----\n====\n")
    answer = bmc("export", "tla", "id-sequence", "-o", str(tmp_path / "Out.tla"))
    assert answer.code == 2
    assert "would be lost" in answer.err


RING = """
from bmc.lang import *


class Ring(Protocol):
    slots = Parameter("slots", default=3, low=2, high=9, about="slots of the buffer")
    Slot = Integer("Slot", 0, slots - 1)
    Time = Integer("Time", 0, slots * 3)
    written = Variable(Time)
    read = Variable(Time)
    ring = Variable(MapSort(Slot, Time))
    area = Variable(Integer("Area", 0, 100))

    @action()
    def Init(self, s):
        s.written, s.read, s.area = 0, 0, 0
        s.ring = mapping(self.Slot, lambda i: 0, self.Time)

    @action()
    def Write(self, s):
        s.require(s.written < self.slots * 3, s.written - s.read < self.slots)
        s.ring[s.written % self.slots] = s.written
        s.written = s.written + 1

    @action()
    def Read(self, s):
        s.require(s.read < s.written)
        s.read = s.read + 1
        s.area = s.read * s.written // 2 + 2 * (s.read % 2)

    Next = one_of(Write, Read)

    @invariant("what is not yet read is in its slot")
    def Kept(self, s):
        inside = lambda t: (s.read <= t) & (t < s.written)
        return forall(self.Time, lambda t: implies(inside(t), s.ring[t % self.slots] == t))
"""


def test_products_and_quotients_mean_in_tla_what_they_mean_here(tmp_path: Path) -> None:
    (tmp_path / "ring.py").write_text(RING)
    ring = f"{tmp_path / 'ring.py'}:Ring"
    exported(tmp_path, ring, {})
    assert "area' = (read * written) \\div 2 + 2 * (read % 2)" in (tmp_path / "Out.tla").read_text()
    found = evaluated(tmp_path / "Out.tla")
    mine = json.loads(bmc("explore", ring, "--json").out)
    # TLC finds these 60 states.
    assert (found.distinct, mine["distinct_states"], found.violation) == (60, 60, None)
    assert mine["levels"] == found.levels
    assert bmc("prove", ring, "--engine", "kinduction", "--k", "3").code == 0
