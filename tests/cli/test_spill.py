"""``--spill`` and ``--resume`` of ``bmc explore``: what is asked, refused and said."""

import json
from pathlib import Path

import pytest

from .running import bmc

TINY = ("explore", "id-sequence", "-p", "max_id=5")


def test_a_search_on_disk_says_what_one_in_memory_says(tmp_path: Path) -> None:
    said = []
    for options in ((), ("--spill", str(tmp_path)), ("--spill", str(tmp_path), "--resume")):
        found = bmc(*TINY, *options, "--json")
        document = json.loads(found.out)
        said.append((found.code, document["levels"], document["complete"], document["fired"]))
    assert said[0] == said[1] == said[2]
    assert said[0][2]


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        (("--resume",), "give its --spill"),
        (("--spill", "DIR", "--master", "local[1]", "--shared", "DIR"), "--shared keeps"),
        (("--spill", "FILE"), "needs a folder"),
    ],
)
def test_what_cannot_be_asked(tmp_path: Path, options: tuple[str, ...], remedy: str) -> None:
    (tmp_path / "FILE").touch()
    places = {name: str(tmp_path / name) for name in ("DIR", "FILE")}
    found = bmc(*TINY, *(places.get(option, option) for option in options))
    assert found.code == 2
    assert remedy in found.err


def test_a_damaged_folder_is_no_answer(tmp_path: Path) -> None:
    assert bmc(*TINY, "--spill", str(tmp_path)).code == 0
    states = next(tmp_path.glob("*/00003.states"))
    states.write_bytes(bytes(8))
    found = bmc(*TINY, "--spill", str(tmp_path), "--resume")
    assert found.code == 2
    assert str(states) in found.err
    assert "explore anew" in found.err
    assert not found.out
