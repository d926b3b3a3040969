"""What a search that can be taken up again is known by: equal for equal questions only.

What is kept of a search is its answer, too: which claims were decided, and which were not. So a
claim of the same name that says something else makes it another search.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from bmc.engines.packed.packing import Packing
from bmc.engines.task import Task
from bmc.lang.fingerprint import fingerprint, property_digest, term_digest
from bmc.lang.model import Model
from bmc.lang.properties import Property

_LENGTH = 16


def question_of(task: Task, model: Model, stated: Iterable[Property]) -> list[str]:
    """Return what is asked: the model at its parameters, each claim, and which states count."""
    claims = sorted(f"{one.name} {property_digest(one)}" for one in stated)
    counted = task.suite.counted
    return [
        fingerprint(model, task.parameters),
        *claims,
        "" if counted is None else term_digest(counted),
    ]


def layout_of(packing: Packing) -> list[str]:
    """Return how states are packed."""
    return [f"{name} {field}" for name, field in sorted(packing.fields.items())]


def identity(parts: Iterable[str]) -> str:
    """Return a name for all of these parts, as a folder's name is made of it."""
    return sha256("\n".join(parts).encode()).hexdigest()[:_LENGTH]
