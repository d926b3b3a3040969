"""What was decided by looking at every state, and what nobody could decide, is locked as that."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared import catalogue
from bmc.evidence.exploration_certificate import ExplorationCertificate
from bmc.lang.properties import Kind
from bmc.regress import deciding, rechecking
from bmc.regress.lock import Expected
from bmc.regress.notation import lock_of, text_of
from bmc.regress.witnesses import with_witnesses_denied
from tests.regress.project import Project

COUNTER = '''
from bmc.lang import *


class Rounds(Protocol):
    """Two counters, of which the second follows the first."""

    last = Parameter("last", 6, 2, 60, "where the first two end")
    Count = Integer("Count", 0, last)
    first = Variable(Count)
    second = Variable(Count)
    done = Variable(BOOL)

    @action()
    def Init(self, s):
        s.first, s.second, s.done = 0, 0, False

    @action()
    def First(self, s):
        s.require(s.first < self.last)
        s.first = s.first + 1

    @action()
    def Second(self, s):
        s.require(s.second < s.first)
        s.second = s.second + 1

    @action()
    def Finish(self, s):
        s.require(s.second == self.last, s.first == self.last)
        s.done = True

    Next = one_of(First, Second, Finish)

    @invariant("no induction alone shows it: that the second is never ahead is not assumed")
    def NotAhead(self, s):
        return implies(s.first == 1, s.second <= 1)

    @invariant("the second ends: false, and deep")
    def Unfinished(self, s):
        return ~s.done

    @witness("the second overtakes the first, which never happens")
    def Overtaken(self, s):
        return s.second > s.first
'''


class Rounds(Project):
    """A project of which a claim is decided by exploration only."""

    @property
    def model(self) -> Path:
        return self.folder / "rounds.py"

    def write(self, *edits: tuple[str, str]) -> None:
        text = COUNTER
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        self.model.write_text(text, encoding="utf-8")

    def add(self, *options: str) -> None:
        made = self.regress("--update", "--protocol", f"{self.model}:Rounds", *options)
        assert made.code == 0, made.err


@pytest.fixture(scope="module")
def finished_rounds(tmp_path_factory: pytest.TempPathFactory) -> Rounds:
    """A project with its lock, to be copied and left alone."""
    found = Rounds(tmp_path_factory.mktemp("rounds"))
    found.write()
    found.add()
    return found


@pytest.fixture
def rounds(finished_rounds: Rounds, tmp_path: Path) -> Rounds:
    finished_rounds.copy(tmp_path)
    return Rounds(tmp_path)


def lines(project: Project) -> dict[str, dict[str, Any]]:
    import tomllib

    (model,) = tomllib.loads(project.lock.read_text(encoding="utf-8"))["model"]
    return {p["name"]: p for p in model["property"]}


def test_a_complete_exploration_is_locked_with_its_counts(rounds: Rounds) -> None:
    locked = lines(rounds)
    assert locked["NotAhead"]["expected"] == "proved"
    assert locked["NotAhead"]["engine"] == "explicit"
    assert locked["Overtaken"]["expected"] == "unreached"
    assert locked["Unfinished"]["expected"] == "violated"
    record = ExplorationCertificate.read(rounds.file_of("NotAhead").read_text(), "it")
    # Pairs second <= first, and the state after Finish.
    assert record.distinct_states == 29 == locked["NotAhead"]["distinct_states"]
    assert set(record.holds) == {"NotAhead", "Overtaken"}
    assert rounds.file_of("NotAhead") == rounds.file_of("Overtaken")


def test_a_witness_may_be_explained_away() -> None:
    """Protocols say why a witness is not reached; to deny it takes it out of what they explain."""
    suites = [catalogue.find(name) for name in catalogue.built_in()]
    explained = [suite for suite in suites if suite.explained]
    assert explained
    for suite in explained:
        denying = with_witnesses_denied(suite)
        assert not denying.declared(Kind.WITNESS)
        assert {d.name for d in denying.properties} == {d.name for d in suite.properties}


def test_a_witness_is_denied_with_its_arguments_as_python_has_them(tmp_path: Path) -> None:
    """Those behind `*` ended every update of the lock as an internal failure."""
    path = tmp_path / "rounds.py"
    path.write_text(
        COUNTER
        + "    @witness('one', n=Count)\n    def One(self, s, *, n):\n        return s.first == n\n"
    )
    denying = with_witnesses_denied(catalogue.find(f"{path}:Rounds"))
    denied = denying.describe(denying.find("One"), denying.model(ghosts=True))
    assert str(denied.body) == "first # n"


def test_few_states_are_explored_again(rounds: Rounds) -> None:
    code, found, _ = rounds.judged()
    assert code == 0
    assert {p["standing"] for p in found.values()} == {"kept"}
    assert found["NotAhead"]["expected_distinct_states"] == 29
    assert found["NotAhead"]["distinct_states"] == 29
    assert "1 proved, 1 violated, 1 never reached" in rounds.regress().out


def test_many_states_are_believed_and_that_is_said(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(rechecking, "CHEAP", 28)
    code, found, _ = rounds.judged()
    assert code == 0
    assert found["NotAhead"]["standing"] == found["Overtaken"]["standing"] == "not re-checked"
    assert found["Unfinished"]["standing"] == "kept"
    comment, junit = tmp_path / "comment.md", tmp_path / "junit.xml"
    answered = rounds.regress("--verbose", "--markdown", str(comment), "--junit", str(junit))
    assert "2 not re-checked" in answered.out
    assert "2 of them not re-checked, as their models are unchanged" in answered.out
    assert "2 of them not re-checked" in comment.read_text()
    assert junit.read_text().count("<skipped") == 2
    before = rounds.snapshot()
    assert rounds.regress("--update").code == 0
    assert rounds.snapshot() == before
    code, found, _ = rounds.judged("--from-scratch")
    assert code == 0
    assert {p["standing"] for p in found.values()} == {"decided again"}


def forged(rounds: Rounds, name: str, **more: Any) -> None:
    """Make the lock say something else of one property, under a seal of its own."""
    lock = lock_of(rounds.lock.read_text(), "bmc.lock")
    (model,) = lock.models
    properties = tuple(replace(p, **more) if p.name == name else p for p in model.properties)
    rounds.lock.write_text(text_of(replace(lock, models=(replace(model, properties=properties),))))


@pytest.mark.parametrize(
    ("cheap", "levels"),
    [
        pytest.param(100_000, [1, 200_005], id="many states"),
        pytest.param(10, [1, 1, 2, 1, 200_000], id="another level among the first"),
        pytest.param(28, [1, 1, 200_027], id="fewer levels"),
    ],
)
def test_an_exploration_that_nobody_made_is_found_out(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch, cheap: int, levels: list[int]
) -> None:
    from tests.regress.test_faults import reseal

    monkeypatch.setattr(rechecking, "CHEAP", cheap)
    counted = {"levels": levels, "distinct_states": sum(levels)}
    reseal(rounds, "NotAhead", lambda d: d.update(counted))
    for name in ("NotAhead", "Overtaken"):
        forged(rounds, name, distinct_states=sum(levels))
    code, found, _ = rounds.judged()
    assert code == 2
    assert {found[name]["standing"] for name in ("NotAhead", "Overtaken")} == {"unusable"}
    assert "other states" in found["NotAhead"]["reason"]


def test_an_unknown_in_the_place_of_a_verdict_is_decided(rounds: Rounds) -> None:
    nothing = {"evidence": None, "trace_length": None, "distinct_states": None, "depth": 3}
    for name in ("NotAhead", "Unfinished"):
        forged(rounds, name, expected=Expected.UNKNOWN, engine="bounded", **nothing)
    code, found, _ = rounds.judged()
    assert code == 1
    assert found["Unfinished"]["standing"] == "violated"
    assert len(found["Unfinished"]["trace"]) == 14
    assert found["NotAhead"]["standing"] == "decided now"


def test_a_changed_model_is_explored_however_many_states_it_had(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rechecking, "CHEAP", 0)
    rounds.write(("s.require(s.second < s.first)", "s.require(s.second < self.last)"))
    code, found, document = rounds.judged()
    assert code == 1
    assert found["NotAhead"]["standing"] == "violated"
    assert len(found["NotAhead"]["trace"]) == 4
    assert found["Overtaken"]["standing"] == "decided now"
    assert [c["name"] for c in document["models"][0]["changed"]] == ["Second"]
    rounds.write(("s.require(s.first < self.last)", "s.require(s.first < self.last, ~s.done)"))
    code, found, _ = rounds.judged()
    assert code == 0
    assert found["NotAhead"]["standing"] == "decided again"
    assert rounds.judged("--update")[0] == 0


def test_a_witness_that_is_reached_at_last_is_no_failure(rounds: Rounds) -> None:
    rounds.write(("return s.second > s.first", "return s.second == s.first"))
    code, found, _ = rounds.judged()
    assert code == 0
    assert found["Overtaken"]["standing"] == "decided now"
    assert rounds.judged("--update")[0] == 0
    assert lines(rounds)["Overtaken"]["expected"] == "reached"
    rounds.write()
    code, found, _ = rounds.judged()
    assert code == 1
    assert found["Overtaken"]["standing"] == "holds now"


def test_where_a_witness_has_no_value_it_is_not_reached(rounds: Rounds) -> None:
    """Its absence has no value there either: it was locked as reached in the initial state."""
    rounds.write(("return s.second > s.first", "return s.first // s.second > 6"))
    code, found, _ = rounds.judged()
    assert code == 0
    assert found["Overtaken"]["verdict"] == "unreached"
    rounds.write(("return s.second > s.first", "return s.first // s.second > 5"))
    assert rounds.judged("--update")[0] == 0
    assert lines(rounds)["Overtaken"]["trace_length"] == 8
    assert rounds.judged()[0] == 0


def test_the_trace_of_a_witness_is_none_of_a_claim(rounds: Rounds) -> None:
    """A witness that became a violated claim was as expected: its trace was one of the claim."""
    claim = '@invariant("the second ends: false, and deep")'
    witness = [(claim, '@witness("the end")'), ("return ~s.done", "return s.done")]
    rounds.write(*witness)
    code, found, _ = rounds.judged()
    assert code == 1
    assert found["Unfinished"]["verdict"] == "reached"
    assert found["Unfinished"]["standing"] == "holds now"
    assert rounds.judged("--update", "--accept", "Unfinished")[0] == 0
    assert rounds.judged()[0] == 0
    rounds.write()
    code, found, _ = rounds.judged()
    assert code == 1
    assert found["Unfinished"]["standing"] == "violated"
    assert "it was a witness, and is a claim now" in found["Unfinished"]["reason"]


@pytest.mark.parametrize(
    ("alter", "said"),
    [
        (lambda d: d.update(fingerprint="0" * 64), "exploration of another model"),
        (lambda d: d["parameters"].update(last=5), "exploration of another model"),
        (lambda d: d.update(protocol="id-sequence"), "exploration of another model"),
        (lambda d: d["holds"].pop("NotAhead"), "does not tell of NotAhead"),
        (lambda d: d["holds"].update(NotAhead="0"), "does not tell of NotAhead"),
        (lambda d: d.update(levels=[29]), "other states"),
        (lambda d: d.update(generated_states=1), "other states"),
        (lambda d: d.update(levels=[28]), "do not add up"),
        (lambda d: d.update(levels=[27], distinct_states=27), "and the lock says"),
        (lambda d: d.pop("levels"), "no recorded exploration"),
        (lambda d: d.update(format="bmc-lock-trace/1"), "no recorded exploration"),
    ],
)
def test_a_forged_exploration_is_not_believed(rounds: Rounds, alter: Any, said: str) -> None:
    from tests.regress.test_faults import reseal

    reseal(rounds, "NotAhead", alter)
    code, found, _ = rounds.judged()
    assert code == 2
    assert found["NotAhead"]["standing"] == "unusable"
    assert said in found["NotAhead"]["reason"]
    assert rounds.judged("--update")[0] == 0
    assert rounds.judged()[0] == 0


def test_a_record_that_calls_a_violated_claim_true_is_overruled(rounds: Rounds) -> None:
    """The lock says by exploration that a false claim holds; exploring again shows its trace."""
    from bmc.regress.folder import evidence_file

    lock = lock_of(rounds.lock.read_text(), "bmc.lock")
    (model,) = lock.models
    by_name = {p.name: p for p in model.properties}
    document = json.loads(rounds.file_of("NotAhead").read_text())
    document["holds"]["Unfinished"] = by_name["Unfinished"].statement
    text = json.dumps(document)
    file = evidence_file("forged", text)
    (rounds.evidence / file.name).write_text(text)
    by_name["Unfinished"] = replace(
        by_name["NotAhead"],
        name="Unfinished",
        expected=Expected.PROVED,
        statement=by_name["Unfinished"].statement,
        evidence=file,
    )
    forged = replace(lock, models=(replace(model, properties=tuple(by_name.values())),))
    rounds.lock.write_text(text_of(forged))
    code, found, _ = rounds.judged()
    assert code == 1
    assert found["Unfinished"]["standing"] == "violated"
    assert len(found["Unfinished"]["trace"]) == 14


@pytest.fixture
def undecided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rounds:
    """A lock made where exploration gives up at once and searches end at depth 8."""
    from bmc.regress import judging

    monkeypatch.setattr(deciding, "DEEPER", 1)
    monkeypatch.setattr(deciding, "MOST_STATES", 1)
    monkeypatch.setattr(rechecking, "CHEAP", 1)
    monkeypatch.setattr(judging, "_DEEPEST", 8)
    found = Rounds(tmp_path)
    found.write()
    found.add()
    return found


def test_what_is_not_decided_is_locked_with_the_depth_that_is_clean(undecided: Rounds) -> None:
    locked = lines(undecided)
    assert {name: p["expected"] for name, p in locked.items()} == dict.fromkeys(locked, "unknown")
    assert {p["depth"] for p in locked.values()} == {8}
    assert not undecided.evidence.exists()
    code, found, _ = undecided.judged()
    assert code == 0
    assert {p["standing"] for p in found.values()} == {"not re-checked"}
    assert "3 unknown, 3 not re-checked" in undecided.regress().out
    code, found, _ = undecided.judged("--from-scratch")
    assert code == 0
    assert {p["standing"] for p in found.values()} == {"decided again"}


def test_a_clean_depth_that_shrinks_is_seen(
    undecided: Rounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bmc.regress import judging

    class Shallow(judging.Aim):
        def __init__(self, k: int, depth: int, *rest: Any, **named: Any) -> None:
            super().__init__(k, 5, *rest, **named)

    monkeypatch.setattr(judging, "Aim", Shallow)
    undecided.write(("s.require(s.first < self.last)", "s.require(s.first < self.last, ~s.done)"))
    code, found, _ = undecided.judged()
    assert code == 3
    assert found["NotAhead"]["standing"] == "unknown"
    assert "was unknown (clean to depth 8), is clean only to depth 5 now" in undecided.regress().out
    assert undecided.judged("--update")[0] == 3
    assert lines(undecided)["NotAhead"]["depth"] == 8
    assert undecided.judged("--update", "--accept", "rounds.py:Rounds")[0] == 0
    assert lines(undecided)["NotAhead"]["depth"] == 5


def test_a_violation_of_what_was_unknown_fails(undecided: Rounds) -> None:
    undecided.write(("s.require(s.second < s.first)", "s.require(s.second < self.last)"))
    code, found, _ = undecided.judged()
    assert code == 1
    assert found["NotAhead"]["standing"] == "violated"


def test_what_was_unknown_and_is_decided_is_told_and_written(
    undecided: Rounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deciding, "MOST_STATES", 1000)
    code, found, _ = undecided.judged("--from-scratch")
    assert code == 1, "Unfinished is violated"
    assert found["NotAhead"]["standing"] == "decided now"
    options = ("--from-scratch", "--update", "--accept", "Unfinished")
    assert undecided.judged(*options)[0] == 0
    assert lines(undecided)["NotAhead"]["distinct_states"] == 29
    assert lines(undecided)["Unfinished"]["trace_length"] == 14
