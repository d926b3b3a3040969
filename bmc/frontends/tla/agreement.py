"""The text's own steps and truths against those of its translation, state by state.

Finder, judge and replay all read the translated model; only the evaluator reads the text. So what
is proved of the model is said of the text as far as this comparison goes: over every state of a
small instance, along random walks of a large one, and along every trace before it is shown.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import inf
from random import Random
from typing import NamedTuple, Protocol

from . import core as c
from .oracle.errors import EvaluationError, EvaluationLimit
from .oracle.machine import State
from .oracle.search import Search
from .values import show
from .walks import luby, until_nothing_is_new, walk

WALK = 40  # steps of the shortest random walks
_AT_ONCE = 256  # initial states between two looks at the clock
_LISTED = 5_000  # initial states of the text; where it has more, it is asked about each by itself
OFTEN = 20  # states at which an action is a step, after which the comparison need not wait for it


class OutsideBounds(Exception):
    """The translation cannot hold a state that is asked for; its bounds say so, not the text."""


class Valued(NamedTuple):
    """A formula, its value, and whether it is quantified, so that the order of members counts.

    Where the translation gives it no value, that is None.
    """

    formula: c.Expression
    value: bool | None
    quantified: bool


class Judged(NamedTuple):
    """The claims that are false somewhere, and those that have no value there."""

    false: Set[str]
    without_value: Set[str] = frozenset()


class Translation(Protocol):
    """A translated model whose states are told in TLA+'s values, in the order of the variables.

    Each method raises OutsideBounds where a state, or one after it, does not fit the model's sorts.
    """

    def initial_states(self) -> Iterable[State]:
        """Return the initial states."""
        ...

    def steps(self, state: State) -> Iterable[tuple[str, State]]:
        """Return the steps out of a state: the action as TLC names it, and the state after it."""
        ...

    def judged(self, state: State) -> Judged:
        """Return what is said of the claims about states in this one."""
        ...

    def judged_step(self, before: State, after: State) -> Judged:
        """Return what is said of the claims about steps of this one."""
        ...

    def formulas(self, before: State, after: State | None = None) -> Iterable[Valued]:
        """Return what behaviours are described by, with its value in a state or of a step."""
        ...


@dataclass(frozen=True, slots=True)
class Enough:
    """When walks have seen enough: so many states, of which `OFTEN` have a step of each action."""

    states: int
    actions: Set[str]


class Disagreement(Exception):
    """The translation says something else than the text: a fault of the front end, not of either.

    No verdict is given.
    """


@dataclass(frozen=True, slots=True)
class Compared:
    """How much was compared: `states` with all their steps and claims; `skipped` did not fit.

    `taken` are the actions, as TLC names them, that steps out of these states take. `failing` are
    the claims that the text gives no value somewhere, each with the error; `unvalued` is that of a
    formula of behaviours. Nothing is known of these, and nothing is taken from the others.
    """

    states: int
    steps: int
    skipped: int = 0
    complete: bool = True
    taken: frozenset[str] = frozenset()
    failing: Mapping[str, EvaluationError] = field(default_factory=dict)
    unvalued: EvaluationError | None = None

    def and_also(self, other: Compared) -> Compared:
        """Return both together."""
        return Compared(
            self.states + other.states,
            self.steps + other.steps,
            self.skipped + other.skipped,
            self.complete and other.complete,
            self.taken | other.taken,
            {**other.failing, **self.failing},
            self.unvalued or other.unvalued,
        )

    def __str__(self) -> str:
        told = f"compared with the text at {self.states:,} states"
        return told + (f"; {self.skipped:,} more do not fit the bounds" if self.skipped else "")


def compare_reachable(search: Search, translation: Translation, states: int) -> Compared:
    """Compare at every reachable state, in the order of a breadth-first search, up to `states`.

    Raises Disagreement, and what the evaluator raises.
    """
    counted = _Counts()
    initial, _ = _compare_initial(search, translation)
    seen = set(initial)
    pending = list(seen)
    for state in pending:
        if counted.states >= states:
            return counted.compared(complete=False)
        for _, after in counted.compare(search, translation, state):
            if after not in seen:
                seen.add(after)
                pending.append(after)
    return counted.compared()


def compare_walks(
    search: Search,
    translation: Translation,
    seconds: float,
    seed: int = 0,
    met: dict[State, None] | None = None,
    enough: Enough | None = None,
) -> Compared:
    """Compare along random walks until `seconds` of processor time are used.

    Walks are of different lengths, since some states are far from all initial ones, and every
    other step is one of an action that they took least often: of a large text some actions are one
    choice of many wherever they are possible. Where they meet nothing new, what is next to their
    states follows, so that every state of a small instance is compared. `met` takes the states.
    Where it is said what is `enough`, they end there.
    Raises Disagreement. A limit that the evaluator meets ends the comparison.
    """
    counted = _Counts()
    known = dict[State, None]() if met is None else met
    end = time.process_time() + seconds
    after: dict[State, list[tuple[str, State]]] = {}
    chosen: Counter[str] = Counter()

    def compared(state: State) -> list[tuple[str, State]]:
        """Return the steps out of this state, which is compared when it is met first."""
        if state not in after:
            if time.process_time() >= end or (enough is not None and counted.has(enough)):
                raise _Over
            after[state] = list(counted.compare(search, translation, state))
            known[state] = None
        return after[state]

    try:
        with search.machine.limited(seconds):
            initial, all_of_them = _compare_initial(search, translation, end - seconds / 2, _LISTED)
            for number in until_nothing_is_new(after, seed):
                walk(Random(number), initial, WALK * luby(number - seed + 1), compared, chosen)
            pending = deque(initial)
            pending.extend(state for steps in after.values() for _, state in steps)
            while pending:
                state = pending.popleft()
                if state not in after:
                    pending.extend(state for _, state in compared(state))
    except (EvaluationLimit, _Over):
        return counted.compared(complete=False)
    return counted.compared(all_of_them)


class _Over(Exception):
    """The comparison has had its time, or has seen enough."""


def compare_at(
    search: Search,
    translation: Translation,
    states: Iterable[State],
    seconds: float | None = None,
) -> Compared:
    """Compare at these states, those that `seconds` of processor time allow.

    Raises Disagreement, and what the evaluator raises but for a limit that ends the comparison.
    """
    counted = _Counts()
    end = inf if seconds is None else time.process_time() + seconds
    try:
        with search.machine.limited(seconds):
            for state in states:
                if time.process_time() >= end:
                    return counted.compared(complete=False)
                list(counted.compare(search, translation, state))
    except EvaluationLimit:
        if seconds is None:
            raise
        return counted.compared(complete=False)
    return counted.compared()


def why_unvalued(
    search: Search, translation: Translation, states: Iterable[State], seconds: float
) -> EvaluationError | None:
    """Return why a formula of behaviours has no value in these states, or of a step out of them.

    It is the first that neither text nor translation gives one; None where none is found in so
    much processor time, or a state does not fit the model's sorts.
    """
    machine = search.machine
    try:
        with machine.limited(seconds):
            for state in states:
                for formula, value, _ in translation.formulas(state):
                    if value is None:
                        machine.holds(formula, state)
                for after in {step.state for step in search.steps(state)}:
                    for formula, value, _ in translation.formulas(state, after):
                        if value is None:
                            machine.holds_of_step(formula, state, after)
    except (EvaluationLimit, OutsideBounds):
        return None
    except EvaluationError as error:
        return error
    return None


def replay(search: Search, actions: Sequence[str | None], states: Sequence[State]) -> None:
    """Take a trace's steps on the text; raise Disagreement at the first that it does not allow.

    `actions` are as TLC names them, None for the initial state and where any action will do.
    """
    machine = search.machine
    if states[0] not in machine.initial_states():
        raise Disagreement(f"the text has no initial state {state_text(search, states[0])}")
    for number, (name, before, after) in enumerate(
        zip(actions[1:], states, states[1:], strict=False), 2
    ):
        allowed = {step.action for step in machine.steps(before) if step.state == after}
        if not allowed or (name is not None and name not in allowed):
            takes = ", ".join(sorted(allowed)) or "no action"
            raise Disagreement(
                f"state {number} of the trace: {name or 'a step'} leads to "
                f"{state_text(search, after)}; on the text {takes} does"
            )


@dataclass(slots=True)
class _Counts:
    states: int = 0
    steps: int = 0
    skipped: int = 0
    taken: Counter[str] = field(default_factory=Counter)
    failing: dict[str, EvaluationError] = field(default_factory=dict)
    unvalued: EvaluationError | None = None

    def has(self, enough: Enough) -> bool:
        seen = self.states >= enough.states
        return seen and all(self.taken[action] >= OFTEN for action in enough.actions)

    def compared(self, complete: bool = True) -> Compared:
        taken = frozenset(self.taken)
        counts = self.states, self.steps, self.skipped
        return Compared(*counts, complete, taken, self.failing, self.unvalued)

    def compare(
        self, search: Search, translation: Translation, state: State
    ) -> Iterator[tuple[str, State]]:
        """Compare at one state, then yield the steps out of it."""
        steps = list(dict.fromkeys((step.action, step.state) for step in search.steps(state)))
        text = set(steps)
        successors = list(dict.fromkeys(after for _, after in steps))
        try:
            require_same(search, state, text, set(translation.steps(state)))
            # The translation first: of a claim that it gives no value nothing is said, so the text
            # is not asked about it, and what may be an error there takes nothing from the others.
            found, leaving = translation.judged(state)
            false = search.false_claims(state, leaving | self.failing.keys(), self.failing)
            self._same_claims(search, state, false, found)
            self._same_formulas(search, translation.formulas(state), state)
            for after in successors:
                found, leaving = translation.judged_step(state, after)
                leaving = leaving | self.failing.keys()
                false = search.false_step_claims(state, after, leaving, self.failing)
                self._same_claims(search, state, false, found)
                self._same_formulas(search, translation.formulas(state, after), state, after)
        except OutsideBounds:
            self.skipped += 1
            return
        self.states += 1
        self.steps += len(text)
        self.taken.update({action for action, _ in steps})
        yield from steps

    def _same_claims(
        self, search: Search, state: State, text: Iterable[str], model: Set[str]
    ) -> None:
        for name in sorted(({*text} ^ model) - self.failing.keys()):
            who = "the text" if name in text else "the translation"
            raise Disagreement(f"{name} is false only for {who} at {state_text(search, state)}")

    def _same_formulas(self, search: Search, valued: Iterable[Valued], *states: State) -> None:
        machine = search.machine
        for formula, value, quantified in valued:
            if value is None:
                continue  # Nothing is decided by it.
            try:
                if len(states) == 1:
                    found = machine.holds(formula, *states)
                else:
                    found = machine.holds_of_step(formula, *states)
            except EvaluationLimit:
                raise
            except EvaluationError as error:
                if not quantified:
                    self.unvalued = error
                continue
            if found is not value:
                at = " and then ".join(state_text(search, state) for state in states)
                said = "true" if value else "false"
                raise Disagreement(
                    f"{formula.span}: this is {said} only for the translation at {at}"
                )


def require_same(
    search: Search, state: State, text: Set[tuple[str, State]], model: Set[tuple[str, State]]
) -> None:
    """Raise Disagreement where the steps out of a state are not the same ones in both."""
    if text == model:
        return
    who, found = ("the text", text - model) if text - model else ("the translation", model - text)
    name, after = min(found, key=lambda step: (step[0], str(step[1])))
    here, there = state_text(search, state), state_text(search, after)
    raise Disagreement(f"only {who} has a step {name} from {here} to {there}")


def _compare_initial(
    search: Search, translation: Translation, end: float = inf, most: int | None = None
) -> tuple[list[State], bool]:
    """Return the text's initial states, and whether the translation was seen to have each of them.

    It has none that the text has not, among those that it tells before ``end`` of the processor's
    time; where that ends it, and the text has more than ``most``, they are the first so many.
    Raises Disagreement.
    """
    machine = search.machine
    listed = machine.initial_states(most)
    are_all = most is None or len(listed) < most
    known = dict.fromkeys(listed)
    told: set[State] = set()
    for number, state in enumerate(translation.initial_states()):
        if state not in known and (are_all or not machine.begins(state)):
            raise Disagreement(
                f"only the translation has the initial state {state_text(search, state)}"
            )
        told.add(state)
        if number % _AT_ONCE == 0 and time.process_time() >= end:
            return list(known), are_all and known.keys() <= told
    if not are_all:
        known = dict.fromkeys(machine.initial_states())
    for state in known:
        if state not in told:
            raise Disagreement(f"only the text has the initial state {state_text(search, state)}")
    return list(known), True


def state_text(search: Search, state: State) -> str:
    """Return a state as TLC writes a record."""
    pairs = zip(search.machine.variables, state, strict=True)
    return "[" + ", ".join(f"{name} = {show(value)}" for name, value in pairs) + "]"
