"""Verdicts are told when they are known, not when the last one is."""

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared import user_file
from bmc.cli.shared.decide import INTERRUPTED, Announcing
from bmc.cli.shared.progress import PATIENCE, Progress
from bmc.engines.task import Observer, Task
from bmc.evidence.verdict import Result, Verdict
from bmc.reports.documents import ResultDocuments
from tests.cli.running import Answered, bmc, install, schema_validator

COUNTER = """
from bmc.lang import Integer, Protocol, Variable, action, invariant, one_of


class Counter(Protocol):
    n = Variable(Integer("N", 0, 6), "how far it is")

    @action()
    def Init(self, s):
        s.n = 0

    @action()
    def Up(self, s):
        s.require(s.n < 6)
        s.n = s.n + 1

    Next = one_of(Up)

    @invariant("early")
    def BelowTwo(self, s):
        return s.n < 2

    @invariant("late")
    def BelowFive(self, s):
        return s.n < 5

    @invariant("never")
    def BelowSeven(self, s):
        return s.n <= 6
"""


@pytest.fixture
def counter(tmp_path: Path) -> str:
    file = tmp_path / "counter.py"
    file.write_text(COUNTER, encoding="utf-8")
    return f"{file}:Counter"


def lines_of(answered: Answered) -> list[dict[str, object]]:
    found = [json.loads(line) for line in answered.out.splitlines()]
    for one in found:
        schema_validator().validate(one)
    return found


@pytest.mark.parametrize("command", ["prove", "check", "explore"])
def test_each_verdict_is_a_line_and_the_last_line_is_the_document(
    counter: str, command: str
) -> None:
    asked = ["-P", "BelowTwo", "-P", "BelowFive"]
    *events, last = lines_of(bmc(command, counter, *asked, "--json-lines"))
    assert [(one["event"], one["result"]["property"]) for one in events] == [  # type: ignore[index]
        ("decided", "BelowTwo"),
        ("decided", "BelowFive"),
    ]
    results = {one["property"]: one for one in last["results"]}  # type: ignore[attr-defined]
    for one in events:
        told = one["result"]
        assert told["verdict"] == results[told["property"]]["verdict"] == "violated"  # type: ignore[index]
        assert len(told["trace"]) == len(results[told["property"]]["trace"])  # type: ignore[index]


@pytest.mark.parametrize("options", [["explore"], ["prove", "--engine", "explicit"]])
def test_what_an_exploration_proves_is_a_line(counter: str, options: list[str]) -> None:
    command, *more = options
    asked = ["-P", "BelowTwo", "-P", "BelowSeven"]
    *events, _ = lines_of(bmc(command, counter, *asked, *more, "--json-lines"))
    told = [(one["result"]["property"], one["result"]["verdict"]) for one in events]  # type: ignore[index]
    assert told == [("BelowTwo", "violated"), ("BelowSeven", "proved")]


MUTUAL = "docs/examples/classics/mutual_exclusion.py:"


@pytest.mark.parametrize(
    ("command", "protocol", "claim", "verdict"),
    [
        ("prove", f"{MUTUAL}TicketLine", "Enters", "proved"),
        ("check", f"{MUTUAL}TestAndSet", "EntersWeakly", "violated"),
        ("prove", "docs/examples/Backup.tla", "Elected", "proved"),
    ],
)
def test_a_verdict_on_a_temporal_claim_is_a_line(
    command: str, protocol: str, claim: str, verdict: str
) -> None:
    (event, last) = lines_of(bmc(command, protocol, "-P", claim, "--json-lines"))
    for told in (event["result"], last["results"][0]):  # type: ignore[index]
        assert (told["property"], told["verdict"]) == (claim, verdict)  # type: ignore[index]


def test_what_goes_wrong_is_one_line_too(counter: str) -> None:
    (said,) = lines_of(bmc("check", counter, "-P", "Unheard", "--json-lines"))
    assert said["error"]["exit_code"] == 2  # type: ignore[index]
    (said,) = lines_of(bmc("check", counter, "--depth", "deep", "--json-lines"))
    assert said["error"]["kind"] == "UsageError"  # type: ignore[index]


def test_check_stops_at_the_depth_of_the_first_violation(counter: str) -> None:
    stopped = bmc("check", counter, "--json")
    assert stopped.code == 1
    results = {one["property"]: one for one in stopped.document["results"]}
    assert results["BelowTwo"]["verdict"] == "violated"
    assert results["BelowFive"]["verdict"] == "unknown"
    assert results["BelowFive"]["depth"] == 2
    assert "--continue" in results["BelowFive"]["reason"]


@pytest.mark.parametrize("more", [["--continue"], ["-P", "BelowTwo", "-P", "BelowFive"], ["--all"]])
def test_check_goes_on_where_it_is_told_to(counter: str, more: list[str]) -> None:
    results = bmc("check", counter, *more, "--json").document["results"]
    assert [one["verdict"] for one in results if one["property"] == "BelowFive"] == ["violated"]


def test_a_long_run_says_what_it_has_decided() -> None:
    said: list[str] = []
    now = [0.0]
    progress = Progress(terminal=False, write=said.append, clock=lambda: now[0])
    progress.announce("StrongIsr is violated")
    progress.tick()
    assert said == []
    now[0] = PATIENCE
    progress.tick()
    progress.tick()
    assert said == ["bmc: StrongIsr is violated\n"]


def test_an_interrupted_run_has_told_its_verdicts(
    counter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search(task: Task, observer: Observer, **options: object) -> tuple[Result, ...]:
        observer.decided(Result("BelowSeven", Verdict.PROVED, "bounded", 0.1))
        raise KeyboardInterrupt

    install(monkeypatch, "bmc.engines.shortest", shortest_violations=search)
    answered = bmc("check", counter, "--json-lines")
    told, last = lines_of(answered)
    assert told["result"]["verdict"] == "proved"  # type: ignore[index]
    assert [one["verdict"] for one in last["results"]] == ["unknown", "unknown", "proved"]  # type: ignore[attr-defined]
    assert answered.code == 3


def test_a_verdict_whose_telling_is_interrupted_is_a_line_all_the_same(
    counter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = ResultDocuments.result
    met = count()

    def interrupted_once(*asked: Any) -> dict[str, Any]:
        if next(met) == 0:
            raise KeyboardInterrupt
        return result(*asked)

    monkeypatch.setattr(ResultDocuments, "result", interrupted_once)
    answered = bmc("check", counter, "-P", "BelowTwo", "-P", "BelowFive", "--json-lines")
    told, last = lines_of(answered)
    assert (told["result"]["property"], told["result"]["verdict"]) == ("BelowTwo", "violated")  # type: ignore[index]
    assert [one["verdict"] for one in last["results"]] == ["violated", "unknown"]  # type: ignore[attr-defined]


def test_what_was_told_is_kept_when_an_interruption_meets_the_telling(counter: str) -> None:
    def tell(result: Result) -> None:
        raise KeyboardInterrupt

    progress = Progress(terminal=False)
    task = Task(user_file.load(counter), {}, ("BelowSeven",))
    with pytest.raises(KeyboardInterrupt):
        Announcing(task, progress, tell).decided(Result("BelowSeven", Verdict.PROVED, "x", 0.1))
    (kept,) = progress.known(task.properties, INTERRUPTED, "x")
    assert kept.verdict is Verdict.PROVED
