"""Documents of every kind that bmc reads, and the command that reads each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.cli.running import ROOT, Answered, bmc
from tests.data.mutants import mutant


@dataclass(frozen=True)
class Victim:
    """A document, the words of the command that reads it, and claims that no answer may accept."""

    kind: str
    name: str
    document: Any
    words: tuple[str, ...]
    false: tuple[str, ...] = ()

    def is_right(self, out: str) -> bool:
        """Whether what was accepted names no claim that is known to be false."""
        return not any(re.search(rf"\b{name}\b", out) for name in self.false)

    def attacked(self, seed: int, folder: Path) -> Answered:
        """What the command answers to a mutant; what it would write lies in ``folder``."""
        words = self.put(seed, folder)
        with chdir(folder):
            return bmc(*words)

    def put(self, seed: int, folder: Path) -> tuple[str, ...]:
        """Write a mutant; the words of the command that reads it."""
        file = folder / self.name
        # Surrogates and the like are written as they are: a reader has to bear them.
        file.write_bytes(mutant(self.document, seed).encode("utf-8", "surrogatepass"))
        return *self.words, str(file)


CERTIFY = ("certify", "--timeout", "20")
MONITORED = ("--engine", "monitored")
PROOF = ("--certificate", "proof.json")
EXAMPLES = ROOT / "docs" / "examples"


def _made(folder: Path, name: str, *words: str) -> Any:
    with chdir(folder):
        assert bmc(*words).code in (0, 1)
    return json.loads((folder / name).read_text(encoding="utf-8"))


def victims(folder: Path) -> Iterator[Victim]:
    """One document of each kind, of small protocols, made by bmc itself."""
    made = partial(_made, folder)
    certify, proof = CERTIFY, PROOF
    yield Victim(
        "certificate", "proof.json", made("proof.json", "prove", "id-sequence", *proof), certify
    )
    small = ("-p", "replicas=2", "-p", "log_size=1", "-p", "max_records=1")
    found = ("prove", "replicated-log", "-p", "replicas=2", "--engine", "ic3", "--no-lemmas")
    yield Victim("clauses", "clauses.json", made("proof.json", *found, *proof), certify)
    every = ("prove", "id-sequence", "--all-parameters")
    yield Victim("for all", "all.json", made("proof.json", *every, *proof), certify)
    search = ("check", "kafka", *small, "-P", "LeaderInIsr")
    for form in ("trace.json", "trace.itf.json"):
        made(form, *search, "--trace", form)
        document = json.loads((folder / form).read_text(encoding="utf-8"))
        yield Victim(form, form, document, ("trace", "replay"))


def proofs(folder: Path) -> Iterator[Victim]:
    """Certificates of further protocols, and of the other kinds of claims and of sources.

    Their mutants cost more than those of :func:`victims`: a judge is asked about larger models.
    """
    small = ("-p", "replicas=2", "-p", "log_size=1", "-p", "max_records=1")
    refuted = ("LeaderInIsr", "IsrNonEmpty")
    asked: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
        ("kafka", ("kafka-kip320", *small, "-p", "max_leader_epoch=1"), refuted),
        ("kip101", ("kafka-kip101", *small, "-p", "max_leader_epoch=1"), refuted),
        ("first try", ("kafka-kip320-first-try", *small, "-p", "max_leader_epoch=1"), refuted),
        ("truncation", ("kafka-truncate-to-hw", *small, "-p", "max_leader_epoch=1"), refuted),
        ("async isr", ("kafka-async-isr", "-p", "replicas=2"), ("TypeOk",)),
        ("replicated log", ("replicated-log", "-p", "replicas=2"), ()),
    )
    for kind, words, false in asked:
        document = _made(folder, "proof.json", "prove", *words, *PROOF)
        yield Victim(kind, "proof.json", document, CERTIFY, false)
    files: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
        ("temporal", "prove", "classics/token_ring.py:TokenRing", ("-P", "Works", *MONITORED)),
        ("sizes", "prove", "paxos.py:Paxos", ("--all-parameters",)),
        ("explored", "prove", "fifo_queue.py:FifoQueue", ("--engine", "explicit")),
        ("TLA+", "prove", "Backup.tla", ("--engine", "kinduction", "-P", "Forward")),
        ("inferred", "infer", "two_phase_commit.py:TwoPhaseCommit", ("-P", "TCConsistent")),
    )
    for kind, command, name, options in files:
        file = str(EXAMPLES / name)
        document = _made(folder, "proof.json", command, file, *options, *PROOF)
        yield Victim(kind, "proof.json", document, (*CERTIFY, "--protocol", file))
