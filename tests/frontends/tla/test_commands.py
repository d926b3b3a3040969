"""Commands take a specification as they take a protocol, and say what TLC says."""

import json
from contextlib import suppress
from pathlib import Path
from time import sleep

import pytest

from bmc.cli.app import run
from bmc.frontends.tla import origin, suite

from .clock import CLOCK, CONSTANTS, Bmc


def test_states_are_counted_as_tlc_counts_them(bmc: Bmc) -> None:
    code, said = bmc("explore", "INVARIANTS Bounded Lit", "--json")
    assert (code, json.loads(said)["distinct_states"]) == (0, 14)


@pytest.mark.parametrize("command", ["explore", "prove", "check", "cover", "mine", "doctor"])
def test_a_translation_ends_at_the_time_limit_as_unknown(
    bmc: Bmc, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(*_: object, **__: object) -> None:
        while True:
            with suppress(Exception):
                str(0)

    for translating in (origin, suite):
        monkeypatch.setattr(translating, "translate", endless)
    code, said = bmc(command, "INVARIANTS Bounded", "--timeout", "0.3", stderr=True)
    assert code == 3
    assert "the time limit has passed" in said
    assert "Clock.tla means is unknown" in said


@pytest.mark.parametrize("command", ["explore", "prove"])
def test_a_translation_ends_at_the_memory_limit_as_unknown(
    bmc: Bmc, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def greedy(*_: object, **__: object) -> None:
        while True:
            sleep(0.01)

    monkeypatch.setattr(origin, "translate", greedy)
    code, said = bmc(command, "INVARIANTS Bounded", "--memory", "1", stderr=True)
    assert code == 3
    assert "the memory limit of 1 MB is met" in said


def test_an_alias_that_is_not_evaluated_is_said_to_be(bmc: Bmc) -> None:
    said = bmc("check", "INVARIANT Bounded ALIAS Both")[1]
    assert "ALIAS Both is read, not evaluated" in said
    assert "ALIAS" not in bmc("check", "INVARIANT Bounded")[1]


def test_states_outside_a_constraint_are_judged_and_not_counted(bmc: Bmc) -> None:
    code, said = bmc("explore", "CONSTRAINT Small INVARIANT Bounded", "--json")
    assert (code, json.loads(said)["distinct_states"]) == (0, 5)
    code, said = bmc("check", "CONSTRAINT Small INVARIANT Tight")
    assert code == 1
    assert "Tight: a trace of 3 states" in said


def test_values_are_written_as_the_text_writes_them(bmc: Bmc) -> None:
    code, said = bmc("check", "INVARIANT Tight")
    assert code == 1
    assert "lamp   Off" in said
    assert "1  Tick" in said


def test_a_temporal_property_that_is_not_checked_is_said_so(bmc: Bmc) -> None:
    code, said = bmc("prove", "PROPERTIES Forward Live")
    assert code == 0
    assert "Live is a temporal property: it is NOT checked" in said
    assert "Forward" in said


def test_a_proof_says_how_far_the_model_was_compared_with_the_text(bmc: Bmc) -> None:
    code, said = bmc("prove", "INVARIANT Lit CHECK_DEADLOCK FALSE", "--lemma", "Bounded")
    assert code == 0
    assert "compared with the text at 14 states" in said
    assert "Deadlock" not in said


def test_a_proof_with_a_lemma_is_rejected_with_what_names_the_lemma_again(
    bmc: Bmc, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "proof.json")
    words = ("--lemma", "Bounded")
    assert bmc("prove", "INVARIANT Lit", *words, "--certificate", file)[0] == 0
    certify = ["certify", file, "--protocol", str(tmp_path / "Clock.tla")]
    assert run([*certify, *words]) == 0
    capsys.readouterr()
    assert run(certify) == 2
    said = capsys.readouterr().err
    assert "if it was proved with --lemma Bounded, give that again" in said


def test_a_deadlock_is_a_violation_unless_the_configuration_says_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = CLOCK.replace("Next == Tick \\/ Switch", "Next == Tick")
    (tmp_path / "Clock.tla").write_text(text)
    for words, code in (("", 1), ("CHECK_DEADLOCK FALSE", 0)):
        (tmp_path / "Clock.cfg").write_text(f"{CONSTANTS}INVARIANT Bounded {words}")
        assert run(["check", str(tmp_path / "Clock.tla"), "--depth", "5"]) in (code, 3 * (not code))
        said = capsys.readouterr().out
        assert ("Deadlock: a trace of 4 states" in said) is bool(code)


def test_an_error_names_its_place_and_what_to_do(bmc: Bmc) -> None:
    code, said = bmc("check", "INVARIANT Tigth", stderr=True)
    assert code == 2
    assert "Clock.cfg:2:11: Tigth is not defined in module Clock" in said
    assert "did you mean Tight?" in said


def test_another_configuration_is_named_by_an_option(bmc: Bmc, tmp_path: Path) -> None:
    other = tmp_path / "Other.cfg"
    other.write_text(CONSTANTS.replace("3", "1"))
    code, said = bmc("explore", "INVARIANT Bounded", "--json", "--config", str(other))
    told = json.loads(said)
    assert (code, told["distinct_states"]) == (0, 5)
    assert told["protocol"].endswith("Clock.tla@Other.cfg")


MIXED = """---- MODULE Mixed ----
EXTENDS Naturals, TLC
CONSTANTS S
VARIABLES x, y
Init == x = 0 /\\ y \\in S
Next == x' = (x + 1) % 3 /\\ y' \\in S
Apart == x # "zero"
Renamed == Permutations(S)
Seen == x
====
"""


def test_values_of_two_kinds_differ(tmp_path: Path) -> None:
    (tmp_path / "Mixed.tla").write_text(MIXED)
    (tmp_path / "Mixed.cfg").write_text("INIT Init NEXT Next CONSTANT S = {a} INVARIANT Apart")
    assert run(["prove", str(tmp_path / "Mixed.tla")]) == 0


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        ('x # {1, "x"} /\\ {"x", a, 1} # {1, "x"}', 0),
        ('x = {1, a, "x"} /\\ {"x", a, 1} = {a, 1, "x"}', 0),
        ('x = {1, "x"}', 1),
        ('{"x", a, 1} = {1, "x"}', 1),
    ],
)
def test_sets_with_members_of_two_kinds_are_compared(claim: str, code: int, tmp_path: Path) -> None:
    states = 'VARIABLE x\nInit == x = {"x", a, 1}\nNext == UNCHANGED x'
    text = f"{states}\nInv == {claim}"
    (tmp_path / "Sets.tla").write_text(f"---- MODULE Sets ----\nCONSTANT a\n{text}\n====\n")
    (tmp_path / "Sets.cfg").write_text("INIT Init NEXT Next INVARIANT Inv CONSTANT a = a")
    assert run(["prove", str(tmp_path / "Sets.tla")]) == code


def test_typed_model_values_differ(tmp_path: Path) -> None:
    text = "VARIABLE x\nInit == x = A_x\nNext == x' = 1\nInv == A_x # B_y /\\ (x # 1 \\/ x # A_x)"
    (tmp_path / "Typed.tla").write_text(
        f"---- MODULE Typed ----\nCONSTANTS A_x, B_y\n{text}\n====\n"
    )
    words = "INIT Init NEXT Next INVARIANT Inv CONSTANTS A_x = A_x B_y = B_y"
    (tmp_path / "Typed.cfg").write_text(words)
    assert run(["prove", str(tmp_path / "Typed.tla")]) == 0


def test_numbers_beyond_32_bits_are_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "VARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 40\nInv == 2^x < {}\n"
    for most, code in (("549755813889", 0), ("549755813888", 1)):
        whole = f"---- MODULE Wide ----\nEXTENDS Naturals\n{text.format(most)}====\n"
        (tmp_path / "Wide.tla").write_text(whole)
        (tmp_path / "Wide.cfg").write_text("INIT Init NEXT Next INVARIANT Inv")
        assert run(["explore", str(tmp_path / "Wide.tla")]) == code
    assert "violated after step 39" in capsys.readouterr().out


def test_symmetry_and_view_do_not_change_what_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Mixed.tla").write_text(MIXED)
    words = "INIT Init NEXT Next CONSTANT S = {a, b, c} SYMMETRY Renamed VIEW Seen"
    words += " POSTCONDITION Seen _PERIODIC Seen"
    (tmp_path / "Mixed.cfg").write_text(words)
    assert run(["explore", str(tmp_path / "Mixed.tla")]) == 0
    said = capsys.readouterr().out
    assert "9 distinct states" in said
    assert "VIEW Seen is not used" in said
    assert "SYMMETRY Renamed is not used" in said
    assert "POSTCONDITION Seen is not evaluated" in said
    assert "_PERIODIC Seen is not evaluated" in said


def test_a_step_is_generated_and_an_initial_state_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """TLC generates 4 states here, two of them initial ones."""
    text = "VARIABLE x\nInit == x \\in {0, 1}\nNext == x' = 1 - x"
    (tmp_path / "Flip.tla").write_text(f"---- MODULE Flip ----\nEXTENDS Integers\n{text}\n====\n")
    (tmp_path / "Flip.cfg").write_text("INIT Init NEXT Next")
    assert run(["explore", str(tmp_path / "Flip.tla")]) == 0
    assert "2 distinct states in 1 level, 2 generated" in capsys.readouterr().out


EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"


def test_the_example_of_the_documentation_is_as_it_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["explore", str(EXAMPLES / "Backup.tla"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["distinct_states"] == 397
    assert run(["prove", str(EXAMPLES / "Backup.tla")]) == 0
    assert "Elected is a temporal property: it is NOT checked" in capsys.readouterr().out
    careless = str(EXAMPLES / "Careless.cfg")
    assert run(["check", str(EXAMPLES / "Backup.tla"), "--config", careless]) == 1
    assert "Kept: a trace of 5 states" in capsys.readouterr().out


def test_all_that_is_not_supported_is_listed_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Mixed.tla").write_text(
        MIXED.replace("Apart ==", 'Other == TLCGet("level") > 1\nThird == 1.5 = x\nApart ==')
    )
    words = "INIT Init NEXT Next CONSTANT S = {a} INVARIANTS "
    (tmp_path / "Mixed.cfg").write_text(f"{words} Other Third Apart")
    assert run(["doctor", str(tmp_path / "Mixed.tla")]) == 2
    said = capsys.readouterr().out
    assert "Mixed.tla:7:10: TLCGet is not supported" in said
    assert "Mixed.tla:8:10: the real number 1.5 is not supported" in said
    (tmp_path / "Mixed.cfg").write_text(f"{words} Apart")
    assert run(["doctor", str(tmp_path / "Mixed.tla")]) == 0


@pytest.mark.parametrize("given", ["--lemma Nope", "--bound nope=0..3", "-p Nope=3"])
def test_what_is_given_beside_a_text_is_examined_with_it(
    given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing was said of it by `doctor`, and every other command refused it."""
    text = tmp_path / "Mixed.tla"
    text.write_text(MIXED)
    (tmp_path / "Mixed.cfg").write_text("INIT Init NEXT Next CONSTANT S = {a} INVARIANTS Apart")
    option, value = given.split()
    words = [f"{text}@{value}"] if option == "-p" else [str(text), option, value]
    assert (run(["doctor", *words]), run(["explore", *words])) == (2, 2)
    said = capsys.readouterr().err.splitlines()
    assert said[0].removeprefix("bmc doctor") == said[len(said) // 2].removeprefix("bmc explore")


def test_a_trace_is_written_as_tlc_prints_it(bmc: Bmc, tmp_path: Path) -> None:
    code, _ = bmc("check", "INVARIANT Tight", "--trace", str(tmp_path / "t.tla.txt"))
    assert code == 1
    written = (tmp_path / "t.tla.txt").read_text()
    assert written.startswith("State 1: <Initial predicate>\n/\\ clock = 0\n/\\ lamp = Off\n")
    place = "line 7, col 9 to line 7, col 60 of module Clock"
    assert f"State 3: <Tick {place}>\n/\\ clock = 2\n" in written
    _, shown = bmc("check", "INVARIANT Tight", "--format", "tla")
    assert f"Tight: a trace of 3 states\n\n{written}\n" in shown
    _, narrow = bmc("check", "INVARIANT Tight", "--format", "tla", "--only", "clock")
    assert f"State 3: <Tick {place}>\nclock = 2\n" in narrow


def test_a_specification_is_kept_in_a_lock(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "specs").mkdir()
    spec = tmp_path / "specs" / "Clock.tla"
    spec.write_text(CLOCK)
    (tmp_path / "specs" / "Clock.cfg").write_text(f"{CONSTANTS}INVARIANT Bounded")
    lock = ["regress", "--baseline", str(tmp_path / "bmc.lock")]
    assert run([*lock, "--update", "--protocol", str(spec)]) == 0
    assert 'protocol = "specs/Clock.tla"' in (tmp_path / "bmc.lock").read_text()
    spec.write_text(CLOCK.replace("Tick ==", "\\* a comment changes nothing\nTick =="))
    capsys.readouterr()
    assert run(lock) == 0
    assert "has changed" not in capsys.readouterr().out


def test_constants_are_parameters(bmc: Bmc) -> None:
    code, said = bmc("explore", "INVARIANT Bounded", "--json", "-p", "Most=1")
    told = json.loads(said)
    assert (code, told["distinct_states"]) == (0, 5)
    assert told["protocol"].endswith("Clock.tla@Most=1")
    code, said = bmc("explore", "INVARIANT Bounded", "-p", "Of=1", stderr=True)
    assert code == 2
    assert "these can be given a number: Most" in said
    code, said = bmc("explore", "INVARIANT Bounded", "-p", "most=1", stderr=True)
    assert "did you mean Most? these can be given a number: Most" in said


@pytest.mark.parametrize(("size", "expected"), [(2, 0), (1, 1)])
def test_the_size_of_a_product_that_varies_is_counted(
    bmc: Bmc, tmp_path: Path, size: int, expected: int
) -> None:
    sized = f"Lit == Cardinality({{clock}} \\X {{clock, 9}}) = {size}"
    text = CLOCK.replace("Naturals", "Naturals, FiniteSets")
    (tmp_path / "Clock.tla").write_text(text.replace("Lit ==", f"{sized}\nDark =="))
    code, _ = bmc("explore", "INVARIANTS Lit", stderr=True)
    assert code == expected
