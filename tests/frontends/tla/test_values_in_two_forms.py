"""Values that sorts write in several ways: a tuple is a sequence and a function, a record one too.

The translation alone decides each claim here: nothing compares it with the text.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bmc.cli.app import run
from tests.frontends.tla.models import explored, translated

TEXT = """
EXTENDS Integers, Sequences, TLC
CONSTANT None
VARIABLES x, pair, seq, map, record, named, one, many, some, maybe, kind,
          pairs, seqs, maps, records, held, inner
Least(n) == IF n < 3 THEN n ELSE 2
Pair(n) == <<n, 1>>
Seq3(n) == IF n = 3 THEN <<2, 1>> ELSE SubSeq(<<0, 1, 2>>, 1, n)
Map(n) == [i \\in 1..2 |-> IF i = 1 THEN n ELSE 1]
Record(n) == [a |-> n, b |-> 1]
Named(n) == [i \\in {"a", "b"} |-> IF i = "a" THEN n ELSE 1]
One(n) == IF n = 0 THEN None ELSE <<n, 1>>
Many(n) == IF n = 0 THEN "none" ELSE IF n = 1 THEN [a |-> 0] ELSE <<n, 1, 2>>
Some(n) == IF n = 0 THEN {} ELSE IF n = 1 THEN {1} ELSE None
Maybe(n) == IF n = 0 THEN "n" ELSE IF n = 1 THEN None ELSE 1
Kind(n) == IF n = 0 THEN [a |-> 0] ELSE [a |-> n, b |-> 1]
Pairs(n) == {<<i, 1>> : i \\in 0..n}
Seqs(n) == {SubSeq(<<0, 1, 2>>, 1, i) : i \\in 0..n}
Maps(n) == {[i \\in 1..2 |-> IF i = 1 THEN j ELSE 1] : j \\in 0..n}
Records(n) == {[a |-> i, b |-> 1] : i \\in 0..n}
Held(n) == [i \\in {<<0, 1>>, <<1, 1>>, <<2, 1>>} |-> IF i = <<Least(n), 1>> THEN 1 ELSE 0]
Inner(n) == {[c |-> <<i, 1>>] : i \\in 0..n}
Init == /\\ x = 0 /\\ pair = Pair(0) /\\ seq = Seq3(0) /\\ map = Map(0) /\\ record = Record(0)
        /\\ named = Named(0) /\\ one = One(0) /\\ many = Many(0) /\\ some = Some(0)
        /\\ maybe = Maybe(0) /\\ kind = Kind(0) /\\ pairs = Pairs(0) /\\ seqs = Seqs(0)
        /\\ maps = Maps(0) /\\ records = Records(0) /\\ held = Held(0) /\\ inner = Inner(0)
Next == /\\ x < 3 /\\ x' = x + 1 /\\ pair' = Pair(x') /\\ seq' = Seq3(x') /\\ map' = Map(x')
        /\\ record' = Record(x') /\\ named' = Named(x') /\\ one' = One(x') /\\ many' = Many(x')
        /\\ some' = Some(x') /\\ maybe' = Maybe(x') /\\ kind' = Kind(x') /\\ pairs' = Pairs(x')
        /\\ seqs' = Seqs(x') /\\ maps' = Maps(x') /\\ records' = Records(x')
        /\\ held' = Held(x') /\\ inner' = Inner(x')
"""

FALSE = {
    # a claim, and x in the first state where it is false: in TLC too, where it compares the kinds
    "seq \\notin {0, 1, 2} \\X {1}": 2,
    "map \\notin {0, 1, 2} \\X {1}": 0,
    "map \\notin (0..x) \\X Nat": 0,
    "map \\notin Seq(0..2)": 0,
    "one \\notin Seq(0..4)": 1,
    "one \\notin [1..2 -> 0..4]": 1,
    "many \\notin Seq(0..4)": 2,
    "many \\notin {2} \\X {1} \\X {2}": 2,
    "seq \\notin pairs": 2,
    "map \\notin pairs": 0,
    "pair \\notin maps": 0,
    "seq \\notin maps": 2,
    "map \\notin {q \\in Seq({0, 1}) : Len(q) = 2}": 0,
    "Append(seq, 1) \\notin pairs": 1,
    "[i \\in 1..2 |-> IF i = 1 THEN x ELSE 1] \\notin pairs": 0,
    "[i \\in 1..x |-> 1] \\notin pairs": 2,
    "[i \\in 1..x |-> 1] \\in maps \\/ x < 3": 3,
    "[c |-> seq] \\notin inner": 2,
    "[c |-> map] \\notin inner": 0,
    "seqs \\cap pairs = {}": 2,
    "pairs \\ maps = pairs": 0,
    "pairs \\union maps # pairs": 0,
    "UNION {pairs, maps} # pairs": 0,
    "~(maps \\subseteq (0..4) \\X {1})": 0,
    "{q \\in maps : q \\in pairs} = {}": 0,
    "\\A q \\in seqs : q \\notin pairs": 2,
    "named \\notin records": 0,
    "record \\notin {named}": 0,
    "kind \\notin records": 1,
    "[held EXCEPT ![map] = 5] = held": 0,
    "[held EXCEPT ![seq] = 5] = held": 2,
    "map \\in DOMAIN held => held[map] = 0": 0,
    "maybe \\in STRING": 1,
    "maybe \\notin STRING": 0,
    "one \\in STRING": 0,
    "some \\in SUBSET {1}": 2,
    "some \\in SUBSET Nat": 2,
    "some \\notin SUBSET {1}": 0,
}

TRUE = [
    "[i \\in {2, 3} |-> x] \\notin seqs",
    "[i \\in {x + 1, x + 2} |-> 1] \\notin seqs \\/ x = 0",
    '("1" :> x @@ "2" :> 1) # pair',
    "[i \\in 1..x |-> 1] \\notin maps \\/ x = 2",
    'many \\notin [{"b"} -> {1}]',
    "kind \\notin pairs",
    "record \\notin pairs",
    "pair \\notin seqs \\/ x = 0",
]


@pytest.mark.parametrize("depth", sorted(set(FALSE.values())))
def test_a_value_in_another_form_is_a_member(tmp_path: Path, depth: int) -> None:
    claims = [claim for claim, least in FALSE.items() if least == depth]
    stated = [f"I{i} == {claim}" for i, claim in enumerate(claims)]
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE CONSTANT None = None INVARIANTS "
    names = [f"I{i}" for i in range(len(claims))]
    found = explored(translated(tmp_path, "\n".join([TEXT, *stated]), config + " ".join(names)))
    lengths = {c: len(found.violations.get(n, ())) for n, c in zip(names, claims, strict=True)}
    assert lengths == dict.fromkeys(claims, depth + 1)


def test_what_only_looks_alike_is_no_member(tmp_path: Path) -> None:
    stated = [f"I{i} == x = x /\\ ({claim})" for i, claim in enumerate(TRUE)]
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE CONSTANT None = None INVARIANTS "
    names = [f"I{i}" for i in range(len(TRUE))]
    found = explored(translated(tmp_path, "\n".join([TEXT, *stated]), config + " ".join(names)))
    assert [c for n, c in zip(names, TRUE, strict=True) if n not in found.holds] == []


IMAGES = """
EXTENDS Integers
CONSTANT None, P
VARIABLES f, g
Init == f = [p \\in P |-> None] /\\ g = None
Set(p, n) == f' = [f EXCEPT ![p] = [image |-> n]] /\\ g' = f[p]
Drop(p) == f[p] # None /\\ f' = [f EXCEPT ![p] = None] /\\ UNCHANGED g
Next == \\E p \\in P : Drop(p) \\/ \\E n \\in 0..1 : Set(p, n)
Kept == \\A p \\in P : f[p] # None => f[p].image = 0
Total == DOMAIN f = P
"""


def test_a_record_may_have_a_field_that_is_called_as_one_of_the_model_s_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Images.tla").write_text(f"---- MODULE Images ----\n{IMAGES}\n====\n")
    (tmp_path / "Images.cfg").write_text(
        "INIT Init NEXT Next CONSTANTS None = None P = {p, q} INVARIANTS Kept Total"
    )
    assert run(["explore", str(tmp_path / "Images.tla"), "--continue"]) == 1
    said = capsys.readouterr().out
    assert "27 distinct states" in said
    assert "Kept      violated  by a trace of 2 states" in said
    assert "f[p]  None → [image |-> 1]" in said
    assert "Total     proved" in said


GROWING = """
EXTENDS Integers, TLC
VARIABLES d, m, n
Zero == [k \\in {"p", "q"} |-> 0]
Init == d = ("p" :> 1) /\\ m = Zero /\\ n = 0
Add(k) == d' = (k :> n + 1) @@ d /\\ n' = n + 1 /\\ UNCHANGED m
Keep == n' = n + 1 /\\ UNCHANGED <<d, m>>
Put == n = 1 /\\ n' = n + 1 /\\ m' = %s /\\ UNCHANGED d
Next == n < 3 /\\ (Keep \\/ Put \\/ \\E k \\in %s : Add(k))
Total == DOMAIN m = {"p", "q"}
"""


@pytest.mark.parametrize(
    ("merged", "keys", "count"),
    [
        ("Zero", '{"p", "q"}', 18),
        ("d @@ m", '{"p", "q"}', 26),
        ("m @@ d", '{"p", "q"}', 18),
        ("d @@ m", '{"q", "r"}', 36),
        ("m @@ d", '{"q", "r"}', 28),
    ],
)
def test_a_record_and_a_function_that_gains_its_names_are_one_value(
    tmp_path: Path, merged: str, keys: str, count: int
) -> None:
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Total"
    found = explored(translated(tmp_path, GROWING % (merged, keys), config))
    assert found.distinct_states == count


REQUESTS = """
EXTENDS Naturals, TLC
VARIABLES reg, pend
Idle == [op |-> "idle"]
Init == reg = 0 /\\ pend = Idle
Write == pend = Idle /\\ pend' = [op |-> "w", v |-> 1, done |-> FALSE] /\\ reg' = reg
Read == pend = Idle /\\ pend' = [op |-> "r", done |-> FALSE] /\\ reg' = reg
Do == /\\ pend # Idle /\\ ~pend.done
      /\\ pend' = [done |-> TRUE] @@ pend @@ [v |-> reg]
      /\\ reg' = IF pend.op = "w" THEN pend.v ELSE reg
Back == pend # Idle /\\ pend.done /\\ pend' = Idle /\\ reg' = reg
Next == Write \\/ Read \\/ Do \\/ Back
Valued == pend # Idle /\\ pend.done => pend.v \\in 0..1
"""


def test_a_record_of_several_kinds_gains_a_field_in_each(tmp_path: Path) -> None:
    config = "INIT Init NEXT Next INVARIANT Valued"
    found = explored(translated(tmp_path, REQUESTS, config))
    assert found.distinct_states == 9
    assert "Valued" in found.holds


EMPTY = """
EXTENDS Integers, TLC
VARIABLES d, n
Init == d = <<>> /\\ n = 0
Add == d' = %s
Reset == d' = [x \\in {"p", "q"} |-> 0]
Next == n < 3 /\\ n' = n + 1 /\\ (Add \\/ Reset)
"""


@pytest.mark.parametrize(
    ("merged", "count"),
    [
        ('d @@ ("q" :> n)', 7),
        ('("q" :> n) @@ d', 9),
        ('(IF n = 0 THEN <<>> ELSE d) @@ ("q" :> n)', 7),
    ],
)
def test_what_is_merged_with_the_empty_function_has_its_own_names(
    tmp_path: Path, merged: str, count: int
) -> None:
    """The counts are TLC's; a step of these had no value."""
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE"
    assert explored(translated(tmp_path, EMPTY % merged, config)).distinct_states == count


CHOSEN = """
EXTENDS Integers
CONSTANTS a, b
VARIABLES set, one, n
Names == {%s}
Init == set = {} /\\ one = [p |-> 0, q |-> 0] /\\ n = 0
Next == set' \\in SUBSET [Names -> 0..1] /\\ one' \\in [p: 0..1, q: 0..1] /\\ n' = 1 - n
Apart == one \\notin set
Total == \\A f \\in set : DOMAIN f = Names
"""


@pytest.mark.parametrize(
    ("names", "apart"),
    [('"p", "q"', False), ('"p", "r"', True), ('"1", "2"', True), ("a, b", True)],
)
def test_a_set_of_functions_is_chosen_whatever_form_they_have(
    tmp_path: Path, names: str, apart: bool
) -> None:
    """One of strings is a function in the choice and a record in the variable: it had no value."""
    config = "INIT Init NEXT Next CONSTANTS a = a b = b CHECK_DEADLOCK FALSE INVARIANTS Apart Total"
    found = explored(translated(tmp_path, CHOSEN % names, config))
    assert found.distinct_states == 16 * 4 * 2
    assert "Total" in found.holds
    assert ("Apart" in found.holds) is apart
