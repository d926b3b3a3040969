"""Kinds of numbers: which of them a text ever compares with each other, or makes of each other.

All integers of a specification in TLA+ have one identity, so that a term could be compared with a
version, and at small bounds much of what is said so happens to hold. What the text itself never
brings together is of different kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bmc.lang.model import Model
from bmc.lang.operator_table import OVER_SETS
from bmc.lang.properties import Property
from bmc.lang.sorts import (
    AnySet,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    Sort,
    VariantSort,
)
from bmc.lang.terms import Term, subterms

Place = tuple[str, ...]
"""Where a value is: the variable of the state, and the way from there to a part."""

_KEY, _MEMBER = "[]", "{}"


class Kinds:
    """The kinds of the numbers in a model's state, by how its text and some properties use them."""

    def __init__(self, model: Model, stated: Iterable[Property]) -> None:
        self._parent: dict[Place, Place] = {}
        roots: list[Term] = [one.body for one in stated]
        for action in model.actions:
            for given in action.arguments:
                if given.collection is not None:
                    self._is_member(given.variable, given.collection)
            for branch in action.branches:
                roots += branch.guards
                for name, value in branch.updates.items():
                    self._flows((str(name),), value)
                    roots.append(value)
        for term in subterms(roots):
            if term.op in ("eq", "le", "lt"):
                self._meets(*term.args)
            elif term.op == "member":
                self._is_member(*term.args)
            elif term.op in OVER_SETS and len(term.args) == 3:
                self._is_member(term.args[0], term.args[1])

    def alike(self, one: Term, other: Term) -> bool:
        """Whether two numbers are of one kind; of what is no part of the state nothing is known."""
        a, b = _place(one), _place(other)
        if a is None or b is None or "" in (a[0], b[0]):
            return True
        return self._found(a) == self._found(b)

    def _meets(self, one: Term, other: Term) -> None:
        place = _place(one)
        if place is not None:
            self._flows(place, other)
        elif (place := _place(other)) is not None:
            self._flows(place, one)

    def _is_member(self, element: Term, collection: Term) -> None:
        place = _place(collection)
        if place is not None:
            self._flows((*place, _MEMBER), element)

    def _flows(self, to: Place, value: Term) -> None:
        """Note that a value is, or is compared with, what is at a place."""
        match value.op:
            case "ite":
                for branch in value.args[1:]:
                    self._flows(to, branch)
            case "store":
                self._flows(to, value.args[0])
                self._flows((*to, _KEY), value.args[2])
            case "with_field":
                self._flows(to, value.args[0])
                self._flows((*to, str(value.data)), value.args[1])
            case "record":
                assert isinstance(value.sort, RecordSort)
                for (name, _), part in zip(value.sort.fields, value.args, strict=True):
                    self._flows((*to, name), part)
            case "insert":
                self._flows(to, value.args[0])
                self._flows((*to, _MEMBER), value.args[1])
            case "append":
                self._flows(to, value.args[0])
                self._flows((*to, _KEY), value.args[1])
            case "lambda":
                self._flows((*to, _KEY), value.args[1])
            case "some" | "narrow" | "remove" | "tail" | "take":
                self._flows(to, value.args[0])
            case "add" | "sub" | "union" | "intersection" | "difference":
                for part in value.args:
                    self._flows(to, part)
            case _:
                place = _place(value)
                if place is not None:
                    for way in _numbers(value.sort):
                        self._parent[self._found((*to, *way))] = self._found((*place, *way))

    def _found(self, place: Place) -> Place:
        while place in self._parent and self._parent[place] != place:
            place = self._parent[place]
        return place


def _place(term: Term) -> Place | None:
    """Return where a value is; the variables of binders and actions have places of their own,
    which begin with nothing."""
    match term.op:
        case "variable":
            return (str(term.data[0]),)  # type: ignore[index]
        case "bound_variable":
            return "", str(term.data), str(term.sort)
        case "the" | "narrow" | "some" | "add" | "sub":
            places = (_place(part) for part in term.args)
            return next((place for place in places if place is not None), None)
        case "select" | "at":
            return _within(term.args[0], _KEY)
        case "lookup":
            return _within(term.args[0], _MEMBER)
        case "field" | "payload":
            return _within(term.args[0], str(term.data))
        case "size":
            return _within(term.args[0], "#")
    return None


def _within(whole: Term, part: str) -> Place | None:
    place = _place(whole)
    return None if place is None else (*place, part)


def _numbers(sort: Sort) -> Iterator[Place]:
    """Yield the ways to the numbers inside a value of a sort."""
    parts: list[tuple[Place, Sort]] = []
    match sort:
        case IntSort():
            yield ()
        case OptionSort(inner):
            parts = [((), inner)]
        case MapSort(_, value):
            parts = [((_KEY,), value)]
        case SequenceSort(element, _):
            parts = [((_KEY,), element)]
        case RecordSort(_, fields) | VariantSort(_, fields):
            parts = [((name,), part) for name, part in fields]
        case _ if isinstance(sort, AnySet):
            parts = [((_MEMBER,), sort.element)]
    for way, part in parts:
        for further in _numbers(part):
            yield *way, *further
