"""What a text takes out of a set of Python in the order that the set has.

Names, and objects, stand in a set as their hashes say, which differ from one process to the next:
a protocol read in two would be two protocols, and what is proved of one says nothing of the other.
What comes out the same in any order (membership, a number of members, sorted names) is left alone.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence
from typing import Any

from bmc.lang.allowed import is_pythons_own
from bmc.lang.errors import LanguageError

ORDER = (
    "a set of Python has its members in another order in each process, so that this would be "
    "another protocol in each: write sorted(...) around the set, or a tuple in its place"
)
BY_PROCESS = (
    "what it gives is another thing in each process, so that this would be another protocol in "
    "each: write a number, a name or a table of them"
)

_ANY_ORDER = (all, any, bool, callable, frozenset, isinstance, len, print, set, sorted, sum, type)
"""What gives the same for a set whatever its order is."""
_LEAST = (min, max, sorted)
"""What does as long as no key says that different members are alike."""
_TEXTS = (str, repr, ascii, format)
_SAME_PARTS = (enumerate, iter, list, reversed, sorted, tuple, zip)
_COPIES = (copy.copy, copy.deepcopy)
_OF_SETS = frozenset(
    name for name in (*vars(set), *vars(frozenset)) if name != "pop" and name[0] != "_"
)
"""The methods of sets that are given others."""
_MAKE_SETS = frozenset({"union", "intersection", "difference", "symmetric_difference", "copy"})
_COMBINE = (ast.BitOr, ast.BitAnd, ast.BitXor, ast.Sub)
_TAKES = frozenset({"extend", "join", "format", "fromkeys", "from_iterable", "deque", "Counter"})
"""The methods of Python's that go through what they are given, where it is not known whose."""
_TAKES_PARTS = frozenset({"format", "from_iterable"})
"""Those that go through what the parts of it hold."""
_ONE_PLACE = (bool, int, float)
"""Whose hash is the same in each process."""


def has_no_order(value: object) -> bool:
    """Return whether a value is a set whose order another process may not have."""
    if not isinstance(value, set | frozenset) or len(value) < 2:
        return False
    return not all(_has_one_place(one) for one in value)


def require_an_order(said: str, given: object) -> None:
    """Raise LanguageError where ``given`` is a set that has another order in another process."""
    if has_no_order(given):
        raise LanguageError(
            f"{said} is a set, whose members have another order in each process, so that this "
            "would be another protocol in each: write a tuple in its place"
        )


def _holds_one(value: object, deep: int = 3) -> bool:
    """Return whether a table, or a table in it, has a set without an order among its values."""
    if type(value) is dict:
        return _holds_one([*value.values()], deep)
    if type(value) not in (list, tuple) or not deep:
        return False
    assert isinstance(value, list | tuple)
    return any(has_no_order(one) or _holds_one(one, deep - 1) for one in value)


def _has_one_place(member: object) -> bool:
    if type(member) is tuple:
        return all(map(_has_one_place, member))
    return type(member) in _ONE_PLACE


def _is_of_one(e: ast.expr) -> bool:
    """Return whether a set is written out with a single member, which is no number."""
    return (
        isinstance(e, ast.Set)
        and len(e.elts) == 1
        and not (isinstance(e.elts[0], ast.Constant) and type(e.elts[0].value) in _ONE_PLACE)
    )


def _is_raised(part: ast.AST, around: Callable[[ast.AST], ast.AST | None]) -> bool:
    above = around(part)
    while above is not None and not isinstance(above, ast.Raise):
        above = around(above)
    return above is not None


class SetOrders:
    """The sets of one text, by what its names stand for."""

    def __init__(
        self,
        value: Callable[[ast.expr], Any],
        bound: Mapping[str, Sequence[ast.expr]],
        is_a_term: Callable[[ast.expr], bool],
        gives_a_set: Callable[[ast.expr], bool] = lambda e: False,
    ) -> None:
        self._value = value
        self._bound = bound
        self._is_a_term = is_a_term
        self._gives_a_set = gives_a_set

    def taken(
        self, part: ast.AST, around: Callable[[ast.AST], ast.AST | None]
    ) -> Iterator[ast.expr]:
        """Yield the sets that a part of the text takes members out of, one after the other."""
        found = [e for e in self._gone_through(part, around) if self.is_one(e)]
        found += [e for e in self._tables_of(part, around) if self._holds_one(e)]
        # A refusal may say what there is.
        if found and not _is_raised(part, around):
            yield from found

    def _gone_through(
        self, part: ast.AST, around: Callable[[ast.AST], ast.AST | None]
    ) -> Iterator[ast.expr]:
        match part:
            case ast.For(_, each) | ast.YieldFrom(each) | ast.FormattedValue(each):
                yield each
            case ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
                if not self._in_any_order(part, around(part)):
                    yield from (one.iter for one in part.generators)
            case ast.Starred(inside, ast.Load()):
                above = around(part)
                if not isinstance(above, ast.Set) and not self._in_any_order(part, above):
                    yield inside
            case ast.Assign(targets, given) if any(
                isinstance(one, ast.Tuple | ast.List) for one in targets
            ):
                yield given
            case ast.BinOp(ast.Constant(str()) | ast.JoinedStr(), ast.Mod(), given):
                yield from given.elts if isinstance(given, ast.Tuple) else (given,)
            case ast.Call(ast.Attribute(inside, "pop"), []):
                yield inside
            case ast.Call():
                if self._goes_through(part) and not self._in_any_order(part, around(part)):
                    yield from (*part.args, *(one.value for one in part.keywords))

    def _tables_of(
        self, part: ast.AST, around: Callable[[ast.AST], ast.AST | None]
    ) -> Iterator[ast.expr]:
        """Yield what holds the sets that a part goes through, or writes into a text."""
        match part:
            case ast.FormattedValue(each):
                yield each
            case ast.Call(_, args) if self._goes_through(part):
                if not self._in_any_order(part, around(part)):
                    word = self._value(part.func)
                    named = part.func.attr if isinstance(part.func, ast.Attribute) else ""
                    deep = named in _TAKES_PARTS or any(word is one for one in _TEXTS)
                    yield from (one for one in args if deep or isinstance(one, ast.Starred))

    def _goes_through(self, call: ast.Call) -> bool:
        word = self._value(call.func)
        if isinstance(call.func, ast.Attribute):
            if call.func.attr in _OF_SETS and not isinstance(word, type):
                return False
            if word is None:
                return call.func.attr in _TAKES
        return is_pythons_own(word) and not self._is_of_any_order(word, call)

    def _in_any_order(self, part: ast.AST, above: ast.AST | None) -> bool:
        """Return whether what is made of a set's members is given to what asks for no order."""
        if not isinstance(above, ast.Call) or part is above.func:
            return False
        return self._is_of_any_order(self._value(above.func), above)

    def _is_of_any_order(self, word: object, call: ast.Call) -> bool:
        if any(word is one for one in _LEAST):
            return all(one.arg != "key" for one in call.keywords)
        # The sum of terms is written in the order in which they come.
        if word is sum:
            return not any(
                self._is_a_term(one) for one in ast.walk(call) if isinstance(one, ast.expr)
            )
        return any(word is one for one in _ANY_ORDER)

    def is_one(self, e: ast.expr, seen: set[str] | None = None) -> bool:
        """Return whether an expression is, in some of its uses, a set without an order.

        ``seen`` are the names that were asked on the way, each once.
        """
        seen = set() if seen is None else seen
        match e:
            case ast.Name(name):
                if has_no_order(self._value(e)):
                    return True
                given = () if name in seen else self._bound.get(name, ())
                seen.add(name)
                return any(self.is_one(one, seen) for one in given)
            case ast.Set(members):
                plain = all(
                    isinstance(one, ast.Constant) and type(one.value) in _ONE_PLACE
                    for one in members
                )
                return not plain and (len(members) > 1 or isinstance(members[0], ast.Starred))
            case ast.SetComp():
                return True
            case ast.IfExp(_, one, two):
                return self.is_one(one, seen) or self.is_one(two, seen)
            case ast.NamedExpr(_, inside_of):
                return self.is_one(inside_of, seen)
            case ast.BoolOp(_, values):
                return any(self.is_one(one, seen) for one in values)
            case ast.BinOp(left, op, right) if isinstance(op, _COMBINE):
                if self._is_a_term(e):
                    return False
                sides = (left,) if isinstance(op, ast.Sub) else (left, right)
                joined = isinstance(op, ast.BitOr | ast.BitXor) and all(map(_is_of_one, sides))
                return joined or any(
                    self._is_of_keys(one) or self.is_one(one, seen) for one in sides
                )
            case ast.Call(word, args):
                return self._is_made(e, word, args, seen)
            case ast.Attribute():
                return has_no_order(self._value(e))
            case ast.Subscript(table):
                value = self._value(e)
                return self._holds_one(table, seen) if value is None else has_no_order(value)
        return False

    def _holds_one(self, e: ast.expr, seen: set[str] | None = None) -> bool:
        """Return whether an expression is, in some of its uses, a table that holds such a set."""
        seen = set() if seen is None else seen
        match e:
            case ast.Name(name):
                if _holds_one(self._value(e)):
                    return True
                asked = f"{name}[]"
                given = () if asked in seen else self._bound.get(name, ())
                seen.add(asked)
                return any(self._holds_one(one, seen) for one in given)
            case ast.Attribute():
                return _holds_one(self._value(e))
            case ast.Subscript(table) | ast.Starred(table):
                return self._holds_one(table, seen)
            case ast.Tuple(parts) | ast.List(parts) | ast.Dict(_, parts):
                return self._is_among(parts, seen)
            case ast.ListComp(part) | ast.GeneratorExp(part) | ast.DictComp(_, part):
                return self._is_among((part,), seen)
            case ast.Call(ast.Attribute(table, "values" | "items" | "copy"), []):
                return self._holds_one(table, seen)
            case ast.Call(word, args) if any(self._value(word) is one for one in _SAME_PARTS):
                return any(self._holds_one(one, seen) for one in args)
        return False

    def _is_among(self, parts: Iterable[ast.expr], seen: set[str]) -> bool:
        return any(self.is_one(one, seen) or self._holds_one(one, seen) for one in parts)

    def _is_made(
        self, call: ast.Call, word: ast.expr, args: list[ast.expr], seen: set[str]
    ) -> bool:
        made = self._value(word)
        if made is set or made is frozenset:
            return not all(self._holds_numbers(one) for one in args) if args else made is set
        if any(made is one for one in _COPIES):
            return any(self.is_one(one, seen) for one in args)
        if isinstance(word, ast.Attribute) and word.attr in _MAKE_SETS:
            of = self._value(word.value)
            together = (of is set or of is frozenset) and self._is_among(args, seen)
            return together or self.is_one(word.value, seen)
        if isinstance(word, ast.Attribute) and word.attr == "get":
            return self._holds_one(word.value, seen)
        return self._gives_a_set(word)

    def _holds_numbers(self, e: ast.expr) -> bool:
        if isinstance(e, ast.Call) and self._value(e.func) is range:
            return True
        if isinstance(e, ast.Tuple | ast.List | ast.Set):
            return all(
                isinstance(one, ast.Constant) and type(one.value) in _ONE_PLACE for one in e.elts
            )
        value = self._value(e)
        held = isinstance(value, range | tuple | list | set | frozenset)
        return held and all(map(_has_one_place, value))

    def _is_of_keys(self, e: ast.expr) -> bool:
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute):
            return e.func.attr in ("keys", "items") and not e.args
        return isinstance(self._value(e), KeysView)
