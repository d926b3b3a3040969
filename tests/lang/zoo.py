"""A small world to write terms in: one sort of each kind, and a variable of each."""

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
    State,
    Step,
    Variant,
)

SIZE = Parameter("size", 2, 1, 9, "offsets of a log")
NODES = Parameter("nodes", 3, 1, 9, "number of nodes")

Epoch = Integer("Epoch", 0, 3)
Offset = Integer("Offset", 0, SIZE - 1)
Colour = EnumSort("Colour", ("red", "green", "blue"))
Node = Scalarset("Node", NODES)
Client = Scalarset("Client", 2)
Entry = Record("Entry", epoch=Epoch, owner=OptionSort(Node))
Log = Record("Log", end=Offset.to(SIZE), entries=MapSort(Offset, OptionSort(Entry)))
Letter = Variant("Letter", ask=Epoch, tell=Entry)

SORTS: dict[str, Sort] = {
    "flag": BOOL,
    "epoch": Epoch,
    "offset": Offset,
    "colour": Colour,
    "node": Node,
    "peer": Node,
    "client": Client,
    "leader": OptionSort(Node),
    "entry": Entry,
    "logs": MapSort(Node, Log),
    "isr": SetSort(Node),
    "requests": KeyedSetSort(Entry, "epoch"),
    "queue": Sequence(Epoch, SIZE),
    "network": BoundedSet(Letter, 3),
    "letter": Letter,
    "epochs": MapSort(Offset, Epoch),
}

state = State(SORTS)


def step() -> Step:
    """A step that may assign every variable."""
    return Step(SORTS, frozenset(SORTS))
