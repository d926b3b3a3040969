"""The smallest repair of the verified log that was found: the end of a segment is decided once."""

from bmc.encodings.verified_log.broadcasts import Broadcasts
from bmc.encodings.verified_log.log import VerifiedLog

from bmc.lang import BOOL, Expr, Step, action, is_some


class VerifiedLogRepaired(VerifiedLog):
    """A takeover keeps to the end of the segment that its producer has asked for already.

    In P: if ``unacknowledgedEndSegments`` has an element of ``req.segment``, that element's
    ``numEntries`` is sent once more instead of the answer's, and no entry is announced. Without
    it a segment can have two ends of different lengths, and log nodes that differ on it.
    """

    @action(fairness="weak", nodes=Broadcasts.ChosenNodes, drop=BOOL)
    def Coordinator_eSuspendSegmentResponse(self, s: Step, nodes: Expr, drop: Expr) -> None:
        req = self.coordinator_receives(s, "eSuspendSegmentResponse")
        expected = self.IsLastSegment(s, req.segment) & is_some(s.currentLogTakeover)
        decided = s.endSegments[req.segment]["PRODUCER"]
        with s.either():
            s.require(~expected, self.nothing_chosen(nodes), ~drop)
        with s.either():
            s.require(expected, ~decided.asked)
            self.AnnounceLastEntry(s, req)
            self.BroadcastEndSegment(
                s, req.segment, "TAKEOVER", req.numEntries, req.lastEntry, req.producer, drop
            )
            self.HandOver(s, req, nodes)
        with s.either():
            s.require(expected, decided.asked)
            self.BroadcastEndSegment(
                s,
                req.segment,
                "PRODUCER",
                decided.numEntries,
                decided.lastEntry,
                decided.newProducer,
                drop,
            )
            self.HandOver(s, req, nodes)
