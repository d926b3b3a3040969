"""What is no function, sequence or truth in some state leaves what is made of it without a value.

A variable holds values of several kinds there. Which of them are functions, and with which domain,
its sort says, and a claim that this decides would be proved.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.tla.models import explored, translated

TEXT = """
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES u, held
Init == u = %s /\\ held = [a |-> u]
Next == /\\ u # %s /\\ u' = %s /\\ held' = [a |-> u']
"""

OF_FUNCTIONS = [
    "DOMAIN u # {77}",
    "1 \\in DOMAIN u \\/ TRUE",
    "\\A z \\in DOMAIN u : TRUE",
    "Cardinality(DOMAIN u) < 77",
    "(LET z == DOMAIN u IN 5) = DOMAIN u \\/ TRUE",
    "{DOMAIN z : z \\in {u}} # {77}",
    "[z \\in {1} |-> DOMAIN u][1] # 77",
    "(u @@ u) # 77",
    "((7 :> 1) @@ u)[7] = 1",
    "[u EXCEPT ![1] = 9] # 77",
    "[held EXCEPT !.a[1] = 9] # 77",
    "[held EXCEPT !.a = DOMAIN @] # 77",
]

OF_SEQUENCES = [
    "Len(u) # 77",
    "Append(u, 1) # <<77>>",
    "u \\o u # <<77>>",
    "SubSeq(u, 1, 0) # <<77>>",
    "SelectSeq(u, LAMBDA z : FALSE) = <<>>",
    "[z \\in {1} |-> Len(u)] # 77",
    "[held EXCEPT !.a = Len(@)] # 77",
]


@pytest.mark.parametrize(
    ("first", "then", "claims"),
    [
        ("<<1, 2>>", "7", OF_FUNCTIONS + OF_SEQUENCES),
        ("<<1, 2, 3>>", "{1}", OF_FUNCTIONS + OF_SEQUENCES),
        ("[a |-> 1, b |-> 2]", "7", OF_FUNCTIONS),
        ("[i \\in {0, 1, 5} |-> 1]", '"s"', OF_FUNCTIONS),
    ],
)
def test_what_is_no_function_in_some_state_decides_no_claim(
    tmp_path: Path, first: str, then: str, claims: list[str]
) -> None:
    named = {f"C{number}": claim for number, claim in enumerate(claims)}
    text = TEXT % (first, then, then) + "".join(f"{n} == {claim}\n" for n, claim in named.items())
    config = f"INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANTS {' '.join(named)}"
    found = explored(translated(tmp_path, text, config))
    assert [named[name] for name in found.holds] == []


def test_a_function_in_every_state_is_one(tmp_path: Path) -> None:
    """Though it is a record in one, and a sequence in the other."""
    text = TEXT % ("<<1, 2>>", "[a |-> 1]", "[a |-> 1]")
    text += "Claim == DOMAIN u # {77} /\\ (u @@ u) = u /\\ [u EXCEPT !.a = 1] # 77\n"
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Claim"
    assert explored(translated(tmp_path, text, config)).holds == ("Claim",)


@pytest.mark.parametrize(
    "claim",
    [
        "{{z \\in {1} : u} : y \\in {1}} # {77}",
        "<<>> \\in Seq({z \\in {1} : u})",
        "(LET e == {z \\in {1} : u} IN e = e)",
        "u <=> u",
    ],
)
def test_what_is_no_truth_in_some_state_decides_no_claim(tmp_path: Path, claim: str) -> None:
    text = TEXT % ("TRUE", "7", "7") + f"Claim == {claim}\n"
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Claim"
    assert not explored(translated(tmp_path, text, config)).holds


@pytest.mark.parametrize(
    ("first", "then", "claim"),
    [
        ("<<1, 2>>", "7", "Rc(u) = 0"),
        ("<<1, 2>>", "7", "Rd(u, 2) = 0"),
        ("<<1>>", "{7}", "FoldSet(LAMBDA c, e : IF DOMAIN c = {} THEN 5 ELSE 5, 5, {u}) = 5"),
    ],
)
def test_a_recursion_or_fold_of_one_value_reads_what_it_is_given(
    tmp_path: Path, first: str, then: str, claim: str
) -> None:
    """Though it comes to the same in every branch."""
    text = (TEXT % (first, then, then)).replace("TLC\n", "TLC, FiniteSetsExt\n", 1)
    text += "RECURSIVE Rc(_), Rd(_, _)\nRc(c) == IF c = <<>> THEN 0 ELSE Rc(Tail(c))\n"
    text += "Rd(c, n) == IF n = 0 \\/ c = <<>> THEN 0 ELSE Rd(Tail(c), n - 1)\n"
    text += f"Claim == {claim}\n"
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Claim"
    assert not explored(translated(tmp_path, text, config)).holds


@pytest.mark.parametrize(
    "claim",
    [
        "[z \\in {u} |-> DOMAIN z] # 77",
        "{Len(z) : z \\in {u}} # 77",
        "[held EXCEPT !.a = Len(@)] # 77",
        "u * 0 = 0",
    ],
)
def test_what_is_a_function_in_no_state_decides_no_claim(tmp_path: Path, claim: str) -> None:
    text = TEXT % ("{1}", "{2}", "{2}") + f"Claim == {claim}\n"
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Claim"
    assert not explored(translated(tmp_path, text, config)).holds
