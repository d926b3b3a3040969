"""Where a lock lives: its file, and beside it the folder of evidence.

An evidence file is named after its content and never changed. So an update first adds files that
nobody refers to yet, then puts the new lock in the place of the old one in a single step, and
only then removes what nobody refers to any more: whenever it is cut short, the lock that is
there has all its evidence.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from glob import escape
from hashlib import sha256
from pathlib import Path

from bmc.evidence.untrusted import NotADocument, text_in
from bmc.regress.errors import (
    EvidenceError,
    LockError,
    LockFormatError,
    NoLock,
    UnwritableLock,
)
from bmc.regress.lock import EvidenceFile, Lock
from bmc.regress.notation import lock_of, text_of
from bmc.running.files import UnwritableFile, WriteFailed, replaced_at, write_file

_ATTEMPTS = 3


def _text_in(path: Path) -> str:
    """Return a file's text, as it is told apart whatever ends its lines. A pipe has no end."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise NotADocument("it is no file but a pipe or a device")
    return text_in(path).replace("\r\n", "\n")


def _why(error: OSError | NotADocument) -> str:
    return str(error.strerror if isinstance(error, OSError) else error)


@dataclass(frozen=True)
class Stored:
    """A lock with its evidence, read at one moment.

    ``evidence`` has the text of each file, or the failure to read it.
    """

    lock: Lock
    evidence: Mapping[str, str | EvidenceError]

    def text(self, file: EvidenceFile) -> str:
        """The text of an evidence file.

        Raises EvidenceError when it is missing or not the one that the lock means.
        """
        found = self.evidence[file.name]
        if isinstance(found, EvidenceError):
            raise found
        if _digest(found) != file.sha256:
            raise EvidenceError(
                f"{file.name} is not the file that the lock means: it was changed since"
            )
        return found


class LockFolder:
    """The lock file ``path`` and the evidence beside it, in ``path`` with ``.d`` behind.

    Raises LockError for a path that ends in no name.
    """

    def __init__(self, path: Path) -> None:
        if not path.name:
            raise LockError(f"{path} is a folder: --baseline FILE names a lock, such as bmc.lock")
        self.path = path
        self.evidence = path.with_name(f"{path.name}.d")

    def read(self) -> Stored:
        """The lock and all its evidence.

        Raises NoLock, LockFormatError or NewerLock; what is wrong with an evidence file is
        said when its text is asked for.
        """
        for _ in range(_ATTEMPTS):
            text = self._text()
            lock = lock_of(text, str(self.path))
            files = {name: self._evidence(name) for name in sorted(lock.evidence)}
            # An update in between may have removed files of the lock that was just read.
            if all(isinstance(f, str) for f in files.values()) or self._text() == text:
                break
        return Stored(lock, files)

    def _text(self) -> str:
        try:
            return _text_in(self.path)
        except FileNotFoundError:
            raise NoLock(
                f"there is no lock {self.path}: --update makes one, and "
                "--baseline FILE names another"
            ) from None
        except UnicodeDecodeError:
            raise LockFormatError(
                f"{self.path} is no text: restore it from version control"
            ) from None
        except (OSError, NotADocument) as error:
            raise LockError(f"cannot read {self.path}: {_why(error)}") from None

    def _evidence(self, name: str) -> str | EvidenceError:
        path = self.evidence / name
        try:
            return _text_in(path)
        except FileNotFoundError:
            return EvidenceError(f"{self.evidence.name}/{name} is missing")
        except (OSError, ValueError) as error:
            return EvidenceError(f"cannot read {self.evidence.name}/{name}: {error}")

    def require_writable(self) -> None:
        """UnwritableLock unless an update can be stored: better known before the work."""
        if self.path.is_dir():
            raise UnwritableLock(f"cannot write {self.path}: it is a directory")
        # A link is followed, and what it leads to need not be there yet.
        replaced = replaced_at(self.path)
        parent = self.path.parent if replaced is None else Path(replaced).parent
        if not parent.is_dir():
            raise UnwritableLock(f"cannot write {self.path}: there is no directory {parent}")
        try:
            self.evidence.mkdir(exist_ok=True)
        except OSError as error:
            raise UnwritableLock(
                f"cannot make {self.evidence}, the folder of the evidence: {error.strerror}: "
                "move away what is there"
            ) from None
        for place in (parent, self.evidence):
            if not os.access(place, os.W_OK):
                raise UnwritableLock(f"cannot write into {place}: permission denied")

    def write(self, lock: Lock, evidence: Mapping[str, str]) -> None:
        """Put a lock and its new evidence files (text by name) in the place of what is there.

        Raises UnwritableLock or WriteFailed; the old lock is then as it was.
        """
        try:
            for name, text in evidence.items():
                if name in lock.evidence:
                    write_file(self.evidence / name, text, renews=True, follows=False)
            write_file(self.path, text_of(lock), renews=True)
        except WriteFailed as error:
            raise WriteFailed(f"{error}; the old lock is as it was") from None
        except UnwritableFile as error:
            raise UnwritableLock(f"{error}; the old lock is as it was") from None
        self._sweep(lock.evidence)

    def holds(self, lock: Lock) -> bool:
        """Whether the file is this lock, whole."""
        try:
            return self._text() == text_of(lock)
        except LockError:
            return False

    def _sweep(self, kept: Iterable[str]) -> None:
        keep = set(kept)
        for path in self.evidence.iterdir():
            if path.name not in keep and _OURS.fullmatch(path.name):
                path.unlink(missing_ok=True)
        # What an update left that was killed while it wrote.
        for path in self.path.parent.glob(f".????????.{escape(self.path.name)}.partial"):
            path.unlink(missing_ok=True)


_OURS = re.compile(r"[\w.-]*-[0-9a-f]{12}\.json(\.partial)?")


def evidence_file(protocol: str, text: str) -> EvidenceFile:
    """The name under which a text is kept as evidence, with its digest."""
    word = re.sub(r"[^A-Za-z0-9_]+", "-", protocol).strip("-")[-60:]
    digest = _digest(text)
    return EvidenceFile(f"{word}-{digest[:12]}.json", digest)


def _digest(text: str) -> str:
    # Reading a text makes every line's end the same, whatever a checkout made of it.
    return sha256(text.encode()).hexdigest()
