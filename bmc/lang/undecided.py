"""What Python asks of a value and no term can answer, each with what to write instead."""

from __future__ import annotations

from typing import NoReturn

from bmc.lang.errors import LanguageError


class Undecided:
    """What says something of a state, or of a behaviour: not true or false by itself."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        raise LanguageError(
            "a term has no truth value in Python: use & | ~ and implies(...), not "
            "and / or / not / if, and do not chain comparisons; of temporal formulas both(...), "
            "either_of(...) and entails(...); of numbers maximum(a, b) and minimum(a, b)"
        )


class Fractionless:
    """What is computed with before it has a value: by rules of integers, which have no others."""

    __slots__ = ()

    def __truediv__(self, divisor: object) -> NoReturn:
        raise LanguageError("/ makes fractions, and numbers are integers: x // y rounds down")

    def __pow__(self, exponent: object) -> NoReturn:
        raise LanguageError(
            "** has no rule: write x * x, or where the exponent varies the few cases out, "
            "ite(y == 0, 1, ite(y == 1, 2, 4))"
        )

    def __divmod__(self, divisor: object) -> NoReturn:
        raise LanguageError("divmod() has no answer in Python: write x // y and x % y")

    def __matmul__(self, factor: object) -> NoReturn:
        raise LanguageError("@ has no rule: write x * y")

    def __round__(self, digits: object = None) -> NoReturn:
        raise LanguageError("round() has nothing to round, and numbers are integers: leave it out")

    def __abs__(self) -> NoReturn:
        raise LanguageError("abs() has no answer in Python: write maximum(x, 0 - x)")

    __rtruediv__ = __truediv__
    __rpow__ = __pow__
    __rdivmod__ = __divmod__
    __rmatmul__ = __matmul__


class NoValue(Fractionless, Undecided):
    """What stands for a value of each state: it is no number, no list and no text of Python's."""

    __slots__ = ()

    # A number or an array of numpy leaves the sign between them to us, as Python's numbers do.
    __array_ufunc__ = None

    # Python would index a term with 0, 1, … to find its elements, and on a map never stop.
    def __iter__(self) -> NoReturn:
        raise LanguageError(
            "a term cannot be iterated in Python: use forall, exists, filtered or mapping"
        )

    def __len__(self) -> NoReturn:
        raise LanguageError("len() has no answer in Python: use size(collection)")

    def __contains__(self, element: object) -> NoReturn:
        raise LanguageError("`in` has no answer in Python: use member(element, collection)")

    def __neg__(self) -> NoReturn:
        raise LanguageError("a term has no sign in front of it: write 0 - x; of a formula, ~x")

    def __index__(self) -> NoReturn:
        raise LanguageError(
            "a term is no number of Python's: range(x) is forall(Number, lambda i: "
            "implies(i < x, …)), and a list at x is a map, s.map[x]"
        )

    __int__ = __index__
    __float__ = __index__

    def __xor__(self, other: object) -> NoReturn:
        raise LanguageError("^ has no rule: of formulas write a != b")

    def __rshift__(self, other: object) -> NoReturn:
        raise LanguageError(">> and << have no rule: of formulas write implies(a, b)")

    __rxor__ = __xor__
    __lshift__ = __rshift__
    __rrshift__ = __rshift__
    __rlshift__ = __rshift__
