"""A translated model that is asked in TLA+'s values, as the text itself is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bmc.lang.errors import BoundTooSmall
from bmc.lang.properties import Kind, Property
from bmc.lang.sorts import Sort
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter

from .agreement import OutsideBounds
from .oracle.machine import State
from .specification import Specification
from .translate.model import Translation


def told(translation: Translation, state: Mapping[str, Any]) -> State:
    """Return a state of the model as one of the text."""
    layout = translation.layout
    return tuple(layout.decode(state[n], sort) for n, sort in translation.model.variables.items())


class TranslatedModel:
    """The translated model, told in TLA+'s values."""

    def __init__(self, specification: Specification, translation: Translation) -> None:
        self.translation = translation
        self._stated = {
            named.name for named in (*specification.invariants, *specification.properties)
        }
        self.interpreter = Interpreter(translation.model, Domains({}))
        self.claims = [one for one in translation.properties if one.kind is Kind.INVARIANT]
        self.step_claims = [
            one for one in translation.properties if one.kind is Kind.STEP_INVARIANT
        ]

    def initial_states(self) -> Iterator[State]:
        """Yield the initial states. Raises OutsideBounds."""
        try:
            for state in self.interpreter.initial_states():
                yield told(self.translation, state)
        except BoundTooSmall as event:
            raise OutsideBounds(str(event)) from None

    def steps(self, state: State) -> Iterator[tuple[str, State]]:
        """Yield the steps out of a state, by TLC's names. Raises OutsideBounds."""
        try:
            for step in self.interpreter.successors(self._held(state)):
                after = told(self.translation, step.state)
                yield self.translation.actions[step.action], after
        except BoundTooSmall as event:
            raise OutsideBounds(str(event)) from None

    def false_claims(self, state: State) -> Iterable[str]:
        """Return the invariants that are false in a state. Raises OutsideBounds."""
        return self._false(self.claims, self._held(state), None)

    def false_step_claims(self, before: State, after: State) -> Iterable[str]:
        """Return the step invariants that are false of a step. Raises OutsideBounds."""
        return self._false(self.step_claims, self._held(before), self._held(after))

    def _base(self, name: str) -> str:
        """Return the property of the text that a claim is, or is a conjunct of (`Spec_2`)."""
        whole = name.rpartition("_")[0]
        return whole if name not in self._stated and whole in self._stated else name

    def _false(
        self, claims: list[Property], held: dict[str, Any], after: dict[str, Any] | None
    ) -> Iterable[str]:
        evaluate = self.interpreter.evaluator.evaluate
        try:
            return [
                self._base(claim.name)
                for claim in claims
                if not evaluate(claim.body, held, {}, after)
            ]
        except BoundTooSmall as event:
            raise OutsideBounds(str(event)) from None

    def _held(self, state: State) -> dict[str, Any]:
        variables = self.translation.model.variables.items()
        return {
            name: self._encoded(value, sort)
            for (name, sort), value in zip(variables, state, strict=True)
        }

    def _encoded(self, value: Any, sort: Sort) -> Any:
        try:
            return self.translation.layout.encode(value, sort)
        except Exception as error:
            raise OutsideBounds(str(error)) from None
