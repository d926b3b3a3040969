"""Keys of a path in a mapping are what the sort of the keys says."""

import json
from pathlib import Path

import pytest

from tests.cli.running import bmc

PROTOCOL = """
from bmc.lang import BOOL, Integer, MapSort, Protocol, Variable, action, mapping, one_of

class Votes(Protocol):
    Count = Integer("Count", 0, 3)
    counted = Variable(MapSort(BOOL, Count))

    @action()
    def Init(self, s):
        s.counted = mapping(BOOL, lambda vote: 0, self.Count)

    @action(vote=BOOL)
    def Vote(self, s, vote):
        s.counted[vote] = s.counted[vote] + 1

    Next = one_of(Vote)
"""


@pytest.mark.parametrize(("key", "code"), [("true", 0), ("TRUE", 0), ("false", 1), ("$vote", 0)])
def test_a_truth_value_is_a_key(key: str, code: int, tmp_path: Path) -> None:
    """None of a map under truth values could be named but by a field of the event."""
    text, log, mapping = tmp_path / "votes.py", tmp_path / "log.ndjson", tmp_path / "map.toml"
    text.write_text(PROTOCOL, encoding="utf-8")
    log.write_text(json.dumps({"event": "vote", "vote": True}) + "\n", encoding="utf-8")
    mapping.write_text(
        '[[event]]\nname = "vote"\nactions = ["Vote"]\narguments = { vote = "$vote" }\n'
        f'after = {{ "counted[{key}]" = 1 }}\n',
        encoding="utf-8",
    )
    asked = (f"{text}:Votes", "--log", str(log), "--map", str(mapping))
    assert bmc("trace", "check", *asked).code == code
