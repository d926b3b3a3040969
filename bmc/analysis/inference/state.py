"""What was found so far, kept in a folder, so that a second run goes on from there."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from bmc.analysis.mining.candidates import Candidate
from bmc.engines.spill.files import claim
from bmc.engines.task import OptionError
from bmc.evidence import untrusted
from bmc.lang.fingerprint import fingerprint
from bmc.lang.model import Model
from bmc.lang.properties import Property
from bmc.lang.terms import Term
from bmc.lang.written import Unreadable, read_lemma, write_property
from bmc.running.files import UnwritableFile, make_folder, write_file

FORMAT = "bmc-inference/1"
_FILE = "lemmas.json"
_EVERY = 3.0


class LemmaFolder:
    """A folder that keeps the lemmas of one model at some parameters.

    They are candidates and nothing more: whoever reads them looks at every explored state again,
    and asks again what preserves them. One process at a time, within `with`: what another one kept
    meanwhile would be lost. Raises OptionError for a folder that keeps something else, FolderInUse.
    """

    def __init__(self, folder: Path, model: Model, parameters: dict[str, int]) -> None:
        self._file = folder / _FILE
        self._of = fingerprint(model, parameters)
        self._last = 0.0
        self.known: tuple[Candidate, ...] = ()
        self.lost: UnwritableFile | None = None
        try:
            make_folder(folder)
            self._lock = claim(folder, "keeps lemmas")
        except OSError as error:
            raise OptionError(
                f"cannot use {folder}: {error.strerror}: name a folder that can be made and written"
            ) from None
        try:
            if self._file.exists():
                self.known = tuple(self._read(model))
        except OptionError:
            os.close(self._lock)
            raise

    def __enter__(self) -> LemmaFolder:
        return self

    def __exit__(self, *raised: object) -> None:
        os.close(self._lock)

    def _read(self, model: Model) -> list[Candidate]:
        if not self._file.is_file():
            # A pipe would be waited for, and a device need not end.
            raise OptionError(f"{self._file} is a folder, a pipe or a device: remove it")
        try:
            kept = untrusted.document(untrusted.text_in(self._file))
        except (OSError, ValueError) as error:
            raise OptionError(f"cannot read {self._file}: {error}; remove it") from None
        if not isinstance(kept, dict) or kept.get("format") != FORMAT:
            raise OptionError(f"{self._file} holds no lemmas of an inference: name another folder")
        if kept.get("fingerprint") != self._of:
            raise OptionError(
                f"{self._file} is of another protocol, or of other parameters: name another folder"
            )
        found = []
        try:
            for written in kept["lemmas"]:
                stated = read_lemma(written, model.variables)
                found.append(candidate(stated.arguments, stated.body))
        except (Unreadable, KeyError, TypeError) as error:
            raise OptionError(f"{self._file} is damaged: {error}; remove it") from None
        return found

    def keep(self, lemmas: Sequence[Property], now: bool = False) -> None:
        """Write the lemmas, unless that was done a moment ago and it need not be ``now``.

        Where that fails ``lost`` is why: what was found is worth more than what is kept of it.
        """
        if not now and monotonic() - self._last < _EVERY:
            return
        self._last = monotonic()
        document = {
            "format": FORMAT,
            "fingerprint": self._of,
            "lemmas": [write_property(one) for one in lemmas],
        }
        try:
            write_file(self._file, json.dumps(document, indent=1) + "\n")
            self.lost = None
        except UnwritableFile as error:
            self.lost = error


def candidate(arguments: tuple[Term, ...], body: Term) -> Candidate:
    """Return a formula as a candidate, with as many literals as it has parts."""
    premises = body.args[0] if body.op == "implies" else body
    parts = len(premises.args) if premises.op == "and" else 1
    return Candidate(arguments, body, parts + (body.op == "implies"), 0)
