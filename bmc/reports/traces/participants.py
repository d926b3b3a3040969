"""Who is on stage: a drawing's lifelines, and what their cards say in a state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature

from bmc.lang.build import argument
from bmc.lang.drawing import Card, Drawing, Fields, Log, Telling
from bmc.lang.errors import BoundTooSmall, SortError
from bmc.lang.sorts import AnySet, EnumSort, MapSort, OptionSort, RecordSort, SequenceSort, Sort
from bmc.lang.terms import Handle, Operand, Term, lift, term_of
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState, Environment, Evaluator
from bmc.reports.notation import value_text
from bmc.reports.traces.aliases import NO_VALUE
from bmc.reports.traces.differences import changes_by_elements
from bmc.reports.values import members
from bmc.reports.vocabulary import Vocabulary


@dataclass(frozen=True)
class LogEntry:
    """An entry of a log: its fields as text, what its colour stands for, and its value.

    ``identity`` is what makes it this entry and no other. ``announced`` says that it counts as
    committed by itself, whatever a high watermark says.
    """

    fields: tuple[tuple[str, str], ...]
    colour: str
    value: Value
    identity: Value
    announced: bool = False

    @property
    def text(self) -> str:
        """The entry in words: ``id 0, epoch 2``."""
        return ", ".join(f"{name} {text}".strip() for name, text in self.fields)


@dataclass(frozen=True)
class LogView:
    """A log in a state: its entries by offset (None where there is a hole) and high watermark.

    ``first`` is the offset of the first entry, and ``mark`` what the watermark is called; there is
    ``room`` for so many entries.
    """

    name: str
    entries: tuple[LogEntry | None, ...]
    high_watermark: int | None
    first: int = 0
    mark: str = "high watermark"
    room: int = 0

    def is_named(self, beside: Sequence[LogView]) -> bool:
        """Whether its name says something, where it stands among these."""
        return len(beside) > 1 or self.name != "log"

    def at(self, offset: int) -> LogEntry | None:
        """The entry at an offset, None where there is none."""
        return self.entries[offset] if offset < len(self.entries) else None


@dataclass(frozen=True)
class Fact:
    """What a card says under a name; of a set of structures also each of its elements."""

    name: str
    text: str
    elements: tuple[str, ...] | None = None

    def came(self, before: Fact) -> tuple[str, ...]:
        """The elements that were not there before."""
        return tuple(one for one in self.elements or () if one not in (before.elements or ()))


@dataclass(frozen=True)
class CardView:
    """A lifeline's card in a state."""

    role: str
    logs: tuple[LogView, ...]
    facts: tuple[Fact, ...]
    inbox: tuple[Value, ...] | None
    down: bool

    def differs(self, other: CardView) -> bool:
        """Whether it says something else than another; what waits in the inbox does not count."""
        return replace(self, inbox=None) != replace(other, inbox=None)


@dataclass(frozen=True)
class Column:
    """A lifeline: its name, and its card with the value of the card's variable."""

    name: str
    card: Card
    environment: Environment
    key: tuple[str, Value] | None


Scenery = tuple[ConcreteState, Environment]
"""A state, and the values of the variables that are free in what is said of it."""


class DrawingReader:
    """Evaluates what a drawing says, in one vocabulary."""

    def __init__(self, words: Vocabulary) -> None:
        self.words = words
        self._evaluator = Evaluator(words.domains)

    def value(self, term: Operand, state: ConcreteState, environment: Environment) -> Value:
        """A value; BoundTooSmall where there is none."""
        return self._evaluator.evaluate(lift(term), state, environment)

    def holds(self, term: Operand, state: ConcreteState, environment: Environment) -> bool:
        """Whether a condition has a value and is true."""
        try:
            return bool(self.value(term, state, environment))
        except BoundTooSmall:
            return False

    def number(
        self, term: Operand | None, state: ConcreteState, environment: Environment
    ) -> int | None:
        """An integer, None where it has no value or is none. Raises SortError for others."""
        if term is None:
            return None
        try:
            found = self.value(term, state, environment)
        except BoundTooSmall:
            return None
        if found is not None and type(found) is not int:
            raise SortError(f"{term!r} is drawn as a high watermark: give an integer")
        return found

    def text(self, term: Operand, state: ConcreteState, environment: Environment) -> str:
        """A value as text."""
        try:
            return value_text(self.words, lift(term).sort, self.value(term, state, environment))
        except BoundTooSmall:
            return NO_VALUE

    def fact(
        self, name: str, term: Operand, state: ConcreteState, environment: Environment
    ) -> Fact:
        """What a card says of a value."""
        text, sort = self.text(term, state, environment), lift(term).sort
        if text == NO_VALUE or not isinstance(sort, AnySet) or not changes_by_elements(sort):
            return Fact(name, text)
        held = members(sort, self.value(term, state, environment))
        return Fact(name, text, tuple(value_text(self.words, sort.element, one) for one in held))

    def told(self, said: Telling, terms: Mapping[str, Term], scene: Scenery) -> str:
        """A sentence of a drawing about values; nothing where none of several fits."""
        wanted = {name: Handle(terms[name]) for name in signature(said).parameters if name in terms}
        state, env = scene
        words = said(**wanted)
        if isinstance(words, list):
            words = next((w for condition, w in words if self.holds(condition, state, env)), ())
        return "".join(p if isinstance(p, str) else self.text(p, state, env) for p in words)

    def shown(
        self, sort: Sort, value: Value, shown: Fields, scene: Scenery
    ) -> tuple[tuple[str, str], ...]:
        """What a drawing shows of a value, as names with texts."""
        if isinstance(shown, tuple):
            return self.fields(sort, value, shown)
        state, env = scene
        held = argument("shown", sort)
        parts = shown(Handle(held)).items()
        return tuple((name, self.text(term, state, {**env, held: value})) for name, term in parts)

    def fields(self, sort: Sort, value: Value, shown: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """The fields of a record as text, those of ``shown`` or all; other values as one.

        An enumeration's value speaks for itself and goes without its field's name.
        """
        if not isinstance(sort, RecordSort):
            return (("", value_text(self.words, sort, value)),)
        pairs = zip(sort.fields, value, strict=True)
        return tuple(
            ("" if isinstance(part, EnumSort) else name, value_text(self.words, part, v))
            for (name, part), v in pairs
            if not shown or name in shown
        )


class Participants:
    """The columns of a drawing, and who is who among them."""

    def __init__(self, words: Vocabulary, drawing: Drawing) -> None:
        self.reader = DrawingReader(words)
        self.columns: list[Column] = []
        for group in drawing.lifelines:
            if group.variable is None:
                self.columns.append(Column(group.name, group.card, {}, None))
                continue
            sort = group.variable.sort
            for value in words.domains.values(sort):
                name = f"{group.name} {value_text(words, sort, value)}".strip()
                key = lifeline_key(sort, value)
                self.columns.append(Column(name, group.card, {group.variable: value}, key))
        self._by_name = {column.name: i for i, column in enumerate(self.columns)}
        self._by_key = {c.key: i for i, c in enumerate(self.columns) if c.key is not None}

    def named(self, name: str) -> int | None:
        """The column of that name."""
        return self._by_name.get(name)

    def member(self, sort: Sort, value: Value) -> int | None:
        """The column of a member of a sort; None where the sort has no lifelines."""
        return self._by_key.get(lifeline_key(sort, value))

    def cards(self, state: ConcreteState) -> list[CardView]:
        """All cards in a state."""
        return [self._card(column, state) for column in self.columns]

    def _card(self, column: Column, state: ConcreteState) -> CardView:
        card, env, reader = column.card, column.environment, self.reader
        roles = (word for word, term in card.role.items() if reader.holds(term, state, env))
        facts = tuple(reader.fact(n, t, state, env) for n, t in card.facts.items())
        logs = tuple(self._logs(card, state, env))
        inbox = None if card.inbox is None else reader.value(card.inbox.queue, state, env)
        down = card.down is not None and reader.holds(card.down, state, env)
        return CardView(next(roles, ""), logs, facts, inbox, down)

    def _logs(self, card: Card, state: ConcreteState, env: Environment) -> Iterator[LogView]:
        words = self.reader.words
        for name, log in card.logs.items():
            if isinstance(log, Log):
                yield self._log(name, log, state, env)
                continue
            sort = log.variable.sort
            for value in words.domains.values(sort):
                full = f"{name} {value_text(words, sort, value)}"
                yield self._log(full, log.log, state, {**env, log.variable: value})

    def _log(self, name: str, log: Log, state: ConcreteState, env: Environment) -> LogView:
        held = list(self.reader.value(log.entries, state, env))
        while held and held[-1] is None:
            held.pop()
        mark = self.reader.number(log.high_watermark, state, env)
        entries = (None if one is None else self._entry(log, one, state, env) for one in held)
        offsets = self._offsets(log)
        first = offsets[0] if offsets else 0
        return LogView(name, tuple(entries), mark, first, log.mark, len(offsets))

    def _offsets(self, log: Log) -> Sequence[Value]:
        """The offsets that an entry may have: none, where a parameter leaves none."""
        sort = term_of(log.entries).sort
        if isinstance(sort, MapSort):
            return self.reader.words.domains.values(sort.key)
        assert isinstance(sort, SequenceSort)
        return range(sort.capacity.at(self.reader.words.parameters))

    def _entry(self, log: Log, value: Value, state: ConcreteState, env: Environment) -> LogEntry:
        sort = log.entry
        announced = False
        if log.committed is not None:
            entry = argument("entry", sort)
            says = log.committed(Handle(entry))
            announced = self.reader.holds(says, state, {**env, entry: value})
        fields = self.reader.shown(sort, value, log.shown, (state, env))
        if not isinstance(sort, RecordSort):
            fields = tuple(("entry", text) for _, text in fields)
        chosen = self.reader.fields(sort, value, (log.coloured,)) if log.coloured else ()
        identity = value
        if log.same and isinstance(sort, RecordSort):
            pairs = zip(sort.fields, value, strict=True)
            identity = tuple(part for (name, _), part in pairs if name in log.same)
        return LogEntry(fields, "".join(text for _, text in chosen), value, identity, announced)


def lifeline_key(sort: Sort, value: Value) -> tuple[str, Value]:
    """What a member of a sort is known by, whether it stands in an option or not."""
    inner = sort.inner if isinstance(sort, OptionSort) and value is not None else sort
    return inner.name, value


def end_of(
    cast: Participants, found: Operand, element: Term, value: Value, state: ConcreteState
) -> int | None:
    """The column that an expression over a message names."""
    try:
        term = lift(found)
        return cast.member(term.sort, cast.reader.value(term, state, {element: value}))
    except BoundTooSmall:
        return None
