"""Certificates of proofs at all parameter values: for each condition, ground instances."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bmc.evidence.certificate import (
    CertificateError,
    Statement,
    Watching,
    history_json,
    history_of,
    lemmas_of,
    read_file,
    read_statement,
    read_watching,
)
from bmc.evidence.untrusted import integer_of, only, text_of, what_is_wrong
from bmc.lang.fingerprint import fingerprint
from bmc.lang.model import Model
from bmc.readings.quantified.counting import used_axiom
from bmc.running.files import write_file
from bmc.system.parametric import Name

FORMAT = "bmc-parametric-certificate/1"

_PARTS = frozenset(
    {
        "format",
        "protocol",
        "parameters_from",
        "fingerprint",
        "found_by",
        "claims",
        "invariants",
        "conditions",
        "axioms",
        "lemmas",
        "history",
        "watching",
    }
)

_PARTS_OF_A_CONDITION = frozenset({"goal", "action", "branch", "refutations"})

InstanceText = tuple[str, ...]
"""The name of a universal formula, and the terms that its variables stand for."""

Refutation = tuple[InstanceText, ...]
"""Instances that contradict each other, one of them of the negated goal."""


@dataclass(frozen=True)
class ParametricCertificate:
    """Invariants that are inductive at all parameter values, and what they imply.

    ``refutations`` holds, for each condition, one refutation for each of its goals. ``lows`` are
    the parameters' least values: the proof is for all values from there on. ``lemmas`` are those
    among the invariants that no file of the protocol states, and ``history`` the ghosts that no
    file declares, as in a certificate of one size.
    ``axioms`` names what is assumed of the sizes of sets; the judge shows each of them by itself.
    Of a temporal claim it is a proof about the model beside its monitor, which ``watching`` names.
    """

    protocol: str
    lows: Mapping[str, int]
    fingerprint: str
    claims: tuple[Statement, ...]
    invariants: tuple[Statement, ...]
    refutations: Mapping[Name, tuple[Refutation, ...]]
    found_by: str
    lemmas: tuple[Mapping[str, Any], ...] = ()
    axioms: tuple[str, ...] = ()
    watching: Watching | None = None
    history: tuple[Mapping[str, Any], ...] = ()

    def supports(self, goal: str) -> frozenset[str]:
        """The invariants (and :data:`BOUNDS`) that what is proven of ``goal`` rests on."""
        names = {s.name for s in self.invariants}
        found, open_ = set(), [goal]
        while open_:
            current = open_.pop()
            for name, goals in self.refutations.items():
                if name.goal == current:
                    for used in origins(goals) & names:
                        if used not in found:
                            found.add(used)
                            open_.append(used)
        return frozenset(found - {goal})

    def to_json(self) -> dict[str, Any]:
        """The document as it is written."""
        return {
            "format": FORMAT,
            "protocol": self.protocol,
            "parameters_from": dict(self.lows),
            "fingerprint": self.fingerprint,
            "found_by": self.found_by,
            "claims": [vars(s) for s in self.claims],
            "invariants": [vars(s) for s in self.invariants],
            "conditions": [
                {
                    "goal": name.goal,
                    "action": name.action,
                    "branch": name.branch,
                    "refutations": [[list(i) for i in one] for one in goals],
                }
                for name, goals in sorted(self.refutations.items())
            ],
            **({"axioms": list(self.axioms)} if self.axioms else {}),
            **({"lemmas": [dict(one) for one in self.lemmas]} if self.lemmas else {}),
            **history_json(self.history),
            **({"watching": self.watching.to_json()} if self.watching is not None else {}),
        }

    @staticmethod
    def from_json(document: object) -> ParametricCertificate:
        """Read a document; CertificateError says what is missing or wrong."""
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise CertificateError(f"expected a certificate of format {FORMAT!r}")
        try:
            only(document, _PARTS)
            conditions: dict[Name, tuple[Refutation, ...]] = {}
            for part in document["conditions"]:
                only(part, _PARTS_OF_A_CONDITION)
                name = Name(text_of(part["goal"]), str(part["action"]), integer_of(part["branch"]))
                if name in conditions:
                    raise ValueError(f"{name} is there twice")
                conditions[name] = tuple(_refutation(one) for one in part["refutations"])
            return ParametricCertificate(
                text_of(document["protocol"]),
                {n: integer_of(v) for n, v in document["parameters_from"].items()},
                text_of(document["fingerprint"]),
                tuple(read_statement(s) for s in document["claims"]),
                tuple(read_statement(s) for s in document["invariants"]),
                conditions,
                text_of(document["found_by"]),
                lemmas_of(document.get("lemmas", [])),
                tuple(text_of(name) for name in document.get("axioms", [])),
                read_watching(document.get("watching")),
                history_of(document.get("history", [])),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CertificateError(
                f"the certificate is incomplete or malformed: {what_is_wrong(error)}"
            ) from None

    def write(self, path: Path) -> None:
        """Write the document; the file is replaced only when all of it is on disk."""
        write_file(path, json.dumps(self.to_json(), indent=1) + "\n")

    @staticmethod
    def read(path: Path) -> ParametricCertificate:
        """Read a file; CertificateError, see read_file, when it is unreadable or none."""
        return read_file(path, ParametricCertificate.from_json)


def origins(goals: Sequence[Refutation]) -> set[str]:
    """What the instances of refutations come from, such as lemmas."""
    return {instance[0].rpartition("#")[0].partition("!")[0] for one in goals for instance in one}


def axioms_in(refutations: Iterable[Sequence[Refutation]]) -> tuple[str, ...]:
    """The axioms about sizes that refutations use, each once, in the order of their names."""
    names = {used_axiom(instance[0]) for goals in refutations for one in goals for instance in one}
    return tuple(sorted(name for name in names if name is not None))


def parametric_fingerprint(model: Model) -> str:
    """The fingerprint of a model at no particular parameters, but with their least values."""
    return fingerprint(model, {p.name: p.low for p in model.parameters})


def is_parametric(document: object) -> bool:
    """Whether a JSON document says that it is such a certificate."""
    return isinstance(document, dict) and document.get("format") == FORMAT


def _refutation(part: Any) -> Refutation:
    return tuple(_instance(instance) for instance in part)


def _instance(part: Any) -> InstanceText:
    if not isinstance(part, list) or not part:
        raise ValueError("an instance is a list: the name of a formula, and its terms")
    return tuple(text_of(text) for text in part)
