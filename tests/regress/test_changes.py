"""What a change of the model does to what the lock expects, and how it is told."""

import shutil
from pathlib import Path
from time import monotonic

import pytest

from bmc.cli.shared.catalogue import NamesCode
from bmc.cli.shared.locked_protocols import LockedProtocols
from bmc.running import interruption
from tests.regress.project import WITHOUT_A_GUARD, Project

OPEN_BELOW = "s.require(~s.opened, ~s.moving, s.floor == 0)\n        s.opened"
NO_START = """    def Constraint(self, s):
        return s.floor < 3 - self.top

    @action()
    def Open"""
UNCHANGED = {"Safe": "proved", "Inside": "proved", "Low": "violated", "OpenUpstairs": "reached"}


def changed(document: dict[str, list[dict[str, list[dict[str, str]]]]]) -> list[str]:
    return [f"{c['kind']} {c['name']} {c['how']}" for c in document["models"][0]["changed"]]


def test_an_unchanged_model_is_green_by_its_evidence(project: Project) -> None:
    code, found, document = project.judged()
    assert code == 0
    assert document["green"]
    assert {name: p["expected"] for name, p in found.items()} == UNCHANGED
    assert {p["standing"] for p in found.values()} == {"kept"}
    assert found["Safe"]["engine"].startswith("bitwuzla")
    assert not changed(document)


def test_a_change_is_told_once_and_not_at_each_choice_of_parameters(project: Project) -> None:
    model = f"{project.model}:Lift"
    assert project.regress("--update", "--protocol", model, "-p", "top=2").code == 0
    project.write(("s.require(s.opened)", "s.require(s.opened, ~s.moving)"))
    answered = project.regress()
    assert answered.code == 0
    assert answered.out.count("action Close changed") == 1
    assert answered.out.count("  ok    lift.py:Lift") == 2


def test_it_means_the_same_from_everywhere(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert 'protocol = "lift.py:Lift"' in project.lock.read_text()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert project.regress().code == 0
    moved = Project(tmp_path / "moved")
    moved.folder.mkdir()
    for source in (project.model, project.lock):
        shutil.copy(source, moved.folder)
    shutil.copytree(project.evidence, moved.evidence)
    assert moved.regress().code == 0


def test_a_lock_holds_a_protocol_with_faults(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name is taken as by every other command; who names it lets its file be run."""
    name = f"{project.model.name}:Lift~Open.guard1.dropped~Start.guard1.dropped"
    monkeypatch.chdir(project.folder)
    assert LockedProtocols(project.folder).find(name).name == name
    monkeypatch.chdir(project.folder.parent)
    with pytest.raises(NamesCode):
        LockedProtocols(project.folder).find(name)
    given = str(project.folder / name)
    assert LockedProtocols(project.folder, [given]).find(name).name == name


def test_what_is_no_change_is_none(project: Project) -> None:
    project.write(('"""Up and down between floors."""', '"""Hoch und runter."""'))
    code, found, document = project.judged()
    assert code == 0
    assert {p["standing"] for p in found.values()} == {"kept"}
    assert not changed(document)


def test_a_harmless_change_is_carried_over(project: Project) -> None:
    project.write(("s.require(s.opened)", "s.require(s.opened, ~s.moving)"))
    code, found, document = project.judged()
    assert code == 0
    assert {p["standing"] for p in found.values()} == {"carried over"}
    assert changed(document) == ["action Close changed"]
    assert "brings the lock up to date" in project.regress().out


def test_a_lost_guard_is_named_with_the_invariant_and_the_shortest_trace(project: Project) -> None:
    project.write(WITHOUT_A_GUARD)
    code, found, document = project.judged()
    assert code == 1
    safe = found["Safe"]
    assert safe["standing"] == "violated"
    assert [step["action"] for step in safe["trace"]] == [None, "Open", "Start"]
    assert changed(document) == ["action Start changed"]
    assert document["models"][0]["changed"][0]["line"] == 1 + line_of("def Start") - 1
    assert found["Inside"]["green"]
    assert found["Low"]["standing"] == "carried over"
    said = project.regress().out
    assert "Safe: was proved, is violated by a trace of 3 states" in said
    assert "action Start changed" in said
    assert "step 2 is Start, which was changed" in said
    project.write()
    assert project.judged()[0] == 0


def line_of(words: str) -> int:
    """The line of the decorator before the line with these words."""
    from tests.regress.project import MODEL

    lines = MODEL.splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line) - 1


def test_an_expected_violation_that_vanishes_is_suspicious(project: Project) -> None:
    project.write(("s.floor < self.top)\n", "s.floor < 1)\n"))
    code, found, _ = project.judged()
    assert code == 1
    assert found["Low"]["standing"] == "holds now"
    assert "holds now" in project.regress().out


def test_a_witness_that_is_lost_is_suspicious(project: Project) -> None:
    project.write(
        ("s.require(~s.opened, ~s.moving)\n        s.opened", OPEN_BELOW),
    )
    code, found, _ = project.judged()
    assert code == 1
    assert found["OpenUpstairs"]["standing"] == "holds now"
    assert "never reached any more" in found["OpenUpstairs"]["said"]
    assert found["Safe"]["green"]


def test_a_longer_trace_is_no_longer_what_was_expected(project: Project) -> None:
    project.write(
        (
            "s.require(s.moving, s.floor < self.top)",
            "s.require(s.moving, s.opened, s.floor < self.top)",
        ),
        (
            "s.require(~s.opened, ~s.moving)\n        s.opened",
            "s.require(~s.opened)\n        s.opened",
        ),
        ("return ~(s.opened & s.moving)", "return s.floor >= 0"),
        ("return ~s.opened | ~s.moving", "return s.floor >= 0"),
    )
    code, found, _ = project.judged()
    assert code == 1
    assert found["Low"]["standing"] == "longer trace"
    assert len(found["Low"]["trace"]) > found["Low"]["expected_trace_length"]


def test_another_trace_of_the_same_length_will_do(project: Project) -> None:
    project.write(
        ("def Up(self, s):", "def Rise(self, s):"),
        ("Start, Up, Down", "Start, Rise, Down"),
        ("floor = Variable(Floor)", "floor = Variable(Floor)\n    unused = Variable(BOOL)"),
        (
            "s.floor, s.opened, s.moving = 0",
            "s.unused = False\n        s.floor, s.opened, s.moving = 0",
        ),
    )
    code, found, document = project.judged()
    assert code == 0
    assert found["Low"]["standing"] == "decided again"
    assert found["Safe"]["standing"] == "carried over"
    assert set(changed(document)) >= {
        "action Up removed",
        "action Rise added",
        "variable unused added",
        "initial state Init changed",
    }


def test_what_cannot_be_decided_is_unknown_and_says_what_changed(project: Project) -> None:
    project.write(WITHOUT_A_GUARD)
    code, found, document = project.judged("--timeout", "0.000001")
    assert code in (1, 3)
    if code == 3:
        assert found["Safe"]["standing"] == "unknown"
    unread = "means is unknown" in found["Safe"]["reason"]
    assert changed(document) == ([] if unread else ["action Start changed"])


def test_what_cannot_even_be_read_in_time_is_unknown(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interruption, "_SECONDS_BETWEEN_LOOKS", 0.0001)
    code, found, _ = project.judged("--timeout", "0.000001")
    assert code == 3
    assert {one["standing"] for one in found.values()} == {"unknown"}
    assert "the time limit has passed" in found["Safe"]["reason"]


def test_the_limit_holds_while_a_model_is_made_of_what_was_read(project: Project) -> None:
    """The file was run within the limit; its methods were called for as long as they took."""
    project.write(
        ("class Lift(Protocol):", "import time\n\n\nclass Lift(Protocol):"),
        ("    def Init(self, s):\n", "    def Init(self, s):\n        time.sleep(8)\n"),
    )
    started = monotonic()
    code, found, _ = project.judged("--timeout", "1")
    assert monotonic() - started < 8
    assert code == 3
    assert "means is unknown: the time limit has passed" in found["Safe"]["reason"]


def test_a_property_that_is_gone(project: Project) -> None:
    project.write(("def Safe(self, s):", "def Sound(self, s):"))
    code, found, document = project.judged()
    assert code == 3
    assert found["Safe"]["standing"] == "gone"
    assert {"invariant Safe removed", "invariant Sound added"} <= set(changed(document))
    assert document["models"][0]["unlocked"] == ["Sound"]


def test_a_statement_that_changes_is_named(project: Project) -> None:
    project.write(
        ("return ~(s.opened & s.moving)", "return ~(s.opened & s.moving) | (s.floor == 9)")
    )
    code, found, document = project.judged()
    assert code == 0
    assert found["Safe"]["standing"] == "carried over"
    assert changed(document) == ["invariant Safe changed"]


def test_parameters_that_come_and_go(project: Project) -> None:
    project.write(
        ('Parameter("top"', 'Parameter("height"'),
    )
    code, found, document = project.judged()
    assert code == 0, document
    assert set(changed(document)) >= {"parameter top removed", "parameter height added"}
    assert found["Safe"]["standing"] in ("carried over", "decided again")


def test_a_range_that_excludes_the_lock_s_parameters(project: Project) -> None:
    project.write(('"top", 3, 1, 9', '"top", 5, 4, 9'))
    code, found, _ = project.judged()
    assert code == 2
    assert {p["standing"] for p in found.values()} == {"unusable"}
    assert "top must be between 4 and 9, you gave 3" in found["Safe"]["reason"]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (("s.moving = True", "s.moving = s.movng"), "did you mean moving"),
        (("class Lift(", "class Elevator("), "has no 'Lift'"),
    ],
)
def test_a_model_that_cannot_be_had(project: Project, edit: tuple[str, str], said: str) -> None:
    project.write(edit)
    code, found, _ = project.judged()
    assert code == 2
    assert said in found["Safe"]["reason"]


@pytest.mark.parametrize(
    ("edit", "said", "options"),
    [
        (("    @action()\n    def Open", NO_START), "Init and the state constraint", ("--update",)),
        (("    @action()\n    def Open", NO_START), "no state satisfies Init", ()),
        (("s.moving = 0,", "s.moving = 2 - self.top,"), "Init gives", ("--from-scratch",)),
        (("0, top)", "0, 8 - 3 * top)"), "variable floor has no value", ()),
    ],
)
def test_a_protocol_that_is_no_model_at_locked_parameters_costs_these_alone(
    project: Project, edit: tuple[str, str], said: str, options: tuple[str, ...]
) -> None:
    """The verdicts of all other models were lost with it, and every report."""
    model = f"{project.model}:Lift"
    assert project.regress("--update", "--protocol", model, "-p", "top=2").code == 0
    project.write(edit)
    before = project.snapshot()["bmc.lock"]
    junit = project.folder / "junit.xml"
    answered = project.regress("--json", "--junit", str(junit), *options)
    models = {m["parameters"]["top"]: m["properties"] for m in answered.document["models"]}
    assert answered.code == 2
    assert {p["standing"] for p in models[3]} == {"unusable"}
    assert all(said in p["reason"] for p in models[3])
    assert not {p["standing"] for p in models[2]} & {"unusable", "unknown"}
    assert "unusable" in junit.read_text(encoding="utf-8")
    kept = before[before.index("parameters = { top = 3 }") :]
    assert kept in project.snapshot()["bmc.lock"]


def test_from_scratch_believes_nothing(project: Project) -> None:
    shutil.rmtree(project.evidence)
    assert project.regress().code == 2
    code, found, _ = project.judged("--from-scratch")
    assert code == 0
    assert {p["standing"] for p in found.values()} == {"decided again"}
