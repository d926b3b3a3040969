"""An observer from Python hears once of each claim that is decided, what the answer says of it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from bmc import Answered, Result, check, explore, prove
from bmc.engines.task import OptionError
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.verdict import Verdict
from bmc.frontends.tla import samples
from tests.api.texts import GROWS, MUTEX, UNVALUED
from tests.engines import machines


class Heard:
    """An observer that remembers the verdicts that it is told."""

    def __init__(self) -> None:
        self.verdicts: list[tuple[str, Verdict]] = []

    def phase(self, text: str) -> None:
        """Ignore it."""

    def fact(self, text: str) -> None:
        """Ignore it."""

    def decided(self, result: Result | TemporalResult) -> None:
        """Remember it."""
        self.verdicts.append((result.property, result.verdict))


def test_an_observer_is_told_of_temporal_claims() -> None:
    heard = Heard()
    prove(f"{MUTEX}:TicketLine", "Enters", "Exclusion", observer=heard)
    assert heard.verdicts == [("Exclusion", Verdict.PROVED), ("Enters", Verdict.PROVED)]
    heard = Heard()
    prove(f"{MUTEX}:TestAndSet", "EntersWeakly", engine="lasso", observer=heard)
    assert heard.verdicts == [("EntersWeakly", Verdict.VIOLATED)]


ASKED: list[Callable[..., Answered]] = [
    explore,
    prove,
    partial(prove, engine="explicit"),
    partial(prove, engine="kinduction"),
    check,
]


@pytest.mark.parametrize("call", ASKED)
def test_an_observer_is_told_once_of_each_claim_that_is_decided(
    call: Callable[..., Answered],
) -> None:
    for protocol in (machines.Pair, machines.DeadEnd, f"{MUTEX}:TicketLine"):
        heard = Heard()
        answered = call(protocol, observer=heard)
        decided = [(r.property, r.verdict) for r in answered.results]
        told = [one for one in decided if one[1] is not Verdict.UNKNOWN]
        assert sorted(heard.verdicts) == sorted(told)


@pytest.mark.parametrize("call", ASKED)
def test_an_observer_is_told_what_the_text_agrees_to(
    call: Callable[..., Answered], tmp_path: Path
) -> None:
    """Open has no value where the model alone finds it violated."""
    (tmp_path / "Unvalued.tla").write_text(UNVALUED)
    (tmp_path / "Unvalued.cfg").write_text("INIT Init NEXT Next INVARIANTS Held Open Fails")
    heard = Heard()
    answered = call(str(tmp_path / "Unvalued.tla"), "Held", "Open", "Fails", observer=heard)
    assert answered["Open"].verdict is Verdict.UNKNOWN
    assert ("Fails", Verdict.VIOLATED) in heard.verdicts
    assert "Open" not in dict(heard.verdicts)


@pytest.mark.parametrize("call", ASKED)
def test_an_observer_is_told_once_where_bounds_grow(
    call: Callable[..., Answered], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "_NEAR", 5)
    monkeypatch.setattr(samples, "_WALKS", 0)
    (tmp_path / "Grows.tla").write_text(GROWS)
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE CONSTANT Side = 3 INVARIANTS Early Late"
    (tmp_path / "Grows.cfg").write_text(config)
    heard = Heard()
    call(str(tmp_path / "Grows.tla"), "Early", "Late", observer=heard)
    assert heard.verdicts == [("Early", Verdict.VIOLATED), ("Late", Verdict.VIOLATED)]


@pytest.mark.parametrize("call", [prove, check, explore])
def test_no_observer_listens_to_nothing(call: Callable[..., Answered]) -> None:
    assert call("id-sequence", observer=None).results


@pytest.mark.parametrize("call", [prove, check, explore])
def test_who_cannot_be_told_is_no_observer(call: Callable[..., Answered]) -> None:
    with pytest.raises(OptionError, match="observer= has no phase"):
        call("id-sequence", observer=print)
