"""Sets of messages that are too many for a bit each: filtered, mapped, counted, taken from."""

from __future__ import annotations

from pathlib import Path

import pytest

from bmc.frontends.tla.agreement import compare_reachable
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.samples import Samples
from bmc.frontends.tla.translate.model import translate
from bmc.frontends.tla.translated_model import TranslatedModel
from bmc.lang.sorts import BoundedSetSort, VariantSort

START = """---- MODULE M ----
EXTENDS Naturals, FiniteSets
VARIABLES sent, n
Init == sent = {} /\\ n = 0
Ask == /\\ n < 60 /\\ n' = n + 30
       /\\ sent' = sent \\cup {[kind |-> "ask", n |-> n, of |-> n + 30]}
Answer == /\\ \\E m \\in sent : /\\ m.kind = "ask"
                            /\\ sent' = {[kind |-> "reply", of |-> m.n]} \\cup (sent \\ {m})
          /\\ UNCHANGED n
Inv == \\A m \\in sent : m.kind = "ask" => m.of = m.n + 30
"""

STEPS = {
    "filtered": "sent' = {m \\in sent : m.of > 30} /\\ n' = n",
    "mapped": """sent' = {[kind |-> "reply", of |-> m.of] : m \\in sent} /\\ n' = n""",
    "paired": """/\\ sent' = {[kind |-> "ask", n |-> a.of, of |-> b.of] : a, b \\in sent}
                 /\\ n = 30 /\\ n' = 60""",
    "met": "sent' = sent \\cap {m \\in sent : m.of = 0} /\\ n' = n",
    "counted": """n' = Cardinality({m \\in sent : m.kind = "ask"}) /\\ UNCHANGED sent /\\ n = 60""",
    "compared": "{m \\in sent : m.of = 30} = sent /\\ sent' = {} /\\ n' = 0",
}


@pytest.mark.parametrize("name", STEPS)
def test_steps_on_messages_in_slots_are_those_of_the_text(name: str, tmp_path: Path) -> None:
    """At every reachable state both have the same steps and the same truths."""
    step = f"Step == {STEPS[name]}\nNext == Ask \\/ Answer \\/ Step\n====\n"
    (tmp_path / "M.tla").write_text(START + step)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nINVARIANT Inv\n")
    specification = load(tmp_path / "M.tla")
    translation = translate(specification, samples=Samples(specification))
    sort = translation.model.variables["sent"]
    assert isinstance(sort, BoundedSetSort)
    assert isinstance(sort.element, VariantSort)
    compared = compare_reachable(
        Search(Machine(specification)), TranslatedModel(specification, translation), 1_000
    )
    assert compared.complete
    assert compared.skipped == 0
    assert compared.states > 4
