"""The verified log: all machines together."""

from bmc.encodings.verified_log.broadcasts import Broadcasts
from bmc.encodings.verified_log.consumer import Consumer
from bmc.encodings.verified_log.coordinator import Coordinator
from bmc.encodings.verified_log.drawing import DrawnMachines
from bmc.encodings.verified_log.environment import Environment
from bmc.encodings.verified_log.log_node import LogNode
from bmc.encodings.verified_log.producer import Producer

from bmc.lang import one_of


class VerifiedLog(DrawnMachines, Coordinator, LogNode, Producer, Consumer, Environment):
    """04-producer-takeover of b-hilprecht/verified-distributed-log: OLD writes, NEW takes over.

    The machines that only end a test (``eProducersDone``, ``eConsumersDone``) are left out.
    """

    Next = one_of(
        Producer.Producer_eProducerTakeOverLog,
        Producer.Producer_eNewSegmentResponse,
        Producer.Producer_eAppendResponse,
        Producer.Producer_eTimeOut,
        Producer.Producer_sends_eAppendRequest,
        Coordinator.Coordinator_eNewSegment,
        Coordinator.Coordinator_eTakeOverLog,
        Coordinator.Coordinator_eSuspendSegmentResponse,
        Coordinator.Coordinator_eEndSegmentResponse,
        Coordinator.Coordinator_eTimeOut,
        Coordinator.Coordinator_eInformNodeFailure,
        Broadcasts.Coordinator_sends_eEndSegment,
        Broadcasts.Coordinator_sends_eSuspendSegment,
        Broadcasts.Coordinator_sends_eNewSegmentResponse,
        LogNode.LogNode_eAppendRequest,
        LogNode.LogNode_eSuspendSegment,
        LogNode.LogNode_eEndSegment,
        LogNode.LogNode_eShutDown,
        Consumer.Consumer_reads,
        Environment.OldProducerTimer_fires,
        Environment.NewProducerTimer_fires,
        Environment.CoordinatorTimer_fires,
        Environment.FailureInjector_sends_eShutDown,
        Environment.FailureInjector_sends_eInformNodeFailure,
    )
