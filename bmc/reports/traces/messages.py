"""What passes between lifelines: when each message was sent, and when it was taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from inspect import signature
from itertools import chain
from typing import TypeVar

from bmc.evidence.trace import Trace, TraceStep
from bmc.lang.build import argument
from bmc.lang.drawing import Drawing, End, Inbox, Messages
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

    def actor(self, step: TraceStep) -> int | None:
        """The column that takes a step."""
        if step.action is None:
            return None
        said = pattern(self._drawing.actors, step.action)
        if said is not None:
            return self._who(step, said)
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
        return found

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
                    source = self.actor(steps[i])
                target = self._end(messages.target, element, value, state)
                takes = list(self._takes(messages.element, value, held, i))
                text = self.text_of(messages, value, state)
                for taken in takes:
                    taker = self.actor(steps[taken]) if target is None else target
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

    def _inbox(self, column: int, queues: list[tuple[Value, ...] | None]) -> Iterator[Arrow]:
        """Arrows of a queue: its head is taken, what is appended is sent by the step's actor."""
        inbox = self._cast.columns[column].card.inbox
        if inbox is None:
            return
        waiting: list[tuple[int, int | None, Value]] = []
        for i in range(len(queues)):
            old, new = (queues[i - 1] or ()) if i else (), queues[i] or ()
            kept = next((k for k in range(len(old) + 1) if new[: len(old) - k] == old[k:]), 0)
            step = self._trace.steps[i]
            takes_one = self.actor(step) == column
            for sent, source, value in waiting[:kept]:
                taken = i if takes_one else None
                letter = self._letter(inbox, value, self._trace.steps[sent].state)
                yield Arrow(source, column, sent, taken, letter)
            del waiting[:kept]
            waiting += [(i, self.actor(step), value) for value in new[len(old) - kept :]]
        for sent, source, value in waiting:
            letter = self._letter(inbox, value, self._trace.steps[sent].state)
            yield Arrow(source, column, sent, None, letter)

    def _letter(self, inbox: Inbox, value: Value, state: ConcreteState) -> str:
        return joined(self._cast.reader.shown(inbox.element, value, inbox.shown, (state, {})))


def joined(fields: Iterable[tuple[str, str]]) -> str:
    """Names with texts as one text."""
    return ", ".join(filter(None, (f"{name} {text}".strip() for name, text in fields)))
