"""Expressions as texts, and ground terms read back from theirs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from bmc.lang.errors import LanguageError
from bmc.readings.quantified.clauses import Universal
from bmc.readings.quantified.formulas import (
    Expression,
    LogicSort,
    Symbol,
    and_,
    app,
    eq,
    iff,
    ite,
    le,
    lt,
    not_,
    number,
    or_,
    subterms,
    total,
)

_TOKENS = re.compile(r"[()]|[^\s()]+")
_NO_TOKEN = re.compile(r"[\s()%]")


def text(node: Expression) -> str:
    """The expression as an S-expression; ground terms are read back by :class:`TermReader`."""
    match node.op:
        case "int":
            return str(node.data)
        case "var":
            return f"?{node.data[1]}{node.data[0]}"
        case "app":
            called = _token(node.data)
            return f"({called} {' '.join(text(a) for a in node.args)})" if node.args else called
        case "sum":
            constant, factors = node.data
            terms = [
                text(a) if f == 1 else f"(* {f} {text(a)})"
                for f, a in zip(factors, node.args, strict=True)
            ]
            terms += [str(constant)] if constant else []
            return f"(+ {' '.join(terms)})"
        case "true" | "false":
            return node.op
    return f"(!{node.op} {' '.join(text(a) for a in node.args)})"


def _token(symbol: Symbol) -> str:
    """Return a symbol's name as one token: a sort's name, or its size, may have any sign in it."""
    return _NO_TOKEN.sub(lambda sign: f"%{ord(sign[0]):x};", symbol.name)


class UnreadableTerm(LanguageError):
    """A text that is no ground term over the symbols at hand."""


class TermReader:
    """Reads texts written by :func:`text`.

    Only symbols that occur in ``formulas`` are known. Raises UnreadableTerm when two of them
    share a name and take as many arguments: of a sequence and of those in it the length has one
    name, and an index more.
    """

    def __init__(self, formulas: Iterable[Universal]) -> None:
        self.symbols: dict[tuple[str, int], Symbol] = {}
        for universal in formulas:
            for node in subterms(universal.matrix):
                if node.op == "app":
                    called = _token(node.data), len(node.args)
                    known = self.symbols.setdefault(called, node.data)
                    if known != node.data:
                        raise UnreadableTerm(f"two symbols are called {known.name}")

    def read(self, written: str, sort: LogicSort) -> Expression:
        """The term, which must be of ``sort`` (integers of all identities are one)."""
        tokens = _TOKENS.findall(written)
        term, end = self._term(tokens, 0)
        if end != len(tokens):
            raise UnreadableTerm(f"{written!r} goes on after its end")
        if not same_sort(term.sort, sort):
            raise UnreadableTerm(f"{written!r} is a {term.sort}, not a {sort}")
        return term

    def _term(self, tokens: list[str], at: int) -> tuple[Expression, int]:
        if at >= len(tokens) or tokens[at] == ")":
            raise UnreadableTerm("a term ends too early")
        if tokens[at] != "(":
            return self._atom(tokens[at]), at + 1
        if at + 1 >= len(tokens):
            raise UnreadableTerm("a term ends too early")
        head, at, args = tokens[at + 1], at + 2, []
        while at < len(tokens) and tokens[at] != ")":
            argument, at = self._term(tokens, at)
            args.append(argument)
        if at >= len(tokens):
            raise UnreadableTerm("a parenthesis is not closed")
        return self._applied(head, args), at + 1

    def _atom(self, token: str) -> Expression:
        if re.fullmatch(r"-?[0-9]+", token):
            return number(int(token))
        return self._applied(token, [])

    def _applied(self, head: str, args: list[Expression]) -> Expression:
        operator = _OPERATORS.get(head.removeprefix("!"))
        if operator is not None and head[0] in "!+*":
            return operator(head.removeprefix("!"), args)
        symbol = self.symbols.get((head, len(args)))
        if symbol is None:
            raise UnreadableTerm(f"there is no symbol {head!r} of {len(args)} arguments")
        if not all(same_sort(a.sort, s) for a, s in zip(args, symbol.domain, strict=True)):
            raise UnreadableTerm(f"{head} does not take these arguments")
        return app(symbol, *args)


def _of(kind: str, head: str, args: list[Expression], least: int, most: int | None) -> None:
    if any(a.sort.kind != kind for a in args):
        raise UnreadableTerm(f"{head} of something that is no {kind}")
    if len(args) < least or (most is not None and len(args) > most):
        raise UnreadableTerm(f"{head} does not take {len(args)} arguments")


def _sum(head: str, args: list[Expression]) -> Expression:
    _of("Int", head, args, 1, None)
    return total((1, a) for a in args)


def _multiple(head: str, args: list[Expression]) -> Expression:
    _of("Int", head, args, 2, 2)
    if args[0].op != "int":
        raise UnreadableTerm("a factor is no number")
    return total([(args[0].data, args[1])])


def _comparison(head: str, args: list[Expression]) -> Expression:
    _of("Int", head, args, 2, 2)
    return (le if head == "le" else lt)(*args)


def _connective(head: str, args: list[Expression]) -> Expression:
    most = {"not": 1, "iff": 2}.get(head)
    _of("Bool", head, args, 2 if head == "iff" else 1, most)
    match head:
        case "and":
            return and_(*args)
        case "or":
            return or_(*args)
        case "not":
            return not_(*args)
    return iff(*args)


def _alike(head: str, args: list[Expression], count: int) -> None:
    if len(args) != count or not same_sort(args[-1].sort, args[-2].sort):
        raise UnreadableTerm(f"{head} does not take these arguments")


def _equality(head: str, args: list[Expression]) -> Expression:
    _alike(head, args, 2)
    return eq(*args)


def _conditional(head: str, args: list[Expression]) -> Expression:
    _alike(head, args, 3)
    _of("Bool", head, args[:1], 1, 1)
    return ite(*args)


_OPERATORS: dict[str, Callable[[str, list[Expression]], Expression]] = {
    "+": _sum,
    "*": _multiple,
    "le": _comparison,
    "lt": _comparison,
    "and": _connective,
    "or": _connective,
    "not": _connective,
    "iff": _connective,
    "eq": _equality,
    "ite": _conditional,
}
"""How what is no symbol is applied; words among them stand behind a sign no protocol's name has."""


def same_sort(one: LogicSort, other: LogicSort) -> bool:
    """Whether values of two sorts are values of one: integers are, of whatever identity."""
    return one == other or (one.kind == other.kind == "Int")
