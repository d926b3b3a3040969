"""The clauses of a certificate as conjuncts: one for those that differ in names only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bmc.engines.conjuncts import Conjunct
from bmc.evidence.certificate import Clause
from bmc.system.atoms import NEGATION, Atoms
from bmc.system.symmetry import symmetry_of
from bmc.system.transition import Instance, TransitionSystem


def conjuncts_of(
    system: TransitionSystem, clauses: Sequence[Clause]
) -> tuple[list[Conjunct], Mapping[str, str]]:
    """The conjuncts, named ``clause 1`` and on, and the text of one clause of each.

    Raises UnknownLiteral for clauses of another model.
    """
    atoms = Atoms(system)
    symmetry = symmetry_of(system, atoms)
    left = {frozenset(atoms.literal(text) for text in clause): clause for clause in clauses}
    found: list[Conjunct] = []
    texts: dict[str, str] = {}
    while left:
        first, clause = next(iter(left.items()))
        name = f"clause {len(found) + 1}"
        images = [image for image in symmetry.orbit(first) if left.pop(image, None) is not None]
        instances = tuple(
            Instance(name, (), atoms.clause(sorted(image, key=abs))) for image in images
        )
        # The images of a goal that are not there as well have to be asked for, one by one.
        whole = len(images) == len(symmetry.orbit(first))
        found.append(Conjunct(name, None, instances, instances[:1] if whole else instances))
        texts[name] = " \\/ ".join(_literal(text) for text in clause)
    return found, texts


def _literal(text: str) -> str:
    return f"~({text.removeprefix(NEGATION)})" if text.startswith(NEGATION) else text
