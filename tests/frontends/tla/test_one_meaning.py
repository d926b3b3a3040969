"""A name means one thing: what TLC's parser refuses, or only warns of, is refused."""

from pathlib import Path

import pytest

from bmc.frontends.tla import core as c
from bmc.frontends.tla.errors import TlaNameError
from tests.frontends.tla.test_reading import invariant, read, told

HEAD = "EXTENDS Integers\nVARIABLE x\n"

TWICE = {
    "two definitions": "Inv == x = 0\nInv == TRUE",
    "a definition of a variable's name": "Inv == TRUE\nx == 1",
    "a bound variable": "Inv == \\E x \\in 0..1 : x = 1",
    "a variable bound twice": "Inv == \\E y \\in 0..1 : (\\A y \\in 0..2 : y = y)",
    "two variables of one binder": "Inv == \\A y \\in 0..1, y \\in 0..2 : y = y",
    "a parameter": "Op(x) == x\nInv == Op(1) = 1",
    "two parameters": "Op(a, a) == a\nInv == Op(1, 2) = 2",
    "a parameter of a definition's name": "a == 1\nOp(a) == a\nInv == Op(1) = 1",
    "a definition of a LET": "Inv == LET x == 1 IN x = 1",
    "two definitions of a LET": "Inv == LET y == 1 y == 2 IN y = 2",
    "an operator's argument": "Op(F(_)) == F(1)\nInv == Op(LAMBDA x : x = 1)",
    "a function's argument": "f[x \\in 0..1] == x\nInv == f[0] = 0",
    "further down": "Inv == Later\nLater == TRUE",
    "an operator of a standard module": "a + b == 7\nInv == 1 + 1 = 2",
    "a prefix operator of one": "-. a == a\nInv == -1 = 1",
    "a variable called as one of its sets": "Inv == \\A Nat \\in 0..1 : Nat < 2",
}


@pytest.mark.parametrize("body", TWICE.values(), ids=TWICE)
def test_a_second_meaning_is_refused_at_its_place(tmp_path: Path, body: str) -> None:
    with pytest.raises(TlaNameError, match=r"already|further down") as told:
        read(tmp_path, HEAD + body)
    assert "M.tla:" in str(told.value)


OTHER = {
    "extended": ("EXTENDS A, B\nVARIABLE x\nInv == Low", {}),
    "instantiated": ("EXTENDS B\nVARIABLE x\nINSTANCE A\nInv == Low", {}),
    "defined here": ("EXTENDS A\nVARIABLE x\nLow == FALSE\nInv == Low", {}),
}
MODULES = {"A": "Low == TRUE", "B": "Low == FALSE"}

LANGUAGE = ("a = b == TRUE", "a \\in b == TRUE", "\\neg a == a", "a ' == a", "a \\X b == a")


@pytest.mark.parametrize("body", LANGUAGE)
def test_an_operator_of_the_language_is_not_defined(tmp_path: Path, body: str) -> None:
    with pytest.raises(TlaNameError, match="TLA\\+'s own"):
        read(tmp_path, f"{HEAD}{body}\nInv == x = 0")


@pytest.mark.parametrize("first", ["Integers, Own", "Own, Integers", "Own, Naturals"])
@pytest.mark.parametrize("own", ["a + b == 7", "Nat == {1}"])
def test_a_module_that_disagrees_with_a_standard_one_is_refused(
    tmp_path: Path, first: str, own: str
) -> None:
    with pytest.raises(TlaNameError, match="is defined or declared already"):
        read(tmp_path, f"EXTENDS {first}\nVARIABLE x\nInv == 1 + 1 = 2 /\\ 2 \\in Nat", Own=own)


def test_standard_modules_that_share_their_names_agree(tmp_path: Path) -> None:
    body = "EXTENDS Naturals, Integers, Own\nVARIABLE x\nInv == 1 + Two(0) = 1"
    read(tmp_path, body, Own="LOCAL INSTANCE Naturals\nTwo(n) == 2 * n")


def test_a_module_beside_the_specification_comes_before_a_standard_one(tmp_path: Path) -> None:
    body = "EXTENDS Bags\nVARIABLE x\nInv == SetToBag(x) = x"
    found = invariant(read(tmp_path, body, Bags="SetToBag(S) == 7"))
    assert isinstance(found, c.Builtin)
    called = found.arguments[0]
    assert isinstance(called, c.Call)
    assert told(called.definition.body) == "7"


@pytest.mark.parametrize("body", [body for body, _ in OTHER.values()], ids=OTHER)
def test_modules_that_disagree_are_refused(tmp_path: Path, body: str) -> None:
    with pytest.raises(TlaNameError, match="Low is defined or declared already"):
        read(tmp_path, body, **MODULES)


def test_modules_that_say_the_same_agree(tmp_path: Path) -> None:
    same = {"A": "Low == TRUE", "B": "\n\nLow ==\n  TRUE", "C": "EXTENDS A"}
    read(tmp_path, "EXTENDS A, B, C\nVARIABLE x\nINSTANCE A\nInv == Low", **same)


USUAL = {
    "a module within, of what comes after it": (
        "---- MODULE In ----\nVARIABLE y\nStart == y = 0\n====\n"
        "A == INSTANCE In WITH y <- x\nStart == A!Start\nInv == Start"
    ),
    "a definition that binds its own name": "y == CHOOSE y \\in 0..1 : y = 1\nInv == y = 1",
    "a LET that does": "Inv == LET y == CHOOSE y \\in 0..1 : y = 1 IN y = 1",
    "a name that is defined afterwards": "Inv == \\E y \\in 0..1 : y = 1\ny == 3",
    "a name bound beside": "Inv == (\\E y \\in 0..1 : y = 1) /\\ (\\E y \\in 0..2 : y = 2)",
    "a name that is declared recursive": (
        "RECURSIVE Op(_)\nInv == Op(1) = 0\nOp(a) == IF a = 0 THEN 0 ELSE Op(a - 1)"
    ),
    "what a parameter is the domain of": "Op(a) == {b \\in {a} : b = a}\nInv == Op(1) = {1}",
}


@pytest.mark.parametrize("body", USUAL.values(), ids=USUAL)
def test_what_hides_nothing_is_read(tmp_path: Path, body: str) -> None:
    assert isinstance(invariant(read(tmp_path, HEAD + body)), c.Expression)
