"""What of a protocol has no first-order reading: all of it at once, before anything is proven."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from textwrap import shorten

from bmc.lang import TRUE
from bmc.lang.model import Model
from bmc.lang.terms import term_of
from bmc.readings.quantified.structures import NotQuantified
from bmc.readings.quantified.vocabulary import Symbols
from bmc.system.parametric import ParametricSystem, state_variable

_WIDTH = 300


def require_readable(model: Model, look: Callable[[], None] = lambda: None) -> None:
    """Raise NotQuantified with all that has no first-order reading in a protocol.

    That is its variables; where these have one, its state constraint and its actions. Properties
    are asked one by one. ``look`` is called before each action; what it raises ends the reading.
    """
    found = [shorten(str(one), _WIDTH, placeholder=" …") for one in _obstacles(model, look)]
    if len(found) == 1:
        raise NotQuantified(found[0])
    if found:
        listed = "".join(f"\n  {one}" for one in found)
        raise NotQuantified(f"{len(found)} things have no first-order reading:{listed}")


def _obstacles(model: Model, look: Callable[[], None]) -> Iterator[NotQuantified]:
    vocabulary = Symbols({p.name: p.low for p in model.parameters})
    unreadable = False
    for name, sort in model.variables.items():
        try:
            state_variable(vocabulary, name, sort)
        except NotQuantified as error:
            unreadable = True
            yield error
    if unreadable:
        return
    try:
        ParametricSystem(model, (), ())
    except NotQuantified as error:
        yield error
    system = ParametricSystem(replace(model, constraint=term_of(TRUE)), (), ())
    for action in (model.initial, *model.actions):
        look()
        try:
            system.check_action(action)
        except NotQuantified as error:
            yield error
