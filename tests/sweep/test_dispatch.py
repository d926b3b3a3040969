"""Handing out jobs: order, retries, resumption, pruning; and a store that is never half written."""

import multiprocessing
from collections import Counter as Tally
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bmc.lang.declared import Declaring
from bmc.lang.parameters import Parameter
from bmc.sweep.batches import Batch, batches
from bmc.sweep.dispatch import ClusterLost, Dispatcher
from bmc.sweep.job import Job, JobLimits
from bmc.sweep.plan import Plan
from bmc.sweep.runner import Finished
from bmc.sweep.store import BRIEF, Store, StoreError
from bmc.sweep.work import ATTEMPTS, HandedBack, News, Refused, Work
from tests.sweep.counters import (
    LIMITS,
    TOOLS,
    Counter,
    FakeExecutors,
    FakeStage,
    Recorder,
    answered,
    planned,
    request,
    truth,
)


def sweep(
    plan: Plan,
    store: Store,
    answer: Callable[[Job], Finished] = truth,
    workers: int = 1,
    prune: bool = False,
) -> tuple[FakeExecutors, Recorder]:
    executors, seen = FakeExecutors(answer, store, workers), Recorder()
    Dispatcher(plan, store, executors, seen, prune).run()
    return executors, seen


def test_on_a_large_cluster_jobs_share_tasks_where_there_are_many_for_each_executor() -> None:
    """A job that is handed back begins again: with little work each, nothing makes up for that."""
    jobs = planned(request(range(4, 12))).jobs
    for left, alone in ((22_000.0, True), (232_000.0, False)):
        made = list(batches(jobs, lambda job: 6.0, 1000, left))
        assert all(len(one.jobs) == 1 for one in made) is alone
        assert made[0].trial == (11.0 if alone else 20.0)


@pytest.mark.parametrize(("executors", "jobs_a_task"), [(1000, [2, 2]), (10, [1] * 4)])
def test_tasks_of_a_large_cluster_last_as_long_as_handing_out_a_round(
    executors: int, jobs_a_task: list[int]
) -> None:
    """Jobs of seven seconds had tasks of their own where the driver needs ten for a round."""
    jobs = planned(request(range(4, 8), names="Small")).jobs
    made = batches(jobs, lambda job: 7.0, executors, 60.0 * executors)
    assert [len(one.jobs) for one in made] == jobs_a_task


SIZES = range(2, 9, 3)
"""Of 2, 3 and 4 bits."""


def too_long(job: Job) -> Finished:
    """Of a counter up to 5, longer than a trial; the rest is decided at once."""
    if job.parameters["top"] == 5 and job.limits.timeout < LIMITS.timeout:
        row = {**answered(job, "unknown").row, "ended": "timeout", "reason": "out of time"}
        return Finished(row)
    return truth(job)


def test_what_waits_behind_a_long_job_is_handed_back_with_it(tmp_path: Path) -> None:
    """The driver hears of a task when it ends: the long job could not begin before."""
    store, jobs = Store(tmp_path), planned(request(SIZES, names="Small")).jobs
    work = Work(TOOLS, store.where, "rows", lambda tools, job: too_long(job))
    told = {
        one.key: one for one in work.run(Batch(jobs, trial=10.0)) if not isinstance(one, Refused)
    }
    said = [told[job.key] for job in jobs]
    shares = [one.share if isinstance(one, HandedBack) else None for one in said]
    assert shares == [None, False, True]
    assert [row["key"] for row in store.all()] == [said[0].key]


def test_a_long_job_goes_on_where_little_is_behind_it(tmp_path: Path) -> None:
    """Begun anew it would end later; that is so on clusters whose tasks have to be long."""
    store, jobs = Store(tmp_path), planned(request(SIZES, names="Small")).jobs
    work = Work(TOOLS, store.where, "rows", lambda tools, job: too_long(job))
    told = list(work.run(Batch(jobs, trial=10.0, untried=2)))
    assert not any(isinstance(one, HandedBack) for one in told)
    assert len(list(store.all())) == len(jobs) == 3


def test_only_one_job_of_a_task_may_take_long_and_the_last() -> None:
    task = Batch(planned(request(range(4, 8), names="Small")).jobs, trial=10.0, untried=3)
    assert [task.trial_of(number, 0.0) for number in range(4)] == [10.0, None, None, None]
    assert [task.trial_of(number, 11.0) for number in range(4)] == [10.0, 10.0, 10.0, None]
    every = Batch(task.jobs, trial=10.0)
    assert [every.trial_of(number, 0.0) for number in range(4)] == [10.0] * 4
    assert Batch(task.jobs[:1]).trial_of(0, 0.0) is None


@pytest.mark.parametrize(("executors", "untried"), [(2, 0), (500, 0), (1000, 3)])
def test_how_many_jobs_go_on_is_what_a_trial_has_room_for(executors: int, untried: int) -> None:
    """Behind the second job are sixteen seconds, behind the first 24; a trial has twenty."""
    jobs = planned(request(range(4, 8), names="Small")).jobs
    seconds = 8.0 if executors > 500 else 0.4
    [made] = batches(jobs, lambda job: seconds, executors, 8 * executors * 32.0)
    assert (len(made.jobs), made.untried) == (4, untried)


class Lingering(FakeStage):
    """A stage of which the driver hears what was handed back, and the rest only as it ends."""

    looks = 0

    def news(self) -> list[News]:
        """What was said so far, once."""
        told = [one for one in self.told if self.looks or isinstance(one, HandedBack)]
        self.told = [one for one in self.told if one not in told]
        return told

    def is_over(self) -> bool:
        """At the second look."""
        self.looks += 1
        return self.looks > 1


def test_a_job_that_was_handed_back_is_handed_out_once_more_and_not_twice(tmp_path: Path) -> None:
    """Its stage ends when the job is in the next one already: it is open, and said to be."""
    store, seen = Store(tmp_path), Recorder()
    executors = FakeExecutors(too_long, store, 1, stage=Lingering)
    Dispatcher(planned(request(SIZES, names="Small")), store, executors, seen).run()
    assert sorted(row["verdict"] for row in store.all()) == ["proved", "violated", "violated"]
    handed_out = Tally(job.parameters["top"] for task in executors.tasks for job in task.jobs)
    assert handed_out == {8: 1, 5: 2, 2: 2}


def verdicts(store: Store) -> dict[tuple[str, int, int], str]:
    return {
        (r["property"], r["parameters"]["top"], r["parameters"]["rounds"]): r["verdict"]
        for r in store.all()
    }


def test_every_job_has_one_row_and_the_longest_goes_first(tmp_path: Path) -> None:
    store, plan = Store(tmp_path), planned(request(range(1, 20)))
    _, seen = sweep(plan, store)
    assert len(store.all()) == len(seen.rows) == 38
    sizes = [job.state_bits for job in seen.jobs]
    assert sizes == sorted(sizes, reverse=True)


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    sweep(planned(request(range(1, 4))), store)
    larger = planned(request(range(1, 6)), store.all())
    assert (len(larger.done), len(larger.todo)) == (6, 4)
    sweep(larger, store)
    assert not planned(request(range(1, 6)), store.all()).todo


def test_a_limit_is_worth_another_try_under_larger_ones_only(tmp_path: Path) -> None:
    store = Store(tmp_path)

    def out_of_time(job: Job) -> Finished:
        row = {**answered(job, "unknown").row, "ended": "timeout", "reason": "out of time"}
        return Finished(row)

    asked = request(range(1, 2), names="Small")
    sweep(planned(asked), store, out_of_time)
    assert not planned(asked, store.all()).todo
    assert not planned(asked, store.all(), JobLimits(10.0, 2048)).todo
    assert planned(asked, store.all(), JobLimits(31.0, 2048)).todo
    assert planned(asked, store.all(), JobLimits(30.0, 4096)).todo


def test_a_job_whose_executor_dies_is_tried_again(tmp_path: Path) -> None:
    store, tries = Store(tmp_path), Tally[str]()

    def dies_twice(job: Job) -> Finished:
        tries[job.key] += 1
        if job.property == "Small" and tries[job.key] < ATTEMPTS:
            raise RuntimeError("ExecutorLostFailure\n at java.lang")
        return truth(job)

    _, seen = sweep(planned(request(range(1, 4))), store, dies_twice, 2)
    assert len(seen.rows) == 6
    # Who shared a task with it gets one alone, so that nobody else dies with it again.
    assert set(seen.retries) == {"an executor died that ran it with others"}
    assert {row["verdict"] for row in store.all() if row["property"] == "Small"} == {
        "proved",
        "violated",
    }


def test_a_job_that_is_lost_for_good_is_unknown_and_asked_again_later(tmp_path: Path) -> None:
    store = Store(tmp_path)

    def dies(job: Job) -> Finished:
        raise RuntimeError("gone")

    asked = request(range(1, 2), names="Small")
    sweep(planned(asked), store, dies)
    (row,) = store.all()
    assert (row["verdict"], row["ended"]) == ("unknown", "lost")
    assert "lost 3 times" in row["reason"]
    assert len(planned(asked, store.all()).todo) == 1


def test_when_all_is_lost_what_is_finished_stays(tmp_path: Path) -> None:
    store = Store(tmp_path)

    def ends(job: Job) -> Finished:
        if job.parameters["top"] == 2:
            raise ClusterLost("Spark has stopped")
        return truth(job)

    with pytest.raises(ClusterLost):
        sweep(planned(request(range(1, 8))), store, ends)
    assert len(store.all()) < 14
    sweep(planned(request(range(1, 8)), store.all()), store)
    assert len(store.all()) == 14


def test_violations_are_implied_and_proofs_never(tmp_path: Path) -> None:
    store = Store(tmp_path)
    asked = request(range(1, 10), range(1, 3))
    executors, _ = sweep(planned(asked), store, prune=True)
    assert verdicts(store) == {
        (name, top, rounds): "violated" if name == "Small" and top >= 3 else "proved"
        for name in ("InRange", "Small")
        for top in range(1, 10)
        for rounds in (1, 2)
    }
    # Of each chain along `top`, the smallest violation is found; `rounds` is not monotone.
    ran = [job for job in executors.ran if job.property == "Small"]
    assert sorted({(j.parameters["rounds"], j.parameters["top"]) for j in ran}) == [
        (rounds, top) for rounds in (1, 2) for top in (1, 2, 3)
    ]
    rows = {row["key"]: row for row in store.all()}
    implied = [row for row in rows.values() if row["ended"] == "implied"]
    assert len(implied) == 12
    for row in implied:
        cause = rows[row["implied_by"]]
        assert (cause["ended"], cause["parameters"]["top"]) == ("answered", 3)
        assert cause["parameters"]["rounds"] == row["parameters"]["rounds"]


def test_a_larger_grid_is_pruned_by_rows_that_exist(tmp_path: Path) -> None:
    store = Store(tmp_path)
    sweep(planned(request(range(3, 4), names="Small")), store)
    larger = planned(request(range(3, 6), names="Small"), store.all())
    executors, _ = sweep(larger, store, prune=True)
    assert executors.ran == []
    assert len(store.all()) == 3


def test_what_was_implied_is_asked_where_the_declaration_is_withdrawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The violations that it implied were told for ever: what is declared is part of the text."""
    store, asked = Store(tmp_path), request(range(3, 6), names="Small")
    sweep(planned(asked), store, prune=True)
    brief = list(store.scan(BRIEF).believed.values())
    assert len(planned(asked, brief).done) == 3
    # What it was implied by is not asked for any more.
    assert len(planned(request(range(4, 6), names="Small"), brief).todo) == 2
    # What a class has declared stays, so this is a later version of its file.
    monkeypatch.setattr(Declaring, "__setattr__", type.__setattr__)
    monkeypatch.setattr(Counter, "top", Parameter("top", 3, 1, 40, "the greatest value"))
    left = planned(asked, brief)
    assert sorted(job.parameters["top"] for job in left.todo) == [3, 4, 5]
    sweep(left, store, lambda job: answered(job, "proved"))
    assert verdicts(store) == {
        ("Small", 3, 1): "proved",
        ("Small", 4, 1): "proved",
        ("Small", 5, 1): "proved",
    }


def test_two_sweeps_share_a_directory(tmp_path: Path) -> None:
    plan = planned(request(range(1, 12), range(1, 4)))
    fork = multiprocessing.get_context("fork")
    both = [fork.Process(target=lambda: sweep(plan, Store(tmp_path))) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
        assert process.exitcode == 0
    rows = Store(tmp_path).all()
    assert sorted(row["key"] for row in rows) == sorted(job.key for job in plan.jobs)
    assert pq.read_table(tmp_path / "rows").num_rows == len(plan.jobs)
    assert not list(tmp_path.rglob("*.partial"))


def test_what_another_sweep_has_done_meanwhile_is_taken(tmp_path: Path) -> None:
    plan = planned(request(range(1, 4)))
    sweep(plan, Store(tmp_path))
    executors, seen = sweep(plan, Store(tmp_path))
    assert (executors.ran, len(seen.rows)) == ([], 6)


def test_a_damaged_file_of_rows_counts_as_none(tmp_path: Path) -> None:
    store, plan = Store(tmp_path), planned(request(range(1, 3)))
    sweep(plan, store)
    (file,) = (tmp_path / "rows").glob("*.parquet")
    file.write_bytes(file.read_bytes()[:-20])
    again = planned(request(range(1, 3)), store.all())
    assert {job.key for job in again.todo} == {job.key for job in plan.jobs}


def test_a_directory_that_cannot_be_made_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot make"):
        Store(tmp_path / "file" / "out")
