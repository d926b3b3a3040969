"""What TLC takes as a sequence of letters is that where it is constant, and refused where not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bmc.cli.app import run
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


COUNTERS = """---- MODULE Counters ----
EXTENDS Naturals
CONSTANT Node
VARIABLES term, ends
Init == term = [n \\in Node |-> 0] /\\ ends = {}
Up(n) == term[n] < 1 /\\ term' = [term EXCEPT ![n] = @ + 1] /\\ ends' = ends \\cup {n}
Next == \\E n \\in Node : Up(n)
Ended == \\A n \\in ends : term[n] = 1
====
"""
NO_FIELDS = ('"1", "2"', '"n-1", "n-2"', '"a b", "host:80"', '"__a", "x/y"')
"""Names of members that TLA+ takes for strings and not for fields of records."""


def _counters(folder: Path, names: str) -> str:
    file = folder / "Counters.tla"
    file.write_text(COUNTERS)
    given = f"INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Ended CONSTANT Node = {{{names}}}"
    file.with_suffix(".cfg").write_text(given)
    return str(file)


@pytest.mark.parametrize("names", NO_FIELDS)
def test_a_function_of_strings_has_any_for_arguments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], names: str
) -> None:
    text, proof = _counters(tmp_path, names), tmp_path / "proof.json"
    assert run(["explore", text, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["distinct_states"] == 4
    assert run(["prove", text, "--engine", "kinduction", "--certificate", str(proof)]) == 0
    assert run(["certify", str(proof), "--protocol", text, "--independent"]) == 0


def test_a_lemma_selects_what_is_no_field_in_brackets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = _counters(tmp_path, NO_FIELDS[1])
    assert run(["mine", text, "--arguments", "1", "--json"]) == 0
    lemmas = [one["text"] for one in json.loads(capsys.readouterr().out)["lemmas"]]
    assert any('term["n-1"]' in lemma for lemma in lemmas)
    named = [f"Mined{i} == {lemma.split('==', 1)[1]}" for i, lemma in enumerate(lemmas)]
    Path(text).write_text(COUNTERS.replace("====\n", "\n".join([*named, "====\n"])))
    asked = [word for i in range(len(named)) for word in ("--lemma", f"Mined{i}")]
    assert run(["prove", text, *asked]) == 0


def test_a_string_that_no_engine_can_name_a_part_by_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explore", _counters(tmp_path, '"a.b", "c"')]) == 2
    said = capsys.readouterr().err
    assert "cannot be 'a.b'" in said
    assert "Counters.tla:" in said
    assert "rename it" in said
