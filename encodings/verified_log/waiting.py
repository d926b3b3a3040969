"""The verified log where whoever would send to a full inbox waits until there is room.

That no inbox is ever full cannot be seen from a state, so a proof for all depths would have to
count everything that may still be sent. Here a full inbox is a bound like the others: every
execution is one of the protocol as published, and every one of those that sends to no full inbox
is one of these.
"""

from bmc.encodings.verified_log.log import VerifiedLog
from bmc.encodings.verified_log.network import Network
from bmc.encodings.verified_log.repaired import VerifiedLogRepaired

from bmc.lang import (
    Expr,
    Operand,
    Step,
    disj,
    integer,
    size,
)


class WaitingSenders(Network):
    """What is lost, or sent to one who has stopped, needs no room."""

    def send_to_log_node(self, s: Step, node: Operand, message: Expr, drop: Expr) -> None:
        room = size(s.logNodeInbox[node]) < integer(self.log_node_room)
        s.require(disj(drop, ~s.isUp[node], room))
        super().send_to_log_node(s, node, message, drop)

    def send_to_coordinator(self, s: Step, message: Expr, drop: Expr) -> None:
        s.require(disj(drop, size(s.coordinatorInbox) < integer(self.coordinator_room)))
        super().send_to_coordinator(s, message, drop)

    def send_to_producer(self, s: Step, producer: Operand, message: Expr, drop: Expr) -> None:
        room = size(s.producerInbox[producer]) < integer(self.producer_room)
        s.require(disj(drop, self.gone(s, producer), room))
        super().send_to_producer(s, producer, message, drop)

    def shut_down(self, s: Step, node: Expr) -> None:
        s.require(size(s.logNodeInbox[node]) < integer(self.log_node_room))
        super().shut_down(s, node)

    def tell_coordinator(self, s: Step, message: Expr) -> None:
        s.require(size(s.coordinatorInbox) < integer(self.coordinator_room))
        super().tell_coordinator(s, message)

    def time_out(self, s: Step, producer: str) -> None:
        s.require(size(s.producerInbox[producer]) < integer(self.producer_room))
        super().time_out(s, producer)


class VerifiedLogWaiting(WaitingSenders, VerifiedLog):
    """The protocol as published."""


class VerifiedLogRepairedWaiting(WaitingSenders, VerifiedLogRepaired):
    """The repaired protocol."""
