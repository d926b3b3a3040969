r"""Temporal claims as AIGER's justice and fairness, decided by ABC and by bmc.

    python benchmarks/aiger_justice.py --abc berkeley-abc [--random 100] [--seed 0] [--seconds 60] \
        [--random-only]

Claims of the classics at small sizes, those of the project's protocols at the least, and random
claims of random protocols under random fairness. ABC does not read the J and F sections: they
become outputs that its `l2s` takes for assumed fairness, beside a claim that no run meets, and its
`pdr` decides. bmc's verdict is that of the exploration. A disagreement is exit code 1.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bmc.cli.shared import catalogue
from bmc.engines.liveness.decide import decide
from bmc.engines.liveness.question import Question
from bmc.evidence.verdict import Verdict
from bmc.layout.inhabited import EmptySort
from bmc.readings.order import TRUE
from bmc.reports.exports.aiger import write_aiger
from bmc.system.fair_monitor import NotMonitored
from bmc.system.justice import grounded
from bmc.system.latches import Sequential, sequential
from bmc.system.transition import TransitionSystem
from bmc.system.watched import recurring
from tests.campaign.engines import NothingToCheck, TooMany
from tests.campaign.temporal import question_of

CLASSICS = Path(__file__).resolve().parents[1] / "docs/examples/classics"
WHOLE: Mapping[str, Mapping[str, int]] = {
    "mutual_exclusion.py:TestAndSet": {"processes": 2},
    "mutual_exclusion.py:TicketLine": {"processes": 2},
    "token_ring.py:TokenRing": {"processes": 2},
    "token_ring.py:GreedyRing": {"processes": 2},
    "leader_election.py:ChangRoberts": {"processes": 2},
    "dining_philosophers.py:Philosophers": {"philosophers": 2},
    "dining_philosophers.py:LastOneTurned": {"philosophers": 2},
    "alternating_bit.py:AlternatingBit": {"capacity": 1},
    "termination_detection.py:TerminationDetection": {"processes": 2},
    "kafka": {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1},
    "kafka-transactions": {"brokers": 1, "max_coordinator_changes": 0},
    "elasticsearch": {"max_client_value": 1, "max_messages": 2},
    "verified-log": {
        "log_nodes": 1,
        "num_replicas": 1,
        "max_segments": 2,
        "old_producer_timeouts": 0,
    },
}


def known() -> Iterator[tuple[str, Question]]:
    """Yield the claims that protocols of the project state."""
    for name, parameters in WHOLE.items():
        suite = catalogue.find(f"{CLASSICS / name}" if ":" in name else name)
        for claim in suite.temporal:
            yield f"{name} {claim.name}", Question(suite, parameters, (claim.name,))


def drawn(first: int, most: int) -> Iterator[tuple[str, Question]]:
    """Yield random claims, by the numbers of the random campaign."""
    for number in range(first, first + most):
        try:
            yield f"random {number}", question_of(number)
        except (TooMany, NothingToCheck):
            continue


def circuit(question: Question) -> Sequential:
    """Return the circuit of a question's one claim. Raises NotMonitored."""
    beside, justice = recurring(question.suite, question.claims[0])
    system = TransitionSystem(beside.model(False), question.parameters)
    return sequential(system, [], [], grounded(system, justice))


def as_assumptions(exported: Sequential) -> Sequential:
    """Return the circuit with what is to recur as bad outputs of the names that ABC looks for."""
    wanted = [*exported.justice[0], *exported.fairness]
    assumed = [replace(one, name=f"assume_fair_{n}") for n, one in enumerate(wanted)]
    # A false output: that it recurs is violated by every run that meets what is assumed.
    never = replace(wanted[0], name="assert_fair_0", literal=-TRUE)
    return replace(exported, bad=(never, *assumed), justice=(), fairness=())


def abc_says(command: str, exported: Sequential, seconds: int) -> str:
    """Return ``proved``, ``violated`` or ``unknown``."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "claim.aig")
        content = write_aiger(as_assumptions(exported), ["for ABC"])
        file.write_bytes(_with_plain_outputs(content))
        script = f"read {file}; l2s; pdr -T {seconds}"
        told = subprocess.run([command, "-c", script], capture_output=True, text=True).stdout
    if "was asserted in frame" in told:
        return "violated"
    return "proved" if "Property proved" in told else "unknown"


def _with_plain_outputs(content: bytes) -> bytes:
    """Return a file whose bad outputs are plain ones, of which ABC keeps the names."""
    head, rest = content.split(b"\n", 1)
    kind, most, inputs, latches, _, ands, bad = head.split()[:7]
    symbols = rest.rindex(b"b0 assert_fair_0")
    lines = rest[symbols:].split(b"\n")
    named = [b"o" + one[1:] if one.startswith(b"b") else one for one in lines]
    first = b" ".join([kind, most, inputs, latches, bad, ands])
    return first + b"\n" + rest[:symbols] + b"\n".join(named)


def main() -> int:
    """Print a line for each named claim and the counts of the random ones."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--abc", required=True, help="ABC's command")
    parser.add_argument("--random", type=int, default=100, help="numbers of random protocols")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first one")
    parser.add_argument("--seconds", type=int, default=60, help="ABC's limit for each")
    parser.add_argument("--random-only", action="store_true", help="leave the project's out")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    wrong = 0
    stated = iter(()) if given.random_only else known()
    for source in (stated, drawn(given.seed, given.random)):
        for name, question in source:
            (ours,) = decide(question)
            if ours.verdict is Verdict.UNKNOWN:
                counts["bmc unknown"] += 1
                continue
            try:
                theirs = abc_says(given.abc, circuit(question), given.seconds)
            except (NotMonitored, EmptySort):
                counts["not monitored"] += 1
                continue
            agreed = theirs in (ours.verdict.value, "unknown")
            wrong += not agreed
            counts[f"bmc {ours.verdict.value}, ABC {theirs}"] += 1
            if not agreed or not name.startswith("random"):
                print(f"{name}: bmc {ours.verdict.value}, ABC {theirs}", flush=True)
    for said, number in sorted(counts.items()):
        print(f"  {said:28} {number}")
    print(f"disagreements: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
