"""Reachability: whether one concrete state can be reached, by a short bounded search.

The state names members of scalarsets, so the question is not a symmetric one: a path to an image
of the state is no path to it. That is why :mod:`bmc.system.precedence`, which keeps one path of
each orbit, has no place here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bmc.engines.isolation import Relay
from bmc.engines.task import Deadline, Observer, OutOfTime, Task
from bmc.engines.team import Team
from bmc.evidence.replay import replay
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Contradiction
from bmc.readings.value import ConcreteState, Interpreter
from bmc.solving.factory import create
from bmc.solving.interface import Answer
from bmc.system.transition import TransitionSystem
from bmc.system.unrolling import Unrolling

DEPTH = 30
"""Steps; who goes as deep within seconds has a small system, which is explored anyway."""


@dataclass(frozen=True)
class Reachability:
    """``trace`` is a shortest execution that ends in the state, replayed, or None.

    ``clean`` is the greatest number of steps within which the state is known not to be reached,
    -1 where not even that it is not initial is known.
    """

    trace: Trace | None
    clean: int


def arrival(
    task: Task,
    system: TransitionSystem,
    state: ConcreteState,
    observer: Observer,
    seconds: float,
    depth: int = DEPTH,
) -> Reachability:
    """Search for an execution of at most ``depth`` steps to a state, for at most ``seconds``.

    In a process of its own, since the solver cannot be interrupted. Raises Contradiction where
    what was found does not replay.
    """
    known = Reachability(None, -1)

    def work(limited: Task, relay: Relay) -> tuple[Reachability]:
        return (_search(limited, system, state, relay, depth),)

    limited = replace(task, timeout=max(seconds, 0.1))
    with Team(limited) as team:
        team.start("arrival", work, limited)
        try:
            while (event := team.next()) is not None:
                match event.kind:
                    case "results":
                        (known,) = event.content
                    case "so_far":
                        known = event.content
                    case "failed":
                        raise event.content
                    case "phase":
                        observer.phase(event.content)
        except OutOfTime:
            pass
    return known


def _search(
    task: Task, system: TransitionSystem, state: ConcreteState, relay: Relay, most: int
) -> Reachability:
    deadline = Deadline(task.timeout)
    solver = create(task.solver)
    unrolling = Unrolling(system, solver)
    unrolling.start()
    for depth in range(most + 1):
        relay.phase(f"can its first state be reached? {depth} steps")
        if depth:
            unrolling.step(depth - 1)
        there = unrolling.parts_of(depth, state)
        if deadline.remaining() == 0:
            return Reachability(None, depth - 1)
        answer = solver.check(there, deadline.remaining())
        if answer is Answer.UNKNOWN:
            return Reachability(None, depth - 1)
        if answer is Answer.SAT:
            states = unrolling.states(depth)
            if states[-1] != state:
                raise Contradiction(
                    "a path to the first state of a failed induction ends elsewhere"
                )
            interpreter = Interpreter(system.model, system.domains)
            return Reachability(replay(interpreter, states), depth - 1)
        relay.so_far(Reachability(None, depth))
    return Reachability(None, most)
