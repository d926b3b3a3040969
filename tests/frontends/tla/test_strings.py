"""What TLC takes as a sequence of letters is that where it is constant, and refused where not."""

from __future__ import annotations

from pathlib import Path

import pytest

from bmc.frontends.tla.errors import TlaUnsupported
from tests.frontends.tla.models import explored, translated

TEXT = """
EXTENDS Integers, Sequences
VARIABLES s, n, q
Init == s = "ab" /\\ n = 2 /\\ q = "none"
Next == s' \\in {"ab", "abc"} /\\ n' = n /\\ q' = <<1, 2>>
"""
CONFIG = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANTS "

CONSTANT = [
    'SubSeq("abc", 2, 1) = ""',
    'SubSeq("abc", 2, 1) # <<>>',
    'SubSeq("abc", 2, 3) = "bc"',
    'SubSeq("abc", 1, 3) = "abc"',
    'Len("abc") = 3 /\\ Len("") = 0',
    '"ab" \\o "c" = "abc"',
    '"ab" \\o "" = "ab"',
    'q = "none" \\/ Len(q) = 2',
    'q = "none" \\/ SubSeq(q, n, n) = <<2>>',
]

VARYING = {
    "Len(s) = 2": "Len of a string that varies",
    'SubSeq(s, 1, 1) = "a"': "SubSeq of a string that varies",
    's \\o s = "abab"': "o of a string that varies",
    's \\o "c" = "abc"': "o of a string that varies",
    '(IF n = 2 THEN s ELSE "c") \\o "c" = "abc"': "o of a string that varies",
    'SubSeq("abc", n, n) = "b"': "is used as a sequence",
}


def test_a_constant_string_is_a_sequence_of_letters(tmp_path: Path) -> None:
    stated = [f"I{i} == {claim}" for i, claim in enumerate(CONSTANT)]
    names = [f"I{i}" for i in range(len(CONSTANT))]
    found = explored(translated(tmp_path, "\n".join([TEXT, *stated]), CONFIG + " ".join(names)))
    assert set(found.holds) == set(names)


@pytest.mark.parametrize("claim", VARYING)
def test_a_string_that_varies_is_refused_as_a_sequence(tmp_path: Path, claim: str) -> None:
    with pytest.raises(TlaUnsupported, match=VARYING[claim]) as refused:
        translated(tmp_path, f"{TEXT}I == {claim}", CONFIG + "I")
    assert refused.value.span.line == 7
