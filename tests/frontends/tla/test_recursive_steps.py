"""Recursive operators that say what next values are take the steps that TLC takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from bmc.frontends.tla.agreement import compare_reachable
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.translate.model import translate
from bmc.frontends.tla.translated_model import TranslatedModel

TEXT = """---- MODULE M ----
EXTENDS Integers
VARIABLES x, y, z
I == INSTANCE Inner WITH v <- y, w <- x + y
RECURSIVE Down(_, _), First(_), Until(_)
Down(n, s) == IF n = 0
              THEN x' = s /\\ y' \\in 0..3
              ELSE \\E k \\in 0..1 : Down(n - 1, s + k * n) /\\ x' # n /\\ y' # k + n
First(n) == IF n = 0 THEN x = 0 /\\ y \\in 0..1 ELSE First(n - 1) /\\ y # n
Until(n) == IF n = 0
            THEN x' = 0
            ELSE x < 2 * n /\\ ((x' = x + 1 /\\ UNCHANGED <<y, z>>) \\cdot Until(n - 1))
Init == First(1) /\\ z = FALSE
Next == \\/ y > 0 /\\ Down(2, x % 2) /\\ z' = ENABLED Down(1, x - 5)
        \\/ y = 0 /\\ y' = 3 /\\ UNCHANGED <<x, z>>
Composed == Until(2) /\\ UNCHANGED <<y, z>>
Start == x = 0 /\\ y = 0 /\\ z = FALSE
Within == \\/ z' = I!Up(2) /\\ x' \\in 0..1 /\\ y' \\in 0..1
          \\/ x' = 2 /\\ y' = 0 /\\ z' = ENABLED I!Up(1)
====
"""
INNER = """---- MODULE Inner ----
EXTENDS Integers
VARIABLES v, w
RECURSIVE Up(_)
Up(n) == IF n = 0
         THEN ENABLED (v' = 1 /\\ w' = w + 1 /\\ w' < 3)
         ELSE Up(n - 1) /\\ ENABLED (v' = n /\\ w' = v + n /\\ w' # 3)
====
"""


def specified(folder: Path, config: str) -> Path:
    (folder / "Inner.tla").write_text(INNER)
    (folder / "M.tla").write_text(TEXT)
    (folder / "M.cfg").write_text(config)
    return folder / "M.tla"


# What TLC generates, and the levels of what differs.
COUNTS = {"INIT Init NEXT Next": (33, [1, 1, 4, 4, 1]), "INIT Start NEXT Within": (51, [1, 5, 4])}


@pytest.mark.parametrize("behaviour", COUNTS)
def test_what_follows_a_call_reads_the_caller_s_own(tmp_path: Path, behaviour: str) -> None:
    specification = load(specified(tmp_path, f"{behaviour} CHECK_DEADLOCK FALSE"))
    search = Search(Machine(specification))
    found = search.run()
    assert (found.generated, found.levels) == COUNTS[behaviour]
    model = TranslatedModel(translate(specification))
    compared = compare_reachable(search, model, 1_000)
    assert (compared.states, compared.skipped, compared.complete) == (sum(found.levels), 0, True)


def test_steps_that_a_recursion_composes_are_refused(tmp_path: Path) -> None:
    """They were copied for ever while the text was read."""
    specification = load(specified(tmp_path, "INIT Init NEXT Composed"))
    with pytest.raises(TlaUnsupported, match="cdot in a recursive operator"):
        Search(Machine(specification)).run()
