"""The graph of all states of a small model: as text for Graphviz, or as a page to walk through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from bmc.engines.liveness.graph import Graph
from bmc.evidence.replay import failing_instance
from bmc.lang.properties import Kind, Property
from bmc.lang.suite import Suite
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter
from bmc.reports.notation import call_text, value_lines
from bmc.reports.traces.html import title_of
from bmc.reports.vocabulary import Vocabulary

MOST_STATES = 2000
"""The most states that are drawn: a page of more is slow, and nobody reads it."""

_TEMPLATES = Path(__file__).with_name("templates")
_WIDTH = 60
_ACROSS, _DOWN, _MARGIN = 60, 80, 30
"""Pixels between states of a level, between levels, and at the border."""


@dataclass(frozen=True)
class DrawnState:
    """A state: its variables as text, its distance from the start, and which claims it violates."""

    lines: tuple[tuple[str, str], ...]
    level: int
    violated: tuple[str, ...]
    x: int
    y: int


@dataclass(frozen=True)
class StateGraph:
    """States by number, and the names of the steps between two of them.

    Steps that change nothing are left out.
    """

    protocol: str
    parameters: Mapping[str, int]
    states: tuple[DrawnState, ...]
    steps: Mapping[tuple[int, int], tuple[str, ...]]


def state_graph(
    suite: Suite, words: Vocabulary, graph: Graph, claims: Sequence[Property]
) -> StateGraph:
    """Return what is drawn of a graph; states that violate one of the invariants say which."""
    steps: dict[tuple[int, int], list[str]] = {}
    for source, target, number in zip(graph.sources, graph.targets, graph.rules, strict=True):
        rule = graph.system.rules[number]
        sorts = words.action_arguments(rule.action)
        text = call_text(words, rule.action, sorts, rule.arguments)
        found = steps.setdefault((int(source), int(target)), [])
        if text not in found:
            found.append(text)
    levels = _levels(len(graph), graph.initial, list(steps))
    places = _places(levels, list(steps))
    interpreter = Interpreter(graph.system.model, Domains(words.parameters))
    invariants = [claim for claim in claims if claim.kind is Kind.INVARIANT]
    states = []
    for number, state in enumerate(graph.states(range(len(graph)))):
        lines = [
            (f"{name}{part}", text)
            for name, sort in words.variables.items()
            if name in state
            for part, text in value_lines(words, sort, state[name], _WIDTH)
        ]
        violated = (
            claim.name
            for claim in invariants
            if failing_instance(interpreter, state, None, claim) is not None
        )
        x, y = places[number]
        states.append(DrawnState(tuple(lines), levels[number], tuple(violated), x, y))
    named = {pair: tuple(texts) for pair, texts in steps.items()}
    return StateGraph(title_of(suite.name), words.parameters, tuple(states), named)


def graph_dot(graph: StateGraph) -> str:
    """Return it in Graphviz' language: initial states bold, violating ones red, ends dashed."""
    stuck = _stuck(graph)
    lines = ["digraph states {", '  node [shape=box, fontname="monospace", fontsize=10];']
    for number, state in enumerate(graph.states):
        text = "".join(f"{_quoted(f'{name} = {value}')}\\l" for name, value in state.lines)
        style = [] if state.level else ["bold"]
        if number in stuck:
            style.append("dashed")
        colour = ""
        if state.violated:
            style.append("filled")
            colour = (
                f', fillcolor="#fbdedb", color="#b3261e", tooltip="{", ".join(state.violated)}"'
            )
        styled = f', style="{",".join(style)}"' if style else ""
        lines.append(f'  s{number} [label="{text}"{styled}{colour}];')
    for (source, target), texts in graph.steps.items():
        label = "\\n".join(map(_quoted, texts))
        lines.append(f'  s{source} -> s{target} [label="{label}"];')
    return "\n".join([*lines, "}"]) + "\n"


def graph_html(graph: StateGraph) -> str:
    """Return a page that needs nothing else: the graph by levels, and the chosen state's steps."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    page: str = environment.get_template("graph.html.j2").render(
        graph=graph,
        width=max(state.x for state in graph.states) + _MARGIN,
        height=max(state.y for state in graph.states) + _MARGIN,
        violating=sum(bool(state.violated) for state in graph.states),
        stuck=_stuck(graph),
        shown=[{"lines": state.lines, "violated": state.violated} for state in graph.states],
        edges=[
            {
                "source": source,
                "target": target,
                "texts": texts,
                "path": _path(graph, source, target),
            }
            for (source, target), texts in graph.steps.items()
        ],
    )
    return page


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _stuck(graph: StateGraph) -> frozenset[int]:
    """The states that no step leaves."""
    return frozenset(range(len(graph.states))) - {source for source, _ in graph.steps}


def _levels(count: int, initial: int, steps: Sequence[tuple[int, int]]) -> list[int]:
    """How many steps each state is away from an initial one."""
    following: dict[int, list[int]] = {}
    for source, target in steps:
        following.setdefault(source, []).append(target)
    levels = [0] * initial + [-1] * (count - initial)
    front = list(range(initial))
    while front:
        reached = []
        for state in front:
            for target in following.get(state, ()):
                if levels[target] < 0:
                    levels[target] = levels[state] + 1
                    reached.append(target)
        front = reached
    return levels


def _places(levels: Sequence[int], steps: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Coordinates: a row for each level, each state below the middle of what leads to it."""
    sources: dict[int, list[int]] = {}
    for source, target in steps:
        if levels[source] < levels[target]:
            sources.setdefault(target, []).append(source)
    widest = max(levels.count(level) for level in set(levels))
    across = [0.0] * len(levels)
    for level in range(max(levels) + 1):
        row = [state for state, its in enumerate(levels) if its == level]
        row.sort(key=lambda state: _mean([across[one] for one in sources.get(state, ())]))
        for place, state in enumerate(row):
            across[state] = (place + 0.5) * widest / len(row) * _ACROSS
    return [
        (_MARGIN + round(x), _MARGIN + level * _DOWN)
        for x, level in zip(across, levels, strict=True)
    ]


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def _path(graph: StateGraph, source: int, target: int) -> str:
    """An arrow's path: straight to the next level, else bent, so that there and back differ."""
    one, other = graph.states[source], graph.states[target]
    start, end = f"{one.x} {one.y}", f"{other.x} {other.y}"
    if other.level == one.level + 1:
        return f"M {start} L {end}"
    bend = _DOWN // 2
    middle = f"{(one.x + other.x) // 2 + bend} {(one.y + other.y) // 2 - bend}"
    return f"M {start} Q {middle} {end}"
