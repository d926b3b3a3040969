"""How a protocol is drawn: who has a lifeline, what is a log, what is a message.

A protocol says it in a method ``drawn(self, s)`` beside its actions, in the words of its own
state; one that says nothing is drawn by the sorts of its variables. A drawing is shown and never
checked: nothing that decides a verdict reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bmc.lang.build import argument
from bmc.lang.by_parts import ByParts
from bmc.lang.errors import LanguageError, suggest
from bmc.lang.sorts import (
    AnySet,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    Sort,
    VariantSort,
    require_enumerable,
)
from bmc.lang.terms import Expr, Handle, Operand, Term, term_of

__all__ = [
    "Card",
    "Channels",
    "Drawing",
    "End",
    "Fields",
    "Inbox",
    "Lifelines",
    "Log",
    "Logs",
    "Messages",
    "Sentence",
    "Telling",
    "channels",
    "lifeline",
    "lifelines",
    "logs",
]

Sentence = Sequence[Operand]
"""Words and values in turn: ``(replica, " is cut at ", offset)``. A string is a word."""

Telling = Callable[..., Sentence | list[tuple[Operand, Sentence]]]
"""Of an action's arguments (those that it names): a sentence about a step, or several of which
the first is told whose condition holds. It reads the state before the step."""

End = str | Callable[[Expr], Operand]
"""Where a message comes from or goes to: a lifeline's name, or a member of its sort that is
found in the message."""

Fields = tuple[str, ...] | Callable[[Expr], Mapping[str, Operand]]
"""What is shown of a record: its fields of these names (all, if none is named), or values that
are made of it, under names of their own."""


@dataclass(frozen=True)
class Log(ByParts):
    """Entries by offset: a sequence, or a map from offsets to entries or none.

    Of entries that are records ``shown`` says what is; those with one value of the field
    ``coloured`` have one colour. What stands below ``high_watermark`` counts as committed, and so
    does an entry of which ``committed`` holds: when such a one is cut off, the drawing says so.
    An entry whose fields ``same`` stay as they are (all, unless some are named) is not lost,
    whatever becomes of its other ones. ``mark`` is what the high watermark is called.
    """

    entries: Expr
    shown: Fields = ()
    coloured: str = ""
    high_watermark: Operand | None = None
    committed: Callable[[Expr], Operand] | None = None
    same: tuple[str, ...] = ()
    mark: str = "high watermark"

    def __post_init__(self) -> None:
        coloured = (self.coloured,) if self.coloured else ()
        _require_fields(f"an entry of {self.entries!r}", self.entry, self.shown)
        _require_fields(f"an entry of {self.entries!r}", self.entry, (*self.same, *coloured))

    @property
    def entry(self) -> Sort:
        """The sort of an entry; LanguageError where ``entries`` are no log."""
        match term_of(self.entries).sort:
            case SequenceSort(element, _):
                return element
            case MapSort(IntSort(), OptionSort(inner)):
                return inner
            case MapSort(IntSort(), value):
                return value
        raise LanguageError(
            f"{self.entries!r} is no log: give a sequence, or a map from an integer sort"
        )


@dataclass(frozen=True)
class Logs(ByParts):
    """A log for each member of a sort: of segments, or of partitions."""

    variable: Term
    log: Log


def logs(sort: Sort, log: Callable[[Expr], Log]) -> Logs:
    """A log for each member of a scalar sort."""
    require_enumerable(sort, "what has a log")
    variable = argument("log", sort)
    return Logs(variable, log(Handle(variable)))


@dataclass(frozen=True)
class Inbox(ByParts):
    """A queue of messages to a lifeline, the next one first.

    A message is sent by the step that appends it, and received by one of this lifeline that
    removes it. Of records ``shown`` says what is.
    """

    queue: Expr
    shown: Fields = ()

    def __post_init__(self) -> None:
        _require_fields(f"a message of {self.queue!r}", self.element, self.shown)

    @property
    def element(self) -> Sort:
        """The sort of a message; LanguageError where ``queue`` is no sequence."""
        return _queued(self.queue, "inbox")


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
class Lifelines(ByParts):
    """One lifeline (``variable`` is None), or one for each member of the variable's sort."""

    name: str
    variable: Term | None
    card: Card


def lifeline(name: str, card: Card) -> Lifelines:
    """A lifeline of its own."""
    return Lifelines(name, None, card)


def lifelines(sort: Sort, card: Callable[[Expr], Card], name: str = "") -> Lifelines:
    """A lifeline for each member of a scalar sort; ``name`` stands before the member's own."""
    require_enumerable(sort, "what has a lifeline")
    variable = argument("lifeline", sort)
    return Lifelines(name, variable, card(Handle(variable)))


@dataclass(frozen=True)
class Messages(ByParts):
    """A set in the state whose elements are messages.

    A message is sent by the step after which it is in the set, and received by a step that
    takes it as an argument or after which it is gone. Where ``target`` is None that step's actor
    is. Of records ``shown`` says what is, or ``says`` what they say. The fields ``ends`` are not
    shown: the arrow says them, and where they name no source it is the sending step's actor.
    """

    held: Expr
    source: End | None
    target: End | None = None
    shown: Fields = ()
    ends: tuple[str, ...] = ()
    says: Telling | None = None

    def __post_init__(self) -> None:
        _require_fields(f"a message of {self.held!r}", self.element, self.shown)
        known = list(field_names(self.element))
        for name in self.ends:
            if name not in known:
                raise LanguageError(
                    f"no message of {self.held!r} has the field {name!r}, which stands in `ends`: "
                    f"{suggest(name, known)}"
                )

    @property
    def element(self) -> Sort:
        """The sort of a message; LanguageError where ``held`` is no set."""
        sort = term_of(self.held).sort
        if not isinstance(sort, AnySet):
            raise LanguageError(f"{self.held!r} holds no messages: it is no set")
        return sort.element


@dataclass(frozen=True)
class Channels(ByParts):
    """A queue of messages from each lifeline of a sort to each of another, the next one first.

    A message is sent by the step that appends it. It is received by the step that removes it, if
    its ``target`` takes part in that step; else it is lost. Of records ``shown`` says what is.
    """

    source: Term
    target: Term
    queue: Expr
    shown: Fields = ()

    def __post_init__(self) -> None:
        _require_fields(f"a message of {self.queue!r}", self.element, self.shown)

    @property
    def element(self) -> Sort:
        """The sort of a message; LanguageError where ``queue`` is no sequence."""
        return _queued(self.queue, "channel")


def channels(
    source: Sort, target: Sort, queue: Callable[[Expr, Expr], Expr], shown: Fields = ()
) -> Channels:
    """A channel from each member of a scalar sort to each of another.

    ``queue`` says which queue it is: ``lambda sender, receiver: s.net[sender][receiver]``.
    """
    require_enumerable(source, "what sends messages")
    require_enumerable(target, "what receives messages")
    ends = argument("source", source), argument("target", target)
    return Channels(*ends, queue(*map(Handle, ends)), shown)


@dataclass(frozen=True)
class Drawing:
    """A protocol's drawing.

    The keys of ``arrows``, ``actors`` and ``says`` are names of actions, ``*`` standing for any
    characters. ``actors`` names who takes a step: an argument of the action or a lifeline;
    ``arrows`` two of these between whom something passes at once. Of a step that takes a message
    it is who gets that message, unless ``actors`` says otherwise.
    """

    lifelines: tuple[Lifelines, ...]
    messages: tuple[Messages, ...] = ()
    channels: tuple[Channels, ...] = ()
    arrows: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    actors: Mapping[str, str] = field(default_factory=dict)
    says: Mapping[str, Telling] = field(default_factory=dict)


def field_names(sort: Sort) -> Iterator[str]:
    """Return the names of a record's fields; of a variant, of those that its cases hold."""
    match sort:
        case RecordSort():
            yield from (name for name, _ in sort.fields)
        case VariantSort():
            for _, part in sort.cases:
                yield from field_names(part)


def _queued(queue: Expr, what: str) -> Sort:
    sort = term_of(queue).sort
    if not isinstance(sort, SequenceSort):
        raise LanguageError(f"{queue!r} is no {what}: give a sequence")
    return sort.element


def _require_fields(what: str, sort: Sort, names: Fields) -> None:
    for name in names if isinstance(names, tuple) else ():
        if not isinstance(sort, RecordSort):
            raise LanguageError(f"{what} is no record with {name!r}")
        sort.field(name)
