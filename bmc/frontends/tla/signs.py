"""The operator signs of TLA+: spellings, precedences (Specifying Systems, tables 6 and 7).

SUBSET, UNION and DOMAIN bind as TLC's parser has it: it reads `SUBSET 1..2` as `(SUBSET 1)..2`.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Precedence:
    """How tightly an operator binds: the range from `low` to `high`; overlapping ranges conflict.

    `left` operators may follow themselves: `a + b + c`.
    """

    low: int
    high: int
    left: bool = False


def _table(rows: str) -> dict[str, Precedence]:
    """Read rows of `low high left|none sign sign …`."""
    found: dict[str, Precedence] = {}
    for row in rows.strip().splitlines():
        low, high, left, *signs = row.split()
        found.update({s: Precedence(int(low), int(high), left == "left") for s in signs})
    return found


INFIX = _table(r"""
1 1 none =>
2 2 none <=> ~> -+->
3 3 left /\ \/
5 5 none = # \in \notin < > \leq \geq \subseteq \subset \supset \supseteq \prec \succ
5 5 none \preceq \succeq \sim \simeq \approx \cong \asymp \doteq \propto \ll \gg
5 5 none \sqsubset \sqsupset \sqsubseteq \sqsupseteq |- -| |= =| := ::=
5 14 left \cdot
6 6 left @@
7 7 none :> <:
8 8 left \cup \cap
8 8 none \
9 9 none .. ...
9 13 none !!
9 13 left $ $$ ?? ## \sqcap \sqcup \uplus
9 14 none \wr
10 10 left + (+) ++
10 11 none %
10 11 left %% | ||
10 13 none \X
11 11 left - (-) --
13 13 left * & && \o ** \star \bigcirc \bullet (\X) (.)
13 13 none / // \div (/)
14 14 none ^ ^^
""")

PREFIX = _table(r"""
4 4 none ~
4 15 none ENABLED UNCHANGED [] <>
10 13 none SUBSET UNION DOMAIN
12 12 none -.
""")

POSTFIX = ("'", "^+", "^*", "^#")

# Other spellings of the same operator, in ASCII.
SAME = {
    "\\land": "/\\",
    "\\lor": "\\/",
    "\\lnot": "~",
    "\\neg": "~",
    "\\equiv": "<=>",
    "/=": "#",
    "<=": "\\leq",
    "=<": "\\leq",
    ">=": "\\geq",
    "\\union": "\\cup",
    "\\intersect": "\\cap",
    "\\times": "\\X",
    "\\circ": "\\o",
    "\\oplus": "(+)",
    "\\ominus": "(-)",
    "\\otimes": "(\\X)",
    "\\oslash": "(/)",
    "\\odot": "(.)",
    "\\forall": "\\A",
    "\\exists": "\\E",
}

# Signs of Unicode and what they stand for.
UNICODE = {
    "≜": "==",
    "←": "<-",
    "→": "->",
    "↦": "|->",
    "⟨": "<<",
    "⟩": ">>",
    "∀": "\\A",
    "∃": "\\E",
    "∧": "/\\",
    "∨": "\\/",
    "¬": "~",
    "⇒": "=>",
    "⟹": "=>",
    "⇔": "<=>",
    "⟺": "<=>",
    "≡": "<=>",
    "□": "[]",
    "◇": "<>",
    "⋄": "<>",
    "↝": "~>",
    "⇝": "~>",
    "⇸": "-+->",
    "∈": "\\in",
    "∉": "\\notin",
    "≠": "#",
    "≤": "\\leq",
    "≥": "\\geq",
    "⩽": "\\leq",
    "⩾": "\\geq",
    "∪": "\\cup",
    "∩": "\\cap",
    "⊆": "\\subseteq",
    "⊂": "\\subset",
    "⊃": "\\supset",
    "⊇": "\\supseteq",
    "×": "\\X",
    "÷": "\\div",
    "∘": "\\o",
    "⋅": "\\cdot",
    "⊕": "(+)",
    "⊖": "(-)",
    "⊗": "(\\X)",
    "⊘": "(/)",
    "⊙": "(.)",
    "≺": "\\prec",
    "≻": "\\succ",
    "⪯": "\\preceq",
    "⪰": "\\succeq",
    "⊑": "\\sqsubseteq",
    "⊒": "\\sqsupseteq",
    "⊏": "\\sqsubset",
    "⊐": "\\sqsupset",
    "⊓": "\\sqcap",
    "⊔": "\\sqcup",
    "⊎": "\\uplus",
    "∼": "\\sim",
    "≃": "\\simeq",
    "≈": "\\approx",
    "≅": "\\cong",
    "‥": "..",
    "…": "...",
    "●": "\\bullet",
    "★": "\\star",
    "ℕ": "Nat",
    "ℤ": "Int",
    "ℝ": "Real",
}
