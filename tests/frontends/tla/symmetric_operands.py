"""The same of texts with a symmetric set: operands that are members, sets and functions of members.

Nobody names a member, so the model holds the set as one whose members are interchangeable. What an
operator of members makes is put into claims that sorts and ranges decide by themselves, as in
:mod:`tests.frontends.tla.undefined_operands`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.frontends.tla.undefined_operands import Claimed, filled_claims

TEXT = """
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS P, None
VARIABLES n, w, o, S, q, e, f, h, r, m, b, d
Renamed == Permutations(P)
Init == /\\ n = 0 /\\ w \\in P /\\ o \\in P \\ {w} /\\ S = {w, o} /\\ q = <<w, o>> /\\ e = <<w>>
        /\\ f = [i \\in P |-> 1] /\\ h = [i \\in P |-> w] /\\ r = [a |-> w, b |-> o]
        /\\ m = [t |-> "x", v |-> w] /\\ b = TRUE /\\ d = (w :> o)
Next == /\\ n = 0 /\\ n' = 1 /\\ w' = o /\\ o' = w /\\ S' = {o} /\\ q' = <<o>> /\\ e' = <<>>
        /\\ f' = [f EXCEPT ![w] = 2] /\\ h' = [h EXCEPT ![w] = o] /\\ r' = [r EXCEPT !.a = None]
        /\\ m' = [t |-> "y", k |-> 2] /\\ b' = FALSE /\\ d' = (o :> w)
"""

CONFIG = (
    "INIT Init NEXT Next CHECK_DEADLOCK FALSE CONSTANT None = None CONSTANT P = {p1, p2, p3} "
    "SYMMETRY Renamed"
)

LOSING = {
    "M": ("Head(e)", "e[1]", "m.v", "d[IF n = 0 THEN w ELSE w]", "(CHOOSE z \\in P : z = r.a)"),
    "S": ("{Head(e)}", "(P \\ {e[1]})", "{z \\in P : z # Head(e)}", "{f[z] + m.k : z \\in P}"),
    "Q": ("Tail(e)", "<<Head(e)>>", "Append(q, m.v)"),
    "F": ("[h EXCEPT ![w] = Head(e)]", "[z \\in P |-> e[1]]", "(Head(e) :> w)"),
    "N": ("f[Head(e)]", "(IF Head(e) = w THEN 1 ELSE 2)", "Cardinality({m.v})", "f[r.a]"),
    "B": ("(Head(e) = w)", "(m.v # None)", "(f[r.a] = 1)", "(h[r.a] \\in P)"),
}
"""Expressions by kind that have a value in the first states and none in the second ones."""

MAKING = {
    "M": ("h[@M]", "q[@N]", "Head(@Q)", "@F[w]", "(CHOOSE i \\in {@M} : TRUE)",
          "(CHOOSE i \\in S : i = @M)", "(IF @B THEN w ELSE w)", "(IF @B THEN w ELSE o)",
          "[a |-> @M, b |-> 1].a", "<<@M, w>>[2]", "(CASE @B -> w [] OTHER -> o)"),
    "S": ("{@M, w}", "(S \\cup {@M})", "(@S \\cap P)", "(P \\ @S)", "(@S \\ P)",
          "{i \\in P : @B}", "{i \\in @S : FALSE}", "{h[i] : i \\in @S}", "{@M : i \\in P}",
          "(UNION {{i, @M} : i \\in P})", "(DOMAIN @F)", "(IF @B THEN P ELSE S)"),
    "P": ("(SUBSET @S)", "(@S \\X P)", "[P -> @S]", "[@S -> P]", "[a : P, b : @S]", "Seq(@S)"),
    "Q": ("<<@M>>", "Append(q, @M)", "(@Q \\o q)", "Tail(@Q)", "[q EXCEPT ![1] = @M]",
          "SelectSeq(@Q, LAMBDA i : TRUE)", "SelectSeq(q, LAMBDA i : i # @M)"),
    "F": ("[f EXCEPT ![@M] = 2]", "[h EXCEPT ![w] = @M]", "[i \\in P |-> @M]", "[i \\in P |-> @N]",
          "[i \\in @S |-> 1]", "(@M :> 1)", "(w :> @M)", "(@F @@ h)", "(h @@ @F)",
          "[h EXCEPT ![@M] = @]"),
    "R": ("[a |-> @M, b |-> o]", "[r EXCEPT !.b = @M]", "[r EXCEPT !.a = @M]"),
    "N": ("f[@M]", "Cardinality(@S)", "Len(@Q)", "(@N + 1)", "(IF @M = w THEN 1 ELSE 2)"),
    "B": ("@M = w", "w # @M", "@M = None", "@M \\in P", "@M \\in {}", "@M \\in S", "w \\in @S",
          "None \\in @S", "@S \\subseteq P", "S \\subseteq @S", "@S = @S", "\\A i \\in @S : TRUE",
          "\\E i \\in P : i = @M", "\\E i \\in P : i # @M", "\\A i \\in P : @B",
          "\\E i \\in @S : FALSE", "h \\in [P -> @S]", "q \\in Seq(@S)", "<<@M, w>> \\in P \\X P",
          "<<w, None>> \\in P \\X @S", "{@M} \\in SUBSET P", "@B \\/ TRUE", "@B /\\ FALSE",
          "@M = 5", "@M = \"w\"", "IsFiniteSet(@S)", "@F # <<>>", "r = [a |-> @M, b |-> w]"),
}  # fmt: skip
"""Operators at each place of an operand, by the kind of what they make."""

CLAIMING = {
    "M": ("@M # None", "@M \\in P", "<<@M, 5>> # <<w, 6>>", "\\A l \\in {@M} : TRUE", "@M # 5"),
    "S": ("@S # {None}", "@S \\subseteq P", "None \\notin @S", "\\A l \\in @S : TRUE",
          "@S \\in SUBSET P", "{@S} # {{None}}"),
    "P": ("None \\notin @P", "{None} \\in @P", "<<w, w>> \\in @P", "h \\in @P", "r \\in @P"),
    "Q": ("@Q # <<None>>", "Len(@Q) # 77", "@Q \\in Seq(P)", "\\A l \\in DOMAIN @Q : TRUE"),
    "F": ("@F # [l \\in {9} |-> 1]", "@F # <<>>", "DOMAIN @F # {77}", "@F \\in [P -> P]", "@F # 5"),
    "R": ("@R # [a |-> None, b |-> None]", "@R \\in [a : P, b : P]", "@R # 5"),
    "N": ("@N # 77", "@N \\in Nat", "@N < 99"),
    "B": ("@B",),
}  # fmt: skip
"""What is claimed of a value of each kind, where a sort or a range may decide it."""


def claims() -> Iterator[tuple[str, str]]:
    """Yield each template with each claim of what an operand without a value becomes there."""
    return filled_claims(LOSING, MAKING, CLAIMING)


SYMMETRIC = Claimed(TEXT, CONFIG, claims, "<<n, w, o, S, q, e, f, h, r, m, d>>")
