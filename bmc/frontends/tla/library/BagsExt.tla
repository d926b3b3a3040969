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

\* The copies of an element are folded first, each behind what came of those before it; then what
\* came of the elements, each before what came of the others. Both begin with the base.
MapThenFoldBag(op(_, _), base, f(_), choose(_), B) ==
    LET all(x) == MapThenFoldSet(LAMBDA n, y : op(y, f(x)), base, LAMBDA n : n, Some, 1..B[x])
    IN  MapThenFoldSet(op, base, all, Some, DOMAIN B)

\* TLC has this one by itself: all copies behind each other, the base once.
FoldBag(op(_, _), base, B) ==
    LET further(x, y) == MapThenFoldSet(LAMBDA n, z : op(z, x), y, LAMBDA n : n, Some, 1..B[x])
    IN  MapThenFoldSet(further, base, LAMBDA x : x, Some, DOMAIN B)

SumBag(B) == FoldBag(+, 0, B)

ProductBag(B) == FoldBag( *, 1, B)
====
