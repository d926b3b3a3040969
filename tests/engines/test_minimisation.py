"""A trace is as simple as its length allows, always the same, and others differ in kind."""

from dataclasses import replace
from functools import cache
from itertools import count, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bmc.cli.shared.catalogue import find
from bmc.engines import minimisation, minimisation_search
from bmc.engines import task as tasks
from bmc.engines.bounded import check
from bmc.engines.explicit import explore
from bmc.engines.minimisation import CUT_OFF, TOO_HARD, TOO_MANY_IMAGES, simplest
from bmc.engines.minimisation_graph import NoGraph, simplest_of_all
from bmc.engines.packed import shortest_paths
from bmc.engines.preference import TracePreference
from bmc.engines.task import SILENT, Deadline, OptionError, Task
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import NOT_SHORTEST, Result
from bmc.lang import (
    Expr,
    Integer,
    KeyedSetSort,
    MapSort,
    Protocol,
    Record,
    Scalarset,
    Step,
    Suite,
    Term,
    Variable,
    action,
    insert,
    invariant,
    mapping,
    one_of,
    record,
    step_invariant,
)
from bmc.lang.state import State
from bmc.layout.domain import Domains
from bmc.layout.renaming import Naming, different_namings, namings, renamed
from bmc.system.transition import TransitionSystem


class Bag(Protocol):
    """Members put numbers into boxes; two boxes that hold something are one too many."""

    Member = Scalarset("Member", 3)
    Number = Integer("Number", 0, 3)
    Letter = Record("Letter", id=Number, text=Number)

    boxes = Variable(MapSort(Member, Number))
    letters = Variable(KeyedSetSort(Letter, "id"))
    count = Variable(Number)

    @action()
    def Init(self, s: Step) -> None:
        s.boxes = mapping(self.Member, lambda m: 0, self.Number)
        s.letters = frozenset()
        s.count = 0

    @action(member=Member, helper=Member, number=Number)
    def Put(self, s: Step, member: Expr, helper: Expr, number: Expr) -> None:
        s.require(number > 0, s.count < 3)
        s.boxes[member] = number
        s.count = s.count + 1

    @action(member=Member, number=Number)
    def PutAndTell(self, s: Step, member: Expr, number: Expr) -> None:
        s.require(number > 0, s.count < 3)
        s.boxes[member] = number
        s.count = s.count + 1
        s.letters = insert(s.letters, record(self.Letter, id=s.count, text=number))

    Next = one_of(Put, PutAndTell)

    @invariant("not twice")
    def NotTwice(self, s: State) -> Term:
        return s.count < 2

    @invariant("not three times")
    def NotThrice(self, s: State) -> Term:
        return s.count < 3

    @step_invariant("what is told is told at once")
    def NothingUntold(self, s: State, t: State) -> Term:
        return (s.count == t.count) | (t.count < 3) | (s.letters != t.letters)


SUITE = Suite.of(Bag, "bag")


@cache
def found(traces: int, seed: int) -> Result:
    task = Task(SUITE, {}, ("NotTwice",), 4)
    (result,) = check(task, SILENT, TracePreference(traces, seed))
    return result


def test_as_few_members_and_messages_and_as_small_numbers_as_can_be() -> None:
    trace = found(1, 0).trace
    assert trace is not None
    assert [(s.action, dict(s.arguments)) for s in trace.steps[1:]] == [
        ("Put", {"member": 0, "helper": 0, "number": 1})
    ] * 2


def test_the_same_question_has_the_same_answer() -> None:
    task = Task(SUITE, {}, ("NotTwice",), 4)
    again = check(task, SILENT, TracePreference(5, 7))
    assert again[0].trace == found(5, 7).trace
    assert again[0].more_traces == found(5, 7).more_traces


def image(trace: Trace) -> frozenset[tuple[object, ...]]:
    """A trace up to the names of members."""
    model = SUITE.model(False)
    domains = Domains({})
    return frozenset(
        tuple(
            tuple(renamed(domains, s, step.state[n], naming) for n, s in model.variables.items())
            for step in trace.steps
        )
        for naming in namings(domains, model.variables.values())
    )


def test_further_traces_differ_in_more_than_names() -> None:
    result = found(12, 0)
    assert result.trace is not None
    all_of_them = [result.trace, *result.more_traces]
    assert len(all_of_them) == 12
    assert {len(trace) for trace in all_of_them} == {3}
    assert len({image(trace) for trace in all_of_them}) == 12
    actions = [tuple(step.action for step in trace.steps) for trace in all_of_them]
    assert len(set(actions[:4])) == 4


@pytest.mark.parametrize("asked", [1000, 10**20])
def test_there_may_be_fewer_than_asked_for(asked: int) -> None:
    """The first actions of two, and of each two equal or different members and 3 by 3 numbers."""
    result = found(asked, 0)
    assert result.trace is not None
    assert len([result.trace, *result.more_traces]) == 4 * 2 * 9


@pytest.mark.parametrize("name", ["kafka-truncate-to-hw"])
def test_a_specification_keeps_its_length_and_names_replicas_in_order(name: str) -> None:
    task = Task(find(name), {"replicas": 3}, ("WeakIsr",), 8)
    found = check(task)
    (result,) = check(task, SILENT, TracePreference())
    assert found[0].trace is not None
    assert result.trace is not None
    assert len(result.trace) == len(found[0].trace)
    roles = ("newLeader", "leader", "replica", "follower")
    named = [step.arguments[r] for step in result.trace.steps for r in roles if r in step.arguments]
    assert list(dict.fromkeys(named)) == sorted(set(named))


def test_renaming_is_a_group_action() -> None:
    model = SUITE.model(False)
    domains = Domains({})
    value = (1, 2, 3)
    sort = model.variables["boxes"]
    images = {renamed(domains, sort, value, n) for n in namings(domains, [sort])}
    assert images == set(permutations(value))


@given(st.tuples(*[st.integers(1, 3)] * 3))
def test_members_that_are_alike_are_named_once(value: tuple[int, ...]) -> None:
    model = SUITE.model(False)
    domains = Domains({})
    sort = model.variables["boxes"]

    def image(naming: Naming) -> object:
        return renamed(domains, sort, value, naming)

    few = [image(n) for n in different_namings(domains, [sort], lambda n: image(n) == value)]
    assert len(set(few)) == len(few)
    assert set(few) == {image(n) for n in namings(domains, [sort])}


def test_too_many_renamings_are_not_called_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minimisation_search, "MOST_IMAGES", 1)
    (result,) = check(Task(SUITE, {}, ("NotTwice",), 4), SILENT, TracePreference(1000, 0))
    assert result.reason == TOO_MANY_IMAGES
    assert len(result.more_traces) == 3


def test_a_busy_machine_has_as_long_as_an_idle_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds were the clock's: where others worked too, the trace was less simple."""
    task = Task(SUITE, {}, ("NotTwice",), 4)
    (wanted,) = check(task, SILENT, TracePreference())
    clock = count(step=15.0)
    monkeypatch.setattr(tasks, "monotonic", lambda: next(clock))
    (result,) = check(task, SILENT, TracePreference())
    assert (result.reason, result.trace) == (wanted.reason, wanted.trace)


def test_the_best_trace_so_far_is_shown_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    task = Task(SUITE, {}, ("NotTwice", "NotThrice"), 4)
    raw = check(task)
    monkeypatch.setattr(minimisation, "SECONDS", 0.0)
    for results in (
        check(task, SILENT, TracePreference()),
        simplest(task, raw, TracePreference(), SILENT, Deadline(None)),
    ):
        assert [one.reason for one in results] == [CUT_OFF, CUT_OFF]
        traces = [one.trace for one in results]
        assert [trace and len(trace) for trace in traces] == [3, 4]


@pytest.mark.parametrize(
    ("seconds", "said"), [(20.0, NOT_SHORTEST), (0.0, f"{NOT_SHORTEST}; {CUT_OFF}")]
)
def test_a_trace_that_need_not_be_the_shortest_is_still_said_to_be_none(
    seconds: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """IC3 had said so of its own trace; what is simplest of that length seemed to be shortest."""
    task = Task(SUITE, {}, ("NotTwice",), 4)
    known = tuple(replace(one, reason=NOT_SHORTEST) for one in check(task))
    monkeypatch.setattr(minimisation, "SECONDS", seconds)
    (result,) = simplest(task, known, TracePreference(), SILENT, Deadline(None))
    assert result.reason == said


def test_no_trace_is_too_few() -> None:
    with pytest.raises(OptionError, match="1 or more"):
        TracePreference(0)


@pytest.mark.parametrize(("replicas", "again"), [(2, True), (3, False)])
def test_what_is_known_is_not_looked_for_again_at_any_price(
    monkeypatch: pytest.MonkeyPatch, replicas: int, again: bool
) -> None:
    """A solver is given the trace; only one with other names than it asks for has to be found."""
    task = Task(find("kafka-kip101"), {"replicas": replicas}, ("WeakIsr",), 12)
    known = explore(task, stop_at_violation=True).verdicts()
    monkeypatch.setattr(minimisation, "_CONFLICTS_TO_FIND", 1)
    monkeypatch.setattr(shortest_paths, "MOST_STATES", 1)
    (result,) = simplest(task, known, TracePreference(), SILENT, Deadline(None))
    assert (result.reason == CUT_OFF) is not again
    assert (result.trace == known[0].trace) is not again


def test_a_question_that_is_too_hard_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """No conflict is allowed: the trace that was found stays, and nobody calls it the simplest."""
    task = Task(find("kafka-kip101"), {"replicas": 2}, ("WeakIsr",), 12)
    (raw,) = check(task)
    monkeypatch.setattr(minimisation_search, "CONFLICTS", 1)
    monkeypatch.setattr(shortest_paths, "MOST_STATES", 1)
    (result,) = check(task, SILENT, TracePreference())
    assert result.reason == TOO_HARD
    assert raw.trace is not None
    assert result.trace is not None
    assert len(result.trace) == len(raw.trace)


def test_what_is_searched_after_a_trace_was_made_simpler_is_not_changed_by_it() -> None:
    """Further traces are excluded under assumptions only: the other property is still found."""
    task = Task(SUITE, {}, ("NotTwice", "NotThrice"), 4)
    twice, thrice = check(task, SILENT, TracePreference(60, 0))
    assert twice.trace is not None
    assert thrice.trace is not None
    assert [len(twice.trace), len(thrice.trace)] == [3, 4]


@pytest.mark.parametrize("traces", [1, 5])
def test_what_another_engine_found_is_made_as_simple(traces: int) -> None:
    task = Task(SUITE, {}, ("NotTwice",), 4)
    expected = found(traces, 0)
    (again,) = simplest(task, check(task), TracePreference(traces, 0), SILENT, Deadline(None))
    assert again.trace == expected.trace
    assert len(again.more_traces) == len(expected.more_traces) == traces - 1


def test_the_graph_of_shortest_paths_and_the_solver_choose_alike() -> None:
    """The solver takes members in their order; the graph has all names and comes to the same."""
    for suite, parameters, name, last in (
        (SUITE, {}, "NotTwice", 2),
        (SUITE, {}, "NotThrice", 3),
        (SUITE, {}, "NothingUntold", 3),
        (find("kafka-kip101"), {"replicas": 2}, "WeakIsr", 11),
    ):
        task = Task(suite, parameters, (name,), 12)
        (result,) = check(task, SILENT, TracePreference())
        model = task.model(ghosts=False)
        (stated,) = task.stated(model)
        system = TransitionSystem(model, task.parameters)
        assert simplest_of_all(system, stated, last, 0, lambda: None) == result.trace


def test_where_there_are_too_many_states_the_solver_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = found(1, 0)
    monkeypatch.setattr(shortest_paths, "MOST_STATES", 10)
    task = Task(SUITE, {}, ("NotTwice",), 4)
    model = task.model(ghosts=False)
    system = TransitionSystem(model, task.parameters)
    with pytest.raises(NoGraph, match="more than 10 states"):
        simplest_of_all(system, task.stated(model)[0], 2, 0, lambda: None)
    (again,) = simplest(task, check(task), TracePreference(1, 0), SILENT, Deadline(None))
    assert again.trace == expected.trace


def test_a_length_at_which_nothing_is_violated_has_no_graph() -> None:
    task = Task(SUITE, {}, ("NotThrice",), 4)
    model = task.model(ghosts=False)
    system = TransitionSystem(model, task.parameters)
    with pytest.raises(NoGraph, match="no path"):
        simplest_of_all(system, task.stated(model)[0], 2, 0, lambda: None)
