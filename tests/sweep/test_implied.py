"""Of a row that another one implies, `sweep verify` accepts what a sweep would have written."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared import catalogue
from bmc.cli.shared.sweep_evidence import describe
from bmc.sweep.current import Texts, current
from bmc.sweep.dispatch import Dispatcher
from bmc.sweep.job import JobLimits, Method, key_of
from bmc.sweep.plan import Share, jobs_of, plan
from bmc.sweep.runner import Tools, run_job
from bmc.sweep.seeds import Seeds
from bmc.sweep.store import Store
from tests.cli.running import ROOT, bmc
from tests.sweep.counters import FakeExecutors, Recorder

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("implied")

COUNTER = f"{ROOT}/tests/sweep/counters.py:Counter"
POINT = {"top": 4, "rounds": 1}
ONE, SEVERAL = "Small", "Small, InRange"


@pytest.fixture(scope="module")
def causes() -> dict[str, Any]:
    """Violations that imply others, by what they are about: a claim, and what walks watched."""
    suite, limits, found = catalogue.find(COUNTER), JobLimits(60.0, 4096), {}
    for engine, claims, seeds in (("bounded", ONE, ()), ("simulate", SEVERAL, [Seeds(0, 1, 9)])):
        method = Method(engine, 9, "cadical", False)
        share = Share(suite, [POINT], claims.split(", "))
        (job,) = jobs_of([share], method, limits, "tests", seeds)
        found[claims] = run_job(Tools(catalogue.find, describe), job)
    return found


@pytest.mark.parametrize(
    ("claim", "changed", "reason"),
    [
        (ONE, {"parameters": {"top": 40, "rounds": 1}}, "implied by a replayed trace"),
        (ONE, {"parameters": {"top": 2, "rounds": 1}}, "does not imply it"),
        (ONE, {"parameters": {"top": 5, "rounds": 2}}, "does not imply it"),
        (ONE, {"parameters": {"top": 41, "rounds": 1}}, "between 1 and 40"),
        (ONE, {"trace_states": 9}, "does not imply it"),
        (ONE, {"trace": "traces/other.json"}, "does not imply it"),
        (SEVERAL, {}, "does not imply it"),
    ],
    ids=str,
)
def test_an_implied_row_is_its_cause_at_larger_parameters_that_there_are(
    claim: str, changed: dict[str, Any], reason: str, causes: dict[str, Any], tmp_path: Path
) -> None:
    """It was accepted where a protocol refuses them, and with a trace of something else.

    Walks that violate one of their claims implied that all of them are violated.
    """
    cause, store = causes[claim], Store(tmp_path)
    store.add(cause.row, [*cause.evidence, ("traces/other.json", "{}")])
    row = {**dict.fromkeys(("seeds", "walks", "found")), "ended": "implied"}
    row = {**cause.row, "parameters": {"top": 5, "rounds": 1}, **row, **changed}
    row |= {"implied_by": cause.row["key"], "key": key_of(row)}
    store.add(row)
    answered = bmc("sweep", "verify", str(tmp_path), "--protocol", COUNTER, "--json")
    (found,) = (one for one in answered.document["rows"] if one["key"] == row["key"])
    assert reason in found["reason"]
    assert found["standing"] == ("accepted" if "replayed" in reason else "rejected")
    assert answered.code == (0 if "replayed" in reason else 2)


GATE = """
from bmc.lang import BOOL, Integer, Parameter, Protocol, Variable, action, invariant, one_of

class Gate(Protocol):
    top = Parameter("top", 2, 1, 9, "the greatest value", monotone=True)
    Value = Integer("Value", 0, top)
    value = Variable(Value)
    open = Variable(BOOL)

    @action()
    def Init(self, s):
        s.value = 0
        s.open = False

    @action()
    def Up(self, s):
        s.require(s.value < self.top)
        s.value = s.value + 1

    @action()
    def Open(self, s):
        s.require(s.value == 1, s.value < self.top)
        s.open = True

    Next = one_of(Up, Open)

    @invariant("it stays shut")
    def Shut(self, s):
        return ~s.open
"""


def test_a_fault_makes_no_declaration_of_its_protocol_true_of_itself(tmp_path: Path) -> None:
    """The gate opens at all tops but the least, and with the fault at the least alone.

    `--mutants --prune` said that it is violated at all, and `sweep verify` that this follows.
    """
    (tmp_path / "gate.py").write_text(GATE)
    named = f"{tmp_path / 'gate.py'}:Gate"
    told = {}
    for name in (named, f"{named}~Open.guard2.negated"):
        points, method = [{"top": top} for top in (1, 2, 3)], Method("explicit", 9, "cadical", True)
        share, limits = Share(catalogue.find(name), points, ["Shut"]), JobLimits(60.0, 4096)
        store = Store(tmp_path / ("fault" if "~" in name else ""))
        jobs = jobs_of([share], method, limits, "tests")
        tools = Tools(catalogue.find, describe)
        executors = FakeExecutors(lambda job, tools=tools: run_job(tools, job), store)
        Dispatcher(plan([share], jobs, []), store, executors, Recorder(), True).run()
        found = {row["parameters"]["top"]: (row["verdict"], row["ended"]) for row in store.all()}
        told[name] = [found[top] for top in (1, 2, 3)]
    proved, violated = ("proved", "answered"), ("violated", "answered")
    assert list(told.values()) == [
        [proved, violated, ("violated", "implied")],
        [violated, proved, proved],
    ]
    cause = next(row for row in store.all() if row["verdict"] == "violated")
    implied = {"parameters": {"top": 2}, "implied_by": cause["key"], "ended": "implied"}
    row = {**cause, **implied, "bound": 10}
    row["key"] = key_of(row)
    store.add(row)
    answered = bmc("sweep", "verify", str(store.folder), "--protocol", named, "--json")
    (found,) = (one for one in answered.document["rows"] if one["key"] == row["key"])
    assert (answered.code, found["standing"]) == (2, "rejected")
    assert "does not imply it" in found["reason"]


DRAIN = """
from bmc.lang import Integer, Parameter, Protocol, Variable, action, invariant, one_of

class Drain(Protocol):
    top = Parameter("top", 1, 1, 9, "where it begins", monotone=True)
    Value = Integer("Value", 0, top)
    value = Variable(Value)

    @action()
    def Init(self, s):
        s.value = self.top

    @action()
    def Down(self, s):
        s.require(s.value == self.top)
        s.value = s.value - 1

    Next = one_of(Down)

    @invariant("it is never empty")
    def Filled(self, s):
        return s.value > 0
"""


def test_what_is_not_implied_any_more_is_told_as_it_was_answered(tmp_path: Path) -> None:
    """It is empty at the least top alone: the declaration is false.

    Asked by itself no violation is found, and the row that was implied was kept and shown.
    """
    (tmp_path / "drain.py").write_text(DRAIN)
    suite = catalogue.find(f"{tmp_path / 'drain.py'}:Drain")
    store, tools = Store(tmp_path / "out"), Tools(catalogue.find, describe)
    method, limits = Method("bounded", 4, "cadical", False), JobLimits(60.0, 4096)
    told = []
    for tops in ((1, 2), (2,)):
        share = Share(suite, [{"top": top} for top in tops], ["Filled"])
        jobs = jobs_of([share], method, limits, "tests")
        executors = FakeExecutors(lambda job: run_job(tools, job), store)
        Dispatcher(plan([share], jobs, store.all()), store, executors, Recorder(), True).run()
        told.append({row["parameters"]["top"]: row["verdict"] for row in store.all()})
    assert told == [{1: "violated", 2: "violated"}, {1: "violated", 2: "unknown"}]


def test_no_report_has_a_row_that_is_implied_by_what_is_declared_no_more(tmp_path: Path) -> None:
    """It was shown as violated where the sweep that speaks of it does not ask about it."""
    (tmp_path / "drain.py").write_text(DRAIN)
    (tmp_path / "now.py").write_text(DRAIN.replace(", monotone=True", ""))
    then, now = (catalogue.find(f"{tmp_path / name}.py:Drain") for name in ("drain", "now"))
    store, tools = Store(tmp_path / "out"), Tools(catalogue.find, describe)
    method, limits = Method("bounded", 4, "cadical", False), JobLimits(60.0, 4096)
    share = Share(then, [{"top": 1}, {"top": 2}], ["Filled"])
    jobs = jobs_of([share], method, limits, "tests")
    executors = FakeExecutors(lambda job: run_job(tools, job), store)
    Dispatcher(plan([share], jobs, store.all()), store, executors, Recorder(), True).run()
    for suite, shown in ((then, [1, 2]), (replace(now, name=then.name), [])):
        share = Share(suite, [{"top": 3}], ["Filled"])
        jobs = jobs_of([share], method, limits, "tests")
        texts = Texts.of([share], jobs, store.all())
        rows = current(store.all(), jobs, texts)
        assert [row["parameters"]["top"] for row in rows] == shown
