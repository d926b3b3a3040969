"""Random TLA+ texts, judged by TLC and by bmc: states, levels, violations and their lengths.

    python benchmarks/tla_fuzz.py --tlc '/path/to/tlc -workers 1' --texts 100 --seed 0

Each text (`tla_random_texts.py`) is explored by both, with an invariant that is looked at in every
state. A text that bmc refuses is counted with the first words of the reason. A difference is
printed with its seed and ends with 1. So is a text that TLC's parser refuses and bmc does not.
``--keep DIR`` leaves the texts there.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tla_random_texts import text


@dataclass(frozen=True)
class Judged:
    """What one of the two said: states, levels, and a shortest violation's length in states."""

    distinct: int
    levels: int
    violated: int | None


class Refused(Exception):
    """There was no answer, for a reason."""


class Unread(Exception):
    """TLC's parser refuses a text."""


def by_tlc(folder: Path, command: str, seconds: float) -> Judged:
    """Return what TLC says.

    Raises Unread where it cannot read the text, and Refused where it raises an error of evaluation
    or takes too long.
    """
    asked = [*shlex.split(command), "-continue", "-config", "Fuzz.cfg", "Fuzz.tla"]
    said = _run(asked, folder, seconds)
    counted = re.search(r"(\d+) distinct states found, 0 states left", said)
    levels = re.search(r"depth of the complete state graph search is (\d+)", said)
    if "Parsing or semantic analysis failed" in said:
        raise Unread
    if counted is None or levels is None or "TLC threw an unexpected exception" in said:
        error = re.search(r"(?s)Error: (?!Invariant)(.{,300})", said)
        raise Refused("TLC: " + " ".join((error[1] if error else said[-300:]).split()))
    violated = None
    if "Inv is violated by the initial state" in said:
        violated = 1
    elif "Inv is violated" in said:
        first = said.split("Inv is violated", 1)[1].split("Error: Invariant", 1)[0]
        violated = len(re.findall(r"(?m)^State \d+:", first))
    return Judged(int(counted[1]), int(levels[1]), violated)


def by_bmc(folder: Path, seconds: float) -> Judged:
    """Return what ``bmc explore`` says; Refused with the reason where it says nothing."""
    asked = [sys.executable, "-m", "bmc", "explore", "Fuzz.tla", "--config", "Fuzz.cfg"]
    said = _run([*asked, "--continue", "--json"], folder, seconds)
    document = json.loads(said)
    if "error" in document:
        raise Refused(document["error"]["message"])
    if not document["complete"]:
        raise Refused(str(document["stopped_because"]))
    (claim,) = (r for r in document["results"] if r["property"] == "Inv")
    violated = None
    if claim["verdict"] == "violated":
        violated = len(claim["trace"])
    return Judged(document["distinct_states"], document["depth"], violated)


def _run(command: list[str], folder: Path, seconds: float) -> str:
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise Refused(f"no answer within {seconds:g} seconds") from None
    return done.stdout


CONFIGURATION = "INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\n"


def main() -> int:
    """Compare, and print the figures; 1 if the two differ anywhere."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tlc", required=True, help="the command that runs TLC")
    parser.add_argument("--texts", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first text")
    parser.add_argument("--seconds", type=float, default=120.0, help="for one text and one of both")
    parser.add_argument("--bare", action="store_true", help="leave out some parentheses")
    parser.add_argument("--keep", type=Path, help="a folder for the texts")
    given = parser.parse_args()
    told: Counter[str] = Counter()
    differ = 0
    for seed in range(given.seed, given.seed + given.texts):
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made) if given.keep is None else given.keep / str(seed)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "Fuzz.tla").write_text(text(seed, given.bare))
            (folder / "Fuzz.cfg").write_text(CONFIGURATION)
            try:
                ours = by_bmc(folder, given.seconds)
            except Refused as refusal:
                told["refused by bmc"] += 1
                print(f"{seed}: refused: {' '.join(str(refusal).split())[:200]}", flush=True)
                continue
            try:
                theirs = by_tlc(folder, given.tlc, given.seconds)
            except Unread:
                differ += 1
                print(f"{seed}: DIFFERENT: TLC cannot read what bmc explores", flush=True)
                continue
            except Refused as refusal:
                told["not judged by TLC"] += 1
                print(f"{seed}: {str(refusal)[-300:]}", flush=True)
                continue
            if ours != theirs:
                differ += 1
                print(f"{seed}: DIFFERENT: bmc {ours}, TLC {theirs}", flush=True)
            told["violated" if theirs.violated else "holds"] += 1
            told["states"] += theirs.distinct
    print(", ".join(f"{what}: {many:,}" for what, many in sorted(told.items())))
    print(f"different: {differ}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
