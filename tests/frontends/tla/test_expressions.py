"""Expressions have the values that TLA+ gives them, printed as TLC prints them."""

from pathlib import Path

import pytest

from bmc.frontends.tla.errors import TlaError, TlaUnsupported
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.errors import (
    AssertionFailed,
    EvaluationLimit,
    InfiniteSet,
    NothingToChoose,
    OutsideDomain,
    WrongKind,
)
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.values import show

HEADER = """---- MODULE Value ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLE it
CONSTANTS A, B, C, S
"""
CONFIG = """CONSTANTS
A = A
B = B
C = C
S = {A, B, C}
INIT Init
NEXT Next
"""


def machine(folder: Path, expression: str, definitions: str = "") -> Machine:
    text = f"{HEADER}{definitions}\nInit == it = ({expression})\nNext == UNCHANGED it\n====\n"
    (folder / "Value.tla").write_text(text)
    (folder / "Value.cfg").write_text(CONFIG)
    return Machine(load(folder / "Value.tla", folder / "Value.cfg"))


def value(folder: Path, expression: str, definitions: str = "") -> str:
    ((found,),) = machine(folder, expression, definitions).initial_states()
    return show(found)


@pytest.mark.parametrize(
    ("expression", "printed"),
    [
        # Logic
        ("TRUE => FALSE", "FALSE"),
        ("FALSE => 1 \\div 0 = 1", "TRUE"),
        ("(1 = 1) <=> (2 = 2)", "TRUE"),
        ("\\A x \\in {} : FALSE", "TRUE"),
        ("\\E x \\in {} : TRUE", "FALSE"),
        ("\\A x, y \\in 1..3, z \\in {1} : x + y >= z + 1", "TRUE"),
        ("\\E <<x, y>> \\in {<<1, 2>>, <<2, 1>>} : x > y", "TRUE"),
        ('IF 1 \\in {1} THEN "yes" ELSE 0', '"yes"'),
        ("CASE 1 = 2 -> 1 [] 1 = 1 -> 2 [] 2 = 2 -> 3", "2"),
        ("CASE 1 = 2 -> 1 [] OTHER -> 4", "4"),
        # Kinds do not mix: where TLC refuses to compare, they differ.
        ('1 = "1"', "FALSE"),
        ("TRUE \\in {1, 0}", "FALSE"),
        ("A = 1", "FALSE"),
        # An instance without a value does no harm where another one decides.
        ("\\E x \\in {<<>>, <<1>>} : Head(x) = 1", "TRUE"),
        ("\\A x \\in {<<>>, <<1>>} : Head(x) = 2", "FALSE"),
        # Numbers
        ("(-7) \\div 2", "-4"),
        ("(-7) % 3", "2"),
        ("2 ^ 10", "1024"),
        ("(-1) ^ 1000000000", "1"),
        ("3..1", "{}"),
        ("-1 \\in Nat", "FALSE"),
        ("-1 \\in Int", "TRUE"),
        # Sets
        ("{3, 1, 2, 1}", "{1, 2, 3}"),
        ("{1, 2} \\cup ({3, 5} \\cap {3, 4})", "{1, 2, 3}"),
        ("(1..4) \\ {2}", "{1, 3, 4}"),
        ("{x \\in 1..9 : x % 3 = 0}", "{3, 6, 9}"),
        ("{x * y : x \\in 1..2, y \\in {3, 5}}", "{3, 5, 6, 10}"),
        ("{<<y, x>> : <<x, y>> \\in {<<1, 2>>}}", "{<<2, 1>>}"),
        ("UNION {{1}, {2, 1}}", "{1, 2}"),
        ("<<1, -2>> \\in UNION {[1..n -> Int] : n \\in 1..3}", "TRUE"),
        ("<<1, A>> \\in UNION {[1..n -> Int] : n \\in 1..3}", "FALSE"),
        ("-1 \\in UNION {Nat, {-1}}", "TRUE"),
        ("SUBSET {1, 2}", "{{}, {1}, {2}, {1, 2}}"),
        ("{1} \\in SUBSET Nat", "TRUE"),
        ("Cardinality(SUBSET (1..20))", "1048576"),
        ("Nat \\cup {-1} = Nat", None),
        ("-1 \\in Nat \\cup {-1}", "TRUE"),
        ("5 \\in {n \\in Nat : n > 4}", "TRUE"),
        ("SUBSET {1} \\subseteq SUBSET Nat", "TRUE"),
        ("IsFiniteSet(Nat)", "FALSE"),
        ("IsFiniteSet([{1} -> {2}])", "TRUE"),
        ("{1, 2} \\X {A}", "{<<1, A>>, <<2, A>>}"),
        ("<<1, A, 2>> \\in Nat \\X S \\X Nat", "TRUE"),
        # CHOOSE takes the first in TLC's order.
        ("CHOOSE x \\in {3, 1, 2} : x > 1", "2"),
        ("CHOOSE x \\in SUBSET {1, 2, 3} : Cardinality(x) = 2", "{1, 2}"),
        ("CHOOSE x \\in S : TRUE", "A"),
        ("CHOOSE <<x, y>> \\in (1..2) \\X (1..2) : x > y", "<<2, 1>>"),
        # Functions
        ("[x \\in {1, 2} |-> x + 1]", "<<2, 3>>"),
        ("[x \\in {} |-> x]", "<<>>"),
        ("[x \\in S |-> 0]", "(A :> 0 @@ B :> 0 @@ C :> 0)"),
        ("[x, y \\in {0} |-> x]", "(<<0, 0>> :> 0)"),
        ("[x \\in {0}, y \\in {5} |-> x + y][0, 5]", "5"),
        ("[<<x, y>> \\in {<<0, 5>>} |-> x + y][0, 5]", "5"),
        ("DOMAIN [x \\in {0, 2} |-> x]", "{0, 2}"),
        ("[n \\in Nat |-> n * n][7]", "49"),
        ("[{1, 2} -> {A}]", "{<<A, A>>}"),
        ("[x \\in {0, 1} |-> x] \\in [{0, 1} -> Nat]", "TRUE"),
        ("[x \\in {0, 1} |-> x] \\in [{0} -> Nat]", "FALSE"),
        ("[x \\in {0, 1} |-> 7] = (0 :> 7 @@ 1 :> 7)", "TRUE"),
        ("(0 :> 1 @@ 0 :> 2)[0]", "1"),
        # Records
        ("[b |-> 1, a |-> 2]", "[a |-> 2, b |-> 1]"),
        ("[a |-> 2].a", "2"),
        ('[a |-> 2]["a"]', "2"),
        ("[a |-> 1] \\in [a : Nat]", "TRUE"),
        ("[a |-> 1, b |-> 1] \\in [a : Nat]", "FALSE"),
        ("[a : {1, 2}, b : {A}]", "{[a |-> 1, b |-> A], [a |-> 2, b |-> A]}"),
        # EXCEPT
        ("[[x \\in 0..1 |-> 0] EXCEPT ![1] = @ + 5]", "(0 :> 0 @@ 1 :> 5)"),
        ("[[a |-> <<1, 2>>] EXCEPT !.a[2] = 9]", "[a |-> <<1, 9>>]"),
        ("[<<1, 2>> EXCEPT ![1] = 5, ![1] = @ + 1, ![2] = @ * 2]", "<<6, 4>>"),
        ("[<<1, 2>> EXCEPT ![3] = 5]", "<<1, 2>>"),
        ("[[x, y \\in {1} |-> 0] EXCEPT ![1, 1] = 3][1, 1]", "3"),
        # Sequences
        ("<<1, 2>> \\o <<3>>", "<<1, 2, 3>>"),
        ("Append(<<>>, 1)", "<<1>>"),
        ("Head(<<4, 5>>) + Len(Tail(<<4, 5>>))", "5"),
        ("SubSeq(<<1, 2, 3, 4>>, 2, 3)", "<<2, 3>>"),
        ("SubSeq(<<1, 2>>, 2, 1)", "<<>>"),
        ("SelectSeq(<<1, 2, 3>>, LAMBDA x : x # 2)", "<<1, 3>>"),
        ("<<1, 2>> \\in Seq(Nat)", "TRUE"),
        ("SortSeq(<<3, 1, 2>>, <)", "<<1, 2, 3>>"),
        # Of what is no order, as TLC puts the elements in.
        ("SortSeq(<<1, 3, 2, 5, 4>>, LAMBDA a, b : a + b < 6)", "<<2, 3, 1, 5, 4>>"),
        ("[i \\in 1..3 |-> i] = <<1, 2, 3>>", "TRUE"),
        # TLC
        ("Cardinality(Permutations(S))", "6"),
        ("ToString(<<1, A>>)", '"<<1, A>>"'),
        ('PrintT("nothing is printed")', "TRUE"),
    ],
)
def test_value(tmp_path: Path, expression: str, printed: str | None) -> None:
    if printed is None:
        with pytest.raises(InfiniteSet):
            value(tmp_path, expression)
    else:
        assert value(tmp_path, expression) == printed


@pytest.mark.parametrize(
    ("definitions", "expression", "printed"),
    [
        ("Twice(F(_), x) == F(F(x))", "Twice(LAMBDA y : y + 3, 1)", "7"),
        ("Twice(F(_), x) == F(F(x))\nUp(x) == 2 * x", "Twice(Up, 1)", "4"),
        ("Fold(F(_, _), a, b) == F(a, b)", "Fold(+, 1, 2)", "3"),
        ("a (+) b == a * b", "2 (+) 3", "6"),
        (
            "RECURSIVE F(_)\nF(n) == IF n = 0 THEN 1 ELSE n * F(n - 1)",
            "F(20)",
            f"{2432902008176640000}",
        ),
        ("f[n \\in Nat] == IF n = 0 THEN 1 ELSE n * f[n - 1]", "f[5]", "120"),
        (
            "f[n \\in 0..3] == IF n = 0 THEN 0 ELSE n + f[n - 1]",
            "f",
            "(0 :> 0 @@ 1 :> 1 @@ 2 :> 3 @@ 3 :> 6)",
        ),
        (
            "RECURSIVE Even(_), Odd(_)\n"
            "Even(n) == IF n = 0 THEN TRUE ELSE Odd(n - 1)\n"
            "Odd(n) == IF n = 0 THEN FALSE ELSE Even(n - 1)",
            "<<Even(10), Even(7)>>",
            "<<TRUE, FALSE>>",
        ),
        (
            "RECURSIVE Fold(_, _, _)\n"
            "Fold(F(_, _), b, s) == IF s = {} THEN b ELSE LET x == CHOOSE x \\in s : TRUE\n"
            "                                            IN F(x, Fold(F, b, s \\ {x}))",
            "Fold(LAMBDA x, y : x - y, 0, 1..3)",
            "2",
        ),
        (
            "RECURSIVE Depth(_)\n"
            "Depth(n) == IF n = 0 THEN {0} ELSE {x + y : x \\in Depth(n - 1), y \\in {n}}",
            "Depth(4)",
            "{10}",
        ),
        ("", "LET x == 2 y == x * x IN y + x", "6"),
        ("", "LET F(a) == a + 1 IN F(F(1))", "3"),
        ("", "{LET y == x * x IN y + y : x \\in 1..3}", "{2, 8, 18}"),
        ("", "LET f[n \\in 0..5] == IF n < 2 THEN n ELSE f[n-1] + f[n-2] IN f[5]", "5"),
        ("Unused(x) == 5", "Unused(1 \\div 0)", "5"),
        ("Pick(x, y) == IF x = 0 THEN 0 ELSE y", "Pick(0, Head(<<>>))", "0"),
        ("Shadow(x) == {y \\in 1..3 : y > x}", "{Shadow(y) : y \\in {1, 2}}", "{{3}, {2, 3}}"),
    ],
)
def test_operators(tmp_path: Path, definitions: str, expression: str, printed: str) -> None:
    assert value(tmp_path, expression, definitions) == printed


def test_a_fold_whose_order_matters_is_as_its_module_says_it(tmp_path: Path) -> None:
    definitions = (
        "Ext == INSTANCE FiniteSetsExt\nSeqs == INSTANCE SequencesExt\nF(x, y) == <<x>> \\o y"
    )
    assert value(tmp_path, "Ext!FoldSet(F, <<>>, 1..3)", definitions) == "<<1, 2, 3>>"
    assert value(tmp_path, "Seqs!FoldSeq(F, <<>>, <<1, 2, 3>>)", definitions) == "<<1, 2, 3>>"


@pytest.mark.parametrize(
    ("module", "expression", "printed"),
    [
        ("SequencesExt", "I!Interleave(<<1, 3>>, <<2, 4>>)", "<<<<1>>, <<2>>, <<3>>, <<4>>>>"),
        ("SequencesExt", "I!Interleave(<<>>, <<>>)", "<<<<>>, <<>>>>"),
        ("SequencesExt", "I!IndexFirstSubSeq(<<2>>, <<1, 2, 2>>)", "2"),
        ("SequencesExt", "I!ReplaceSubSeqAt(2, <<>>, <<5, 5>>, <<1, 2, 3, 4>>)", "<<1, 4>>"),
        ("SequencesExt", "I!ReplaceFirstSubSeq(<<3>>, <<1, 1>>, <<2, 1, 1, 1>>)", "<<2, 3, 1>>"),
        ("SequencesExt", "I!ReplaceFirstSubSeq(<<3>>, <<4>>, <<2, 1>>)", "<<2, 1>>"),
        ("SequencesExt", "I!ReplaceAllSubSeqs(<<2, 2>>, <<1, 1>>, <<1, 1, 1>>)", "<<2, 2, 1>>"),
        ("SequencesExt", "I!ReplaceAllSubSeqs(<<4>>, <<>>, <<1, 2>>)", "<<4, 1, 4, 2>>"),
        ("SequencesExt", "I!ReplaceAllSubSeqs(<<4>>, <<>>, <<>>)", "<<4>>"),
        ("SequencesExt", "I!ReplaceAllSubSeqs(<<4>>, <<1>>, <<>>)", "<<>>"),
        ("Graphs", "I!IsTreeWithRoot(I!EmptyGraph, 1)", "TRUE"),
        ("Graphs", "I!IsTreeWithRoot([node |-> {1}, edge |-> {}], 2)", "FALSE"),
        ("Graphs", "I!IsTreeWithRoot([node |-> {1, 2}, edge |-> {<<2, 1>>}], 1)", "TRUE"),
        ("Graphs", "I!AreConnectedIn(1, 2, [node |-> {1}, edge |-> {}])", "FALSE"),
        ("Graphs", "I!AreConnectedIn(1, 2, [node |-> {1}])", "FALSE"),
        ("Graphs", "I!IsStronglyConnected([node |-> {1, 2}, edge |-> {<<1, 2>>}])", "FALSE"),
        ("UndirectedGraphs", "I!AreConnectedIn(1, 2, [node |-> {1}, edge |-> {}])", "FALSE"),
        ("DyadicRationals", "I!PrettyPrint([num |-> 2, den |-> 1])", '"2/1"'),
        ("DyadicRationals", "I!Add(I!Zero, [num |-> 2, den |-> 4]).den", "4"),
    ],
)
def test_an_operator_of_the_library_is_as_its_module_says_it(
    tmp_path: Path, module: str, expression: str, printed: str
) -> None:
    """As TLC has them with the community's modules."""
    assert value(tmp_path, expression, f"I == INSTANCE {module}") == printed


@pytest.mark.parametrize(
    ("module", "expression"),
    [
        ("SequencesExt", "I!Interleave(<<1>>, <<>>)"),
        ("SequencesExt", "I!IndexFirstSubSeq(<<3>>, <<1, 2>>)"),
        ("SequencesExt", "I!Contains([i \\in 0..1 |-> i], 1)"),
        ("SequencesExt", "I!SelectInSeq([i \\in 0..1 |-> i], LAMBDA x : x = 1)"),
        ("Graphs", "I!AreConnectedIn(1, 9, [node |-> {1, 2}])"),
        ("UndirectedGraphs", "I!AreConnectedIn(1, 9, [node |-> {1}])"),
        ("UndirectedGraphs", "I!AreConnectedIn(1, 1, [node |-> {1}, edge |-> {{1, 9}}])"),
        ("UndirectedGraphs", "I!ConnectedComponents([node |-> {1}, edge |-> {5}])"),
        ("Relation", "I!ReflexiveTransitiveClosure(<<1, 2>> :> FALSE, {1, 2})[1, 2]"),
        ("Relation", "I!IsConnected(<<1, 2>> :> TRUE, {1, 2})"),
    ],
)
def test_an_operator_of_the_library_has_no_value_where_its_module_says_none(
    tmp_path: Path, module: str, expression: str
) -> None:
    with pytest.raises((NothingToChoose, OutsideDomain, WrongKind)):
        value(tmp_path, expression, f"I == INSTANCE {module}")


def test_a_library_keeps_to_itself_what_it_is_written_with(tmp_path: Path) -> None:
    """TLC's module extends none that defines these, so a text may."""
    definitions = "Max(x, y) == x + y\nRange == 7\nBagIn == 8\nSumSet == 9\nVARIABLE it\n"
    steps = "Init == it = <<Max(Range, BagIn), Last(<<SumSet>>)>>\nNext == UNCHANGED it\n====\n"
    head = "---- MODULE Value ----\nEXTENDS Naturals, SequencesExt, Graphs\n"
    (tmp_path / "Value.tla").write_text(head + definitions + steps)
    (tmp_path / "Value.cfg").write_text("INIT Init NEXT Next")
    ((found,),) = Machine(load(tmp_path / "Value.tla")).initial_states()
    assert show(found) == "<<15, 9>>"


@pytest.mark.parametrize(
    ("module", "expression", "printed"),
    [
        ("SequencesExt", "IsInjective(<<1, 2>>)", "TRUE"),
        ("SequencesExt", "Len(<<1>>) + Cardinality({-1})", "2"),
        ("SequencesExt", "CopiesIn(1, SetToBag({1, 2}))", "1"),
        ("Graphs", "FoldFunction(+, 0, <<1, 2>>)", "3"),
    ],
)
def test_what_newer_modules_extend_is_known_to_who_extends_them(
    tmp_path: Path, module: str, expression: str, printed: str
) -> None:
    """These were not defined, where the community's modules extend those that define them."""
    body = f"VARIABLE it\nInit == it = {expression}\nNext == UNCHANGED it\n====\n"
    (tmp_path / "Value.tla").write_text(f"---- MODULE Value ----\nEXTENDS {module}\n{body}")
    (tmp_path / "Value.cfg").write_text("INIT Init NEXT Next")
    ((found,),) = Machine(load(tmp_path / "Value.tla")).initial_states()
    assert show(found) == printed


@pytest.mark.parametrize(
    ("expression", "error", "column"),
    [
        ("1 + TRUE", WrongKind, 15),
        ('"a" + "b"', WrongKind, 15),
        ("1 < {}", WrongKind, 15),
        ("IF 1 THEN 2 ELSE 3", WrongKind, 18),
        ("{1} \\cup 2", WrongKind, 15),
        ("3 \\in 4", WrongKind, 15),
        ("{1} \\cap 2", WrongKind, 15),
        ("{} \\subseteq 2", WrongKind, 15),
        ("LET f[i \\in 2] == IF i = 0 THEN 0 ELSE f[i - 1] IN DOMAIN f", WrongKind, 19),
        ("Len(1)", WrongKind, 15),
        ("1 \\div 0", OutsideDomain, 15),
        ("<<1>>[2]", OutsideDomain, 15),
        ("[a |-> 1].b", OutsideDomain, 15),
        ("Head(<<>>)", OutsideDomain, 15),
        ("SubSeq(<<1>>, 0, 1)", OutsideDomain, 15),
        ("\\E x \\in {<<>>, <<1>>} : Head(x) = 2", OutsideDomain, 40),
        ("CHOOSE x \\in {1} : x > 1", NothingToChoose, 15),
        ("CASE FALSE -> 1", NothingToChoose, 15),
        ("{x \\in Nat : x > 1}", InfiniteSet, 15),
        ("\\A x \\in Nat : x > 1", InfiniteSet, 24),
        ('Assert(FALSE, "no")', AssertionFailed, 15),
        ("9 ^ (9 ^ 9)", EvaluationLimit, 15),
        ("1..2000000", EvaluationLimit, 15),
        ("TLCGet(1)", TlaUnsupported, 15),
    ],
)
def test_errors_say_what_and_where(
    tmp_path: Path, expression: str, error: type[TlaError], column: int
) -> None:
    with pytest.raises(error) as raised:
        value(tmp_path, expression)
    assert (raised.value.span.line, raised.value.span.column) == (6, column)


@pytest.mark.parametrize(
    ("definitions", "expression"),
    [
        ("RECURSIVE F(_)\nF(n) == 1 + F(n)", "F(0)"),
        ("RECURSIVE F(_)\nF(n) == F(n + 1)", "F(0)"),
        ("f[n \\in Nat] == 1 + f[n + 1]", "f[0]"),
        ("RECURSIVE F(_)\nF(s) == F(s \\o s)", "F(<<1>>)"),
    ],
)
def test_a_recursion_without_end_is_an_error(
    tmp_path: Path, definitions: str, expression: str
) -> None:
    with pytest.raises(EvaluationLimit):
        value(tmp_path, expression, definitions)


def test_deep_but_finite_recursion_is_no_error(tmp_path: Path) -> None:
    definitions = "RECURSIVE F(_)\nF(n) == IF n = 0 THEN 0 ELSE LET m == n - 1 IN 1 + F(m)"
    assert value(tmp_path, "F(2000)", definitions) == "2000"


PARTLY = "[i \\in 1..3 |-> IF i = 2 THEN Head(<<>>) ELSE i]"


@pytest.mark.parametrize(
    "expression",
    [
        f"{PARTLY}[3]",
        f"LET f == {PARTLY} IN f[3]",
        f"LET Of(f, i) == f[i] IN Of({PARTLY}, 3)",
        "LET f[i \\in 1..3] == IF i = 2 THEN Head(<<>>) ELSE i IN f[3]",
        "[i \\in 0..3, j \\in {1} |-> IF i = 2 THEN Head(<<>>) ELSE i][3, 1]",
        f"[j \\in 1..3 |-> {PARTLY}[j]][3]",
        "[<<i, j>> \\in {<<2, 1>>, <<3, 1>>} |-> IF i = 2 THEN Head(<<>>) ELSE i][3, 1]",
    ],
)
def test_a_function_is_applied_where_it_has_a_value(tmp_path: Path, expression: str) -> None:
    assert value(tmp_path, expression) == "3"


@pytest.mark.parametrize(
    "expression",
    [
        PARTLY,
        f"{PARTLY}[2]",
        f"DOMAIN {PARTLY}",
        f"[{PARTLY} EXCEPT ![2] = 1]",
        f"Len({PARTLY})",
        f"{PARTLY} = {PARTLY}",
        f"{PARTLY} \\in [1..3 -> Nat]",
    ],
)
def test_a_function_without_some_value_is_none(tmp_path: Path, expression: str) -> None:
    with pytest.raises(OutsideDomain, match="Head of the empty sequence"):
        value(tmp_path, expression)
