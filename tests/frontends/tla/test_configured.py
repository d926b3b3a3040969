"""What a configuration says of a name holds wherever the name stands, or it is refused."""

from pathlib import Path

import pytest

from bmc.frontends.tla import core as c
from bmc.frontends.tla.config import parse_config
from bmc.frontends.tla.errors import TlaError
from bmc.frontends.tla.survey import reached
from tests.frontends.tla.test_reading import invariant, read, told


def test_the_configuration_replaces_constants_definitions_and_builtins(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals\nCONSTANTS N, Set, Op(_)\nVARIABLE x\nTen == 10\nPlus(a) == a + 1\n"
        "Small == 0..3\nHigh == 5\nInv == x \\in Nat /\\ Op(N) = High /\\ Set = {}"
    )
    config = (
        "CONSTANTS N <- Ten Op <- Plus Nat <- Small\n"
        '  Set = {r1, r2, {-1}, "s"} (* a comment *) High = 7\nINVARIANTS Inv'
    )
    found = read(tmp_path, body, config)
    assert told(invariant(found)) == (
        "AND(IN(x, Small()), EQUAL(Plus(Ten()), 7), EQUAL(Set, SetEnumeration))"
    )
    value = found.constants["Set"]
    assert isinstance(value, c.SetEnumeration)
    assert [type(e).__name__ for e in value.elements] == [
        "ModelValueLiteral",
        "ModelValueLiteral",
        "SetEnumeration",
        "StringLiteral",
    ]


@pytest.mark.parametrize("declared", [r"_ \prec _", r"_\prec_"])
@pytest.mark.parametrize("given", [r"\prec <- Later", r"\prec <- > + <- %"])
def test_a_configuration_names_operators_by_their_signs(
    tmp_path: Path, given: str, declared: str
) -> None:
    """As TLC has it: a constant such as `_ \\prec _` could be given no meaning."""
    body = (
        f"EXTENDS Naturals\nCONSTANT {declared}\nVARIABLE x\n"
        "Later(a, b) == b < a\nInv == 2 \\prec x"
    )
    found = read(tmp_path, body, f"CONSTANTS {given}\nINVARIANT Inv")
    assert told(invariant(found)) == ("GREATER(2, x)" if ">" in given else "Later(2, x)")


@pytest.mark.parametrize("given", ["N = 1..3", "N = 2 / 3", r"\prec = 3", r"\pre <- Later"])
def test_a_sign_that_is_no_value_is_refused_with_what_to_write(given: str) -> None:
    with pytest.raises(TlaError, match=r"begins nothing(.*\n)*.*define an operator Op and write"):
        parse_config(f"CONSTANT {given}", "M.cfg")


def test_a_configuration_may_name_an_instance_s_operator(tmp_path: Path) -> None:
    """And a constant may be negative: TLC reads neither, and the text says what both mean."""
    body = "VARIABLE x\nCONSTANT N\nI == INSTANCE Other WITH y <- x"
    other = "VARIABLE y\nOk == y = 1"
    found = read(tmp_path, body, "CONSTANT N = -1 INVARIANT I!Ok", Other=other)
    assert [one.name for one in found.invariants] == ["I!Ok"]
    assert isinstance(number := found.constants["N"], c.IntegerLiteral)
    assert number.value == -1


def test_a_configuration_keeps_the_backslashes_of_its_strings() -> None:
    """As TLC does, where a module's string has one character for each escape."""
    value = parse_config(r'CONSTANT K = "a\\\"b"', "M.cfg").assignments[0].value
    assert isinstance(value, c.StringLiteral)
    assert value.value == r"a\\\"b"


def test_what_replaces_a_name_has_the_value_that_it_is_given(tmp_path: Path) -> None:
    """With K <- L and L = 1 the text's own L was taken for K, and TLC takes 1."""
    body = "VARIABLE x\nCONSTANT K\nL == 2\nInv == x = K"
    for given in ("K <- L L = 1", "L = 1 K <- L"):
        found = read(tmp_path, body, f"CONSTANTS {given} INVARIANT Inv")
        assert told(invariant(found)) == "EQUAL(x, 1)"


def test_what_replaces_a_name_is_not_replaced_itself(tmp_path: Path) -> None:
    """TLC refuses it, in whichever order it is written."""
    body = "VARIABLE x\nCONSTANT K\nL == 2\nM == 3\nInv == x = K"
    for given in ("K <- L L <- M", "L <- M K <- L"):
        with pytest.raises(TlaError, match="L is replaced itself, and replaces K here"):
            read(tmp_path, body, f"CONSTANTS {given} INVARIANT Inv")


def test_a_replacement_within_a_module_leaves_the_others(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "VARIABLE x\nSize == 1\nOurs == 2\nI == INSTANCE Other\nInv == Size = I!Size",
        "CONSTANT Size <-[Other] Ours\nINVARIANT Inv",
        Other="Size == 3",
    )
    assert told(invariant(found)) == "EQUAL(Size(), Ours())"


@pytest.mark.parametrize("module", ["Naturals", "Integers", "Other", "Inner", "M"])
def test_what_is_built_in_is_replaced_in_every_module(tmp_path: Path, module: str) -> None:
    """It is one operator, as TLC has it: it stayed as it was in the others, or everywhere."""
    found = read(
        tmp_path,
        "EXTENDS Integers\nVARIABLE x\nFew == 1..2\n"
        "---- MODULE Inner ----\nEXTENDS Other\n====\nI == INSTANCE Other\n"
        "Inv == x \\in Nat /\\ x \\in I!Small",
        f"CONSTANT Nat <-[{module}] Few\nINVARIANT Inv",
        Other="EXTENDS Naturals\nSmall == Nat",
    )
    assert told(invariant(found)) == "AND(IN(x, Few()), IN(x, I!Small()))"
    (small,) = (one for one in reached([invariant(found)]) if one.name == "I!Small")
    assert told(small.body) == "Few()"


SHARED = {
    "Low": "Lim == 5\nAbove == Lim",
    "Mid": "EXTENDS Low\nTwice == Lim",
}
USES = ("Lim", "Above", "L!Lim", "L!Above", "I!Lim", "I!Twice", "I!Above")


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("module", ["M", "Mid", "Low"])
def test_a_definition_is_replaced_wherever_it_stands(tmp_path: Path, module: str, use: str) -> None:
    """Whichever module it is named of, as in TLC: instances that others had kept the first one."""
    head = "EXTENDS Low\nVARIABLE x\nTwo == 2\nL == INSTANCE Low\nI == INSTANCE Mid\n"
    config = f"CONSTANT Lim <-[{module}] Two\nINVARIANT Inv"
    found = read(tmp_path, f"{head}Inv == x = {use}", config, **SHARED)
    names = {one.name.rpartition("!")[2] for one in reached([invariant(found)])}
    assert "Two" in names
    assert "Lim" not in names


def test_a_replacement_that_an_instance_does_not_see_is_refused(tmp_path: Path) -> None:
    """TLC has it in what the instance's operators read: it was read as it stands there."""
    head = "EXTENDS Low\nVARIABLE x\nTwo == 2\nI == INSTANCE Mid\nA == x' = Lim\nInv == x = "
    config = "CONSTANT Lim <- Two\nINVARIANT Inv"
    for use in ("I!Twice", "I!Above", "I!Lim"):
        with pytest.raises(TlaError, match=r"Low as well\n(.*\n)*.*write Lim <-\[Low\]"):
            read(tmp_path, head + use, config, **SHARED)
    for use in ("Lim", "Above", "IF ENABLED A THEN 1 ELSE 0"):
        found = read(tmp_path, head + use, config, **SHARED)
        assert "Lim" not in {one.name for one in reached([invariant(found)])}


@pytest.mark.parametrize("sign", ["<-[{}] Ours", "=[{}] 2"])
def test_a_replacement_of_nothing_is_refused(tmp_path: Path, sign: str) -> None:
    """What was misspelt stayed as it was, and nothing was said."""
    body = "VARIABLE x\nOurs == 2\nI == INSTANCE Other\nJ == INSTANCE Further\nInv == x = I!Size"
    for name, module, why in (
        ("Size", "Othr", "there is no module Othr"),
        ("Sizes", "Other", "Sizes is not defined in module Other"),
        ("Sizes", "Further", "Sizes is not defined in module Further"),
    ):
        config = f"CONSTANT {name} {sign.format(module)}\nINVARIANT Inv"
        with pytest.raises(TlaError, match=why):
            read(tmp_path, body, config, Other="Size == 3", Further="Size == 3")
    config = f"CONSTANT Size {sign.format('Further')}\nINVARIANT Inv"
    read(tmp_path, body, config, Other="Size == 3", Further="Size == 3")
