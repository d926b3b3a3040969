"""What is to be written of a protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bmc.lang.model import Model
from bmc.lang.properties import Property
from bmc.lang.temporal import Specification, TemporalProperty


@dataclass(frozen=True)
class Stated:
    """What is to be written of a protocol.

    ``properties`` are all that it states, of which ``claims`` are to be checked. ``model`` has the
    ghosts.
    """

    name: str
    about: Sequence[str]
    model: Model
    parameters: Mapping[str, int]
    properties: Sequence[Property]
    claims: frozenset[str]
    temporal: Sequence[TemporalProperty]
    specifications: Sequence[Specification]
