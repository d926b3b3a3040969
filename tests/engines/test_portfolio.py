"""Side by side: the first verdict wins, the losers end, and a contradiction is fatal."""

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bmc.engines import portfolio
from bmc.engines.agreement import require_agreement
from bmc.engines.kinduction import induct
from bmc.engines.portfolio import Contender, Portfolio
from bmc.engines.task import SILENT, Deadline, Observer, OutOfTime, ReChecking, Silent, Task
from bmc.engines.team import Relay, Work
from bmc.evidence.trace import CounterexampleToInduction, Trace, TraceStep
from bmc.evidence.verdict import Contradiction, Result, Verdict
from bmc.lang.errors import LanguageError
from bmc.lang.protocol import Protocol
from bmc.layout.affordable import TooLarge
from bmc.running.memory import MEGABYTE, resident_bytes
from bmc.system.transition import NoInitialState
from tests.engines import machines

NAME = "NeverAtTheEnd"


def task(protocol: type[Protocol] = machines.DeadEnd, *names: str, bound: int = 10) -> Task:
    return Task(machines.suite(protocol), {}, names or (NAME,), depth=bound)


def trace(states: int) -> Trace:
    return Trace(tuple(TraceStep(None, {}, {"place": i}) for i in range(states)))


def proved() -> Result:
    return Result(NAME, Verdict.PROVED, "one", 0.1)


def violated(states: int) -> Result:
    return Result(NAME, Verdict.VIOLATED, "other", 0.1, trace=trace(states), depth=states - 1)


def unknown(depth: int | None = None, reason: str = "too hard") -> Result:
    return Result(NAME, Verdict.UNKNOWN, "third", 0.1, depth=depth, reason=reason)


def answering(*said: Result, after: float = 0.0, then: float = 0.0) -> Work:
    def work(task: Task, observer: Relay) -> tuple[Result, ...]:
        time.sleep(after)
        for result in said:
            observer.so_far(result)
        time.sleep(then)
        return said

    return work


def raising(error: Exception) -> Work:
    def work(task: Task, observer: Relay) -> tuple[Result, ...]:
        raise error

    return work


def stubborn(file: Path) -> Work:
    """Writes its process's number down, and then cannot be interrupted from within."""

    def work(task: Task, observer: Relay) -> tuple[Result, ...]:
        file.write_text(str(os.getpid()), encoding="ascii")
        return (proved(),) if pow(3, 10**9, 10**400_000) else ()

    return work


def race(works: Sequence[Work], asked: Task | None = None, observer: Observer = SILENT) -> Result:
    named = [Contender(f"e{i}", f"engine {i}", work) for i, work in enumerate(works)]
    return Portfolio(asked or task(), observer, named).run()[0]


class Listening(Silent):
    """Keeps the facts."""

    def __init__(self) -> None:
        self.facts: list[str] = []

    def fact(self, text: str) -> None:
        self.facts.append(text)


def is_alive(file: Path) -> bool:
    return Path(f"/proc/{file.read_text(encoding='ascii')}").exists()


def test_the_first_verdict_wins_and_the_losers_are_stopped_inside_a_computation(
    tmp_path: Path,
) -> None:
    file = tmp_path / "pid"
    heard = Listening()

    def first(task: Task, observer: Relay) -> tuple[Result, ...]:
        while not (file.exists() and file.read_text(encoding="ascii")):
            time.sleep(0.02)
        return (violated(3),)

    result = race([first, stubborn(file)], observer=heard)
    assert result.verdict is Verdict.VIOLATED
    assert not is_alive(file)
    assert any(f"engine 0: decided {NAME}" in fact for fact in heard.facts)
    assert any("engine 1: stopped" in fact for fact in heard.facts)


def test_engines_that_contradict_each_other_are_fatal() -> None:
    with pytest.raises(Contradiction, match="engine 1 proves NeverAtTheEnd, and engine 0"):
        race([answering(violated(3), then=60), answering(proved(), then=60)])


CONTRADICTIONS = {
    "a proof and a trace": (proved(), violated(2)),
    "a trace and a depth that is clean": (violated(3), unknown(depth=2)),
    "a proof and bounds that are left": (proved(), replace(unknown(), overflow=trace(2))),
}
AGREEMENTS = {
    "two proofs": (proved(), proved()),
    "two traces": (violated(3), violated(5)),
    "a trace beyond what is clean": (violated(3), unknown(depth=1)),
    "a proof and a clean depth": (proved(), unknown(depth=7)),
    "nothing known": (unknown(), unknown()),
}


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_what_cannot_both_be_true(case: str) -> None:
    one, other = CONTRADICTIONS[case]
    for said in ({"a": one, "b": other}, {"a": other, "b": one}):
        with pytest.raises(Contradiction, match=NAME):
            require_agreement(NAME, said)


@pytest.mark.parametrize("case", AGREEMENTS)
def test_what_can_both_be_true(case: str) -> None:
    one, other = AGREEMENTS[case]
    require_agreement(NAME, {"a": one, "b": other})
    require_agreement(NAME, {"a": other, "b": one})


def test_the_time_limit_holds_inside_a_computation(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    result = race([stubborn(file), answering(unknown(4))], replace(task(), timeout=2.0))
    assert result.verdict is Verdict.UNKNOWN
    assert (result.reason or "").startswith("the time limit has passed")
    assert result.depth == 4
    assert not is_alive(file)


def hoard(task: Task, observer: Relay) -> tuple[Result, ...]:
    observer.so_far(unknown(1))
    kept = []
    for _ in range(200):
        kept.append(bytearray(os.urandom(1 << 20)) * 10)
        time.sleep(0.02)
    return (proved(),)


def hoard_at_once(task: Task, observer: Relay) -> tuple[Result, ...]:
    return (proved(),) if len(b"\1" * (4 << 30)) else ()


@pytest.mark.parametrize("work", [hoard, hoard_at_once])
def test_the_memory_limit_holds_and_others_go_on(work: Work) -> None:
    # Each of two processes begins with the memory of the one that runs the tests.
    megabytes = 400 + 2 * (resident_bytes() // MEGABYTE)
    limited = replace(task(), memory=megabytes)
    alone = race([work], limited)
    assert alone.verdict is Verdict.UNKNOWN
    assert f"memory limit of {megabytes} MB" in (alone.reason or "")
    other = race([work, answering(violated(3), after=1.5)], limited)
    assert other.verdict is Verdict.VIOLATED


def test_an_engine_that_the_system_leaves_no_memory_says_so() -> None:
    """It said that its process ended (exit 86)."""
    reason = race([raising(MemoryError())]).reason
    assert reason is not None
    assert reason.startswith("no memory was left to go on with")


def test_an_engine_that_fails_does_not_take_the_others_with_it() -> None:
    heard = Listening()
    works = [raising(KeyError("lost")), answering(violated(3), after=0.2)]
    assert race(works, observer=heard).verdict is Verdict.VIOLATED
    assert any("engine 0: failed: KeyError" in fact for fact in heard.facts)


def test_what_is_too_large_for_one_engine_may_not_be_for_another() -> None:
    works = [raising(TooLarge("a literal for each amount")), answering(violated(3), after=0.2)]
    assert race(works).verdict is Verdict.VIOLATED
    with pytest.raises(TooLarge, match="for each amount"):
        race([raising(TooLarge("a literal for each amount")), answering(unknown())])


def test_what_is_decided_is_kept_when_another_engine_ends_in_an_error() -> None:
    def later(task: Task, observer: Relay) -> tuple[Result, ...]:
        time.sleep(2)
        raise LanguageError("no such thing")

    asked = task(machines.DeadEnd, NAME, "Inside")
    other = replace(unknown(), property="Inside")
    members = [Contender("e0", "one", answering(violated(3), other)), Contender("e1", "two", later)]
    first, second = Portfolio(asked, SILENT, members).run()
    assert (first.verdict, second.verdict) == (Verdict.VIOLATED, Verdict.UNKNOWN)


def test_a_failure_is_said_when_nobody_answers() -> None:
    with pytest.raises(KeyError, match="lost"):
        race([raising(KeyError("lost")), answering(unknown())])


def test_a_violation_that_is_not_shortest_yet_is_not_lost() -> None:
    perhaps_long = replace(violated(5), reason="the trace need not be the shortest")
    asked = replace(task(), timeout=2.0)
    assert race([answering(perhaps_long, then=30)], asked).verdict is Verdict.VIOLATED


def test_what_everybody_knows_is_put_together() -> None:
    result = race([answering(unknown(3, "no induction")), answering(unknown(7))])
    assert (result.verdict, result.depth, result.reason) == (Verdict.UNKNOWN, 7, "no induction")


PROTOCOLS: dict[str, tuple[type[Protocol], str, Verdict]] = {
    "a lemma is needed": (machines.Pair, "OtherBelowLimit", Verdict.PROVED),
    "a dead end": (machines.DeadEnd, NAME, Verdict.VIOLATED),
    "a step": (machines.DeadEnd, "NoLastStep", Verdict.VIOLATED),
    "symmetric": (machines.Tokens, "AtMostOne", Verdict.PROVED),
    "symmetric and false": (machines.Tokens, "SomebodyNever", Verdict.VIOLATED),
}


@pytest.mark.parametrize("lemmas", [True, False])
@pytest.mark.parametrize("case", PROTOCOLS)
def test_it_answers_like_its_engines(case: str, lemmas: bool) -> None:
    protocol, name, verdict = PROTOCOLS[case]
    (result,) = portfolio.prove(replace(task(protocol, name), lemmas=lemmas))
    assert result.verdict is verdict
    if verdict is Verdict.PROVED:
        assert result.checked_by is not None


def test_a_shortest_trace_where_k_induction_sees_none() -> None:
    (result,) = portfolio.prove(task(machines.DeadEnd, NAME, bound=1))
    assert result.verdict is Verdict.VIOLATED
    assert result.trace is not None
    assert len(result.trace) == 3


def test_what_no_engine_can_work_on_is_raised() -> None:
    with pytest.raises(NoInitialState):
        portfolio.prove(task(machines.ConfinedFromTheStart, NAME))


def starting(asked: Task) -> list[str]:
    return [m.name for m in portfolio.members(asked) if not m.waits]


def test_with_lemmas_k_induction_starts_alone() -> None:
    pair = task(machines.Pair, "OtherBelowLimit")
    assert starting(pair) == ["kinduction"]
    assert starting(replace(pair, lemmas=False)) == ["kinduction", "bounded", "ic3"]
    refuted = replace(pair.suite, refuted={"OtherBelowLimit": "it is said"})
    assert starting(replace(pair, suite=refuted)) == ["kinduction", "bounded"]


def test_who_waits_starts_after_the_head_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "HEAD_START", 0.3)
    slow = Contender("e0", "slow", answering(proved(), after=30))
    other = Contender("e1", "other", answering(proved(), after=0.1), waits=True)
    began = time.monotonic()
    Portfolio(task(), SILENT, [slow, other]).run()
    assert 0.4 <= time.monotonic() - began < 30
    assert other.decided == [NAME]


def test_who_waits_starts_at_once_when_the_induction_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "HEAD_START", 60.0)
    failed = replace(unknown(), induction_failure=CounterexampleToInduction(NAME, {}, trace(2), 1))
    failing = Contender("e0", "failing", answering(failed, then=50))
    other = Contender("e1", "other", answering(proved(), after=0.1), waits=True)
    began = time.monotonic()
    Portfolio(task(), SILENT, [failing, other]).run()
    assert time.monotonic() - began < 50
    assert other.decided == [NAME]


def test_nobody_starts_while_a_proof_is_re_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "HEAD_START", 2.0)

    def re_checking(asked: Task, relay: Relay) -> tuple[Result, ...]:
        for number in range(15):
            relay.phase(ReChecking(f"re-checking the proof: {number}"))
            time.sleep(0.2)
        return (proved(),)

    other = Contender("e1", "other", answering(proved()), waits=True)
    Portfolio(task(), SILENT, [Contender("e0", "first", re_checking), other]).run()
    assert other.process is None


def test_ic3_does_not_go_on_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "PATIENCE", 0.3)
    last = Contender("ic3", "IC3", answering(proved(), after=60))
    quick = Contender("e0", "quick", answering(unknown(5)))
    (result,) = Portfolio(task(), SILENT, [quick, last]).run()
    assert (result.verdict, result.depth) == (Verdict.UNKNOWN, 5)
    assert "stopped after 0.3 seconds alone" in last.outcome


def test_the_first_engine_alone_is_the_engine() -> None:
    pair = task(machines.Pair, "OtherBelowLimit")
    (alone,) = Portfolio(pair, SILENT, [Contender("kinduction", "k-induction", induct)]).run()
    assert (alone.verdict, alone.k) == (Verdict.PROVED, 1)


def test_a_limit_that_passes_before_anybody_starts_is_unknown() -> None:
    """What is left of a time limit is no option of the user's, and cannot be a wrong one."""
    asked = replace(task(machines.DeadEnd, "Inside"), timeout=1e-6)
    (result,) = portfolio.prove(asked)
    assert result.verdict is Verdict.UNKNOWN
    with pytest.raises(OutOfTime):
        asked.within(Deadline(0.0))
