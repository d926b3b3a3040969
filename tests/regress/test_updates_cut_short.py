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

    for owner, name in ((os, "fsync"), (os, "replace"), (Path, "unlink")):
        setattr(owner, name, counted(getattr(owner, name)))


@pytest.mark.parametrize("placed", [False, True])
def test_an_update_that_is_interrupted_while_it_writes_says_what_it_found(
    project: Project, monkeypatch: pytest.MonkeyPatch, placed: bool
) -> None:
    """Before the lock is in its place the old one stays; after that all is done."""
    before = project.snapshot()
    project.write(HARMLESS)
    replace = os.replace

    def stopped(partial: Path, target: Path) -> None:
        of_the_lock = target == project.lock
        if placed or not of_the_lock:
            replace(partial, target)
        if of_the_lock:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", stopped)
        answered = project.regress("--update", "--json")
    document = answered.document
    (model,) = document["models"]
    assert {p["verdict"] for p in model["properties"]} == {"proved", "violated", "reached"}
    assert (answered.code, document["interrupted"]) == ((0, False) if placed else (3, True))
    assert (document["update"] is not None) == placed
    assert (project.snapshot()["bmc.lock"] != before["bmc.lock"]) == placed
    intact(project, before)


@pytest.mark.parametrize("failing", range(6))
def test_a_write_that_fails_half_way_leaves_the_old_lock(
    project: Project, failing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = project.snapshot()
    project.write(("s.require(s.opened)", "s.require(s.opened, ~s.moving)"))
    replace, calls = os.replace, []

    def full(partial: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) > failing:
            raise OSError(28, "No space left on device", str(target))
        replace(partial, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        answered = project.regress("--update", "--json")
    now = project.snapshot()
    if answered.code == 0:
        assert 0 < len(calls) <= failing
    else:
        assert answered.code == 4
        assert "the old lock is as it was" in answered.document["error"]["message"]
        assert {n: t for n, t in now.items() if n in before} == before
        assert not [name for name in now if name.endswith(".partial")]
    assert project.regress("--update").code == 0
    assert project.judged()[0] == 0
    assert len(project.snapshot()) == len(before)
