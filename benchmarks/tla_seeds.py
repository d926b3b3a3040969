"""The seeds' TLA+ texts, explored as they are, beside TLC's counts.

    python benchmarks/tla_seeds.py --kafka DIR --elasticsearch DIR --transactions DIR
                                   [--up-to 20000] [--only WORD] [--prove]

DIR are checkouts of hachikuji/kafka-specification, elastic/elasticsearch-formal-models and
Vanlightly/kafka-tlaplus; rows of a folder that is not named are left out. Each text is translated
at the constants of a row, compared with its own evaluator along random walks, and explored. TLC's
numbers were counted by TLC 2.19 with one worker. Seconds are processor seconds of the whole
process that a row is explored in.

With --prove the texts are proved instead, by k-induction with the lemmas of docs/examples that
extend them.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from whole_process import run

KAFKA_CONSTANTS = ((2, 1, 1, 1), (2, 2, 2, 1), (2, 2, 2, 2), (3, 1, 1, 1), (3, 2, 2, 1))
KAFKA = {
    "Kip320": (277, 957, 5_973, 6_787, 39_619),
    "Kip279": (341, 1_177, 9_027, 9_841, 60_106),
    "Kip101": (341, 1_177, 9_045, 9_841, 59_788),
    "Kip320FirstTry": (337, 1_165, 8_429, 9_661, 59_092),
    "KafkaTruncateToHighWatermark": (353, 1_251, 10_131, 10_681, 67_807),
}
LOGS = {(2, 2, 2): 49, (3, 2, 1): 27, (3, 2, 2): 343}
ELASTICSEARCH = {(2, 2, 3): 160, (2, 3, 3): 1_522, (2, 3, 5): 1_522, (3, 2, 3): 283_812}
DIARY = {
    ("01_InitPidRequest", 1): 14,
    ("02_AddPartitionsToTxn", 1): 10_897,
    ("02_AddPartitionsToTxn", 2): 150_325,
}
"""Stages of the transactions' diary, each at so many topic partitions."""

EXAMPLES = Path(__file__).parents[1] / "docs/examples"
PROOFS = {
    "Kip320Proof": ("kafka", "."),
    "ElasticsearchProof": ("elasticsearch", "data/tla"),
    "TransactionsProof": ("transactions", "transactions/diary/02_AddPartitionsToTxn/tlaplus"),
}
"""Modules with lemmas: which folder has the text that they extend, and where."""

BOUNDED = r"""---- MODULE Bounded ----
EXTENDS replication
CONSTANTS MaxClientValue, MaxMessages
Inside == /\ nextClientValue <= MaxClientValue
          /\ Cardinality(messages) <= MaxMessages
          /\ 0 < Cardinality(Assigned(clusterStateOnMaster.routingTable))
WellFormed == WellFormedRoutingTable(clusterStateOnMaster.routingTable)
====
"""
CLAIMS = (
    "SameTranslogUpToGlobalCheckPoint AllCopiesSameContentsOnQuietDown AllAckedResponsesStored "
    "GlobalCheckPointBelowLocalCheckPoints LocalCheckPointMatchesMaxConfirmedSeq WellFormed"
)


@dataclass(frozen=True)
class Row:
    """A text at constants: files to be copied, more texts beside them, and the module to read."""

    name: str
    expected: int
    module: str
    copied: Path
    texts: dict[str, str]


def _members(letter: str, number: int) -> str:
    return "{" + ", ".join(f"{letter}{i}" for i in range(1, number + 1)) + "}"


def kafka(folder: Path) -> Iterator[Row]:
    """Yield the replication protocol's variants and the finite replicated log."""
    for (replicas, size, records), expected in LOGS.items():
        config = (
            "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\nINVARIANT TypeOk\nCONSTANTS Nil = Nil\n"
            f"Replicas = {_members('r', replicas)}\nLogSize = {size}\n"
            f"LogRecords = {_members('a', records)}\n"
        )
        name, module = f"FiniteReplicatedLog {replicas},{size},{records}", "FiniteReplicatedLog"
        yield Row(name, expected, module, folder, {f"{module}.cfg": config})
    for module, counts in KAFKA.items():
        for (replicas, size, records, epoch), expected in zip(KAFKA_CONSTANTS, counts, strict=True):
            config = (
                "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\nCONSTANTS\n"
                f"Replicas = {_members('r', replicas)}\nLogSize = {size}\n"
                f"MaxRecords = {records}\nMaxLeaderEpoch = {epoch}\n"
            )
            name = f"{module} {replicas},{size},{records},{epoch}"
            yield Row(name, expected, module, folder, {f"{module}.cfg": config})


def elasticsearch(folder: Path) -> Iterator[Row]:
    """Yield the replication of Elasticsearch, with every claim of its text."""
    for (nodes, value, messages), expected in ELASTICSEARCH.items():
        itself = ("Replication", "TrimTranslog", "Primary", "Replica", "Unassigned", "Nil")
        config = (
            "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nCONSTRAINT Inside\nCONSTANTS\n"
            + "".join(f"{name} = {name}\n" for name in itself)
            + f"Nodes = {_members('n', nodes)}\nDocumentIds = {{d1}}\n"
            + f"MaxClientValue = {value}\nMaxMessages = {messages}\nINVARIANTS {CLAIMS}\n"
        )
        texts = {"Bounded.tla": BOUNDED, "Bounded.cfg": config}
        name = f"Elasticsearch {nodes},1,{value},{messages}"
        yield Row(name, expected, "Bounded", folder / "data/tla", texts)


def transactions(folder: Path) -> Iterator[Row]:
    """Yield the two finished stages of the transactions' diary, without liveness."""
    for (stage, partitions), expected in DIARY.items():
        here = folder / "transactions/diary" / stage / "tlaplus"
        config = (here / "kafka_transactions.cfg").read_text()
        kept, temporal = [], False
        for line in config.splitlines():
            temporal = line.startswith("PROPERT") or (temporal and line.startswith(" "))
            if not temporal and not line.startswith("CHECK_DEADLOCK"):
                kept.append(line)
        text = "\n".join([*kept, "CHECK_DEADLOCK FALSE", ""])
        if partitions > 1:
            several = f"TopicPartitions = {_members('tp', partitions)}"
            text = text.replace("TopicPartitions = {p1}", several)
        name = f"{stage} {partitions}"
        yield Row(name, expected, "kafka_transactions", here, {"kafka_transactions.cfg": text})


def explored(row: Row, end: Connection) -> None:
    """Send how many states the text of a row has, or why that is not known."""
    from bmc.engines.explicit import explore
    from bmc.engines.task import Task
    from bmc.frontends.tla.errors import TlaError
    from bmc.frontends.tla.suite import suite_of
    from bmc.lang.suite import Suite

    with tempfile.TemporaryDirectory() as folder:
        for one in row.copied.glob("*.tla"):
            (Path(folder) / one.name).write_text(one.read_text(encoding="utf-8"))
        for name, text in row.texts.items():
            (Path(folder) / name).write_text(text)
        try:
            suite: Suite = suite_of(row.name, Path(folder) / f"{row.module}.tla")
            found = None
            for _ in range(12):  # as `bmc explore` does: a guessed bound grows with what leaves it
                assert suite.origin is not None
                suite.origin.compare(2)
                found = explore(Task(suite, {}, tuple(p.name for p in suite.properties)))
                if found.overflow is None:
                    break
                wider = suite.origin.widened([step.state for step in found.overflow.steps])
                if wider is None:
                    break
                suite = wider
        except TlaError as error:
            end.send(("refused: " + str(error).splitlines()[0], time.process_time()))
            return
    assert found is not None
    states = (
        f"{found.distinct_states}" if found.complete else f"{found.distinct_states}, incomplete"
    )
    end.send((states, time.process_time()))


def proved(module: str, text: Path) -> tuple[Counter[str], float]:
    """Return how many claims of a module beside its text have each verdict, and the seconds.

    Where the command ends without verdicts there are none.
    """
    with tempfile.TemporaryDirectory() as folder:
        here = [EXAMPLES / f"{module}.tla", EXAMPLES / f"{module}.cfg"]
        for one in (*text.glob("*.tla"), *here):
            (Path(folder) / one.name).write_text(one.read_text(encoding="utf-8"))
        spec = str(Path(folder) / f"{module}.tla")
        words = ("prove", spec, "--engine", "kinduction", "--json")
        found = run([sys.executable, "-m", "bmc", *words], limit=3_600)
    begin = found.output.find("{\n")
    results = json.loads(found.output[begin:]).get("results", []) if begin >= 0 else []
    return Counter(one["verdict"] for one in results), found.processor


def prove_all(options: argparse.Namespace) -> int:
    """Prove each text that lemmas are written for, and return the exit code."""
    print("| lemmas | verdicts | seconds |\n|---|---|--:|", flush=True)
    wrong = 0
    for module, (of, where) in PROOFS.items():
        checkout = getattr(options, of)
        if checkout is None or options.only not in module:
            continue
        tally, seconds = proved(module, checkout / where)
        wrong += set(tally) != {"proved"}
        said = ", ".join(f"{number} {verdict}" for verdict, number in tally.items())
        print(f"| {module} | {said} | {seconds:.1f} |", flush=True)
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kafka", type=Path)
    parser.add_argument("--elasticsearch", type=Path)
    parser.add_argument("--transactions", type=Path)
    parser.add_argument("--up-to", type=int, default=20_000, help="largest number of states")
    parser.add_argument("--only", default="", help="rows with this word in their name")
    parser.add_argument("--prove", action="store_true", help="prove by lemmas, explore nothing")
    options = parser.parse_args()
    if options.prove:
        return prove_all(options)
    rows: list[Row] = []
    for folder, of in (
        (options.kafka, kafka),
        (options.elasticsearch, elasticsearch),
        (options.transactions, transactions),
    ):
        rows += [] if folder is None else of(folder)
    print("| text | TLC | bmc | seconds |\n|---|--:|--:|--:|", flush=True)
    wrong = 0
    for row in rows:
        if row.expected > options.up_to or options.only not in row.name:
            continue
        here, there = multiprocessing.Pipe()
        process = multiprocessing.Process(target=explored, args=(row, there))
        process.start()
        there.close()
        try:
            states, seconds = here.recv()
        except EOFError:
            states, seconds = "crashed", 0.0
        process.join()
        wrong += states != str(row.expected)
        print(f"| {row.name} | {row.expected} | {states} | {seconds:.1f} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
