"""Why no execution has an event: the step that comes nearest, and what stands in its way.

Of all states the system could have been in, and all steps the event can be, the one is shown with
the fewest guards that fail, and among those the one with the fewest logged values that differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from bmc.conformance.checks import Claim
from bmc.conformance.core import Core, core_of
from bmc.conformance.demands import Demand, DemandedAction
from bmc.conformance.search import Reached, Stuck
from bmc.conformance.stepping import Stepper
from bmc.evidence.explanation import Explainer, Explanation, Truth
from bmc.lang.errors import BoundTooSmall
from bmc.lang.state import Branch
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState, Environment

MOST_STATES = 64
"""States in which the nearest step is looked for."""

MOST_CHOICES = 2_000
"""Choices of arguments of one action that are looked at in one state."""


@dataclass(frozen=True)
class Difference:
    """A logged value that is not what the model has there; ``before`` is of the state before."""

    claim: Claim
    found: Value
    before: bool


@dataclass(frozen=True)
class NoChoice:
    """An argument that has no value in the state of which the event's claims are true."""

    argument: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Reason:
    """The nearest step, out of ``node``; the action is None for an event that is no step.

    Where no value of an argument fits, ``no_choice`` says so and there is no step. Otherwise
    ``failing`` are the guards that are false (or have no value), and ``differing`` the logged
    values that the step would not give. ``states`` counts the states the system could be in, of
    which there are more if they are a ``sample``.
    ``core`` has the fewest guards and logged values that contradict each other, where that can
    be said.
    """

    node: Reached
    states: int
    action: str | None
    arguments: Mapping[str, Value]
    failing: tuple[Explanation, ...]
    differing: tuple[Difference, ...]
    no_choice: tuple[NoChoice, ...]
    core: Core | None = None
    sample: bool = False

    @property
    def distance(self) -> tuple[int, int, int]:
        """What is compared: the smaller, the nearer."""
        return len(self.no_choice), len(self.failing), len(self.differing)


def reason_of(stuck: Stuck, stepper: Stepper) -> Reason:
    """Return why the event of ``stuck`` is no step of the protocol."""
    nearest: Reason | None = None
    for node in stuck.nodes[:MOST_STATES]:
        for found in _reasons(stuck, node, stepper):
            if nearest is None or found.distance < nearest.distance:
                nearest = found
    assert nearest is not None, "a search that is stuck has a state, and a state has a reason"
    return replace(nearest, core=_core(stuck, nearest, stepper), sample=stuck.sample)


def _core(stuck: Stuck, nearest: Reason, stepper: Stepper) -> Core | None:
    """The contradiction of the nearest step's action with the event, in all states if need be."""
    one = next((o for o in stuck.demand.actions if o.action.name == nearest.action), None)
    if one is None:
        return None
    kept: list[Term | Claim] = [explained.term for explained in nearest.failing]
    kept += [difference.claim for difference in nearest.differing]
    nodes = (nearest.node, *(node for node in stuck.nodes if node is not nearest.node))
    return core_of(stuck.demand, one, nodes[:MOST_STATES], stepper, kept)


def _reasons(stuck: Stuck, node: Reached, stepper: Stepper) -> Iterator[Reason]:
    demand, states = stuck.demand, len(stuck.nodes)
    before = _differing(demand.before, node.state, True)
    if demand.least == 0 or not demand.actions:
        differing = (*before, *_differing(demand.after, node.state, False))
        yield Reason(node, states, None, {}, (), differing, ())
    for one in demand.actions:
        yield from _of_action(stuck, node, one, before, stepper)


def _of_action(
    stuck: Stuck,
    node: Reached,
    one: DemandedAction,
    before: tuple[Difference, ...],
    stepper: Stepper,
) -> Iterator[Reason]:
    demand, states, name = stuck.demand, len(stuck.nodes), one.action.name
    allowed = stepper.allowed(one.action, one.claims, node.state)
    empty = tuple(
        NoChoice(argument.name, one.claims.get(argument.name, ()))
        for argument, values in allowed.items()
        if not values
    )
    if empty:
        yield Reason(node, states, name, {}, (), before, empty)
        return
    choices: Iterator[tuple[Value, ...]] = product(*allowed.values())
    for values in islice(choices, MOST_CHOICES):
        env = {a.variable: value for a, value in zip(allowed, values, strict=True)}
        arguments = {a.name: value for a, value in zip(allowed, values, strict=True)}
        for branch in one.action.branches:
            failing = _failing(branch, env, node.state, stepper)
            differing = before
            if not failing:
                differing = (*before, *_after(demand, branch, env, node.state, stepper))
            yield Reason(node, states, name, arguments, failing, differing, ())


def _failing(
    branch: Branch, env: Environment, state: ConcreteState, stepper: Stepper
) -> tuple[Explanation, ...]:
    explainer = Explainer(stepper.interpreter.evaluator, state)
    found: list[Explanation] = []
    for guard in branch.guards:
        try:
            if stepper.interpreter.evaluator.holds(guard, state, env):
                continue
        except BoundTooSmall:
            # A guard without a value says nothing where one before it fails.
            if found:
                continue
        found.append(explainer.explain(guard, env))
    return tuple(one for one in found if one.truth is not Truth.TRUE)


def _after(
    demand: Demand, branch: Branch, env: Environment, state: ConcreteState, stepper: Stepper
) -> tuple[Difference, ...]:
    try:
        after = stepper.interpreter.updated(branch, env, state)
    except BoundTooSmall:
        return ()
    return _differing(demand.after, after, False)


def _differing(
    claims: Sequence[Claim], state: ConcreteState, before: bool
) -> tuple[Difference, ...]:
    return tuple(
        Difference(claim, claim.where.read(state[claim.root]), before)
        for claim in claims
        if not claim.holds(state[claim.root])
    )
