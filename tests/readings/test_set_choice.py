"""An action may choose a set, and add a set for each value of a sort: both readings agree."""

from __future__ import annotations

from bmc.engines.explicit import explore
from bmc.engines.task import Task
from bmc.lang import (
    Expr,
    Integer,
    KeyedSetSort,
    Parameter,
    Protocol,
    Record,
    Scalarset,
    SetSort,
    Step,
    Suite,
    Variable,
    action,
    empty,
    insert,
    ite,
    member,
    record,
    union_of,
)
from tests.encodings.levels import levels


class Posting(Protocol):
    """Some nodes are chosen; then each of them gets a letter, all in one step."""

    nodes = Parameter("nodes", 3, 1, 5, "number of nodes")

    Node = Scalarset("Node", nodes)
    Day = Integer("Day", 0, 2)
    Letter = Record("Letter", to=Node, day=Day)
    Letters = KeyedSetSort(Letter, "to")

    chosen = Variable(SetSort(Node))
    day = Variable(Day)
    letters = Variable(Letters)

    @action(nodes=SetSort(Node))
    def Init(self, s: Step, nodes: Expr) -> None:
        s.chosen = nodes
        s.day = 0
        s.letters = frozenset()

    @action()
    def Post(self, s: Step) -> None:
        s.require(s.day == 0)
        s.day = 1
        nothing = empty(self.Letters)
        s.letters = s.letters | union_of(
            self.Node,
            lambda to: ite(
                member(to, s.chosen),
                insert(nothing, record(self.Letter, to=to, day=s.day)),
                nothing,
            ),
            self.Letters,
        )

    Next = (Post,)


SUITE = Suite.of(Posting, "posting")


def test_every_set_is_chosen_and_every_letter_sent() -> None:
    assert explore(Task(SUITE, {}, ())).levels == (8, 8)
    assert tuple(levels(SUITE, {"nodes": 3})) == (8, 8)
