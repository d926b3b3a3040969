"""What is asked of a long group's execution window by window is what one look at all of it says."""

import json
import pickle
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path

import pytest

from bmc.cli.shared import catalogue, log_groups
from bmc.cli.shared.log_windows import portions
from bmc.conformance.groups import GroupChecker, GroupVerdict
from bmc.conformance.mapping_file import read_mapping
from bmc.conformance.search import Limits
from bmc.conformance.windows import Window, WindowView
from bmc.evidence.verdict import Contradiction
from tests.cli.running import ROOT

LOGS = Path(__file__).parent / "logs"
MAP = ROOT / "benchmarks" / "conformance" / "kafka-deployed.map.toml"
UNCLEAN = "kafka-kip320-deployed-unclean"


def checker(folder: Path, claims: Sequence[str], window: int) -> GroupChecker:
    said = MAP.read_text(encoding="utf-8").replace('"kafka-kip320-deployed"', f'"{UNCLEAN}"')
    said = said.replace('"ControllerFailover"]', '"ControllerFailover", "UncleanElection"]')
    file = folder / "map.toml"
    file.write_text(said, encoding="utf-8")
    suite = catalogue.find(UNCLEAN)
    mapping = read_mapping(file, suite)
    return GroupChecker(suite, mapping, {}, claims, Limits(), (), True, window)


def recorded(name: str) -> list[bytes]:
    return (LOGS / f"kafka-{name}.ndjson").read_bytes().splitlines()


def found(checks: GroupChecker, lines: list[bytes]) -> tuple[GroupVerdict, list[Window]]:
    begun, windows = checks.begun(lines)
    # As a worker that finds them hands them to others.
    return begun, [pickle.loads(pickle.dumps(window)) for window in windows]


def stitched(begun: GroupVerdict, seen: Sequence[WindowView]) -> GroupVerdict:
    """What Spark SQL does with the rows."""
    broken = (one for one in seen if one.broken is not None)
    first = min(broken, key=lambda one: one.undecided, default=None)
    guards = tuple(dict.fromkeys(chain.from_iterable(one.guards for one in seen)))
    witnesses = tuple(dict.fromkeys(chain.from_iterable(one.witnesses for one in seen)))
    whole = replace(begun, guards=guards, witnesses=witnesses)
    if first is None:
        return whole
    verdict = "unknown" if first.undecided else "violated"
    return replace(whole, verdict=verdict, line=first.line, why=first.broken)


def alike(one: GroupVerdict) -> GroupVerdict:
    """A verdict without the order in which guards were seen in one state."""
    return replace(one, guards=sorted(one.guards or ()), witnesses=sorted(one.witnesses or ()))


@pytest.mark.parametrize("window", [1, pytest.param(7, marks=pytest.mark.nightly), 40])
@pytest.mark.parametrize(
    ("name", "claims", "verdict", "line"),
    [
        ("unclean", ("StrongIsr", "CommitsAreKept"), "violated", 162),
        ("unclean", ("TypeOk",), "conforms", None),
        ("failovers", ("StrongIsr", "CommitsAreKept"), "conforms", None),
    ],
)
def test_windows_are_stitched_to_the_verdict_on_the_whole(
    name: str, claims: tuple[str, ...], verdict: str, line: int | None, window: int, tmp_path: Path
) -> None:
    """CommitsAreKept speaks of history, which each window is handed with the state before it."""
    checks, lines = checker(tmp_path, claims, window), recorded(name)
    whole = checks.verdict(lines)
    assert (whole.verdict, whole.line) == (verdict, line)
    begun, windows = found(checks, lines)
    assert begun.verdict == "conforms"
    assert (begun.guards, begun.witnesses) == (None, None)
    assert len(windows) > 1
    for one, other in pairwise(windows):
        assert one.after == other.before
    assert alike(stitched(begun, [checks.look_into(one) for one in windows])) == alike(whole)
    assert sum(node.action is not None for one in windows for node in one.steps) == sum(
        (whole.actions or {}).values()
    )


def test_a_window_that_is_not_as_found_is_no_finding(tmp_path: Path) -> None:
    checks = checker(tmp_path, ("StrongIsr",), 100)
    _, windows = found(checks, recorded("unclean"))
    first, other = windows[0], windows[1]
    steps = [number for number, node in enumerate(first.steps) if node.action == "LeaderWrite"]
    assert steps
    without = tuple(node for number, node in enumerate(first.steps) if number != steps[-1])
    for forged in (
        replace(first, steps=without),
        replace(first, after=other.after),
        replace(other, before=first.before),
    ):
        with pytest.raises(Contradiction, match="of a log's execution"):
            checks.look_into(forged)


def test_short_groups_and_those_that_do_not_conform_have_no_windows(tmp_path: Path) -> None:
    lines = recorded("unclean")
    short = checker(tmp_path, ("StrongIsr",), 240)
    assert found(short, lines) == (short.verdict(lines), [])
    bare = replace(checker(tmp_path, (), 1), coverage=False)
    assert found(bare, lines) == (bare.verdict(lines), [])
    wrong = [line for line in lines if b'"quorum"' not in line]
    checks = checker(tmp_path, ("StrongIsr",), 1)
    assert checks.verdict(wrong).verdict == "impossible"
    assert found(checks, wrong) == (checks.verdict(wrong), [])
    assert found(checks, [*lines, b"{"])[0].verdict == "unreadable"


def test_a_worker_gives_back_one_window_at_a_time() -> None:
    rows = [(1, None), (2, b"w"), (3, b"w"), (4, None), (5, None), (6, None)]
    assert [[one for one, _ in some] for some in portions(rows, 2)] == [[1, 2], [3], [4, 5], [6]]


NEXT = """
[[event]]
name = "NextId"
actions = ["NextId"]
after = { nextId = "$next" }
"""


@pytest.mark.nightly
def test_windows_of_long_groups_on_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are the same whether long groups are cut or not."""
    from pyspark.sql import SparkSession

    log = tmp_path / "log.ndjson"
    lengths = {"long": 20, "longer": 30, "short": 3}
    lines = [
        json.dumps({"event": "NextId", "next": number, "group": group})
        for group, length in lengths.items()
        for number in range(1, length + 1)
    ]
    nameless = [json.dumps({"event": "NextId", "next": number}) for number in range(1, 9)]
    wrong = [json.dumps({"event": "NextId", "next": 2, "group": "wrong"}) for _ in range(9)]
    log.write_text("\n".join([*lines, *nameless, *wrong]), encoding="utf-8")
    suite, claims = catalogue.find("id-sequence"), ("TypeOk",)
    text = log_groups.text_of(suite, claims)
    rows = {}
    for window in (4, 1_000):
        asked = log_groups.GroupedCheck(
            "id-sequence", NEXT, (("max_id", 29),), claims, 99, None, True, text, window
        )
        out = tmp_path / f"out{window}"
        summary = log_groups.check_groups(str(log), ["group"], "local[2]", out, asked)
        assert [path.name for path in out.iterdir()] == ["verdicts"]
        session = SparkSession.builder.master("local[2]").getOrCreate()
        found = session.read.parquet(str(out / "verdicts")).orderBy("group").collect()
        session.stop()
        rows[window] = (summary, [row.asDict() for row in found])
    assert rows[4] == rows[1_000]
    summary, verdicts = rows[4]
    assert summary.verdicts == {"conforms": 4, "impossible": 1}
    assert [row["witnesses"] for row in verdicts if row["group"] == "longer"] == [["Exhausted"]]
