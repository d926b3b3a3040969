"""Expressions in brackets: tuples, sets, functions, records, EXCEPT, `[A]_v` and `<<A>>_v`."""

from __future__ import annotations

from . import tree as t
from .lexer import Kind, Token
from .references import ReferenceParser


class BracketedParser(ReferenceParser):
    """Reads what a bracket opens."""

    def _expressions(self, close: str) -> tuple[t.Expression, ...]:
        found = [self.expression()]
        while self.accept(","):
            found.append(self.expression())
        self.expect(close)
        return tuple(found)

    def _bracketed(self, token: Token) -> t.Expression:
        match token.text:
            case "(":
                return self._parenthesized()
            case "{":
                return self._braces()
            case "[":
                return self._brackets()
            case "<<":
                return self._angles()
            case _:
                raise self.unexpected("expected an expression")

    def _parenthesized(self) -> t.Expression:
        first = self.take()
        inner = self.expression()
        self.expect(")", f"to close ( of line {first.line}")
        if isinstance(inner, t.Junction | t.ProductOf):
            # Not to be taken for a part of a longer list or product.
            return t.Operation(self.since(first), (), "()", (inner,), inner.span)
        return inner

    def _angles(self) -> t.Expression:
        first = self.take()
        elements = []
        if not self.sees(">>"):
            elements.append(self.expression())
            while self.accept(","):
                elements.append(self.expression())
        if len(elements) == 1 and self.accept(">>_"):
            subscript = self._subscript()
            return t.ActionOf(self.since(first), True, elements[0], subscript)
        self.expect(">>", f"to close << of line {first.line}")
        return t.TupleOf(self.since(first), tuple(elements))

    def _braces(self) -> t.Expression:
        first = self.take()
        if self.accept("}"):
            return t.SetOf(self.since(first), ())
        begin = self.expression()
        if self.accept(":"):
            found = self._range_of(begin)
            if found is not None:
                predicate = self.expression()
                self.expect("}", f"to close {{ of line {first.line}")
                return t.SetWhere(self.since(first), found, predicate)
            ranges = self.ranges()
            self.expect("}", f"to close {{ of line {first.line}")
            return t.SetFrom(self.since(first), begin, ranges)
        elements = [begin]
        while self.accept(","):
            elements.append(self.expression())
        self.expect("}", f"to close {{ of line {first.line}")
        return t.SetOf(self.since(first), tuple(elements))

    def _brackets(self) -> t.Expression:
        first = self.take()
        if self.sees_kind(Kind.NAME) and (self.follows("|->") or self.follows(":")):
            return self._record(first)
        begin = self.expression()
        if self.accept("]_"):
            return t.ActionOf(self.since(first), False, begin, self._subscript())
        if self.accept("->"):
            codomain = self.expression()
            self._close(first)
            return t.FunctionsFrom(self.since(first), begin, codomain)
        if self.accept("EXCEPT"):
            changes = [self._change()]
            while self.accept(","):
                changes.append(self._change())
            self._close(first)
            return t.ExceptOf(self.since(first), begin, tuple(changes))
        ranges = self._ranges_from(begin, first)
        self.expect("|->", f"of the function of line {first.line}")
        body = self.expression()
        self._close(first)
        return t.FunctionOf(self.since(first), ranges, body)

    def _close(self, first: Token) -> None:
        self.expect("]", f"to close [ of line {first.line}")

    def _record(self, first: Token) -> t.Expression:
        separator = "|->" if self.follows("|->") else ":"
        fields: dict[str, t.Expression] = {}
        while True:
            name = self.expect_name("the name of a field")
            self.expect(separator)
            if name.text in fields:
                raise self.error(name, f"the record has two fields {name.text}")
            fields[name.text] = self.expression()
            if not self.accept(","):
                break
        self._close(first)
        kind = t.RecordOf if separator == "|->" else t.RecordsOf
        return kind(self.since(first), tuple(fields.items()))

    def _change(self) -> t.Change:
        first = self.expect("!", "of an EXCEPT")
        path: list[str | tuple[t.Expression, ...]] = []
        while True:
            if self.accept("["):
                path.append(self._expressions("]"))
            elif self.accept("."):
                path.append(self.expect_name("the name of a field").text)
            elif path:
                break
            else:
                raise self.unexpected("expected [ or . after ! of an EXCEPT")
        self.expect("=", "of an EXCEPT")
        value = self.expression()
        return t.Change(self.since(first), tuple(path), value)

    def _subscript(self) -> t.Expression:
        token = self.raw
        if self.sees("<<", "(", "[", "{"):
            return self._bracketed(token)
        name = self.expect_name("the subscript of an action")
        arguments = self._own_arguments()
        parts: list[t.Part] = []
        while self.accept("!"):
            parts.append(t.Part(self.place(name), name.text, arguments))
            name = self.expect_name()
            arguments = self._own_arguments()
        return t.Operation(self.since(token), tuple(parts), name.text, arguments, self.place(name))

    def _own_arguments(self) -> tuple[t.Expression, ...]:
        # `WF_v(A)` gives v nothing, while `WF_I(x)!v(A)` and `WF_f(x)(A)` give I and f an x.
        distance = depth = 0
        while self.at + distance < len(self.tokens):
            depth += self.follows("(", distance) - self.follows(")", distance)
            distance += 1
            if depth == 0:
                break
        own = self.follows("!", distance) or self.follows("(", distance)
        return self._arguments() if own and self.accept("(") else ()
