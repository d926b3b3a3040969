"""A file whose reading does not end is unknown when the time is up, and answers nothing."""

from pathlib import Path

import pytest

from tests.cli.running import bmc

ENDLESS = """
from bmc.lang import *


class Endless(Protocol):
    up = Variable(BOOL)

    @action()
    def Init(self, s):
        self.wait()
        s.up = False

    @action()
    def Raise(self, s):
        s.up = True

    Next = one_of(Raise)

    @invariant("never up: false")
    def Down(self, s):
        return ~s.up

    def wait(self):
        while True:
            pass
"""


@pytest.mark.parametrize(
    "words",
    [
        ["prove"],
        ["prove", "--all-parameters"],
        ["check"],
        ["explore"],
        ["simulate"],
        ["cover"],
        ["mine"],
        ["infer"],
        ["testgen", "--out", "cases"],
        ["export", "tla", "-o", "Endless.tla"],
        ["trace", "check", "--log", "log", "--map", "map"],
    ],
    ids=" ".join,
)
def test_a_file_that_is_read_for_ever(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("endless.py").write_text(ENDLESS)
    ended = bmc(*words, "endless.py:Endless", "--timeout", "0.3")
    assert (ended.code, ended.out) == (3, "")
    assert "what endless.py:Endless means is unknown: the time limit has passed" in ended.err


def test_a_lock_is_not_held_up_by_one_of_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("endless.py")
    file.write_text(ENDLESS.replace("while True", "while False"))
    asked = ("--protocol", "endless.py:Endless", "--protocol", "id-sequence")
    assert bmc("regress", "--update", *asked).code == 0
    file.write_text(ENDLESS)
    ended = bmc("regress", "--timeout", "1")
    assert ended.code == 3
    assert "the time limit has passed; --timeout gives it longer" in ended.out
    assert "id-sequence" in ended.out
