"""Paths of a text, told by numbers: the same on every machine, since steps come in one order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .machine import Machine, State


def numbers_of(machine: Machine, states: Sequence[State]) -> tuple[int, ...]:
    """Return which initial state a path begins in, and which of the steps it takes each time.

    Raises ValueError where it is no path of the text, and what the evaluation raises.
    """
    first = machine.initial_states().index(states[0])
    return (first, *(machine.successors(a).index(b) for a, b in pairwise(states)))


def states_at(machine: Machine, numbers: Sequence[int]) -> list[State]:
    """Return a path's states. Raises IndexError where there is none of these numbers."""
    found = [machine.initial_states(numbers[0] + 1)[numbers[0]]]
    for number in numbers[1:]:
        found.append(machine.successors(found[-1])[number])
    return found
