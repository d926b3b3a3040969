"""Random executions of each protocol, logged in part, and the same with one value changed.

    python benchmarks/conformance/random_executions.py [--number 1000] [--seconds S] [PROTOCOL…]

Each execution is written down as a system would log it, with a part of its arguments and of the
state (40, 10 or 3 of a hundred), and has to conform. Then one logged value is changed to another
one of its kind. The log has to be impossible there or later, or the execution that is found has
the changed value; a value that the protocol does not have at these parameters is refused, with its
line. What a bound of the model may be to blame for is undecided.

``--seconds`` is processor time for each protocol. Parameters are the protocol's defaults. Prints a
row for each protocol, and the seed of everything that is not as it should be; the exit code is 1
if a verdict was wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter
from math import inf
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bmc.cli.shared import catalogue
from bmc.conformance.checks import Claim
from bmc.conformance.core import LoggedValue
from bmc.conformance.errors import LogError
from bmc.conformance.reason import Reason
from bmc.conformance.search import Limits
from bmc.conformance.verdict import Conforms, Impossible
from tests.conformance.logged import Fields, Logged, checked, get, has, in_part, put, walk

LENGTH = 12
KEPT = (0.4, 0.1, 0.03)
LIMITS = Limits(seconds=60)
COLUMNS = (
    "conform",
    "unreadable",
    "here",
    "unnamed",
    "later",
    "possible",
    "refused",
    "undecided",
    "wrong",
)


def changed(logged: Logged, events: list[Fields], chance: random.Random) -> tuple[int, str] | None:
    """Change one value to another that its field has somewhere, or to the next number.

    Return its line and its path; None if no value has another one.
    """
    places = [
        (line, path, field)
        for line, event in enumerate(events, 1)
        for path, field in (*logged.leaves.items(), *arguments_of(event))
        if has(event, field)
    ]
    chance.shuffle(places)
    for line, path, field in places:
        value = get(events[line - 1], field)
        others = others_than(value, seen_at(logged, field))
        if others:
            put(events[line - 1], field, chance.choice(others))
            return line, path
    return None


def arguments_of(event: Fields) -> list[tuple[str, str]]:
    """Return the arguments that an event has, and the fields they are in."""
    return [(name, f"arguments.{name}") for name in event["arguments"]]


def seen_at(logged: Logged, field: str) -> list[Any]:
    """Return what an execution has in a field."""
    return [get(event, field) for event in logged.events if has(event, field)]


def others_than(value: Any, seen: list[Any]) -> list[Any]:
    """Return values of one kind with this one, without it."""
    found = list(seen)
    if isinstance(value, bool):
        found.append(not value)
    elif isinstance(value, int):
        found += [value + 1, value - 1] if value > 0 else [value + 1]
    return [one for one in found if one != value]


def named(reason: Reason, path: str) -> bool:
    """Whether a reason has what was logged of a part of the state or of an argument."""
    claims: list[Claim] = [one.claim for one in reason.differing]
    for missing in reason.no_choice:
        claims += missing.claims
    if reason.core is not None:
        claims += [one.claim for one in reason.core.logged if isinstance(one, LoggedValue)]
    return any(claim.check.path.text == path for claim in claims)


def one(protocol: str, seed: int, folder: Path) -> tuple[str, str] | None:
    """Return what came of an execution and of its change; None for one without a step."""
    logged = walk(protocol, seed, LENGTH)
    if not logged.events:
        return None
    chance = random.Random(seed)
    events = in_part(logged, chance, chance.choice(KEPT))
    mapping = logged.mapping()
    try:
        first = checked(folder, logged, events, mapping, LIMITS).verdict
    except LogError:
        # A map is logged whole only where its keys have an order of their own.
        return "unreadable", ""
    said = "conform" if isinstance(first, Conforms) else "wrong"
    if not isinstance(first, Conforms | Impossible):
        said = "undecided"
    events = json.loads(json.dumps(events))
    place = changed(logged, events, chance)
    if place is None:
        return said, "nothing to change"
    line, path = place
    try:
        second = checked(folder, logged, events, mapping, LIMITS).verdict
    except LogError as error:
        told = re.search(r"line (\d+): ", str(error))
        return said, "refused" if told is not None and int(told[1]) >= line else "wrong"
    match second:
        case Conforms():
            # It was replayed against the log with the change.
            return said, "possible"
        case Impossible(event=event, reason=reason):
            if event.line < line:
                return said, "wrong"
            if event.line > line:
                return said, "later"
            return said, "here" if named(reason, path) else "unnamed"
    return said, "undecided"


def main() -> int:
    """Print a row for each protocol; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("protocols", nargs="*", help="all of the catalogue, if none is named")
    parser.add_argument("--number", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=inf)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    failed = False
    print(
        f"{'protocol':<32}{'seconds':>9}{'executions':>12}" + "".join(f"{c:>11}" for c in COLUMNS)
    )
    with tempfile.TemporaryDirectory() as name:
        for protocol in given.protocols or sorted(catalogue.built_in()):
            began, tally, number = process_time(), Counter[str](), 0
            for seed in range(given.seed, given.seed + given.number):
                if process_time() - began > given.seconds:
                    break
                found = one(protocol, seed, Path(name))
                number += 1
                for said in found or ():
                    tally[said] += 1
                    if said in ("wrong", "unnamed", "undecided"):
                        failed |= said == "wrong"
                        print(f"{protocol} --seed {seed}: {said}", file=sys.stderr)
            row = "".join(f"{tally[column]:>11}" for column in COLUMNS)
            print(f"{protocol:<32}{process_time() - began:>9.1f}{number:>12}{row}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
