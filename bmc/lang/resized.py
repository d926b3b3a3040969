"""What is said of scalarsets of one size, said of those of another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bmc.lang.bounds import Bound
from bmc.lang.errors import SortError
from bmc.lang.properties import Property
from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import (
    BitSet,
    BoolSort,
    CountedSet,
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
from bmc.lang.terms import Term, make


def scalarsets(variables: Mapping[str, Sort]) -> dict[str, Bound]:
    """Return the sizes of the scalarsets in the sorts of some variables, by name."""
    return {part.name: part.size for sort in variables.values() for part in symmetric_parts(sort)}


class Resizing:
    """Terms about scalarsets of any size, read as terms over a model's ``variables``.

    No term names a member of a scalarset, so each says the same of however many there are.
    """

    def __init__(self, variables: Mapping[str, Sort]) -> None:
        self._variables = variables
        self._sizes = scalarsets(variables)
        self._known: dict[Term, Term] = {}

    def property(self, stated: Property) -> Property:
        """Return what a property says. Raises SortError as :meth:`term` does."""
        arguments = tuple(self.term(one) for one in stated.arguments)
        return replace(stated, arguments=arguments, body=self.term(stated.body))

    def term(self, term: Term) -> Term:
        """Return what a term says.

        Raises SortError where it reads a variable that is another one here but for the sizes.
        """
        found = self._known.get(term)
        if found is None:
            args = [self.term(one) for one in term.args]
            found = make(term.op, args, self.sort(term.sort), term.data)
            if term.op == "variable":
                self._require(found)
            self._known[term] = found
        return found

    def _require(self, read: Term) -> None:
        data = read.data
        assert isinstance(data, tuple)
        if self._variables.get(data[0]) != read.sort:
            raise SortError(f"{data[0]} differs in more than the sizes of its scalarsets: leave it")

    def sort(self, sort: Sort) -> Sort:
        """Return a sort with these scalarsets in it."""
        if isinstance(sort, BitSet | CountedSet):
            return replace(sort, element=self.sort(sort.element))
        match sort:
            case Scalarset():
                return Scalarset(sort.name, self._sizes.get(sort.name, sort.size))
            case BoolSort() | IntSort() | EnumSort():
                return sort
            case OptionSort(inner):
                return OptionSort(self.sort(inner))
            case RecordSort():
                return self._record(sort)
            case VariantSort(name, cases):
                return VariantSort(name, tuple((n, self.sort(part)) for n, part in cases))
            case MapSort(key, value):
                return MapSort(self.sort(key), self.sort(value))
            case KeyedSetSort(element, key):
                return KeyedSetSort(self._record(element), key)
            case SequenceSort(element, capacity):
                return SequenceSort(self.sort(element), capacity)
            case _:
                unknown_sort(sort)

    def _record(self, sort: RecordSort) -> RecordSort:
        return RecordSort(sort.name, tuple((n, self.sort(part)) for n, part in sort.fields))
