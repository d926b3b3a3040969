"""An operator has no value of a constant of another kind than it is for, and decides no claim.

What is counted, joined and looked up in Python may be a string, or a set, as well as a sequence.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bmc.frontends.tla.load import load
from bmc.frontends.tla.translate.model import translate
from tests.frontends.tla.models import explored

OF_SETS = [
    "V \\cup {}",
    "{} \\cap V",
    "{} \\ V",
    "{} \\subseteq V",
    "{} \\in SUBSET V",
    "<<>> \\in Seq(V)",
    "1 \\in V",
    "IsFiniteSet(V)",
    "Cardinality(V)",
    "V \\X {1}",
    "[V -> {}]",
    "[{} -> V]",
    "[a : V]",
    "[z \\in V |-> 1]",
    "{z \\in SUBSET V : FALSE}",
    "{1 : z \\in V}",
    "UNION {V}",
    "UNION {{1}, V}",
    "UNION {{k}, V}",
]
OF_FUNCTIONS = ["DOMAIN V", "V @@ V", "(0 :> 1) @@ V", "[V EXCEPT ![9] = 1]"]
OF_SEQUENCES = [
    "FoldLeft(LAMBDA p, q : 1, 1, V)",
    "Append(V, 1)",
    "SelectSeq(V, LAMBDA p : FALSE)",
    "SortSeq(V, LAMBDA p, q : FALSE)",
]
OF_NUMBERS = ["V + 1", "V < 1", "1 .. V", "1 ^ V"]

SINGLE = ["TRUE", '"s"', "Mv"]
SETS = ["{1}", "{}"]
KINDS = [
    (OF_SETS, [*SINGLE, "7", "<<1>>", "[a |-> 1]"]),
    (OF_FUNCTIONS, [*SINGLE, "7", *SETS]),
    (OF_SEQUENCES, [*SINGLE, "7", *SETS, "[a |-> 1]"]),
    (OF_NUMBERS, [*SINGLE, *SETS, "<<1>>", "[a |-> 1]"]),
    (["2 ^ V", "5 % V"], ["(-1)"]),
]

HEAD = """
EXTENDS Integers, Sequences, FiniteSets, TLC, FiniteSetsExt, SequencesExt
CONSTANT Mv
VARIABLE k
Init == k = 0
Next == k' = 1 - k
"""

WRITTEN = "LET y == {made} IN y = y"
OUTSIDE = "[<<>> EXCEPT ![{made}] = 1] = <<>>"
FOLDED = (
    "FoldSet(LAMBDA c, e : IF ({made}) = ({made}) THEN 5 ELSE 5, 5, {{{one} : z \\in {{k}}}}) = 5"
)


def held(folder: Path, claims: list[str]) -> set[str]:
    """Return the claims that an exploration of their translation proves."""
    named = {f"C{number}": claim for number, claim in enumerate(claims)}
    text = HEAD + "".join(f"{name} == {claim}\n" for name, claim in named.items())
    (folder / "M.tla").write_text(f"---- MODULE M ----\n{text}\n====\n")
    (folder / "M.cfg").write_text(
        f"INIT Init NEXT Next CHECK_DEADLOCK FALSE CONSTANT Mv = Mv INVARIANTS {' '.join(named)}"
    )
    translation = translate(replace(load(folder / "M.tla"), partly=True))
    return {named[name] for name in explored(translation).holds}


@pytest.mark.parametrize("form", [WRITTEN, OUTSIDE, FOLDED])
def test_a_constant_of_another_kind_decides_no_claim(tmp_path: Path, form: str) -> None:
    claims = [
        form.format(made=operator.replace("V", "c" if form is FOLDED else one), one=one)
        for operators, others in KINDS
        for operator in operators
        for one in others
    ]
    assert held(tmp_path, claims) == set()


def test_what_no_set_spans_decides_no_claim_of_a_variable(tmp_path: Path) -> None:
    claims = [
        "<<>> \\in Seq(k)",
        "{} \\in SUBSET k",
        "[k -> {1}] # 7",
        "k \\X {1} # 7",
        "[a : k] # 7",
    ]
    assert held(tmp_path, claims) == set()


def test_a_constant_of_its_kind_has_a_value(tmp_path: Path) -> None:
    claims = ['DOMAIN <<"a", 1>> = {1, 2}', "[a |-> 1] @@ <<1>> # 7", "<<1>> \\in Seq({1})"]
    assert held(tmp_path, claims) == set(claims)
