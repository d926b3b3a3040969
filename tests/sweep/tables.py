"""A table as a sweep leaves it, with everything in it that a report has to show."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product
from math import exp
from typing import Any

from bmc.reports.sweeps.glossary import Glossary

NAMES = ("replicas", "log_size", "max_records", "max_leader_epoch")
TRACE = "traces/one.json"
TEXT = "StrongIsr: a trace of 4 states\n\n  0  initial state\n  1  Step(leader=r1) <b>&amp;</b>\n"
GLOSSARY = Glossary(
    (("kafka-kip101", "Kafka <b>before</b> KIP-279"),),
    (("WeakIsr", "presumed leaders agree"),),
    (("replicas", "how many; here 2, 3"),),
)
FACTS = {"method": "bmc prove up to k 10 with cadical", "hosts": "one"}
AGAIN = "bmc sweep kafka kafka-kip101 --grid replicas=2..3 --out out"


def rows() -> list[dict[str, Any]]:
    """Two protocols, two properties, four parameters; every verdict and every way to end."""
    made = []
    points = product((2, 3), (1, 2, 3), (1, 2), (0, 1, 2))
    for number, (point, protocol, name) in enumerate(
        product(points, ("kafka-kip101", "kafka-kip320"), ("WeakIsr", "StrongIsr"))
    ):
        values = dict(zip(NAMES, point, strict=True))
        violated = protocol == "kafka-kip101" and values["max_leader_epoch"] == 2
        implied = violated and values["log_size"] == 3
        timeout = not violated and number % 29 == 7
        bits = 10 * values["replicas"] + 9 * values["log_size"] * values["max_records"]
        made.append(
            {
                "key": f"key{number}",
                "protocol": protocol,
                "parameters": values,
                "property": name,
                "verdict": "violated" if violated else "unknown" if timeout else "proved",
                "ended": "implied" if implied else "timeout" if timeout else "answered",
                "engine": "kinduction",
                "k": None if violated or timeout else 1,
                "depth": 11 if violated else None,
                "seconds": None if implied else 0.05 * exp(0.5 * values["replicas"] + bits / 40),
                "peak_memory_mb": None if implied else 100.0 + bits,
                "state_bits": bits,
                "trace_states": 12 if violated else None,
                "trace": TRACE if violated else None,
                "certificate": None if violated or timeout else "certificates/one.json",
                "implied_by": "key0" if implied else None,
                "reason": "the time limit of 60 seconds passed" if timeout else None,
                "asked": "kinduction",
                "bound": 10,
                "solver": "cadical",
                "lemmas": True,
                "checked_by": None if violated or timeout else "bitwuzla 1",
                "timeout": 60.0,
                "memory_mb": 4096,
                "model": "m",
                "identity": "i",
                "tools": "bmc 1",
                "host": "one",
                "finished": datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
            }
        )
    return made
