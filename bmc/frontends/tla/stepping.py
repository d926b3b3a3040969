"""Steps of a translated model on concrete states, quick enough to be taken at thousands of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from bmc.lang.model import Action
from bmc.lang.state import Branch
from bmc.layout.domain import Value
from bmc.readings.compiled import Compiler, Function
from bmc.readings.value import ConcreteState


@dataclass(frozen=True)
class _Compiled:
    """A branch: its guards in order, each where what it reads is chosen first, and its updates."""

    guards: tuple[tuple[Function, ...], ...]
    updates: tuple[tuple[str, Function], ...]


class Steps:
    """The steps of one action, compiled when they are first asked for."""

    def __init__(self, action: Action, compiler: Compiler) -> None:
        self._action = action
        self._compiler = compiler

    def after(self, state: ConcreteState) -> Iterator[ConcreteState]:
        """Yield the state after each step out of a state.

        Raises BoundTooSmall where a guard that is read, or what a step assigns, has no value.
        """
        domains: list[Iterable[Value]] = []
        for chosen_from in self._domains:
            listed = chosen_from if isinstance(chosen_from, tuple) else chosen_from(state, None)
            if not listed:
                return
            domains.append(listed)
        for branch in self._branches:
            yield from _taken(branch, domains, state, ())

    @cached_property
    def _domains(self) -> tuple[tuple[Value, ...] | Function, ...]:
        return tuple(
            self._compiler.domains.values(argument.variable.sort)
            if argument.collection is None
            else self._compiler.function(argument.collection)
            for argument in self._action.arguments
        )

    @cached_property
    def _branches(self) -> tuple[_Compiled, ...]:
        branches = self._action.branches
        read = [term for one in branches for term in (*one.guards, *one.updates.values())]
        self._compiler.look(read, len(self._action.arguments))
        return tuple(self._compiled(branch) for branch in branches)

    def _compiled(self, branch: Branch) -> _Compiled:
        function = self._compiler.function
        variables = [argument.variable for argument in self._action.arguments]
        guards: list[list[Function]] = [[] for _ in range(len(variables) + 1)]
        depth = 0
        for guard in branch.guards:
            # A guard is meant only where those before it hold, so none is read before them.
            while not guard.free.issubset(variables[:depth]):
                depth += 1
            guards[depth].append(function(guard, variables[:depth]))
        updates = tuple((name, function(t, variables)) for name, t in branch.updates.items())
        return _Compiled(tuple(map(tuple, guards)), updates)


def _taken(
    branch: _Compiled,
    domains: Sequence[Iterable[Value]],
    state: ConcreteState,
    given: tuple[Value, ...],
) -> Iterator[ConcreteState]:
    """Yield what a branch leads to with these first arguments, and any that follow them."""
    depth = len(given)
    for holds in branch.guards[depth]:
        if not holds(state, None, *given):
            return
    if depth == len(domains):
        yield {**state, **{name: value(state, None, *given) for name, value in branch.updates}}
        return
    for value in domains[depth]:
        yield from _taken(branch, domains, state, (*given, value))
