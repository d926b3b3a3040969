"""A protocol that says nothing of how it is drawn: what its page says, in a reader's words."""

from __future__ import annotations

from typing import Any

import pytest

from bmc.evidence.explanation import explain_failure
from bmc.evidence.trace import Trace, TraceStep
from bmc.lang import (
    Integer,
    MapSort,
    OptionSort,
    Parameter,
    Protocol,
    Record,
    Scalarset,
    Sequence,
    SetSort,
    Suite,
    Variable,
    Variant,
    action,
    append,
    empty,
    forall,
    inject,
    insert,
    invariant,
    is_case,
    mapping,
    one_of,
    payload,
    record,
    remove,
    size,
    tail,
)
from bmc.lang.protocol import parameter_values
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter
from bmc.reports.traces.diagram import Scene, scene
from bmc.reports.traces.explanations import explanation_lines
from bmc.reports.traces.html import trace_html
from bmc.reports.traces.participants import CardView, Fact
from bmc.reports.traces.step_text import told_by_cards
from bmc.reports.vocabulary import Vocabulary


class Mail(Protocol):
    """People write letters and keep a journal of what they wrote."""

    last = Parameter("last", default=1, low=1, high=3, about="the last day")
    Person = Scalarset("Person", 2)
    Day = Integer("Day", 0, last)
    Letter = Record("Letter", sender=Person, receiver=Person, day=Day)
    Mail = Variant("Mail", Letter=Letter, Notice=Record("Notice", to=OptionSort(Person)), Stamp=Day)
    Note = Record("Note", who=Person, day=Day)

    post = Variable(SetSort(Mail))
    notes = Variable(SetSort(Note))
    journal = Variable(MapSort(Person, Sequence(Day, 3)))

    @action()
    def Init(self, s: Any) -> None:
        s.post, s.notes = set(), set()
        s.journal = mapping(self.Person, lambda p: empty(self.Days), self.Days)

    Days = Sequence(Day, 3)

    @action(me=Person, you=Person, day=Day)
    def Write(self, s: Any, me: Any, you: Any, day: Any) -> None:
        s.require(me != you, day == size(s.journal[me]))
        letter = record(self.Letter, sender=me, receiver=you, day=day)
        s.post = insert(s.post, inject(self.Mail, "Letter", letter))
        s.notes = insert(s.notes, record(self.Note, who=me, day=day))
        s.journal[me] = append(s.journal[me], day)

    @action(letter=post)
    def Read(self, s: Any, letter: Any) -> None:
        s.require(is_case(letter, "Letter"))
        notice = record(self.Mail.case("Notice"), to=payload(letter, "Letter").sender)
        s.post = insert(remove(s.post, letter), inject(self.Mail, "Notice", notice))

    Next = one_of(Write, Read)

    @invariant("nobody writes on every day")
    def Few(self, s: Any) -> Any:
        return forall(self.Person, lambda p: size(s.journal[p]) < self.last + 1)


class Seats(Protocol):
    """People move from seat to seat."""

    Seat = Integer("Seat", 0, 1)
    taken = Variable(MapSort(Seat, SetSort(Seat)))

    @action()
    def Init(self, s: Any) -> None:
        s.taken = mapping(self.Seat, lambda p: empty(SetSort(self.Seat)), SetSort(self.Seat))

    @action(seat=Seat)
    def Sit(self, s: Any, seat: Any) -> None:
        s.taken[seat] = insert(s.taken[seat], seat)

    Next = one_of(Sit)


def drawn(protocol: type[Protocol], *actions: str) -> tuple[Scene, str]:
    """The scene and the page of an execution that takes the first way for each action."""
    suite = Suite.of(protocol, "mail")
    parameters = parameter_values(protocol, {})
    words = Vocabulary.of(suite, parameters)
    interpreter = Interpreter(suite.model(False), Domains(parameters))
    steps = [TraceStep(None, {}, next(iter(interpreter.initial_states())))]
    for name in actions:
        way = next(w for w in interpreter.successors(steps[-1].state) if w.action == name)
        steps.append(TraceStep(way.action, way.arguments, way.state))
    trace = Trace(tuple(steps))
    return scene(suite, words, trace), trace_html(suite, words, trace)


class Mesh(Protocol):
    """Servers send over a queue from each to each; a crash empties those to a server."""

    Server = Scalarset("Server", 2)
    Day = Integer("Day", 0, 1)
    Queue = Sequence(Day, 2)
    Queues = MapSort(Server, Queue)

    net = Variable(MapSort(Server, Queues))

    @action()
    def Init(self, s: Any) -> None:
        none = mapping(self.Server, lambda to: empty(self.Queue), self.Queue)
        s.net = mapping(self.Server, lambda sender: none, self.Queues)

    @action(sender=Server, to=Server, day=Day)
    def Send(self, s: Any, sender: Any, to: Any, day: Any) -> None:
        s.require(sender != to, day == size(s.net[sender][to]))
        s.net[sender][to] = append(s.net[sender][to], day)

    @action(sender=Server, to=Server)
    def Receive(self, s: Any, sender: Any, to: Any) -> None:
        s.require(size(s.net[sender][to]) > 0)
        s.net[sender][to] = tail(s.net[sender][to])

    @action()
    def Crash(self, s: Any) -> None:
        Mesh.Init(self, s)

    Next = one_of(Send, Receive, Crash)


@pytest.fixture(scope="module")
def mail() -> tuple[Scene, str]:
    return drawn(Mail, "Write", "Write", "Read")


def test_a_set_that_grows_shows_what_came(mail: tuple[Scene, str]) -> None:
    found, page = mail
    assert [step.sentence.split(";")[0] for step in found.steps[1:3]] == [
        "shared: notes + [who: p1, day: 0]",
        "shared: notes + [who: p1, day: 1]",
    ]
    assert "<s>{[who: p1, day: 0]}</s>" not in page
    assert "beside 1 other<" in page


def test_what_leaves_a_set_is_struck_out() -> None:
    old, new = Fact("post", "{a, b}", ("a", "b")), Fact("post", "{b, c}", ("b", "c"))
    before, after = (CardView("", (), (fact,), None, False) for fact in (old, new))
    assert told_by_cards(["box"], [before], [after]) == "box: post + c − a"


def test_logs_are_called_by_their_variable(mail: tuple[Scene, str]) -> None:
    found, page = mail
    assert "p1 appends 1 of journal (entry 1)" in found.steps[2].sentence
    assert '<span class="name">journal</span>' in page


def test_variants_that_say_who_sends_or_gets_them_are_messages(mail: tuple[Scene, str]) -> None:
    found, page = mail
    said = {
        (arrow.source, arrow.target, arrow.sent, arrow.received, arrow.text)
        for arrow in found.arrows
    }
    names = [column.name for column in found.columns]
    p1, p2 = names.index("p1"), names.index("p2")
    # The second step to p2 is the notice's: who reads a letter sends it to the letter's sender.
    assert (p1, p2, 1, 3, "Letter day 0") in said
    assert (p1, p2, 2, None, "Letter day 1") in said
    assert (p2, p1, 3, None, "Notice") in said
    assert found.steps[3].actor == p2
    assert "post" not in dict.fromkeys(
        fact.name for card in found.steps[0].cards for fact in card.facts
    )
    assert "Letter[sender: p1, receiver: p2, day: 0]" in page


def test_queues_between_two_members_are_messages_from_the_first_to_the_second() -> None:
    found, _ = drawn(Mesh, "Send", "Send", "Receive", "Crash")
    assert [column.name for column in found.columns] == ["s1", "s2"]
    (sent, step) = [(a.source, a.target, a.text) for a in found.arrows], found.steps[3]
    times = [(arrow.sent, arrow.received) for arrow in found.arrows]
    # Who receives takes the step, though the action names the sender first; a crash loses the rest.
    assert sorted(times) == [(1, 3), (2, None)]
    assert sent[times.index((1, 3))][1] == step.actor
    assert {text for *_, text in sent} == {"0", "1"}


def test_a_parameter_has_its_value_where_a_claim_is_explained() -> None:
    suite = Suite.of(Mail, "mail")
    words = Vocabulary.of(suite, {"last": 1})
    few = suite.describe(Mail.Few, suite.model(False))
    interpreter = Interpreter(suite.model(False), Domains({"last": 1}))
    state = {"post": frozenset(), "notes": frozenset(), "journal": ((0, 1), ())}
    why = explain_failure(interpreter, state, None, few)
    assert why is not None
    said = [(line.text, line.values) for line in explanation_lines(words, why)]
    assert said[-1] == ("Len(journal[p1]) < last + 1", "2 < 2")


def test_numbers_with_a_lifeline_say_whose_they_are() -> None:
    found, _ = drawn(Seats, "Sit")
    assert [column.name for column in found.columns] == ["Seat 0", "Seat 1"]
