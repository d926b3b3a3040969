"""Which random walks a comparison takes: how many, how long, and by which actions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Sized
from random import Random

from .oracle.machine import State

DRY = 20  # walks in a row that meet nothing new, after which no more are made


def until_nothing_is_new(met: Sized, seed: int) -> Iterator[int]:
    """Yield numbers of walks until so many in a row have met nothing new."""
    number, known, last = seed, len(met), seed
    while number - last <= DRY:
        yield number
        number += 1
        if len(met) > known:
            known, last = len(met), number


def walk(
    chance: Random,
    initial: Sequence[State],
    length: int,
    after: Callable[[State], list[tuple[str, State]]],
    chosen: Counter[str],
) -> None:
    """Walk so many steps; `chosen` counts by action those of all walks."""
    if not initial:
        return
    state = chance.choice(initial)
    for _ in range(length):
        steps = after(state)
        if not steps:
            return
        if chance.random() < 0.5:
            least = min(chosen[action] for action, _ in steps)
            steps = [step for step in steps if chosen[step[0]] == least]
        action, state = chance.choice(steps)
        chosen[action] += 1


def luby(number: int) -> int:
    """Return the sequence 1 1 2 1 1 2 4 … (Luby, Sinclair and Zuckerman 1993) at a place from 1."""
    power = 1
    while power <= number:
        power *= 2
    return power // 2 if number == power - 1 else luby(number - power // 2 + 1)
