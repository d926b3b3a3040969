"""States at several sizes: at the parameters that were asked for, and at larger ones.

What holds of all states at one size is often an accident of it. Where the protocol has parameters,
states of larger sizes are looked at as well, so that such lemmas are not even proposed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import monotonic

from bmc.engines.samples import Explored
from bmc.engines.task import Observer, OptionError
from bmc.lang.errors import BmcError
from bmc.lang.model import Model
from bmc.system.transition import TransitionSystem

_FURTHER = 15_000
"""States of a larger size that are found breadth first; as many come from random walks."""
_SHARE = 0.15
_PATIENCE = 4.0
"""How many times the seconds of the first size may have passed when a larger one is begun: only to
build its system may take longer than a short limit."""


def explored_worlds(
    system: TransitionSystem,
    states: int,
    seconds: float,
    seed: int,
    observer: Observer,
    heard: Callable[[Explored], None],
) -> list[Explored]:
    """Return the explored states of a system, and of the same model at larger parameters.

    ``states`` and ``seconds`` limit the first, which ``heard`` is given as soon as it is there, a
    part of the time each of the others. Raises OptionError where the model leaves its bounds at the
    parameters that were asked for.
    """
    began = monotonic()
    first = Explored(system, seed)
    first.explore(states, seconds, observer)
    heard(first)
    found = [first]
    for parameters in _larger(system.model, system.parameters):
        if monotonic() - began > _PATIENCE * seconds:
            break
        told = ", ".join(f"{name}={value}" for name, value in parameters.items())
        observer.phase(f"exploring at {told}")
        try:
            other = TransitionSystem(system.model, parameters)
            found += few_states(other, seconds * _SHARE, seed, observer)
        except BmcError:
            continue
    return found


def few_states(
    system: TransitionSystem, seconds: float, seed: int, observer: Observer
) -> list[Explored]:
    """Return some states of a system, against lemmas that lean on another one; nothing if none."""
    found = Explored(system, seed)
    # Where the model leaves its bounds, what it does until then is no less reachable.
    with suppress(OptionError):
        found.explore(_FURTHER, seconds, observer)
    return [found] if len(found) else []


def _larger(model: Model, parameters: dict[str, int]) -> list[dict[str, int]]:
    """Return the parameters one larger: all of them, and then those of the first half only.

    At more parameters there is more to see and less of it is seen, so one of either kind helps.
    """
    room = {p.name: p.high for p in model.parameters}
    grown = {name: value + 1 for name, value in parameters.items() if value < room[name]}
    half = dict(list(grown.items())[: len(grown) // 2])
    return [{**parameters, **some} for some in (grown, half) if some]
