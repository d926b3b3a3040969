"""Complete explorations kept beside a lock: how many states there are, and what holds in all.

It is evidence of another kind than a certificate: nothing in it can be checked but by exploring
again. What it is good for is to say exactly which model was explored, and what was counted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from bmc.engines.explicit import Exploration
from bmc.evidence import untrusted
from bmc.regress.errors import EvidenceError

FORMAT = "bmc-lock-exploration/1"


@dataclass(frozen=True)
class ExplorationRecord:
    """A complete exploration of the model with ``fingerprint`` (the one without ghosts).

    ``levels`` counts distinct states by the length of their shortest path. ``holds`` has the
    statement's digest of each property that no state violates, and of each witness that no
    state is.
    """

    protocol: str
    parameters: Mapping[str, int]
    fingerprint: str
    levels: tuple[int, ...]
    generated_states: int
    holds: Mapping[str, str]

    @property
    def distinct_states(self) -> int:
        """The number of reachable states."""
        return sum(self.levels)

    def counts_as(self, found: Exploration) -> bool:
        """Whether an exploration is complete and counts the same."""
        return found.complete and (found.levels, found.generated_states) == (
            self.levels,
            self.generated_states,
        )

    @property
    def text(self) -> str:
        """The file's content, equal for equal explorations."""
        document = {
            "format": FORMAT,
            "protocol": self.protocol,
            "parameters": dict(sorted(self.parameters.items())),
            "fingerprint": self.fingerprint,
            "distinct_states": self.distinct_states,
            "generated_states": self.generated_states,
            "levels": list(self.levels),
            "holds": dict(sorted(self.holds.items())),
        }
        return json.dumps(document, indent=2) + "\n"

    @staticmethod
    def read(text: str, name: str) -> ExplorationRecord:
        """Read a file's content; EvidenceError when it is no such record."""
        try:
            document = untrusted.document(text)
            if document["format"] != FORMAT:
                raise ValueError(f"its format is {document['format']!r}")
            found = ExplorationRecord(
                document["protocol"],
                dict(document["parameters"]),
                document["fingerprint"],
                tuple(int(n) for n in document["levels"]),
                int(document["generated_states"]),
                dict(document["holds"]),
            )
            if found.distinct_states != document["distinct_states"]:
                raise ValueError("its levels do not add up to its number of states")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise EvidenceError(f"{name} is no recorded exploration: {error}") from None
        return found
