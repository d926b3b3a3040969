"""The independent judge reads every term as the interpreter does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps

from hypothesis import given, reject

from bmc.evidence.independent.formula import Formula, Formulas
from bmc.evidence.independent.literals import clauses_hold
from bmc.evidence.independent.machine import Machine
from bmc.evidence.independent.reading import Read, Reading
from bmc.evidence.independent.smtlib import Theory, script
from bmc.evidence.independent.universe import NotRead, Universe
from bmc.lang import BoundTooSmall, LanguageError
from bmc.lang.sorts import (
    BoundedSetSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    Sort,
    VariantSort,
)
from bmc.readings.value import Interpreter
from bmc.solving.scripts import answer
from bmc.system.atoms import Atoms
from bmc.system.transition import TransitionSystem
from bmc.system.transition import evaluate as evaluate_nodes
from tests.semantics.independent_values import Assignment, assign, constant, decoded, evaluate
from tests.semantics.outcomes import TOO_SMALL, by_value, subterms
from tests.semantics.steps import explicit_steps
from tests.strategies import Case, Drawn, cases, effort, protocols
from tests.strategies.values import Value


def readable(test: Callable[..., None]) -> Callable[..., None]:
    """Pass over examples with sorts of which the judge says that it cannot list them."""

    @wraps(test)
    def run(*arguments: object, **named: object) -> None:
        try:
            test(*arguments, **named)
        except NotRead:
            reject()

    return run


class Held:
    """A case's state as the judge holds it, of constants or of unknowns with their numbers."""

    def __init__(self, case: Case, unknown: bool) -> None:
        self.case = case
        self.universe = Universe(Formulas(), case.world.parameters)
        self.assignment: Assignment = {}
        self.facts: list[Formula] = []
        domains = case.world.domains
        states = []
        for state in (case.state, case.after):
            held = {}
            for name, sort in case.variables.items():
                held[name] = constant(self.universe, domains, sort, state[name])
                if unknown:
                    fresh = self.universe.unknown(sort, name, self.facts)
                    assign(fresh, held[name], self.assignment)
                    held[name] = fresh
            states.append(held)
        self.environment = {
            a.uid: constant(self.universe, domains, a.sort, v) for a, v in case.arguments.items()
        }
        self.reading = Reading(self.universe, states[0], states[1])

    def read(self) -> Read:
        """The term, read."""
        return self.reading.read(self.case.term, self.environment)

    def outcome(self) -> Value:
        """What the reading says of the term."""
        assert all(evaluate(fact, self.assignment) for fact in self.facts)
        defined, value = self.read()
        if not evaluate(defined, self.assignment):
            return TOO_SMALL
        domains = self.case.world.domains
        return decoded(self.universe, domains, self.case.term.sort, value, self.assignment)


def require_agreement(case: Case, unknown: bool) -> None:
    """Fail, naming the first subterm on which the judge differs from the interpreter."""
    if Held(case, unknown).outcome() == by_value(case):
        return
    closed = [t for t in subterms(case.term) if t.free <= set(case.arguments)]
    for term in sorted(closed, key=lambda t: t.uid):
        part = replace(case, term=term)
        found, expected = Held(part, unknown).outcome(), by_value(part)
        assert found == expected, f"{part!r}\n  is {expected!r}, not {found!r}"


@effort(500)
@given(cases())
@readable
def test_terms_over_constants_agree(case: Case) -> None:
    require_agreement(case, unknown=False)


@effort(500)
@given(cases())
@readable
def test_terms_over_unknowns_agree(case: Case) -> None:
    require_agreement(case, unknown=True)


@effort(40)
@given(cases())
@readable
def test_the_text_of_a_reading_says_the_same(case: Case) -> None:
    """A solver finds that a term has a value where it has one, whatever its numbers are."""
    held = Held(case, unknown=True)
    f = held.universe.formulas
    fixed = [
        f.same(one, f.number(n)) if not one.boolean else one if n else f.negation(one)
        for one, n in held.assignment.items()
    ]
    expected = "unsat" if by_value(case) is TOO_SMALL else "sat"
    defined = held.read().defined
    for theory in Theory:
        text = script([*held.facts, *fixed, defined], expected, "a term has a value", theory)
        assert answer(text, "z3") == expected


@effort(100)
@given(protocols())
@readable
def test_steps_of_random_protocols_agree(drawn: Drawn) -> None:
    """Of each action: the successors, and whether it leaves the bounds."""
    domains = drawn.world.domains
    for state in drawn.states:
        machine = Machine(drawn.model, drawn.world.parameters)
        held = {
            n: constant(machine.universe, domains, sort, state[n])
            for n, sort in drawn.model.variables.items()
        }
        evaluator = Interpreter(drawn.model, domains).evaluator
        steps = explicit_steps(drawn.model, evaluator, state)
        moves = list(machine.ground_moves(held))
        leaves = any(evaluate(move.leaves, {}) for move in moves)
        assert leaves == (TOO_SMALL in steps.values())
        expected = [s for after in steps.values() if after is not TOO_SMALL for s in after]
        found = [
            {
                n: decoded(machine.universe, domains, sort, move.after[n], {})
                for n, sort in drawn.model.variables.items()
            }
            for move in moves
            if evaluate(move.taken, {})
        ]
        assert all(one in found for one in expected)
        # What leaves the bounds for one element of a set hides what the others lead to.
        assert leaves or all(one in expected for one in found)


@effort(60)
@given(protocols())
@readable
def test_literals_mean_the_same(drawn: Drawn) -> None:
    """The texts of clauses are the same, and each says the same of a state."""
    if any(nested(sort) for sort in drawn.model.variables.values()):
        return
    try:
        system = TransitionSystem(drawn.model, drawn.world.parameters)
        atoms = Atoms(system).all
    except (BoundTooSmall, LanguageError):
        return
    domains = drawn.world.domains
    for state in drawn.states:
        machine = Machine(drawn.model, drawn.world.parameters)
        held = {
            n: constant(machine.universe, domains, sort, state[n])
            for n, sort in drawn.model.variables.items()
        }
        values = evaluate_nodes([atom.node for atom in atoms], system.encode(state))
        for atom, value in zip(atoms, values, strict=True):
            assert (clauses_hold(machine, [(atom.text,)], held) is machine.formulas.true) == value


def nested(sort: Sort, inside: bool = False) -> bool:
    """Whether a sort holds bounded sets of bounded sets, of which the judge has no order."""
    match sort:
        case BoundedSetSort(element):
            return inside or nested(element, True)
        case OptionSort(inner) | SequenceSort(inner, _) | MapSort(_, inner):
            return nested(inner, inside)
        case RecordSort(_, parts) | VariantSort(_, parts):
            return any(nested(part, inside) for _, part in parts)
        case KeyedSetSort(element, _):
            return nested(element, inside)
    return False


def test_no_two_constants_are_one_whatever_they_are_called() -> None:
    """An argument of a forged lemma was taken for another one, and the lemma was accepted."""
    formulas = Formulas()
    made = [formulas.boolean(name) for name in ("x", "x", "x~2", "x|2", "x_2", "x\\2")]
    assert len({one.data for one in made}) == len(set(made)) == 6
