"""Clauses that exclude one state and none of the states known to be reachable.

A clause excludes a state when all its literals' opposites hold there, so what is looked for are
few facts of the state that no reachable state has together. Each reachable state lacks one of
them: they are a hitting set, found by branching on the state that has most of the facts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bmc.analysis.mining.candidates import Candidate, never
from bmc.analysis.mining.table import LiteralTable, Truth
from bmc.engines.packed.packing import Rows

_NODES = 1000
_BRANCHES = 10
_NEAREST = 3000


def excluding(
    vocabulary: LiteralTable, state: Rows, known: Truth, most: int, enough: int
) -> Iterator[Candidate]:
    """Candidates of at most ``most`` literals that are false in ``state`` (one row).

    ``known`` is the vocabulary's truth in states that must satisfy them. For each choice of the
    variables' values at most ``enough`` are made, those of fewest literals first.
    """
    here = vocabulary.truth(state)[:, :, :, 0]
    literals, bindings = here.shape[1:]
    flat = known.reshape(2, literals, bindings * known.shape[3])
    for b in range(bindings):
        facts = [(a, kind) for a in range(literals) for kind in (0, 1) if here[kind, a, b]]
        truth = np.array([flat[kind, a] for a, kind in facts])
        for chosen in hitting_sets(truth, most, enough):
            together = [vocabulary.literal(facts[i][0], bool(facts[i][1])) for i in chosen]
            yield never(together, vocabulary.bound)


def hitting_sets(truth: Truth, most: int, enough: int) -> list[tuple[int, ...]]:
    """Up to ``enough`` minimal sets of at most ``most`` facts that no state has together.

    ``truth`` has shape (facts, states). The earlier a fact stands, the rather it is taken.
    """
    lacking = truth.shape[0] - truth.sum(axis=0)
    if not truth.size or lacking.min() == 0:
        return []
    # The states that lack least decide nearly everything; the others are asked at the end.
    nearest = np.argsort(lacking, kind="stable")[:_NEAREST]
    search = _Search(np.ascontiguousarray(truth[:, nearest]), enough)
    for size in range(1, most + 1):
        search.extend((), np.ones(len(nearest), np.bool_), size)
        if len(search.found) >= enough:
            break
        search.budget = _NODES
    return [chosen for chosen in search.found if not truth[list(chosen)].all(axis=0).any()]


class _Search:
    def __init__(self, truth: Truth, enough: int) -> None:
        self.found: dict[tuple[int, ...], None] = {}
        self.budget = _NODES
        self._truth = truth
        self._enough = enough
        self._lacked = [np.flatnonzero(~column)[:_BRANCHES].tolist() for column in truth.T]

    def extend(self, chosen: tuple[int, ...], alive: Truth, size: int) -> None:
        """Find the sets of up to ``size`` facts that contain ``chosen``; in ``alive`` are the
        states that have all of those."""
        state = int(alive.argmax())
        if not alive[state]:
            if _is_minimal(self._truth, chosen):
                self.found[tuple(sorted(chosen))] = None
            return
        if len(chosen) == size:
            return
        for fact in self._lacked[state]:
            self.budget -= 1
            if self.budget < 0 or len(self.found) >= self._enough:
                return
            self.extend((*chosen, fact), alive & self._truth[fact], size)


def _is_minimal(truth: Truth, chosen: tuple[int, ...]) -> bool:
    for fact in chosen:
        others = [other for other in chosen if other != fact]
        if not others or not truth[others].all(axis=0).any():
            return not others
    return True
