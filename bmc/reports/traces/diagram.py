"""A trace as a scene: for each step who acts, what passes, what every lifeline looks like after.

It is plain data for whatever draws it. Of logs it also says what was lost: an entry that was
there before a step and is not after it, and whether somebody counted it as committed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass

from bmc.evidence.trace import Trace, TraceStep
from bmc.lang.build import argument
from bmc.lang.drawing import Drawing
from bmc.lang.suite import Suite
from bmc.readings.value import ConcreteState
from bmc.reports.notation import value_text
from bmc.reports.traces.aliases import derived
from bmc.reports.traces.default_drawing import default_drawing
from bmc.reports.traces.differences import Change, changes
from bmc.reports.traces.messages import Arrow, Flow, pattern
from bmc.reports.traces.participants import CardView, Column, LogEntry, LogView, Participants
from bmc.reports.traces.step_text import told_by_cards
from bmc.reports.vocabulary import Vocabulary


@dataclass(frozen=True)
class Loss:
    """Entries of one log that a step cut off or replaced.

    ``entries`` are by place, of which ``first`` is the first offset. The first ``committed`` of
    them counted as committed before the step: ``holder`` names a lifeline that held them below
    its high watermark (which is called ``mark``), or is None where they were announced.
    """

    step: int
    column: int
    log: str
    first: int
    mark: str
    entries: tuple[tuple[int, LogEntry], ...]
    holder: str | None
    high_watermark: int | None
    committed: int


@dataclass(frozen=True)
class SceneStep:
    """One step (the first is the initial state) and what it leads to.

    ``touched`` are the columns whose card is another than before. ``aliases`` has the text of
    each derived expression before (None in the first state) and after.
    """

    number: int
    action: str
    arguments: tuple[tuple[str, str], ...]
    actor: int | None
    sentence: str
    cards: tuple[CardView, ...]
    before: tuple[CardView, ...] | None
    touched: frozenset[int]
    changes: tuple[Change, ...]
    aliases: tuple[tuple[str, str | None, str], ...]
    losses: tuple[Loss, ...]


@dataclass(frozen=True)
class Scene:
    """A whole trace, drawn; ``unmet`` is what its drawing names and nobody is."""

    columns: tuple[Column, ...]
    steps: tuple[SceneStep, ...]
    arrows: tuple[Arrow, ...]
    unmet: tuple[str, ...]

    @property
    def marked(self) -> list[LogView]:
        """The logs of the last state that have a watermark."""
        logs = (log for card in self.steps[-1].cards for log in card.logs)
        return [log for log in logs if log.high_watermark is not None]

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What was lost, step by step."""
        return tuple(loss for step in self.steps for loss in step.losses)


def scene(suite: Suite, words: Vocabulary, trace: Trace, own: bool = True) -> Scene:
    """The scene of a trace, as its protocol is drawn, or by its sorts alone where not its ``own``.

    Whatever a protocol's drawing says is evaluated here: what it raises is raised, and what it
    prints goes to stderr.
    """
    with redirect_stdout(sys.stderr):
        return _Scenes(suite, words, trace, own).whole()


def drawing_of(suite: Suite, words: Vocabulary, own: bool = True) -> Drawing:
    """What the protocol says of how it is drawn, or a drawing by its sorts."""
    from bmc.lang.protocol import drawing_said
    from bmc.lang.state import State

    known = {n: s for n, s in words.variables.items() if n not in words.ghosts}
    said = drawing_said(suite.protocol(), State(known)) if own else None
    return said if said is not None else default_drawing(known)


class _Scenes:
    def __init__(self, suite: Suite, words: Vocabulary, trace: Trace, own: bool) -> None:
        self._words = words
        self._trace = trace
        self._drawing = drawing_of(suite, words, own)
        self._cast = Participants(words, self._drawing)
        self._flow = Flow(self._cast, self._drawing, trace)
        self._cards = [self._cast.cards(step.state) for step in trace.steps]
        # One that is inherited is of several protocols, which need not have the same actions.
        self._unmet = self._flow.unmet() if "drawn" in vars(suite.protocol) else ()

    def whole(self) -> Scene:
        """Everything."""
        arrows = self._flow.arrows(self._cards)
        steps = tuple(self._step(number) for number in range(len(self._trace)))
        return Scene(tuple(self._cast.columns), steps, tuple(arrows), self._unmet)

    def _step(self, number: int) -> SceneStep:
        step = self._trace.steps[number]
        now = tuple(self._cards[number])
        before = tuple(self._cards[number - 1]) if number else None
        earlier = self._trace.steps[number - 1].state if number else None
        touched = frozenset(
            i for i, card in enumerate(now) if before is not None and card.differs(before[i])
        )
        names = [column.name for column in self._cast.columns]
        old = derived(self._words, earlier) if earlier is not None else {}
        aliases = derived(self._words, step.state)
        return SceneStep(
            number,
            step.action or "initial state",
            tuple(self._arguments(step)),
            self._flow.actor(number),
            self._sentence(step, earlier) or told_by_cards(names, before or now, now),
            now,
            before,
            touched,
            () if earlier is None else tuple(changes(self._words, earlier, step.state)),
            tuple((name, old.get(name), text) for name, text in aliases.items()),
            tuple(self._losses(number)),
        )

    def _arguments(self, step: TraceStep) -> Iterator[tuple[str, str]]:
        """An action's arguments; of a message what the drawing shows of it.

        A flag that is not set and an option that is not taken are left out.
        """
        for name, sort in self._words.action_arguments(step.action or "").items():
            value = step.arguments.get(name)
            if value is None or value is False:
                continue
            letter = self._flow.message_text(sort, value, step.state)
            yield name, value_text(self._words, sort, value) if letter is None else f"[{letter}]"

    def _sentence(self, step: TraceStep, before: ConcreteState | None) -> str:
        telling = pattern(self._drawing.says, step.action or "")
        if telling is None or before is None:
            return ""
        sorts = self._words.action_arguments(step.action or "")
        terms = {name: argument(name, sorts[name]) for name in step.arguments if name in sorts}
        env = {term: step.arguments[name] for name, term in terms.items()}
        return self._cast.reader.told(telling, terms, (before, env))

    def _losses(self, number: int) -> Iterator[Loss]:
        if not number:
            return
        before, after = self._cards[number - 1], self._cards[number]
        for column, (old, new) in enumerate(zip(before, after, strict=True)):
            if new.down:
                continue
            for was, now in zip(old.logs, new.logs, strict=True):
                gone = tuple(
                    (offset, entry)
                    for offset, entry in enumerate(was.entries)
                    if entry is not None and not _same(now.at(offset), entry)
                )
                if gone:
                    yield self._loss(number, column, was, gone)

    def _loss(
        self, number: int, column: int, log: LogView, gone: tuple[tuple[int, LogEntry], ...]
    ) -> Loss:
        """Whether somebody else, or else the loser itself, counts an entry as committed."""
        where = (number, column, log.name, log.first, log.mark)
        announced = [one for one in gone if one[1].announced]
        if announced:
            rest = [one for one in gone if not one[1].announced]
            found = (*announced, *rest)
            return Loss(*where, found, None, None, len(announced))
        others = [*range(column), *range(column + 1, len(self._cast.columns)), column]
        best: tuple[int, int, int] | None = None
        for other in others:
            for view in self._cards[number - 1][other].logs:
                if view.name != log.name or view.high_watermark is None:
                    continue
                mark = view.high_watermark
                held = sum(1 for o, entry in gone if o < mark and _same(view.at(o), entry))
                if held and (best is None or held > best[0]):
                    best = held, other, mark
        if best is None:
            return Loss(*where, gone, None, None, 0)
        held, other, mark = best
        return Loss(*where, gone, self._cast.columns[other].name, mark, held)


def _same(one: LogEntry | None, other: LogEntry) -> bool:
    return one is not None and one.identity == other.identity
