"""A model's actions as Python functions at one choice of parameters: what steps are taken with.

Making them takes longer than a log of ten events, so who checks many logs keeps them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from bmc.lang import TRUE
from bmc.lang.model import Action, Argument, Model
from bmc.lang.state import Branch
from bmc.lang.terms import Term, term_of
from bmc.layout.domain import Domains
from bmc.readings.compiled import Compiler, Function
from bmc.readings.value import ConcreteState, Interpreter


@dataclass(frozen=True)
class CompiledGuard:
    """A guard, and for each argument that it fixes (``argument = e``) what it is then."""

    reads: tuple[Term, ...]
    holds: Function
    fixes: Mapping[Term, tuple[tuple[Term, ...], Function]]


@dataclass(frozen=True)
class CompiledBranch:
    """A branch: its guards in order, and its updates by variable."""

    guards: tuple[CompiledGuard, ...]
    updates: tuple[tuple[str, Function], ...]


class Rules:
    """A model at one choice of parameters; each part is compiled when it is first asked for."""

    def __init__(self, model: Model, parameters: Mapping[str, int]) -> None:
        self.interpreter = Interpreter(model, Domains(parameters))
        self.model = model
        self._compiler = Compiler(self.interpreter.domains)
        self.is_constrained = model.constraint.op != "bool" or model.constraint.data is not True
        self._inside = self._compiler.function(model.constraint)
        self._actions: dict[str, tuple[Mapping[Term, Argument], tuple[CompiledBranch, ...]]] = {}
        self._held: dict[Term, Function] = {}
        self._initial: tuple[ConcreteState, ...] | None = None

    def inside(self, state: ConcreteState) -> bool:
        """Return whether a state satisfies the state constraint."""
        return not self.is_constrained or bool(self._inside(state, None))

    def initial_states(self) -> Sequence[ConcreteState]:
        """Return every initial state that satisfies the state constraint."""
        if self._initial is None:
            self._initial = tuple(self.interpreter.initial_states())
        return self._initial

    def collection(self, term: Term) -> Function:
        """Return what an argument is chosen from, as a function of the state."""
        if term not in self._held:
            self._held[term] = self._compiler.function(term)
        return self._held[term]

    def action(self, action: Action) -> tuple[Mapping[Term, Argument], tuple[CompiledBranch, ...]]:
        """Return the arguments of an action by their variables, and its branches."""
        found = self._actions.get(action.name)
        if found is None:
            variables = {a.variable: a for a in action.arguments}
            branches = tuple(self._branch(one, tuple(variables)) for one in action.branches)
            found = self._actions[action.name] = variables, branches
        return found

    def _branch(self, branch: Branch, order: tuple[Term, ...]) -> CompiledBranch:
        function = self._compiler.function
        guards = []
        for guard in branch.guards:
            reads = tuple(v for v in order if v in guard.free)
            fixes = {}
            if guard.op == "eq":
                left, right = guard.args
                for variable, term in ((left, right), (right, left)):
                    if variable in guard.free and variable not in term.free:
                        others = tuple(v for v in reads if v in term.free)
                        fixes[variable] = others, function(term, others)
            guards.append(CompiledGuard(reads, function(guard, reads), fixes))
        updates = tuple((n, function(t, order)) for n, t in branch.updates.items())
        return CompiledBranch(tuple(guards), updates)


_KEPT = 16
"""Choices of parameters that are kept: logs of one system show a few."""


class RuleBook:
    """The rules of a model at the choices of parameters that were asked for last."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._kept: OrderedDict[tuple[tuple[str, int], ...], Rules] = OrderedDict()

    @cached_property
    def unconstrained(self) -> RuleBook:
        """The rules of the same model where its state constraint leaves no state out."""
        return RuleBook(replace(self.model, constraint=term_of(TRUE)))

    def at(self, parameters: Mapping[str, int]) -> Rules:
        """Return the rules at these parameters, those that were made before if they are kept."""
        key = tuple(sorted(parameters.items()))
        found = self._kept.pop(key, None) or Rules(self.model, parameters)
        self._kept[key] = found
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return found
