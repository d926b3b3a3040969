"""What a lock has to say reaches JUnit's readers, GitHub's lines and a pull request's comment."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bmc.reports.regression.markdown import LONGEST
from tests.cli.running import schema_validator
from tests.regress.project import WITHOUT_A_GUARD, Project


@pytest.fixture
def broken(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose lift moves with its door open; bmc runs at its root."""
    project.write(WITHOUT_A_GUARD)
    monkeypatch.chdir(project.folder)
    return project


def test_junit(broken: Project, tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    assert broken.regress("--junit", str(file)).code == 1
    root = ElementTree.parse(file).getroot()
    assert root.attrib | {"time": ""} == {
        "name": f"bmc regress {broken.lock}",
        "tests": "4",
        "failures": "1",
        "errors": "0",
        "time": "",
    }
    cases = {case.attrib["name"]: case for case in root.iter("testcase")}
    failure = cases["Safe"].find("failure")
    assert failure is not None
    assert failure.attrib["type"] == "violated"
    assert "action Start changed" in failure.attrib["message"]
    assert "2  Start" in (failure.text or "")
    assert cases["Safe"].attrib["file"] == "lift.py"
    assert cases["Inside"].find("failure") is None


def test_what_nobody_can_say_is_an_error_for_junit(broken: Project, tmp_path: Path) -> None:
    broken.model.unlink()
    file = tmp_path / "junit.xml"
    assert broken.regress("--junit", str(file)).code == 2
    root = ElementTree.parse(file).getroot()
    assert root.attrib["errors"] == "4"
    assert {error.attrib["type"] for error in root.iter("error")} == {"unusable"}


@pytest.mark.parametrize("as_json", [True, False])
def test_annotations_stand_at_the_property_and_at_the_action(
    broken: Project, as_json: bool
) -> None:
    answered = broken.regress("--annotations", "github", *(["--json"] if as_json else []))
    text = answered.err if as_json else answered.out
    if as_json:
        assert answered.document["green"] is False
    commands = [line for line in text.splitlines() if line.startswith("::")]
    lines = broken.model.read_text().splitlines()
    found = [re.match(r"::(\w+) file=([^,]*),line=(\d+),title=[^:,]*::(.*)", c) for c in commands]
    places = {(m[1], m[2], lines[int(m[3])].strip()) for m in found if m}
    assert places == {
        ("error", "lift.py", "def Safe(self, s):"),
        ("warning", "lift.py", "def Start(self, s):"),
    }
    assert "Safe was proved, is violated by a trace of 3 states" in commands[0]
    assert "initially → Open → Start" in commands[0]


def test_markdown_fits_a_comment(broken: Project, tmp_path: Path) -> None:
    file = tmp_path / "comment.md"
    broken.regress("--markdown", str(file))
    text = file.read_text(encoding="utf-8")
    assert text.startswith("### ❌ bmc regress: 1 not as")
    assert "| `Safe` | proved | **violated**, 3 states |" in text
    assert "Changed since the lock" in text
    assert "action Start changed (lift.py:" in text
    assert len(text) < LONGEST
    broken.write()
    broken.regress("--markdown", str(file))
    assert file.read_text(encoding="utf-8").startswith(
        "### ✅ bmc regress: 4 properties in 1 model"
    )


def test_every_property_is_told_when_asked(project: Project) -> None:
    said = project.regress("--verbose").out
    for name in ("Safe", "Inside", "Low", "OpenUpstairs"):
        assert f"{name}: was" in said


def test_the_order_is_always_the_same(project: Project) -> None:
    def order(*options: str) -> list[str]:
        return [
            p["property"]
            for m in project.regress("--json", *options).document["models"]
            for p in m["properties"]
        ]

    assert order() == order("--jobs", "4") == sorted(order())


def test_each_model_is_a_line_once_it_is_judged(broken: Project) -> None:
    lines = broken.regress("--json-lines").out.splitlines()
    told, whole = (json.loads(line) for line in lines)
    for document in (told, whole):
        schema_validator().validate(document)
    assert told["event"] == "judged"
    assert [told["model"]] == whole["models"]
