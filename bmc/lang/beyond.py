"""What a function's text has beyond what is listed, each with what to write instead.

The list is :mod:`bmc.lang.allowed`. What is on it and may still lose something (what waits until it
is asked, a word that tells objects apart) is allowed where nothing can be lost.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import re
from collections.abc import Iterator
from functools import cache, cached_property, partial
from itertools import chain
from types import CodeType, FunctionType
from typing import Any

from bmc.lang import allowed
from bmc.lang.function_text import FunctionText
from bmc.lang.holding import Holding, code_of
from bmc.lang.instructions import is_generator
from bmc.lang.set_orders import BY_PROCESS, ORDER, SetOrders
from bmc.lang.value_kinds import ValueKind, kind_of
from bmc.lang.watch import Outside, Position
from bmc.lang.whose import is_of_a_package

ENDED = (
    "Python runs it when it ends an object, at any time or never, and passes over its errors: "
    "write a method under another name, and its call"
)
_FORMS = {
    ast.Try: "a refusal is not caught: write what is to hold without `try`",
    ast.ClassDef: "write the class at the top of the file",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.Global: "nothing is kept from one method to another: give it as an argument",
    ast.Delete: "nothing of a state is deleted: leave it out, or write a new value",
}
_FORM = "it is no form that a method is written in: write a plain function of what it needs"
_WORD = (
    "it is no word of Python's that a method may give a term to: write it with the words of bmc, "
    "or outside of the method (at the top of the file, in the class) where it is about no term"
)
_OF_OBJECTS = (
    "Python knows a term's class, identity and text, not its value: write ==, is_none(...) or "
    "is_case(...), and print(repr(x)) to look at one"
)
_IDENTITY = "`is` compares objects in Python, not values in a state: write == or is_none(...)"
_OBJECTS = "Python compares objects itself: write conj(...) of what is equal in them"
_PATTERN = "`match` compares in Python, not in a state: write ite(...) or `either` blocks"
_TEXT = "a text shows what a term is called, not its value: write print(repr(x)) to look at one"
_SPECIAL = "what Python calls so is not written by hand: write `with`, an operator or a plain name"
_WAITS = (
    "an iterator that is kept runs once, in part or never: write a list, [... for ...], or a loop "
    "where it acts"
)
_TWICE = "an iterator is empty the second time: write a list, [... for ...], where it is made"
_MAPPED = "what acts is not left to an iterator, which may stop early: write a loop"
_UNKNOWN = "what an iterator calls is named, or a lambda: write a loop"
_KEY = "a key decides in Python which term is first: write ite(...), minimum(...) or maximum(...)"
_REMEMBERED = (
    "it is run once, and where it is called again its guards and assignments are lost: write it "
    "without, or have it return what its callers require"
)

_TELLING = (isinstance, issubclass, type, id, callable, hash, repr, ascii, str, format)
_OF_A_PROCESS = (hash, id, object)
_MAPS = frozenset({"map", "filter", "starmap", "accumulate", "reduce"})
_ORDERS = (sorted, min, max)
_TAKES_ALL = frozenset({"extend", "update", "join", "from_iterable"})
_OPENS = (ast.Starred, ast.YieldFrom, ast.For, ast.comprehension, ast.Expr)
_REMEMBERS = type(cache(len))

Found = tuple[ast.AST, str]


def called_outside(text: FunctionText, one: Outside) -> Iterator[Found]:
    """Yield where a word is called that is not listed, as it was seen while the text ran."""
    yield from _Judge(text).outside(one)


def beyond(text: FunctionText) -> Iterator[Found]:
    """Yield what a text has beyond the list, with what to write instead."""
    if isinstance(text.node, ast.AsyncFunctionDef):
        yield text.node, _FORM
    judge = _Judge(text)
    for part in text.parts:
        if type(part) not in allowed.FORMS:
            yield part, _FORMS.get(type(part), _FORM)
        yield from judge.part(part)
    yield from _spent(text)


class _Judge:
    """What is judged of a text by its parts and what is around them."""

    def __init__(self, text: FunctionText) -> None:
        self.text = text
        self.holding = Holding(text)
        self._around: dict[ast.AST, ast.AST] | None = None
        self._orders = SetOrders(
            text.stood_for,
            self.holding.bound,
            lambda e: text.kind(e) is ValueKind.SYMBOLIC,
            self._gives_a_set,
        )

    def _gives_a_set(self, function: ast.expr) -> bool:
        code = code_of(self.text, function)
        return code is not None and id(code) in self.text.runs.unordered

    def part(self, part: ast.AST) -> Iterator[Found]:
        yield from ((one, ORDER) for one in self._orders.taken(part, self.around))
        match part:
            case ast.Name(_, ast.Load()):
                yield from self._word(part)
                if _is_an_iterator(self.text.run.values.get(part.id)):
                    yield from self._waits(part)
            case ast.Attribute(_, name):
                if _is_special(name):
                    yield part, _SPECIAL
                yield from self._word(part)
            case ast.Subscript():
                yield from self._word(part)
            case ast.Compare(left, ops, others):
                yield from self._compared(part, [left, *others], ops)
            case ast.Match(subject, cases):
                kinds = (type(p) for case in cases for p in ast.walk(case.pattern))
                if any(k in _TELLING_PATTERNS for k in kinds) and not self._plain(subject):
                    yield part, _PATTERN
            case ast.FormattedValue(value) if not self._plain(value):
                yield value, _TEXT
            case ast.BinOp(left, ast.Mod(), right) if self._is_a_text(left):
                if not self._plain(right):
                    yield part, _TEXT
            case ast.GeneratorExp():
                yield from self._waits(part)
            case ast.Call():
                yield from self._called(part)

    def _plain(self, *given: ast.expr) -> bool:
        return all(self.holding.is_plain(one) for one in given)

    def _is_a_text(self, e: ast.expr) -> bool:
        if isinstance(e, ast.Constant):
            return isinstance(e.value, str)
        return isinstance(e, ast.JoinedStr) or isinstance(self.text.value(e), str)

    def _compared(
        self, part: ast.Compare, operands: list[ast.expr], ops: list[ast.cmpop]
    ) -> Iterator[Found]:
        for op, left, right in zip(ops, operands, operands[1:], strict=False):
            match op, right:
                case ast.Is() | ast.IsNot(), ast.Constant(None):
                    if self.text.certain(left) or self.holding.may_be_none(left):
                        yield part, _IDENTITY
                case ast.Is() | ast.IsNot(), _ if not self._plain(left, right):
                    yield part, _IDENTITY
                case ast.Eq() | ast.NotEq() | ast.In() | ast.NotIn(), _:
                    objects = [one for one in (left, right) if self.holding.is_an_object(one)]
                    if not self._plain(*objects):
                        yield part, _OBJECTS

    def _word(self, e: ast.Name | ast.Attribute | ast.Subscript) -> Iterator[Found]:
        """Judge a word of Python's library where it is written."""
        word = self.text.value(e)
        if isinstance(word, partial):
            word = word.func
        if _is_remembered(word):
            if id(_remembered_code(word)) in self.text.runs.acted:
                yield e, _REMEMBERED
        elif (ending := _end_of(word)) and not is_of_a_package(ending.__code__):
            # Whatever it is given, it may be told of a state later.
            yield e, ENDED
        elif callable(word) and allowed.is_pythons_own(word) and not _is_a_block(word):
            call = self._call_around(e)
            free = call is not None and self._is_free(call, e)
            plain = allowed.is_plain(word) or self._is_of_a_hash(word)
            if not allowed.is_listed(word) and not (plain and free):
                yield e, _remedy_for(word, told=not free)

    def _is_of_a_hash(self, word: object) -> bool:
        """Return whether a word makes the hash of objects, which Python alone asks for."""
        return word is hash and getattr(self.text.node, "name", "") == "__hash__"

    def _call_around(self, e: ast.AST) -> ast.Call | None:
        above = self.around(e)
        if isinstance(above, ast.keyword):
            above = self.around(above)
        return above if isinstance(above, ast.Call) else None

    def _is_free(self, call: ast.Call, word: ast.expr) -> bool:
        """Return whether a word is called, or given to a call, where no term is."""
        if self._is_printed(call):
            return True
        given = [one for one in given_to(call) if one is not word]
        receiver = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        return self._plain(*given, *(one for one in receiver if self.text.value(one) is None))

    def _is_printed(self, call: ast.AST) -> bool:
        above = self.around(call)
        return (
            isinstance(call, ast.Call)
            and self.text.value(call.func) is repr
            and isinstance(above, ast.Call)
            and self.text.value(above.func) is print
            and not above.keywords
        )

    def outside(self, one: Outside) -> Iterator[Found]:
        """Judge a call of what is not listed, given the names that stood for terms."""
        word = one.word[0] if isinstance(one.word, tuple) else one.word
        plain = (
            allowed.is_plain_module(one.word[1])
            if isinstance(one.word, tuple)
            else allowed.is_plain(one.word) or self._is_of_a_hash(one.word)
        )
        at = [e for e in ast.walk(self.text.node) if isinstance(e, ast.expr)]
        written = [e for e in at if place_of(e) == one.position]
        inside = [e for whole in written for e in ast.walk(whole)]
        named = [e for e in inside if isinstance(e, ast.Name | ast.Attribute)]
        told = not written and bool(one.leading)
        told |= any(isinstance(e, ast.Name) and e.id in one.leading for e in named)
        told |= any(kind_of(self.text.value(e)) is not ValueKind.HOST for e in named)
        if (not plain or told) and not any(self._is_printed(e) for e in written):
            yield (written or [self.text.node])[-1], _remedy_for(word, told)

    def _called(self, call: ast.Call) -> Iterator[Found]:
        function: Any = self.text.value(call.func)
        by_key = any(one.arg == "key" for one in call.keywords)
        orders = by_key and any(function is one for one in _ORDERS)
        if orders and not self._plain(*given_to(call)):
            yield call, _KEY
        if call.args and allowed.is_listed(function) and function.__name__ in _MAPS:
            yield from self._mapped(call, call.args[-1 if function.__name__ == "accumulate" else 0])
        if function is getattr and any(_is_special(self._said(one)) for one in call.args[1:2]):
            yield call, _SPECIAL
        if _end_of(function) and not self._plain(*given_to(call)):
            yield call, ENDED
        if self._is_asleep(call, function):
            yield from self._waits(call)

    def _said(self, e: ast.expr) -> str:
        """Return the text that an expression is, as far as it is written here."""
        match e:
            case ast.Constant(value):
                return str(value)
            case ast.BinOp(left, ast.Add(), right):
                return self._said(left) + self._said(right)
            case ast.JoinedStr(parts):
                return "".join(map(self._said, parts))
            case ast.FormattedValue(value):
                return self._said(value)
        return str(self.text.value(e))

    def _mapped(self, call: ast.Call, given: ast.expr) -> Iterator[Found]:
        match given:
            case ast.Call(function, [inside, *_]) if self.text.value(function) is partial:
                yield from self._mapped(call, inside)
                return
        acts = isinstance(given, ast.Attribute) and given.attr == "require"
        if acts and self.text.kind(given.value) is ValueKind.STATE:  # type: ignore[attr-defined]
            yield call, _MAPPED
            return
        code = code_of(self.text, given)
        if code is not None:
            if id(code) in self.text.runs.acted:
                yield call, _MAPPED
        elif self.text.value(given) is None and not self._plain(*given_to(call)):
            yield call, _UNKNOWN

    def _is_asleep(self, call: ast.Call, function: object) -> bool:
        if isinstance(function, type):
            return hasattr(function, "__next__") and allowed.is_pythons_own(function)
        if any(function is one for one in _MAKES_ITERATORS):
            return True
        code = code_of(self.text, call.func)
        return code is not None and is_generator(code)

    def _waits(self, e: ast.expr) -> Iterator[Found]:
        """Judge what waits until it is asked by where it stands."""
        above = self.around(e)
        if isinstance(above, ast.keyword):
            above = self.around(above)
        match above:
            case ast.Call(function) if function is not e:
                if not self._takes_all(function):
                    yield e, _WAITS
            case ast.Assign([ast.Tuple() | ast.List()]):
                # It is run to its end, to give each name something.
                return
            case _ if above is not None and not isinstance(above, _OPENS):
                yield e, _WAITS

    def _takes_all(self, function: ast.expr) -> bool:
        word: Any = self.text.value(function)
        if word is None:
            return not isinstance(function, ast.Attribute) or function.attr in _TAKES_ALL
        if isinstance(word, type):
            return allowed.is_pythons_own(word)
        return getattr(word, "__name__", "") not in _KEEPS

    def around(self, part: ast.AST) -> ast.AST | None:
        """Return what a part is written in, None for the whole of a function."""
        if self._around is None:
            nodes = ast.walk(self.text.node)
            self._around = {one: node for node in nodes for one in ast.iter_child_nodes(node)}
        return self._around.get(part)


_KEEPS = frozenset({"append", "add", "insert", "setdefault", "setattr"})
_MAKES_ITERATORS = (iter, vars(chain)["from_iterable"], re.finditer)
"""Functions of Python's that give an iterator; what is called to make one else is its class."""
_TELLING_PATTERNS = frozenset(
    {ast.MatchSingleton, ast.MatchClass, ast.MatchSequence, ast.MatchMapping}
)


def place_of(part: ast.expr | ast.stmt) -> Position:
    """Return from where to where a part of a text is written."""
    return part.lineno, part.end_lineno, part.col_offset, part.end_col_offset


def given_to(call: ast.Call) -> list[ast.expr]:
    """Return what a call is given, by place and by name."""
    return [*call.args, *(one.value for one in call.keywords)]


def _is_special(name: str) -> bool:
    """Return whether a name is Python's own and not to be written."""
    return name not in allowed.SPECIAL_NAMES and name[:2] == "__" == name[-2:]


def _end_of(word: object) -> FunctionType | None:
    """Return what Python runs when it ends an object of a class of a user's."""
    ending = getattr(word, "__del__", None) if isinstance(word, type) else None
    return ending if isinstance(ending, FunctionType) else None


def _is_a_block(word: Any) -> bool:
    """Return whether a word of Python's is a function of a user's that makes a block."""
    of_blocks = inspect.isfunction(word) and word.__globals__ is vars(contextlib)
    return of_blocks and hasattr(word, "__wrapped__")


def _is_remembered(word: Any) -> bool:
    """Return whether Python runs something once for what is alike."""
    return isinstance(word, cached_property | _REMEMBERS)


def _remembered_code(word: Any) -> CodeType | None:
    function = word.func if isinstance(word, cached_property) else word.__wrapped__
    return getattr(function, "__code__", None)


def _remedy_for(word: object, told: bool) -> str:
    """Return what to write instead of a word, which may have ``told`` something of a term."""
    if not told and any(word is one for one in _OF_A_PROCESS):
        return BY_PROCESS
    return _OF_OBJECTS if any(word is one for one in _TELLING) else _WORD


def _is_an_iterator(value: object) -> bool:
    return hasattr(type(value), "__next__") and allowed.is_pythons_own(type(value))


def _spent(text: FunctionText) -> Iterator[Found]:
    """Yield where an iterator that a function was given is read once more."""
    for name, value in text.run.values.items():
        if _is_an_iterator(value):
            read = [n for n in ast.walk(text.node) if isinstance(n, ast.Name) and n.id == name]
            loads = [one for one in read if isinstance(one.ctx, ast.Load)]
            again = {one for loop in ast.walk(text.node) for one in _repeated(loop, text.node)}
            if len(loads) > 1 or not again.isdisjoint(loads):
                yield loads[-1], _TWICE


def _repeated(loop: ast.AST, whole: ast.AST) -> Iterator[ast.AST]:
    """Yield what a loop, or a function inside, may come to several times."""
    first: ast.AST | None = None
    match loop:
        case ast.For(_, first) | ast.ListComp(_, [ast.comprehension(_, first), *_]):
            pass
        case ast.SetComp(_, [ast.comprehension(_, first), *_]):
            pass
        case ast.GeneratorExp(_, [ast.comprehension(_, first), *_]):
            pass
        case ast.DictComp(_, _, [ast.comprehension(_, first), *_]):
            pass
        case ast.While() | ast.FunctionDef() | ast.Lambda() if loop is not whole:
            pass
        case _:
            return
    yield from (one for one in ast.walk(loop) if one is not first)
