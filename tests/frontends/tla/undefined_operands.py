"""Claims in which an operand has no value in one state: each operator, each place, ways to lose it.

A template has one hole, written ``@N`` for a number, ``@S`` for a set of numbers, ``@Q`` for a
sequence, ``@F`` for a function, ``@R`` for a record, ``@B`` for a truth value and ``@P`` for a set
that is only asked for members. What a template makes of the hole is put into claims that can be
decided by sorts, ranges and logic alone: the other side of a comparison is none of the values that
the variables have, a quantifier's body is TRUE, a set has room for everything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

TEXT = """
EXTENDS Integers, Sequences, FiniteSets, TLC, FiniteSetsExt, SequencesExt
CONSTANT None
VARIABLES n, at, S, q, f, r, b, e, g, m, k, c
RECURSIVE Down(_, _), Asked(_, _), Summed(_), Sum(_), All(_, _)
Down(i, x) == IF i = 0 THEN x ELSE Down(i - 1, x)
Asked(i, x) == IF i = 0 THEN (IF x # 77 THEN 1 ELSE 2) ELSE Asked(i - 1, x)
Summed(s) == IF s = <<>> THEN 0 ELSE Head(s) + Summed(Tail(s))
Sum(T) == IF T = {} THEN 0 ELSE LET x == CHOOSE x \\in T : TRUE IN x + Sum(T \\ {x})
All(T, to) == IF T = {} THEN to ELSE LET x == CHOOSE x \\in T : TRUE IN All(T \\ {x}, to \\cup {x})
Init == /\\ n = 0 /\\ at = 1 /\\ S = {1, 2} /\\ q = <<1, 2>> /\\ f = [i \\in {1, 2} |-> 1]
        /\\ r = [a |-> 1, b |-> 2] /\\ b = TRUE /\\ e = <<1, 2>> /\\ g = [i \\in {1, 2} |-> 1]
        /\\ m = [t |-> "x", v |-> 1] /\\ k = 1 /\\ c = {1}
Next == /\\ n = 0 /\\ n' = 1 /\\ at' = 3 /\\ S' = {2} /\\ q' = <<2, 1>> /\\ f' = [f EXCEPT ![2] = 2]
        /\\ r' = [r EXCEPT !.a = 2] /\\ b' = FALSE /\\ e' = <<>> /\\ g' = [i \\in {2, 5} |-> 1]
        /\\ m' = [t |-> "y", w |-> 2] /\\ k' = "q" /\\ c' = None
"""

LOSING = {
    "N": ("Head(e)", "e[2]", "g[1]", "m.v", "(k + 1)", "(CHOOSE w \\in 1..2 : w = at)", "k"),
    "S": (
        "(1..Head(e))",
        "(DOMAIN Tail(e))",
        "{Head(e)}",
        "{w \\in {1, 2} : e[w] = 1}",
        "{w + Head(e) : w \\in {1}}",
        "(c \\cup {1})",
        "c",
    ),
    "Q": ("Tail(e)", "SubSeq(e, 1, 1)", "<<Head(e)>>", "Append(q, Head(e))", "k"),
    "F": (
        "[w \\in {1, 2} |-> e[w]]",
        "[w \\in 1..Head(e) |-> 0]",
        "[f EXCEPT ![1] = Head(e)]",
        "c",
        "(IF at = 1 THEN f ELSE {n})",
    ),
    "R": (
        "[a |-> Head(e), b |-> 2]",
        "[r EXCEPT !.a = Head(e)]",
        "k",
        "(IF at = 1 THEN [a |-> n, b |-> 2] ELSE {n})",
    ),
    "B": ("(Head(e) = 1)", "(Head(e) # 77)", "(k > 0)", "(1 \\in c)", "(at = 1 \\/ e[2] = 77)"),
}
"""Expressions by kind that have a value in the first state and none in the second."""

MAKING = {
    "N": (
        "(@N + 1)", "(1 - @N)", "(-@N)", "(@N * 0)", "(@N \\div 2)", "(7 % @N)", "(2 ^ @N)",
        "Len(@Q)", "Cardinality(@S)", "Head(@Q)", "q[@N]", "@F[2]", "@Q[1]", "f[@N]", "@R.b",
        "(CHOOSE i \\in @S : TRUE)", "(CHOOSE i \\in S : @B)", "(IF @B THEN 1 ELSE 2)",
        "(IF @B THEN 5 ELSE 5)", "(CASE @B -> 1 [] OTHER -> 2)", "(LET z == @N IN z)",
        "<<@N, 5>>[2]", "[a |-> @N, b |-> 5].b", "[i \\in S |-> 5][@N]", "(n :> @N)[n]",
        "Down(2, @N)", "Asked(2, @N)", "Down(1, Head(@Q))",
        "Summed(@Q)", "Sum(@S)", "FoldLeft(LAMBDA i, j : i, 1, @Q)", "(LET z(i) == @N IN z(1))",
        "FoldSet(LAMBDA i, j : IF @B THEN 5 ELSE 5, 0, S)", "[i \\in {1} |-> @N][1]",
        "(LET RECURSIVE R(_) R(i) == IF i = 0 THEN <<@N, 5>>[2] ELSE R(i - 1) IN R(1))",
        "(LET RECURSIVE R(_) R(i) == CASE i = 0 -> 5 [] OTHER -> <<@N, R(i - 1)>>[2] IN R(1))",
    ),
    "S": (
        "(@N..2)", "(1..@N)", "(9..@N)", "(@S \\cup S)", "(S \\cup @S)", "(@S \\cap S)",
        "(S \\cap @S)", "({} \\cap @S)", "(@S \\ S)", "(S \\ @S)", "({} \\ @S)",
        "(UNION {@S, S})", "(DOMAIN @F)", "(DOMAIN @Q)", "(DOMAIN @R)", "{@N, 1}",
        "{i \\in @S : TRUE}",
        "{i \\in @S : FALSE}", "{i \\in S : @B}", "{i \\in @S : i = n}", "{i + @N : i \\in S}",
        "{1 : i \\in @S}", "{i + j : i \\in S, j \\in @S}", "{i + j : i \\in {}, j \\in @S}",
        "(IF @B THEN S ELSE {9})",
        "FoldSet(LAMBDA i, j : j \\cup {i}, @S, {1})", "(UNION {@S : i \\in S})",
        "{w \\in SUBSET S : @B}", "({<<1>>} \\cup {w \\in S \\X S : @B})",
        "(SUBSET {1} \\cap {w \\in SUBSET S : @B})", "({w \\in [a : S] : @B} \\ [a : S])",
        "All(@S, S)", "All(S, @S)", "All(@S, {})",
        "{i + 1 : i \\in {@N}}", "{i > 0 : i \\in {@N}}", "{i \\cup {1} : i \\in {@S}}",
    ),
    "P": (
        "(SUBSET @S)", "(@S \\X S)", "(S \\X @S)", "[a : @S, b : S]", "[a : S, b : @S]",
        "[@S -> S]", "[S -> @S]", "Seq(@S)",
    ),
    "Q": (
        "Tail(@Q)", "Append(@Q, 1)", "Append(q, @N)", "(@Q \\o q)", "(q \\o @Q)",
        "SubSeq(@Q, 1, 1)", "SubSeq(@Q, 2, 1)", "SubSeq(q, @N, 1)", "SubSeq(q, 1, @N)",
        "<<@N, 1>>", "SelectSeq(@Q, LAMBDA i : TRUE)", "SelectSeq(q, LAMBDA i : @B)",
        "[q EXCEPT ![1] = @N]", "[@Q EXCEPT ![1] = 3]", "[q EXCEPT ![@N] = 3]",
    ),
    "F": (
        "[i \\in @S |-> 1]", "[i \\in S |-> @N]", "[f EXCEPT ![1] = @N]", "[f EXCEPT ![@N] = 1]",
        "[@F EXCEPT ![1] = 2]", "[f EXCEPT ![9] = @N]", "[f EXCEPT ![1] = @ + @N]",
        "[[i \\in {1} |-> f] EXCEPT ![9][@N] = 1]",
        "[f EXCEPT ![1] = 1, ![2] = @ + @N - @N]", "(@F @@ f)", "(f @@ @F)",
        "(3 :> @N)", "(@N :> 1)", "[i \\in {@N} |-> i > 0]", "[i \\in {@S} |-> 77 \\notin i]",
    ),
    "R": (
        "[a |-> @N, b |-> 2]", "[a |-> n, b |-> @N]", "[r EXCEPT !.a = @N]", "[@R EXCEPT !.b = 5]",
    ),
    "B": (
        "@N = @N", "77 # @N", "@N = \"z\"", "n = @N", "@N > 99", "99 >= @N", "@N < n",
        "@N \\in {}", "@N \\in STRING", "@N \\in S", "n \\in @S", "77 \\in @S", "<<n>> \\in @S",
        "@S = @S", "@S \\subseteq S", "{} \\subseteq @S", "S \\subseteq @S", "{77} \\subseteq @S",
        "\\A i \\in @S : i # 77", "\\E i \\in @S : FALSE", "\\A i \\in S : @B", "\\E i \\in S : @B",
        "\\A i \\in S, j \\in @S : TRUE", "\\A i \\in @S, j \\in {} : FALSE",
        "\\A i \\in {}, j \\in @S : FALSE", "\\E i \\in S \\ S, j \\in @S : TRUE",
        "@B /\\ TRUE", "@B /\\ FALSE", "@B \\/ TRUE", "~@B", "@B => TRUE", "@B => FALSE",
        "(@B <=> b)", "(b <=> @B)", "@B = TRUE", "@B \\in BOOLEAN", "TRUE => @B", "@B # 5",
        "IsFiniteSet(@S)", "f \\in [@S -> Nat]", "f \\in [S -> @S]", "<<>> \\in [@S -> S]",
        "q \\in Seq(@S)", "<<>> \\in Seq(@S)", "r \\in [a : @S, b : {77}]",
        "r \\in [a : {77}, b : @S]", "r \\in [z : @S]", "<<n, 1>> \\in S \\X @S",
        "<<n, 77>> \\in @S \\X S", "<<1, 2, 3>> \\in S \\X @S", "{} \\in SUBSET @S",
        "S \\in SUBSET @S", "{77} \\in SUBSET @S", "Assert(@B, \"no\")",
        "Assert(TRUE, @N)", "PrintT(@N)",
        "IF @B THEN TRUE ELSE TRUE", "CASE @B -> TRUE [] OTHER -> TRUE",
        "FoldLeft(LAMBDA i, j : TRUE, TRUE, @Q)", "[i \\in {1} |-> @B][1]", "Head(<<TRUE, @B>>)",
        "FoldSet(LAMBDA i, j : i \\subseteq S, TRUE, {@S})", "(UNION {@S}) \\subseteq S",
        "IF b THEN TRUE ELSE @B", "b \\/ @B", "b /\\ @B", "b => @B", "~b => @B",
        "\\E i \\in 1..2 : i = @N", "\\A i \\in S : i # @N", "\\E i \\in 1..9 : @N = i /\\ i # 77",
        "\\E i \\in DOMAIN q, j \\in 1..2 : j = i /\\ i = @N",
        "~\\E i \\in 0..1 : (i # n /\\ @B /\\ FALSE) /\\ i = n",
        "\\E i \\in 0..1 : (i = n \\/ (@B /\\ FALSE)) /\\ i = n /\\ i > 5",
    ),
}  # fmt: skip
"""Operators at each place of an operand, by the kind of what they make."""

CLAIMING = {
    "N": ("@N # 77", "@N \\in Nat", "@N < 99", "@N \\in {5, 77}", "<<@N, 5>> # <<77, 6>>",
          "\\A l \\in {@N} : TRUE"),
    "S": ("@S # {77}", "@S = {}", "77 \\in @S", "@S \\subseteq 0..99", "\\A l \\in @S : TRUE",
          "\\E l \\in @S : l = 77", "@S \\in SUBSET (0..99)", "{@S} # {{77}}"),
    "P": ("77 \\in @P", "<<77>> \\in @P", "<<1, 2>> \\in @P", "f \\in @P", "r \\in @P", "S \\in @P",
          "[z |-> 1] \\notin @P"),
    "Q": ("@Q # <<77>>", "@Q # <<>>", "Len(@Q) # 77", "@Q \\in Seq(Nat)", "DOMAIN @Q # {77}",
          "\\A l \\in DOMAIN @Q : TRUE", "<<1, @Q>> # <<2, 3>>"),
    "F": ("@F # [l \\in {9} |-> 1]", "@F # <<>>", "DOMAIN @F # {77}", "@F \\in [{1, 2} -> {77}]",
          "@F \\in [{9} -> {77}]", "@F # 5"),
    "R": ("@R # [a |-> 77, b |-> 2]", "@R # [z |-> 1]", "@R \\in [a : {77}, b : {2}]", "@R.b # 77",
          "<<@R>> # <<1>>", "@R # 5"),
    "B": ("@B",),
}  # fmt: skip
"""What is claimed of a value of each kind, where a sort or a range may decide it."""


def claims() -> Iterator[tuple[str, str]]:
    """Yield each template with each claim of what an operand without a value becomes there."""
    return filled_claims(LOSING, MAKING, CLAIMING)


@dataclass(frozen=True)
class Claimed:
    """A text of two steps, its configuration and its claims; ``others`` are its variables but b."""

    text: str
    config: str
    claims: Callable[[], Iterator[tuple[str, str]]]
    others: str


CONFIG = "INIT Init NEXT Next CHECK_DEADLOCK FALSE CONSTANT None = None"
PLAIN = Claimed(TEXT, CONFIG, claims, "<<n, at, S, q, f, r, e, g, m, k, c>>")

Texts = Mapping[str, tuple[str, ...]]


def filled_claims(losing: Texts, making: Texts, claiming: Texts) -> Iterator[tuple[str, str]]:
    """Yield the templates of ``making`` with their claims, their holes filled by ``losing``."""
    for made, templates in making.items():
        for template in templates:
            (hole,) = set(re.findall("@([A-Z])", template))
            for lost in losing[hole]:
                filled = template.replace(f"@{hole}", lost)
                for claim in claiming[made]:
                    yield template, claim.replace(f"@{made}", filled)
