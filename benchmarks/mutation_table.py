"""Which property of a protocol notices a fault in it: every mutant, explored at small parameters.

    python benchmarks/mutation_table.py                 all protocols, into docs
    python benchmarks/mutation_table.py kafka-kip320 …  these ones; what is kept of others stays
    python benchmarks/mutation_table.py --again         only mutants that came to new states
    python benchmarks/mutation_table.py --write         the page alone, from what is kept

All reachable states of each mutant are enumerated, so a trace is a shortest one, and what is said
of a mutant that nothing notices is a fact at these parameters: that it is executed only as the
protocol is, that it reaches the protocol's states only, or that it comes to new ones, which have
a reason in ``mutation_reasons.py``. What is found is kept in docs/mutants.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from time import monotonic
from typing import Any

from mutation_claims import CLAIMS
from mutation_page import Kept, Standing, tables

from bmc.analysis.mutant_steps import Did, Mutants, New, ReachedGraph
from bmc.analysis.mutants import Fault, faults
from bmc.cli.shared import catalogue
from bmc.engines.explicit import explore
from bmc.engines.task import Task
from bmc.lang.errors import LanguageError
from bmc.lang.properties import Kind, Property

DOCS = Path(__file__).resolve().parents[1] / "docs"
KEPT = DOCS / "mutants.json"
PAGE = DOCS / "protocols.md"
BEGIN, END = "<!-- begin mutants -->\n", "<!-- end mutants -->\n"
_MOST_STATES = 400_000


def _kafka(*values: int) -> dict[str, int]:
    names = ("replicas", "log_size", "max_records", "max_leader_epoch")
    return dict(zip(names, values, strict=True))


def _log(**events: int) -> dict[str, int]:
    return {"log_nodes": 2, "num_replicas": 1} | events


_KAFKA = (_kafka(2, 2, 2, 1), _kafka(2, 2, 2, 2))
_DEPLOYED = (_kafka(2, 1, 1, 1), _kafka(2, 2, 2, 1))
_LOG = (
    _log(),
    _log(coordinator_timeouts=1),
    _log(old_producer_timeouts=0, node_failures=1),
    _log(old_producer_timeouts=0, new_producer_timeouts=1),
    _log(num_replicas=2, old_producer_timeouts=0),
    _log(drops=1, coordinator_timeouts=1),
)
_ELASTIC = ({}, {"nodes": 3, "max_client_value": 1, "max_messages": 3})
CHOICES: Mapping[str, Sequence[Mapping[str, int]]] = {
    "kafka-kip320": (*_KAFKA, _kafka(3, 2, 1, 2)),
    "kafka-kip320-deployed": _DEPLOYED,
    "kafka-kip320-deployed-unclean": _DEPLOYED,
    "kafka-kip320-first-try": _KAFKA,
    "kafka-kip279": _KAFKA,
    "kafka-kip101": _KAFKA,
    "kafka-truncate-to-hw": _KAFKA,
    "kafka-async-isr": (
        {"replicas": 2, "max_offset": 1, "max_version": 2},
        {"replicas": 2, "max_offset": 2, "max_version": 3},
        {"replicas": 3, "max_offset": 1, "max_version": 2},
    ),
    "kafka-transactions": ({"max_coordinator_changes": 0}, {}),
    "elasticsearch": _ELASTIC,
    "id-sequence": ({"max_id": 4},),
    "replicated-log": ({"replicas": 2, "log_size": 2, "log_records": 2},),
    "replicated-log-retention": ({"replicas": 2, "log_size": 2, "log_records": 2},),
    "verified-log": _LOG,
    "verified-log-repaired": _LOG,
    "verified-log-waiting": _LOG,
    "verified-log-repaired-waiting": _LOG,
}
"""Parameters for each protocol: small ones, then those that add what does not happen there."""
ONCE = frozenset(("kafka-transactions", *(name for name in CHOICES if name[:8] == "verified")))
"""Of these protocols a mutant is explored at the first parameters only at which the action that it
is a fault in happens: they have many actions, and some happen after events of one kind alone."""
BESIDE: Mapping[str, Sequence[str]] = {
    "kafka-kip320-deployed-unclean": ("kafka-kip320-deployed",),
    "verified-log-repaired": ("verified-log",),
    "verified-log-waiting": ("verified-log",),
    "verified-log-repaired-waiting": (
        "verified-log",
        "verified-log-repaired",
        "verified-log-waiting",
    ),
}
"""Of these protocols only those faults are planted that the others do not have."""


class Judge:
    """Judges the mutants of one protocol."""

    def __init__(self, name: str) -> None:
        self.name = name
        suite = catalogue.find(name)
        self.suite = replace(suite, properties=(*suite.properties, *CLAIMS.get(name, ())))
        self.model = self.suite.model(ghosts=False)
        self._own = {one.name for one in CLAIMS.get(name, ())}
        self._graphs: dict[int, ReachedGraph] = {}
        self._mutants: dict[tuple[int, str], Mutants] = {}
        self._planted: dict[str, list[Fault]] = {}
        for fault in faults(self.model):
            self._planted.setdefault(fault.action, []).append(fault)

    def faults(self) -> list[Fault]:
        """Return the faults that are planted."""
        elsewhere = {
            _text(fault)
            for other in BESIDE.get(self.name, ())
            for fault in faults(catalogue.find(other).model(ghosts=False))
        }
        return [one for own in self._planted.values() for one in own if _text(one) not in elsewhere]

    def graph(self, number: int) -> ReachedGraph:
        """Return what the protocol itself does at its parameters of that number."""
        if number not in self._graphs:
            values = Task(self.suite, CHOICES[self.name][number], ()).parameters
            self._graphs[number] = ReachedGraph(self.model, values, _MOST_STATES)
        return self._graphs[number]

    def _stated(self, values: Mapping[str, int]) -> list[Property]:
        """Return the claims and lemmas that need no history, and hold of the protocol."""
        found = []
        for declared in self.suite.declared(Kind.INVARIANT, Kind.STEP_INVARIANT, Kind.LEMMA):
            with suppress(LanguageError):
                found.append(self.suite.describe(declared, self.model))
        whole = explore(Task(self.suite, values, tuple(one.name for one in found)))
        return [one for one in found if one.name in whole.holds]

    def _did(self, number: int, fault: Fault) -> Did:
        key = number, fault.action
        if key not in self._mutants:
            stated = self._stated(self.graph(number).parameters)
            planted = self._planted[fault.action]
            self._mutants[key] = Mutants(self.graph(number), fault.action, planted, stated)
        return self._mutants[key].did(self._planted[fault.action].index(fault))

    def judged(self, fault: Fault) -> tuple[Standing, str, int]:
        """Return how a mutant stands, by what, and of how many states the trace is."""
        lemmas = {one.name for one in self.suite.declared(Kind.LEMMA)}
        by_lemma: tuple[Standing, str, int] | None = None
        missing: set[str] | None = None
        worst = Standing.WITHIN
        for number in self._where(fault):
            did, whole = self._did(number, fault), self.graph(number)
            ordered = sorted(did.noticed, key=lambda name: (did.noticed[name], name))
            if by := [name for name in ordered if name not in lemmas]:
                stated = [name for name in by if name not in self._own]
                standing = Standing.NOTICED if stated else Standing.ADDED
                return standing, (stated or by)[0], did.noticed[(stated or by)[0]]
            if ordered and by_lemma is None:
                by_lemma = Standing.LEMMA, ordered[0], did.noticed[ordered[0]]
            if not did.complete:
                return Standing.OPEN, "", 0
            gone = set(whole.happened - did.happened)
            missing = gone if missing is None else missing & gone
            worst = max(worst, Standing[_OF[did.new]], key=_ORDER.index)
        if by_lemma is not None:
            return by_lemma
        if missing:
            return Standing.LESS, ", ".join(sorted(missing)), 0
        return worst, "", 0

    def _where(self, fault: Fault) -> list[int]:
        """The numbers of the parameters at which a mutant is explored."""
        every = list(range(len(CHOICES[self.name])))
        if self.name not in ONCE:
            return every
        return [next((n for n in every if fault.action in self.graph(n).happened), 0)]


_ORDER = (Standing.WITHIN, Standing.STEPS, Standing.STATES)
_OF = {New.NOTHING: "WITHIN", New.STEPS: "STEPS", New.STATES: "STATES"}


def _text(fault: Fault) -> tuple[str, str, str]:
    return fault.action, fault.name.rpartition(".")[2], fault.about


def kept_of(name: str) -> Kept:
    """Judge all mutants of a protocol."""
    judge, began = Judge(name), monotonic()
    found: dict[str, dict[str, list[Any]]] = {}
    planted = judge.faults()
    for number, fault in enumerate(planted, 1):
        standing, by, states = judge.judged(fault)
        found.setdefault(standing.value, {}).setdefault(by, []).append([fault.name, states])
        said = f"{name} {number}/{len(planted)} {monotonic() - began:.0f} s"
        print(f"{said} {fault.name}: {standing.value} {by}", file=sys.stderr, flush=True)
    return {
        "at": [dict(values) for values in CHOICES[name]],
        "states": [len(judge.graph(n).states) for n in range(len(CHOICES[name]))],
        "once": name in ONCE,
        "beside": list(BESIDE.get(name, ())),
        "mutants": found,
    }


def judged_again(name: str, kept: Kept) -> Kept:
    """Judge those mutants again that came to new states unnoticed: there may be new claims."""
    judge = Judge(name)
    mutants = {by: dict(found) for by, found in kept["mutants"].items()}
    names = {one[0] for one in mutants.pop(Standing.STATES.value, {}).get("", [])}
    for fault in judge.faults():
        if fault.name in names:
            standing, by, states = judge.judged(fault)
            mutants.setdefault(standing.value, {}).setdefault(by, []).append([fault.name, states])
    return {**kept, "mutants": mutants}


def _kept() -> dict[str, Kept]:
    return json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}


def decide(names: Iterable[str], again: bool) -> None:
    """Judge the mutants of protocols, each in a process of its own, and keep what was found."""
    for name in names:
        with get_context("fork").Pool(1) as pool:
            if again:
                found = pool.apply(judged_again, (name, _kept()[name]))
            else:
                found = pool.apply(kept_of, (name,))
        # Read again: another run may have kept another protocol meanwhile.
        kept = _kept() | {name: found}
        ordered = {one: kept[one] for one in CHOICES if one in kept}
        KEPT.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Explore, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("protocol", nargs="*", choices=[*CHOICES, []])
    parser.add_argument("--write", action="store_true", help="write the page from what is kept")
    parser.add_argument("--again", action="store_true", help="only what came to new states")
    asked = parser.parse_args()
    if not asked.write:
        decide(asked.protocol or CHOICES, asked.again)
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    text = f"{before}{BEGIN}\n{tables(_kept())}\n{END}{rest.split(END)[1]}"
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
