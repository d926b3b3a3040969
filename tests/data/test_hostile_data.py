"""Data from an enemy is right, refused or unknown: never a traceback, never a step of its own."""

import json
import os
import time
import tracemalloc
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from bmc.evidence import untrusted
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.parametric_certificate import ParametricCertificate
from bmc.evidence.untrusted import NotADocument, document, text_in
from bmc.regress.errors import LockError
from bmc.regress.notation import lock_of
from tests.cli.running import ROOT, bmc
from tests.data.enemy import Victim, victims
from tests.data.mutants import TEXTS, mutant_text
from tests.data.texts import Attack, attacks

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("hostile data")

MUTANTS = 40


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Victim]:
    return list(victims(tmp_path_factory.mktemp("victims")))


@pytest.mark.parametrize("number", range(5))
def test_mutants_are_right_refused_or_unknown(
    found: list[Victim], number: int, tmp_path: Path
) -> None:
    victim = found[number]
    codes = set()
    for seed in range(MUTANTS):
        answered = victim.attacked(seed, tmp_path)
        assert answered.code in (0, 1, 2, 3), (victim.kind, seed, answered.err)
        assert "Traceback" not in answered.err + answered.out
        codes.add(answered.code)
        assert {file.name for file in tmp_path.iterdir()} == {victim.name}, (victim.kind, seed)
    # Most mutants are wrong: a reader that takes them all reads nothing.
    assert 2 in codes


def test_a_number_of_5000_digits_is_called_so() -> None:
    """What was said was Python's: a function to call."""
    for read in (document, lambda text: lock_of(f"format = {text}\n", "bmc.lock")):
        with pytest.raises((NotADocument, LockError), match="has more than 4,300 digits"):
            read("9" * 5_000)
    assert document("9" * 4_300) == int("9" * 4_300)


def test_the_last_of_many_keys_that_stands_twice_is_found_at_once() -> None:
    """Each key was counted among all of them until one stood twice: minutes of a log's one line."""
    keys = "".join(f'"k{number}": 1, ' for number in range(60_000))
    began = time.process_time()
    with pytest.raises(NotADocument, match="the key 'k59999' stands in it twice"):
        document(f'{{{keys}"k59999": 2}}')
    assert time.process_time() - began < 10


@pytest.mark.parametrize("text", TEXTS[1:11], ids=lambda text: text[:12])
def test_what_is_no_plain_document_is_refused(text: str) -> None:
    with pytest.raises(NotADocument):
        document(text)


def test_a_plain_document_is_what_json_says() -> None:
    text = json.dumps({"a": [1, 2.5, None, "é", {"b": []}]})
    assert document(text) == json.loads(text)


def test_a_byte_order_mark_says_nothing() -> None:
    assert document("\ufeff[1]") == [1]
    with pytest.raises(NotADocument):
        document("\ufeff\ufeff[1]")


def test_a_mutated_lock_is_read_as_it_is_or_refused() -> None:
    text = (ROOT / "bmc.lock").read_text(encoding="utf-8")
    lock = lock_of(text, "bmc.lock")
    refused = 0
    for seed in range(60):
        changed = mutant_text(text, seed)
        try:
            same = lock_of(changed, "bmc.lock") == lock
        except LockError:
            refused += 1
        else:
            # A comment or a blank line is nobody's claim.
            assert same, seed
    assert refused > 40


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> list[Attack]:
    return list(attacks(tmp_path_factory.mktemp("others")))


@pytest.mark.parametrize("number", range(7))
def test_mutants_of_texts_and_folders_are_right_refused_or_unknown(
    others: list[Attack], number: int, tmp_path: Path
) -> None:
    attack = others[number]
    codes = set()
    for seed in range(4):
        answered, untouched = attack.attacked(seed, tmp_path)
        assert answered.code in (0, 1, 2, 3), (attack.kind, seed, answered.err)
        assert "Traceback" not in answered.err + answered.out
        assert untouched, (attack.kind, seed)
        codes.add(answered.code)
    assert 2 in codes


@pytest.mark.parametrize("words", [("certify",), ("trace", "replay"), ("trace", "show")])
def test_a_file_of_a_gigabyte_is_refused_before_it_is_read(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "large.json"
    file.touch()
    os.truncate(file, 1 << 30)
    tracemalloc.start()
    answered = bmc(*words, str(file))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answered.code == 2
    assert f"{file} is not JSON: it has more than 268,435,456 bytes" in answered.err
    assert most < 100 << 20


def test_no_more_is_read_of_a_file_without_an_end_than_can_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(untrusted, "_MOST_BYTES", 3 << 20)
    with pytest.raises(NotADocument, match="more than 3,145,728 bytes"):
        text_in(Path("/dev/zero"))


STATED = {"name": "Safe", "kind": "invariant", "text": "TRUE", "digest": "0" * 64}
WATCHED = {"claim": "Ends", "formula": "<>x", "specification": "Spec", "rounds": None}
CARRIED = {"name": "kept", "text": "TRUE", "arguments": [], "body": []}
GHOST = {"name": "seen", "sort": "Bool", "about": "", "initially": [], "after": {}}
BESIDE: dict[str, Any] = {
    "protocol": "lock.py:Lock",
    "fingerprint": "0" * 64,
    "found_by": "z3 5.4.1",
    "claims": [STATED],
    "watching": WATCHED,
    "lemmas": [CARRIED],
    "history": [GHOST],
}
AT_ONE_SIZE = {
    "format": "bmc-certificate/1",
    "parameters": {"n": 2},
    "k": 1,
    "conjuncts": [STATED],
    **BESIDE,
}
AT_ALL = {
    "format": "bmc-parametric-certificate/1",
    "parameters_from": {"n": 1},
    "invariants": [STATED],
    "conditions": [{"goal": "Safe", "action": "", "branch": 0, "refutations": []}],
    **BESIDE,
}


@pytest.mark.parametrize(
    ("read", "whole", "part"),
    [
        (read, whole, part)
        for read, whole in (
            (Certificate.from_json, AT_ONE_SIZE),
            (ParametricCertificate.from_json, AT_ALL),
        )
        for part, value in whole.items()
        if isinstance(value, list) or part == "watching"
    ],
)
def test_no_part_of_a_part_is_passed_over(
    read: Callable[[object], object], whole: dict[str, Any], part: str
) -> None:
    """Only of the whole document it was told that nobody knows what stands in it."""
    changed = deepcopy(whole)
    read(changed)
    inner = changed[part] if part == "watching" else changed[part][0]
    inner["unless"] = "n > 2"
    with pytest.raises(CertificateError, match="it has a part 'unless', which this version"):
        read(changed)


@pytest.mark.parametrize(
    ("read", "whole"), [(Certificate.read, AT_ONE_SIZE), (ParametricCertificate.read, AT_ALL)]
)
def test_what_a_certificate_lacks_is_told_with_its_file(
    read: Callable[[Path], object], whole: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "proof.json"
    file.write_text(json.dumps({**whole, "claims": 1}), encoding="utf-8")
    with pytest.raises(CertificateError, match=r"proof\.json is rejected: .*malformed"):
        read(file)
