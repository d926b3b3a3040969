"""Vanlightly's newer Kafka specifications, searched from their own texts by the evaluator.

    python benchmarks/tla_newer_kafka.py --corpus DIR [--states 20000] [--seconds 600]
                                         [--only WORD] [--known | --two-brokers]

DIR is a checkout of Vanlightly/kafka-tlaplus. Two texts, v3.5 and KIP-966, mark with `CHECK` what
keeps Kafka from losing data. Each mark is removed in turn, and what is left is searched breadth
first at its own configuration and VIEW, without deadlock: a row says what is violated and after how
many states, or how many steps have no violation. The first row of each text is the text as it is.
With `--two-brokers` they are searched at two brokers, of which one in sync is enough, and without
NoCommittedRecordLostGlobally, as the texts say for these numbers; all else is as in their own
configurations: that has an end. With `--known` the rows are of the texts as
they are: at small constants, beside TLC's counts, and v3.5 where nothing keeps the last replica
standing from an unclean shutdown, beside the length of TLC's trace. TLC 2.19 with one worker
counted. Seconds are processor seconds of the process that a row is searched in.

A mark on a conjunct leaves TRUE, one on a disjunct FALSE, and one on an action UNCHANGED.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path

ROOM = Path("kafka_data_replication/kraft")
TEXTS = {
    "v3.5": ("v3.5", "kafka_replication_v3_5"),
    "KIP-966": ("kip-966", "kafka_replication_kip_966"),
}
UNSAFE = {"v3.5": "UncleanShutdownLimit", "KIP-966": "DataLossShutdownLimit"}
SAFE = {"v3.5": "CleanShutdownLimit", "KIP-966": "NoDataLossShutdownLimit"}
SMALL = {"BrokerCount": "2", "InitReplicationFactor": "2", "MinISR": "1", "InitIsrSize": "2"}
COUNTED_BY_TLC = (("no shutdown", 0, 19), ("an unclean shutdown", 1, 14_304))
LONGEST_BY_TLC = 8
"""States of TLC's trace to the loss with the last replica standing."""

MARK = re.compile(r"^(?P<before>.*?)(?P<what>[^\\/\s(].*?)\s*(?P<arrow>->)?\s*\\\* CHECK\s*$")
UNCHANGED = {"ResetFollowerStateOfAllButISR": "UNCHANGED partition_replica_state"}


@dataclass(frozen=True)
class Row:
    """A text to search: its files, what is replaced in one, and what TLC says of it."""

    name: str
    folder: Path
    module: str
    constants: dict[str, str] = field(default_factory=dict)
    replaced: tuple[str, int, str] | None = None
    with_view: bool = True
    expected: str | None = None
    without: str | None = None
    """An invariant of the configuration that is left out."""


def without_mark(line: str) -> str | None:
    """Return a marked line without what its mark stands for; None of a line without a mark."""
    found = MARK.match(line)
    if found is None:
        return None
    before, what = found["before"], found["what"]
    called = what.split("(")[0].strip()
    bullet = before.split()[-1] if before.split() else ""
    left = UNCHANGED.get(called, "FALSE" if bullet == "\\/" else "TRUE")
    return f"{before}{left} {found['arrow'] or ''}".rstrip()


def marked(corpus: Path, two_brokers: bool) -> Iterator[Row]:
    """Yield a row for each text as it is, and without each of its marks."""
    for text, (room, module) in TEXTS.items():
        folder = corpus / ROOM / room
        constants, without = (SMALL, "NoCommittedRecordLostGlobally") if two_brokers else ({}, None)
        whole = Row(f"{text}, all marks", folder, module, constants, without=without)
        yield whole
        for file in sorted(folder.glob("*.tla")):
            for at, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
                left = without_mark(line)
                if left is not None:
                    name = f"{text} {file.name}:{at + 1}"
                    yield replace(whole, name=name, replaced=(file.name, at, left))


def known(corpus: Path) -> Iterator[Row]:
    """Yield the rows that TLC has an answer to."""
    for text, (room, module) in TEXTS.items():
        folder = corpus / ROOM / room
        for name, shutdowns, states in COUNTED_BY_TLC:
            constants = {
                **SMALL,
                UNSAFE[text]: str(shutdowns),
                SAFE[text]: "0",
                "FenceBrokerLimit": "0",
            }
            expected = f"{states} states"
            yield Row(f"{text}, {name}", folder, module, constants, None, False, expected)
    room, module = TEXTS["v3.5"]
    yield Row(
        "v3.5, the last replica standing",
        corpus / ROOM / room,
        module,
        {"AvoidLastReplicaStanding": "FALSE"},
        expected=f"LeaderCompletenessProperty, {LONGEST_BY_TLC} states",
    )


def configuration(row: Row) -> str:
    """Return the text's own configuration at the row's constants, deadlock off."""
    text = (row.folder / f"{row.module}.cfg").read_text(encoding="utf-8")
    for name, value in row.constants.items():
        text, changed = re.subn(rf"(?m)^(\s*{name}\s*=).*$", rf"\g<1> {value}", text)
        assert changed == 1, name
    if row.without is not None:
        text, changed = re.subn(rf"(?m)^{row.without}\s*$", "", text)
        assert changed == 1, row.without
    if not row.with_view:
        text = re.sub(r"(?m)^VIEW .*$", "", text)
    text = re.sub(r"(?m)^CHECK_DEADLOCK.*$", "", text)
    return f"{text}\nCHECK_DEADLOCK FALSE\n"


def searched(row: Row, states: int, seconds: float, end: Connection) -> None:
    """Send what the search of a row finds, and its processor seconds."""
    from bmc.frontends.tla.errors import TlaError
    from bmc.frontends.tla.load import load
    from bmc.frontends.tla.oracle.errors import EvaluationLimit
    from bmc.frontends.tla.oracle.machine import Machine
    from bmc.frontends.tla.oracle.search import Search

    with tempfile.TemporaryDirectory() as folder:
        for one in row.folder.glob("*.tla"):
            lines = one.read_text(encoding="utf-8").splitlines()
            if row.replaced is not None and row.replaced[0] == one.name:
                lines[row.replaced[1]] = row.replaced[2]
            (Path(folder) / one.name).write_text("\n".join(lines) + "\n")
        (Path(folder) / f"{row.module}.cfg").write_text(configuration(row))
        try:
            machine = Machine(load(Path(folder) / f"{row.module}.tla"))
            with machine.limited(seconds):
                found = Search(machine).run(states)
        except EvaluationLimit:
            end.send((f"no answer in {seconds:.0f} s", time.process_time()))
            return
        except TlaError as error:
            told = str(error).splitlines()[0].replace(f"{folder}/", "")
            end.send((f"no value: {told}", time.process_time()))
            return
    if found.violation is not None:
        told = f"{found.violation.property}, {len(found.violation.steps)} states"
    elif found.complete:
        told = f"{found.distinct} states"
    else:
        told = f"no violation in {len(found.levels) - 1} steps ({found.distinct} states)"
    end.send((told, time.process_time()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, required=True, help="kafka-tlaplus")
    parser.add_argument("--states", type=int, default=20_000, help="where a search ends")
    parser.add_argument("--seconds", type=float, default=600, help="limit for a row")
    parser.add_argument("--only", default="", help="rows with this word in their name")
    rows = parser.add_mutually_exclusive_group()
    rows.add_argument("--known", action="store_true", help="what TLC has an answer to")
    rows.add_argument("--two-brokers", action="store_true", help="the marks at two brokers")
    options = parser.parse_args()
    print("| text | TLC | evaluator | seconds |\n|---|---|---|--:|", flush=True)
    wrong = 0
    of_marks = marked(options.corpus, options.two_brokers)
    for row in known(options.corpus) if options.known else of_marks:
        if options.only not in row.name:
            continue
        here, there = multiprocessing.Pipe()
        job = (row, options.states, options.seconds, there)
        process = multiprocessing.Process(target=searched, args=job)
        process.start()
        there.close()
        try:
            told, seconds = here.recv()
        except EOFError:
            told, seconds = "crashed", 0.0
        process.join()
        wrong += row.expected is not None and told != row.expected
        print(f"| {row.name} | {row.expected or ''} | {told} | {seconds:.1f} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
