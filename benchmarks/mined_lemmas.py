"""How many of the lemmas that people wrote are found, or follow from what is found, without help.

For each case the lemmas are mined from states, knowing nothing but the protocol, its claims and
the variables of its history; then each written lemma is asked whether it follows from those
found. Prints a table, and the same as JSON with `--json`.

    python benchmarks/mined_lemmas.py --timeout 120
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Sequence
from datetime import date
from time import process_time
from typing import Any

from bmc.analysis.mining.consecution import Consecution
from bmc.analysis.mining.mine import MiningOptions, mine
from bmc.cli.shared import catalogue
from bmc.cli.shared.request import Request
from bmc.engines.conjuncts import conjunct
from bmc.engines.task import Deadline, Task
from bmc.lang.protocol import parameter_values
from bmc.system.transition import TransitionSystem

CASES = (
    "kafka:",
    "kafka:replicas=2",
    "kafka-transactions:",
    "elasticsearch:nodes=2,max_client_value=2,max_messages=2",
)


def measure(case: str, seconds: float, arguments: int, states: int) -> dict[str, Any]:
    """One case: what was mined, and which of the written lemmas it implies."""
    name, _, given = case.partition(":")
    suite = catalogue.find(name)
    pairs = (word.split("=") for word in given.split(",") if word)
    parameters = parameter_values(suite.protocol, {n: int(v) for n, v in pairs})
    claims = Request(name, suite, parameters).claims(None, everything=False)
    started = process_time()
    task = Task(suite, parameters, claims)
    options = MiningOptions(states=states, seconds=seconds, arguments=arguments, history=True)
    found = mine(task, options)
    used = process_time() - started
    model = suite.model(True)
    system = TransitionSystem(model, parameters)
    state = Consecution(system, Deadline(None), depth=0)
    mined = [conjunct(system, one.stated(f"mined {n}")) for n, one in enumerate(found.lemmas)]
    for one in mined:
        state.know(one)
    assumed = [one.name for one in mined]
    written = [conjunct(system, suite.describe(d, model)) for d in suite.lemmas]
    implied = [
        one.name
        for one in written
        if all(state.implied(goal, assumed) is not None for goal in one.goals)
    ]
    return {
        "protocol": name,
        "parameters": parameters,
        "states": found.states,
        "complete": found.complete,
        "candidates": found.tried,
        "mined": len(found.lemmas),
        "inductive": list(found.proved),
        "open": list(found.open),
        "written": len(written),
        "implied": implied,
        "by_hand": [one.name for one in written if one.name not in implied],
        "cpu_seconds": round(used, 1),
    }


def main(given: Sequence[str] | None = None) -> None:
    """Measure every case and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", action="append", metavar="PROTOCOL:NAME=VALUE,…")
    parser.add_argument("--timeout", type=float, default=120.0)
    parser.add_argument("--arguments", type=int, default=3)
    parser.add_argument("--states", type=int, default=300_000)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(given)
    rows = [
        measure(case, asked.timeout, asked.arguments, asked.states)
        for case in asked.case or list(CASES)
    ]
    if asked.json:
        print(json.dumps(rows, indent=2))
        return
    print(f"{date.today()}, {platform.processor() or platform.machine()}, one core;")
    print(f"{asked.timeout:g} s a case, at most {asked.arguments} bound variables\n")
    print("| protocol | states | mined | written lemmas implied | claims inductive | CPU s |")
    print("|---|--:|--:|--:|---|--:|")
    for row in rows:
        shown = " ".join(str(value) for value in row["parameters"].values())
        claims = f"{len(row['inductive'])} of {len(row['inductive']) + len(row['open'])}"
        states = f"{row['states']:,}{'' if row['complete'] else ' (not all)'}"
        print(
            f"| {row['protocol']} ({shown}) | {states} | {row['mined']} "
            f"| {len(row['implied'])} of {row['written']} | {claims} | {row['cpu_seconds']} |"
        )
    for row in rows:
        print(f"\n{row['protocol']} {row['parameters']}")
        print(f"  implied: {', '.join(row['implied']) or 'none'}")
        print(f"  by hand: {', '.join(row['by_hand']) or 'none'}")
        print(f"  not inductive yet: {', '.join(row['open']) or 'none'}")


if __name__ == "__main__":
    main()
