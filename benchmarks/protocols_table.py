"""What is true of each protocol: decides it, keeps the answers, and writes them into the docs.

    python benchmarks/protocols_table.py                decide everything again (hours)
    python benchmarks/protocols_table.py --only NAME…   these protocols; the others stay
    python benchmarks/protocols_table.py --record FILE… keep what `bmc explore --json` wrote
    python benchmarks/protocols_table.py --check        only compare the docs with what is kept

Every case is decided by the command line as it is, in a process of its own: `bmc prove --all`,
then `bmc explore` for what stays unknown and to see that no violation is shorter. What is kept
(docs/protocols.json) and what is written (docs/protocols.md, between its markers) has no times.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

Document = dict[str, Any]

DOCS = Path(__file__).resolve().parents[1] / "docs"
KEPT = DOCS / "protocols.json"
PAGE = DOCS / "protocols.md"
BEGIN, END = "<!-- begin {} -->\n", "<!-- end {} -->\n"


@dataclass(frozen=True)
class Case:
    """A protocol at parameters; seconds for each command, and states for an exploration.

    Without ``prove`` it is only explored. ``history`` names the claims that speak of history, which
    an exploration leaves out.
    """

    protocol: str
    parameters: Mapping[str, int]
    k: int = 12
    seconds: int = 280
    states: int = 3_000_000
    prove: bool = True
    history: tuple[str, ...] = ()


def kafka(*values: int) -> dict[str, int]:
    names = ("replicas", "log_size", "max_records", "max_leader_epoch")
    return dict(zip(names, values, strict=True))


def transactions(*values: int) -> dict[str, int]:
    names = (
        *("transaction_ids", "clients", "brokers", "txn_log_partitions", "topic_partitions"),
        "max_coordinator_changes",
    )
    return dict(zip(names, values, strict=True))


def elasticsearch(*values: int) -> dict[str, int]:
    names = ("nodes", "document_ids", "max_client_value", "max_messages")
    return dict(zip(names, values, strict=True))


EVERY_EVENT = {
    "drops": 2,
    "old_producer_timeouts": 1,
    "new_producer_timeouts": 1,
    "coordinator_timeouts": 1,
    "node_failures": 1,
}
"""The most of each that the verified log is explored with, all at once."""

CASES = (
    *(Case("kafka-kip320", kafka(*c)) for c in ((3, 2, 2, 2), (3, 3, 3, 3), (5, 2, 2, 2))),
    Case("kafka-kip320", kafka(5, 5, 5, 5), k=1, seconds=900),
    Case("kafka-kip320-deployed", kafka(3, 2, 2, 2), k=1),
    Case("kafka-kip320-deployed-unclean", kafka(3, 2, 2, 2), history=("CommitsAreKept",)),
    Case("kafka-kip320-first-try", kafka(3, 2, 2, 2)),
    Case("kafka-kip279", kafka(3, 2, 2, 2)),
    Case("kafka-kip101", kafka(2, 2, 2, 2)),
    Case("kafka-truncate-to-hw", kafka(2, 2, 2, 1)),
    Case("kafka-async-isr", {"replicas": 3, "max_offset": 3, "max_version": 3}),
    Case("kafka-async-isr", {"replicas": 5, "max_offset": 5, "max_version": 5}),
    *(
        Case("kafka-transactions", transactions(*c), k=1, seconds=900)
        for c in ((1, 2, 2, 1, 1, 1), (1, 2, 2, 1, 2, 1), (2, 2, 2, 1, 1, 1))
    ),
    *(
        Case("kafka-transactions", transactions(*c), prove=False)
        for c in (
            (1, 2, 2, 1, 1, 2),
            (2, 2, 2, 2, 1, 1),
            (3, 3, 2, 1, 1, 0),
            (3, 4, 2, 1, 1, 0),
            (2, 3, 2, 1, 1, 1),
        )
    ),
    Case("elasticsearch", elasticsearch(2, 1, 2, 3), k=1),
    Case("elasticsearch", elasticsearch(3, 1, 2, 3), k=1, seconds=1200),
    Case("elasticsearch", elasticsearch(3, 1, 3, 3), states=20_000_000, prove=False),
    Case("id-sequence", {"max_id": 100}),
    Case("replicated-log", {"replicas": 3, "log_size": 3, "log_records": 2}),
    Case("replicated-log-retention", {"replicas": 2, "log_size": 3, "log_records": 2}),
    Case("replicated-log-retention", {"replicas": 3, "log_size": 1, "log_records": 2}),
    *(Case(f"verified-log-{c}", EVERY_EVENT, k=1) for c in ("waiting", "repaired-waiting")),
)

EVENTS = {
    "drops": "drops",
    "old_producer_timeouts": "OLD",
    "new_producer_timeouts": "NEW",
    "coordinator_timeouts": "coordinator",
    "node_failures": "failures",
}
"""Parameters of the verified log that count events, and how the table's columns call them."""
EVENTS_EXPLORED = tuple(product(range(3), range(2), range(2), range(2), range(2)))
STATES_EXPLORED, SECONDS_EXPLORED = 60_000_000, 1200


def explored(protocol: str, events: tuple[int, ...]) -> Document:
    """The verified log at its smallest bounds that have two segments, with so many events."""
    given = [f"--parameter={n}={v}" for n, v in zip(EVENTS, events, strict=True)]
    limits = ["--max-states", str(STATES_EXPLORED), "--timeout", str(SECONDS_EXPLORED)]
    return exploration(bmc("explore", protocol, "--all", *limits, *given))


def bmc(*arguments: str) -> Document:
    """The document of one command."""
    command = [sys.executable, "-m", "bmc", *arguments, "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    document: Document = json.loads(ended.stdout)
    if "error" in document:
        raise SystemExit(f"{' '.join(arguments)}: {document['error']}")
    return document


def decided(case: Case) -> Document:
    """A case with what was found of each claim."""
    given = [f"--parameter={name}={value}" for name, value in case.parameters.items()]
    limit = ["--timeout", str(case.seconds)]
    results: dict[str, Document] = {}
    if case.prove:
        # One engine, for whichever of several is first would change from run to run.
        how = ["--engine", "kinduction", "--k", str(case.k), *limit]
        proved = bmc("prove", case.protocol, "--all", *how, *given)
        results = {r["property"]: r for r in proved["results"]}
        open_ = [n for n, r in results.items() if r["verdict"] != "proved"]
        named = [f"--property={name}" for name in open_ if name not in case.history]
    else:
        named = ["--all"]
    rows = {n: finding(r, None) for n, r in results.items()}
    document = proved if case.prove else {}
    if named:
        states = ["--max-states", str(case.states)]
        document = bmc("explore", case.protocol, *states, *limit, *named, *given)
        for result in document["results"]:
            name = result["property"]
            rows[name] = merged(rows.get(name), finding(result, document))
    return {
        "protocol": case.protocol,
        "parameters": dict(case.parameters),
        "scope": document["scope"],
        "findings": rows,
    }


def finding(result: Document, explored: Document | None) -> Document:
    """What is kept of a result; ``explored`` is the document of the exploration it is from."""
    trace = result["trace"]
    return {
        "verdict": result["verdict"],
        "engine": result["engine"],
        "trace": None if trace is None else len(trace),
        "k": result["k"] if result["verdict"] == "proved" else None,
        "lemmas": len(result["lemmas"]),
        "certified": result["checked_by"] is not None,
        "depth": result["depth"],
        "states": None if explored is None else explored["distinct_states"],
        "conjunct": (result["induction_failure"] or {}).get("conjunct"),
        "explicit_agrees": None,
    }


def merged(proof: Document | None, explored: Document) -> Document:
    """Two findings on one claim; they must not contradict each other."""
    if proof is None or proof["verdict"] == "unknown":
        return explored | {"conjunct": None if proof is None else proof["conjunct"]}
    if explored["verdict"] == "unknown":
        return proof
    same = (proof["verdict"], proof["trace"]) == (explored["verdict"], explored["trace"])
    if not same:
        raise SystemExit(f"two engines contradict each other: {proof} and {explored}")
    return proof | {"explicit_agrees": True}


def exploration(document: Document) -> Document:
    """What is kept of a document of `bmc explore`, for the table by bounds."""
    return {
        "protocol": document["protocol"],
        "parameters": document["parameters"],
        "states": document["distinct_states"],
        "levels": document["depth"],
        "complete": document["complete"],
        "violated": {
            r["property"]: len(r["trace"])
            for r in document["results"]
            if r["verdict"] == "violated"
        },
        "judged": len(document["results"]),
    }


def evidence(found: Document) -> str:
    """A few words on how a verdict was found, or what is known where there is none."""
    match found["verdict"]:
        case "violated":
            sure = {True: ", explicit search agrees", None: ""}[found["explicit_agrees"]]
            states = "1 state" if found["trace"] == 1 else f"{found['trace']} states"
            return f"shortest trace: {states}{sure}"
        case "proved" if found["engine"] == "explicit":
            return f"all {found['states']:,} states, none left out"
        case "proved":
            return f"certificate: k = {found['k']}, {found['lemmas']} lemmas, re-checked"
    seen = "" if found["states"] is None else f" and in {found['states']:,} states"
    failed = f"; CTI: {found['conjunct']}" if found["conjunct"] else ""
    return f"clean to depth {found['depth']}{seen}{failed}"


def leans_on(scope: Document) -> str:
    """The bounds that a verdict leans on."""
    said = [f"`{scope['constraint']}`"] if scope["constraint"] else []
    said += [*(limit["ends"] for limit in scope["limits"]), *scope.get("notes", ())]
    return "; ".join(said) or "nothing"


def verdict_table(cases: Iterable[Document]) -> str:
    """Claims with the same verdict and evidence share a row."""
    lines = ["| protocol | at | claims | verdict | engine | evidence |", "|" + "---|" * 6]
    scopes: dict[str, str] = {}
    for case in cases:
        scopes[case["protocol"]] = leans_on(case["scope"])
        at = ", ".join(str(value) for value in case["parameters"].values())
        rows: dict[tuple[str, str, str], list[str]] = {}
        for name, found in case["findings"].items():
            key = (found["verdict"], found["engine"], evidence(found))
            rows.setdefault(key, []).append(name)
        for (verdict, engine, how), names in rows.items():
            lines.append(
                f"| `{case['protocol']}` | ({at}) | {', '.join(names)} | **{verdict}** "
                f"| {engine} | {how} |"
            )
    lines += ["", "The verdicts lean on these bounds:", ""]
    lines += [f"- `{protocol}`: {bounds}" for protocol, bounds in scopes.items()]
    return "\n".join(lines) + "\n"


def bounds_table(explorations: Iterable[Document]) -> str:
    """A row an exploration of a protocol that is explored at many bounds."""
    heads = ["protocol", *EVENTS.values(), "states", "levels", "complete", "violated"]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for one in explorations:
        broken = ", ".join(f"{name} ({length} states)" for name, length in one["violated"].items())
        cells = [
            f"`{one['protocol']}`",
            *(str(one["parameters"][event]) for event in EVENTS),
            f"{one['states']:,}",
            str(one["levels"]),
            "yes" if one["complete"] else "no",
            broken or f"none of {one['judged']}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def page_with(page: str, kept: Document) -> str:
    """The page with its tables as what is kept renders to."""
    tables = {
        "verdicts": verdict_table(kept["cases"]),
        "explorations": bounds_table(kept["explorations"]),
    }
    for name, table in tables.items():
        begin, end = BEGIN.format(name), END.format(name)
        if page.count(begin) != 1 or page.count(end) != 1:
            raise SystemExit(f"{PAGE.name} needs one {begin.strip()} and one {end.strip()}")
        before, rest = page.split(begin)
        page = f"{before}{begin}\n{table}\n{end}{rest.split(end)[1]}"
    return page


def keep(kept: Document, cases: Sequence[Document], explorations: Sequence[Document]) -> Document:
    """What is kept with what was found now put in its place, in a fixed order."""

    def replaced(old: list[Document], new: Sequence[Document]) -> list[Document]:
        found = {_key(one): one for one in (*old, *new)}
        return [found[key] for key in sorted(found, key=_order)]

    return {
        "cases": replaced(kept["cases"], cases),
        "explorations": replaced(kept["explorations"], explorations),
    }


def _key(one: Document) -> tuple[str, tuple[tuple[str, int], ...]]:
    return one["protocol"], tuple(one["parameters"].items())


def _order(key: tuple[str, tuple[tuple[str, int], ...]]) -> tuple[int, str, tuple[int, ...]]:
    protocol, parameters = key
    listed = [case.protocol for case in CASES]
    place = listed.index(protocol) if protocol in listed else len(listed)
    values = dict(parameters)
    events = sum(values[event] for event in EVENTS if event in values)
    return place, protocol, (events, *values.values())


def main() -> None:
    """Decide, keep and write; or only check."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these protocols")
    parser.add_argument("--record", nargs="+", default=[], metavar="FILE", help="explorations")
    parser.add_argument("--check", action="store_true", help="exit 1 unless the docs are current")
    options = parser.parse_args()
    if options.check:
        page = PAGE.read_text(encoding="utf-8")
        if page_with(page, _kept()) != page:
            raise SystemExit(f"{PAGE.name} is not what {KEPT.name} says: run {sys.argv[0]}")
        return
    if options.record:
        _keep([], [exploration(json.loads(Path(f).read_text("utf-8"))) for f in options.record])
        return
    for case in CASES:
        if not options.only or case.protocol in options.only:
            print(case.protocol, dict(case.parameters), file=sys.stderr)
            _keep([decided(case)], [])
    for protocol in ("verified-log", "verified-log-repaired"):
        for events in EVENTS_EXPLORED if not options.only or protocol in options.only else ():
            print(protocol, dict(zip(EVENTS, events, strict=True)), file=sys.stderr)
            _keep([], [explored(protocol, events)])


def _kept() -> Document:
    if not KEPT.exists():
        return {"cases": [], "explorations": []}
    kept: Document = json.loads(KEPT.read_text(encoding="utf-8"))
    return kept


def _keep(cases: Sequence[Document], explorations: Sequence[Document]) -> None:
    """Keep what was found as soon as it is: all of them together take hours."""
    kept = keep(_kept(), cases, explorations)
    page = page_with(PAGE.read_text(encoding="utf-8"), kept)
    PAGE.write_text(page, encoding="utf-8")
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
