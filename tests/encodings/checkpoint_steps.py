"""Elasticsearch's replication without the steps that a shortest way to a wrong checkpoint spares.

Take any execution to a violation of a claim about translogs and checkpoints (they do not read
``clientResponses`` or ``messages``), however many messages may be in flight. These of its steps
can be left out, or replaced by one step, and the others are still possible:

- A message that fails, by itself or because its term is outdated, and a response that is told
  apart by nothing but its ``success``: all that comes of them, beside answers to clients, is that
  the master fails a shard, which NodeFaultDetectionKicksNodeOut does at any time in one step.
  What is not handled stays in flight and hinders nothing.
- A response whose local checkpoint is not above the one that its caller tracks. The tracked ones
  only grow, so it will not be later either.
- A cluster state that its node is not the primary of. A replica's own cluster state is read once
  it was promoted, and then it has applied a later one. A primary that was failed can do less
  once it knows so (it takes no requests, and follows no local checkpoint): steps of others do not
  read what it knows, and those that it no longer takes need not be taken.

So an execution that uses only the steps below is no longer than the shortest there is, and a
bound on ``messages`` that these never reach leaves none of them out.
"""

from bmc.encodings.elasticsearch import ElasticsearchReplication
from bmc.encodings.elasticsearch.constants import Node
from bmc.encodings.elasticsearch.messages import (
    is_replication,
    is_request,
    replication,
    response,
    trim,
)
from bmc.encodings.elasticsearch.state import ShardState
from bmc.properties.elasticsearch.published import PUBLISHED

from bmc.lang import Expr, Step, Suite, action, one_of, remove


class CheckpointSteps(ElasticsearchReplication):
    """The steps that count for translogs and checkpoints."""

    @action(m=ShardState.messages)
    def HandleReplicationRequest(self, s: Step, m: Expr) -> None:
        s.require(is_request(m), is_replication(m))
        s.require(replication(m).rterm >= s.currentTerm[m.call.callee])
        ElasticsearchReplication.HandleReplicationRequest(self, s, m)

    @action(m=ShardState.messages)
    def HandleReplicationResponse(self, s: Step, m: Expr) -> None:
        n, rn = m.caller, m.call.callee
        s.require(~is_request(m), is_replication(m))
        s.require(response(m).localCP > s.localCheckPoint[n][rn])
        s.messages = remove(s.messages, m)
        self.FollowLocalCheckPoint(s, n, rn, response(m).localCP)

    @action(m=ShardState.messages)
    def HandleTrimTranslogRequest(self, s: Step, m: Expr) -> None:
        s.require(is_request(m), ~is_replication(m))
        s.require(trim(m).primaryTerm >= s.currentTerm[m.call.callee])
        ElasticsearchReplication.HandleTrimTranslogRequest(self, s, m)

    @action(n=Node)
    def ApplyClusterStateFromMaster(self, s: Step, n: Expr) -> None:
        s.require(s.clusterStateOnMaster.routingTable[n] == "Primary")
        ElasticsearchReplication.ApplyClusterStateFromMaster(self, s, n)

    Next = one_of(
        ElasticsearchReplication.ClientRequest,
        HandleReplicationRequest,
        HandleReplicationResponse,
        HandleTrimTranslogRequest,
        ApplyClusterStateFromMaster,
        ElasticsearchReplication.NodeFaultDetectionKicksNodeOut,
    )


CHECKPOINT_STEPS = Suite(
    name="checkpoint-steps",
    protocol=CheckpointSteps,
    about="the steps of Elasticsearch's replication that count for checkpoints",
    properties=PUBLISHED,
)
