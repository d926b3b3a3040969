"""Kafka transactions: producer ids, transaction coordinators and their replicated logs.

The sections of kafka_transactions_for_web.tla (Vanlightly/kafka-tlaplus), a module each; no
property belongs here.
"""

from bmc.encodings.kafka_transactions.transactions import KafkaTransactions

__all__ = ["KafkaTransactions"]
