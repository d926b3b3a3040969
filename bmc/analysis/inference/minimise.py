"""Which of the lemmas are needed: a part with which all targets are preserved, and none smaller."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bmc.analysis.inference.nodes import Objective
from bmc.analysis.inference.search import LemmaSearch
from bmc.analysis.mining.houdini import Survivors, houdini
from bmc.engines.conjuncts import Conjunct
from bmc.engines.task import Observer, OutOfTime


class Needed(NamedTuple):
    """Lemmas that suffice; ``minimal`` says that no part of them was found to."""

    lemmas: list[Objective]
    minimal: bool


def needed(search: LemmaSearch, targets: Sequence[str], observer: Observer) -> Needed:
    """Return the lemmas that the targets need, the hardest to read left out first.

    Raises nothing when the search's deadline passes: what it has by then suffices as well.
    """
    nodes = {name: node for name, node in search.nodes.items() if node.candidate is not None}
    goals = [search.nodes[name].one for name in targets]
    leaning = {name: frozenset(node.needs) for name, node in search.nodes.items()}
    kept = _closure(leaning, targets, nodes)
    observer.phase(f"{len(kept)} lemmas suffice; which of them follow from others?")
    try:
        rest = _independent(search, nodes, kept)
        found = _inductive(search, [*goals, *(nodes[name].one for name in rest)], observer)
        if set(targets) <= {one.name for one in found.survivors}:
            kept = _closure(found.needs, targets, nodes)
    except OutOfTime:
        return Needed([nodes[name] for name in kept], False)
    minimal = True
    for name in sorted(kept, key=lambda one: _cost(nodes[one]), reverse=True):
        if name not in kept:
            continue
        observer.phase(f"{len(kept)} lemmas suffice; is each of them needed?")
        others = [nodes[other].one for other in kept if other != name]
        try:
            found = _inductive(search, [*goals, *others], observer)
        except OutOfTime:
            minimal = False
            break
        survivors = {one.name for one in found.survivors}
        if set(targets) <= survivors:
            kept = _closure(found.needs, targets, nodes)
    return Needed([nodes[name] for name in kept], minimal)


def _independent(
    search: LemmaSearch, nodes: dict[str, Objective], kept: Sequence[str]
) -> list[str]:
    """Return lemmas from which the others follow, those left out that are hardest to read."""
    left = dict.fromkeys(kept)
    for name in sorted(left, key=lambda one: _cost(nodes[one]), reverse=True):
        rest = [other for other in left if other != name]
        goals = nodes[name].one.goals
        if all(search.consecution.implied(goal, rest) is not None for goal in goals):
            del left[name]
    return list(left)


def _inductive(search: LemmaSearch, tried: Sequence[Conjunct], observer: Observer) -> Survivors:
    return houdini(search.consecution, tried, (), observer, search.asker)


def _closure(
    needs: dict[str, frozenset[str]], targets: Iterable[str], lemmas: dict[str, Objective]
) -> list[str]:
    """Return the lemmas that targets lean on, and those that these lean on in turn.

    They are in the order of the lemmas: in that of a set of names each process would leave out
    other ones.
    """
    met: set[str] = set()
    stack = list(targets)
    while stack:
        name = stack.pop()
        if name not in met:
            met.add(name)
            stack.extend(needs.get(name, ()))
    return [name for name in lemmas if name in met]


def _cost(node: Objective) -> tuple[object, ...]:
    return node.candidate.cost if node.candidate is not None else ()
