"""How traces of transactions are drawn: clients, brokers with their logs, the source of ids."""

from bmc.encodings.kafka_transactions.cluster import Cluster
from bmc.encodings.kafka_transactions.types import Broker, Client, TransactionId, TxnLogPartition

from bmc.lang import (
    Card,
    Drawing,
    Expr,
    Log,
    Messages,
    Operand,
    State,
    at,
    conj,
    exists,
    is_none,
    is_some,
    lifeline,
    lifelines,
    logs,
    the,
)
from bmc.lang.drawing import Sentence, Telling


class DrawnCluster(Cluster):
    """A lifeline for each client and broker, and one for what hands out producer ids."""

    def drawn(self, s: State) -> Drawing:
        def client(me: Expr) -> Card:
            mine = s.client[me]
            return Card(
                role={"gave up": mine.state == "Terminated", "has an id": mine.pid > 0},
                facts={
                    "transactional id": mine.tid,
                    "producer id": mine.pid,
                    "epoch": mine.epoch,
                    "state": mine.state,
                },
            )

        def broker(me: Expr) -> Card:
            def entry(e: Expr) -> dict[str, Operand]:
                to = e.transition
                return {"tid": e.tid, "pid": to.pid, "epoch": to.pepoch, "state": to.state}

            def log(of: Expr) -> Log:
                return Log(s.tc_log[me][of], entry, "tid", s.tc_log_hwm[me][of])

            leads = exists(TxnLogPartition, lambda p: s.txn_log_leader[p] == me)
            return Card(role={"coordinator": leads}, logs={"log": logs(TxnLogPartition, log)})

        source = Card(facts={"last id": s.pid_source})
        return Drawing(
            (
                lifelines(Client, client, "client"),
                lifelines(Broker, broker, "broker"),
                lifeline("producer ids", source),
            ),
            messages=(
                Messages(s.init_pid_requests, lambda m: m.source, lambda m: m.dest, ("tid",)),
                *(
                    Messages(held, lambda m: m.head.source, lambda m: m.head.dest)
                    for held in (s.init_pid_responses, s.add_partitions_requests)
                ),
                Messages(s.add_partitions_responses, lambda m: m.source, lambda m: m.dest),
            ),
            actors={"Send*": "c", "Receive*Request": "b", "Receive*Response": "c", "*": "b"},
            says=self._sentences(s),
        )

    def _sentences(self, s: State) -> dict[str, Telling]:
        def asked(b: Expr, msg: Expr) -> list[tuple[Operand, Sentence]]:
            known = s.tc_tid_metadata[b][msg.tid]
            new = s.pid_source + 1
            met = ("transactional id ", msg.tid, " is new: it gets producer id ", new)
            in_use = exists(
                TransactionId,
                lambda other: conj(
                    is_some(s.tc_tid_metadata[b][other]),
                    the(s.tc_tid_metadata[b][other]).pid == new,
                ),
            )
            return [
                (conj(is_none(known), in_use), (*met, ", which another one already has")),
                (is_none(known), met),
                (
                    the(known).pid != s.pid_source,
                    (
                        "transactional id ",
                        msg.tid,
                        " has producer id ",
                        the(known).pid,
                        ", and the source of ids goes back from ",
                        s.pid_source,
                        " to it",
                    ),
                ),
            ]

        def committed(b: Expr, p: Expr) -> tuple[Operand, ...]:
            entry = at(s.tc_log[b][p], s.tc_log_hwm[b][p])
            return (
                "transactional id ",
                entry.tid,
                " is committed with producer id ",
                entry.transition.pid,
            )

        return {"ReceiveInitPidRequest": asked, "CommitTxnLogAppend": committed}
