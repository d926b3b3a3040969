"""Traces read as a person reads them: the golden texts here are the contract."""

import io
from collections.abc import Mapping
from textwrap import dedent

from bmc.evidence.certificate import WITHIN_BOUNDS
from bmc.evidence.trace import CounterexampleToInduction, Trace, TraceStep
from bmc.layout.domain import Value
from bmc.reports.page import Page
from bmc.reports.proofs.cti import write_further_failures, write_induction_failure
from bmc.reports.traces.differences import Change, changes
from bmc.reports.traces.instances import Violation
from bmc.reports.traces.text import write_trace, write_violation
from tests.cli.running import bmc
from tests.cli.zoo import SORTS, STATE, WORDS


def page() -> tuple[Page, io.StringIO]:
    class Unicode(io.StringIO):
        encoding = "utf-8"

    stream = Unicode()
    return Page(stream), stream


def state(**changed: Value) -> Mapping[str, Value]:
    """The variables a small trace needs."""
    start = {"replica": 0, "byReplica": (0, 0, 0), "requests": frozenset(), "log": (None,) * 3}
    return {**start, **changed}


SMALL = Trace(
    (
        TraceStep(None, {}, state()),
        TraceStep("Change", {"replica": 1, "entry": (0, None)}, state(byReplica=(0, 2, 0))),
        TraceStep(
            "Change",
            {"replica": 0, "entry": (1, 0)},
            state(byReplica=(0, 2, 0), requests=frozenset([(1, 0)]), replica=2),
        ),
        TraceStep(
            "Stutter",
            {},
            state(byReplica=(0, 2, 0), requests=frozenset([(1, 0)]), replica=2),
        ),
    )
)


def test_only_what_changed_is_shown() -> None:
    sheet, stream = page()
    write_trace(sheet, WORDS, SMALL)
    assert stream.getvalue() == (
        "  0  initial state\n"
        "     replica    r1\n"
        "     log        ⟨⟩\n"
        "     byReplica  [r1,r2,r3: 0]\n"
        "     requests   {}\n"
        "  1  Change(replica=r2, entry=[id: 0, owner: None])\n"
        "     byReplica[r2]  0 → 2\n"
        "  2  Change(replica=r1, entry=[id: 1, owner: r1])\n"
        "     replica   r1 → r3\n"
        "     requests  + [id: 1, owner: r1]\n"
        "  3  Stutter\n"
        "     (nothing changes)\n"
    )


def test_full_shows_whole_states_and_marks_what_changed() -> None:
    sheet, stream = page()
    write_trace(sheet, WORDS, SMALL, full=True)
    assert stream.getvalue().splitlines()[10:15] == [
        "  2  Change(replica=r1, entry=[id: 1, owner: r1])",
        "   * replica    r3",
        "     log        ⟨⟩",
        "     byReplica  [r1,r3: 0, r2: 2]",
        "   * requests   {[id: 1, owner: r1]}",
    ]


def test_a_violation_ends_by_saying_what_is_violated_and_where() -> None:
    sheet, stream = page()
    unexplained = [Violation("WeakIsr", {}, None), Violation("StrongIsr", {}, None)]
    write_violation(sheet, WORDS, SMALL, unexplained)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "WeakIsr, StrongIsr: a trace of 4 states"
    assert lines[-2:] == [
        "WeakIsr is violated after step 3",
        "StrongIsr is violated after step 3",
    ]


def test_changes_are_addressed_like_paths() -> None:
    after = {
        **STATE,
        "entry": (1, 0),
        "nobody": 1,
        "log": (1, 2, None),
        "byRole": (2, 1),
        "isr": frozenset([0]),
        "requests": frozenset([(0, 2)]),
        "queue": (("Fetch", (2, 1)),),
    }
    assert changes(WORDS, STATE, after) == [
        Change("nobody", "None", "r2"),
        Change("entry.owner", "r3", "r1"),
        Change("log[1]", "None", "2"),
        Change("byRole[leader]", "None", "r3"),
        Change("isr", "{r1, r3}", "{r1}"),
        Change("requests", "[id: 1, owner: None]", None),
        Change("queue", "⟨Stop(FALSE), Fetch[id: 2, owner: r2]⟩", "⟨Fetch[id: 2, owner: r2]⟩"),
    ]


def test_a_step_without_variables_in_common_changes_nothing() -> None:
    assert changes(WORDS, {}, {"offset": 1}) == []
    assert set(SORTS) >= set(STATE)


FAILURE = CounterexampleToInduction("follower_prefix", {}, Trace(SMALL.steps[:3]), 2)


def test_a_counterexample_to_induction_cannot_be_taken_for_a_trace() -> None:
    sheet, stream = page()
    write_induction_failure(sheet, WORDS, FAILURE)
    text = stream.getvalue()
    assert text == dedent(
        """\
        ┊ COUNTEREXAMPLE TO INDUCTION (not an execution: its first state may be unreachable)
        ┊ the condition follower_prefix holds in 2 assumed states and fails in the next
        ┊
        ┊ state 0 (assumed, perhaps unreachable)
        ┊      replica    r1
        ┊      log        ⟨⟩
        ┊      byReplica  [r1,r2,r3: 0]
        ┊      requests   {}
        ┊   1  Change(replica=r2, entry=[id: 0, owner: None])
        ┊      byReplica[r2]  0 → 2
        ┊   2  Change(replica=r1, entry=[id: 1, owner: r1])
        ┊      replica   r1 → r3
        ┊      requests  + [id: 1, owner: r1]
        ┊
        ┊ follower_prefix fails after Change(replica=r1, entry=[id: 1, owner: r1])
        ┊ This does not violate anything yet: if state 0 cannot be reached, a lemma that
        ┊ excludes it is missing; `bmc check` looks for a violation from the initial states.
        """
    )
    sheet, stream = page()
    write_trace(sheet, WORDS, SMALL)
    trace = stream.getvalue()
    assert "initial state" in trace
    assert "initial state\n" not in text
    assert "┊" not in trace


def test_no_text_says_counterexample_without_to_induction() -> None:
    sheet, stream = page()
    write_induction_failure(sheet, WORDS, FAILURE)
    write_further_failures(sheet, WORDS, [FAILURE])
    bounds = CounterexampleToInduction(WITHIN_BOUNDS, {}, FAILURE.path, 2)
    write_induction_failure(sheet, WORDS, bounds, full=True)
    text = (
        stream.getvalue()
        + bmc(
            "prove",
            "kafka",
            "-p",
            "replicas=2",
            "--no-lemmas",
            "--k",
            "2",
            "--engine",
            "kinduction",
        ).out
    )
    words = text.lower().split("counterexample")
    assert len(words) > 1
    assert all(rest.startswith(" to induction") for rest in words[1:])


def test_without_lemmas_no_violation_is_claimed() -> None:
    text = bmc(
        "prove", "kafka", "-p", "replicas=2", "--no-lemmas", "--k", "2", "--engine", "kinduction"
    ).out
    before, _, _ = text.partition("Refuted claims")
    assert "violated" not in before
    assert "perhaps unreachable" in before


def test_a_violation_of_a_users_protocol(counter: str) -> None:
    found = bmc("check", f"{counter}:Counter", "--property", "Small")
    assert found.out.splitlines()[4:] == [
        "Small: a trace of 4 states",
        "",
        "  0  initial state",
        "     value  0",
        "  1  Count",
        "     value  0 → 1",
        "  2  Count",
        "     value  1 → 2",
        "  3  Count",
        "     value  2 → 3",
        "",
        "Small is violated after step 3: Small is false",
        "  value <= 2  FALSE  3 <= 2",
        "",
    ]


def test_where_the_encoding_has_no_arrows_there_are_ascii_ones(counter: str) -> None:
    found = bmc("check", f"{counter}:Counter", "--property", "Small", encoding="ascii")
    assert "     value  2 -> 3" in found.out.splitlines()
    induction = bmc(
        "prove",
        "kafka",
        "-p",
        "replicas=2",
        "--no-lemmas",
        "--k",
        "1",
        "--engine",
        "kinduction",
        encoding="ascii",
    )
    assert "| state 0 (assumed, perhaps unreachable)" in induction.out.splitlines()


def test_the_violated_instance_is_named() -> None:
    asked = ("check", "kafka-kip101", "-p", "replicas=2", "--depth", "11", "--property", "WeakIsr")
    found = bmc(*asked)
    assert found.code == 1
    last = [line for line in found.out.splitlines() if line.startswith("WeakIsr is violated")][-1]
    assert last.startswith("WeakIsr is violated after step 11: WeakIsr(r1=r")
    (result,) = bmc(*asked, "--json").document["results"]
    assert result["violated_instance"]["r1"] in ("r1", "r2")
    assert len(result["trace"]) == 12
