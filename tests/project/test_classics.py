"""What docs/liveness.md says of docs/examples/classics is so, at all sizes named there."""

from pathlib import Path

import pytest

from bmc.cli.shared import catalogue
from bmc.engines.kinduction import prove
from bmc.engines.liveness.decide import Question, decide
from bmc.engines.task import Task
from bmc.evidence.verdict import Verdict
from bmc.lang.deadlock import NO_DEADLOCK

ROOT = Path(__file__).parents[2]
PROVED, VIOLATED = Verdict.PROVED, Verdict.VIOLATED

KNOWN = (
    ("mutual_exclusion.py:TestAndSet", {"processes": 2}, "EntersWeakly", VIOLATED),
    ("mutual_exclusion.py:TestAndSet", {"processes": 2}, "EntersStrongly", PROVED),
    ("mutual_exclusion.py:TicketLine", {"processes": 2}, "Enters", PROVED),
    ("token_ring.py:TokenRing", {"processes": 2}, "Works", PROVED),
    ("token_ring.py:TokenRing", {"processes": 2}, "ComesBy", PROVED),
    ("token_ring.py:GreedyRing", {"processes": 2}, "Works", VIOLATED),
    ("leader_election.py:ChangRoberts", {"processes": 2}, "Elected", PROVED),
    ("leader_election.py:ChangRoberts", {"processes": 2}, "ElectedWithoutStarting", VIOLATED),
    ("dining_philosophers.py:Philosophers", {"philosophers": 2}, "Eats", VIOLATED),
    ("dining_philosophers.py:LastOneTurned", {"philosophers": 2}, "EatsWeakly", VIOLATED),
    ("dining_philosophers.py:LastOneTurned", {"philosophers": 2}, "Eats", PROVED),
    ("alternating_bit.py:AlternatingBit", {"capacity": 1}, "ArriveWeakly", VIOLATED),
    ("alternating_bit.py:AlternatingBit", {"capacity": 1}, "Arrive", PROVED),
    ("termination_detection.py:TerminationDetection", {"processes": 2}, "Detects", PROVED),
    ("termination_detection.py:TerminationDetection", {"processes": 2}, "Ends", VIOLATED),
)


LARGER = {
    "token_ring.py:TokenRing": (4, 6),
    "token_ring.py:GreedyRing": (4, 6),
    "alternating_bit.py:AlternatingBit": (2, 3),
}
"""The other two sizes; 3 and 4 where nothing else is said."""

AT_THREE_SIZES = tuple(
    (where, {name: number}, claim, verdict)
    for where, size, claim, verdict in KNOWN
    for name, least in size.items()
    for number in (least, *LARGER.get(where, (3, 4)))
)


@pytest.mark.parametrize(("where", "size", "claim", "verdict"), AT_THREE_SIZES)
def test_a_classic_is_as_the_literature_has_it(
    where: str, size: dict[str, int], claim: str, verdict: Verdict
) -> None:
    suite = catalogue.find(str(ROOT / "docs/examples/classics" / where))
    (found,) = decide(Question(suite, size, (claim,)))
    assert found.verdict is verdict


@pytest.mark.parametrize(
    ("name", "verdict"), [("Philosophers", VIOLATED), ("LastOneTurned", PROVED)]
)
def test_turning_one_philosopher_round_ends_the_deadlock(name: str, verdict: Verdict) -> None:
    where = f"docs/examples/classics/dining_philosophers.py:{name}"
    task = Task(catalogue.find(str(ROOT / where)), {"philosophers": 2}, (NO_DEADLOCK,), depth=5)
    (found,) = prove(task)
    assert found.verdict is verdict
