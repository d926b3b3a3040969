"""Which rows of a sweep's directory a report is about."""

from collections.abc import Mapping
from pathlib import Path

from bmc.analysis.mutants import faults, mutated
from bmc.lang import Step, Suite, action
from bmc.sweep.current import Texts, current
from bmc.sweep.dispatch import Dispatcher
from bmc.sweep.job import key_of
from bmc.sweep.plan import Plan, Share, jobs_of
from bmc.sweep.store import Store
from tests.sweep.counters import (
    LIMITS,
    METHOD,
    SUITE,
    Counter,
    FakeExecutors,
    Recorder,
    planned,
    request,
    truth,
)


class Restless(Counter):
    """The counter after a change of its text."""

    @action()
    def Again(self, s: Step) -> None:
        s.value = 0


CHANGED = Suite.of(Restless, SUITE.name)
AGAIN = "Again.value.unchanged"


def answer_all(plan: Plan, store: Store) -> None:
    Dispatcher(plan, store, FakeExecutors(truth, store, 1), Recorder(), False).run()


def test_a_report_shows_the_latest_answer_to_each_question(tmp_path: Path) -> None:
    store, asked = Store(tmp_path), request(range(1, 3), names="Small")
    plan = planned(asked)
    answer_all(plan, store)
    job = plan.jobs[0]
    stale = {**truth(job).row, "identity": "another text of the model"}
    store.add({**stale, "key": key_of(stale)})
    elsewhere = {**truth(job).row, "parameters": {"top": 30, "rounds": 1}}
    third = key_of(elsewhere)
    store.add({**elsewhere, "key": third})
    assert len(store.all()) == len(plan.jobs) + 2
    found = store.all()
    keys = {row["key"] for row in current(found, plan.jobs, Texts.of([asked], plan.jobs, found))}
    assert keys == {*(j.key for j in plan.jobs), third}


def test_an_answer_about_another_text_is_not_shown_whatever_was_asked_of_it(
    tmp_path: Path,
) -> None:
    """A claim was shown as proved at what the text had been, beside another one of the text now."""
    store = Store(tmp_path)
    before = planned(request(range(1, 4)))
    answer_all(before, store)
    otherwise = {**truth(before.jobs[0]).row, "bound": 3}
    store.add({**otherwise, "key": key_of(otherwise)})
    elsewhere = {**truth(before.jobs[0]).row, "protocol": "another counter"}
    third = key_of(elsewhere)
    store.add({**elsewhere, "key": third})
    asked = Share(CHANGED, [{"top": 1, "rounds": 1}], ["Small"])
    plan = planned(asked)
    answer_all(plan, store)
    found = store.all()
    shown = current(found, plan.jobs, Texts.of([asked], plan.jobs, found))
    assert {row["key"] for row in shown} == {*(job.key for job in plan.jobs), third}
    # With the text of before its answers are there again, of all claims and points.
    asked = request(range(1, 2), names="Small")
    jobs = planned(asked).jobs
    shown = current(found, jobs, Texts.of([asked], jobs, found))
    assert len(shown) == len(before.jobs) + 1
    assert not {row["key"] for row in shown} & {job.key for job in plan.jobs}


def test_a_claim_that_is_not_stated_any_more_is_not_shown() -> None:
    asked = request(range(1, 2), names="Small")
    (job,) = planned(asked).jobs
    gone = {**truth(job).row, "property": "Gone"}
    assert not Texts.of([asked], [job], [gone]).has(gone)


def test_variants_of_the_text_of_before_are_not_shown() -> None:
    """A mutant of what the text had been was shown beside the answers about the text now."""
    points, names = [{"top": 1, "rounds": 1}], ["Small"]
    fault, *_ = [one.name for one in faults(SUITE.model(False))]
    variants = [mutated(SUITE, fault), mutated(CHANGED, fault), mutated(CHANGED, AGAIN)]
    before, now, new = (
        truth(job).row
        for one in variants
        for job in jobs_of([Share(one, points, names)], METHOD, LIMITS, "tests")
    )
    asked = Share(CHANGED, points, names)
    jobs = jobs_of([asked], METHOD, LIMITS, "tests")
    texts = Texts.of([asked], jobs, [before, now, new])
    assert [texts.has(row) for row in (before, now, new)] == [False, True, True]
    # A fault in what is not written any more is none.
    asked = Share(SUITE, points, names)
    assert not Texts.of([asked], planned(asked).jobs, [new]).has(new)
    # Nothing is known of variants of a protocol that the sweep does not ask about.
    other = {**before, "protocol": f"another counter~{fault}"}
    assert Texts.of([asked], planned(asked).jobs, [other]).has(other)


def test_each_point_of_a_specification_has_a_text_of_its_own() -> None:
    """Of more rows than one process reads those of the first point only were counted."""

    def at(point: Mapping[str, int]) -> Suite:
        return SUITE if point["top"] == 1 else CHANGED

    points = [{"top": top, "rounds": 1} for top in (1, 2)]
    asked = Share(SUITE, points, ["Small"], at)
    first, second = jobs_of([asked], METHOD, LIMITS, "tests")
    texts = Texts.of([asked], [first, second], [])
    assert all(texts.has(truth(job).row) for job in (first, second))
    assert not texts.has({**truth(second).row, "identity": first.identity})
