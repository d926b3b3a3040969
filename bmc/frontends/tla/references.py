"""Operators that are named, with what they are given: `Op(x)`, `M!Op(x)`, and pieces `Op!1`."""

from __future__ import annotations

from . import tree as t
from .lexer import Kind, Token
from .ranges import RangeParser
from .signs import INFIX, POSTFIX, PREFIX


class ReferenceParser(RangeParser):
    """Reads names of operators and their arguments."""

    def _named(self) -> t.Expression:
        first = name = self.take()
        parts: list[t.Part] = []
        while True:
            arguments = self._arguments() if self.accept("(") else ()
            if self.accept("::"):
                return self.expression()
            if not self.accept("!"):
                break
            parts.append(t.Part(self.since(first), name.text, arguments))
            if not self._may_be_operator():
                return self._subexpression(first, parts)
            name = self.take()
        return t.Operation(self.since(first), tuple(parts), name.text, arguments, self.place(name))

    def _may_be_operator(self) -> bool:
        if self.sees_kind(Kind.NAME):
            return True
        token = self.raw
        signs = (*INFIX, *PREFIX, *POSTFIX)
        return token.kind is Kind.SIGN and token.text in signs and self.follows("(")

    def _subexpression(self, first: Token, parts: list[t.Part]) -> t.Expression:
        """Read what remains of `Op!1!(x)!:`, a name for a part of a definition."""
        numbers: list[int] = []
        plain = not parts[-1].arguments
        while True:
            if self.accept("("):
                self._arguments()
                plain = False
            elif not self.hidden and (
                self.raw.kind is Kind.NUMBER
                or self.raw.kind is Kind.NAME
                or self.raw.text in (":", "@", "<<", ">>")
            ):
                token = self.take()
                if token.kind is Kind.NUMBER and token.text.isdecimal():
                    numbers.append(int(token.text))
                else:
                    plain = False
                if self.accept("("):
                    self._arguments()
                    plain = False
            else:
                raise self.unexpected("expected a name after !")
            if not self.accept("!"):
                break
        if plain:
            *path, named = parts
            span = self.since(first)
            return t.PieceOf(span, tuple(path), named.name, tuple(numbers), named.span)
        hint = "give that part of the definition a name of its own"
        return t.Refused(self.since(first), "a name for a part of a definition", hint)

    def _arguments(self) -> tuple[t.Expression, ...]:
        found = [self.argument()]
        while self.accept(","):
            found.append(self.argument())
        self.expect(")")
        return tuple(found)

    def argument(self) -> t.Expression:
        """Read what an operator is given: an expression, an operator's sign, or a LAMBDA."""
        token = self.raw
        is_sign = token.text in INFIX or token.text in PREFIX or token.text in POSTFIX
        ends = self.follows(",") or self.follows(")")
        if is_sign and ends and not self.hidden and token.kind in (Kind.SIGN, Kind.WORD):
            self.take()
            return t.SignArgument(self.place(token), token.text)
        if self.accept("LAMBDA"):
            names = self._names()
            self.expect(":", "of the LAMBDA")
            body = self.expression()
            parameters = tuple(t.Parameter(name.span, name.text, 0) for name in names)
            return t.LambdaOf(self.since(token), parameters, body)
        return self.expression()
