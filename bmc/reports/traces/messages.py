"""What passes between lifelines: when each message was sent, and when it was taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from inspect import signature
from itertools import chain, product
from typing import TypeVar

from bmc.evidence.trace import Trace, TraceStep
from bmc.lang.build import argument
from bmc.lang.drawing import Channels, Drawing, End, Fields, Messages
from bmc.lang.sorts import Sort, VariantSort
from bmc.lang.terms import Handle, Term, term_of
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState
from bmc.reports.traces.participants import CardView, Participants, end_of
from bmc.reports.values import members

Content = TypeVar("Content")


@dataclass(frozen=True)
class Arrow:
    """Something that passes from a column to another.

    ``sent`` and ``received`` are steps; ``received`` is None while it is still under way.
    A column is None where the drawing does not say who it is.
    """

    source: int | None
    target: int | None
    sent: int
    received: int | None
    text: str


def pattern(table: Mapping[str, Content], action: str) -> Content | None:
    """What a table by names of actions has for one: under its name, else by a pattern."""
    if action in table:
        return table[action]
    return next((found for key, found in table.items() if fnmatchcase(action, key)), None)


class Flow:
    """The arrows of a trace, and who takes each of its steps."""

    def __init__(self, cast: Participants, drawing: Drawing, trace: Trace) -> None:
        self._cast = cast
        self._words = cast.reader.words
        self._drawing = drawing
        self._trace = trace
        self._channelled = list(chain.from_iterable(map(self._channels, drawing.channels)))
        self._takers = {a.received: a.target for a in self._channelled if a.received is not None}

    def unmet(self) -> tuple[str, ...]:
        """What the drawing names that is no action, and no lifeline or argument of its actions."""
        tables = {
            "actors": {key: (who,) for key, who in self._drawing.actors.items()},
            "arrows": self._drawing.arrows,
            "says": dict.fromkeys(self._drawing.says, ()),
        }
        between = (end for each in self._drawing.messages for end in (each.source, each.target))
        return (
            *(
                f"{table}: {name}"
                for table, names in tables.items()
                for key, ends in names.items()
                for name in self._unmet(key, ends)
            ),
            *(
                f"messages: {end}"
                for end in between
                if isinstance(end, str) and self._cast.named(end) is None
            ),
        )

    def _unmet(self, key: str, ends: tuple[str, ...]) -> Iterator[str]:
        meant = [action for action in self._words.actions if fnmatchcase(action, key)]
        if not meant:
            yield key
            return
        arguments = set(chain.from_iterable(map(self._words.action_arguments, meant)))
        for name in ends:
            if name not in arguments and self._cast.named(name) is None:
                yield f"{name} of {key}"

    def actor(self, number: int) -> int | None:
        """The column that takes a step."""
        step = self._trace.steps[number]
        if step.action is None:
            return None
        said = pattern(self._drawing.actors, step.action)
        if said is not None:
            return self._who(step, said)
        if number in self._takers:
            return self._takers[number]
        return next(chain(self._addressed(step), (c for _, c in self._present(step))), None)

    def _addressed(self, step: TraceStep) -> Iterator[int]:
        """Who gets the messages that a step takes."""
        sorts = self._words.action_arguments(step.action or "")
        for messages in self._drawing.messages:
            for name, value in step.arguments.items():
                if sorts.get(name) == messages.element:
                    element = argument("message", messages.element)
                    found = self._end(messages.target, element, value, step.state)
                    if found is not None:
                        yield found

    def _who(self, step: TraceStep, name: str) -> int | None:
        """The column that a word of the drawing means in a step: an argument, or a lifeline."""
        sorts = self._words.action_arguments(step.action or "")
        if name in sorts and name in step.arguments:
            return self._cast.member(sorts[name], step.arguments[name])
        return self._cast.named(name)

    def _present(self, step: TraceStep) -> Iterator[tuple[str, int]]:
        """The arguments of a step that have a lifeline."""
        for name, sort in self._words.action_arguments(step.action or "").items():
            column = self._cast.member(sort, step.arguments.get(name))
            if column is not None:
                yield name, column

    def arrows(self, cards: list[list[CardView]]) -> list[Arrow]:
        """All arrows of the trace; ``cards`` are those of each of its states."""
        found = [arrow for i in range(1, len(self._trace)) for arrow in self._direct(i)]
        for messages in self._drawing.messages:
            found.extend(self._set(messages))
        for column in range(len(self._cast.columns)):
            found.extend(self._inbox(column, [views[column].inbox for views in cards]))
        return found + self._channelled

    def _direct(self, number: int) -> Iterator[Arrow]:
        step = self._trace.steps[number]
        said = pattern(self._drawing.arrows, step.action or "")
        if said is not None:
            source, target = (self._who(step, name) for name in said)
            if source is not None and target is not None:
                yield Arrow(source, target, number, number, "")

    def _set(self, messages: Messages) -> Iterator[Arrow]:
        """Arrows of the elements of a set, each time one comes into it."""
        sort = term_of(messages.held).sort
        element = argument("message", messages.element)
        steps = self._trace.steps
        held = [self._cast.reader.value(messages.held, step.state, {}) for step in steps]
        for i, now in enumerate(held):
            new = now - held[i - 1] if i else now
            for value in members(sort, new):  # type: ignore[arg-type]
                state = steps[i].state
                source = self._end(messages.source, element, value, state)
                if source is None and messages.ends:
                    source = self.actor(i)
                target = self._end(messages.target, element, value, state)
                takes = list(self._takes(messages.element, value, held, i))
                text = self.text_of(messages, value, state)
                for taken in takes:
                    taker = self.actor(taken) if target is None else target
                    yield Arrow(source, taker, i, taken, text)
                if not takes:
                    yield Arrow(source, target, i, None, text)

    def text_of(self, messages: Messages, value: Value, state: ConcreteState) -> str:
        """What a message says."""
        reader, sort = self._cast.reader, messages.element
        if messages.says is None:
            tag = ""
            if isinstance(sort, VariantSort):
                tag, value = value
                sort = sort.case(tag)
            fields = reader.shown(sort, value, messages.shown, (state, {}))
            return f"{tag} {joined(f for f in fields if f[0] not in messages.ends)}".strip()
        name = next(iter(signature(messages.says).parameters))
        term = argument(name, sort)
        return reader.told(messages.says, {name: term}, (state, {term: value}))

    def message_text(self, sort: Sort, value: Value, state: ConcreteState) -> str | None:
        """What an argument that is a message says; None where it is none or shown as it is."""
        for messages in self._drawing.messages:
            if messages.element == sort and (messages.shown or messages.says):
                return self.text_of(messages, value, state)
        return None

    def _end(
        self, end: End | None, element: Term, value: Value, state: ConcreteState
    ) -> int | None:
        if end is None:
            return None
        if isinstance(end, str):
            return self._cast.named(end)
        return end_of(self._cast, end(Handle(element)), element, value, state)

    def _takes(
        self, sort: Sort, value: Value, held: list[frozenset[Value]], sent: int
    ) -> Iterator[int]:
        """The steps that take an element as an argument, or remove it."""
        for i in range(sent + 1, len(held)):
            step = self._trace.steps[i]
            sorts = self._words.action_arguments(step.action or "")
            taken = any(sorts.get(n) == sort and v == value for n, v in step.arguments.items())
            gone = value not in held[i]
            if taken or gone:
                yield i
            if gone:
                return

    def _inbox(self, column: int, contents: list[tuple[Value, ...] | None]) -> Iterator[Arrow]:
        """Arrows of an inbox: whoever takes the step sends what it appends."""
        inbox = self._cast.columns[column].card.inbox
        if inbox is not None:
            queue = [held or () for held in contents]
            takes = [self.actor(number) == column for number in range(len(queue))]
            for sent, taken, text in self._passed(inbox.element, inbox.shown, queue, takes):
                yield Arrow(self.actor(sent), column, sent, taken, text)

    def _channels(self, channels: Channels) -> Iterator[Arrow]:
        """Arrows of the queue between each two lifelines."""
        reader, steps = self._cast.reader, self._trace.steps
        ends = channels.source, channels.target
        domains = (self._words.domains.values(end.sort) for end in ends)
        for pair in product(*domains):
            env = dict(zip(ends, pair, strict=True))
            queue = [reader.value(channels.queue, step.state, env) for step in steps]
            source, target = (self._cast.member(e.sort, v) for e, v in env.items())
            takes = [self._takes_part(step, target) for step in steps]
            for sent, taken, text in self._passed(channels.element, channels.shown, queue, takes):
                yield Arrow(source, target, sent, taken, text)

    def _takes_part(self, step: TraceStep, column: int | None) -> bool:
        """Whether a lifeline is said to take a step, or is an argument of it."""
        said = pattern(self._drawing.actors, step.action or "")
        acts = said is not None and self._who(step, said) == column
        return column is not None and (acts or column in (who for _, who in self._present(step)))

    def _passed(
        self, sort: Sort, shown: Fields, queue: list[tuple[Value, ...]], takes: list[bool]
    ) -> Iterator[tuple[int, int | None, str]]:
        """The step that appends each message of a queue, the one that takes it, and its text.

        A step takes the head that it removes where ``takes`` says so; else the message is lost.
        """

        def letter(sent: int, value: Value) -> str:
            state = self._trace.steps[sent].state
            return joined(self._cast.reader.shown(sort, value, shown, (state, {})))

        waiting: list[tuple[int, Value]] = []
        for i, new in enumerate(queue):
            old = queue[i - 1] if i else ()
            gone = next(k for k in range(len(old) + 1) if new[: len(old) - k] == old[k:])
            for sent, value in waiting[:gone]:
                yield sent, i if takes[i] else None, letter(sent, value)
            del waiting[:gone]
            waiting += [(i, value) for value in new[len(old) - gone :]]
        for sent, value in waiting:
            yield sent, None, letter(sent, value)


def joined(fields: Iterable[tuple[str, str]]) -> str:
    """Names with texts as one text."""
    return ", ".join(filter(None, (f"{name} {text}".strip() for name, text in fields)))
