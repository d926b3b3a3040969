"""The atoms of a state in words of the language: what IC3's literals say, as formulas.

A member of a scalarset is a variable, of which each stands for one member; a number that an atom
compares with, or a place in a sequence, is that number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from bmc.lang.build import (
    argument,
    at,
    empty,
    inject,
    insert,
    is_case,
    is_some,
    lookup,
    member,
    payload,
    record,
    size,
    some,
    the,
)
from bmc.lang.by_parts import ByParts
from bmc.lang.errors import BmcError
from bmc.lang.sorts import (
    BoolSort,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SetSort,
    Sort,
    VariantSort,
)
from bmc.lang.state import state_variable
from bmc.lang.terms import Term, coerce, field, select, term_of, truth
from bmc.layout.domain import Value
from bmc.layout.keys import key_text
from bmc.layout.layouts import Bit, Cases, Layout, Maybe, Number, Row, Slots, Table
from bmc.system.transition import TransitionSystem


class NotSayable(BmcError):
    """The language has no words for a part of the state: an element of a set by its place."""


@dataclass(frozen=True)
class Spoken(ByParts):
    """What an atom says: ``formula`` where the ``guards`` hold, ``absent`` where they do not.

    Of an atom "at least n" ``amount`` is what is compared, ``least`` the n, and ``lowest`` the
    least value of all.
    """

    formula: Term
    guards: tuple[Term, ...]
    absent: bool = False
    amount: Term | None = None
    least: int = 0
    lowest: int = 0


class Phrases:
    """The atoms of a system's state by their texts, as :class:`bmc.system.atoms.Atoms` has them.

    Raises NotSayable where a part of the state can only be named by its place.
    """

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system
        self._domains = system.domains
        self.members: dict[Term, tuple[Scalarset, int]] = {}
        self._variables: dict[tuple[Sort, int], Term] = {}
        self._found: dict[str, Spoken] = {}
        for name, sort in system.model.variables.items():
            layout = system.shapes.layouts.of(sort)
            self._describe(layout, state_variable(name, sort), name, ())

    def __getitem__(self, text: str) -> Spoken:
        return self._found[text]

    def member(self, sort: Scalarset, number: int) -> Term:
        """Return the variable that stands for a member."""
        key = sort, number
        if key not in self._variables:
            made = self._variables[key] = argument(f"{sort.name.lower()}_{number + 1}", sort)
            self.members[made] = key
        return self._variables[key]

    def _describe(self, layout: Layout, term: Term, text: str, guards: tuple[Term, ...]) -> None:
        match layout:
            case Bit():
                self._say(text, term, guards)
            case Number():
                self._number(layout, term, text, guards)
            case Maybe(part=part):
                there = is_some(term)
                self._say(f"{text}?", there, guards)
                self._describe(part, the(term), f"{text}!", (*guards, there))
            case Row(names=names, parts=parts):
                for name, part in zip(names, parts, strict=True):
                    self._describe(part, field(term, name), f"{text}.{name}", guards)
            case Cases(tags=tags, parts=parts):
                for tag, part in zip(tags, parts, strict=True):
                    chosen = is_case(term, tag)
                    self._say(f"{text}? = {tag}", chosen, guards, tag == tags[0])
                    held = payload(term, tag)
                    self._describe(part, held, f"{text}!{tag}", (*guards, chosen))
            case Table(index=index, keys=keys, part=part):
                for key in keys:
                    name = f"{text}[{key_text(self._domains, index, key)}]"
                    self._describe(part, self._entry(term, index, key), name, guards)
            case Slots(capacity=capacity, part=part, canonical=False):
                self._amount(size(term), f"{text}#", 0, capacity, guards)
                for place in range(capacity):
                    there = term_of(size(term) > place)
                    self._describe(part, at(term, place), f"{text}[{place}]", (*guards, there))
            case Slots():
                raise NotSayable(
                    f"{text} is a set whose elements are held by their place: no formula names one"
                )
            case _:
                assert_never(layout)

    def _number(self, layout: Number, term: Term, text: str, guards: tuple[Term, ...]) -> None:
        match layout.sort:
            case IntSort():
                self._amount(term, text, layout.low, layout.high, guards)
            case EnumSort(_, values):
                for value in values:
                    said = term_of(term == value)
                    self._say(f"{text} = {value}", said, guards, value == values[0])
            case Scalarset() as sort:
                for number in self._domains.values(sort):
                    said = term_of(term == self.member(sort, int(number)))
                    self._say(f"{text} = {key_text(self._domains, sort, number)}", said, guards)
            case _:
                assert_never(layout.sort)

    def _entry(self, term: Term, index: Sort, key: Value) -> Term:
        where = self._constant(index, key)
        match term.sort:
            case MapSort():
                return select(term, where)
            case KeyedSetSort():
                return lookup(term, where)
        return member(where, term)

    def _constant(self, sort: Sort, value: Value) -> Term:
        match sort:
            case Scalarset():
                return self.member(sort, int(value))
            case BoolSort():
                return truth(bool(value))
            case IntSort() | EnumSort():
                return coerce(value, sort)
            case OptionSort(inner):
                return coerce(None, sort) if value is None else some(self._constant(inner, value))
            case RecordSort(_, fields):
                parts = {
                    name: self._constant(part, v)
                    for (name, part), v in zip(fields, value, strict=True)
                }
                return record(sort, **parts)
            case SetSort(element):
                held = empty(sort)
                for one in sorted(value, key=self._domains.values(element).index):
                    held = insert(held, self._constant(element, one))
                return held
            case VariantSort():
                tag, inner = value
                return inject(sort, tag, self._constant(sort.case(tag), inner))
        raise NotSayable(f"a value of {sort} is no constant of the language")

    def _amount(self, term: Term, text: str, low: int, high: int, guards: tuple[Term, ...]) -> None:
        for least in range(low + 1, high + 1):
            said = Spoken(term_of(term >= least), guards, False, term, least, low)
            self._found[f"{text} >= {least}"] = said

    def _say(
        self, text: str, formula: Term, guards: tuple[Term, ...], absent: bool = False
    ) -> None:
        self._found[text] = Spoken(formula, guards, absent and bool(guards))
