"""Events of a log in one SAT query, with everything that is not logged free.

Where too many states are possible to hold them one by one, the states before the window are a
disjunction, and each event is some frames of an unrolling: silent steps, then its own, of which
fewer may be taken than there are frames (Biere, Cimatti, Clarke and Zhu, *Symbolic model checking
without BDDs*, 1999, with the log as a constraint). An event that no execution has is so of *all*
states before the window.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bmc.conformance.checks import Claim
from bmc.conformance.circuits import holds
from bmc.conformance.demands import Demand
from bmc.lang.model import Action, Model
from bmc.lang.sorts import Sort
from bmc.readings.value import ConcreteState
from bmc.solving.interface import Answer, Handle
from bmc.solving.sat_solver import SatSolver
from bmc.system.transition import Rule, TransitionSystem
from bmc.system.unrolling import Unrolling


class SolverGaveUp(Exception):
    """The solver gave up within its time."""


@dataclass(frozen=True)
class TakenStep:
    """A step of the execution that a window found, and the state it leads to."""

    action: str
    state: ConcreteState
    silent: bool


@dataclass(frozen=True)
class EventRead:
    """What an execution has of one event: its steps, and the state after it."""

    demand: Demand
    steps: tuple[TakenStep, ...]
    state: ConcreteState


class LogWindow:
    """Reads events one after the other, beginning in any of ``states`` of an idling system.

    ``cut`` says why executions may have been left out, None while none was. The last frame of an
    event is the first of the next one. ``remaining`` gives the seconds that are left.
    """

    def __init__(
        self,
        system: TransitionSystem,
        states: Sequence[ConcreteState],
        silent: Sequence[Action],
        silent_steps: int,
        remaining: Callable[[], float | None],
    ) -> None:
        self.cut: str | None = None
        self.frames = 0
        self._system = system
        self._silent = {action.name for action in silent} if silent_steps else set[str]()
        self._silent_steps = silent_steps if silent else 0
        self._remaining = remaining
        self._solver = SatSolver()
        self._unrolling = Unrolling(system, self._solver)
        self._read: list[tuple[Demand, int, int]] = []
        self._begun = self._begin(states)

    def _begin(self, states: Sequence[ConcreteState]) -> list[Handle]:
        """Assert that frame 0 is one of these states; the choice of each."""
        solver, handles = self._solver, self._unrolling.frame(0).handles
        equal: dict[tuple[int, int], Handle] = {}
        begun = []
        for state in states:
            chosen = solver.boolean()
            begun.append(chosen)
            for leaf, number in zip(self._system.leaves, self._system.encode(state), strict=True):
                is_so = equal.get((leaf.index, number))
                if is_so is None:
                    value = solver.constant(bool(number)) if leaf.boolean else solver.number(number)
                    is_so = solver.equal(handles[leaf.index], value, leaf.boolean)
                    equal[leaf.index, number] = is_so
                solver.clause(solver.negation(chosen), is_so)
        solver.clause(*begun)
        return begun

    def read(self, demand: Demand) -> bool:
        """Take one more event in; False if no execution has it, and then it is not taken in.

        Raises SolverGaveUp.
        """
        solver, first = self._solver, self.frames
        own = first + self._silent_steps
        last = own + demand.most
        for k in range(first, last):
            self._unrolling.step(k)
        quiet, said = solver.boolean(), solver.boolean()
        edges: list[Handle] = []
        for k in range(first, own):
            allowed = self._of(self._silent)
            edges += self._allow(quiet, k, allowed, idle=True, first=k == first)
        for k in range(own, last):
            allowed = self._demanded(demand, k)
            idle = k >= own + demand.least
            edges += self._allow(said, k, allowed, idle, k <= own + demand.least)
        model = self._system.model
        for claim in demand.before:
            self._claim(said, claim, model.variables[claim.root], own)
        for claim in demand.after:
            self._claim(said, claim, model.variables[claim.root], last)
        if edges and self.cut is None and self._ask([quiet, solver.any(edges)]):
            self.cut = f"a step before line {demand.event.line} leads out of the model's bounds"
        if not self._ask([quiet, said]):
            return False
        solver.add(quiet)
        solver.add(said)
        self._read.append((demand, own, last))
        self.frames = last
        return True

    def _of(self, names: set[str]) -> Mapping[int, Handle]:
        """The rules of these actions, by number, with what they need besides: nothing."""
        true = self._solver.constant(True)
        rules = enumerate(self._system.rules)
        return {number: true for number, rule in rules if rule.action in names}

    def _demanded(self, demand: Demand, k: int) -> Mapping[int, Handle]:
        """The rules that an event's step from frame ``k`` can be, and what they need besides."""
        solver = self._solver
        found: dict[int, Handle] = {}
        for one in demand.actions:
            sorts = {a.name: a.variable.sort for a in one.action.arguments}
            for number, rule in enumerate(self._system.rules):
                if rule.action != one.action.name:
                    continue
                needed: list[Handle] = []
                for name, claims in one.claims.items():
                    if name not in rule.members:
                        if not all(claim.holds(rule.arguments[name]) for claim in claims):
                            break
                        continue
                    for claim in claims:
                        node = holds(claim, sorts[name], rule.members[name], self._system.expander)
                        needed.append(self._unrolling.at(node, k))
                else:
                    both = _all(solver, needed)
                    found[number] = solver.any([found[number], both]) if number in found else both
        return found

    def _allow(
        self, on: Handle, k: int, allowed: Mapping[int, Handle], idle: bool, first: bool
    ) -> list[Handle]:
        """Allow these rules only in the step from frame ``k``, or none where it may be ``idle``.

        After an idle step all up to the next event are. Return where the rules leave the bounds.
        """
        solver, selectors = self._solver, self._unrolling.frame(k).selectors
        off, edges = solver.negation(on), list[Handle]()
        *rules, stays = selectors
        for number, selector in enumerate(rules):
            if number not in allowed:
                solver.clause(off, solver.negation(selector))
                continue
            solver.clause(off, solver.negation(selector), allowed[number])
            overflow = self._system.rules[number].overflow
            if overflow is not self._system.circuit.false:
                edges.append(_all(solver, [allowed[number], self._unrolling.at(overflow, k)]))
        if not idle:
            solver.clause(off, solver.negation(stays))
        elif not first:
            before = self._unrolling.frame(k - 1).selectors[-1]
            solver.clause(off, solver.negation(before), stays)
        return edges

    def _claim(self, on: Handle, claim: Claim, sort: Sort, k: int) -> None:
        node = holds(claim, sort, self._system.state[claim.root], self._system.expander)
        self._solver.clause(self._solver.negation(on), self._unrolling.at(node, k))

    def _ask(self, assumptions: Sequence[Handle]) -> bool:
        answer = self._solver.check(assumptions, self._remaining())
        if answer is Answer.UNKNOWN:
            raise SolverGaveUp
        return answer is Answer.SAT

    def execution(self) -> tuple[int, tuple[EventRead, ...]]:
        """Return an execution of all events read: which of the first states, and what follows.

        Raises SolverGaveUp.
        """
        self._ask([])
        value = self._solver.value
        begun = next(n for n, chosen in enumerate(self._begun) if value(chosen))
        states = self._unrolling.states(self.frames)
        found, k = [], 0
        for demand, own, last in self._read:
            steps = []
            for frame in range(k, last):
                selected = [value(one) for one in self._unrolling.frame(frame).selectors].index(1)
                rule = self._system.rules[selected]
                if rule is not self._system.rules[-1]:
                    steps.append(TakenStep(rule.action, states[frame + 1], frame < own))
            found.append(EventRead(demand, tuple(steps), states[last]))
            k = last
        return begun, tuple(found)


def idling(model: Model, parameters: Mapping[str, int]) -> TransitionSystem:
    """Return the system that a window is over: with one more rule, the last, that changes nothing.

    Raises what TransitionSystem does.
    """
    system = TransitionSystem(model, parameters)
    c = system.circuit
    stays = Rule("", {}, 0, c.true, c.false, c.false, {}, {})
    system.rules = (*system.rules, stays)
    return system


def _all(solver: SatSolver, parts: Sequence[Handle]) -> Handle:
    return solver.negation(solver.any([solver.negation(part) for part in parts]))
