"""How a protocol is drawn: who has a lifeline, what is a log, what is a message.

A protocol says it in a method ``drawn(self, s)`` beside its actions, in the words of its own
state; one that says nothing is drawn by the sorts of its variables. A drawing is shown and never
checked: nothing that decides a verdict reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bmc.lang.build import argument
from bmc.lang.errors import LanguageError
from bmc.lang.sorts import (
    BoundedSetSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    SetSort,
    Sort,
    require_enumerable,
)
from bmc.lang.terms import Expr, Operand, Term

Sentence = Sequence[Operand]
"""Words and values in turn: ``(replica, " is cut at ", offset)``. A string is a word."""

Telling = Callable[..., Sentence | list[tuple[Operand, Sentence]]]
"""Of an action's arguments (those that it names): a sentence about a step, or several of which
the first is told whose condition holds. It reads the state before the step."""

End = str | Callable[[Term], Operand]
"""Where a message comes from or goes to: a lifeline's name, or a member of its sort that is
found in the message."""


@dataclass(frozen=True)
class Log:
    """Entries by offset: a sequence, or a map from offsets to entries or none.

    Of entries that are records only the fields ``shown`` are (all, unless some are named);
    those with one value of the field ``coloured`` have one colour. What stands below
    ``high_watermark`` counts as committed, and so does an entry of which ``committed`` holds:
    when such a one is cut off, the drawing says so.
    """

    entries: Expr
    shown: tuple[str, ...] = ()
    coloured: str = ""
    high_watermark: Operand | None = None
    committed: Callable[[Term], Operand] | None = None

    def __post_init__(self) -> None:
        entry = self.entry
        for name in (*self.shown, *([self.coloured] if self.coloured else [])):
            if not isinstance(entry, RecordSort):
                raise LanguageError(f"an entry of {self.entries!r} is no record with {name!r}")
            entry.field(name)

    @property
    def entry(self) -> Sort:
        """The sort of an entry; LanguageError where ``entries`` are no log."""
        match self.entries.term.sort:
            case SequenceSort(element, _):
                return element
            case MapSort(IntSort(), OptionSort(inner)):
                return inner
            case MapSort(IntSort(), value):
                return value
        raise LanguageError(
            f"{self.entries.term!r} is no log: give a sequence, or a map from an integer sort"
        )


@dataclass(frozen=True)
class Logs:
    """A log for each member of a sort: of segments, or of partitions."""

    variable: Term
    log: Log


def logs(sort: Sort, log: Callable[[Term], Log]) -> Logs:
    """A log for each member of a scalar sort."""
    require_enumerable(sort, "what has a log")
    variable = argument("log", sort)
    return Logs(variable, log(variable))


@dataclass(frozen=True)
class Inbox:
    """A queue of messages to a lifeline, the next one first.

    A message is sent by the step that appends it, and received by one of this lifeline that
    removes it. Of records only the fields ``shown`` are (all, unless some are named).
    """

    queue: Expr
    shown: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        element = self.element
        for name in self.shown:
            if not isinstance(element, RecordSort):
                raise LanguageError(f"a message of {self.queue!r} is no record with {name!r}")
            element.field(name)

    @property
    def element(self) -> Sort:
        """The sort of a message; LanguageError where ``queue`` is no sequence."""
        sort = self.queue.term.sort
        if not isinstance(sort, SequenceSort):
            raise LanguageError(f"{self.queue.term!r} is no inbox: give a sequence")
        return sort.element


@dataclass(frozen=True)
class Card:
    """What is drawn of one lifeline in one state.

    ``role`` has words with conditions, of which the first that holds is shown; ``facts`` are
    values by the name they are shown under; ``down`` holds while it does not take part.
    """

    role: Mapping[str, Operand] = field(default_factory=dict)
    logs: Mapping[str, Log | Logs] = field(default_factory=dict)
    facts: Mapping[str, Operand] = field(default_factory=dict)
    inbox: Inbox | None = None
    down: Operand | None = None


@dataclass(frozen=True)
class Lifelines:
    """One lifeline (``variable`` is None), or one for each member of the variable's sort."""

    name: str
    variable: Term | None
    card: Card


def lifeline(name: str, card: Card) -> Lifelines:
    """A lifeline of its own."""
    return Lifelines(name, None, card)


def lifelines(sort: Sort, card: Callable[[Term], Card], name: str = "") -> Lifelines:
    """A lifeline for each member of a scalar sort; ``name`` stands before the member's own."""
    require_enumerable(sort, "what has a lifeline")
    variable = argument("lifeline", sort)
    return Lifelines(name, variable, card(variable))


@dataclass(frozen=True)
class Messages:
    """A set in the state whose elements are messages.

    A message is sent by the step after which it is in the set, and received by a step that
    takes it as an argument or after which it is gone. Where ``target`` is None that step's actor
    is. Of records only the fields ``shown`` are (all, unless some are named).
    """

    held: Expr
    source: End
    target: End | None = None
    shown: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        element = self.element
        for name in self.shown:
            if not isinstance(element, RecordSort):
                raise LanguageError(f"a message of {self.held!r} is no record with {name!r}")
            element.field(name)

    @property
    def element(self) -> Sort:
        """The sort of a message; LanguageError where ``held`` is no set."""
        sort = self.held.term.sort
        if not isinstance(sort, SetSort | KeyedSetSort | BoundedSetSort):
            raise LanguageError(f"{self.held.term!r} holds no messages: it is no set")
        return sort.element


@dataclass(frozen=True)
class Drawing:
    """A protocol's drawing.

    The keys of ``arrows``, ``actors`` and ``says`` are names of actions, ``*`` standing for any
    characters. ``actors`` names who takes a step: an argument of the action or a lifeline;
    ``arrows`` two of these between whom something passes at once.
    """

    lifelines: tuple[Lifelines, ...]
    messages: tuple[Messages, ...] = ()
    arrows: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    actors: Mapping[str, str] = field(default_factory=dict)
    says: Mapping[str, Telling] = field(default_factory=dict)
