"""Protocols by name: those of bmc, those other packages announce, and a user's own files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from bmc.cli.shared import user_file
from bmc.lang.errors import UnknownName, suggest
from bmc.lang.suite import Suite

GROUP = "bmc.protocols"
"""The entry-point group under which a package announces a Suite or a Protocol class."""

BUILT_IN = {
    "kafka-kip320": "bmc.properties.kafka:KAFKA_KIP320",
    "kafka-truncate-to-hw": "bmc.properties.kafka:KAFKA_TRUNCATE_TO_HW",
    "kafka-kip101": "bmc.properties.kafka:KAFKA_KIP101",
    "kafka-kip279": "bmc.properties.kafka:KAFKA_KIP279",
    "kafka-kip320-first-try": "bmc.properties.kafka:KAFKA_KIP320_FIRST_TRY",
    "kafka-async-isr": "bmc.properties.async_isr:KAFKA_ASYNC_ISR",
    "kafka-transactions": "bmc.properties.kafka_transactions:KAFKA_TRANSACTIONS",
    "elasticsearch": "bmc.properties.elasticsearch:ELASTICSEARCH",
    "id-sequence": "bmc.properties.id_sequence:ID_SEQUENCE",
    "replicated-log": "bmc.properties.replicated_log:REPLICATED_LOG",
    "replicated-log-retention": "bmc.properties.replicated_log:REPLICATED_LOG_RETENTION",
    "verified-log": "bmc.properties.verified_log:VERIFIED_LOG",
    "verified-log-repaired": "bmc.properties.verified_log:VERIFIED_LOG_REPAIRED",
    "verified-log-waiting": "bmc.properties.verified_log:VERIFIED_LOG_WAITING",
    "verified-log-repaired-waiting": "bmc.properties.verified_log:VERIFIED_LOG_REPAIRED_WAITING",
}
ALIASES = {"kafka": "kafka-kip320"}


@dataclass(frozen=True)
class Entry:
    """A name of the catalogue: its suite, or why there is none to be had.

    ``alias_of`` is the name it is short for.
    """

    name: str
    suite: Suite | None = None
    alias_of: str | None = None
    unavailable: str | None = None


def find(name: str) -> Suite:
    """The suite a name stands for.

    Raises UnknownName with the nearest names, or UserModelError when the code behind it fails.
    """
    known = ALIASES.get(name, name)
    if known in BUILT_IN:
        return _built_in(known)
    if user_file.names_a_file(name):
        return user_file.load(name)
    announced = _announced()
    if name in announced:
        return _load_announced(name, announced[name])
    raise UnknownName(
        f"there is no protocol {name!r}: {suggest(name, [*ALIASES, *BUILT_IN, *announced])} "
        "(a protocol of your own is path/to/file.py:ClassName)"
    )


def entries() -> Iterator[Entry]:
    """Everything that has a name, aliases beside what they are short for."""
    for name in BUILT_IN:
        suite = _built_in(name)
        for alias, meant in ALIASES.items():
            if meant == name:
                yield Entry(alias, suite, alias_of=name)
        yield Entry(name, suite)
    for name, target in sorted(_announced().items()):
        try:
            yield Entry(name, _load_announced(name, target))
        except user_file.UserModelError as error:
            # One package that fails must not hide the others.
            yield Entry(name, unavailable=str(error))


def _built_in(name: str) -> Suite:
    module, _, attribute = BUILT_IN[name].partition(":")
    suite: Suite = getattr(import_module(module), attribute)
    return suite


def _announced() -> dict[str, str]:
    from importlib.metadata import entry_points

    found = {entry.name: entry.value for entry in entry_points(group=GROUP)}
    return {n: v for n, v in found.items() if n not in BUILT_IN and n not in ALIASES}


def _load_announced(name: str, target: str) -> Suite:
    from importlib.metadata import EntryPoint

    where = f"{name} (announced as {target})"
    with user_file.blaming(where):
        found = EntryPoint(name, target, GROUP).load()
        return user_file.checked(user_file.suite_of(found, name, where))
