"""Vanlightly's Raft and KRaft texts: read, explored, searched and proved from their own texts.

    python benchmarks/tla_raft.py --raft DIR --kafka DIR [--tlc COMMAND] [--only WORD]
                                  [--seconds 120] [--memory 4000]

DIR are checkouts of Vanlightly/raft-tlaplus and Vanlightly/kafka-tlaplus; rows of a folder that is
not named are left out. A row is a text at its own configuration, or at smaller constants, to the
end or up to so many levels; VIEW, SYMMETRY, PROPERTY and deadlock are left out, so that states are
counted. Each of `bmc doctor`, `bmc explore`, `bmc check` and `bmc prove` is a whole process with a
limit of processor seconds and of memory; the proof ends after as many seconds by the clock, too.
`bmc explore`, and the evaluator of the text before it, have to find the states that TLC 2.19 with
one worker counted in as many levels.
COMMAND runs TLC (`java -cp tla2tools.jar tlc2.TLC`), which then counts them anew.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tla_explored import limited, sections
from whole_process import run

from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.errors import EvaluationLimit
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Search

LEFT_OUT = ("SYMMETRY", "VIEW", "CHECK_DEADLOCK", "PROPERTY", "PROPERTIES")
UP_TO = """---- MODULE UpTo ----
EXTENDS {module}
LOCAL T == INSTANCE TLC
InSoManyLevels == T!TLCGet("level") <= {levels}
====
"""
RAFT_ROOM, PULL_ROOM = "specifications/standard-raft", "specifications/pull-raft"
GROUP_ROOM, KRAFT_ROOM = "groupprotocol", "kraft"
TWO = {"Server": "{ n1, n2 }", "Value": "{ v1 }", "MaxElections": "1", "MaxRestarts": "0"}
QUORUMS = {"ElectionQuorumSize": "2", "ReplicationQuorumSize": "2"}
ONE_TOPIC = {"TopicCount": "1", "MaxPerturbations": "0"}
QUIET = {
    "MaxRestarts": "0",
    "MaxAddReconfigs": "0",
    "MaxRemoveReconfigs": "0",
    "MaxSpawnedServers": "3",
    "MaxClusterSize": "3",
    "Hosts": "{ h1, h2, h3 }",
    "Value": "{ v1 }",
}
PRE_VOTE = {
    **QUIET,
    "MaxEpoch": "2",
    "MaxPermCrashes": "0",
    "MaxConnectivityChanges": "0",
    "MaxDisruptiveElectionTriggers": "0",
    "TestLiveness": "FALSE",
}
FORGOTTEN = {"BeginQuorumEpochRequest": "BeginQuorumEpochRequest"}
"""What the configuration of KIP-853 gives no value."""
BEYOND = 4
"""How many times as many states the evaluator looks at, so that the last level is whole."""


@dataclass(frozen=True)
class Row:
    """A text at constants, how many levels are looked at, and what TLC counts there.

    Without ``levels`` all states are looked at. ``depth`` is how far `bmc check` searches.
    """

    name: str
    text: str
    states: int
    constants: Mapping[str, str] = field(default_factory=dict)
    levels: int | None = None
    depth: int = 4


RAFT = (
    Row("Raft, two servers", f"{RAFT_ROOM}/Raft", 89, TWO),
    Row("Raft, two elections", f"{RAFT_ROOM}/Raft", 2_224, {**TWO, "MaxElections": "2"}),
    Row("Raft, its own", f"{RAFT_ROOM}/Raft", 1_393, levels=8),
    Row("RaftFsync, two servers", "specifications/raft-and-fsync/RaftFsync", 155, TWO),
    Row(
        "FlexibleRaft, two servers",
        "specifications/flexible-raft/FlexibleRaft",
        109,
        {**TWO, **QUORUMS},
    ),
    Row("PullRaft, two servers", f"{PULL_ROOM}/PullRaft", 27, TWO),
    Row("PullRaftVariant2, two servers", f"{PULL_ROOM}/PullRaftVariant2", 27, TWO),
    Row("KRaft, two servers", f"{PULL_ROOM}/KRaft", 55, TWO),
    Row("KRaft, its own", f"{PULL_ROOM}/KRaft", 1_369, levels=8),
)
KAFKA = (
    Row(
        "KIP-848, one client",
        f"{GROUP_ROOM}/consumer_group_protocol_kip_848_v2",
        17,
        {**ONE_TOPIC, "Clients": "{ c1 }"},
    ),
    Row(
        "KIP-848, two clients",
        f"{GROUP_ROOM}/consumer_group_protocol_kip_848_v2",
        4_009,
        {**ONE_TOPIC},
    ),
    Row(
        "KIP-848, its own",
        f"{GROUP_ROOM}/consumer_group_protocol_kip_848_v2",
        2_625,
        levels=8,
    ),
    Row(
        "KIP-853, three servers",
        f"{KRAFT_ROOM}/kip_853/kraft_kip_853",
        280,
        {**QUIET, **FORGOTTEN, "MaxCrashes": "0"},
        levels=5,
    ),
    Row("KIP-996, three servers", f"{KRAFT_ROOM}/kip_996/kraft_kip_996", 660, PRE_VOTE),
)


def configuration(text: str, constants: Mapping[str, str]) -> str:
    """Return a text's own configuration at these constants, with all states counted."""
    for name, value in constants.items():
        text, changed = re.subn(rf"(?m)^(\s*{name}\s*=).*$", rf"\g<1> {value}", text)
        if not changed:
            text += f"\nCONSTANT {name} = {value}\n"
    kept = "".join(word + rest for word, rest in sections(text) if word not in LEFT_OUT)
    return f"{kept}\nCHECK_DEADLOCK FALSE\n"


def answer(options: argparse.Namespace, *command: str) -> tuple[Mapping[str, Any], float]:
    """Return the document that a command of `bmc` writes, and its processor seconds."""
    whole = [sys.executable, "-m", "bmc", *command, "--json"]
    found = limited(whole, options.seconds, options.memory)
    begin = found.output.find("{\n")
    try:
        document = json.loads(found.output[begin:]) if begin >= 0 else {}
    except json.JSONDecodeError:
        document = {}
    return document, found.processor


def verdicts(document: Mapping[str, Any]) -> str:
    """Return how many claims have each verdict, or why there is none."""
    if "results" not in document:
        error = document.get("error") or {"message": "the limit was met"}
        return str(error["message"]).partition("\n")[0]
    said = Counter(
        f"clean to {one['depth']} steps"
        if one["verdict"] == "unknown" and one["depth"] is not None
        else one["verdict"]
        for one in document["results"]
    )
    return ", ".join(f"{number} {verdict}" for verdict, number in said.items())


def explored(row: Row, document: Mapping[str, Any]) -> str:
    """Return what an exploration has found: as many states as TLC, or how many else."""
    states, levels = document.get("distinct_states"), document.get("levels")
    if states is None or levels is None:
        return verdicts(document)
    whole = document["complete"] if row.levels is None else len(levels) == row.levels
    if not whole:
        return f"{states:,} states, then {document['stopped_because']}"
    same = "the same" if states == row.states else f"DIFFERENT: {states:,} states"
    return f"{same}, {len(levels)} levels"


def evaluated(row: Row, text: Path, seconds: float) -> str:
    """Return what the evaluator of the text has found, and in how many processor seconds."""
    before = time.process_time()
    try:
        machine = Machine(load(text))
        with machine.limited(seconds):
            found = Search(machine).run(BEYOND * row.states)
    except EvaluationLimit:
        return f"no answer in {seconds:.0f} s"
    spent = f"{time.process_time() - before:.1f} s"
    if found.violation is not None:
        return f"{found.violation.property}, {spent}"
    states = found.distinct if row.levels is None else sum(found.levels[: row.levels])
    return f"{'the same' if states == row.states else f'DIFFERENT: {states:,}'}, {spent}"


def counted(row: Row, folder: Path, command: Sequence[str], seconds: float) -> tuple[int, float]:
    """Return the states that TLC counts anew, and its processor seconds."""
    module = Path(row.text).name
    configured = (folder / f"{module}.cfg").read_text(encoding="utf-8")
    if row.levels is not None:
        (folder / "UpTo.tla").write_text(UP_TO.format(module=module, levels=row.levels))
        configured, module = f"{configured}CONSTRAINT InSoManyLevels\n", "UpTo"
    (folder / "TLC.cfg").write_text(configured)
    options = ("-workers", "1", "-noGenerateSpecTE", "-metadir", str(folder / "states"))
    found = run(
        [
            *("/bin/sh", "-c", 'cd "$0" && exec "$@"', str(folder), *command, *options),
            *("-config", "TLC.cfg", f"{module}.tla"),
        ],
        seconds * 10,
    )
    numbers = re.findall(r"([\d,]+) distinct states found", found.output)
    return int(numbers[-1].replace(",", "")) if numbers else 0, found.processor


def measured(row: Row, corpus: Path, options: argparse.Namespace) -> tuple[str, bool]:
    """Return a row of the table, and whether its counts are TLC's as far as there are any."""
    with tempfile.TemporaryDirectory() as name:
        folder, source = Path(name), corpus / row.text
        for one in source.parent.glob("*.tla"):
            (folder / one.name).write_text(one.read_text(encoding="utf-8"), encoding="utf-8")
        text = folder / f"{source.name}.tla"
        own = source.with_suffix(".cfg").read_text(encoding="utf-8")
        text.with_suffix(".cfg").write_text(configuration(own, row.constants))
        states, tlc_seconds = row.states, ""
        if options.tlc:
            states, spent = counted(row, folder, shlex.split(options.tlc), options.seconds)
            tlc_seconds = f"{spent:.1f}"
        alone = evaluated(row, text, options.seconds)
        doctor, _ = answer(options, "doctor", str(text))
        limits = [] if row.levels is None else ["--max-depth", str(row.levels - 1)]
        graph, searching = answer(options, "explore", str(text), *limits)
        search, checking = answer(options, "check", str(text), "--depth", str(row.depth))
        within = str(options.seconds)
        proof, proving = answer(options, "prove", str(text), "--timeout", within)
    found = explored(row, graph)
    complaints = doctor.get("unsupported")
    cells = (
        row.name,
        f"{states:,}",
        tlc_seconds,
        alone,
        "nothing" if complaints == [] else str((complaints or ["the limit was met"])[0]),
        found,
        f"{searching:.1f}",
        verdicts(search),
        f"{checking:.1f}",
        verdicts(proof),
        f"{proving:.1f}",
    )
    right = states == row.states and "DIFFERENT" not in found + alone
    return f"| {' | '.join(cells)} |", right


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--raft", type=Path, help="a checkout of Vanlightly/raft-tlaplus")
    parser.add_argument("--kafka", type=Path, help="a checkout of Vanlightly/kafka-tlaplus")
    parser.add_argument("--tlc", default="", help="a command that runs TLC, which counts anew")
    parser.add_argument("--only", default="", help="rows with this in their name")
    parser.add_argument("--seconds", type=float, default=120, help="processor seconds of a command")
    parser.add_argument("--memory", type=int, default=4_000, help="MB of a command")
    options = parser.parse_args()
    print(
        "| text | TLC | seconds | doctor | explore | seconds | check | seconds | prove | seconds |"
    )
    print("|---|--:|--:|---|---|--:|---|--:|---|--:|", flush=True)
    wrong = 0
    for corpus, rows in ((options.raft, RAFT), (options.kafka, KAFKA)):
        for row in rows if corpus is not None else ():
            if options.only not in row.name:
                continue
            line, right = measured(row, corpus, options)
            wrong += not right
            print(line, flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
