"""A model with a variable of every sort, for what a report must be able to say."""

from pathlib import Path

from bmc.lang import (
    BOOL,
    TRUE,
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
    Variant,
)
from bmc.lang.build import argument
from bmc.lang.model import Action, Argument, Model, Source
from bmc.lang.sorts import Sort
from bmc.layout.domain import Value
from bmc.reports.vocabulary import Vocabulary

SIZE = Parameter("size", 3, 1, 5, "members of every scalarset")
Replica = Scalarset("Replica", SIZE)
Offset = Integer("Offset", 0, 2)
Role = EnumSort("Role", ("leader", "follower"))
Entry = Record("Entry", id=Offset, owner=OptionSort(Replica))
Message = Variant("Message", Fetch=Entry, Stop=BOOL)

SORTS: dict[str, Sort] = {
    "flag": BOOL,
    "offset": Offset,
    "role": Role,
    "replica": Replica,
    "record": Scalarset("LogRecord", SIZE),
    "client": Scalarset("Client", SIZE),
    "clerk": Scalarset("Clerk", SIZE),
    "nobody": OptionSort(Replica),
    "entry": Entry,
    "log": MapSort(Offset, OptionSort(Offset)),
    "byEpoch": MapSort(Integer("Epoch", -1, 1), BOOL),
    "byReplica": MapSort(Replica, Offset),
    "byRole": MapSort(Role, OptionSort(Replica)),
    "isr": SetSort(Replica),
    "requests": KeyedSetSort(Entry, "id"),
    "messages": BoundedSet(Message, 3),
    "queue": Sequence(Message, 3),
}

STATE: dict[str, Value] = {
    "flag": True,
    "offset": 2,
    "role": "follower",
    "replica": 0,
    "record": 1,
    "client": 2,
    "clerk": 0,
    "nobody": None,
    "entry": (1, 2),
    "log": (1, None, None),
    "byEpoch": (True, False, True),
    "byReplica": (0, 1, 0),
    "byRole": (None, 1),
    "isr": frozenset([2, 0]),
    "requests": frozenset([(1, None), (0, 2)]),
    "messages": frozenset([("Stop", True), ("Fetch", (0, None))]),
    "queue": (("Stop", False), ("Fetch", (2, 1))),
}

_HERE = Source(str(Path(__file__)), 1)
_CHANGE = Action(
    "Change",
    tuple(
        Argument(name, argument(name, sort), None)
        for name, sort in (("replica", Replica), ("entry", Entry))
    ),
    (),
    _HERE,
)
MODEL = Model("zoo", (SIZE,), SORTS, frozenset(), Action("Init", (), (), _HERE), (_CHANGE,), TRUE)
WORDS = Vocabulary(MODEL, {"size": 3})
