"""What `bmc prove --master` would be worth: measured here, simulated for more executors.

    python benchmarks/cluster_proof.py kafka -p replicas=5 … [--executors 2 4 8 64]

The proof is done twice: by the ordinary engine, in this process, and by what a cluster does, where
the tasks are processes that run one after the other, so that nobody disturbs anybody. Seconds are
those of the processor. From what each item and each opening of a service took, rounds are laid out
on executors that are only thought: some tasks for each core, as :mod:`bmc.sweep.crew` makes them,
and an opening for each core that has a task. A judge's share costs what all of them repeat, found
by making more of them, and its part of the rest. What the driver does alone is measured. What Spark
takes is given: to start, for a stage, for a task.

Each round is told as it ends, and each figure once it is known: the two proofs of a large protocol
take hours, and what was measured before somebody stops them is not lost.
"""

from __future__ import annotations

import argparse
import heapq
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import monotonic
from typing import Any

from bmc.cli.shared import catalogue
from bmc.cli.shared.request import Request
from bmc.engines.isolation import Relay
from bmc.engines.kinduction import Helpers, induct
from bmc.engines.task import SILENT, Deadline, Task
from bmc.evidence.certificate import Certificate
from bmc.evidence.certify import certify
from bmc.sweep.crew import Crew, shared_out
from bmc.sweep.obligations import ProofQuestion
from bmc.sweep.proofs import ClusterProof
from bmc.sweep.services import Served, ServiceShare, close_desks

_JUDGES = 4
_TOLD_EVERY = 20.0


@dataclass
class Round:
    """What a round of items took: of the processor, each answer and the opening before it."""

    judging: bool
    items: list[float] = field(default_factory=list)
    opening: float = 0.0
    repeated: float = 0.0

    def told(self, due: int) -> str:
        """Return in words what it took so far."""
        who = "judge" if self.judging else "finder"
        whole = f"{len(self.items)} of {due} items, {sum(self.items):.1f} s"
        return f"{who}: {whole}, the longest {max(self.items, default=0.0):.1f} s"


class _Recording:
    """Runs tasks here, one by one, and writes down what they took."""

    def __init__(self) -> None:
        self.rounds: list[Round] = []
        self.cores = 1

    def capacity(self) -> int:
        """As many shares are made of a certificate's questions."""
        return self.cores

    def hand_out(self, run: Callable[[Any, int], Iterable[Any]], tasks: Sequence[Any]) -> _Over:
        """Run the tasks of a round."""
        first: ServiceShare = tasks[0]
        found = Round(isinstance(first.items[0], int))
        self.rounds.append(found)
        due, said = sum(len(task.items) for task in tasks), []
        told = monotonic()
        for one in (answer for task in tasks for answer in run(task, 0)):
            said.append(one)
            if isinstance(one, Served):
                found.items.append(one.seconds)
                found.opening = max(found.opening, one.opening)
            if len(said) == due or monotonic() > told + _TOLD_EVERY:
                told = monotonic()
                _say(f"round {len(self.rounds)}, {found.told(due)}")
        return _Over(said)


class _Over:
    def __init__(self, said: list[Any]) -> None:
        self._said = said

    def launched(self) -> int:
        return 0

    def news(self) -> list[Any]:
        said, self._said = self._said, []
        return said

    def is_over(self) -> bool:
        return True


class _Quiet(Relay):
    def __init__(self) -> None:
        self.phase = self.fact = self.decided = self.so_far = lambda *_: None  # type: ignore[method-assign]


def _judge_again(
    hands: _Recording, proof: ClusterProof, certificate: Certificate, request: Request
) -> None:
    """Find out what several judges all do."""
    once = [one for one in hands.rounds if one.judging]
    kept, hands.rounds = hands.rounds, []
    hands.cores = _JUDGES
    certify(certificate, request.suite, panel=proof.panel(certificate))
    for alone, shared in zip(once, hands.rounds, strict=True):
        alone.repeated = max(0.0, (sum(shared.items) - sum(alone.items)) / (_JUDGES - 1))
    hands.rounds = kept


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _spent(who: int = RUSAGE_SELF) -> float:
    used = getrusage(who)
    return used.ru_utime + used.ru_stime


def on(executors: int, rounds: Sequence[Round], start: float, stage: float, task: float) -> float:
    """The seconds that rounds take on executors of a core each, after Spark's start."""
    clock = start
    for one in rounds:
        clock += stage
        costs = one.items
        if one.judging:
            # Whatever the number of shares was, the questions are the same.
            once = sum(costs) - one.repeated
            costs = [one.repeated + once / executors] * executors
        places = range(len(costs))
        shares = shared_out(list(places), lambda n, costs=costs: costs[n] + 1e-3, 3 * executors)
        free = [(0.0, True)] * executors
        heapq.heapify(free)
        for number, share in enumerate(shares):
            begin, closed = heapq.heappop(free)
            begin = max(begin, number * task)
            end = begin + sum(costs[n] for n in share) + (one.opening if closed else 0.0)
            heapq.heappush(free, (end, False))
        clock += max(end for end, _ in free)
    return clock


def _tell(rounds: Sequence[Round], driver: float) -> None:
    """Say what a proof took."""
    kinds: dict[bool, list[float]] = defaultdict(list)
    for each in rounds:
        kinds[each.judging] += [*each.items, each.opening]
    print(
        f"{sum(len(r.items) for r in rounds)} items in {len(rounds)} rounds: "
        f"{sum(kinds[False]):.1f} s for the finder, {sum(kinds[True]):.1f} s for the judge; "
        f"longest item {max(max(r.items) for r in rounds if not r.judging):.1f} s; "
        f"openings {sum(r.opening for r in rounds):.1f} s; the driver {driver:.1f} s",
        flush=True,
    )


def main() -> None:
    """Measure, and lay out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("protocol")
    parser.add_argument("-p", dest="parameters", action="append", default=[])
    parser.add_argument("--executors", nargs="*", type=int, default=[1, 2, 4, 8, 16, 64])
    parser.add_argument("--start", type=float, default=10.0, help="seconds")
    parser.add_argument("--stage", type=float, default=0.2, help="seconds")
    parser.add_argument("--task", type=float, default=0.01, help="seconds")
    asked = parser.parse_args()
    request = Request.of(asked.protocol, asked.parameters)
    task = Task(request.suite, request.parameters, request.claims(None, False))
    hands = _Recording()
    print(f"{request.name} {dict(task.parameters)}", flush=True)
    try:
        crew = Crew(hands, Deadline(None), SILENT)
        proof = ClusterProof(crew, ProofQuestion.of(catalogue.find, request.suite.name, task))
        before = _spent()
        found = induct(task, _Quiet(), Helpers(proof.induction, proof.panel))
        driver = _spent() - before
        _tell(hands.rounds, driver)
        certificate = next(r.certificate for r in found if r.certificate is not None)
        _judge_again(hands, proof, certificate, request)
    finally:
        close_desks()
    _say("the ordinary engine, in one process")
    before = _spent() + _spent(RUSAGE_CHILDREN)
    alone = induct(task, _Quiet())
    one = _spent() + _spent(RUSAGE_CHILDREN) - before
    assert [r.verdict for r in found] == [r.verdict for r in alone]
    print(f"one process: {one:.1f} s of the processor; load average {os.getloadavg()[0]:.1f}")
    for executors in asked.executors:
        seconds = driver + on(executors, hands.rounds, asked.start, asked.stage, asked.task)
        print(f"{executors:>4} executors: {seconds:>7.1f} s, {one / seconds:.2f} times as fast")


if __name__ == "__main__":
    main()
