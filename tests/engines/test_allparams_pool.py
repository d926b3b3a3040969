"""Conditions in processes: limits hold, a dead process costs one answer, an error is not lost."""

from __future__ import annotations

import os
import time
from errno import EAGAIN
from itertools import count

import pytest

from bmc.engines.allparams.condition import ConditionOutcome, Decider
from bmc.engines.allparams.lint import one_step_lemmas
from bmc.engines.allparams.prove import ParametricTask, prove_for_all
from bmc.engines.task import SILENT
from bmc.evidence.verdict import Verdict
from bmc.lang import (
    Expr,
    Integer,
    MapSort,
    Parameter,
    Protocol,
    State,
    Step,
    Suite,
    Term,
    Variable,
    action,
    implies,
    invariant,
    lemma,
    mapping,
    one_of,
)
from bmc.running import pool
from bmc.system.parametric import Name


def _work(job: int) -> str:
    if job == 2:
        os._exit(3)
    if job == 3:
        time.sleep(60)
    return f"did {job}"


def test_every_job_is_answered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "GRACE", 0.1)
    found = pool.run(
        _work, [1, 2, 3, 4, 5], 2, lambda job: 2.0, lambda job, why: f"lost {job}: {why}"
    )
    assert sorted(found) == [
        "did 1",
        "did 4",
        "did 5",
        "lost 2: the process ended without an answer",
        "lost 3: the time limit has passed",
    ]


@pytest.mark.parametrize("allowed", [0, 1])
def test_a_job_without_a_process_is_lost_or_waits_for_one(
    monkeypatch: pytest.MonkeyPatch, allowed: int
) -> None:
    fork, started = os.fork, count()

    def limited() -> int:
        if next(started) >= allowed:
            raise BlockingIOError(EAGAIN, os.strerror(EAGAIN))
        return fork()

    monkeypatch.setattr(os, "fork", limited)
    found = sorted(pool.run(_work, [1, 4, 5], 2, lambda job: 60.0, lambda job, why: why))
    if allowed:
        assert found == ["did 1", "did 4", "did 5"]
    else:
        assert len(found) == 3
        assert all("raise the limits of `ulimit -a`" in why for why in found)


def _fail(job: int) -> str:
    raise ValueError("of its own")


def test_an_error_is_told() -> None:
    with pytest.raises(pool.WorkerFailed, match="of its own"):
        list(pool.run(_fail, [1], 1, lambda job: 5.0, lambda job, why: why))


class Steps(Protocol):
    """A map with a lemma about neighbours and one about all lower places."""

    last = Parameter("last", 2, 1, 9, "the last place")
    Place = Integer("Place", 0, last)
    held = Variable(MapSort(Place, Place))

    @action()
    def Init(self, s: Step) -> None:
        s.held = mapping(self.Place, lambda place: 0, self.Place)

    Next = one_of(Init)

    @lemma("neighbours", place=Place)
    def one_step(self, s: State, place: Expr) -> Term:
        return implies(place > 0, s.held[place - 1] <= s.held[place])

    @lemma("all lower", lower=Place, place=Place)
    def all_lower(self, s: State, lower: Expr, place: Expr) -> Term:
        return implies(lower < place, s.held[lower] <= s.held[place])


def test_lemmas_in_one_step_form_are_named() -> None:
    suite = Suite.of(Steps, "steps")
    model = suite.model(False)
    assert one_step_lemmas(suite.describe(d, model) for d in suite.lemmas) == ["one_step"]


class Counting(Protocol):
    limit = Parameter("limit", 2, 1, 5, "how far it counts")
    x = Variable(Integer("Number", 0, limit))

    @action()
    def Init(self, s: Step) -> None:
        s.x = 0

    @action()
    def Back(self, s: Step) -> None:
        s.x = 0

    Next = one_of(Back)

    @invariant("it never counts")
    def Still(self, s: State) -> Expr:
        return s.x == 0

    @invariant("what no solver decides")
    def Hard(self, s: State) -> Expr:
        return s.x <= 1


def test_a_condition_that_stays_open_takes_no_proof_of_another_claim(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It took all of the limit and five seconds more, and what was proven until then was lost."""
    whole = Decider.decide

    def decide(self: Decider, name: Name) -> ConditionOutcome:
        if name.goal == "Hard":
            time.sleep(60)
        return whole(self, name)

    monkeypatch.setattr(Decider, "decide", decide)
    suite = Suite("counting", Counting, "it counts", (Counting.Still, Counting.Hard))
    began = time.monotonic()
    task = ParametricTask(suite, ("Still", "Hard"), timeout=10.0, processes=2)
    found = prove_for_all(task, SILENT)
    still, hard = found.results
    assert (still.verdict, hard.verdict) == (Verdict.PROVED, Verdict.UNKNOWN)
    assert "the time limit has passed" in str(hard.reason)
    assert time.monotonic() - began < 13
