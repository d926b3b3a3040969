"""Terms as expressions of TLA+.

An option's value, a number that is known to fit its sort and the payload of a case have no sign
of their own in TLA+. What may have no value here and one there comes marked
(:mod:`bmc.reports.exports.tla.valued`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bmc.lang.bounds import Bound
from bmc.lang.errors import SortError
from bmc.lang.operator_table import OPERATORS, OVER_SETS
from bmc.lang.show import quoted
from bmc.lang.sorts import (
    BoundedSetSort,
    IntSort,
    KeyedSetSort,
    RecordSort,
    SequenceSort,
    Sort,
    VariantSort,
)
from bmc.lang.terms import Term
from bmc.reports.exports.tla.errors import NoTla
from bmc.reports.exports.tla.names import Names
from bmc.reports.exports.tla.sorts import ATOM, TOP, UNION, Sorts, bound, closed, is_flat
from bmc.reports.exports.tla.valued import EVERY, Sought, has_marks

_EXISTS = "\\E"
_JUNCTION, _PREFIX, _COMPARED = 3, 4, 5
_TIGHTNESS = (1, _JUNCTION, _JUNCTION, _JUNCTION, _COMPARED, UNION, 10, 13)
"""How tightly TLA+ binds what the table of operators gives the levels 0 to 7."""
_LEVELS = {op: _TIGHTNESS[row.infix[1]] for op, row in OPERATORS.items() if row.infix is not None}
# Beside + and - it needs parentheses in TLA+.
_LEVELS["mod"] = 10
_LISTED = 256
"""Values of a sort that are no numbers, where one is chosen by bmc's order of them."""
_WIDTH = 90
"""Characters up to which a formula stands in one line."""


class Terms:
    """Writes terms; `variables` are what the state's variables are called."""

    def __init__(self, sorts: Sorts, names: Names, variables: Mapping[str, str]) -> None:
        self.sorts = sorts
        self.names = names
        self.variables = variables
        self._bound: dict[Term, str] = {}

    @contextmanager
    def scope(self, arguments: Iterable[tuple[str, Term]]) -> Iterator[tuple[str, ...]]:
        """Name variables that are bound while the context lasts, after what they are called."""
        given = list(arguments)
        before = dict(self._bound)
        with self.names.bound([name for name, _ in given]) as found:
            self._bound.update(zip((term for _, term in given), found, strict=True))
            try:
                yield found
            finally:
                self._bound = before

    def lines(self, term: Term, indent: int) -> list[str]:
        """Return a formula as lines that stand behind ``indent`` characters.

        A connective's operands stand below each other where they do not fit one line.
        """
        text = self.show(term)
        if len(text) + indent <= _WIDTH:
            return [text]
        if term.op in ("and", "or") and term.args:
            sign = str(_sign(term))
            found = []
            for operand in term.args:
                first, *others = self.lines(operand, indent + 3)
                found += [f"{sign} {first}", *(f"   {line}" for line in others)]
            return found
        if term.op in ("forall", "exists") and term.data != EVERY:
            with self._binder(term) as (name, domain):
                sign = "\\A" if term.op == "forall" else "\\E"
                body = self.lines(term.args[-1], indent + 2)
                return [f"{sign} {name} \\in {domain} :", *(f"  {line}" for line in body)]
        return [text]

    def show(self, term: Term, level: int = TOP) -> str:
        """Return an expression; with parentheses if it stands where only tighter ones can."""
        match term.op:
            case "the" if _looked_up(term) is not None:
                return closed(self._in_keyed(term.args[0], "CHOOSE"), TOP, level)
            case "narrow" if isinstance(term.data, Sought):
                return self._asked(term, term.data)
            case "narrow" | "some" | "the":
                return self.show(term.args[0], level)
            case "bool":
                return "TRUE" if term.data else "FALSE"
            case "int":
                number = int(str(term.data))
                return str(number) if number >= 0 else f"({number})"
            case "enum" | "none":
                return self.sorts.value(term.sort, term.data)
            case "bound":
                assert isinstance(term.data, Bound)
                return bound(term.data, level)
            case "variable":
                name, primed = _pair(term)
                return f"{self.variables[name]}'" if primed else self.variables[name]
            case "bound_variable":
                return self._bound[term]
            case "and" | "or" if len(term.args) < 2:
                if not term.args:
                    return "TRUE" if term.op == "and" else "FALSE"
                return self.show(term.args[0], level)
            case "not":
                return self._negation(term.args[0], level)
            case "ite":
                condition, then, otherwise = (self.show(part) for part in term.args)
                return closed(f"IF {condition} THEN {then} ELSE {otherwise}", TOP, level)
            case _ if term.op in _LEVELS:
                own = _LEVELS[term.op]
                text = f" {_sign(term)} ".join(self.show(part, own + 1) for part in term.args)
                return closed(text, own, level)
            case "forall" | "exists" | "lambda" | "filter" | "union_of":
                return self._bounded(term, level)
            case "choose" | "first" | "last":
                return self._chosen(term, level)
            case _:
                return self._structure(term, level)

    def _negation(self, inner: Term, level: int) -> str:
        if inner.op == "is_none" and _looked_up(inner) is not None:
            return closed(self._in_keyed(inner.args[0], _EXISTS), TOP, level)
        if inner.op in ("eq", "member", "is_none"):
            left, right = self._compared(inner)
            sign = "\\notin" if inner.op == "member" else "#"
            return closed(f"{left} {sign} {right}", _COMPARED, level)
        return closed(f"~{self.show(inner, ATOM)}", _PREFIX, level)

    def _compared(self, term: Term) -> tuple[str, str]:
        left = self.show(term.args[0], _COMPARED + 1)
        return left, "None" if term.op == "is_none" else self.show(term.args[1], _COMPARED + 1)

    @contextmanager
    def _binder(self, term: Term) -> Iterator[tuple[str, str]]:
        """Bind a binder's variable; its name and the set that it runs over."""
        variable = term.args[0]
        over_set = len(term.args) == 3 and term.op in OVER_SETS
        domain = (
            self.show(term.args[1], _COMPARED + 1)
            if over_set
            else self.sorts.of(variable.sort, _COMPARED + 1)
        )
        with self.scope([(str(_pair(variable)[1]), variable)]) as (name,):
            yield name, domain

    def _bounded(self, term: Term, level: int) -> str:
        if term.data == EVERY:
            return self._every(term, level)
        with self._binder(term) as (name, domain):
            body = self.show(term.args[-1])
            match term.op:
                case "forall":
                    return closed(f"\\A {name} \\in {domain} : {body}", TOP, level)
                case "exists":
                    return closed(f"\\E {name} \\in {domain} : {body}", TOP, level)
                case "lambda":
                    return f"[{name} \\in {domain} |-> {body}]"
                case "filter":
                    return f"{{{name} \\in {domain} : {body}}}"
            return closed(f"UNION {{{body} : {name} \\in {domain}}}", UNION, level)

    def _every(self, term: Term, level: int) -> str:
        """Return a quantifier of whose members none is passed over."""
        body, found = term.args[-1], ["TRUE", "FALSE"]
        with self._binder(term) as (name, domain):
            text = self.show(body, ATOM)
            if body.op == "member":
                # `{a \in S : x \in D}` would bind `a`.
                text, found = self._negation(body, ATOM), ["FALSE", "TRUE"]
            sought = f"{found[0]} \\in" if term.op == "exists" else f"{found[1]} \\notin"
            return closed(f"{sought} {{{text} : {name} \\in {domain}}}", _COMPARED, level)

    def _asked(self, term: Term, asked: Sought) -> str:
        """Return what has no value where it is not what is asked of it."""
        given = [self.show(term.args[0])]
        match asked.operator, term.sort:
            case "Having", VariantSort() as sort:
                given += [quoted(self.sorts.tag(sort)), quoted(str(asked.of))]
            case "Within", sort:
                given.append(str(asked.of) if asked.of is not None else self.sorts.of(sort))
            case (("Short" | "Few"), SequenceSort(_, capacity) | BoundedSetSort(_, capacity)):
                given.append(bound(capacity, TOP))
            case "Keyed", KeyedSetSort(_, key):
                given.append(quoted(key))
        return f"{asked.operator}({', '.join(given)})"

    def _chosen(self, term: Term, level: int) -> str:
        """Return the least or greatest value of a sort that a formula holds for.

        Numbers have an order in TLA+; other values stand in a tuple in bmc's order.
        """
        variable, formula = term.args[0], term.args[1]
        extreme = "Greatest" if term.op == "last" else "Least"
        if isinstance(variable.sort, IntSort):
            with self._binder(term) as (name, domain):
                found = f"{{{name} \\in {domain} : {self.show(formula)}}}"
            chosen = f"{extreme}(%s)"
        else:
            listed = self._listed(variable.sort)
            with self.names.bound(["i"]) as (index,), self._binder(term) as (name, _):
                holds = f"LET {name} == {listed}[{index}] IN {self.show(formula)}"
                size = len(self.sorts.domains.values(variable.sort))
                found = f"{{{index} \\in 1..{size} : {holds}}}"
            chosen = f"{listed}[{extreme}(%s)]"
        if term.op == "choose":
            return chosen % found
        otherwise = self.show(term.args[2])
        if isinstance(variable.sort, IntSort):
            return f"{extreme}Or({found}, {otherwise})"
        with self.names.bound(["found"]) as (name,):
            text = f"LET {name} == {found} IN IF {name} = {{}} THEN {otherwise} ELSE "
            return closed(text + chosen % name, TOP, level)

    def _listed(self, sort: Sort) -> str:
        values = self.sorts.domains.values(sort)
        if len(values) > _LISTED:
            raise NoTla(
                f"one of {len(values)} values of {sort} is chosen by bmc's order of them, which "
                "has no counterpart in TLA+: choose smaller parameters"
            )
        try:
            return f"<<{', '.join(self.sorts.value(sort, value) for value in values)}>>"
        except SortError:
            raise NoTla(
                f"a value of {sort} is chosen by bmc's order of them, which has no counterpart in "
                "TLA+: write the protocol so that one value alone can be chosen"
            ) from None

    def _structure(self, term: Term, level: int) -> str:
        match term.op:
            case "is_none" if _looked_up(term) is not None:
                return f"~({self._in_keyed(term.args[0], _EXISTS)})"
            case "is_none":
                return closed(" = ".join(self._compared(term)), _COMPARED, level)
            case "record":
                assert isinstance(term.sort, RecordSort)
                return _record(
                    (name, self.show(part))
                    for (name, _), part in zip(term.sort.fields, term.args, strict=True)
                )
            case "field":
                return self._field(term)
            case "with_field":
                record, new = (self.show(one) for one in term.args)
                return f"[{record} EXCEPT !.{term.data} = {new}]"
            case "inject" | "payload" | "is_case":
                return self._variant(term, level)
            case "select":
                whole, key = term.args
                return f"{self.show(whole, ATOM)}[{self.show(key)}]"
            case "store":
                function, at, new = (self.show(one) for one in term.args)
                return f"[{function} EXCEPT ![{at}] = {new}]"
            case "at":
                whole, index = term.args
                return f"{self.show(whole, ATOM)}[{self._successor(index)}]"
            case "take":
                sequence, length = (self.show(one) for one in term.args)
                return f"SubSeq({sequence}, 1, {length})"
            case "append" | "tail":
                called = "Append" if term.op == "append" else "Tail"
                return f"{called}({', '.join(self.show(one) for one in term.args)})"
            case "size":
                called = "Len" if isinstance(term.args[0].sort, SequenceSort) else "Cardinality"
                return f"{called}({self.show(term.args[0])})"
            case "empty":
                return "<<>>" if isinstance(term.sort, SequenceSort) else "{}"
            case "full":
                return self.sorts.of(getattr(term.sort, "element", term.sort), level)
            case "insert" | "remove":
                return self._changed(term, level)
            case "lookup":
                return self._lookup(term)
        raise NoTla(f"there is no TLA+ for the operator {term.op}: report it as a fault of bmc")

    def _successor(self, index: Term) -> str:
        inner = index
        while inner.op == "narrow":
            inner = inner.args[0]
        return str(int(str(inner.data)) + 1) if inner.op == "int" else f"{self.show(index, 11)} + 1"

    def _changed(self, term: Term, level: int) -> str:
        whole, element = term.args
        single = f"{{{self.show(element)}}}"
        if term.op == "insert" and whole.op == "empty":
            return single
        sign = "\\union" if term.op == "insert" else "\\"
        return closed(f"{self.show(whole, UNION + 1)} {sign} {single}", UNION, level)

    def _lookup(self, term: Term) -> str:
        """Return what has a key in a set of records, or None."""
        return f"Only({self._in_keyed(term, '{')})"

    def _in_keyed(self, lookup: Term, binder: str) -> str:
        """Return a binder over the records of a set that have the key that is looked up.

        A key that may have no value is read though the set has no records.
        """
        whole = self.show(lookup.args[0], _COMPARED + 1)
        field = getattr(lookup.args[0].sort, "key", "")
        read_first = has_marks(lookup.args[1]) and binder != "CHOOSE"
        with self.names.bound(["one", *(["key"] if read_first else [])]) as (one, *key):
            wanted = self.show(lookup.args[1], 6)
            same = f"{one} \\in {whole} : {one}.{field} = {key[0] if key else wanted}"
            found = f"{{{same}}}" if binder == "{" else f"{binder} {same}"
            if not key:
                return found
            read = f"{key[0]} \\in {{{wanted}}}"
            return f"UNION {{{found} : {read}}}" if binder == "{" else f"{_EXISTS} {read} : {found}"

    def _field(self, term: Term) -> str:
        whole = term.args[0]
        inner = whole
        while inner.op in ("the", "narrow", "some") and not inner.data:
            inner = inner.args[0]
        if inner.op == "payload" and self._is_flat(inner):
            return f"{self.show(inner.args[0], ATOM)}.{term.data}"
        return f"{self.show(whole, ATOM)}.{term.data}"

    def _is_flat(self, payload: Term) -> bool:
        sort = payload.args[0].sort
        assert isinstance(sort, VariantSort)
        return is_flat(sort, str(payload.data))

    def _variant(self, term: Term, level: int) -> str:
        case = str(term.data)
        inner = term.args[0]
        if term.op == "inject":
            sort = term.sort
            assert isinstance(sort, VariantSort)
            tagged = [(self.sorts.tag(sort), f'"{case}"')]
            if not is_flat(sort, case):
                return _record([*tagged, (case, self.show(inner))])
            return _record([*tagged, *self._fields(inner)])
        sort = inner.sort
        assert isinstance(sort, VariantSort)
        held = self.show(inner, ATOM)
        if term.op == "is_case":
            return closed(f'{held}.{self.sorts.tag(sort)} = "{case}"', _COMPARED, level)
        if not is_flat(sort, case):
            return f"{held}.{case}"
        return _record((name, f"{held}.{name}") for name, _ in self.sorts.parts(sort, case))

    def _fields(self, record: Term) -> Iterator[tuple[str, str]]:
        """Yield the fields of a payload and their values."""
        assert isinstance(record.sort, RecordSort)
        names = [name for name, _ in record.sort.fields]
        if record.op == "record":
            yield from ((n, self.show(part)) for n, part in zip(names, record.args, strict=True))
        else:
            held = self.show(record, ATOM)
            yield from ((name, f"{held}.{name}") for name in names)


def _looked_up(term: Term) -> Term | None:
    """Return the look-up in a keyed set that a term asks about, if it does."""
    return term.args[0] if term.args[0].op == "lookup" else None


def _record(pairs: Iterable[tuple[str, str]]) -> str:
    return f"[{', '.join(f'{name} |-> {text}' for name, text in pairs)}]"


def _sign(term: Term) -> str:
    infix = OPERATORS[term.op].infix
    assert infix is not None
    return infix[0]


def _pair(term: Term) -> tuple[Any, Any]:
    data: Any = term.data
    return data[0], data[1]
