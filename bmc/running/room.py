"""What a system says that has no room left: no fault of whoever asks it, and no verdict."""

from errno import (
    EACCES,
    EAGAIN,
    EDQUOT,
    EFBIG,
    EMFILE,
    ENFILE,
    ENOENT,
    ENOMEM,
    ENOSPC,
    ENOSYS,
    EROFS,
)

_NO_ROOM = {EAGAIN, EDQUOT, EFBIG, EMFILE, ENFILE, ENOMEM, ENOSPC}
# Of a folder for temporary files, or a /dev/shm, that nobody may write to.
_NO_PLACE = {EACCES, ENOSYS, EROFS}
# Python has no kind of exception for it, and does not pass on the system's number.
_NO_THREAD = "can't start new thread"


def has_no_room(error: BaseException) -> bool:
    """Whether the system refused something for want of room, files, processes or threads."""
    if isinstance(error, RuntimeError):
        return str(error) == _NO_THREAD
    return isinstance(error, OSError) and error.errno in _NO_ROOM


def has_no_place(error: BaseException) -> bool:
    """Whether the system refused what a process needs to work: room, or a place for it."""
    if not isinstance(error, OSError):
        return has_no_room(error)
    # Who finds no folder for temporary files, or no /dev/shm, names none.
    nowhere = error.errno == ENOENT and error.filename is None
    return nowhere or error.errno in _NO_PLACE or has_no_room(error)


def said_of_refused_process(error: OSError) -> str:
    """Return what to do where the system starts no process. Raises the error if it is another."""
    if not has_no_room(error):
        raise error
    return f"the system refuses a process ({error.strerror}): raise the limits of `ulimit -a`"
