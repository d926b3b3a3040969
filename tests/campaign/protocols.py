"""Random protocols that go somewhere: what is drawn is plain data, so that it can be made smaller.

A counter makes paths long; disjuncts that would leave the bounds are mostly taken out, since a
protocol that leaves them at once tells engines apart in nothing. Sorts may be empty or have one
value, and numbers may be negative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from inspect import Parameter as Formal
from inspect import Signature
from typing import Any

from bmc.lang import (
    BOOL,
    Expr,
    History,
    Integer,
    LanguageError,
    Parameter,
    Protocol,
    Scalarset,
    SetSort,
    Sort,
    Step,
    Suite,
    Term,
    Variable,
    action,
    after,
)
from bmc.lang.build import TRUE, argument, ite, the
from bmc.lang.properties import Kind, PropertyDeclaration
from bmc.lang.protocol import ChoiceDomain
from bmc.lang.sorts import IntSort
from bmc.lang.state import state_variable
from bmc.lang.terms import coerce, is_set
from tests.campaign.reference import Reference
from tests.strategies.cases import PRODUCTIONS
from tests.strategies.draw import Draw
from tests.strategies.structure_terms import operand
from tests.strategies.world import CLIENT, NODE, PARAMETERS, World
from tests.strategies.writer import Writer

assert PRODUCTIONS

STEPS = Parameter("steps", 1, 0, 3, "how far the counter goes")
MORE = Parameter("more", 1, 0, 2, "numbers and members that may be none")
ALL_PARAMETERS = (*PARAMETERS, STEPS, MORE)

COUNT = Integer("Count", -2, STEPS)
VOID = Integer("Void", 1, MORE)
OTHER = Scalarset("Other", MORE)


class Wider(World):
    """A world with a longer range, and with sorts that may be empty."""

    scalars = (*World.scalars, COUNT, VOID, OTHER)
    integers = (*World.integers, COUNT, VOID)


class Pen(Writer):
    """Writes terms of empty sorts too: they have no value."""

    def leaf(self, sort: Sort) -> Term:
        """A term without parts to choose."""
        if isinstance(sort, Scalarset) and not self.in_scope(lambda s: s == sort):
            return the(coerce(None, _option(sort)))
        return super().leaf(sort)

    def plain(self, sort: Sort) -> Term:
        """A value as the language writes it."""
        if isinstance(sort, IntSort):
            low, high = self.world.domains.range(sort)
            return coerce(self.draw.number(low, max(low, high)), sort)
        return super().plain(sort)


def _option(sort: Sort) -> Sort:
    from bmc.lang import OptionSort

    return OptionSort(sort)


@dataclass(frozen=True)
class Disjunct:
    """Guards in order, and new values."""

    guards: tuple[Term, ...]
    updates: Mapping[str, Term]


@dataclass(frozen=True)
class Act:
    """An action: its choices, from a sort or from the set that a variable holds."""

    name: str
    choices: Mapping[str, Sort | str]
    disjuncts: tuple[Disjunct, ...]


@dataclass(frozen=True)
class Claim:
    """A property or lemma."""

    name: str
    kind: Kind
    body: Term
    arguments: Mapping[str, Sort] = field(default_factory=dict)


@dataclass(frozen=True)
class Ghost:
    """A ghost variable: its first value, and what it becomes after some actions."""

    name: str
    sort: Sort
    first: Term
    follows: Mapping[str, Term]


@dataclass(frozen=True)
class Plan:
    """A whole protocol with what is claimed of it."""

    parameters: Mapping[str, int]
    variables: Mapping[str, Sort]
    initial: Act
    actions: tuple[Act, ...]
    constraint: Term | None = None
    claims: tuple[Claim, ...] = ()
    ghost: Ghost | None = None
    number: int | None = None
    """The number that it was drawn by, while it is as it was drawn."""

    def __repr__(self) -> str:
        lines = [f"at {dict(self.parameters)}"]
        lines += [f"variable {n} : {s}" for n, s in self.variables.items()]
        for one in (self.initial, *self.actions):
            lines.append(f"{one.name}({', '.join(f'{n} : {c}' for n, c in one.choices.items())})")
            for disjunct in one.disjuncts:
                lines.append("  \\/ " + " /\\ ".join(["TRUE", *map(repr, disjunct.guards)]))
                lines += [f"     {n}' = {t!r}" for n, t in disjunct.updates.items()]
        lines.append(f"constraint {self.constraint!r}")
        if self.ghost is not None:
            lines.append(f"ghost {self.ghost}")
        for claim in self.claims:
            lines.append(f"{claim.kind.value} {claim.name}{dict(claim.arguments)}: {claim.body!r}")
        return "\n".join(lines)

    def suite(self) -> Suite:
        """The protocol as a class that a user could have written, with its suite."""
        variables = {n: Variable(s) for n, s in self.variables.items()}
        body: dict[str, Any] = {p.name: p for p in ALL_PARAMETERS} | dict(variables)
        declared = []
        for one in (self.initial, *self.actions):
            choices: dict[str, ChoiceDomain] = {
                n: variables[c] if isinstance(c, str) else c for n, c in one.choices.items()
            }
            declared.append(action(**choices)(_method(one)))
            body[one.name] = declared[-1]
        body["Next"] = tuple(declared[1:])
        constraint = self.constraint
        if constraint is not None:
            body["Constraint"] = lambda _, s: constraint
        stated = [_declaration(claim) for claim in self.claims]
        return Suite(
            "Random",
            type("Random", (Protocol,), body),
            "drawn",
            tuple(d for d in stated if d.kind is not Kind.LEMMA),
            tuple(d for d in stated if d.kind is Kind.LEMMA),
            history=None if self.ghost is None else _history(self.ghost),
        )


def _signed(
    name: str, formals: tuple[str, ...], function: Callable[..., Any]
) -> Callable[..., Any]:
    function.__name__ = name
    function.__signature__ = Signature(  # type: ignore[attr-defined]
        [Formal(f, Formal.POSITIONAL_OR_KEYWORD) for f in formals]
    )
    return function


def _method(one: Act) -> Callable[..., None]:
    def written(s: Step, disjunct: Disjunct) -> None:
        s.require(TRUE, *disjunct.guards)
        for name, value in disjunct.updates.items():
            setattr(s, name, value)

    def method(self: Protocol, s: Step, *arguments: Expr) -> None:
        if len(one.disjuncts) == 1:
            written(s, one.disjuncts[0])
            return
        for disjunct in one.disjuncts:
            with s.either():
                written(s, disjunct)

    return _signed(one.name, ("self", "s", *one.choices), method)


def _declaration(claim: Claim) -> PropertyDeclaration:
    states = ("s", "t") if claim.kind is Kind.STEP_INVARIANT else ("s",)
    function = _signed(claim.name, ("m", *states, *claim.arguments), lambda *_: claim.body)
    return PropertyDeclaration(function, claim.kind, "drawn", "", claim.arguments)


def _history(ghost: Ghost) -> type[History]:
    body: dict[str, Any] = {ghost.name: Variable(ghost.sort)}
    body["initially"] = lambda self, s: setattr(s, ghost.name, ghost.first)
    for number, (name, value) in enumerate(ghost.follows.items()):

        def follow(self: History, s: Step, value: Term = value) -> None:
            setattr(s, ghost.name, value)

        body[f"follow{number}"] = after(name)(_signed(f"follow{number}", ("self", "s"), follow))
    return type("Past", (History,), body)


class Author:
    """Draws plans."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.world = Wider({p.name: draw.number(p.low, p.high) for p in ALL_PARAMETERS})
        self.reference = Reference(self.world.parameters)
        self.sorts: dict[str, Sort] = {"node": NODE, "client": CLIENT, "count": COUNT}
        for i in range(draw.number(1, 3)):
            sort = self.world.sort(draw, draw.number(0, 2))
            # A variable of an empty sort has no value, and its protocol no state.
            self.sorts[f"v{i}"] = sort if self._inhabited(sort) else BOOL

    def _inhabited(self, sort: Sort) -> bool:
        found = next(iter(self.reference._list(sort)), self)
        return found is not self

    def writer(
        self,
        arguments: Mapping[str, Term],
        closed: bool = False,
        primes: bool = False,
        variables: dict[str, Sort] | None = None,
    ) -> Pen:
        return Pen(
            self.draw,
            self.world,
            closed=closed,
            primes=primes,
            depth=3,
            budget=self.draw.one_of((5, 8, 14)),
            variables=variables or self.sorts,
            arguments=list(arguments.values()),
            most_variables=0,
        )

    def plan(self) -> Plan:
        """A plan without claims."""
        actions = tuple(self.act(f"Act{i}") for i in range(self.draw.number(1, 3)))
        constraint = None
        if self.draw.chance(4):
            constraint = self.writer({}).truth()
        ghost = self.ghost(actions) if self.draw.chance(3) else None
        return Plan(
            self.world.parameters, dict(self.sorts), self.initial(), actions, constraint, (), ghost
        )

    def initial(self) -> Act:
        choices: dict[str, Sort | str] = {"n": NODE, "c": CLIENT}
        if self.draw.chance(2):
            choices["x"] = self.world.listable(self.draw, 4)
        terms = {n: argument(n, s) for n, s in choices.items() if not isinstance(s, str)}
        disjuncts = []
        for _ in range(self.draw.one_of((1, 1, 2))):
            updates = {}
            for name, sort in self.sorts.items():
                w = self.writer(terms, closed=True)
                updates[name] = w.term(sort) if w.chance(5) else w.plain(sort)
            updates["count"] = coerce(-2, COUNT)
            guards = (self.writer(terms, closed=True).truth(),) if self.draw.chance(5) else ()
            disjuncts.append(Disjunct(guards, updates))
        return Act("Init", choices, tuple(disjuncts))

    def act(self, name: str) -> Act:
        sets = [n for n, s in self.sorts.items() if is_set(s)]
        choices: dict[str, Sort | str] = {}
        terms: dict[str, Term] = {}
        for formal in ("x", "y")[: self.draw.number(0, 2)]:
            match self.draw.one_of(("value", "element", "subset")):
                case "element" if sets:
                    of = self.draw.one_of(sets)
                    choices[formal] = of
                    terms[formal] = argument(formal, self.sorts[of].element)  # type: ignore[union-attr]
                case "subset":
                    sort: Sort = SetSort(self.world.listable(self.draw, 2))
                    choices[formal], terms[formal] = sort, argument(formal, sort)
                case _:
                    sort = self.world.listable(self.draw, 4)
                    choices[formal], terms[formal] = sort, argument(formal, sort)
        disjuncts = tuple(self.disjunct(terms) for _ in range(self.draw.one_of((1, 1, 2))))
        return Act(name, choices, disjuncts)

    def disjunct(self, terms: Mapping[str, Term]) -> Disjunct:
        guards = [self.writer(terms).truth() for _ in range(self.draw.one_of((0, 0, 1)))]
        updates: dict[str, Term] = {}
        count = state_variable("count", COUNT)
        match self.draw.one_of(("up", "up", "round", "stay")):
            case "up":
                guards.insert(0, count < STEPS)
                updates["count"] = coerce(count + 1, COUNT)
            case "round":
                updates["count"] = coerce(ite(count < STEPS, count + 1, -2), COUNT)
        names = [n for n in self.sorts if n != "count"]
        for _ in range(self.draw.one_of((1, 2, 3))):
            name = self.draw.one_of(names)
            sort = self.sorts[name]
            with suppress(LanguageError):
                updates[name] = coerce(operand(self.writer(terms), sort), sort)
        return Disjunct(tuple(guards), updates)

    def ghost(self, actions: tuple[Act, ...]) -> Ghost:
        sort = self.draw.one_of([s for n, s in self.sorts.items() if n not in ("node", "client")])
        both = {**self.sorts, "past": sort}
        follows = {
            a.name: self.writer({}, variables=both).term(sort) for a in actions if self.draw.truth()
        }
        return Ghost("past", sort, self.writer({}, closed=True).plain(sort), follows)


def restarted(author: Author, plan: Plan) -> Plan:
    """The plan with plain initial values, unconditionally, and no state constraint."""
    updates: dict[str, Term] = {}
    terms = {n: argument(n, s) for n, s in plan.initial.choices.items() if not isinstance(s, str)}
    for name, sort in plan.variables.items():
        w = author.writer(terms, closed=True)
        updates[name] = w.plain(sort)
    updates["count"] = coerce(-2, COUNT)
    initial = replace(plan.initial, disjuncts=(Disjunct((), updates),))
    return replace(plan, initial=initial, constraint=None)


def without(plan: Plan, beyond: set[tuple[str, int]]) -> Plan:
    """The plan without some disjuncts; an action that loses all of them does nothing."""
    actions = []
    for one in plan.actions:
        kept = [d for i, d in enumerate(one.disjuncts) if (one.name, i) not in beyond]
        actions.append(replace(one, disjuncts=tuple(kept) or (Disjunct((), {}),)))
    return replace(plan, actions=tuple(actions))
