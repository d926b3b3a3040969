"""How the machines send to each other and receive, and what goes on in between."""

from bmc.encodings.verified_log.machines import Machines

from bmc.lang import (
    Expr,
    Operand,
    State,
    Step,
    append,
    at,
    conj,
    disj,
    empty,
    everything,
    exists,
    implies,
    integer,
    ite,
    minimum,
    record,
    size,
    tail,
)


class Network(Machines):
    """One first-in-first-out inbox a machine; a send is in it at once, or lost.

    A machine with sends left over is in the middle of a handler: it takes nothing from its inbox
    before they are done. With ``atomic_broadcast`` nobody else does anything either. What a
    handler does besides sending, the start of a timer included, it does with its first send;
    nobody can tell the difference, for it answers nothing before the last.
    """

    def forget_producer(self, s: Step, producer: Expr) -> None:
        """All that a producer which has stopped will not use again."""
        me = s.producers[producer]
        me.appendAcks = frozenset()
        me.currentSegmentId = -1
        me.currentSegmentEntries = 0
        s.producerInbox[producer] = empty(self.ProducerInbox)
        old, new = s.oldTimer, s.newTimer
        s.oldTimer = ite(producer == "OLD", record(self.OldTimer, started=0, left=0), old)
        s.newTimer = ite(producer == "NEW", record(self.NewTimer, started=0, left=0), new)

    def to_producer(
        self, event: str, status: Operand, segment: Operand, producer: Operand, **rest: Operand
    ) -> Expr:
        """A message to a producer."""
        fields: dict[str, Operand] = {"seqNum": 0, "node": 0, **rest}
        return record(
            self.ToProducer,
            event=event,
            status=status,
            segment=segment,
            producer=producer,
            **fields,
        )

    def to_coordinator(self, event: str, **rest: Operand) -> Expr:
        """A message to the coordinator."""
        fields: dict[str, Operand] = {
            "segment": 0,
            "producer": "OLD",
            "numEntries": 0,
            "lastEntry": 0,
            "node": 0,
            **rest,
        }
        return record(self.ToCoordinator, event=event, **fields)

    def to_log_node(self, event: str, **rest: Operand) -> Expr:
        """A message to a log node."""
        fields: dict[str, Operand] = {
            "segment": 0,
            "producer": "OLD",
            "seqNum": 0,
            "asker": "PRODUCER",
            **rest,
        }
        return record(self.ToLogNode, event=event, **fields)

    def node_at(self, s: State, segment: Operand, place: Operand) -> Expr:
        """The log node at a place of a segment; sets iterate over the places in order."""
        return at(s.logs, segment).logNodes[place]

    def others(self) -> Expr:
        """The places after the first."""
        return everything(self.Place) - frozenset({0})

    def coordinator_sends(self, s: State) -> Expr:
        """Whether the coordinator is in the middle of a handler."""
        return disj(
            s.acknowledging,
            s.suspending != frozenset(),
            exists(
                self.SegmentId,
                lambda segment: exists(
                    self.Asker, lambda asker: s.endSegments[segment][asker].sending != frozenset()
                ),
            ),
        )

    def producer_sends(self, s: State, producer: Operand) -> Expr:
        """Whether a producer is in the middle of a broadcast."""
        return s.producers[producer].sending != frozenset()

    def turn(self, s: State) -> Expr:
        """That nobody waits for an atomic broadcast to be done."""
        return implies(
            integer(self.atomic_broadcast) == 1,
            ~(
                self.coordinator_sends(s)
                | self.producer_sends(s, "OLD")
                | self.producer_sends(s, "NEW")
            ),
        )

    def gone(self, s: State, producer: Operand) -> Expr:
        """Whether a producer has stopped: what it is sent is lost (when Done, ignored)."""
        state = s.producers[producer].state
        return disj(state == "Done", state == "halt")

    def lose(self, s: Step, drop: Expr, heard: Expr) -> None:
        """Account for an UnreliableSend; what nobody would hear is lost at no cost."""
        s.require(implies(drop, conj(heard, s.dropsLeft > 0)))
        s.dropsLeft = ite(drop, s.dropsLeft - 1, s.dropsLeft)

    def send_to_log_node(self, s: Step, node: Operand, message: Expr, drop: Expr) -> None:
        self.lose(s, drop, s.isUp[node])
        inbox = s.logNodeInbox[node]
        s.logNodeInbox[node] = ite(drop | ~s.isUp[node], inbox, append(inbox, message))

    def send_to_coordinator(self, s: Step, message: Expr, drop: Expr) -> None:
        self.lose(s, drop, heard=conj())
        s.coordinatorInbox = ite(drop, s.coordinatorInbox, append(s.coordinatorInbox, message))

    def send_to_producer(self, s: Step, producer: Operand, message: Expr, drop: Expr) -> None:
        self.lose(s, drop, ~self.gone(s, producer))
        inbox = s.producerInbox[producer]
        lost = drop | self.gone(s, producer)
        s.producerInbox[producer] = ite(lost, inbox, append(inbox, message))

    def shut_down(self, s: Step, node: Expr) -> None:
        s.logNodeInbox[node] = append(s.logNodeInbox[node], self.to_log_node("eShutDown"))

    def tell_coordinator(self, s: Step, message: Expr) -> None:
        """A send that is never lost."""
        s.coordinatorInbox = append(s.coordinatorInbox, message)

    def time_out(self, s: Step, producer: str) -> None:
        message = self.to_producer("eTimeOut", "NEW_SEG_OK", 0, "OLD")
        s.producerInbox[producer] = append(s.producerInbox[producer], message)

    def log_node_receives(self, s: Step, node: Expr, event: str) -> Expr:
        """``on event do (req: …)`` of a log node."""
        req = self.log_node_hears(s, node, event)
        s.logNodeInbox[node] = tail(s.logNodeInbox[node])
        return req

    def log_node_hears(self, s: Step, node: Expr, event: str) -> Expr:
        """The same where the log node drops all that is in its inbox."""
        inbox = s.logNodeInbox[node]
        s.require(self.turn(s), size(inbox) > 0, at(inbox, 0).event == event)
        return at(inbox, 0)

    def coordinator_receives(self, s: Step, event: str) -> Expr:
        """``on event do (req: …)`` of the coordinator."""
        inbox = s.coordinatorInbox
        s.require(self.turn(s), ~self.coordinator_sends(s))
        s.require(size(inbox) > 0, at(inbox, 0).event == event)
        s.coordinatorInbox = tail(inbox)
        return at(inbox, 0)

    def producer_receives(self, s: Step, producer: Expr, event: str) -> Expr:
        """``on event do (response: …)`` of a producer."""
        response = self.producer_hears(s, producer, event)
        self.producer_goes_on(s, producer)
        return response

    def producer_hears(self, s: Step, producer: Expr, event: str) -> Expr:
        """The same where it may stop with this message: it goes on, or forgets its inbox."""
        inbox = s.producerInbox[producer]
        s.require(self.turn(s), ~self.producer_sends(s, producer))
        s.require(size(inbox) > 0, at(inbox, 0).event == event)
        return at(inbox, 0)

    def producer_goes_on(self, s: Step, producer: Expr) -> None:
        s.producerInbox[producer] = tail(s.producerInbox[producer])

    def start_producer_timer(self, s: Step, producer: Expr) -> None:
        """Starts are counted: one deferred by a running timer starts it again when it fires."""
        old, new = s.oldTimer, s.newTimer
        old.started = ite(producer == "OLD", minimum(old.started + 1, old.left), old.started)
        new.started = ite(producer == "NEW", minimum(new.started + 1, new.left), new.started)

    def start_coordinator_timer(self, s: Step, when: Operand) -> None:
        timer = s.coordinatorTimer
        timer.started = ite(when, minimum(timer.started + 1, timer.left), timer.started)
