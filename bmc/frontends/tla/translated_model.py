"""A translated model that is asked in TLA+'s values, as the text itself is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bmc.lang.errors import BoundTooSmall
from bmc.lang.properties import Kind, Property
from bmc.lang.sorts import Sort
from bmc.lang.terms import Term
from bmc.layout.domain import Domains
from bmc.readings.compiled import Compiler, Function

from .agreement import Judged, OutsideBounds, Valued
from .oracle.machine import State
from .stepping import Steps
from .translate.model import Translation


def told(translation: Translation, state: Mapping[str, Any]) -> State:
    """Return a state of the model as one of the text."""
    layout = translation.layout
    return tuple(layout.decode(state[n], sort) for n, sort in translation.model.variables.items())


class TranslatedModel:
    """The translated model, told in TLA+'s values; with what is said of ``behaviours`` if asked."""

    def __init__(self, translation: Translation, behaviours: bool = False) -> None:
        self.translation = translation
        model = translation.model
        self._compiler = Compiler(Domains({}), remembers=True)
        self._initial = Steps(model.initial, self._compiler)
        self._actions = [(a.name, Steps(a, self._compiler)) for a in model.actions]
        self.claims = [one for one in translation.properties if one.kind is Kind.INVARIANT]
        self.step_claims = [
            one for one in translation.properties if one.kind is Kind.STEP_INVARIANT
        ]
        self._atoms = translation.atoms if behaviours else ()
        bodies = [one.body for one in translation.properties]
        self._compiler.look([*bodies, *(atom.term for atom in self._atoms)], 0)
        self._bodies: dict[Term, Function] = {}
        self._last: tuple[State, dict[str, Any]] | None = None
        self._encodings = [_Remembered(sort, translation) for sort in model.variables.values()]

    def initial_states(self) -> Iterator[State]:
        """Yield the initial states. Raises OutsideBounds."""
        try:
            for state in self._initial.after({}):
                yield self._told(state)
        except BoundTooSmall as event:
            raise OutsideBounds(str(event)) from None

    def steps(self, state: State) -> Iterator[tuple[str, State]]:
        """Yield the steps out of a state, by TLC's names. Raises OutsideBounds."""
        held = self._held(state)
        try:
            for name, steps in self._actions:
                for after in steps.after(held):
                    yield self.translation.actions[name], self._told(after)
        except BoundTooSmall as event:
            raise OutsideBounds(str(event)) from None

    def judged(self, state: State) -> Judged:
        """Return what is said of the invariants in a state. Raises OutsideBounds."""
        return self._judged(self.claims, self._held(state), None)

    def judged_step(self, before: State, after: State) -> Judged:
        """Return what is said of the step invariants of a step. Raises OutsideBounds."""
        if not self.step_claims:
            return Judged(frozenset())
        return self._judged(self.step_claims, self._held(before), self._encoded(after))

    def formulas(self, before: State, after: State | None = None) -> Iterator[Valued]:
        """Yield what behaviours are described by with its value in a state, or of a step.

        Raises OutsideBounds.
        """
        for atom in self._atoms:
            if atom.of_step is (after is not None):
                entered = None if after is None else self._encoded(after)
                try:
                    value = bool(self._compiled(atom.term)(self._held(before), entered))
                except BoundTooSmall:
                    yield Valued(atom.node, None, atom.quantified)
                else:
                    yield Valued(atom.node, value, atom.quantified)

    def has_value(self, claim: Property, before: State, after: State) -> bool:
        """Tell whether a claim has a value in a state, or of a step to it."""
        of_step = claim.kind is Kind.STEP_INVARIANT
        held, entered = self._held(before if of_step else after), self._encoded(after)
        try:
            self._compiled(claim.body)(held, entered if of_step else None)
        except BoundTooSmall:
            return False
        return True

    def _judged(
        self, claims: list[Property], held: dict[str, Any], after: dict[str, Any] | None
    ) -> Judged:
        """Return what is said of claims, each by itself; of a whole, what its conjuncts decide."""
        false, without_value = set(), set()
        for claim in claims:
            try:
                if not self._compiled(claim.body)(held, after):
                    false.add(self.translation.whole(claim.name))
            except BoundTooSmall:
                without_value.add(self.translation.whole(claim.name))
        return Judged(false - without_value, without_value)

    def _compiled(self, body: Term) -> Function:
        found = self._bodies.get(body)
        if found is None:
            found = self._bodies[body] = self._compiler.function(body)
        return found

    def _told(self, state: Mapping[str, Any]) -> State:
        pairs = zip(self.translation.model.variables, self._encodings, strict=True)
        return tuple(one.decoded(state[name]) for name, one in pairs)

    def _held(self, state: State) -> dict[str, Any]:
        """Return a state as the model has it, the same object as when it was asked for last."""
        if self._last is None or self._last[0] is not state:
            self._last = state, self._encoded(state)
        return self._last[1]

    def _encoded(self, state: State) -> dict[str, Any]:
        names = self.translation.model.variables
        pairs = zip(names, self._encodings, state, strict=True)
        return {name: one.encoded(value) for name, one, value in pairs}


class _Remembered:
    """A variable's values in both forms: of most steps it has one that was met before."""

    def __init__(self, sort: Sort, translation: Translation) -> None:
        self._sort = sort
        self._layout = translation.layout
        self._decoder = translation.layout.decoder(sort)
        self._encoded: dict[Any, Any] = {}
        self._decoded: dict[Any, Any] = {}

    def encoded(self, value: Any) -> Any:
        """Return a value of the text as one of the model. Raises OutsideBounds."""
        try:
            return self._encoded[value]
        except KeyError:
            pass
        try:
            found = self._encoded[value] = self._layout.encode(value, self._sort)
        except Exception as error:
            raise OutsideBounds(str(error)) from None
        return found

    def decoded(self, value: Any) -> Any:
        """Return a value of the model as one of the text."""
        try:
            return self._decoded[value]
        except KeyError:
            found = self._decoded[value] = self._decoder(value)
            return found
