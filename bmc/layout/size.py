"""How many bits a state has: a closed form over the parameters, from the sorts alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from bmc.lang.bounds import Bound
from bmc.lang.errors import SortError
from bmc.lang.model import Model
from bmc.lang.sorts import (
    BitSet,
    BoolSort,
    BoundedSetSort,
    Collection,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
    unknown_sort,
)


class bits(sympy.Function):  # type: ignore[misc]
    """The bits that tell ``n`` values apart."""

    @classmethod
    def eval(cls, n: Any) -> Any:
        """A number as soon as ``n`` is one."""
        return sympy.Integer(max(0, int(n) - 1).bit_length()) if n.is_Integer else None


class sequences(sympy.Function):  # type: ignore[misc]
    """The sequences of up to ``longest`` of ``n`` values: 1 + n + ... + n^longest."""

    @classmethod
    def eval(cls, n: Any, longest: Any) -> Any:
        """A number as soon as both are."""
        if not (n.is_Integer and longest.is_Integer):
            return None
        held, most = int(n), max(int(longest), -1)
        return sympy.Integer(most + 1 if held == 1 else (held ** (most + 1) - 1) // (held - 1))


def state_bits(model: Model) -> Any:
    """The closed form: a sympy expression over the model's parameters."""
    return sympy.Add(*(_bits(sort) for sort in model.variables.values()))


def bits_at(form: Any, parameters: Mapping[str, int]) -> int:
    """The closed form at parameter values."""
    values = {_symbol(n): sympy.Integer(v) for n, v in parameters.items()}
    return int(form.xreplace(values))


def _symbol(name: str) -> Any:
    return sympy.Symbol(name, integer=True, nonnegative=True)


def _term(bound: Bound) -> Any:
    products = (
        factor * sympy.Mul(*(_symbol(n) for n in names)) for names, factor in bound.coefficients
    )
    return sympy.Integer(bound.constant) + sympy.Add(*products)


def _bits(sort: Sort) -> Any:
    match sort:
        case BoolSort():
            return sympy.Integer(1)
        case IntSort() | Scalarset() | EnumSort():
            return bits(_count(sort))
        case OptionSort():
            return 1 + _bits(sort.inner)
        case RecordSort():
            return sympy.Add(*(_bits(part) for _, part in sort.fields))
        case VariantSort():
            tag = bits(sympy.Integer(len(sort.cases)))
            return tag + sympy.Add(*(_bits(part) for _, part in sort.cases))
        case MapSort():
            return _count(sort.key) * _bits(sort.value)
        case _ if isinstance(sort, BitSet):
            return _count(sort.element)
        case KeyedSetSort():
            # A slot a key, which therefore needs no bits of its own.
            rest = (_bits(part) for name, part in sort.element.fields if name != sort.key)
            return _count(sort.key_sort) * (1 + sympy.Add(*rest))
        case SequenceSort() | BoundedSetSort():
            capacity = _term(sort.capacity)
            return bits(capacity + 1) + capacity * _bits(sort.element)
        case _:
            unknown_sort(sort)


def _count(sort: Sort) -> Any:
    match sort:
        case BoolSort():
            return sympy.Integer(2)
        case EnumSort():
            return sympy.Integer(len(sort.values))
        case IntSort():
            low, high = sort.range()
            return _term(high - low + 1)
        case Scalarset():
            return _term(sort.size)
        case OptionSort():
            return 1 + _count(sort.inner)
        case RecordSort():
            return sympy.Mul(*(_count(part) for _, part in sort.fields))
        case SetSort():
            return 2 ** _count(sort.element)
        case VariantSort():
            return sympy.Add(*(_count(part) for _, part in sort.cases))
        case MapSort():
            return _count(sort.value) ** _count(sort.key)
        case SequenceSort():
            return sequences(_count(sort.element), _term(sort.capacity))
        case _ if isinstance(sort, Collection):
            raise SortError(f"the values of {sort} are too many to list")
        case _:
            unknown_sort(sort)
