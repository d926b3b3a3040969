"""Operators that an exported module defines for its expressions stand in the way of no name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.exports.test_tla import evaluated, exported

FOLLOWED = """
from bmc.lang import *


class M(Protocol):
    size = Parameter("size", default=2, low=1, high=3, about="members")
    S = Scalarset("S", size)
    x = Integer("x", 0, 3)
    held = Variable(SetSort(x))
    y = Variable(SetSort(S))

    @action()
    def Init(self, s):
        s.held = set()
        s.y = set()

    @action(k=x, r=S)
    def Go(self, s, k, r):
        s.require(BASE)
        s.held |= {k}
        s.y |= {r}

    Next = one_of(Go)


class H(History):
    top = Variable(M.x)

    def initially(self, s):
        s.top = 0

    @after("Go")
    def follow(self, s, k):
        s.top = last(M.x, lambda n: member(n, s.held), 0)


@invariant("the top is held")
def Held(m, s):
    return (s.top == 0) | member(s.top, s.held)


P = Suite("P", M, "about", properties=(Held,), history=H)
"""


FIRST, LAST = (f"{word}(self.x, lambda n: member(n, s.held), 0) < 4" for word in ("first", "last"))


@pytest.mark.parametrize(
    ("guard", "defined_in"), [("TRUE", "OutHistory"), (FIRST, "OutHistory"), (LAST, "Out")]
)
def test_each_helper_is_defined_once_under_names_that_nothing_else_has(
    tmp_path: Path, guard: str, defined_in: str
) -> None:
    (tmp_path / "followed.py").write_text(FOLLOWED.replace("BASE", guard))
    exported(tmp_path, f"{tmp_path / 'followed.py'}:P", {})
    texts = {name: (tmp_path / f"{name}.tla").read_text() for name in ("Out", "OutHistory")}
    assert [name for name, text in texts.items() if "\nGreatest(" in text] == [defined_in]
    # TLC reads no parameter and no bound variable that is called like a constant or an operator.
    for bound in re.findall(r"^(?:Greatest|Least)\w*\((\w+)[,)]", "".join(texts.values()), re.M):
        assert bound not in ("S", "x", "y")
    found = evaluated(tmp_path / "OutHistory.tla")
    # TLC finds as many.
    assert (found.violation, found.distinct) == (None, 85)
