"""Random small protocols, written as a user writes them: classes whose actions are methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from inspect import Parameter as Formal
from inspect import Signature
from typing import Any, ClassVar

from hypothesis import strategies as st

from bmc.lang import (
    Expr,
    MapSort,
    Protocol,
    Sort,
    State,
    Step,
    Variable,
    action,
)
from bmc.lang.build import TRUE
from bmc.lang.describe import model_of
from bmc.lang.errors import AssignedTwice, asked
from bmc.lang.model import Model
from bmc.lang.protocol import ActionDeclaration, ChoiceDomain
from bmc.lang.sorts import RecordSort, SetSort
from bmc.lang.terms import Term, is_set, term_of
from bmc.lang.watch import unwatched
from tests.strategies.cases import PRODUCTIONS
from tests.strategies.draw import Draw, draws
from tests.strategies.structure_terms import assign_part, operand
from tests.strategies.values import Value, Values
from tests.strategies.world import CLIENT, NODE, PARAMETERS, World, world_of
from tests.strategies.writer import Writer

assert PRODUCTIONS


@dataclass(frozen=True)
class Drawn:
    """A protocol at parameter values, and some states that it need not reach."""

    world: World
    model: Model
    states: tuple[Mapping[str, Value], ...]

    def __repr__(self) -> str:
        lines = [f"at {self.world.parameters}"]
        lines.extend(f"variable {n} : {s}" for n, s in self.model.variables.items())
        for one in (self.model.initial, *self.model.actions):
            arguments = ", ".join(
                f"{a.name} : {a.variable.sort if a.collection is None else repr(a.collection)}"
                for a in one.arguments
            )
            lines.append(f"{one.name}({arguments}) ==")
            for branch in one.branches:
                lines.append("  \\/ " + " /\\ ".join(["TRUE", *map(repr, branch.guards)]))
                lines.extend(f"     {n}' = {t!r}" for n, t in branch.updates.items())
        lines.append(f"constraint {self.model.constraint!r}")
        lines.extend(f"state {dict(s)}" for s in self.states)
        return "\n".join(lines)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """How Hypothesis prints a failing example."""
        printer.text(repr(self))


class _Author:
    """Draws a protocol. The methods it makes draw what they say when they are described."""

    def __init__(self, draw: Draw, world: World) -> None:
        self.draw = draw
        self.world = world
        # A term can always be of a scalarset's sort: there is a variable of it.
        self.sorts: dict[str, Sort] = {"node": NODE, "peer": NODE, "client": CLIENT}
        for i in range(draw.number(1, 3)):
            self.sorts[f"v{i}"] = world.sort(draw)
            if draw.truth():
                # Another of its sort, or a term often says no more than that it stays.
                self.sorts[f"w{i}"] = self.sorts[f"v{i}"]

    formals: ClassVar[tuple[str, ...]] = ("x", "y")
    guards: ClassVar[tuple[int, ...]] = (0, 0, 1)

    def reading(self, arguments: tuple[Expr, ...]) -> Writer:
        """Return who writes a guard of an action that has these arguments."""
        return self.writer(arguments)

    def writer(self, arguments: tuple[Expr, ...], closed: bool = False) -> Writer:
        return Writer(
            self.draw,
            self.world,
            closed=closed,
            depth=3,
            budget=8,
            variables=self.sorts,
            arguments=[term_of(a) for a in arguments],
            most_variables=0,
        )

    def protocol(self) -> type[Protocol]:
        variables = {n: Variable(s) for n, s in self.sorts.items()}
        actions = tuple(self.action(f"Act{i}", variables) for i in range(self.draw.number(1, 3)))
        body: dict[str, Any] = {p.name: p for p in PARAMETERS}
        body |= variables | {a.name: a for a in actions}
        body["Init"] = action(n=NODE, c=CLIENT)(_method("Init", ("n", "c"), self.initialize))
        body["Next"] = actions
        if self.draw.one_of((False, False, True)):
            body["Constraint"] = self.constraint
        return type("Random", (Protocol,), body)

    @property
    def constraint(self) -> Callable[[Protocol, State], Term]:
        def truth(_: Protocol, s: State) -> Term:
            with asked(), unwatched():
                return self.writer(()).truth()

        return truth

    def initialize(self, s: Step, arguments: tuple[Expr, ...]) -> None:
        for name, sort in self.sorts.items():
            w = self.writer(arguments, closed=True)
            setattr(s, name, w.term(sort) if w.chance(5) else w.plain(sort))

    def action(self, name: str, variables: Mapping[str, Variable]) -> ActionDeclaration:
        sets: list[ChoiceDomain] = [v for v in variables.values() if is_set(v.sort)]
        choices: dict[str, ChoiceDomain] = {}
        for formal in self.formals[: self.draw.number(0, len(self.formals))]:
            match self.draw.one_of(("value", "element", "subset")):
                case "element" if sets:
                    choices[formal] = self.draw.one_of(sets)
                case "subset":
                    choices[formal] = SetSort(self.world.listable(self.draw, 2))
                case _:
                    choices[formal] = self.world.listable(self.draw, 4)
        return action(**choices)(_method(name, tuple(choices), self.act))

    def act(self, s: Step, arguments: tuple[Expr, ...]) -> None:
        node, peer, client, *names = self.sorts
        names += [n for n in (node, peer, client) if self.draw.truth()]
        # A variable is assigned either in the disjuncts or outside of them.
        cut = self.draw.number(1, len(names))
        self.disjunct(s, arguments, names[:cut], (1, 2, 3))
        for _ in range(self.draw.one_of((0, 2, 1)) if cut < len(names) else 0):
            with s.either():
                s.require(TRUE)
                self.disjunct(s, arguments, names[cut:], (1, 2, 0))
        self.disjunct(s, arguments, names[:cut], (0, 0, 1))

    def disjunct(
        self, s: Step, arguments: tuple[Expr, ...], writable: list[str], counts: tuple[int, ...]
    ) -> None:
        for _ in range(self.draw.one_of(self.guards)):
            s.require(self.reading(arguments).truth())
        for _ in range(self.draw.one_of(counts)):
            name = self.draw.one_of(writable)
            sort = self.sorts[name]
            w = self.writer(arguments)
            # Of one part twice, the second time is refused and changes nothing.
            with suppress(AssignedTwice), asked():
                if isinstance(sort, RecordSort | MapSort) and self.draw.truth():
                    assign_part(w, getattr(s, name), sort)
                else:
                    setattr(s, name, operand(w, sort))


class _GuardedAuthor(_Author):
    """Draws actions of several arguments and several guards, most of which read a part of them."""

    formals = ("x", "y", "z", "u")
    guards = (1, 2, 3)

    def reading(self, arguments: tuple[Expr, ...]) -> Writer:
        kept = [a for a in arguments if self.draw.truth()]
        return self.writer(tuple(kept))


def _method(
    name: str, formals: tuple[str, ...], body: Callable[[Step, tuple[Expr, ...]], None]
) -> Callable[..., None]:
    def method(self: Protocol, s: Step, *arguments: Expr) -> None:
        with asked(), unwatched():
            body(s, arguments)

    method.__name__ = name
    every = ("self", "s", *formals)
    method.__signature__ = Signature(  # type: ignore[attr-defined]
        [Formal(f, Formal.POSITIONAL_OR_KEYWORD) for f in every]
    )
    return method


def protocols() -> st.SearchStrategy[Drawn]:
    """A protocol and two states of it."""
    return draws().map(protocol_of)


def guarded_protocols() -> st.SearchStrategy[Drawn]:
    """A protocol whose actions have many choices and guards, and two states of it."""
    return draws().map(lambda draw: protocol_of(draw, _GuardedAuthor))


def protocol_of(draw: Draw, author: type[_Author] = _Author) -> Drawn:
    """The protocol that these choices make."""
    world = world_of(draw)
    model = model_of(author(draw, world).protocol())
    states = tuple(random_state(draw, world, model) for _ in range(2))
    return Drawn(world, model, states)


def random_state(draw: Draw, world: World, model: Model) -> Mapping[str, Value]:
    """Any state of the model's variables, reachable or not."""
    values = Values(draw, world.domains)
    return {n: values.of(s) for n, s in model.variables.items()}
