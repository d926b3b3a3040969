"""A user's project with one protocol and a lock: small enough to be decided in a moment."""

from __future__ import annotations

import shutil
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.running import Answered, bmc

MODEL = '''
"""A lift that does not move with its door open."""

from bmc.lang import *


class Lift(Protocol):
    """Up and down between floors."""

    top = Parameter("top", 3, 1, 9, "the last floor")
    Floor = Integer("Floor", 0, top)
    floor = Variable(Floor)
    opened = Variable(BOOL)
    moving = Variable(BOOL)

    @action()
    def Init(self, s):
        s.floor, s.opened, s.moving = 0, False, False

    @action()
    def Open(self, s):
        s.require(~s.opened, ~s.moving)
        s.opened = True

    @action()
    def Close(self, s):
        s.require(s.opened)
        s.opened = False

    @action()
    def Start(self, s):
        s.require(~s.opened, ~s.moving)
        s.moving = True

    @action()
    def Up(self, s):
        s.require(s.moving, s.floor < self.top)
        s.floor, s.moving = s.floor + 1, False

    @action()
    def Down(self, s):
        s.require(s.moving, s.floor > 0)
        s.floor, s.moving = s.floor - 1, False

    Next = one_of(Open, Close, Start, Up, Down)

    @invariant("it never moves with its door open")
    def Safe(self, s):
        return ~(s.opened & s.moving)

    @invariant("it stays in the house")
    def Inside(self, s):
        return s.floor <= self.top

    @invariant("it never reaches the second floor: false")
    def Low(self, s):
        return s.floor < 2

    @lemma("a closed door or no motion", "control")
    def closed_or_still(self, s):
        return ~s.opened | ~s.moving

    @witness("the door opens upstairs")
    def OpenUpstairs(self, s):
        return s.opened & (s.floor == 1)
'''

WITHOUT_A_GUARD = (
    "s.require(~s.opened, ~s.moving)\n        s.moving",
    "s.require(~s.moving)\n        s.moving",
)
"""Start forgets to look at the door: Safe breaks in two steps."""


@dataclass
class Project:
    """A folder with ``lift.py`` and, once it was made, ``bmc.lock``."""

    folder: Path

    @property
    def model(self) -> Path:
        return self.folder / "lift.py"

    @property
    def lock(self) -> Path:
        return self.folder / "bmc.lock"

    @property
    def evidence(self) -> Path:
        return self.folder / "bmc.lock.d"

    def write(self, *edits: tuple[str, str]) -> None:
        """Write the model, with parts of its text replaced."""
        text = MODEL
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        self.model.write_text(text, encoding="utf-8")

    def copy(self, folder: Path) -> None:
        """Copy all of it into a folder."""
        # Without what Python has compiled: it tells sources apart by their second and size.
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(self.folder, folder, ignore=ignored, dirs_exist_ok=True)

    def regress(self, *options: str) -> Answered:
        """Run the command on this project's lock."""
        with chdir(self.folder):
            jobs = () if "--jobs" in options else ("--jobs", "1")
            return bmc("regress", "--baseline", str(self.lock), *jobs, *options)

    def create(self) -> None:
        """Make the lock."""
        made = self.regress("--update", "--protocol", f"{self.model}:Lift")
        assert made.code == 0, made.err

    def judged(self, *options: str) -> tuple[int, dict[str, Any], Any]:
        """The exit code, the properties by name, and the whole document."""
        answered = self.regress("--json", *options)
        document = answered.document
        (model,) = document["models"]
        return answered.code, {p["property"]: p for p in model["properties"]}, document

    def snapshot(self) -> dict[str, str]:
        """Everything that a lock consists of."""
        files = [self.lock, *sorted(self.evidence.glob("*"))]
        return {f.name: f.read_text(encoding="utf-8") for f in files if f.is_file()}

    def file_of(self, name: str) -> Path:
        """The evidence file of a property."""
        import tomllib

        document = tomllib.loads(self.lock.read_text(encoding="utf-8"))
        (model,) = document["model"]
        (found,) = [p["evidence"] for p in model["property"] if p["name"] == name]
        return self.evidence / str(found)
