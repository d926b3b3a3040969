---- MODULE BagsExt ----
\* Adding to bags, taking from them, folding them.
LOCAL INSTANCE Bags
LOCAL INSTANCE Integers
LOCAL INSTANCE Folds

LOCAL Some(S) == CHOOSE x \in S : TRUE

BagAdd(B, x) ==
    [y \in DOMAIN B \cup {x} |-> CopiesIn(y, B) + (IF y = x THEN 1 ELSE 0)]

BagRemoveAll(B, x) == [y \in DOMAIN B \ {x} |-> B[y]]

BagRemove(B, x) ==
    IF CopiesIn(x, B) > 1 THEN [B EXCEPT ![x] = @ - 1] ELSE BagRemoveAll(B, x)

MapThenFoldBag(op(_, _), base, f(_), choose(_), B) ==
    LET copies == UNION {{<<x, n>> : n \in 1..B[x]} : x \in DOMAIN B}
    IN  MapThenFoldSet(op, base, LAMBDA copy : f(copy[1]), Some, copies)

FoldBag(op(_, _), base, B) == MapThenFoldBag(op, base, LAMBDA x : x, Some, B)

SumBag(B) == FoldBag(+, 0, B)

ProductBag(B) == FoldBag( *, 1, B)
====
