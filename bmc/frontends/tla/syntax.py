"""Text to a module as it is written. Proofs and theorems are passed over.

The parser is our own: tree-sitter's for TLA+ takes time in the square of an expression's length
and ends the process on some nested lists, and a text must fail in bounded time and memory.
"""

from __future__ import annotations

from dataclasses import replace

from . import tree as t
from .depth import deep_recursion
from .expressions import ExpressionParser
from .lexer import Kind, Token, tokens
from .signs import INFIX, POSTFIX, PREFIX

_ASSUMES = ("ASSUME", "ASSUMPTION", "AXIOM")
_STATES = ("THEOREM", "LEMMA", "PROPOSITION", "COROLLARY", "USE", "HIDE")
_PROOFS = ("PROOF", "BY", "OBVIOUS", "OMITTED")
_LONGEST_HEAD = 500
"""Tokens in which the left side of a definition after a proof must end."""
_BEGINS = (
    *_ASSUMES,
    *_STATES,
    *("CONSTANT", "CONSTANTS", "VARIABLE", "VARIABLES", "RECURSIVE", "INSTANCE", "LOCAL"),
)
_OPENS = (
    *("(", "[", "{", "<<", "\\A", "\\E", *PREFIX),
    *("CHOOSE", "IF", "CASE", "LET", "TRUE", "FALSE"),
)
"""What an expression begins with, apart from names and numbers."""


def parse(text: str, file: str, name: str | None = None) -> t.Module:
    """Return the module of this name, or the first. Raises TlaSyntaxError or TlaLimit."""
    parser = _ModuleParser(tokens(text, file, name), text, file)
    with deep_recursion(file):
        return parser.module()


class _ModuleParser(ExpressionParser):
    def module(self) -> t.Module:
        first = self.take()
        with self.deeper():
            extends: list[t.Name] = []
            if self.accept("EXTENDS"):
                extends = list(self._names())
            units: list[t.Unit] = []
            while not self.sees("===="):
                units += self._units()
            self.take()
        return t.Module(self.place(first), first.text, tuple(extends), tuple(units))

    def _units(self) -> list[t.Unit]:
        token = self.raw
        if token.kind is Kind.RULE:
            self.take()
            return []
        if token.kind is Kind.MODULE:
            return [self.module()]
        if token.kind is Kind.END:
            raise self.error(token, "the module has no end", "end it with ====")
        if self.accept("CONSTANT", "CONSTANTS"):
            declared = self._declarations()
            return [t.Constants(self.since(token), declared)]
        if self.accept("VARIABLE", "VARIABLES"):
            return [t.Variables(self.since(token), self._names())]
        if self.accept(*_ASSUMES):
            name = ""
            if self.sees_kind(Kind.NAME) and self.follows("=="):
                name = self.take().text
                self.take()
            found = t.Assumption(self.since(token), name, self.expression())
            self._skip_proof(token.column)
            return [found]
        if self.sees(*_STATES):
            self.take()
            return self._theorem(token)
        if self.accept("LOCAL"):
            return [_local(self._definition())]
        return [self._definition()]

    def let_unit(self) -> t.Unit:
        return self._definition()

    def _definition(self) -> t.Unit:
        first = self.raw
        if self.accept("RECURSIVE"):
            return t.Recursive(self.since(first), self._declarations())
        if self.sees("INSTANCE"):
            return self._instance(None, ())
        if first.kind is Kind.NAME and self.follows("["):
            name = self.name()
            self.take()
            ranges = self.ranges()
            self.expect("]")
            self.expect("==", f"of the definition of {name.text}")
            body = self.expression()
            return t.FunctionNamed(self.since(first), name, ranges, body)
        name, parameters = self._head()
        self.expect("==", f"of the definition of {name.text}")
        if self.sees("INSTANCE"):
            return self._instance(name, parameters)
        body = self.expression()
        return t.OperatorOf(self.since(first), name, parameters, body)

    def _head(self) -> tuple[t.Name, tuple[t.Parameter, ...]]:
        token = self.raw
        if not self.hidden and token.text in PREFIX and token.kind is Kind.SIGN:
            self.take()
            return t.Name(self.place(token), token.text), (self._plain_parameter(),)
        if not self.sees_kind(Kind.NAME):
            raise self.unexpected("expected a definition")
        sign = self.tokens[self.at + 1]
        if sign.kind is Kind.SIGN and sign.text in (*INFIX, *POSTFIX) and sign.text != "==":
            left = self._plain_parameter()
            self.take()
            name = t.Name(self.place(sign), sign.text)
            if sign.text in POSTFIX:
                return name, (left,)
            return name, (left, self._plain_parameter())
        name = self.name()
        return name, self._declarations(")") if self.accept("(") else ()

    def _plain_parameter(self) -> t.Parameter:
        name = self.name("a parameter")
        return t.Parameter(name.span, name.text, 0)

    def _declarations(self, close: str = "") -> tuple[t.Parameter, ...]:
        found = [self._declaration()]
        while self.accept(","):
            found.append(self._declaration())
        if close:
            self.expect(close)
        return tuple(found)

    def _declaration(self) -> t.Parameter:
        """Read `x`, `F(_, _)`, `_ + _`, `-. _` or `_ ^+`."""
        token = self.raw
        if self.accept("_"):
            sign = self.take()
            arity = 2 if self.accept("_") else 1
            return t.Parameter(self.place(sign), sign.text, arity)
        if token.text in PREFIX and token.kind is Kind.SIGN:
            self.take()
            self.expect("_")
            return t.Parameter(self.place(token), token.text, 1)
        name = self.name()
        arity = 0
        if self.accept("("):
            arity = 1
            self.expect("_")
            while self.accept(","):
                self.expect("_")
                arity += 1
            self.expect(")")
        return t.Parameter(name.span, name.text, arity)

    def _instance(self, name: t.Name | None, parameters: tuple[t.Parameter, ...]) -> t.InstanceOf:
        first = self.take()
        module = self.name("the name of a module")
        substitutions: list[t.Substitution] = []
        if self.accept("WITH"):
            while True:
                substitutions.append(self._substitution())
                if not self.accept(","):
                    break
        span = self.since(first)
        return t.InstanceOf(span, name, parameters, module, tuple(substitutions))

    def _substitution(self) -> t.Substitution:
        token = self.raw
        signs = (*INFIX, *PREFIX, *POSTFIX)
        if not self.sees_kind(Kind.NAME) and token.text not in signs:
            raise self.unexpected("expected the name that is replaced")
        self.take()
        self.expect("<-", "of the WITH")
        after = self.raw
        if after.kind is Kind.SIGN and after.text in signs and not self._is_operand_next():
            self.take()
            return t.Substitution(
                self.since(token), token.text, t.SignArgument(self.place(after), after.text)
            )
        return t.Substitution(self.since(token), token.text, self.argument())

    def _is_operand_next(self) -> bool:
        """Tell whether the sign here is a prefix operator with an operand after it."""
        if self.raw.text not in PREFIX and self.raw.text != "-":
            return self.raw.text in ("/\\", "\\/")
        after = self.tokens[self.at + 1]
        return after.kind in (Kind.NAME, Kind.NUMBER) or after.text in _OPENS

    # Theorems and proofs.

    def _theorem(self, first: Token) -> list[t.Unit]:
        """Pass over a theorem; a named one that is a formula is an operator as well."""
        found: list[t.Unit] = []
        if self.sees_kind(Kind.NAME) and self.follows("=="):
            name = self.name()
            self.take()
            if not self.sees("ASSUME"):
                body = self.expression()
                found = [t.OperatorOf(self.since(first), name, (), body)]
        if not found:
            self.accept("ASSUME")  # What the theorem assumes; behind a formula it begins a unit.
        self._skip_statement(first.column)
        return found

    def _skip_statement(self, column: int) -> None:
        while not self._is_unit(column):
            self.take()

    def _skip_proof(self, column: int) -> None:
        if self.sees(*_PROOFS) or self.sees_kind(Kind.STEP):
            self._skip_statement(column)

    def _is_unit(self, column: int) -> bool:
        """Tell whether a unit of the module begins here, after a theorem in `column`."""
        token = self.raw
        if token.kind in (Kind.END, Kind.RULE, Kind.MODULE) or token.text == "====":
            return True
        if not token.starts_line or token.column > column:
            return False
        if token.kind is Kind.WORD:
            return token.text in _BEGINS
        return token.kind is Kind.NAME and self._is_head()

    def _is_head(self) -> bool:
        """Tell whether a definition's left side begins here."""
        if self.follows("=="):
            return True
        sign = self.tokens[self.at + 1]
        if sign.kind is Kind.SIGN and sign.text in INFIX:
            return self.follows("==", 3)
        if sign.text not in ("(", "[") or sign.kind is not Kind.SIGN:
            return False
        depth = 0
        for distance in range(1, min(len(self.tokens) - self.at, _LONGEST_HEAD)):
            token = self.tokens[self.at + distance]
            if token.kind is Kind.SIGN:
                depth += (token.text in "([") - (token.text in ")]")
                if depth == 0:
                    return self.follows("==", distance + 1)
        return False


def _local(unit: t.Unit) -> t.Unit:
    if isinstance(unit, t.OperatorOf | t.FunctionNamed | t.InstanceOf):
        return replace(unit, is_local=True)
    return unit
