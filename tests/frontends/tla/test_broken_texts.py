"""A text or a configuration that cannot be read is refused with its place."""

from pathlib import Path

import pytest

from bmc.frontends.tla.config import parse_config
from bmc.frontends.tla.errors import TlaError, TlaLimit
from bmc.frontends.tla.load import load
from bmc.frontends.tla.syntax import parse

from .test_reading import INNER, read

BROKEN = [
    ("Inv == IF TRUE THEN 1", "3:1", "expected ELSE of the IF of line 2, found ===="),
    ("Inv == (1 + 2", "3:1", "expected ) to close ( of line 2"),
    ("Inv == [f EXCEPT ![1] == 3]", "2:23", "expected = of an EXCEPT, found =="),
    (
        "Inv == /\\ (x\n    /\\ y",
        "3:5",
        "expected ) to close ( of line 2, and the list's item ends before /\\",
    ),
    ("Inv == \\A a : b : c", "2:17", "expected a definition, found :"),
    ("Inv == TRUE /\\ FALSE \\/ TRUE", "2:22", "neither binds more tightly"),
    ("EXTENDS Integers\nInv == 2 * -1 = 0", "3:12", "* binds more tightly than the - behind it"),
    ("Inv == UNION {} \\X {} = {}", "2:17", r"UNION and \X without parentheses"),
    ("VARIABLE x\nInv == ENABLED x'", "3:17", "ENABLED and ' without parentheses"),
    ("Inv == LET f == <<1>> IN\n         /\\ f\n       [1]", "4:8", "expected a definition"),
    ('Inv == "no end', "2:8", "this string has no end on its line"),
    ("Inv == \\foo", "2:8", r"\foo is no operator of TLA+"),
    ("Inv == (* no end", "2:8", "this comment has no end"),
    ("Inv == [a |-> 1, a |-> 2]", "2:18", "the record has two fields a"),
    ("Inv == CHOOSE x, y \\in S : TRUE", "2:8", "CHOOSE binds one name"),
    ("Inv == Known", "2:8", "Known is not defined in module M"),
    ("Inv == Known", "2:8", "define it there, or in a module that it EXTENDS"),
    ("Inv == Len(1)", "2:8", "EXTENDS Sequences defines it"),
    ("EXTENDS Missing\nInv == TRUE", "2:9", "there is no module Missing"),
    ("EXTENDS Sequence\nInv == TRUE", "2:9", "did you mean Sequences"),
    ("EXTENDS M\nInv == TRUE", "2:9", "module M extends itself"),
    ("F(a) == a\nInv == F(1, 2)", "3:8", "F takes 1 argument and is given 2"),
    ("F(a, b) == a\nInv == F", "3:8", "write F with 2 arguments"),
    ("F == 1\nInv == F(1)", "3:8", "write F alone"),
    ("F(G(_)) == G(1)\nH(a, b) == a\nInv == F(H)", "4:10", "name an operator of 1 argument"),
    (f"{INNER}C == x\nI == INSTANCE In\nInv == I", "10:8", "write I!Op, with the operator"),
    ("F(G(_)) == G(1)\nInv == F(1)", "3:10", "a value stands here where an operator is wanted"),
    ("VARIABLE x\nInv == x'", "3:1", "Inv is to be a formula of one state"),
    ("VARIABLE x\nInv == x'", "3:1", "name `[][…]_vars` of it under PROPERTY"),
    ("VARIABLE x\nInv == [](x = 1)", "3:1", "name it under PROPERTY"),
    ("VARIABLE x\nInv == x'' = 1", "3:8", "what is primed has a prime already"),
    (
        "VARIABLE x\nRECURSIVE R(_, _)\n"
        "R(i, v) == IF i = {} THEN v' ELSE R({}, v)\nInv == R({}, x)",
        "4:1",
        "the recursive operator R primes v, a parameter",
    ),
    (
        "VARIABLE x\nOf(e) == LET f == <<e>> IN UNCHANGED f\nRECURSIVE R(_, _)\n"
        "R(i, v) == IF i = {} THEN Of(v) ELSE R({}, v)\nInv == R({}, x)",
        "5:1",
        "the recursive operator R primes v, a parameter",
    ),
    ("I == INSTANCE M2\nInv == I!A", "1:1", "cannot read"),
    ("CONSTANT Op(_)\nInv == Op(1)", "3:8", "the constant operator Op has no definition"),
    (f"{INNER}I == INSTANCE In WITH C <- x\nInv == I!Same", "8:28", "C is a constant of module In"),
    (
        f"{INNER}Two == {{x}}\nI == INSTANCE In WITH C <- Two\nInv == I!Same",
        "9:28",
        "its substitute changes",
    ),
    (f"{INNER}C == x\nI == INSTANCE In\nInv == I!Same", "9:6", "C is a constant of module In"),
    (
        f"{INNER}I == INSTANCE In WITH C <- 1, x <- x'\nInv == I!Same",
        "8:36",
        "its substitute has a prime",
    ),
    (f"{INNER}I(p) == INSTANCE In WITH C <- p\nInv == I(x)!Same", "9:10", "its substitute changes"),
    (
        f"{INNER}I(p) == INSTANCE In WITH C <- {{p}}\nTwice(q) == I(q)!Same\nInv == Twice(<<x>>)",
        "10:14",
        "its substitute changes",
    ),
]


@pytest.mark.parametrize(("body", "place", "message"), BROKEN)
def test_a_broken_text_is_refused_with_its_place(
    tmp_path: Path, body: str, place: str, message: str
) -> None:
    (tmp_path / "M2.tla").mkdir()
    if "M2" in body:
        place, message = "2:15", "there is no module M2"
    with pytest.raises(TlaError) as refused:
        read(tmp_path, body)
    assert message in str(refused.value)
    assert str(refused.value).startswith(f"{tmp_path / 'M.tla'}:{place}: ")
    if refused.value.line is not None:
        assert "^" in str(refused.value)


@pytest.mark.parametrize(
    ("config", "place", "message"),
    [
        ("INIT Init", "1:6", "INIT and NEXT are given together"),
        ("SPECIFICATION S INIT I NEXT N", "1:15", "leave out the one or the other"),
        ("FOO Bar", "1:1", "FOO is no word of a configuration"),
        ("CONSTANT N 3", "1:12", "expected N = value, or N <- Operator"),
        ("CONSTANT N = {1, 2", "1:19", "expected }"),
        ("CONSTANT N = {1,}", "1:17", "expected a value, found }"),
        ("CONSTANTS N = 1, M = 2", "1:16", "leave it out: a space or a new line is enough"),
        ("INVARIANTS A, B", "1:13", "leave it out: a space or a new line is enough"),
        ("SPECIFICATION INIT Init", "1:15", "or leave SPECIFICATION out"),
        ("VIEW", "1:5", "write its name behind VIEW"),
        ("INVARIANT TRUE", "1:11", "such as Always == TRUE, and write its name here"),
        ("CONSTANT N = <<1>>", "1:14", "define an operator Op and write NAME <- Op"),
        ('CONSTANT N = "a\\"', "1:14", "a string on one line"),
        ("CHECK_DEADLOCK MAYBE", "1:16", "TRUE or FALSE"),
        ("\\* bmc: lema A", "1:1", "bmc does not know the note 'lema A'"),
        ("CHECK_DEADLOCK FALSE CHECK_DEADLOCK TRUE", "1:22", "CHECK_DEADLOCK is given twice"),
        ("INVARIANT a ; b", "1:13", "';' begins nothing"),
    ],
)
def test_a_broken_configuration_is_refused_with_its_place(
    config: str, place: str, message: str
) -> None:
    with pytest.raises(TlaError) as refused:
        parse_config(config, "M.cfg")
    assert str(refused.value).startswith(f"M.cfg:{place}: ")
    assert message in str(refused.value)


def test_a_constant_without_a_value_is_refused_where_it_is_read(tmp_path: Path) -> None:
    """A constant that nothing reaches needs none."""
    module = "CONSTANTS N, Unused\nVARIABLE x\nInit == x = 0\nNext == x' = N"
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{module}\n====\n")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    with pytest.raises(TlaError) as refused:
        load(tmp_path / "M.tla")
    assert str(refused.value).startswith(f"{tmp_path / 'M.tla'}:5:14: ")
    assert "the configuration gives N no value" in str(refused.value)
    assert "which is no constant" not in str(refused.value)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCONSTANT NN = 1\n")
    with pytest.raises(TlaError, match="where NN, which is no constant, has a value"):
        load(tmp_path / "M.tla")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Init\nPROPERTEIS Next\n")
    with pytest.raises(TlaError, match="did you mean PROPERTIES, which begins a part"):
        load(tmp_path / "M.tla")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCONSTANT N = 1\n")
    assert load(tmp_path / "M.tla").module == "M"


N = 20_000


@pytest.mark.parametrize(
    "text",
    [
        "(" * N + "1" + ")" * N,
        "[" * N,
        "<<" * N,
        "~" * N + "1",
        "/\\ " * N + "1",
        "\n" + "\n".join(" " * i + "/\\ " for i in range(1000)) + "1",
        "IF 1 THEN 1 ELSE " * N + "1",
        "x" + "'" * N,
        "f" + "[1]" * N,
        "1" + "+1" * N,
        "\\E x \\in S : " * N + "1",
        "1" * 2_100_000,
    ],
    ids=range(12),
)
def test_hostile_texts_are_refused_not_followed(text: str) -> None:
    with pytest.raises(TlaLimit):
        parse(f"---- MODULE M ----\nInv == {text}\n====\n", "M.tla")
