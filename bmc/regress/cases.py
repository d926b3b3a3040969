"""From names in a lock to models that can be judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bmc.lang.errors import BmcError, LanguageError, ParameterError
from bmc.lang.properties import Kind
from bmc.lang.protocol import parameter_values, parameters_of
from bmc.lang.suite import Suite
from bmc.regress.lock import LockedModel
from bmc.regress.outcome import Case
from bmc.regress.parts import portrait
from bmc.running.interruption import LimitMet, interrupted

Find = Callable[[str], Suite]
"""Finds a protocol by the name that a lock has for it, or raises a BmcError."""


def case_of(locked: LockedModel, find: Find, seconds: float | None = None) -> Case:
    """A model of the lock, as it is now, unless that takes more than ``seconds`` to see."""
    late = False
    try:
        with interrupted(f"what {locked.protocol} means", seconds):
            return _as_it_is(locked, find(locked.protocol))
    except ParameterError as error:
        said = f"it cannot be had at the parameters of the lock: {error}"
    except LanguageError as error:
        said = f"its description is wrong: {error}"
    except LimitMet as error:
        said, late = str(error), True
    except BmcError as error:
        said = str(error)
    return Case(
        locked.protocol,
        locked.parameters,
        locked,
        unusable=said,
        for_all=locked.for_all,
        late=late,
    )


def _as_it_is(locked: LockedModel, suite: Suite) -> Case:
    if locked.for_all:
        return _case_for_all(locked.protocol, locked, suite)
    known = {p.name for p in parameters_of(suite.protocol)}
    given = {n: v for n, v in locked.parameters.items() if n in known}
    parameters = parameter_values(suite.protocol, given, suite.name)
    seen = portrait(suite, parameters)
    return Case(locked.protocol, parameters, locked, suite, seen, named=locked.named)


def new_case(
    protocol: str,
    given: Mapping[str, int],
    find: Find,
    for_all: bool = False,
    named: bool = False,
    seconds: float | None = None,
) -> Case:
    """A model that the lock does not hold yet; ``named``: of which it is to hold what is named.

    Raises LimitMet where that takes more than ``seconds`` to see, and what finding the protocol
    or reading the parameters raises.
    """
    with interrupted(f"what {protocol} means", seconds):
        suite = find(protocol)
        if for_all:
            return _case_for_all(protocol, None, suite)
        parameters = parameter_values(suite.protocol, given, suite.name)
        return Case(protocol, parameters, None, suite, portrait(suite, parameters), named=named)


def _case_for_all(protocol: str, locked: LockedModel | None, suite: Suite) -> Case:
    suite.require_free()
    least = {p.name: p.low for p in parameters_of(suite.protocol)}
    return Case(protocol, least, locked, suite, portrait(suite, least), for_all=True)


def lockable(suite: Suite) -> tuple[str, ...]:
    """The names of what a lock holds of a suite: claims and witnesses, in their order.

    Temporal claims are left out: one is held at some parameters, not at all that are locked.
    """
    kinds = (Kind.INVARIANT, Kind.STEP_INVARIANT, Kind.WITNESS)
    return tuple(d.name for d in suite.declared(*kinds))


def lockable_for_all(suite: Suite) -> tuple[str, ...]:
    """The names of what could be proved at all parameters: claims not published as false."""
    stated = suite.declared(Kind.INVARIANT, Kind.STEP_INVARIANT)
    return tuple(d.name for d in stated if d.name not in suite.refuted)
