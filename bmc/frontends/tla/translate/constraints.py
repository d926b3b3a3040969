"""CONSTRAINT and ACTION_CONSTRAINT of a configuration: the states and the steps to go on from."""

from __future__ import annotations

from collections.abc import Iterator

from bmc.frontends.tla.specification import Specification
from bmc.frontends.tla.translate.expressions import Expressions
from bmc.frontends.tla.translate.lazy import Formula
from bmc.frontends.tla.translate.one_point import Taken
from bmc.frontends.tla.translate.translator import Context
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

    def allowed(self, one: Taken) -> Iterator[Taken]:
        """Yield the branch under ACTION_CONSTRAINT, its last guard, unless that is never true."""
        formula = self.admitted(one)
        if formula is True:
            yield one
        elif formula is not False:
            guards = (*one.guards, self.expressions.term(formula))
            yield Taken(one.arguments, guards, one.updates)

    def admitted(self, one: Taken) -> Formula:
        """Return what ACTION_CONSTRAINT says of a way to take a step."""
        context = Context({}, updates=one.updates)
        named = self.specification.action_constraints
        found = [self.expressions.formula_of(each.expression, context) for each in named]
        return self.expressions.all_of(found)
