"""Ground instances: found where formulas contradict each other, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pytest

from bmc.engines.allparams.instantiation import Instantiation
from bmc.readings.quantified.clauses import Universal, universals
from bmc.readings.quantified.formulas import (
    BOOL,
    Expression,
    LogicSort,
    Symbol,
    add,
    and_,
    app,
    eq,
    exists,
    forall,
    implies,
    le,
    lt,
    not_,
    number,
    or_,
    substitute,
    variable,
)
from bmc.readings.quantified.texts import TermReader, text
from bmc.solving import first_order_cvc5, first_order_z3
from bmc.solving.first_order_cvc5 import GroundChecker
from bmc.solving.first_order_z3 import Z3Terms
from bmc.solving.interface import Answer

PLACE = LogicSort("Int", "Place")
NODE = LogicSort("Elem", "Node")
HELD = Symbol("held", (NODE, PLACE), BOOL)
END = Symbol("end", (NODE,), PLACE)
NEXT = Symbol("next", (NODE,), NODE)
HERE = app(Symbol("here", (), NODE))


def held(node: Expression, place: Expression) -> Expression:
    return app(HELD, node, place)


def of(*formulas: Expression) -> list[Universal]:
    return [u for i, f in enumerate(formulas) for u in universals(f, f"f{i}")]


def below_the_end() -> Expression:
    node, place = variable(NODE, "n"), variable(PLACE, "p")
    inside = implies(lt(place, app(END, node)), held(node, place))
    return forall(node, forall(place, inside))


def test_a_contradiction_is_found_and_its_instances_are_enough() -> None:
    node = variable(NODE, "n")
    longer = forall(node, lt(app(END, node), app(END, app(NEXT, node))))
    wrong = not_(held(app(NEXT, HERE), app(END, HERE)))
    found = Instantiation(()).refute(of(below_the_end(), longer, wrong), 20.0)
    assert found.instances is not None
    ground = [i.formula for i in found.instances]
    assert GroundChecker().check(ground, 20.0) is Answer.UNSAT
    for left_out in range(len(ground)):
        fewer = [f for i, f in enumerate(ground) if i != left_out]
        assert GroundChecker().check(fewer, 20.0) is Answer.SAT


def test_what_is_satisfiable_is_not_refuted() -> None:
    wrong = not_(held(HERE, app(END, HERE)))
    assert Instantiation(()).refute(of(below_the_end(), wrong), 5.0).instances is None


def test_an_induction_over_offsets_is_not_found_and_not_claimed() -> None:
    place = variable(PLACE, "p")
    step = forall(place, implies(held(HERE, place), held(HERE, add(place, number(1)))))
    far = app(Symbol("far", (), PLACE))
    wrong = and_(held(HERE, number(0)), le(number(0), far), not_(held(HERE, far)))
    found = Instantiation(()).refute(of(step, wrong), 1.0)
    assert found.instances is None
    assert found.reason


@pytest.mark.parametrize(
    "quantified_core",
    [partial(first_order_z3.quantified_core, Z3Terms()), first_order_cvc5.quantified_core],
    ids=["z3", "cvc5"],
)
def test_a_solver_with_quantifiers_names_the_formulas_it_needs(
    quantified_core: Callable[[Sequence[Universal], int], list[Universal] | None],
) -> None:
    other = forall(variable(NODE, "n"), le(number(0), app(END, HERE)))
    wrong = and_(lt(number(3), app(END, HERE)), not_(held(HERE, number(3))))
    formulas = of(below_the_end(), other, wrong)
    needed = quantified_core(formulas, 10_000)
    assert needed is not None
    assert {u.origin for u in needed} == {"f0", "f2"}
    assert quantified_core(of(other), 1000) is None


def test_quantifiers_that_are_pinned_vanish() -> None:
    place = variable(PLACE, "p")
    end = app(END, HERE)
    assert exists(place, and_(eq(place, end), held(HERE, place))) is held(HERE, end)
    assert forall(place, or_(not_(eq(place, end)), held(HERE, place))) is held(HERE, end)


def test_an_existential_in_two_disjuncts_has_two_witnesses() -> None:
    """``(\\A p: held \\/ q) \\/ (\\A p: ~held)`` must not share its variable."""
    place = variable(PLACE, "p")
    all_held, none_held = (
        forall(place, held(HERE, place)),
        forall(place, not_(held(HERE, place))),
    )
    (either,) = universals(or_(all_held, none_held), "f")
    assert len(either.variables) == 2
    mixed = and_(held(HERE, number(0)), not_(held(HERE, number(1))))
    found = Instantiation(()).refute([either, *of(mixed)], 10.0)
    assert found.instances is not None


def test_a_substitution_does_not_capture() -> None:
    node, other = variable(NODE, "n"), variable(NODE, "m")
    formula = forall(node, eq(app(NEXT, node), other))
    replaced = substitute(formula, {other: app(NEXT, node)})
    assert replaced.free == {node}


def test_ground_terms_are_read_back() -> None:
    formulas = of(below_the_end(), held(app(NEXT, HERE), add(app(END, HERE), number(-2))))
    reader = TermReader(formulas)
    for term in (
        HERE,
        app(NEXT, HERE),
        add(app(END, HERE), number(-2)),
        add(app(END, HERE), app(END, app(NEXT, HERE))),
        number(-7),
    ):
        assert reader.read(text(term), term.sort) is term
