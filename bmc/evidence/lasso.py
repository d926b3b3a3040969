"""Lassos: behaviours that end in a loop, judged by the interpreter before anybody sees them.

The judge shares nothing with the search: it takes each step anew, asks the interpreter which
actions are possible in each state of the loop, and evaluates the formula from its meaning on the
word that the lasso spells (no automaton).
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import TypeVar, assert_never

from bmc.evidence.certificate import Certificate
from bmc.evidence.replay import replay
from bmc.evidence.trace import Trace, TraceStep
from bmc.evidence.verdict import Contradiction, Verdict, Why
from bmc.lang.errors import BoundTooSmall
from bmc.lang.sorts import Sort
from bmc.lang.temporal import (
    Both,
    Fairness,
    FairSteps,
    Formula,
    Not,
    Now,
    Specification,
    Taken,
    TemporalProperty,
    Until,
    name_of_argument,
)
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState, Environment, Interpreter, Successor

Step = TypeVar("Step")
"""A state of a lasso, or its number."""


class Excuse(Enum):
    """How a loop meets a fairness condition."""

    TAKEN = "taken"
    DISABLED = "disabled"


@dataclass(frozen=True)
class FairText:
    """Fairness of steps that a formula says, as a lasso tells of it: terms stay in their process.

    ``sorts`` are those of its arguments.
    """

    strong: bool
    text: str
    sorts: Mapping[str, Sort]

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Met:
    """A fairness condition at values of its arguments, and how a loop meets it.

    ``at`` is the number of the step of the trace that takes the action (that after the last state
    closes the loop), or of a state of the loop in which it is disabled; None where it is disabled
    in every state of the loop.
    """

    condition: Fairness | FairText
    arguments: Mapping[str, Value]
    how: Excuse
    at: int | None


@dataclass(frozen=True)
class Lasso:
    """A trace whose last state has a step back to state ``loop``.

    ``closing`` is that step: an action, or None where the behaviour stays in its last state for
    ever (it *stutters*; ``loop`` is then the last state). ``met`` has every fairness condition.
    """

    trace: Trace
    loop: int
    closing: TraceStep | None
    met: tuple[Met, ...]


@dataclass(frozen=True)
class TemporalResult:
    """What is known of a temporal claim.

    ``arguments`` are those of the instance that ``lasso`` violates; ``states`` is the size of the
    graph that was searched, 0 where none was; ``reason`` says why the verdict is unknown, and
    ``why`` which limit it was, or that somebody's Ctrl-C was the cause; ``exit`` is the exit code
    of an engine's process that died.
    ``depth`` is the number of steps of a path up to which there is no lasso, None when not
    searched. ``certificate`` is that of a proof which ``checked_by``, a solver, has re-checked.
    ``reached`` are states for the text to be asked about as well: some of the graph of a proof, and
    where that is why the verdict is unknown one in which the claim has no value, or out of which a
    step leaves the bounds.
    """

    property: str
    verdict: Verdict
    specification: str
    seconds: float
    states: int = 0
    arguments: Mapping[str, Value] | None = None
    lasso: Lasso | None = None
    reason: str | None = None
    engine: str = "explicit"
    depth: int | None = None
    certificate: Certificate | None = None
    checked_by: str | None = None
    reached: Sequence[ConcreteState] = ()
    why: Why | None = None
    exit: int | None = None

    # There is a field of the name of Python's own decorator.
    @builtins.property
    def trace(self) -> Trace | None:
        """The states of the lasso, stem and loop, where there is one."""
        return None if self.lasso is None else self.lasso.trace


def without_repetitions(states: Sequence[Step], loop: int) -> tuple[list[Step], int]:
    """Return a lasso's states and the place that the last leads to, where none follows itself.

    Repeating a state changes neither what a formula without *next* says nor what is fair.
    """
    stem, around = _distinct(states[:loop]), _distinct(states[loop:])
    while len(around) > 1 and around[-1] == around[0]:
        around.pop()
    while stem and stem[-1] == around[0]:
        stem.pop()
    if not around:
        raise Contradiction("a fair loop without a state")
    return [*stem, *around], len(stem)


def _distinct(states: Sequence[Step]) -> list[Step]:
    found: list[Step] = []
    for state in states:
        if not found or found[-1] != state:
            found.append(state)
    return found


def judged(
    interpreter: Interpreter,
    states: Sequence[ConcreteState],
    loop: int,
    specification: Specification,
    stated: TemporalProperty,
    values: Sequence[Value],
) -> Lasso:
    """Return the lasso through ``states``, from the last of which a step leads to state ``loop``.

    Raises Contradiction unless it starts in an initial state, each step is an action of the
    interpreter, each fairness condition is met, and the instance of ``stated`` at ``values`` is
    false on it.
    """
    trace = replay(interpreter, states)
    closing = _closing(interpreter, states[-1], states[loop], loop == len(states) - 1)
    met = tuple(_met(interpreter, trace, loop, specification))
    environment = dict(zip(stated.arguments, values, strict=True))
    if _holds(interpreter, states, loop, stated.formula, environment)[0]:
        raise Contradiction(
            f"a counterexample to {stated.name} does not violate it when it is replayed"
        )
    return Lasso(trace, loop, closing, met)


def _closing(
    interpreter: Interpreter, last: ConcreteState, first: ConcreteState, stays: bool
) -> TraceStep | None:
    found = next(interpreter.steps_to(last, first), None)
    if found is not None:
        return TraceStep(found.action, found.arguments, first)
    if stays:
        return None
    raise Contradiction("the loop of a counterexample does not close when it is replayed")


def _met(
    interpreter: Interpreter,
    trace: Trace,
    loop: int,
    specification: Specification,
) -> Iterator[Met]:
    states = [step.state for step in trace.steps[loop:]]
    following = [*states[1:], states[0]]
    steps = list(zip(states, following, strict=True))
    possible = [_steps(interpreter, state) for state in states]
    for condition in specification.fairness:
        said: Fairness | FairText
        if isinstance(condition, FairSteps):
            sorts = {name_of_argument(one): one.sort for one in condition.arguments}
            said = FairText(condition.strong, condition.text, sorts)
            of_each = _of_formulas(interpreter, condition, steps)
        else:
            said, of_each = condition, _of_actions(interpreter, condition, steps, possible)
        for chosen, taken, enabled in of_each:
            disabled = [number for number, found in enumerate(enabled) if not found]
            if any(taken):
                yield Met(said, chosen, Excuse.TAKEN, loop + taken.index(True) + 1)
            elif all(not found for found in enabled):
                yield Met(said, chosen, Excuse.DISABLED, None)
            elif disabled and not condition.strong:
                yield Met(said, chosen, Excuse.DISABLED, loop + disabled[0])
            else:
                raise Contradiction(
                    f"the loop of a counterexample does not meet {condition} when it is replayed"
                )


_Around = tuple[dict[str, Value], list[bool], list[bool]]
"""Values of a condition's arguments; of each step of a loop, whether it takes the condition's
action, and whether it could be taken there."""


def _of_actions(
    interpreter: Interpreter,
    condition: Fairness,
    steps: Sequence[tuple[ConcreteState, ConcreteState]],
    possible: Sequence[Sequence[Successor]],
) -> Iterator[_Around]:
    declared = {action.name: action.arguments for action in interpreter.model.actions}
    sorts = {a.name: a.variable.sort for a in declared[condition.actions[0]]}
    for values in product(*(interpreter.domains.values(sorts[n]) for n in condition.per)):
        chosen = dict(zip(condition.per, values, strict=True))
        ways = [[s.state for s in found if _is(s, condition, chosen)] for found in possible]
        pairs = zip(steps, ways, strict=True)
        taken = [now != after and after in found for (now, after), found in pairs]
        yield chosen, taken, [bool(found) for found in ways]


def _of_formulas(
    interpreter: Interpreter,
    condition: FairSteps,
    steps: Sequence[tuple[ConcreteState, ConcreteState]],
) -> Iterator[_Around]:
    evaluate = interpreter.evaluator.evaluate
    names = [name_of_argument(one) for one in condition.arguments]
    for values in product(*(interpreter.domains.values(a.sort) for a in condition.arguments)):
        known = dict(zip(condition.arguments, values, strict=True))
        try:
            enabled = [bool(evaluate(condition.enabled, now, known)) for now, _ in steps]
            taken = [
                now != after and bool(evaluate(condition.step, now, known, after))
                for now, after in steps
            ]
        except BoundTooSmall as problem:
            raise Contradiction(f"{condition} has no value on a counterexample") from problem
        if any(one and not other for one, other in zip(taken, enabled, strict=True)):
            raise Contradiction(f"{condition} is taken on a counterexample where it is not enabled")
        yield dict(zip(names, values, strict=True)), taken, enabled


def _steps(interpreter: Interpreter, state: ConcreteState) -> list[Successor]:
    """Every step that changes the state; ``WF_vars`` speaks of no others."""
    return [found for found in interpreter.successors(state) if found.state != state]


def _is(step: Successor, condition: Fairness, chosen: Mapping[str, Value]) -> bool:
    """Whether a step takes the condition's action at the chosen arguments."""
    return step.action in condition.actions and all(
        step.arguments[name] == value for name, value in chosen.items()
    )


def _holds(
    interpreter: Interpreter,
    states: Sequence[ConcreteState],
    loop: int,
    formula: Formula,
    environment: Environment,
) -> list[bool]:
    """The truth of a formula in each state of the lasso, whose last is followed by ``loop``."""

    def of(inner: Formula) -> list[bool]:
        return _holds(interpreter, states, loop, inner, environment)

    match formula:
        case Now(term):
            return [_now(interpreter, term, state, environment) for state in states]
        case Taken(term):
            following = [*states[1:], states[loop]]
            return [
                one != after and _now(interpreter, term, one, environment, after)
                for one, after in zip(states, following, strict=True)
            ]
        case Not(inner):
            return [not held for held in of(inner)]
        case Both(left, right):
            return [a and b for a, b in zip(of(left), of(right), strict=True)]
        case Until(left, right):
            waits, comes = of(left), of(right)
            held = list(comes)
            # The least fixed point: once round the loop and once along the stem settles it.
            for _ in range(2):
                for number in reversed(range(len(states))):
                    after = number + 1 if number + 1 < len(states) else loop
                    held[number] = comes[number] or (waits[number] and held[after])
            return held
        case _:
            assert_never(formula)


def _now(
    interpreter: Interpreter,
    term: Term,
    state: ConcreteState,
    environment: Environment,
    after: ConcreteState | None = None,
) -> bool:
    try:
        return bool(interpreter.evaluator.evaluate(term, state, environment, after))
    except BoundTooSmall:
        # As everywhere: what has no value does not hold.
        return False
