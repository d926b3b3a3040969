"""Expressions of TLA+ as they are written (Specifying Systems, chapter 15)."""

from __future__ import annotations

from abc import abstractmethod

from . import tree as t
from .core import FairnessKind, Quantification
from .lexer import Kind, Token
from .parser import Parser
from .signs import INFIX, POSTFIX, PREFIX, Precedence

_BASES = {"b": 2, "o": 8, "h": 16}
_CHAINS = ("/\\", "\\/", "\\X")
_NO_TEMPORAL = "quantifiers over behaviours are not decided: write the property without them"


class ExpressionParser(Parser):
    """Reads expressions; definitions of a LET are the module parser's."""

    @abstractmethod
    def let_unit(self) -> t.Unit:
        """One definition of a LET."""

    def expression(self, outer: tuple[str, Precedence] | None = None) -> t.Expression:
        """An expression, up to an operator that binds less tightly than `outer`."""
        with self.deeper():
            return self._continued(self._operand(), outer)

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
        if (theirs.low, theirs.high) == (mine.low, mine.high) and other in PREFIX:
            return False
        raise self.error(
            self.raw,
            f"{other} and {sign} without parentheses: neither binds more tightly",
            "put parentheses around what belongs together",
        )

    def _operand(self) -> t.Expression:
        token = self.raw
        if self.sees("/\\", "\\/"):
            return self._list()
        if (token.text in PREFIX or token.text == "-") and self.sees(token.text):
            self.take()
            name = "-." if token.text == "-" else token.text
            operand = self.expression((name, PREFIX[name]))
            place = self.place(token)
            return t.Operation(self.since(token), (), name, (operand,), place)
        return self._postfixed(self._primary())

    def _postfixed(self, found: t.Expression) -> t.Expression:
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
        if token.text[0] == "\\":
            return t.Number(span, int(token.text[2:], _BASES[token.text[1].lower()]))
        if len(token.text) > 1000:
            raise self.error(token, "a number of more than 1000 digits is not read")
        return t.Number(span, int(token.text))

    def _by_sign(self, token: Token) -> t.Expression:
        match token.text:
            case "(":
                self.take()
                inner = self.expression()
                self.expect(")", f"to close ( of line {token.line}")
                if isinstance(inner, t.Junction | t.ProductOf):
                    # Not to be taken for a part of a longer list or product.
                    return t.Operation(self.since(token), (), "()", (inner,), inner.span)
                return inner
            case "{":
                return self._braces()
            case "[":
                return self._brackets()
            case "<<":
                return self._angles()
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

    def _expressions(self, close: str) -> tuple[t.Expression, ...]:
        found = [self.expression()]
        while self.accept(","):
            found.append(self.expression())
        self.expect(close)
        return tuple(found)

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
        if self.sees("<<", "(", "["):
            return self._by_sign(token)
        name = self.expect_name("the subscript of an action")
        parts: list[t.Part] = []
        while self.accept("!"):
            parts.append(t.Part(self.place(name), name.text, ()))
            name = self.expect_name()
        return t.Operation(self.since(token), tuple(parts), name.text, (), self.place(name))

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


def _plain(found: t.Expression) -> t.Name | None:
    """The name that an expression is, if it is nothing else."""
    if isinstance(found, t.Operation) and not found.path and not found.arguments:
        return t.Name(found.span, found.name)
    return None


def _each(names: tuple[t.Name, ...], is_tuple: bool, domain: t.Expression) -> list[t.Range]:
    if is_tuple:
        return [t.Range(names, True, domain)]
    return [t.Range((name,), False, domain) for name in names]
