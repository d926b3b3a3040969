"""What a drawing cannot say of an execution costs no page, and no verdict."""

from collections.abc import Callable
from typing import Any

import pytest

from bmc.lang import (
    Expr,
    Parameter,
    Protocol,
    State,
    Step,
    Suite,
    Variable,
    action,
    append,
    mapping,
    one_of,
    size,
    tail,
    the,
)
from bmc.lang.drawing import Card, Drawing, Inbox, Log, Messages, lifeline
from bmc.lang.errors import LanguageError
from bmc.lang.protocol import drawing_said, parameter_values
from bmc.lang.sorts import EnumSort, Integer, MapSort, OptionSort, Sequence, SetSort
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter
from bmc.reports.traces.diagram import scene
from bmc.reports.traces.html import trace_html
from bmc.reports.vocabulary import Vocabulary

from .test_drawings import some_trace

BY_SORTS = "Drawn by its sorts"
KIND = EnumSort("Kind", ("a", "b"))
NUMBER = Integer("Number", 0, 3)


class Journal(Protocol):
    """Three entries, and how many of them are committed, if any."""

    places = Parameter("places", default=1, low=0, high=2, about="entries of the old journal")
    Place = Integer("Place", 0, places - 1)

    log = Variable(Sequence(KIND, 3))
    old = Variable(MapSort(Place, OptionSort(KIND)))
    mark = Variable(OptionSort(NUMBER))
    sent = Variable(SetSort(KIND))

    @action()
    def Init(self, s: Step) -> None:
        s.log = ()
        s.old = mapping(self.Place, lambda place: None, OptionSort(KIND))
        s.mark = None
        s.sent = set()

    @action(kind=KIND)
    def Add(self, s: Step, kind: Expr) -> None:
        s.require(size(s.log) < 3)
        s.log = append(s.log, kind)
        s.mark = size(s.log)
        s.sent = {kind}

    Next = one_of(Add)


def shown(draws: Callable[[State], object] | None = None, places: int = 1) -> str:
    """The page of three steps, as the protocol is drawn by ``draws``."""

    class Drawn(Journal):
        def drawn(self, s: State) -> Any:
            assert draws is not None
            return draws(s)

    suite = Suite.of(Journal if draws is None else Drawn, "journal")
    parameters = parameter_values(suite.protocol, {"places": places})
    words = Vocabulary.of(suite, parameters)
    interpreter = Interpreter(suite.model(False), Domains(parameters))
    return trace_html(suite, words, some_trace(interpreter, 3))


def nothing(kind: Any) -> Any:
    """A function without its ``return``."""
    return None


def fails(kind: Any) -> Any:
    return 1 // 0


def alone(card: Card) -> Drawing:
    return Drawing((lifeline("all", card),))


@pytest.mark.parametrize(
    ("draws", "why"),
    [
        (lambda s: alone(Card(logs={"log": Log(tail(s.log))})), "tail of an empty sequence"),
        (lambda s: alone(Card(inbox=Inbox(tail(s.log)))), "tail of an empty sequence"),
        (lambda s: alone(Card(logs={"log": Log(s.log, nothing)})), "AttributeError"),
        (lambda s: alone(Card(facts={"no": None})), "None cannot be read as a term"),
        (lambda s: alone(Card(facts={"no": "abc"})), "cannot be read as a term"),
        (
            lambda s: alone(Card(logs={"log": Log(s.log, high_watermark=size(s.log) > 1)})),
            "is drawn as a high watermark: give an integer",
        ),
        (
            lambda s: Drawing((lifeline("all", Card()),), says={"Add": fails}),
            "ZeroDivisionError",
        ),
        (
            lambda s: Drawing((lifeline("all", Card()),), says={"Add": nothing}),
            "TypeError",
        ),
        (
            lambda s: Drawing((lifeline("all", Card()),), says={"Add": lambda who: (who,)}),
            "missing 1 required positional argument",
        ),
        (
            lambda s: Drawing(
                (lifeline("all", Card()),),
                (Messages(s.sent, "all", "all", says=nothing),),
            ),
            "TypeError",
        ),
        (lambda s: "a drawing", "AttributeError"),
        (nothing, "returns nothing: end it with"),
    ],
)
def test_a_drawing_that_fails_is_left_out_and_told(
    draws: Callable[[State], object], why: str
) -> None:
    page = shown(draws)
    assert BY_SORTS in page
    assert why in page
    assert page.count('class="row') == 4


@pytest.mark.parametrize(
    "mark", [lambda s: s.mark, lambda s: the(s.mark), lambda s: 10**12, lambda s: -1]
)
def test_a_high_watermark_may_have_no_value_or_any(mark: Callable[[State], Any]) -> None:
    page = shown(lambda s: alone(Card(logs={"log": Log(s.log, high_watermark=mark(s))})))
    assert BY_SORTS not in page


def test_what_a_drawing_names_and_nobody_is_is_told() -> None:
    """A name with a slip was passed over, and its arrow missing without a word."""
    page = shown(
        lambda s: Drawing(
            (lifeline("all", Card()),),
            (Messages(s.sent, "al", "all"), Messages(s.sent, lambda kind: kind, "everyone")),
            arrows={"Ad": ("all", "all"), "A*": ("all", "al")},
            actors={"Add": "kind", "?dd": "nobody", "Ini?": "all"},
            says={"Adds": lambda kind: (kind,)},
        )
    )
    assert BY_SORTS not in page
    for name in (
        "arrows: Ad",
        "arrows: al of A*",
        "actors: nobody of ?dd",
        "actors: Ini?",
        "says: Adds",
        "messages: al",
        "messages: everyone",
    ):
        assert f"<code>{name}</code>" in page
    assert "kind of" not in page
    assert page.count("<code>messages: ") == 2
    assert "names what is no action" not in shown(lambda s: alone(Card()))


def test_a_drawn_that_returns_nothing_is_told_with_its_line() -> None:
    class Drawn(Journal):
        def drawn(self, s: State) -> Any:
            Drawing((lifeline("all", Card()),))

    with pytest.raises(LanguageError, match="returns nothing: end it with") as refused:
        drawing_said(Drawn(), State(Suite.of(Journal, "journal").model(False).variables))
    assert refused.value.place == (__file__, Drawn.drawn.__code__.co_firstlineno)


def test_a_log_without_a_place_is_drawn() -> None:
    """A range whose end is before its start is empty, and so is the log that it numbers."""
    assert BY_SORTS not in shown(places=0)
    assert BY_SORTS not in shown(lambda s: alone(Card(logs={"log": Log(s.old)})), places=0)


def test_what_is_drawn_by_its_sorts_is_what_has_no_drawing() -> None:
    suite = Suite.of(Journal, "journal")
    words = Vocabulary.of(suite, parameter_values(suite.protocol, {}))
    interpreter = Interpreter(suite.model(False), Domains(words.parameters))
    trace = some_trace(interpreter, 2)
    assert scene(suite, words, trace) == scene(suite, words, trace, own=False)
