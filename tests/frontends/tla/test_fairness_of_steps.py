"""Fairness and steps in temporal formulas, beyond the disjuncts of Next; verdicts are TLC's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.frontends.tla.suite import suite_of

LOCK = """---- MODULE Lock ----
EXTENDS Integers
CONSTANT Proc
VARIABLES pc, free, turns
vars == <<pc, free, turns>>
Init == pc = [p \\in Proc |-> "out"] /\\ free = TRUE /\\ turns = 0
Want(p) == pc[p] = "out" /\\ pc' = [pc EXCEPT ![p] = "want"] /\\ UNCHANGED <<free, turns>>
Enter(p) == pc[p] = "want" /\\ free /\\ pc' = [pc EXCEPT ![p] = "in"] /\\ free' = FALSE
            /\\ turns' = (turns + 1) % 4
Leave(p) == pc[p] = "in" /\\ pc' = [pc EXCEPT ![p] = "out"] /\\ free' = TRUE /\\ UNCHANGED turns
Next == \\E p \\in Proc : Want(p) \\/ Enter(p) \\/ Leave(p)
AnyEnter == \\E p \\in Proc : Enter(p)
Base == Init /\\ [][Next]_vars
StrongPc == Base /\\ \\A p \\in Proc : SF_pc(Enter(p)) /\\ WF_<<pc, free>>(Leave(p))
PartlyT == Base /\\ WF_turns(Next)
Both3 == Base /\\ \\A p, q \\in Proc :
           SF_vars(Enter(p) /\\ (p = q \\/ pc[q] # "in")) /\\ WF_vars(Leave(p))
Served == \\A p \\in Proc : (pc[p] = "want") ~> (pc[p] = "in")
Someone == (\\E p \\in Proc : pc[p] = "want") ~> (\\E p \\in Proc : pc[p] = "in")
Settles == <>[]free
Fair1 == WF_vars(Next)
Fair2 == \\A p \\in Proc : WF_vars(Leave(p))
Fair3 == \\A p \\in Proc : SF_vars(Enter(p))
Fair5 == WF_turns(Next)
Steps1 == []<><<AnyEnter>>_vars
Steps2 == \\A p \\in Proc : []<><<Enter(p)>>_vars
Steps4 == <>[][\\A p \\in Proc : ~Want(p)]_vars
Steps5 == \\A p \\in Proc : [](pc[p] = "want" => <>(ENABLED AnyEnter))
Steps6 == \\A p \\in Proc : []<>(ENABLED AnyEnter /\\ pc[p] = "out")
Cond1 == (\\A p \\in Proc : []<><<Enter(p)>>_vars) => Served
Either == IF ~free THEN Someone ELSE Settles
Others(q) == \\E p \\in Proc : p # q /\\ Want(p)
Clash == \\A p \\in Proc : <>(ENABLED Others(p))
Low == turns < 3
Small == \\A p \\in Proc : pc[p] # "in" \\/ turns < 2
Slow == turns' # 3
====
"""

CLAIMS = (
    *("Served", "Someone", "Settles", "Fair1", "Fair2", "Fair3", "Fair5"),
    *("Steps1", "Steps2", "Steps4", "Steps5", "Steps6", "Cond1", "Clash", "Either"),
)


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    (tmp_path / "Lock.tla").write_text(LOCK)
    return tmp_path / "Lock.tla"


def configured(lock: Path, specification: str, *more: str) -> None:
    lines = [f"SPECIFICATION {specification}", "CONSTANT Proc = {a, b}", "CHECK_DEADLOCK FALSE"]
    asked = f"PROPERTY {' '.join(CLAIMS)}"
    lock.with_suffix(".cfg").write_text("\n".join([*lines, asked, *more, ""]))


def verdicts(lock: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    named = [word for claim in CLAIMS for word in ("-P", claim)]
    run(["prove", str(lock), "--engine", "explicit", "--json", *named])
    document = json.loads(capsys.readouterr().out)
    return {one["property"]: one["verdict"] for one in document["results"]}


STRONG = "Served Someone Fair2 Fair3 Fair5 Steps5 Cond1 Clash"


# What TLC proves under each of them; it finds the other claims violated.
@pytest.mark.parametrize(
    ("specification", "more", "proved"),
    [
        ("StrongPc", (), STRONG),
        ("PartlyT", (), "Someone Fair5 Cond1 Clash"),
        ("Both3", (), STRONG),
        *(
            ("StrongPc", (limit,), f"{STRONG} Settles Steps4 Either")
            for limit in ("CONSTRAINT Low", "ACTION_CONSTRAINT Slow")
        ),
    ],
)
def test_tlc_says_the_same(
    lock: Path,
    capsys: pytest.CaptureFixture[str],
    specification: str,
    more: tuple[str, ...],
    proved: str,
) -> None:
    configured(lock, specification, *more)
    found = verdicts(lock, capsys)
    assert found.keys() == set(CLAIMS)
    assert set(found.values()) == {"proved", "violated"}
    assert {name for name, verdict in found.items() if verdict == "proved"} == set(proved.split())


def test_a_lasso_tells_how_each_condition_of_the_text_is_met(
    lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configured(lock, "StrongPc")
    assert run(["prove", str(lock), "-P", "Settles", "--engine", "explicit"]) == 1
    told = capsys.readouterr().out
    assert "SF_pc(Enter(p)) (p=a)" in told
    assert "WF_<<pc, free>>(Leave(p)) (p=b)" in told


def test_what_is_left_out_is_said(lock: Path) -> None:
    configured(lock, "StrongPc", "CONSTRAINT Low")
    origin = suite_of("Lock", lock).origin
    assert origin is not None
    assert any("never leave Low" in note for note in origin.notes())


RING = """---- MODULE Ring ----
EXTENDS Integers
CONSTANT N
VARIABLES at, wants
vars == <<at, wants>>
Place == 0..(N - 1)
Init == at = 0 /\\ wants = [p \\in Place |-> FALSE]
Want(p) == ~wants[p] /\\ wants' = [wants EXCEPT ![p] = TRUE] /\\ UNCHANGED at
Work(p) == at = p /\\ wants[p] /\\ wants' = [wants EXCEPT ![p] = FALSE] /\\ UNCHANGED at
Pass(p) == at = p /\\ at' = (p + 1) % N /\\ UNCHANGED wants
Next == \\E p \\in Place : Want(p) \\/ Work(p) \\/ Pass(p)
Base == Init /\\ [][Next]_vars /\\ \\A p \\in Place : WF_vars(Pass(p))
Strong == Base /\\ \\A p \\in Place : SF_vars(Work(p))
Weak == Base /\\ \\A p \\in Place : WF_vars(Work(p))
Anybody == Base /\\ SF_vars(\\E p \\in Place : Work(p))
Served == \\A p \\in Place : wants[p] ~> ~wants[p]
====
"""


@pytest.mark.parametrize(
    ("specification", "verdict"),
    [("Strong", "proved"), ("Weak", "violated"), ("Anybody", "violated")],
)
def test_the_state_may_say_who_acts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], specification: str, verdict: str
) -> None:
    """`at = p` leaves the action of the model without a choice; fairness is asked of each p."""
    ring = tmp_path / "Ring.tla"
    ring.write_text(RING)
    lines = (f"SPECIFICATION {specification}", "CONSTANT N = 3", "PROPERTY Served", "")
    ring.with_suffix(".cfg").write_text("\n".join(lines))
    run(["prove", str(ring), "--engine", "explicit", "--json", "-P", "Served"])
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert (found["property"], found["verdict"]) == ("Served", verdict)
