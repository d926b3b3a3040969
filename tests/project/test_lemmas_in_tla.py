"""The modules with lemmas for others' texts offer what they define, and only that.

The texts that they extend are not here, so they are read and not resolved.
"""

from pathlib import Path

import pytest

from bmc.frontends.tla.config import read_config
from bmc.frontends.tla.syntax import parse
from bmc.frontends.tla.tree import OperatorOf

EXAMPLES = Path(__file__).resolve().parents[2] / "docs/examples"
MODULES = sorted(EXAMPLES.glob("*Proof.tla"))


def test_there_is_one_for_each_text() -> None:
    names = [one.stem for one in MODULES]
    assert names == ["ElasticsearchProof", "Kip320Proof", "TransactionsProof"]


@pytest.mark.parametrize("module", MODULES, ids=lambda one: one.stem)
def test_each_lemma_is_defined_and_offered_once(module: Path) -> None:
    tree = parse(module.read_text(encoding="utf-8"), str(module))
    assert tree.name == module.stem
    plain = [
        (unit.name.text, unit.span.line)
        for unit in tree.units
        if isinstance(unit, OperatorOf) and not unit.parameters
    ]
    offered = [one.text for one in read_config(module.with_suffix(".cfg")).lemmas]
    assert len(offered) == len(set(offered))
    assert set(offered) <= {name for name, _ in plain}
    # Lemmas stand behind the words that they are written with.
    first = min(line for name, line in plain if name in offered)
    behind = {name for name, line in plain if line >= first}
    assert behind - set(offered) <= {"NothingAssigned"}
