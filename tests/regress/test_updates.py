"""An update shows what is different, takes nothing worse by itself, and is all or nothing."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bmc.engines.task import Observer
from bmc.evidence.verdict import Result, Verdict
from bmc.lang import Suite
from bmc.regress import cases, judging
from bmc.regress.deciding import Aim, Decisions
from bmc.regress.errors import LockBusy
from bmc.regress.exclusive import exclusive
from bmc.regress.folder import LockFolder
from bmc.running.interruption import LimitMet
from tests.cli.running import ROOT, bmc
from tests.regress.project import MODEL, WITHOUT_A_GUARD, Project

SECOND = MODEL.replace("class Lift(", "class Hoist(").replace("4, 1, 9", "3, 1, 9")


def differences(document: dict[str, dict[str, list[dict[str, object]]]]) -> dict[object, object]:
    return {d["property"]: (d["before"], d["after"]) for d in document["update"]["differences"]}


def undecided(
    suite: Suite, parameters: object, names: tuple[str, ...], observer: Observer, aim: Aim
) -> Decisions:
    said = "the time limit has passed"
    return Decisions({n: Result(n, Verdict.UNKNOWN, "bounded", 0, reason=said) for n in names})


def test_the_same_again_changes_nothing(project: Project) -> None:
    before = project.snapshot()
    stamp = project.lock.stat().st_mtime_ns
    code, _, document = project.judged("--update")
    assert code == 0
    assert not document["update"]["written"]
    assert not document["update"]["differences"]
    assert project.snapshot() == before
    assert project.lock.stat().st_mtime_ns == stamp


def test_a_lock_is_a_function_of_the_project(project: Project, tmp_path: Path) -> None:
    other = Project(tmp_path / "other")
    other.folder.mkdir()
    other.write()
    other.create()
    assert other.snapshot() == project.snapshot()


def test_a_violation_is_not_taken_for_the_new_normal(project: Project) -> None:
    before = project.snapshot()
    project.write(WITHOUT_A_GUARD)
    code, _, document = project.judged("--update")
    assert code == 1
    assert not document["update"]["written"]
    assert document["update"]["held_back"][0]["protocol"] == "lift.py:Lift"
    assert differences(document)["Safe"] == ("proved (k=1)", "violated by a trace of 3 states")
    assert project.snapshot() == before
    assert "--accept lift.py:Lift:Safe" in project.regress("--update").out
    assert project.snapshot() == before


def test_an_update_that_learns_nothing_of_what_it_was_asked_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "decide", undecided)
    found = Project(tmp_path)
    found.write()
    asked = found.regress("--update", "--protocol", f"{found.model}:Lift", "-P", "Safe")
    assert "Safe: not decided; the time limit has passed" in asked.out
    assert asked.code == 3


@pytest.mark.parametrize("options", [[], ["--all-parameters"], ["-P", "Safe"]])
def test_an_update_whose_judge_is_killed_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    def killed(*_: object) -> None:
        os._exit(7)

    for judge in ("judge", "judge_for_all"):
        monkeypatch.setattr(f"bmc.regress.run.{judge}", killed)
    found = Project(tmp_path)
    found.write()
    comment = tmp_path / "m.md"
    options = [*options, "--markdown", str(comment)]
    asked = found.regress("--update", "--protocol", f"{found.model}:Lift", *options)
    said = "Safe: not decided; the process that judged it ended without an answer"
    assert said in asked.out
    assert "ok  " not in asked.out
    told = comment.read_text(encoding="utf-8")
    assert said in told
    assert "✅" not in told
    assert asked.code == 3


def test_an_update_that_is_interrupted_calls_nothing_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bmc.regress.run.in_parallel", stop)
    found = Project(tmp_path)
    found.write()
    asked = ("--update", "--protocol", f"{found.model}:Lift", "--markdown", f"{tmp_path / 'm.md'}")
    told = found.regress(*asked)
    assert (told.code, "ok  " in told.out) == (3, False)
    assert "✅" not in (tmp_path / "m.md").read_text(encoding="utf-8")
    document = found.regress(*asked, "--json").document
    assert (document["green"], document["interrupted"]) == (False, True)
    (model,) = document["models"]
    assert ("Safe", "unknown") in [(p["property"], p["verdict"]) for p in model["properties"]]


@pytest.mark.parametrize(
    ("edits", "options"),
    [
        ([("@invariant(", "@lemma("), ("@witness(", "@lemma(")], []),
        ([("@invariant(", "@lemma(")], ["--all-parameters"]),
    ],
)
def test_a_lock_of_nothing_is_not_made(
    tmp_path: Path, edits: list[tuple[str, str]], options: list[str]
) -> None:
    found = Project(tmp_path)
    found.write(*edits)
    answered = found.regress("--update", "--protocol", f"{found.model}:Lift", *options)
    assert answered.code == 2
    assert "lift.py:Lift states nothing that a lock holds" in answered.err
    assert not found.lock.exists()


@pytest.mark.parametrize("name", ["Safe", "lift.py:Lift", "lift.py:Lift:Safe"])
def test_what_is_accepted_by_name_is_written(project: Project, name: str) -> None:
    project.write(WITHOUT_A_GUARD)
    code, _, document = project.judged("--update", "--accept", name)
    assert code == 0
    assert document["update"]["written"]
    code, found, document = project.judged()
    assert code == 0
    assert found["Safe"]["expected"] == "violated"
    assert not document["models"][0]["changed"]
    project.write()
    assert project.judged()[0] == 1


@pytest.mark.parametrize("name", ["Safe", "lift.py:Lift", "lift.py:Lift:Safe"])
@pytest.mark.parametrize("unasked", ["late", "killed"])
def test_what_nobody_came_to_ask_is_not_taken_over_by_name(
    project: Project, monkeypatch: pytest.MonkeyPatch, name: str, unasked: str
) -> None:
    """An acceptance took the proof of a model that there was no time to read out of the lock."""
    before = project.snapshot()

    def late(*_: object) -> None:
        raise LimitMet("what lift.py:Lift means is unknown: the time limit has passed")

    def killed(*_: object) -> None:
        os._exit(7)

    if unasked == "late":
        monkeypatch.setattr(cases, "_as_it_is", late)
    else:
        monkeypatch.setattr("bmc.regress.run.judge", killed)
    comment = project.folder / "m.md"
    asked = project.regress("--update", "--accept", name, "--markdown", str(comment))
    assert asked.code == 3
    assert "ok  " not in asked.out
    assert "as expected" not in asked.out.replace("not as the lock expects", "")
    assert "lift.py:Lift keeps its old entry; nobody came to ask" in asked.out
    assert "✅" not in comment.read_text(encoding="utf-8")
    comment.unlink()
    assert project.snapshot() == before


def test_what_is_not_decided_leaves_the_lock_by_name_and_is_no_success(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(WITHOUT_A_GUARD)
    monkeypatch.setattr(judging, "decide", undecided)
    code, found, document = project.judged("--update", "--accept", "lift.py:Lift")
    assert code == 3
    assert found["Safe"]["standing"] == "unknown"
    assert differences(document)["Safe"] == ("proved (k=1)", None)
    assert 'name = "Safe"' not in project.lock.read_text()
    assert 'name = "Low"' in project.lock.read_text()


def test_an_acceptance_of_something_else_is_none(project: Project) -> None:
    before = project.snapshot()
    project.write(WITHOUT_A_GUARD)
    assert project.judged("--update", "--accept", "Inside")[0] == 1
    assert project.snapshot() == before


def test_a_property_that_is_gone_leaves_the_lock_only_when_accepted(project: Project) -> None:
    project.write(("def Safe(self, s):", "def Sound(self, s):"))
    assert project.judged("--update")[0] == 3
    assert 'name = "Safe"' in project.lock.read_text()
    assert project.judged("--update", "--accept", "Safe")[0] == 0
    assert 'name = "Safe"' not in project.lock.read_text()
    assert 'name = "Sound"' in project.lock.read_text()
    assert project.judged()[0] == 0


def test_a_protocol_that_is_gone_leaves_the_lock_only_when_accepted(project: Project) -> None:
    project.model.unlink()
    assert project.judged("--update")[0] == 2
    assert "[[model]]" in project.lock.read_text()
    assert project.judged("--update", "--accept", "lift.py:Lift")[0] == 0
    assert "[[model]]" not in project.lock.read_text()
    assert not project.evidence.exists()
    assert project.regress().code == 0


def test_a_green_change_is_written(project: Project) -> None:
    project.write(("s.require(s.opened)", "s.require(s.opened, ~s.moving)"))
    code, _, document = project.judged("--update")
    assert code == 0
    assert document["update"]["written"]
    code, found, document = project.judged()
    assert {p["standing"] for p in found.values()} == {"kept"}
    assert not document["models"][0]["changed"]
    assert {f.name for f in project.evidence.iterdir()} == {
        project.file_of(name).name for name in found
    }


def test_one_model_that_got_worse_holds_no_other_back(project: Project) -> None:
    (project.folder / "hoist.py").write_text(SECOND)
    project.write(WITHOUT_A_GUARD)
    hoist = str(project.folder / "hoist.py:Hoist")
    assert project.regress("--update", "--protocol", hoist, "-p", "top=2").code == 0
    answered = project.regress("--update", "--json")
    assert answered.code == 1
    names = [m["protocol"] for m in answered.document["models"]]
    assert names == ["hoist.py:Hoist", "lift.py:Lift"]
    assert project.regress("--protocol", hoist).code == 0


def test_parameters_make_another_entry(project: Project) -> None:
    lift = f"{project.model}:Lift"
    assert project.regress("--update", "--protocol", lift, "-p", "top=5").code == 0
    document = project.regress("--json").document
    assert [m["parameters"] for m in document["models"]] == [{"top": 3}, {"top": 5}]
    document = project.regress("--json", "--protocol", lift, "-p", "top=5").document
    assert [m["parameters"] for m in document["models"]] == [{"top": 5}]


@pytest.mark.parametrize(
    "first", [("-P", "Safe"), ("-p", "top=2", "-P", "Safe"), ("--all-parameters",)]
)
def test_a_protocol_is_locked_whole_beside_a_part_of_it(
    tmp_path: Path, first: tuple[str, ...]
) -> None:
    """What is locked claim by claim, or at all parameters, does not stand for the rest."""
    project = Project(tmp_path)
    project.write()
    lift = f"{project.model}:Lift"
    project.regress("--update", lift, *first)
    (part,) = LockFolder(project.lock).read().lock.models
    assert part.for_all or part.named
    assert project.regress("--update", lift).code == 0
    whole = [
        (m.parameters, {p.name for p in m.properties})
        for m in LockFolder(project.lock).read().lock.models
        if not m.for_all and not m.named
    ]
    assert whole == [({"top": 3}, {"Safe", "Inside", "Low", "OpenUpstairs"})]


def test_a_new_lock_takes_up_the_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bmc.cli.shared import catalogue

    monkeypatch.setattr(catalogue, "_packages", lambda: ("id_sequence",))
    lock = tmp_path / "our.lock"
    assert bmc("regress", "--baseline", str(lock), "--update", "--jobs", "1").code == 0
    assert (tmp_path / "our.lock.d").is_dir()
    monkeypatch.setattr(catalogue, "_packages", lambda: ("id_sequence", "replicated_log"))
    answered = bmc("regress", "--baseline", str(lock), "--jobs", "2", "--json")
    assert answered.code == 0
    assert answered.document["unlocked"] == ["replicated-log", "replicated-log-retention"]
    assert bmc("regress", "--baseline", str(lock), "--update", "--jobs", "2").code == 0
    document = bmc("regress", "--baseline", str(lock), "--jobs", "2", "--json").document
    assert document["unlocked"] == []
    assert [m["protocol"] for m in document["models"]] == [
        "id-sequence",
        "replicated-log",
        "replicated-log-retention",
    ]


def test_an_announced_protocol_is_locked_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bmc.cli.shared import catalogue

    target = "bmc.properties.id_sequence:ID_SEQUENCE"
    monkeypatch.setattr(catalogue, "_announced", lambda: {"their-sequence": target})
    project = Project(tmp_path)
    assert project.regress("--update", "--protocol", "their-sequence").code == 0
    assert 'protocol = "their-sequence"' in project.lock.read_text()
    document = project.regress("--json").document
    assert document["green"]
    assert document["unlocked"] == []
    monkeypatch.setattr(catalogue, "_announced", dict)
    answered = project.regress("--json")
    assert answered.code == 2
    (model,) = answered.document["models"]
    assert "there is no protocol 'their-sequence'" in model["properties"][0]["reason"]


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def test_branches_that_add_different_models_merge(project: Project) -> None:
    folder, lift = project.folder, f"{project.model}:Lift"
    (folder / ".gitignore").write_text("__pycache__\n")
    git(folder, "init", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "a lock")
    for branch, top in (("lower", 1), ("higher", 7)):
        git(folder, "checkout", "-b", branch, "main")
        assert project.regress("--update", "--protocol", lift, "-p", f"top={top}").code == 0
        git(folder, "add", ".")
        git(folder, "commit", "-m", branch)
    git(folder, "merge", "lower")
    document = project.regress("--json").document
    assert [m["parameters"]["top"] for m in document["models"]] == [1, 3, 7]
    assert document["green"]


def test_two_updates_at_once(project: Project) -> None:
    with exclusive(LockFolder(project.lock)):
        answered = project.regress("--update", "--json")
        assert project.regress().code == 0
    assert answered.code == 2
    assert "another update" in answered.document["error"]["message"]
    assert project.regress("--update").code == 0


def test_a_folder_that_another_update_removes_meanwhile_holds_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An update that stores nothing removes its folder while the next one waits to hold it."""
    folder = LockFolder(tmp_path / "bmc.lock")
    hold, opened = fcntl.flock, os.open
    moments = {"open": lambda: folder.evidence.rmdir(), "hold": lambda: folder.evidence.rmdir()}

    def opening(path: Any, flags: int) -> int:
        moments.pop("open", lambda: None)()
        return opened(path, flags)

    def holding(held: int, how: int) -> None:
        moments.pop("hold", lambda: None)()
        hold(held, how)

    monkeypatch.setattr("bmc.regress.exclusive.os.open", opening)
    monkeypatch.setattr("bmc.regress.exclusive.fcntl.flock", holding)
    with exclusive(folder):
        assert not moments
        with pytest.raises(LockBusy), exclusive(folder):
            pass
    assert not folder.evidence.exists()


def started(project: Project, *options: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "bmc.cli.main", "regress", "--baseline", str(project.lock)]
    return subprocess.Popen(
        [*command, "--update", "--jobs", "2", *options],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=project.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_processes_that_update_at_once_lose_nothing(project: Project) -> None:
    lift = f"{project.model}:Lift"
    many = [started(project, "--protocol", lift, "-p", f"top={top}") for top in (2, 4, 5)]
    codes = [process.communicate(timeout=120) and process.returncode for process in many]
    assert set(codes) <= {0, 2}
    assert 0 in codes
    document = project.regress("--json").document
    assert document["green"]
    written = [top for top, code in zip((2, 4, 5), codes, strict=True) if code == 0]
    assert sorted(m["parameters"]["top"] for m in document["models"]) == sorted([3, *written])
