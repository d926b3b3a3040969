"""Fair cycles and automata, on random graphs, against definitions that can be checked by eye."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bmc.engines.liveness.fair_cycles import FairnessCondition, Product, fair_cycle
from bmc.lang import (
    Term,
)
from bmc.lang.build import FALSE, TRUE, argument
from bmc.lang.sorts import BOOL
from bmc.lang.temporal import (
    Both,
    Formula,
    Not,
    Now,
    Until,
)
from bmc.system.automaton import automaton


@dataclass
class _Small:
    """As much of a graph as a product asks for."""

    size: int
    initial: int
    sources: np.ndarray
    targets: np.ndarray

    def __len__(self) -> int:
        return self.size


@st.composite
def graphs(draw: st.DrawFn) -> tuple[_Small, list[FairnessCondition]]:
    size = draw(st.integers(1, 4))
    pairs = [(a, b) for a in range(size) for b in range(size) if a != b]
    edges = draw(st.lists(st.sampled_from(pairs), max_size=6)) if pairs else []
    sources = np.array([a for a, _ in edges], np.int32)
    targets = np.array([b for _, b in edges], np.int32)
    conditions = []
    for _ in range(draw(st.integers(0, 3))):
        taken = np.array([draw(st.booleans()) for _ in edges], np.bool_)
        enabled = np.zeros(size, np.bool_)
        enabled[sources[taken]] = True
        conditions.append(FairnessCondition(draw(st.booleans()), taken, enabled))
    return _Small(size, 1, sources, targets), conditions


def is_fair_behaviour(graph: _Small, conditions: list[FairnessCondition]) -> bool:
    """Whether some set of steps can be taken for ever, by trying all of them."""
    edges = list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    reached = {0}
    for _ in range(graph.size):
        reached |= {b for a, b in edges if a in reached}
    for number in range(len(edges) + 1):
        for chosen in combinations(range(len(edges)), number):
            states = {s for i in chosen for s in edges[i]}
            candidates = [states] if states else [{s} for s in reached]
            for visited in candidates:
                if (
                    visited <= reached
                    and _connected(visited, [edges[i] for i in chosen])
                    and all(_is_met(c, visited, chosen) for c in conditions)
                ):
                    return True
    return False


def _connected(states: set[int], edges: list[tuple[int, int]]) -> bool:
    for start in states:
        found = {start}
        for _ in states:
            found |= {b for a, b in edges if a in found}
        if found != states:
            return False
    return True


def _is_met(condition: FairnessCondition, states: set[int], chosen: tuple[int, ...]) -> bool:
    if any(condition.taken[i] for i in chosen):
        return True
    idle = [not condition.enabled[s] for s in states]
    return all(idle) if condition.strong else any(idle)


@settings(max_examples=400, deadline=None)
@given(graphs())
def test_a_fair_cycle_is_found_if_there_is_one(
    drawn: tuple[_Small, list[FairnessCondition]],
) -> None:
    graph, conditions = drawn
    anything = automaton(Now(TRUE), positive=True)
    whole = Product(graph, anything, lambda atom: np.ones(len(graph), np.bool_))  # type: ignore[arg-type]
    found = fair_cycle(whole, conditions)
    assert (found is not None) == is_fair_behaviour(graph, conditions)
    if found is not None:
        assert found.states[0] == 0


ATOMS = (argument("p", BOOL), argument("q", BOOL))


def formulas() -> st.SearchStrategy[Formula]:
    return st.recursive(
        st.sampled_from([Now(ATOMS[0]), Now(ATOMS[1]), Now(TRUE), Now(FALSE)]),
        lambda inner: st.one_of(
            inner.map(Not), st.builds(Both, inner, inner), st.builds(Until, inner, inner)
        ),
        max_leaves=5,
    )


def letter(atom: Term, read: tuple[bool, bool]) -> bool:
    """The truth of an atom where the word has this letter."""
    if atom is TRUE or atom is FALSE:
        return atom is TRUE
    return read[0] if atom is ATOMS[0] else read[1]


def holds(formula: Formula, word: list[tuple[bool, bool]], loop: int, at: int) -> bool:
    """The truth of a formula at a place of a word whose last letter is followed by ``loop``."""
    match formula:
        case Now(term):
            return letter(term, word[at])
        case Not(inner):
            return not holds(inner, word, loop, at)
        case Both(left, right):
            return holds(left, word, loop, at) and holds(right, word, loop, at)
        case Until(left, right):
            for _ in range(2 * len(word)):
                if holds(right, word, loop, at):
                    return True
                if not holds(left, word, loop, at):
                    return False
                at = at + 1 if at + 1 < len(word) else loop
            return False


@settings(max_examples=400, deadline=None)
@given(
    formulas(),
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=4),
    st.data(),
)
def test_the_automaton_accepts_what_the_formula_says(
    formula: Formula, word: list[tuple[bool, bool]], data: st.DataObject
) -> None:
    loop = data.draw(st.integers(0, len(word) - 1))
    steps = [(i, i + 1) for i in range(len(word) - 1)]
    if loop != len(word) - 1:
        steps.append((len(word) - 1, loop))
    graph = _Small(
        len(word),
        1,
        np.array([a for a, _ in steps], np.int32),
        np.array([b for _, b in steps], np.int32),
    )
    # Whatever is enabled is taken in the end, so that there is one behaviour, up to stuttering.
    conditions = []
    for number in range(len(steps)):
        taken = np.zeros(len(steps), np.bool_)
        taken[number] = True
        enabled = np.zeros(len(word), np.bool_)
        enabled[steps[number][0]] = True
        conditions.append(FairnessCondition(False, taken, enabled))

    def truth(atom: Term) -> np.ndarray:
        return np.array([letter(atom, read) for read in word], np.bool_)

    for positive, expected in product((True, False), (True, False)):
        if holds(formula, word, loop, 0) is not expected:
            continue
        whole = Product(graph, automaton(formula, positive), truth)  # type: ignore[arg-type]
        assert (fair_cycle(whole, conditions) is not None) is (positive is expected)
