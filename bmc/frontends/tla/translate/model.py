"""A specification at its configuration as a model, with properties over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bmc.frontends.tla import core as c
from bmc.frontends.tla.abstract.domain import Shape
from bmc.frontends.tla.abstract.reachable import Reachable
from bmc.frontends.tla.errors import Span, TlaError, TlaUnsupported
from bmc.frontends.tla.hints import hints_of
from bmc.frontends.tla.layout import Hints, Layout
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.samples import Samples
from bmc.frontends.tla.specification import Named, Specification
from bmc.frontends.tla.translate.actions import Actions
from bmc.frontends.tla.translate.constants import Constants
from bmc.frontends.tla.translate.expressions import Expressions
from bmc.frontends.tla.translate.headings import Heading
from bmc.frontends.tla.translate.kinds import NotSymmetric, Untranslatable
from bmc.frontends.tla.translate.lazy import ByName, Formula
from bmc.frontends.tla.translate.one_point import Taken, one_point, substituted
from bmc.frontends.tla.translate.symmetry import symmetric_sets
from bmc.frontends.tla.translate.temporal import SPECIFICATION, Leaf, Temporal
from bmc.frontends.tla.translate.translator import Context
from bmc.lang import build
from bmc.lang.errors import LanguageError
from bmc.lang.model import Action, Argument, Model, Source
from bmc.lang.properties import Kind, Property
from bmc.lang.sorts import Sort
from bmc.lang.state import Branch, state_variable
from bmc.lang.temporal import Specification as FairSpecification
from bmc.lang.temporal import TemporalProperty
from bmc.lang.terms import Term

DEADLOCK = "Deadlock"
"""The name of the invariant that some action can happen."""


@dataclass(frozen=True)
class Translation:
    """A model, the properties over it, and how its values are TLA+'s.

    ``inside`` says which states count where the configuration has a CONSTRAINT: TLC enters the
    others, checks them, and does not go on; so they are states of the model, without steps.
    ``actions`` maps the model's actions to the names that TLC has for them, ``headings`` to what
    TLC prints above a state that they lead to. ``temporal`` are claims about behaviours, under
    ``specifications``; ``unchecked`` says which others there are, and why nothing decides them.
    ``parts`` names what a property of the configuration is taken apart into: it holds if all do.
    ``unended`` are the shapes, without an end, of variables whose end was guessed.
    """

    model: Model
    properties: tuple[Property, ...]
    layout: Layout
    shapes: Mapping[str, Shape]
    inside: Term | None
    actions: Mapping[str, str]
    unchecked: Mapping[str, str]
    temporal: tuple[TemporalProperty, ...] = ()
    specifications: tuple[FairSpecification, ...] = ()
    warnings: tuple[str, ...] = ()
    unended: Mapping[str, Shape] = field(default_factory=dict)
    headings: Mapping[str, Heading] = field(default_factory=dict)
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def translate(
    specification: Specification,
    hints: Hints | None = None,
    samples: Samples | None = None,
) -> Translation:
    """Return the translation; TlaError where the text says what cannot be translated.

    ``samples`` are reachable states, variable by variable in TLA+'s values. They are looked at
    where a variable grows without end, and where a set of records would be smaller with a key.
    """
    if specification.init is None or specification.next is None:
        raise TlaError(
            Span(specification.module, 1, 1, 1, 1),
            "the configuration names no behaviour",
            "give it SPECIFICATION, or INIT and NEXT",
        )
    constants = Constants(specification)
    reachable = Reachable(specification, constants, samples)
    shapes = reachable.shapes()
    symmetric = dict(symmetric_sets(specification, constants))
    while True:
        try:
            found = _Translator(specification, constants, shapes, symmetric, hints).translation()
        except NotSymmetric as told:
            del symmetric[told.scalarset.name]
            continue
        if hints is None and found.layout.wide and samples:
            hints = hints_of(samples)
            if hints.keys or hints.sizes:
                continue
        return replace(found, unended=reachable.unended)


class _Translator:
    def __init__(
        self,
        specification: Specification,
        constants: Constants,
        shapes: Mapping[str, Shape],
        symmetric: Mapping[str, frozenset[object]],
        hints: Hints | None,
    ) -> None:
        self.specification = specification
        self.shapes = shapes
        self.layout = Layout(symmetric, hints)  # type: ignore[arg-type]
        self.sorts: dict[str, Sort] = {
            one.name: self.layout.sort(shapes[one.name], one.name)
            for one in specification.variables
        }
        self.expressions = Expressions(self.layout, constants, self.sorts)
        self.expressions.enabled_by = self.enabled
        self.actions = Actions(self.expressions)
        self.unchecked: dict[str, str] = {}
        self.parts: dict[str, tuple[str, ...]] = {}
        # Ways to take a step under CONSTRAINT, whatever ACTION_CONSTRAINT says of them.
        self.free: list[Taken] = []
        self.claims: list[TemporalProperty] = []
        self.specifications: tuple[FairSpecification, ...] = ()
        self.unsaid: list[str] = []

    def translation(self) -> Translation:
        assert self.specification.init is not None
        assert self.specification.next is not None
        constraint = self.constraint()
        initial = self.initial(self.specification.init)
        ways: list[tuple[Heading, Taken]] = []
        disjuncts: list[tuple[c.Expression, Context, int]] = []
        for heading, node, context in self.top_actions(
            Heading("Next"), self.specification.next, Context({})
        ):
            disjuncts.append((node, context, len(ways)))
            branches = list(self.actions.branches(node, context))
            self.require_assigned(branches, heading.name, node)
            for taken in branches:
                free = self.inside(one_point(taken), constraint, heading.name)
                self.free.append(free)
                ways += [(heading.at(node.span, context), one) for one in self.allowed(free)]
        headings: dict[str, Heading] = {}
        actions = []
        for (heading, one), called in zip(ways, _distinct([w.name for w, _ in ways]), strict=True):
            headings[called] = heading
            branch = Branch(one.guards, self.changed(one))
            source = Source(heading.span.file, heading.span.line)
            actions.append(Action(called, one.arguments, (branch,), source))
        model = Model(
            self.specification.module,
            (),
            self.sorts,
            frozenset(),
            initial,
            tuple(actions),
            build.TRUE,
        )
        ends = [*(start for _, _, start in disjuncts), len(actions)]
        self.leaves = [
            Leaf(node, context, tuple(one.name for one in actions[start:end]))
            for (node, context, start), end in zip(disjuncts, ends[1:], strict=True)
        ]
        self.model = model
        properties = tuple(self.properties())
        return Translation(
            model,
            properties,
            self.layout,
            self.shapes,
            constraint,
            {called: heading.name for called, heading in headings.items()},
            self.unchecked,
            tuple(self.claims),
            self.specifications,
            tuple(dict.fromkeys(self.unsaid)),
            headings=headings,
            parts=self.parts,
        )

    def initial(self, node: c.Expression) -> Action:
        self.actions.initial = self.expressions.initial = True
        try:
            taken = list(self.actions.branches(node))
        finally:
            self.actions.initial = self.expressions.initial = False
        names = {a.name for t in taken for a in t.arguments}
        arguments = {a.name: a for t in taken for a in t.arguments}
        if len(taken) > 1 and names:
            return self._merged_initial(taken, node)
        for one in taken:
            missing = [n for n in self.sorts if n not in one.updates]
            if missing:
                raise TlaError(node.span, f"the initial predicate gives {missing[0]} no value")
        return Action(
            "Init",
            tuple(arguments.values()),
            tuple(Branch(t.guards, dict(t.updates)) for t in taken),
            Source(node.span.file, node.span.line),
        )

    def _merged_initial(self, taken: list[Taken], node: c.Expression) -> Action:
        """An initial predicate of several branches with choices: each has all the arguments.

        An argument that a branch does not have is free there; the states are the same.
        """
        arguments: dict[str, Argument] = {}
        for one in taken:
            for argument in one.arguments:
                known = arguments.setdefault(argument.name, argument)
                if known.variable is not argument.variable:
                    raise TlaUnsupported(
                        node.span, "the initial predicate chooses one name from two sets", ""
                    )
        return Action(
            "Init",
            tuple(arguments.values()),
            tuple(Branch(t.guards, dict(t.updates)) for t in taken),
            Source(node.span.file, node.span.line),
        )

    def changed(self, one: Taken) -> dict[str, Term]:
        return {
            n: t
            for n, t in one.updates.items()
            if not (t.op == "variable" and t.data == (n, False))
        }

    def constraint(self) -> Term | None:
        if not self.specification.constraints:
            return None
        parts = [
            self.expressions.formula_of(one.expression, Context({}))
            for one in self.specification.constraints
        ]
        return self.expressions.term(self.expressions.all_of(parts))

    def inside(self, one: Taken, constraint: Term | None, name: str) -> Taken:
        """Return the branch under CONSTRAINT, its first guard."""
        missing = [n for n in self.sorts if n not in one.updates]
        if missing:
            one = self.unassigned(one, missing, name)
        guards = one.guards if constraint is None else (constraint, *one.guards)
        return Taken(one.arguments, guards, one.updates)

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

    def after_all_steps(self, claim: Callable[[Context], Formula]) -> Formula:
        """Return that a claim holds of each step that ACTION_CONSTRAINT keeps from being taken.

        TLC does not go on behind such a step, but it judges the step and the state it leads to.
        """
        negated, found = self.expressions.negated, []
        for one in self.free:
            broken = claim(Context({}, updates=one.updates))
            left = [negated(self.admitted(one)), negated(broken)]
            if not any(part is False for part in left):
                terms = tuple(self.expressions.term(part) for part in left)
                found.append(negated(_possible(one.arguments, (*one.guards, *terms))))
        return self.expressions.all_of(found)

    def require_assigned(self, branches: Sequence[Taken], name: str, node: c.Expression) -> None:
        """TlaError where no way to take an action says what becomes of some variable."""
        for variable in self.sorts:
            if branches and not any(variable in one.updates for one in branches):
                raise TlaError(
                    node.span,
                    f"this way to take {name} gives {variable} no next value",
                    f"say what becomes of it, or UNCHANGED {variable}",
                )

    def unassigned(self, one: Taken, missing: list[str], name: str) -> Taken:
        """Return the branch with no value where it gives none: TLC's error, if it is ever taken."""
        self.unsaid.append(
            f"a way to take {name} gives {missing[0]} no next value: there is no answer if it is "
            "taken"
        )
        nothing = {n: self.expressions.undefined(self.sorts[n]) for n in missing}
        return replace(one, updates={**one.updates, **nothing})

    def top_actions(
        self, heading: Heading, node: c.Expression, context: Context
    ) -> Iterator[tuple[Heading, c.Expression, Context]]:
        """Yield the disjuncts of the next-state relation, each under what TLC calls it.

        That is the innermost definition whose arguments are constant; choices from constant sets
        are looked through.
        """
        match node:
            case c.Builtin() if node.operator is O.OR:
                for part in node.arguments:
                    yield from self.top_actions(heading, part, context)
            case c.Quantifier() if node.kind is c.Quantification.EXISTS and all(
                b.domain is not None and self._is_constant(b.domain, context) for b in node.bounds
            ):
                for inner in self.actions.chosen(node.bounds, context):
                    yield from self.top_actions(heading, node.body, inner)
            case c.Let():
                yield from self.top_actions(heading, node.body, context)
            case c.Call() if not node.definition.is_recursive:
                called = node.definition.name
                if not all(self._is_constant(a, context) for a in node.arguments):
                    yield Heading(called), node, context
                    return
                inner = self.actions.entered(node.definition, node.arguments, context)
                yield from self.top_actions(
                    Heading(called, node.definition.parameters), node.definition.body, inner
                )
            case _:
                yield heading, node, context

    def _is_constant(self, node: c.Expression, context: Context) -> bool:
        held = (context.environment.get(b) for b in self.actions.free.of(node))
        return level(node) <= Level.CONSTANT and not any(isinstance(h, ByName) for h in held)

    # Properties.

    def properties(self) -> Iterator[Property]:
        for named in self.specification.invariants:
            yield self.invariant(named, Kind.INVARIANT)
        for named in self.specification.lemmas:
            yield self.invariant(named, Kind.LEMMA)
        for named in self.specification.properties:
            yield from self.temporal(named)
        if self.specification.check_deadlock:
            yield self.deadlock()

    def invariant(self, named: Named, kind: Kind) -> Property:
        formula = self.expressions.formula_of(named.expression, Context({}))
        if kind is Kind.INVARIANT and self.specification.action_constraints:

            def holds_after(context: Context) -> Formula:
                primed = replace(context, primed=True)
                return self.expressions.formula_of(named.expression, primed)

            formula = self.expressions.all_of([formula, self.after_all_steps(holds_after)])
        return self.stated(named, kind, formula)

    def stated(self, named: Named, kind: Kind, formula: Formula, text: str = "") -> Property:
        span = named.expression.span
        body = self.expressions.term(formula)
        return Property(named.name, kind, (), body, text, "", Source(span.file, span.line))

    def temporal(self, named: Named) -> Iterator[Property]:
        """Yield what of a temporal property is safety; name what is not.

        Where there are several parts, none has the name of the whole: it would be taken for it.
        """
        conjuncts = _conjuncts(named.expression)
        outside = bool(self.specification.action_constraints)
        names: list[str] = []
        for i, part in enumerate(conjuncts, 1):
            called = named.name if len(conjuncts) == 1 else f"{named.name}_{i}"
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
                    yield self.initially(Named(called, part))
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
                for n, sort in self.sorts.items()
            ]
            broken = self.expressions.term(negated(claim))
            initial = _possible(self.model.initial.arguments, (*branch.guards, *at, broken))
            found.append(negated(initial))
        formula = self.expressions.all_of(found)
        return self.stated(named, Kind.INVARIANT, formula, "it holds in every initial state")

    def of_behaviours(self, name: str, node: c.Expression) -> None:
        """Note a claim that the liveness engines decide, or why they cannot."""
        limits = (*self.specification.constraints, *self.specification.action_constraints)
        try:
            if limits:
                raise TlaUnsupported(
                    node.span, f"behaviours under the constraint {limits[0].name} end", ""
                )
            temporal = Temporal(self.expressions, self.actions, self.leaves, self.disjuncts)
            if not self.specifications:
                conditions = tuple(
                    condition
                    for part in self.specification.fairness
                    for condition in temporal.fairness(part, frozenset(self.sorts))
                )
                fair = FairSpecification(SPECIFICATION, conditions)
                fair.check(self.model)
                self.specifications = (fair,)
            self.claims.append(temporal.claim(name, node))
        except TlaError as error:
            self.unchecked[name] = f"{error.span}: {error.message}"
        except (Untranslatable, LanguageError) as error:
            self.unchecked[name] = f"{node.span}: {error}"

    def disjuncts(
        self, node: c.Expression, context: Context
    ) -> Iterator[tuple[c.Expression, Context]]:
        """Yield the disjuncts of an action as those of the next-state relation are found."""
        for _, leaf, inner in self.top_actions(Heading(""), node, context):
            yield leaf, inner

    def of_steps_outside(self, named: Named) -> Property:
        """Return that the steps which ACTION_CONSTRAINT keeps from being taken satisfy a claim."""

        def holds_of(context: Context) -> Formula:
            return self.expressions.formula_of(named.expression, context)

        name = f"{named.name}_outside"
        text = f"{named.name} of the steps that ACTION_CONSTRAINT leaves out, which TLC judges"
        formula = self.after_all_steps(holds_of)
        return self.stated(Named(name, named.expression), Kind.INVARIANT, formula, text)

    def deadlock(self) -> Property:
        """Return the invariant that a step is possible; states outside the constraint need none.

        As in TLC, a step that ACTION_CONSTRAINT leaves out is one all the same.
        """
        ways: list[Formula] = [_possible(one.arguments, one.guards) for one in self.free]
        formula = self.expressions.any_of(ways)
        inside = self.constraint()
        if inside is not None:
            formula = self.expressions.implied(inside, lambda: formula)
        assert self.specification.next is not None
        return self.stated(
            Named(DEADLOCK, self.specification.next),
            Kind.INVARIANT,
            formula,
            "in every state some action can happen",
        )

    def enabled(self, node: c.Expression, context: Context) -> Formula:
        """Return ENABLED of an action: some way to take it has guards that hold."""
        inner = replace(context, arguments=(), guards=(), updates={}, primed=False)
        ways = []
        for taken in self.actions.branches(node, inner):
            found = one_point(taken)
            ways.append(_possible(found.arguments, found.guards))
        return self.expressions.any_of(ways)


def _possible(arguments: tuple[Argument, ...], guards: tuple[Term, ...]) -> Term:

    def over(at: int, environment: dict[Term, Term]) -> Term:
        if at == len(arguments):
            return build.conj(*(substituted(g, environment, {}) for g in guards))
        argument = arguments[at]

        def body(x: Term) -> Term:
            return over(at + 1, {**environment, argument.variable: x})

        body.binds = argument.name  # type: ignore[attr-defined]
        domain = argument.collection if argument.collection is not None else argument.variable.sort
        return build.exists(domain, body)

    return over(0, {})


def _distinct(names: list[str]) -> list[str]:
    """Return a name of its own for each way to take a step: those that share one are numbered.

    A way without a name has that of the next-state relation, which is no name of an action.
    """
    taken = set(names)
    seen: dict[str, int] = {}
    found = []
    for name in names:
        if names.count(name) == 1 and name not in ("Next", "Init"):
            found.append(name)
            continue
        number = seen.get(name, 0) + 1
        while f"{name}_{number}" in taken:
            number += 1
        seen[name] = number
        found.append(f"{name}_{number}")
    return found


def _conjuncts(node: c.Expression) -> list[c.Expression]:
    while isinstance(node, c.Call) and not node.arguments:
        node = node.definition.body
    if isinstance(node, c.Builtin) and node.operator is O.AND:
        return [p for a in node.arguments for p in _conjuncts(a)]
    return [node]


def _temporal(node: c.Expression) -> bool:
    return level(node) > Level.STATE
