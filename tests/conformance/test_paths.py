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


def votes(folder: Path, key: str) -> tuple[str, ...]:
    """The command that checks a log of one vote, of which the mapping looks at a key's count."""
    text, log, mapping = folder / "votes.py", folder / "log.ndjson", folder / "map.toml"
    text.write_text(PROTOCOL, encoding="utf-8")
    log.write_text(json.dumps({"event": "vote", "vote": True}) + "\n", encoding="utf-8")
    mapping.write_text(
        '[[event]]\nname = "vote"\nactions = ["Vote"]\narguments = { vote = "$vote" }\n'
        f'after = {{ "counted[{key}]" = 1 }}\n',
        encoding="utf-8",
    )
    return "trace", "check", f"{text}:Votes", "--log", str(log), "--map", str(mapping)


@pytest.mark.parametrize(("key", "code"), [("true", 0), ("TRUE", 0), ("false", 1), ("$vote", 0)])
def test_a_truth_value_is_a_key(key: str, code: int, tmp_path: Path) -> None:
    """None of a map under truth values could be named but by a field of the event."""
    assert bmc(*votes(tmp_path, key)).code == code


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_an_execution_that_has_no_room_loses_no_verdict(tmp_path: Path) -> None:
    """Its document was the failure alone."""
    full = tmp_path / "full.json"
    full.symlink_to("/dev/full")
    found = bmc(*votes(tmp_path, "true"), "--trace", str(full), "--json")
    assert f"cannot write {full}: No space left on device" in found.err
    assert (found.code, found.document["verdict"], found.document["trace"]) == (4, "conforms", None)
