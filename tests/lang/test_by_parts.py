"""What holds terms is equal where its parts are, on each Python: `==` of terms makes a formula."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import bmc
from bmc.lang import Integer
from bmc.lang.fairness import FairSteps
from bmc.lang.formulas import Both, Formula, Not, Now, Taken, Until
from bmc.lang.state import state_variable
from bmc.lang.terms import Term, term_of

Count = Integer("Count", 0, 4)


def x() -> Term:
    return state_variable("x", Count)


def one() -> Now:
    return Now(term_of(x() == 1))


def other() -> Now:
    return Now(term_of(x() == 2))


@pytest.mark.parametrize(
    ("this", "same", "different"),
    [
        (one(), one(), other()),
        (one(), one(), Taken(one().holds)),
        (Not(one()), Not(one()), Not(other())),
        (Both(one(), other()), Both(one(), other()), Both(other(), one())),
        (Until(one(), Not(other())), Until(one(), Not(other())), Both(one(), Not(other()))),
    ],
)
def test_formulas_are_equal_by_their_parts(
    this: Formula, same: Formula, different: Formula
) -> None:
    assert this == same
    assert hash(this) == hash(same)
    assert this != different
    assert len({this, same, different}) == 2


def test_tuples_of_terms_are_compared_term_by_term() -> None:
    first, second = one().holds, other().holds
    asked = FairSteps(False, (first,), first, second, "WF_x(A)")
    assert asked == FairSteps(False, (first,), first, second, "WF_x(A)")
    assert asked != FairSteps(False, (second,), first, second, "WF_x(A)")


def test_each_dataclass_that_holds_a_term_is_compared_so() -> None:
    """Python 3.13 asks `==` of a part that is the same object, too."""
    root = Path(bmc.__file__).parent
    compared = [
        f"{path.relative_to(root)}: {found.name}"
        for path in sorted(root.rglob("*.py"))
        for found in _holding(ast.parse(path.read_text()))
        if "ByParts" not in map(ast.unparse, found.bases)
    ]
    assert compared == ["lang/formulas.py: Now", "lang/formulas.py: Taken"]
    assert Now.__eq__ is Both.__eq__


def _holding(tree: ast.Module) -> Iterator[ast.ClassDef]:
    for found in ast.walk(tree):
        if isinstance(found, ast.ClassDef):
            made = [ast.unparse(one) for one in found.decorator_list]
            held = [one for one in found.body if isinstance(one, ast.AnnAssign)]
            if any("dataclass" in one and "eq=False" not in one for one in made) and any(
                _is_a_term(one.annotation) for one in held
            ):
                yield found


def _is_a_term(annotation: ast.expr) -> bool:
    match annotation:
        case ast.Name("Term" | "Expr"):
            return True
        case ast.BinOp(left, _, right):
            return _is_a_term(left) or _is_a_term(right)
    return False
