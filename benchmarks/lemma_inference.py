"""Which published protocols are proved without a person's lemmas, beside what others report.

The specifications are read from a checkout of endive's benchmarks, whose folder is named; nothing
of them is kept here. Two that have no TLA+ text there are in benchmarks/inference, written after
their models in Ivy. Each is inferred in a process of its own, at the instance that endive's
configuration gives. Seconds of this project are of the processor, all its processes together.

    python benchmarks/lemma_inference.py --endive CHECKOUT/benchmarks --timeout 300
    python benchmarks/lemma_inference.py --scimitar CHECKOUT/benchmarks --timeout 300
    python benchmarks/lemma_inference.py --case kafka:WeakIsr,StrongIsr:replicas=2

With ``--write docs/inference.md`` each row of the first two takes the place of its protocol's row
in that page's table, as soon as it is there.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any


@dataclass(frozen=True)
class Published:
    """A protocol of endive's table (Schultz, Dardik and Tripakis, FMCAD 2022, table I).

    ``endive`` and ``ic3po`` are the seconds that it gives for either tool, on 48 cores, or what it
    says instead; ``predicates`` counts those that a person gave to endive, and is None where it has
    no text: the module is one of ours then. ``constants`` replaces what the configuration says.
    """

    name: str
    module: str
    predicates: int | None
    endive: str
    ic3po: str
    constants: tuple[tuple[str, str], ...] = ()


OURS = Path(__file__).parent / "inference"

# An instance of learning-switch with three nodes has no initial state: links come in pairs.
FOUR = (("Node", "{n1,n2,n3,n4}"),)

TABLE = (
    Published("tla-consensus", "Consensus", 2, "1", "0"),
    Published("tla-tcommit", "TCommit", 4, "2", "1"),
    Published("i4-lock-server", "lockserver", 3, "7", "1"),
    Published("ex-quorum-leader-election", "quorum_leader_election", 8, "11", "3"),
    Published("pyv-toy-consensus-forall", "toy_consensus_forall", 11, "19", "3"),
    Published("tla-simple", "Simple", 10, "8", "6"),
    Published("ex-lockserv-automaton", "lockserv_automaton", 10, "23", "7"),
    Published("tla-simpleregular", "SimpleRegular", 24, "10", "8"),
    Published("pyv-sharded-kv", "sharded_kv", 13, "312", "10"),
    Published("pyv-lockserv", "lockserv", 10, "35", "11"),
    Published("tla-twophase", "TwoPhase", 17, "43", "14"),
    Published("i4-learning-switch", "learning_switch_i4", 29, "time-out", "14", FOUR),
    Published("ex-simple-decentralized-lock", "simple_decentralized_lock", 20, "44", "19"),
    Published("i4-two-phase-commit", "two_phase_commit", 24, "69", "27"),
    Published("pyv-consensus-wo-decide", "consensus_wo_decide", 22, "127", "50"),
    Published("pyv-consensus-forall", "consensus_forall", 24, "175", "99"),
    Published("pyv-learning-switch", "learning_switch", 11, "time-out", "127"),
    Published("i4-chord-ring-maintenance", "ChordRing", None, "no text", "229"),
    Published("pyv-sharded-kv-no-lost-keys", "sharded_kv_no_lost_keys", 12, "13", "3"),
    Published("ex-naive-consensus", "naive_consensus", 14, "40", "6"),
    Published("pyv-client-server-ae", "client_server_ae", 9, "46", "2"),
    Published("ex-simple-election", "simple_election", 14, "24", "7"),
    Published("pyv-toy-consensus-epr", "toy_consensus_epr", 14, "19", "9"),
    Published("ex-toy-consensus", "toy_consensus", 8, "7", "10"),
    Published("pyv-client-server-db-ae", "client_server_db_ae", 15, "4941", "17"),
    Published("pyv-hybrid-reliable-broadcast", "HybridReliableBroadcast", None, "no text", "587"),
    Published("pyv-firewall", "firewall", 16, "38", "2"),
    Published("ex-majorityset-leader-election", "majorityset_leader_election", 17, "53", "72"),
    Published("pyv-consensus-epr", "consensus_epr", 26, "247", "1300"),
    Published("MongoLoglessDynamicRaft", "MongoLoglessDynamicRaft", 39, "2025", "time-out"),
)


@dataclass(frozen=True)
class Harder:
    """A protocol of Scimitar's table (arXiv 2404.18048), with the seconds that it gives for
    Scimitar and for endive, on 56 cores, and how many predicates a person gave.

    ``safety`` is the claim that they are for, where the configuration has another.
    """

    name: str
    predicates: int
    scimitar: str
    endive: str
    safety: str | None = None


SCIMITAR = (
    Harder("TwoPhase", 18, "348", "173"),
    Harder("SimpleConsensus", 25, "748", "416"),
    Harder("ZeusReliableCommit", 70, "997", "4903"),
    Harder("Hermes", 90, "477", "time-out"),
    Harder("Bakery", 60, "6121", "time-out"),
)


def of_scimitar(folder: Path, case: Harder) -> str:
    """Return the text of a configuration for a protocol, at the smallest instance of three nodes
    that Scimitar's own configuration has."""
    told = json.loads((folder / f"{case.name}.config.json").read_text(encoding="utf-8"))
    constants = {}
    for name, values in told["constants"].items():
        listed = [values] if isinstance(values, str) else values
        if listed == [name]:
            continue  # A model value, which the set that holds it names.
        three = [v for v in listed if v == "3" or v.count(",") == 2]
        constants[name] = (three or listed)[0] if name != "Value" else listed[-1]
    return "\n".join(
        [
            "INIT Init",
            "NEXT Next",
            "CHECK_DEADLOCK FALSE",
            "CONSTANTS",
            *(f"  {name} = {value}" for name, value in constants.items()),
            *([f"CONSTRAINT {told['constraint']}"] if told.get("constraint") else []),
            f"INVARIANT {case.safety or told['safety']}",
        ]
    )


def scimitar(folder: Path, chosen: Sequence[str], seconds: float) -> Iterator[str]:
    """Yield the table of Scimitar's protocols, line by line."""
    yield (
        "| protocol | here | lemmas | CPU s | predicates given to Scimitar | Scimitar s "
        "| endive s |"
    )
    yield "|---|---|--:|--:|--:|--:|--:|"
    with tempfile.TemporaryDirectory() as where:
        for case in SCIMITAR:
            if chosen and case.name not in chosen:
                continue
            config = Path(where) / f"{case.name}.cfg"
            config.write_text(of_scimitar(folder, case), encoding="utf-8")
            module = str(folder / f"{case.name}.tla")
            found = asked([module, "--config", str(config)], seconds)
            yield row(case.name, found, str(case.predicates), case.scimitar, case.endive)


def configuration(folder: Path, case: Published) -> str:
    """Return the text of a configuration for a protocol, from what endive's own says."""
    told = json.loads((folder / f"{case.module}.config.json").read_text(encoding="utf-8"))
    given = told["constants"]
    lines = given.split("\n") if isinstance(given, str) else given
    constants = [line.strip() for line in lines if not re.fullmatch(r"\s*(CONSTANTS?)?\s*", line)]
    replaced = dict(case.constants)
    for number, line in enumerate(constants):
        name = line.partition("=")[0].strip()
        if name in replaced:
            constants[number] = f"{name} = {replaced[name]}"
    return "\n".join(
        [
            "INIT Init",
            "NEXT Next",
            "CHECK_DEADLOCK FALSE",
            "CONSTANTS",
            *(f"  {line}" for line in constants),
            *([told["constraint"]] if told.get("constraint") else []),
            f"INVARIANT {told['safety']}",
        ]
    )


def asked(words: Sequence[str], seconds: float) -> dict[str, Any]:
    """Return what `bmc infer` answers, with the processor seconds it took."""
    before = getrusage(RUSAGE_CHILDREN)
    command = [sys.executable, "-c", "import sys; from bmc.cli.main import main; sys.exit(main())"]
    told = ["infer", *words, "--timeout", str(seconds), "--json"]
    done = subprocess.run([*command, *told], capture_output=True, text=True, check=False)
    after = getrusage(RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        found = {"error": {"message": done.stderr.strip().splitlines()[-1:]}}
    return {**found, "processor": used}


def row(name: str, found: dict[str, Any], *more: str) -> str:
    """Return a line of the table."""
    used = f"{found['processor']:.1f}"
    if "error" in found:
        message = " ".join(str(found["error"].get("message", "")).split())[:70]
        return f"| {name} | not read: {message} | | {used} | {' | '.join(more)} |"
    verdicts = sorted({result["verdict"] for result in found["results"]})
    engines = sorted({result["engine"] for result in found["results"]})
    said = ", ".join(verdicts)
    if verdicts == ["proved"]:
        clauses = " and IC3's clauses" if "ic3" in engines else ""
        said = "proved" + clauses
        if found["at_this_size"]:
            said += f"; {len(found['at_this_size'])} are clauses of this size"
        if found["of_this_configuration"]:
            said += f"; {len(found['of_this_configuration'])} name model values"
    lemmas = str(len(found["lemmas"])) if verdicts == ["proved"] else "-"
    return f"| {name} | {said} | {lemmas} | {used} | {' | '.join(more)} |"


class NoTable(Exception):
    """A page has no table with a heading."""


COUNTED = re.compile(r"\d+ of the \d+ are proved, in \d+ s of processor time")


def written(page: str, table: Sequence[str]) -> str:
    """Return a page in which each row of a table replaces the row with its first cell.

    The first two lines of ``table`` are its heading, which the page has as well; what is new comes
    last. How many are proved, and in how long, is counted anew where the page says it behind the
    table. Raises NoTable.
    """
    lines = page.splitlines()
    if table[0] not in lines:
        raise NoTable(f"there is no table with this heading: {table[0]}")
    start = lines.index(table[0]) + 2
    end = start
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    rows = {_cells(line)[0]: line for line in (*lines[start:end], *_rows(table[2:]))}
    proved = [cells for cells in map(_cells, rows.values()) if cells[1].startswith("proved")]
    seconds = sum(float(cells[3]) for cells in proved)
    count = f"{len(proved)} of the {len(rows)} are proved, in {seconds:.0f} s of processor time"
    rest = lines[end:]
    about = next((i for i, line in enumerate(rest) if line), None)
    if about is not None:
        rest[about] = COUNTED.sub(count, rest[about])
    return "\n".join([*lines[:start], *rows.values(), *rest]) + "\n"


def _rows(lines: Sequence[str]) -> Iterator[str]:
    return (line for line in lines if line.startswith("|"))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def shown(lines: Iterator[str], page: Path | None) -> None:
    """Print lines of a table as they come, and put them into a page."""
    table: list[str] = []
    for line in lines:
        print(line, flush=True)
        table.append(line)
        if page is not None and len(table) > 2:
            page.write_text(written(page.read_text(encoding="utf-8"), table), encoding="utf-8")


def endive(folder: Path, chosen: Sequence[str], seconds: float) -> Iterator[str]:
    """Yield the table of endive's protocols, line by line."""
    yield "| protocol | here | lemmas | CPU s | predicates given to endive | endive s | IC3PO s |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    solved, total, kept = 0, 0.0, tempfile.TemporaryDirectory()
    with kept as where:
        for case in TABLE:
            if chosen and case.module not in chosen and case.name not in chosen:
                continue
            given = "-" if case.predicates is None else str(case.predicates)
            if case.predicates is None:
                found = asked([str(OURS / f"{case.module}.tla")], seconds)
            else:
                config = Path(where) / f"{case.module}.cfg"
                config.write_text(configuration(folder, case), encoding="utf-8")
                module = str(folder / f"{case.module}.tla")
                found = asked([module, "--config", str(config)], seconds)
            total += found["processor"]
            results = found.get("results", [])
            solved += bool(results) and all(r["verdict"] == "proved" for r in results)
            yield row(case.name, found, given, case.endive, case.ic3po)
    yield ""
    yield f"{solved} proved, {total:.0f} processor seconds in all."


def of_the_catalogue(cases: Sequence[str], seconds: float) -> Iterator[str]:
    """Yield a table of protocols of the catalogue: ``name:properties:parameters``."""
    yield "| protocol | verdict | lemmas | CPU s | open nodes |"
    yield "|---|---|--:|--:|--:|"
    for case in cases:
        name, _, rest = case.partition(":")
        properties, _, parameters = rest.partition(":")
        words = [name]
        for one in filter(None, properties.split(",")):
            words += ["-P", one]
        for one in filter(None, parameters.split(",")):
            words += ["-p", one]
        found = asked(words, seconds)
        yield row(case, found, str(len(found.get("open", ()))))


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--endive", type=Path, help="the folder of endive's benchmarks")
    parser.add_argument("--scimitar", type=Path, help="the folder of Scimitar's benchmarks")
    parser.add_argument("--only", action="append", default=[], help="one of its modules")
    parser.add_argument("--case", action="append", default=[], help="name:properties:parameters")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for each")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the rows into this page")
    given = parser.parse_args()
    os.environ.setdefault("PYTHONHASHSEED", "0")
    if given.endive is not None:
        shown(endive(given.endive, given.only, given.timeout), given.write)
    if given.scimitar is not None:
        shown(scimitar(given.scimitar, given.only, given.timeout), given.write)
    if given.case:
        shown(of_the_catalogue(given.case, given.timeout), None)


if __name__ == "__main__":
    main()
