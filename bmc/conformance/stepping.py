"""Steps that an event demands, with the arguments that it allows only.

An argument that a claim or a guard ``argument = e`` fixes is
not looked for among all values of its sort, so a step costs the same however long a log may get.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bmc.conformance.checks import Claim, Comparison
from bmc.conformance.rules import CompiledBranch, CompiledGuard, Rules
from bmc.lang.errors import BoundTooSmall
from bmc.lang.model import Action, Argument
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState, Environment

Claims = Mapping[str, tuple[Claim, ...]]


@dataclass(frozen=True)
class SearchStep:
    """One step: the action, the position of its branch, its arguments, the state it leads to."""

    action: Action
    branch: int
    arguments: Mapping[str, Value]
    state: ConcreteState


class Stepper:
    """Takes steps, and remembers why steps were not taken that the protocol might take.

    ``cut`` is the first such reason: an action's result is outside the bounds, or the state
    constraint leaves the state after it out. While it is None, no step of the model was missed.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.model = rules.model
        self.interpreter = rules.interpreter
        self.cut: str | None = None

    def steps(self, action: Action, claims: Claims, state: ConcreteState) -> Iterator[SearchStep]:
        """Every step of an action out of a state whose arguments the claims allow."""
        variables, branches = self.rules.action(action)
        candidates: dict[Argument, Sequence[Value]] = {}

        def values(argument: Argument) -> Sequence[Value]:
            if argument not in candidates:
                candidates[argument] = self._values(action, argument, claims, state)
            return candidates[argument]

        for position, branch in enumerate(branches):
            for env in self._enabled(branch, variables, claims, values, state, action.name):
                try:
                    given = [env[variable] for variable in variables]
                    after = {**state}
                    for name, update in branch.updates:
                        after[name] = update(state, None, *given)
                except BoundTooSmall as event:
                    self._miss(f"in {action.name}, {event}")
                    continue
                if not self.rules.inside(after):
                    self._miss(f"{action.name} leads out of the state constraint")
                    continue
                arguments = {a.name: env[variable] for variable, a in variables.items()}
                yield SearchStep(action, position, arguments, after)

    def allowed(
        self, action: Action, claims: Claims, state: ConcreteState
    ) -> dict[Argument, Sequence[Value]]:
        """Return the values that each argument can have in a state where the claims are true."""
        return {a: self._values(action, a, claims, state) for a in action.arguments}

    def _values(
        self, action: Action, argument: Argument, claims: Claims, state: ConcreteState
    ) -> Sequence[Value]:
        said, sort = claims.get(argument.name, ()), argument.variable.sort
        domains = self.interpreter.domains
        held: Sequence[Value] | frozenset[Value] | None = None
        if argument.collection is not None:
            try:
                held = self.rules.collection(argument.collection)(state, None)
            except BoundTooSmall as event:
                self._miss(f"in {action.name}, {event}")
                return ()
        whole = _whole(said)
        if whole is not None:
            there = domains.contains(sort, whole.value) if held is None else whole.value in held
            found: Sequence[Value] = [whole.value] if there else []
        elif held is not None:
            # To write them all takes longer than to look which of them are meant.
            found = [value for value in held if all(claim.holds(value) for claim in said)]
            return sorted(found, key=repr)
        else:
            found = domains.values(sort)
        if not said:
            return found
        return [value for value in found if all(claim.holds(value) for claim in said)]

    def _enabled(
        self,
        branch: CompiledBranch,
        variables: Mapping[Term, Argument],
        claims: Claims,
        values: Callable[[Argument], Sequence[Value]],
        state: ConcreteState,
        name: str,
    ) -> list[Environment]:
        # Guards are read in their order, each as soon as what it reads is chosen: a guard is
        # meant only where those before it hold.
        environments: list[Environment] = [{}]
        chosen: set[Term] = set()

        def choose(variable: Term) -> None:
            chosen.add(variable)
            nonlocal environments
            environments = [
                {**env, variable: value}
                for env in environments
                for value in values(variables[variable])
            ]

        for guard in branch.guards:
            fixed = None
            for variable in guard.reads:
                if variable in chosen:
                    continue
                reads = guard.fixes.get(variable)
                argument = variables[variable]
                if (
                    reads is not None
                    and argument.collection is None
                    and _whole(claims.get(argument.name, ())) is None
                    and all(v in chosen or v is variable for v in guard.reads)
                ):
                    fixed = variable
                else:
                    choose(variable)
            if fixed is not None:
                said = claims.get(variables[fixed].name, ())
                environments = self._fixed(environments, guard, fixed, said, state, name)
                chosen.add(fixed)
            else:
                environments = [e for e in environments if self._holds(guard, state, e, name)]
            if not environments:
                return []
        for variable in variables:
            if variable not in chosen:
                choose(variable)
        return environments

    def _fixed(
        self,
        environments: list[Environment],
        guard: CompiledGuard,
        variable: Term,
        said: Sequence[Claim],
        state: ConcreteState,
        name: str,
    ) -> list[Environment]:
        """The environments with the one value of a variable for which a guard holds."""
        reads, value_of = guard.fixes[variable]
        found = []
        for env in environments:
            try:
                value = value_of(state, None, *[env[v] for v in reads])
            except BoundTooSmall as event:
                self._miss(f"in {name}, {event}")
                continue
            if self.interpreter.domains.contains(variable.sort, value) and all(
                claim.holds(value) for claim in said
            ):
                found.append({**env, variable: value})
        return found

    def _holds(
        self, guard: CompiledGuard, state: ConcreteState, env: Environment, name: str
    ) -> bool:
        try:
            return bool(guard.holds(state, None, *[env[v] for v in guard.reads]))
        except BoundTooSmall as event:
            self._miss(f"in {name}, {event}")
            return False

    def _miss(self, why: str) -> None:
        if self.cut is None:
            self.cut = why


def _whole(said: Sequence[Claim]) -> Claim | None:
    """The claim that gives an argument as a whole."""
    for claim in said:
        if claim.check.comparison is Comparison.EQUAL and not claim.check.path.steps:
            return claim
    return None
