---- MODULE FiniteSetsExt ----
\* What can be said of finite sets beyond their size.
EXTENDS Folds, Functions
LOCAL INSTANCE Integers
LOCAL INSTANCE FiniteSets

LOCAL Some(S) == CHOOSE x \in S : TRUE

FoldSet(op(_, _), base, S) == MapThenFoldSet(op, base, LAMBDA x : x, Some, S)

ReduceSet(op(_, _), S, base) == FoldSet(op, base, S)

SumSet(S) == FoldSet(+, 0, S)

ProductSet(S) == FoldSet( *, 1, S)

MapThenSumSet(f(_), S) == MapThenFoldSet(+, 0, f, Some, S)

FlattenSet(S) == UNION S

SymDiff(S, T) == (S \cup T) \ (S \cap T)

Quantify(S, P(_)) == Cardinality({x \in S : P(x)})

kSubset(k, S) == {T \in SUBSET S : Cardinality(T) = k}

Max(S) == CHOOSE x \in S : \A y \in S : y <= x

Min(S) == CHOOSE x \in S : \A y \in S : x <= y

Choices(S) == {Range(f) : f \in {g \in [S -> UNION S] : \A T \in S : g[T] \in T}}

ChooseUnique(S, P(_)) == CHOOSE x \in S : P(x) /\ \A y \in S : P(y) => (x = y)
====
