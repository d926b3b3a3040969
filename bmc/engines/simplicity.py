"""What makes a trace simpler than another one of its length.

In this order: fewer members of scalarsets take part (by symmetry the first ones stay), fewer
messages are left in sets of records, and step by step the action has the smaller arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from bmc.lang.sorts import BoundedSetSort, KeyedSetSort, Scalarset
from bmc.layout.domain import Value
from bmc.layout.renaming import members
from bmc.system.transition import Rule, TransitionSystem

_Member = tuple[Scalarset, int]


def rule_order(rules: Sequence[Rule], seed: int) -> list[int]:
    """Return the rules' places by their arguments' values, smallest first.

    ``seed`` shuffles those of equal ones.
    """
    places = list(range(len(rules)))
    if seed:
        Random(seed).shuffle(places)
    sizes = [sum(_size(value) for value in rule.arguments.values()) for rule in rules]
    return sorted(range(len(rules)), key=lambda i: (sizes[i], places[i]))


def rules_by_member(system: TransitionSystem) -> list[frozenset[int]]:
    """Return by member of a scalarset the rules that have it as an argument.

    The members that should rather not take part come first.
    """
    mentioned = [_mentioned(system, rule) for rule in system.rules]
    everyone = frozenset[_Member]().union(*mentioned)
    return [
        frozenset(i for i, names in enumerate(mentioned) if who in names)
        for who in sorted(everyone, key=lambda one: (one[0].name, -one[1]))
    ]


def messages(system: TransitionSystem) -> list[int]:
    """Return the leaves that say of a record that it is in a set, the last one first."""
    kinds = KeyedSetSort | BoundedSetSort
    sets = {n for n, sort in system.model.variables.items() if isinstance(sort, kinds)}
    leaves = [leaf for leaf in system.leaves if leaf.boolean and leaf.variable in sets]
    return [leaf.index for leaf in reversed(leaves)]


def _mentioned(system: TransitionSystem, rule: Rule) -> frozenset[_Member]:
    """Return the members of scalarsets among a rule's arguments."""
    action = next(a for a in system.model.actions if a.name == rule.action)
    sorts = {a.name: a.variable.sort for a in action.arguments}
    named = (members(sorts[name], value) for name, value in rule.arguments.items())
    return frozenset(member for found in named for member in found)


def _size(value: Value) -> int:
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, tuple | frozenset):
        return len(value) + sum(_size(part) for part in value)
    return 0 if value is None else 1
