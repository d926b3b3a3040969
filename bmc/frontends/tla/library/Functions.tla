---- MODULE Functions ----
\* What can be said of functions: restricting, inverting, folding them.
LOCAL INSTANCE Integers
LOCAL INSTANCE Folds

Range(f) == {f[x] : x \in DOMAIN f}

Restrict(f, S) == [x \in S |-> f[x]]

RestrictDomain(f, Test(_)) == [x \in {y \in DOMAIN f : Test(y)} |-> f[x]]

RestrictValues(f, Test(_)) == [x \in {y \in DOMAIN f : Test(f[y])} |-> f[x]]

IsRestriction(narrow, wide) ==
    /\ DOMAIN narrow \subseteq DOMAIN wide
    /\ \A x \in DOMAIN narrow : narrow[x] = wide[x]

Pointwise(f, g, Combine(_, _)) == [x \in DOMAIN f |-> Combine(f[x], g[x])]

Inverse(f, S, T) ==
    [y \in T |-> CHOOSE x \in S : (\E z \in DOMAIN f : f[z] = y) => f[x] = y]

AntiFunction(f) == Inverse(f, DOMAIN f, Range(f))

IsInjective(f) == \A x, y \in DOMAIN f : (f[x] = f[y]) => (x = y)

Injection(S, T) == {f \in [S -> T] : IsInjective(f)}

Surjection(S, T) == {f \in [S -> T] : Range(f) = T}

Bijection(S, T) == {f \in Injection(S, T) : Range(f) = T}

ExistsInjection(S, T) == \E f \in [S -> T] : IsInjective(f)

ExistsSurjection(S, T) == \E f \in [S -> T] : Range(f) = T

ExistsBijection(S, T) == \E f \in [S -> T] : IsInjective(f) /\ Range(f) = T

LOCAL Some(S) == CHOOSE x \in S : TRUE

FoldFunctionOnSet(op(_, _), base, f, S) ==
    MapThenFoldSet(op, base, LAMBDA x : f[x], Some, S)

FoldFunction(op(_, _), base, f) == FoldFunctionOnSet(op, base, f, DOMAIN f)

SumFunctionOnSet(f, S) == FoldFunctionOnSet(+, 0, f, S)

SumFunction(f) == SumFunctionOnSet(f, DOMAIN f)
====
