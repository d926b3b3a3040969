"""Every block of code on a page is run by a test, and says what the page says.

Commands are run by test_commands_run.py. What a page shows behind a command is compared here; what
else there is in a block is run by the test that the table names.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from subprocess import run

import pytest

from bmc import Answered
from tests.cli.running import bmc
from tests.project.pages import PAGES, ROOT, Block, block, blocks, not_said
from tests.project.test_first_proof_page import written

COMMAND = re.compile(r"(?:bmc|\./run|pip install|git) |python benchmarks/")

RUN_BY = {
    "README.md": {"class Pair(": __file__},
    "architecture.md": {"replicaState[follower].leaderEpoch": __file__},
    "ci.md": dict.fromkeys(("jobs:", "#!/bin/sh", "repos:"), "tests/regress/test_ci_examples.py"),
    "conformance.md": {'{"event"': __file__, "[parameters]": __file__, "[order]": __file__},
    "first-proof.md": {
        "class First(": __file__,
        "@lemma": "tests/project/test_first_proof_page.py",
    },
    "first-protocol.md": {"": "tests/project/test_first_protocol_page.py"},
    "inference.md": {"class Invented(": "tests/analysis/test_inference_history.py"},
    "language.md": {"TYPE_CHECKING": __file__},
    "liveness.md": {
        "bmc.lang.temporal": __file__,
        "bmc.lang.ranking": __file__,
        "the rank rises": "tests/engines/test_ranking.py",
        "def terminated": __file__,
    },
    "mistakes.md": {"": "tests/lang/test_mistakes.py"},
    "python.md": dict.fromkeys(
        ("def test_", "Kafka(replicas=3)", "task = Task(", "ProcessPoolExecutor"), __file__
    ),
    "sweeps.md": {"monotone=True": __file__},
    "tla.md": {
        "guessed from samples": "tests/frontends/tla/test_widening.py",
        "did you mean Tight": "tests/frontends/tla/test_command_errors.py",
    },
    "traces.md": {"def drawn(": __file__, "@alias": __file__},
}
"""What runs the blocks of a page that have a mark in them."""

NOT_RUN = {
    "architecture.md": ("flowchart", "bmc/lang/ "),
    "ci.md": ("linguist-generated",),
    # It needs a checkout of go.etcd.io/raft and a compiler.
    "conformance.md": ("go test ",),
    "sweeps.md": ("DIR/rows/",),
}
"""Blocks in which there is nothing to run, and those that need what is not ours."""

SLOW = re.compile(r"prove kafka --no-lemmas|explore kafka-kip279|first\.py")
# What the solver chose, another one with each of its releases; and what depends on how far a search
# came in its time.
CHOSEN = re.compile(
    r"┊ (?! *COUNTER|the )|┊$|    replica|  State 0|  Lemmas that|  1\. |     needs lemmas"
    r"|97 candidates|21 lemmas|.* = mined|def mined"
)

ALL = [one for page in PAGES for one in blocks(page) if page.name != "commands.md"]
OUTPUTS = [one for one in ALL if one.is_output and one.page != "first-protocol.md"]


def is_commands(text: str) -> bool:
    """Whether each line is a command, goes on with one, or says what it does."""
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(COMMAND.match(lines[0])) and all(
        COMMAND.match(one) or one[0] == " " for one in lines
    )


def test_each_block_is_run() -> None:
    left = []
    for one in ALL:
        marks = [*RUN_BY.get(one.page, ()), *NOT_RUN.get(one.page, ())]
        if not (one.is_output or is_commands(one.text) or any(mark in one.text for mark in marks)):
            left.append(str(one))
    assert left == []
    assert len(OUTPUTS) >= 12


def test_what_runs_them_is_there() -> None:
    texts = {page.name: [one.text for one in blocks(page)] for page in PAGES}
    for table in (RUN_BY, NOT_RUN):
        for page, marks in table.items():
            assert [mark for mark in marks if not any(mark in one for one in texts[page])] == []
    assert all((ROOT / test).is_file() for marks in RUN_BY.values() for test in marks.values())


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the pages name of this repository, and what they tell to write."""
    for name in ("docs", "tests", "benchmarks"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "events.ndjson").write_text(block("conformance.md", '{"event": "lead"'))
    (tmp_path / "kafka.map.toml").write_text(block("conformance.md", "[parameters]"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lemmas_above(output: Block) -> int:
    """How many lemmas of docs/first-proof.md stand above an output of it."""
    page = ROOT / "docs" / "first-proof.md"
    return sum(
        one.line < output.line and "@lemma" in one.text for one in blocks(page) if one.language
    )


@pytest.mark.parametrize(
    "output",
    [
        pytest.param(one, id=str(one), marks=[pytest.mark.nightly] if SLOW.search(one.text) else [])
        for one in OUTPUTS
    ],
)
def test_a_command_says_what_the_page_shows(output: Block, desk: Path) -> None:
    if output.page == "first-proof.md":
        (desk / "first.py").write_text(written(lemmas_above(output)), encoding="utf-8")
    answered = bmc(*shlex.split(output.command))
    shown = [line for line in output.shown if not CHOSEN.match(line)]
    assert shown
    missing = not_said(shown, answered.out)
    assert missing is None, f"{missing}\n\n{answered.out}{answered.err}"


def is_excerpt(text: str, file: Path) -> bool:
    """Whether the lines of a text are lines of a file, in this order."""
    lines = iter(line.strip(" ,") for line in file.read_text(encoding="utf-8").splitlines())
    wanted = [line.strip() for line in text.splitlines() if line.strip()]
    return all(line in lines for line in wanted)


@pytest.mark.parametrize(
    ("page", "mark", "file"),
    [
        ("architecture.md", "replicaState[follower].leaderEpoch", "encodings/kafka/kip320.py"),
        ("liveness.md", "bmc.lang.temporal", "docs/examples/classics/mutual_exclusion.py"),
        ("liveness.md", "bmc.lang.ranking", "docs/examples/classics/token_ring.py"),
    ],
)
def test_an_excerpt_is_one(page: str, mark: str, file: str) -> None:
    assert is_excerpt(block(page, mark), ROOT / file)


def test_the_pair_is_proved_with_its_lemma_and_not_without(desk: Path) -> None:
    (desk / "pair.py").write_text(block("README.md", "class Pair("), encoding="utf-8")
    assert bmc("prove", "pair.py:Pair").code == 0
    alone = ("--no-lemmas", "--engine", "kinduction", "--k", "3")
    assert bmc("prove", "pair.py:Pair", *alone).code == 3


def test_the_test_passes() -> None:
    space: dict[str, object] = {}
    exec(block("python.md", "def test_"), space)
    test = space["test_the_isr_is_safe"]
    assert callable(test)
    test()


def test_a_class_at_values_and_a_task_are_asked() -> None:
    space: dict[str, object] = {}
    exec(block("python.md", "Kafka(replicas=3)"), space)
    answered = space["answered"]
    assert isinstance(answered, Answered)
    assert answered.proved
    exec(block("python.md", "task = Task("), space)


def test_several_processes_decide_at_the_same_time(desk: Path) -> None:
    (desk / "asked.py").write_text(block("python.md", "ProcessPoolExecutor"))
    said = run([sys.executable, "asked.py"], capture_output=True, text=True, check=False)
    assert said.stdout.count("PROVED") == 2, said.stderr


def test_events_of_several_machines_are_ordered(desk: Path) -> None:
    mapping = desk / "kafka.map.toml"
    mapping.write_text(mapping.read_text() + block("conformance.md", "[order]"))
    line = '{{"event": "{}", "broker": {}, "{}": {}, "seq": {}, "ms": {}}}\n'
    events = [("write", 1007, "end", 1, 2, 9), ("lead", 1007, "epoch", 0, 1, 3)]
    (desk / "events.ndjson").write_text("".join(line.format(*event) for event in events))
    said = bmc("trace", "check", "kafka", "--log", "events.ndjson", "--map", "kafka.map.toml")
    assert said.code == 0, said.out + said.err


def protocol(desk: Path, body: str) -> str:
    """Kafka's protocol in a file, with what a page says of it in its class."""
    text = "from bmc.encodings.kafka import Kip320\nfrom bmc.lang import *\n"
    text += "from bmc.lang.drawing import *\n\n\nclass Mine(Kip320):\n"
    if "=Replica" in body:
        text += "    Replica = Kip320.Replica\n\n"
    lines = "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
    (desk / "mine.py").write_text(text + lines, encoding="utf-8")
    return "mine.py:Mine"


def test_an_alias_is_shown_alone(desk: Path) -> None:
    mine = protocol(desk, block("traces.md", "@alias") + INVARIANT)
    said = bmc("check", mine, "-p", "replicas=2", "--depth", "6", "--only", "ahead")
    assert said.code == 1, said.out + said.err
    assert "ahead[r1]  0 → 1" in said.out
    assert "quorumState" not in said.out.split("is violated after")[0]


def test_a_protocol_is_drawn_as_it_says(desk: Path) -> None:
    body = block("traces.md", "def drawn(").replace("Card(...)", "Card()")
    said = bmc("check", protocol(desk, body + INVARIANT), "-p", "replicas=2", "--trace", "t.html")
    assert said.code == 1, said.out + said.err
    assert "controller" in (desk / "t.html").read_text(encoding="utf-8")


INVARIANT = """

@invariant("nobody writes")
def NobodyWrites(self, s):
    return forall(self.Replica, lambda r: s.replicaLog[r].endOffset == 0)
"""


COUNTER = """
limit = Parameter("limit", 3, 1, 9, "where counting ends")
number = Variable(Integer("Number", 0, limit))

@action()
def Init(self, s):
    s.number = 0

@action()
def Count(self, s):
    s.require(s.number < self.limit)
    s.number = s.number + 1

Next = one_of(Count)

@invariant("counting ends")
def Ends(self, s):
    return s.number <= self.limit
"""


@pytest.fixture
def counter(desk: Path) -> Path:
    """A protocol of a parameter that docs/sweeps.md declares, and an end of docs/liveness.md."""
    said = block("sweeps.md", "monotone=True") + COUNTER + block("liveness.md", "def terminated")
    body = "".join(f"    {line}\n" for line in said.splitlines())
    file = desk / "counter.py"
    file.write_text(f"from bmc.lang import *\n\n\nclass Counter(Protocol):\n{body}")
    return file


def test_a_parameter_is_declared_monotone(counter: Path) -> None:
    grid = ("--grid", "max_records=1..3", "--prune", "--out", "rows", "--dry-run")
    planned = bmc("sweep", f"{counter}:Counter", *grid)
    assert planned.code == 0, planned.out + planned.err


def test_an_end_that_is_meant_is_no_deadlock(counter: Path) -> None:
    assert bmc("prove", f"{counter}:Counter", "--deadlock").code == 0
    counter.write_text(counter.read_text().replace("def terminated", "def ended"))
    assert bmc("prove", f"{counter}:Counter", "--deadlock").code == 1


def test_an_editors_class_is_written_and_the_file_read_as_before(desk: Path) -> None:
    head, _, body = block("language.md", "TYPE_CHECKING").partition("\nclass ")
    log = block("first-protocol.md", "class ReplicatedLog(")
    annotated = re.search(r"def Write\(.*\):", body)
    assert annotated is not None
    log = log.replace("from bmc.lang import *\n", head, 1).replace(
        "def Write(self, s):", annotated[0]
    )
    (desk / "log.py").write_text(log, encoding="utf-8")
    assert bmc("stubs", "log.py:ReplicatedLog").code == 0
    assert "class ReplicatedLogState(" in (desk / "log_state.py").read_text(encoding="utf-8")
    assert bmc("explore", "log.py:ReplicatedLog").code == 1
