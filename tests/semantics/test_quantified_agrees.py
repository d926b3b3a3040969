"""The quantified reading, in a finite structure, says what the `value` reading says.

And what is satisfiable is never refuted: not after Skolem functions and prenex forms, not by the
instances that models lead to.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import assume, given

from bmc.engines.allparams.instantiation import Instantiation
from bmc.lang.sorts import BoolSort
from bmc.readings.quantified.clauses import Universal, axioms, sizes, universals
from bmc.readings.quantified.formulas import Expression, and_, app, eq, iff, not_, number, truth
from bmc.readings.quantified.fresh import fresh
from bmc.readings.quantified.reader import Reader
from bmc.readings.quantified.structures import NotQuantified, scalar_sort
from bmc.readings.quantified.vocabulary import Symbols
from bmc.solving.first_order_cvc5 import GroundChecker
from bmc.solving.interface import Answer
from tests.semantics.outcomes import TOO_SMALL, by_value, subterms
from tests.semantics.structures import Finite, constant, member
from tests.strategies import Case, cases, effort
from tests.strategies.world import CLIENT, NODE, PARAMETERS


class Reading:
    """A case read once, and the finite structures that stand for its state."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.vocabulary = Symbols({p.name: p.low for p in PARAMETERS})
        self.before = {n: fresh(s, n) for n, s in case.variables.items()}
        self.after = {n: fresh(s, f"{n}'") for n, s in case.variables.items()}
        variables = {(n, False): s for n, s in self.before.items()}
        variables |= {(n, True): s for n, s in self.after.items()}
        self.reader = Reader(self.vocabulary, variables, "!test")
        arguments = {a: constant(a.sort, v) for a, v in case.arguments.items()}
        self.found = self.reader.read(case.term, arguments)

    def finite(self, junk: int) -> Finite:
        """The case's state, with ``junk`` where it says nothing."""
        finite = Finite(self.case.world.domains, junk)
        finite.scalarsets((NODE, CLIENT))
        for name, sort in self.case.variables.items():
            finite.holding(sort, self.before[name], self.case.state[name])
            finite.holding(sort, self.after[name], self.case.after[name])
        finite.define(self.reader.definitions)
        finite.counting(self.reader.sets.values())
        return finite

    def outcome(self, junk: int) -> Any:
        """What the reading says."""
        finite = self.finite(junk)
        if not finite.evaluate(self.found.defined):
            return TOO_SMALL
        return finite.read(self.case.term.sort, self.found.value)


def read(case: Case) -> Reading:
    """A case's reading; cases without one are passed over."""
    try:
        reading = Reading(case)
        # Structures are lazy: what has no reading may show only when they are looked into.
        reading.outcome(0)
    except NotQuantified:
        assume(False)
        raise
    return reading


def differs(case: Case) -> bool:
    """Whether the reading says something else, or depends on what a state does not say."""
    try:
        reading = Reading(case)
        return any(reading.outcome(junk) != by_value(case) for junk in (5, 0))
    except NotQuantified:
        return False


@effort(250)
@given(cases())
def test_the_reading_agrees(case: Case) -> None:
    read(case)
    if differs(case):
        closed = [t for t in subterms(case.term) if t.free <= set(case.arguments)]
        for term in sorted(closed, key=lambda t: t.uid):
            part = replace(case, term=term)
            if differs(part):
                said = Reading(part).outcome(5)
                raise AssertionError(f"{part!r}\n  is {by_value(part)!r}, not {said!r}")


@effort(60)
@given(cases())
def test_what_is_true_is_not_refuted(case: Case) -> None:
    """A formula that holds in a state, together with all that is so in that state."""
    assume(isinstance(case.term.sort, BoolSort))
    reading = read(case)
    held = and_(reading.found.defined, reading.found.value)
    finite = reading.finite(5)
    formula = held if finite.evaluate(held) else not_(held)
    formulas = [*universals(formula, "!goal"), *axioms(reading.reader.definitions, "!axiom")]
    formulas += sizes(reading.reader.sets.values())
    formulas += diagram(finite)
    found = Instantiation(()).refute(formulas, 5.0)
    if found.instances is not None:
        core = [i.formula for i in found.instances]
        # The second solver is asked as well: what is wrong then is the reading, not a solver.
        assert GroundChecker().check(core, 10.0) is Answer.UNSAT
        raise AssertionError(f"{case!r}\n  is refuted by {core}")


def diagram(finite: Finite) -> list[Universal]:
    """The tables of a structure as ground formulas, and that its members are different."""
    members = {}
    for s in (NODE, CLIENT):
        members[s] = [member(s, i) for i in range(finite.sizes[scalar_sort(s).identity])]
    facts: list[Expression] = []
    for those in members.values():
        facts += [not_(eq(a, b)) for a in those for b in those if a is not b]
    by_identity = {scalar_sort(s).identity: m for s, m in members.items()}

    def term(kind: str, identity: str, value: Any) -> Expression:
        match kind:
            case "Bool":
                return truth(value)
            case "Int":
                return number(value)
        return by_identity[identity][value]

    for symbol, table in finite.tables.items():
        if symbol.name.startswith("#"):
            continue
        for args, value in table.items():
            pairs = zip(symbol.domain, args, strict=True)
            place = app(symbol, *(term(s.kind, s.identity, a) for s, a in pairs))
            is_so = term(symbol.sort.kind, symbol.sort.identity, value)
            facts.append(iff(place, is_so) if symbol.sort.kind == "Bool" else eq(place, is_so))
    return list(universals(and_(*facts), "!diagram"))
