"""Recursive operators over what varies are unrolled as often as an argument can change.

The translation alone decides each claim here, unless it is said that it is compared with the text.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from bmc.frontends.tla.agreement import compare_reachable
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.translated_model import TranslatedModel
from tests.frontends.tla.counting import calls
from tests.frontends.tla.models import explored, translated

TEXT = """
EXTENDS Integers, Sequences, FiniteSets
VARIABLES q, S, n, k, z
RECURSIVE Summed(_), Sum(_), Down(_), Carried(_, _), SumTo(_, _), Pick(_), Even(_), Odd(_)
RECURSIVE Power(_, _), Scan(_, _), Longest(_), Grown(_), Ticks(_)
Summed(s) == IF s = <<>> THEN 0 ELSE Head(s) + Summed(Tail(s))
Sum(T) == IF T = {} THEN 0 ELSE LET x == CHOOSE x \\in T : TRUE IN x + Sum(T \\ {x})
Down(i) == IF i = 0 THEN 1 ELSE 2 * Down(i - 1)
Carried(c, a) == IF Len(c) = 0 THEN a ELSE Carried(Tail(c), 2 * a + Head(c))
SumTo(T, a) == IF T = {} THEN a
               ELSE LET x == CHOOSE x \\in T : \\A y \\in T : x >= y IN SumTo(T \\ {x}, 3 * a + x)
Pick(i) == IF k[i] = i THEN i ELSE Pick(k[i])
Even(i) == IF i = 0 THEN TRUE ELSE Odd(i - 1)
Odd(i) == IF i = 0 THEN FALSE ELSE Even(i - 1)
Power(b, e) == CASE e = 0 -> 1 [] OTHER -> b * Power(b, e - 1)
Scan(f, i) == IF i > 3 THEN 0 ELSE f[i] + Scan(f, i + 1)
Longest(s) == IF s = <<>> THEN 0
              ELSE LET rest == Longest(Tail(s)) IN IF Head(s) = 1 THEN rest + 1 ELSE rest
Grown(T) == LET U == T \\union {x - 1 : x \\in T \\ {0}} IN IF U = T THEN T ELSE Grown(U)
Ticks(T) == IF T = 0..2 THEN 0 ELSE 1 + Ticks(
    IF 0 \\notin T THEN T \\union {0} ELSE
    IF 1 \\notin T THEN (T \\union {1}) \\ {0} ELSE (T \\union {2}) \\ {0, 1})
Init == q = <<>> /\\ S = {} /\\ n = 0 /\\ k = [i \\in 0..3 |-> i] /\\ z = 0..2
Next == \\/ Len(q) < 3 /\\ (\\E x \\in 0..1 : q' = Append(q, x)) /\\ UNCHANGED <<S, n, k, z>>
        \\/ (\\E x \\in 1..3 : S' = S \\union {x}) /\\ n' = (n + 1) % 4 /\\ UNCHANGED <<q, k, z>>
        \\/ q = <<>> /\\ (\\E i \\in 1..3 : k' = [k EXCEPT ![i] = i - 1])
           /\\ UNCHANGED <<q, S, n, z>>
"""
TICKING = "\\/ S = {} /\\ n = 0 /\\ (\\E x \\in 0..2 : z' = z \\ {x}) /\\ UNCHANGED <<q, S, n, k>>"
CONFIG = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANTS "

TRUE = [
    "Summed(q) < 4",
    "Sum(S) < 7",
    "n < Sum(1..400)",
    "Down(n) < 9",
    "Carried(q, 1) < 16",
    "SumTo(S, 0) < 40",
    "\\A i \\in 0..3 : Pick(i) <= i",
    "Even(n) = (n % 2 = 0)",
    "Power(n, 5) <= 243",
    "Scan(k, 0) <= 6",
    "Longest(q) = Summed(q)",
    "Summed(<<n, n, n, n, n, n>>) = 6 * n",
    "\\A x \\in Grown(S) : 0..x \\subseteq Grown(S)",
]
FALSE = {
    # a claim, and how many steps before the first state where it is false, as TLC counts them
    "Summed(q) < 3": 3,
    "Sum(S) < 6": 3,
    "Down(n) # 8": 3,
    "Carried(q, 1) # 15": 3,
    "SumTo(S, 0) # 34": 3,
    "Pick(3) # 1": 2,
    "Odd(n) \\/ n = 0": 2,
    "Power(n, 5) # 32": 2,
    "Scan(k, 0) # 3": 3,
    "Longest(q) # 2": 2,
    "Grown(S) # 0..2": 1,
    "Summed(<<n, 0, n, 0, n, 1>>) # 7": 2,
}


def test_a_recursion_over_what_varies_has_its_value(tmp_path: Path) -> None:
    stated = [f"I{i} == {claim}" for i, claim in enumerate(TRUE)]
    names = [f"I{i}" for i in range(len(TRUE))]
    found = explored(translated(tmp_path, "\n".join([TEXT, *stated]), CONFIG + " ".join(names)))
    assert set(found.holds) == set(names)


@pytest.mark.parametrize("depth", sorted(set(FALSE.values())))
def test_a_claim_of_a_recursion_is_violated_as_soon_as_it_is_false(
    tmp_path: Path, depth: int
) -> None:
    claims = [claim for claim, least in FALSE.items() if least == depth]
    stated = [f"I{i} == {claim}" for i, claim in enumerate(claims)]
    names = [f"I{i}" for i in range(len(claims))]
    found = explored(translated(tmp_path, "\n".join([TEXT, *stated]), CONFIG + " ".join(names)))
    lengths = {c: len(found.violations.get(n, ())) for n, c in zip(names, claims, strict=True)}
    assert lengths == dict.fromkeys(claims, depth + 1)


def test_a_number_that_leaves_its_range_is_followed_to_the_end(tmp_path: Path) -> None:
    """11 and 12 are two values, of which no half is one: the second call had no value."""
    text = (
        "EXTENDS Integers\nVARIABLE n\nRECURSIVE Halves(_)\n"
        "Halves(i) == IF i = 0 THEN 0 ELSE 1 + Halves(i \\div 2)\n"
        "Init == n = 11\nNext == n' = 23 - n\nI == Halves(n) = 4\nJ == n = 11 \\/ Halves(n) # 4"
    )
    found = explored(translated(tmp_path, text, CONFIG + "I J"))
    assert set(found.holds) == {"I"}
    assert len(found.violations["J"]) == 2


def test_a_recursion_over_a_next_value_has_its_values(tmp_path: Path) -> None:
    """Each call was taken for the first one: no step was thought to be enabled."""
    text = (
        "EXTENDS Integers, Sequences\nVARIABLES q, n\nRECURSIVE Sum(_)\n"
        "Sum(s) == IF s = <<>> THEN 0 ELSE Head(s) + Sum(Tail(s))\n"
        "Init == q = <<2, 1>> /\\ n = Sum(q)\n"
        "Next == \\E x \\in 0..2 : /\\ Len(q) < 4 /\\ q' = Append(q, x) /\\ Sum(q') <= 5\n"
        "                       /\\ n' = Sum(q')\nI == n = Sum(q)\nJ == n # 5"
    )
    found = explored(translated(tmp_path, text, CONFIG + "I J"))
    assert set(found.holds) == {"I"}
    assert len(found.violations["J"]) == 2


def test_a_recursion_that_rewrites_a_sequence_writes_it_once_a_call(tmp_path: Path) -> None:
    """What each call had changed was made again by all calls inside of it, twice by each."""
    text = """
EXTENDS Integers, Sequences
VARIABLES q, n
RECURSIVE Marked(_, _, _)
Marked(s, which, m) == IF which = <<>> THEN s ELSE
  LET first == which[1]
      given(e) == IF e.id = first THEN [e EXCEPT !.mark = m] ELSE e
      changed == [i \\in DOMAIN s |-> given(s[i])]
  IN Marked(changed, Tail(which), (m + 1) % 3)
Init == q = <<>> /\\ n = <<>>
Next == \\/ Len(q) < 3 /\\ q' = Append(q, [id |-> Len(q), mark |-> 0]) /\\ UNCHANGED n
        \\/ /\\ Len(n) < 3 /\\ UNCHANGED q
           /\\ \\E i \\in 0..2 : (\\A j \\in DOMAIN n : n[j] < i) /\\ n' = Append(n, i)
I == Len(Marked(q, n, 1)) = Len(q)
J == \\A i \\in DOMAIN q : Marked(q, n, 1)[i].mark # 2
"""
    with calls(5_000_000):
        translation = translated(tmp_path, text, CONFIG + "I J")
    found = explored(translation)
    assert found.distinct_states == 4 * 2**3
    assert set(found.holds) == {"I"}
    assert len(found.violations["J"]) == 5  # Two that are marked, and what marks them.


@pytest.mark.parametrize(
    "claim",
    [
        "Largest([i \\in 1..12 |-> (i * 7) % 13]) = 12",
        "Twice([i \\in 1..12 |-> i]) = 4095",
        "(LET a == 3 IN Twice([i \\in 1..a |-> a]) = 7) /\\ Twice(<<1>>) = 1",
        "\\A i \\in 1..9 : LET b == Twice([j \\in 1..i |-> j]) IN b + b = 2 ^ (i + 1) - 2",
        "Given(LAMBDA i : i + 1, 12) = 12 /\\ Given(LAMBDA i : 2 * i + 1, 9) = 511",
    ],
)
def test_a_constant_recursion_works_out_once_what_a_let_names(tmp_path: Path, claim: str) -> None:
    """Read where it stands, Twice calls itself 4,095 times over 12 elements."""
    text = f"""
EXTENDS Integers, Sequences
VARIABLE n
RECURSIVE Largest(_), Twice(_), Given(_, _)
Largest(s) == IF Len(s) = 1 THEN s[1]
              ELSE LET of == Largest(Tail(s)) IN IF of > Head(s) THEN of ELSE Head(s)
Twice(s) == LET half == Twice(Tail(s)) IN IF s = <<>> THEN 0 ELSE half + half + 1
Given(Op(_), i) == LET of == Given(Op, i - 1) IN IF i = 0 THEN 0 ELSE Op(of) + of - of
Init == n = 0
Next == n' = n
Inv == {claim}
"""
    with calls(400_000):
        translation = translated(tmp_path, text, CONFIG + "Inv")
    assert explored(translation).holds == ("Inv",)


@pytest.mark.parametrize("claim", ["Ticks(z) < 8", "Ticks(z) < 7", "Ticks(z) # 77"])
def test_a_recursion_that_goes_on_behind_has_no_value(tmp_path: Path, claim: str) -> None:
    # A set of three that counts in binary changes seven times, and comes back to what it lost.
    text = f"{TEXT}        {TICKING}\nI == {claim}\nJ == ~I"
    translation = translated(tmp_path, text, CONFIG + "I J")
    assert set(explored(translation).holds) == set()


GROWING = "EXTENDS Integers, Sequences\nVARIABLE n\nInit == n = 0\nNext == n < 4 /\\ n' = n + 1\n"


@pytest.mark.parametrize(
    ("domain", "image", "has_values"),
    [
        ("1..(n + 1)", "IF n > 2 THEN v[i + 1] ELSE i", False),
        ("1..(n + 1)", "IF n > 2 /\\ i = n THEN v[0] ELSE i", False),
        ("{n}", "IF n > 2 THEN v[i + 1] ELSE 5", False),
        ("{j \\in 0..5 : j <= n}", "IF n = 4 THEN v[i + 2] ELSE 5", False),
        ("1..(n + 1)", "IF i = 1 THEN 1 ELSE v[i - 1] + 1", True),
        ("0..n", "IF i = 0 THEN 0 ELSE i + v[i - 1]", True),
        ("{j \\in 0..5 : j <= n}", "IF i = 0 THEN 0 ELSE i + v[i - 1]", True),
        ("SUBSET {n}", "IF i = {} THEN 0 ELSE 1 + v[{}]", True),
    ],
)
def test_a_recursive_function_is_asked_for_all_its_values_where_it_is_compared(
    tmp_path: Path, domain: str, image: str, has_values: bool
) -> None:
    """One whose arguments vary was taken to have them: TLC ends with an error there."""
    text = f"{GROWING}I == LET v[i \\in {domain}] == {image} IN v # <<77>>\nJ == ~I"
    translation = translated(tmp_path, text, CONFIG + "I J")
    assert set(explored(translation).holds) == ({"I"} if has_values else set())


@pytest.mark.parametrize("domain", ["Nat", "Seq({n})"])
def test_a_recursive_function_whose_arguments_nobody_lists_is_refused_where_it_is_compared(
    tmp_path: Path, domain: str
) -> None:
    """It was taken to have all its values, and the claim was proved."""
    text = f"{GROWING}I == LET v[i \\in {domain}] == IF n > 2 THEN v[{{}}] ELSE 5 IN v # n"
    with pytest.raises(TlaUnsupported) as refused:
        translated(tmp_path, text, CONFIG + "I")
    assert refused.value.span.line == 6


def test_what_calls_itself_too_often_is_refused(tmp_path: Path) -> None:
    text = (
        "EXTENDS Integers\nVARIABLE n\nRECURSIVE All(_)\n"
        "All(i) == IF i = 0 THEN 1 ELSE All(i - 1) + All((i + 1) % 40) + All((i + 2) % 40)\n"
        "Init == n = 0\nNext == n' = (n + 1) % 40\nI == All(n) > 0"
    )
    with pytest.raises(TlaUnsupported, match="the recursion of All is too large") as refused:
        translated(tmp_path, text, CONFIG + "I")
    assert refused.value.span.line == 5


PARTS = {
    # what gets smaller: the variable, its sort of end, and what it is in the next call
    "q": ("{r} = <<>>", "Tail({r})", "Head({r})"),
    "S": ("{r} = {{}}", "{r} \\ {{CHOOSE x \\in {r} : TRUE}}", "Cardinality({r})"),
    "n": ("{r} = 0", "{r} - 1", "{r}"),
}


@pytest.mark.parametrize("seed", range(12))
def test_a_recursion_over_a_part_of_its_argument_has_its_value(seed: int, tmp_path: Path) -> None:
    """Compared with the text: a record or a tuple goes as far as what gets smaller in it."""
    chance = Random(seed)
    variable = chance.choice(sorted(PARTS))
    is_tuple = chance.random() < 0.3
    rest, sum_ = ("o[1]", "o[2]") if is_tuple else ("o.rest", "o.sum")
    end, smaller, met = (part.format(r=rest) for part in PARTS[variable])
    more = chance.choice([f"{sum_} + {met}", f"IF {met} > 1 THEN {sum_} ELSE {met}", sum_])
    if is_tuple:
        first, given = f"<<{variable}, 0>>", f"<<{smaller}, {more}>>"
    else:
        first, given = (
            f"[rest |-> {variable}, sum |-> 0]",
            chance.choice(
                [
                    f"[rest |-> {smaller}, sum |-> {more}]",
                    f"[o EXCEPT !.rest = {smaller}, !.sum = {more}]",
                ]
            ),
        )
    again = f"Walk({given})"
    if chance.random() < 0.5:
        again = f"IF {met} = 1 THEN {again} ELSE 1 + {again}"
    text = (
        "EXTENDS Integers, Sequences, FiniteSets\nVARIABLES q, S, n\nRECURSIVE Walk(_)\n"
        f"Walk(o) == IF {end} THEN {sum_} ELSE {again}\n"
        "Init == q = <<>> /\\ S = {} /\\ n = 0\n"
        "Next == \\/ Len(q) < 3 /\\ (\\E x \\in 0..2 : q' = Append(q, x)) /\\ UNCHANGED <<S, n>>\n"
        "        \\/ (\\E x \\in 1..3 : S' = S \\union {x}) /\\ n' = (n + 1) % 4 /\\ q' = q\n"
        f"Small == Walk({first}) < 3\nOther == Walk({first}) # 2"
    )
    translation = translated(tmp_path, text, CONFIG + "Small Other")
    specification = load(tmp_path / "M.tla")
    model = TranslatedModel(translation)
    compared = compare_reachable(Search(Machine(specification)), model, 10_000)
    assert (compared.complete, compared.skipped) == (True, 0), again


CONSTANT = """
EXTENDS Integers, Sequences
VARIABLES x, y
Fact[n \\in Nat] == IF n = 0 THEN 1 ELSE n * Fact[n - 1]
Fib(k) == LET f[n \\in Nat] == IF n <= 1 THEN n ELSE f[n - 1] + f[n - 2] IN f[k]
Gone[n \\in Int] == IF n = 0 THEN 0 ELSE 1 + Gone[n - 1]
Sums[n \\in Nat \\ {0}] == IF n = 1 THEN 1 ELSE Sums[n - 1] + n
Listed[n \\in Nat] == IF n = 0 THEN <<>> ELSE Append(Listed[n - 1], n)
Moved[n \\in Nat, m \\in Nat] == IF n = 0 THEN m ELSE Moved[n - 1, m + 1]
Init == x = 0 /\\ y = 0
Next == x' = (x + 1) % 5 /\\ y' = Fact[x] % 4
"""


@pytest.mark.parametrize(
    ("claim", "depth"),
    [
        ("Fact[x] <= 24", None),
        ("Fact[x] < 24", 4),
        ("Fib(x) <= 3", None),
        ("Fib(x) # 2", 3),
        ("Gone[x] = x", None),
        ("x = 4 => Gone[x - 4] = 0", None),
        ("Sums[3] = 6", None),
        ("x > 0 => Sums[x] >= x", None),
        ("x > 0 => Sums[x] # 3", 2),
        ("Len(Listed[x]) = x", None),
        ("x > 0 => Head(Listed[x]) = 1", None),
        ("Moved[x, y] = x + y", None),
        ("Moved[x, y] # 6", 4),
    ],
)
def test_a_constant_function_without_end_has_its_value_at_what_varies(
    tmp_path: Path, claim: str, depth: int | None
) -> None:
    """It was refused; and one over a part of Nat was an internal failure, at constants too."""
    found = explored(translated(tmp_path, f"{CONSTANT}I == {claim}", CONFIG + "I"))
    assert set(found.holds) == (set() if depth else {"I"})
    assert len(found.violations.get("I", ())) == (depth + 1 if depth else 0)


@pytest.mark.parametrize(
    "claim",
    [
        "Sums[x] * 0 = 0",
        'Sums[x] # "a"',
        "Sums[x] \\in Int",
        "Fact[x - 1] \\in Int",
        "Gone[x - 3] # 77",
        "Listed[x - 1] # <<77>>",
        "Moved[x, y - 1] >= -9",
        "Sums[0] # 7",
        "x # 5 => Fact[-1] # 7",
        "Fact[-1] \\notin {x, 77}",
        "{x, Sums[0]} # {}",
        "Listed[-1] # <<x>>",
        "\\A z \\in {Moved[x, y], Moved[0, -1]} : z # 77",
    ],
)
def test_a_constant_function_outside_of_its_domain_has_none(tmp_path: Path, claim: str) -> None:
    text = f"{CONSTANT}I == {claim}\nJ == ~I"
    assert set(explored(translated(tmp_path, text, CONFIG + "I J")).holds) == set()


READING = """
EXTENDS Integers, Sequences
VARIABLES n, q
Total[s \\in Seq(0..9)] == IF s = <<>> THEN n ELSE Head(s) + Total[Tail(s)]
Pairs[i \\in Nat, j \\in {1, 2}] == IF i = 0 THEN n + j ELSE Pairs[i - 1, j]
Both[p \\in Nat \\X {1}] == IF p[1] = 0 THEN n ELSE Both[<<p[1] - 1, 1>>]
Sizes[S \\in SUBSET (1..20)] == IF S = {} THEN n ELSE 1 + Sizes[S \\ {CHOOSE e \\in S : TRUE}]
Grid[i \\in 1..400, j \\in 1..400] == IF i = 1 THEN n ELSE Grid[i - 1, j]
Cells == [i \\in 1..400, j \\in 1..400 |-> n]
Down[i \\in Nat] == IF i = 0 THEN n ELSE Down[i - 1]
One[i \\in Nat] == IF i = 0 THEN 1 ELSE One[i - 1]
Init == n = 0 /\\ q = <<>>
Next == Len(q) < 2 /\\ n' = Len(q) + 1 /\\ q' = Append(q, n)
"""


@pytest.mark.parametrize(
    "claim",
    [
        "Total[q] = n + (IF n = 2 THEN 1 ELSE 0)",
        "Total[<<1, 2>>] = n + 3",
        "Total[Append(q, n)] >= n",
        "Pairs[n, 1] = n + 1",
        "Pairs[2, 2] = n + 2",
        "Both[<<n, 1>>] = n",
        "Sizes[{1, 7, 20}] = n + 3",
        "Grid[3, n + 1] = n",
        "Cells[3, n + 1] = n",
        "(LET w[s \\in Seq(Int)] == IF s = <<>> THEN n ELSE w[Tail(s)] IN w[q]) = n",
    ],
)
def test_a_function_of_what_cannot_be_listed_may_read_the_state(tmp_path: Path, claim: str) -> None:
    """It was an internal failure, but over Nat and Int alone."""
    translation = translated(tmp_path, f"{READING}I == {claim}", CONFIG + "I")
    assert set(explored(translation).holds) == {"I"}


@pytest.mark.parametrize(
    "claim",
    [
        "Total[<<n, 10>>] # 77",
        "Total[<<10>>] # 77",
        "Pairs[n, 3] # 77",
        "Pairs[n - 1, 1] # 77",
        "Pairs[q] # 77",
        "Pairs[<<1>>] # 77",
        "Both[<<n, 2>>] # 77",
        "Sizes[{n, 30}] # 77",
        "Down[n - 1] # 77",
        "One = One",
        "One # <<77>>",
        "One \\notin {q, <<77>>}",
        "[i \\in Nat |-> n] # <<77>>",
        "Len(<<[One EXCEPT ![7] = Head(q)]>>) = 1",
        "<<1, [One EXCEPT ![7] = 5, ![8] = @ + Head(q)]>> # <<2, n>>",
        "Head(<<1, [<<One, 1>> EXCEPT ![1][7] = Head(q)]>>) = 1",
        "<<1, IF n = 0 THEN [One EXCEPT ![7] = Head(q)] ELSE One>>[1] = 1",
        "<<1, [(IF n = 0 THEN One ELSE q) EXCEPT ![7] = Head(q)]>>[1] = 1",
        "<<1, [i \\in {1} |-> [One EXCEPT ![7] = Head(q)]]>>[1] = 1",
    ],
)
def test_a_function_of_what_cannot_be_listed_has_no_value_where_tlc_finds_none(
    tmp_path: Path, claim: str
) -> None:
    """Outside its domain, where one without end is compared, and where EXCEPT reads what has none.

    TLC ends with an error. Of a constant function without end EXCEPT read nothing.
    """
    text = f"{READING}I == {claim}\nJ == ~I"
    translation = translated(tmp_path, text, CONFIG + "I J")
    assert set(explored(translation).holds) == set()


@pytest.mark.parametrize("claim", ["Down = Down", "Down # <<77>>", "Total # Down"])
def test_a_function_without_end_that_reads_the_state_is_not_compared(
    tmp_path: Path, claim: str
) -> None:
    with pytest.raises(TlaUnsupported, match="has no end, so nothing can run over its members"):
        translated(tmp_path, f"{READING}I == {claim}", CONFIG + "I")
