"""Finder and judge assume the same of the same states, whatever the depth of the induction."""

import pytest

from bmc.engines.ic3.prove import prove as ic3
from bmc.engines.ic3.template import Sealed, Template
from bmc.engines.kinduction import prove
from bmc.engines.task import Task
from bmc.evidence.assumptions import IN_ONE_STATE, OF_A_STEP, Assumptions, consecution
from bmc.evidence.certify import certify
from bmc.evidence.verdict import Verdict
from bmc.lang import (
    Integer,
    Protocol,
    State,
    Step,
    Suite,
    Term,
    Variable,
    action,
    invariant,
    one_of,
    step_invariant,
)
from bmc.system.atoms import Atoms
from bmc.system.transition import TransitionSystem


class Ledge(Protocol):
    """Only 0 is reachable. 1 leads to the bad 2, and nothing leads to 1: k = 2 is needed."""

    Place = Integer("Place", 0, 2)
    place = Variable(Place)

    @action()
    def Init(self, s: Step) -> None:
        s.place = 0

    @action()
    def Rest(self, s: Step) -> None:
        s.require(s.place == 0)

    @action()
    def Fall(self, s: Step) -> None:
        s.require(s.place == 1)
        s.place = 2

    Next = one_of(Rest, Fall)

    @invariant("the bottom is never reached")
    def NeverDown(self, s: State) -> Term:
        return s.place != 2

    @step_invariant("no step ends at the bottom")
    def NoFall(self, s: State, t: State) -> Term:
        return t.place != 2


SUITE = Suite.of(Ledge, "ledge")


@pytest.mark.parametrize("engine", [prove, ic3])
def test_a_step_invariant_may_use_what_was_proven_of_the_state_after(engine: type) -> None:
    results = engine(Task(SUITE, {}, ("NeverDown", "NoFall"), depth=3))
    assert [one.verdict for one in results] == [Verdict.PROVED, Verdict.PROVED]
    certificate = results[0].certificate
    assert certificate is not None
    assert certify(certificate, SUITE).claims == ("NeverDown", "NoFall")


def test_what_is_shown_is_never_assumed_where_it_is_shown() -> None:
    for k in (1, 2, 5):
        found = consecution(k)
        assert found.shown not in found.candidates
        assert found.candidates == tuple(range(k))
        assert found.proven == tuple(range(k + 1))


def test_a_claim_is_shown_of_the_states_that_it_speaks_of() -> None:
    assert OF_A_STEP == Assumptions(steps=1, candidates=(), proven=(0, 1))
    assert IN_ONE_STATE == Assumptions(steps=0, candidates=(), proven=(0,))


def test_a_template_that_was_loaded_takes_no_new_formula() -> None:
    """Otherwise a solver would lack its clauses, and answer without them."""
    system = TransitionSystem(SUITE.model(False), {})
    template = Template(system, Atoms(system), (), step=False)
    new = system.circuit.and_(*(system.circuit.not_(a.node) for a in Atoms(system).all))
    template.load().delete()
    with pytest.raises(Sealed):
        template.literal(new)


def test_a_growing_solver_knows_what_it_translated() -> None:
    system = TransitionSystem(SUITE.model(False), {})
    atoms = Atoms(system)
    solver = Template(system, atoms, (), step=False).growing()
    both = system.circuit.and_(*(atom.node for atom in atoms.all))
    literal = solver.literal(both)
    assert solver.solve([literal])
    off = -solver.literal(atoms.all[0].node)
    assert not solver.solve([literal, off])
    assert set(solver.core()) == {literal, off}
