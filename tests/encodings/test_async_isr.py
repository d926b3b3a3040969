"""AsyncIsr: TLC's states, level by level; its invariant for every depth; its published mistake."""

from __future__ import annotations

import pytest
from bmc.properties.async_isr import KAFKA_ASYNC_ISR

from bmc.engines.explicit import explore
from bmc.engines.kinduction import prove
from bmc.engines.task import Task
from bmc.evidence.verdict import Verdict
from bmc.lang.properties import Kind
from tests.encodings.levels import levels

CLAIMS = ("TypeOk", "ValidHighWatermark")

# What TLC finds in AsyncIsr.tla under the same constraint.
LEVELS = {
    (2, 1, 1): (1, 3, 5, 6, 5, 3, 1),
    (2, 1, 2): (1, 3, 5, 6, 6, 6, 6, 5, 3, 1),
    (2, 1, 3): (1, 3, 5, 6, 6, 7, 10, 13, 13, 10, 6, 3, 1),
    (2, 2, 2): (1, 3, 6, 9, 11, 12, 12, 11, 9, 6, 3, 1),
    (3, 1, 1): (1, 5, 13, 26, 40, 47, 44, 30, 12, 2),
    (3, 1, 2): (1, 5, 15, 36, 72, 121, 178, 230, 254, 238, 180, 96, 30, 4),
}


def parameters(replicas: int, max_offset: int, max_version: int) -> dict[str, int]:
    return {"replicas": replicas, "max_offset": max_offset, "max_version": max_version}


@pytest.mark.parametrize("constants", LEVELS, ids=str)
def test_states_by_level_are_those_of_tlc(constants: tuple[int, int, int]) -> None:
    found = explore(Task(KAFKA_ASYNC_ISR, parameters(*constants), CLAIMS))
    assert found.complete
    assert found.levels == LEVELS[constants]
    assert {name: len(trace) for name, trace in found.violations.items()} == {"TypeOk": 1}
    assert found.holds == ("ValidHighWatermark",)
    assert all(found.fired.values())


@pytest.mark.parametrize("constants", [(2, 1, 1), (2, 2, 2), (3, 1, 1)], ids=str)
def test_the_interpreter_finds_them_too(constants: tuple[int, int, int]) -> None:
    assert tuple(levels(KAFKA_ASYNC_ISR, parameters(*constants))) == LEVELS[constants]


@pytest.mark.parametrize(
    "constants",
    [(2, 1, 1), (2, 1, 0), (3, 1, 2), (3, 3, 3), (5, 5, 5)],
    ids=str,
)
def test_the_high_watermark_is_valid_at_every_depth(constants: tuple[int, int, int]) -> None:
    (result,) = prove(Task(KAFKA_ASYNC_ISR, parameters(*constants), ("ValidHighWatermark",)))
    assert result.verdict is Verdict.PROVED
    assert result.k == 1
    assert result.certificate is not None
    assert len(result.lemmas) == len(KAFKA_ASYNC_ISR.lemmas)


def test_nil_is_no_version() -> None:
    (result,) = prove(Task(KAFKA_ASYNC_ISR, {}, ("TypeOk",)))
    assert result.verdict is Verdict.VIOLATED
    assert result.trace is not None
    assert len(result.trace) == 1


def test_every_witness_is_reached() -> None:
    names = tuple(d.name for d in KAFKA_ASYNC_ISR.declared(Kind.WITNESS))
    found = explore(Task(KAFKA_ASYNC_ISR, {}, names))
    assert None not in found.witnesses.values()
