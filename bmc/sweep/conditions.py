"""The conditions of a proof at all parameter values, as tasks of a cluster.

A worker reads the protocol as first-order formulas by itself, with the invariants and claims that
the driver names, and decides conditions by their names. What they rest on is in the certificate,
which is re-checked as always.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256

from bmc.engines.allparams.condition import ConditionOutcome, Decider
from bmc.engines.allparams.prove import CONDITION_GOALS, ParametricTask
from bmc.evidence.parametric_certificate import parametric_fingerprint
from bmc.lang.fingerprint import property_digest
from bmc.lang.model import Model
from bmc.lang.suite import Suite
from bmc.sweep.crew import Crew
from bmc.sweep.obligations import Find
from bmc.sweep.runner import OtherModel
from bmc.sweep.services import Item, Unserved
from bmc.system.parametric import Name, ParametricSystem


@dataclass(frozen=True)
class ConditionService:
    """Decides conditions of the system that has these invariants and claims, by name.

    ``dropped`` invariants are not assumed; ``seconds`` limit a goal. ``identity`` is a digest of
    the driver's text.
    """

    find: Find
    protocol: str
    ghosts: bool
    invariants: tuple[str, ...]
    claims: tuple[str, ...]
    dropped: frozenset[str]
    seconds: float
    identity: str

    def load(self) -> None:
        """Compare the text. Raises OtherModel."""
        suite = self.find(self.protocol)
        if _identity(suite, suite.model(self.ghosts), (*self.invariants, *self.claims)) != (
            self.identity
        ):
            raise OtherModel(
                f"an executor has another text of {self.protocol} than the driver: it needs the "
                "driver's files"
            )

    def open(self) -> Callable[[Name], ConditionOutcome]:
        """Return what decides a condition."""
        suite = self.find(self.protocol)
        model = suite.model(self.ghosts)
        system = ParametricSystem(
            model,
            [suite.describe(suite.find(name), model) for name in self.invariants],
            [suite.describe(suite.find(name), model) for name in self.claims],
        )
        return Decider(system, self.seconds, self.dropped).decide


def decide_there(
    crew: Crew,
    find: Find,
    protocol: str,
    task: ParametricTask,
    system: ParametricSystem,
    names: list[Name],
    dropped: frozenset[str],
) -> Iterable[ConditionOutcome]:
    """Yield the outcomes of conditions, decided on a cluster; one that is lost twice is open.

    Raises OutOfTime and OtherModel.
    """
    stated = tuple(system.invariants), tuple(system.claims)
    service = ConditionService(
        find,
        protocol,
        task.lemmas,
        *stated,
        dropped,
        task.goal_seconds,
        _identity(task.suite, system.model, (*stated[0], *stated[1])),
    )
    again: list[Item] = []
    seconds = CONDITION_GOALS * task.goal_seconds
    for one in crew.ask("conditions", service, names, seconds=seconds):
        if isinstance(one, Unserved):
            again.append(one.item)
        else:
            yield one.answer
    for one in crew.ask_alone("conditions again", service, again):
        if isinstance(one, Unserved):
            yield ConditionOutcome(one.item, None, task.goal_seconds, 0, one.reason)
        else:
            yield one.answer


def _identity(suite: Suite, model: Model, names: Iterable[str]) -> str:
    stated = (suite.describe(suite.find(name), model) for name in names)
    parts = [parametric_fingerprint(model), *map(property_digest, stated)]
    return sha256("\n".join(parts).encode()).hexdigest()
