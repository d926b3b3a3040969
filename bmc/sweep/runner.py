"""What an executor does with a job: decide it inside its limits, and write its row."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import Any

from bmc.engines.confirmation import confirmed, confirmed_temporal
from bmc.engines.engine import engine, engine_of_row
from bmc.engines.isolation import GRACE
from bmc.engines.liveness.decide_by import decide_by
from bmc.engines.liveness.question import Question
from bmc.engines.task import SILENT, OutOfTime, Task
from bmc.evidence.certify import second_opinion
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.verdict import Result, Verdict, Why
from bmc.lang.errors import BmcError
from bmc.lang.fingerprint import fingerprint
from bmc.lang.suite import Suite
from bmc.running.child import OUT_OF_MEMORY
from bmc.solving.factory import create
from bmc.solving.interface import SolverError
from bmc.sweep import sandbox
from bmc.sweep.job import Job, as_row, claims_of, identity_of
from bmc.sweep.rows import Ended, unanswered
from bmc.sweep.walking import take_walks
from bmc.system.no_model import NO_MODEL

_SECONDS_TO_CONCLUDE = 5.0
_SHARE_THAT_MEANS_MEMORY = 0.5


class OtherModel(BmcError):
    """An executor has another text of a protocol than the driver: its answers would be wrong."""


def _as_it_is(name: str, parameters: Mapping[str, int]) -> tuple[str, dict[str, int]]:
    return name, dict(parameters)


def _never(name: str) -> bool:
    return False


@dataclass(frozen=True)
class Tools:
    """What a job needs from above the engines: functions that executors can import by name.

    ``find`` looks a protocol up, ``describe`` turns a violation, of a temporal claim too,
    into the text of a trace file.
    ``at`` says under which name to look for a protocol at parameter values, and which of the
    values are its parameters then. ``is_own`` says of a protocol that its text is bmc's own: it is
    read by the executor itself. Any other text is read inside its job's limits, whatever it does.
    """

    find: Callable[[str], Suite]
    describe: Callable[[Suite, Mapping[str, int], Result | TemporalResult], str]
    at: Callable[[str, Mapping[str, int]], tuple[str, dict[str, int]]] = _as_it_is
    is_own: Callable[[str], bool] = _never


@dataclass(frozen=True)
class Finished:
    """A job's row, and the files that belong to it: (path, text)."""

    row: Mapping[str, Any]
    evidence: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class _Decided:
    result: Result
    model: str
    trace: str | None
    certificate: str | None
    found: str | None = None
    traces: tuple[tuple[str, str], ...] = ()
    cut: bool = False


@cache
def prepare(solver: str, engine_name: str | None = None) -> None:
    """Load what jobs need, once, so that no job's process has to."""
    for name in (solver, second_opinion(solver)):
        # What cannot be loaded is said by the job that needs it.
        with suppress(SolverError):
            create(name)
    if engine_name is not None:
        import_module(engine_of_row(engine_name).module)


def run_job(tools: Tools, job: Job) -> Finished:
    """Decide one job. Whatever happens to its process, there is a row that says so."""
    prepare(job.method.solver, job.method.engine)
    if tools.is_own(job.protocol):
        # Read once here, every job's process has it.
        _read(tools.find, job.protocol, job.method.uses_lemmas)
    seconds = job.limits.timeout + GRACE + _SECONDS_TO_CONCLUDE
    outcome = sandbox.run(partial(_decide, tools, job), seconds, job.limits.memory_mb)
    if isinstance(outcome.error, OtherModel):
        raise outcome.error
    measured = {
        "seconds": round(outcome.seconds, 4),
        "peak_memory_mb": outcome.peak_mb,
        "host": socket.gethostname(),
    }
    if outcome.answer is None:
        ended, reason = _unanswered(outcome, job)
        return Finished({**unanswered(job, ended, reason), **measured})
    return _finished(job, outcome.answer, outcome, measured)


@lru_cache(maxsize=64)
def _read(find: Callable[[str], Suite], name: str, ghosts: bool) -> Suite:
    suite = find(name)
    suite.model(ghosts=ghosts)
    return suite


def _decide(tools: Tools, job: Job) -> _Decided:
    name, values = tools.at(job.protocol, job.parameters)
    own = tools.is_own(name)
    suite = _read(tools.find, name, job.method.uses_lemmas) if own else tools.find(name)
    if identity_of(suite, job.property, job.method) != job.identity:
        raise OtherModel(
            f"this executor has another text of {job.protocol} than the driver: if a file of it "
            "has changed since the sweep began, sweep again; else install the same bmc there, or "
            "send it along with --ship"
        )
    method = job.method
    if suite.is_temporal(job.property):
        return _decide_temporal(tools, job, suite, values)
    task = Task(
        suite,
        values,
        claims_of(job.property),
        method.depth,
        job.limits.timeout,
        method.lemmas,
        method.solver,
    )
    model = fingerprint(task.model(ghosts=method.uses_lemmas), task.parameters)
    if job.seeds is not None:
        describe = partial(tools.describe, suite, task.parameters)
        walked = take_walks(task, job.property, job.seeds, job.slug, describe)
        found, cut = walked.met.to_json(), walked.cut
        return _Decided(walked.result, model, None, None, found, walked.files, cut)
    (result,) = confirmed(task, engine(method.engine).prove(task, SILENT))
    trace = None
    if result.trace is not None:
        trace = tools.describe(suite, task.parameters, result)
    proof = result.proof()
    certificate = None if proof is None else proof.text
    return _Decided(result, model, trace, certificate)


def _decide_temporal(tools: Tools, job: Job, suite: Suite, values: Mapping[str, int]) -> _Decided:
    method = job.method
    question = Question(suite, values, (job.property,), job.limits.timeout, depth=method.depth)
    (found,) = confirmed_temporal(suite, decide_by(method.engine, question))
    lasso, certificate = found.lasso, found.certificate
    result = Result(
        found.property,
        found.verdict,
        found.engine,
        found.seconds,
        k=None if certificate is None else certificate.k,
        depth=found.depth,
        trace=None if lasso is None else lasso.trace,
        certificate=certificate,
        reason=found.reason,
        why=found.why,
        exit=found.exit,
        checked_by=found.checked_by,
    )
    return _Decided(
        result,
        fingerprint(suite.model(ghosts=False), question.parameters),
        None if lasso is None else tools.describe(suite, question.parameters, found),
        None if certificate is None else certificate.text,
    )


def _finished(
    job: Job,
    decided: _Decided,
    outcome: sandbox.WorkEnd[_Decided],
    measured: Mapping[str, Any],
) -> Finished:
    result = decided.result
    evidence = []
    paths: dict[str, str | None] = {"trace": None, "certificate": None}
    for kind, text in (("trace", decided.trace), ("certificate", decided.certificate)):
        if text is not None:
            path = f"{kind}s/{job.slug}.json"
            paths[kind] = path
            evidence.append((path, text))
    evidence += decided.traces
    paths["trace"] = evidence[0][0] if decided.traces else paths["trace"]
    row = {
        **as_row(job),
        **measured,
        **paths,
        "verdict": result.verdict.value,
        "ended": (Ended.TIMEOUT if decided.cut else _ended(result, job, outcome)).value,
        "engine": result.engine,
        "k": result.k,
        "depth": result.depth,
        "trace_states": None if result.trace is None else len(result.trace),
        "checked_by": result.checked_by,
        "reason": _explained(result, job),
        "model": decided.model,
        "found": decided.found,
    }
    return Finished(row, tuple(evidence))


def _ended(result: Result, job: Job, outcome: sandbox.WorkEnd[_Decided]) -> Ended:
    """What ended a job that has a result: an engine answers for a process that died."""
    if result.verdict is not Verdict.UNKNOWN:
        return Ended.ANSWERED
    if _refused(result):
        return Ended.LOST
    if result.why is Why.DIED:
        # Out of memory, Python still ends in good order; native code aborts or is killed.
        out_of_memory = result.exit == OUT_OF_MEMORY
        return Ended.MEMORY if out_of_memory else _memory_or_crash(job, outcome.grown_mb)
    if result.why is Why.MEMORY:
        return Ended.MEMORY
    if result.why is Why.TIME or outcome.seconds >= job.limits.timeout:
        return Ended.TIMEOUT
    return Ended.ANSWERED


def _refused(result: Result) -> bool:
    """Whether the system let the engine's process not begin, which may be otherwise next time."""
    return result.why is Why.DIED and result.exit is None


def _explained(result: Result, job: Job) -> str | None:
    # A job's limit of memory is its own, and none of the system's to be raised.
    if _refused(result) or (result.why is not Why.DIED and result.exit != OUT_OF_MEMORY):
        return result.reason
    died = "out of memory" if result.exit == OUT_OF_MEMORY else _died(result.exit)
    return f"the engine's process died ({died}, with {job.limits.memory_mb} MB to use)"


def _memory_or_crash(job: Job, grown_mb: float | None) -> Ended:
    near = grown_mb is not None and grown_mb >= _SHARE_THAT_MEANS_MEMORY * job.limits.memory_mb
    return Ended.MEMORY if near else Ended.CRASH


def _unanswered(outcome: sandbox.WorkEnd[_Decided], job: Job) -> tuple[Ended, str]:
    limits = job.limits
    error = outcome.error
    if outcome.timed_out:
        return Ended.TIMEOUT, f"killed: the time limit of {limits.timeout:g} seconds passed"
    if error is None:
        died = _died(outcome.exit)
        return (
            _memory_or_crash(job, outcome.grown_mb),
            f"the job's process died ({died}, with {limits.memory_mb} MB to use)",
        )
    text = " ".join(str(error).split())
    if isinstance(error, MemoryError) or "out of memory" in text.lower():
        return Ended.MEMORY, f"out of memory: {limits.memory_mb} MB were not enough"
    if isinstance(error, OutOfTime):
        return Ended.TIMEOUT, text
    if isinstance(error, NO_MODEL):
        return Ended.ANSWERED, text
    return Ended.FAILED, f"{type(error).__name__}: {text}" if text else type(error).__name__


def _died(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"
