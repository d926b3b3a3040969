"""Certificates of complete explorations: how many states there are, and what holds in all.

They are evidence of another kind than a conjunction: nothing in them can be checked but by
exploring again. What they are good for is to say exactly which model was explored, and what was
counted. A lock keeps the same documents.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bmc.evidence import untrusted
from bmc.evidence.certificate import CertificateError, widened_json, widened_of
from bmc.evidence.untrusted import integer_of, only, text_of, what_is_wrong
from bmc.running.files import write_file

FORMAT = "bmc-lock-exploration/1"

_PARTS = frozenset(
    {
        "format",
        "protocol",
        "parameters",
        "fingerprint",
        "distinct_states",
        "generated_states",
        "levels",
        "holds",
        "widened",
    }
)


@dataclass(frozen=True)
class ExplorationCertificate:
    """A complete exploration of the model with ``fingerprint`` (the one without ghosts).

    ``levels`` counts distinct states by the length of their shortest path. ``holds`` has the
    statement's digest of each property that no state violates, and of each witness that no
    state is. ``widened`` is as in a :class:`~bmc.evidence.certificate.Certificate`.
    """

    protocol: str
    parameters: Mapping[str, int]
    fingerprint: str
    levels: tuple[int, ...]
    generated_states: int
    holds: Mapping[str, str]
    widened: tuple[tuple[int, ...], ...] = ()

    @property
    def distinct_states(self) -> int:
        """The number of reachable states."""
        return sum(self.levels)

    def counts_as(self, levels: tuple[int, ...], generated_states: int) -> bool:
        """Whether a complete exploration counts the same."""
        return (levels, generated_states) == (self.levels, self.generated_states)

    def begins_as(self, levels: tuple[int, ...], whole: int) -> bool:
        """Return whether an exploration that ended early counts the same so far.

        Of its ``levels`` the first ``whole`` ones have all their states.
        """
        if len(levels) > len(self.levels):
            return False
        same = levels[:whole] == self.levels[:whole]
        return same and all(n <= m for n, m in zip(levels, self.levels, strict=False))

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
            **widened_json(self.widened),
        }
        return json.dumps(document, indent=2) + "\n"

    @staticmethod
    def read(text: str, name: str) -> ExplorationCertificate:
        """Read a file's content; CertificateError when it is no such record."""
        try:
            document = untrusted.document(text)
            if document["format"] != FORMAT:
                raise ValueError(f"its format is {document['format']!r}")
            only(document, _PARTS)
            found = ExplorationCertificate(
                text_of(document["protocol"]),
                {text_of(n): integer_of(v) for n, v in document["parameters"].items()},
                text_of(document["fingerprint"]),
                tuple(integer_of(n) for n in document["levels"]),
                integer_of(document["generated_states"]),
                {text_of(n): text_of(v) for n, v in document["holds"].items()},
                widened_of(document.get("widened", [])),
            )
            if min(found.levels, default=0) < 1 or found.generated_states < 0:
                raise ValueError("it counts levels without a state")
            if found.distinct_states != integer_of(document["distinct_states"]):
                raise ValueError("its levels do not add up to its number of states")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CertificateError(
                f"{name} is no recorded exploration: {what_is_wrong(error)}"
            ) from None
        return found

    def write(self, path: Path) -> None:
        """Write the document; the file is replaced only when all of it is on disk."""
        write_file(path, self.text)


def is_exploration(document: object) -> bool:
    """Whether a document says that it is one of an exploration."""
    return isinstance(document, dict) and document.get("format") == FORMAT
