"""Files that are written whole or not at all; every file that bmc writes is written here.

A regular file is replaced in one step, after all of its new content is on disk, and keeps its
permissions. Where somebody named the file, symbolic links are followed, and devices, FIFOs and the
process's own streams (``/dev/stdout``, ``/dev/fd/7``) are written to as they are: replaced by a
file, they would be lost.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
import sys
from contextlib import suppress
from errno import (
    EACCES,
    EBADF,
    EINVAL,
    EISDIR,
    ELOOP,
    ENAMETOOLONG,
    ENOENT,
    ENOTDIR,
    EPERM,
    EROFS,
)
from pathlib import Path
from shlex import quote

from bmc.lang.errors import BmcError

_MISTAKES = {EACCES, EBADF, EINVAL, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR, EPERM, EROFS}
_MOST_LINKS = 40
_TEXTS = {
    **dict.fromkeys((".py", ".tla", ".cfg"), "the text of a protocol"),
    ".toml": "a mapping",
    **dict.fromkeys((".ndjson", ".jsonl", ".log"), "a log"),
}
_OURS, _BEGINNING = b"written by bmc export", 300
_LOCK = b"`bmc regress` checks it, `bmc regress --update` writes it"
_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_NUMBER = re.compile(r"-\d+(?=(\.[^/]*)?$)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(?=/)")
_DESCRIPTOR = re.compile(r"/(?:dev/fd|proc/self/fd)/(\d+)")


class UnwritableFile(BmcError):
    """A file that was asked for cannot be written."""


class WriteFailed(UnwritableFile):
    """The system failed while a file or a stream was written: a full disk, mostly."""


def require_writable(path: Path) -> None:
    """Raise UnwritableFile unless ``path`` can be written, as far as can be known before.

    Better known before a long proof than after.
    """
    if (stream := _descriptor(target := _target(path))) is not None:
        _require_open(path, stream)
        return
    if target.is_dir():
        raise UnwritableFile(f"cannot write {path}: it is a directory")
    _require_no_text(path, target)
    folder = target.parent
    if not folder.is_dir():
        raise UnwritableFile(f"cannot write {path}: there is no directory {folder}")
    needed = [target] if target.exists() else []
    # A regular file is replaced, for which its directory has to be writable too.
    needed += [folder] if not needed or target.is_file() else []
    if not all(os.access(place, os.W_OK) for place in needed):
        raise UnwritableFile(f"cannot write {path}: permission denied")


def make_folder(folder: Path) -> None:
    """Make a folder, and those that it lies in, unless it is there.

    Raises UnwritableFile for a URI, which would become a folder ``file:`` of the working directory,
    and OSError where the system does not let it be made.
    """
    # A path keeps one of the slashes of file:///.
    scheme = _SCHEME.match(str(folder))
    if scheme is not None and not Path(scheme[0]).exists():
        raise UnwritableFile(
            f"cannot write into {folder}: a URI stands where a path is wanted: write the path alone"
        )
    folder.mkdir(parents=True, exist_ok=True)


def replaced_at(path: Path) -> str | None:
    """Return the file that writing to ``path`` replaces: None of a stream, a device, a folder."""
    try:
        target = _target(path)
    except UnwritableFile:
        return None
    if _descriptor(target) is not None or (os.path.exists(target) and not os.path.isfile(target)):
        return None
    return os.path.realpath(target)


def numbered(path: Path, number: int, ending: str | None = None) -> Path:
    """Return the file of that number, of several for which ``path`` was named; 1 is ``path``.

    The number stands before the ending: ``proof-2.json``.
    """
    if number == 1:
        return path
    end = path.suffix if ending is None else ending
    return path.with_name(f"{path.name[: len(path.name) - len(end)]}-{number}{end}")


def first_of_numbered(place: str) -> str:
    """Return the path to which ``place`` is one of the further files, else ``place`` itself."""
    return _NUMBER.sub("", place)


def operand(path: object) -> str:
    """Return a file's path as a word of a command line that can be typed again.

    It is quoted, and begins with no dash: ``./-proof.json`` is no option.
    """
    said = str(path)
    return quote(f"./{said}" if said.startswith("-") else said)


def write_file(
    path: Path, content: str | bytes, renews: bool = False, follows: bool = True
) -> None:
    """Write ``content``, a text in UTF-8, to where ``path`` leads.

    With ``renews`` it may be a lock, its evidence or a text, which whoever writes knows as theirs.
    Unless it ``follows`` what stands there, a link, a pipe or a device is replaced: nobody named it
    who wants something written, and where a folder comes from others it leads where they like.

    Raises UnwritableFile where the place is wrong, WriteFailed where the system fails; a regular
    file is then as it was.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        target = _target(path) if follows else path
        stream = _descriptor(target) if follows else None
        if stream is not None:
            # What was printed before comes before.
            sys.stdout.flush()
            _require_open(path, stream)
            _write(os.dup(stream), data)
        elif follows and target.exists() and not target.is_file():
            _write(os.open(target, os.O_WRONLY), data)
        else:
            if not renews:
                _require_no_text(path, target)
            _replace(target, data)
    except OSError as error:
        said = error.strerror or type(error).__name__
        if error.errno in _MISTAKES:
            raise UnwritableFile(f"cannot write {path}: {said}") from None
        raise WriteFailed(f"cannot write {path}: {said}") from None


def require_ours(name: object, content: bytes, *marks: str) -> None:
    """Raise UnwritableFile for a file that has none of ``marks`` where those of bmc begin.

    In a folder that somebody names, a file of a name that bmc chooses may be about something else.
    """
    if not any(mark.encode() in content[:_BEGINNING] for mark in marks):
        raise UnwritableFile(
            f"cannot write {name}: it is there and is about something else, and would be lost: "
            "name another folder"
        )


def require_no_stream(path: Path) -> None:
    """Raise UnwritableFile where a pipe or a device has a name that bmc chooses in a folder.

    Nobody named it to be written to, and a pipe that nobody reads is waited for without end.
    """
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise UnwritableFile(
            f"cannot write {path}: it is no file but a pipe or a device: name another folder"
        )


def begins_with(path: Path, head: bytes) -> bool:
    """Return whether a file is there, may be read, and begins so."""
    return _beginning(path).startswith(head)


def real(path: str | Path) -> Path:
    """Return where a path leads, as `Path.resolve` does.

    Nothing is raised where its links lead in a circle, of which pathlib makes an error that no
    handler of failures of the system takes: who opens it is told.
    """
    return Path(os.path.realpath(path))


def _require_no_text(path: Path, target: Path) -> None:
    """Refuse to replace what somebody or some system wrote: an option's file named by a slip."""
    looks = _TEXTS.get(target.suffix.lower())
    beginning = _beginning(target)
    if _LOCK in beginning:
        raise UnwritableFile(
            f"cannot write {path}: it is a lock, of what `bmc regress` checks, and would be lost: "
            "name another file"
        )
    folder = real(target.parent)
    if folder.suffix == ".d" and _LOCK in _beginning(folder.with_suffix("")):
        raise UnwritableFile(
            f"cannot write {path}: the evidence of the lock {folder.stem} is kept in its folder, "
            "and would be lost: name another folder"
        )
    if looks is not None and target.exists() and _OURS not in beginning:
        raise UnwritableFile(
            f"cannot write {path}: it is there and looks like {looks}, which would be lost: "
            "name another file"
        )


def _beginning(target: Path) -> bytes:
    """Return how a file begins that is there, and may be read; of a device nothing is read."""
    if not target.is_file():
        return b""
    try:
        with target.open("rb") as content:
            return content.read(_BEGINNING)
    except OSError:
        # What cannot be read (a file of the system's) is not known as anybody's.
        return b""


def _target(path: Path) -> Path:
    """Follow symbolic links up to the streams of a process, whose links lead nowhere."""
    try:
        target = Path(os.path.abspath(path))
    except FileNotFoundError:
        # A relative path leads nowhere from a working directory that was removed.
        raise UnwritableFile(
            f"cannot write {path}: the working directory is not there any more: change into another"
        ) from None
    for _ in range(_MOST_LINKS):
        if _descriptor(target) is not None or not target.is_symlink():
            return target
        target = Path(os.path.normpath(real(target.parent) / target.readlink()))
    raise UnwritableFile(f"cannot write {path}: its symbolic links lead in a circle")


def _descriptor(path: Path) -> int | None:
    text = str(path)
    if (found := _DESCRIPTOR.fullmatch(text)) is not None:
        return int(found[1])
    return _STREAMS.get(text)


def _require_open(path: Path, stream: int) -> None:
    """Raise UnwritableFile unless the process was given that descriptor to write to."""
    try:
        writes = fcntl.fcntl(stream, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
    except (OSError, OverflowError):
        writes = False
    if not writes:
        raise UnwritableFile(
            f"cannot write {path}: descriptor {stream} is not open for writing: name a file"
        )


def _replace(target: Path, data: bytes) -> None:
    before = target.stat() if target.is_file() and not target.is_symlink() else None
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES))
    # The leading dot hides it from readers of a whole directory; the name is nobody else's.
    partial = target.with_name(f".{os.urandom(4).hex()}.{target.name[-200:]}.partial")
    try:
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        if before is not None:
            with suppress(PermissionError):
                os.fchown(handle, before.st_uid, before.st_gid)
            os.fchmod(handle, stat.S_IMODE(before.st_mode))
        _write(handle, data, to_disk=True)
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)


def _write(handle: int, data: bytes, to_disk: bool = False) -> None:
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        if to_disk:
            os.fsync(handle)
