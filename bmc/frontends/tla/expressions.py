"""Expressions of TLA+ as they are written (Specifying Systems, chapter 15)."""

from __future__ import annotations

from abc import abstractmethod

from bmc.lang.bounds import LONGEST_NUMBER

from . import tree as t
from .bracketed import BracketedParser
from .core import FairnessKind, Quantification
from .errors import TlaSyntaxError
from .lexer import Kind, Token
from .signs import INFIX, POSTFIX, PREFIX, Precedence

_BASES = {"b": 2, "o": 8, "h": 16}
_POSTFIX_BINDS = 15
_WITHOUT_AN_END = ("IF", "CASE", "LET", "CHOOSE", "\\A", "\\E")
_CHAINS = ("/\\", "\\/", "\\X")
_NO_TEMPORAL = "quantifiers over behaviours are not decided: write the property without them"


class ExpressionParser(BracketedParser):
    """Reads expressions; definitions of a LET are the module parser's."""

    @abstractmethod
    def let_unit(self) -> t.Unit:
        """One definition of a LET."""

    def expression(self, outer: tuple[str, Precedence] | None = None) -> t.Expression:
        """An expression, up to an operator that binds less tightly than `outer`."""
        with self.deeper():
            return self._continued(self._operand(outer), outer)

    def _continued(self, found: t.Expression, outer: tuple[str, Precedence] | None) -> t.Expression:
        length = 0
        while (sign := self._infix()) is not None:
            if outer is not None and not self._tighter(sign, outer):
                return found
            if sign in _CHAINS:
                found = self._chain(found, sign)
            else:
                token = self.take()
                right = self.expression((sign, INFIX[sign]))
                span = self.from_span(found.span)
                found = t.Operation(span, (), sign, (found, right), self.place(token))
            length += 1
            self.limit(self.depth + length)
        return found

    def _chain(self, first: t.Expression, sign: str) -> t.Expression:
        """Read `first sign b sign c …` as one node."""
        items = [first]
        while self._infix() == sign:
            self.take()
            items.append(self.expression((sign, INFIX[sign])))
        span = self.from_span(first.span)
        if sign == "\\X":
            return t.ProductOf(span, tuple(items))
        return t.Junction(span, sign, tuple(items))

    def _infix(self) -> str | None:
        token = self.raw
        if token.kind is Kind.SIGN and token.text in INFIX and token.column > self.floor:
            return token.text
        return None

    def _tighter(self, sign: str, outer: tuple[str, Precedence]) -> bool:
        """Tell whether `sign` binds more tightly than the operator to the left."""
        mine, (other, theirs) = INFIX[sign], outer
        if mine.low > theirs.high:
            return True
        if mine.high < theirs.low or (sign == other and (mine.left or sign == "\\X")):
            return False
        raise self.conflict(other, sign)

    def conflict(self, left: str, right: str) -> TlaSyntaxError:
        """Return what to raise at an operator that binds no less and no more than one before."""
        return self.error(
            self.raw,
            f"{left} and {right} without parentheses: neither binds more tightly",
            "put parentheses around what belongs together",
        )

    def _operand(self, outer: tuple[str, Precedence] | None) -> t.Expression:
        token = self.raw
        if self.sees("/\\", "\\/"):
            return self._list()
        if (token.text in PREFIX or token.text == "-") and self.sees(token.text):
            name = "-." if token.text == "-" else token.text
            if token.text == "-" and outer is not None and outer[1].low > PREFIX[name].high:
                raise self.error(
                    token,
                    f"{outer[0]} binds more tightly than the - behind it",
                    "put parentheses around the negative number",
                )
            self.take()
            operand = self.expression((name, PREFIX[name]))
            place = self.place(token)
            return t.Operation(self.since(token), (), name, (operand,), place)
        found = self._primary()
        if token.kind is not Kind.STRING and token.text in _WITHOUT_AN_END:
            return found
        return self._postfixed(found, outer)

    def _postfixed(self, found: t.Expression, outer: tuple[str, Precedence] | None) -> t.Expression:
        length = 0
        while True:
            token = self.raw
            if self.accept("["):
                arguments = self._expressions("]")
                found = t.Applied(self.from_span(found.span), found, arguments)
            elif self.accept("."):
                name = self.expect_name("the name of a field")
                found = t.FieldOf(self.from_span(found.span), found, name.text)
            elif self.sees(*POSTFIX):
                if outer is not None and outer[1].high >= _POSTFIX_BINDS:
                    raise self.conflict(outer[0], token.text)
                self.take()
                span = self.from_span(found.span)
                found = t.Operation(span, (), token.text, (found,), self.place(token))
            else:
                return found
            length += 1
            self.limit(self.depth + length)

    def _list(self) -> t.Expression:
        first = self.raw
        items = []
        while self.raw[:2] == first[:2] and self.raw.column == first.column:
            self.take()
            with self.right_of(first.column):
                items.append(self.expression())
        return t.Junction(self.since(first), first.text, tuple(items))

    def _primary(self) -> t.Expression:
        token = self.raw
        if self.hidden:
            raise self.unexpected("expected an expression")
        match token.kind:
            case Kind.NUMBER:
                self.take()
                return self._number(token)
            case Kind.STRING:
                self.take()
                return t.Text(self.place(token), token.text)
            case Kind.NAME:
                return self._named()
            case Kind.SIGN:
                return self._by_sign(token)
            case Kind.WORD:
                return self._by_word(token)
            case _:
                raise self.unexpected("expected an expression")

    def _number(self, token: Token) -> t.Expression:
        span = self.place(token)
        if "." in token.text:
            return t.Refused(
                span, f"the real number {token.text}", "only integers are computed with"
            )
        if len(token.text) > LONGEST_NUMBER:
            raise self.error(token, f"a number of more than {LONGEST_NUMBER} digits is not read")
        if token.text[0] == "\\":
            return t.Number(span, int(token.text[2:], _BASES[token.text[1].lower()]))
        return t.Number(span, int(token.text))

    def _by_sign(self, token: Token) -> t.Expression:
        match token.text:
            case "(" | "{" | "[" | "<<":
                return self._bracketed(token)
            case "@":
                self.take()
                return t.At(self.place(token))
            case "\\A" | "\\E":
                return self._quantified()
            case "\\AA" | "\\EE":
                self.take()
                self._names()
                self.expect(":")
                self.expression()
                return t.Refused(self.since(token), token.text, _NO_TEMPORAL)
            case sign if sign in INFIX and self.follows("("):
                self.take()
                self.take()
                arguments = self._arguments()
                return t.Operation(self.since(token), (), sign, arguments, self.place(token))
            case _:
                raise self.unexpected("expected an expression")

    def _by_word(self, token: Token) -> t.Expression:
        match token.text:
            case "TRUE" | "FALSE":
                self.take()
                return t.Truth(self.place(token), token.text == "TRUE")
            case "IF":
                self.take()
                condition = self.expression()
                self.expect("THEN", f"of the IF of line {token.line}")
                then = self.expression()
                self.expect("ELSE", f"of the IF of line {token.line}")
                otherwise = self.expression()
                return t.IfElse(self.since(token), condition, then, otherwise)
            case "CASE":
                return self._case()
            case "LET":
                self.take()
                units = [self.let_unit()]
                while not self.sees("IN"):
                    units.append(self.let_unit())
                self.expect("IN")
                body = self.expression()
                return t.LetIn(self.since(token), tuple(units), body)
            case "CHOOSE":
                return self._chosen()
            case "WF_" | "SF_":
                self.take()
                subscript = self._subscript()
                self.expect("(", f"and the action of {token.text}")
                action = self.expression()
                self.expect(")")
                kind = FairnessKind(token.text[:2])
                return t.FairnessOf(self.since(token), kind, subscript, action)
            case "LAMBDA":
                raise self.error(token, "LAMBDA stands as an argument of an operator only")
            case _:
                raise self.unexpected("expected an expression")

    def _case(self) -> t.Expression:
        first = self.take()
        arms: list[tuple[t.Expression, t.Expression]] = []
        other: t.Expression | None = None
        while other is None:
            if arms and self.accept("OTHER"):
                self.expect("->")
                other = self.expression()
                break
            guard = self.expression()
            self.expect("->", f"of the CASE of line {first.line}")
            arms.append((guard, self.expression()))
            if not self.accept("[]"):
                break
        return t.CaseOf(self.since(first), tuple(arms), other)

    def _chosen(self) -> t.Expression:
        first = self.take()
        names, is_tuple = self._group()
        if len(names) > 1 and not is_tuple:
            raise self.error(
                first, "CHOOSE binds one name", "choose a tuple: CHOOSE <<x, y>> \\in S"
            )
        domain = self.expression() if self.accept("\\in") else None
        self.expect(":", "of the CHOOSE")
        body = self.expression()
        return t.Chosen(self.since(first), t.Range(names, is_tuple, domain), body)

    def _quantified(self) -> t.Expression:
        first = self.take()
        ranges = self.ranges(bounded=False)
        self.expect(":", f"of the {first.text}")
        body = self.expression()
        return t.Quantified(self.since(first), Quantification(first.text), ranges, body)
