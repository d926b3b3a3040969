"""What of a state makes a step go wrong: the parts that alone let it happen and break its goal.

All else in the first state of a failed induction is there because a solver had to choose
something, and tells its reader nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bmc.engines.ic3.after import After
from bmc.engines.task import Deadline
from bmc.evidence.trace import CounterexampleToInduction
from bmc.lang.properties import Kind, Property
from bmc.readings.circuit import Node
from bmc.solving.interface import Answer
from bmc.solving.sat_solver import SatSolver
from bmc.system.atoms import Atoms
from bmc.system.transition import Instance, TransitionSystem
from bmc.system.unrolling import Unrolling


def relevant(
    system: TransitionSystem,
    failure: CounterexampleToInduction,
    stated: Property,
    deadline: Deadline,
) -> tuple[str, ...]:
    """The scalars of the state before a failure's only step that alone make it fail, as texts.

    None of them can be left out. Empty for a failure after several steps. Raises OutOfTime.
    """
    if len(failure.path) != 2:
        return ()
    search = _Search(system, deadline)
    numbers = system.encode(failure.path.steps[0].state)
    for wrong in _wrong(system, failure, stated):
        found = search.needed(wrong, numbers)
        if found is not None:
            texts = Atoms(system).subjects()
            return tuple(texts[index] for index in found)
    return ()


def _wrong(
    system: TransitionSystem, failure: CounterexampleToInduction, stated: Property
) -> Iterable[Node]:
    """For each rule and instance that the failure can mean: that it is taken and breaks it."""
    step = failure.path.steps[1]
    after = After(system)
    chosen = tuple(failure.arguments.values())
    instances: Sequence[Instance] = [
        i for i in system.instances(stated) if not chosen or i.arguments == chosen
    ]
    for number, rule in enumerate(system.rules):
        if rule.action != step.action or dict(rule.arguments) != dict(step.arguments):
            continue
        for one in instances:
            across = stated.kind is Kind.STEP_INVARIANT
            holds = after.across(one.holds, number) if across else after.node(one.holds, number)
            yield system.circuit.and_(after.taken(number), system.circuit.not_(holds))


class _Search:
    def __init__(self, system: TransitionSystem, deadline: Deadline) -> None:
        self._system = system
        self._deadline = deadline

    def needed(self, wrong: Node, numbers: Sequence[int]) -> list[int] | None:
        """The leaves whose values alone make ``wrong`` true; None where even all do not."""
        solver = SatSolver()
        unrolling = Unrolling(self._system, solver)
        solver.add(solver.negation(unrolling.at(wrong, 0)))
        handles = unrolling.frame(0).handles
        leaf_of: dict[int, int] = {}
        for leaf in self._system.leaves:
            number = numbers[leaf.index]
            value = solver.constant(bool(number)) if leaf.boolean else solver.number(number)
            switch = solver.boolean()
            solver.clause(-switch, solver.equal(handles[leaf.index], value, leaf.boolean))
            leaf_of[switch] = leaf.index
        kept = list(leaf_of)
        if solver.check(kept) is Answer.SAT:
            return None
        kept = [switch for switch in kept if switch in set(solver.core())]
        for switch in tuple(kept):
            self._deadline.check()
            if switch not in kept:
                continue
            rest = [other for other in kept if other != switch]
            if solver.check(rest) is not Answer.SAT:
                used = set(solver.core())
                kept = [other for other in rest if other in used]
        return sorted(leaf_of[switch] for switch in kept)
