"""The simplest of all shortest traces, chosen on the graph of their states, without a solver.

What is chosen is what :mod:`bmc.engines.minimisation_search` asks a solver for, and no question is
too hard here: the graph has all shortest paths.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Packing
from bmc.engines.packed.shortest_paths import NoGraph, PathSteps, ShortestPaths, shortest_paths
from bmc.engines.simplicity import messages, rule_order, rules_by_member
from bmc.evidence.replay import replay, require_violation
from bmc.evidence.trace import Trace
from bmc.lang.properties import Property
from bmc.readings.value import ConcreteState, Interpreter
from bmc.system.transition import TransitionSystem

__all__ = ["NoGraph", "simplest_of_all"]

Mask = NDArray[np.bool_]


def simplest_of_all(
    system: TransitionSystem, stated: Property, last: int, seed: int, check: Callable[[], None]
) -> Trace:
    """Return the simplest trace of ``last`` steps, at least one, that violates the property.

    No shorter trace does. ``check`` is called now and then, and may raise. Raises NoGraph where
    the shortest paths are too many or none, Contradiction when the trace does not replay.
    """
    packing = Packing(system.leaves)
    paths = shortest_paths(system, packing, stated, last, check)
    interpreter = Interpreter(system.model, system.domains)
    trace = replay(interpreter, _chosen(system, packing, paths, seed))
    require_violation(interpreter, trace, stated)
    return trace


def _chosen(
    system: TransitionSystem, packing: Packing, paths: ShortestPaths, seed: int
) -> list[ConcreteState]:
    steps = paths.steps
    taken = [np.ones(len(step.rules), np.bool_) for step in steps]
    ends = np.ones(len(paths.levels[-1]), np.bool_)
    for rules in rules_by_member(system):
        without = np.array(sorted(rules), np.int64)
        fewer = [
            mask & ~np.isin(step.rules, without) for mask, step in zip(taken, steps, strict=True)
        ]
        if _reached(paths, fewer, ends)[-1].any():
            taken = fewer
    there = messages(system)
    if there:
        formulas = Formulas(packing, [system.leaf_node(leaf) for leaf in there])
        for present in formulas.evaluate(paths.levels[-1]):
            if _reached(paths, taken, ends & ~present)[-1].any():
                ends = ends & ~present
    return _first(system, packing, paths, _to_the_end(paths, taken, ends), seed)


def _reached(paths: ShortestPaths, taken: list[Mask], ends: Mask) -> list[Mask]:
    """By level the states that these steps reach, at the end of those in ``ends`` alone."""
    found = [np.ones(len(paths.levels[0]), np.bool_)]
    for level, step, mask in zip(paths.levels[1:], paths.steps, taken, strict=True):
        after = np.zeros(len(level), np.bool_)
        after[step.after[mask & found[-1][step.before]]] = True
        found.append(after)
    found[-1] &= ends
    return found


def _to_the_end(paths: ShortestPaths, taken: list[Mask], ends: Mask) -> list[Mask]:
    """Of these steps those from which ``ends`` is reached."""
    reached, found = ends, []
    for level, step, mask in reversed(list(zip(paths.levels, paths.steps, taken, strict=False))):
        found.append(mask & reached[step.after])
        reached = np.zeros(len(level), np.bool_)
        reached[step.before[found[-1]]] = True
    return found[::-1]


def _first(
    system: TransitionSystem,
    packing: Packing,
    paths: ShortestPaths,
    taken: list[Mask],
    seed: int,
) -> list[ConcreteState]:
    """The path on which, step by step, the first rule of all is taken."""
    rank = np.empty(len(system.rules), np.int64)
    rank[rule_order(system.rules, seed)] = np.arange(len(rank))
    here = np.ones(len(paths.levels[0]), np.bool_)
    chosen: list[PathSteps] = []
    for level, step, mask in zip(paths.levels[1:], paths.steps, taken, strict=True):
        possible = np.flatnonzero(mask & here[step.before])
        ranks = rank[step.rules[possible]]
        first = possible[ranks == ranks.min()]
        chosen.append(PathSteps(step.before[first], step.rules[first], step.after[first]))
        here = np.zeros(len(level), np.bool_)
        here[step.after[first]] = True
    place = int(np.flatnonzero(here)[0])
    rows = [paths.levels[-1][place]]
    for level, step in reversed(list(zip(paths.levels, chosen, strict=False))):
        place = int(step.before[step.after == place][0])
        rows.append(level[place])
    return [system.decode(packing.numbers(row)) for row in reversed(rows)]
