"""Concrete values as the independent judge holds them, and its formulas under an assignment."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from bmc.evidence.independent.formula import Formula
from bmc.evidence.independent.universe import Universe
from bmc.evidence.independent.values import (
    Bits,
    Fields,
    Keyed,
    Loose,
    Number,
    Perhaps,
    Row,
    Table,
    Tagged,
    Truth,
    Value,
)
from bmc.lang.sorts import (
    BoundedSetSort,
    EnumSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
)
from bmc.layout.domain import Domains, key_of

Assignment = dict[Formula, int]


def evaluate(formula: Formula, assignment: Mapping[Formula, int]) -> int:
    """The number or (0 or 1) truth value of a formula; a constant not assigned is at its least."""
    run = lambda one: evaluate(one, assignment)  # noqa: E731
    match formula.op:
        case "true" | "false":
            return int(formula.op == "true")
        case "number":
            return formula.low
        case "constant":
            return assignment.get(formula, formula.low)
        case "not":
            return 1 - run(formula.args[0])
        case "and":
            return min(map(run, formula.args))
        case "or":
            return max(map(run, formula.args))
        case "=":
            return int(run(formula.args[0]) == run(formula.args[1]))
        case "<=":
            return int(run(formula.args[0]) <= run(formula.args[1]))
        case "ite":
            return run(formula.args[1 if run(formula.args[0]) else 2])
        case "+":
            return run(formula.args[0]) + run(formula.args[1])
        case "-":
            return run(formula.args[0]) - run(formula.args[1])
    raise AssertionError(formula.op)


def constant(universe: Universe, domains: Domains, sort: Sort, value: Any) -> Value:
    """A concrete value as a symbolic one without unknowns."""
    f = universe.formulas

    def of(part: Sort, one: Any) -> Value:
        return constant(universe, domains, part, one)

    match sort:
        case EnumSort():
            return Number(f.number(sort.values.index(value)))
        case OptionSort(inner):
            if value is None:
                return Perhaps(f.false, universe.void(inner))
            return Perhaps(f.true, of(inner, value))
        case RecordSort():
            return Fields(tuple(of(s, v) for (_, s), v in zip(sort.fields, value, strict=True)))
        case VariantSort():
            parts = [of(s, value[1]) if c == value[0] else universe.void(s) for c, s in sort.cases]
            return Tagged(f.number([c for c, _ in sort.cases].index(value[0])), tuple(parts))
        case MapSort():
            return Table(tuple(of(sort.value, v) for v in value))
        case SetSort(element):
            held = [v in value for v in domains.values(element)]
            return Bits(tuple(f.true if one else f.false for one in held))
        case KeyedSetSort():
            by_key = {key_of(sort, record): record for record in value}
            void = want_keyed(universe.empty(sort)).entries
            keys = domains.values(sort.key_sort)
            return Keyed(
                tuple(
                    (f.true, of(sort.element, by_key[key])) if key in by_key else entry
                    for key, entry in zip(keys, void, strict=True)
                )
            )
        case BoundedSetSort(element):
            return Loose(tuple((f.true, of(element, v)) for v in sorted(value, key=repr)))
        case SequenceSort(element):
            return Row(f.number(len(value)), tuple(of(element, v) for v in value))
    if isinstance(value, bool):
        return Truth(f.true if value else f.false)
    return Number(f.number(value))


def want_keyed(value: Value) -> Keyed:
    """A value that is a keyed set."""
    assert isinstance(value, Keyed)
    return value


def assign(unknown: Value, held: Value, assignment: Assignment) -> None:
    """Give the unknowns of a value the numbers with which it is the one that is held."""
    if isinstance(unknown, Formula):
        assert isinstance(held, Formula)
        if unknown.op == "constant":
            assignment[unknown] = held.low if not held.boolean else int(held.op == "true")
    elif isinstance(unknown, Loose):
        assert isinstance(held, Loose)
        for one, other in zip_longest(unknown.elements, held.elements):
            if other is None:
                assignment[one[0]] = 0
            else:
                assign(one, other, assignment)
    else:
        # Of a sequence's slots only those that are filled are given.
        for part, other in zip(unknown, held, strict=False):
            assign(part, other, assignment)


def decoded(
    universe: Universe, domains: Domains, sort: Sort, value: Value, assignment: Assignment
) -> Any:
    """The concrete value that a symbolic one is under an assignment."""

    def of(part: Sort, one: Value) -> Any:
        return decoded(universe, domains, part, one, assignment)

    def number(formula: Formula) -> int:
        return evaluate(formula, assignment)

    match sort, value:
        case _, Truth(holds):
            return bool(number(holds))
        case EnumSort(), Number(amount):
            return sort.values[number(amount)]
        case _, Number(amount):
            return number(amount)
        case OptionSort(inner), Perhaps(present, part):
            return of(inner, part) if number(present) else None
        case RecordSort(), Fields(parts):
            return tuple(of(s, v) for (_, s), v in zip(sort.fields, parts, strict=True))
        case VariantSort(), Tagged(tag, payloads):
            case, part = sort.cases[number(tag)]
            return case, of(part, payloads[number(tag)])
        case MapSort(), Table(entries):
            return tuple(of(sort.value, entry) for entry in entries)
        case SetSort(element), Bits(members):
            pairs = zip(domains.values(element), members, strict=True)
            return frozenset(v for v, there in pairs if number(there))
        case KeyedSetSort(element, _), Keyed(elements):
            return frozenset(of(element, x) for there, x in elements if number(there))
        case BoundedSetSort(element), Loose(elements):
            return frozenset(of(element, x) for there, x in elements if number(there))
        case SequenceSort(element), Row(length, slots):
            return tuple(of(element, slot) for slot in slots[: number(length)])
    raise AssertionError(f"{value} is no {sort}")
