"""An update that is killed, or whose writing fails, leaves a whole lock: the old one or the new."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.regress.project import Project
from tests.regress.test_updates import started

BLOWS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
HARMLESS = ("s.require(s.opened)", "s.require(s.opened, ~s.moving)")


def intact(project: Project, before: dict[str, str]) -> None:
    """The lock is the old one or the new one, has its evidence, and can be brought up to date."""
    now = project.snapshot()
    if now["bmc.lock"] == before["bmc.lock"]:
        assert {n: t for n, t in now.items() if n in before} == before
    assert project.judged()[0] == 0
    assert project.judged("--update")[0] == 0
    assert not list(project.folder.rglob("*.partial"))


@pytest.mark.parametrize("blow", BLOWS)
def test_a_kill_while_it_judges_leaves_the_old_lock(project: Project, blow: signal.Signals) -> None:
    before = project.snapshot()
    pipe = project.folder / "pipe"
    os.mkfifo(pipe)
    # It tells that it is under way, and waits to be killed.
    waiting = f"import time; open({str(pipe)!r}, 'w').close(); time.sleep(600)\n\n\nclass Lift("
    project.write(("class Lift(", waiting))
    process = started(project)
    pipe.read_text()
    process.send_signal(blow)
    process.communicate(timeout=300)
    assert process.returncode != 0
    assert project.snapshot() == before
    project.write(HARMLESS)
    intact(project, before)


BY_DAY = (1, 4)
"""The calls at which what can be answered interrupts by day; what kills does so at each of them."""


@pytest.mark.parametrize(
    ("blow", "step"),
    [
        pytest.param(
            blow,
            step,
            marks=() if blow == signal.SIGKILL or step in BY_DAY else pytest.mark.nightly,
        )
        for blow in BLOWS
        for step in range(8)
    ],
)
def test_a_kill_while_it_writes_leaves_a_whole_lock(
    project: Project, blow: signal.Signals, step: int
) -> None:
    """Killed at each call that changes what is on disk: a file is complete, in place, removed."""
    before = project.snapshot()
    project.write(HARMLESS)
    killed = os.fork()
    if not killed:
        try:
            die_at(step, blow)
            project.regress("--update")
        finally:
            os._exit(0)
    _, status = os.waitpid(killed, 0)
    # An interruption is answered, and what is not written by then is not written.
    assert os.WIFSIGNALED(status) or blow != signal.SIGKILL or step >= CHANGES
    intact(project, before)


CHANGES = 6
"""As many calls at least: two for each of two new files, one for the lock's, one removed."""


def die_at(step: int, blow: signal.Signals) -> None:
    calls = []

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            calls.append(function)
            if len(calls) > step:
                os.kill(os.getpid(), blow)
            return function(*arguments, **named)

        return call

    for owner, name in ((os, "fsync"), (Path, "replace"), (Path, "unlink")):
        setattr(owner, name, counted(getattr(owner, name)))


@pytest.mark.parametrize("failing", range(6))
def test_a_write_that_fails_half_way_leaves_the_old_lock(
    project: Project, failing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = project.snapshot()
    project.write(("s.require(s.opened)", "s.require(s.opened, ~s.moving)"))
    replace, calls = Path.replace, []

    def full(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) > failing:
            raise OSError(28, "No space left on device", str(target))
        return replace(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        answered = project.regress("--update", "--json")
    now = project.snapshot()
    if answered.code == 0:
        assert len(calls) <= failing
    else:
        assert answered.code == 2
        assert "the old lock is as it was" in answered.document["error"]["message"]
        assert {n: t for n, t in now.items() if n in before} == before
        assert not [name for name in now if name.endswith(".partial")]
    assert project.regress("--update").code == 0
    assert project.judged()[0] == 0
    assert len(project.snapshot()) == len(before)
