"""Elasticsearch's replication: TLC's states, level by level, and what holds in all of them."""

from __future__ import annotations

import pytest
from bmc.properties.elasticsearch import ELASTICSEARCH

from bmc.engines.explicit import Exploration, explore
from bmc.engines.kinduction import prove
from bmc.engines.task import Task
from bmc.evidence.verdict import Verdict
from bmc.lang import LanguageError
from bmc.lang.properties import Kind
from tests.encodings.levels import levels

CLAIMS = tuple(d.name for d in ELASTICSEARCH.declared(Kind.INVARIANT))

# What TLC finds in replication.tla under the same constraint.
TWO_VALUES = (4, 8, 16, 30, 40, 40, 20, 2)
THREE_VALUES = (4, 8, 20, 42, 104, 198, 306, 358, 300, 150, 30, 2)
LEVELS = {
    (2, 1, 2, 3): TWO_VALUES,
    (2, 1, 2, 4): TWO_VALUES,
    (2, 1, 2, 5): TWO_VALUES,
    (2, 1, 3, 3): THREE_VALUES,
    (2, 1, 3, 4): THREE_VALUES,
    (2, 1, 3, 5): THREE_VALUES,
    (3, 1, 2, 3): (
        *(12, 36, 135, 444, 1248, 3144, 7368, 14244, 22437),
        *(30003, 37401, 45780, 49950, 41214, 22356, 6966, 1032, 42),
    ),
}


def parameters(
    nodes: int, document_ids: int, max_client_value: int, max_messages: int
) -> dict[str, int]:
    return {
        "nodes": nodes,
        "document_ids": document_ids,
        "max_client_value": max_client_value,
        "max_messages": max_messages,
    }


def explored(constants: tuple[int, int, int, int], *names: str) -> Exploration:
    found = explore(Task(ELASTICSEARCH, parameters(*constants), names))
    assert found.complete
    assert found.overflow is None
    return found


@pytest.mark.parametrize("constants", LEVELS, ids=str)
def test_states_by_level_are_those_of_tlc(constants: tuple[int, int, int, int]) -> None:
    found = explored(constants, *CLAIMS)
    assert found.levels == LEVELS[constants]
    assert found.holds == CLAIMS


@pytest.mark.parametrize("constants", [(2, 1, 2, 3), (2, 1, 3, 3)], ids=str)
def test_the_interpreter_finds_them_too(constants: tuple[int, int, int, int]) -> None:
    assert tuple(levels(ELASTICSEARCH, parameters(*constants))) == LEVELS[constants]


@pytest.mark.parametrize(
    ("constants", "states"), [((3, 1, 3, 2), 1028391), ((3, 1, 3, 3), 7723287)], ids=str
)
@pytest.mark.nightly
def test_three_nodes_write_two_values(constants: tuple[int, int, int, int], states: int) -> None:
    found = explored(constants, *CLAIMS)
    assert found.distinct_states == states
    assert found.holds == CLAIMS


def without_history() -> tuple[str, ...]:
    """The lemmas that speak of the state alone."""
    model = ELASTICSEARCH.model(ghosts=False)

    def speaks_of_the_state(name: str) -> bool:
        try:
            ELASTICSEARCH.describe(ELASTICSEARCH.find(name), model)
        except LanguageError:
            return False
        return True

    return tuple(d.name for d in ELASTICSEARCH.lemmas if speaks_of_the_state(d.name))


@pytest.mark.parametrize(
    "constants",
    [
        (2, 1, 2, 3),
        pytest.param((2, 1, 3, 3), marks=pytest.mark.nightly),
        pytest.param((3, 1, 2, 3), marks=pytest.mark.nightly),
    ],
    ids=str,
)
def test_lemmas_hold_in_every_reachable_state(constants: tuple[int, int, int, int]) -> None:
    names = without_history()
    assert explored(constants, *names).holds == names


@pytest.mark.parametrize("constants", [(2, 1, 2, 3), (3, 1, 2, 3)], ids=str)
@pytest.mark.nightly
def test_everything_holds_at_every_depth(constants: tuple[int, int, int, int]) -> None:
    for result in prove(Task(ELASTICSEARCH, parameters(*constants), CLAIMS)):
        assert result.verdict is Verdict.PROVED
        assert result.k == 1
        assert result.certificate is not None
