"""A model beside the automaton of what a temporal claim denies, which follows its steps.

A monitor begins somewhere in the automaton, or follows no claim at all: on such a run the model's
bounds are watched everywhere. It moves along with each step, also with one that changes nothing, as
long as the states are as the automaton demands; where they are not it is stuck. What else a monitor
remembers is for those to say who derive from :class:`Follower`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from bmc.lang.build import FALSE, conj, disj, implies
from bmc.lang.model import Action, Argument, Model
from bmc.lang.sorts import BOOL, EnumSort, Sort
from bmc.lang.state import Branch, state_variable
from bmc.lang.substitution import substituted
from bmc.lang.temporal import TemporalProperty, atoms, steps, with_atoms
from bmc.lang.terms import Term, make
from bmc.system.automaton import automaton, recurring_nodes
from bmc.system.fair_conditions import afterwards, changes, declared

OFF = "off"


def prefix_of(model: Model) -> str:
    """Return what the names of a monitor's own parts begin with, and no name of the model.

    The model has its history, so that the monitor is called the same with it and without.
    """
    actions = (model.initial, *model.actions)
    arguments = (argument.name for action in actions for argument in action.arguments)
    names, prefix = (*model.variables, *arguments), "watch"
    while any(name.startswith(prefix) for name in names):
        prefix += "_"
    return prefix


def frozen_name(prefix: str, argument: Term) -> str:
    """Return the name of the variable that holds an argument of the claim."""
    assert isinstance(argument.data, tuple)
    return f"{prefix}_for_{argument.data[1]}"


class Follower(ABC):
    """A model and an automaton that follows it.

    ``frozen`` are the variables that hold the claim's arguments, which no step changes; ``active``
    says that the automaton is where a run may stay for ever and be accepted. ``prefix`` is that of
    :func:`prefix_of`.
    """

    def __init__(self, model: Model, prefix: str, stated: TemporalProperty) -> None:
        self._inner = model
        self._prefix = prefix
        self.frozen = {
            one: state_variable(frozen_name(self._prefix, one), one.sort)
            for one in stated.arguments
        }
        formula = with_atoms(stated.formula, lambda atom: substituted(atom, self.frozen))
        self._atoms = atoms(formula)
        self._steps = steps(formula)
        self._automaton = automaton(formula, positive=False)
        numbers = tuple(str(n) for n in range(len(self._automaton.nodes)))
        self._node = self._variable("node", EnumSort("MonitorNode", (*numbers, OFF)))
        self._recurring = recurring_nodes(self._automaton)
        self._active = disj(*(self._at(n) for n in sorted(self._recurring)))

    # What a monitor remembers beside the automaton's node.

    @abstractmethod
    def _remembered(self) -> Iterable[Term]:
        """Its variables."""

    @abstractmethod
    def _at_first(self, known: Mapping[str, Term]) -> Mapping[str, Term]:
        """Their initial values, where those of the model, the node and the arguments are known."""

    @abstractmethod
    def _seeing(
        self, node: Argument, action: Action | None, branch: Branch | None
    ) -> dict[str, Term]:
        """Their values, and the node, after a step (None: of nothing) out of a state."""

    def _alone(self) -> Iterator[Action]:
        """Its steps of which the model knows nothing."""
        yield from ()

    # The model with the monitor.

    def model(self) -> Model:
        """The model with the monitor's variables and steps."""
        own = [self._node, *self.frozen.values(), *self._remembered()]
        inner = self._inner
        return replace(
            inner,
            variables={**inner.variables, **{name_of(one): one.sort for one in own}},
            initial=self._initial(),
            actions=(
                *(self._followed(action) for action in inner.actions),
                self._stutter(),
                *self._alone(),
            ),
        )

    def _initial(self) -> Action:
        before = self._inner.initial
        node = self._argument("node", self._node.sort)
        frozen = {
            variable: self._argument(frozen_name("for", one), one.sort)
            for one, variable in self.frozen.items()
        }
        starts = [equal(node.variable, self._named(n)) for n in self._automaton.initial]
        first = disj(*starts, equal(node.variable, self._named(OFF)))
        updates = {name_of(v): one.variable for v, one in frozen.items()}
        updates[name_of(self._node)] = node.variable
        branches = []
        for branch in before.branches:
            known = {**branch.updates, **updates}
            branches.append(Branch((*branch.guards, first), {**known, **self._at_first(known)}))
        arguments = (*before.arguments, *frozen.values(), node)
        return replace(before, arguments=arguments, branches=tuple(branches))

    def _variable(self, name: str, sort: Sort) -> Term:
        return state_variable(f"{self._prefix}_{name}", sort)

    def _at(self, node: int | str) -> Term:
        return make("eq", (self._node, constant(self._node, str(node))), BOOL)

    def _argument(self, name: str, sort: Sort) -> Argument:
        called = f"{self._prefix}_{name}"
        return Argument(called, make("bound_variable", (), sort, (-1, called)), None)

    def _named(self, node: int | str) -> Term:
        return constant(self._node, str(node))

    def _followed(self, action: Action) -> Action:
        """An action of the model, on which the monitor moves along."""
        node = self._argument("next", self._node.sort)
        branches = tuple(
            Branch(
                (*branch.guards, *self._moves(node, branch)),
                {**branch.updates, **self._seeing(node, action, branch)},
            )
            for branch in action.branches
        )
        return replace(action, arguments=(*action.arguments, node), branches=branches)

    def _stutter(self) -> Action:
        """A step in which the model stays where it is."""
        node = self._argument("next", self._node.sort)
        # Wherever an atom of the claim has no value, a bound is said to be too small.
        read = [disj(atom, negation(atom)) for atom in self._atoms]
        branch = Branch((*read, *self._moves(node, None)), self._seeing(node, None, None))
        return self._step("Stutter", (node,), branch)

    def _moves(self, node: Argument, branch: Branch | None) -> Iterator[Term]:
        """That the state is as the automaton's node demands, and the automaton can move along.

        So is the step by a ``branch``, None for one that stutters.
        """
        taken = {step: self._taken(step, branch) for step in self._steps}
        if branch is not None:
            yield from (disj(one, negation(one)) for one in taken.values())
        edges = [conj(self._at(OFF), equal(node.variable, self._named(OFF)))]
        for number, one in enumerate(self._automaton.nodes):
            demanded = [atom if wanted else negation(atom) for atom, wanted in one.demands.items()]
            demanded += [
                taken[step] if wanted else negation(taken[step])
                for step, wanted in one.steps.items()
            ]
            yield implies(self._at(number), conj(*demanded))
            edges += [
                conj(self._at(number), equal(node.variable, self._named(after)))
                for after in one.following
            ]
        yield disj(*edges)

    def _taken(self, step: Term, branch: Branch | None) -> Term:
        """Whether a step by a branch changes something and is as a formula says."""
        if branch is None:
            return FALSE
        own = declared(self._inner)
        return conj(changes(own, branch), substituted(step, afterwards(own, branch)))

    def _step(self, name: str, arguments: tuple[Argument, ...], branch: Branch) -> Action:
        source = self._inner.initial.source
        return Action(f"{self._prefix}.{name}", arguments, (branch,), source)


def name_of(variable: Term) -> str:
    assert isinstance(variable.data, tuple)
    return str(variable.data[0])


def constant(variable: Term, value: str) -> Term:
    return make("enum", (), variable.sort, value)


def equal(left: Term, right: Term) -> Term:
    return make("eq", (left, right), BOOL)


def negation(formula: Term) -> Term:
    return make("not", (formula,), BOOL)
