"""Runs a model on concrete states: initial states, successors, steps between two states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bmc.lang.errors import BoundTooSmall
from bmc.lang.model import Action, Argument, Model
from bmc.lang.state import Branch
from bmc.layout.domain import Domains, Value
from bmc.readings.value.evaluator import ConcreteState, Environment, Evaluation, Evaluator


@dataclass(frozen=True)
class Successor:
    """One step: the action, the values of its arguments by name, and the state it leads to."""

    action: str
    arguments: Mapping[str, Value]
    state: ConcreteState


class Interpreter:
    """Runs a model on concrete states."""

    def __init__(self, model: Model, domains: Domains) -> None:
        self.model = model
        self.domains = domains
        self.evaluator = Evaluator(domains)

    def initial_states(self) -> Iterator[ConcreteState]:
        """Every initial state that satisfies the state constraint."""
        for successor in self._branches(self.model.initial, {}):
            if self.inside(successor.state):
                yield successor.state

    def successors(self, state: ConcreteState) -> Iterator[Successor]:
        """Every step out of ``state`` that the state constraint admits, with repetitions.

        Raises BoundTooSmall when an enabled action's result cannot be represented.
        """
        for action in self.model.actions:
            yield from self.steps_of(action, state)

    def steps_of(self, action: Action, state: ConcreteState) -> Iterator[Successor]:
        """Every step of one action out of ``state``, as :meth:`successors` has those of all."""
        for successor in self._branches(action, state):
            if self.inside(successor.state):
                yield successor

    def steps_to(self, state: ConcreteState, target: ConcreteState) -> Iterator[Successor]:
        """Every step from ``state`` to ``target``; steps that leave the bounds are passed over."""
        if not self.inside(target):
            return
        here = self.evaluator.at(state)
        for action in self.model.actions:
            for env in self._choices(action.arguments, here):
                for branch in action.branches:
                    try:
                        after = self._apply(branch, env, here)
                    except BoundTooSmall:
                        continue
                    if after is not None and all(after[n] == target[n] for n in after):
                        arguments = {a.name: env[a.variable] for a in action.arguments}
                        yield Successor(action.name, arguments, after)

    def choices(self, action: Action, state: ConcreteState) -> Iterator[Environment]:
        """Every choice of an action's arguments in a state, whether its guards hold or not."""
        return self._choices(action.arguments, self.evaluator.at(state))

    def inside(self, state: ConcreteState) -> bool:
        """Whether the state satisfies the state constraint."""
        return self.evaluator.holds(self.model.constraint, state, {})

    def _branches(self, action: Action, state: ConcreteState) -> Iterator[Successor]:
        here = self.evaluator.at(state)
        for env in self._choices(action.arguments, here):
            arguments = {a.name: env[a.variable] for a in action.arguments}
            for branch in action.branches:
                try:
                    after = self._apply(branch, env, here)
                except BoundTooSmall as event:
                    where = f"{Path(action.source.file).name}:{action.source.line}"
                    raise type(event)(f"in {action.name} ({where}), {event}") from None
                if after is not None:
                    yield Successor(action.name, arguments, after)

    def _choices(self, arguments: tuple[Argument, ...], here: Evaluation) -> Iterator[Environment]:
        if not arguments:
            yield {}
            return
        *front, final = arguments
        for env in self._choices(tuple(front), here):
            if final.collection is None:
                domain = self.domains.values(final.variable.sort)
            else:
                held = here.run(final.collection, {})
                domain = tuple(sorted(held, key=repr))
            for value in domain:
                yield {**env, final.variable: value}

    def _apply(self, branch: Branch, env: Environment, here: Evaluation) -> ConcreteState | None:
        if not all(here.run(g, env) for g in branch.guards):
            return None
        return self._updated(branch, env, here)

    def updated(self, branch: Branch, env: Environment, state: ConcreteState) -> ConcreteState:
        """Return the state after a branch, for a caller that knows its guards to hold.

        Raises BoundTooSmall when the result cannot be represented.
        """
        return self._updated(branch, env, self.evaluator.at(state))

    def _updated(self, branch: Branch, env: Environment, here: Evaluation) -> ConcreteState:
        changed = {n: here.run(t, env) for n, t in branch.updates.items()}
        return {name: changed.get(name, here.state.get(name)) for name in self.model.variables}
