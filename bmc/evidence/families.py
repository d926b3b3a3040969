"""What a certificate holds a model to: families of formulas over a state, and their images.

A family is asked about, and assumed, formula by formula. What a renaming of scalarset members makes
of its formulas is said here, and shown in :mod:`bmc.evidence.interchange`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bmc.evidence.certificate import CertificateError, Clause
from bmc.evidence.moves import Permutation
from bmc.evidence.path import SymbolicPath
from bmc.lang.sorts import Sort
from bmc.layout.domain import Domains, Value
from bmc.layout.keys import renamed_key
from bmc.layout.renaming import Naming, renamed
from bmc.readings.circuit import Node
from bmc.solving.interface import Handle
from bmc.system.atoms import Atoms, UnknownLiteral
from bmc.system.transition import Instance, TransitionSystem

Name = TypeVar("Name")


class NoCounterpart(Exception):
    """Something has no image of its own kind."""


@dataclass(frozen=True)
class Family:
    """The instances of one conjunct, with the sorts of their arguments."""

    name: str
    sorts: Sequence[Sort]
    instances: Sequence[Instance]

    def __len__(self) -> int:
        """How many formulas there are."""
        return len(self.instances)

    def called(self, positions: Sequence[int]) -> str:
        """What some of them are called together."""
        return self.name

    def holds(self, position: int) -> Node:
        """One of them."""
        return self.instances[position].holds

    def assume(self, path: SymbolicPath) -> None:
        """Assert all of them of the path's last state."""
        for instance in self.instances:
            path.solver.add(path.read(instance.holds))

    def moved(self, domains: Domains, naming: Naming) -> Permutation:
        """By position of ``j`` that of ``i``, so that ``i`` of a state's image is to be ``j``.

        Raises NoCounterpart where one has no image.
        """
        place = {one.arguments: n for n, one in enumerate(self.instances)}

        def of(arguments: Sequence[Value]) -> tuple[Value, ...]:
            pairs = zip(self.sorts, arguments, strict=True)
            return tuple(renamed(domains, sort, value, naming) for sort, value in pairs)

        return _permutation([of(one.arguments) for one in self.instances], place)

    def equations(self, domains: Domains, naming: Naming) -> Iterator[tuple[Node, Node]]:
        """Pairs of which the first is to say of a state's image what the second says of the state.

        Where that is so of all, it is so of all formulas with what :meth:`moved` gives.
        """
        for before, after in enumerate(self.moved(domains, naming)):
            yield self.holds(after), self.holds(before)


class FoundClauses:
    """Clauses that an engine found. Raises CertificateError for one that cannot be read.

    Each is a set of literals, so what a renaming makes of it follows from what it makes of atoms.
    """

    sorts: tuple[Sort, ...] = ()

    def __init__(self, system: TransitionSystem, clauses: Sequence[Clause]) -> None:
        self._atoms = Atoms(system)
        try:
            read = (frozenset(map(self._atoms.literal, clause)) for clause in clauses)
            self._clauses = tuple(dict.fromkeys(read))
        except UnknownLiteral as error:
            raise CertificateError(f"a clause cannot be read: {error}") from None

    def __len__(self) -> int:
        """How many clauses there are."""
        return len(self._clauses)

    def called(self, positions: Sequence[int]) -> str:
        """What some of them are called together."""
        first, last = positions[0] + 1, positions[-1] + 1
        if first == last:
            return f"clause {first}"
        return f"one of the clauses {first} to {last}"

    def holds(self, position: int) -> Node:
        """One of them."""
        return self._atoms.clause(sorted(self._clauses[position], key=abs))

    def assume(self, path: SymbolicPath) -> None:
        """Assert all of them of the path's last state.

        What every clause allows, such as that a state is outside of the state constraint, is one
        formula for all of them.
        """
        shared = frozenset.intersection(*self._clauses)
        allowed = [path.solver.any(self._read(path, shared))] if shared else []
        for clause in self._clauses:
            path.solver.clause(*allowed, *self._read(path, clause - shared))

    def _read(self, path: SymbolicPath, literals: Iterable[int]) -> list[Handle]:
        return [path.read(self._atoms.node(literal)) for literal in sorted(literals, key=abs)]

    def moved(self, domains: Domains, naming: Naming) -> Permutation:
        """By position of a clause that of its image; NoCounterpart where it has none here."""
        images = self._images(naming)
        place = {clause: n for n, clause in enumerate(self._clauses)}
        return _permutation(
            [
                frozenset(images[lit] if lit > 0 else -images[-lit] for lit in clause)
                for clause in self._clauses
            ],
            place,
        )

    def equations(self, domains: Domains, naming: Naming) -> Iterator[tuple[Node, Node]]:
        """The same as of a stated family, atom by atom."""
        for before, after in self._images(naming).items():
            yield self._atoms.node(after), self._atoms.node(before)

    def _images(self, naming: Naming) -> dict[int, int]:
        """Return by atom the one that is to say of a state's image what it says of the state."""
        names = {one.name: members for one, members in naming.items()}
        place = {atom.key: n for n, atom in enumerate(self._atoms.all, 1)}
        keys = [renamed_key(atom.key, names) for atom in self._atoms.all]
        return {n + 1: image for n, image in enumerate(_permutation(keys, place))}


AnyFamily = Family | FoundClauses


def _permutation(images: Sequence[Name], place: dict[Name, int]) -> Permutation:
    """Return where the images are. Raises NoCounterpart unless they are all that there is."""
    if set(images) != place.keys():
        raise NoCounterpart("an instance's image is no instance")
    return tuple(place[image] for image in images)
