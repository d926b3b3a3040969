---- MODULE Apalache ----
\* The operators with which a specification speaks to Apalache, as what they mean in TLA+.
EXTENDS Integers, FiniteSets, Sequences
LOCAL INSTANCE Folds
LOCAL INSTANCE SequenceFolds

x := e == x = e

Skolem(e) == e

Expand(S) == S

ConstCardinality(e) == e

MkSeq(n, F(_)) == [i \in 1..n |-> F(i)]

Repeat(F(_, _), n, x) == FoldLeft(F, x, [i \in 1..n |-> i])

SetAsFun(S) ==
    [x \in {p[1] : p \in S} |-> (CHOOSE p \in S : p[1] = x)[2]]

FunAsSeq(f, length, capacity) == [i \in 1..length |-> f[i]]

LOCAL Some(S) == CHOOSE x \in S : TRUE

\* What is chosen first is folded first, so it is innermost.
ApaFoldSet(F(_, _), base, S) ==
    FoldLeft(F, base, MapThenFoldSet(LAMBDA x, s : <<x>> \o s, <<>>, LAMBDA x : x, Some, S))

ApaFoldSeqLeft(F(_, _), base, s) == FoldLeft(F, base, s)
====
