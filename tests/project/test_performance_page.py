"""docs/performance.md says what was measured, misses included, as its JSON keeps it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("performance_page")


@pytest.fixture
def tables(page: ModuleType) -> ModuleType:
    return importlib.import_module("performance_tables")


def run(page: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["performance_page.py", *arguments])
    page.main()


def timed(processor: float, wall: float, **more: object) -> dict[str, Any]:
    return {"processor_s": processor, "wall_s": wall, "peak_mb": 60, "runs": 1, **more}


def peer(name: str, answer: str, processor: float, wall: float, like: str = "") -> dict[str, Any]:
    found = timed(processor, wall, question="prove", peer=name, answer=answer, like=like)
    return {**found, "ratio": None, "beside": None}


def test_the_docs_are_what_is_kept(page: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    run(page, monkeypatch, "--check")


def test_a_change_by_hand_is_noticed(
    page: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    assert "| not shown |" in text or "| yes |" in text
    changed = tmp_path / "performance.md"
    changed.write_text(text.replace("≤ 3 s |", "≤ 4 s |"), encoding="utf-8")
    monkeypatch.setattr(page, "PAGE", changed)
    with pytest.raises(SystemExit, match=r"performance.md is not what performance.json says"):
        run(page, monkeypatch, "--check")
    run(page, monkeypatch, "--write")
    assert changed.read_text(encoding="utf-8") == text


def test_every_part_is_a_script_with_limits_that_can_be_given(page: ModuleType) -> None:
    for part in page.PARTS:
        script, *options = page.command(part, page.LIMITS)
        assert (BENCHMARKS / script).is_file()
        assert not any("{" in word for word in options)
    assert all(page._parts_with(limit) for limit in page.LIMITS)


@pytest.mark.parametrize(
    ("row", "met"),
    [
        (timed(2.4, 2.9, answer="4 proved"), "yes"),
        (timed(2.4, 4.9, answer="4 proved"), "by processor time only"),
        (timed(3.5, 4.9, answer="4 proved"), "**missed**"),
        (timed(1.0, 1.0, answer="4 unknown"), "**missed**"),
        (timed(1.0, 1.0, answer="3 proved, 1 unknown"), "**missed**"),
        (timed(1.0, 1.0, answer="4 proved / stopped"), "**missed**"),
        (timed(1.0, 1.0, answer="4 proved", size="5,2,2,2"), "not shown"),
    ],
)
def test_a_target_is_met_by_the_clock_and_an_answer(
    tables: ModuleType, row: dict[str, Any], met: str
) -> None:
    kept = {"prove": {"rows": [{"size": "3,2,2,2", "engine": "auto", **row}]}}
    (line,) = [one for one in tables._targets(kept) if "--k 10` at (3,2,2,2)" in one]
    assert line.endswith(f"| {met} |")


def test_what_is_slower_than_a_peer_is_said(tables: ModuleType) -> None:
    rows = [
        peer("bmc a", "proved", 5.0, 5.0),
        peer("slow", "proved", 9.0, 9.0, "bmc a"),
        peer("fast", "proved", 4.0, 9.0, "bmc a"),
        peer("soon", "proved", 9.0, 4.0, "bmc a"),
        peer("vain", "stopped", 4.0, 4.0, "bmc a"),
        peer("other", "violated at 3 steps", 9.0, 9.0, "bmc a"),
        peer("bmc b", "unknown", 9.0, 9.0),
        peer("alone", "proved", 50.0, 50.0, "bmc b"),
        {"question": "prove", "peer": "absent", "answer": "not given: X", "runs": 0, "like": ""},
    ]
    said = "\n".join(tables.slower({"peers": {"rows": rows}}))
    assert "**prove: fast** needed 4.0" in said
    assert "**prove: soon** needed 9.0" in said
    assert (
        "**prove: other: violated at 3 steps, but `bmc a`: proved.** One of them is wrong" in said
    )
    assert "**prove: alone** proved in 50.0" in said
    assert "was not given: absent (prove)" in said
    assert "slow" not in said
    assert "vain" not in said
    (none, *_) = tables.slower({"peers": {"rows": rows[:2]}})
    assert "None of the peers measured was faster" in none


def test_the_smaller_ratio_to_tlc_is_judged(tables: ModuleType) -> None:
    def explored(processor: float, wall: float, **more: object) -> dict[str, Any]:
        return {
            **{"protocol": "kafka", "size": "3,2,2,2", "symmetry": False},
            **{"times_processor": processor, "times_wall": wall, **more},
        }

    def met(*rows: dict[str, Any]) -> str:
        found: str = tables._than_tlc({"explicit": {"rows": list(rows)}})
        return found.split("|")[-2].strip()

    assert met(explored(50.0, 20.0)) == "yes"
    assert met(explored(50.0, 19.0)) == "**missed**"
    assert met(explored(50.0, 20.0), explored(9.0, 9.0)) == "1 of 2"
    assert met(explored(50.0, 20.0), explored(1.0, 1.0, symmetry=True)) == "yes"
    assert met() == "not shown"


def test_counts_that_differ_have_no_ratio(page: ModuleType) -> None:
    explicit = importlib.import_module("explicit_search")
    ours = timed(1.0, 1.0, states=10, kept=10)
    row = {"symmetry": False, "bmc": ours, "tlc": timed(30.0, 30.0, kept=11)}
    assert explicit._times(row) == {"disagree": "bmc counts 10, TLC 11"}
    row["tlc"]["kept"] = 10
    assert explicit._times(row) == {"times_processor": 30.0, "times_wall": 30.0}
    row["tlc"] = {"error": "failed"}
    assert explicit._times(row) == {}


def test_the_memory_alone_is_taken_from_another_run(page: ModuleType) -> None:
    head = {"date": "2026-01-02", "load": "9 9 9"}
    kept = {
        "header": {},
        "rows": [timed(3.0, 2.0, size="3,2,2,2"), timed(9.0, 8.0, size="5,5,5,5")],
    }
    some = {"header": head, "rows": [{**timed(30.0, 20.0, size="3,2,2,2"), "peak_mb": 90}]}
    found = page.with_memory(kept, some)
    other = {**kept["rows"][1], "at_least": True}
    assert found["rows"] == [{**kept["rows"][0], "peak_mb": 90}, other]
    vain = {"header": head, "rows": [{**some["rows"][0], "answer": "unknown"}]}
    assert page.with_memory(kept, vain)["rows"][0] == {**kept["rows"][0], "at_least": True}
    said = found["header"]["memory measured again"]
    assert said == "1 of 2 rows (2026-01-02, load 9 9 9 / -)"
    explored = {"protocol": "kafka", "size": "3,2,2,2", "symmetry": False}
    both = {**explored, "bmc": timed(1.0, 1.0), "tlc": timed(70.0, 60.0)}
    alone = {**explored, "bmc": {**timed(5.0, 5.0), "peak_mb": 140}, "tlc": {"error": "not given"}}
    (row,) = page.with_memory({"header": {}, "rows": [both]}, {"header": head, "rows": [alone]})[
        "rows"
    ]
    assert row == {**both, "bmc": {**both["bmc"], "peak_mb": 140}}


def test_rows_of_another_run_replace_those_of_their_names_or_are_added(page: ModuleType) -> None:
    head = {"date": "2026-01-02", "load": "9 9 9"}
    old = [{"protocol": "a", "size": "1", "bmc": 1}, {"protocol": "a", "size": "2", "bmc": 2}]
    new = [{"protocol": "a", "size": "2", "bmc": 3}, {"protocol": "b", "size": "2", "bmc": 4}]
    found = page.again({"header": {}, "rows": old}, {"header": head, "rows": new}, ["a 2", "b 2"])
    assert found["rows"] == [old[0], *new]
    assert found["header"]["measured again"] == "a 2, b 2 (2026-01-02, load 9 9 9 / -)"


def test_a_search_on_disk_is_compared_where_counts_agree_or_tlc_was_stopped(
    page: ModuleType,
) -> None:
    disk = importlib.import_module("disk_exploration")

    def times(**theirs: object) -> str:
        both = {"protocol": "kafka", "size": "3,3,4,2", "memory": 1000}
        row = {**timed(10.0, 20.0, kept=1000, disk_bytes=20_000), **both}
        rows = [row | {"who": "bmc"}, row | {"who": "tlc"} | theirs]
        lines = list(disk.text(rows))
        assert len(lines) == 2 + len(rows)
        ratio: str = lines[2].split("|")[-2].strip()
        return ratio

    assert times(processor_s=100.0, wall_s=100.0) == "10.0 and 5.0"
    assert times(processor_s=100.0, wall_s=100.0, kept=999) == "**counts differ**"
    assert times(processor_s=50.0, wall_s=50.0, kept=500, stopped=True) == "10.0 and 5.0"
    assert times(error="failed") == "-"


def test_what_tlc_had_found_when_it_was_stopped_is_its_last_word(page: ModuleType) -> None:
    disk = importlib.import_module("disk_exploration")
    progress = "Progress(7): 17,810 states generated, {} distinct states found, 9 states left\n"
    output = progress.format("4,893") + progress.format("14,893")
    assert disk.counted(disk.Run(1, 1, 1, -9, output, True)) == {"kept": 14_893, "stopped": True}
    assert "error" in disk.counted(disk.Run(1, 1, 1, -9, "", True))
    assert "error" in disk.counted(disk.Run(1, 1, 1, 1, output, False))


def test_a_commit_is_compared_turn_by_turn(
    page: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    beside = importlib.import_module("beside_commit")
    for folder, seconds, code in (("here", 0.05, 1), ("other", 0.2, 1), ("broken", 0.05, 4)):
        (tmp_path / folder / "bmc").mkdir(parents=True)
        busy = f"import time\nwhile time.process_time() < {seconds}: pass\nraise SystemExit({code})"
        (tmp_path / folder / "bmc" / "__init__.py").write_text("")
        (tmp_path / folder / "bmc" / "__main__.py").write_text(busy)
    monkeypatch.setattr(beside, "HERE", tmp_path / "here")
    row = beside.measure("list", tmp_path / "other", 2, 60)
    assert row["times"][0] < 0.8
    assert beside.measure("list", tmp_path / "broken", 1, 60)["error"] == "exit codes 1 and 4"
    assert beside.measure("list", tmp_path, 1, 60)["error"] == "no checkout was given"
    assert len(list(beside.text([row, {**row, "error": "stopped"}]))) == 4
