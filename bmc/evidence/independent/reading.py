"""Reading terms: the table of rules, and what a rule is given.

A term read in a state is a value and a condition under which it has one (it is *defined*): partial
operators, full containers and values outside their sorts have none. Connectives and conditionals
stop where the language says so, everything else reads all its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from bmc.evidence.independent.formula import Formula
from bmc.evidence.independent.universe import Universe
from bmc.evidence.independent.values import Truth, Value, want
from bmc.lang.operator_table import OperatorName
from bmc.lang.terms import Term

State = Mapping[str, Value]
Environment = Mapping[int, Value]
"""Values of bound variables, by the variable's ``uid``."""


class Read(NamedTuple):
    """A term's value, and the condition under which it has one."""

    defined: Formula
    value: Value


class Reading:
    """Reads terms in one state, or in a step to ``after``."""

    def __init__(self, universe: Universe, state: State, after: State | None = None) -> None:
        self.universe = universe
        self.formulas = universe.formulas
        self.state = state
        self.after = after
        self._known: dict[tuple[object, ...], Read] = {}
        self._free: dict[int, tuple[int, ...]] = {}

    def read(self, term: Term, environment: Environment) -> Read:
        """Return what a term is."""
        free = self._free.get(term.uid)
        if free is None:
            free = self._free[term.uid] = tuple(sorted(v.uid for v in term.free))
        key = (term.uid, *(environment[uid] for uid in free if uid in environment))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = RULES[term.op](self, term, environment)
        return found

    def truth(self, term: Term, environment: Environment) -> tuple[Formula, Formula]:
        """Return when a Bool term is defined, and when it holds."""
        defined, value = self.read(term, environment)
        return defined, want(Truth, value).holds

    def holds(self, term: Term, environment: Environment) -> Formula:
        """Return when a Bool term is defined and holds."""
        return self.formulas.both(*self.truth(term, environment))

    def arguments(self, term: Term, environment: Environment) -> tuple[Formula, list[Value]]:
        """Return when all arguments of a strict operator are defined, and their values."""
        parts = [self.read(argument, environment) for argument in term.args]
        return self.formulas.all(part.defined for part in parts), [part.value for part in parts]


Rule = Callable[[Reading, Term, Environment], Read]
RULES: dict[OperatorName, Rule] = {}


def rule(*ops: OperatorName) -> Callable[[Rule], Rule]:
    """Declare a function to be the rule of some operators."""

    def register(function: Rule) -> Rule:
        for op in ops:
            RULES[op] = function
        return function

    return register
