"""Which sets of symmetric members can be said without naming one."""

from __future__ import annotations

from pathlib import Path

import pytest

from bmc.frontends.tla.load import load
from bmc.frontends.tla.translate.model import translate
from bmc.lang.sort_parts import symmetric_parts

TEXT = """---- MODULE M ----
CONSTANT Node
VARIABLES reach
Init == reach = {first}
Next == UNCHANGED reach
====
"""

NOBODY = (
    "<<a, b>> \\in Node \\X Node : a = b",
    "<<a, b>> \\in Node \\X Node : a # b",
    "<<a, m, b>> \\in Node \\X {0, 1} \\X Node : a = b \\/ m = 1",
)
SOMEBODY = (
    "<<a, b>> \\in Node \\X Node : a = CHOOSE n \\in Node : TRUE",
    "<<a, b>> \\in Node \\X Node : a = b /\\ a # CHOOSE n \\in Node : TRUE",
)


def _is_symmetric(folder: Path, members: str) -> bool:
    (folder / "M.tla").write_text(TEXT.replace("first", members))
    (folder / "M.cfg").write_text("INIT Init\nNEXT Next\nCONSTANT Node = {p, q, r}\n")
    model = translate(load(folder / "M.tla")).model
    return any(symmetric_parts(sort) for sort in model.variables.values())


@pytest.mark.parametrize("members", NOBODY)
def test_a_set_that_names_nobody_leaves_its_members_symmetric(members: str, tmp_path: Path) -> None:
    assert _is_symmetric(tmp_path, members)


@pytest.mark.parametrize("members", SOMEBODY)
def test_a_set_that_tells_one_member_from_the_others_does_not(members: str, tmp_path: Path) -> None:
    assert not _is_symmetric(tmp_path, members)
