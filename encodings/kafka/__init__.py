"""Kafka replication of one partition, and the stages of its truncation and fencing rules.

One module per module of hachikuji/kafka-specification, each saying only how it differs from
the one it extends, and ``deployed``, which has the steps that brokers take; no property belongs
here.
"""

from bmc.encodings.kafka.deployed import Kip320Deployed, Kip320DeployedUnclean
from bmc.encodings.kafka.kip101 import Kip101
from bmc.encodings.kafka.kip279 import Kip279
from bmc.encodings.kafka.kip320 import Kip320
from bmc.encodings.kafka.kip320_first_try import Kip320FirstTry
from bmc.encodings.kafka.replication import KafkaReplication
from bmc.encodings.kafka.truncate_to_hw import KafkaTruncateToHighWatermark

Kafka = Kip320
"""What ``kafka`` is short for."""

__all__ = [
    "Kafka",
    "KafkaReplication",
    "KafkaTruncateToHighWatermark",
    "Kip101",
    "Kip279",
    "Kip320",
    "Kip320Deployed",
    "Kip320DeployedUnclean",
    "Kip320FirstTry",
]
