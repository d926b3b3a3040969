"""IC3's clauses as lemmas: each orbit a formula for all members, and more general ones of it.

What a clause says of a number it says, perhaps, of every number that stands in the same order to
the others: those are candidates, from the most general to the one that keeps the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise

from bmc.analysis.inference.spoken import Phrases, Spoken
from bmc.analysis.mining.candidates import Candidate, Naming, never
from bmc.analysis.mining.literals import Literal, opposite
from bmc.analysis.mining.vocabulary import sequence_index
from bmc.evidence.certificate import Clause
from bmc.lang.build import argument, conj, implies
from bmc.lang.errors import BmcError
from bmc.lang.sort_parts import inside
from bmc.lang.sorts import IntSort, SequenceSort, Sort
from bmc.lang.terms import Term, coerce, make, subterms, term_of
from bmc.system.atoms import Atoms
from bmc.system.symmetry import symmetry_of
from bmc.system.transition import TransitionSystem

_KEYED = ("select", "lookup")
_MOST_VARIABLES = 5
"""A more general formula with more bound variables has too many instances."""

Numbered = Callable[[str, int], Term | None]
"""The term for a number of an identity; None where the number stays."""


class ClauseLemmas:
    """What clauses of a system say, as candidates.

    Raises NotSayable for a system whose state has parts that no formula names.
    """

    def __init__(self, system: TransitionSystem, naming: Naming) -> None:
        self._system = system
        self._naming = naming
        self._phrases = Phrases(system)
        self._atoms = Atoms(system)
        self._sequences = {
            sort: index
            for variable in system.model.variables.values()
            for sort in inside(variable)
            if isinstance(sort, SequenceSort)
            and isinstance(index := sequence_index(system.model, sort), IntSort)
        }
        ranges = [
            sort
            for variable in system.model.variables.values()
            for sort in inside(variable)
            if isinstance(sort, IntSort) and sort.bounded and sort.name
        ]
        self._ranges = {
            sort.name: sort for sort in sorted(ranges, key=lambda s: system.domains.range(s)[1])
        }

    def orbits(self, clauses: Sequence[Clause]) -> Iterator[tuple[Candidate, ...]]:
        """Yield for each orbit of clauses candidates that imply it, the most general one first.

        The last one says what the clauses say, and no more.
        """
        for literals in self._cubes(clauses):
            yield tuple(self._candidates(literals))

    def exactly(self, clauses: Sequence[Clause]) -> Iterator[Candidate]:
        """Yield for each orbit of clauses what they say, and no more."""
        for literals in self._cubes(clauses):
            yield self._never(literals)

    def _cubes(self, clauses: Sequence[Clause]) -> Iterator[list[Literal]]:
        """Yield what one clause of each orbit excludes, the orbits in the clauses' order."""
        symmetry = symmetry_of(self._system, self._atoms)
        left = {
            frozenset(-self._atoms.literal(text) for text in clause): None for clause in clauses
        }
        while left:
            cube = next(iter(left))
            for image in symmetry.orbit(cube):
                left.pop(image, None)
            yield self._literals(sorted(cube, key=abs))

    def _literals(self, cube: Sequence[int]) -> list[Literal]:
        """Return what a cube says in as few literals as it takes, members being different."""
        said: list[tuple[Spoken, bool]] = []
        amounts: dict[str, tuple[list[Spoken], list[Spoken]]] = {}
        for number in cube:
            atom = self._atoms.all[abs(number) - 1]
            spoken = self._phrases[atom.text]
            if spoken.amount is None:
                said.append((spoken, number > 0))
            else:
                amounts.setdefault(atom.subject, ([], []))[number < 0].append(spoken)
        found = [
            one
            for reached, not_reached in amounts.values()
            for one in self._amount(reached, not_reached)
        ]
        hoisted = {guard for one in found for guard in one.guards}
        hoisted |= {one.formula for one, holds in said if holds}
        hoisted |= {guard for one, holds in said if holds != one.absent for guard in one.guards}
        found += [_literal(one, holds, hoisted) for one, holds in said]
        members = sorted(
            {v for x in found for t in (x.formula, *x.guards) for v in t.free},
            key=lambda one: one.uid,
        )
        for a, b in combinations(members, 2):
            if a.sort == b.sort:
                found.append(Literal(term_of(a != b), (), 0))
        return found

    def _amount(self, reached: list[Spoken], not_reached: list[Spoken]) -> Iterator[Literal]:
        """Yield one or two literals for what atoms say of one number."""
        low = max(reached, key=lambda one: one.least, default=None)
        high = min(not_reached, key=lambda one: one.least, default=None)
        if high is not None and high.amount is not None and low is None:
            lowest = high.least == high.lowest + 1
            one = term_of(high.amount == high.lowest if lowest else high.amount < high.least)
            yield Literal(implies(conj(*high.guards), one) if high.guards else one, (), 1)
        elif low is not None and low.amount is not None:
            if high is not None and high.least == low.least + 1:
                yield Literal(term_of(low.amount == low.least), low.guards, 1)
                return
            yield Literal(term_of(low.amount >= low.least), low.guards, 1)
            if high is not None:
                yield Literal(term_of(low.amount < high.least), low.guards, 1)

    def _candidates(self, literals: list[Literal]) -> Iterator[Candidate]:
        tried = set()
        for some in (*self._general(literals), literals):
            one = self._never(some)
            if one.body not in tried:
                tried.add(one.body)
                yield one

    def _never(self, literals: list[Literal]) -> Candidate:
        free = {v for x in literals for t in (x.formula, *x.guards) for v in t.free}
        return never(literals, tuple(sorted(free, key=lambda one: one.uid)), self._naming)

    def _general(self, literals: list[Literal]) -> Iterator[list[Literal]]:
        for keeps_lowest, in_a_row in ((False, False), (True, False), (False, True)):
            try:
                some = self._lifted(literals, keeps_lowest, in_a_row)
            except BmcError:
                continue
            free = {v for x in some for t in (x.formula, *x.guards) for v in t.free}
            if len(free) <= _MOST_VARIABLES:
                yield some

    def _lifted(self, literals: list[Literal], keeps_lowest: bool, in_a_row: bool) -> list[Literal]:
        """Return literals with variables in the place of numbers, in the numbers' order."""
        made: dict[str, dict[int, Term]] = {}
        parts = subterms([t for x in literals for t in (x.formula, *x.guards)])
        keys = [t.args[1].sort for t in parts if t.op in _KEYED]
        # What is looked up has to be a key.
        ranges = self._ranges | {
            sort.name: sort for sort in keys if isinstance(sort, IntSort) and sort.bounded
        }

        def numbered(identity: str, value: int) -> Term | None:
            if identity not in ranges:
                return None
            sort = ranges[identity]
            low, high = self._system.domains.range(sort)
            if not low + keeps_lowest <= value <= high:
                return None
            known = made.setdefault(identity, {})
            if value not in known:
                known[value] = argument(f"{identity.lower()}_at_{value}", sort)
            return known[value]

        def of(term: Term) -> Term:
            return self._renumbered(term, numbered)

        found = [Literal(of(x.formula), tuple(of(g) for g in x.guards), x.weight) for x in literals]
        for known in made.values():
            for low, high in pairwise(sorted(known)):
                after = known[low] + 1 == known[high]
                follows = in_a_row and high == low + 1
                order = after if follows else known[low] < known[high]
                found.append(Literal(term_of(order), (), 0))
        return found

    def _renumbered(self, term: Term, numbered: Numbered) -> Term:
        args = list(term.args)
        if term.op in ("eq", "le", "lt"):
            for here, other in ((0, 1), (1, 0)):
                value = _number(args[here])
                identity = self._identity(args[other])
                if value is not None and identity:
                    chosen = numbered(identity, value)
                    args[here] = args[here] if chosen is None else chosen
        if term.op in _KEYED or term.op == "at":
            value = _number(args[1])
            collection, key = term.args
            index: Sort | None = key.sort
            if term.op == "at" and isinstance(collection.sort, SequenceSort):
                index = self._sequences.get(collection.sort)
            if value is not None and isinstance(index, IntSort) and index.name:
                chosen = numbered(index.name, value)
                if chosen is not None:
                    args[1] = chosen if term.op == "at" else coerce(chosen, key.sort)
        return make(term.op, (self._renumbered(a, numbered) for a in args), term.sort, term.data)

    def _identity(self, term: Term) -> str:
        counted = term.args[0].sort if term.op == "size" else None
        if isinstance(counted, SequenceSort) and counted in self._sequences:
            return self._sequences[counted].name
        return term.sort.name if isinstance(term.sort, IntSort) else ""


def _number(term: Term) -> int | None:
    if term.op == "narrow":
        return _number(term.args[0])
    return int(str(term.data)) if term.op == "int" else None


def _literal(one: Spoken, holds: bool, hoisted: set[Term]) -> Literal:
    """Return an atom or its negation, where what is absent has the value that the state holds."""
    if holds != one.absent:
        return Literal(one.formula if holds else opposite(one.formula), one.guards, 1)
    said = one.formula if holds else opposite(one.formula)
    if set(one.guards) <= hoisted:
        return Literal(said, one.guards, 1)
    return Literal(implies(conj(*one.guards), said), (), 1)
