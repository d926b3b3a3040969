"""Every command that a page shows ends in an answer, or is stopped and says what it knows.

Each page's commands are run in the page's order, in a copy of this repository that holds what the
page tells its reader to have: what is written by an earlier command is there for a later one.
Scripts of benchmarks/ are started with the options that a page gives them, and stopped where they
take minutes. Nightly: all take three quarters of an hour. What the tutorials' commands print is
compared every day.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.project.pages import CONTINUED, PAGES, ROOT, block
from tests.project.test_written_commands import INCOMPLETE, commands, options_of
from tests.regress.project import MODEL

pytestmark = pytest.mark.nightly

SECONDS = 120
DEEP = ("-p", "replicas=2", "--depth", "12")
WITH_A_TRACE = ("check", "kafka-kip101", *DEEP, "--trace", "weak.itf.json")
WITH_PROOFS = (
    ("prove", "id-sequence", "--engine", "kinduction", "--certificate", "proof.json"),
    ("prove", "lift.py:Lift", "--all-parameters", "--certificate", "lift.json"),
)
FILLED_IN = {
    "spark://HOST:7077": "local[2]",
    "s3://bucket/states": "shared",
    "PROTOCOL": "docs/examples/classics/mutual_exclusion.py:TicketLine",
    "FILE:Class": "log.py:ReplicatedLog",
    "PROPERTY": "Exclusion",
    "Claim": "Enters",
    "FILE": "weak.itf.json",
}
"""What a reader puts in the place of a word."""
PER_COMMAND = {
    "certify FILE": {"FILE": "proof.json"},
    "certify proof.json --protocol lift.py:Lift": {"proof.json": "lift.json"},
    "sweep verify DIR": {"DIR": "results"},
}
OF_OTHERS = {
    # vanlightly/kafka-tlaplus and hachikuji/kafka-specification.
    *("kafka_replication_v3_5.tla", "Loss.cfg", "Kip320Proof.tla"),
}
"""What a command needs that is not here."""


def is_a_command(words: str) -> bool:
    """Whether it is one, and not a part of one that a sentence names."""
    try:
        options_of(shlex.split(words))
    except Exception as error:
        # Typer's usage errors have no public class in all of its versions.
        return type(error).__name__ not in INCOMPLETE
    return True


def is_ours(command: str) -> bool:
    return is_a_command(command) and not any(word in command for word in OF_OTHERS)


CASES = [
    pytest.param(
        page.name,
        command,
        id=f"{page.name}: {command}",
        marks=pytest.mark.xdist_group(page.name),
    )
    for page in PAGES
    for command in dict.fromkeys(commands(page))
    if is_ours(command)
]


def bmc(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    process = subprocess.Popen(
        [sys.executable, "-m", "bmc", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        said, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.terminate()
        said, _ = process.communicate(timeout=SECONDS)
    return subprocess.CompletedProcess(words, process.returncode, said)


def furnish(folder: Path) -> None:
    """Write what the pages tell their reader to have."""
    for name, page, mark in (
        ("pair.py", "README.md", "class Pair("),
        ("log.py", "first-protocol.md", "class ReplicatedLog("),
        ("kafka.map.toml", "conformance.md", "[parameters]"),
        ("map.toml", "conformance.md", "[parameters]"),
    ):
        (folder / name).write_text(block(page, mark), encoding="utf-8")
    first = [block("first-proof.md", one) for one in ("class First(", "leader_in_its_own_isr(")]
    (folder / "first.py").write_text("".join(first), encoding="utf-8")
    lines = [json.loads(line) for line in block("conformance.md", '{"event": "lead"').splitlines()]
    (folder / "events.ndjson").write_text("".join(json.dumps(one) + "\n" for one in lines))
    text = (ROOT / "docs" / "examples" / "Backup.tla").read_text(encoding="utf-8")
    text = text.replace("MODULE Backup", "MODULE Spec")
    # The lemma of the reader's own.
    head, end, _ = text.rpartition("====")
    text = f"{head.rstrip('=')}\nInv == epoch >= 0\n\n{end}\n"
    (folder / "Spec.tla").write_text(text, encoding="utf-8")
    shutil.copy(ROOT / "docs" / "examples" / "Backup.cfg", folder / "Spec.cfg")
    (folder / "specs").mkdir()
    for name in ("Spec.tla", "Spec.cfg"):
        shutil.copy(folder / name, folder / "specs" / name)
    (folder / "model").mkdir()
    for lift in (folder / "model" / "lift.py", folder / "lift.py"):
        lift.write_text(MODEL, encoding="utf-8")
    logs = ROOT / "tests" / "conformance" / "logs"
    shutil.copytree(logs, folder / "tests" / "conformance" / "logs")
    shutil.copy(logs / "kafka-failovers.ndjson", folder / "t-0.ndjson")
    shutil.copy(logs / "etcd-nodes.ndjson", folder / "example.ndjson")
    for words in (("new", "lock_service"), WITH_A_TRACE, *WITH_PROOFS):
        assert bmc(folder, *words).returncode in (0, 1, 3)


@pytest.fixture(scope="module")
def checkouts(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The copy for a page, which its commands change; they begin without a lock of their own."""
    made: dict[str, Path] = {}
    left = shutil.ignore_patterns(".*", "__pycache__", "tests")

    def checkout(page: str) -> Path:
        if page not in made:
            made[page] = tmp_path_factory.mktemp("commands") / "checkout"
            shutil.copytree(ROOT, made[page], ignore=left)
            furnish(made[page])
        return made[page]

    return checkout


@pytest.mark.parametrize(("page", "command"), CASES)
def test_it_ends_in_an_answer(page: str, command: str, checkouts: Callable[[str], Path]) -> None:
    folder = checkouts(page)
    for word, ours in (PER_COMMAND.get(command) or FILLED_IN).items():
        command = re.sub(rf"(?<![\w.]){re.escape(word)}(?![\w.])", ours, command)
    words = shlex.split(command)
    if words[:2] == ["new", "lock_service"]:
        (folder / "lock_service.py").unlink()
        (folder / "test_lock_service.py").unlink()
    done = bmc(folder, *words)
    assert "Traceback" not in done.stdout
    assert done.returncode in (0, 1, 3), done.stdout
    assert done.stdout or done.returncode == 0


SCRIPT = re.compile(r"^ {4,}(?:\$ )?python (benchmarks/.*)$", re.MULTILINE)
OF_A_CLUSTER = ("kafka_log4j.py",)
"""What reads the logs of brokers that somebody ran."""


def scripts(page: Path) -> list[str]:
    found: list[str] = SCRIPT.findall(CONTINUED.sub("", page.read_text(encoding="utf-8")))
    return [one for one in found if not any(name in one for name in OF_A_CLUSTER)]


@pytest.mark.parametrize(
    ("page", "script"),
    [
        pytest.param(page.name, one, marks=pytest.mark.xdist_group(page.name))
        for page in PAGES
        for one in dict.fromkeys(scripts(page))
    ],
)
def test_a_script_begins_as_it_is_written(
    page: str, script: str, checkouts: Callable[[str], Path]
) -> None:
    process = subprocess.Popen(
        [sys.executable, *shlex.split(re.split(r"\s{2,}", script)[0])],
        cwd=checkouts(page),
        env={**os.environ, "PYTHONPATH": "."},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # What it starts ends with it.
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=SECONDS / 2)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        said, _ = process.communicate()
        assert "Traceback" not in said
        return
    # A peer that is not installed is named.
    assert process.returncode == 0 or "not installed" in said or "BMC_" in said, said
    assert "Traceback" not in said
