"""A specification at its configuration as a model, with properties over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from bmc.frontends.tla import core as c
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.domain import Shape
from bmc.frontends.tla.abstract.reachable import Before, Reachable
from bmc.frontends.tla.depth import same_room
from bmc.frontends.tla.errors import Span, TlaError, TlaUnsupported, nested_too_deeply
from bmc.frontends.tla.hints import hints_of, with_renamed
from bmc.frontends.tla.layout import Hints, Layout
from bmc.frontends.tla.samples import Samples
from bmc.frontends.tla.specification import Specification, Variable, names_no_behaviour
from bmc.frontends.tla.translate.actions import Actions, unused
from bmc.frontends.tla.translate.asked import without_repeated
from bmc.frontends.tla.translate.atoms import Atom
from bmc.frontends.tla.translate.constants import Constants
from bmc.frontends.tla.translate.constraints import Constraints
from bmc.frontends.tla.translate.enabled import enabled
from bmc.frontends.tla.translate.expressions import Expressions
from bmc.frontends.tla.translate.headings import Heading
from bmc.frontends.tla.translate.kinds import NotSymmetric
from bmc.frontends.tla.translate.next_state import ROOT, NextState, action_name, distinct
from bmc.frontends.tla.translate.one_point import Taken, one_point
from bmc.frontends.tla.translate.properties import Properties
from bmc.frontends.tla.translate.symmetry import symmetric_sets
from bmc.frontends.tla.translate.temporal import Leaf
from bmc.frontends.tla.translate.translator import Context
from bmc.lang import build
from bmc.lang.by_parts import ByParts
from bmc.lang.errors import SortError
from bmc.lang.model import Action, Argument, Model, Source
from bmc.lang.properties import Kind, Property
from bmc.lang.sorts import Sort
from bmc.lang.state import Branch
from bmc.lang.substitution import TermSubstitution
from bmc.lang.temporal import Specification as FairSpecification
from bmc.lang.temporal import TemporalProperty
from bmc.lang.terms import Term


@dataclass(frozen=True)
class Translation(ByParts):
    """A model, the properties over it, and how its values are TLA+'s.

    ``inside`` says which states count where the configuration has a CONSTRAINT: TLC enters the
    others, checks them, and does not go on; so they are states of the model, without steps.
    ``actions`` maps the model's actions to the names that TLC has for them, ``headings`` to what
    TLC prints above a state that they lead to. ``temporal`` are claims about behaviours, under
    ``specifications``, made of ``atoms``; ``unchecked`` says which others there are, and why
    nothing decides them.
    ``refused`` are the claims that cannot be translated where others are judged all the same.
    ``goes_on`` says of a state that it is no deadlock, where a constraint ends steps of the text.
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
    atoms: tuple[Atom, ...] = ()
    warnings: tuple[str, ...] = ()
    unended: Mapping[str, Shape] = field(default_factory=dict)
    headings: Mapping[str, Heading] = field(default_factory=dict)
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    goes_on: Term | None = None
    refused: Mapping[str, TlaError] = field(default_factory=dict)

    def whole(self, name: str) -> str:
        """Return the claim of the text that a property states, or is a part of (``Spec_2``)."""
        return next((whole for whole, parts in self.parts.items() if name in parts), name)


def translate(
    specification: Specification,
    hints: Hints | None = None,
    samples: Samples | None = None,
    before: Translation | None = None,
) -> Translation:
    """Return the translation; TlaError where the text says what cannot be translated.

    ``samples`` are reachable states, variable by variable in TLA+'s values. They are looked at
    where a variable grows without end, and where a set of records would be smaller with a key.
    ``before`` is the translation that fewer samples have led to.
    """
    try:
        with same_room():
            return _translated(specification, hints, samples, before)
    except RecursionError:
        place = specification.next.span if specification.next else Span("", 1, 1, 1, 1)
        raise nested_too_deeply(place) from None


def _translated(
    specification: Specification,
    hints: Hints | None,
    samples: Samples | None,
    before: Translation | None,
) -> Translation:
    if specification.init is None or specification.next is None:
        raise names_no_behaviour(specification)
    constants = Constants(specification)
    known = None if before is None else Before(before.shapes, before.unended)
    reachable = Reachable(specification, constants, samples, known)
    shapes = reachable.shapes()
    symmetric = dict(symmetric_sets(specification, constants))
    alike = tuple(symmetric.values())
    suggested = hints is None
    while True:
        try:
            made = _Translator(specification, constants, shapes, symmetric, hints)
            # Samples are searched for when they are asked whether there are any: they come last.
            if hints is None and (made.layout.varying or made.layout.slotted) and samples:
                varying = frozenset(made.layout.varying & shapes.keys())
                hints = hints_of(samples, with_renamed(samples.arguments(varying), alike))
                continue
            slotted = frozenset(made.layout.slotted)
            if suggested and hints and not slotted <= hints.members.keys() and samples:
                hints = replace(hints, members=dict(samples.members(slotted)))
                continue
            found = made.translation()
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
        self.sorts = {one.name: self._sort_of(one) for one in specification.variables}
        for table in self.layout.tables.values():
            for atom in d.possible_atoms(d.join_all(d.shape_of(one) for one in table.rows)):
                owner = self.layout.owner(atom)
                if owner is not None:
                    raise NotSymmetric(owner)
        self.expressions = Expressions(self.layout, constants, self.sorts)
        self.actions = Actions(self.expressions)
        self.expressions.enabled_by = partial(enabled, self.actions)
        self.constraints = Constraints(specification, self.expressions)
        self.next_state = NextState(self.actions)
        self.unsaid: list[str] = []

    def _sort_of(self, variable: Variable) -> Sort:
        try:
            return self.layout.of_variable(self.shapes[variable.name], variable.name)
        except SortError as problem:
            raise TlaUnsupported(
                variable.span,
                f"the values of {variable.name} have no sort: {problem}",
                "rename it, in the text or where the configuration gives it",
            ) from None

    def translation(self) -> Translation:
        assert self.specification.init is not None
        assert self.specification.next is not None
        constraint = self.constraints.constraint()
        initial = self.initial(self.specification.init)
        ways: list[tuple[str, Heading, Taken]] = []
        free: list[Taken] = []
        disjuncts: list[tuple[c.Expression, Context, int]] = []
        for heading, node, context in self.next_state.top_actions(
            Heading(ROOT), self.specification.next, Context({})
        ):
            disjuncts.append((node, context, len(ways)))
            called = action_name(heading, node)
            branches = list(self.actions.branches(node, context))
            self.require_assigned(branches, heading.name, node)
            for taken in branches:
                determined = one_point(taken, self.expressions.is_partial)
                inside = self.inside(determined, constraint, heading.name)
                free.append(inside)
                at = heading.at(node.span, context)
                ways += [(called, at, one) for one in self.constraints.allowed(inside)]
        if (never := self.constraints.asked(constraint, [one for _, _, one in ways])) is not None:
            ways.append(("CONSTRAINT", Heading(ROOT), never))
        headings: dict[str, Heading] = {}
        actions = []
        names = distinct([name for name, _, _ in ways])
        for called, (_, heading, one) in zip(names, ways, strict=True):
            headings[called] = heading
            updates = self.changed(one)
            branch = Branch(without_repeated(one.guards, updates.values()), updates)
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
        leaves = [
            Leaf(node, context, tuple(one.name for one in actions[start:end]))
            for (node, context, start), end in zip(disjuncts, ends[1:], strict=True)
        ]
        claims = Properties(
            self.specification,
            self.actions,
            self.constraints,
            model,
            free,
            leaves,
            self.next_state.disjuncts,
        )
        properties = tuple(claims.properties())
        judged = (*claims.temporal_claims, *(p for p in properties if p.kind is not Kind.LEMMA))
        if claims.refused and not judged:
            raise next(iter(claims.refused.values()))
        return Translation(
            model,
            properties,
            self.layout,
            self.shapes,
            constraint,
            {called: heading.name for called, heading in headings.items()},
            claims.unchecked,
            tuple(claims.temporal_claims),
            claims.specifications,
            tuple(claims.atoms),
            tuple(dict.fromkeys((*self.unsaid, *claims.left_out))),
            headings=headings,
            parts=claims.parts,
            goes_on=claims.goes_on(),
            refused=claims.refused,
        )

    def initial(self, node: c.Expression) -> Action:
        self.actions.initial = self.expressions.initial = True
        try:
            taken = list(self.actions.branches(node))
        finally:
            self.actions.initial = self.expressions.initial = False
        for one in taken:
            missing = [n for n in self.sorts if n not in one.updates]
            if missing:
                raise TlaError(
                    node.span,
                    f"the initial predicate gives {missing[0]} no value",
                    "say what it is at first",
                )
        names = {a.name for t in taken for a in t.arguments}
        arguments = {a.name: a for t in taken for a in t.arguments}
        if len(taken) > 1 and names:
            return self._merged_initial(taken, node)
        return Action(
            "Init",
            tuple(arguments.values()),
            tuple(Branch(t.guards, dict(t.updates)) for t in taken),
            Source(node.span.file, node.span.line),
        )

    def _merged_initial(self, taken: list[Taken], node: c.Expression) -> Action:
        """An initial predicate of several branches with choices: each has all the arguments.

        An argument that a branch does not have is free there; the states are the same. Of those
        of one name that are chosen from two sorts each has a name of its own.
        """
        arguments: dict[Term, Argument] = {}
        for argument in (a for one in taken for a in one.arguments):
            if argument.variable not in arguments:
                name = unused(argument.name, arguments.values())
                variable = build.argument(name, argument.variable.sort)
                arguments[argument.variable] = Argument(name, variable, argument.collection)
        put = TermSubstitution({old: new.variable for old, new in arguments.items()})
        return Action(
            "Init",
            tuple(arguments.values()),
            tuple(
                Branch(tuple(map(put, t.guards)), {n: put(v) for n, v in t.updates.items()})
                for t in taken
            ),
            Source(node.span.file, node.span.line),
        )

    def changed(self, one: Taken) -> dict[str, Term]:
        return {
            n: t
            for n, t in one.updates.items()
            if not (t.op == "variable" and t.data == (n, False))
        }

    def inside(self, one: Taken, constraint: Term | None, name: str) -> Taken:
        """Return the branch under CONSTRAINT, its first guard."""
        missing = [n for n in self.sorts if n not in one.updates]
        if missing:
            one = self.unassigned(one, missing, name)
        guards = one.guards if constraint is None else (constraint, *one.guards)
        return Taken(one.arguments, guards, one.updates)

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
