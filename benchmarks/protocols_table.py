"""The verdicts of all protocols as a Markdown table: `python benchmarks/protocols_table.py`.

Every row is decided by the command line as it is, in a process of its own: first `bmc prove`, then,
for what that leaves unknown, `bmc explore`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Document = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A protocol at parameters, and how long and deep to look."""

    protocol: str
    parameters: dict[str, int]
    k: int = 3
    seconds: int = 120
    states: int = 3_000_000


KAFKA = {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}
TRANSACTIONS = {
    "transaction_ids": 1,
    "clients": 2,
    "brokers": 2,
    "txn_log_partitions": 1,
    "topic_partitions": 1,
    "max_coordinator_changes": 1,
}
ELASTICSEARCH = {"nodes": 2, "document_ids": 1, "max_client_value": 2, "max_messages": 3}
CASES = (
    Case("kafka-kip320", KAFKA),
    Case("kafka-kip320-first-try", KAFKA),
    Case("kafka-kip279", KAFKA),
    Case("kafka-kip101", KAFKA),
    Case("kafka-truncate-to-hw", KAFKA),
    Case("kafka-async-isr", {"replicas": 3, "max_offset": 2, "max_version": 3}),
    Case("kafka-transactions", TRANSACTIONS),
    Case("elasticsearch", ELASTICSEARCH, seconds=300),
    Case("id-sequence", {"max_id": 100}),
    Case("replicated-log", {"replicas": 3, "log_size": 3, "log_records": 2}),
    Case("replicated-log-retention", {"replicas": 2, "log_size": 3, "log_records": 2}),
    Case("replicated-log-retention", {"replicas": 3, "log_size": 1, "log_records": 2}),
)


def bmc(*arguments: str) -> Document:
    """The document of one command."""
    command = [sys.executable, "-m", "bmc", *arguments, "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    document: Document = json.loads(ended.stdout)
    if "error" in document:
        raise SystemExit(f"{' '.join(arguments)}: {document['error']}")
    return document


def rows(case: Case) -> Iterator[tuple[str, str, str]]:
    """Property, verdict and how it was found, for every claim of the protocol."""
    given = [f"--parameter={name}={value}" for name, value in case.parameters.items()]
    limit = ["--timeout", str(case.seconds)]
    proved = bmc("prove", case.protocol, "--all", "--k", str(case.k), *limit, *given)
    results = {r["property"]: r for r in proved["results"]}
    open_ = [name for name, r in results.items() if r["verdict"] == "unknown"]
    explored: Document = {}
    if open_:
        named = [f"--property={name}" for name in open_]
        explored = bmc(
            "explore", case.protocol, "--max-states", str(case.states), *limit, *named, *given
        )
        found = {r["property"]: r for r in explored["results"]}
        results |= {n: r for n, r in found.items() if r["verdict"] != "unknown"}
    for name, result in results.items():
        yield name, result["verdict"], how(result, explored)


def how(result: Document, explored: Document) -> str:
    """A few words on the evidence."""
    match result["verdict"]:
        case "violated":
            return f"shortest trace of {len(result['trace'])} states"
        case "proved" if result["engine"] == "explicit":
            return f"all {explored['distinct_states']:,} reachable states, no induction"
        case "proved":
            lemmas = len(result["lemmas"])
            return f"induction at k = {result['k']}, {lemmas} lemmas, {result['checked_by']}"
    seen = f"{explored['distinct_states']:,} states" if explored else "nothing"
    failed = (result["induction_failure"] or {}).get("conjunct", "none")
    return f"clean to depth {result['depth']} and in {seen} explored; CTI: {failed}"


def table(cases: tuple[Case, ...]) -> str:
    """All rows as Markdown."""
    lines = ["| protocol | parameters | property | verdict | how |", "|---|---|---|---|---|"]
    for case in cases:
        shown = " ".join(f"{name}={value}" for name, value in case.parameters.items())
        for name, verdict, means in rows(case):
            lines.append(f"| {case.protocol} | {shown} | {name} | **{verdict}** | {means} |")
            print(lines[-1], file=sys.stderr)
    return "\n".join(lines)


def main() -> None:
    """Decide and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="protocols; all when left out")
    only = parser.parse_args().only
    print(table(tuple(c for c in CASES if not only or c.protocol in only)))


if __name__ == "__main__":
    main()
