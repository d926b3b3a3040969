"""Fair cycles: a reachable loop of a graph in its product with an automaton, if there is one.

Whole graphs at a time, as arrays. Strongly connected components are thinned out until each one
that is left meets every condition (Emerson and Lei, 1987, *Modalities for model checking*): a
component in which a weak condition is not met, or an accepting set not visited, goes; of one in
which a strong condition is enabled and never taken, the states that enable it go, and the rest is
looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bmc.engines.liveness.graph import Graph
from bmc.lang.terms import Term
from bmc.running.memory import loading
from bmc.system.automaton import Automaton, recurring_nodes

# Of what scipy takes as it is loaded (107 and 58 MB), so much that its last table has room.
with loading(space_mb=100, data_mb=54):
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]

_STARTS_TRIED = 40
"""The loops that are built to find a short one."""


@dataclass(frozen=True)
class FairnessCondition:
    """A fairness condition on a graph: the steps that take it, the states that enable it."""

    strong: bool
    taken: Mask
    enabled: Mask


@dataclass(frozen=True)
class Cycle:
    """States by number, the first one initial; the last has a step back to place ``loop``.

    States repeat where the behaviour stutters.
    """

    states: list[int]
    loop: int


class Product:
    """The reachable part of a graph times an automaton.

    Besides the graph's steps each state has one that leaves it as it is: behaviours may stutter.
    ``truth`` has the truth of an atom in each state, ``of_steps`` that in each step of the graph.
    """

    def __init__(
        self,
        graph: Graph,
        automaton: Automaton,
        truth: Callable[[Term], Mask],
        of_steps: Callable[[Term], Mask] | None = None,
    ) -> None:
        states, kinds = len(graph), len(automaton.nodes)
        allowed = np.ones((kinds, states), np.bool_)
        for number, node in enumerate(automaton.nodes):
            for atom, wanted in node.demands.items():
                allowed[number] &= truth(atom) == wanted
        stays = np.arange(states, dtype=np.int64)
        sources = np.concatenate([graph.sources, stays])
        targets = np.concatenate([graph.targets, stays])
        steps = np.concatenate([np.arange(len(graph.sources)), np.full(states, -1)])
        found: list[tuple[Numbers, Numbers, Numbers]] = []
        for number, node in enumerate(automaton.nodes):
            from_here = allowed[number][sources]
            for atom, wanted in node.steps.items():
                assert of_steps is not None, "somebody has to say what holds of steps"
                # What stutters takes no step.
                from_here &= np.concatenate([of_steps(atom), np.zeros(states, np.bool_)]) == wanted
            for after in node.following:
                taken = from_here & allowed[after][targets]
                found.append(
                    (sources[taken] * kinds + number, targets[taken] * kinds + after, steps[taken])
                )
        self.kinds = kinds
        self.size = states * kinds
        self.sources, self.targets, self.steps = (
            np.concatenate([part[i] for part in found]) if found else np.empty(0, np.int64)
            for i in range(3)
        )
        self.starts = np.array(
            [
                state * kinds + number
                for number in automaton.initial
                for state in np.flatnonzero(allowed[number][: graph.initial])
            ],
            np.int64,
        )
        self.accepting = [_of_kinds(one, kinds, states) for one in automaton.accepting]
        self.recurring = _of_kinds(recurring_nodes(automaton), kinds, states)
        self.reached, self.before, self.distance = self._search()

    def _search(self) -> tuple[Mask, Numbers, Numbers]:
        """What can be reached, by which node before it, and in how many steps."""
        root = self.size
        links = _links(
            np.concatenate([self.sources, np.full(len(self.starts), root)]),
            np.concatenate([self.targets, self.starts]),
            self.size + 1,
        )
        before, distance = _from(links, root)
        reached = distance[: self.size] >= 0
        return reached, before[: self.size], distance[: self.size] - 1

    def stem(self, node: int) -> list[int]:
        """A shortest path from an initial node to this one."""
        found = [node]
        while int(self.before[found[-1]]) != self.size:
            found.append(int(self.before[found[-1]]))
        return found[::-1]


def has_fair_cycle(product: Product, conditions: Sequence[FairnessCondition]) -> bool:
    """Return whether there is a cycle as :func:`fair_cycle` finds, without building one."""
    return bool(_fair(product, conditions).any())


def fair_cycle(product: Product, conditions: Sequence[FairnessCondition]) -> Cycle | None:
    """Return a reachable cycle that meets all conditions and visits all accepting sets, if any."""
    alive = _fair(product, conditions)
    if not alive.any():
        return None
    live = _internal(product, alive)
    components = _components(product, alive)
    candidates = np.flatnonzero(alive)
    candidates = candidates[np.argsort(product.distance[candidates], kind="stable")]
    loops: dict[int, _Loop] = {}
    best: tuple[list[int], list[int]] | None = None
    for start in candidates[:_STARTS_TRIED]:
        component = int(components[start])
        if component not in loops:
            inside = alive & (components == component)
            own = live & inside[product.sources]
            loops[component] = _Loop(product, conditions, inside, own)
        loop = loops[component].around(int(start))
        stem = product.stem(int(start))
        if best is None or len(stem) + len(loop) < len(best[0]) + len(best[1]):
            best = stem, loop
    assert best is not None
    stem, loop = best
    states = [node // product.kinds for node in (*stem[:-1], *loop)]
    return Cycle(states, len(stem) - 1)


def _fair(product: Product, conditions: Sequence[FairnessCondition]) -> Mask:
    """The nodes of the components in which every condition can be met for ever."""
    # No loop that visits every accepting set leaves these nodes of the automaton.
    alive = product.reached & product.recurring
    while alive.any():
        component = _components(product, alive)
        inside = np.flatnonzero(_internal(product, alive))
        origins = component[product.sources[inside]]
        staying = origins == component[product.targets[inside]]
        inside, origins = inside[staying], origins[staying]
        steps = product.steps[inside]
        count = int(component.max()) + 1
        good = _has(origins, count)
        for accepting in product.accepting:
            good &= _has(component[alive & accepting], count)
        doomed = np.zeros(product.size, np.bool_)
        for condition in conditions:
            enabled = np.repeat(condition.enabled, product.kinds) & alive
            taken = _has(origins[_takes(condition, steps)], count)
            if condition.strong:
                doomed |= enabled & ~taken[component]
            else:
                good &= taken | _has(component[alive & ~enabled], count)
        doomed |= alive & ~good[component]
        if not doomed.any():
            return alive
        alive &= ~doomed
    return alive


def _takes(condition: FairnessCondition, steps: Numbers) -> Mask:
    """Which of the graph's steps take the condition's action; staying (-1) takes none."""
    taken: Mask = np.append(condition.taken, False)[steps]
    return taken


def _of_kinds(chosen: frozenset[int], kinds: int, states: int) -> Mask:
    """By node of a product, whether its node of the automaton is among those chosen."""
    of_kind = np.zeros(kinds, np.bool_)
    of_kind[list(chosen)] = True
    return np.tile(of_kind, states)


def _has(components: NDArray[np.int32], count: int) -> Mask:
    """By component, whether it occurs."""
    found = np.zeros(count, np.bool_)
    found[components] = True
    return found


def _components(product: Product, alive: Mask) -> NDArray[np.int32]:
    """The number of each node's strongly connected component among the nodes alive."""
    kept = alive[product.sources] & alive[product.targets]
    links = _links(product.sources[kept], product.targets[kept], product.size)
    _, labels = connected_components(links, directed=True, connection="strong")
    return np.asarray(labels, np.int32)


def _internal(product: Product, alive: Mask) -> Mask:
    return alive[product.sources] & alive[product.targets]


def _links(sources: Numbers, targets: Numbers, size: int) -> csr_array:
    return csr_array((np.ones(len(sources), np.int8), (sources, targets)), shape=(size, size))


def _from(links: csr_array, start: int) -> tuple[Numbers, Numbers]:
    """By node, the one before it on a shortest path from ``start``, and how far it is (or -1)."""
    order, before = breadth_first_order(links, start)
    place = np.empty(links.shape[0], np.int64)
    place[order] = np.arange(len(order))
    # Nodes come level by level, so the places of those before them never decrease.
    parents = place[before[order[1:]]]
    distance = np.full(links.shape[0], -1, np.int64)
    distance[start] = 0
    first, level = 1, 1
    while first < len(order):
        last = 1 + int(np.searchsorted(parents, first))
        distance[order[first:last]] = level
        first, level = last, level + 1
    return before.astype(np.int64), distance


class _Loop:
    """Builds a loop through one component that meets all that is asked of it."""

    def __init__(
        self, product: Product, conditions: Sequence[FairnessCondition], inside: Mask, steps: Mask
    ) -> None:
        own = steps & inside[product.targets]
        self._sources, self._targets = product.sources[own], product.targets[own]
        nodes = np.flatnonzero(inside)
        self._place = np.full(product.size, -1, np.int64)
        self._place[nodes] = np.arange(len(nodes))
        self._nodes = nodes
        self._keys = self._place[self._sources] * len(nodes) + self._place[self._targets]
        self._links = _links(self._place[self._sources], self._place[self._targets], len(nodes))
        self._visits: list[Mask] = [chosen[nodes] for chosen in product.accepting]
        self._takes: list[tuple[Mask, Mask]] = []
        for condition in conditions:
            enabled = np.repeat(condition.enabled, product.kinds)[nodes]
            taken = _takes(condition, product.steps[own])
            if condition.strong and not enabled.any():
                continue
            idle = np.zeros(len(nodes), np.bool_) if condition.strong else ~enabled
            self._takes.append((idle, taken))

    def around(self, start: int) -> list[int]:
        """Nodes of a loop from ``start``, whose last has a step back to it."""
        first = int(self._place[start])
        path = [first]
        visits, takes = list(self._visits), list(self._takes)
        while True:
            visits = [chosen for chosen in visits if not chosen[path].any()]
            takes = [
                (idle, taken)
                for idle, taken in takes
                if not idle[path].any() and not self._taken(path, taken)
            ]
            if not visits and not takes:
                break
            path += self._nearest(path[-1], visits, takes)
        if len(path) > 1 or not self._stays(first):
            path += self._back(path[-1], first)
        return [int(self._nodes[place]) for place in path]

    def _taken(self, path: Sequence[int], taken: Mask) -> bool:
        places = np.array(path, np.int64)
        steps = places[:-1] * len(self._nodes) + places[1:]
        return bool(np.isin(steps, self._keys[taken]).any())

    def _nearest(
        self, here: int, visits: Sequence[Mask], takes: Sequence[tuple[Mask, Mask]]
    ) -> list[int]:
        """The way from here to what is nearest of all that is still to be met."""
        before, distance = _from(self._links, here)
        best: tuple[int, list[int]] | None = None
        for chosen in (*visits, *(idle for idle, _ in takes)):
            goals = np.flatnonzero(chosen)
            if len(goals):
                goal = int(goals[distance[goals].argmin()])
                if best is None or distance[goal] < best[0]:
                    best = int(distance[goal]), [goal]
        for _, taken in takes:
            sources = self._place[self._sources[taken]]
            if len(sources):
                at = int(distance[sources].argmin())
                length = int(distance[sources[at]]) + 1
                if best is None or length < best[0]:
                    target = int(self._place[self._targets[taken][at]])
                    best = length, [int(sources[at]), target]
        assert best is not None
        way = best[1]
        while way[0] != here:
            way.insert(0, int(before[way[0]]))
        return way[1:]

    def _stays(self, place: int) -> bool:
        return bool(self._links[place, place])

    def _back(self, here: int, first: int) -> list[int]:
        """The nodes between here and the first one, neither included."""
        if here == first:
            following = self._links.indices[self._links.indptr[here] : self._links.indptr[here + 1]]
            here = int(following[0])
            return [here, *self._back(here, first)] if here != first else []
        before, _ = _from(self._links, here)
        way = [first]
        while way[0] != here:
            way.insert(0, int(before[way[0]]))
        return way[1:-1]
