"""The translation of a construct takes the steps that its evaluator takes, state by state."""

from __future__ import annotations

from pathlib import Path

import pytest

from bmc.frontends.tla.agreement import compare_reachable
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.samples import Samples
from bmc.frontends.tla.translate.model import translate
from bmc.frontends.tla.translated_model import TranslatedModel

CONSTRUCTS = {
    "functions that gain and lose arguments": (
        """
EXTENDS Naturals, TLC
VARIABLE f
Init == f = <<>>
Next == \\/ \\E k \\in 1 .. 2 : k \\notin DOMAIN f /\\ f' = f @@ (k :> 0)
        \\/ \\E k \\in DOMAIN f : f[k] < 2 /\\ f' = [f EXCEPT ![k] = @ + 1]
        \\/ \\E k \\in DOMAIN f : f' = [j \\in DOMAIN f \\ {k} |-> f[j]]
Inv == \\A k \\in DOMAIN f : f[k] \\in 0 .. 2
""",
        "INVARIANT Inv",
        16,
    ),
    "a bag that loses a message and gains another": (
        """
EXTENDS Naturals, TLC
VARIABLE bag
Init == bag = [m \\in {[kind |-> "ask", n |-> 0]} |-> 1]
Reply(m, r) ==
    /\\ bag[m] > 0
    /\\ \\/ r \\notin DOMAIN bag /\\ bag' = [bag EXCEPT ![m] = @ - 1] @@ (r :> 1)
       \\/ r \\in DOMAIN bag /\\ bag[r] < 2 /\\ bag' = [bag EXCEPT ![m] = @ - 1, ![r] = 2]
Next == \\E m \\in DOMAIN bag, r \\in [kind : {"ask", "reply"}, n : 0 .. 1] : Reply(m, r)
Inv == \\A m \\in DOMAIN bag : m.kind = "ask" => [m EXCEPT !.kind = "reply"] \\notin DOMAIN bag
""",
        "INVARIANT Inv",
        None,
    ),
    "a function that is as long as a sequence may be, with a value that is its place": (
        """
EXTENDS Integers, Sequences
VARIABLE s
Init == s = <<>>
Next == \\/ Len(s) < 2 /\\ s' = [i \\in 1 .. Len(s) + 1 |-> i]
        \\/ s # <<>> /\\ s' = Tail(s)
Inv == Len(s) < 3 /\\ \\A i \\in DOMAIN s : s[i] \\in 1 .. 2
""",
        "INVARIANT Inv",
        4,
    ),
    "functions that are chosen at the start, of sequences that are all empty there": (
        """
EXTENDS Integers, Sequences
CONSTANT Node
VARIABLE s
Init == s \\in [Node -> {[base |-> 0, tail |-> <<>>]}]
Next == \\E n \\in Node : /\\ s[n].base < 2
                       /\\ s' = [s EXCEPT ![n].base = @ + 1, ![n].tail = Append(@, 1)]
Inv == \\A n \\in Node : Len(s[n].tail) = s[n].base
""",
        "CONSTANT Node = {n1, n2} INVARIANT Inv",
        9,
    ),
    "sequences": (
        """
EXTENDS Naturals, Sequences
VARIABLE s
Init == s = <<>>
Next == \\/ \\E e \\in {0, 1} : Len(s) < 3 /\\ s' = Append(s, e)
        \\/ s # <<>> /\\ s' = Tail(s)
        \\/ Len(s) = 2 /\\ s' = SubSeq(s, 2, 2) \\o <<Head(s)>>
        \\/ Len(s) > 1 /\\ s' = [s EXCEPT ![2] = 1 - @]
        \\/ s' = SelectSeq(s, LAMBDA e : e = 1)
Inv == s \\in Seq({0, 1}) /\\ Len(s) <= 3
""",
        "INVARIANT Inv",
        15,
    ),
    "functions whose domain is a set that varies": (
        """
EXTENDS Naturals, FiniteSets
VARIABLES s, f, pick
Init == s = {} /\\ f = <<>> /\\ pick = 0
Grow == \\E x \\in (1 .. 3) \\ s : s' = s \\union {x} /\\ UNCHANGED <<f, pick>>
Choose == /\\ Cardinality(s) < 3
          /\\ \\E g \\in {h \\in [s -> s \\union {4}] : \\A x \\in s : h[x] > x} :
            f' = g /\\ pick' = Cardinality(DOMAIN g)
          /\\ s' = s
Short == \\E n \\in 1 .. 2 : \\E g \\in [1 .. n -> {5, 6}] : f' = g /\\ UNCHANGED <<s, pick>>
Next == Grow \\/ Choose \\/ Short
Inv == /\\ \\A g \\in [s -> 1 .. 2] : DOMAIN g = s
       /\\ \\E g \\in [s -> {2, 4}] : g # f /\\ Cardinality(s) = 2
""",
        "INVARIANT Inv",
        146,
    ),
    "sets of which a guard says what every member is": (
        """
EXTENDS Integers
VARIABLES s, t
Init == s = {{1}} /\\ t = {}
Small(m) == \\A e \\in m : e \\in 0 .. 2
Next == \\/ \\E m \\in s : \\E moved \\in {{e + d : e \\in m} : d \\in {-1, 1}} :
                /\\ Small(moved)
                /\\ s' = (s \\ {m}) \\union {moved}
                /\\ t' = t
        \\/ (\\A e \\in t : e > 5) /\\ t' = t \\union {1} /\\ s' = s
        \\/ (\\A m \\in s : \\E e \\in m : e > 1) /\\ s' = s \\union {{0}} /\\ t' = {}
Inv == \\A m \\in s : Small(m)
""",
        "INVARIANT Inv",
        None,
    ),
    "arithmetic": (
        """
EXTENDS Integers
VARIABLES x, y
Init == x \\in 0 .. 6 /\\ y = 0
Next == /\\ y' = ((x * 3) % 4) - (x \\div 2)
        /\\ x' = IF y' < 0 THEN 0 - y' ELSE 6 - y'
Inv == y >= -3 /\\ x ^ 2 <= 81
""",
        "INVARIANT Inv",
        None,
    ),
    "values of several kinds": (
        """
EXTENDS Naturals
CONSTANT None
VARIABLES x, seen
Init == x = None /\\ seen = {}
Next == /\\ x' \\in {None, "a", 1, <<1, "b">>} \\union [kind : {"m"}, of : {1, 2}]
        /\\ seen' = IF x = None THEN seen ELSE {x}
Inv == x # None => x \\in {"a", 1, <<1, "b">>} \\/ x.kind = "m"
""",
        "CONSTANT None = None\nINVARIANT Inv",
        None,
    ),
    "primes in guards, by name and in an order": (
        """
EXTENDS Naturals
VARIABLES x, y
Set(v, e) == v' = e
Grown(v) == v' > v
Init == x = 0 /\\ y = 0
Next == /\\ Set(x, IF x < 3 THEN x + 1 ELSE 0)
        /\\ IF Grown(x) THEN y' = x ELSE \\E d \\in {0, 1} : y' = y - d /\\ y >= d
Inv == y \\in 0 .. 3
""",
        "INVARIANT Inv",
        None,
    ),
    "variables that a LET has another name for": (
        """
EXTENDS Naturals
VARIABLES n, m, s
Init == n = 0 /\\ s \\in SUBSET {1, 2} /\\ m \\in 0 .. 3
Next == /\\ n < 2 /\\ n' = n + 1
        /\\ LET old == m
               new == old'
               both == <<old, s>>
           IN \\/ n = 0 /\\ old' \\in {1, n} /\\ UNCHANGED s
              \\/ n = 0 /\\ new = 3 /\\ s' = s \\ {new}
              \\/ n = 1 /\\ UNCHANGED both
Inv == m \\in 0 .. 3
""",
        "INVARIANT Inv",
        40,
    ),
    "operators that ask whether a step of what they are given is enabled": (
        """
EXTENDS Naturals
CONSTANT P
VARIABLES n, m, c
Another(v) == ENABLED (v' = 1 /\\ v' # v)
Within(v, T) == LET w == v IN ENABLED (w' \\in T /\\ w' > w)
Same(v) == ENABLED (UNCHANGED <<v>> /\\ v' # m)
Each(Op(_), v) == \\E i \\in 0 .. 2 : Op(v) /\\ ENABLED (v' = i /\\ i > v)
Far(v, i) == IF i = 0 THEN Another(v) ELSE LET f(j) == Another(j) IN f(v)
Init == n = 0 /\\ m = 0 /\\ c \\in P
Next == \\/ Another(n) /\\ n' \\in 0 .. 2 /\\ UNCHANGED <<m, c>>
        \\/ Within(m, {n, 2}) /\\ m' \\in 0 .. 1 /\\ UNCHANGED <<n, c>>
        \\/ Same(n) /\\ n' = 0 /\\ m' = 0 /\\ \\E p \\in P : c' = p
        \\/ Each(LAMBDA v : Another(v), n) /\\ n' = m /\\ m' = n /\\ c' = c
        \\/ Far(n, 1) /\\ ~Far(m, 0) /\\ n' = 1 /\\ UNCHANGED <<m, c>>
Inv == /\\ Another(n) = (n # 1) /\\ Within(n, {m}) = (m > n) /\\ ENABLED (c' \\in P)
       /\\ Same(n) = (n # m) /\\ (LET k(j) == ENABLED (j' = 1 /\\ j # 1) IN k(m)) = (m # 1)
""",
        "CONSTANT P = {a, b} INVARIANT Inv",
        None,
    ),
    "variables that operators are given, and a LET there has another name for": (
        """
EXTENDS Naturals
CONSTANT P
VARIABLES n, c, s
Is(v, e) == LET w == v u == w IN u' = e
Keep(v, w) == LET both == <<v, <<w>>>> IN UNCHANGED both
Now(v, e) == LET w == v' IN w = e
---- MODULE Inner ----
EXTENDS Naturals
VARIABLE v
CONSTANT k
Same == v
RECURSIVE Then(_)
Then(i) == IF i = 0 THEN (v + k)' + Same' ELSE Then(i - 1)
====
J(k) == INSTANCE Inner WITH v <- n
Init == n = 0 /\\ c \\in P /\\ s = {}
Next == \\/ n < 2 /\\ Is(n, n + 1) /\\ J(1)!Then(2) > 2 * n /\\ Keep(c, s)
        \\/ Is(c, CHOOSE p \\in P : p # c) /\\ Keep(n, s)
        \\/ \\E p \\in P : Now(s, s \\union {p}) /\\ Is(c, p) /\\ UNCHANGED n /\\ Now(c, p)
Inv == c \\in P
""",
        "CONSTANT P = {a, b, d} INVARIANT Inv",
        None,
    ),
    "choices": (
        """
EXTENDS Naturals, FiniteSets
VARIABLES pool, last
Least(S) == CHOOSE e \\in S : \\A other \\in S : e <= other
Init == pool \\in SUBSET {1, 2, 3} /\\ last = 0
Next == \\/ pool # {} /\\ last' = Least(pool) /\\ pool' = pool \\ {last'}
        \\/ pool = {} /\\ pool' = {e \\in 1 .. 3 : e # last} /\\ last' = Cardinality(pool')
Inv == last \\in 0 .. 3
""",
        "INVARIANT Inv",
        None,
    ),
    "constraints": (
        """
EXTENDS Naturals
VARIABLES x
Init == x = 0
Next == x' = x + 1 \\/ x' = x + 2
Small == x < 5
Even == x' # 3
Inv == x < 6
""",
        "CONSTRAINT Small\nACTION_CONSTRAINT Even\nINVARIANT Inv",
        None,
    ),
    "functions of sets and of values of several kinds": (
        """
EXTENDS Naturals
CONSTANT None
VARIABLES votes, held
Keys == {1, 2} \\cup {None}
Init == votes = [S \\in SUBSET {1, 2} |-> 0] /\\ held = [k \\in Keys |-> FALSE]
Next == \\/ \\E S \\in SUBSET {1, 2} : /\\ S # {} /\\ votes[S] < 2
                                  /\\ votes' = [votes EXCEPT ![S] = @ + 1]
                                  /\\ held' = [held EXCEPT ![None] = (votes'[S] = 1)]
        \\/ \\E k \\in Keys : held' = [held EXCEPT ![k] = ~@] /\\ UNCHANGED votes
Inv == votes[{}] = 0 /\\ \\A k \\in Keys : held[k] \\in BOOLEAN
""",
        "CONSTANT None = None\nINVARIANT Inv",
        None,
    ),
    "choices of sets of values of several kinds": (
        """
EXTENDS FiniteSets
CONSTANTS Cats, Dogs
VARIABLE pets
Init == pets = Cats \\cup Dogs
Next == \\/ \\E S \\in SUBSET pets : Cardinality(S) = 2 /\\ pets' = pets \\ S
        \\/ pets = {} /\\ \\E S \\in SUBSET (Cats \\cup Dogs) : pets' = S
Inv == ~(pets \\subseteq Cats) \\/ Cardinality(pets \\cap Dogs) = 0
""",
        "CONSTANTS Cats = {c1, c2}\nDogs = {d1, d2}\nINVARIANT Inv",
        16,
    ),
    "a selection from a sequence that is only just assigned": (
        """
EXTENDS Naturals, Sequences
VARIABLES s, n
Ones(t) == Len(SelectSeq(t, LAMBDA e : e = 1))
Init == s \\in {<<1, 0>>, <<1, 1>>} /\\ n = Ones(s)
Next == Len(s) < 3 /\\ (\\E e \\in {0, 1} : s' = Append(s, e)) /\\ n' = Ones(s')
Inv == n <= Len(s)
""",
        "INVARIANT Inv",
        6,
    ),
    "one number or no number": (
        """
EXTENDS Naturals
CONSTANT Nil
VARIABLE x
Init == x = Nil
Next == \\/ x = Nil /\\ x' = 7
        \\/ x # Nil /\\ x > 3 /\\ x' = Nil
Inv == x # Nil => x + 1 < 9
""",
        "CONSTANT Nil = Nil\nINVARIANT Inv",
        2,
    ),
    "a choice from one set or from another": (
        """
EXTENDS Naturals
VARIABLES f, x
Init == f = [i \\in 1 .. 2 |-> {}] /\\ x = 0
Next == \\/ \\E i, e \\in 1 .. 2 : f' = [f EXCEPT ![i] = @ \\cup {e}] /\\ UNCHANGED x
        \\/ \\E e \\in IF x = 0 THEN f[1] ELSE f[2] \\ {x} : x' = e /\\ UNCHANGED f
Inv == x \\in 0 .. 2
""",
        "INVARIANT Inv",
        36,
    ),
    "names of parts of definitions": (
        """
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\\ y = 0
Up == /\\ x' = x + 1
      /\\ y' = x'
Next == (x < 3 /\\ Up!1 /\\ Up!2) \\/ (x = 3 /\\ Init!1!2 = 0 /\\ x' = Init!2!2 /\\ y' = 1)
Inv == /\\ x >= 0
       /\\ /\\ x <= 3
          /\\ y = 1
Second == Inv!1 /\\ Inv!2!1
""",
        "INVARIANTS Second Inv",
        5,
    ),
    "arguments outside the domain of what EXCEPT changes": (
        """
EXTENDS Naturals
CONSTANT None
VARIABLES f, g, i, who
Init == f = [j \\in 1 .. 2 |-> 0] /\\ g = [j \\in {1, 3} |-> f] /\\ i = 0 /\\ who = None
Next == /\\ i < 4 /\\ i' = i + 1 /\\ who' \\in {None, 2}
        /\\ f' = [f EXCEPT ![i] = i, ![i + 1] = 1, ![who] = 0]
        /\\ g' = [g EXCEPT ![i][i] = IF @ = 0 THEN 1 ELSE 0]
Inv == f[2] < 4 /\\ g[1][2] = 0
""",
        "CONSTANT None = None INVARIANT Inv",
        None,
    ),
    "sizes of sets that are made of others": (
        """
EXTENDS Naturals, FiniteSets
VARIABLES s, n
Pairs == s \\X {1, 2} \\X s
Init == s \\in SUBSET {1, 2, 3} /\\ Cardinality(Pairs) <= 8 /\\ n = Cardinality([a : s, b : {1}])
Next == s' = s \\ {n} /\\ n' = Cardinality(SUBSET s)
Inv == Cardinality(s \\X {}) = 0 /\\ n <= 8
""",
        "INVARIANT Inv",
        None,
    ),
    "sizes of sets of functions between sets that vary": (
        """
EXTENDS Naturals, FiniteSets
VARIABLES s, t, n
Init == s \\in SUBSET {1, 2, 3} /\\ t \\in SUBSET {"a", "b"} /\\ n = Cardinality([{1, 2} -> s])
Next == \\/ s' = s \\ {n} /\\ n' = Cardinality([t -> s]) /\\ UNCHANGED t
        \\/ UNCHANGED s /\\ \\E x \\in t : t' = t \\ {x} /\\ n' = Cardinality([s' -> t \\X t'])
Inv == Cardinality([{} -> s]) = 1 /\\ Cardinality([s -> {}]) <= 1 /\\ n <= 9
""",
        "INVARIANT Inv",
        None,
    ),
    "sets and functions of symmetric members, of which none is named": (
        """
CONSTANT Node
VARIABLES reach, colour, seen
Init == /\\ reach = {<<a, m, b>> \\in Node \\X {"here", "there"} \\X Node : a = b \\/ m = "there"}
        /\\ colour \\in [Node -> {"red", "blue"}]
        /\\ seen = {}
Next == \\/ \\E a \\in Node : colour' = [colour EXCEPT ![a] = "red"] /\\ UNCHANGED <<reach, seen>>
        \\/ \\E a, b \\in Node : /\\ <<a, "there", b>> \\in reach
                             /\\ a # b
                             /\\ reach' = reach \\ {<<a, "there", b>>, <<b, "there", a>>}
                             /\\ seen' = {<<x, y>> \\in Node \\X Node : x # y}
                             /\\ UNCHANGED colour
Inv == \\A a \\in Node : <<a, "here", a>> \\in reach /\\ <<a, a>> \\notin seen
""",
        "CONSTANT Node = {p, q, r}\nINVARIANT Inv",
        None,
    ),
    "ENABLED of a choice that has the name of a choice around it": (
        """
EXTENDS Naturals
VARIABLES at, z
Take(x) == at' = [at EXCEPT ![x] = (@ + 1) % 3] /\\ z' = z
Other(y) == \\E p \\in 1 .. 3 : p # y /\\ at[p] = at[y] + 1 /\\ Take(p)
Init == at = [p \\in 1 .. 3 |-> 0] /\\ z = 0
Step(x) == \\/ ~ENABLED Other(x) /\\ Take(x)
           \\/ ENABLED Other(x) /\\ z' = 1 - z /\\ at' = at
Next == \\E p \\in 1 .. 3 : Step(p)
Inv == \\E p \\in 1 .. 3 : ENABLED Step(p)
""",
        "INVARIANT Inv",
        26,
    ),
    "a deadlock where a guard binds the name of a choice": (
        """
EXTENDS Naturals
VARIABLE at
Alone(y) == \\A p \\in 1 .. 3 : p # y => at[p] # at[y]
Init == at \\in [1 .. 3 -> 0 .. 1]
Step(x) == Alone(x) /\\ at' = [at EXCEPT ![x] = 1 - @]
Next == \\E p \\in 1 .. 3 : Step(p)
""",
        "CHECK_DEADLOCK TRUE",
        8,
    ),
    "a step left out where ACTION_CONSTRAINT binds the names of its choices": (
        """
EXTENDS Naturals
VARIABLE at
Init == at = <<0, 0, 0>>
Step(x, y) == x # y /\\ at' = [at EXCEPT ![x] = (at[y] + 1) % 3]
Next == \\E p, q \\in 1 .. 3 : Step(p, q)
Fast(x) == at[x] = 0 /\\ at' = [at EXCEPT ![x] = 2]
Slow == ~\\E p, q \\in 1 .. 3 : p # q /\\ Fast(p)
Inv == at # <<0, 1, 1>>
""",
        "INVARIANT Inv ACTION_CONSTRAINT Slow",
        None,
    ),
    "a union of sets, some of which are empty": (
        """
EXTENDS Naturals, FiniteSets
VARIABLES sent, n
Messages(k) == UNION {IF i <= n THEN {[to |-> i, k |-> k], [to |-> 9 - i, k |-> n]} ELSE {}
                      : i \\in 1 .. 3}
Init == sent = {} /\\ n = 0
Next == \\/ n' = (n + 1) % 4 /\\ UNCHANGED sent
        \\/ \\E k \\in 1 .. 2 : /\\ Cardinality(sent \\union Messages(k)) <= 3
                             /\\ sent' = sent \\union Messages(k) /\\ n' = n
        \\/ \\E m \\in sent : sent' = UNION {{m}, {o \\in sent : o.to > m.to}} /\\ n' = n
Inv == \\A m \\in UNION {{s} : s \\in sent} : m.to \\in 1 .. 8
""",
        "INVARIANT Inv",
        None,
    ),
    "a function that gains arguments, used as a sequence": (
        """
EXTENDS Naturals, Sequences
VARIABLES f, n
Init == f = [i \\in {} |-> 0] /\\ n = 0
Next == \\/ n < 3 /\\ n' = n + 1 /\\ f' = [i \\in 1 .. n + 1 |-> i % 2]
        \\/ n > 1 /\\ n' = n /\\ f' = [f EXCEPT ![Len(f)] = 1 - @]
        \\/ n > 0 /\\ n' = Len(SubSeq(f, 2, Len(f))) /\\ f' = [i \\in 1 .. n' |-> f[i + 1]]
Inv == Len(f) = n /\\ Len(Append(f, 1)) = n + 1 /\\ (n > 1 => Head(f) \\in {0, 1})
""",
        "INVARIANT Inv",
        None,
    ),
    "recursion": (
        """
EXTENDS Naturals
VARIABLES f
RECURSIVE Sum(_)
Sum(n) == IF n = 0 THEN 0 ELSE f[n] + Sum(n - 1)
Init == f = [i \\in 1 .. 3 |-> 0]
Next == \\E i \\in 1 .. 3 : Sum(3) < 3 /\\ f' = [f EXCEPT ![i] = @ + 1]
Inv == Sum(3) <= 3 /\\ \\A i \\in 1 .. 3 : f[i] \\in 0 .. 3
""",
        "INVARIANT Inv",
        20,
    ),
    "functions whose values a recursion finds, each at its own argument": (
        """
EXTENDS Integers
VARIABLES grid, row, far
RECURSIVE Sum(_, _)
Sum(f, S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \\in S : TRUE IN f[x] + Sum(f, S \\ {x})
Cells == {<<x, y>> : x, y \\in 1 .. 2}
Beside(c) == {<<c[1] + d, 3 - c[2]>> : d \\in {-1, 0, 1}} \\intersect Cells
Init == /\\ grid \\in [Cells -> 0 .. 1] /\\ row \\in [1 .. 3 -> 0 .. 1]
        /\\ far = [i \\in {2, 5} |-> 0]
Next == /\\ grid' = [c \\in Cells |-> (grid[c] + Sum(grid, Beside(c))) % 2]
        /\\ row' = [i \\in 1 .. 3 |-> Sum(row, {i - 1, i, i + 1} \\intersect 1 .. 3) % 2]
        /\\ far' = [i \\in {2, 5} |-> Sum(row, 1 .. (i - 2)) % 4]
Inv == \\A c \\in Cells : Sum(grid, Beside(c)) <= 2 /\\ far[2] = 0
""",
        "INVARIANT Inv",
        None,
    ),
    "recursion over the digits of a number that varies": (
        """
EXTENDS Naturals, Sequences
VARIABLES n, s
RECURSIVE Common(_, _, _)
Common(a, b, unit) ==
    IF a = 0 THEN 0
    ELSE unit * (a % 2) * (b % 2) + Common(a \\div 2, b \\div 2, 2 * unit)
Init == n = 5 /\\ s = <<>>
Next == \\/ \\E k \\in 0 .. 11 : n' = k /\\ Common(k, 3, 1) = Common(n, 6, 1) \\div 2 /\\ s' = s
        \\/ s = <<>> /\\ s' = Append(s, Common(n, n, 1)) /\\ n' = n
        \\/ s # <<>> /\\ n' = Common(Head(s), n, 1) /\\ s' = Tail(s)
Inv == Common(n, n, 1) = n /\\ (s # <<>> => Common(Head(s), n, 1) <= n)
""",
        "INVARIANT Inv",
        None,
    ),
    "CHOOSE of the one member of a set of large sets": (
        """
EXTENDS Naturals, FiniteSets
VARIABLES board
Init == board = {{1, 2}, {4}, {6, 7, 8}}
Holding(c) == CHOOSE b \\in board : c \\in b
Next == \\E c \\in UNION board :
    LET b == Holding(c) IN
    /\\ \\A i \\in b : i < 13 /\\ i + 1 \\notin UNION (board \\ {b})
    /\\ board' = (board \\ {b}) \\union {{i + 1 : i \\in b} \\intersect (1 .. 13)}
Inv == \\A i \\in 1 .. 13 : i \\in UNION board => Cardinality(Holding(i)) \\in 1 .. 3
""",
        "INVARIANT Inv",
        None,
    ),
    "CHOOSE of the first of several members, in TLC's order": (
        """
EXTENDS Naturals, FiniteSets, TLC
VARIABLES sets, sent, pairs
Init == /\\ sets = {{1, 2}, {3}, {1, 3}}
        /\\ sent = {[to |-> 1, at |-> 2], [to |-> 2, at |-> 1]}
        /\\ pairs = {<<1, 2>>, <<2, 1>>, "none"}
Next == \\/ \\E size \\in 1 .. 2 :
               /\\ \\E s \\in sets : Cardinality(s) = size
               /\\ sets' = sets \\ {CHOOSE s \\in sets : Cardinality(s) = size}
               /\\ UNCHANGED <<sent, pairs>>
        \\/ \\E s \\in SUBSET (1 .. 3) : Cardinality(sets) < 2 /\\ sets' = sets \\union {s}
                                      /\\ UNCHANGED <<sent, pairs>>
        \\/ sent # {} /\\ sent' = sent \\ {CHOOSE m \\in sent : TRUE} /\\ UNCHANGED <<sets, pairs>>
        \\/ Cardinality(pairs) > 1 /\\ UNCHANGED <<sets, sent>>
           /\\ pairs' = pairs \\ {CHOOSE p \\in pairs \\ {"none"} : TRUE}
Inv == sets # {} => Cardinality(CHOOSE s \\in sets : TRUE) <= Cardinality(UNION sets)
Other == (\\E s \\in SUBSET UNION sets : s \\notin sets)
         => (CHOOSE s \\in SUBSET UNION sets : s \\notin sets) # {1, 2, 3}
""",
        "INVARIANT Inv Other",
        None,
    ),
    "CHOOSE of the empty subset of a large set": (
        """
EXTENDS Naturals, FiniteSets
VARIABLES seen
Pairs == (1 .. 40) \\X (1 .. 40)
New(known) == CHOOSE s \\in SUBSET Pairs : \\A p \\in s : \\A q \\in known : p[1] # q[1]
Init == seen = {1}
Next == \\E n \\in 1 .. 3 : seen' = seen \\union {n} \\union {p[2] : p \\in New({<<n, n>>})}
Inv == New({<<i, i>> : i \\in seen}) = {}
""",
        "INVARIANT Inv",
        4,
    ),
    "sets in records of two kinds": (
        """
EXTENDS Naturals, Sequences, FiniteSets
VARIABLES log, n
Init == log = <<[members |-> {1, 2}]>> /\\ n = 0
Grow == /\\ Len(log) < 3
        /\\ \\E s \\in SUBSET (1 .. 3) \\ {{}} : log' = Append(log, [members |-> s, added |-> {}])
        /\\ UNCHANGED n
Take == \\E i \\in 1 .. Len(log) :
          \\E x \\in log[i].members : x > n /\\ n' = x /\\ UNCHANGED log
Count == \\E i \\in 1 .. Len(log) :
           LET size == Cardinality(log[i].members) IN n # size /\\ n' = size /\\ UNCHANGED log
Next == Grow \\/ Take \\/ Count \\/ (n' = 0 /\\ UNCHANGED log)
Inv == \\A i \\in 1 .. Len(log) : \\A x \\in log[i].members : x \\in 1 .. 3
""",
        "INVARIANT Inv",
        215,
    ),
    "a sequence that only excluded steps would make longer": (
        """
EXTENDS Naturals, Sequences
VARIABLES q, n
Init == q = <<>> /\\ n = 0
Add == q' = (IF Len(q) < 2 THEN Append(q, n) ELSE Tail(q)) /\\ n' = n /\\ q' = <<>>
Put == q' \\in {Append(q, n), q} /\\ n' = n /\\ Len(q') < 1
Up == n' = (n + 1) % 3 /\\ UNCHANGED q
Next == Add \\/ Put \\/ Up
Inv == q = <<>>
""",
        "INVARIANT Inv",
        3,
    ),
    "a recursion for each member of what varies": (
        """
EXTENDS Naturals, FiniteSets
Node == 1 .. 3
VARIABLE edges
Init == edges = {}
Next == \\E a, b \\in Node : a # b /\\ edges' = edges \\cup {<<a, b>>}
After(c, S) == {y \\in Node \\ S : <<c, y>> \\in edges}
RECURSIVE Reach(_, _)
Reach(c, S) == IF After(c, S) = {} THEN S
               ELSE UNION {Reach(y, S \\cup {y}) : y \\in After(c, S)}
Inv == \\A c, e \\in Node : (<<c, e>> \\in edges) => e \\in Reach(c, {c}) /\\ 1 \\in Reach(e, {c})
""",
        "INVARIANT Inv",
        64,
    ),
    "actions that are composed": (
        """
EXTENDS Naturals, Sequences, FiniteSets
VARIABLES x, s
vars == <<x, s>>
Init == x = 0 /\\ s = <<>>
Up(n) == x + n < 6 /\\ x' = x + n /\\ UNCHANGED s
Put == Len(s) < 2 /\\ s' = Append(s, x) /\\ x' = x
Cut == LET m == IF x > 2 THEN 3 ELSE 0 IN
         /\\ x' = IF m = 3 /\\ x > 2 THEN x - m ELSE x
         /\\ s' = SelectSeq(s, LAMBDA e : e >= m)
Either == Put \\/ (s # <<>> /\\ s' = Tail(s) /\\ UNCHANGED x)
Swap(n) == LET Low == x' = 0 IN (Up(n) \\cdot Put) \\cdot (Low /\\ UNCHANGED s)
Twice == (\\E n \\in 1..2 : Up(n)) \\cdot (\\E n \\in 1..2 : Up(n) /\\ ENABLED Put)
Next == \\/ \\E n \\in 1..2 : Up(n) \\cdot Cut
        \\/ Either \\cdot Cut
        \\/ Up(1) \\cdot (Put \\cdot Cut)
        \\/ Swap(2)
        \\/ Twice
        \\/ x = 1 /\\ (Up(1) \\cdot Cut) /\\ (Up(1) \\cdot UNCHANGED vars)
Inv == x < 6 /\\ Len(s) < 3 /\\ (ENABLED (Up(1) \\cdot Put)) = (x < 5 /\\ Len(s) < 2)
""",
        "INVARIANT Inv",
        138,  # TLC's, which reads \cdot where tlc2.tool.impl.Tool.cdot is "true"
    ),
}

GUESSED = {
    "logs that are functions of 1 .. 3 or sequences": (
        """
EXTENDS Naturals, Sequences
VARIABLES log, saved, upto, at
Index == 1 .. 3
Init == log = [i \\in Index |-> 0] /\\ saved = [i \\in Index |-> 0] /\\ upto = 1 /\\ at = 1
Read(i) == IF i \\in DOMAIN log THEN log[i] ELSE 0
Write == /\\ upto < 4
         /\\ log' = [[i \\in Index |-> Read(i)] EXCEPT ![upto] = 1]
         /\\ upto' = upto + 1
         /\\ UNCHANGED <<saved, at>>
Save == /\\ upto - 1 <= Len(log)
        /\\ saved' = SubSeq(log, 1, upto - 1)
        /\\ at' = upto
        /\\ UNCHANGED <<log, upto>>
Recover == /\\ log' = SubSeq(saved, 1, at - 1) \\o SubSeq(log, at, Len(log))
           /\\ UNCHANGED <<saved, upto, at>>
Cut == Len(log) > 2 /\\ log' = SubSeq(log, 1, Len(log) - 1) /\\ UNCHANGED <<saved, upto, at>>
Next == Write \\/ Save \\/ Recover \\/ Cut
Inv == Len(log) \\in 2 .. 3 /\\ saved = SubSeq(saved, 1, Len(saved)) \\o <<>>
""",
        "INVARIANT Inv",
        28,
    ),
}
"""Texts of which samples say how far their values go."""


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_steps_and_claims_agree(name: str, tmp_path: Path) -> None:
    """At every reachable state both have the same steps, action by action, and the same truths."""
    _require_agreement(*CONSTRUCTS[name], tmp_path, with_samples=False)


@pytest.mark.parametrize("name", GUESSED)
def test_steps_and_claims_agree_within_guessed_bounds(name: str, tmp_path: Path) -> None:
    """As above, where the text does not say how far the values go."""
    _require_agreement(*GUESSED[name], tmp_path, with_samples=True)


def _require_agreement(
    text: str, config: str, states: int | None, tmp_path: Path, with_samples: bool
) -> None:
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{text}\n====\n")
    unchecked = "" if "CHECK_DEADLOCK" in config else "CHECK_DEADLOCK FALSE"
    (tmp_path / "M.cfg").write_text(f"INIT Init\nNEXT Next\n{unchecked}\n{config}\n")
    specification = load(tmp_path / "M.tla")
    samples = Samples(specification) if with_samples else None
    model = TranslatedModel(translate(specification, samples=samples))
    compared = compare_reachable(Search(Machine(specification)), model, 1_000)
    assert compared.complete
    assert compared.skipped == 0
    assert compared.states == (states or compared.states)
    assert compared.states > 1
