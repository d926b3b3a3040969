"""How traces of the verified log are drawn: its machines, their inboxes and the segments."""

from bmc.encodings.verified_log.consumer import Consumer

from bmc.lang import (
    Card,
    Drawing,
    Expr,
    Inbox,
    Log,
    Operand,
    State,
    at,
    lifeline,
    lifelines,
    logs,
    member,
    size,
)
from bmc.lang.drawing import Sentence, Telling


class DrawnMachines(Consumer):
    """A lifeline for each machine; an entry that was announced as committed is marked."""

    def drawn(self, s: State) -> Drawing:
        def producer(me: Expr) -> Card:
            mine = s.producers[me]
            return Card(
                facts={"state": mine.state, "segment": mine.currentSegmentId},
                inbox=Inbox(s.producerInbox[me], ("event", "status")),
                down=self.gone(s, me),
            )

        def segment(node: Expr, of: Expr) -> Log:
            def announced(entry: Expr) -> Expr:
                return member(entry, s.committed[of])

            return Log(s.logEntries[node][of], committed=announced)

        def log_node(me: Expr) -> Card:
            return Card(
                logs={"segment": logs(self.SegmentId, lambda of: segment(me, of))},
                facts={"status": s.logStatus[me]},
                inbox=Inbox(s.logNodeInbox[me], ("event", "segment")),
                down=~s.isUp[me],
            )

        coordinator = Card(
            facts={"segments": size(s.logs), "announced": s.committed},
            inbox=Inbox(s.coordinatorInbox, ("event", "segment")),
        )
        me = s.consumer
        consumer = {
            "segment": me.currentSegmentId,
            "offset": me.currentOffset,
            "consumed": me.consumed,
        }
        return Drawing(
            (
                lifelines(self.Producer, producer),
                lifeline("coordinator", coordinator),
                lifelines(self.LogNode, log_node, "node"),
                lifeline("consumer", Card(facts=consumer)),
            ),
            actors={
                "Producer_*": "producer",
                "OldProducerTimer_*": "OLD",
                "NewProducerTimer_*": "NEW",
                "Coordinator*": "coordinator",
                "LogNode_*": "node",
                "Consumer_*": "consumer",
            },
            says=self._sentences(s),
        )

    def _sentences(self, s: State) -> dict[str, Telling]:
        def ended(node: Expr) -> Sentence:
            req = at(s.logNodeInbox[node], 0)
            end = s.endSegments[req.segment][req.asker].numEntries
            closes = ("node ", node, " closes segment ", req.segment, " at length ", end)
            return (*closes, ", as decided when asked by ", req.asker)

        def asked() -> Sentence:
            req = at(s.coordinatorInbox, 0)
            end = (", which is to end segment ", req.segment, " at length ", req.numEntries)
            return (req.producer, " asks for a new segment", *end)

        def found() -> Sentence:
            req = at(s.coordinatorInbox, 0)
            held = ("a node has ", req.numEntries, " entries of segment ", req.segment)
            return (*held, ": it is to end there, and they are announced as committed")

        def lost(drop: Expr, segment: Expr, place: Expr) -> list[tuple[Operand, Sentence]]:
            node = self.node_at(s, segment, place)
            return [(drop, ("eEndSegment to node ", node, " is lost"))]

        def read(place: Expr) -> list[tuple[Operand, Sentence]]:
            segment = s.consumer.currentSegmentId
            where = (" segment ", segment, " on node ", self.node_at(s, segment, place))
            went = ("it has read all of", *where, ", which is closed, and goes on to the next")
            entry = self.entry_read(s, place)
            return [
                (self.reads_ok(s, place), ("it reads entry ", entry, " of", *where)),
                (True, went),
            ]

        return {
            "LogNode_eEndSegment": ended,
            "Coordinator_eNewSegment": asked,
            "Coordinator_eSuspendSegmentResponse": found,
            "Coordinator_sends_eEndSegment": lost,
            "Consumer_reads": read,
        }
