"""What goes wrong inside bmc is told apart from verdicts, and an interruption loses nothing."""

import os
from collections.abc import Callable
from dataclasses import replace
from errno import EAGAIN, EFBIG, EMFILE, ENOENT, ENOMEM, ENOSPC, ENOSYS, EROFS
from itertools import count
from pathlib import Path
from threading import Thread

import pytest

from bmc.cli.shared.advice import advice
from bmc.cli.shared.catalogue import find
from bmc.engines.explicit import explore
from bmc.engines.task import Interrupted, Observer, OutOfTime, Task
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.trace import Trace, TraceStep
from bmc.evidence.verdict import Contradiction, Result, Verdict, Why
from bmc.lang.properties import Kind
from tests.cli.running import Answered, bmc, install

ENGINES = {
    "prove": ("bmc.engines.portfolio", "prove"),
    "check": ("bmc.engines.shortest", "shortest_violations"),
    "explore": ("bmc.engines.parted.search", "explore_by_processes"),
}
Behaviour = Callable[[Task, Observer], tuple[Result, ...]]


def run_with(
    monkeypatch: pytest.MonkeyPatch, command: str, behaviour: Behaviour, *more: str
) -> Answered:
    """The command on a protocol, with an engine that behaves as given."""
    module, name = ENGINES[command]
    install(
        monkeypatch, module, **{name: lambda task, observer, **limits: behaviour(task, observer)}
    )
    return bmc(command, "id-sequence", "--property", "TypeOk", *more)


def raising(error: BaseException) -> Behaviour:
    def behaviour(task: Task, observer: Observer) -> tuple[Result, ...]:
        raise error

    return behaviour


@pytest.mark.parametrize("command", ENGINES)
def test_an_unexpected_exception_is_four(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    answered = run_with(monkeypatch, command, raising(KeyError("lost")))
    assert answered.code == 4
    assert answered.out == ""
    (line,) = answered.err.splitlines()
    assert "internal failure: KeyError: 'lost'" in line
    assert "report it" in line


@pytest.mark.parametrize("number", [EFBIG, EMFILE, ENOENT, ENOSPC, ENOSYS, EROFS])
def test_a_system_that_has_no_room_is_a_limit_met(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """As one of time or memory is: nothing is known, and no bug is to be reported."""
    answered = run_with(monkeypatch, "prove", raising(OSError(number, os.strerror(number))))
    assert answered.code == 3
    assert f"the system refuses what bmc needs to work: {os.strerror(number)}" in answered.err
    assert "bug" not in answered.err


def test_a_system_that_has_no_thread_left_is_a_limit_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """`ulimit -u` counts threads, and Python tells of it in words alone."""

    def refuse(thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refuse)
    answered = bmc("check", "id-sequence", "--depth", "2")
    assert answered.code == 3
    assert "refuses what bmc needs to work: can't start new thread. Make room" in answered.err
    assert "bug" not in answered.err


def refusing_processes(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Let the system start so many processes and no more, as `ulimit -u` does."""
    fork, started = os.fork, count()

    def limited() -> int:
        if next(started) >= after:
            raise BlockingIOError(EAGAIN, os.strerror(EAGAIN))
        return fork()

    monkeypatch.setattr(os, "fork", limited)


@pytest.mark.parametrize("started", [1, 2])
@pytest.mark.parametrize("command", ["prove", "check"])
def test_a_process_that_the_system_refuses_costs_no_verdict(
    monkeypatch: pytest.MonkeyPatch, command: str, started: int
) -> None:
    """What makes a trace simpler, and an engine beside the one that has the answer, are aids."""
    refusing_processes(monkeypatch, started)
    answered = bmc(command, "replicated-log-retention", "-P", "TypeOk", "--json")
    (result,) = answered.document["results"]
    assert (answered.code, result["verdict"]) == (1, "violated"), answered.err


@pytest.mark.parametrize("command", ["prove", "check"])
def test_an_engine_that_the_system_refuses_says_what_to_raise(
    monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    refusing_processes(monkeypatch, 0)
    answered = bmc(command, "id-sequence", "-P", "TypeOk", "--json")
    (result,) = answered.document["results"]
    assert (answered.code, result["verdict"]) == (3, "unknown")
    assert "raise the limits of `ulimit -a`" in result["reason"]


def test_a_judge_that_the_system_refuses_costs_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine that found it asks the questions, and answers other claims, too."""
    refusing_processes(monkeypatch, 1)
    asked = ("-P", "TypeOk", "-P", "LeaderInIsr", "-p", "replicas=2", "-p", "max_leader_epoch=1")
    answered = bmc("prove", "kafka", *asked, "--engine", "kinduction", "--json")
    found = {result["property"]: result for result in answered.document["results"]}
    assert answered.code == 1, answered.err
    assert found["LeaderInIsr"]["verdict"] == "violated"
    assert found["TypeOk"]["verdict"] == "proved"
    assert found["TypeOk"]["checked_by"].startswith("bitwuzla")


@pytest.mark.parametrize(
    "error",
    [
        MemoryError("Unable to allocate 8.00 MiB for an array"),
        ImportError("libsolver.so: failed to map segment from shared object"),
        OSError(ENOMEM, os.strerror(ENOMEM)),
    ],
)
def test_a_lack_of_memory_is_a_limit_met(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Whoever meets it: `mine` and `infer` work in the command's own process."""
    answered = run_with(monkeypatch, "prove", raising(error))
    assert answered.code == 3
    assert "no memory was left" in answered.err
    assert "bug" not in answered.err


def test_the_traceback_is_there_for_those_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = run_with(monkeypatch, "prove", raising(KeyError("lost")), "--verbose")
    assert answered.code == 4
    assert "Traceback (most recent call last)" in answered.err


@pytest.mark.parametrize("command", ENGINES)
def test_a_contradiction_is_four_and_no_verdict(
    monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    answered = run_with(monkeypatch, command, raising(Contradiction("two say two")), "--json")
    assert answered.code == 4
    assert answered.document["error"]["kind"] == "Contradiction"
    assert "two say two" in answered.err


@pytest.mark.parametrize("command", ENGINES)
def test_ctrl_c_says_what_was_learnt(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    def behaviour(task: Task, observer: Observer) -> tuple[Result, ...]:
        observer.phase("searching depth 7")
        observer.fact("six lemmas hold")
        raise KeyboardInterrupt

    text = run_with(monkeypatch, command, behaviour)
    assert text.code == 3
    assert "interrupted" in text.out
    assert "six lemmas hold" in text.out
    assert "searching depth 7" in text.out
    answered = run_with(monkeypatch, command, behaviour, "--json")
    assert answered.code == 3
    (result,) = answered.document["results"]
    assert (result["verdict"], result["reason"]) == ("unknown", "interrupted")
    assert "six lemmas hold" in answered.document["facts"]


@pytest.mark.parametrize("command", ["prove", "check"])
def test_what_was_decided_before_ctrl_c_counts(
    monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    trace = Trace((TraceStep(None, {}, {"nextId": 0}),))

    def behaviour(task: Task, observer: Observer) -> tuple[Result, ...]:
        observer.decided(Result("TypeOk", Verdict.VIOLATED, "bounded", 0.1, trace=trace))
        raise KeyboardInterrupt

    answered = run_with(monkeypatch, command, behaviour, "--json")
    assert answered.code == 1
    assert answered.document["results"][0]["verdict"] == "violated"


def interrupted(error: KeyboardInterrupt) -> Callable[..., None]:
    def behaviour(*arguments: object, **options: object) -> None:
        raise error

    return behaviour


def test_coverage_until_ctrl_c_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts and what is missed of a search that was not let finish."""
    suite = find("id-sequence")
    task = Task(suite, {"max_id": 9}, tuple(d.name for d in suite.declared(Kind.WITNESS)))
    found = replace(explore(task, max_depth=2), complete=False, stopped_because="interrupted")
    monkeypatch.setattr("bmc.engines.explicit.explore", interrupted(Interrupted(found)))
    text = bmc("cover", "id-sequence")
    assert f"{found.distinct_states} states explored, not all (interrupted)" in text.out
    assert "NextId" in text.out
    document = bmc("cover", "id-sequence", "--json").document
    assert (document["distinct_states"], document["complete"]) == (found.distinct_states, False)


def test_ctrl_c_while_a_trace_is_made_simpler_keeps_the_violation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bmc.engines.minimisation.simplest", interrupted(KeyboardInterrupt()))
    asked = ("replicated-log-retention", "-p", "replicas=2", "-P", "TypeOk")
    for command in (("check", "--depth", "4"), ("explore",), ("prove", "--engine", "kinduction")):
        answered = bmc(command[0], *asked, *command[1:], "--json")
        assert answered.code == 1, command
        (result,) = answered.document["results"]
        assert len(result["trace"]) == 5


def test_ctrl_c_leaves_no_partial_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    answered = run_with(
        monkeypatch, "prove", raising(KeyboardInterrupt()), "--certificate", str(file)
    )
    assert answered.code == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["prove", "check"])
def test_the_time_limit_is_unknown(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    late = raising(OutOfTime("the time limit has passed"))
    answered = run_with(monkeypatch, command, late, "--json")
    assert answered.code == 3
    assert answered.document["results"][0]["reason"] == "the time limit has passed"


def test_a_failing_remark_does_not_cost_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def proved(task: Task, observer: Observer) -> tuple[Result, ...]:
        return tuple(Result(n, Verdict.PROVED, "kinduction", 0.1, k=1) for n in task.properties)

    install(monkeypatch, "bmc.engines.portfolio", prove=proved)
    monkeypatch.setattr("bmc.cli.shared.refuted.check", raising(KeyboardInterrupt()))
    answered = bmc("prove", "kafka", "--json")
    assert answered.code == 0
    assert {r["verdict"] for r in answered.document["refuted"]} == {"unknown"}


def verdicts(*found: Verdict) -> Behaviour:
    names = ["TypeOk", "WeakIsr", "StrongIsr"]

    def behaviour(task: Task, observer: Observer) -> tuple[Result, ...]:
        return tuple(Result(n, v, "kinduction", 0.0) for n, v in zip(names, found, strict=False))

    return behaviour


@pytest.mark.parametrize(
    ("found", "code"),
    [
        ((Verdict.PROVED, Verdict.PROVED), 0),
        ((Verdict.PROVED, Verdict.UNKNOWN), 3),
        ((Verdict.UNKNOWN, Verdict.VIOLATED, Verdict.PROVED), 1),
    ],
)
def test_the_worst_verdict_decides(
    monkeypatch: pytest.MonkeyPatch, found: tuple[Verdict, ...], code: int
) -> None:
    install(monkeypatch, "bmc.engines.portfolio", prove=verdicts(*found))
    monkeypatch.setattr("bmc.cli.shared.refuted.check", verdicts())
    assert bmc("prove", "kafka").code == code


def test_advice_that_fails_costs_no_verdict(monkeypatch: pytest.MonkeyPatch, counter: str) -> None:
    """Whatever the study of a failed induction meets, the verdicts are what was asked for."""

    def fails(*arguments: object, **options: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr("bmc.analysis.cti.study", fails)
    monkeypatch.setattr("bmc.analysis.validity_core.explain", fails)
    asked = ("prove", f"{counter}:Counter", "--engine", "kinduction", "--explain")
    answered = bmc(*asked, "--k", "1", "-P", "InRange", "-P", "Small", "--json")
    verdicts = {r["property"]: r["verdict"] for r in answered.document["results"]}
    assert verdicts["InRange"] == "proved"
    assert answered.code in (1, 3)
    assert "The verdicts stand" in answered.err


def test_an_explanation_takes_what_is_left_of_the_limit(
    monkeypatch: pytest.MonkeyPatch, counter: str
) -> None:
    """It went on for a minute after it."""
    given: list[float] = []

    def explain(task: object, results: object, seconds: float, observer: object) -> None:
        given.append(seconds)

    monkeypatch.setattr("bmc.analysis.validity_core.explain", explain)
    asked = ("prove", f"{counter}:Counter", "-P", "InRange", "--explain")
    assert bmc(*asked, "--timeout", "50").code == bmc(*asked).code == 0
    limited, free = given
    assert limited < 50 < free


def test_advice_that_contradicts_the_verdict_is_loud(counter: str) -> None:
    def contradicts() -> None:
        raise Contradiction("two say two")

    with pytest.raises(Contradiction):
        advice("the advice", contradicts)


@pytest.mark.parametrize("command", ["prove", "check"])
@pytest.mark.parametrize("early", [True, False])
def test_ctrl_c_while_behaviours_are_looked_at_keeps_what_is_proved(
    command: str, early: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was known of the other claims, of states and of behaviours, was lost."""
    decided = TemporalResult("LeaderComesUp", Verdict.PROVED, "Spec", 0.1)
    open_ = TemporalResult("FollowerComesUp", Verdict.UNKNOWN, "Spec", 0.1, why=Why.INTERRUPTED)
    stop = KeyboardInterrupt() if early else Interrupted((decided, open_))
    monkeypatch.setattr("bmc.engines.liveness.decide_by.decide_by", interrupted(stop))
    claims = [word for one in ("TypeOk", decided.property, open_.property) for word in ("-P", one)]
    asked = bmc(command, "kafka", "-p", "replicas=1", *claims, "--json")
    expected = "unknown" if early else "proved"
    verdicts = [one["verdict"] for one in asked.document["results"]]
    assert (asked.code, verdicts[1:]) == (3, [expected, "unknown"])
    assert verdicts[0] == ("proved" if command == "prove" else "unknown")


@pytest.mark.parametrize("command", ["prove", "check"])
def test_ctrl_c_while_a_file_is_written_keeps_the_verdicts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    monkeypatch.setattr("os.replace", interrupted(KeyboardInterrupt()))
    asked = [command, "replicated-log-retention", "-p", "replicas=2", "-P", "TypeOk"]
    wanted = tmp_path / "trace.json"
    if command == "prove":
        asked = [command, "id-sequence", "--engine", "kinduction"]
        wanted = tmp_path / "proof.json"
    option = "--certificate" if command == "prove" else "--trace"
    answered = bmc(*asked, option, str(wanted), "--json")
    verdict, code = ("proved", 3) if command == "prove" else ("violated", 1)
    assert [r["verdict"] for r in answered.document["results"]] == [verdict]
    assert (answered.code, wanted.exists()) == (code, False)
    assert "interrupted: a file that was asked for may be missing" in answered.err


def test_ctrl_c_while_the_document_is_made_leaves_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bmc.reports.documents.document", interrupted(KeyboardInterrupt()))
    asked = bmc("check", "id-sequence", "--depth", "1", "--json")
    assert (asked.code, asked.document["error"]["message"]) == (3, "interrupted")
