"""Formulas over Booleans and small integers: what a term becomes before it is written as text.

Equal formulas are one object. A number knows an interval that it lies in; the interval of a
declared constant is asserted wherever the constant is used, so intervals hold of every assignment.
"""

from __future__ import annotations

from collections.abc import Iterable

from bmc.lang.errors import BmcError


class TooManyFormulas(BmcError):
    """More formulas would be needed than were allowed."""


class Formula:
    """A node: its operator, arguments, and for a number the interval ``low .. high``.

    Operators: ``true``, ``false``, ``constant`` (``data`` is its name), ``number``, ``not``,
    ``and``, ``or``, ``=``, ``ite``, ``<=``, ``+``, ``-``.
    """

    __slots__ = ("args", "boolean", "data", "high", "low", "op", "serial")

    def __init__(
        self,
        serial: int,
        op: str,
        args: tuple[Formula, ...],
        data: str | int = "",
        interval: tuple[int, int] | None = None,
    ) -> None:
        self.serial = serial
        self.op = op
        self.args = args
        self.data = data
        self.boolean = interval is None
        self.low, self.high = interval or (0, 1)

    @property
    def fixed(self) -> bool:
        """Whether a number has one value only."""
        return self.low == self.high


class Formulas:
    """Makes formulas, simplifying what is decided by constants and intervals.

    Raises TooManyFormulas as soon as there are more than ``most``.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._known: dict[tuple[object, ...], Formula] = {}
        self._names: dict[str, int] = {}
        self.true = self._node("true", ())
        self.false = self._node("false", ())

    def __len__(self) -> int:
        return len(self._known)

    def boolean(self, name: str) -> Formula:
        """Return a new Boolean constant, called ``name`` or nearly so."""
        return self._node("constant", (), self._unused(name))

    def integer(self, name: str, low: int, high: int) -> Formula:
        """Return a new integer constant in ``low .. high``, called ``name`` or nearly so."""
        return self._node("constant", (), self._unused(name), (low, high))

    def number(self, value: int) -> Formula:
        """Return the number itself."""
        return self._node("number", (), value, (value, value))

    def negation(self, one: Formula) -> Formula:
        """Return ``not one``."""
        if one is self.true:
            return self.false
        if one is self.false:
            return self.true
        return one.args[0] if one.op == "not" else self._node("not", (one,))

    def all(self, parts: Iterable[Formula]) -> Formula:
        """Return the conjunction."""
        return self._joined("and", parts, self.true, self.false)

    def any(self, parts: Iterable[Formula]) -> Formula:
        """Return the disjunction."""
        return self._joined("or", parts, self.false, self.true)

    def both(self, *parts: Formula) -> Formula:
        """Return the conjunction of the arguments."""
        return self.all(parts)

    def implies(self, premise: Formula, conclusion: Formula) -> Formula:
        """Return ``premise => conclusion``."""
        return self.any((self.negation(premise), conclusion))

    def same(self, left: Formula, right: Formula) -> Formula:
        """Return the equality of two numbers or of two truth values."""
        if left is right:
            return self.true
        if left.boolean:
            for one, other in ((left, right), (right, left)):
                if one is self.true:
                    return other
                if one is self.false:
                    return self.negation(other)
        else:
            if left.high < right.low or right.high < left.low:
                return self.false
            if left.fixed and right.fixed:
                return self.true
            for one, other in ((left, right), (right, left)):
                if one.op == "ite" and other.fixed and any(a.fixed for a in one.args[1:]):
                    condition, then, otherwise = one.args
                    return self.choose(
                        condition, self.same(then, other), self.same(otherwise, other)
                    )
        first, second = sorted((left, right), key=lambda one: one.serial)
        return self._node("=", (first, second))

    def choose(self, condition: Formula, then: Formula, otherwise: Formula) -> Formula:
        """Return ``if condition then … else …`` of two numbers or of two truth values."""
        if condition is self.true or then is otherwise:
            return then
        if condition is self.false:
            return otherwise
        if condition.op == "not":
            return self.choose(condition.args[0], otherwise, then)
        if not then.boolean:
            low, high = min(then.low, otherwise.low), max(then.high, otherwise.high)
            return self._node("ite", (condition, then, otherwise), "", (low, high))
        if then is self.true:
            return self.any((condition, otherwise))
        if then is self.false:
            return self.both(self.negation(condition), otherwise)
        if otherwise is self.true:
            return self.implies(condition, then)
        if otherwise is self.false:
            return self.both(condition, then)
        return self._node("ite", (condition, then, otherwise))

    def at_most(self, left: Formula, right: Formula) -> Formula:
        """Return ``left <= right``."""
        if left is right or left.high <= right.low:
            return self.true
        if left.low > right.high:
            return self.false
        return self._node("<=", (left, right))

    def less(self, left: Formula, right: Formula) -> Formula:
        """Return ``left < right``."""
        return self.negation(self.at_most(right, left))

    def within(self, low: int, one: Formula, high: int) -> Formula:
        """Return ``low <= one <= high``."""
        return self.both(self.at_most(self.number(low), one), self.at_most(one, self.number(high)))

    def plus(self, left: Formula, right: Formula) -> Formula:
        """Return ``left + right``."""
        low, high = left.low + right.low, left.high + right.high
        if low == high:
            return self.number(low)
        if left.fixed and left.low == 0:
            return right
        if right.fixed and right.low == 0:
            return left
        return self._node("+", (left, right), "", (low, high))

    def minus(self, left: Formula, right: Formula) -> Formula:
        """Return ``left - right``."""
        if left is right:
            return self.number(0)
        low, high = left.low - right.high, left.high - right.low
        if low == high:
            return self.number(low)
        if right.fixed and right.low == 0:
            return left
        return self._node("-", (left, right), "", (low, high))

    def count(self, parts: Iterable[Formula]) -> Formula:
        """Return how many of the truth values hold."""
        total, one, none = self.number(0), self.number(1), self.number(0)
        for part in parts:
            total = self.plus(total, self.choose(part, one, none))
        return total

    def _joined(
        self, op: str, parts: Iterable[Formula], neutral: Formula, absorbing: Formula
    ) -> Formula:
        kept: dict[Formula, None] = {}
        for part in parts:
            if part is absorbing:
                return absorbing
            if part is not neutral:
                kept[part] = None
        if any(self.negation(part) in kept for part in kept if part.op == "not"):
            return absorbing
        if not kept:
            return neutral
        return next(iter(kept)) if len(kept) == 1 else self._node(op, tuple(kept))

    def _unused(self, name: str) -> str:
        # What is read from a file may be called as the second of two constants will be.
        # What cannot be printed, such as NUL, may end a name for who reads the script.
        plain = "".join(one if one.isprintable() and one not in "|\\~" else "_" for one in name)
        number = self._names[plain] = self._names.get(plain, 0) + 1
        return plain if number == 1 else f"{plain}~{number}"

    def _node(
        self,
        op: str,
        args: tuple[Formula, ...],
        data: str | int = "",
        interval: tuple[int, int] | None = None,
    ) -> Formula:
        key = (op, data, *(a.serial for a in args)) if op != "constant" else (op, data, interval)
        found = self._known.get(key)
        if found is None:
            if self._most is not None and len(self._known) >= self._most:
                raise TooManyFormulas(f"more than {self._most} formulas are needed")
            found = self._known[key] = Formula(len(self._known), op, args, data, interval)
        return found
