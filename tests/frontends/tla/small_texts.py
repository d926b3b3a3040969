"""Small specifications that between them use every construct that is translated.

Each is a module, its configuration, and what it is for. Their state spaces have at most some
hundred states, so a translation can be compared with the text at all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Text:
    """A module called `Small` and its configuration."""

    name: str
    module: str
    configuration: str

    def write(self, folder: Path) -> Path:
        """Write both files to a folder; return the module's path."""
        path = folder / "Small.tla"
        path.write_text(
            "---- MODULE Small ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\n"
            f"{self.module}\n====\n"
        )
        path.with_suffix(".cfg").write_text(self.configuration)
        return path


REGISTERS = Text(
    "registers",
    """
CONSTANT P
VARIABLES x, y, f
vars == <<x, y, f>>
Init == /\\ x \\in {0, 2}
        /\\ y = 0
        /\\ f = [p \\in P |-> 0]
Is(v, e) == v' = e
Later(e) == e
Up == x < 3 /\\ Is(x, x + 1) /\\ y' = Later(x') % 3 /\\ UNCHANGED f
Swap(p) == /\\ f[p] # x
           /\\ f' = [f EXCEPT ![p] = x, ![p] = IF @ > 1 THEN 1 ELSE 2 - @]
           /\\ x' = IF y > 1 THEN 0 ELSE x
           /\\ UNCHANGED y
Both == \\E n \\in 0..1 : /\\ n = y + 1
                       /\\ y' = 2 * n
                       /\\ x' \\in {n, 2, 0}
                       /\\ x' # 2
                       /\\ UNCHANGED f
Keep == x' \\in {x, 0} /\\ y' = 0 /\\ UNCHANGED <<x, f>>
Twice == x' = 1 /\\ x' = y + 1 /\\ y' = 2 /\\ UNCHANGED f
Arms == /\\ y' = CASE x = 0 -> 2 [] x < 3 -> 1 [] OTHER -> 0
        /\\ x' = x /\\ f' = [p \\in P |-> IF f[p] > y' THEN y' ELSE f[p]]
Stay == ~ENABLED Up /\\ y' = 1 /\\ x' = x - 3 /\\ UNCHANGED <<f>>
Next == Up \\/ (\\E p \\in P : Swap(p)) \\/ Both \\/ Keep \\/ Twice \\/ Arms \\/ Stay
Spec == Init /\\ [][Next]_vars
Bounded == x + y <= 4 => \\A p \\in P : f[p] + y < 5
Some == \\E p \\in P, n \\in 0..2 : f[p] = n /\\ n <= x
Rises == [][x' > x \\/ y' # y]_x
""",
    "SPECIFICATION Spec\nCONSTANT P = {p, q}\nINVARIANTS Bounded Some\nPROPERTY Rises\n",
)

QUEUES = Text(
    "queues",
    """
VARIABLES s, out
Init == s = <<>> /\\ out = 0
Put(v) == Len(s) < 3 /\\ s' = Append(s, v) /\\ UNCHANGED out
Take == s # <<>> /\\ out' = Head(s) /\\ s' = Tail(s)
Cut == Len(s) = 3 /\\ s' = SubSeq(s, 2, 3) /\\ out' = s[3]
Turn == /\\ Len(s) = 2
        /\\ s[1] # s[2]
        /\\ s' = <<s[2]>> \\o <<s[1]>>
        /\\ UNCHANGED out
Drop == /\\ Len(s) = 3 /\\ out > 0
        /\\ s' = SelectSeq(s, LAMBDA v : v # out)
        /\\ out' = 0
Mark == Len(s) > 1 /\\ s' = [s EXCEPT ![2] = 1, ![1] = s[2]] /\\ out' = out
Next == (\\E v \\in 1..2 : Put(v)) \\/ Take \\/ Cut \\/ Turn \\/ Drop \\/ Mark
Short == Len(s) < 3
Known == \\A i \\in DOMAIN s : s[i] = 2 => i > 1
""",
    "INIT Init\nNEXT Next\nINVARIANTS Short Known\nCHECK_DEADLOCK FALSE\n",
)

MESSAGES = Text(
    "messages",
    """
CONSTANTS N, None
VARIABLES sent, done, owner
Message == [to : N, kind : {"ask", "reply"}]
Init == sent = {} /\\ done = {} /\\ owner = None
Send(m) == m \\notin sent /\\ sent' = sent \\cup {m} /\\ UNCHANGED <<done, owner>>
Ask(n) == n \\notin done /\\ Send([to |-> n, kind |-> "ask"])
Reply(n) == \\E m \\in sent : /\\ m.to = n /\\ m.kind = "ask"
                            /\\ done' = done \\cup {n}
                            /\\ sent' = (sent \\ {m}) \\cup {[m EXCEPT !.kind = "reply"]}
                            /\\ owner' = IF owner = None THEN n ELSE owner
Collect == /\\ Cardinality(done) = Cardinality(N)
           /\\ {m.to : m \\in {k \\in sent : k.kind = "reply"}} = N
           /\\ done' = done \\cap {owner}
           /\\ sent' = {} /\\ owner' = None
Give == /\\ owner # None /\\ done \\subseteq {owner}
        /\\ owner' = CHOOSE n \\in N : n \\notin done
        /\\ UNCHANGED <<sent, done>>
Next == (\\E n \\in N : Ask(n) \\/ Reply(n)) \\/ Collect \\/ Give
TypeOk == sent \\subseteq Message /\\ done \\in SUBSET N /\\ owner \\in N \\cup {None}
Owned == owner # None => owner \\in done
Replied == \\A n \\in done : \\E m \\in sent : m.to = n
""",
    "INIT Init\nNEXT Next\nCONSTANTS N = {a, b}\nNone = None\nINVARIANTS TypeOk Owned Replied\n",
)

TABLES = Text(
    "tables",
    """
CONSTANT K
VARIABLES t, n
Init == t = <<>> /\\ n = 0
Add(k) == k \\notin DOMAIN t /\\ t' = (k :> n) @@ t /\\ UNCHANGED n
Write(k) == t' = (k :> 1) @@ t /\\ k \\in DOMAIN t /\\ n' = t[k]
Remove(k) == /\\ k \\in DOMAIN t
             /\\ t' = [j \\in DOMAIN t \\ {k} |-> t[j]]
             /\\ n' = (n + 1) % 2
Grow == /\\ \\A k \\in DOMAIN t : t[k] = n
        /\\ n' = 1 - n
        /\\ t' = t
Next == (\\E k \\in K : Add(k) \\/ Write(k) \\/ Remove(k)) \\/ Grow
Full == DOMAIN t # K
Low == \\A k \\in DOMAIN t : t[k] <= n
""",
    'INIT Init\nNEXT Next\nCONSTANT K = {"a", "b"}\nINVARIANTS Full Low\n',
)

LIMITS = Text(
    "limits",
    """
VARIABLES a, b
Init == (a = 0 \\/ a = 5) /\\ b = a
Step(n) == a + n <= 6 /\\ a' = a + n /\\ b' = b
Jump == a >= 2 /\\ b < 2 /\\ b' = b + 1 /\\ a' = a - 2
Next == (\\E n \\in 1..2 : Step(n)) \\/ Jump
Low == a < 5 \\/ b = 5
Slow == a' - a # 2 \\/ b = 0
Even == a % 2 = 0 \\/ b <= 1
Apart == (a = 3) <=> (b * 2 = a - 1)
Down == [][b' = b \\/ a' < a]_<<a, b>>
""",
    "INIT Init\nNEXT Next\nCONSTRAINT Low\nACTION_CONSTRAINT Slow\nINVARIANTS Even Apart\n"
    "PROPERTY Down\nCHECK_DEADLOCK TRUE\n\\* bmc: bound a 0..7\n",
)

TEXTS = (REGISTERS, QUEUES, MESSAGES, TABLES, LIMITS)
