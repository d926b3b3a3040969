"""Every guard of KIP-320 that matters is needed: without it the proof fails, and here is how."""

from collections.abc import Iterable

import pytest
from bmc.properties.kafka import KAFKA_KIP320

from bmc.engines.bounded import check
from bmc.engines.kinduction import prove
from bmc.engines.task import Task
from bmc.evidence.verdict import Verdict
from tests.encodings.weakened import without_guard

CLAIMS = ("TypeOk", "WeakIsr", "StrongIsr", "ElectedLeaderInIsr")
TWO = {"replicas": 2}

BROKEN = {
    "elects outside the ISR": ("ControllerElectLeader", 0, 0, "ElectedLeaderInIsr"),
    "shrinks a leader out of the ISR": ("ControllerShrinkIsr", 2, 0, "ElectedLeaderInIsr"),
    "becomes leader at an old epoch": ("BecomeLeader", 0, 1, "WeakIsr"),
    "expands by a follower of another epoch": ("FencedLeaderExpandIsr", 0, 1, "StrongIsr"),
    "expands by a follower that lags": ("FencedLeaderExpandIsr", 0, 2, "WeakIsr"),
    "expands as a deposed leader": ("FencedLeaderExpandIsr", 0, 4, "StrongIsr"),
    "shrinks as a deposed leader": ("FencedLeaderShrinkIsr", 0, 2, "StrongIsr"),
    "writes past the end": ("LeaderWrite", 0, 4, "TypeOk"),
    "commits without its ISR": ("FencedLeaderIncHighWatermark", 0, 1, "WeakIsr"),
    "fetches what is not there": ("FencedFollowerFetch", 0, 1, "TypeOk"),
}
"""What goes wrong: (action, branch, guard) that is dropped, and a property that breaks."""

UNPROVABLE = {
    "a leader takes another's request": ("BecomeLeader", 0, 0, "request_leader"),
    "expands before its own epoch": ("FencedLeaderExpandIsr", 0, 3, "WeakIsr"),
    "follows an old epoch": ("FencedBecomeFollowerAndTruncate", 0, 2, "StrongIsr"),
    "truncates by a stale leader": ("FencedBecomeFollowerAndTruncate", 0, 3, "StrongIsr"),
    "fetches across epochs": ("FencedFollowerFetch", 0, 0, "StrongIsr"),
}
"""Guards whose lack two replicas do not show within 13 steps; the induction fails all the same."""


def some_by_day(reasons: Iterable[str]) -> list[object]:
    """Every other one, and the rest at night."""
    nightly = pytest.mark.nightly
    return [pytest.param(why, marks=[nightly][: n % 2]) for n, why in enumerate(reasons)]


@pytest.mark.parametrize("why", some_by_day(BROKEN))
def test_without_the_guard_a_property_breaks(why: str) -> None:
    action, branch, guard, broken = BROKEN[why]
    weak = without_guard(KAFKA_KIP320, action, branch, guard)
    verdicts = {r.property: r.verdict for r in prove(Task(weak, TWO, CLAIMS, depth=1))}
    assert verdicts[broken] is not Verdict.PROVED
    (result,) = check(Task(weak, TWO, (broken,), depth=13))
    assert result.verdict is Verdict.VIOLATED
    assert result.trace is not None


@pytest.mark.parametrize("why", some_by_day(UNPROVABLE))
def test_without_the_guard_the_induction_fails(why: str) -> None:
    action, branch, guard, _ = UNPROVABLE[why]
    weak = without_guard(KAFKA_KIP320, action, branch, guard)
    results = {r.property: r for r in prove(Task(weak, TWO, CLAIMS, depth=1))}
    for name in ("WeakIsr", "StrongIsr"):
        assert results[name].verdict is Verdict.UNKNOWN
        assert results[name].induction_failure is not None
        assert results[name].trace is None


@pytest.mark.parametrize(
    ("action", "branch", "guard"),
    [
        ("ControllerElectLeader", 0, 2),
        ("LeaderWrite", 0, 0),
    ],
)
def test_without_a_guard_on_bounds_nothing_is_proved(action: str, branch: int, guard: int) -> None:
    weak = without_guard(KAFKA_KIP320, action, branch, guard)
    for result in prove(Task(weak, TWO, CLAIMS, depth=3)):
        assert result.verdict is Verdict.UNKNOWN
        assert result.reason is not None
        assert "bound is too small" in result.reason
