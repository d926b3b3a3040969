"""What a text and its configuration assume is looked at: where it is false nothing is judged."""

from pathlib import Path

import pytest

from bmc.frontends.tla.assumptions import AssumptionFalse, require_assumptions
from bmc.frontends.tla.errors import TlaError, TlaUnsupported
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.suite import complaints, suite_of
from bmc.lang.ready import ReadySuite
from bmc.lang.terms import subterms

BODY = "EXTENDS Integers\nCONSTANT N\n{assumed}\nVARIABLE x\nInit == x = 0\nNext == x' = 0\n"
STEPS = "INIT Init\nNEXT Next\n"


def suite(folder: Path, body: str, config: str) -> ReadySuite:
    """Return the suite of a module M of this body."""
    (folder / "M.tla").write_text(f"---- MODULE M ----\n{body}\n====\n")
    (folder / "M.cfg").write_text(config)
    return suite_of("M.tla", folder / "M.tla")


def test_a_false_assumption_is_refused_at_its_place(tmp_path: Path) -> None:
    body = BODY.format(assumed="ASSUME Large == N > 5")
    with pytest.raises(AssumptionFalse, match=r"M\.tla:4:\d+: Large is false"):
        suite(tmp_path, body, f"{STEPS}CONSTANT N = 3")
    (told,), notes = complaints(tmp_path / "M.tla")
    assert not notes
    assert isinstance(told, AssumptionFalse)


def test_an_assumption_behind_a_theorem_is_one(tmp_path: Path) -> None:
    """It was taken for what the theorem assumes, and passed over with it."""
    body = BODY.format(assumed="THEOREM Small == N < 9\nASSUME Large == N > 5")
    with pytest.raises(AssumptionFalse, match=r"M\.tla:5:\d+: Large is false"):
        suite(tmp_path, body, f"{STEPS}CONSTANT N = 3")


def test_a_true_assumption_says_nothing(tmp_path: Path) -> None:
    body = BODY.format(assumed="ASSUME N \\in Nat /\\ N > 5")
    origin = suite(tmp_path, body, f"{STEPS}CONSTANT N = 6").origin
    assert origin is not None
    assert origin.notes() == ()


def test_an_assumption_is_judged_before_any_set_of_init_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Init chose from a set of a million cans, which was listed for the sake of an ASSUME."""
    (tmp_path / "M.tla").write_text(
        f"---- MODULE M ----\n{BODY.format(assumed='ASSUME N > 5')}\n====\n"
    )
    (tmp_path / "M.cfg").write_text(f"{STEPS}CONSTANT N = 6")
    specification = load(tmp_path / "M.tla")
    monkeypatch.delattr(Machine, "_compile_init")
    assert require_assumptions(specification) == ()


def test_an_assumption_without_value_is_told_with_every_answer(tmp_path: Path) -> None:
    body = BODY.format(assumed="ASSUME \\A n \\in Nat : n < N")
    origin = suite(tmp_path, body, f"{STEPS}CONSTANT N = 6").origin
    assert origin is not None
    (note,) = origin.notes()
    assert note.startswith("the ASSUME in line 4 is NOT checked")


def test_an_assumption_that_cannot_be_read_is_told_with_every_answer(tmp_path: Path) -> None:
    """Voting's model assumes a theorem by its name; nothing else of it was refused."""
    assumed = "THEOREM Small == N < 9\nASSUME Small!:"
    origin = suite(tmp_path, BODY.format(assumed=assumed), f"{STEPS}CONSTANT N = 6").origin
    assert origin is not None
    (note,) = origin.notes()
    assert note.startswith("the ASSUME in line 5 is NOT checked: a name for a part of")


def test_a_configuration_without_behaviour_is_refused(tmp_path: Path) -> None:
    """It ended as an internal failure."""
    with pytest.raises(TlaError, match=r"\.cfg:1:1: .*names no behaviour"):
        suite(tmp_path, BODY.format(assumed=""), "CONSTANT N = 6").model(False)


SPEC = "EXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\n"


def test_a_conjunct_that_says_what_is_always_so_is_refused(tmp_path: Path) -> None:
    body = f"{SPEC}Spec == Init /\\ [][Next]_x /\\ [](x < 2)"
    with pytest.raises(TlaUnsupported, match="what is always so"):
        suite(tmp_path, body, "SPECIFICATION Spec")


def test_fairness_and_progress_are_no_such_conjuncts(tmp_path: Path) -> None:
    body = f"{SPEC}Spec == Init /\\ [][Next]_x /\\ WF_x(Next) /\\ []<>(x = 0)"
    assert suite(tmp_path, body, "SPECIFICATION Spec").model(False).variables


def test_a_step_that_a_later_conjunct_excludes_leaves_no_bound(tmp_path: Path) -> None:
    body = f"{SPEC}Only == Next /\\ x' = 1"
    model = suite(tmp_path, body, "INIT Init\nNEXT Only").model(False)
    (branch,) = (branch for action in model.actions for branch in action.branches)
    assert "narrow" not in {term.op for guard in branch.guards for term in subterms([guard])}


def test_a_lemma_that_cannot_be_translated_is_told_and_not_offered(tmp_path: Path) -> None:
    """Nothing is claimed of it; the specification was refused for it."""
    body = BODY.format(assumed="")
    body += "Known == x = 0\nStrange == 0 = CHOOSE s \\in SUBSET (x .. 40) : s # {}\n"
    given = suite(tmp_path, body, f"{STEPS}CONSTANT N = 6\n\\* bmc: lemma Known, Strange\n")
    assert [one.name for one in given.lemmas] == ["Known"]
    assert given.origin is not None
    (note,) = given.origin.notes()
    assert note.startswith("lemma Strange is not offered: ")
    assert "M.tla:9:16: " in note
