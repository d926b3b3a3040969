"""Worlds: small named sorts at small parameter values, and random sorts built of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar
from zlib import crc32

from bmc.lang import (
    BOOL,
    BoundedSet,
    EnumSort,
    Integer,
    KeyedSetSort,
    MapSort,
    OptionSort,
    Parameter,
    Record,
    Scalarset,
    Sequence,
    SetSort,
    Sort,
    Variant,
)
from bmc.lang.sorts import BoundedSetSort, IntSort, RecordSort, SequenceSort, VariantSort
from bmc.layout.domain import Domains
from bmc.readings.circuit import Circuit
from bmc.readings.shapes import Shapes
from tests.strategies.draw import Draw

EPOCHS = Parameter("epochs", 1, 0, 2, "the last epoch")
SPACE = Parameter("space", 1, 0, 2, "offsets beyond the first")
NODES = Parameter("nodes", 2, 1, 3, "interchangeable nodes")
CLIENTS = Parameter("clients", 1, 1, 2, "interchangeable clients")
PARAMETERS = (EPOCHS, SPACE, NODES, CLIENTS)

EPOCH = Integer("Epoch", 0, EPOCHS)
# Negative numbers, and a default that is not 0. At space = 0 the sort has a single value.
OFFSET = Integer("Offset", -1, SPACE - 1)
# The same identity with another range.
END = OFFSET.to(SPACE)
COLOUR = EnumSort("Colour", ("red", "green", "blue"))
LONE = EnumSort("Lone", ("only",))
NODE = Scalarset("Node", NODES)
CLIENT = Scalarset("Client", CLIENTS)

INTEGERS: tuple[IntSort, ...] = (EPOCH, OFFSET, END)
SCALARS: tuple[Sort, ...] = (BOOL, EPOCH, NODE, COLOUR, OFFSET, END, CLIENT, LONE)

MOST_KEYS = 4
"""The most values of a sort that keys a map or a keyed set."""

MOST_ELEMENTS = 6
"""The most values of a sort that a set with a bit an element, or a binder, runs over."""

MOST_LEAVES = 24
"""The most scalars that a value of a random sort is made of."""


def new_record(name: str, /, **fields: Sort) -> RecordSort:
    """A record sort whose name tells it from other ones, as a protocol must have it."""
    return Record(_own(name, fields), **fields)


def new_variant(name: str, /, **cases: Sort) -> VariantSort:
    """A variant sort whose name tells it from other ones, as a protocol must have it."""
    return Variant(_own(name, cases), **cases)


def _own(name: str, parts: dict[str, Sort]) -> str:
    return f"{name}{crc32(repr(parts).encode()):08x}"


@dataclass(frozen=True)
class World:
    """The parameters of one example, with the sizes that sorts have there."""

    parameters: dict[str, int]

    scalars: ClassVar[tuple[Sort, ...]] = SCALARS
    integers: ClassVar[tuple[IntSort, ...]] = INTEGERS

    def __post_init__(self) -> None:
        domains = Domains(self.parameters)
        object.__setattr__(self, "domains", domains)
        object.__setattr__(self, "_shapes", Shapes(Circuit(), domains))

    domains: Domains = None  # type: ignore[assignment]

    def leaves(self, sort: Sort) -> int:
        """How many scalars a value of the sort is made of."""
        shapes: Shapes = self._shapes  # type: ignore[attr-defined]
        return sum(1 for _ in shapes.leaves(shapes.default(sort)))

    def scalar(self, draw: Draw) -> Sort:
        """One of the named scalar sorts."""
        return draw.one_of(self.scalars)

    def listable(self, draw: Draw, most: int = MOST_ELEMENTS, sets: bool = False) -> Sort:
        """A sort for keys, elements and binders, with at most ``most`` values.

        ``sets`` for elements and binders, which sets can be a part of.
        """
        one = self.scalar(draw)
        if sets and draw.one_of((False, False, True)):
            one = SetSort(one)
        match draw.one_of(
            ("scalar", "scalar", "scalar", "option", "record", "variant", "map", "sequence")
        ):
            case "option":
                found: Sort = OptionSort(one)
            case "record":
                found = new_record("Pair", left=one, right=self.scalar(draw))
                if draw.one_of((False, False, True)):
                    found = OptionSort(found)
            case "variant":
                other = self.scalar(draw)
                found = new_variant("Kind", first=one, second=other) if sets else one
            case "map":
                found = MapSort(self.scalar(draw), one) if sets else one
            case "sequence":
                found = Sequence(one, draw.one_of((1, 2))) if sets else one
            case _:
                found = one
        return found if self.domains.number(found) <= most else one

    def keyed(self, draw: Draw, fuel: int = 1) -> KeyedSetSort:
        """A keyed set; the key is not always the record's first field."""
        fields = {"key": self.listable(draw, MOST_KEYS), "held": self.sort(draw, fuel - 1)}
        if draw.truth():
            fields = dict(reversed(fields.items()))
        return KeyedSetSort(new_record("Entry", **fields), "key")

    def sort(self, draw: Draw, fuel: int = 2) -> Sort:
        """Any sort, nested at most ``fuel`` deep."""
        if fuel <= 0:
            return self.scalar(draw)
        found = self._nested(draw, fuel - 1, draw.one_of(_KINDS))
        return found if self.leaves(found) <= MOST_LEAVES else self.scalar(draw)

    def of_kind(self, draw: Draw, kind: type[Sort]) -> Sort:
        """A sort of this kind."""
        scalars = [one for one in self.scalars if isinstance(one, kind)]
        if scalars:
            return draw.one_of(scalars)
        found = self._nested(draw, 1, _WORDS[kind])
        if isinstance(found, kind) and self.leaves(found) <= MOST_LEAVES:
            return found
        return self._nested(draw, 0, _WORDS[kind])

    def _nested(self, draw: Draw, fuel: int, word: str) -> Sort:
        match word:
            case "listable":
                return self.listable(draw)
            case "option":
                inner = self.sort(draw, fuel)
                return inner if isinstance(inner, OptionSort) else OptionSort(inner)
            case "record":
                return new_record("Pack", first=self.sort(draw, fuel), second=self.sort(draw, fuel))
            case "variant":
                return new_variant("Letter", ask=self.sort(draw, fuel), tell=self.sort(draw, fuel))
            case "lone variant":
                return new_variant("Note", only=self.sort(draw, fuel))
            case "map":
                return MapSort(self.listable(draw, MOST_KEYS), self.sort(draw, fuel))
            case "set":
                return SetSort(self.listable(draw, sets=True))
            case "keyed set":
                return self.keyed(draw, fuel)
            case "sequence":
                return Sequence(self.sort(draw, fuel), draw.one_of((1, SPACE, 2)))
            case "bounded set":
                return BoundedSet(self.sort(draw, fuel), draw.one_of((2, SPACE, 3)))
        return self.scalar(draw)


_LISTABLE = ("scalar", "scalar", "scalar", "option", "record", "variant", "map", "sequence")

_KINDS = (
    "scalar",
    "scalar",
    "listable",
    "option",
    "record",
    "set",
    "set",
    "map",
    "keyed set",
    "sequence",
    "bounded set",
    "variant",
    "lone variant",
)

_WORDS: dict[type[Sort], str] = {
    OptionSort: "option",
    RecordSort: "record",
    VariantSort: "variant",
    MapSort: "map",
    SetSort: "set",
    KeyedSetSort: "keyed set",
    SequenceSort: "sequence",
    BoundedSetSort: "bounded set",
}


def world_of(draw: Draw) -> World:
    """Parameter values of an example."""
    return World({p.name: draw.number(p.low, p.high) for p in PARAMETERS})
