"""Jobs: what makes two of them the same, what they answer, and how they end at a limit."""

import errno
import faulthandler
import os
from collections.abc import Mapping
from dataclasses import replace

import pytest

from bmc.engines.engine import ENGINES
from bmc.engines.isolation import Relay, Work, isolated
from bmc.engines.task import Task
from bmc.evidence.verdict import Result
from bmc.lang.protocol import action
from bmc.lang.state import Step
from bmc.lang.suite import Suite
from bmc.running.child import Child
from bmc.running.supervisor import Supervisor
from bmc.sweep.job import Job, JobLimits, Method, identity_of
from bmc.sweep.rows import settles
from bmc.sweep.runner import OtherModel, Tools, run_job
from tests.sweep.counters import LIMITS, METHOD, SUITE, TOOLS, Counter, describe, planned, request


def job(name: str = "Small", top: int = 4, method: Method = METHOD, **limits: float) -> Job:
    (made,) = planned(request(range(top, top + 1), names=name)).jobs
    given = JobLimits(limits.get("timeout", LIMITS.timeout), int(limits.get("memory", 2048)))
    return replace(made, method=method, limits=given, identity=identity_of(SUITE, name, method))


def test_a_violation_has_a_row_and_a_trace() -> None:
    finished = run_job(TOOLS, job())
    row = finished.row
    assert (row["verdict"], row["ended"], row["trace_states"]) == ("violated", "answered", 4)
    assert row["state_bits"] == 4
    assert row["peak_memory_mb"] > 10
    assert [path for path, _ in finished.evidence] == [row["trace"]]


def test_a_proof_has_a_row_and_a_certificate() -> None:
    finished = run_job(TOOLS, job("InRange"))
    assert finished.row["verdict"] == "proved"
    assert [path for path, _ in finished.evidence] == [finished.row["certificate"]]


@pytest.mark.parametrize("engine", [one.also or one.name for one in ENGINES])
def test_engines_answer_alike(engine: str) -> None:
    method = Method(engine, 6, "cadical", True)
    small = run_job(TOOLS, job(method=method)).row
    assert (small["verdict"], small["trace_states"]) == ("violated", 4)
    in_range = run_job(TOOLS, job("InRange", method=method)).row
    assert in_range["verdict"] == ("unknown" if engine == "check" else "proved")
    assert in_range["engine"] == ("bounded" if engine == "check" else engine)


def test_a_search_says_how_deep_it_is_clean() -> None:
    row = run_job(TOOLS, job("InRange", method=Method("check", 3, "cadical", True))).row
    assert (row["verdict"], row["ended"], row["depth"]) == ("unknown", "answered", 3)


class Loops:
    """Catalogues whose protocols never end, take all memory, die, or are others."""

    @staticmethod
    def slow(name: str) -> Suite:
        while True:
            pass

    @staticmethod
    def greedy(name: str) -> Suite:
        taken = [bytearray(2**24)]
        while True:
            taken.append(bytearray(2**24))

    @staticmethod
    def dying(name: str) -> Suite:
        # pytest would print where.
        faulthandler.disable()
        os.abort()

    @staticmethod
    def raising(name: str) -> Suite:
        raise ZeroDivisionError("oh")


@pytest.mark.parametrize(
    ("find", "ended", "reason"),
    [
        (Loops.greedy, "memory", "out of memory: 256 MB were not enough"),
        (Loops.dying, "crash", "SIGABRT"),
        (Loops.raising, "failed", "ZeroDivisionError: oh"),
    ],
)
def test_whatever_happens_there_is_a_row(find: object, ended: str, reason: str) -> None:
    row = run_job(Tools(find, describe), job(memory=256)).row  # type: ignore[arg-type]
    assert (row["verdict"], row["ended"]) == ("unknown", ended)
    assert reason in row["reason"]


class LateCounter(Counter):
    """A counter that begins at four only."""

    @action()
    def Init(self, s: Step) -> None:
        s.require(self.top == 4)
        s.value = 0
        s.round = 0


def test_a_protocol_without_an_initial_state_is_unknown_and_no_failure() -> None:
    late = replace(SUITE, protocol=LateCounter)
    tools = replace(TOOLS, find=lambda name: late)
    identity = identity_of(late, "Small", METHOD)
    assert run_job(tools, replace(job(), identity=identity)).row["verdict"] == "violated"
    row = run_job(tools, replace(job(top=3), identity=identity)).row
    assert (row["verdict"], row["ended"]) == ("unknown", "answered")
    assert "no state satisfies Init" in row["reason"]


def greedy(task: Task, relay: Relay) -> tuple[Result, ...]:
    taken = [bytearray(2**24)]
    while True:
        taken.append(bytearray(2**24))


def dying(task: Task, relay: Relay) -> tuple[Result, ...]:
    faulthandler.disable()
    os.abort()


@pytest.mark.parametrize(
    ("work", "ended", "reason"),
    [(greedy, "memory", "with 256 MB to use"), (dying, "crash", "killed by SIGABRT")],
)
def test_whatever_happens_to_the_engines_process_there_is_a_row(
    work: Work, ended: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "bmc.engines.kinduction.prove", lambda task, observer: isolated(work, task, observer)
    )
    row = run_job(TOOLS, job(memory=256)).row
    assert (row["verdict"], row["ended"]) == ("unknown", ended)
    assert reason in row["reason"]


class RefusedProcesses(Supervisor):
    """What starts processes, where the system has no more of them."""

    def start(self, *_: object, **__: object) -> Child:
        """Raise what the system says then."""
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")


def test_a_process_that_the_system_refuses_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bmc.engines.team.Supervisor", RefusedProcesses)
    row = run_job(TOOLS, job()).row
    assert (row["verdict"], row["ended"]) == ("unknown", "lost")
    assert "raise the limits of `ulimit -a`" in row["reason"]
    assert not settles({"implied_by": None, **row}, job())


def _lacks_memory(*_: object) -> None:
    raise MemoryError


def test_an_exploration_without_memory_is_asked_for_again_with_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bmc.engines.explored.ExplicitSearch.run", _lacks_memory)
    asked = job(method=replace(METHOD, engine="explicit"))
    row = {"implied_by": None, **run_job(TOOLS, asked).row}
    assert (row["verdict"], row["ended"]) == ("unknown", "memory")
    assert settles(row, asked)
    assert not settles(row, replace(asked, limits=JobLimits(asked.limits.timeout, 8192)))


def test_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bmc.sweep.runner._SECONDS_TO_CONCLUDE", -1.5)
    row = run_job(Tools(Loops.slow, describe), job(timeout=0.2)).row
    assert (row["verdict"], row["ended"]) == ("unknown", "timeout")
    assert "0.2 seconds" in row["reason"]


def test_the_engine_ends_by_itself_when_time_is_up() -> None:
    row = run_job(TOOLS, job("Small", 40, timeout=1e-6)).row
    assert (row["verdict"], row["ended"]) == ("unknown", "timeout")


class Changed(Counter):
    """The counter with another guard."""

    @action()
    def Count(self, s: Step) -> None:
        s.require(s.value < self.top - 1)
        s.value = s.value + 1


def changed(name: str) -> Suite:
    return Suite.of(Changed, "counter")


def test_an_executor_with_another_model_gives_no_row() -> None:
    with pytest.raises(OtherModel, match="--ship"):
        run_job(Tools(changed, describe), job())


def test_the_same_question_has_the_same_key_under_any_limits() -> None:
    assert job().key == job(timeout=1, memory=512).key
    assert job().key == job().key


def other_questions() -> Mapping[str, Job]:
    return {
        "property": job("InRange"),
        "parameters": job(top=5),
        "engine": job(method=replace(METHOD, engine="check")),
        "bound": job(method=replace(METHOD, depth=7)),
        "solver": job(method=replace(METHOD, solver="z3")),
        "lemmas": job(method=replace(METHOD, lemmas=False)),
        "model": replace(job(), identity=identity_of(changed(""), "Small", METHOD)),
        "versions": replace(job(), tools="another"),
    }


@pytest.mark.parametrize("what", list(other_questions()))
def test_another_question_has_another_key(what: str) -> None:
    assert other_questions()[what].key != job().key
