"""What a file imports by a star takes the place of no word of the language."""

from __future__ import annotations

from types import ModuleType

import pytest

import bmc.lang
from bmc.lang import drawing, ranking, temporal


@pytest.mark.parametrize("module", [drawing, ranking, temporal])
def test_a_star_import_hides_no_word(module: ModuleType) -> None:
    given = set(module.__all__)
    assert given
    for name in given & set(bmc.lang.__all__):
        assert getattr(module, name) is getattr(bmc.lang, name)
