"""A process whose success is only what it said itself, watched by its parent.

A user's file runs inside of bmc, and can end its process in ways that nobody notices from within:
``os._exit(0)`` leaves nothing printed and the exit code that means *proved*. So the work is done by
a forked child that reports its exit code through a pipe when its answer has been written, and the
parent leaves with that code. A child that ends without a report has not answered, whatever code it
ends with. What the child's own exit handlers do after the report changes nothing any more.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from bmc.running import orphans
from bmc.running.memory import is_limited, lacked_memory, limit_to_raise
from bmc.running.processor import limit_met, said_of_limit
from bmc.running.room import has_no_room

_REPORT = struct.Struct("iB")
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_SECONDS_TO_TELL = 3.0
_LEAST_WORK_S = 0.01
"""Who took less processor time than this while one waited waits itself."""
_NO_MEMORY = 255
"""What a child reports that had no memory left to answer in: no exit code of bmc's."""


class NoAnswer(Exception):
    """The child did not begin, or ended without a report.

    ``how`` goes on where "the process" was said; ``from_outside`` says that a signal had been
    passed on, or ended the child, which everybody else who is told to stop may get as well, or that
    a limit of the system was met: the processor time that it took, memory, or the room to begin.
    """

    def __init__(self, how: str, from_outside: bool) -> None:
        super().__init__(how)
        self.from_outside = from_outside


def guarded(work: Callable[[], int]) -> int:
    """Return the exit code of ``work``, which runs in a forked child.

    The child leads a process group of its own, so that a signal to bmc's group reaches it once:
    from here. Such signals are blocked when this returns or raises: an answer was told, and
    whoever leaves with its code is not to be ended in between as if there were none
    (:func:`ends_with` lets them in again). Raises NoAnswer when the child ends, by whatever means,
    before its code was reported, and when there is no room for it.
    """
    watched = {s for s in _PASSED_ON if signal.getsignal(s) != signal.SIG_IGN}
    waiting = {*watched, signal.SIGTSTP, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waiting)
    parent = os.getpid()
    try:
        orphans.prepare()
        reading, writing = os.pipe()
        child = os.fork()
    except OSError as error:
        raise NoAnswer(f"could not begin ({error.strerror})", has_no_room(error)) from None
    if not child:
        os.close(reading)
        os.setpgid(0, 0)
        orphans.die_with_parent(parent)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            # Until the work has something to tell: an exception in what loads tells of that only.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        try:
            code = work()
        except Exception as error:
            if not lacked_memory(error):
                raise
            # Nor is there memory to tell of it in: the parent, which has taken none, does.
            code = _NO_MEMORY
        with suppress(BrokenPipeError):
            sys.stdout.flush()
        os.write(writing, _REPORT.pack(os.getpid(), code))
        # The interpreter looks through all objects as it ends; here the process gives them back.
        gc.freeze()
        leave(code)
    os.close(writing)
    status, usage, interrupted = _ended(child, waiting)
    report = os.read(reading, _REPORT.size)
    os.close(reading)
    if len(report) == _REPORT.size:
        reporter, code = _REPORT.unpack(report)
        if reporter == child and code == _NO_MEMORY:
            raise NoAnswer(
                f"ended without an answer: it had no memory left{limit_to_raise()}", True
            )
        if reporter == child:
            return int(code)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in _PASSED_ON:
        raise NoAnswer("was interrupted before it had an answer", True)
    if (limit := limit_met(os.waitstatus_to_exitcode(status), usage)) is not None:
        raise NoAnswer(f"ended without an answer: {said_of_limit(limit)}", True)
    raise NoAnswer(_how(status), interrupted)


def leave(code: int) -> NoReturn:
    """End this process by a code, also where Python is told to stay.

    With PYTHONINSPECT, or -i, it would read from stdin then, and end by 1 or by 0, which are
    verdicts. A child would wait for a terminal that is its parent's.
    """
    if sys.flags.inspect or os.environ.get("PYTHONINSPECT"):
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    # Not by sys.exit, which the user's file may have replaced: a child that went on from here would
    # wait as its parent does, for ever.
    raise SystemExit(code)


@contextmanager
def telling(code: int) -> Iterator[None]:
    """Let the block tell something, whatever signals :func:`guarded` keeps waiting meanwhile.

    Who presses Ctrl-C several times is told as who does so once. A reader who takes nothing is
    waited for this long only: nobody could end the process otherwise. On a busy machine it may take
    longer to find the words, and whoever works at them is waiting for no reader.
    """
    worked = time.process_time()

    def look(*_: object) -> None:
        nonlocal worked
        before, worked = worked, time.process_time()
        if worked - before < _LEAST_WORK_S:
            os._exit(code)

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, _SECONDS_TO_TELL, _SECONDS_TO_TELL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def ends_with(code: int) -> None:
    """Have a signal that came since :func:`guarded`, or comes now, end this process by ``code``."""
    for number in _PASSED_ON:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda *_: os._exit(code))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _PASSED_ON)


def _ended(child: int, waiting: set[signal.Signals]) -> tuple[int, resource.struct_rusage, bool]:
    """How the child ended, what it took, and whether a signal was passed on to it before."""
    interrupted = False
    while True:
        came = signal.sigwait(waiting)
        if came == signal.SIGCHLD:
            ended, status, usage = os.wait4(child, os.WNOHANG)
            if ended:
                return status, usage, interrupted
        elif came == signal.SIGTSTP:
            _pause(child)
        else:
            interrupted = True
            with suppress(ProcessLookupError):
                os.kill(child, came)


def _pause(child: int) -> None:
    """Stop child and parent, as the terminal asks, until they are continued."""
    os.killpg(child, signal.SIGSTOP)
    os.kill(os.getpid(), signal.SIGSTOP)
    os.killpg(child, signal.SIGCONT)


def _how(status: int) -> str:
    killed = os.WIFSIGNALED(status)
    code = os.WTERMSIG(status) if killed else os.WEXITSTATUS(status)
    # Most who meet this signal ran nothing that sends it: the machine had no memory left.
    system = " or the system, whose memory was full," if killed and code == signal.SIGKILL else ""
    # Libraries end their process where they get none, and the file has no part in it.
    want = f", or it had no memory left{limit_to_raise()}" if is_limited() else ""
    return (
        f"ended without an answer ({'killed by signal' if killed else 'exit code'} {code}): "
        f"something that it ran, perhaps the protocol's file,{system} ended it{want}"
    )
