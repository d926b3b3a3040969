"""What the configuration asks: INVARIANT, PROPERTY, and that there is no deadlock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from bmc.frontends.tla import core as c
from bmc.frontends.tla.conjuncts import conjuncts
from bmc.frontends.tla.errors import TlaError, TlaLimit, TlaUnsupported, nested_too_deeply
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.specification import Named, Specification
from bmc.frontends.tla.translate.actions import Actions
from bmc.frontends.tla.translate.atoms import Atom
from bmc.frontends.tla.translate.constraints import Constraints
from bmc.frontends.tla.translate.enabled import possible
from bmc.frontends.tla.translate.kinds import Untranslatable
from bmc.frontends.tla.translate.lazy import Formula
from bmc.frontends.tla.translate.one_point import Taken
from bmc.frontends.tla.translate.temporal import Disjuncts, Leaf, Temporal
from bmc.frontends.tla.translate.translator import Context
from bmc.lang.errors import LanguageError
from bmc.lang.model import Model, Source
from bmc.lang.properties import Kind, Property
from bmc.lang.state import state_variable
from bmc.lang.substitution import substituted
from bmc.lang.temporal import Specification as FairSpecification
from bmc.lang.temporal import TemporalProperty
from bmc.lang.terms import MANY_NODES, Term, subterms
from bmc.layout.affordable import MOST_LISTED, too_wide

DEADLOCK = "Deadlock"
"""The name of the invariant that some action can happen."""

_LEVELS = 1000
"""How deep a claim's term may be: each level takes whoever reads it a call of Python at least."""


class Properties:
    """Translates what a configuration asks of a model.

    ``free`` are the ways to take a step under CONSTRAINT, whatever ACTION_CONSTRAINT says of them,
    ``leaves`` the disjuncts of the next-state relation, as ``disjuncts`` takes actions apart.
    ``properties`` fills ``temporal_claims`` with their ``specifications`` and ``atoms``,
    ``unchecked``, ``refused`` and ``parts`` beside what it yields.
    """

    def __init__(
        self,
        specification: Specification,
        actions: Actions,
        constraints: Constraints,
        model: Model,
        free: Sequence[Taken],
        leaves: Sequence[Leaf],
        disjuncts: Disjuncts,
    ) -> None:
        self.specification = specification
        self.expressions = actions.expressions
        self.actions = actions
        self.constraints = constraints
        self.model = model
        self.free = free
        self.leaves = leaves
        self.disjuncts = disjuncts
        self.unchecked: dict[str, str] = {}
        self.refused: dict[str, TlaError] = {}
        self.left_out: list[str] = []
        self.parts: dict[str, tuple[str, ...]] = {}
        self.temporal_claims: list[TemporalProperty] = []
        self.atoms: list[Atom] = []
        self.specifications: tuple[FairSpecification, ...] = ()

    def properties(self) -> Iterator[Property]:
        """Yield invariants, lemmas, what of PROPERTY is safety, and that a step is possible.

        Raises TlaError for a claim that cannot be translated, unless others are to be judged.
        """
        for named in self.specification.invariants:
            yield from self.unless_refused(named, lambda one: [self.invariant(one, Kind.INVARIANT)])
        for named in self.specification.lemmas:
            try:
                yield self.invariant(named, Kind.LEMMA)
            except TlaUnsupported as error:
                self.left_out.append(
                    f"lemma {named.name} is not offered: {error.span}: {error.message}"
                )
        for named in self.specification.properties:
            yield from self.unless_refused(named, self.temporal)
        if self.specification.check_deadlock:
            yield self.deadlock()

    def unless_refused(
        self, named: Named, translated: Callable[[Named], Iterable[Property]]
    ) -> Iterator[Property]:
        """Yield what a claim is translated to, or note why it is not where others are judged."""
        try:
            try:
                yield from translated(named)
            except RecursionError:
                raise nested_too_deeply(named.expression.span) from None
        except (TlaUnsupported, TlaLimit) as error:
            if not self.specification.partly:
                raise
            self.refused[named.name] = error

    def invariant(self, named: Named, kind: Kind) -> Property:
        formula = self.expressions.formula_of(named.expression, Context({}))
        if kind is Kind.INVARIANT and self.specification.action_constraints:
            now = formula

            def holds_after(context: Context) -> Formula:
                primed = replace(context, primed=True)
                try:
                    return self.expressions.formula_of(named.expression, primed)
                except TlaUnsupported:
                    # What is read of the state before has no prime, as ENABLED: here each variable
                    # has the value that the step gives it.
                    sorts = self.expressions.sorts.items()
                    values = {state_variable(n, sort): context.updates[n] for n, sort in sorts}
                    return substituted(self.expressions.term(now), values)

            formula = self.expressions.all_of([formula, self.after_all_steps(holds_after)])
        wide = too_wide(self.expressions.term(formula), {})
        if wide is not None:
            raise TlaUnsupported(
                named.expression.span,
                f"something in this claim runs over {wide}, of more than {MOST_LISTED:,} values",
                "let it run over fewer, or choose smaller constants",
            )
        return self.stated(named, kind, formula)

    def stated(self, named: Named, kind: Kind, formula: Formula, text: str = "") -> Property:
        span = named.expression.span
        body = self.expressions.term(formula)
        if _levels(body) > _LEVELS:
            raise nested_too_deeply(span)
        return Property(named.name, kind, (), body, text, "", Source(span.file, span.line))

    def temporal(self, named: Named) -> Iterator[Property]:
        """Yield what of a temporal property is safety; name what is not.

        Where there are several parts, none has the name of the whole: it would be taken for it.
        """
        parts = tuple(conjuncts(named.expression))
        outside = bool(self.specification.action_constraints)
        names: list[str] = []
        for i, part in enumerate(parts, 1):
            called = named.name if len(parts) == 1 else f"{named.name}_{i}"
            steps = isinstance(part, c.Always) and isinstance(part.operand, c.BoxAction)
            names += [f"{called}_taken", f"{called}_outside"] if steps and outside else [called]
            match part:
                case c.Always(operand=c.BoxAction() as step):
                    self.expressions.relation = True
                    try:
                        formula = self.expressions.formula_of(step, Context({}))
                    finally:
                        self.expressions.relation = False
                    taken = f"{called}_taken" if outside else called
                    yield self.stated(Named(taken, part), Kind.STEP_INVARIANT, formula)
                    if outside:
                        yield self.of_steps_outside(Named(called, step))
                case c.Always() if not _temporal(part.operand):
                    yield self.invariant(Named(called, part.operand), Kind.INVARIANT)
                case _ if level(part) <= Level.STATE:
                    # First, since what cannot be translated is asked of no state.
                    initially = self.initially(Named(called, part))
                    if len(parts) == 1:
                        self.left_out.append(
                            f"{called} is asked of initial states only, as TLC does with a "
                            "PROPERTY that has no []: under INVARIANT it is asked of every state"
                        )
                    yield initially
                case _:
                    self.of_behaviours(called, part)
        if names != [named.name]:
            self.parts[named.name] = tuple(names)

    def initially(self, named: Named) -> Property:
        """Return that a formula holds in every initial state, as an invariant."""
        claim = self.expressions.formula_of(named.expression, Context({}))
        negated, found = self.expressions.negated, []
        for branch in self.model.initial.branches:
            at = [
                self.expressions.term(
                    self.expressions.equal(state_variable(n, sort), branch.updates[n])
                )
                for n, sort in self.expressions.sorts.items()
            ]
            broken = self.expressions.term(negated(claim))
            initial = possible(self.model.initial.arguments, (*branch.guards, *at, broken))
            found.append(negated(initial))
        formula = self.expressions.all_of(found)
        return self.stated(named, Kind.INVARIANT, formula, "it holds in every initial state")

    def of_behaviours(self, name: str, node: c.Expression) -> None:
        """Note a claim that the liveness engines decide, or why they cannot."""
        # Where steps are left out, an action that could take one is enabled all the same.
        by_steps = bool(self.specification.action_constraints)
        try:
            free = {
                action.name: frozenset(a.name for a in action.arguments if a.collection is None)
                for action in self.model.actions
            }
            temporal = Temporal(
                self.expressions,
                self.actions,
                self.leaves,
                self.disjuncts,
                free,
                self.atoms,
                self.specification.texts,
            )
            if not self.specifications:
                variables = frozenset(self.expressions.sorts)
                conditions = tuple(
                    condition
                    for part in self.specification.fairness
                    for condition in temporal.fairness(part, variables, by_steps)
                )
                fair = FairSpecification(self.specification.behaviours, conditions)
                fair.check(self.model)
                self.specifications = (fair,)
            claim = temporal.claim(name, node, self.specification.behaviours)
            self.temporal_claims.append(self.within_limits(claim))
        except TlaError as error:
            self.unchecked[name] = f"{error.span}: {error.message}; {error.hint}".removesuffix("; ")
        except (Untranslatable, LanguageError) as error:
            self.unchecked[name] = f"{node.span}: {error}"

    def within_limits(self, claim: TemporalProperty) -> TemporalProperty:
        """Return a claim about the behaviours that never leave CONSTRAINT, as TLC has it.

        A state outside has no step here, so that a behaviour ends there as it does not in the text.
        """
        inside = self.constraints.constraint()
        if inside is None:
            return claim
        names = ", ".join(one.name for one in self.specification.constraints)
        self.left_out.append(
            f"{claim.name} is decided of the behaviours that never leave {names}, as TLC does"
        )
        return claim.within(inside)

    def of_steps_outside(self, named: Named) -> Property:
        """Return that the steps which ACTION_CONSTRAINT keeps from being taken satisfy a claim."""

        def holds_of(context: Context) -> Formula:
            return self.expressions.formula_of(named.expression, context)

        name = f"{named.name}_outside"
        text = f"{named.name} of the steps that ACTION_CONSTRAINT leaves out, which TLC judges"
        formula = self.after_all_steps(holds_of)
        return self.stated(Named(name, named.expression), Kind.INVARIANT, formula, text)

    def goes_on(self) -> Term | None:
        """Return that the text has a step; None where all of them are steps of the model."""
        limits = (*self.specification.constraints, *self.specification.action_constraints)
        return self.deadlock().body if limits else None

    def deadlock(self) -> Property:
        """Return the invariant that a step is possible; states outside the constraint need none.

        As in TLC, a step that ACTION_CONSTRAINT leaves out is one all the same.
        """
        ways: list[Formula] = [possible(one.arguments, one.guards) for one in self.free]
        formula = self.expressions.any_of(ways)
        inside = self.constraints.constraint()
        if inside is not None:
            formula = self.expressions.implied(inside, lambda: formula)
        assert self.specification.next is not None
        return self.stated(
            Named(DEADLOCK, self.specification.next),
            Kind.INVARIANT,
            formula,
            "in every state some action can happen",
        )

    def after_all_steps(self, claim: Callable[[Context], Formula]) -> Formula:
        """Return that a claim holds of each step that ACTION_CONSTRAINT keeps from being taken.

        TLC does not go on behind such a step, but it judges the step and the state it leads to.
        """
        negated, found = self.expressions.negated, []
        for one in self.free:
            broken = claim(Context({}, updates=one.updates))
            left = [negated(self.constraints.admitted(one)), negated(broken)]
            if not any(part is False for part in left):
                terms = tuple(self.expressions.term(part) for part in left)
                found.append(negated(possible(one.arguments, (*one.guards, *terms))))
        return self.expressions.all_of(found)


def _temporal(node: c.Expression) -> bool:
    return level(node) > Level.STATE


def _levels(whole: Term) -> int:
    if whole.nodes < MANY_NODES:
        return whole.nodes
    levels: dict[int, int] = {}
    for part in subterms([whole]):
        levels[part.uid] = 1 + max((levels[below.uid] for below in part.args), default=0)
    return levels[whole.uid]
