"""The functions of Coordinator.p, and its sends after the first of a handler.

``choose`` over log nodes is a choice, but the nodes of the first segment are the first ones: until
then nodes differ by their names alone, so every execution is one of these with other names.
"""

from collections.abc import Callable

from bmc.encodings.verified_log.network import Network

from bmc.lang import (
    BOOL,
    Expr,
    Operand,
    State,
    Step,
    action,
    append,
    at,
    conj,
    disj,
    everything,
    forall,
    implies,
    integer,
    ite,
    mapping,
    member,
    record,
    remove,
    size,
    the,
)

Pending = Callable[[State, Expr, Expr, Expr], Expr]


class Broadcasts(Network):
    """What the coordinator's handlers are made of."""

    def IsLastSegment(self, s: State, logSegment: Expr) -> Expr:
        """Whether its status is IS_LAST; its assert is ``SegmentIsKnown``."""
        return logSegment + 1 == size(s.logs)

    def chosen(self, s: State, nodes: Expr) -> Expr:
        """That ``nodes`` can be the nodes of the next segment, in the order they are chosen."""
        replicas = integer(self.num_replicas)
        first, second, third = nodes.first, nodes.second, nodes.third
        return conj(
            ite(replicas > 1, second != first, second == 0),
            ite(replicas > 2, conj(third != first, third != second), third == 0),
            ~member(first, s.failedNodes),
            implies(replicas > 1, ~member(second, s.failedNodes)),
            implies(replicas > 2, ~member(third, s.failedNodes)),
            implies(
                size(s.logs) == 0,
                conj(
                    first == 0,
                    implies(replicas > 1, second == 1),
                    implies(replicas > 2, third == 2),
                ),
            ),
        )

    def nothing_chosen(self, nodes: Expr) -> Expr:
        """That a handler which creates no segment chooses none of its nodes either."""
        return conj(nodes.first == 0, nodes.second == 0, nodes.third == 0)

    def CreateSegment(self, s: Step, producer: Operand, nodes: Expr) -> None:
        """Appended to the log at once; not beyond ``max_segments``, which is a bound."""
        s.require(size(s.logs) < self.max_segments, self.chosen(s, nodes))
        log_nodes = mapping(
            self.Place,
            lambda place: ite(place == 0, nodes.first, ite(place == 1, nodes.second, nodes.third)),
            self.LogNode,
        )
        segment = record(self.Segment, logNodes=log_nodes, producer=producer)
        s.logs = append(s.logs, segment)

    def AcknowledgeNewSegment(self, s: Step, client: Operand, nodes: Expr, drop: Expr) -> None:
        self.CreateSegment(s, client, nodes)
        self.send_new_segment(s, client, size(s.logs), drop)

    def send_new_segment(self, s: Step, client: Operand, segment: Operand, drop: Expr) -> None:
        response = self.to_producer("eNewSegmentResponse", "NEW_SEG_OK", segment, client)
        self.send_to_producer(s, client, response, drop)

    def BroadcastEndSegment(
        self,
        s: Step,
        segment: Expr,
        asker: str,
        numEntries: Expr,
        lastEntry: Expr,
        newProducer: Expr,
        drop: Expr,
    ) -> None:
        """``BroadcastToNodes(lastLogSegment.nodes, eEndSegment, …)``, to be retried."""
        nothing_unacknowledged = forall(
            self.SegmentId,
            lambda of: forall(
                self.Asker, lambda by: s.endSegments[of][by].unacknowledged == frozenset()
            ),
        )
        self.start_coordinator_timer(s, nothing_unacknowledged)
        s.endSegments[segment][asker] = record(
            self.EndSegment,
            asked=True,
            numEntries=numEntries,
            lastEntry=lastEntry,
            newProducer=newProducer,
            unacknowledged=everything(self.Place),
            sending=self.others(),
        )
        self.send_end(s, segment, asker, 0, drop)

    def send_end(
        self, s: Step, segment: Operand, asker: Operand, place: Operand, drop: Expr
    ) -> None:
        message = self.to_log_node("eEndSegment", segment=segment, asker=asker)
        self.send_to_log_node(s, self.node_at(s, segment, place), message, drop)

    def send_suspend(
        self, s: Step, segment: Operand, producer: Operand, place: Operand, drop: Expr
    ) -> None:
        message = self.to_log_node("eSuspendSegment", segment=segment, producer=producer)
        self.send_to_log_node(s, self.node_at(s, segment, place), message, drop)

    def comes_first(
        self, s: State, pending: Pending, segment: Expr, asker: Expr, place: Expr
    ) -> Expr:
        """That this is pending, and nothing is by an earlier segment, asker or place."""

        def earlier(of: Expr, by: Expr, to: Expr) -> Expr:
            before = conj(by == "PRODUCER", asker == "TAKEOVER")
            same = conj(of == segment, by == asker)
            return disj(of < segment, conj(of == segment, before), conj(same, to < place))

        def none_before(of: Expr, by: Expr, to: Expr) -> Expr:
            return implies(earlier(of, by, to), ~pending(s, of, by, to))

        return conj(
            pending(s, segment, asker, place),
            forall(
                self.SegmentId,
                lambda of: forall(
                    self.Asker, lambda by: forall(self.Place, lambda to: none_before(of, by, to))
                ),
            ),
        )

    def to_send(self, s: State, segment: Expr, asker: Expr, place: Expr) -> Expr:
        """Whether an end of a segment is among the sends left over."""
        return member(place, s.endSegments[segment][asker].sending)

    def no_end_to_send(self, s: State) -> Expr:
        return forall(
            self.SegmentId,
            lambda of: forall(self.Asker, lambda by: s.endSegments[of][by].sending == frozenset()),
        )

    @action(
        fairness="weak",
        segment=Network.SegmentId,
        asker=Network.Asker,
        place=Network.Place,
        drop=BOOL,
    )
    def Coordinator_sends_eEndSegment(
        self, s: Step, segment: Expr, asker: Expr, place: Expr, drop: Expr
    ) -> None:
        s.require(self.comes_first(s, self.to_send, segment, asker, place))
        sending = s.endSegments[segment][asker].sending
        s.endSegments[segment][asker].sending = remove(sending, place)
        self.send_end(s, segment, asker, place, drop)

    @action(fairness="weak", place=Network.Place, drop=BOOL)
    def Coordinator_sends_eSuspendSegment(self, s: Step, place: Expr, drop: Expr) -> None:
        s.require(self.no_end_to_send(s), member(place, s.suspending))
        s.require(forall(self.Place, lambda to: implies(to < place, ~member(to, s.suspending))))
        taken = the(s.currentLogTakeover)
        s.suspending = remove(s.suspending, place)
        self.send_suspend(s, taken.segment, taken.producer, place, drop)

    @action(fairness="weak", drop=BOOL)
    def Coordinator_sends_eNewSegmentResponse(self, s: Step, drop: Expr) -> None:
        s.require(s.acknowledging, self.no_end_to_send(s), s.suspending == frozenset())
        last = size(s.logs) - 1
        s.acknowledging = False
        self.send_new_segment(s, at(s.logs, last).producer, last, drop)
