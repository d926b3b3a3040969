"""PROPERTY and fairness of a configuration: the verdicts are TLC's, and lassos are of the text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.frontends.tla.agreement import Disagreement
from bmc.frontends.tla.suite import suite_of

LOCK = """---- MODULE Lock ----
EXTENDS Integers
CONSTANT Proc
VARIABLES pc, free
vars == <<pc, free>>
Init == pc = [p \\in Proc |-> "out"] /\\ free = TRUE
Want(p) == pc[p] = "out" /\\ pc' = [pc EXCEPT ![p] = "want"] /\\ UNCHANGED free
Enter(p) == pc[p] = "want" /\\ free /\\ pc' = [pc EXCEPT ![p] = "in"] /\\ free' = FALSE
Leave(p) == pc[p] = "in" /\\ pc' = [pc EXCEPT ![p] = "out"] /\\ free' = TRUE
Next == \\E p \\in Proc : Want(p) \\/ Enter(p) \\/ Leave(p)
Base == Init /\\ [][Next]_vars
WeakAll == Base /\\ WF_vars(Next)
WeakEach == Base /\\ \\A p \\in Proc : WF_vars(Enter(p)) /\\ WF_vars(Leave(p))
StrongEach == Base /\\ \\A p \\in Proc : SF_vars(Enter(p)) /\\ WF_vars(Leave(p))
StrongAny == Base /\\ SF_vars(\\E p \\in Proc : Enter(p)) /\\ WF_vars(\\E p \\in Proc : Leave(p))
Partly == Base /\\ WF_free(Next)
Foreign == Base /\\ WF_vars(\\E p \\in Proc : Want(p) /\\ free)
Served == \\A p \\in Proc : (pc[p] = "want") ~> (pc[p] = "in")
Someone == (\\E p \\in Proc : pc[p] = "want") ~> (\\E p \\in Proc : pc[p] = "in")
Again == []<>free
Settles == <>[]free
Refined == ~free /\\ [][Next]_vars
Open == free
====
"""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    (tmp_path / "Lock.tla").write_text(LOCK)
    return tmp_path / "Lock.tla"


def asked(lock: Path, specification: str, stated: str, *more: str) -> None:
    lines = [f"SPECIFICATION {specification}", "CONSTANT Proc = {a, b}", f"PROPERTY {stated}"]
    text = "\n".join([*lines, "CHECK_DEADLOCK FALSE", *more, ""])
    lock.with_suffix(".cfg").write_text(text)


@pytest.mark.parametrize(
    ("behaviours", "told"),
    [("SPECIFICATION WeakAll", "WeakAll"), ("INIT Init\nNEXT Next", "INIT and NEXT")],
)
def test_a_verdict_names_what_the_configuration_takes_as_the_specification(
    behaviours: str, told: str, lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked(lock, "Base", "Again")
    written = lock.with_suffix(".cfg").read_text()
    lock.with_suffix(".cfg").write_text(written.replace("SPECIFICATION Base", behaviours))
    run(["prove", str(lock), "--property", "Again", "--json"])
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert found["specification"] == told


# TLC's answers on this text.
@pytest.mark.parametrize(
    ("specification", "stated", "verdict"),
    [
        ("Base", "Someone", "violated"),
        ("WeakAll", "Again", "proved"),
        ("WeakAll", "Settles", "violated"),
        ("WeakEach", "Served", "violated"),
        ("StrongEach", "Served", "proved"),
        ("StrongAny", "Served", "violated"),
        ("StrongAny", "Someone", "proved"),
        ("Partly", "Someone", "proved"),
        ("Foreign", "Someone", "violated"),
    ],
)
def test_a_temporal_property_is_decided_as_tlc_decides_it(
    lock: Path,
    capsys: pytest.CaptureFixture[str],
    specification: str,
    stated: str,
    verdict: str,
) -> None:
    asked(lock, specification, stated)
    run(["prove", str(lock), "-P", stated, "--json"])
    document = json.loads(capsys.readouterr().out)
    (found,) = document["results"]
    assert found["verdict"] == verdict
    assert not any(stated in note for note in document["scope"].get("notes", ()))


# TLC's answers on this text.
@pytest.mark.parametrize(
    ("stated", "verdict"),
    [
        ("[][Turn]_{x}", "proved"),
        ("[][Turn]_I(1)!kept", "proved"),
        ("[][x' = 1]_{x % 3, 3}", "violated"),
        ("WF_{a \\in {1} : x = a}(Turn)", "violated"),
        ("SF_I(1)!kept(Turn)", "violated"),
        ("WF_more(1)(Turn)", "violated"),
        ("WF_I(1)!kept(FALSE)", "proved"),
        ("[]<><<Turn>>_{x, 1}", "violated"),
    ],
)
def test_a_subscript_is_a_set_or_has_arguments_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], stated: str, verdict: str
) -> None:
    (tmp_path / "I.tla").write_text(
        "---- MODULE I ----\nCONSTANT k\nVARIABLE x\nkept == <<x, k>>\n====\n"
    )
    (tmp_path / "M.tla").write_text(
        "---- MODULE M ----\nEXTENDS Naturals\nVARIABLE x\nI(k) == INSTANCE I\n"
        "more(k) == x + k\nInit == x = 0\nTurn == x' = (x + 1) % 3\n"
        f"Spec == Init /\\ [][Turn]_x\nStated == {stated}\n====\n"
    )
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTY Stated\n")
    run(["prove", str(tmp_path / "M.tla"), "-P", "Stated", "--json"])
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert found["verdict"] == verdict


def test_a_denied_eventually_of_a_denied_one_is_always_eventually(
    lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """TLC calls the second one violated; by the meaning of `<>` they are one formula."""
    stated = "Doubly == ~<>~<>free\n"
    lock.write_text(LOCK.replace("Settles ==", f"{stated}Settles =="))
    for claim in ("Again", "Doubly"):
        asked(lock, "WeakAll", claim)
        run(["prove", str(lock), "--property", claim, "--json"])
        (found,) = json.loads(capsys.readouterr().out)["results"]
        assert found["verdict"] == "proved"


def test_where_no_fairness_is_stated_it_is_said_how_tla_states_it(
    lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked(lock, "Base", "Someone")
    run(["prove", str(lock), "-P", "Someone"])
    said = capsys.readouterr().out
    assert "State it in a SPECIFICATION: Init /\\ [][Next]_vars /\\ WF_vars(Next), say." in said
    assert "Declare it" not in said


def test_a_property_of_a_state_is_one_of_initial_states(
    lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked(lock, "Base", "Refined")
    assert run(["prove", str(lock), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["results"]
    assert {one["property"]: one["verdict"] for one in found} == {
        "Refined_1": "violated",
        "Refined_2": "proved",
    }
    assert len(next(one["trace"] for one in found if one["property"] == "Refined_1")) == 1


def test_that_a_property_is_asked_of_initial_states_only_is_said(
    lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is false of a later state, and stood there as proved in every reachable one."""
    asked(lock, "Base", "Open")
    assert run(["explore", str(lock)]) == 0
    assert "Open is asked of initial states only" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("more", [[], ["--on-text"]])
def test_a_property_that_is_an_invariant_too_is_asked_of_every_state(
    lock: Path, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    """TLC judges both; the invariant says what the property says, and more."""
    asked(lock, "Base", "Open", "INVARIANT Open")
    assert run(["explore", str(lock), "--json", *more]) == 1
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert (found["property"], found["verdict"], len(found["trace"])) == ("Open", "violated", 3)


def test_a_lasso_that_the_text_does_not_have_is_refused(lock: Path) -> None:
    asked(lock, "Base", "Someone")
    origin = suite_of("Lock", lock).origin
    assert origin is not None
    start = {"pc": ("out", "out"), "free": True}
    origin.replay_lasso([None], [start], 0, None)
    with pytest.raises(Disagreement):
        origin.replay_lasso([None], [start], 0, "Leave")


@pytest.mark.parametrize("engine", ["explicit", "lasso"])
@pytest.mark.parametrize("stated", ["<>(Head(q) = 2)", "<>[][Head(q') = 1]_x"])
def test_a_claim_without_a_value_is_told_in_the_words_of_the_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], stated: str, engine: str
) -> None:
    """It was told in the model's, which name neither the formula nor its line."""
    (tmp_path / "M.tla").write_text(f"""---- MODULE M ----
EXTENDS Integers, Sequences
VARIABLES x, q
Init == x = 0 /\\ q = <<1>>
Next == x < 9 /\\ x' = x + 1 /\\ q' = IF x = 4 THEN <<>> ELSE <<1>>
Spec == Init /\\ [][Next]_<<x, q>> /\\ WF_x(Next)
Claim == {stated}
====
""")
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTY Claim\nCHECK_DEADLOCK FALSE\n")
    asked_for = ["--engine", engine, "--property", "Claim", "--json"]
    assert run(["prove", str(tmp_path / "M.tla"), *asked_for]) == 3
    (found,) = json.loads(capsys.readouterr().out)["results"]
    column = len("Claim == ") + stated.index("Head") + 1
    place = f"{tmp_path / 'M.tla'}:7:{column}"
    assert found["reason"] == f"{place}: Head of the empty sequence"


@pytest.mark.parametrize("engine", ["auto", "explicit", "lasso", "monitored", "inductive"])
def test_a_step_without_a_value_is_told_in_the_words_of_the_text(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was a bound that is too small, in the words of the translation, and no bound helps."""
    (tmp_path / "Stuck.tla").write_text(
        "---- MODULE Stuck ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
        "Next == x < 2 /\\ x' = IF x = 1 THEN CHOOSE n \\in {1} : n = 0 ELSE x + 1\n"
        "Spec == Init /\\ [][Next]_x /\\ WF_x(Next)\nEnds == <>(x = 3)\n====\n"
    )
    config = "SPECIFICATION Spec\nPROPERTY Ends\nCHECK_DEADLOCK FALSE\n"
    (tmp_path / "Stuck.cfg").write_text(config)
    text = str(tmp_path / "Stuck.tla")
    assert run(["prove", text, "-P", "Ends", "--engine", engine, "--json"]) == 3
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert "Stuck.tla:5:37: CHOOSE finds no such member" in result["reason"]
