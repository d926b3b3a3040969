"""Terms of a translated model in the words of the text that it was translated from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bmc.lang.show import TermText
from bmc.lang.sorts import EnumSort, IntSort, RecordSort, Scalarset, Sort, VariantSort
from bmc.lang.terms import Term

from .forms import is_image, is_tuple
from .layout import Layout
from .specification import Specification
from .translate.constants import Constants
from .values import show

_LARGEST = 64
"""Members of a set without a name that is written out."""

_COMPARISON, _SUM = 4, 5
"""How strongly comparisons and sums bind."""


class Words(TermText):
    """Writes terms as TLA+; ``names`` has what stands for none in each option sort, ``constants``
    what sets are called.

    A set of a constant's members has the constant's name, and a tuple is written as one. What the
    translation added (the cases of a union of records, the images of a function of varying domain)
    is written as what it holds.
    """

    def __init__(
        self, constants: Mapping[frozenset[Any], str], layout: Layout, names: Mapping[Term, str]
    ) -> None:
        super().__init__(names, brief=False)
        self._layout = layout
        self._constants = constants

    def sort(self, sort: Sort) -> str:
        """The set of a sort's values: the constant that it is, an interval, or written out."""
        if isinstance(sort, IntSort):
            return f"{sort.low}..{sort.high}"
        if isinstance(sort, RecordSort) and is_tuple(sort):
            return "(" + " \\X ".join(self.sort(part) for _, part in sort.fields) + ")"
        if not isinstance(sort, EnumSort | Scalarset):
            return super().sort(sort)
        values = self._layout.domains.values(sort)
        if len(values) > _LARGEST:
            return super().sort(sort)
        held = frozenset(self._layout.decode(value, sort) for value in values)
        return self._constants.get(held) or show(held)

    def atom(self, term: Term, level: int) -> str:
        """The text of a term that is no operator between others."""
        data: Any = term.data
        match term.op:
            case "enum":
                return show(self._layout.decode(data, term.sort))
            case "record" if is_image(term.sort):
                return self.show(term.args[0], level)
            case "record" if isinstance(term.sort, RecordSort) and is_tuple(term.sort):
                return f"<<{', '.join(self.show(part, 0) for part in term.args)}>>"
            case "field":
                whole = term.args[0]
                if is_image(whole.sort):
                    return self.show(whole, level)
                if isinstance(whole.sort, RecordSort) and is_tuple(whole.sort):
                    place = [name for name, _ in whole.sort.fields].index(str(data))
                    return f"{self.show(whole, 7)}[{place + 1}]"
            case "inject" | "payload":
                return self.show(term.args[0], level)
            case "is_case" if fields := fields_of_case(term):
                named = ", ".join(f'"{name}"' for name in fields)
                text = f"DOMAIN {self.show(term.args[0], 7)} = {{{named}}}"
                return f"({text})" if level > _COMPARISON else text
            case "at":
                return f"{self.show(term.args[0], 7)}[{self._place(term.args[1])}]"
        return super().atom(term, level)

    def _place(self, index: Term) -> str:
        """A place in a sequence, which is counted from 0 in terms and from 1 in the text."""
        data: Any = index.data
        return str(data + 1) if index.op == "int" else f"{self.show(index, _SUM)} + 1"


def fields_of_case(term: Term) -> tuple[str, ...]:
    """Return the fields of the records that `is_case` asks for; none where it asks for others."""
    sort = term.args[0].sort
    case = dict(sort.cases)[str(term.data)] if isinstance(sort, VariantSort) else None
    if not isinstance(case, RecordSort) or is_tuple(case) or is_image(case):
        return ()
    return tuple(name for name, _ in case.fields)


def named_sets(specification: Specification) -> dict[frozenset[Any], str]:
    """Return the constants that are sets, by what they hold; the first of those that are equal."""
    constants = Constants(specification)
    found: dict[frozenset[Any], str] = {}
    for name in specification.constants:
        try:
            value = constants.constant_named(name)
        except Exception:
            continue
        if isinstance(value, frozenset):
            found.setdefault(value, name)
    return found
