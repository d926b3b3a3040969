"""Of several threads one at a time: what the language and its readings know belongs to a process.

Which rule is being read, which folder imports search, and what a module's names held before are
said once in a process. Two threads that read protocols at the same time would take each other's
for changes that a protocol makes. Engines are processes, so this costs no engine its speed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Value = TypeVar("Value")

# A call may be made within another by one thread: an observer may ask something, too.
_turn = threading.RLock()


def _begin_anew() -> None:
    """Let a forked process have its turn: the thread that had it is not there to give it back."""
    global _turn
    _turn = threading.RLock()


os.register_at_fork(after_in_child=_begin_anew)


def in_turn(call: Callable[Given, Value]) -> Callable[Given, Value]:
    """Return the call as one that waits until no other thread is in such a call."""

    @wraps(call)
    def run(*given: Given.args, **named: Given.kwargs) -> Value:
        with _turn:
            return call(*given, **named)

    return run
