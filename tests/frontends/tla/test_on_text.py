"""`bmc explore --on-text` finds what is found on a model, and never calls anything proved."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from bmc.cli.app import run
from bmc.engines.explicit import explore
from bmc.engines.task import Task
from bmc.frontends.tla.load import load
from bmc.frontends.tla.on_text import text_search
from bmc.frontends.tla.oracle.machine import Step
from bmc.frontends.tla.oracle.search import DEADLOCK, Explored, Search, Violation
from bmc.frontends.tla.suite import suite_of
from bmc.lang.properties import Kind

from .clock import Bmc
from .small_texts import TEXTS, Text

ON_TEXT = ("--on-text", "--json")
SCHEMA = json.loads((Path(__file__).parents[3] / "docs/result.schema.json").read_text())


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_counts_and_violations_are_those_of_the_model(text: Text, tmp_path: Path) -> None:
    path = text.write(tmp_path)
    suite = suite_of("Small.tla", path)
    claims = tuple(one.name for one in suite.declared(Kind.INVARIANT, Kind.STEP_INVARIANT))
    model = explore(Task(suite, {}, claims))
    search = text_search(load(path))
    found = search.run(None, None, lambda _: None)
    lengths = {one.partition("_")[0]: len(trace) for one, trace in model.violations.items()}
    assert (found.violation is None) == (not lengths)
    if found.violation is not None:
        search.require_again(found.violation)
        assert found.violation.property in lengths
        assert len(found.violation.steps) == min(lengths.values())
    unjudged = replace(load(path), invariants=(), properties=(), check_deadlock=False)
    found = text_search(unjudged).run(None, None, lambda _: None)
    assert (found.distinct, found.levels) == (model.distinct_states, list(model.levels))


def test_what_holds_is_clean_for_people_and_unknown_for_programs(bmc: Bmc) -> None:
    config = "INVARIANTS Bounded Lit PROPERTY Forward CHECK_DEADLOCK FALSE"
    code, said = bmc("explore", config, "--on-text")
    assert code == 0
    assert "14 distinct states in 5 levels, 24 generated, complete" in said
    assert "clean" in said
    assert "proved" not in said
    assert "no model was made, nothing checked it again" in said
    code, said = bmc("explore", config, *ON_TEXT)
    results = json.loads(said)["results"]
    assert code == 0
    assert [(one["property"], one["verdict"], one["depth"]) for one in results] == [
        ("Bounded", "unknown", 4),
        ("Lit", "unknown", 4),
        ("Forward", "unknown", 4),
    ]


def test_nothing_is_clean_of_no_state(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "VARIABLE x\nInit == x \\in {} /\\ x = 0\nNext == x' = x\nInv == x # x"
    (tmp_path / "No.tla").write_text(f"---- MODULE No ----\n{body}\n====\n")
    (tmp_path / "No.cfg").write_text("INIT Init NEXT Next INVARIANT Inv\n")
    assert run(["explore", str(tmp_path / "No.tla"), "--on-text"]) == 2
    assert "no state satisfies the initial predicate" in capsys.readouterr().err


def test_a_violation_is_a_line_of_json_before_the_document(bmc: Bmc) -> None:
    code, said = bmc("explore", "INVARIANTS Bounded Tight", "--on-text", "--json-lines")
    told, last = map(json.loads, said.splitlines())
    for line in (told, last):
        jsonschema.validate(line, SCHEMA)
    assert (code, told["event"], told["protocol"]) == (1, "decided", last["protocol"])
    assert [told["result"]] == [one for one in last["results"] if one["verdict"] == "violated"]


def test_a_violation_has_the_shortest_path_as_tlc_prints_it(bmc: Bmc) -> None:
    code, said = bmc("explore", "INVARIANTS Bounded Tight", "--on-text")
    assert code == 1
    assert "Tight     violated  by a trace of 3 states" in said
    assert "State 3: <Tick>\n/\\ clock = 2\n/\\ lamp = Off" in said
    assert "Bounded   unknown   no violation within 1 step" in said


def test_a_document_of_a_violation_is_of_the_schema(bmc: Bmc) -> None:
    found = json.loads(bmc("explore", "INVARIANTS Bounded Tight", *ON_TEXT)[1])
    jsonschema.validate(found, SCHEMA)
    (tight,) = [one for one in found["results"] if one["verdict"] == "violated"]
    assert [step["action"] for step in tight["trace"]] == [None, "Tick", "Tick"]
    assert tight["trace"][2]["state"] == {"clock": "2", "lamp": "Off"}


def test_a_path_that_does_not_lead_to_its_violation_is_a_contradiction(
    bmc: Bmc, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = Search.run

    def wrong(self: Search, *limits: object) -> Explored:
        explored = searched(self, None, None)
        start = self.machine.initial_states()[0]
        explored.violation = Violation("Bounded", (Step("Initial predicate", (), start),))
        return explored

    monkeypatch.setattr(Search, "run", wrong)
    code, said = bmc("explore", "INVARIANT Bounded", "--on-text", stderr=True)
    assert code == 4
    assert "Bounded is true at the end of the path that breaks it" in said


def test_a_limit_of_steps_says_how_far_each_claim_was_judged(bmc: Bmc) -> None:
    code, said = bmc("explore", "INVARIANT Bounded", *ON_TEXT, "--depth", "2")
    found = json.loads(said)
    assert (code, found["levels"], found["complete"]) == (0, [1, 2, 3], False)
    # Whether a step follows the states of the last level was not asked.
    assert {one["property"]: one["depth"] for one in found["results"]} == {
        "Bounded": 2,
        DEADLOCK: 1,
    }


def endless(*_: object) -> None:
    while True:
        pass


def test_memory_ends_a_search_that_nobody_limits(bmc: Bmc, monkeypatch: pytest.MonkeyPatch) -> None:
    """It took what the machine had, and the machine stood still."""
    monkeypatch.setattr(Search, "_violation", endless)
    monkeypatch.setattr("bmc.running.memory.available_bytes", lambda: 10 << 20)
    code, said = bmc("explore", "INVARIANT Bounded", "--on-text")
    assert code == 3
    assert "the memory limit of 8 MB is met" in said


def test_a_time_limit_is_unknown(bmc: Bmc, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Search, "_violation", endless)
    code, said = bmc("explore", "INVARIANT Bounded", "--on-text", "--timeout", "0.3")
    assert code == 3
    assert "the time limit has passed" in said
    assert "Bounded   unknown   no violation within 0 steps" in said


BROKEN = """---- MODULE Broken ----
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = [k \\in 0..1 |-> k + 1][n]
Low == n < 9
Live == <>(n = 2)
Both == [](n < 9) /\\ Live
Not == n # 0
====
"""


def broken(folder: Path, config: str) -> str:
    (folder / "Broken.tla").write_text(BROKEN)
    (folder / "Broken.cfg").write_text("INIT Init NEXT Next\n" + config)
    return str(folder / "Broken.tla")


def test_where_the_text_has_no_value_is_said_with_the_path_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explore", broken(tmp_path, "INVARIANT Low"), "--on-text"]) == 3
    said = capsys.readouterr().out
    assert "Broken.tla:5:" in said
    assert "The path to where the text has no value:" in said
    assert "State 3: <Next>\nn = 2" in said
    assert "Low       unknown   no violation within 2 steps" in said


def test_a_claim_about_behaviours_is_not_judged_and_said_not_to_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = broken(tmp_path, "PROPERTIES Live Both")
    assert run(["explore", path, "--on-text", "-P", "Live"]) == 2
    assert "Live is a claim about whole behaviours" in capsys.readouterr().err
    assert run(["explore", path, "--on-text", "--depth", "1"]) == 0
    said = capsys.readouterr().out
    assert "Live is a temporal property: it is NOT checked" in said
    assert "its temporal part is not judged" in said


def test_only_what_is_asked_for_is_judged(tmp_path: Path) -> None:
    path = broken(tmp_path, "INVARIANTS Low Not")
    assert run(["explore", path, "--on-text", "--depth", "1", "-P", "Low"]) == 0
    assert run(["explore", path, "--on-text", "--depth", "1"]) == 1
    assert run(["explore", path, "--on-text", "-P", "Lwo"]) == 2


def test_a_claim_called_deadlock_is_told_from_that_there_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "D.tla").write_text(
        "---- MODULE D ----\nEXTENDS Naturals\nVARIABLE n\nInit == n = 0\n"
        "Next == n < 3 /\\ n' = n + 1\nDeadlock == n < 5\n====\n"
    )
    for config, code in (("", 2), ("CHECK_DEADLOCK FALSE", 0)):
        (tmp_path / "D.cfg").write_text(f"INIT Init NEXT Next INVARIANT Deadlock\n{config}\n")
        assert run(["explore", str(tmp_path / "D.tla"), "--on-text"]) == code
    assert run(["explore", str(tmp_path / "D.tla"), "--on-text", "-P", "Deadlock"]) == 0
    assert capsys.readouterr().out.count("Deadlock  clean") == 2


def test_a_violation_beyond_a_constraint_on_steps_is_found_and_taken_again(bmc: Bmc) -> None:
    config = "INVARIANT Tight ACTION_CONSTRAINT Forth CHECK_DEADLOCK FALSE"
    code, said = bmc("explore", config, "--on-text")
    assert (code, "by a trace of 3 states" in said) == (1, True)


NAMED = """---- MODULE Named ----
EXTENDS TLC
CONSTANT P
VARIABLE held
Init == held = {}
Next == \\E p \\in P : p \\notin held /\\ held' = held \\union {p}
Every == Permutations(P)
====
"""


def test_symmetry_counts_as_tlc_does_and_is_said_to_be_believed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "Named.tla"
    path.write_text(NAMED)
    config = "INIT Init NEXT Next CONSTANT P = {a, b, c} CHECK_DEADLOCK FALSE\n"
    (tmp_path / "Named.cfg").write_text(config + "SYMMETRY Every\n")
    for options, states in (([], 8), (["--symmetry"], 4)):
        assert run(["explore", str(path), "--on-text", *options]) == 0
        said = capsys.readouterr().out
        assert f"{states} distinct states" in said
        assert ("SYMMETRY Every is believed" in said) == bool(options)
    (tmp_path / "Named.cfg").write_text(config)
    assert run(["explore", str(path), "--on-text", "--symmetry"]) == 2


def test_a_symmetry_of_one_permutation_stands_for_all_that_it_generates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exchanging a and b leaves six of eight sets; a turn of all three leaves four."""
    more = "CONSTANTS a, b, c\nExchange == {a :> b @@ b :> a}\nTurn == {a :> b @@ b :> c @@ c :> a}"
    (tmp_path / "Named.tla").write_text(NAMED.replace("CONSTANT P\n", f"CONSTANT P\n{more}\n"))
    config = "INIT Init NEXT Next CONSTANTS a = a b = b c = c P = {a, b, c} CHECK_DEADLOCK FALSE"
    for word, states in (("Exchange", 6), ("Turn", 4)):
        (tmp_path / "Named.cfg").write_text(f"{config}\nSYMMETRY {word}\n")
        assert run(["explore", str(tmp_path / "Named.tla"), "--on-text", "--symmetry"]) == 0
        assert f"{states} distinct states" in capsys.readouterr().out


MERGED = """---- MODULE Merged ----
EXTENDS Naturals, TLC
CONSTANTS a, b
VARIABLES n, by
Init == n = 0 /\\ by = a
Next == n < 2 /\\ n' = n + 1 /\\ by' \\in {a, b}
Seen == n
Renamed == Permutations({a, b})
OfOne == {a :> b @@ b :> b}
Numbers == {1}
OfA == n < 2 \\/ by = a
OfB == n < 2 \\/ by = b
====
"""


@pytest.mark.parametrize("word", ["VIEW Seen", "SYMMETRY Renamed"])
@pytest.mark.parametrize("option", [(), ("--depth", "2")])
def test_of_states_that_were_not_kept_nothing_is_said(
    word: str, option: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of the two claims is false of a state beside the one that was kept."""
    path = tmp_path / "Merged.tla"
    path.write_text(MERGED)
    config = f"INIT Init NEXT Next CONSTANTS a = a b = b CHECK_DEADLOCK FALSE {word}\n"
    options = ["--on-text", *(["--symmetry"] if "SYMMETRY" in word else []), *option]
    said = {}
    for claim in ("OfA", "OfB"):
        (tmp_path / "Merged.cfg").write_text(f"{config} INVARIANT {claim}\n")
        code = run(["explore", str(path), *options])
        said[code] = capsys.readouterr().out
    assert sorted(said) == [0, 1]
    kept = "no violation in states that were kept within" if option else "in every state that was"
    assert kept in said[0]
    assert "reachable" not in said[0]


@pytest.mark.parametrize("word", ["OfOne", "Numbers"])
def test_a_symmetry_that_is_no_permutation_is_refused(
    word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "Merged.tla"
    path.write_text(MERGED)
    config = f"INIT Init NEXT Next CONSTANTS a = a b = b SYMMETRY {word}\n"
    (tmp_path / "Merged.cfg").write_text(config)
    assert run(["explore", str(path), "--on-text", "--symmetry"]) == 2
    said = capsys.readouterr().err
    assert "which is no permutation" in said
    assert "leave --symmetry out" in said


COUNTED = """---- MODULE Counted ----
EXTENDS Naturals, Sequences
VARIABLE n
RECURSIVE Sum(_)
Sum(i) == IF i = 0 THEN 0 ELSE 1 + Sum(i - 1)
Init == n = 0
Next == n' = (n + 1) % 1000
Low == Sum(n) < 5000
====
"""


def test_a_text_that_is_not_translated_is_searched_and_its_refusal_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Counted.tla").write_text(COUNTED)
    (tmp_path / "Counted.cfg").write_text("INIT Init NEXT Next INVARIANT Low\n")
    path = str(tmp_path / "Counted.tla")
    assert run(["explore", path]) == 2
    assert "`bmc explore --on-text` searches the text as it is" in capsys.readouterr().err
    assert run(["explore", path, "--on-text"]) == 0
    assert "1,000 distinct states" in capsys.readouterr().out


@pytest.mark.parametrize(
    "option",
    ["--all", "--continue", "--resume", "--raw", "--seed 3", "--max-traces 2", "--bound now=0..1"],
)
def test_what_needs_a_model_is_refused(bmc: Bmc, option: str) -> None:
    """A bound that states leave was passed over: with a model it is *unknown*."""
    words = option.split()
    code, said = bmc("explore", "INVARIANT Bounded", "--on-text", *words, stderr=True)
    assert (code, f"{words[0]} is not offered with --on-text" in said) == (2, True)


def test_a_protocol_in_python_has_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explore", "id-sequence", "--on-text"]) == 2
    assert "--on-text is of a .tla file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("step", "claim"),
    [
        ("n' = n", "\\AA m : n < 3"),
        ("n' = n", "(n < 3) -+-> (n < 3)"),
        ("~(Same \\cdot Same) /\\ n' = n", "n < 3"),
        ("Same /\\ (ENABLED Same)'", "n < 3"),
    ],
)
def test_the_text_is_not_offered_where_its_evaluator_refuses_as_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], step: str, claim: str
) -> None:
    (tmp_path / "D.tla").write_text(
        "---- MODULE D ----\nEXTENDS Naturals\nVARIABLE n\nInit == n = 0\nSame == n' = n\n"
        f"Next == {step}\nClaim == {claim}\n====\n"
    )
    (tmp_path / "D.cfg").write_text("INIT Init NEXT Next INVARIANT Claim\n")
    refused = []
    for options in ([], ["--on-text"]):
        assert run(["explore", str(tmp_path / "D.tla"), *options]) == 2
        refused.append(capsys.readouterr().err)
    assert refused[0] == refused[1]


def test_a_violation_is_told_where_a_later_claim_has_no_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second evaluation of the path's end read all claims, and the command ended there."""
    (tmp_path / "M.tla").write_text(
        "---- MODULE M ----\nEXTENDS Naturals\nVARIABLE n\nInit == n = 0\n"
        "Next == n < 2 /\\ n' = n + 1\nLow == n < 2\nQuotient == 4 \\div (2 - n) > 0\n====\n"
    )
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next INVARIANTS Low Quotient\n")
    assert run(["explore", str(tmp_path / "M.tla"), *ON_TEXT]) == 1
    results = json.loads(capsys.readouterr().out)["results"]
    assert [one["verdict"] for one in results if one["property"] == "Low"] == ["violated"]


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        ("PrintT(Head(q))", 3),
        ("Assert(TRUE, Head(q))", 3),
        ("\\A x \\in {}, y \\in {Head(q)} : x = y", 3),
        # What is not of the state is only told.
        ('PrintT(<<TLCGet("level"), q>>) /\\ PrintT(Nat) /\\ Assert(TRUE, JavaTime)', 0),
    ],
)
def test_what_is_read_and_not_asked_for_has_to_have_a_value(
    tmp_path: Path, claim: str, code: int
) -> None:
    (tmp_path / "M.tla").write_text(
        "---- MODULE M ----\nEXTENDS Naturals, Sequences, TLC\nVARIABLE q\nInit == q = <<1>>\n"
        f"Next == q # <<>> /\\ q' = Tail(q)\nClaim == {claim}\n====\n"
    )
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next INVARIANT Claim CHECK_DEADLOCK FALSE\n")
    assert run(["explore", str(tmp_path / "M.tla"), "--on-text"]) == code
