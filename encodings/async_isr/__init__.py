"""A leader and a controller that agree on the in-sync replicas by messages.

One module for AsyncIsr.tla of hachikuji/kafka-specification; no property belongs here.
"""

from bmc.encodings.async_isr.async_isr import AsyncIsr

__all__ = ["AsyncIsr"]
