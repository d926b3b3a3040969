"""The shapes of a specification's variables in all reachable states: a least fixed point.

Every step's assignments are joined to what is known until nothing is new (Cousot and Cousot,
*Abstract interpretation*, 1977). Soundness of a proof does not rest on it: that a state stays
within the sorts made of these shapes is proven with everything else.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.amounts import depth, finite
from bmc.frontends.tla.abstract.context import Context, Known
from bmc.frontends.tla.abstract.domain import NOTHING, Shape
from bmc.frontends.tla.abstract.expressions import Expressions
from bmc.frontends.tla.abstract.widening import Guess, further, widen
from bmc.frontends.tla.errors import Span, TlaError, TlaLimit, TlaUnsupported, of_no_state
from bmc.frontends.tla.samples import Samples
from bmc.frontends.tla.specification import Specification
from bmc.frontends.tla.translate.constants import Constants
from bmc.frontends.tla.translate.normal_form import NormalForm
from bmc.frontends.tla.walk import children

PATIENCE, HURRY = 10, 4
"""Rounds in which bounds grow by what the steps add; afterwards they jump.

They are fewer where rounds begin with what samples have."""

MOST_ROUNDS = 400

DEEPEST = 16
"""Levels of values within values; where a late round adds one behind them, none is the last."""


class NoFiniteSort(TlaError):
    """A variable grows without end, so no sort holds its values."""


class Steps(NormalForm[Context]):
    """Walks actions over shapes."""

    def __init__(self, expressions: Expressions) -> None:
        super().__init__()
        self.expressions = expressions
        self.assignments: list[tuple[str, Shape, Span]] = []

    def environment(self, context: Context) -> Mapping[c.Binding, Any]:
        return context.environment

    def within(self, context: Context, environment: Mapping[c.Binding, Any]) -> Context:
        return context.within(environment)

    def guarded(self, node: c.Expression, context: Context, positive: bool) -> Iterator[Context]:
        held = self.expressions.holds(node, context, positive)
        if held is not None:
            yield held.of_next(False)

    def assigned(self, context: Context, name: str) -> bool:
        return name in context.next

    def assign(self, name: str, node: c.Expression, context: Context) -> Iterator[Context]:
        yield from self._given(name, self.expressions.shape(node, context), node.span, context)

    def assign_one_of(self, name: str, node: c.Expression, context: Context) -> Iterator[Context]:
        members = self.expressions.shape(node, context)
        element = self.expressions.elements(members)
        yield from self._given(name, element, node.span, context)

    def without(self, names: frozenset[str], context: Context) -> Context:
        return replace(
            context,
            next={n: shape for n, shape in context.next.items() if n not in names},
            facts={place: said for place, said in context.facts.items() if place[1] not in names},
        )

    def keep(self, name: str, node: c.Expression, context: Context) -> Iterator[Context]:
        shape = self.expressions.state.get(name, NOTHING)
        yield from self._given(name, shape, node.span, context)

    def _given(self, name: str, shape: Shape, span: Span, context: Context) -> Iterator[Context]:
        known = context.next.get(name)
        both = shape if known is None else d.meet(known, shape)
        if both.empty:
            return
        if name in self.expressions.state:
            self.assignments.append((name, both, span))
        yield context.giving({**context.next, name: both})

    def chosen(self, bounds: tuple[c.Bound, ...], context: Context) -> Iterator[Context]:
        inner = self.expressions.bound(bounds, context)
        if inner is not None:
            yield inner

    def each(self, bounds: tuple[c.Bound, ...], context: Context) -> list[Context]:
        found = [context]
        for one in bounds:
            assert one.domain is not None
            members = self.expressions.known(one.domain, context).constant
            if not isinstance(members, frozenset) or one.is_tuple:
                raise TlaUnsupported(
                    one.variables[0].span,
                    "an action for each member of a set that is not constant",
                    "",
                )
            binding = one.variables[0]
            found = [
                self.within(x, {**x.environment, binding: Known(d.shape_of(m), constant=m)})
                for x in found
                for m in self.expressions.constants.members(members)
            ]
        return found

    def of_any(self, node: c.Quantifier, context: Context) -> Iterator[Context]:
        # The translation knows the members of a constant set that was chosen from constant ones.
        for inner in self.chosen(node.bounds, context):
            yield from self.back(context, self.steps(node.body, inner))

    def require_names(self, bounds: tuple[c.Bound, ...], context: Context) -> None:
        """Each member has its name here."""

    def bound_argument(self, node: c.Expression, context: Context, of_step: bool) -> Any:
        return self.expressions.argument(node, context, of_step)


@dataclass(frozen=True)
class Before:
    """What was found with fewer samples: all shapes, and those without the ends of guesses."""

    shapes: Mapping[str, Shape]
    unended: Mapping[str, Shape]


class Reachable:
    """Finds the shapes of the variables."""

    def __init__(
        self,
        specification: Specification,
        constants: Constants,
        samples: Samples | None = None,
        before: Before | None = None,
    ) -> None:
        self.specification = specification
        self.samples = samples
        self._before = before
        self._assumed: tuple[c.Expression, ...] = ()
        self._clamps: dict[str, Shape] = {}
        self._seen: dict[str, Shape] = {}
        self.unended: dict[str, Shape] = {}
        numbers = sorted(_numbers(specification, constants))
        self.expressions = Expressions(constants, tuple(numbers))
        self.steps = Steps(self.expressions)
        self.growth: dict[str, Span] = {}

    def shapes(self) -> dict[str, Shape]:
        """Return the shape of every variable; NoFiniteSort where one has none.

        Where a variable has no end, the text's invariants are taken as hints of what the states
        are from which steps are taken, then the samples as hints of what they lead to: whatever
        such a hint leaves out is found or excluded when the bounds are proven.
        """
        names = [one.name for one in self.specification.variables]
        if not self._goes_on(names):
            self._found_anew(names)
        self._require_finite(names)
        self._require_integers()
        return dict(self.expressions.state)

    def _goes_on(self, names: list[str]) -> bool:
        """Go on from what was found before, which takes few rounds; tell whether all shapes end."""
        before, samples = self._before, self.samples
        if before is None or not samples:
            return False
        self._seen = self._sampled(samples, names)
        self._assumed = self._hints
        self.unended = {n: d.join(s, self._seen[n]) for n, s in before.unended.items()}
        self.expressions.state = {**before.shapes, **self.unended}
        guessed = self._guessed(list(self.unended), samples)
        # Guesses only grow, or rounds might have no end.
        self._clamps = {n: d.join(before.shapes[n], s) for n, s in guessed.items()}
        self._seen = {n: d.join(before.shapes[n], s) for n, s in self._seen.items()}
        self._iterate(names)
        return not self._infinite(names)

    def _found_anew(self, names: list[str]) -> None:
        self._seen, self._assumed, self._clamps, self.unended = {}, (), {}, {}
        if self._before is not None and self.samples:
            # What was read from the text fell short of them, wherever it seemed to end.
            self._seen = self._sampled(self.samples, names)
        self._iterate(names, to_the_end=self.samples is None)
        if self._infinite(names) and self.samples:
            # They are reachable, so whatever is found has to have them: rounds are saved.
            self._seen = self._sampled(self.samples, names)
        if self._infinite(names):
            self._assumed = self._hints
            self._iterate(names)
        if self._infinite(names) and self.samples:
            self.unended = {n: self.expressions.state[n] for n in self._infinite(names)}
            self._clamps = self._guessed(self._infinite(names), self.samples)
            self._iterate(names)

    @cached_property
    def _hints(self) -> tuple[c.Expression, ...]:
        """The invariants; those that no sample denies once guesses have fallen short.

        A violated one leaves steps out which nothing else might lead to.
        """
        invariants = tuple(one.expression for one in self.specification.invariants)
        if self._before is None or not self.samples:
            return invariants
        return self.samples.undenied(invariants)

    def _require_integers(self) -> None:
        """Refuse bounds of variables that are never integers: they would be without effect."""
        for one in self.specification.variables:
            state = self.expressions.state[one.name]
            bound = self.specification.bounds.get(one.name)
            if bound is not None and state == NOTHING:
                raise TlaError(
                    one.span,
                    f"{one.name} is bounded to {bound[0]}..{bound[1]}, and no initial state has "
                    "such a value of it",
                    "give a bound that has its initial values",
                )
            if bound is not None and state.integers is None:
                raise TlaError(
                    one.span,
                    f"{one.name} is bounded, and its values are no integers",
                    "bound an integer variable, or write a CONSTRAINT",
                )

    def _infinite(self, names: list[str]) -> list[str]:
        return [n for n in names if not finite(self.expressions.state[n])]

    def _sampled(
        self, samples: Sequence[Mapping[str, Any]], names: Iterable[str]
    ) -> dict[str, Shape]:
        """Return the shapes of the variables in the samples."""
        states = list(samples)
        return {n: d.shape_of_all(state[n] for state in states) for n in names}

    def _guessed(self, names: list[str], samples: Samples) -> dict[str, Shape]:
        """Return the shapes of variables without end, ended as far as samples have been.

        Where that fell short before, an end that it fell short of is a guess that goes further.
        """
        found = self._ended(names, self._seen, samples.complete, 0)
        if not samples.slack:
            return found
        first = self._ended(names, self._sampled(samples.first, names), False, 0)
        grown = {n: further(first[n], found[n], samples.slack) for n in names}
        # What falls short is mostly an end of a variable; where it is none, all of them go further.
        return grown if grown != found else self._ended(names, self._seen, False, samples.slack)

    def _ended(
        self, names: list[str], seen: Mapping[str, Shape], complete: bool, slack: int
    ) -> dict[str, Shape]:
        guess = Guess(seen.values(), self.expressions.steps, complete, slack)
        return {n: guess.ended(self.expressions.state[n], seen[n]) for n in names}

    def _iterate(self, names: list[str], to_the_end: bool = True) -> None:
        """Find the fixed point, or else whether a variable has no end: shapes never shrink."""
        start = self._start(names)
        self.expressions.state = {n: d.join(start[n], self._seen.get(n, NOTHING)) for n in names}
        for rounds in range(MOST_ROUNDS):
            old = self.expressions.state
            grown = self._round(names, old)
            if grown == old:
                break
            if rounds > (HURRY if self._seen else PATIENCE):
                self._require_shallow(old, grown)
                grown = {n: widen(old[n], grown[n], self.expressions.steps) for n in names}
                grown = {n: self._within_bounds(n, s) for n, s in grown.items()}
            self.expressions.state = grown
            if not to_the_end and self._infinite(names):
                break

    def _assuming(self, hint: c.Expression, context: Context) -> Context:
        """Return the states in which a hint holds; all of them where it is violated in each."""
        try:
            return self.expressions.holds(hint, context, True) or context
        except (TlaUnsupported, TlaLimit, RecursionError):
            # It is a claim: what cannot be read of it is told where it is translated.
            self._assumed = tuple(one for one in self._assumed if one is not hint)
            return context

    def _start(self, names: list[str]) -> dict[str, Shape]:
        init = self.specification.init
        assert init is not None
        state = dict.fromkeys(names, NOTHING)
        given: list[Container[str]] = []
        self._initial(True)
        try:
            for context in self.steps.steps(init, Context({}, {}, {})):
                given.append(context.next.keys())
                for name in names:
                    state[name] = d.join(state[name], context.next.get(name, NOTHING))
        finally:
            self._initial(False)
        for name in names:
            if state[name].empty:
                if any(name not in one for one in given):
                    raise TlaError(
                        init.span,
                        f"the initial predicate gives {name} no value",
                        "say what it is at first",
                    )
                raise of_no_state(init.span)
        return state

    def _initial(self, initial: bool) -> None:
        self.steps.initial = initial
        self.expressions.initial = initial

    def _round(self, names: list[str], state: dict[str, Shape]) -> dict[str, Shape]:
        step = self.specification.next
        if step is None:
            return state
        context: Context | None = Context({}, {}, {})
        for one in self.specification.constraints:
            if context is not None:
                context = self.expressions.holds(one.expression, context, True)
        for formula in self._assumed:
            context = context and self._assuming(formula, context)
        found = dict(state)
        if context is None:
            return found
        self.steps.assignments.clear()
        for taken in self.steps.steps(step, context):
            for name in names:
                shape = taken.next.get(name, state[name])
                found[name] = self._within_bounds(name, d.join(found[name], shape))
        for name, shape, span in self.steps.assignments:
            if d.join(state[name], shape) != state[name]:
                self.growth[name] = span
        return found

    def _within_bounds(self, name: str, shape: Shape) -> Shape:
        if name in self._clamps:
            shape = d.meet(shape, self._clamps[name])
        given = self.specification.bounds.get(name)
        if given is None or shape.integers is None:
            return shape
        low, high = given
        ends = d.interval(max(low, shape.integers.low), min(high, shape.integers.high))
        return replace(shape, integers=ends)

    def _require_shallow(self, old: Mapping[str, Shape], grown: Mapping[str, Shape]) -> None:
        """Refuse a variable whose values come to be within its next: widening ends no levels."""
        for one in self.specification.variables:
            before, after = old[one.name], grown[one.name]
            if after != before and depth(after) > max(DEEPEST, depth(before)):
                span = self.growth.get(one.name, one.span)
                raise TlaUnsupported(
                    span,
                    f"{one.name} has values within values without end: "
                    f"it grows at {span.line}:{span.column}",
                    "keep them beside each other, in a sequence or in a function of numbers",
                )

    def _require_finite(self, names: list[str]) -> None:
        state = self.expressions.state
        for name in names:
            if not finite(state[name]):
                span = self.growth.get(name)
                where = f": it grows at {span.line}:{span.column}" if span is not None else ""
                raise NoFiniteSort(
                    span or self.specification.variables[names.index(name)].span,
                    f"{name} has values without end{where}",
                    f"bound it with a CONSTRAINT or with --bound {name}=LOW..HIGH",
                )


def _numbers(specification: Specification, constants: Constants) -> set[int]:
    """Return the integers of the text and of the configuration: where intervals may stop."""
    found = {0, 1}
    for name in specification.constants:
        value = constants.constant_named(name)
        for one in value if isinstance(value, frozenset) else (value,):
            if isinstance(one, int):
                found |= {one - 1, one, one + 1}
    seen: set[c.Definition] = set()
    queue: list[c.Expression] = [
        e for e in (specification.init, specification.next) if e is not None
    ]
    queue += [n.expression for n in (*specification.constraints, *specification.invariants)]
    while queue:
        node = queue.pop()
        if isinstance(node, c.IntegerLiteral):
            found |= {node.value - 1, node.value, node.value + 1}
        if isinstance(node, c.Call) and node.definition not in seen:
            seen.add(node.definition)
            queue.append(node.definition.body)
        queue.extend(children(node))
    return found
