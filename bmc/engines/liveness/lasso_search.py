"""The shortest lasso that violates a temporal claim, looked for with a SAT solver.

A path is unrolled. Of each length it is asked whether its last state can stay for ever, then
whether a step closes a loop, such that every fairness condition is met on the loop and the claim
is false on the word that the lasso spells. A formula has a truth value at each place of the path;
what *until* means at the end of it is said by the loop (Biere, Heljanko, Junttila, Latvala and
Schuppan, *Linear encodings of bounded LTL model checking*, 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import assert_never

from bmc.engines.liveness.conditions import FairFormulas, FairRules, enabled, fair_conditions
from bmc.engines.liveness.question import Question
from bmc.engines.task import Deadline, OutOfTime
from bmc.engines.team import Relay
from bmc.evidence.lasso import Lasso, TemporalResult, judged
from bmc.evidence.replay import overflowing_action
from bmc.evidence.verdict import Verdict
from bmc.evidence.wording import count
from bmc.lang.show import excerpt
from bmc.lang.temporal import (
    Both,
    Formula,
    Not,
    Now,
    Specification,
    Taken,
    TemporalProperty,
    Until,
    atoms,
    steps,
)
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.layout.renaming import representatives
from bmc.readings.circuit import Node
from bmc.readings.value import ConcreteState, Interpreter
from bmc.solving.interface import Answer, Handle
from bmc.solving.sat_solver import SatSolver
from bmc.system.no_model import no_initial_state
from bmc.system.transition import TransitionSystem
from bmc.system.unrolling import SharedSteps, Unrolling


@dataclass(frozen=True)
class _Condition:
    """A fairness condition: it is met by these rules, or else by steps that a formula says."""

    strong: bool
    enabled: Node
    rules: tuple[int, ...] = ()
    step: Node | None = None


@dataclass(frozen=True)
class _Instance:
    """A choice of the claim's arguments, and its atoms at that choice."""

    values: tuple[Value, ...]
    atoms: dict[Term, Node]


@dataclass(frozen=True)
class _Loops:
    """Which state the one after the last is: ``back[i]`` says that it is state ``i``.

    Without any ``back`` the last state stays for ever. ``inside[i]`` says that state ``i`` is in
    the loop; all of it is meant where ``asked`` holds.
    """

    asked: Handle
    back: list[Handle]
    inside: list[Handle]


ENGINE = "lasso"


def search_lassos(question: Question, observer: Relay) -> tuple[TemporalResult, ...]:
    """Return a result for each claim, in order: violated by a shortest lasso, or unknown.

    No lasso of more than ``question.depth`` steps to its last state is looked for. Raises
    NoInitialState, and Contradiction when a lasso does not replay.
    """
    deadline = Deadline(question.timeout)
    model = question.suite.model(ghosts=False)
    system = TransitionSystem(model, question.parameters)
    results = []
    for name in question.claims:
        stated = question.suite.describe_temporal(name, model)
        specification = question.suite.specification(stated.specification, model)
        search = LassoSearch(system, stated, specification)
        results.append(_searched(search, stated, question.depth, deadline, observer))
        observer.decided(results[-1])
    return tuple(results)


def _searched(
    search: LassoSearch,
    stated: TemporalProperty,
    depth: int | None,
    deadline: Deadline,
    observer: Relay,
) -> TemporalResult:
    started = monotonic()

    def answer(verdict: Verdict, **more: object) -> TemporalResult:
        depth = search.clean if search.clean >= 0 else None
        seconds = monotonic() - started
        return TemporalResult(
            stated.name,
            verdict,
            stated.specification,
            seconds,
            engine=ENGINE,
            depth=depth,
            **more,  # type: ignore[arg-type]
        )

    reason = None
    try:
        while search.reason is None and (depth is None or search.clean < depth):
            steps = count(search.clean + 1, "step")
            observer.phase(f"{stated.name}: looking for a lasso of {steps}")
            observer.so_far(answer(Verdict.UNKNOWN, reason="the search was stopped"))
            found = search.deepen(deadline)
            if found is not None:
                lasso, values = found
                arguments = stated.instance(values)
                return answer(Verdict.VIOLATED, lasso=lasso, arguments=arguments)
    except OutOfTime as stop:
        reason = str(stop)
    reason = reason or search.reason
    if reason is None:
        steps = count(search.clean, "step")
        reason = f"no lasso within {steps}; a longer one is not searched"
    return answer(Verdict.UNKNOWN, reason=reason, reached=search.lacking)


class LassoSearch:
    """Searches length by length for a lasso that violates a claim.

    ``clean`` is the number of steps up to which no lasso is there, -1 before the first; the step
    that closes a loop is not counted. ``reason`` is why nothing more will be found, None if there
    may be; ``lacking`` is the state in which, or in a step out of which, the claim has no value, or
    from which a step leaves the bounds, where that is why.
    """

    def __init__(
        self, system: TransitionSystem, stated: TemporalProperty, specification: Specification
    ) -> None:
        self.system = system
        self.clean = -1
        self.reason: str | None = None
        self.lacking: tuple[ConcreteState, ...] = ()
        self._stated = stated
        self._specification = specification
        self._interpreter = Interpreter(system.model, system.domains)
        self._defined: dict[Term, Node] = {}
        self._step_defined: dict[Term, Node] = {}
        self._conditions = [self._condition(one) for one in fair_conditions(system, specification)]
        # A condition speaks of all choices of its arguments, so to a specification names of
        # members do not matter, and one of the claim's instances stands for its images.
        self._instances = [
            self._instance(values) for values in representatives(system.domains, stated.arguments)
        ]
        self._solver = SatSolver()
        # A step may meet several conditions at once, if it may have several names.
        unrolling = Unrolling if len(self._conditions) < 2 else SharedSteps
        self._unrolling = unrolling(system, self._solver)

    def _condition(self, one: FairRules | FairFormulas) -> _Condition:
        if isinstance(one, FairRules):
            return _Condition(one.strong, enabled(self.system, one.rules), one.rules)
        said, both = one.condition, self.system.circuit.and_
        for kept, term, found in (
            (self._defined, said.enabled, one.enabled),
            (self._step_defined, said.step, one.step),
        ):
            kept[term] = both(kept.get(term, self.system.circuit.true), found.defined)
        possible, step = (both(found.defined, found.shape) for found in (one.enabled, one.step))
        return _Condition(one.strong, possible, step=step)

    def _instance(self, values: tuple[Value, ...]) -> _Instance:
        system = self.system
        pairs = zip(self._stated.arguments, values, strict=True)
        environment = {a: system.shapes.constant(a.sort, v) for a, v in pairs}
        nodes: dict[Term, Node] = {}
        formula = self._stated.formula
        for kept, terms in ((self._defined, atoms(formula)), (self._step_defined, steps(formula))):
            for term in terms:
                found = system.expander.expand(term, environment)
                nodes[term] = system.circuit.and_(found.defined, found.shape)
                known = kept.get(term, system.circuit.true)
                kept[term] = system.circuit.and_(known, found.defined)
        return _Instance(values, nodes)

    def deepen(self, deadline: Deadline) -> tuple[Lasso, tuple[Value, ...]] | None:
        """Return a lasso with one more state and the claim's arguments, None if there is none.

        Raises NoInitialState, OutOfTime, and Contradiction when a lasso does not replay.
        """
        depth = self.clean + 1
        if not depth:
            self._unrolling.start()
            if self._ask(self._solver.constant(True), deadline) is not Answer.SAT:
                raise no_initial_state(self.system.model, self.system.parameters)
        if not self._look(depth, deadline):
            return None
        found = self._search(self._staying(depth), depth, deadline)
        if found is None:
            self._unrolling.step(depth)
            self._solver.clause(*self._differs(depth, depth + 1))
            if not self._look_at_step(depth, deadline):
                return None
            if depth:
                found = self._search(self._closing(depth), depth, deadline)
            if found is None and self._ask(self._solver.constant(True), deadline) is Answer.UNSAT:
                self.reason = f"no execution is longer than {count(depth, 'step')}"
        self.clean = depth
        return found

    def _look(self, depth: int, deadline: Deadline) -> bool:
        """Whether every state of that depth has all its values; if not, why nothing is said."""
        bounds = self._unrolling.at(self.system.within_bounds, depth)
        if self._ask(-bounds, deadline) is Answer.SAT:
            state = self._unrolling.state(depth)
            said = overflowing_action(self._interpreter, state)
            self.lacking = (state,)
            self.reason = (
                f"after {count(depth, 'step')} a step leaves the model's bounds: "
                f"{said or 'an action has no value'}; choose larger parameters"
            )
            return False
        self._solver.add(bounds)
        for atom, node in self._defined.items():
            defined = self._unrolling.at(node, depth)
            if self._ask(-defined, deadline) is Answer.SAT:
                self.reason = f"{excerpt(atom)} has no value in a reachable state"
                self.lacking = (self._unrolling.state(depth),)
                return False
            self._solver.add(defined)
        return True

    def _look_at_step(self, depth: int, deadline: Deadline) -> bool:
        """Whether every step of that number has all its values; if not, why nothing is said."""
        for term, node in self._step_defined.items():
            defined = self._unrolling.across(node, depth)
            if self._ask(-defined, deadline) is Answer.SAT:
                self.reason = f"{excerpt(term)} has no value of a step that is taken"
                self.lacking = (self._unrolling.state(depth),)
                return False
            self._solver.add(defined)
        return True

    def _differs(self, one: int, other: int) -> list[Handle]:
        return [-same for same in self._same(one, other)]

    def _same(self, one: int, other: int) -> list[Handle]:
        first, second = self._unrolling.frame(one), self._unrolling.frame(other)
        return [
            self._solver.equal(first.handles[leaf.index], second.handles[leaf.index], leaf.boolean)
            for leaf in self.system.leaves
        ]

    # The two ways to go on for ever.

    def _staying(self, depth: int) -> _Loops:
        solver = self._solver
        loops = _Loops(
            solver.boolean(), [], [solver.constant(place == depth) for place in range(depth + 1)]
        )
        for condition in self._conditions:
            solver.clause(-loops.asked, -self._unrolling.at(condition.enabled, depth))
        return loops

    def _closing(self, depth: int) -> _Loops:
        solver = self._solver
        asked, back = solver.boolean(), [solver.boolean() for _ in range(depth)]
        solver.clause(-asked, *back)
        solver.at_most_one(back)
        for start, chosen in enumerate(back):
            for same in self._same(start, depth + 1):
                solver.clause(-chosen, same)
        inside = [solver.any(back[: place + 1]) for place in range(depth)]
        loops = _Loops(asked, back, [*inside, asked])
        for condition in self._conditions:
            self._require_fair(condition, loops)
        return loops

    def _require_fair(self, condition: _Condition, loops: _Loops) -> None:
        solver, unrolling = self._solver, self._unrolling
        excuses = []
        for place, inside in enumerate(loops.inside):
            if condition.step is not None:
                # Every step of the path changes something.
                taken = unrolling.across(condition.step, place)
            else:
                selectors = unrolling.frame(place).selectors
                taken = solver.any([selectors[number] for number in condition.rules])
            if not condition.strong:
                taken = solver.any([taken, -unrolling.at(condition.enabled, place)])
            excuses.append(solver.conjunction([inside, taken]))
        if condition.strong:
            never = solver.boolean()
            for place, inside in enumerate(loops.inside):
                possible = unrolling.at(condition.enabled, place)
                solver.clause(-loops.asked, -never, -inside, -possible)
            excuses.append(never)
        solver.clause(-loops.asked, *excuses)

    # The claim on a lasso.

    def _search(
        self, loops: _Loops, depth: int, deadline: Deadline
    ) -> tuple[Lasso, tuple[Value, ...]] | None:
        truth = [
            self._truth(self._stated.formula, instance, loops, depth)[0]
            for instance in self._instances
        ]
        self._solver.clause(-loops.asked, *(-one for one in truth))
        if self._ask(loops.asked, deadline) is not Answer.SAT:
            self._solver.add(-loops.asked)
            return None
        value = self._solver.value
        start = next((n for n, chosen in enumerate(loops.back) if value(chosen)), depth)
        wrong = next(n for n, one in enumerate(truth) if not value(one))
        states = self._unrolling.states(depth)
        values = self._instances[wrong].values
        lasso = judged(self._interpreter, states, start, self._specification, self._stated, values)
        return lasso, values

    def _truth(
        self, formula: Formula, instance: _Instance, loops: _Loops, depth: int
    ) -> list[Handle]:
        """What says that a formula holds, at each place."""
        solver = self._solver
        match formula:
            case Now(term):
                node = instance.atoms[term]
                return [self._unrolling.at(node, place) for place in range(depth + 1)]
            case Taken(term):
                # Every step of the path changes something, and who stays takes none.
                node = instance.atoms[term]
                taken = depth + 1 if loops.back else depth
                found = [self._unrolling.across(node, place) for place in range(taken)]
                return [*found, *([] if loops.back else [solver.constant(False)])]
            case Not(inner):
                return [-one for one in self._truth(inner, instance, loops, depth)]
            case Both(left, right):
                pair = (self._truth(part, instance, loops, depth) for part in (left, right))
                return [solver.conjunction(both) for both in zip(*pair, strict=True)]
            case Until(left, right):
                waits = self._truth(left, instance, loops, depth)
                comes = self._truth(right, instance, loops, depth)
                return self._until(waits, comes, loops)
            case _:
                assert_never(formula)

    def _until(
        self, waits: Sequence[Handle], comes: Sequence[Handle], loops: _Loops
    ) -> list[Handle]:
        solver = self._solver
        if not loops.back:
            held = [comes[-1]]
            for place in reversed(range(len(comes) - 1)):
                going_on = solver.conjunction([waits[place], held[0]])
                held.insert(0, solver.any([comes[place], going_on]))
            return held
        held = [solver.boolean() for _ in comes]
        again = solver.any(
            [solver.conjunction(pair) for pair in zip(loops.back, held, strict=False)]
        )
        for place, after in enumerate([*held[1:], again]):
            going_on = solver.conjunction([waits[place], after])
            solver.add(solver.same(held[place], solver.any([comes[place], going_on])))
        # Waiting round the loop for what never comes fulfils the equations, and is no until.
        somewhere = (solver.conjunction(pair) for pair in zip(loops.inside, comes, strict=True))
        solver.clause(-loops.asked, -held[-1], *somewhere)
        return held

    def _ask(self, formula: Handle, deadline: Deadline) -> Answer:
        deadline.check()
        answer = self._solver.check([formula], deadline.remaining())
        if answer is Answer.UNKNOWN:
            raise OutOfTime("the solver gave up within the time limit")
        return answer
