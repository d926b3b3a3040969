"""How the classes of a text's trees are made: there are many, and every command makes them all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

Made = TypeVar("Made")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def node(made: type[Made]) -> type[Made]:
    """Return a class as a dataclass with slots whose instances are compared by identity.

    That nothing is assigned to them is for the type checker: to refuse it when they run takes as
    long again for the class, and five times as long for each instance.
    """
    return dataclass(slots=True, eq=False, weakref_slot=made.__base__ is object)(made)
