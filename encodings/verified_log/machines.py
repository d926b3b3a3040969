"""The state of all machines and of what is between them."""

from bmc.encodings.verified_log.sorts import Sorts

from bmc.lang import (
    BOOL,
    Expr,
    MapSort,
    Monitor,
    OptionSort,
    SetSort,
    Step,
    Variable,
    action,
    empty,
    ite,
    mapping,
    record,
)


class Machines(Sorts):
    """A first-in-first-out inbox a machine, each machine's own variables, and the monitors'."""

    isUp = Variable(MapSort(Sorts.LogNode, BOOL), "whether a log node still runs")
    logEntries = Variable(
        MapSort(Sorts.LogNode, MapSort(Sorts.SegmentId, Sorts.LogEntries)),
        "the entries a log node holds of each segment",
    )
    logStatus = Variable(
        MapSort(Sorts.LogNode, MapSort(Sorts.SegmentId, Sorts.SegmentStatus)),
        "what a log node takes each segment for",
    )
    logNodeInbox = Variable(
        MapSort(Sorts.LogNode, Sorts.LogNodeInbox), "what each log node has not handled yet"
    )

    logs = Variable(Sorts.Segments, "the coordinator's list of segments")
    currentLogTakeover = Variable(OptionSort(Sorts.TakeOver), "the takeover in progress")
    endSegments = Variable(
        MapSort(Sorts.SegmentId, Sorts.EndSegments),
        "the ends of segments that were asked for, and whom the coordinator has to tell",
    )
    suspending = Variable(SetSort(Sorts.Place), "places it still has to tell of a takeover")
    acknowledging = Variable(BOOL, "whether it still has to announce the last segment")
    failedNodes = Variable(SetSort(Sorts.LogNode), "nodes it knows to have failed")
    coordinatorInbox = Variable(Sorts.CoordinatorInbox, "what it has not handled yet")
    coordinatorTimer = Variable(Sorts.CoordinatorTimer, "its timer: starts not fired, firings left")

    producers = Variable(MapSort(Sorts.Producer, Sorts.ProducerState), "both producers")
    producerInbox = Variable(
        MapSort(Sorts.Producer, Sorts.ProducerInbox), "what each producer has not handled yet"
    )
    oldTimer = Variable(Sorts.OldTimer, "the first producer's timer: starts, firings left")
    newTimer = Variable(Sorts.NewTimer, "the second producer's timer: starts, firings left")

    consumer = Variable(Sorts.ConsumerState, "the consumer")

    dropsLeft = Variable(Sorts.Drops, "messages that may still be lost")
    failed = Variable(SetSort(Sorts.LogNode), "nodes the failure injector has shut down")
    unreported = Variable(OptionSort(Sorts.LogNode), "the one the coordinator is not told of")

    committed = Monitor(
        MapSort(Sorts.SegmentId, SetSort(Sorts.SeqNum)),
        "history: the entries of each segment announced as committed",
    )
    stored = Monitor(
        MapSort(Sorts.SeqNum, SetSort(Sorts.LogNode)),
        "history: the nodes that stored an entry, in whatever segment",
    )
    knowsTakeover = Monitor(
        MapSort(Sorts.LogNode, MapSort(Sorts.SegmentId, BOOL)),
        "history: whether a node has handled the end that a takeover gave a segment",
    )
    highestPossibleCommit = Monitor(
        Sorts.SeqNumOpt, "history: the last entry OLD sent before another took the log over"
    )

    @action()
    def Init(self, s: Step) -> None:
        places, nodes = empty(SetSort(self.Place)), empty(SetSort(self.LogNode))
        s.isUp = mapping(self.LogNode, lambda node: True, BOOL)
        s.logEntries = mapping(self.LogNode, lambda node: self._blank_entries(), self._Entries)
        s.logStatus = mapping(self.LogNode, lambda node: self._blank_status(), self._Status)
        s.logNodeInbox = mapping(
            self.LogNode, lambda node: empty(self.LogNodeInbox), self.LogNodeInbox
        )
        s.logs = empty(self.Segments)
        s.currentLogTakeover = None
        unasked = record(
            self.EndSegment,
            asked=False,
            numEntries=0,
            lastEntry=0,
            newProducer="OLD",
            unacknowledged=places,
            sending=places,
        )
        s.endSegments = mapping(
            self.SegmentId,
            lambda segment: mapping(self.Asker, lambda asker: unasked, self.EndSegment),
            self.EndSegments,
        )
        s.suspending = places
        s.acknowledging = False
        s.failedNodes = nodes
        s.coordinatorInbox = empty(self.CoordinatorInbox)
        s.coordinatorTimer = record(
            self.CoordinatorTimer, started=0, left=self.coordinator_timeouts
        )
        s.producers = mapping(
            self.Producer,
            lambda producer: record(
                self.ProducerState,
                state="Init",
                currentSegmentId=-1,
                currentEntry=ite(producer == "OLD", 0, self.old_entries),
                currentSegmentEntries=0,
                appendAcks=nodes,
                sending=places,
            ),
            self.ProducerState,
        )
        s.producerInbox = mapping(
            self.Producer, lambda producer: empty(self.ProducerInbox), self.ProducerInbox
        )
        s.oldTimer = record(self.OldTimer, started=0, left=self.old_producer_timeouts)
        s.newTimer = record(self.NewTimer, started=0, left=self.new_producer_timeouts)
        s.consumer = record(
            self.ConsumerState,
            currentSegmentId=0,
            currentOffset=0,
            consumed=empty(SetSort(self.SeqNum)),
        )
        s.dropsLeft = self.drops
        s.failed = nodes
        s.unreported = None
        s.committed = mapping(
            self.SegmentId, lambda segment: empty(SetSort(self.SeqNum)), SetSort(self.SeqNum)
        )
        s.stored = mapping(self.SeqNum, lambda entry: nodes, SetSort(self.LogNode))
        s.knowsTakeover = mapping(self.LogNode, lambda node: self._blank_known(), self._Known)
        s.highestPossibleCommit = -1

    _Entries = MapSort(Sorts.SegmentId, Sorts.LogEntries)
    _Status = MapSort(Sorts.SegmentId, Sorts.SegmentStatus)
    _Known = MapSort(Sorts.SegmentId, BOOL)

    def _blank_entries(self) -> Expr:
        return mapping(self.SegmentId, lambda segment: empty(self.LogEntries), self.LogEntries)

    def _blank_status(self) -> Expr:
        return mapping(self.SegmentId, lambda segment: "SEG_NOT_INIT", self.SegmentStatus)

    def _blank_known(self) -> Expr:
        return mapping(self.SegmentId, lambda segment: False, BOOL)

    def forget(self, s: Step, node: Expr) -> None:
        """All that a log node holds; nobody can ask it any more."""
        s.logEntries[node] = self._blank_entries()
        s.logStatus[node] = self._blank_status()
        s.knowsTakeover[node] = self._blank_known()
        s.logNodeInbox[node] = empty(self.LogNodeInbox)
