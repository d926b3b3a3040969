"""Measures what a group costs on Spark beside one process: processor time of all processes.

    python benchmarks/conformance/many_groups.py [--events N] [--groups FEW MANY] [--master URL]

Each group is a log of `long_logs.py`, checked without invariants. On Spark a group costs what more
of them take, in the two runs' difference; the fewer of them take what Spark costs once. What one
process takes is measured before, between and after, by as many of them at a time as Spark has
workers here: two cores at work are slower than one.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from time import process_time, sleep

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from long_logs import PROTOCOL, events, mapped

from bmc.cli.shared import catalogue
from bmc.conformance.groups import GroupChecker
from bmc.conformance.mapping_file import read_mapping
from bmc.conformance.search import Limits

_TICKS = os.sysconf("SC_CLK_TCK")
_BETWEEN = 0.2


def lines(groups: int, length: int) -> Iterator[str]:
    """Return the events of so many groups, those of all groups in turn."""
    for event in islice(events(), length):
        for group in range(groups):
            yield json.dumps({**event, "group": group}) + "\n"


def sampled(session: int, seconds: dict[str, float]) -> None:
    """Note what each process of a session has taken so far, in seconds of processors."""
    for entry in Path("/proc").iterdir():
        # A process may end meanwhile: what it was seen to take last counts.
        with suppress(OSError, IndexError, ValueError):
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(stat[3]) == session:
                seconds[entry.name] = (int(stat[11]) + int(stat[12])) / _TICKS


def on_spark(folder: Path, groups: int, length: int, mapping: Path, master: str) -> float:
    """Return the processor seconds of a check of so many groups, of Java and all workers."""
    log = folder / f"{groups}.ndjson"
    log.write_text("".join(lines(groups, length)), encoding="utf-8")
    command = ("trace", "check", PROTOCOL, "--log", str(log), "--map", str(mapping), "--json")
    options = ("--no-invariants", "--group-by", "group", "--master", master)
    out = ("--out", str(folder / f"out{groups}"))
    words = [sys.executable, "-m", "bmc", *command, *options, *out]
    seconds: dict[str, float] = {}
    said = folder / f"{groups}.json"
    with said.open("wb") as stream:
        check = subprocess.Popen(words, stdout=stream, start_new_session=True)
        while check.poll() is None:
            sampled(check.pid, seconds)
            sleep(_BETWEEN)
    found = json.loads(said.read_bytes() or b"{}").get("verdicts")
    if found != {"conforms": groups}:
        raise SystemExit(f"{groups} groups: {found}")
    return sum(seconds.values())


def alone(length: int, mapping: Path, seconds: float = 8.0) -> float:
    """Return the processor seconds that this process takes for a group, over so many seconds."""
    suite = catalogue.find(PROTOCOL)
    read = read_mapping(mapping, suite)
    checker = GroupChecker(suite, read, {}, (), Limits(), ("group",))
    texts = [json.dumps({**event, "group": 0}).encode() for event in islice(events(), length)]
    checker.verdict(texts)
    began, groups = process_time(), 0
    while process_time() < began + seconds:
        if checker.verdict(texts).verdict != "conforms":
            raise SystemExit("a group does not conform")
        groups += 1
    return (process_time() - began) / groups


def at_once(processes: int, length: int, mapping: Path) -> float:
    """Return what a group takes in one process of so many that are at work, on average."""
    with get_context("fork").Pool(processes) as pool:
        return mean(pool.starmap(alone, [(length, mapping)] * processes))


def main() -> None:
    """Print what a group costs in one process and on Spark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=360)
    parser.add_argument("--groups", type=int, nargs=2, default=[20, 220])
    parser.add_argument("--master", default="local[2]")
    asked = parser.parse_args()
    few, many = sorted(asked.groups)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mapping = mapped(folder)
        workers = int(re.sub(r"\D", "", asked.master.partition(",")[0]) or 1)
        ones, runs = [at_once(workers, asked.events, mapping)], []
        for n in (few, many):
            runs.append(on_spark(folder, n, asked.events, mapping, asked.master))
            ones.append(at_once(workers, asked.events, mapping))
        less, more = runs
        one, group = mean(ones), (more - less) / (many - few)
        print(
            f"one process of {workers}: {1000 * one:.2f} ms a group of {asked.events} events "
            f"({', '.join(f'{1000 * found:.2f}' for found in ones)})"
        )
        print(
            f"{asked.master}: {few} groups {less:.1f} s, {many} groups {more:.1f} s of processors"
        )
        print(f"{asked.master}: {1000 * group:.2f} ms a group, {group / one:.2f} times")


if __name__ == "__main__":
    main()
