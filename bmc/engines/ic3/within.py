"""The states from which steps are taken, where every rule asks the same of them.

So it is under a state constraint as TLC has it: a step may lead to a state outside, of which claims
are judged as well, and none is taken from there. An invariant need say no more of states outside
than what is claimed: of every other clause it is enough that it holds where a step may be taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bmc.engines.ic3.frames import Cube
from bmc.engines.samples import Explored
from bmc.readings.circuit import Node
from bmc.system.atoms import Atoms
from bmc.system.transition import TransitionSystem


@dataclass(frozen=True)
class Within:
    """What clauses are learned of: states in the cube ``inside``.

    ``claims`` are known of the state before a step, and ``kept`` are those of them that have to be
    shown of each state after one, wherever it is.
    """

    inside: Cube = frozenset()
    claims: tuple[Node, ...] = ()
    kept: tuple[Node, ...] = ()

    def before(self, atoms: Atoms) -> tuple[Node, ...]:
        """Return what is known of a state from which a step is taken."""
        return (*map(atoms.node, sorted(self.inside)), *self.claims)


EVERYWHERE = Within()


def inside_of(system: TransitionSystem, atoms: Atoms, explored: Explored | None) -> Cube:
    """Return a cube that every step leaves from, where a state outside of it was explored.

    It is empty, and has all states in it, where there is no such cube.
    """
    inside = demanded(system, atoms)
    if explored is None or not inside:
        return frozenset()
    outside = explored.failing([atoms.node(literal) for literal in sorted(inside)])
    return inside if any(len(some) for some in outside) else frozenset()


def demanded(system: TransitionSystem, atoms: Atoms) -> Cube:
    """Return the literals that every rule's guard asks for."""
    guards = [rule.guard for rule in system.rules if rule.guard is not system.circuit.false]
    if not guards:
        return frozenset()
    asked = set.intersection(*({part.uid for part in _parts(guard)} for guard in guards))
    literals = [sign * (n + 1) for n in range(len(atoms)) for sign in (1, -1)]
    return frozenset(literal for literal in literals if atoms.node(literal).uid in asked)


def _parts(guard: Node) -> Sequence[Node]:
    return guard.args if guard.op == "and" else (guard,)
