"""What a configuration names and a search does not use, in sentences for its user."""

from __future__ import annotations

from .specification import Specification


def unused(specification: Specification, symmetry: bool = False, view: bool = False) -> list[str]:
    """Return a note for each such name; ``symmetry`` and ``view`` say that these are used."""
    found = []
    if specification.symmetry is not None and not symmetry:
        found.append(
            f"SYMMETRY {specification.symmetry.name} is not used: all states are counted, "
            "and TLC counts fewer"
        )
    if specification.view is not None and not view:
        found.append(
            f"VIEW {specification.view.name} is not used: all states are told apart, "
            "and TLC counts fewer"
        )
    if specification.alias is not None:
        found.append(
            f"ALIAS {specification.alias.name} is read, not evaluated: traces show variables"
        )
    if specification.postcondition is not None:
        found.append(f"POSTCONDITION {specification.postcondition.name} is not evaluated")
    if specification.periodic is not None:
        found.append(f"_PERIODIC {specification.periodic.name} is not evaluated")
    return found
