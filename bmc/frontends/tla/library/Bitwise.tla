---- MODULE Bitwise ----
\* Natural numbers as rows of bits.
LOCAL INSTANCE Integers

LOCAL RECURSIVE Bits(_, _, _)
LOCAL Bits(op(_, _), x, y) ==
    IF x = 0 /\ y = 0
    THEN 0
    ELSE op(x % 2, y % 2) + 2 * Bits(op, x \div 2, y \div 2)

x & y == Bits(LAMBDA a, b : a * b, x, y)

x | y == Bits(LAMBDA a, b : a + b - a * b, x, y)

x ^^ y == Bits(LAMBDA a, b : (a + b) % 2, x, y)

Not(x) == Bits(LAMBDA a, b : 1 - a, x, x)

shiftR(x, n) == x \div (2 ^ n)
====
