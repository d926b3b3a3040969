"""`--where`: a condition over parameters, read by a grammar of its own and valued as by Python.

Python never evaluates what a user wrote, and nothing is simplified, so that what divides by zero
has no value. The grammar, loosest first: ``or``; ``and``; ``not``; one or more comparisons
``a < b <= c``; ``+ -``; ``* // %``; ``-x``; whole numbers, parameters and parentheses.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from bmc.lang.errors import BmcError, suggest

_TOKEN = re.compile(
    r"(?P<number>[0-9]+)|(?P<name>[A-Za-z_]\w*)|(?P<sign>//|<=|>=|==|!=|[-+*%()<>])|(?P<bad>\S)"
)
_WORDS = ("and", "or", "not")
_DEEPEST = 50
_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}
_HINTS = {"=": "; write == for equality", "/": "; // divides whole numbers"}


class ConditionError(BmcError):
    """A condition that cannot be read, or that is no condition."""


_Value = Callable[[Mapping[str, int]], int]


@dataclass(frozen=True)
class _Part:
    """What a part is worth at parameter values, and whether it is a statement or a number."""

    value: _Value
    statement: bool


class Condition:
    """A statement about parameter values; ``text`` is what was written."""

    def __init__(self, text: str, names: Collection[str]) -> None:
        """Read ``text``; ConditionError says what is wrong with it, and where."""
        self.text = text
        self._value = _Reader(text, names).condition()

    def holds(self, parameters: Mapping[str, int]) -> bool:
        """Whether it is true at these values; ConditionError when it has no value there."""
        try:
            return bool(self._value(parameters))
        except ZeroDivisionError:
            at = " ".join(f"{n}={v}" for n, v in parameters.items())
            raise ConditionError(
                f"--where {self.text!r} has no value at {at}: it divides by zero"
            ) from None


class _Reader:
    """Recursive descent."""

    def __init__(self, text: str, names: Collection[str]) -> None:
        self._text = text
        self._names = names
        self._tokens = [
            (m.lastgroup, m.group(m.lastgroup or 0), m.start(m.lastgroup or 0))
            for m in _TOKEN.finditer(text)
        ]
        self._next = 0
        self._depth = 0

    def condition(self) -> _Value:
        whole = self._or()
        if self._next < len(self._tokens):
            self._fail("ends too late")
        if not whole.statement:
            raise ConditionError(
                f"--where {self._text!r} is a number, not a condition: compare it with something, "
                "as in max_records <= log_size"
            )
        return whole.value

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

    def _statements(self, parts: list[_Part], word: str) -> list[_Value]:
        if not all(part.statement for part in parts):
            raise ConditionError(
                f"--where {self._text!r} joins a number with {word!r}: only conditions can be"
            )
        return [part.value for part in parts]

    def _or(self) -> _Part:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ConditionError("--where is nested too deeply: write it more simply")
        parts = [self._and()]
        while self._take("or"):
            parts.append(self._and())
        self._depth -= 1
        if len(parts) == 1:
            return parts[0]
        values = self._statements(parts, "or")
        return _Part(lambda at: any(value(at) for value in values), True)

    def _and(self) -> _Part:
        parts = [self._not()]
        while self._take("and"):
            parts.append(self._not())
        if len(parts) == 1:
            return parts[0]
        values = self._statements(parts, "and")
        return _Part(lambda at: all(value(at) for value in values), True)

    def _not(self) -> _Part:
        turned = 0
        while self._take("not"):
            turned += 1
        part = self._comparison()
        if not turned:
            return part
        (value,) = self._statements([part], "not")
        return _Part(lambda at: bool(value(at)) is (turned % 2 == 0), True)

    def _comparison(self) -> _Part:
        first = self._sum()
        parts, signs = [first], []
        while sign := self._take(*_COMPARISONS):
            signs.append(_COMPARISONS[sign])
            parts.append(self._sum())
        if not signs:
            return first
        if any(part.statement for part in parts):
            raise ConditionError(f"--where {self._text!r} compares conditions: only numbers can be")
        rest = [(sign, part.value) for sign, part in zip(signs, parts[1:], strict=True)]

        def compared(at: Mapping[str, int]) -> bool:
            # As in Python, what follows a comparison that is false is not looked at.
            left = first.value(at)
            for sign, value in rest:
                right = value(at)
                if not sign(left, right):
                    return False
                left = right
            return True

        return _Part(compared, True)

    def _sum(self) -> _Part:
        return self._calculated(self._product, "+", "-")

    def _product(self) -> _Part:
        return self._calculated(self._signed, "*", "//", "%")

    def _calculated(self, operand: Callable[[], _Part], *signs: str) -> _Part:
        first = operand()
        rest: list[tuple[Callable[[int, int], int], _Value]] = []
        while sign := self._take(*signs):
            self._number(first, sign)
            rest.append((_ARITHMETIC[sign], self._number(operand(), sign)))
        if not rest:
            return first

        def calculated(at: Mapping[str, int]) -> int:
            found = first.value(at)
            for sign, value in rest:
                found = sign(found, value(at))
            return found

        return _Part(calculated, False)

    def _number(self, part: _Part, sign: str) -> _Value:
        if part.statement:
            raise ConditionError(f"--where {self._text!r} calculates with a condition at {sign!r}")
        return part.value

    def _signed(self) -> _Part:
        signs = 0
        while self._take("-"):
            signs += 1
        part = self._atom()
        if not signs:
            return part
        value = self._number(part, "-")
        return _Part((lambda at: -value(at)) if signs % 2 else value, False)

    def _atom(self) -> _Part:
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
            number = int(text)
            return _Part(lambda _: number, False)
        if kind == "name" and text not in _WORDS:
            self._next += 1
            if text not in self._names:
                raise ConditionError(
                    f"--where {self._text!r} names {text!r}, which is no parameter: "
                    f"{suggest(text, self._names)}"
                )
            return _Part(operator.itemgetter(text), False)
        self._fail("cannot be read")
        raise AssertionError
