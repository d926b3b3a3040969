"""What is stated about AsyncIsr: its published properties, lemmas, witnesses, the suite."""

from bmc.encodings.async_isr import AsyncIsr
from bmc.properties.async_isr.lemmas import LEMMAS
from bmc.properties.async_isr.published import PUBLISHED
from bmc.properties.async_isr.witnesses import WITNESSES

from bmc.lang import Suite

KAFKA_ASYNC_ISR = Suite(
    name="kafka-async-isr",
    protocol=AsyncIsr,
    about="Kafka's ISR changes as messages between a leader and the controller",
    properties=(*PUBLISHED, *WITNESSES),
    lemmas=LEMMAS,
    refuted={"TypeOk": "pendingVersion is Nil, which is -1, in the initial state"},
)

__all__ = ["KAFKA_ASYNC_ISR"]
