"""At which parameters the mutants of protocols are explored, and which faults are planted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def _kafka(*values: int) -> dict[str, int]:
    names = ("replicas", "log_size", "max_records", "max_leader_epoch")
    return dict(zip(names, values, strict=True))


def _log(**events: int) -> dict[str, int]:
    return {"log_nodes": 2, "num_replicas": 1} | events


_KAFKA = (_kafka(2, 2, 2, 1), _kafka(2, 2, 2, 2))
_DEPLOYED = (_kafka(2, 1, 1, 1), _kafka(2, 1, 1, 2), _kafka(2, 2, 2, 1))
_LOG = (
    _log(),
    _log(coordinator_timeouts=1),
    _log(old_producer_timeouts=0, node_failures=1),
    _log(old_producer_timeouts=0, new_producer_timeouts=1),
    _log(num_replicas=2, old_producer_timeouts=0),
    _log(drops=1, coordinator_timeouts=1),
)
_ELASTIC = ({}, {"nodes": 3, "max_client_value": 1, "max_messages": 3})
CHOICES: Mapping[str, Sequence[Mapping[str, int]]] = {
    "kafka-kip320": (*_KAFKA, _kafka(3, 2, 1, 2)),
    "kafka-kip320-deployed": _DEPLOYED,
    "kafka-kip320-deployed-unclean": _DEPLOYED,
    "kafka-kip320-first-try": _KAFKA,
    "kafka-kip279": _KAFKA,
    "kafka-kip101": _KAFKA,
    "kafka-truncate-to-hw": _KAFKA,
    "kafka-async-isr": (
        {"replicas": 2, "max_offset": 1, "max_version": 2},
        {"replicas": 2, "max_offset": 2, "max_version": 3},
        {"replicas": 3, "max_offset": 1, "max_version": 2},
    ),
    "kafka-transactions": ({"max_coordinator_changes": 0}, {}),
    "elasticsearch": _ELASTIC,
    "id-sequence": ({"max_id": 4},),
    "replicated-log": ({"replicas": 2, "log_size": 2, "log_records": 2},),
    "replicated-log-retention": ({"replicas": 2, "log_size": 2, "log_records": 2},),
    "verified-log": _LOG,
    "verified-log-repaired": _LOG,
    "verified-log-waiting": _LOG,
    "verified-log-repaired-waiting": _LOG,
}
"""Parameters for each protocol: small ones, then those that add what does not happen there."""
ONCE: Mapping[str, Sequence[int]] = {
    "kafka-transactions": (1,),
    **{name: (3,) for name in CHOICES if name.startswith("verified")},
}
"""Of these protocols a mutant is explored at the first parameters at which the action that it is a
fault in happens: they have many actions, and some happen after events of one kind alone. Only if it
comes to new states there, and nothing notices, it is explored at those of these numbers, too."""
BESIDE: Mapping[str, Sequence[str]] = {
    "kafka-kip320-deployed-unclean": ("kafka-kip320-deployed",),
    "verified-log-repaired": ("verified-log",),
    "verified-log-waiting": ("verified-log",),
    "verified-log-repaired-waiting": (
        "verified-log",
        "verified-log-repaired",
        "verified-log-waiting",
    ),
}
"""Of these protocols only those faults are planted that the others do not have."""
