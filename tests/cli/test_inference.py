"""`bmc infer` as a user meets it: lemmas as text, verdicts with their evidence, honest limits."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import bmc.analysis.inference.infer as inference
import bmc.cli.shared.inference as shared
from bmc.analysis.inference.infer import InferenceOptions
from bmc.analysis.inference.spoken import NotSayable
from bmc.analysis.mining.mine import ClaimViolated
from bmc.cli.shared.progress import Progress
from bmc.engines.task import Task
from bmc.evidence.verdict import Result
from bmc.running.files import WriteFailed
from tests.cli.running import bmc

GATE = '''"""Two flags that go up together."""

from bmc.lang import BOOL, Protocol, Variable, action, invariant, one_of


class Gate(Protocol):
    """The gate is opened with its alarm, and closed with it."""

    open = Variable(BOOL)
    alarm = Variable(BOOL)
    missed = Variable(BOOL)

    @action()
    def Init(self, s):
        s.open = False
        s.alarm = False
        s.missed = False

    @action()
    def Open(self, s):
        s.open = True
        s.alarm = True

    @action()
    def Look(self, s):
        s.require(s.open)
        s.missed = ~s.alarm
        s.open = False
        s.alarm = False

    Next = one_of(Open, Look)

    @invariant("nobody finds it open without the alarm")
    def Heard(self, s):
        return ~s.missed

    @invariant("nobody ever opens it: false")
    def Shut(self, s):
        return ~s.open
'''


@pytest.fixture
def gate(tmp_path: Path) -> str:
    (tmp_path / "gate.py").write_text(GATE)
    return f"{tmp_path / 'gate.py'}:Gate"


def test_what_is_inferred_is_proved_and_can_be_pasted(gate: str, tmp_path: Path) -> None:
    file, proof = Path(gate.partition(":")[0]), tmp_path / "proof.json"
    by_hand = ("prove", gate, "-P", "Heard", "--engine", "kinduction", "--k", "1", "--json")
    assert bmc(*by_hand).code == 3
    found = bmc("infer", gate, "-P", "Heard", "--certificate", str(proof), "--json")
    assert found.code == 0
    (result,) = found.document["results"]
    assert result["verdict"] == "proved"
    assert all(one["proved"] for one in found.document["lemmas"])
    assert bmc("certify", str(proof), "--protocol", gate).code == 0
    pasted = "".join(
        f"    {line}\n" for one in found.document["lemmas"] for line in one["text"].splitlines()
    )
    file.write_text(GATE.replace("import BOOL,", "import BOOL, lemma,") + "\n" + pasted)
    assert bmc(*by_hand).code == 0


def test_a_proof_with_inferred_lemmas_is_one_command(gate: str) -> None:
    asked = ("prove", gate, "-P", "Heard", "--infer", "--engine", "kinduction", "--k", "1")
    said = bmc(*asked)
    assert said.code == 0
    assert "by k-induction at k = 1 with 1 lemma, re-checked by" in said.out


def test_lemmas_that_a_full_disk_does_not_keep_are_told_and_lose_no_verdict(
    gate: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command ended with 0, and whoever had named the folder found it empty."""

    def full(path: Path, content: str) -> None:
        raise WriteFailed(f"cannot write {path}: No space left on device")

    monkeypatch.setattr("bmc.analysis.inference.state.write_file", full)
    asked = ("infer", gate, "-P", "Heard", "--state", str(tmp_path / "kept"))
    said = bmc(*asked)
    assert said.code == 4
    assert "Heard  proved" in said.out
    assert "lemmas.json: No space left on device" in said.err
    facts = bmc(*asked, "--json").document["facts"]
    assert any(fact.startswith("no lemma is kept for the next run: ") for fact in facts)


def test_a_false_property_is_violated_with_its_trace(gate: str) -> None:
    found = bmc("infer", gate, "--json")
    assert found.code == 1
    verdicts = {one["property"]: one["verdict"] for one in found.document["results"]}
    assert verdicts == {"Heard": "proved", "Shut": "violated"}
    shut = next(one for one in found.document["results"] if one["property"] == "Shut")
    assert [step["action"] for step in shut["trace"]] == [None, "Open"]
    assert bmc("prove", gate, "-P", "Shut", "--infer").code == 1


def test_an_inference_without_time_proves_nothing_by_itself(gate: str) -> None:
    said = bmc("infer", gate, "-P", "Heard", "--timeout", "0.000001")
    # On a busy machine the time is over before the protocol has been read.
    assert "not closed" in said.out or "the time limit has passed" in said.err
    assert "Proven, to paste" not in said.out


def test_a_proof_after_the_limit_takes_no_longer_than_the_limit_once_more(
    gate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever had asked for three seconds waited for twenty more."""
    given: list[float | None] = []
    proved = shared._proved

    def seen(task: Task, closed: bool, progress: Progress) -> tuple[Result, ...]:
        given.append(task.timeout)
        return proved(task, closed, progress)

    monkeypatch.setattr(shared, "_proved", seen)
    bmc("infer", gate, "-P", "Heard", "--timeout", "3")
    bmc("infer", gate, "-P", "Heard", "--timeout", "100")
    (short, long) = given
    assert short is not None
    assert 0 < short <= 3
    assert long is not None
    assert 50 <= long <= 100


def test_a_proof_says_when_the_inference_before_it_did_not_close(
    gate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("prove", gate, "-P", "Heard", "--infer")
    assert "did not close" not in bmc(*asked).out
    monkeypatch.setattr(inference, "InferenceOptions", partial(InferenceOptions, seconds=1e-6))
    (fact,) = [f for f in bmc(*asked, "--json").document["facts"] if "infer" in f]
    assert "The inference did not close" in fact


def test_what_ic3_proved_beside_an_inference_is_the_proof_where_that_did_not_close(
    gate: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsayable(*_: object) -> None:
        raise NotSayable("nothing has words here")

    monkeypatch.setattr(inference, "_SEARCHING", 0.0)
    monkeypatch.setattr(inference, "ClauseLemmas", unsayable)
    proof = tmp_path / "proof.json"
    said = bmc("prove", gate, "-P", "Heard", "--infer", "--certificate", str(proof), "--json")
    assert said.code == 0
    (result,) = said.document["results"]
    assert (result["verdict"], result["engine"]) == ("proved", "ic3")
    assert any("did not close" in fact for fact in said.document["facts"])
    assert bmc("certify", str(proof), "--protocol", gate).code == 0
    by_hand = ("prove", gate, "-P", "Heard", "--infer", "--engine", "kinduction", "--k", "1")
    assert bmc(*by_hand).code == 3


@pytest.mark.parametrize(
    "words",
    [("--timeout", "0"), ("--arguments", "9"), ("--states", "0"), ("--timeout", "nan")],
)
def test_options_that_cannot_be_used_are_refused(gate: str, words: tuple[str, ...]) -> None:
    said = bmc("infer", gate, *words)
    assert said.code == 2
    assert "bmc infer:" in said.err


LARGER = '''"""A count as high as there are servers."""

from bmc.lang import Integer, Parameter, Protocol, Scalarset, SetSort, Variable, action, invariant
from bmc.lang import empty, member, one_of, size


class Joining(Protocol):
    """Servers join, one after the other."""

    servers = Parameter("servers", 2, 1, 4, "how many servers there are")
    Server = Scalarset("Server", servers)
    joined = Variable(SetSort(Server))

    @action()
    def Init(self, s):
        s.joined = empty(SetSort(self.Server))

    @action(who=Server)
    def Join(self, s, who):
        s.require(~member(who, s.joined))
        s.joined |= {who}

    Next = one_of(Join)

    @invariant("never three")
    def Few(self, s):
        return size(s.joined) < 3
'''


def test_a_claim_that_is_false_at_larger_sizes_is_violated_with_its_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def looked_at_larger_ones(task: Task, *_: object) -> None:
        raise ClaimViolated("Few", replace(task, parameters={"servers": 3}))

    (tmp_path / "joining.py").write_text(LARGER)
    monkeypatch.setattr(inference, "infer", looked_at_larger_ones)
    found = bmc("infer", f"{tmp_path / 'joining.py'}:Joining", "--all-parameters", "--json")
    assert found.code == 1
    (result,) = found.document["results"]
    assert (result["verdict"], len(result["trace"])) == ("violated", 4)
    assert found.document["parameters"] == {"servers": 3}


OVER = """
from bmc.lang import Integer, Protocol, Variable, action, invariant, one_of


class Over(Protocol):
    x = Variable(Integer("Number", 0, 2))

    @action()
    def Init(self, s):
        s.x = 0

    @action()
    def Up(self, s):
        s.x = s.x + 1

    Next = one_of(Up)

    @invariant("false where it begins")
    def Above(self, s):
        return s.x > 0

    @invariant("false before the bounds are left")
    def Low(self, s):
        return s.x < 2

    @invariant("true until then")
    def Some(self, s):
        return s.x >= 0
"""


@pytest.mark.parametrize("words", [("infer",), ("mine",), ("prove", "--infer")], ids=str)
@pytest.mark.parametrize(("claim", "code"), [("Above", 1), ("Low", 1), ("Some", 2)])
def test_a_claim_is_violated_before_the_bounds_are_left(
    words: tuple[str, ...], claim: str, code: int, tmp_path: Path
) -> None:
    """It was refused, as what is true until then is: the bounds had to be widened to hear of it."""
    (tmp_path / "over.py").write_text(OVER)
    found = bmc(*words, f"{tmp_path / 'over.py'}:Over", "-P", claim)
    assert found.code == code
    assert ("violated" in found.out) == (code == 1)
    assert ("Up (over.py:12) leaves the model's bounds" in found.err) == (code == 2)


def test_what_is_violated_is_told_beside_claims_for_which_the_bounds_are_too_small(
    tmp_path: Path,
) -> None:
    (tmp_path / "over.py").write_text(OVER)
    found = bmc("infer", f"{tmp_path / 'over.py'}:Over", "--json")
    verdicts = {one["property"]: one["verdict"] for one in found.document["results"]}
    assert found.code == 1
    assert verdicts == {"Above": "violated", "Low": "violated", "Some": "unknown"}
    assert "in Up (over.py:12), x + 1 is 3" in found.document["results"][2]["reason"]


def test_others_are_left_open_where_one_is_violated_at_all_parameters(gate: str) -> None:
    found = bmc("infer", gate, "--all-parameters", "--json")
    verdicts = {one["property"]: one["verdict"] for one in found.document["results"]}
    assert (found.code, verdicts) == (1, {"Heard": "unknown", "Shut": "violated"})


OPEN = """
from bmc.lang import BOOL, FALSE, Integer, MapSort, Parameter, Protocol, Scalarset, Variable
from bmc.lang import action, implies, invariant, mapping, one_of


class Levels(Protocol):
    top = Parameter("top", 3, 1, 5, "the greatest")
    flags = Parameter("flags", 2, 1, 3, "how many there are")
    Flag = Scalarset("Flag", flags)
    x = Variable(Integer("Level", 0, top))
    up = Variable(MapSort(Flag, BOOL))

    @action()
    def Init(self, s):
        s.x = 1
        s.up = mapping(self.Flag, lambda q: FALSE, BOOL)

    @action(p=Flag)
    def Fall(self, s, p):
        s.x = 0
        s.up[p] = ~s.up[p]

    @action(p=Flag)
    def Rise(self, s, p):
        s.require(s.x == 0)
        s.x = 1
        s.up[p] = ~s.up[p]

    Next = one_of(Fall, Rise)

    @invariant("false where there is one level", p=Flag)
    def Raised(self, s, p):
        return implies(s.x == self.top, s.up[p])
"""


def test_a_step_at_other_parameters_is_told_as_one_of_those(tmp_path: Path) -> None:
    """Of what stays open at all parameters: as JSON it was an internal failure."""
    (tmp_path / "levels.py").write_text(OPEN)
    named = f"{tmp_path / 'levels.py'}:Levels"
    found = bmc("infer", named, "--all-parameters", "--timeout", "20", "--json")
    (result,) = found.document["results"]
    at = found.document["induction_failure_at"]
    assert (found.code, result["verdict"]) == (3, "unknown")
    assert at["flags"] < found.document["parameters"]["flags"]
    for step in result["induction_failure"]["path"]:
        assert len(step["state"]["up"]) == at["flags"]
