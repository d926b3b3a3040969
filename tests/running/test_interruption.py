"""A limit ends work that looks at no clock, wherever Python is when it passes."""

import sys
from time import process_time
from weakref import WeakValueDictionary

import pytest

from bmc.running import interruption
from bmc.running.interruption import LimitMet, interrupted


class Term:
    """Something that is held weakly, as the language's terms are."""


def without_end(what: str, seconds: float) -> None:
    held: WeakValueDictionary[int, Term] = WeakValueDictionary()
    with interrupted(what, seconds):
        while True:
            held[0] = Term()


def test_it_names_what_was_under_way() -> None:
    began = process_time()
    with pytest.raises(LimitMet, match="the count is unknown: the time limit has passed"):
        without_end("the count", 0.2)
    assert process_time() - began < 5


def test_nothing_is_printed_where_it_comes_in_the_middle_of_a_weak_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A callback of weakref prints what is raised in it, and goes on."""
    ignored: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    monkeypatch.setattr(interruption, "_SECONDS_BETWEEN_LOOKS", 0.001)
    for _ in range(100):
        with pytest.raises(LimitMet):
            without_end("the terms", 0.0)
    assert not ignored
