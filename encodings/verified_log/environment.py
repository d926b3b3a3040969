"""Timer.p and FailureInjectorNotifier.p: what happens to the machines from outside."""

from bmc.encodings.verified_log.network import Network

from bmc.lang import (
    Expr,
    Step,
    action,
    append,
    insert,
    is_none,
    is_some,
    member,
    size,
    some,
    the,
)


class Environment(Network):
    """A started timer fires at any time and is never cancelled; a node may fail at any time."""

    @action()
    def OldProducerTimer_fires(self, s: Step) -> None:
        s.require(self.turn(s), s.oldTimer.started > 0)
        s.oldTimer.started = s.oldTimer.started - 1
        s.oldTimer.left = s.oldTimer.left - 1
        self._time_out(s, "OLD")

    @action()
    def NewProducerTimer_fires(self, s: Step) -> None:
        s.require(self.turn(s), s.newTimer.started > 0)
        s.newTimer.started = s.newTimer.started - 1
        s.newTimer.left = s.newTimer.left - 1
        self._time_out(s, "NEW")

    def _time_out(self, s: Step, producer: str) -> None:
        message = self.to_producer("eTimeOut", "NEW_SEG_OK", 0, "OLD")
        s.producerInbox[producer] = append(s.producerInbox[producer], message)

    @action()
    def CoordinatorTimer_fires(self, s: Step) -> None:
        s.require(self.turn(s), s.coordinatorTimer.started > 0)
        s.coordinatorTimer.started = s.coordinatorTimer.started - 1
        s.coordinatorTimer.left = s.coordinatorTimer.left - 1
        s.coordinatorInbox = append(s.coordinatorInbox, self.to_coordinator("eTimeOut"))

    @action(node=Network.LogNode)
    def FailureInjector_sends_eShutDown(self, s: Step, node: Expr) -> None:
        s.require(self.turn(s), is_none(s.unreported))
        s.require(size(s.failed) < self.node_failures, ~member(node, s.failed))
        s.failed = insert(s.failed, node)
        s.unreported = some(node)
        s.logNodeInbox[node] = append(s.logNodeInbox[node], self.to_log_node("eShutDown"))

    @action(fairness="weak")
    def FailureInjector_sends_eInformNodeFailure(self, s: Step) -> None:
        s.require(self.turn(s), is_some(s.unreported))
        message = self.to_coordinator("eInformNodeFailure", node=the(s.unreported))
        s.coordinatorInbox = append(s.coordinatorInbox, message)
        s.unreported = None
