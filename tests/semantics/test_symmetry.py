"""Members of a scalarset are interchangeable: renaming them changes nothing but names.

Engines rely on it when they look at one representative of each orbit.
"""

from __future__ import annotations

from itertools import permutations, product

from hypothesis import given
from hypothesis import strategies as st

from bmc.lang import (
    Sort,
    Term,
)
from bmc.lang.build import argument
from bmc.lang.model import Source
from bmc.lang.properties import Kind, Property
from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import (
    Scalarset,
)
from bmc.lang.terms import truth
from bmc.layout.domain import Domains
from bmc.layout.renaming import unchanged
from bmc.readings.circuit import evaluate
from bmc.readings.value import ConcreteState, Interpreter
from bmc.system.renaming import Renaming
from tests.semantics.outcomes import TOO_SMALL, by_value
from tests.semantics.steps import canonical, explicit_steps
from tests.semantics.test_steps_agree import system_of
from tests.strategies import Case, Draw, Drawn, cases, draws, effort, protocols, rename
from tests.strategies.values import Naming, Value
from tests.strategies.world import CLIENT, NODE


def namings(domains: Domains) -> st.SearchStrategy[Naming]:
    """New names for nodes and clients."""
    return st.fixed_dictionaries(
        {one: st.permutations(domains.values(one)).map(tuple) for one in (NODE, CLIENT)}
    )


def renamed(domains: Domains, sorts: dict[str, Sort], state: ConcreteState, names: Naming) -> Value:
    """A state under other names."""
    return {name: rename(domains, sorts[name], v, names) for name, v in state.items()}


@effort(400)
@given(cases(), st.data())
def test_terms_commute_with_renaming(case: Case, data: st.DataObject) -> None:
    domains, sorts = case.world.domains, dict(case.variables)
    names = data.draw(namings(domains))
    other = Case(
        case.world,
        case.term,
        sorts,
        renamed(domains, sorts, case.state, names),
        renamed(domains, sorts, case.after, names),
        {a: rename(domains, a.sort, v, names) for a, v in case.arguments.items()},
    )
    value = by_value(case)
    # An intermediate integer has no range, and no names either.
    expected = value if value is TOO_SMALL else _renamed_result(domains, case.term, value, names)
    assert by_value(other) == expected


def _renamed_result(domains: Domains, term: Term, value: Value, names: Naming) -> Value:
    return rename(domains, term.sort, value, names) if symmetric_parts(term.sort) else value


@effort(150)
@given(protocols(), st.data())
def test_steps_commute_with_renaming(drawn: Drawn, data: st.DataObject) -> None:
    domains, sorts = drawn.world.domains, dict(drawn.model.variables)
    evaluator = Interpreter(drawn.model, domains).evaluator
    names = data.draw(namings(domains))
    for state in drawn.states:
        expected = {}
        for (action, branch, known), after in explicit_steps(drawn.model, evaluator, state).items():
            sort_of = {a.name: a.variable.sort for a in _arguments(drawn, action)}
            moved = tuple((n, rename(domains, sort_of[n], v, names)) for n, v in known)
            expected[action, branch, moved] = (
                after
                if after is TOO_SMALL
                else sorted((renamed(domains, sorts, s, names) for s in after), key=canonical)
            )
        other = renamed(domains, sorts, state, names)
        assert explicit_steps(drawn.model, evaluator, other) == expected


def _arguments(drawn: Drawn, action: str) -> tuple[object, ...]:
    return next(a.arguments for a in drawn.model.actions if a.name == action)


@effort(150)
@given(protocols(), st.data())
def test_the_image_of_a_states_scalars_is_that_of_the_state(
    drawn: Drawn, data: st.DataObject
) -> None:
    system = system_of(drawn)
    if system is None:
        return
    domains, sorts = drawn.world.domains, dict(drawn.model.variables)
    drawn_names = data.draw(namings(domains))
    named = unchanged(domains, sorts.values())
    image = Renaming(system).image({one: drawn_names[one] for one in named})
    for state in drawn.states:
        numbers = system.encode(state)
        expected = system.encode(renamed(domains, sorts, state, drawn_names))
        moved = dict(zip(image, evaluate(list(image.values()), numbers), strict=True))
        assert [moved.get(i, n) for i, n in enumerate(numbers)] == expected


@effort(60)
@given(protocols(), st.data())
def test_initial_states_are_closed_under_renaming(drawn: Drawn, data: st.DataObject) -> None:
    if system_of(drawn) is None:
        return
    domains, sorts = drawn.world.domains, dict(drawn.model.variables)
    states = list(Interpreter(drawn.model, domains).initial_states())
    names = data.draw(namings(domains))
    assert all(renamed(domains, sorts, state, names) in states for state in states)


@effort(60)
@given(protocols(), draws())
def test_representatives_meet_every_orbit_once(drawn: Drawn, draw: Draw) -> None:
    system = system_of(drawn)
    if system is None:
        return
    domains = drawn.world.domains
    sorts = [drawn.world.listable(draw, 12) for _ in range(draw.number(1, 3))]
    arguments = tuple(argument(f"x{i}", s) for i, s in enumerate(sorts))
    stated = Property("Any", Kind.INVARIANT, arguments, truth(True), "", "", Source("nowhere", 0))
    found = [one.arguments for one in system.representatives(stated)]
    orbits = {
        frozenset(
            tuple(rename(domains, s, v, names) for s, v in zip(sorts, values, strict=True))
            for names in _all_namings(domains)
        )
        for values in product(*(domains.values(s) for s in sorts))
    }
    assert [sum(values in orbit for values in found) for orbit in orbits] == [1] * len(orbits)


def _all_namings(domains: Domains) -> list[Naming]:
    each: list[list[tuple[Scalarset, tuple[int, ...]]]] = [
        [(one, names) for names in permutations(domains.values(one))] for one in (NODE, CLIENT)
    ]
    return [dict(chosen) for chosen in product(*each)]
