"""How traces of Elasticsearch's replication are drawn: the master, and nodes with translogs."""

from bmc.encodings.elasticsearch.constants import Node, Seq
from bmc.encodings.elasticsearch.messages import (
    is_replication,
    is_request,
    replication,
    request,
    response,
    trim,
)
from bmc.encodings.elasticsearch.state import ShardState
from bmc.encodings.elasticsearch.translog import ConfirmedTlogSlot, MaxConfirmedSeq, MaxSeq

from bmc.lang import (
    Card,
    Drawing,
    Expr,
    Log,
    Messages,
    Operand,
    State,
    conj,
    exists,
    is_none,
    is_some,
    ite,
    lifeline,
    lifelines,
    maximum,
    the,
)
from bmc.lang.drawing import Sentence, Telling

Sentences = list[tuple[Operand, Sentence]]


class DrawnNodes(ShardState):
    """A lifeline for the master and for each node, with its translog."""

    def drawn(self, s: State) -> Drawing:
        def node(me: Expr) -> Card:
            master, own = s.clusterStateOnMaster, s.clusterStateOnNode[me]
            translog = Log(
                s.tlog[me],
                lambda e: {"value": the(e.document).value, "term": e.primaryTerm, "pending": e.pc},
                coloured="pc",
                high_watermark=s.globalCheckPoint[me],
                same=("document", "primaryTerm"),
                mark="global checkpoint",
            )
            return Card(
                role={
                    "primary": own.routingTable[me] == "Primary",
                    "replica": own.routingTable[me] == "Replica",
                },
                logs={"translog": translog},
                facts={"term": s.currentTerm[me], "confirmed up to": MaxConfirmedSeq(s.tlog[me])},
                down=master.routingTable[me] == "Unassigned",
            )

        def sender(m: Expr) -> Expr:
            return ite(is_request(m), m.caller, m.call.callee)

        def receiver(m: Expr) -> Expr:
            return ite(is_request(m), m.call.callee, m.caller)

        master = s.clusterStateOnMaster
        return Drawing(
            (
                lifeline("master", Card(facts={"term": master.primaryTerm})),
                lifelines(Node, node, "node"),
            ),
            messages=(Messages(s.messages, sender, receiver, says=letter),),
            actors={"NodeFaultDetection*": "master"},
            says=self._sentences(s),
        )

    def _sentences(self, s: State) -> dict[str, Telling]:
        def asked(n: Expr, docId: Expr) -> Sentence:
            place = (" at ", MaxSeq(s.tlog[n]) + 1)
            return ("a client writes value ", s.nextClientValue, " on node ", n, *place)

        def learnt(n: Expr, m: Expr, term: Expr) -> tuple[Operand, Operand, Sentence]:
            """The global checkpoint, whether an entry above it becomes pending, in words."""
            known = maximum(request(m).globalCP, s.globalCheckPoint[n])
            later = conj(term > s.currentTerm[n], MaxSeq(s.tlog[n]) > known)
            words: Sentence = (
                "node ", n, " learns of term ", term, " and knows the global checkpoint ", known,
                ": its entries above are now pending",
            )  # fmt: skip
            return known, later, words

        def replicated(m: Expr) -> Sentences:
            n, entry = m.call.callee, replication(m)
            _, later, pending = learnt(n, m, entry.rterm)
            stored = ("node ", n, " stores value ", the(entry.document).value, " at ", entry.seq)
            noop = ("node ", n, " fills slot ", entry.seq)
            refused = ("node ", n, " knows a later term and refuses")
            new = is_some(entry.document)
            return [
                (entry.rterm < s.currentTerm[n], refused),
                (conj(later, new), (*pending, ", until one is resent; it ", *stored[2:])),
                (later, (*pending, ", until one is resent")),
                (new, stored),
                (True, noop),
            ]

        def trimmed(m: Expr) -> Sentences:
            n, cut = m.call.callee, trim(m)
            known, later, pending = learnt(n, m, cut.primaryTerm)
            heard = ("node ", n, " learns of term ", cut.primaryTerm, " and that ", known)
            return [
                (cut.primaryTerm < s.currentTerm[n], ("node ", n, " knows a later term: refuses")),
                (later, (*pending, ", until one is resent")),
                (True, (*heard, " is the global checkpoint")),
            ]

        def confirmed(m: Expr) -> Sentences:
            n, rn, local = m.caller, m.call.callee, response(m).localCP
            told = ("node ", n, " hears that node ", rn, " has confirmed up to ", local)
            return [
                (response(m).success, told),
                (True, ("node ", n, " hears that node ", rn, " failed")),
            ]

        def applied(n: Expr) -> Sentences:
            master = s.clusterStateOnMaster
            promoted = conj(
                master.routingTable[n] == "Primary",
                s.clusterStateOnNode[n].routingTable[n] != "Primary",
            )
            checkpoint, term = s.globalCheckPoint[n], master.primaryTerm
            leads = ("node ", n, " is the primary of term ", term)
            resends = (*leads, ": it resends what is above its global checkpoint ", checkpoint)
            stuck = (" is pending up to its global checkpoint, and nobody will resend it",)
            return [
                (conj(promoted, pending_below(s, n)), (*leads, ": an entry", *stuck)),
                (conj(promoted, MaxSeq(s.tlog[n]) > checkpoint), resends),
                (promoted, (*resends, ", and nothing is")),
                (True, ("node ", n, " applies the cluster state of term ", term)),
            ]

        def failed(n: Expr, promoted: Expr) -> Sentences:
            return [
                (is_none(promoted), ("node ", n, " fails")),
                (True, ("node ", n, " fails, and node ", promoted, " is to be the primary")),
            ]

        return {
            "ClientRequest": asked,
            "HandleReplicationRequest": replicated,
            "HandleTrimTranslogRequest": trimmed,
            "HandleReplicationResponse": confirmed,
            "ApplyClusterStateFromMaster": applied,
            "NodeFaultDetectionKicksNodeOut": failed,
        }


def pending_below(s: State, n: Expr) -> Expr:
    """Whether a node has a pending entry up to its global checkpoint."""
    slots, checkpoint = s.tlog[n], s.globalCheckPoint[n]
    return exists(
        Seq, lambda i: conj(i <= checkpoint, is_some(slots[i]), ~ConfirmedTlogSlot(slots, i))
    )


def letter(m: Expr) -> Sentences:
    """What a message says, in a few words."""
    value = the(replication(m).document).value
    write = ("value ", value, " at ", replication(m).seq)
    return [
        (conj(is_request(m), is_replication(m), is_some(replication(m).document)), write),
        (conj(is_request(m), is_replication(m)), ("nothing at ", replication(m).seq)),
        (is_request(m), ("term ", trim(m).primaryTerm, ", nothing above ", trim(m).maxseq)),
        (~response(m).success, ("failed",)),
        (is_replication(m), ("confirmed to ", response(m).localCP)),
        (True, ("done",)),
    ]
