"""Exceptions that a signal's handler raises, raised where they are not lost.

A handler runs between two steps of Python, wherever Python is. What it raises there is mostly what
comes out; in some places it is printed and forgotten, or comes out as another exception.
"""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

INTERRUPTIONS = {s for s in signal.Signals if s.name in ("SIGINT", "SIGTERM", "SIGHUP")}
"""What tells a command to end: Ctrl-C, `kill`, a terminal that is closed."""
_SECONDS_TO_WAIT = 0.01
_NEVER_IN = ("weakref", "contextlib", "importlib._bootstrap", "bmc.running.interruption")
"""Modules whose frames are left alone: an exception in a callback of a weak reference is printed
and forgotten, and one on the way out of a block would miss its end."""
_NEVER_UNDER = ("__del__", "__set_name__")
"""What is raised in the one is printed and forgotten; in the other, of an enum's member, it comes
out as a RuntimeError before Python 3.12."""
_CALLED_BACK = {("weakref", "remove"), ("_weakrefset", "_remove")}
"""What weak references call when they end, which hashes keys, by code of ours as well."""
_INSTALLED = ("site-packages", "dist-packages")
"""The folders of packages, of which some cannot be imported again once that was cut short: whoever
needs them to tell what was learnt meets an AttributeError."""


def is_lost_in(frame: FrameType | None) -> bool:
    """Return whether what is raised in a frame may not come out of it as what it is."""
    if frame is not None and frame.f_globals.get("__name__") in _NEVER_IN:
        return True
    # What these raise is printed and forgotten.
    collecting = [getattr(one, "__code__", None) for one in gc.callbacks]
    while frame is not None:
        # The handler may itself be in such a place, when the next signal comes.
        module, name = frame.f_globals.get("__name__"), frame.f_code.co_name
        if name in _NEVER_UNDER or module == __name__ or (module, name) in _CALLED_BACK:
            return True
        if any(frame.f_code is code for code in collecting) or _imports_a_package(frame):
            return True
        frame = frame.f_back
    return False


def _imports_a_package(frame: FrameType) -> bool:
    """Whether a frame is that of an installed module which is being imported."""
    if frame.f_code.co_name != "<module>":
        return False
    imported = getattr(frame.f_globals.get("__spec__"), "_initializing", False)
    return imported and not set(_INSTALLED).isdisjoint(Path(frame.f_code.co_filename).parts)


def interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, as a signal's handler: at once, or as soon as it is not lost."""
    if not is_lost_in(frame):
        raise KeyboardInterrupt
    main = threading.main_thread().ident
    again = threading.Timer(_SECONDS_TO_WAIT, signal.pthread_kill, (main, number))
    again.daemon = True
    again.start()


def hear_of_children_and_time() -> None:
    """Have this process, and those it starts, hear of children that ended and of time that is over.

    For a process that is a command's own. Who started it may ignore or block these signals for
    reasons of its own, and they are inherited: children end unheard then, with nobody told how, and
    a limit of time is never looked at.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD, signal.SIGALRM})


@contextmanager
def held_back() -> Iterator[None]:
    """Let no interruption in before the block has ended.

    Where other threads run, one of them may take it and the main one raise all the same.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def raise_interruptions() -> None:
    """Have interruptions raise KeyboardInterrupt from now on, where nobody handles or ignores them.

    For whoever tells then what was learnt. In a thread other than the main one, which alone may
    say what a signal does, all stays as it is.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in INTERRUPTIONS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, interrupt)
