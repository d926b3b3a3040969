"""A job of random walks: its seeds one after the other, on one system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from bmc.engines.engine import WALKS
from bmc.engines.simulate import Ground, Simulation, Walks
from bmc.engines.task import Task
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Result, Verdict
from bmc.evidence.wording import count
from bmc.running.file_names import names_apart
from bmc.sweep.findings import Findings, Shortest
from bmc.sweep.seeds import Seeds


@dataclass(frozen=True)
class OfSeeds:
    """A job's answer: ``result`` is about all its claims, ``met`` says what became of each.

    ``files`` are the traces, (path, text) pairs, that of the shortest violation first. ``cut``
    says that the time was over before all seeds had walked.
    """

    result: Result
    met: Findings
    files: tuple[tuple[str, str], ...]
    cut: bool


def take_walks(
    task: Task, property: str, seeds: Seeds, slug: str, describe: Callable[[Result], str]
) -> OfSeeds:
    """Walk with each of the seeds, and watch the task's claims.

    A seed takes the walks that `bmc simulate --seed` takes. It ends early at the task's time limit,
    and where the model leaves its bounds. Every violation was replayed, and taken on the text that
    a protocol was translated from. Raises what :func:`bmc.engines.simulate.simulate` does.
    """
    ground, met = Ground(task), Findings()
    shortest: dict[str, tuple[Trace, int]] = {}
    times: dict[str, int] = {}
    for seed in range(seeds.first, seeds.last + 1):
        found = ground.walked(Walks(seeds.walks, task.depth, seed))
        met.add(_of(found))
        for name, trace in found.violations.items():
            times[name] = times.get(name, 0) + 1
            if name not in shortest or len(trace) < len(shortest[name][0]):
                shortest[name] = trace, seed
        if found.without_value and found.stopped_because is None:
            open_ones = found.without_value.values()
            met.stopped_because = f"seed {seed}: {'; '.join(r.reason or '' for r in open_ones)}"
            break
        if found.stopped_because is not None:
            met.stopped_because = f"seed {seed}: {found.overflow_reason or found.stopped_because}"
            break
    files = []
    called = dict(zip(task.properties, names_apart(task.properties), strict=True))
    for name, (trace, seed) in sorted(shortest.items(), key=lambda one: len(one[1][0])):
        violated = _violation(name, trace, met)
        text, path = describe(violated), f"traces/{slug}-{called[name]}.json"
        files.append((path, text))
        digest = sha256(text.encode()).hexdigest()
        met.violated[name] = Shortest(times[name], len(trace), seed, path, digest)
    least = min((trace for trace, _ in shortest.values()), key=len, default=None)
    cut = met.stopped_because is not None and ground.deadline.remaining() == 0
    return OfSeeds(_result(property, task, least, met), met, tuple(files), cut)


def _of(found: Simulation) -> Findings:
    happened = {name: int(steps > 0) for name, steps in found.fired.items()}
    ended = int(found.stopped_because is None)
    return Findings(ended, found.walks, found.steps, found.dead_ends, dict(found.fired), happened)


def _violation(name: str, trace: Trace, met: Findings) -> Result:
    reason = f"the trace need not be the shortest: the shortest on {count(met.walks, 'walk')}"
    verdict, depth = Verdict.VIOLATED, len(trace) - 1
    return Result(name, verdict, WALKS.name, 0.0, depth=depth, trace=trace, reason=reason)


def _result(property: str, task: Task, shortest: Trace | None, met: Findings) -> Result:
    """What a job says of all its claims: violated if one of them is."""
    if shortest is not None:
        return _violation(property, shortest, met)
    said = met.stopped_because or f"not violated on {count(met.steps, 'random step')}"
    # Only a job that took all its walks has searched as deep as it was told to.
    depth = task.depth if met.stopped_because is None else None
    return Result(property, Verdict.UNKNOWN, WALKS.name, 0.0, depth=depth, reason=said)
