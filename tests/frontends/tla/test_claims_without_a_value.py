"""What has no value in one state is not proved, though the sorts of its parts would decide it.

The numbers and names that the claims compare with are none that the variables have, and the state
is behind more steps than the comparison with the text walks: only the translation can tell.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bmc.cli.app import run
from tests.frontends.tla.models import explored, translated

TEXT = """
EXTENDS Integers, Sequences, TLC
CONSTANT None
VARIABLES x, seq, pair, at, name, kind, mixed, set, fun, most
Init == /\\ x = 0 /\\ seq = <<1, 2>> /\\ pair = <<1, 2>> /\\ at = 1 /\\ name = "a"
        /\\ kind = [t |-> "x", v |-> 1] /\\ mixed = 1 /\\ set = {1} /\\ fun = [i \\in {1, 2} |-> 1]
        /\\ most = 1
Next == /\\ x = 0 /\\ x' = 1 /\\ seq' = <<>> /\\ pair' = pair /\\ at' = 3 /\\ name' = "c"
        /\\ kind' = [t |-> "y", w |-> 2] /\\ mixed' = "q" /\\ set' = None
        /\\ fun' = [i \\in {2, 5} |-> 1] /\\ most' = 0
"""

CLAIMS = [
    "Head(seq) # 77",
    "Head(seq) \\in Nat",
    "seq[2] # 77",
    "<<Head(seq), 1>> \\notin {77} \\X {1}",
    "\\A q \\in 1..2 : seq[q] # 77",
    "pair[at] # 77",
    "<<x, 5>>[at] # 77",
    "[i \\in 1..2 |-> x][at] # 77",
    "[i \\in 1..2 |-> 7][at] = 7",
    "[a |-> x, b |-> 2][name] # 77",
    "[q \\in {name} |-> 1].a # 77",
    "(name :> 1).a # 77",
    "[[q \\in {name} |-> 1] EXCEPT !.a = 2].a # 77",
    "\\A z \\in {[q \\in {name} |-> 1]} : z.a # 77",
    "(seq @@ IF x = 0 THEN pair ELSE None) # 77",
    "\\A <<u, w>> \\in {SubSeq(pair, 1, 2 * most)} : TRUE",
    "\\A <<u, w>> \\in {pair, SubSeq(pair, 1, 1 + most)} : u # 77",
    "\\A <<u, w>> \\in {pair, fun} : u # 77",
    "~\\E <<u, w>> \\in (IF x = 0 THEN {pair} ELSE {2}) : FALSE",
    "{1 : <<u, w>> \\in {SubSeq(pair, 1, 2 * most)}} # {77}",
    "{<<u, w>> \\in {SubSeq(pair, 1, 2 * most)} : TRUE} # {77}",
    "DOMAIN [<<u, w>> \\in {SubSeq(pair, 1, 2 * most)} |-> 1] # {77}",
    "(CHOOSE <<u, w>> \\in {SubSeq(pair, 1, 2 * most)} : TRUE) # 77",
    'x = 0 \\/ \\A <<u, w>> \\in {"uw"} : u # 77',
    "x = 0 \\/ {<<u, w>> \\in SUBSET {1} : TRUE} # {77}",
    "x = 0 \\/ (LET f[<<u, w>> \\in {<<1>>}] == 1 IN f[<<1>>] = 1)",
    "SubSeq(pair, 1, most)[1] # 77",
    "fun[1] # 77",
    "kind.v # 77",
    "kind.v \\in Nat",
    "mixed > 0",
    "mixed + 1 # 77",
    "(CHOOSE i \\in 1..2 : i = at) # 77",
    "(CASE at = 1 -> 1) # 77",
    "\\A q \\in set : TRUE",
    "set \\subseteq {1, 2}",
    "1 \\in set",
    "Len(fun) # 77",
    "Len([i \\in at..3 |-> 0]) # 77",
    "Len([i \\in set |-> 0]) # 77",
    "Len(Tail([i \\in at..3 |-> 0])) # 77",
    "Append([i \\in at..3 |-> 0], 5) # <<77>>",
    "[i \\in at..3 |-> 0] \\o <<5>> # <<77>>",
    "Len(<<5>> \\o [i \\in at..3 |-> 0]) # 77",
    "Len(SubSeq([i \\in at..3 |-> 0], 2, 1)) = 0",
    "Head([i \\in 1..most |-> x]) # 77",
    "Head(SubSeq(pair, 1, most)) # 77",
    "Tail(SubSeq(pair, 1, most)) # <<77>>",
    "Len(Tail(SubSeq(pair, 1, most))) # 77",
    "SubSeq(seq, 1, 2) # <<>>",
    "SubSeq(seq, 1, 2) = SubSeq(seq, 1, 2)",
    "Tail(seq) = Tail(seq)",
    "Len(SubSeq(seq, 1, 2)) # 77",
    "Len(SubSeq(pair, most, 1)) # 77",
    "Len(SubSeq(pair, 1, at)) # 77",
    "SelectSeq(SubSeq(seq, 2, 2), LAMBDA q : FALSE) = <<>>",
    "Head(seq) = 77 => TRUE",
    "Head(seq) = 77 \\/ TRUE",
    "~(Head(seq) = 77 /\\ FALSE)",
    "(mixed > 0) \\/ x >= 0 \\/ TRUE",
    "IF Head(seq) = 77 THEN TRUE ELSE TRUE",
    "(IF Head(seq) = 77 THEN 5 ELSE 5) # 77",
    "(IF Head(seq) = 77 THEN {5} ELSE {5}) # {77}",
    "CASE Head(seq) = 77 -> TRUE [] OTHER -> TRUE",
    "(LET f[q \\in {at, 1, 2 * x + at - 1}] == IF q = 0 THEN 0 ELSE f[q - 1] IN f[1]) # 77",
]

HAVE_VALUES = [
    "\\A <<u, w>> \\in {pair, [i \\in 1..2 |-> x]} : u \\in Nat",
    "<<1, 2>> \\in {<<u, w>> \\in Seq(Nat) : u = 1}",
    "Len([i \\in 1..most |-> 0]) = most",
    "Len([i \\in {q \\in 0..2 : q > 0} |-> 0]) = 2",
    "Append([i \\in 1..most |-> x], 5)[1 + most] = 5",
    "SubSeq(seq, 5, most) = <<>>",
    "SubSeq(pair, 1, most) = IF most = 0 THEN <<>> ELSE <<1>>",
    "at \\in 1..2 => [i \\in 1..2 |-> x][at] >= 0",
    "Tail(SubSeq(pair, 1, 2 - x)) = IF x = 0 THEN <<2>> ELSE <<>>",
    "Twice(LAMBDA q : IF at = 1 THEN 0 % seq[1] ELSE q, 1) # 77",
    "FoldSet(LAMBDA q, r : r + (IF at = 1 THEN 0 % seq[1] ELSE q), 0, {1, at}) # 77",
    "Of(+, at, IF at = 1 THEN Head(seq) ELSE 3) = at + at",
    "FoldSet(LAMBDA q, r : r \\union {q}, {}, {1, at}) = {1, at}",
    "[c \\in 0..1 |-> IF at = 1 THEN Head(seq) ELSE 3][x] = at",
    "IF at = 1 THEN [q \\in (0..2) \\cup {Head(seq)} |-> TRUE][1] ELSE TRUE",
    "[c \\in 0..1 |-> c = 0 \\/ Head(seq) = 1][0]",
    "(LET f[q \\in 0..1] == IF q = x THEN x ELSE Head(seq) IN f[x]) = x",
    "(LET f[q \\in {0, x, 1}] == IF q < 1 THEN 0 ELSE f[q - 1] IN f[x]) = 0",
]

FIXED = """
EXTENDS Integers, Sequences, FiniteSets
VARIABLES x, at, fun, grid, kept, sets, rows
Init == /\\ x = 0 /\\ at = 1 /\\ fun = [i \\in 0..2 |-> i] /\\ rows = <<fun, fun>>
        /\\ grid = [i \\in (0..2) \\X {"a", "b"} |-> 1] /\\ kept = [i \\in [n : 0..2] |-> [v |-> 1]]
        /\\ sets = [i \\in 0..2 |-> {i}]
Next == x = 0 /\\ x' = 1 /\\ at' = 3 /\\ UNCHANGED <<fun, grid, kept, sets, rows>>
"""
"""The domains are the same in all states, and an argument is outside of them in one."""

OF_FIXED = [
    "fun[at] >= 0",
    "fun[at] = fun[at]",
    "fun[at] \\in Nat",
    "~(fun[at] > 77)",
    "-fun[at] * 2 <= 0",
    "fun[at] \\div 2 >= 0",
    "fun[at] >= 0 => TRUE",
    "<<fun[at], 1>>[2] = 1",
    "Cardinality({fun[at]}) >= 0",
    "\\A q \\in 0..at : fun[q] # 77",
    "LET q == fun[at] IN q >= 0",
    'grid[<<at, "a">>] # 77',
    'grid[<<at - 1, "a">>] + grid[<<at, "b">>] # 77',
    "kept[[n |-> at]] # 77",
    "kept[[n |-> at]].v # 77",
    "sets[at] \\subseteq 0..2",
    "UNION {sets[at]} \\subseteq 0..2",
    "rows[1][at] # 77",
    "fun[fun[at]] # 77",
    "fun[fun[2] + x] # 77",
]


@pytest.mark.parametrize("claim", OF_FIXED)
def test_a_function_applied_outside_a_domain_that_is_always_the_same_is_not_proved(
    tmp_path: Path, claim: str
) -> None:
    """What brings an argument to the sort of the domain was taken for a bound of the model."""
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Inv"
    found = explored(translated(tmp_path, f"{FIXED}\nInv == {claim}\n", config))
    assert len(found.violations.get("Inv", ())) == 2
    assert "Inv" not in found.holds


def require_no_value_in_the_second_state(folder: Path, text: str, claim: str) -> None:
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE CONSTANT None = None INVARIANT Inv"
    found = explored(translated(folder, f"{text}\nInv == {claim}\n", config))
    assert len(found.violations.get("Inv", ())) == 2
    assert "Inv" not in found.holds


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_without_a_value_is_not_proved(tmp_path: Path, claim: str) -> None:
    require_no_value_in_the_second_state(tmp_path, TEXT, claim)


OPERATED = TEXT.replace("Sequences", "Sequences, FiniteSetsExt, SequencesExt, TLC").replace(
    "Init", "Twice(Op(_), c) == Op(Op(c))\nOf(Op(_, _), c, d) == Op(c, d)\nInit", 1
)
"""An operator is given to another, and to folds."""

OF_OPERATORS = [
    "Twice(LAMBDA q : 0 % seq[1], 1) # 77",
    "Twice(LAMBDA q : <<x, q>>[1], Head(seq)) # 77",
    "Twice(LAMBDA q : [a |-> x, b |-> q].a, pair[at]) # 77",
    "Of(LAMBDA c, d : <<c, d>>[1], x, Head(seq)) # 77",
    "Of(%, 0, seq[1]) # 77",
    "FoldSet(LAMBDA q, r : 0 % seq[1], 0, {1, 2}) # 77",
    "FoldSet(LAMBDA q, r : <<0, pair[at]>>[1], 0, {1, at}) # 77",
    "FoldSet(LAMBDA q, r : TRUE, Head(seq) = 1, {1, 2})",
    "FoldLeft(LAMBDA q, r : IF r = 2 THEN 5 ELSE 0 % seq[1], 0, <<1, 2>>) # 77",
    "FoldSeq(LAMBDA q, r : 0 % seq[1], 0, <<1, 2>>) # 77",
    "FoldLeft(LAMBDA q, r : [a |-> 1, b |-> pair[at]], [a |-> 1, b |-> 1], <<1>>).a = 1",
    "MapThenSumSet(LAMBDA q : 0 % seq[1], {1, 2}) # 77",
    "(LET f[q \\in {x, 1}] == IF q < 1 THEN 0 ELSE f[q - 1] IN f[IF at = 3 THEN 1 ELSE 0]) # 77",
    "(1 :> x @@ 2 :> at)[at] # 77",
    "(x + 1 :> x @@ 2 :> at)[1] # 77",
]


@pytest.mark.parametrize("claim", OF_OPERATORS)
def test_what_an_operator_that_is_given_to_another_reads_is_read(
    tmp_path: Path, claim: str
) -> None:
    """Such claims were proved: nobody asked whether what the operator reads has a value."""
    require_no_value_in_the_second_state(tmp_path, OPERATED, claim)


DEFINED = OPERATED.replace(
    "Init",
    "Same(c) == c\nLost == [q \\in (0..2) \\cup {Head(seq)} |-> TRUE][1]\n"
    "Five == [q \\in (0..2) \\cup {Head(seq)} |-> 5][1]\nInit",
    1,
)
"""A function has a value at 1 whatever `Head(seq)` is, and none where that has none."""

BENEATH = [
    "[q \\in (0..2) \\cup {Head(seq)} |-> TRUE][1]",
    "Lost",
    "Same(Lost)",
    "LET c == Lost IN c",
    "IF x >= 0 THEN Lost ELSE TRUE",
    "CASE x >= 0 -> Lost [] OTHER -> FALSE",
    "<<TRUE, Head(seq)>>[1]",
    "[a |-> TRUE, b |-> Head(seq)].a",
    "(x :> TRUE @@ 5 :> FALSE @@ Head(seq) :> FALSE)[x]",
    "[[q \\in {1, 2} |-> TRUE] EXCEPT ![1] = TRUE, ![2] = (Head(seq) = 1)][1]",
    "[c \\in 0..1 |-> Lost][1]",
    "[c \\in 0..1 |-> Five][x] # 77",
    "[c, d \\in 0..1 |-> Five][x, x] # 77",
    "[c \\in 0..1 |-> [a |-> Five]][1].a = 5",
    "5 \\in [c \\in 0..1 |-> {Five}][1]",
    "Len([c \\in 0..1 |-> <<Five>>][x]) = 1",
    "FoldLeft(LAMBDA c, d : c, TRUE, Tail(SubSeq(<<1>>, x + 1, 1))) => TRUE",
    "\\A q \\in 0..1 : FoldLeft(LAMBDA c, d : TRUE, x = q, SubSeq(<<>>, 1, 0 - x)) \\/ x = 0",
    "Head(<<TRUE, seq[1] = 1>>) => TRUE",
    "Head(Tail(<<seq[1] = 1, TRUE>>)) \\/ x < 0",
    "(LET f[q \\in 0..1] == Lost IN f[1])",
    "(LET f[q \\in 0..1] == IF q = 0 THEN Five ELSE f[q - 1] IN f[x]) # 77",
]


@pytest.mark.parametrize("claim", BENEATH)
def test_what_the_body_of_a_definition_or_a_function_reads_is_read(
    tmp_path: Path, claim: str
) -> None:
    """They were proved: only what a comparison stands before was asked for what it reads."""
    require_no_value_in_the_second_state(tmp_path, DEFINED, claim)


def test_a_constant_argument_outside_what_is_joined_of_functions_has_no_value(
    tmp_path: Path,
) -> None:
    """It ended in an internal failure."""
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE CONSTANT None = None INVARIANT Inv"
    claim = "(1 :> x @@ 3 :> at)[2] # 77"
    found = explored(translated(tmp_path, f"{OPERATED}\nInv == {claim}\n", config))
    assert len(found.violations.get("Inv", ())) == 1


def test_what_has_a_value_is_proved(tmp_path: Path) -> None:
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE CONSTANT None = None INVARIANTS"
    names = [f"Inv{n}" for n in range(len(HAVE_VALUES))]
    claims = "".join(f"{n} == {c}\n" for n, c in zip(names, HAVE_VALUES, strict=True))
    found = explored(translated(tmp_path, f"{OPERATED}\n{claims}", f"{config} {' '.join(names)}"))
    assert not found.violations
    assert set(names) <= set(found.holds)


NAMED = """
CONSTANTS a, b
VARIABLES m, s, t, n
Init == m = a /\\ s = {{}, {a}} /\\ t = {a} /\\ n = 0
Next == /\\ m' = b /\\ t' \\in {{}, {a}, {a, b}, {b}} /\\ UNCHANGED s
        /\\ n' = IF {m} \\in s THEN 1 ELSE 2
"""


GATHERED = """
EXTENDS Integers
CONSTANTS a, b
VARIABLES n, tuples, mixed
Init == n = 0 /\\ tuples = {} /\\ mixed = {<<0, 1>>, a}
Next == /\\ n < 3 /\\ n' = n + 1 /\\ tuples' = tuples \\union {<<n>>, <<n, 1>>}
        /\\ mixed' = mixed \\union {n, <<n, 1>>}
"""


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        (NAMED, "{m} \\in s <=> m = a"),
        (NAMED, "{m, a} \\in s <=> m = a"),
        (NAMED, "t \\in s <=> b \\notin t"),
        (NAMED, "t \\union {m} \\in s => m = a"),
        (NAMED, "{x \\in t : x # m} \\in s <=> t # {a, b} \\/ m = b"),
        (NAMED, "n = 1 => {m} \\notin s \\/ m = a"),
        (GATHERED, "<<n>> \\notin tuples"),
        (GATHERED, "<<n, 1>> \\notin tuples"),
        (GATHERED, "n \\notin mixed"),
        (GATHERED, "<<n, 1>> \\in mixed <=> n = 0"),
    ],
)
def test_what_no_member_of_a_set_can_be_is_not_in_it(tmp_path: Path, text: str, claim: str) -> None:
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE CONSTANTS a = a b = b INVARIANT Inv"
    found = explored(translated(tmp_path, f"{text}\nInv == {claim}\n", config))
    assert not found.violations
    assert "Inv" in found.holds
    assert found.complete


# TLC's answers are errors, but to the first of them (it takes no single `<><<A>>_v`).
OF_SUBSCRIPTS = [
    "<><<Next>>_<<x, fun[at]>>",
    "[]<><<Next>>_<<x, fun[at]>>",
    "<>[][x' = 0]_<<x, fun[at]>>",
    "~<>[][x' = 0]_<<x, fun[at]>>",
    "<>[][~UNCHANGED <<x, fun[at]>>]_x",
    "WF_<<x, fun[at]>>(Next)",
]


@pytest.mark.parametrize("claim", OF_SUBSCRIPTS)
def test_a_subscript_without_a_value_decides_no_claim_about_behaviours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], claim: str
) -> None:
    """`x` changes in the only step, and nobody asked what `fun[at]` is behind it."""
    spec = "Spec == Init /\\ [][Next]_<<x, at, fun, grid, kept, sets, rows>>"
    require_unknown(tmp_path, capsys, f"{spec}\nClaim == {claim}")


@pytest.mark.parametrize("kind", ["WF", "SF"])
def test_fairness_whose_subscript_has_no_value_decides_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    """All variables are in it, so it was taken for that of the action."""
    text = f"""
vars == <<x, at, fun, grid, kept, sets, rows>>
Spec == Init /\\ [][Next]_vars /\\ {kind}_<<vars, fun[at]>>(Next)
Claim == <>(x = 1)"""
    require_unknown(tmp_path, capsys, text)


@pytest.mark.parametrize("engine", ["inductive", "monitored"])
@pytest.mark.parametrize("fair", ["WF_<<fun[at]>>(Wrong)", "SF_x(Wrong /\\ fun'[at'] = 1)"])
def test_fairness_without_a_value_where_no_monitor_looks_decides_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fair: str, engine: str
) -> None:
    """The claim is fulfilled before `Wrong` comes, and another behaviour is seen to be fair."""
    text = f"""
vars == <<x, at, fun, grid, kept, sets, rows>>
Rest == UNCHANGED <<fun, grid, kept, sets, rows>>
Wrong == x = 1 /\\ x' = 2 /\\ at' = 9 /\\ Rest
To(a, b) == x = a /\\ x' = b /\\ at' = at /\\ Rest
Around == To(0, 3) \\/ To(3, 4) \\/ To(4, 3)
Spec == Init /\\ [][Around \\/ To(0, 1) \\/ Wrong]_vars /\\ WF_vars(To(0, 3)) /\\ {fair}
Claim == <>(x = 0)"""
    assert asked(tmp_path, capsys, text, engine)["verdict"] == "unknown"


def test_of_a_step_that_changes_nothing_a_claim_of_steps_reads_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`[A]_v` is true of it, whatever A is; TLC asks for `fun[at]` in the last state."""
    text = """
vars == <<x, at, fun, grid, kept, sets, rows>>
Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)
Claim == <>[][fun[at] >= 0]_x"""
    assert asked(tmp_path, capsys, text)["verdict"] == "proved"


def require_unknown(folder: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    found = asked(folder, capsys, text)
    assert found["verdict"] == "unknown"
    assert "has no value" in found["reason"] or "is not in the domain of" in found["reason"]


def asked(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, engine: str = "explicit"
) -> dict[str, str]:
    (folder / "M.tla").write_text(f"---- MODULE M ----\n{FIXED}\n{text}\n====\n")
    (folder / "M.cfg").write_text("SPECIFICATION Spec PROPERTY Claim CHECK_DEADLOCK FALSE")
    run(["prove", str(folder / "M.tla"), "-P", "Claim", "--engine", engine, "--json"])
    found: dict[str, str]
    (found,) = json.loads(capsys.readouterr().out)["results"]
    return found


def test_a_step_claim_that_reads_an_unchanged_part_without_a_value_is_not_proved(
    tmp_path: Path,
) -> None:
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE PROPERTY Claim"
    text = f"{FIXED}\nClaim == [][~UNCHANGED <<x, fun[at]>>]_x\n"
    assert "Claim" not in explored(translated(tmp_path, text, config)).holds


def test_the_subscript_of_what_is_such_a_step_is_not_read(tmp_path: Path) -> None:
    """TLC asks first whether it is one, and finds no error."""
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE PROPERTY Claim"
    text = f"{FIXED}\nClaim == [][x' = 1]_<<x, fun[at]>>\n"
    assert "Claim" in explored(translated(tmp_path, text, config)).holds


def test_a_deadlock_is_told_where_another_claim_has_no_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is wrong with the claim beside it was said of the deadlock, which lost its verdict."""
    text = f"---- MODULE M ----\n{FIXED}\nClaim == fun[at] >= 0\n====\n"
    (tmp_path / "M.tla").write_text(text)
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next INVARIANT Claim")
    run(["explore", str(tmp_path / "M.tla"), "--continue", "--json"])
    results = json.loads(capsys.readouterr().out)["results"]
    found = {one["property"]: one["verdict"] for one in results}
    assert found == {"Claim": "unknown", "Deadlock": "violated"}


def test_a_claim_of_steps_without_a_value_takes_no_verdict_from_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The comparison read it on the text alone, and the command ended there."""
    text = f"{FIXED}\nLow == x < 1\nHigh == x < 2\nClaim == [][fun'[at'] >= 0]_x\n"
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{text}\n====\n")
    config = "INIT Init NEXT Next INVARIANTS Low High PROPERTY Claim CHECK_DEADLOCK FALSE"
    (tmp_path / "M.cfg").write_text(config)
    assert run(["explore", str(tmp_path / "M.tla"), "--continue", "--json"]) == 1
    results = json.loads(capsys.readouterr().out)["results"]
    found = {one["property"]: one["verdict"] for one in results}
    assert found == {"Low": "violated", "High": "proved", "Claim": "unknown"}


def test_a_claim_whose_recursion_does_not_end_takes_no_verdict_from_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command ended with the place of a variable, and said that expressions are nested."""
    text = (
        "EXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x < 3 /\\ x' = x + 1\n"
        "RECURSIVE F(_)\nF(n) == IF n = 0 THEN 0 ELSE F(n - 2)\n"
        "Claim == F(x) = 0\nStep == [][F(x') = 0]_x\nLow == x < 3\nHigh == x < 4\n"
    )
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{text}====\n")
    config = "INIT Init NEXT Next INVARIANTS Claim Low High PROPERTY Step CHECK_DEADLOCK FALSE"
    (tmp_path / "M.cfg").write_text(config)
    assert run(["explore", str(tmp_path / "M.tla"), "--continue", "--json"]) == 1
    results = json.loads(capsys.readouterr().out)["results"]
    found = {one["property"]: one["verdict"] for one in results}
    assert found == {"Claim": "unknown", "Low": "violated", "High": "proved", "Step": "unknown"}
    for one in results:
        if one["verdict"] == "unknown":
            assert "M.tla:7:30: more than 2,500 calls within each other" in one["reason"]
