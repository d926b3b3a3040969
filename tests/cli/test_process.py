"""The command line as a process: how fast it starts, and how it ends."""

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import ROOT, schema_validator

# Twice what is promised, since a busy machine also computes slower.
HELP_SECONDS = 0.6
LIST_SECONDS = 1.2


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "bmc.cli.main", *arguments]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), env=environment(), capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("arguments", "seconds"), [(["--help"], HELP_SECONDS), (["list"], LIST_SECONDS)]
)
def test_it_starts_at_once(arguments: list[str], seconds: float) -> None:
    # The processor's time, not the clock's: what else runs on the machine is not measured.
    taken = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert run(*arguments).returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(taken) <= seconds


def loaded_by(arguments: list[str], heavy: set[str]) -> str:
    """Return which of these modules a command has loaded in the end."""
    script = (
        "import sys\nfrom bmc.cli.main import main\n"
        f"try: main({arguments!r})\nexcept SystemExit: pass\n"
        f"sys.stderr.write(repr(sorted({heavy!r} & set(sys.modules))))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return found.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["list"], ["prove", "--help"]])
def test_no_solver_is_loaded_before_it_is_needed(arguments: list[str]) -> None:
    heavy = {"z3", "pysat", "bitwuzla", "cvc5", "numpy", "rich", "pyspark"}
    assert loaded_by(arguments, heavy) == "[]"


def test_a_small_exploration_loads_no_solver_and_no_other_protocol() -> None:
    """Most of the time that it takes is what is imported."""
    text = str(Path(__file__).parents[2] / "docs" / "examples" / "Backup.tla")
    heavy = {"pysat", "z3", "bmc.engines.minimisation", "bmc.reports.traces.text"}
    heavy |= {"bmc.properties.kafka", "bmc.encodings.kafka"}
    assert loaded_by(["explore", text], heavy) == "[]"


@pytest.mark.parametrize("arguments", [["list"], ["--help"], ["--version"]])
def test_a_closed_pipe_is_no_failure(arguments: list[str]) -> None:
    with subprocess.Popen(
        command(*arguments), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        complaint = process.stderr.read()
        assert process.wait() == 0
    assert complaint == b""


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_ends_with_one_document(blow: signal.Signals, tmp_path: Path) -> None:
    # Something is learnt within three seconds, on a busy machine later.
    for seconds in (3, 9, 27, 81):
        document = interrupted(blow, tmp_path / "proof.json", seconds)
        if "results" not in document:
            # It was still being loaded.
            continue
        assert {result["verdict"] for result in document["results"]} == {"unknown"}
        assert all(r["reason"].startswith("interrupted") for r in document["results"])
        assert list(tmp_path.iterdir()) == []
        if any(r["induction_failure"] for r in document["results"]):
            return
    raise AssertionError("what was learnt before the interruption is lost")


def interrupted(blow: signal.Signals, file: Path, seconds: float) -> dict[str, Any]:
    """The document of a proof that is interrupted after so many seconds."""
    alone = ("--engine", "kinduction", "--no-lemmas")
    asked = command("prove", "kafka", *alone, "--k", "40", "--certificate", str(file))
    with subprocess.Popen(
        [*asked, "--json"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        time.sleep(seconds)
        process.send_signal(blow)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "Traceback" not in err
    document: dict[str, Any] = json.loads(out or "{}")
    if document:
        schema_validator().validate(document)
    return document


def children_of(pid: int) -> set[int]:
    """All processes below one, however deep."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(words[1]), []).append(int(stat.parent.name))
    found, open_ = set(), [pid]
    while open_:
        new = parents.get(open_.pop(), [])
        found.update(new)
        open_ += new
    return found


def runs(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


# In seconds: ten times what is promised, for a busy machine.
ORPHANS_MAY_LIVE = 20.0

LONG = {
    "engines": ("prove", "kafka", "--no-lemmas", "--k", "40"),
    "search": ("check", "kafka", "--depth", "60", "-p", "replicas=4"),
    "all parameters": ("prove", "kafka", "--all-parameters"),
}


@pytest.mark.parametrize("asked", LONG.values(), ids=LONG.keys())
@pytest.mark.parametrize("blow", [signal.SIGTERM, signal.SIGKILL])
def test_no_child_outlives_its_parent(asked: tuple[str, ...], blow: signal.Signals) -> None:
    with subprocess.Popen(
        command(*asked),
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # Away from the terminal's group: a signal to one process is what is tried here.
        start_new_session=True,
    ) as process:
        try:
            end = time.monotonic() + 60
            while not (children := children_of(process.pid)) and time.monotonic() < end:
                time.sleep(0.05)
            time.sleep(0.5)
            children |= children_of(process.pid)
            process.send_signal(blow)
            process.wait(timeout=120)
            end = time.monotonic() + ORPHANS_MAY_LIVE
            while any(runs(child) for child in children) and time.monotonic() < end:
                time.sleep(0.05)
            left = {child for child in children if runs(child)}
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert children
    assert not left
    assert process.returncode == (3 if blow is signal.SIGTERM else -signal.SIGKILL)


@pytest.mark.parametrize(
    "inherited",
    [
        partial(signal.signal, signal.SIGCHLD, signal.SIG_IGN),
        partial(signal.pthread_sigmask, signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGALRM}),
    ],
    ids=["ignored", "blocked"],
)
def test_what_its_parent_does_not_hear_is_heard(
    tmp_path: Path, inherited: Callable[[], object]
) -> None:
    """It waited for ever for the end of a child, and looked at no limit of time."""
    (tmp_path / "endless.py").write_text("while True: pass\n")
    endless = ("explore", "endless.py:Endless", "--timeout", "1")
    for asked, code in ((("check", "id-sequence", "--depth", "1"), 0), (endless, 3)):
        ended = subprocess.run(
            command(*asked),
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            preexec_fn=inherited,
        )
        assert ended.returncode == code, ended.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no kernel tells of a parent's end")
@pytest.mark.parametrize("blow", [signal.SIGTERM, signal.SIGQUIT, signal.SIGKILL])
def test_no_watched_run_outlives_who_watches(tmp_path: Path, blow: signal.Signals) -> None:
    written = "import os, time\nopen('ran', 'w').write(f'{os.getpid()}.')\ntime.sleep(90)\n"
    (tmp_path / "slow.py").write_text(written)
    with subprocess.Popen(
        command("prove", "slow.py:Slow", "--watch"),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # A shell's job in the background ignores it, and so does what that starts.
        preexec_fn=partial(signal.signal, signal.SIGQUIT, signal.SIG_DFL),
    ) as process:
        ran, end = tmp_path / "ran", time.monotonic() + 60
        try:
            while not (ran.exists() and ran.read_text().endswith(".")) and time.monotonic() < end:
                time.sleep(0.05)
            run = int(ran.read_text().rstrip("."))
            process.send_signal(blow)
            process.wait(timeout=60)
            end = time.monotonic() + ORPHANS_MAY_LIVE
            while runs(run) and time.monotonic() < end:
                time.sleep(0.05)
            left = runs(run)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert not left


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--help"], 4),
        (["--version"], 4),
        (["list"], 4),
        (["check", "id-sequence"], 4),
        (["check", "id-sequence", "--json"], 4),
        (["check", "id-sequence", "--no-such-option", "--json"], 2),
    ],
)
def test_an_answer_that_cannot_be_printed_is_a_failure(arguments: list[str], code: int) -> None:
    with open("/dev/full", "w") as full:
        found = subprocess.run(
            command(*arguments),
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert found.returncode == code
    assert "Traceback" not in found.stderr
    if code == 4:
        assert "cannot write the answer to stdout: No space left on device" in found.stderr


def test_complaints_that_nobody_reads_are_no_failure() -> None:
    with open("/dev/full", "w") as full:
        for arguments, code in ((["check", "id-sequence"], 0), (["check", "--nonsense"], 2)):
            found = subprocess.run(
                command(*arguments),
                env=environment(),
                stdout=subprocess.DEVNULL,
                stderr=full,
                check=False,
            )
            assert found.returncode == code


WRITING = {
    "certificate": ("prove", "id-sequence", "--certificate"),
    "certificate for all": ("prove", "id-sequence", "--all-parameters", "--certificate"),
    "trace": ("check", "kafka-truncate-to-hw", "-p", "replicas=2", "-P", "WeakIsr", "--trace"),
    "aiger": ("export", "aiger", "id-sequence", "-o"),
    "smtlib": ("export", "smtlib", "id-sequence", "-o"),
}


@pytest.mark.parametrize("arguments", WRITING.values(), ids=WRITING.keys())
def test_a_full_disk_is_told_and_loses_no_verdict(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    full = tmp_path / "full.json"
    full.symlink_to("/dev/full")
    found = run(*arguments, str(full))
    assert found.returncode == 4
    assert f"cannot write {full}: No space left on device" in found.stderr
    assert "Traceback" not in found.stderr
    if arguments[0] != "export":
        assert "id-sequence" in found.stdout or "violated" in found.stdout
        assert "No certificate" not in found.stdout
