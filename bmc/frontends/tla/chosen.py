"""Numbers and sizes that are chosen for a configuration's constants, in place of its own."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from bmc.lang.errors import suggest

from . import core as c
from .config import Config
from .errors import TlaNameError
from .walk import children


def with_constants(config: Config, constants: Mapping[str, int]) -> Config:
    """Return the configuration with other numbers for constants, and sizes for their sets.

    A set of model values grows by names like its first one: `r1`, `r2`, then `r3`, but for those
    that stand for something else. Raises TlaNameError for a constant that the configuration gives
    neither.
    """
    made = list(config.assignments)
    for name, number in constants.items():
        places = [at for at, one in enumerate(made) if one.name.text == name]
        # A module's own value may stand beside that of the root's name.
        place = min(places, key=lambda at: made[at].module is not None, default=None)
        match None if place is None else made[place].value:
            case c.IntegerLiteral(span=span):
                value: c.Expression = c.IntegerLiteral(span, number)
            case c.SetEnumeration(span=span, elements=elements) if number >= 0 and all(
                isinstance(element, c.ModelValueLiteral) for element in elements
            ):
                names = [e.name for e in elements if isinstance(e, c.ModelValueLiteral)]
                others = (other.value for at, other in enumerate(made) if at != place)
                members = _resized(names, name, number, _taken(names, others))
                value = c.SetEnumeration(span, tuple(c.ModelValueLiteral(span, n) for n in members))
            case _:
                fit = [one.name.text for one in made if isinstance(one.value, _SIZED)]
                raise TlaNameError(
                    config.span,
                    f"the configuration gives {name} no number and no set of model values",
                    _meant(name, fit),
                )
        assert place is not None
        made[place] = replace(made[place], value=value)
    return replace(config, assignments=made)


_SIZED = c.IntegerLiteral | c.SetEnumeration


def _meant(name: str, fit: list[str]) -> str:
    """What can be given a number instead, the nearest name first."""
    if not fit:
        return "it gives nothing that can be given a number"
    near = suggest(name, fit)
    asked = f"{near} " if near.startswith("did you mean") else ""
    return f"{asked}these can be given a number: {', '.join(fit)}"


def _resized(names: list[str], owner: str, size: int, taken: Collection[str]) -> list[str]:
    found = list(dict.fromkeys(names))[:size]
    stem = re.sub(r"[0-9]+$", "", names[0]) if names else owner.lower()
    number = 1
    while len(found) < size:
        name = f"{stem}{number}"
        if name not in found and name not in taken:
            found.append(name)
        number += 1
    return found


def _taken(names: list[str], others: Iterable[c.Expression]) -> set[str]:
    """Return the model values that are no further members of a set, since they are something else.

    In a set that shares a member with this one there are more of its kind.
    """
    found: set[str] = set()
    for one in others:
        held = set(_model_values(one))
        if not isinstance(one, c.SetEnumeration) or held.isdisjoint(names):
            found |= held
    return found


def _model_values(value: c.Expression) -> Iterator[str]:
    if isinstance(value, c.ModelValueLiteral):
        yield value.name
    for part in children(value):
        yield from _model_values(part)
