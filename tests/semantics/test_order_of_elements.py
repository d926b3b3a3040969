"""Literals name a bounded set's elements by their order, which both readings have to share."""

from __future__ import annotations

from itertools import combinations

from bmc.evidence.independent.literals import clauses_hold
from bmc.evidence.independent.machine import Machine
from bmc.lang import Integer, Protocol, Step, Variable, action, empty, one_of
from bmc.lang.bounds import Bound
from bmc.lang.describe import model_of
from bmc.lang.sorts import BOOL, BoundedSetSort, OptionSort, RecordSort
from bmc.layout.domain import Domains
from bmc.system.atoms import Atoms
from bmc.system.transition import TransitionSystem, evaluate
from tests.semantics.independent_values import constant

Count = Integer("Count", 0, 2)
Entry = RecordSort("Entry", (("flag", BOOL), ("held", OptionSort(Count))))
Entries = BoundedSetSort(Entry, Bound.of(2))


class Box(Protocol):
    """A box of entries."""

    box = Variable(Entries)

    @action()
    def Init(self, s: Step) -> None:
        s.box = empty(Entries)

    @action()
    def Stay(self, s: Step) -> None:
        s.box = s.box

    Next = one_of(Stay)


def test_literals_of_elements_mean_the_same_in_every_state() -> None:
    model = model_of(Box)
    system = TransitionSystem(model, {})
    atoms = Atoms(system).all
    domains = Domains({})
    machine = Machine(model, {})
    entries = domains.values(Entry)
    assert any("[1]" in atom.text for atom in atoms)
    for size in range(3):
        for chosen in combinations(entries, size):
            state = {"box": frozenset(chosen)}
            held = {"box": constant(machine.universe, domains, Entries, state["box"])}
            values = evaluate([atom.node for atom in atoms], system.encode(state))
            for atom, value in zip(atoms, values, strict=True):
                found = clauses_hold(machine, [(atom.text,)], held)
                assert (found is machine.formulas.true) == bool(value), (chosen, atom.text)
