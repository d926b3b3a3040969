"""What is remembered of a state is what would be found again; a stale value is noticed."""

from pathlib import Path

import pytest

from tests.frontends.tla.small_texts import TEXTS, Text
from tests.frontends.tla.state_memory import ENDS, LOOPS, require_same
from tests.frontends.tla.test_memory import SAME_WORDS


@pytest.mark.parametrize("text", [ENDS, SAME_WORDS, *TEXTS], ids=lambda text: text.name)
def test_what_is_remembered_of_a_state_is_what_is_found_without(text: Text, tmp_path: Path) -> None:
    assert require_same(text, tmp_path) > 20


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.nightly)])
def test_what_is_remembered_of_many_loops_is_what_is_found_without(
    tmp_path: Path, step: int
) -> None:
    assert require_same(LOOPS, tmp_path, step) > 200
