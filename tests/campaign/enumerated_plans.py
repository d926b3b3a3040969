"""Random protocols of a few dozen states, as plain data: their actions, constraint and claims."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

Part = tuple[Any, ...]
"""A formula or a number: its word, and the parts that it is made of."""
State = tuple[int, int, bool, tuple[int, int]]

TOPS = {"x": 2, "y": 3, "m": 1}


@dataclass(frozen=True)
class Act:
    """An action of one node: its guards in order, and what becomes of some variables."""

    guards: tuple[Part, ...]
    changes: tuple[tuple[str, Part], ...]


@dataclass(frozen=True)
class Plan:
    """A protocol over x, y, b and a map m of the two nodes; claims are of one node each.

    Of its initial states the nodes have changed places in the second one, if there are two.
    """

    first: frozenset[State]
    acts: tuple[Act, ...]
    constraint: Part | None
    claims: tuple[Part, ...]


def plan_of(random: Random) -> Plan:
    """Draw a protocol; most of its steps stay within the bounds."""
    scalars = (random.randrange(3), random.randrange(4), random.random() < 0.5)
    m = (random.randrange(2), random.randrange(2))
    first = frozenset((*scalars, each) for each in (m, m[::-1]))
    acts = tuple(_act(random) for _ in range(random.randint(1, 4)))
    constraint = _formula(random, 1, "xyb", quotients=False) if random.random() < 0.3 else None
    return Plan(first, acts, constraint, tuple(_formula(random, 2) for _ in range(12)))


def _act(random: Random) -> Act:
    guards = [_formula(random, 1) for _ in range(random.randint(0, 2))]
    changes: list[tuple[str, Part]] = []
    for name in random.sample("xybm", random.randint(1, 2)):
        match random.choice(("up", "set", "other")):
            case _ if name == "b":
                changes.append((name, _formula(random, 1)))
            case "up":
                guards.append(("<", (name,), ("is", TOPS[name])))
                changes.append((name, ("+", (name,), ("is", 1))))
            case "set":
                changes.append((name, ("is", random.randint(0, TOPS[name]))))
            case _:
                other = _number(random)
                if random.random() < 0.8:
                    guards.append(("<", other, ("is", TOPS[name] + 1)))
                changes.append((name, other))
    return Act(tuple(guards), tuple(changes))


def _formula(random: Random, depth: int, names: str = "xybm", quotients: bool = True) -> Part:
    if depth and random.random() < 0.7:
        parts = [_formula(random, depth - 1, names, quotients) for _ in range(2)]
        word = random.choice(("and", "or", "or", "not", "all", "any"))
        if word in ("all", "any") and "m" not in names:
            word = "or"
        return (word, *parts) if word in ("and", "or") else (word, parts[0])
    if random.random() < 0.2:
        return ("b",)
    word = random.choice("<=")
    return (word, _number(random, names, quotients), ("is", random.randrange(4)))


def _number(random: Random, names: str = "xybm", quotients: bool = True) -> Part:
    numbers: list[Part] = [(name,) for name in names if name != "b"]
    one, other = random.choice(numbers), random.choice(numbers)
    word = random.choice(("", "", "", "+", "//" if quotients else ""))
    return (word, one, other) if word else one
