"""Guards and logged values that contradict each other, and no fewer of them.

Of the action that comes nearest every choice of its arguments is looked at, in every state that was
possible: which guards are false, and which logged values the step would not have. What meets all of
these choices is a contradiction. It is made minimal by deletion: what can be left out is left out.
What the nearest step disagrees with goes last, and before it what was logged of arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product
from math import prod

from bmc.conformance.checks import Claim
from bmc.conformance.demands import Demand, DemandedAction
from bmc.conformance.search import Reached
from bmc.conformance.stepping import Stepper
from bmc.lang.errors import BoundTooSmall, SortError
from bmc.lang.state import Branch
from bmc.lang.terms import Term
from bmc.layout.affordable import TooLarge
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState, Environment

MOST_CHOICES = 2_000
"""Choices of arguments, over all states, that are looked at."""


class Logged(Enum):
    """Where a logged value stands."""

    ARGUMENT = "argument"
    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, eq=False)
class LoggedValue:
    """A claim of an event: of an argument, or of the state before or after the step.

    One is equal to itself only.
    """

    claim: Claim
    where: Logged


Constraint = Term | LoggedValue


@dataclass(frozen=True)
class Core:
    """``guards`` and ``logged`` values that no step of an action has together.

    Without any one of them some choice of arguments has the others, in one of ``states`` states.
    ``fixed`` names the arguments that had too many values to try: those that were logged, or all
    that fit, were looked at.
    """

    guards: tuple[Term, ...]
    logged: tuple[LoggedValue, ...]
    states: int
    fixed: tuple[str, ...]


def core_of(
    demand: Demand,
    one: DemandedAction,
    nodes: Sequence[Reached],
    stepper: Stepper,
    kept: Sequence[Term | Claim],
) -> Core | None:
    """Return why no step of an action is the event, or None where that cannot be looked through.

    ``kept`` is left out last. An event that is not one step has no core.
    """
    if (demand.least, demand.most) != (1, 1):
        return None
    for states in (nodes, nodes[:1]):
        try:
            found = _core(demand, one, states, stepper, kept)
        except (SortError, TooLarge, BoundTooSmall):
            found = None
        if found is not None:
            return found
    return None


def _core(
    demand: Demand,
    one: DemandedAction,
    nodes: Sequence[Reached],
    stepper: Stepper,
    kept: Sequence[Term | Claim],
) -> Core | None:
    free = _free(one, nodes, stepper)
    event = _Event(demand, one)
    broken: set[frozenset[Constraint]] = set()
    order: dict[Constraint, None] = {}
    tried = 0
    for node in nodes:
        for env in _choices(one, node.state, stepper, free):
            for branch in one.action.branches:
                tried += 1
                if tried > MOST_CHOICES:
                    return None
                against = event.against(branch, env, node.state, stepper)
                if not against:
                    # It is a bound of the model that is in the way.
                    return None
                order.update(dict.fromkeys(against))
                broken.add(frozenset(against))
    if not broken:
        return None
    core = set(order)

    def last(constraint: Constraint) -> tuple[bool, bool, bool]:
        if not isinstance(constraint, LoggedValue):
            return any(constraint is other for other in kept), True, False
        known = any(constraint.claim is other for other in kept)
        return known, constraint.where is not Logged.AFTER, constraint.where is Logged.ARGUMENT

    for constraint in sorted(order, key=last):
        if all(core & against != {constraint} for against in broken):
            core.remove(constraint)
    return Core(
        tuple(c for c in order if c in core and isinstance(c, Term)),
        tuple(c for c in order if c in core and isinstance(c, LoggedValue)),
        len(nodes),
        tuple(a.name for a in one.action.arguments if a.name not in free),
    )


def _free(one: DemandedAction, nodes: Sequence[Reached], stepper: Stepper) -> frozenset[str]:
    """The arguments of which every value can be looked at: as many of them as there is time for."""
    room = MOST_CHOICES // (len(nodes) * len(one.action.branches))
    number: dict[str, int] = {}
    allowed: dict[str, int] = {}
    for argument in one.action.arguments:
        values = [stepper.allowed(one.action, {}, node.state)[argument] for node in nodes]
        number[argument.name] = max(len(each) for each in values)
        fitting = [stepper.allowed(one.action, one.claims, node.state)[argument] for node in nodes]
        allowed[argument.name] = max(len(each) for each in fitting)
    free: set[str] = {name for name, fitting_number in allowed.items() if not fitting_number}
    for name in sorted(number, key=lambda name: number[name]):
        sizes = {n: number[n] if n in free or n == name else allowed[n] for n in number}
        if prod(sizes.values()) <= room:
            free.add(name)
    return frozenset(free)


def _choices(
    one: DemandedAction, state: ConcreteState, stepper: Stepper, free: frozenset[str]
) -> Iterator[Environment]:
    claims = {name: said for name, said in one.claims.items() if name not in free}
    allowed = stepper.allowed(one.action, claims, state)
    choices: Iterator[tuple[Value, ...]] = product(*allowed.values())
    for values in choices:
        yield {a.variable: value for a, value in zip(allowed, values, strict=True)}


class _Event:
    """What an event says of a step of one action."""

    def __init__(self, demand: Demand, one: DemandedAction) -> None:
        self._before = [LoggedValue(claim, Logged.BEFORE) for claim in demand.before]
        self._after = [LoggedValue(claim, Logged.AFTER) for claim in demand.after]
        self._arguments = [
            (argument.variable, LoggedValue(claim, Logged.ARGUMENT))
            for argument in one.action.arguments
            for claim in one.claims.get(argument.name, ())
        ]

    def against(
        self, branch: Branch, env: Environment, state: ConcreteState, stepper: Stepper
    ) -> list[Constraint]:
        """Return what speaks against a choice; nothing where it leaves the bounds of the model."""
        found: list[Constraint] = [
            one for one in self._before if not one.claim.holds(state[one.claim.root])
        ]
        found += [one for variable, one in self._arguments if not one.claim.holds(env[variable])]
        for guard in branch.guards:
            try:
                if not stepper.interpreter.evaluator.holds(guard, state, env):
                    found.append(guard)
            except BoundTooSmall:
                # Nor do guards that are meant only where this one holds.
                break
        try:
            after = stepper.interpreter.updated(branch, env, state)
        except BoundTooSmall:
            # There is no state after it that could be as it was logged.
            return [*found, *self._after] if found else []
        found += [one for one in self._after if not one.claim.holds(after[one.claim.root])]
        return found
