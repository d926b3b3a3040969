"""Literals of found clauses: texts such as ``~ log[Replica1].end >= 1``, read by their meaning.

A text names a part of the state by the way that leads to it: ``.field``, ``[key]``, ``!`` behind an
option, a variant's case or a key, ``?`` for whether something is there, ``#`` for a length. It ends
there for a truth value, or in ``>= n`` or ``= name``. A part that is not there counts as the least
value of its sort, except that it is no member of a scalarset.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bmc.evidence.certificate import CertificateError, Clause
from bmc.evidence.independent.formula import Formula
from bmc.evidence.independent.machine import Machine
from bmc.evidence.independent.order import Order
from bmc.evidence.independent.reading import State
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
    want,
)
from bmc.lang.sorts import (
    BitSet,
    BoolSort,
    BoundedSetSort,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    Sort,
    VariantSort,
    unknown_sort,
)

_NEGATION = "~ "


def clauses_hold(machine: Machine, clauses: Sequence[Clause], state: State) -> Formula:
    """Return the condition that every clause holds in a state.

    Raises CertificateError for a literal that is none, NotRead where the texts of a state's parts
    depend on an order that the judge does not know (of sets of bounded sets).
    """
    f = machine.formulas
    known: dict[str, Formula] = {}
    texts = _Texts(machine.universe)
    asked = {text.removeprefix(_NEGATION) for clause in clauses for text in clause}
    for name, sort in machine.model.variables.items():
        if any(text.startswith(name) for text in asked):
            known.update(texts.of(sort, state[name], name, f.true))

    def literal(text: str) -> Formula:
        plain = text.removeprefix(_NEGATION)
        if plain not in known:
            raise CertificateError(
                f"a clause cannot be read: {text!r} is not a literal of this model's state"
            )
        return known[plain] if plain == text else f.negation(known[plain])

    return f.all(f.any(literal(text) for text in clause) for clause in clauses)


class _Texts:
    """The texts of all atoms of a part of the state, each with what it means."""

    def __init__(self, universe: Universe) -> None:
        self.universe = universe
        self.f = universe.formulas

    def of(
        self, sort: Sort, value: Value, text: str, there: Formula
    ) -> Iterator[tuple[str, Formula]]:
        """Yield the atoms of a part; ``there`` is the condition that the part is there at all."""
        f = self.f
        match sort:
            case BoolSort():
                yield text, f.both(there, want(Truth, value).holds)
            case IntSort():
                low, high = self.universe.ends(sort)
                yield from self._at_least(text, want(Number, value).amount, low, high, there)
            case EnumSort():
                yield from self._one_of(text, want(Number, value).amount, sort.values, there)
            case Scalarset():
                for member in self.universe.listed(sort):
                    equal = f.both(there, self.universe.same(member, value))
                    yield f"{text} = {self.universe.shown(sort, member)}", equal
            case OptionSort(inner):
                option = want(Perhaps, value)
                present = f.both(there, option.present)
                yield f"{text}?", present
                yield from self.of(inner, option.value, f"{text}!", present)
            case RecordSort():
                for (field, part), inside in zip(
                    sort.fields, want(Fields, value).parts, strict=True
                ):
                    yield from self.of(part, inside, f"{text}.{field}", there)
            case VariantSort():
                yield from self._variant(sort, want(Tagged, value), text, there)
            case MapSort():
                for key, inside in zip(
                    self.universe.listed(sort.key), want(Table, value).entries, strict=True
                ):
                    yield from self.of(sort.value, inside, self._at(sort.key, key, text), there)
            case _ if isinstance(sort, BitSet):
                listed = self.universe.listed(sort.element)
                for one, held in zip(listed, want(Bits, value).members, strict=True):
                    yield self._at(sort.element, one, text), f.both(there, held)
            case KeyedSetSort():
                entries = zip(
                    self.universe.listed(sort.key_sort), want(Keyed, value).entries, strict=True
                )
                for key, (held, inside) in entries:
                    place, present = self._at(sort.key_sort, key, text), f.both(there, held)
                    yield f"{place}?", present
                    yield from self.of(sort.element, inside, f"{place}!", present)
            case SequenceSort(element) | BoundedSetSort(element):
                if isinstance(sort, SequenceSort):
                    row = want(Row, value)
                else:
                    row = Order(self.universe).row(sort, want(Loose, value))
                most = sort.capacity.at(self.universe.parameters)
                yield from self._at_least(f"{text}#", row.length, 0, most, there)
                for i in range(most):
                    # A sequence that cannot be longer holds no slots beyond.
                    slot = row.slots[i] if i < len(row.slots) else self.universe.void(element)
                    present = f.both(there, f.less(f.number(i), row.length))
                    yield from self.of(element, slot, f"{text}[{i}]", present)
            case _:
                unknown_sort(sort)

    def _at(self, sort: Sort, key: Value, text: str) -> str:
        return f"{text}[{self.universe.shown(sort, key)}]"

    def _at_least(
        self, text: str, amount: Formula, low: int, high: int, there: Formula
    ) -> Iterator[tuple[str, Formula]]:
        for least in range(low + 1, high + 1):
            reached = self.f.at_most(self.f.number(least), amount)
            yield f"{text} >= {least}", self.f.both(there, reached)

    def _one_of(
        self, text: str, amount: Formula, names: Iterable[str], there: Formula
    ) -> Iterator[tuple[str, Formula]]:
        f = self.f
        for position, name in enumerate(names):
            equal = f.same(amount, f.number(position))
            absent = f.true if position == 0 else f.false
            yield f"{text} = {name}", f.choose(there, equal, absent)

    def _variant(
        self, sort: VariantSort, value: Tagged, text: str, there: Formula
    ) -> Iterator[tuple[str, Formula]]:
        f = self.f
        yield from self._one_of(f"{text}?", value.tag, [case for case, _ in sort.cases], there)
        for position, ((case, part), payload) in enumerate(
            zip(sort.cases, value.payloads, strict=True)
        ):
            chosen = f.both(there, f.same(value.tag, f.number(position)))
            yield from self.of(part, payload, f"{text}!{case}", chosen)
