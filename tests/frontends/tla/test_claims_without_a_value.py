"""What has no value in one state is not proved, though the sorts of its parts would decide it.

The numbers and names that the claims compare with are none that the variables have, and the state
is behind more steps than the comparison with the text walks: only the translation can tell.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.tla.models import explored, translated

TEXT = """
EXTENDS Integers, Sequences
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
]


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_without_a_value_is_not_proved(tmp_path: Path, claim: str) -> None:
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE CONSTANT None = None INVARIANT Inv"
    found = explored(translated(tmp_path, f"{TEXT}\nInv == {claim}\n", config))
    assert len(found.violations.get("Inv", ())) == 2
    assert "Inv" not in found.holds
