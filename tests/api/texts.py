"""What questions from Python are about: protocols of the examples, and small texts."""

from pathlib import Path

MUTEX = str(Path(__file__).parents[2] / "docs/examples/classics/mutual_exclusion.py")

UNVALUED = """---- MODULE Unvalued ----
EXTENDS Integers, Sequences
VARIABLE q
Init == q = <<>>
Next == q' = IF Len(q) < 3 THEN Append(q, 1) ELSE <<>>
Held == Len(q) < 4
Open == Len(q) < 3 \\/ Head(Tail(Tail(Tail(q)))) = 1
Fails == Len(q) < 2
====
"""

GROWS = (
    "---- MODULE Grows ----\nEXTENDS Integers\nCONSTANT Side\nVARIABLES x, y\n"
    "Init == x = 0 /\\ y = 0\n"
    "Next == /\\ x + y < Side * Side\n"
    "        /\\ (x' = x + 1 /\\ UNCHANGED y) \\/ (y' = y + 1 /\\ UNCHANGED x)\n"
    "Spec == Init /\\ [][Next]_<<x, y>> /\\ WF_<<x, y>>(Next)\n"
    "Early == x < 2\nLate == x < 8\nEnds == <>(x + y = Side * Side)\n====\n"
)

ENDLESS = """---- MODULE Endless ----
EXTENDS Sequences
VARIABLE s
Init == s = <<>>
Next == s' = Append(s, s)
Ok == TRUE
====
"""
"""Each state is twice as large as the one before: what its values are is looked for without end."""
