"""Certificates: what was proven, by which conjunction, of which model. Plain JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from bmc.evidence import untrusted
from bmc.evidence.untrusted import integer_of, only, text_of, what_is_wrong
from bmc.lang.errors import BmcError
from bmc.lang.fingerprint import property_digest
from bmc.lang.properties import WITHIN_BOUNDS, Property
from bmc.lang.show import show, show_sort
from bmc.running.files import write_file

__all__ = [
    "FORMAT",
    "WITHIN_BOUNDS",
    "Certificate",
    "CertificateError",
    "Clause",
    "Statement",
    "formula_text",
]

Read = TypeVar("Read")

FORMAT = "bmc-certificate/1"

_PARTS = frozenset(
    {
        "format",
        "protocol",
        "parameters",
        "fingerprint",
        "k",
        "found_by",
        "claims",
        "conjuncts",
        "clauses",
        "watching",
        "lemmas",
        "history",
        "widened",
    }
)
_PARTS_OF_A_STATEMENT = frozenset({"name", "kind", "text", "digest"})
_PARTS_OF_A_LEMMA = frozenset({"name", "text", "arguments", "body"})
_PARTS_OF_A_GHOST = frozenset({"name", "sort", "about", "initially", "after"})


class CertificateError(BmcError):
    """A file that is no certificate, or one whose claim does not hold."""


class Disproved(CertificateError):
    """A certificate of which a judge has found that one of its conditions does not hold."""


@dataclass(frozen=True)
class Statement:
    """A property or lemma as a certificate names it.

    ``text`` is the formula for a reader; ``digest`` is what the checker compares.
    """

    name: str
    kind: str
    text: str
    digest: str

    @staticmethod
    def of(stated: Property) -> Statement:
        """The statement of a property."""
        return Statement(
            stated.name, stated.kind.value, formula_text(stated), property_digest(stated)
        )

    @staticmethod
    def bounds() -> Statement:
        """The statement that no enabled action leaves the model's bounds."""
        text = "no enabled action leaves the model's bounds"
        return Statement(WITHIN_BOUNDS, "model", text, "")


def formula_text(stated: Property) -> str:
    """A property's formula with its universal quantifiers."""
    bound = [f"{show(a)} \\in {show_sort(a.sort)}" for a in stated.arguments]
    return f"\\A {', '.join(bound)} : {show(stated.body)}" if bound else show(stated.body)


DEEPEST = 1_000
"""The deepest induction that is re-checked: each step of it is built in the judge's solver."""

MOST_ROUNDS = 100
"""The most that a monitor of a temporal claim counts to: each number is a value of its state."""


@dataclass(frozen=True)
class Watching:
    """The temporal claim beside whose monitor the model was looked at.

    The certificate's model is that of :func:`bmc.system.watched.watched`, and the invariant that
    it claims has the temporal claim's name. ``formula`` is for a reader; ``rounds`` is how often
    the monitor never sees everything, None where it waits for a state to come back, or where it
    looks at the rank of the ``ranking`` of that name.
    """

    claim: str
    formula: str
    specification: str
    rounds: int | None
    ranking: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The part of the document: a ranking is named where there is one."""
        part = asdict(self)
        if self.ranking is None:
            del part["ranking"]
        return part


Clause = tuple[str, ...]
"""Literals of which one holds, such as ``("~ log[Replica1].end >= 1", "mode = open")``."""


@dataclass(frozen=True)
class Certificate:
    """A k-inductive conjunction, the claims it implies, and the model it belongs to.

    ``protocol`` is what the command line calls it; ``fingerprint`` identifies model and
    parameters. ``found_by`` names the solver that found the proof, with its version. Beside
    the claims, every certificate says that the model's bounds are never left.

    ``clauses`` are conjuncts that nobody stated but an engine found: disjunctions of literals
    over the state's scalars, in the texts of :class:`bmc.system.atoms.Atoms`. ``lemmas`` are those
    among the conjuncts that no file of the protocol states, written out as data
    (:mod:`bmc.lang.written`): they are as much to be shown as every other conjunct. ``history`` are
    the ghosts that they speak of, where no file declares them either: they only follow the steps.

    ``widened`` are the paths by which the bounds of a specification's model were made larger than
    they are guessed at first (:meth:`bmc.lang.suite.Origin.along`): without them the model is
    another one.

    Of a temporal claim it is a proof about the model beside its monitor, which ``watching`` names.
    """

    protocol: str
    parameters: Mapping[str, int]
    fingerprint: str
    k: int
    claims: tuple[Statement, ...]
    conjuncts: tuple[Statement, ...]
    found_by: str
    clauses: tuple[Clause, ...] = ()
    watching: Watching | None = None
    lemmas: tuple[Mapping[str, Any], ...] = ()
    widened: tuple[tuple[int, ...], ...] = ()
    history: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        """Raise CertificateError where nothing would be shown, from a file or not."""
        if not self.claims:
            raise CertificateError("the certificate claims nothing")
        if self.k < 1:
            raise CertificateError(f"k must be 1 or more, the certificate says {self.k}")
        if not self.found_by.split():
            raise CertificateError(
                "the certificate does not say which solver found the proof: name it in found_by"
            )

    def to_json(self) -> dict[str, Any]:
        """The document as it is written."""
        clauses = {"clauses": [list(c) for c in self.clauses]} if self.clauses else {}
        watching = {"watching": self.watching.to_json()} if self.watching is not None else {}
        lemmas = {"lemmas": [dict(one) for one in self.lemmas]} if self.lemmas else {}
        return {
            "format": FORMAT,
            "protocol": self.protocol,
            "parameters": dict(self.parameters),
            "fingerprint": self.fingerprint,
            "k": self.k,
            "found_by": self.found_by,
            "claims": [_written(s) for s in self.claims],
            "conjuncts": [_written(s) for s in self.conjuncts],
            **clauses,
            **watching,
            **lemmas,
            **history_json(self.history),
            **widened_json(self.widened),
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
            only(document, _PARTS)
            certificate = Certificate(
                text_of(document["protocol"]),
                {n: integer_of(v) for n, v in document["parameters"].items()},
                text_of(document["fingerprint"]),
                integer_of(document["k"]),
                tuple(read_statement(s) for s in document["claims"]),
                tuple(read_statement(s) for s in document["conjuncts"]),
                text_of(document["found_by"]),
                _clauses(document.get("clauses", [])),
                read_watching(document.get("watching")),
                lemmas_of(document.get("lemmas", [])),
                widened_of(document.get("widened", [])),
                history_of(document.get("history", [])),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CertificateError(
                f"the certificate is incomplete or malformed: {what_is_wrong(error)}"
            ) from None
        if certificate.k > DEEPEST:
            raise CertificateError(
                f"k is {certificate.k}: an induction deeper than {DEEPEST} is not re-checked"
            )
        return certificate

    @property
    def text(self) -> str:
        """The file's content."""
        return json.dumps(self.to_json(), indent=2) + "\n"

    def write(self, path: Path) -> None:
        """Write the document whole or not at all. Raises UnwritableFile, see write_file."""
        write_file(path, self.text)

    @staticmethod
    def read(path: Path) -> Certificate:
        """Read a file; CertificateError, see read_file, when it is unreadable or none."""
        return read_file(path, Certificate.from_json)


def read_file(path: Path, from_json: Callable[[object], Read]) -> Read:
    """Return the certificate in a file, as ``from_json`` reads its document.

    Raises CertificateError, with the file's name, when it is unreadable or no such certificate.
    """
    try:
        found = untrusted.document(untrusted.text_in(path))
    except OSError as error:
        raise CertificateError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise CertificateError(f"{path} is not JSON: {error}") from None
    try:
        return from_json(found)
    except CertificateError as error:
        raise CertificateError(f"{path} is rejected: {error}") from None


def _written(statement: Statement) -> dict[str, str]:
    return {
        "name": statement.name,
        "kind": statement.kind,
        "text": statement.text,
        "digest": statement.digest,
    }


def read_statement(part: Any) -> Statement:
    """Return the statement that a part of a document is.

    Raises KeyError, TypeError, ValueError or AttributeError where it is none.
    """
    only(part, _PARTS_OF_A_STATEMENT)
    name, kind, text = (text_of(part[field]) for field in ("name", "kind", "text"))
    digest = part["digest"]
    if not isinstance(digest, str):
        raise ValueError(f"the digest of {name} is no text")
    return Statement(name, kind, text, digest)


def read_watching(part: Any) -> Watching | None:
    """Return what a document says of the claim that was watched, None where it says nothing.

    Raises KeyError, TypeError or ValueError where a part is missing or wrong.
    """
    if part is None:
        return None
    only(part, {one.name for one in fields(Watching)})
    rounds = None if part["rounds"] is None else integer_of(part["rounds"])
    if rounds is not None and not 1 <= rounds <= MOST_ROUNDS:
        raise ValueError(f"rounds is {rounds}: it is 1 to {MOST_ROUNDS}")
    claim, formula, specification = (
        text_of(part[field]) for field in ("claim", "formula", "specification")
    )
    ranking = None if part.get("ranking") is None else text_of(part["ranking"])
    if rounds is not None and ranking is not None:
        raise ValueError("it counts rounds and has a ranking: a monitor does one of them")
    return Watching(claim, formula, specification, rounds, ranking)


def _clauses(part: object) -> tuple[Clause, ...]:
    if not isinstance(part, list):
        raise ValueError("clauses is not a list")
    found: list[Clause] = []
    for clause in part:
        if not isinstance(clause, list) or not clause:
            raise ValueError(f"clause {len(found) + 1} is not a list of literals")
        if not all(isinstance(literal, str) for literal in clause):
            raise ValueError(f"clause {len(found) + 1} holds something that is no text")
        found.append(tuple(clause))
    return tuple(found)


def lemmas_of(part: object) -> tuple[Mapping[str, Any], ...]:
    """Return the carried lemmas of a document; ValueError where it holds something else."""
    return _carried(part, _PARTS_OF_A_LEMMA, "lemmas is not a list of lemmas")


def history_json(history: tuple[Mapping[str, Any], ...]) -> dict[str, Any]:
    """Return the part of a document that holds a carried history, where there is one."""
    return {"history": [dict(one) for one in history]} if history else {}


def history_of(part: object) -> tuple[Mapping[str, Any], ...]:
    """Return that part of a document; ValueError where it holds something else than ghosts."""
    return _carried(part, _PARTS_OF_A_GHOST, "history is not a list of ghosts")


def _carried(
    part: object, known: Collection[str], else_wrong: str
) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(part, list) or not all(isinstance(one, dict) for one in part):
        raise ValueError(else_wrong)
    for one in part:
        only(one, known)
    return tuple(part)


MOST_WIDENED = 100
"""The most paths by which bounds are made larger: for each, a specification is translated anew."""


def widened_json(paths: tuple[tuple[int, ...], ...]) -> dict[str, Any]:
    """Return the part of a document that says how bounds were made larger, where they were."""
    return {"widened": [list(path) for path in paths]} if paths else {}


def widened_of(part: object) -> tuple[tuple[int, ...], ...]:
    """Return that part of a document; ValueError where it holds something else than paths."""
    if not isinstance(part, list) or len(part) > MOST_WIDENED:
        raise ValueError(f"widened is not a list of {MOST_WIDENED} paths at most")
    found = []
    for path in part:
        if not isinstance(path, list) or not path or any(integer_of(n) < 0 for n in path):
            raise ValueError("widened holds something that is no path")
        found.append(tuple(path))
    return tuple(found)
