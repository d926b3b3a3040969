"""A copy that EXCEPT makes is what the text says, also where the sort of the original has no room.

The translation alone decides each claim here: nothing compares it with the text.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.tla.models import explored, translated

TEXT = """
EXTENDS Integers, Sequences, FiniteSets
VARIABLES f, m, n, t, q, z, g, h, u
Init == /\\ f = [i \\in 1..2 |-> 0] /\\ m = {} /\\ n = 0 /\\ t = <<0, 1>>
        /\\ q = [a |-> <<>>, b |-> 0] /\\ z = [a |-> {}, b |-> 0]
        /\\ g = [i \\in {"a","b"} |-> [c |-> 0, d |-> 0]] /\\ h = <<>> /\\ u = {}
Next == /\\ n' = (n + 1) % 5
        /\\ \\/ /\\ n < 2 /\\ f' = [f EXCEPT ![1] = 2 - @] /\\ m' = m \\union {f}
              /\\ UNCHANGED <<t, q, z, g, h, u>>
           \\/ t' = [t EXCEPT ![1] = 1 - @] /\\ UNCHANGED <<f, m, q, z, g, h, u>>
           \\/ /\\ n < 2 /\\ Len(q.a) < 2 /\\ q' = [q EXCEPT !.a = Append(@, n)]
              /\\ UNCHANGED <<f, m, t, z, g, h, u>>
           \\/ /\\ n < 2 /\\ z' = [z EXCEPT !.a = @ \\union {n}] /\\ u' = {t[1]}
              /\\ UNCHANGED <<f, m, t, q, g, h>>
           \\/ n < 3 /\\ g' = [g EXCEPT !["a"].c = 1 - @] /\\ UNCHANGED <<f, m, t, q, z, h, u>>
           \\/ n < 2 /\\ h' = [i \\in {n} |-> n % 2] /\\ UNCHANGED <<f, m, t, q, z, g, u>>
"""

FALSE = {
    # a claim, and how many steps before the first state where it is false, as TLC counts them
    "[t EXCEPT ![1] = @ + n] # <<4, 1>>": 3,
    "[q EXCEPT !.a = Append(@, n)] # [a |-> <<0, 1, 4>>, b |-> 0]": 4,
    "[z EXCEPT !.a = @ \\union {n}] # [a |-> {0, 4}, b |-> 0]": 4,
    "[z EXCEPT !.a = @ \\union {n}].a \\subseteq 0..3": 4,
    '[g EXCEPT !["a"].c = @ + n, !["b"].d = n]["a"].c < 5': 4,
    '[g EXCEPT !["a"].c = @ + n].a # [c |-> 5, d |-> 0]': 4,
    "[h EXCEPT ![0] = @ + n] # [i \\in {0} |-> 4]": 4,
    "[[f EXCEPT ![1] = @ + n] EXCEPT ![1] = @ + n][1] # 8": 3,
    "Cardinality({[f EXCEPT ![1] = @ + n], f, [f EXCEPT ![1] = 4]}) < 3": 1,
    "~(\\E x \\in {[f EXCEPT ![1] = @ + n]} : x[1] = 6)": 4,
}

TRUE = [
    "[f EXCEPT ![2] = @ + n] \\in m => n = 0",
    "[[f EXCEPT ![1] = @ + n] EXCEPT ![1] = @ - n] = f",
    "[t EXCEPT ![1] = @ + n] \\in {t} => n = 0",
    "[z EXCEPT !.a = @ \\union {n}] = z => n \\in z.a",
    "[q EXCEPT !.a = Append(@, n)] # q",
]


@pytest.mark.parametrize("claim", FALSE)
def test_a_copy_beyond_its_sort_is_compared_as_it_is(tmp_path: Path, claim: str) -> None:
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT I"
    found = explored(translated(tmp_path, f"{TEXT}\nI == {claim}", config))
    assert len(found.violations["I"]) == FALSE[claim] + 1


def test_a_copy_beyond_its_sort_has_a_value(tmp_path: Path) -> None:
    stated = [f"I{i} == {claim}" for i, claim in enumerate(TRUE)]
    stated += [f"N{i} == ~({claim}) => n = 77" for i, claim in enumerate(TRUE)]
    names = [name for i in range(len(TRUE)) for name in (f"I{i}", f"N{i}")]
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANTS " + " ".join(names)
    found = explored(translated(tmp_path, "\n".join([TEXT, *stated]), config))
    assert set(found.holds) == set(names)


KEPT = """
EXTENDS Integers
VARIABLES k, w, n
Init == k = [i \\in 0..1 |-> 0] /\\ w = {} /\\ n = 0
Next == /\\ n' = (n + 1) % 5
        /\\ \\/ n < 2 /\\ k' = [k EXCEPT ![0] = (@ + 1) % 3] /\\ w' = w \\union {k}
           \\/ n < 2 /\\ k' = [k EXCEPT ![1] = (@ + 1) % 2] /\\ w' = w \\union {k}
           \\/ UNCHANGED <<k, w>>
"""

ABSENT = [
    "[k EXCEPT ![1] = @ + 7] \\notin w",
    "w \\cup {[k EXCEPT ![0] = 3 + n]} # w",
    "{[k EXCEPT ![0] = 3 + n]} \\cap w = {}",
    "~({[k EXCEPT ![0] = 3 + n]} \\subseteq w)",
]


def test_a_copy_beyond_its_sort_is_in_no_set_that_is_kept(tmp_path: Path) -> None:
    stated = [f"I{i} == {claim}" for i, claim in enumerate(ABSENT)]
    names = [f"I{i}" for i in range(len(ABSENT))]
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANTS " + " ".join(names)
    found = explored(translated(tmp_path, "\n".join([KEPT, *stated]), config))
    assert set(found.holds) == set(names)
