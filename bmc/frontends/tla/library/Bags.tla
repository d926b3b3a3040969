---- MODULE Bags ----
\* Bags (multisets): functions from their elements to how often each occurs, once at least.
EXTENDS TLC
LOCAL INSTANCE Naturals
LOCAL INSTANCE Folds

LOCAL Some(S) == CHOOSE x \in S : TRUE

LOCAL Count(B, x) == IF x \in DOMAIN B THEN B[x] ELSE 0

IsABag(B) == B \in [DOMAIN B -> {n \in Nat : n > 0}]

BagToSet(B) == DOMAIN B

SetToBag(S) == [x \in S |-> 1]

BagIn(x, B) == x \in DOMAIN B

EmptyBag == SetToBag({})

CopiesIn(x, B) == Count(B, x)

A (+) B == [x \in DOMAIN A \cup DOMAIN B |-> Count(A, x) + Count(B, x)]

A (-) B ==
    [x \in {y \in DOMAIN A : A[y] > Count(B, y)} |-> A[x] - Count(B, x)]

A \sqsubseteq B == \A x \in DOMAIN A : x \in DOMAIN B /\ A[x] <= B[x]

BagCardinality(B) == MapThenFoldSet(+, 0, LAMBDA x : B[x], Some, DOMAIN B)

BagUnion(S) ==
    [x \in UNION {DOMAIN B : B \in S} |->
        MapThenFoldSet(+, 0, LAMBDA B : Count(B, x), Some, S)]

BagOfAll(F(_), B) ==
    [y \in {F(x) : x \in DOMAIN B} |->
        MapThenFoldSet(+, 0, LAMBDA x : B[x], Some, {x \in DOMAIN B : F(x) = y})]

SubBag(B) ==
    LET most == CHOOSE n \in {0} \cup {B[x] : x \in DOMAIN B} :
                    \A x \in DOMAIN B : B[x] <= n
    IN  UNION {{A \in [S -> 1..most] : \A x \in S : A[x] <= B[x]} : S \in SUBSET DOMAIN B}
====
