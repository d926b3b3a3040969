"""Texts and folders of other kinds that bmc reads, each changed and read by its command."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir, suppress
from dataclasses import dataclass
from pathlib import Path

from bmc.cli.shared import catalogue
from bmc.sweep.job import Job, JobLimits, Method, identity_of
from bmc.sweep.rows import digest_of
from bmc.sweep.runner import Tools, run_job
from bmc.sweep.store import Store
from bmc.sweep.tables import rows_of, table_of
from tests.cli.running import ROOT, Answered, bmc
from tests.data.mutants import HOSTILE, mutant, mutant_text


@dataclass(frozen=True)
class Attack:
    """How a seed changes what lies in an empty folder, and the words that read it there.

    ``made`` gives the words; what it leaves in the folder is all that may be there afterwards, but
    for what is in the folder ``own``, where the command keeps its states. An answer of exit code 0
    has to be ``right``.
    """

    kind: str
    made: Callable[[int, Path], tuple[str, ...]]
    own: str = ""
    right: Callable[[str], bool] = bool

    def attacked(self, seed: int, folder: Path) -> tuple[Answered, bool]:
        """What the command answers, and whether it is right and leaves the folder as it was."""
        words = self.made(seed, folder)
        before = self._others(folder)
        with chdir(folder):
            answered = bmc(*words)
        untouched = self._others(folder) == before
        untouched = untouched and (answered.code != 0 or self.right(answered.out))
        for one in folder.iterdir():
            shutil.rmtree(one) if one.is_dir() else one.unlink()
        return answered, untouched

    def _others(self, folder: Path) -> dict[str, bytes]:
        own = f"{self.own}/"
        return {name: held for name, held in _files(folder).items() if not name.startswith(own)}


def _files(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


def attacks(folder: Path) -> Iterator[Attack]:
    """Every kind; ``folder`` holds the originals."""
    yield Attack("lock", _lock(folder / "lock"))
    yield Attack("map", _mapping)
    yield Attack("log", _log)
    yield Attack("--where", _condition)
    yield Attack("sweep folder", _sweep(folder / "sweep"))
    yield Attack("TLA+ text", _specification)
    states = _spilled(folder / "spilled")
    yield Attack("spilled states", states, "spilled", lambda out: "49 distinct states in 5" in out)


def _lock(original: Path) -> Callable[[int, Path], tuple[str, ...]]:
    original.mkdir()
    with chdir(original):
        assert bmc("regress", "--protocol", "id-sequence", "--update").code == 0
    text = (original / "bmc.lock").read_text(encoding="utf-8")

    def made(seed: int, folder: Path) -> tuple[str, ...]:
        shutil.copytree(original, folder, dirs_exist_ok=True)
        if seed % 3:
            changed = mutant_text(text, seed).encode("utf-8", "surrogatepass")
            (folder / "bmc.lock").write_bytes(changed)
        else:
            _change_one(random.Random(seed), list((folder / "bmc.lock.d").iterdir()), seed)
        return "regress", "--timeout", "10", "--jobs", "1"

    return made


def _change_one(chance: random.Random, files: list[Path], seed: int) -> None:
    if not files:
        return
    file = chance.choice(sorted(files))
    try:
        changed = mutant(json.loads(file.read_text(encoding="utf-8")), seed)
        file.write_bytes(changed.encode("utf-8", "surrogatepass"))
    except (ValueError, UnicodeDecodeError):
        file.write_bytes(_flipped(chance, file.read_bytes()))


def _flipped(chance: random.Random, content: bytes) -> bytes:
    changed = bytearray(content or b"\0")
    for _ in range(chance.randint(1, 4)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed[: chance.randrange(len(changed))] if chance.random() < 0.2 else changed)


MAP = """
protocol = "kafka"
[parameters]
replicas = { members = "Replica", plus = 1 }
max_leader_epoch = 2
[silent]
actions = ["ControllerElectLeader"]
steps = 3
[[event]]
name = "lead"
actions = ["BecomeLeader"]
arguments = { leader = "$broker" }
after = { "replicaState[$broker].leaderEpoch" = "$epoch" }
"""
LOG = '{"event": "lead", "broker": 1007, "epoch": 0}\n'
CHECK = ("trace", "check", "kafka", "--states", "200", "--no-invariants", "--timeout", "20")


def _mapping(seed: int, folder: Path) -> tuple[str, ...]:
    (folder / "log").write_text(LOG, encoding="utf-8")
    (folder / "map").write_bytes(mutant_text(MAP, seed).encode("utf-8", "surrogatepass"))
    return *CHECK, "--log", "log", "--map", "map"


def _log(seed: int, folder: Path) -> tuple[str, ...]:
    (folder / "map").write_text(MAP, encoding="utf-8")
    changed = mutant(json.loads(LOG), seed) + "\n"
    (folder / "log").write_bytes(changed.encode("utf-8", "surrogatepass"))
    return *CHECK, "--log", "log", "--map", "map"


EXAMPLES = ROOT / "docs" / "examples"


def _specification(seed: int, folder: Path) -> tuple[str, ...]:
    """A specification or its configuration, with changed lines; whatever it says now is counted."""
    names = ("Backup.tla", "Backup.cfg")
    for name in names:
        shutil.copy(EXAMPLES / name, folder)
    changed = folder / names[seed % 4 == 0]
    text = changed.read_text(encoding="utf-8")
    for again in range(1 + seed % 3):
        text = mutant_text(text, seed + again) or text
    changed.write_bytes(text.encode("utf-8", "surrogatepass"))
    return "explore", "Backup.tla", "--timeout", "10", "--max-states", "2000"


def _spilled(original: Path) -> Callable[[int, Path], tuple[str, ...]]:
    """The states of a search on disk that was interrupted, and is gone on with."""
    search = ("explore", "replicated-log", "-p", "replicas=2", "--spill")
    assert bmc(*search, str(original), "--max-states", "20").code == 0

    def made(seed: int, folder: Path) -> tuple[str, ...]:
        shutil.copytree(original, folder / "spilled")
        files = [f for f in (folder / "spilled").rglob("*") if f.is_file()]
        _change_one(random.Random(seed), files, seed)
        return *search, "spilled", "--resume", "--timeout", "10"

    return made


_PIECES = (
    *("max_id", "1", "0", "-", "(", ")", "and", "or", "not", "<=", "==", "<", "%", "//", "*"),
    *(
        "__import__('os')",
        "max_id.real",
        "9" * 400,
        "**",
        "lambda: 1",
        "\x00",
        "é",
        "[1]",
        "(" * 99,
    ),
    *("not " * 400, "1 // 0", "max_id % 0", "max_id == 1", "x", "True", "=", "'a'"),
)


def _condition(seed: int, folder: Path) -> tuple[str, ...]:
    chance = random.Random(seed)
    pieces = [
        "max_id",
        "<=",
        "2",
        "and",
        "(",
        "max_id",
        "!=",
        "1",
        "or",
        "1",
        "+",
        "max_id",
        "//",
        "1",
        "<",
        "4",
        ")",
    ]
    for _ in range(chance.randint(1, 3)):
        spot = chance.randrange(len(pieces))
        pieces[spot : spot + chance.randrange(3)] = [chance.choice(_PIECES)]
    text = " ".join(pieces)
    grid = ("--grid", "max_id=1..3", "--dry-run", "--out", "there")
    return "sweep", "run", "id-sequence", *grid, f"--where={text}"


def _sweep(original: Path) -> Callable[[int, Path], tuple[str, ...]]:
    tools = Tools(catalogue.find, lambda suite, parameters, result: "")
    suite = catalogue.find("id-sequence")
    method, limits = Method("kinduction", 3, "cadical", lemmas=True), JobLimits(60.0, 4096)
    store = Store(original)
    for most in (1, 2):
        name = suite.properties[0].name
        identity = identity_of(suite, name, method)
        job = Job(suite.name, {"max_id": most}, name, method, limits, identity, "these", 8)
        done = run_job(tools, job)
        store.add(done.row, done.evidence)

    def made(seed: int, folder: Path) -> tuple[str, ...]:
        shutil.copytree(original, folder / "sweep")
        chance = random.Random(seed)
        files = [f for f in (folder / "sweep").rglob("*") if f.is_file()]
        rows = [f for f in files if f.suffix == ".parquet"]
        if seed % 2 and rows:
            _edited(chance, chance.choice(sorted(rows)))
        else:
            _change_one(chance, files, seed)
        return "sweep", "verify", "sweep", "--timeout", "10"

    return made


def _edited(chance: random.Random, file: Path) -> None:
    """Write another value into one column of a file of rows, as far as the column takes it.

    Half of the time the rows get the digest that belongs to them: it is no signature.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(file)  # type: ignore[no-untyped-call]
    place = chance.randrange(table.num_columns)
    column = table.schema.field(place)
    others = [*HOSTILE, "proved", "violated", "evidence/../../x", *table.column(place).to_pylist()]
    try:
        array = pa.array([chance.choice(others)] * table.num_rows, column.type)
    except (pa.ArrowException, OverflowError):
        array = pa.nulls(table.num_rows, column.type)
    changed = table.set_column(place, column, array)
    if chance.random() < 0.5:
        rows = rows_of(changed)
        for row in rows:
            with suppress(AttributeError):
                row["digest"] = digest_of(row)
        changed = table_of(rows)
    pq.write_table(changed, file)  # type: ignore[no-untyped-call]
