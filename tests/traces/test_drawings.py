"""Every protocol can be drawn, and a drawing never decides anything."""

from itertools import islice

import pytest

from bmc.cli.shared.catalogue import built_in, find
from bmc.engines.bounded import check
from bmc.engines.preference import TracePreference
from bmc.engines.task import SILENT, Task
from bmc.evidence.trace import Trace, TraceStep
from bmc.lang import (
    Expr,
    Protocol,
    State,
    Step,
    Suite,
    Variable,
    action,
    append,
    one_of,
    record,
    size,
)
from bmc.lang.drawing import Card, Drawing, Inbox, Log, Messages, lifeline, lifelines
from bmc.lang.errors import LanguageError, SortError
from bmc.lang.protocol import parameter_values
from bmc.lang.sorts import (
    BOOL,
    EnumSort,
    Integer,
    MapSort,
    OptionSort,
    Record,
    Scalarset,
    Sequence,
    SetSort,
    Variant,
)
from bmc.lang.state import state_variable
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter
from bmc.reports.traces.diagram import drawing_of, scene
from bmc.reports.traces.html import trace_html
from bmc.reports.vocabulary import Vocabulary


def some_trace(interpreter: Interpreter, steps: int) -> Trace:
    """An execution that takes the last of the first few successors each time."""
    state = next(iter(interpreter.initial_states()))
    found = [TraceStep(None, {}, state)]
    for _ in range(steps):
        ways = list(islice(interpreter.successors(state), 4))
        if not ways:
            break
        state = ways[-1].state
        found.append(TraceStep(ways[-1].action, ways[-1].arguments, state))
    return Trace(tuple(found))


@pytest.mark.parametrize("name", built_in())
def test_every_protocol_can_be_drawn(name: str) -> None:
    suite = find(name)
    parameters = parameter_values(suite.protocol, {})
    words = Vocabulary.of(suite, parameters)
    interpreter = Interpreter(suite.model(False), Domains(parameters))
    trace = some_trace(interpreter, 4)
    drawn = scene(suite, words, trace)
    assert len(drawn.steps) == len(trace)
    assert drawn.columns
    names = [column.name for column in drawn.columns]
    assert len(set(names)) == len(names)
    for arrow in drawn.arrows:
        assert arrow.received is None or arrow.sent <= arrow.received
    text = trace_html(suite, words, trace)
    assert text.count('class="row') == len(trace)
    assert "built-in method" not in text
    assert " object at 0x" not in text


def test_patterns_of_a_drawing_name_actions() -> None:
    from fnmatch import fnmatchcase

    used: set[str] = set()
    wanted: set[str] = set()
    for name in built_in():
        suite = find(name)
        words = Vocabulary.of(suite, parameter_values(suite.protocol, {}))
        drawing = drawing_of(suite, words)
        actions = [action.name for action in suite.model(False).actions]
        for table in (drawing.actors, drawing.arrows):
            wanted |= set(table)
            used |= {key for key in table if any(fnmatchcase(a, key) for a in actions)}
    assert wanted == used


Node = Scalarset("Node", 2)
Entry = Record("Entry", id=Integer("Id", 0, 2))


def test_what_is_no_log_is_refused() -> None:
    flag = state_variable("flag", BOOL)
    with pytest.raises(LanguageError, match="is no log"):
        Log(flag)
    entries = state_variable("log", Sequence(Entry, 2))
    with pytest.raises(SortError, match="epoch"):
        Log(entries, shown=("epoch",))
    numbers = state_variable("log", MapSort(Integer("Offset", 0, 1), OptionSort(Node)))
    with pytest.raises(LanguageError, match="no record"):
        Log(numbers, coloured="epoch")


def test_what_holds_no_messages_is_refused() -> None:
    with pytest.raises(LanguageError, match="no set"):
        Messages(state_variable("log", Sequence(Entry, 2)), "controller")
    with pytest.raises(LanguageError, match="no record"):
        Messages(state_variable("some", SetSort(Node)), "controller", shown=("id",))
    held = state_variable("sent", SetSort(Variant("Kind", ask=Entry, go=Node)))
    assert Messages(held, None, ends=("id",)).ends == ("id",)
    with pytest.raises(LanguageError, match="no message of sent has the field 'di'"):
        Messages(held, None, ends=("id", "di"))
    with pytest.raises(LanguageError, match="no inbox"):
        Inbox(state_variable("flag", BOOL), shown=("id",))
    with pytest.raises(SortError):
        lifelines(Sequence(Node, 2), lambda node: Card())
    assert Drawing((lifeline("one", Card()),)).lifelines[0].name == "one"


def test_a_loss_says_who_counted_it_as_committed_and_what_came_late() -> None:
    suite = find("kafka-truncate-to-hw")
    task = Task(suite, {"replicas": 2}, ("WeakIsr",), 8)
    (result,) = check(task, SILENT, TracePreference())
    assert result.trace is not None
    words = Vocabulary.of(suite, task.parameters)
    drawn = scene(suite, words, result.trace)
    names = [column.name for column in drawn.columns]
    assert names == ["controller", "r1", "r2"]
    (loss,) = drawn.losses
    assert (loss.step, names[loss.column], loss.holder, loss.high_watermark) == (8, "r2", "r1", 1)
    assert (loss.committed, [entry.text for _, entry in loss.entries]) == (1, ["id 0, epoch 0"])
    assert drawn.steps[8].sentence == "r2 truncates to its own high watermark, 0"
    late = [arrow for arrow in drawn.arrows if arrow.received and arrow.received > arrow.sent]
    assert {(names[a.source or 0], names[a.target or 0]) for a in late} == {
        ("controller", "r1"),
        ("controller", "r2"),
    }
    text = trace_html(suite, words, result.trace, [])
    assert "r2 loses offset 0 (id 0, epoch 0), which counts as committed" in text


def test_colours_are_of_numbers_or_of_any_texts() -> None:
    """A name of an enumeration may be a digit that Python reads as no number."""
    kind = EnumSort("Kind", ("3", "--1", "²"))
    entry = Record("Entry", kind=kind)

    class Odd(Protocol):
        log = Variable(Sequence(entry, 3))

        @action()
        def Init(self, s: Step) -> None:
            s.log = ()

        @action(k=kind)
        def Add(self, s: Step, k: Expr) -> None:
            s.require(size(s.log) < 3)
            s.log = append(s.log, record(entry, kind=k))

        Next = one_of(Add)

        def drawn(self, s: State) -> Drawing:
            log = Log(s.log, ("kind",), "kind")
            return Drawing((lifeline("all", Card(logs={"log": log})),))

    assert "²" in _page_of(Odd)


def test_every_field_has_a_name_of_its_own_on_a_card() -> None:
    """What was called as the field of another record took its place, or was not drawn."""
    number = Integer("Number", 0, 9)
    part = Record("Part", x=number)
    whole = Record("Whole", p=part, q=part, r=part, x=number)

    class Nested(Protocol):
        a = Variable(whole)
        b = Variable(part)

        @action()
        def Init(self, s: Step) -> None:
            parts = {name: record(part, x=n) for n, name in enumerate("pqr", 1)}
            s.a = record(whole, x=4, **parts)
            s.b = record(part, x=5)

        @action()
        def Again(self, s: Step) -> None:
            s.b.x = 6

        Next = one_of(Again)

    suite = Suite.of(Nested, "nested")
    words = Vocabulary.of(suite, {})
    interpreter = Interpreter(suite.model(False), Domains({}))
    (card,) = scene(suite, words, some_trace(interpreter, 0)).steps[0].cards
    named = [(fact.name, fact.text) for fact in card.facts]
    assert named == [("x", "1"), ("a x", "2"), ("a.r.x", "3"), ("a.x", "4"), ("b x", "5")]


def _page_of(protocol: type[Protocol]) -> str:
    suite = Suite.of(protocol, "odd")
    words = Vocabulary.of(suite, {})
    interpreter = Interpreter(suite.model(False), Domains({}))
    return trace_html(suite, words, some_trace(interpreter, 3))
