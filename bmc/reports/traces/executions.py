"""A covering set of executions as files: one in ITF for each, and an index of what covers what."""

from __future__ import annotations

import json
from typing import Any

from bmc.analysis.covering.executions import Covered, CoveringExecution, CoveringSet
from bmc.analysis.covering.goals import Cover
from bmc.reports.page import Page
from bmc.reports.traces.itf import itf_json
from bmc.reports.traces.text import count
from bmc.reports.values import arguments_json
from bmc.reports.vocabulary import Vocabulary

INDEX = "index.json"
BEGINS = '{\n "protocol": '
"""How the text of an index begins."""


def execution_files(words: Vocabulary, protocol: str, found: CoveringSet) -> dict[str, str]:
    """Return the text of each execution's file, by the file's name."""
    return {
        name: json.dumps(itf_json(words, protocol, execution.trace, None), indent=1) + "\n"
        for name, execution in _named(found).items()
    }


def covering_json(
    words: Vocabulary, protocol: str, cover: Cover, found: CoveringSet
) -> dict[str, Any]:
    """Return the index: which file covers what in which of its states, and what is not covered."""
    return {
        "protocol": protocol,
        "parameters": dict(words.parameters),
        "cover": cover.value,
        "goals": len(found.goals),
        "executions": [
            {
                "file": name,
                "steps": len(execution.trace) - 1,
                "covers": [
                    {
                        "goal": one.goal.name,
                        "state": one.state,
                        "refused": _refused(words, one),
                    }
                    for one in execution.covers
                ],
            }
            for name, execution in _named(found).items()
        ],
        "unreached": list(found.unreached),
        "complete": found.complete,
        "searched": found.searched,
    }


def write_covering(page: Page, cover: Cover, found: CoveringSet) -> None:
    """Write a line an execution, below it what it is the first to cover; then what none covers."""
    seen = set[str]()
    for name, execution in _named(found).items():
        page.line(f"  {name}  {count(len(execution.trace) - 1, 'step')}")
        for one in execution.covers:
            if one.goal.name not in seen:
                seen.add(one.goal.name)
                page.line(f"    {one.goal.name}")
    page.blank()
    reached = len(found.goals) - len(found.unreached)
    page.line(f"{reached} of {len(found.goals)} {cover.value} covered")
    if found.unreached:
        scope = "by any execution at these parameters" if found.complete else found.searched
        page.line((f"not reached {scope}:", "yellow"))
        for goal in found.unreached:
            page.line(f"    {goal}")


def _named(found: CoveringSet) -> dict[str, CoveringExecution]:
    width = max(2, len(str(len(found.executions))))
    return {
        f"execution-{number:0{width}}.itf.json": execution
        for number, execution in enumerate(found.executions, 1)
    }


def _refused(words: Vocabulary, covered: Covered) -> dict[str, Any] | None:
    """The action with its arguments that a guard refuses in the state, None for other goals."""
    action = covered.goal.action
    if action is None or not covered.goal.refused:
        return None
    sorts = words.action_arguments(action.name)
    return {"action": action.name, "arguments": arguments_json(words, sorts, covered.arguments)}
