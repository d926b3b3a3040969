"""`--where`: a condition over parameters, read by a grammar of its own into sympy terms.

sympy's own parser evaluates Python, so it never sees what a user wrote. The grammar, loosest
first: ``or``; ``and``; ``not``; one or more comparisons ``a < b <= c``; ``+ -``; ``* // %``;
``-x``; whole numbers, parameters and parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from itertools import pairwise
from typing import Any

import sympy

from bmc.lang.errors import BmcError, suggest

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+)|(?P<name>[A-Za-z_]\w*)|(?P<sign>//|<=|>=|==|!=|[-+*%()<>])|(?P<bad>\S))"
)
_WORDS = ("and", "or", "not")
_DEEPEST = 50
_COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": sympy.Lt,
    "<=": sympy.Le,
    ">": sympy.Gt,
    ">=": sympy.Ge,
    "==": sympy.Eq,
    "!=": sympy.Ne,
}
_HINTS = {"=": "; write == for equality", "/": "; // divides whole numbers"}


class ConditionError(BmcError):
    """A condition that cannot be read, or that is no condition."""


class Condition:
    """A statement about parameter values; ``text`` is what was written."""

    def __init__(self, text: str, names: Collection[str]) -> None:
        """Read ``text``; ConditionError says what is wrong with it, and where."""
        self.text = text
        self.term = _Reader(text, names).condition()
        if self.term == sympy.false:
            raise ConditionError(f"--where {text!r} is false for every choice of parameters")

    def holds(self, parameters: Mapping[str, int]) -> bool:
        """Whether it is true at these values; ConditionError when it has no value there."""
        values = {_symbol(name): sympy.Integer(value) for name, value in parameters.items()}
        try:
            found = self.term.xreplace(values)
        except (TypeError, ZeroDivisionError):
            found = None
        if found not in (sympy.true, sympy.false):
            at = " ".join(f"{n}={v}" for n, v in parameters.items())
            raise ConditionError(f"--where {self.text!r} has no value at {at}: it divides by zero")
        return bool(found)


def _symbol(name: str) -> Any:
    return sympy.Symbol(name, integer=True)


class _Reader:
    """Recursive descent. Every part is a sympy term and whether that is a statement."""

    def __init__(self, text: str, names: Collection[str]) -> None:
        self._text = text
        self._names = names
        self._tokens = [
            (m.lastgroup, m.group(m.lastgroup or 0), m.start(m.lastgroup or 0))
            for m in _TOKEN.finditer(text)
        ]
        self._next = 0
        self._depth = 0

    def condition(self) -> Any:
        term, statement = self._or()
        if self._next < len(self._tokens):
            self._fail("ends too late")
        if not statement:
            raise ConditionError(
                f"--where {self._text!r} is a number, not a condition: compare it with something, "
                "as in max_records <= log_size"
            )
        return term

    def _peek(self) -> str:
        return self._tokens[self._next][1] if self._next < len(self._tokens) else ""

    def _take(self, *signs: str) -> str:
        found = self._peek()
        if found and found in signs:
            self._next += 1
            return found
        return ""

    def _fail(self, what: str) -> None:
        found = self._peek()
        where = f"{found!r} at column {self._tokens[self._next][2] + 1}" if found else "the end"
        raise ConditionError(
            f"--where {self._text!r} {what}: {where} is unexpected{_HINTS.get(found, '')}"
        )

    def _statements(self, parts: list[tuple[Any, bool]], word: str) -> None:
        if not all(statement for _, statement in parts):
            raise ConditionError(
                f"--where {self._text!r} joins a number with {word!r}: only conditions can be"
            )

    def _or(self) -> tuple[Any, bool]:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ConditionError("--where is nested too deeply: write it more simply")
        parts = [self._and()]
        while self._take("or"):
            parts.append(self._and())
        self._depth -= 1
        if len(parts) == 1:
            return parts[0]
        self._statements(parts, "or")
        return sympy.Or(*(term for term, _ in parts)), True

    def _and(self) -> tuple[Any, bool]:
        parts = [self._not()]
        while self._take("and"):
            parts.append(self._not())
        if len(parts) == 1:
            return parts[0]
        self._statements(parts, "and")
        return sympy.And(*(term for term, _ in parts)), True

    def _not(self) -> tuple[Any, bool]:
        turned = 0
        while self._take("not"):
            turned += 1
        term, statement = self._comparison()
        if turned:
            self._statements([(term, statement)], "not")
        return (sympy.Not(term) if turned % 2 else term), statement

    def _comparison(self) -> tuple[Any, bool]:
        parts, signs = [self._sum()], []
        while sign := self._take(*_COMPARISONS):
            signs.append(sign)
            parts.append(self._sum())
        if not signs:
            return parts[0]
        if any(statement for _, statement in parts):
            raise ConditionError(f"--where {self._text!r} compares conditions: only numbers can be")
        terms = [term for term, _ in parts]
        pairs = zip(signs, pairwise(terms), strict=True)
        return sympy.And(*(_COMPARISONS[sign](a, b) for sign, (a, b) in pairs)), True

    def _sum(self) -> tuple[Any, bool]:
        term, statement = self._product()
        while sign := self._take("+", "-"):
            other = self._number(self._product(), sign)
            term = self._number((term, statement), sign)
            term = term + other if sign == "+" else term - other
        return term, statement

    def _product(self) -> tuple[Any, bool]:
        term, statement = self._signed()
        while sign := self._take("*", "//", "%"):
            other = self._number(self._signed(), sign)
            term = self._number((term, statement), sign)
            match sign:
                case "*":
                    term = term * other
                case "//":
                    term = sympy.floor(self._divisible(other) and term / other)
                case _:
                    term = sympy.Mod(term, self._divisible(other))
        return term, statement

    def _divisible(self, divisor: Any) -> Any:
        if divisor == 0:
            raise ConditionError(f"--where {self._text!r} divides by zero")
        return divisor

    def _number(self, part: tuple[Any, bool], sign: str) -> Any:
        if part[1]:
            raise ConditionError(f"--where {self._text!r} calculates with a condition at {sign!r}")
        return part[0]

    def _signed(self) -> tuple[Any, bool]:
        negative = False
        while self._take("-"):
            negative = not negative
        term, statement = self._atom()
        return (-self._number((term, statement), "-") if negative else term), statement

    def _atom(self) -> tuple[Any, bool]:
        if self._take("("):
            inner = self._or()
            if not self._take(")"):
                self._fail("lacks a )")
            return inner
        kind, text, _ = self._tokens[self._next] if self._next < len(self._tokens) else ("", "", 0)
        if kind == "number":
            self._next += 1
            if len(text) > 18:
                raise ConditionError(f"--where {self._text!r} holds a number that is too large")
            return sympy.Integer(int(text)), False
        if kind == "name" and text not in _WORDS:
            self._next += 1
            if text not in self._names:
                raise ConditionError(
                    f"--where {self._text!r} names {text!r}, which is no parameter: "
                    f"{suggest(text, self._names)}"
                )
            return _symbol(text), False
        self._fail("cannot be read")
        raise AssertionError
