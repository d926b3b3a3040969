---- MODULE Relation ----
\* Relations as functions R from pairs of a set's members to truth values.
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets

IsReflexive(R, S) == \A x \in S : R[x, x]
IsReflexiveUnder(op(_, _), S) == \A x \in S : op(x, x)
IsIrreflexive(R, S) == \A x \in S : ~R[x, x]
IsIrreflexiveUnder(op(_, _), S) == \A x \in S : ~op(x, x)
IsSymmetric(R, S) == \A x, y \in S : R[x, y] <=> R[y, x]
IsSymmetricUnder(op(_, _), S) == \A x, y \in S : op(x, y) <=> op(y, x)
IsAntiSymmetric(R, S) == \A x, y \in S : (R[x, y] /\ R[y, x]) => (x = y)
IsAntiSymmetricUnder(op(_, _), S) == \A x, y \in S : (op(x, y) /\ op(y, x)) => (x = y)
IsAsymmetric(R, S) == \A x, y \in S : ~(R[x, y] /\ R[y, x])
IsAsymmetricUnder(op(_, _), S) == \A x, y \in S : ~(op(x, y) /\ op(y, x))
IsTransitive(R, S) == \A x, y, z \in S : (R[x, y] /\ R[y, z]) => R[x, z]
IsTransitiveUnder(op(_, _), S) == \A x, y, z \in S : (op(x, y) /\ op(y, z)) => op(x, z)

LOCAL Step(R, S) == [x, y \in S |-> R[x, y] \/ \E z \in S : R[x, z] /\ R[z, y]]

LOCAL RECURSIVE Closed(_, _, _)
LOCAL Closed(R, S, n) == IF n <= 1 THEN R ELSE Closed(Step(R, S), S, (n + 1) \div 2)

TransitiveClosure(R, S) == Closed([x, y \in S |-> R[x, y]], S, Cardinality(S) + 1)

\* Between two members R is asked for each with itself as well, so there it has to have a value.
ReflexiveTransitiveClosure(R, S) ==
    LET reaches == TransitiveClosure(R, S) IN [x, y \in S |-> x = y \/ reaches[x, y]]

IsConnected(R, S) ==
    LET reaches == ReflexiveTransitiveClosure(R, S) IN \A x, y \in S : reaches[x, y]
====
