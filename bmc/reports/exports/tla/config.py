"""The TLC configuration of a module that bmc writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    """What a configuration says; each name is one of the module."""

    specification: str
    numbers: Mapping[str, int]
    members: Mapping[str, Sequence[str]]
    none: bool
    invariants: Sequence[str]
    properties: Sequence[str]
    lemmas: Sequence[str]

    def text(self, about: Sequence[str]) -> str:
        """Return the text, under comments."""
        constants = [f"{name} = {value}" for name, value in self.numbers.items()]
        constants += [f"{name} = {{{', '.join(held)}}}" for name, held in self.members.items()]
        constants += ["None = None"] if self.none else []
        lines = [f"\\* {line}" for line in about]
        lines += ["", f"SPECIFICATION {self.specification}"]
        for section, content in (
            ("CONSTANTS", constants),
            ("INVARIANTS", self.invariants),
            ("PROPERTIES", self.properties),
        ):
            if content:
                lines += ["", section, *(f"  {one}" for one in content)]
        # A protocol in Python says nothing of deadlocks: some end where their bounds are reached.
        lines += ["", "CHECK_DEADLOCK FALSE"]
        if self.lemmas:
            lines += ["", "\\* What bmc may use for induction, and proves with the rest:"]
            lines += [f"\\* bmc: lemma {name}" for name in self.lemmas]
        return "\n".join([*lines, ""])
