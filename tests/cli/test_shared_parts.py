"""Commands end on protocols whose terms share their parts, as values that a loop makes do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import bmc

SHARED = """
from bmc.lang import *

class Shared(Protocol):
    n = Variable(Integer("N", 0, 3))

    @action()
    def Init(self, s):
        s.n = 0

    @action()
    def Up(self, s):
        s.require(s.n < 3)
        s.n = s.n + 1

    Next = one_of(Up)

    @invariant("true, and shared")
    def Claim(self, s):
        t = s.n < 4
        for _ in range(60):
            t = (t & (s.n < 5)) | (t & (s.n < 6))
        return t
"""


@pytest.mark.parametrize("command", ["explore", "simulate", "testgen"])
def test_a_command_goes_once_through_shared_parts(command: str, tmp_path: Path) -> None:
    file = tmp_path / "shared.py"
    file.write_text(SHARED)
    more = ["--out", str(tmp_path / "suite")] if command == "testgen" else []
    assert bmc(command, f"{file}:Shared", *more, "--timeout", "60").code == 0


def test_inference_keeps_its_limit_where_parts_are_shared(tmp_path: Path) -> None:
    """It took every way to a part, and did not look at the clock meanwhile."""
    file = tmp_path / "shared.py"
    file.write_text(SHARED)
    answered = bmc("infer", f"{file}:Shared", "--timeout", "3")
    assert answered.code in (0, 3)
    assert "all hold in all 4 reachable states" in answered.out


def test_a_proof_is_written_down_where_parts_are_shared(tmp_path: Path) -> None:
    """Its certificate took the whole text of the claim, and the verdict was lost to the limit."""
    file, proof = tmp_path / "shared.py", tmp_path / "proof.json"
    file.write_text(SHARED)
    induction = ("--engine", "kinduction", "--certificate", str(proof), "--timeout", "60")
    assert bmc("prove", f"{file}:Shared", *induction).code == 0
    assert bmc("certify", str(proof), "--protocol", f"{file}:Shared").code == 0


TREE = """---- MODULE Tree ----
EXTENDS Naturals
CONSTANTS Node, root
VARIABLE par
RECURSIVE Up(_, _)
Up(n, k) == IF n = root \\/ k = 0 THEN n ELSE Up(par[n], k - 1)
Above(a, n) == \\E k \\in 1..3 : Up(n, k) = a
Init == par = [n \\in Node |-> root]
Adopt(n, p) == n # p /\\ ~Above(n, p) /\\ par' = [par EXCEPT ![n] = p]
Next == \\E n, p \\in Node : Adopt(n, p)
Spec == Init /\\ [][Next]_par
Nested == []<>(\\E n, p \\in Node : Above(n, p))
====
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A text whose recursion is unrolled: each call reads the one before in several places."""
    file = tmp_path / "Tree.tla"
    file.write_text(TREE)
    file.with_suffix(".cfg").write_text(
        "SPECIFICATION Spec\nCONSTANTS Node = {a, b, c}\n root = root\n"
        "PROPERTY Nested\nCHECK_DEADLOCK FALSE\n"
    )
    return file


def test_guards_are_named_where_parts_are_shared(tree: Path) -> None:
    """Their names are their texts: written out, one had more characters than there is time for."""
    out = str(tree.parent / "suite")
    answered = bmc("testgen", str(tree), "--cover", "guards", "--out", out, "--timeout", "60")
    assert answered.code == 0
    assert "2 of 2 guards covered" in answered.out


def test_guards_are_looked_at_once_where_parts_are_shared(tmp_path: Path) -> None:
    """A guard that is refused was read in every way to a part, in each state of each execution."""
    file = tmp_path / "shared.py"
    loop = "".join(SHARED.splitlines(keepends=True)[-4:-1]).replace("s.n < 4", "s.n < 2")
    file.write_text(SHARED.replace("        s.require(s.n < 3)\n", f"{loop}        s.require(t)\n"))
    out = str(tmp_path / "suite")
    guards = ("--cover", "guards", "--out", out, "--timeout", "60")
    answered = bmc("testgen", f"{file}:Shared", *guards)
    assert answered.code == 0
    assert "1 of 1 guards covered" in answered.out


def test_a_lasso_is_told_where_parts_are_shared(tree: Path) -> None:
    """The verdict was there, and the text of the claim above its lasso never came."""
    answered = bmc("prove", str(tree), "-P", "Nested", "--timeout", "60")
    assert answered.code == 1
    assert "Nested is violated: []<>" in answered.out
