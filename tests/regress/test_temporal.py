"""A lock holds temporal claims: by certificate, by lasso, or by the graph of all states."""

import json
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

import bmc.regress.temporal as regress_temporal
from bmc.cli.shared import catalogue
from bmc.engines.task import SILENT
from bmc.regress.cases import case_of
from bmc.regress.folder import LockFolder, Stored, evidence_file
from bmc.regress.judging import Effort, judge
from bmc.regress.lassos import RecordedLasso, taken_again
from bmc.regress.lock import Lock, LockedProperty
from bmc.regress.notation import lock_of, text_of
from bmc.regress.outcome import Standing
from tests.cli.running import Answered, bmc

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("regress temporal")

MODEL = '''
from bmc.lang import *
from bmc.lang.ranking import *
from bmc.lang.temporal import *


class Door(Protocol):
    """People who go in and out of a door."""

    people = Parameter("people", 2, 1, 3, "who goes in and out")
    Person = Scalarset("Person", people)
    inside = Variable(MapSort(Person, BOOL))
    Each = Specification("Each", (weak("Enter", per=("p",)),))
    Anybody = Specification("Anybody", (weak("Enter"),))

    @action()
    def Init(self, s):
        s.inside = mapping(self.Person, lambda p: False, BOOL)

    @action(p=Person)
    def Enter(self, s, p):
        s.require(~s.inside[p])
        s.inside[p] = True

    @action(p=Person)
    def Leave(self, s, p):
        s.require(s.inside[p])
        s.inside[p] = False

    Next = one_of(Enter, Leave)

    @temporal("everybody is inside again and again", specification="Each", p=Person)
    def Enters(self, s, p):
        return always(eventually(s.inside[p]))

    @temporal("the same where somebody has to enter: false", specification="Anybody", p=Person)
    def EntersIfAny(self, s, p):
        return always(eventually(s.inside[p]))
'''


class House:
    """A folder with ``door.py`` and its lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = LockFolder(folder / "bmc.lock")

    def write(self, *edits: tuple[str, str]) -> None:
        text = MODEL
        for old, new in edits:
            assert old in text
            text = text.replace(old, new, 1)
        (self.folder / "door.py").write_text(text, encoding="utf-8")

    def regress(self, *options: str) -> Answered:
        with chdir(self.folder):
            return bmc("regress", "--jobs", "1", *options)

    def judged(self) -> tuple[int, dict[str, Any], list[tuple[str, str]]]:
        """The exit code, the claims by name, and the parts that have changed."""
        answered = self.regress("--json")
        (model,) = answered.document["models"]
        changed = [(c["kind"], c["name"]) for c in model["changed"]]
        return answered.code, {p["property"]: p for p in model["properties"]}, changed

    def locked(self) -> dict[str, LockedProperty]:
        (model,) = self.lock.read().lock.models
        return {p.name: p for p in model.properties}

    def lock_evidence(self, name: str, text: str) -> None:
        """Lock other evidence of a claim, as another bmc or engine left it."""
        stored = self.lock.read()
        (model,) = stored.lock.models
        file = evidence_file("other", text)
        (self.lock.evidence / file.name).write_text(text, encoding="utf-8")
        properties = (replace(p, evidence=file) if p.name == name else p for p in model.properties)
        lock = Lock(stored.lock.follows, (replace(model, properties=tuple(properties)),))
        (self.folder / "bmc.lock").write_text(text_of(lock), encoding="utf-8")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> House:
    found = House(tmp_path_factory.mktemp("house"))
    found.write()
    made = found.regress("--update", "door.py:Door")
    assert made.code == 0, made.err
    return found


@pytest.fixture
def house(finished: House, tmp_path: Path) -> House:
    copytree(finished.folder, tmp_path, dirs_exist_ok=True)
    return House(tmp_path)


def test_an_update_takes_them_up_and_the_next_look_judges_their_evidence(house: House) -> None:
    held = house.locked()
    assert (held["Enters"].k, held["Enters"].specification) == (1, "Each")
    assert (held["EntersIfAny"].trace_length, held["EntersIfAny"].loop) == (2, 0)
    lock = house.lock.read().lock
    assert lock_of(text_of(lock), "bmc.lock") == lock
    code, found, changed = house.judged()
    assert (code, changed) == (0, [])
    assert {p["standing"] for p in found.values()} == {"kept"}
    assert (found["EntersIfAny"]["loop"], found["Enters"]["specification"]) == (0, "Each")
    assert found["Enters"]["engine"].startswith("bitwuzla")


def test_old_evidence_is_carried_over_to_a_changed_model(house: House) -> None:
    house.write(("    Next = one_of(Enter, Leave)", KNOCK))
    code, found, changed = house.judged()
    assert (code, ("action", "Knock") in changed) == (0, True)
    assert {p["standing"] for p in found.values()} == {"carried over"}


def test_a_proof_that_leant_on_a_lemma_of_before_is_not_damaged(house: House) -> None:
    """A lemma is no part of the model, which is the same: its old text is no damaged evidence."""
    house.write(PLACE)
    assert house.regress("--update", "--from-scratch", "door.py:Door").code == 0
    evidence = house.locked()["Enters"].evidence
    assert evidence is not None
    document = json.loads(house.lock.read().text(evidence))
    assert "Rests" in [one["name"] for one in document["conjuncts"]]
    for lemma in ("s.at <= 1", "s.at == 1"):
        house.write((PLACE[0], PLACE[1].replace("s.at == 0", lemma)))
        code, found, changed = house.judged()
        assert (code, changed) == (0, [("lemma", "Rests")])
        assert found["Enters"]["standing"] in ("carried over", "decided again")
        assert found["EntersIfAny"]["standing"] == "kept"


def test_a_proof_that_carries_its_lemmas_is_kept_and_carried_over(house: House) -> None:
    """What a certificate itself states is found in no protocol, and is as it was."""
    file = house.folder / "inductive.json"
    asked = ("door.py:Door", "-P", "Enters", "--engine", "inductive")
    with chdir(house.folder):
        assert bmc("prove", *asked, "--certificate", str(file)).code == 0
    assert json.loads(file.read_text(encoding="utf-8"))["lemmas"]
    house.lock_evidence("Enters", file.read_text(encoding="utf-8"))
    code, found, _ = house.judged()
    assert (code, found["Enters"]["standing"]) == (0, "kept")
    house.write(("    Next = one_of(Enter, Leave)", KNOCK))
    code, found, _ = house.judged()
    assert (code, found["Enters"]["standing"]) == (0, "carried over")


PLACE = (
    "        s.inside = mapping(self.Person, lambda p: False, BOOL)\n",
    """        s.inside = mapping(self.Person, lambda p: False, BOOL)
        s.at = 0

    at = Variable(Integer("At", 0, 2))

    @lemma("nothing moves it")
    def Rests(self, s):
        return s.at == 0
""",
)


def test_a_claim_whose_ranking_is_gone_is_decided_by_others(house: House) -> None:
    """A ranking is no part of the model: without it the claim is as it was, and still holds."""
    house.write(FILLS, SOON)
    assert house.regress("--update", "--property", "Fills", "--protocol", "door.py:Door").code == 0
    assert house.locked()["Fills"].engine == "ranked"
    house.write(FILLS)
    code, found, changed = house.judged()
    assert (code, changed) == (0, [])
    assert found["Fills"]["standing"] == "decided again"
    assert "has no ranking 'Soon'" in found["Fills"]["reason"]


FILLS = (
    "    @temporal(",
    """    @temporal("where nobody is inside, somebody is at last", specification="Anybody")
    def Fills(self, s):
        someone = exists(self.Person, lambda p: s.inside[p])
        return leads_to(~someone, someone)

    # A ranking.

    @temporal(""",
)
SOON = (
    "    # A ranking.",
    """    @ranking("entering is enough", proves="Fills")
    def Soon(self, s):
        return rank(0, by=[helpful("Enter")])
""",
)


KNOCK = """\
    @action(p=Person)
    def Knock(self, s, p):
        s.require(s.inside[p], ~s.inside[p])
        s.inside[p] = True

    Next = one_of(Enter, Leave, Knock)
"""


def test_a_dropped_fairness_condition_is_a_violation_that_is_named(house: House) -> None:
    house.write(('"Each", (weak("Enter", per=("p",)),)', '"Each", ()'))
    code, found, changed = house.judged()
    assert (code, found["Enters"]["standing"]) == (1, "violated")
    assert changed == [("temporal", "Enters")]
    assert found["Enters"]["reason"].startswith("the old proof fails")
    assert "violated by a lasso of 1 state" in found["Enters"]["said"]
    assert found["EntersIfAny"]["standing"] == "kept"


def test_a_lasso_that_fairness_excludes_now_is_none(house: House) -> None:
    house.write(('(weak("Enter"),)', '(weak("Enter", per=("p",)),)'))
    code, found, _ = house.judged()
    assert (code, found["EntersIfAny"]["standing"]) == (1, "holds now")
    assert found["EntersIfAny"]["reason"] == "its old lasso is none any more"
    assert "holds now: either it was mended" in found["EntersIfAny"]["said"]


def test_a_certificate_beside_another_monitor_is_carried_over(house: House) -> None:
    """As where an earlier bmc made the monitor: the model is the same, and its proof still one."""
    stored = house.lock.read()
    held = house.locked()["Enters"]
    assert held.evidence is not None
    document = json.loads(stored.text(held.evidence)) | {"fingerprint": "0" * 64}
    house.lock_evidence("Enters", json.dumps(document))
    code, found, _ = house.judged()
    assert (code, found["Enters"]["standing"]) == (0, "carried over")
    assert house.regress("--update").code == 0
    assert house.judged()[1]["Enters"]["standing"] == "kept"


def test_a_loop_that_does_not_close_is_no_evidence(house: House) -> None:
    stored = house.lock.read()
    file = house.locked()["EntersIfAny"].evidence
    assert file is not None
    recorded = RecordedLasso.read(stored.text(file), file.name)
    with chdir(house.folder):
        suite = catalogue.find("door.py:Door")
    assert taken_again(recorded, suite, {"people": 2}) is not None
    # From the second state to itself there is no step but to stay, in which Enter is enabled.
    assert taken_again(replace(recorded, loop=1), suite, {"people": 2}) is None
    # Of whom it is said matters: the other one does enter.
    other = 1 - recorded.values[0]
    assert taken_again(replace(recorded, values=(other,)), suite, {"people": 2}) is None


def test_a_graph_of_another_size_is_told(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was proved on the graph of all states has their number as its evidence."""
    (model,) = house.lock.read().lock.models
    row = LockedProperty(
        "Enters",
        house.locked()["Enters"].expected,
        house.locked()["Enters"].statement,
        "explicit",
        distinct_states=4,
        specification="Each",
    )
    for states, cheap, standing in (
        (4, 4, Standing.KEPT),
        (5, 4, Standing.UNUSABLE),
        (200_000, 4, Standing.UNUSABLE),
        (4, 3, Standing.UNCHECKED),
    ):
        monkeypatch.setattr(regress_temporal, "CHEAP", cheap)
        held = replace(model, properties=(replace(row, distinct_states=states),))
        assert lock_of(text_of(Lock("named", (held,))), "a lock").models == (held,)
        with chdir(house.folder):
            case = case_of(held, catalogue.find)
        (outcome,) = judge(case, Stored(Lock("named", (held,)), {}), Effort(), SILENT).outcomes
        assert outcome.standing is standing


def test_one_claim_is_locked_at_parameters_of_its_own(house: House) -> None:
    options = ("door.py:Door", "-p", "people=1", "-P", "EntersIfAny")
    added = house.regress("--update", *options, "--json")
    assert added.code == 0, added.err
    models = house.lock.read().lock.models
    assert [(m.named, [p.name for p in m.properties]) for m in models] == [
        (True, ["EntersIfAny"]),
        (False, ["Enters", "EntersIfAny"]),
    ]
    again = house.regress("door.py:Door", "-p", "people=1", "--json").document
    assert [m["unlocked"] for m in again["models"]] == [[]]
    assert house.regress("--update", "door.py:Door", "-P", "Entres").code == 2
    assert house.regress("door.py:Door", "-P", "Enters").code == 2


def test_what_was_locked_by_name_stays_when_the_lock_takes_up_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two cases of one model would leave the block of the second alone."""
    (tmp_path / "announced_door.py").write_text(MODEL, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(catalogue, "_packages", lambda: ("id_sequence",))
    lock = ("regress", "--jobs", "1", "--baseline", str(tmp_path / "bmc.lock"), "--update")
    assert bmc(*lock).code == 0
    monkeypatch.setattr(catalogue, "_announced", lambda: {"door": "announced_door:Door"})
    assert bmc(*lock, "door", "-P", "EntersIfAny").code == 0
    models = bmc(*lock, "--json").document["models"]
    assert [m["protocol"] for m in models] == ["door", "id-sequence"]
    door, _ = LockFolder(tmp_path / "bmc.lock").read().lock.models
    assert (door.named, [p.name for p in door.properties]) == (False, ["Enters", "EntersIfAny"])
