"""From Python the answers are those of the command line, with their evidence."""

import subprocess
import sys

import pytest

from bmc import check, explore, prove
from bmc.cli.shared.user_file import UserModelError
from bmc.engines.engine import UnknownEngine
from bmc.evidence.verdict import Verdict
from bmc.lang.errors import ParameterError, UnknownName
from tests.engines import machines


def test_a_proof_by_name_has_a_certificate() -> None:
    answered = prove("id-sequence", "TypeOk", engine="kinduction", max_id=3)
    assert answered.proved
    assert answered["TypeOk"].certificate is not None
    assert answered.parameters == {"max_id": 3}


def test_a_class_is_a_protocol() -> None:
    answered = prove(machines.Pair, "OtherBelowLimit", limit=5)
    assert answered.proved
    assert not answered.violated


def test_what_is_false_has_its_trace() -> None:
    for answered in (
        prove(machines.DeadEnd, "NeverAtTheEnd"),
        check(machines.DeadEnd, "NeverAtTheEnd", depth=3),
        explore(machines.DeadEnd, "NeverAtTheEnd"),
    ):
        assert answered.violated
        assert not answered.proved
        trace = answered["NeverAtTheEnd"].trace
        assert trace is not None
        assert len(trace) == 3


def test_a_search_that_finds_nothing_is_clean_and_no_proof() -> None:
    answered = check(machines.Ring, "NotSeven", depth=4)
    assert answered.clean
    assert not answered.proved


def test_a_limit_is_no_answer() -> None:
    answered = prove("kafka", "StrongIsr", engine="ic3", lemmas=False, timeout=0.2)
    assert answered["StrongIsr"].verdict is Verdict.UNKNOWN
    assert not answered.proved


def test_it_is_shown_as_the_command_line_shows_it() -> None:
    answered = prove("id-sequence", "TypeOk", engine="kinduction")
    assert "TypeOk  proved  for every depth, by k-induction" in str(answered)
    assert answered._repr_html_().startswith("<pre>")
    assert "<script>" not in answered._repr_html_()


def test_bad_usage_is_an_exception_that_says_what_to_do() -> None:
    with pytest.raises(UnknownName, match="did you mean"):
        prove("kafkaa")
    with pytest.raises(ParameterError, match="no parameter 'replica'"):
        prove("kafka", replica=3)
    with pytest.raises(UserModelError, match="give the class Ring itself"):
        prove(machines.Ring())  # type: ignore[arg-type]
    with pytest.raises(UnknownEngine):
        prove("kafka", engine="magic")
    with pytest.raises(UnknownName, match="was not asked"):
        _ = explore(machines.Ring)["Other"]


def test_importing_bmc_loads_no_solver() -> None:
    said = subprocess.run(
        [sys.executable, "-c", "import sys, bmc; print('z3' in sys.modules, len(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert said[0] == "False"
