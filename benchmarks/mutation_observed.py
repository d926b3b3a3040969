"""Whether mutants that nothing notices keep anything that the protocol does not.

    python benchmarks/mutation_observed.py [MUTANT…]          of verified-log; all, if none is named

Takes the mutants that docs/mutants.json says come to new states unnoticed, and explores each at the
first parameters at which its action happens. Its states are compared with the protocol's in all
variables but inboxes and timers: where no other value is found, all logs, segments, monitors and
what everybody remembers are together as in a state that the protocol reaches, so that no claim
about these can notice the mutant there. Where there are others, one more variable is left out.
Prints a line for each: the states of both, and which variables have to be left out for that.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mutation_choices import CHOICES

from bmc.analysis.mutant_steps import ReachedGraph
from bmc.analysis.mutants import faults, mutated
from bmc.cli.shared import catalogue
from bmc.engines.task import Task

NAME = "verified-log"
MOST = 400_000
ON_THE_WAY = (
    *("coordinatorInbox", "producerInbox", "logNodeInbox"),
    *("oldTimer", "newTimer", "coordinatorTimer"),
)


@cache
def own(number: int) -> ReachedGraph:
    """Return what the protocol does at its parameters of that number."""
    return reached(NAME, number)


def reached(name: str, number: int) -> ReachedGraph:
    """Return what a protocol or a mutant does there."""
    suite = catalogue.find(NAME)
    values = Task(suite, CHOICES[NAME][number], ()).parameters
    model = suite if name == NAME else mutated(suite, name)
    return ReachedGraph(model.model(False), values, MOST)


def without(graph: ReachedGraph, left_out: Collection[str]) -> set[bytes]:
    """Return the states of a graph, with some variables left out."""
    kept = np.zeros((1, graph.packing.words), np.uint64)
    for leaf in graph.system.leaves:
        if leaf.variable not in left_out:
            field = graph.packing.fields[leaf.index]
            part = field.unit.of(kept)
            part |= np.array(field.mask, field.unit.dtype)
    return {row.tobytes() for row in graph.rows(graph.states) & kept}


def needed(mutant: ReachedGraph, protocol: ReachedGraph) -> tuple[str, ...] | None:
    """Return what has to be left out for the mutant to keep nothing else; None if that is more."""

    def same(left_out: Collection[str]) -> bool:
        return without(mutant, left_out) <= without(protocol, left_out)

    others = [()] + [(name,) for name in protocol.model.variables if name not in ON_THE_WAY]
    found = next((one for more in others if same(one := (*more, *ON_THE_WAY))), None)
    for name in found or ():
        assert found is not None
        fewer = tuple(one for one in found if one != name)
        found = fewer if same(fewer) else found
    return found


def main() -> None:
    """Print a line for each mutant."""
    kept = json.loads(Path(__file__).parents[1].joinpath("docs/mutants.json").read_text("utf-8"))
    names = sys.argv[1:] or [name for name, _ in kept[NAME]["mutants"]["states"][""]]
    action = {fault.name: fault.action for fault in faults(catalogue.find(NAME).model(False))}
    for name in names:
        number = next(n for n in range(len(CHOICES[NAME])) if action[name] in own(n).happened)
        protocol, mutant = own(number), reached(name, number)
        left_out = needed(mutant, protocol)
        said = (
            "keeps something else"
            if left_out is None
            else "the same but for " + (", ".join(left_out) or "nothing")
        )
        counts = f"{len(protocol.states):,} states, mutant {len(mutant.states):,}"
        print(f"{name} at {dict(CHOICES[NAME][number])}: {said} ({counts})", flush=True)


if __name__ == "__main__":
    main()
