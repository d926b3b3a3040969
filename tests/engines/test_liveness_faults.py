"""Faults planted in the engines for temporal claims: each is caught by somebody who has it not.

What an engine refutes with a fault in it does not survive the interpreter. What it *proves* with
one has no lasso to replay: there an engine that shares nothing of the faulty part disagrees.
Those of the search for lassos are in ``test_liveness_symbolic.py``, those of the judge itself in
``test_liveness.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bmc.engines.liveness import decide as explicit
from bmc.engines.liveness import monitored
from bmc.engines.liveness.choices import choices
from bmc.engines.liveness.conditions import FairRules, fair_conditions
from bmc.engines.liveness.fair_cycles import Cycle, fair_cycle
from bmc.engines.liveness.graph import Graph, graph_of
from bmc.engines.liveness.lasso_search import search_lassos
from bmc.engines.liveness.monitored import prove_by_monitor
from bmc.engines.liveness.question import Question
from bmc.engines.packed.quotient import Quotient
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.verdict import Contradiction, Verdict
from bmc.lang.sorts import BOOL
from bmc.lang.temporal import Specification
from bmc.lang.terms import Term, make
from bmc.system import fair_monitor
from bmc.system.fair_conditions import FairCondition
from bmc.system.follower import name_of
from bmc.system.transition import TransitionSystem
from tests.campaign.engines import Disagreement
from tests.campaign.temporal import Nobody, agree

from .liveness_machines import MUTEX

DEPTH = 6


def explored(claim: str) -> TemporalResult:
    (found,) = explicit.decide(Question(MUTEX, {}, (claim,)))
    return found


def searched(claim: str) -> TemporalResult:
    (found,) = search_lassos(Question(MUTEX, {}, (claim,), depth=DEPTH), Nobody())  # type: ignore[arg-type]
    return found


def watched_over(claim: str) -> TemporalResult:
    (found,) = prove_by_monitor(Question(MUTEX, {}, (claim,)), Nobody())  # type: ignore[arg-type]
    return found


class TestExploration:
    def fair(
        self, monkeypatch: pytest.MonkeyPatch, changed: Callable[[FairRules], FairRules | None]
    ) -> None:
        def rules(system: Any, specification: Specification) -> Iterator[FairRules]:
            found = (changed(one) for one in fair_conditions(system, specification))
            return (one for one in found if one is not None)

        monkeypatch.setattr(explicit, "fair_conditions", rules)

    def test_a_condition_dropped(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fair(monkeypatch, lambda one: None)
        with pytest.raises(Contradiction, match="does not meet WF_vars"):
            explored("EntersWeakly")

    def test_weak_taken_for_strong(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fair(monkeypatch, lambda one: replace(one, strong=False))
        with pytest.raises(Contradiction, match="does not meet SF_vars"):
            explored("EntersStrongly")

    def test_strong_taken_for_weak(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fair(monkeypatch, lambda one: replace(one, strong=True))
        wrong = explored("EntersWeakly")
        assert wrong.verdict is Verdict.PROVED
        with pytest.raises(Disagreement, match="explicit proves what lasso refutes"):
            agree(0, [wrong, searched("EntersWeakly")])

    def test_a_loop_that_does_not_close(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def cut(*given: Any) -> Cycle | None:
            found = fair_cycle(*given)
            return None if found is None else replace(found, states=found.states[:-1])

        monkeypatch.setattr(explicit, "fair_cycle", cut)
        with pytest.raises(Contradiction, match=r"does not (close|meet)"):
            explored("EntersWeakly")

    def test_symmetry_applied_to_what_is_fair_to_each(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """States that differ in names only are one: then who enters and who waits are one, too."""

        def identified(*given: Any) -> Graph:
            graph = graph_of(*given)
            least = Quotient(graph.system, graph.packing).representatives(graph.rows)
            places = {row.tobytes(): number for number, row in enumerate(graph.rows)}
            image = np.array([places[row.tobytes()] for row in least], dtype=np.int32)
            return replace(graph, sources=image[graph.sources], targets=image[graph.targets])

        monkeypatch.setattr(explicit, "graph_of", identified)
        # Of the two who wait one is looked at, which is always served here.
        with pytest.raises(Disagreement, match="explicit proves what lasso refutes"):
            agree(0, [explored("EntersWeakly"), searched("EntersWeakly")])

    def test_one_of_many_only_where_they_are_alike(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Who may never enter is another one than who may: each is looked at."""
        looked_at: list[int] = []

        def noted(graph: Graph, stated: Any) -> Any:
            found = choices(graph, stated)
            looked_at.append(len(found))
            return found

        def unfair(system: TransitionSystem, *given: Any) -> Graph:
            number, rule = next((n, r) for n, r in enumerate(system.rules) if r.action == "Enter")
            rules = [*system.rules]
            rules[number] = replace(rule, guard=system.circuit.false)
            monkeypatch.setattr(system, "rules", type(system.rules)(rules))
            return graph_of(system, *given)

        monkeypatch.setattr(explicit, "choices", noted)
        assert explored("EntersStrongly").verdict is Verdict.PROVED
        monkeypatch.setattr(explicit, "graph_of", unfair)
        with pytest.raises(Contradiction, match="does not meet SF_vars"):
            explored("EntersStrongly")
        assert looked_at == [1, 2]


class TestMonitor:
    def fair(self, monkeypatch: pytest.MonkeyPatch, changed: Callable[[Any], list[Any]]) -> None:
        conditions = fair_monitor.fair_conditions

        def planted(*given: Any) -> Any:
            return tuple([kept for one in conditions(*given) for kept in changed(one)])

        monkeypatch.setattr(fair_monitor, "fair_conditions", planted)
        monkeypatch.setattr(monitored, "CLOSINGS", (fair_monitor.Return(),))
        monkeypatch.setattr(monitored, "_counted", lambda *given: None)

    def test_a_condition_dropped(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fair(monkeypatch, lambda one: [one] if one.fairness.actions == ("Leave",) else [])
        with pytest.raises(Contradiction, match="does not meet SF_vars"):
            watched_over("EntersStrongly")

    def test_strong_taken_for_weak(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its certificate is accepted, since judges make the monitor in the same way."""
        self.fair(
            monkeypatch, lambda one: [replace(one, fairness=replace(one.fairness, strong=True))]
        )
        wrong = watched_over("EntersWeakly")
        assert wrong.verdict is Verdict.PROVED
        with pytest.raises(Disagreement, match="monitored proves what explicit refutes"):
            agree(0, [explored("EntersWeakly"), wrong])

    def test_what_anybody_does_counts_for_each(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """With symmetry in mind one flag would do for all members: then one of them starves."""
        collected = FairCondition.collected

        def of_anybody(self: Any, flag: Term) -> Term:
            for variable in self.variables:
                flag = make("exists", (variable, flag), BOOL)
            return collected(self, flag)

        monkeypatch.setattr(FairCondition, "collected", of_anybody)
        monkeypatch.setattr(monitored, "CLOSINGS", (fair_monitor.Return(),))
        monkeypatch.setattr(monitored, "_counted", lambda *given: None)
        with pytest.raises(Contradiction, match="does not meet"):
            watched_over("EntersStrongly")

    def test_a_loop_that_does_not_close(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def nothing_of_the_model(self: Any) -> dict[Term, Term]:
            return {one: then for one, then in copies(self).items() if "phase" not in name_of(one)}

        copies = fair_monitor.FairMonitor._copies
        monkeypatch.setattr(fair_monitor.FairMonitor, "_copies", nothing_of_the_model)
        monkeypatch.setattr(monitored, "CLOSINGS", (fair_monitor.Return(),))
        monkeypatch.setattr(monitored, "_counted", lambda *given: None)
        with pytest.raises(Contradiction, match="said to come back is another one"):
            watched_over("EntersStrongly")
