"""Values of every sort are said in one way in text and in one way in JSON."""

import json

import pytest

from bmc.lang import Scalarset, SetSort
from bmc.reports.notation import call_text, value_lines, value_text
from bmc.reports.values import state_json
from tests.cli.zoo import SORTS, STATE, WORDS, Replica

AS_JSON = {
    "flag": True,
    "offset": 2,
    "role": "follower",
    "replica": "r1",
    "record": "l2",
    "client": "cli3",
    "clerk": "cle1",
    "nobody": None,
    "entry": {"id": 1, "owner": "r3"},
    "log": [1, None, None],
    "byEpoch": {"-1": True, "0": False, "1": True},
    "byReplica": {"r1": 0, "r2": 1, "r3": 0},
    "byRole": {"leader": None, "follower": "r2"},
    "isr": ["r1", "r3"],
    "requests": [{"id": 0, "owner": "r3"}, {"id": 1, "owner": None}],
    "messages": [
        {"tag": "Fetch", "value": {"id": 0, "owner": None}},
        {"tag": "Stop", "value": True},
    ],
    "queue": [
        {"tag": "Stop", "value": False},
        {"tag": "Fetch", "value": {"id": 2, "owner": "r2"}},
    ],
}

AS_TEXT = {
    "flag": "TRUE",
    "offset": "2",
    "role": "follower",
    "replica": "r1",
    "record": "l2",
    "client": "cli3",
    "clerk": "cle1",
    "nobody": "None",
    "entry": "[id: 1, owner: r3]",
    "log": "⟨1⟩",
    "byEpoch": "[-1,1: TRUE, 0: FALSE]",
    "byReplica": "[r1,r3: 0, r2: 1]",
    "byRole": "[leader: None, follower: r2]",
    "isr": "{r1, r3}",
    "requests": "{[id: 0, owner: r3], [id: 1, owner: None]}",
    "messages": "{Fetch[id: 0, owner: None], Stop(TRUE)}",
    "queue": "⟨Stop(FALSE), Fetch[id: 2, owner: r2]⟩",
}


def test_a_state_as_json() -> None:
    found = state_json(WORDS, STATE)
    assert found == AS_JSON
    assert list(found) == list(SORTS)
    assert json.loads(json.dumps(found)) == AS_JSON


@pytest.mark.parametrize("name", SORTS)
def test_a_value_as_text(name: str) -> None:
    assert value_text(WORDS, SORTS[name], STATE[name]) == AS_TEXT[name]


def test_a_call() -> None:
    sorts = WORDS.action_arguments("Change")
    assert call_text(WORDS, "Change", sorts, {"replica": 1, "entry": (0, None)}) == (
        "Change(replica=r2, entry=[id: 0, owner: None])"
    )
    assert call_text(WORDS, "Stop", {}, {}) == "Stop"


def test_a_long_value_has_a_line_for_each_part() -> None:
    assert value_lines(WORDS, SORTS["byReplica"], STATE["byReplica"], 10) == [
        ("[r1,r3]", "0"),
        ("[r2]", "1"),
    ]
    assert value_lines(WORDS, SORTS["requests"], STATE["requests"], 10) == [
        ("", "{[id: 0, owner: r3],"),
        ("", " [id: 1, owner: None]}"),
    ]
    assert value_lines(WORDS, SORTS["isr"], STATE["isr"], 80) == [("", "{r1, r3}")]


def test_a_scalarset_that_the_model_does_not_use_still_has_names() -> None:
    assert value_text(WORDS, Scalarset("Node", 2), 1) == "node2"
    assert value_text(WORDS, SetSort(Replica), frozenset()) == "{}"
