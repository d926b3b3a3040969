"""Explored states of several sizes, and the tables of what is seen in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from bmc.analysis.inference.table import Table
from bmc.analysis.inference.vocabulary import Words
from bmc.analysis.mining.candidates import Candidate, never
from bmc.analysis.mining.vocabulary import Variables
from bmc.engines.conjuncts import Conjunct, conjunct
from bmc.engines.packed.packing import Rows
from bmc.engines.samples import Explored
from bmc.lang.errors import BmcError
from bmc.readings.value import ConcreteState
from bmc.system.transition import TransitionSystem

_SAMPLE = 6_000
"""States of the first world that go into the tables before any refutes a candidate."""
_FURTHER = 2_500
"""The same of each of the others."""
_ALWAYS = 2
"""So many bound variables are looked at whatever that takes."""
_ROWS = 400_000
"""Sights that a table of more variables is made of at most, before equal ones are merged."""


class Prospect:
    """What is known of the reachable states, and the words to speak of them.

    The first of the ``worlds`` is the one that lemmas are looked for at; the others keep them
    from leaning on its size.
    """

    def __init__(self, words: Words, worlds: Sequence[Explored], most: int) -> None:
        self.words = words
        self.worlds = worlds
        self.system: TransitionSystem = worlds[0].system
        self._tables: dict[int, list[Table]] = {}
        self._samples = [
            world.sample(_FURTHER if number else _SAMPLE) for number, world in enumerate(worlds)
        ]
        signatures = [bound for bound in words.signatures(most) if self._affordable(bound)]
        self._layers = [
            [bound for bound in signatures if len(bound) == count] for count in range(most + 1)
        ]

    def _affordable(self, bound: Variables) -> bool:
        """Whether a table has a size at which something is found in it soon."""
        if len(bound) <= _ALWAYS:
            return True
        rows = 0
        for world, sample in zip(self.worlds, self._samples, strict=True):
            domains = world.system.domains
            choices = prod(len(domains.values(v.sort)) for v in bound)
            rows += choices * len(sample)
        return rows <= _ROWS

    def pack(self, state: ConcreteState) -> Rows:
        """Return a state of the first world as a row."""
        return self.worlds[0].pack([state])

    def layers(self) -> Iterator[list[Table]]:
        """Yield the tables of no bound variable, of one, of two, and so on."""
        for number in range(len(self._layers)):
            if number not in self._tables:
                made = [self._table(bound) for bound in self._layers[number]]
                self._tables[number] = [table for table in made if table.literals]
            yield self._tables[number]

    def _table(self, bound: Variables) -> Table:
        systems = [(world.system, world.packing) for world in self.worlds]
        table = Table(self.words, bound, systems)
        for number, sample in enumerate(self._samples if table.literals else ()):
            table.add(number, sample)
        return table

    def separating(
        self, table: Table, state: Rows, most: int, enough: int, budget: int
    ) -> list[Candidate]:
        """Return candidates that are false in a state and hold in all that the table has seen."""
        found = []
        for together in table.separators(state, most, enough, budget):
            found.append(never(together, table.bound, self.words.variables))
        return found

    def valid(self, candidates: Sequence[Candidate]) -> list[tuple[Candidate, Conjunct]]:
        """Return those that hold in every explored state; states that refute others are entered
        in the tables, so that nothing like them is proposed again."""
        found: list[tuple[Candidate, Conjunct]] = []
        for one in candidates:
            try:
                found.append((one, conjunct(self.system, one.stated("candidate"))))
            except BmcError:
                continue
        circuit = self.system.circuit
        for number, world in enumerate(self.worlds):
            if not found:
                break
            nodes = []
            circuit = world.system.circuit
            for one, c in found:
                instances = (
                    c.goals
                    if number == 0
                    else world.system.representatives(one.stated("candidate"))
                )
                nodes.append(circuit.all(i.holds for i in instances))
            failing = world.failing(nodes)
            for rows in failing:
                if len(rows):
                    self._refine(number, rows)
            kept = zip(found, failing, nodes, strict=True)
            found = [
                pair for pair, rows, node in kept if not len(rows) and node is not circuit.true
            ]
        return found

    def _refine(self, world: int, rows: Rows) -> None:
        for tables in self._tables.values():
            for table in tables:
                table.add(world, rows)
