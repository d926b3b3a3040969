"""Parameters and sorts of the verified log, under the names of the P program.

There is one log, so no logId; a log entry is its sequence number, which is also its value there.
What a receiver can look up in something that never changes is not carried by a message: a
segment's nodes are ``logs[segment].logNodes``, and the end of a segment is known by who asked for
it (``EndSegmentsNeverChange`` is the property that allows this). Of the records for messages,
each machine's kinds share one, and a field that an event does not have keeps its first value.
"""

from bmc.lang import (
    BOOL,
    EnumSort,
    Integer,
    MapSort,
    Parameter,
    Protocol,
    Record,
    Sequence,
    SetSort,
)


class Sorts(Protocol):
    """What exists; :class:`~bmc.encodings.verified_log.network.Network` says where."""

    log_nodes = Parameter("log_nodes", 3, 1, 5, "number of log nodes")
    num_replicas = Parameter("num_replicas", 2, 1, 3, "log nodes that hold a segment")
    old_entries = Parameter("old_entries", 1, 1, 4, "entries the first producer writes")
    new_entries = Parameter("new_entries", 1, 1, 4, "entries the second producer writes")
    max_segments = Parameter(
        "max_segments",
        2,
        1,
        4,
        "segments that are opened at most",
        ends="no segment is opened after the last",
    )
    drops = Parameter(
        "drops", 0, 0, 8, "messages that are lost at most", ends="no more messages are lost"
    )
    old_producer_timeouts = Parameter(
        "old_producer_timeouts",
        1,
        0,
        4,
        "how often the first producer's timer fires at most",
        ends="its timer fires no more often",
    )
    new_producer_timeouts = Parameter(
        "new_producer_timeouts",
        0,
        0,
        4,
        "how often the second producer's timer fires at most",
        ends="its timer fires no more often",
    )
    coordinator_timeouts = Parameter(
        "coordinator_timeouts",
        0,
        0,
        4,
        "how often the coordinator's timer fires at most",
        ends="its timer fires no more often",
    )
    node_failures = Parameter(
        "node_failures", 0, 0, 4, "log nodes that fail at most", ends="no more nodes fail"
    )
    atomic_broadcast = Parameter(
        "atomic_broadcast", 0, 0, 1, "1: nothing happens between the sends of a handler"
    )

    LogNode = Integer("LogNode", 0, log_nodes - 1)
    Place = Integer("Place", 0, num_replicas - 1)
    SegmentId = Integer("SegmentId", 0, max_segments - 1)
    SegmentIdOpt = Integer("SegmentId", -1, max_segments - 1)
    NextSegmentId = SegmentId.to(max_segments)
    SeqNum = Integer("SeqNum", 0, old_entries + new_entries - 1)
    SeqNumOpt = Integer("SeqNum", -1, old_entries + new_entries - 1)
    NextSeqNum = SeqNum.to(old_entries + new_entries)
    Offset = Integer("Offset", 0, old_entries + new_entries - 1)
    Count = Offset.to(old_entries + new_entries)

    Producer = EnumSort("Producer", ("OLD", "NEW"))
    Asker = EnumSort("Asker", ("PRODUCER", "TAKEOVER"))
    SegmentStatus = EnumSort(
        "SegmentStatus", ("SEG_NOT_INIT", "SEG_OPEN", "SEG_SUSPENDED", "SEG_CLOSED")
    )
    LogEntries = Sequence(SeqNum, old_entries + new_entries)

    ToLogNode = Record(
        "ToLogNode",
        event=EnumSort(
            "LogNodeEvent", ("eAppendRequest", "eSuspendSegment", "eEndSegment", "eShutDown")
        ),
        segment=SegmentId,
        producer=Producer,
        seqNum=SeqNum,
        asker=Asker,
    )
    ToCoordinator = Record(
        "ToCoordinator",
        event=EnumSort(
            "CoordinatorEvent",
            (
                "eNewSegment",
                "eTakeOverLog",
                "eSuspendSegmentResponse",
                "eEndSegmentResponse",
                "eTimeOut",
                "eInformNodeFailure",
            ),
        ),
        segment=SegmentId,
        producer=Producer,
        numEntries=Count,
        lastEntry=SeqNum,
        node=LogNode,
    )
    ToProducer = Record(
        "ToProducer",
        event=EnumSort("ProducerEvent", ("eNewSegmentResponse", "eAppendResponse", "eTimeOut")),
        status=EnumSort(
            "ResponseStatus",
            (
                "NEW_SEG_OK",
                "NEW_SEG_ALREADY_APPENDED",
                "LOG_IN_TAKEOVER",
                "APPEND_OK",
                "APPEND_SEG_CLOSED",
            ),
        ),
        segment=NextSegmentId,
        producer=Producer,
        seqNum=SeqNum,
        node=LogNode,
    )
    log_node_room = max_segments * 3 + coordinator_timeouts * 3 + 1
    coordinator_room = (
        num_replicas * 3
        + coordinator_timeouts * 3
        + old_producer_timeouts
        + new_producer_timeouts
        + node_failures
        + 2
    )
    producer_room = num_replicas * 2 + old_producer_timeouts + new_producer_timeouts + 1
    LogNodeInbox = Sequence(ToLogNode, log_node_room)
    CoordinatorInbox = Sequence(ToCoordinator, coordinator_room)
    ProducerInbox = Sequence(ToProducer, producer_room)
    LogNodeSlot = Integer("LogNodeSlot", 0, log_node_room - 1)
    CoordinatorSlot = Integer("CoordinatorSlot", 0, coordinator_room - 1)
    ProducerSlot = Integer("ProducerSlot", 0, producer_room - 1)

    Segment = Record("Segment", logNodes=MapSort(Place, LogNode), producer=Producer)
    Segments = Sequence(Segment, max_segments)
    TakeOver = Record("TakeOver", segment=SegmentId, producer=Producer)
    EndSegment = Record(
        "EndSegment",
        asked=BOOL,
        numEntries=Count,
        lastEntry=SeqNum,
        newProducer=Producer,
        unacknowledged=SetSort(Place),
        sending=SetSort(Place),
    )
    EndSegments = MapSort(Asker, EndSegment)
    ProducerState = Record(
        "ProducerState",
        state=EnumSort(
            "ProducerControl",
            ("Init", "TakeOverLog", "InitNewSegment", "Produce", "Done", "halt"),
        ),
        currentSegmentId=SegmentIdOpt,
        currentEntry=NextSeqNum,
        currentSegmentEntries=Count,
        appendAcks=SetSort(LogNode),
        sending=SetSort(Place),
    )
    ConsumerState = Record(
        "ConsumerState",
        currentSegmentId=NextSegmentId,
        currentOffset=Count,
        consumed=SetSort(SeqNum),
    )
    OldTimeouts = Integer("OldTimeouts", 0, old_producer_timeouts)
    NewTimeouts = Integer("NewTimeouts", 0, new_producer_timeouts)
    CoordinatorTimeouts = Integer("CoordinatorTimeouts", 0, coordinator_timeouts)
    OldTimer = Record("OldTimer", started=OldTimeouts, left=OldTimeouts)
    NewTimer = Record("NewTimer", started=NewTimeouts, left=NewTimeouts)
    CoordinatorTimer = Record(
        "CoordinatorTimer", started=CoordinatorTimeouts, left=CoordinatorTimeouts
    )
    Drops = Integer("Drops", 0, drops)

    ChosenNodes = Record("ChosenNodes", first=LogNode, second=LogNode, third=LogNode)
