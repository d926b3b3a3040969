"""What a system says that has no room left: no fault of whoever asks it, and no verdict."""

from errno import EAGAIN, EDQUOT, EFBIG, EMFILE, ENFILE, ENOMEM, ENOSPC

_NO_ROOM = {EAGAIN, EDQUOT, EFBIG, EMFILE, ENFILE, ENOMEM, ENOSPC}


def has_no_room(error: BaseException) -> bool:
    """Whether the system refused something for want of room, files or processes: a limit, met."""
    return isinstance(error, OSError) and error.errno in _NO_ROOM
