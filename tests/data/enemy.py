"""Documents of every kind that bmc reads, and the command that reads each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.running import Answered, bmc
from tests.data.mutants import mutant


@dataclass(frozen=True)
class Victim:
    """A document, and the words of the command that reads it from a file."""

    kind: str
    name: str
    document: Any
    words: tuple[str, ...]

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


def victims(folder: Path) -> Iterator[Victim]:
    """One document of each kind, of small protocols, made by bmc itself."""

    def made(name: str, *words: str) -> Any:
        with chdir(folder):
            assert bmc(*words).code in (0, 1)
        return json.loads((folder / name).read_text(encoding="utf-8"))

    certify = ("certify", "--timeout", "20")
    proof = ("--certificate", "proof.json")
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
