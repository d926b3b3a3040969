"""With four nodes, three published claims are false: the story, step by step.

A global checkpoint of the first primary reaches one replica only. The second primary does not
know it and resyncs from below: another replica marks its entry as pending. The third primary
does know it, so it sends that entry to nobody, and the replica's entry stays pending for good,
below a global checkpoint that it is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from bmc.properties.elasticsearch import ELASTICSEARCH

from bmc.evidence.replay import holds_at_end, replay
from bmc.layout.domain import Domains
from bmc.readings.value import ConcreteState, Interpreter
from bmc.reports.traces.files import read_trace
from bmc.reports.vocabulary import Vocabulary
from tests.encodings.checkpoint_steps import CHECKPOINT_STEPS

PARAMETERS = {"nodes": 4, "document_ids": 1, "max_client_value": 3, "max_messages": 9}
MODEL = ELASTICSEARCH.model(ghosts=False)

Arguments = Mapping[str, Any]


def call(req: int, callee: int) -> Arguments:
    """The message of this request id to or from this node; nobody is promoted."""
    return {"m": (req, callee), "promoted": None}


STORY: list[tuple[str, Arguments]] = [
    # Everybody confirms the first entry, so node 0 knows that 1 is global ...
    ("ClientRequest", {"n": 0}),
    *[("HandleReplicationRequest", call(1, node)) for node in (1, 2, 3)],
    *[("HandleReplicationResponse", call(1, node)) for node in (1, 2, 3)],
    # ... and tells node 2 alone.
    ("ClientRequest", {"n": 0}),
    ("HandleReplicationRequest", call(2, 2)),
    # Node 1 takes over; of its resync, only the trim reaches node 3.
    ("NodeFaultDetectionKicksNodeOut", {"n": 0, "promoted": 1}),
    ("ApplyClusterStateFromMaster", {"n": 1}),
    ("HandleTrimTranslogRequest", call(4, 3)),
    # Node 2 takes over and resends what is above 1.
    ("NodeFaultDetectionKicksNodeOut", {"n": 1, "promoted": 2}),
    ("ApplyClusterStateFromMaster", {"n": 2}),
    ("HandleTrimTranslogRequest", call(6, 3)),
    # Node 3 takes over with a pending entry at its global checkpoint.
    ("NodeFaultDetectionKicksNodeOut", {"n": 2, "promoted": 3}),
    ("ApplyClusterStateFromMaster", {"n": 3}),
]


def fits(arguments: Arguments, wanted: Arguments) -> bool:
    """Whether a step is the one meant: a message is named by its call alone."""
    told = {**arguments, "m": arguments["m"][0]} if "m" in arguments else arguments
    return all(told[name] == value for name, value in wanted.items() if name in told)


def states(interpreter: Interpreter) -> list[ConcreteState]:
    first = (("Primary", "Replica", "Replica", "Replica"), 1)
    path = [s for s in interpreter.initial_states() if s["clusterStateOnMaster"] == first]
    for action, wanted in STORY:
        (after,) = [
            step.state
            for step in interpreter.successors(path[-1])
            if step.action == action and fits(step.arguments, wanted)
        ]
        path.append(after)
    return path


STEPS = {
    "GlobalCheckPointBelowLocalCheckPoints": 15,
    "LocalCheckPointMatchesMaxConfirmedSeq": 17,
    "LocalCheckPointIncremented": 17,
}


@pytest.mark.parametrize(("name", "steps"), STEPS.items())
def test_a_published_claim_is_false(name: str, steps: int) -> None:
    interpreter = Interpreter(MODEL, Domains(PARAMETERS))
    stated = ELASTICSEARCH.describe(ELASTICSEARCH.find(name), MODEL)
    path = states(interpreter)
    assert holds_at_end(interpreter, replay(interpreter, path[:steps]), stated)
    assert not holds_at_end(interpreter, replay(interpreter, path[: steps + 1]), stated)


def test_no_data_is_lost() -> None:
    interpreter = Interpreter(MODEL, Domains(PARAMETERS))
    trace = replay(interpreter, states(interpreter))
    for name in (
        "SameTranslogUpToGlobalCheckPoint",
        "AllAckedResponsesStored",
        "AllCopiesSameContentsOnQuietDown",
        "WellFormedRoutingTable",
    ):
        stated = ELASTICSEARCH.describe(ELASTICSEARCH.find(name), MODEL)
        assert holds_at_end(interpreter, trace, stated)


@pytest.mark.parametrize(
    ("name", "claim", "steps"),
    [
        ("elasticsearch", "GlobalCheckPointBelowLocalCheckPoints", 15),
        ("elasticsearch-primary", "LocalCheckPointMatchesMaxConfirmedSeq", 17),
    ],
)
def test_the_story_is_published(name: str, claim: str, steps: int) -> None:
    """docs/traces.md shows the pages of these files."""
    file = Path(__file__).parents[2] / "docs" / "traces" / f"{name}.itf.json"
    stored = read_trace(file)
    words = Vocabulary.of(ELASTICSEARCH, PARAMETERS)
    assert (stored.protocol, stored.parameters) == ("elasticsearch", PARAMETERS)
    assert stored.property == claim
    assert (
        list(stored.read(ELASTICSEARCH, words))
        == states(Interpreter(MODEL, Domains(PARAMETERS)))[: steps + 1]
    )


def test_the_steps_that_count_allow_it() -> None:
    """A search for shorter traces among these steps alone would otherwise find nothing."""
    model = CHECKPOINT_STEPS.model(ghosts=False)
    interpreter = Interpreter(model, Domains(PARAMETERS))
    path = states(interpreter)
    for name, steps in STEPS.items():
        stated = CHECKPOINT_STEPS.describe(CHECKPOINT_STEPS.find(name), model)
        assert not holds_at_end(interpreter, replay(interpreter, path[: steps + 1]), stated)
