"""Certificates: what was proven, by which conjunction, of which model. Plain JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bmc.lang.errors import BmcError

FORMAT = "bmc-certificate/1"


class CertificateError(BmcError):
    """A file that is no certificate, or one whose claim does not hold."""


@dataclass(frozen=True)
class Conjunct:
    """One conjunct of the invariant: a property, lemma or condition of the model, by name.

    ``text`` is the formula as a reader sees it; ``claimed`` says whether it is one of the
    properties the certificate was made for.
    """

    name: str
    kind: str
    text: str
    claimed: bool


@dataclass(frozen=True)
class Certificate:
    """A k-inductive conjunction and the model it belongs to.

    ``protocol`` is what the command line calls it; ``fingerprint`` identifies model and
    parameters. ``found_by`` names the solver that found the proof, with its version.
    """

    protocol: str
    parameters: Mapping[str, int]
    fingerprint: str
    k: int
    conjuncts: tuple[Conjunct, ...]
    found_by: str

    @property
    def claims(self) -> tuple[str, ...]:
        """The properties proven."""
        return tuple(c.name for c in self.conjuncts if c.claimed)

    def to_json(self) -> dict[str, Any]:
        """The document as it is written."""
        return {
            "format": FORMAT,
            "protocol": self.protocol,
            "parameters": dict(self.parameters),
            "fingerprint": self.fingerprint,
            "k": self.k,
            "found_by": self.found_by,
            "claims": list(self.claims),
            "conjuncts": [{"name": c.name, "kind": c.kind, "text": c.text} for c in self.conjuncts],
        }

    @staticmethod
    def from_json(document: object) -> Certificate:
        """Read a document; CertificateError says which part is missing or wrong."""
        if not isinstance(document, dict):
            raise CertificateError("a certificate is a JSON object: this file holds another value")
        if document.get("format") != FORMAT:
            raise CertificateError(
                f"expected format {FORMAT!r}, found {document.get('format')!r}: "
                "was it written by another version of bmc?"
            )
        try:
            claims = [str(name) for name in document["claims"]]
            conjuncts = tuple(
                Conjunct(c["name"], c["kind"], c["text"], c["name"] in claims)
                for c in document["conjuncts"]
            )
            parameters = {str(n): int(v) for n, v in document["parameters"].items()}
            certificate = Certificate(
                str(document["protocol"]),
                parameters,
                str(document["fingerprint"]),
                int(document["k"]),
                conjuncts,
                str(document["found_by"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CertificateError(f"the certificate is incomplete or malformed: {error}") from None
        stray = sorted(set(claims) - {c.name for c in conjuncts})
        if stray:
            raise CertificateError(
                f"it claims {stray[0]}, which is not among its conjuncts: it was altered"
            )
        if not claims:
            raise CertificateError("it claims nothing")
        return certificate

    def write(self, path: Path) -> None:
        """Write the document, replacing the file only when all of it is on disk."""
        text = json.dumps(self.to_json(), indent=2) + "\n"
        partial = path.with_name(path.name + ".partial")
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)

    @staticmethod
    def read(path: Path) -> Certificate:
        """Read a file; CertificateError when it is unreadable or no certificate."""
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise CertificateError(f"cannot read {path}: {error.strerror}") from None
        except ValueError as error:
            raise CertificateError(f"{path} is not JSON: {error}") from None
        return Certificate.from_json(document)
