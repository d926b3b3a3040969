"""Symmetry of clauses: what renaming the members of scalarsets makes of them.

The language has no constants of a scalarset, so what holds of a system holds under every
renaming (Ip and Dill, *Better verification through symmetry*, 1996).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, permutations, product

from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import Sort
from bmc.layout.keys import Key, anonymous, members_of, renamed_key
from bmc.layout.layouts import keeps_order
from bmc.system.atoms import Atoms
from bmc.system.transition import TransitionSystem

Literals = frozenset[int]
Naming = tuple[tuple[str, tuple[int, ...]], ...]
"""For each renamed scalarset its name and, in order, the new names of its members."""


class Symmetry:
    """The images of sets of literals under renamings of scalarset members.

    ``whole`` is false where some scalarset cannot be renamed atom by atom, because a bounded
    set keeps its elements in an order of their own: then every orbit is the set alone. ``sizes``
    are those of the scalarsets, by name.
    """

    def __init__(self, atoms: Atoms, sorts: Iterable[Sort], sizes: Mapping[str, int]) -> None:
        self.whole = not any(keeps_order(atoms.layouts.of(sort)) for sort in sorts)
        self._atoms = atoms
        self.sizes = sizes
        self._by_key = {atom.key: i + 1 for i, atom in enumerate(atoms.all)}
        self._used = [sorted(set(members_of(atom.key))) for atom in atoms.all]
        classes: dict[Key, int] = {}
        self._classes = [
            classes.setdefault(anonymous(atom.key) if self.whole else atom.key, len(classes))
            for atom in atoms.all
        ]
        self._renamed: dict[Naming, dict[int, int]] = {}

    def orbit(self, literals: Literals) -> list[Literals]:
        """All different images, the set itself first."""
        if not self.whole:
            return [literals]
        images = (self.renamed(literals, naming) for naming in self._namings(literals))
        return list(dict.fromkeys((literals, *images)))

    def renamed(self, literals: Literals, naming: Naming) -> Literals:
        """The image under one renaming, where ``whole``."""
        table = self._renamed.setdefault(naming, {})
        image = []
        for literal in literals:
            atom = abs(literal)
            other = table.get(atom)
            if other is None:
                key = renamed_key(self._atoms.all[atom - 1].key, dict(naming))
                other = table[atom] = self._by_key[key]
            image.append(other if literal > 0 else -other)
        return frozenset(image)

    def everywhere(self, most: int) -> Iterator[list[int]]:
        """Yield what up to ``most`` renamings make of each atom, first the one that renames nobody.

        Atoms are their places in :class:`Atoms` here.
        """
        if not self.whole:
            yield list(range(len(self._by_key)))
            return
        named = [
            [(sort, names) for names in permutations(range(size))]
            for sort, size in sorted(self.sizes.items())
        ]
        for naming in islice(product(*named), most):
            images = (
                self.renamed(frozenset((a,)), naming) for a in range(1, len(self._by_key) + 1)
            )
            yield [next(iter(image)) - 1 for image in images]

    def kinds(self, literals: Literals) -> int:
        """A set of numbers, as bits, that images share: what each literal is up to renaming."""
        found = 0
        for literal in literals:
            found |= 1 << 2 * self._classes[abs(literal) - 1] + (literal > 0)
        return found

    def _namings(self, literals: Literals) -> Iterator[Naming]:
        """One renaming for each way to rename the members that occur."""
        used: dict[str, set[int]] = {}
        for literal in literals:
            for member in self._used[abs(literal) - 1]:
                used.setdefault(member.sort, set()).add(member.number)
        choices = []
        for sort in sorted(used):
            old = sorted(used[sort])
            everyone = range(self.sizes[sort])
            choices.append(
                [(sort, _filled(old, new, everyone)) for new in permutations(everyone, len(old))]
            )
        yield from product(*choices)


def symmetry_of(system: TransitionSystem, atoms: Atoms) -> Symmetry:
    """Return the symmetry of a system in all scalarsets that its state speaks of."""
    sorts = system.model.variables.values()
    scalarsets = {part for sort in sorts for part in symmetric_parts(sort)}
    sizes = {part.name: len(system.domains.values(part)) for part in scalarsets}
    return Symmetry(atoms, sorts, sizes)


def _filled(old: list[int], new: tuple[int, ...], everyone: range) -> tuple[int, ...]:
    """A permutation that maps ``old`` to ``new`` in order, and the rest to the rest."""
    chosen = dict(zip(old, new, strict=True))
    spare = iter([n for n in everyone if n not in new])
    return tuple(chosen[n] if n in chosen else next(spare) for n in everyone)
