"""Temporal claims decided on the graph of all reachable states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

import numpy as np

from bmc.engines.explicit import room_for_states
from bmc.engines.liveness.choices import choices
from bmc.engines.liveness.conditions import (
    NO_FAIR_BEHAVIOUR,
    NONE_WITHIN_LIMITS,
    FairFormulas,
    FairRules,
    fair_conditions,
)
from bmc.engines.liveness.fair_cycles import (
    FairnessCondition,
    Mask,
    Product,
    fair_cycle,
    has_fair_cycle,
)
from bmc.engines.liveness.graph import Graph, LeavesBounds, graph_of
from bmc.engines.liveness.question import Question
from bmc.engines.pace import ExplorationLimits, MemoryReached, Pace, Stopped
from bmc.engines.packed.table import TableFull
from bmc.engines.task import SILENT, Observer, OutOfTime
from bmc.engines.team import Relay
from bmc.evidence.lasso import TemporalResult, judged, without_repetitions
from bmc.evidence.verdict import Contradiction, Verdict, Why
from bmc.lang.show import excerpt
from bmc.lang.suite import Suite
from bmc.lang.temporal import Specification, TemporalProperty, atoms, steps
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState, Interpreter
from bmc.system.automaton import automaton
from bmc.system.transition import TransitionSystem

__all__ = ["Question", "decide", "decide_on_graph"]


def decide_on_graph(question: Question, observer: Relay) -> tuple[TemporalResult, ...]:
    """Return what :func:`decide` does, and tell of each claim as soon as it is decided."""
    return decide(question, observer, observer.decided)


def decide(
    question: Question,
    observer: Observer = SILENT,
    tell: Callable[[TemporalResult], None] = lambda result: None,
) -> tuple[TemporalResult, ...]:
    """Return a result for each claim, in order; ``tell`` is told each as soon as it is there.

    ``violated`` comes with a lasso that the interpreter has judged; ``proved`` means that of all
    reachable states and steps no fair loop violates the claim, and that there is a fair loop at
    all. A limit, or a step that leaves the model's bounds, makes all claims unknown. Raises
    NoInitialState, and Contradiction when the interpreter takes another view of a lasso.
    """
    model = question.suite.model(ghosts=False)
    stated = [question.suite.describe_temporal(name, model) for name in question.claims]
    began = monotonic()
    pace = Pace(
        ExplorationLimits(question.timeout, question.max_states, None, question.memory), observer
    )
    system = TransitionSystem(model, question.parameters)
    reached: tuple[ConcreteState, ...] = ()
    try:
        graph = graph_of(system, pace, room_for_states(question.memory))
    except OutOfTime as limit:
        reason, why = str(limit), Why.TIME
    except (MemoryReached, TableFull) as limit:
        reason, why = str(limit), Why.MEMORY
    except Stopped as limit:
        reason, why = str(limit), None
    except LeavesBounds as step:
        reason, why, reached = str(step), None, (step.state,)
    except MemoryError:
        reason, why = "there is no more memory", Why.MEMORY
    else:
        observer.fact(f"{len(graph):,} states and {len(graph.sources):,} steps between them")
        search = _Search(question.suite, graph, observer)
        results = []
        for one in stated:
            results.append(search.result(one))
            # One claim's automaton may take all of the time that is left.
            tell(results[-1])
        return tuple(results)
    return tuple(
        TemporalResult(
            one.name,
            Verdict.UNKNOWN,
            one.specification,
            monotonic() - began,
            reason=reason,
            why=why,
            reached=reached,
        )
        for one in stated
    )


class _Search:
    """One graph, on which several claims are decided."""

    def __init__(self, suite: Suite, graph: Graph, observer: Observer) -> None:
        self._suite = suite
        self._graph = graph
        self._observer = observer
        self._interpreter = Interpreter(graph.system.model, graph.system.domains)
        self._known: dict[
            tuple[str, Term | None], tuple[Specification, list[FairnessCondition], str | None]
        ] = {}

    def result(self, stated: TemporalProperty) -> TemporalResult:
        """What is true of one claim."""
        began = monotonic()
        self._observer.phase(f"{stated.name}: looking for a fair loop that violates it")
        specification, conditions, unknown = self._fairness(stated)

        def answer(verdict: Verdict, **more: object) -> TemporalResult:
            return TemporalResult(
                stated.name,
                verdict,
                stated.specification,
                monotonic() - began,
                len(self._graph),
                **more,  # type: ignore[arg-type]
            )

        if unknown is not None:
            return answer(Verdict.UNKNOWN, reason=unknown)
        wrong = automaton(stated.formula, positive=False)
        for values in choices(self._graph, stated):
            truth = self._truth(stated.arguments, values)
            # Either answer would rest on what the formula does not say.
            for atom in atoms(stated.formula):
                if lacking := truth.lacking(atom):
                    reason = f"{excerpt(atom)} has no value in a reachable state"
                    return answer(Verdict.UNKNOWN, reason=reason, reached=lacking)
            for atom in steps(stated.formula):
                if lacking := truth.lacking_of_steps(atom):
                    reason = f"{excerpt(atom)} has no value of a step that is taken"
                    return answer(Verdict.UNKNOWN, reason=reason, reached=lacking)
            whole = Product(self._graph, wrong, truth, truth.of_steps)
            cycle = fair_cycle(whole, conditions)
            if cycle is not None:
                states, loop = without_repetitions(cycle.states, cycle.loop)
                lasso = judged(
                    self._interpreter,
                    self._graph.states(states),
                    loop,
                    specification,
                    stated,
                    values,
                )
                arguments = stated.instance(values)
                return answer(Verdict.VIOLATED, arguments=arguments, lasso=lasso)
        has_text = self._suite.origin is not None
        return answer(Verdict.PROVED, reached=self._graph.some_states() if has_text else ())

    def _fairness(
        self, claim: TemporalProperty
    ) -> tuple[Specification, list[FairnessCondition], str | None]:
        """A claim's specification, its conditions on the graph, and why they decide nothing."""
        key = claim.specification, claim.limits
        if key not in self._known:
            specification = self._suite.specification(claim.specification, self._graph.system.model)
            stated = list(fair_conditions(self._graph.system, specification))
            conditions: list[FairnessCondition] = []
            unknown = next(filter(None, map(self._without_value, stated)), None)
            if unknown is None:
                # What has no value in some state may well be taken there, and not be enabled.
                conditions = [self._condition(one) for one in stated]
                anything = automaton(claim.about(), positive=True)
                whole = Product(self._graph, anything, self._truth((), ()))
                if not has_fair_cycle(whole, conditions):
                    unknown = NO_FAIR_BEHAVIOUR if claim.limits is None else NONE_WITHIN_LIMITS
            self._known[key] = specification, conditions, unknown
        return self._known[key]

    def _condition(self, one: FairRules | FairFormulas) -> FairnessCondition:
        graph = self._graph
        if isinstance(one, FairFormulas):
            both = graph.system.circuit.and_
            (enabled,) = graph.truth([both(one.enabled.defined, one.enabled.shape)])
            (taken,) = graph.truth_of_steps([both(one.step.defined, one.step.shape)])
            if (taken & ~enabled[graph.sources]).any():
                raise Contradiction(f"a step is taken that {one.condition} says is not enabled")
            return FairnessCondition(one.strong, taken, enabled)
        of_rule = np.zeros(len(graph.system.rules), np.bool_)
        of_rule[list(one.rules)] = True
        taken = of_rule[graph.rules]
        enabled = np.zeros(len(graph), np.bool_)
        enabled[graph.sources[taken]] = True
        return FairnessCondition(one.strong, taken, enabled)

    def _without_value(self, one: FairRules | FairFormulas) -> str | None:
        """Why nothing is known of a condition: it has no value in some state or of some step."""
        if isinstance(one, FairRules):
            return None
        states = self._graph.truth([one.enabled.defined]).all()
        if states and self._graph.truth_of_steps([one.step.defined]).all():
            return None
        return f"{one.condition} has no value in a reachable state, or of a step that is taken"

    def _truth(self, arguments: Sequence[Term], values: Sequence[Value]) -> _Truth:
        return _Truth(self._graph, arguments, values)


class _Truth:
    """The truth of atoms in every state, at values of a claim's arguments; each found once."""

    def __init__(self, graph: Graph, arguments: Sequence[Term], values: Sequence[Value]) -> None:
        self._graph = graph
        shapes = graph.system.shapes
        pairs = zip(arguments, values, strict=True)
        self._environment = {a: shapes.constant(a.sort, v) for a, v in pairs}
        self._known: dict[Term, Mask] = {}
        self._of_steps: dict[Term, Mask] = {}

    def lacking_of_steps(self, atom: Term) -> list[ConcreteState]:
        """A state with a step of which a formula has no value; none where it has one of each."""
        formula = self._graph.system.expander.expand(atom, self._environment)
        (defined,) = self._graph.truth_of_steps([formula.defined])
        return self._graph.states(self._graph.sources[~defined][:1].tolist())

    def of_steps(self, atom: Term) -> Mask:
        """The truth of a formula of steps, of each step of the graph."""
        if atom not in self._of_steps:
            formula = self._graph.system.expander.expand(atom, self._environment)
            node = self._graph.system.circuit.and_(formula.defined, formula.shape)
            (self._of_steps[atom],) = self._graph.truth_of_steps([node])
        return self._of_steps[atom]

    def lacking(self, atom: Term) -> list[ConcreteState]:
        """A state in which an atom has no value; none where it has one in each."""
        formula = self._graph.system.expander.expand(atom, self._environment)
        (defined,) = self._graph.truth([formula.defined])
        return self._graph.states(np.flatnonzero(~defined)[:1].tolist())

    def __call__(self, atom: Term) -> Mask:
        if atom not in self._known:
            system = self._graph.system
            formula = system.expander.expand(atom, self._environment)
            node = system.circuit.and_(formula.defined, formula.shape)
            (self._known[atom],) = self._graph.truth([node])
        return self._known[atom]
