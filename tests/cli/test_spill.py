"""``--spill`` and ``--resume`` of ``bmc explore``: what is asked, refused and said."""

import json
from pathlib import Path
from typing import Any

import pytest

from bmc.engines.packed.store import StateStore
from bmc.engines.packed.table import TableFull

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
        (("--resume", "--master", "local[1]", "--shared", "DIR"), "--shared is gone on from"),
        (
            ("--master", "local[1]", "--shared", "file://host/states"),
            "behind file:// stands a host",
        ),
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


def test_when_memory_ends_it_goes_on_on_disk_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_memory = bmc(*TINY, "--json")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(StateStore, "add", full)
    found = bmc(*TINY, "--json")
    document, expected = json.loads(found.out), json.loads(in_memory.out)
    assert (found.code, document["levels"]) == (in_memory.code, expected["levels"])
    assert document["complete"]
    assert "on disk after 1 level, in " + str(tmp_path) in document["facts"][0]
    assert "since memory ended: no room" in bmc(*TINY).out
    assert not list(tmp_path.iterdir())


ADD = StateStore.add


def full(store: StateStore, *given: Any) -> Any:
    """Add the initial states, and no more."""
    if len(store):
        raise TableFull("no room")
    return ADD(store, *given)
