"""The choices of an action's arguments: one for each ground rule that it may have.

Arguments are chosen one after the other. Where there are many choices, the guards that say nothing
of later arguments are read before these are chosen: where they are false, nothing that is chosen
later makes a rule. An action that receives one of a thousand messages, and then chooses one of a
thousand sets, has a million choices, of which the message and the set by themselves leave few.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from bmc.lang.model import Action, Argument
from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import AnySet
from bmc.lang.terms import Term
from bmc.layout.affordable import TooLarge
from bmc.layout.domain import Value
from bmc.readings.circuit import Node
from bmc.readings.expand import Expander
from bmc.readings.expand.leading import conjuncts, places, required
from bmc.readings.shapes import Shape

_MANY = 1_000
"""Choices of an action from which on guards are read before all of its arguments are chosen."""


@dataclass(frozen=True, slots=True)
class ChosenArguments:
    """A choice of the first arguments of an action, and the branches that it may be one of.

    ``known`` are values; an argument out of a set in the state has none, only what stands in
    ``environment``. It is one as far as ``present`` holds.
    """

    known: Mapping[str, Value]
    present: Node
    environment: Mapping[Term, Shape]
    branches: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Read:
    """How many guards of a branch have been read, whether all of these may hold, and whether one
    of them may have no value."""

    end: int
    may_hold: bool
    partial: bool


_NOTHING = _Read(0, True, False)


class ArgumentChoices:
    """Chooses the arguments of an action."""

    def __init__(self, expander: Expander, action: Action) -> None:
        self._expander = expander
        self._circuit = expander.circuit
        self._action = action
        self._symmetric = [
            one.name
            for one in action.arguments
            if one.collection is None and symmetric_parts(one.variable.sort)
        ]
        self._first = [
            [part for guard in branch.guards for part in conjuncts(guard)]
            for branch in action.branches
        ]
        self._allowed_before: dict[tuple[Term, int, int], Sequence[int]] = {}
        self._read_early = self._are_many()

    def __iter__(self) -> Iterator[ChosenArguments]:
        """Yield the choices, less those that no branch's first guards allow."""
        yield from self._from(
            ChosenArguments({}, self._circuit.true, {}, tuple(range(len(self._first))))
        )

    def symmetric(self, choice: ChosenArguments) -> tuple[Value, ...]:
        """Return the values of the arguments that name members that can be interchanged."""
        return tuple(choice.known[name] for name in self._symmetric)

    def _from(self, before: ChosenArguments, at: int = 0) -> Iterator[ChosenArguments]:
        """Yield the choices of the arguments from a place on."""
        if at == len(self._action.arguments):
            yield before
            return
        read = dict.fromkeys(before.branches, _NOTHING)
        if self._read_early:
            read = self._read(before)
        argument = self._action.arguments[at]
        one_more = self._valued if argument.collection is None else self._member
        for choice in one_more(before, argument, read):
            yield from self._from(choice, at + 1)

    def _are_many(self) -> bool:
        x = self._expander
        numbers = []
        for one in self._action.arguments:
            if one.collection is None:
                numbers.append(x.domains.number(one.variable.sort))
            else:
                held = x.expand(one.collection).shape
                numbers.append(len(list(x.members(one.collection.sort, held))))
        return prod(numbers) > _MANY

    def _read(self, choice: ChosenArguments) -> dict[int, _Read]:
        """Return what is read of the branches that may be taken, or may have no value."""
        found = {}
        for number in choice.branches:
            read = self._read_of(self._first[number], choice.environment)
            if read.may_hold or read.partial:
                found[number] = read
        return found

    def _read_of(self, guards: Sequence[Term], env: Mapping[Term, Shape]) -> _Read:
        c = self._circuit
        partial = False
        for at, guard in enumerate(guards):
            if not all(variable in env for variable in guard.free):
                return _Read(at, True, partial)
            made = self._expander.expand(guard, env)
            partial = partial or made.defined is not c.true
            if made.shape is c.false:
                return _Read(at, False, partial)
        return _Read(len(guards), True, partial)

    def _valued(
        self, before: ChosenArguments, argument: Argument, read: Mapping[int, _Read]
    ) -> Iterator[ChosenArguments]:
        """Yield the choices with one more argument, which is any value of its sort.

        Raises TooLarge, with the action's place, where these are too many to be listed.
        """
        variable = argument.variable
        try:
            values = self._expander.domains.values(variable.sort)
        except TooLarge as error:
            action = self._action
            where = f"{action.source}: the choice of {argument.name} in {action.name}"
            raise TooLarge(f"{where}: {error}") from None
        shapes = self._expander.shapes.constants(variable.sort)
        left = dict.fromkeys(range(len(values)), before.branches)
        if self._read_early:
            branches: dict[int, list[int]] = {}
            for number, one in read.items():
                for place in self._worth(variable, number, one):
                    branches.setdefault(place, []).append(number)
            left = {place: tuple(branches[place]) for place in sorted(branches)}
        for place, several in left.items():
            yield ChosenArguments(
                {**before.known, argument.name: values[place]},
                before.present,
                {**before.environment, variable: shapes[place]},
                several,
            )

    def _worth(self, variable: Term, branch: int, read: _Read) -> Sequence[int]:
        """Return which values of an argument make rules of a branch that are not all alike.

        Where no guard holds, a rule only says where the guards before have no value, which any one
        value says as well.
        """
        found = self._allowed(variable, branch, read.end) if read.may_hold else ()
        if found or not read.partial:
            return found
        # Where members can be interchanged, rules are so too: none of them stands for the others.
        alike = symmetric_parts(variable.sort)
        return range(len(self._expander.shapes.constants(variable.sort))) if alike else (0,)

    def _allowed(self, variable: Term, branch: int, start: int) -> Sequence[int]:
        """Return which values of an argument a branch's guards allow from one of them on.

        Guards that speak of this argument alone are asked once, whatever was chosen before.
        """
        known = self._allowed_before.get((variable, branch, start))
        if known is None:
            guards = self._first[branch][start:]
            shapes = self._expander.shapes.constants(variable.sort)
            known = self._allowed_before[variable, branch, start] = [
                place
                for place, shape in enumerate(shapes)
                if self._may_differ(guards, {variable: shape})
            ]
        return known

    def _may_differ(self, guards: Sequence[Term], env: Mapping[Term, Shape]) -> bool:
        read = self._read_of(guards, env)
        return read.may_hold or read.partial

    def _member(
        self, before: ChosenArguments, argument: Argument, read: Mapping[int, _Read]
    ) -> Iterator[ChosenArguments]:
        """Yield the choices with one more argument, which is from a set in the state."""
        x, variable, collection = self._expander, argument.variable, argument.collection
        assert collection is not None
        assert isinstance(collection.sort, AnySet)
        held = x.expand(collection).shape
        branches: dict[int, list[int]] = {}
        for number in read:
            wanted = required(x, self._first[number], variable, before.environment)
            for place in places(x, collection.sort, held, wanted):
                branches.setdefault(place, []).append(number)
        members = x.shapes.members(collection.sort, held)
        for place in sorted(branches):
            present, shape = members[place]
            yield ChosenArguments(
                before.known,
                self._circuit.and_(before.present, present),
                {**before.environment, variable: shape},
                tuple(branches[place]),
            )
