"""Steps of the interpreter that an event demands, with the arguments that it allows only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bmc.conformance.checks import Claim
from bmc.lang.errors import BoundTooSmall
from bmc.lang.protocol import Action, Argument, Model
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState, Environment, Interpreter, Successor

Claims = Mapping[str, tuple[Claim, ...]]


class Stepper:
    """Takes steps, and remembers why steps were not taken that the protocol might take.

    ``cut`` is the first such reason: an action's result is outside the bounds, or the state
    constraint leaves the state after it out. While it is None, no step of the model was missed.
    """

    def __init__(self, model: Model, interpreter: Interpreter) -> None:
        self.model = model
        self.interpreter = interpreter
        self.cut: str | None = None
        self.taken = 0

    def steps(self, action: Action, claims: Claims, state: ConcreteState) -> Iterator[Successor]:
        """Every step of an action out of a state whose arguments the claims allow."""
        allowed = self.allowed(action, claims, state)
        if not all(allowed.values()):
            return
        variables = {a.variable: a for a in action.arguments}
        for branch in action.branches:
            for env in self._enabled(branch.guards, variables, allowed, state, action.name):
                self.taken += 1
                try:
                    after = self.interpreter.updated(branch, env, state)
                except BoundTooSmall as event:
                    self._miss(f"in {action.name}, {event}")
                    continue
                if not self.interpreter.inside(after):
                    self._miss(f"{action.name} leads out of the state constraint")
                    continue
                yield Successor(
                    action.name, {a.name: env[a.variable] for a in variables.values()}, after
                )

    def allowed(
        self, action: Action, claims: Claims, state: ConcreteState
    ) -> dict[Argument, Sequence[Value]]:
        """Return the values that each argument can have in a state where the claims are true."""
        found: dict[Argument, Sequence[Value]] = {}
        for argument in action.arguments:
            if argument.collection is None:
                values: Sequence[Value] = self.interpreter.domains.values(argument.variable.sort)
            else:
                try:
                    held = self.interpreter.evaluator.evaluate(argument.collection, state)
                except BoundTooSmall as event:
                    self._miss(f"in {action.name}, {event}")
                    held = ()
                values = sorted(held, key=repr)
            said = claims.get(argument.name, ())
            found[argument] = [v for v in values if all(claim.holds(v) for claim in said)]
        return found

    def _enabled(
        self,
        guards: Sequence[Term],
        variables: Mapping[Term, Argument],
        allowed: Mapping[Argument, Sequence[Value]],
        state: ConcreteState,
        name: str,
    ) -> list[Environment]:
        # Guards are read in their order, each as soon as what it reads is chosen: a guard is
        # meant only where those before it hold.
        environments: list[Environment] = [{}]
        chosen: set[Term] = set()

        def choose(wanted: frozenset[Term]) -> None:
            nonlocal environments
            for variable, argument in variables.items():
                if variable in wanted and variable not in chosen:
                    chosen.add(variable)
                    environments = [
                        {**env, variable: value}
                        for env in environments
                        for value in allowed[argument]
                    ]

        for guard in guards:
            choose(guard.free)
            environments = [env for env in environments if self._holds(guard, state, env, name)]
            if not environments:
                return []
        choose(frozenset(variables))
        return environments

    def _holds(self, guard: Term, state: ConcreteState, env: Environment, name: str) -> bool:
        try:
            return self.interpreter.evaluator.holds(guard, state, env)
        except BoundTooSmall as event:
            self._miss(f"in {name}, {event}")
            return False

    def _miss(self, why: str) -> None:
        if self.cut is None:
            self.cut = why
