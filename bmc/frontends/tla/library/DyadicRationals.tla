---- MODULE DyadicRationals ----
\* Fractions whose denominator is a power of two, in lowest terms.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC

LOCAL Fraction(num, den) == [num |-> num, den |-> den]

LOCAL RECURSIVE Lowest(_, _)
LOCAL Lowest(num, den) ==
    IF den > 1 /\ num % 2 = 0 THEN Lowest(num \div 2, den \div 2) ELSE Fraction(num, den)

IsDyadicRational(r) == \E n \in 0..r.den : 2 ^ n = r.den

Zero == Fraction(0, 1)

One == Fraction(1, 1)

Add(p, q) ==
    IF p = Zero
    THEN q
    ELSE IF p.den >= q.den
    THEN Lowest(p.num + q.num * (p.den \div q.den), p.den)
    ELSE Lowest(p.num * (q.den \div p.den) + q.num, q.den)

Half(p) == Lowest(p.num, p.den * 2)

PrettyPrint(p) ==
    IF p \in {Zero, One}
    THEN ToString(p.num)
    ELSE ToString(p.num) \o "/" \o ToString(p.den)
====
