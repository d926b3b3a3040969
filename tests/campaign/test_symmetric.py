"""A few random protocols of symmetric processes; ``benchmarks/fuzz_symmetric.py`` looks at many."""

from collections import Counter
from pathlib import Path

import pytest

from tests.campaign.engines import Disagreement
from tests.campaign.symmetric import look, look_at_text


def test_engines_rankings_and_texts_say_what_brute_force_says(tmp_path: Path) -> None:
    tally: Counter[str] = Counter()
    for number in (2, 18, 22, 31, 43, 54):
        look(number, tally, seconds=60.0)
        look_at_text(number, tally, tmp_path)
    assert tally["explicit proved"] > 0 < tally["explicit violated"]
    assert tally["ranked proved"] > 0 < tally["all parameters: proved"]
    assert tally["text proved"] > 0 < tally["text violated"]


def test_a_wrong_answer_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.campaign.symmetric.claim_holds", lambda plan, nodes: False)
    with pytest.raises(Disagreement):
        look(22, Counter())
    with pytest.raises(Disagreement):
        look_at_text(22, Counter(), tmp_path)
