"""The union of bounded sets: many messages sent at once, and reported when they do not fit."""

from __future__ import annotations

import pytest

from bmc.engines.explicit import explore
from bmc.engines.task import Task
from bmc.lang import (
    BoundedSet,
    BoundTooSmall,
    Integer,
    Parameter,
    Protocol,
    Step,
    Suite,
    Variable,
    action,
    empty,
    insert,
    ite,
    one_of,
    union_of,
)
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter


class Broadcast(Protocol):
    """Sends every number but one, twice over."""

    room = Parameter("room", 3, 0, 5, "messages in flight")
    Number = Integer("Number", 0, 3)
    Numbers = BoundedSet(Number, room)
    sent = Variable(Numbers)

    @action()
    def Init(self, s: Step) -> None:
        s.sent = frozenset()

    @action()
    def SendAll(self, s: Step) -> None:
        nothing = empty(self.Numbers)
        s.sent = s.sent | union_of(
            self.Number, lambda n: ite(n == 1, nothing, insert(nothing, n)), self.Numbers
        )

    Next = one_of(SendAll)


SUITE = Suite.of(Broadcast, "broadcast")


@pytest.mark.parametrize("room", [3, 4])
def test_all_arrive_once(room: int) -> None:
    found = explore(Task(SUITE, {"room": room}, ()))
    assert found.levels == (1, 1)
    interpreter = Interpreter(SUITE.model(False), Domains({"room": room}))
    (start,) = interpreter.initial_states()
    (sent,) = interpreter.successors(start)
    assert sent.state["sent"] == {0, 2, 3}
    (again,) = interpreter.successors(sent.state)
    assert again.state == sent.state


@pytest.mark.parametrize("room", [0, 2])
def test_too_many_are_reported(room: int) -> None:
    assert explore(Task(SUITE, {"room": room}, ())).overflow is not None
    interpreter = Interpreter(SUITE.model(False), Domains({"room": room}))
    (start,) = interpreter.initial_states()
    with pytest.raises(BoundTooSmall):
        list(interpreter.successors(start))
