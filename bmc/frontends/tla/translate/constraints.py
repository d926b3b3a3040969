"""CONSTRAINT and ACTION_CONSTRAINT of a configuration: the states and the steps to go on from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bmc.frontends.tla.specification import Specification
from bmc.frontends.tla.translate.expressions import Expressions
from bmc.frontends.tla.translate.lazy import Formula
from bmc.frontends.tla.translate.one_point import Taken
from bmc.frontends.tla.translate.surely import Surely
from bmc.frontends.tla.translate.translator import Context
from bmc.lang import build
from bmc.lang.state import state_variable
from bmc.lang.terms import Term


class Constraints:
    """Translates the constraints of a specification."""

    def __init__(self, specification: Specification, expressions: Expressions) -> None:
        self.specification = specification
        self.expressions = expressions

    def constraint(self) -> Term | None:
        """Return CONSTRAINT, which says of a state whether it counts; None where there is none."""
        if not self.specification.constraints:
            return None
        parts = [
            self.expressions.formula_of(one.expression, Context({}))
            for one in self.specification.constraints
        ]
        return self.expressions.term(self.expressions.all_of(parts))

    def asked(self, constraint: Term | None, ways: Iterable[Taken]) -> Taken | None:
        """Return a way that is never taken, and asks CONSTRAINT of states that no other asks it of.

        It is the first guard of each way, so that no step is out of a state where it has no value.
        A way with an argument from a set asks nothing where that is empty, and TLC asks it of all.
        """
        expressions = self.expressions
        if constraint is None or Surely(expressions.is_partial).has_value(constraint, ()):
            return None
        if any(all(each.collection is None for each in one.arguments) for one in ways):
            return None
        stays = {name: state_variable(name, sort) for name, sort in expressions.sorts.items()}
        return Taken((), (constraint, build.FALSE), stays)

    def allowed(self, one: Taken) -> Iterator[Taken]:
        """Yield the branch under ACTION_CONSTRAINT, its last guard, unless that is never true.

        It is kept all the same where it may have no value: TLC finds the step before it judges it.
        """
        formula = self.admitted(one)
        if formula is True:
            yield one
        elif formula is not False or not self._surely_has_value(one):
            guards = (*one.guards, self.expressions.term(formula))
            yield Taken(one.arguments, guards, one.updates)

    def _surely_has_value(self, one: Taken) -> bool:
        surely = Surely(self.expressions.is_partial)
        return all(
            surely.has_value(guard, one.guards[:at]) for at, guard in enumerate(one.guards)
        ) and all(surely.has_value(update, one.guards) for update in one.updates.values())

    def admitted(self, one: Taken) -> Formula:
        """Return what ACTION_CONSTRAINT says of a way to take a step."""
        context = Context({}, updates=one.updates)
        named = self.specification.action_constraints
        found = [self.expressions.formula_of(each.expression, context) for each in named]
        return self.expressions.all_of(found)
