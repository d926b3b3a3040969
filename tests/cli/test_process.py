"""The command line as a process: how fast it starts, and how it ends."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

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


@pytest.mark.parametrize("arguments", [["--help"], ["list"], ["prove", "--help"]])
def test_no_solver_is_loaded_before_it_is_needed(arguments: list[str]) -> None:
    script = (
        "import sys\nfrom bmc.cli.main import main\n"
        f"try: main({arguments!r})\nexcept SystemExit: pass\n"
        "heavy = {'z3', 'pysat', 'bitwuzla', 'cvc5', 'numpy', 'rich', 'pyspark'}\n"
        "sys.stderr.write(repr(sorted(heavy & set(sys.modules))))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stderr == "[]"


def test_a_closed_pipe_is_no_failure() -> None:
    with subprocess.Popen(
        command("list"), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        complaint = process.stderr.read()
        assert process.wait() == 0
    assert complaint == b""


def test_ctrl_c_ends_with_one_document(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    alone = ("--engine", "kinduction", "--no-lemmas")
    asked = command("prove", "kafka", *alone, "--k", "40", "--certificate", str(file))
    with subprocess.Popen(
        [*asked, "--json"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 3
    assert "Traceback" not in err
    document = json.loads(out)
    schema_validator().validate(document)
    assert {result["verdict"] for result in document["results"]} == {"unknown"}
    assert all(r["reason"].startswith("interrupted") for r in document["results"])
    assert any(r["induction_failure"] for r in document["results"])
    assert list(tmp_path.iterdir()) == []
