"""Timer.p and FailureInjectorNotifier.p: what happens to the machines from outside."""

from bmc.encodings.verified_log.network import Network

from bmc.lang import (
    Expr,
    Step,
    action,
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
        self.time_out(s, "OLD")

    @action()
    def NewProducerTimer_fires(self, s: Step) -> None:
        s.require(self.turn(s), s.newTimer.started > 0)
        s.newTimer.started = s.newTimer.started - 1
        s.newTimer.left = s.newTimer.left - 1
        self.time_out(s, "NEW")

    @action()
    def CoordinatorTimer_fires(self, s: Step) -> None:
        s.require(self.turn(s), s.coordinatorTimer.started > 0)
        s.coordinatorTimer.started = s.coordinatorTimer.started - 1
        s.coordinatorTimer.left = s.coordinatorTimer.left - 1
        self.tell_coordinator(s, self.to_coordinator("eTimeOut"))

    @action(node=Network.LogNode)
    def FailureInjector_sends_eShutDown(self, s: Step, node: Expr) -> None:
        s.require(self.turn(s), is_none(s.unreported))
        s.require(size(s.failed) < self.node_failures, ~member(node, s.failed))
        s.failed = insert(s.failed, node)
        s.unreported = some(node)
        self.shut_down(s, node)

    @action(fairness="weak")
    def FailureInjector_sends_eInformNodeFailure(self, s: Step) -> None:
        s.require(self.turn(s), is_some(s.unreported))
        self.tell_coordinator(s, self.to_coordinator("eInformNodeFailure", node=the(s.unreported)))
        s.unreported = None
