"""What bound variables range over: `x, y \\in S, <<a, b>> \\in T`."""

from __future__ import annotations

from abc import abstractmethod

from . import tree as t
from .lexer import Token
from .parser import Parser
from .signs import Precedence


class RangeParser(Parser):
    """Reads names and ranges; the expressions in them are the expression parser's."""

    @abstractmethod
    def expression(self, outer: tuple[str, Precedence] | None = None) -> t.Expression:
        """An expression, up to an operator that binds less tightly than `outer`."""

    def ranges(self, bounded: bool = True) -> tuple[t.Range, ...]:
        """Read `x, y \\in S, <<a, b>> \\in T`; names alone too unless `bounded`."""
        found: list[t.Range] = []
        while True:
            names, is_tuple = self._group()
            if self.accept("\\in"):
                domain = self.expression()
            elif bounded or is_tuple or found:
                raise self.unexpected("expected \\in and a set")
            else:
                return tuple(t.Range((name,), False, None) for name in names)
            found += _each(names, is_tuple, domain)
            if not self.accept(","):
                return tuple(found)

    def _group(self) -> tuple[tuple[t.Name, ...], bool]:
        if self.accept("<<"):
            names = self._names()
            self.expect(">>")
            return names, True
        return self._names(), False

    def _names(self) -> tuple[t.Name, ...]:
        found = [self.name()]
        while self.accept(","):
            found.append(self.name())
        return tuple(found)

    def name(self, what: str = "a name") -> t.Name:
        """Read a name."""
        token = self.expect_name(what)
        return t.Name(self.place(token), token.text)

    def _ranges_from(self, begin: t.Expression, first: Token) -> tuple[t.Range, ...]:
        """The ranges whose beginning was read as an expression: `x \\in S` or the first name."""
        found = self._range_of(begin)
        if found is not None:
            rest = self.ranges() if self.accept(",") else ()
            return (found, *rest)
        name = _plain(begin)
        if name is None or not self.sees(","):
            raise self.unexpected(f"expected one of |-> -> EXCEPT ]_ after [ of line {first.line}")
        self.take()
        more = self.ranges()
        if more[0].is_tuple or more[0].domain is None:
            raise self.unexpected("expected \\in and a set")
        return (t.Range((name,), False, more[0].domain), *more)

    def _range_of(self, found: t.Expression) -> t.Range | None:
        if not isinstance(found, t.Operation) or found.name != "\\in":
            return None
        left, domain = found.arguments
        if isinstance(left, t.TupleOf):
            names = [_plain(element) for element in left.elements]
            kept = tuple(name for name in names if name is not None)
            return t.Range(kept, True, domain) if len(kept) == len(names) else None
        name = _plain(left)
        return None if name is None else t.Range((name,), False, domain)


def _plain(found: t.Expression) -> t.Name | None:
    """The name that an expression is, if it is nothing else."""
    if isinstance(found, t.Operation) and not found.path and not found.arguments:
        return t.Name(found.span, found.name)
    return None


def _each(names: tuple[t.Name, ...], is_tuple: bool, domain: t.Expression) -> list[t.Range]:
    if is_tuple:
        return [t.Range(names, True, domain)]
    return [t.Range((name,), False, domain) for name in names]
