"""Random protocols of symmetric processes as plain data, and what is true of them by brute force.

Nothing of bmc is used here. The graph of all states is searched for a fair cycle by recursion over
strongly connected components. Who reads a plan as a protocol of bmc's is
:mod:`tests.campaign.symmetric`, and as a text of TLA+ :mod:`tests.campaign.symmetric_texts`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Any

import networkx

TOP, LAST = 2, 2
"""The greatest level of a process, and the greatest number."""

Atom = tuple[Any, ...]


@dataclass(frozen=True)
class State:
    """What the protocol's variables are, in Python: levels and members by their number."""

    st: tuple[int, ...]
    h: int
    w: frozenset[int]
    n: int
    f: bool


def true(atom: Atom, s: State, given: dict[str, int]) -> bool:
    """Decide a formula in a state."""
    kind, *parts = atom
    match kind:
        case "true":
            return True
        case "not":
            return not true(parts[0], s, given)
        case "and":
            return true(parts[0], s, given) and true(parts[1], s, given)
        case "or":
            return true(parts[0], s, given) or true(parts[1], s, given)
        case "level":
            return bool(s.st[given[parts[0]]] == parts[1])
        case "below":
            return bool(s.st[given[parts[0]]] < parts[1])
        case "holds":
            return s.h == given[parts[0]]
        case "in":
            return given[parts[0]] in s.w
        case "number":
            return bool(s.n == parts[0])
        case "flag":
            return s.f
        case "same":
            return given[parts[0]] == given[parts[1]]
        case "all":
            return all(level >= parts[0] for level in s.st)
        case "any":
            return any(level == parts[0] and r not in s.w for r, level in enumerate(s.st))
        case _:
            raise AssertionError(kind)


@dataclass(frozen=True)
class Act:
    """An action: who takes part, when, and what becomes of whom."""

    name: str
    names: tuple[str, ...]
    guards: tuple[Atom, ...]
    changes: tuple[tuple[str, Any], ...]
    fair: tuple[bool, bool] | None
    """Strong or weak, and for each ``p`` or not."""


@dataclass(frozen=True)
class Plan:
    """A protocol, its claim and the ranks that are tried."""

    acts: tuple[Act, ...]
    several: bool
    """Whether anybody may be the holder at the start; else everybody is, level by level."""
    form: str
    names: tuple[str, ...]
    premise: Atom
    goal: Atom
    ranks: tuple[Any, ...]


def atom_of(random: Random, names: tuple[str, ...], depth: int = 1) -> Atom:
    """Draw a formula."""
    if depth and random.random() < 0.3:
        kind = random.choice(["not", "and", "or"])
        parts = [atom_of(random, names, depth - 1) for _ in range(1 if kind == "not" else 2)]
        return (kind, *parts)
    kinds: list[Atom] = [("number", random.randint(0, LAST)), ("flag",)]
    kinds += [("all", random.randint(1, TOP)), ("any", random.randint(0, TOP))]
    for name in names:
        kinds += [("level", name, random.randint(0, TOP))] * 3
        kinds += [("below", name, random.randint(1, TOP)), ("holds", name), ("in", name)]
    if len(names) > 1:
        kinds.append(("same", *names[:2]))
    return random.choice(kinds)


def plan_of(number: int) -> Plan:
    """The protocol of a number."""
    random = Random(number)
    acts = []
    for index in range(random.randint(2, 4)):
        names = random.choice([(), ("p",), ("p",), ("p",), ("p", "q")])
        guards = [atom_of(random, names) for _ in range(random.randint(0, 2))]
        known = ["n", "f"] + (["st", "st", "st", "h", "w"] if names else [])
        changes: dict[str, Any] = {}
        for what in random.sample(known, random.randint(1, 2)):
            changes[what] = {
                "n": random.choice(["up", 0]),
                "f": random.choice(["flip", True, False]),
                "st": random.choice(["up", "up", "up", 0, 1, TOP]),
                "h": random.choice(names or ("p",)),
                "w": random.choice(["insert", "remove"]),
            }[what]
        if changes.get("st") == "up":
            guards.append(("below", "p", TOP))
        if changes.get("n") == "up":
            guards.append(("not", ("number", LAST)))
        fair = None
        if random.random() < 0.8:
            fair = (random.random() < 0.3, bool(names) and random.random() < 0.7)
        acts.append(Act(f"A{index}", names, tuple(guards), tuple(changes.items()), fair))
    names = random.choice([("x",), ("x",), ()])
    form = random.choice(["~>", "~>", "<>", "[]<>", "<>[]"])
    premise, goal = atom_of(random, names), atom_of(random, names)
    whole = Plan(tuple(acts), random.random() < 0.4, form, names, premise, goal, ())
    ranks = tuple(_rank(random, whole, True) for _ in range(4)) if _fair(whole) else ()
    return replace(whole, ranks=ranks)


def _fair(plan: Plan) -> list[Act]:
    return [one for one in plan.acts if one.fair is not None]


def _rank(random: Random, plan: Plan, waits: bool) -> Any:
    def part() -> Any:
        kinds: list[Any] = [("ite", atom_of(random, plan.names)), ("n",), ("-n",)]
        kinds += [("count", random.randint(0, TOP)), ("outside",)]
        kinds += [("left", name) for name in plan.names for _ in range(3)]
        return random.choice(kinds)

    by = []
    for act in random.sample(_fair(plan), random.randint(1, min(2, len(_fair(plan))))):
        assert act.fair is not None
        strong, per = act.fair
        when = atom_of(random, plan.names) if random.random() < 0.4 else ("true",)
        waiting = _rank(random, plan, False) if strong and waits and random.random() < 0.6 else None
        whom = random.choice([*plan.names, *plan.names, "h"]) if per else None
        by.append((act.name, when, whom, waiting))
    meanwhile = atom_of(random, plan.names) if waits and random.random() < 0.2 else ("true",)
    return tuple(part() for _ in range(random.randint(1, 2))), tuple(by), meanwhile


def steps(plan: Plan, nodes: int, s: State) -> Iterator[tuple[Act, dict[str, int], State]]:
    """Yield each step out of a state."""
    for act in plan.acts:
        for values in product(range(nodes), repeat=len(act.names)):
            given = dict(zip(act.names, values, strict=True))
            if all(true(guard, s, given) for guard in act.guards):
                yield act, given, _after(act, s, given)


def _after(act: Act, s: State, given: dict[str, int]) -> State:
    made = s
    for what, how in act.changes:
        if what == "n":
            made = replace(made, n=s.n + 1 if how == "up" else how)
        elif what == "f":
            made = replace(made, f=not s.f if how == "flip" else how)
        elif what == "st":
            levels = list(s.st)
            levels[given["p"]] = s.st[given["p"]] + 1 if how == "up" else how
            made = replace(made, st=tuple(levels))
        elif what == "h":
            made = replace(made, h=given[how])
        else:
            here = frozenset([given["p"]])
            made = replace(made, w=s.w | here if how == "insert" else s.w - here)
    return made


def claim_holds(plan: Plan, nodes: int) -> bool:
    """Decide the claim of every process by the graph of all states."""
    levels = [tuple(int(plan.several and r == p) for r in range(nodes)) for p in range(nodes)]
    initial = [State(levels[p], p, frozenset(), 0, False) for p in range(nodes)]
    graph: Any = networkx.MultiDiGraph()
    waiting = list(initial)
    graph.add_nodes_from(initial)
    seen = set(initial)
    while waiting:
        state = waiting.pop()
        for act, given, after in steps(plan, nodes, state):
            if after != state:
                graph.add_edge(state, after, by=(act.name, given.get("p")))
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    conditions = []
    for act in _fair(plan):
        assert act.fair is not None
        strong, per = act.fair
        for whom in range(nodes) if per else (None,):
            conditions.append((strong, act.name, whom))
    everybody = [
        dict(zip(plan.names, v, strict=True)) for v in product(range(nodes), repeat=len(plan.names))
    ]
    return not any(_denied(plan, graph, initial, conditions, given) for given in everybody)


def _denied(plan: Plan, graph: Any, initial: Any, conditions: Any, given: dict[str, int]) -> bool:
    missing = {s for s in graph if not true(plan.goal, s, given)}
    if plan.form == "<>[]":
        return _fair_cycle(graph, graph, conditions, missing)
    within = graph.subgraph(missing)
    if plan.form == "~>":
        starts = {s for s in missing if true(plan.premise, s, given)}
    elif plan.form == "<>":
        starts = {s for s in initial if s in missing}
    else:
        starts = missing
    reached = set(starts)
    for one in starts:
        reached |= networkx.descendants(within, one)
    return _fair_cycle(graph, within.subgraph(reached), conditions, missing)


def _fair_cycle(whole: Any, part: Any, conditions: Any, again: set[State]) -> bool:
    """Whether a fair behaviour can stay in a part of the graph and come to ``again`` for ever."""
    for component in networkx.strongly_connected_components(part):
        if not component & again:
            continue
        inner = part.subgraph(component)
        verdict: bool | None = True
        for strong, name, whom in conditions:

            def asked(
                by: tuple[str, int | None], name: str = name, whom: int | None = whom
            ) -> bool:
                return by[0] == name and (whom is None or by[1] == whom)

            if any(asked(by) for _, _, by in inner.edges(data="by")):
                continue
            can = {s for s in component if any(asked(by) for _, _, by in whole.edges(s, data="by"))}
            if strong and can:
                verdict = _fair_cycle(whole, part.subgraph(component - can), conditions, again)
                break
            if not strong and can == component:
                verdict = False
                break
        if verdict:
            return True
    return False


def _by_anybody(whole: Any, name: str) -> set[tuple[str, int | None]]:
    return {by for _, _, by in whole.edges(data="by") if by[0] == name}
