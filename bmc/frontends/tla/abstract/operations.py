"""The shapes of what built-in operators return, given those of their arguments."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.amounts import count
from bmc.frontends.tla.abstract.context import (
    LENGTH,
    Context,
    Known,
)
from bmc.frontends.tla.abstract.domain import FAR, NOTHING, Shape
from bmc.frontends.tla.abstract.evaluator import TRUTHS, Evaluator
from bmc.frontends.tla.abstract.numbers import added, as_sequences
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.operators import Operator as O


class Operations(Evaluator):
    """Applies built-in operators."""

    def operation(
        self, operator: O, arguments: list[Known], node: c.Expression, context: Context
    ) -> Known:
        """Return what is known of a built-in operator's value."""
        shapes = [a.shape for a in arguments]
        match operator:
            case O.PLUS | O.MINUS:
                return self._sum(operator, arguments)
            case O.NEGATE:
                i = shapes[0].integers
                return Known(NOTHING if i is None else d.integers(-i.high, -i.low))
            case O.TIMES | O.DIVIDE | O.MODULO | O.POWER:
                return Known(arithmetic(operator, shapes[0], shapes[1]))
            case O.INTERVAL:
                a, b = shapes[0].integers, shapes[1].integers
                if a is None or b is None:
                    return Known(d.set_of(NOTHING))
                return Known(d.set_of(d.integers(a.low, b.high)))
            case O.CUP:
                return Known(d.join(shapes[0], shapes[1]))
            case O.CAP:
                element = d.meet(self.elements(shapes[0]), self.elements(shapes[1]))
                return Known(d.set_of(element))
            case O.SET_MINUS:
                return Known(d.set_of(self._difference(arguments)))
            case O.UNION:
                inner = self.elements(self.elements(shapes[0]))
                return Known(d.set_of(inner))
            case O.POWER_SET:
                return Known(d.set_of(d.set_of(self.elements(shapes[0]))))
            case O.DOMAIN:
                return self._domain(arguments[0])
            case O.NAT:
                return Known(d.set_of(d.NATURALS))
            case O.INT | O.REAL:
                return Known(d.set_of(d.INTEGERS))
            case O.BOOLEAN:
                return Known(d.set_of(TRUTHS), constant=v.BOOLEANS)
            case O.SEQ:
                element = self.elements(shapes[0])
                return Known(d.set_of(d.sequence_of(element, 0, FAR)))
            case O.CARDINALITY:
                return Known(d.integers(0, count(self.elements(shapes[0]))))
            case O.IS_FINITE_SET:
                return Known(TRUTHS)
            case O.PRINT:
                return arguments[1]
            case O.PRINT_T:
                return Known(d.truths(True), constant=v.TRUE)
            case O.ASSERT:
                return Known(d.truths(True))
            case O.TLC_EVAL:
                return arguments[0]
            case O.SINGLETON:
                if isinstance(arguments[0].constant, str):
                    return Known(d.record_of({arguments[0].constant: shapes[1]}))
                key = arguments[0].constant
                only = None if key is None else frozenset((key,))
                return Known(d.function_of(shapes[0], shapes[1], only))
            case O.MERGE:
                return Known(_merged(shapes[0], shapes[1]))
        return self._sequence_operation(operator, arguments, node)

    def _sequence_operation(self, operator: O, arguments: list[Known], node: c.Expression) -> Known:
        shapes = [a.shape for a in arguments]
        s = as_sequences(shapes[0]) if shapes else None
        if operator is O.LEN:
            if s is None:
                return Known(NOTHING)
            place = arguments[0].place
            length = d.integers(s.shortest, s.longest)
            return Known(length, None if place is None else (*place, LENGTH))
        if s is None:
            return Known(NOTHING)
        match operator:
            case O.APPEND:
                if s.parts is not None and s.longest < 4:
                    return Known(d.tuple_of((*s.parts, shapes[1])))
                element = d.join(s.element, shapes[1])
                return Known(d.sequence_of(element, s.shortest + 1, added(s.longest, 1)))
            case O.HEAD:
                return Known(s.at(1))
            case O.TAIL:
                if s.parts:
                    return Known(d.tuple_of(s.parts[1:]))
                return Known(
                    d.sequence_of(s.element, max(0, s.shortest - 1), max(0, added(s.longest, -1)))
                )
            case O.CONCATENATE:
                t = as_sequences(shapes[1])
                if t is None:
                    return Known(NOTHING)
                element = d.join(s.element, t.element)
                return Known(
                    d.sequence_of(element, s.shortest + t.shortest, added(s.longest, t.longest))
                )
            case O.SUB_SEQ:
                first, last = shapes[1].integers, shapes[2].integers
                longest = s.longest
                if first is not None and last is not None:
                    longest = min(longest, max(0, added(last.high, 1 - first.low)))
                return Known(d.sequence_of(s.element, 0, longest))
        raise TlaUnsupported(
            node.span, f"{operator.value} is not supported", "write it with other operators"
        )

    def _sum(self, operator: O, arguments: list[Known]) -> Known:
        a, b = arguments[0].shape.integers, arguments[1].shape.integers
        if a is None or b is None:
            return Known(NOTHING)
        if operator is O.MINUS:
            b = d.Interval(-b.high, -b.low)
        shape = d.integers(added(a.low, b.low), added(a.high, b.high))
        if b.low == b.high and arguments[0].place is not None:
            return Known(shape, arguments[0].place, None, arguments[0].offset + b.low)
        if operator is O.PLUS and a.low == a.high and arguments[1].place is not None:
            return Known(shape, arguments[1].place, None, arguments[1].offset + a.low)
        return Known(shape)

    def _difference(self, arguments: list[Known]) -> Shape:
        element = self.elements(arguments[0].shape)
        gone = arguments[1].constant
        if isinstance(gone, frozenset):
            atoms = element.atoms - {g for g in gone if isinstance(g, str | v.ModelValue)}
            element = replace(element, atoms=atoms)
        return element

    def _domain(self, function: Known) -> Known:
        shape = function.shape
        found = NOTHING
        constant: frozenset[Any] | None = None
        for names, _ in shape.records:
            found = d.join(found, Shape(atoms=frozenset(names)))
            constant = frozenset(names)
        if shape.functions is not None:
            found = d.join(found, shape.functions.keys)
            constant = shape.functions.domain
        if shape.sequences is not None:
            s = shape.sequences
            if s.longest:
                found = d.join(found, d.integers(1, s.longest))
            constant = frozenset(range(1, s.longest + 1)) if s.shortest == s.longest else None
        kinds = len(shape.records) + (shape.functions is not None) + (shape.sequences is not None)
        return Known(d.set_of(found), constant=constant if kinds == 1 else None)


def arithmetic(operator: O, left: Shape, right: Shape) -> Shape:
    """Return the shape of a product, a quotient, a remainder or a power."""
    a, b = left.integers, right.integers
    if a is None or b is None:
        return NOTHING
    if operator is O.MODULO:
        high = b.high - 1
        if a.low >= 0:
            high = min(high, a.high)
        return d.integers(0, high) if b.high > 0 else NOTHING
    if not (a.finite and b.finite):
        low = 0 if a.low >= 0 and b.low >= 0 else -FAR
        if operator is O.DIVIDE and a.low >= 0:
            return d.integers(0 if b.low >= 0 else -a.high, a.high)
        return d.integers(low, FAR)
    if operator is O.TIMES:
        ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    elif operator is O.DIVIDE:
        divisors = [y for y in (b.low, -1, 1, b.high) if y and b.low <= y <= b.high]
        if not divisors:
            return NOTHING
        ends = [x // y for x in (a.low, a.high) for y in divisors]
    else:
        if b.low < 0 or b.high > 64:
            return d.INTEGERS
        # Of a negative number the largest power may be the last but one, and the least one too.
        exponents = [y for y in (b.low, b.low + 1, b.high - 1, b.high) if b.low <= y <= b.high]
        ends = [x**y for x in {a.low, a.high, 0} for y in exponents]
    return d.integers(min(ends), max(ends))


def _merged(left: Shape, right: Shape) -> Shape:
    pairs = [(one, other) for one in _kinds(left) for other in _kinds(right)]
    return d.join_all(_merged_kinds(one, other) for one, other in pairs)


_Kind = dict[str, Shape] | d.Functions


def _kinds(shape: Shape) -> list[_Kind]:
    """Return records of each kind by their fields, and all other functions as one kind."""
    kinds: list[_Kind] = [dict(zip(names, parts, strict=True)) for names, parts in shape.records]
    others = d.as_functions(shape).functions
    return kinds if others is None else [*kinds, others]


def _merged_kinds(left: _Kind, right: _Kind) -> Shape:
    if isinstance(left, dict) and isinstance(right, dict):
        return d.record_of({**right, **left})
    f, g = _function(left), _function(right)
    if f.keys.empty:
        return _shape(right)
    if g.keys.empty or (isinstance(left, dict) and _covers(left.keys(), g.keys)):
        return _shape(left)
    if isinstance(right, dict) and _covers(right.keys(), f.keys):
        return d.record_of({name: d.join(f.values, part) for name, part in right.items()})
    domain = None
    if f.domain is not None and g.domain is not None:
        domain = f.domain | g.domain
    elif f.domain is None and g.domain is not None and _covers(g.domain, f.keys):
        domain = g.domain
    return d.function_of(d.join(f.keys, g.keys), d.join(f.values, g.values), domain)


def _function(kind: _Kind) -> d.Functions:
    if isinstance(kind, d.Functions):
        return kind
    return d.Functions(Shape(atoms=frozenset(kind)), d.join_all(kind.values()), frozenset(kind))


def _shape(kind: _Kind) -> Shape:
    return d.record_of(kind) if isinstance(kind, dict) else Shape(functions=kind)


def _covers(domain: Collection[Any], keys: Shape) -> bool:
    shape = d.join_all(d.shape_of(k) for k in domain)
    return d.join(shape, keys) == shape and count(shape) == len(domain)
