"""How traces of Elasticsearch's replication are drawn: the master, and nodes with translogs."""

from bmc.encodings.elasticsearch.constants import Node
from bmc.encodings.elasticsearch.messages import is_request
from bmc.encodings.elasticsearch.state import ShardState

from bmc.lang import Card, Drawing, Expr, Log, Messages, State, Term, ite, lifeline, lifelines


class DrawnNodes(ShardState):
    """A lifeline for the master and for each node, with its translog."""

    def drawn(self, s: State) -> Drawing:
        def node(me: Expr) -> Card:
            master, own = s.clusterStateOnMaster, s.clusterStateOnNode[me]
            return Card(
                role={
                    "primary": own.routingTable[me] == "Primary",
                    "replica": own.routingTable[me] == "Replica",
                },
                logs={
                    "translog": Log(
                        s.tlog[me], coloured="pc", high_watermark=s.globalCheckPoint[me]
                    )
                },
                facts={
                    "term": s.currentTerm[me],
                    "global checkpoint": s.globalCheckPoint[me],
                    "own checkpoint": s.localCheckPoint[me][me],
                },
                down=master.routingTable[me] == "Unassigned",
            )

        def sender(m: Term) -> Term:
            return ite(is_request(m), m.caller, m.call.callee)

        def receiver(m: Term) -> Term:
            return ite(is_request(m), m.call.callee, m.caller)

        master = s.clusterStateOnMaster
        return Drawing(
            (
                lifeline("master", Card(facts={"term": master.primaryTerm})),
                lifelines(Node, node, "node"),
            ),
            messages=(Messages(s.messages, sender, receiver, ("content",)),),
            actors={"NodeFaultDetection*": "master"},
        )
