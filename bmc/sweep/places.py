"""Where a sweep's files are: a folder of this machine, or one of a store that a URI names.

Everything is written whole or not at all, and under a name that says what it is, so that writing
it again does no harm. That is what lets executors write by themselves: whoever dies, and whenever,
another one may do the same work over.

A store on the network fails for a while now and then. Each operation is tried again for a minute
before it is said to have failed.
"""

from __future__ import annotations

import os
import re
import stat
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from time import monotonic, sleep
from typing import Any, TypeVar
from urllib.parse import unquote

from pyarrow import ArrowException, fs

from bmc.lang.errors import BmcError
from bmc.running.files import WriteFailed, require_no_stream, write_file
from bmc.running.interruption import LimitMet
from bmc.running.room import has_no_room

T = TypeVar("T")

_SCHEMES = ("s3", "hdfs", "gs", "gcs", "viewfs", "abfs", "abfss")
_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_SECONDS_OF_PATIENCE = 60.0
_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 5.0


class StoreError(BmcError, OSError):
    """A sweep's directory cannot be used, or a store has not answered for a minute."""


class StoreFull(StoreError, LimitMet):
    """A folder has no room for a file, or a limit on the size of files forbids it.

    Whoever tries again at once meets it again.
    """


@dataclass(frozen=True)
class StoredFile:
    """A file of a folder: its name there, its bytes, and when it was last written."""

    name: str
    size: int
    written: int


class Storage(ABC):
    """A folder. Names are relative to it, with ``/`` between their parts.

    All raise StoreError where the folder, or its store, does not let them.
    """

    @abstractmethod
    def read(self, name: str) -> bytes:
        """Return a file's content. Raises FileNotFoundError."""

    @abstractmethod
    def write(self, name: str, content: bytes, lasting: bool = True) -> None:
        """Write a file whole, or not at all. Raises UnwritableFile, StoreError or StoreFull.

        It outlasts a failure of the power, unless it need not be ``lasting``: what has a digest
        elsewhere and can be made again is then written faster.
        """

    @abstractmethod
    def delete(self, name: str) -> None:
        """Remove a file; one that is not there needs no removing."""

    @abstractmethod
    def entries(self, folder: str) -> Iterator[StoredFile]:
        """List the files below a folder, their names relative to it; none where it is not."""

    @abstractmethod
    def exists(self, name: str) -> bool:
        """Return whether there is a file or a folder of this name."""

    @abstractmethod
    def about(self, name: str) -> StoredFile | None:
        """Return what there is to know of a file without reading it, or None."""

    @abstractmethod
    def shown(self, name: str) -> str:
        """Return the name as a reader can use it elsewhere."""


class Folder(Storage):
    """A folder of this machine, or one that its operating system shows as such."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, name: str) -> bytes:
        """Return a file's content."""
        path = self.path / name
        with _told(path):
            if not (path.is_file() or path.is_dir()) and path.exists():
                # A pipe has no end, and neither has a device.
                raise StoreError(f"cannot use {path}: it is no file but a pipe or a device")
            return path.read_bytes()

    def write(self, name: str, content: bytes, lasting: bool = True) -> None:
        """Write a file whole, or not at all."""
        path = self.path / name
        require_no_stream(path)
        try:
            # Several processes may need a folder at once.
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make {path.parent}: {error.strerror}") from None
        if lasting:
            try:
                write_file(path, content)
            except WriteFailed as error:
                cause = error.__context__
                if isinstance(cause, OSError) and has_no_room(cause):
                    raise _full(path, cause) from None
                raise
        else:
            _write_quickly(path, content)

    def delete(self, name: str) -> None:
        """Remove a file."""
        with _told(self.path / name):
            (self.path / name).unlink(missing_ok=True)

    def entries(self, folder: str) -> Iterator[StoredFile]:
        """List the files below a folder."""
        yield from _walk(self.path / folder, "")

    def exists(self, name: str) -> bool:
        """Return whether there is a file or a folder of this name."""
        return self.about(name) is not None

    def about(self, name: str) -> StoredFile | None:
        """Return what there is to know of a file without reading it, or None."""
        try:
            with _told(self.path / name):
                about = (self.path / name).stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return StoredFile(name, about.st_size, about.st_mtime_ns)

    def shown(self, name: str) -> str:
        """Return the path."""
        return str(self.path / name)


def _full(path: Path, error: OSError) -> StoreFull:
    return StoreFull(
        f"cannot write {path}: {error.strerror}. Make room there, or raise the limit (`ulimit -f`, "
        "a quota), and run the same command again: it does what is missing"
    )


def _write_quickly(path: Path, content: bytes) -> None:
    partial = path.with_name(f".{token_hex(4)}.{path.name[-200:]}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    except OSError as error:
        if has_no_room(error):
            raise _full(path, error) from None
        raise StoreError(f"cannot write {path}: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say of a folder that does not let us what and where, as a store's failure is told."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError, StoreError):
        raise
    except OSError as error:
        raise StoreError(f"cannot use {path}: {error.strerror}") from None


def _walk(
    folder: Path, before: str, above: frozenset[tuple[int, int]] = frozenset()
) -> Iterator[StoredFile]:
    """List the files below a folder; one that links lead back to, out of itself, is listed once."""
    try:
        with _told(folder):
            about = folder.stat()
            found = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    if (here := (about.st_dev, about.st_ino)) in above:
        return
    for entry in found:
        # What begins with a dot is being written.
        if entry.name.startswith("."):
            continue
        name = before + entry.name
        try:
            about = entry.stat()
        except FileNotFoundError:
            continue
        except OSError:
            # A link to itself: whoever reads it is told.
            yield StoredFile(name, 0, 0)
            continue
        if stat.S_ISDIR(about.st_mode):
            yield from _walk(Path(entry.path), f"{name}/", above | {here})
        else:
            yield StoredFile(name, about.st_size, about.st_mtime_ns)


class Remote(Storage):
    """A folder of a file system that pyarrow knows; ``uri`` is what users call it.

    ``patience`` is for how many seconds an operation that fails is tried again.
    """

    def __init__(
        self, uri: str, files: fs.FileSystem, base: str, patience: float = _SECONDS_OF_PATIENCE
    ) -> None:
        self._uri = uri.rstrip("/")
        self._files = files
        self._base = base.rstrip("/")
        self._patience = patience

    def read(self, name: str) -> bytes:
        """Return a file's content."""

        def once() -> bytes:
            with self._files.open_input_stream(self._path(name)) as stream:
                content: bytes = stream.read()
            return content

        return self._patiently("read", name, once)

    def write(self, name: str, content: bytes, lasting: bool = True) -> None:
        """Write a file: stores of objects show it when it is complete, others by a renaming."""
        try:
            self._patiently("write", name, lambda: self._write(name, content))
        except (FileNotFoundError, NotADirectoryError) as error:
            raise StoreError(f"cannot write {self.shown(name)}: {_first_line(error)}") from None

    def _write(self, name: str, content: bytes) -> None:
        path = self._path(name)
        if self._shows_whole_objects():
            _put(self._files, path, content)
            return
        folder, _, last = path.rpartition("/")
        self._files.create_dir(folder, recursive=True)
        partial = f"{folder}/.{token_hex(6)}.{last[-150:]}.partial"
        _put(self._files, partial, content)
        try:
            self._rename(partial, path)
        except (OSError, ArrowException):
            with suppress(OSError, ArrowException):
                self._files.delete_file(partial)
            raise

    def _rename(self, partial: str, path: str) -> None:
        try:
            self._files.move(partial, path)
        except (OSError, ArrowException):
            # HDFS renames onto no file. What is there has the same meaning, or is older.
            if self._files.get_file_info(path).type != fs.FileType.File:
                raise
            self._files.delete_file(path)
            self._files.move(partial, path)

    def _shows_whole_objects(self) -> bool:
        return isinstance(self._files, fs.S3FileSystem | fs.GcsFileSystem | fs.AzureFileSystem)

    def delete(self, name: str) -> None:
        """Remove a file."""

        def once() -> None:
            with suppress(FileNotFoundError):
                self._files.delete_file(self._path(name))

        self._patiently("remove", name, once)

    def entries(self, folder: str) -> Iterator[StoredFile]:
        """List the files below a folder."""
        path = self._path(folder)
        chosen = fs.FileSelector(path, recursive=True, allow_not_found=True)
        found = self._patiently("list", folder, lambda: self._files.get_file_info(chosen))
        for info in found:
            name = info.path[len(path) :].lstrip("/")
            if info.type == fs.FileType.File and not name.rpartition("/")[2].startswith("."):
                yield StoredFile(name, info.size, info.mtime_ns or 0)

    def exists(self, name: str) -> bool:
        """Return whether there is a file or a folder of this name."""
        return bool(self._info(name).type != fs.FileType.NotFound)

    def about(self, name: str) -> StoredFile | None:
        """Return what there is to know of a file without reading it, or None."""
        info = self._info(name)
        if info.type != fs.FileType.File:
            return None
        return StoredFile(name, info.size, info.mtime_ns or 0)

    def shown(self, name: str) -> str:
        """Return the URI."""
        stem, question, options = self._uri.partition("?")
        return f"{stem.rstrip('/')}/{name}{question}{options}"

    def _info(self, name: str) -> Any:
        path = self._path(name)
        return self._patiently("look at", name, lambda: self._files.get_file_info(path))

    def _path(self, name: str) -> str:
        return f"{self._base}/{name}"

    def _patiently(self, what: str, name: str, operation: Callable[[], T]) -> T:
        end, pause = monotonic() + self._patience, _FIRST_PAUSE
        while True:
            try:
                return operation()
            except (FileNotFoundError, NotADirectoryError):
                raise
            except (OSError, ArrowException) as error:
                if isinstance(error, PermissionError) or monotonic() + pause > end:
                    said = f"cannot {what} {self.shown(name)}: {_first_line(error)}"
                    raise StoreError(said) from None
            sleep(pause)
            pause = min(_LONGEST_PAUSE, 2 * pause)


def _put(files: fs.FileSystem, path: str, content: bytes) -> None:
    # No `with`: it would complete an upload that has failed.
    stream = files.open_output_stream(path)
    stream.write(content)
    stream.close()


def place(where: str) -> Storage:
    """Return the folder that a path, or a URI such as ``s3://bucket/sweep``, names.

    ``file://`` names a path. Raises StoreError for a URI that cannot be used.
    """
    found = _URI.match(where)
    if found is None:
        return Folder(Path(where))
    if found[1] == "file":
        return Folder(_path_of(where))
    if found[1] not in _SCHEMES:
        raise StoreError(
            f"{where!r}: there is no {found[1]}://; write a path, or a URI that begins with "
            f"file://, {', '.join(f'{name}://' for name in _SCHEMES)}"
        )
    try:
        files, base = fs.FileSystem.from_uri(_impatient(where))
    except (OSError, ValueError, ArrowException) as error:
        raise StoreError(f"{where!r} cannot be used: {_first_line(error)}") from None
    return Remote(where, files, base)


def _impatient(uri: str) -> str:
    """Return the URI of a store whose client tells of a failure within seconds.

    Google's asks again by itself for a quarter of an hour, and hears no signal meanwhile.
    """
    if not uri.startswith(("gs://", "gcs://")) or "retry_limit_seconds=" in uri:
        return uri
    return f"{uri}{'&' if '?' in uri else '?'}retry_limit_seconds=5"


def _path_of(uri: str) -> Path:
    # Left out, any other part would make it the name of another folder.
    host, slash, rest = uri.partition("://")[2].partition("/")
    if host not in ("", "localhost"):
        raise StoreError(
            f"{uri!r}: behind file:// stands a host, and {host!r} is not this machine's: write the "
            f"path alone, or file:/// (three slashes) and a path from the root"
        )
    if not rest.strip("/"):
        raise StoreError(f"{uri!r} names no folder: write file:///path/to/folder, or a path")
    if mark := next((mark for mark in "?#" if mark in rest), None):
        raise StoreError(
            f"{uri!r}: in a URI a {mark} ends the path: write {'%3F' if mark == '?' else '%23'} "
            "where a folder's name has one, or the path alone"
        )
    try:
        path = unquote(slash + rest, errors="strict")
    except UnicodeDecodeError:
        raise StoreError(f"{uri!r}: its bytes are no UTF-8: write the path alone") from None
    if "\0" in path:
        raise StoreError(f"{uri!r}: no folder's name has the character that %00 stands for")
    return Path(path)


def _first_line(error: Any) -> str:
    lines = str(error).splitlines()
    return lines[0][:300] if lines else type(error).__name__


__all__ = ["Folder", "Remote", "Storage", "StoreError", "StoreFull", "StoredFile", "place"]
