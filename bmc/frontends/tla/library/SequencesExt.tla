---- MODULE SequencesExt ----
\* What can be said of sequences beyond the module Sequences.
EXTENDS SequenceFolds
LOCAL INSTANCE Sequences
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE FiniteSetsExt
LOCAL INSTANCE TLC

LOCAL Places(s, Test(_)) == {i \in 1..Len(s) : Test(s[i])}

\* Sets, bags and sequences.

ToSet(s) == {s[i] : i \in DOMAIN s}

ToBag(s) == [x \in ToSet(s) |-> Cardinality({i \in DOMAIN s : s[i] = x})]

SetToSeqs(S) == {s \in [1..Cardinality(S) -> S] : IsInjective(s)}

\* What CHOOSE takes of the sequences without repetition: the first, which is in the order of the members.
SetToSeq(S) == FoldSet(LAMBDA x, s : <<x>> \o s, <<>>, S)

SetToSortSeq(S, op(_, _)) == SortSeq(SetToSeq(S), op)

SetToAllKPermutations(S) == UNION {SetToSeqs(T) : T \in SUBSET S}

TupleOf(S, n) == [1..n -> S]

SeqOf(S, n) == UNION {[1..m -> S] : m \in 0..n}

BoundedSeq(S, n) == SeqOf(S, n)

\* Looking for elements.

Contains(s, x) == \E i \in 1..Len(s) : s[i] = x

IsSorted(s, op(_, _)) == \A i, j \in 1..Len(s) : (i < j) => op(s[i], s[j])

SelectInSeq(s, Test(_)) ==
    LET places == Places(s, Test) IN IF places = {} THEN 0 ELSE Min(places)

SelectInSubSeq(s, from, to, Test(_)) == SelectInSeq(SubSeq(s, from, to), Test)

SelectLastInSeq(s, Test(_)) ==
    LET places == Places(s, Test) IN IF places = {} THEN 0 ELSE Max(places)

SelectLastInSubSeq(s, from, to, Test(_)) == SelectLastInSeq(SubSeq(s, from, to), Test)

\* Changing them.

Reverse(s) == [i \in 1..Len(s) |-> s[Len(s) + 1 - i]]

Remove(s, x) == SelectSeq(s, LAMBDA y : y # x)

ReplaceAll(s, old, new) == [i \in 1..Len(s) |-> IF s[i] = old THEN new ELSE s[i]]

InsertAt(s, i, x) == SubSeq(s, 1, i - 1) \o <<x>> \o SubSeq(s, i, Len(s))

ReplaceAt(s, i, x) == [s EXCEPT ![i] = x]

RemoveAt(s, i) == SubSeq(s, 1, i - 1) \o SubSeq(s, i + 1, Len(s))

RemoveFirstMatch(s, Test(_)) ==
    LET i == SelectInSeq(s, Test) IN IF i = 0 THEN s ELSE RemoveAt(s, i)

RemoveFirst(s, x) == RemoveFirstMatch(s, LAMBDA y : y = x)

Cons(x, s) == <<x>> \o s

Snoc(x, s) == Append(s, x)

Front(s) == SubSeq(s, 1, Len(s) - 1)

Last(s) == s[Len(s)]

FlattenSeq(s) == FoldLeft(LAMBDA done, t : done \o t, <<>>, s)

Zip(s, t) == [i \in 1..(IF Len(s) < Len(t) THEN Len(s) ELSE Len(t)) |-> <<s[i], t[i]>>]

\* Each element is a sequence by itself; of two lengths it has no value.
Interleave(s, t) ==
    CASE Len(s) = 0 /\ Len(t) = 0 -> <<<<>>, <<>>>>
      [] Len(s) > 0 /\ Len(s) = Len(t) ->
            [i \in 1..(2 * Len(s)) |-> <<IF i % 2 = 1 THEN s[(i + 1) \div 2] ELSE t[i \div 2]>>]

SeqMod(a, b) == IF a % b = 0 THEN b ELSE a % b

\* Beginnings, ends and parts.

IsPrefix(s, t) == Len(s) <= Len(t) /\ \A i \in 1..Len(s) : s[i] = t[i]

IsStrictPrefix(s, t) == Len(s) < Len(t) /\ IsPrefix(s, t)

IsSuffix(s, t) ==
    Len(s) <= Len(t) /\ \A i \in 1..Len(s) : s[i] = t[Len(t) - Len(s) + i]

IsStrictSuffix(s, t) == Len(s) < Len(t) /\ IsSuffix(s, t)

Prefixes(s) == {SubSeq(s, 1, n) : n \in 0..Len(s)}

Suffixes(s) == {SubSeq(s, n, Len(s)) : n \in 1..(Len(s) + 1)}

CommonPrefixes(S) ==
    {s \in UNION {Prefixes(t) : t \in S} : \A t \in S : IsPrefix(s, t)}

LongestCommonPrefix(S) ==
    CHOOSE s \in CommonPrefixes(S) : \A t \in CommonPrefixes(S) : Len(t) <= Len(s)

SubSeqs(s) == {SubSeq(s, i + 1, j) : i, j \in 0..Len(s)}

LOCAL Begins(s, t, i) == SubSeq(t, i, i + Len(s) - 1) = s

LOCAL Beginnings(s, t) == {i \in 1..(Len(t) - Len(s) + 1) : Begins(s, t, i)}

IndexFirstSubSeq(s, t) == Min(Beginnings(s, t))

ReplaceSubSeqAt(i, r, s, t) == SubSeq(t, 1, i - 1) \o r \o SubSeq(t, i + Len(s), Len(t))

ReplaceFirstSubSeq(r, s, t) ==
    IF Beginnings(s, t) = {} THEN t ELSE ReplaceSubSeqAt(IndexFirstSubSeq(s, t), r, s, t)

\* Of those that overlap the first. What is empty stands before each element, and not at the end.
ReplaceAllSubSeqs(r, s, t) ==
    LET Next(done, i) ==
            CASE done.skip > 0 -> [done EXCEPT !.skip = @ - 1]
              [] i + Len(s) - 1 <= Len(t) /\ Begins(s, t, i) ->
                    [seq |-> done.seq \o r, skip |-> Len(s) - 1]
              [] OTHER -> [done EXCEPT !.seq = Append(@, t[i])]
    IN CASE s = t -> r
         [] s # t /\ Len(s) = 0 -> FlattenSeq([i \in 1..Len(t) |-> Append(r, t[i])])
         [] OTHER -> FoldLeft(Next, [seq |-> <<>>, skip |-> 0], [i \in DOMAIN t |-> i]).seq

\* Folds.

FoldRight(op(_, _), s, base) == FoldLeft(LAMBDA done, x : op(x, done), base, Reverse(s))

FoldSeq(op(_, _), base, s) == FoldFunction(op, base, s)

FoldLeftDomain(op(_, _), base, s) == FoldLeft(op, base, [i \in DOMAIN s |-> i])

FoldRightDomain(op(_, _), s, base) == FoldRight(op, [i \in DOMAIN s |-> i], base)
====
