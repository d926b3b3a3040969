"""Which property of a protocol notices a fault in it: every mutant, explored at small parameters.

    python benchmarks/mutation_table.py                 all protocols, into docs
    python benchmarks/mutation_table.py kafka-kip320 …  these ones; what is kept of others stays
    python benchmarks/mutation_table.py --again         only mutants that nothing noticed
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
from collections.abc import Iterable
from multiprocessing import get_context
from pathlib import Path
from time import monotonic
from typing import Any

from mutation_choices import BESIDE, CHOICES, ONCE
from mutation_judge import Judge
from mutation_page import Kept, Standing, tables

DOCS = Path(__file__).resolve().parents[1] / "docs"
KEPT = DOCS / "mutants.json"
PAGE = DOCS / "protocols.md"
BEGIN, END = "<!-- begin mutants -->\n", "<!-- end mutants -->\n"


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
    return _explored(judge) | {"mutants": found}


def _explored(judge: Judge) -> Kept:
    """What was explored of a protocol."""
    choices = CHOICES[judge.name]
    return {
        "at": [dict(values) for values in choices],
        "states": [len(judge.graph(n).states) for n in range(len(choices))],
        "once": judge.name in ONCE,
        "beside": list(BESIDE.get(judge.name, ())),
    }


def judged_again(name: str, kept: Kept) -> Kept:
    """Judge those mutants again that nothing noticed: there may be new claims."""
    judge = Judge(name)
    mutants = {by: dict(found) for by, found in kept["mutants"].items()}
    open_ = (Standing.STEPS, Standing.STATES, Standing.OPEN)
    unnoticed = [mutants.pop(one.value, {}).get("", []) for one in open_]
    names = {name for found in unnoticed for name, _ in found}
    for fault in judge.faults():
        if fault.name in names:
            standing, by, states = judge.judged(fault)
            mutants.setdefault(standing.value, {}).setdefault(by, []).append([fault.name, states])
    return {**kept, "mutants": mutants} | _explored(judge)


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
    parser.add_argument("--again", action="store_true", help="only what nothing noticed")
    asked = parser.parse_args()
    if not asked.write:
        decide(asked.protocol or CHOICES, asked.again)
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    text = f"{before}{BEGIN}\n{tables(_kept())}\n{END}{rest.split(END)[1]}"
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
