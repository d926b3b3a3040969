"""Where model checkers have differed: decided as TLA+ means it, or refused with a place.

What has no value is neither proved nor violated, whether the claim or its negation is asked for.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.app import run
from bmc.frontends.tla.errors import TlaUnsupported
from tests.frontends.tla.models import translated

HOLDS = [
    ("\\div rounds down", "-5", "x \\div 2 = -3"),
    ("\\div by a negative number", "-2", "5 \\div x = -3"),
    ("% of a negative number", "-5", "x % 3 = 1"),
    ("large numbers", "2147483647", "x + 1 = 2147483648"),
    ("Nat has a member", "{1}", "x \\subseteq Nat"),
    ("Int without Nat", "0", "-1 \\in Int \\ Nat"),
    ("a union with Nat", "0", "3 \\in {1} \\union Nat"),
    ("UNION of Nat", "0", "1 \\in UNION {Nat}"),
    ("a filter of Nat", "0", "x \\in {y \\in Nat : y < 3}"),
    ("a function over Nat", "3", "[i \\in Nat |-> i][x] = 3"),
    ("Nat is infinite", "0", "~IsFiniteSet(Nat)"),
    ("a LET is an operand", "0", "(LET a == 1 IN a) + 1 = 2"),
    ("a guard before %", "0", "x = 0 \\/ 1 % x = 0"),
    ("a guard before \\div", "0", "x # 0 => 1 \\div x = 1"),
    ("Seq of a set", "<<1>>", "x \\in Seq({1}) /\\ x \\notin Seq({2})"),
    ("functions of no argument", "0", "[{} -> {}] = {<<>>} /\\ [{} -> {1}] = {<<>>}"),
    ("functions to nothing", "0", "[{1} -> {}] = {}"),
    ("CHOOSE is a function", "0", "(CHOOSE y \\in {1, 2} : y > x) = CHOOSE y \\in {2, 1} : y > x"),
    ("CASE with two true guards", "0", "(CASE x = 0 -> 1 [] x < 1 -> 2) \\in {1, 2}"),
    ("a range of a variable", "2", "1..x = {1, 2} /\\ x..1 = {}"),
    ("a filter of SUBSET", "{1}", "{s \\in SUBSET x : TRUE} = SUBSET x"),
    ("EXCEPT outside the domain", "[i \\in {1} |-> 0]", "[x EXCEPT ![2] = 1] = x"),
    ("a label", "0", "l1:: (x = 0)"),
]
NOTHING = [
    ("application outside the domain", "0", "[i \\in {1} |-> i][x] = 2"),
    ("CHOOSE of nothing", "0", "(CHOOSE y \\in {1, 2} : y = x) = 1"),
    ("Head of nothing", "<<>>", "Head(x) = 1"),
    ("Tail of nothing", "<<>>", "Tail(x) = <<>>"),
    ("SubSeq outside", "<<1>>", "SubSeq(x, 0, 3) = <<>>"),
    ("CASE without an arm", "0", "CASE x = 1 -> TRUE"),
    ("0^0", "0", "x^x = 1"),
    ("a negative exponent", "0", "2^(x - 1) = 0"),
    ("% by a negative number", "-3", "5 % x = -1"),
    ("\\div by zero", "0", "1 \\div x = 0"),
    ("a field that is not there", "[a |-> 1]", "x.b = 1"),
    ("finite or not", "0", "IsFiniteSet({y \\in Nat : y < 3})"),
    ("the size of Nat", "0", "Cardinality(Nat) = x"),
    ("a value that cannot be held", "Nat", "x = Nat"),
]


def explored(
    folder: Path, capsys: pytest.CaptureFixture[str], claims: list[tuple[str, str]]
) -> tuple[int, dict[str, Any]]:
    """Explore a module with a variable and an invariant for each initial value and claim."""
    names = [f"x{number}" for number in range(len(claims))]
    lines = ["EXTENDS Integers, Sequences, FiniteSets", f"VARIABLES {', '.join(names)}", "Init =="]
    lines += [f"  /\\ {name} = {one[0]}" for name, one in zip(names, claims, strict=True)]
    lines += [f"Next == UNCHANGED <<{', '.join(names)}>>"]
    for name, (_, claim) in zip(names, claims, strict=True):
        lines.append(f"Inv_{name} == " + re.sub(r"\bx\b", name, claim))
    (folder / "One.tla").write_text("\n".join(["---- MODULE One ----", *lines, "===="]))
    stated = " ".join(f"Inv_{name}" for name in names)
    config = f"INIT Init NEXT Next INVARIANTS {stated} CHECK_DEADLOCK FALSE\n"
    (folder / "One.cfg").write_text(config)
    code = run(["explore", str(folder / "One.tla"), "--json", "--continue"])
    return code, json.loads(capsys.readouterr().out)


def test_what_holds_is_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = explored(tmp_path, capsys, [one[1:] for one in HOLDS])
    verdicts = [one["verdict"] for one in said["results"]]
    wrong = [one[0] for one, told in zip(HOLDS, verdicts, strict=True) if told != "proved"]
    assert (code, wrong) == (0, [])


def test_a_set_without_end_is_refused_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A class of the translator was named."""
    code, said = explored(tmp_path, capsys, [("{y \\in Int : y = 0}", "TRUE")])
    assert code == 2
    first = said["error"]["message"].splitlines()[0]
    assert first.endswith("this set has no end, so nothing can run over its members")


@pytest.mark.parametrize(
    "made", ["SUBSET Nat", "[a : Nat]", "{1} \\X Nat", "Nat \\ x", "[x -> Nat]"]
)
def test_a_set_made_of_one_without_end_is_not_said_to_be_finite(tmp_path: Path, made: str) -> None:
    """The translation had a proof that it is, which only the comparison with the text held back."""
    text = f"""
EXTENDS Integers, FiniteSets
VARIABLE x
Init == x = {{1}}
Next == UNCHANGED x
P == IsFiniteSet({made})
"""
    with pytest.raises(TlaUnsupported, match="made of one without end"):
        translated(tmp_path, text, "INIT Init NEXT Next INVARIANT P")


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize(
    ("initial", "claim"), [one[1:] for one in NOTHING], ids=[o[0] for o in NOTHING]
)
def test_what_has_no_value_has_no_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], initial: str, claim: str, negated: bool
) -> None:
    stated = f"~({claim})" if negated else claim
    code, said = explored(tmp_path, capsys, [(initial, stated)])
    if code == 2:  # It cannot be translated.
        assert "One.tla:" in said["error"]["message"]
        return
    assert code == 3
    (found,) = said["results"]
    assert found["verdict"] == "unknown"
    assert "One.tla:" in found["reason"]
