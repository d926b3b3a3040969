"""Where the tasks of a barrier stage meet: at the first of them, through sockets.

Spark's own barrier looks once a second whether all have come, and each level of a search has two
meetings. So the tasks meet there twice only: to hear where the first of them listens, and whether
all have reached it. Where one has not (executors that a firewall parts), all go on with Spark's.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from hmac import compare_digest
from secrets import token_hex
from struct import Struct
from time import monotonic, sleep

Gather = Callable[[str], list[str]]
"""Waits for all tasks and returns what each of them said, in the order of their numbers."""

_LENGTH = Struct(">Q")
_LONGEST = 1 << 30
_GREETING = 256
_SECONDS_TO_COME = 10.0
_SECONDS_FOR_A_GREETING = 2.0
_SECONDS_TO_BE_ENDED = 30.0


@contextmanager
def meeting(me: int, hosts: Sequence[str], gather: Gather) -> Iterator[Gather]:
    """Give a quicker way to gather, which lasts as long as the block.

    ``hosts`` are where the tasks run, in the order of their numbers; ``gather`` is Spark's. What is
    given raises ConnectionError when another task is gone and Spark has not ended this one, too.
    """
    if len(hosts) == 1:
        yield lambda message: [message]
        return
    with ExitStack() as stack:
        listening = _listen(stack, len(hosts)) if me == 0 else None
        where = None if listening is None else [listening.getsockname()[1], token_hex(16)]
        told = json.loads(gather(json.dumps(where))[0])
        others: list[socket.socket] = []
        if told is not None:
            port, token = told
            # Whoever fails here says so at the second meeting.
            with suppress(OSError):
                if listening is not None:
                    others = _guests(stack, listening, token, len(hosts) - 1)
                else:
                    others = [_reach(stack, hosts[0], port, json.dumps([token, me]))]
        if not all(json.loads(said) for said in gather(json.dumps(bool(others)))):
            yield gather
        elif me == 0:
            yield partial(_mourned, partial(_as_host, others))
        else:
            yield partial(_mourned, partial(_as_guest, others[0]))


def _listen(stack: ExitStack, tasks: int) -> socket.socket | None:
    with suppress(OSError):
        if socket.has_dualstack_ipv6():
            family, both = socket.AF_INET6, True
        else:
            family, both = socket.AF_INET, False
        made = socket.create_server(("", 0), family=family, dualstack_ipv6=both, backlog=tasks)
        return stack.enter_context(made)
    return None


def _guests(
    stack: ExitStack, listening: socket.socket, token: str, wanted: int
) -> list[socket.socket]:
    """Return the connections of all other tasks, in the order of their numbers."""
    end = monotonic() + _SECONDS_TO_COME
    come: dict[int, socket.socket] = {}
    while len(come) < wanted:
        if (left := end - monotonic()) <= 0:
            raise TimeoutError
        listening.settimeout(left)
        guest, _ = listening.accept()
        guest.settimeout(_SECONDS_FOR_A_GREETING)
        number = _greeted(guest, token)
        # Strangers may connect as well.
        if number is None or number in come or not 1 <= number <= wanted:
            guest.close()
        else:
            come[number] = stack.enter_context(closing(_open(guest)))
    return [come[number] for number in sorted(come)]


def _greeted(guest: socket.socket, token: str) -> int | None:
    """Return the number of the task that has come; None for a stranger."""
    with suppress(OSError, ValueError, TypeError):
        said, number = json.loads(_take(guest, _GREETING))
        if compare_digest(said, token):
            return int(number)
    return None


def _reach(stack: ExitStack, host: str, port: int, greeting: str) -> socket.socket:
    there = socket.create_connection((host, port), _SECONDS_TO_COME / 2)
    _give(stack.enter_context(closing(_open(there))), greeting)
    return there


def _open(one: socket.socket) -> socket.socket:
    one.settimeout(None)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return one


def _as_host(others: Sequence[socket.socket], message: str) -> list[str]:
    all_said = [message, *map(_take, others)]
    text = json.dumps(all_said)
    for other in others:
        _give(other, text)
    return all_said


def _as_guest(host: socket.socket, message: str) -> list[str]:
    _give(host, message)
    all_said: list[str] = json.loads(_take(host))
    return all_said


def _mourned(gather: Gather, message: str) -> list[str]:
    try:
        return gather(message)
    except OSError as error:
        # Spark ends all tasks when it hears of one that failed, and what that one said is the
        # reason. An error of this one could reach it first.
        sleep(_SECONDS_TO_BE_ENDED)
        raise ConnectionError(f"another task is gone ({error})") from error


def _give(there: socket.socket, message: str) -> None:
    data = message.encode()
    there.sendall(_LENGTH.pack(len(data)) + data)


def _take(there: socket.socket, longest: int = _LONGEST) -> str:
    (length,) = _LENGTH.unpack(_exactly(there, _LENGTH.size))
    if length > longest:
        raise ConnectionError("no message of a task")
    return _exactly(there, length).decode()


def _exactly(there: socket.socket, length: int) -> bytes:
    found = bytearray()
    while len(found) < length:
        part = there.recv(min(length - len(found), 1 << 20))
        if not part:
            raise ConnectionError("the connection has ended")
        found += part
    return bytes(found)
