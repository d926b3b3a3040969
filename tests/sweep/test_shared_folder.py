"""The folder of a search that tasks share answers the question it was asked, or nothing."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import pytest

from bmc.cli.shared import catalogue, cluster_exploration
from bmc.cli.shared.cluster_proof import ClusterEngine
from bmc.cli.shared.exploring import ClusterPlace, SearchLimits
from bmc.engines.explicit import explore
from bmc.engines.exploration import Exploration
from bmc.engines.spill.files import DamagedSpill, FolderInUse
from bmc.engines.task import SILENT, Observer, Task
from bmc.lang import Integer, Protocol, State, Step, Suite, Variable, action, invariant, one_of
from bmc.lang.model import Model
from bmc.sweep import frontier
from bmc.sweep.distributed import explore_on
from bmc.sweep.found_levels import FoundLevel
from bmc.sweep.frontier import SharedSearch, TaskShare
from bmc.sweep.places import Folder
from bmc.sweep.runner import OtherModel

from .test_frontier import FakeContext, agree

TOP = 5


def counting(most: int, step: int = 1) -> Suite:
    """Two numbers that grow to five, and the claim that the first stays low."""

    class Count(Protocol):
        Number = Integer("Number", 0, TOP)

        n = Variable(Number)
        m = Variable(Number)

        @action()
        def Init(self, s: Step) -> None:
            s.n = 0
            s.m = 0

        @action()
        def Up(self, s: Step) -> None:
            s.require(s.n + step <= TOP)
            s.n = s.n + step

        @action()
        def Along(self, s: Step) -> None:
            s.require(s.m < s.n)
            s.m = s.m + 1

        Next = one_of(Up, Along)

        @invariant("low")
        def Low(self, s: State) -> Any:
            return s.n <= most

    return Suite.of(Count, "Count")


def search(suite: Suite, where: Path, tasks: int = 1) -> SharedSearch:
    return SharedSearch(lambda name: suite, "Count", {}, ("Low",), str(where), tasks)


def alone(asked: SharedSearch) -> list[dict[str, Any]]:
    """What the only task of a search yields."""
    return list(TaskShare(asked, 0).run(lambda message: [message]))


class FakeSpark:
    """Executors without Spark."""

    context = FakeContext()

    def __init__(self, cluster: object) -> None:
        pass

    def capacity(self) -> int:
        return 2

    def __enter__(self) -> "FakeSpark":
        return self

    def __exit__(self, *error: object) -> None:
        pass


def at_cluster(suite: Suite, where: Path, monkeypatch: pytest.MonkeyPatch) -> Exploration:
    monkeypatch.setattr(cluster_exploration, "SparkExecutors", FakeSpark)
    monkeypatch.setattr(catalogue, "find", lambda name: suite)
    task = Task(suite, {}, ("Low",))
    asked = (None, None, False)
    return cluster_exploration.explore_at("local[2]", str(where), "Count", task, asked, SILENT)


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("kafka", "kafka"),
        ("kafka~BecomeLeader.guard2.dropped", "kafka~BecomeLeader.guard2.dropped"),
        ("model/lift.py:Lift", "{here}/model/lift.py:Lift"),
        ("lift.py:Lift~Up.guard1.dropped", "{here}/lift.py:Lift~Up.guard1.dropped"),
        ("Spec.tla@Other.cfg", "{here}/Spec.tla@Other.cfg"),
        ("/model/Spec.tla", "/model/Spec.tla"),
    ],
)
def test_executors_are_told_whole_paths(
    name: str, there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They work in folders of their own, where a path from here leads to nothing."""
    monkeypatch.chdir(tmp_path)
    there = there.format(here=tmp_path)
    assert ClusterEngine("local[2]", name).there == there
    told: list[str] = []

    def ended(context: object, search: SharedSearch, observer: Observer) -> Exploration:
        told.append(search.protocol)
        raise StopIteration

    monkeypatch.setattr(cluster_exploration, "explore_on", ended)
    monkeypatch.setattr(cluster_exploration, "SparkExecutors", FakeSpark)
    suite = catalogue.find("id-sequence")
    asked = (name, Task(suite, {}, ("TypeOk",)), (None, None, False), SILENT)
    with pytest.raises(StopIteration):
        cluster_exploration.explore_at("local[2]", str(tmp_path), *asked)
    assert told == [there]


def test_a_claim_that_was_changed_is_asked_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the folder said of the old claim was said of the new one, of the same name: proved."""
    assert at_cluster(counting(TOP), tmp_path, monkeypatch).holds == ("Low",)
    found = at_cluster(counting(2), tmp_path, monkeypatch)
    assert {name: len(trace) for name, trace in found.violations.items()} == {"Low": 4}
    assert at_cluster(counting(TOP), tmp_path, monkeypatch).holds == ("Low",)


def test_what_is_counted_is_part_of_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = counting(TOP)
    whole = at_cluster(suite, tmp_path, monkeypatch).distinct_states
    model: Model = suite.model(False)
    low = replace(suite, counted=suite.describe(suite.find("Low"), model).body)
    assert at_cluster(low, tmp_path, monkeypatch).distinct_states == whole
    fewer = counting(2)
    counted = fewer.describe(fewer.find("Low"), fewer.model(False)).body
    found = at_cluster(replace(suite, counted=counted), tmp_path, monkeypatch)
    assert found.distinct_states < whole


@pytest.mark.parametrize("other", [counting(2), counting(TOP, 2)], ids=["claim", "action"])
def test_a_folder_of_another_search_is_refused(other: Suite, tmp_path: Path) -> None:
    alone(search(counting(TOP), tmp_path))
    with pytest.raises(DamagedSpill, match=r"0\.json is of another search"):
        alone(search(other, tmp_path))


def test_levels_of_another_number_of_tasks_are_refused(tmp_path: Path) -> None:
    """Fewer tasks that went on from them lost what the others had, and called the rest proved."""
    asked = search(counting(TOP), tmp_path, 2)
    explore_on(FakeContext(), asked, SILENT)
    with pytest.raises(DamagedSpill, match=r"0\.json is of another search"):
        alone(replace(asked, tasks=1))


def test_a_level_is_not_taken_for_another(tmp_path: Path) -> None:
    """Where one was removed and the others moved up, its states were lost and the rest proved."""
    asked = search(counting(TOP), tmp_path)
    count, levels = len(alone(asked)), tmp_path / "levels"
    for number in range(2, count):
        (levels / f"{number}.json").replace(levels / f"{number - 1}.json")
        for file in (levels / f"{number}").glob("*"):
            file.replace(levels / f"{number - 1}" / file.name)
    (levels / f"{count - 1}.json").unlink(missing_ok=True)
    with pytest.raises(DamagedSpill, match=r"1\.json is not as it was written"):
        alone(asked)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("states", None),
        ("fired", []),
        ("fired", {"Add": "x"}),
        ("decided", {"Low": [1]}),
        ("files", {"0": 7}),
        ("files", {"0": [[1, "x"]]}),
        ("beyond", "0"),
        ("on_disk", 0.5),
        ("through", {"Low": 1}),
        ("search", 1),
        ("stopped", True),
    ],
)
def test_a_level_whose_checksum_fits_what_it_never_says_is_refused(
    tmp_path: Path, part: str, value: object
) -> None:
    """It is of another version, or of a hand: no failure of bmc's own."""
    asked = search(counting(TOP), tmp_path)
    alone(asked)
    file = tmp_path / "levels" / "1.json"
    number, level = json.loads(json.loads(file.read_text())[1])
    text = json.dumps([number, level | {part: value}])
    file.write_text(json.dumps([crc32(text.encode()), text]))
    with pytest.raises(DamagedSpill, match=r"1\.json is not as it was written"):
        alone(asked)


def test_an_executor_with_another_text_is_noticed(tmp_path: Path) -> None:
    """The driver said of its own claim what the executors had found of theirs."""
    driver, here, there = os.getpid(), counting(2), counting(TOP)

    def found(name: str) -> Suite:
        return here if os.getpid() == driver else there

    asked = SharedSearch(found, "Count", {}, ("Low",), str(tmp_path), 2)
    with pytest.raises(OtherModel, match="another text"):
        explore_on(FakeContext(), asked, SILENT)


def test_executors_that_differ_are_noticed() -> None:
    with pytest.raises(OtherModel):
        FoundLevel(search="one").join(FoundLevel(search="other"))


def _flipped(content: bytes, random: Random) -> bytes:
    place, bit = random.randrange(len(content)), random.randrange(8)
    return content[:place] + bytes([content[place] ^ (1 << bit)]) + content[place + 1 :]


@pytest.mark.parametrize(
    "change",
    [
        _flipped,
        lambda content, random: content[: random.randrange(len(content))],
        lambda content, random: content + b" ",
        lambda content, random: b"",
        lambda content, random: None,
    ],
    ids=["a bit flipped", "cut", "longer", "empty", "gone"],
)
def test_a_damaged_file_is_refused_or_changes_nothing(
    change: Callable[[bytes, Random], bytes | None], tmp_path: Path
) -> None:
    """Parquet has no checksum of its own: other states were taken for those of the level."""
    asked, random = search(counting(TOP), tmp_path), Random(1)
    right = alone(asked)
    refused = 0
    for file in sorted(path for path in tmp_path.rglob("*") if path.is_file()):
        content = file.read_bytes()
        changed = change(content, random)
        if changed is None:
            file.unlink()
        else:
            file.write_bytes(changed)
        try:
            found = alone(asked)
        except DamagedSpill:
            refused += 1
        else:
            # A level whose description is not there is searched again.
            assert file.suffix == ".json"
            assert found == right
        file.write_bytes(content)
    assert refused >= sum(1 for level in right if level["states"])
    assert alone(asked) == right


def test_what_is_forged_of_a_level_needs_its_seal(tmp_path: Path) -> None:
    asked = search(counting(2), tmp_path)
    right = alone(asked)
    decided = next(number for number, level in enumerate(right) if level["decided"])
    file = tmp_path / "levels" / f"{decided}.json"
    seal, text = json.loads(file.read_text())
    number, level = json.loads(text)
    file.write_text(json.dumps([seal, json.dumps([number, level | {"decided": {}}])]))
    with pytest.raises(DamagedSpill):
        alone(asked)


class Behind(FakeContext):
    """The first task does not see the last levels of the folder yet, the others do."""

    def _task(self, folder: Path, meeting: Any, me: int) -> None:
        if not me:
            frontier.place = _Behind  # type: ignore[assignment]
        super()._task(folder, meeting, me)


class _Behind(Folder):
    def __init__(self, where: str) -> None:
        super().__init__(Path(where))

    def exists(self, name: str) -> bool:
        return super().exists(name) and name not in {f"levels/{n}.json" for n in (3, 4, 5)}


def test_tasks_agree_on_the_levels_that_are_there(tmp_path: Path) -> None:
    """Another run of the command may add levels between the looks of two tasks."""
    asked = search(counting(TOP), tmp_path, 2)
    here = explore_on(FakeContext(), asked, SILENT)
    agree(explore(asked.task()), here)
    agree(here, explore_on(Behind(), asked, SILENT))


def test_what_another_run_took_away_is_said(tmp_path: Path) -> None:
    """What tasks give each other is removed by whoever has read it."""
    share = TaskShare(search(counting(TOP), tmp_path, 2), 0)
    with pytest.raises(FolderInUse, match="runs twice"):
        share._receive(1, [[], [[1, 0]]])


@pytest.mark.parametrize(
    ("named", "path"),
    [("states", "{}/states"), ("/states", "/states"), ("s3://states/one", "s3://states/one")],
)
def test_executors_are_told_the_folder_that_the_user_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, path: str
) -> None:
    """Each has a working folder of its own, and would keep its states there."""
    monkeypatch.chdir(tmp_path)
    where = ClusterPlace.of("local", named, False, SearchLimits(None, None, False), None)
    assert where is not None
    assert where.shared == path.format(tmp_path)
