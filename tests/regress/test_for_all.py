"""What is locked at all parameter values: kept, carried over, proved again, or told as unknown."""

import tomllib
from pathlib import Path

import pytest

from tests.regress.project import WITHOUT_A_GUARD, Project

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("regress for all")

HARMLESS = ("s.require(s.opened)", "s.require(s.opened, ~s.moving)")
WITHOUT_THE_LEMMA = (
    """    @lemma("a closed door or no motion", "control")
    def closed_or_still(self, s):
        return ~s.opened | ~s.moving

""",
    "",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A lock with nothing but claims at all parameter values, to be copied."""
    found = Project(tmp_path_factory.mktemp("project"))
    found.write()
    protocol = f"{found.model}:Lift"
    answered = found.regress("--update", "--protocol", protocol, "--all-parameters")
    # Low is false, so it stays open: that is not as good as locked.
    assert answered.code == 3, answered.err
    assert "Low" in answered.out
    return found


@pytest.fixture
def lift(made: Project, tmp_path: Path) -> Project:
    found = Project(tmp_path)
    found.write()
    found.lock.write_text(made.lock.read_text())
    found.evidence.mkdir()
    for file in made.evidence.iterdir():
        (found.evidence / file.name).write_text(file.read_text())
    return found


def standings(project: Project, *options: str) -> tuple[int, dict[str, str]]:
    code, found, document = project.judged(*options)
    (model,) = document["models"]
    assert model["all_parameters"]
    assert model["parameters"] == {}
    return code, {name: p["standing"] for name, p in found.items()}


def test_what_can_be_proved_is_locked_and_kept(lift: Project) -> None:
    (block,) = tomllib.loads(lift.lock.read_text())["model"]
    assert block["parameters"] == "all"
    # Low is false, and left out.
    assert [p["name"] for p in block["property"]] == ["Inside", "Safe"]
    assert standings(lift) == (0, {"Inside": "kept", "Safe": "kept"})
    before = lift.snapshot()
    assert lift.regress("--update").code == 0
    assert lift.snapshot() == before


def test_the_old_proof_is_tried_on_a_changed_model(lift: Project) -> None:
    lift.write(HARMLESS)
    assert standings(lift) == (0, {"Inside": "carried over", "Safe": "carried over"})
    assert lift.regress("--update").code == 0
    assert standings(lift) == (0, {"Inside": "kept", "Safe": "kept"})


def test_another_least_value_is_no_other_order(lift: Project) -> None:
    lift.write(('Parameter("top", 3, 1, 9', 'Parameter("top", 3, 2, 9'))
    _, _, document = lift.judged()
    changes = document["models"][0]["changed"]
    assert [f"{c['kind']} {c['name']}" for c in changes] == ["parameter top"]


def test_without_its_lemma_it_is_proved_again(lift: Project) -> None:
    lift.write(WITHOUT_THE_LEMMA)
    code, found = standings(lift)
    assert code == 0
    assert found["Safe"] == "decided again"


def test_what_is_not_proved_any_more_is_unknown_and_says_what_changed(lift: Project) -> None:
    lift.write(WITHOUT_A_GUARD)
    before = lift.snapshot()
    code, found, document = lift.judged()
    assert code == 3
    assert found["Safe"]["standing"] == "unknown"
    assert "the old proof fails" in found["Safe"]["reason"]
    assert "counterexample to induction" in found["Safe"]["reason"]
    assert found["Inside"]["green"]
    changes = document["models"][0]["changed"]
    assert [f"{c['kind']} {c['name']}" for c in changes] == ["action Start"]
    assert lift.regress("--update").code == 3
    assert lift.snapshot() == before


def test_it_is_told_in_every_report(lift: Project) -> None:
    lift.write(WITHOUT_A_GUARD)
    junit, markdown = lift.folder / "j.xml", lift.folder / "m.md"
    files = ("--junit", str(junit), "--markdown", str(markdown))
    said = lift.regress(*files, "--annotations", "github").out
    assert "::" in said
    for text in (said, junit.read_text(), markdown.read_text()):
        assert "at all parameter values" in text
        assert "Safe" in text


@pytest.mark.parametrize("fault", ["missing", "edited", "other"])
def test_evidence_that_is_not_what_the_lock_means(lift: Project, fault: str) -> None:
    file = lift.file_of("Safe")
    match fault:
        case "missing":
            file.unlink()
        case "edited":
            file.write_text(file.read_text().replace("Safe", "Unsafe"))
        case _:
            file.write_text("{}")
    code, found, _ = lift.judged()
    assert code == 2
    assert found["Safe"]["standing"] == "unusable"
    reason = found["Safe"]["reason"]
    assert file.name in reason
    assert "restore it from version control" in reason
    assert lift.regress("--update").code == 0
    assert lift.regress().code == 0


def test_from_scratch_it_is_proved_again(lift: Project) -> None:
    found = standings(lift, "--from-scratch")
    assert found == (0, {"Inside": "decided again", "Safe": "decided again"})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--all-parameters"], "name it with --protocol"),
        (["--all-parameters", "--protocol", "id-sequence", "-p", "max_id=2"], "leave -p out"),
    ],
)
def test_options(lift: Project, options: list[str], said: str) -> None:
    answered = lift.regress("--json", *options)
    assert answered.code == 2
    assert said in answered.document["error"]["message"]
