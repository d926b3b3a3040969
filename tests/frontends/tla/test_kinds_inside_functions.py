"""What a function or set is made of is of the kind that it has to be, though nobody reads it.

A function that is compared with a number is none, whatever its values are: a claim was proved
where TLC, which finds them all, ends with an error.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from bmc.frontends.tla.errors import TlaUnsupported
from tests.frontends.tla.models import explored, translated

TEXT = """
EXTENDS Integers, Sequences, FiniteSets
VARIABLES k, q, s
More(z) == z + 1
V == q
Init == k = 0 /\\ q = <<1, 2>> /\\ s = {1, 2}
Next == k < 2 /\\ k' = k + 1 /\\ q' = Tail(q) /\\ s' = s \\ {k}
Sums[z \\in 0..3] == IF z = 0 THEN 0 ELSE Sums[z - 1] + z
Other[z \\in 0..3] == IF z = 0 THEN 5 ELSE IF q + 1 = 77 THEN 5 ELSE Other[z - 1]
Claim == %s
"""
CONFIG = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Claim"

NUMBERS = ["z + 1", "-z", "1..z", "z < 5", "More(z)", "LET y == z IN y + 1", "k + z * 0"]
OTHERS = ["More(q)", "V + 1", "{k} + 1", "7 \\cup {1}", "IF 7 THEN 5 ELSE 5", "{1} + 1"]
SETS = [
    "z \\cup {1}",
    "1 \\in z",
    "z \\subseteq z",
    "\\A y \\in z : TRUE",
    "{y \\in z : TRUE}",
    "{5 : y \\in z}",
    "[y \\in z |-> 1]",
    "z \\X {1}",
    "SUBSET z",
    "[a : z]",
    "[{1} -> z]",
    "Cardinality(z)",
]
TRUTHS = ["z /\\ TRUE", "~z", "z \\/ TRUE", "IF z THEN 5 ELSE 5", "\\A y \\in {1} : z"]
COMPARED = [
    *(f"[z \\in {{q}} |-> {body}] # 77" for body in NUMBERS),
    *(f"[z \\in {{k}} |-> {body}] # 77" for body in OTHERS + SETS + TRUTHS),
    "[z \\in {7} |-> z \\cup {1}] # 77",
    "Other # 77",
    "{Other} # {77}",
    "[a |-> Other] # 77",
    "(LET e == Other IN e = e)",
    *(
        f"(LET e == {one} IN e = e)"
        for one in (
            "{z \\in {1} : 7}",
            "{z \\in {1} : k}",
            "{z \\in {q} : z}",
            "{z \\in {q} : z > 0}",
            "{z + 1 : z \\in {q}}",
        )
    ),
]


@pytest.mark.parametrize("claim", COMPARED)
def test_what_is_of_another_kind_inside_decides_no_claim(tmp_path: Path, claim: str) -> None:
    with suppress(TlaUnsupported):
        assert not explored(translated(tmp_path, TEXT % claim, CONFIG)).holds


@pytest.mark.parametrize(
    "claim",
    [
        "[z \\in {k} |-> z + 1] # 77",
        "[z \\in s |-> More(z)] # 77",
        "[z \\in {s} |-> z \\cup {1}] # 77",
        "[z \\in SUBSET s |-> {y \\in z : y > 1}] # 77",
        "[z \\in {k < 2} |-> z /\\ TRUE] # 77",
        "[z \\in DOMAIN q |-> q[z] + z] # 77",
        "(LET e == {z + 1 : z \\in s} IN e = e)",
        "Sums # 77",
        "DOMAIN Other = 0..3 /\\ Other[0] = 5",
    ],
)
def test_what_is_of_its_kind_inside_is_read(tmp_path: Path, claim: str) -> None:
    assert explored(translated(tmp_path, TEXT % claim, CONFIG)).holds == ("Claim",)


def test_an_instance_s_parameter_is_of_the_kind_that_it_was_given(tmp_path: Path) -> None:
    # It was refused as nested too deeply: what hands the parameter on gives it for itself.
    text = """
EXTENDS Integers
VARIABLE k
---- MODULE Inner ----
CONSTANT Step
Limit == Step
Sums == [z \\in 0..2 |-> z + Limit]
====
I(n) == INSTANCE Inner WITH Step <- n
Init == k = 0
Next == k < 2 /\\ k' = k + 1
Claim == I(%s)!Sums # 77
"""
    assert explored(translated(tmp_path, text % "1", CONFIG)).holds == ("Claim",)
    with suppress(TlaUnsupported):
        assert not explored(translated(tmp_path, text % "{1}", CONFIG)).holds


def test_a_lambda_that_an_instance_is_given_reads_the_instance_s_parameter(tmp_path: Path) -> None:
    # It was an internal failure: the LAMBDA was taken for one that reads nothing around it.
    text = """
EXTENDS Integers
VARIABLE k
---- MODULE Inner ----
CONSTANT Step, Op(_)
Limit == Op(Step)
Next == Op(1)
====
I(n) == INSTANCE Inner WITH Step <- n, Op <- LAMBDA a : a + n
Init == k = 0
Next == k' = I(k)!Next % 4
Claim == k # 3 /\\ \\A q \\in 0..2 : I(q)!Limit = 2 * q /\\ I(k)!Limit = 2 * k
"""
    found = explored(translated(tmp_path, text, CONFIG))
    assert found.distinct_states == 4
    assert len(found.violations["Claim"]) == 4


def test_a_value_of_a_step_that_cannot_be_translated_is_refused(tmp_path: Path) -> None:
    # It was an internal failure: what has to be a sequence may be a record.
    text = """
EXTENDS Integers, SequencesExt
VARIABLES x, y
Init == x = 0 /\\ y = <<3>>
Next == x' = Last(y) /\\ y' = [a |-> 3, b |-> {1}]
P == x < 9
"""
    with pytest.raises(TlaUnsupported, match="is used as a sequence") as refused:
        translated(tmp_path, text, "INIT Init NEXT Next INVARIANT P")
    assert refused.value.span.line == 6
