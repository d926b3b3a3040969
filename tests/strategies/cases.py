"""Cases: a random term with the state and the arguments it is read in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from bmc.lang import (
    BOOL,
    Sort,
    Term,
)
from bmc.lang.build import argument

# Imported for the productions they register.
from tests.strategies import scalar_terms, set_terms, structure_terms
from tests.strategies.draw import Draw, draws
from tests.strategies.values import Value, Values
from tests.strategies.world import World, world_of
from tests.strategies.writer import FOCUSES, Writer

PRODUCTIONS = (scalar_terms, set_terms, structure_terms)


@dataclass(frozen=True)
class Case:
    """``term``, over ``variables`` that have the values ``state`` and, primed, ``after``."""

    world: World
    term: Term
    variables: Mapping[str, Sort]
    state: Mapping[str, Value]
    after: Mapping[str, Value]
    arguments: Mapping[Term, Value]

    def __repr__(self) -> str:
        lines = [f"{self.term!r}", f"  of sort {self.term.sort}"]
        lines.append(f"  at {self.world.parameters}")
        for name, sort in self.variables.items():
            lines.append(f"  {name} = {self.state[name]!r}, then {self.after[name]!r} : {sort}")
        lines.extend(f"  {a!r} = {v!r} : {a.sort}" for a, v in self.arguments.items())
        return "\n".join(lines)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """How Hypothesis prints a failing example."""
        printer.text(repr(self))


def cases() -> st.SearchStrategy[Case]:
    """A term of any sort, a state, the one after it, and arguments."""
    return draws().map(case_of)


def case_of(draw: Draw) -> Case:
    """The case that these choices make."""
    world = world_of(draw)
    w = Writer(draw, world, primes=True)
    if draw.truth():
        w.arguments.append(argument("a", world.listable(draw)))
    w.focus, kinds = draw.one_of(FOCUSES)
    term = w.term(BOOL if w.chance(4) else world.of_kind(draw, draw.one_of(kinds)))
    values = Values(draw, world.domains)
    variables = dict(w.variables)
    state = {n: values.of(s) for n, s in variables.items()}
    after = {n: values.of(s) for n, s in variables.items()}
    arguments = {a: values.of(a.sort) for a in w.arguments}
    return Case(world, term, variables, state, after, arguments)
