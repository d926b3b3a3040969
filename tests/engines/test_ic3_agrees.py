"""On random protocols IC3 says what a search through all their states says."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from hypothesis import given, reject
from hypothesis import strategies as st

from bmc.engines.conjuncts import Conjunct
from bmc.engines.ic3.frames import Orbit
from bmc.engines.ic3.learned import Learner
from bmc.engines.ic3.reach import KnownStates
from bmc.engines.ic3.sample import Sample
from bmc.engines.ic3.search import Ic3Search, Invariant
from bmc.engines.ic3.seeds import seeds
from bmc.engines.ic3.template import Template
from bmc.engines.induction import Induction
from bmc.engines.samples import Explored
from bmc.engines.task import SILENT, Deadline
from bmc.evidence.replay import replay
from bmc.lang import BoundTooSmall
from bmc.lang.sort_parts import symmetric_parts
from bmc.readings.circuit import Node, evaluate
from bmc.readings.value import ConcreteState, Interpreter
from bmc.system.atoms import Atoms
from bmc.system.symmetry import Symmetry, symmetry_of
from bmc.system.transition import Instance, TransitionSystem
from tests.strategies import effort, rename
from tests.strategies.protocols import Drawn, protocols

MOST = 300


def reachable(
    interpreter: Interpreter, system: TransitionSystem, initial: Iterable[ConcreteState]
) -> list[list[int]]:
    """Every reachable state by its scalars; a protocol that is too large or overflows is
    rejected."""
    queue = [(tuple(system.encode(state)), state) for state in initial]
    known = dict(queue)
    for _, state in queue:
        try:
            following = [step.state for step in interpreter.successors(state)]
        except BoundTooSmall:
            reject()
        for after in following:
            key = tuple(system.encode(after))
            if key not in known:
                known[key] = after
                queue.append((key, after))
        if len(known) > MOST:
            reject()
    return [list(key) for key in known]


def agrees(
    drawn: Drawn,
    system: TransitionSystem,
    symmetry: Symmetry,
    states: list[list[int]],
    data: st.DataObject,
    grows: bool = True,
) -> None:
    """IC3's answer about random clauses is that of looking at every state.

    Its sample is some states of any kind: what is wrong in it must not make the answer wrong. So is
    the answer of learning from all states.
    """
    atoms = Atoms(system)
    if not len(atoms):
        reject()
    number = st.integers(1, len(atoms))
    literal = st.builds(lambda n, sign: n if sign else -n, number, st.booleans())
    clause = frozenset(data.draw(st.sets(literal, min_size=1, max_size=4)))
    goals = [atoms.clause(image) for image in symmetry.orbit(clause)]
    expected = all(all(evaluate(goals, state)) for state in states)
    sample = _sample(drawn, system, atoms, states, data)
    always = seeds(
        Template(system, atoms, [], step=False),
        Template(system, atoms, [], step=True),
        sample,
        symmetry,
        Deadline(None),
        SILENT,
    )
    denied = [atoms.clause([-lit for lit in cube]) for orbit in always for cube in orbit.images]
    assert all(all(evaluate(denied, state)) for state in states)
    learning_agrees(system, symmetry, states, goals, always, expected, grows)
    found = Ic3Search(
        system, atoms, symmetry, [], goals[:1], sample, always, Deadline(None), SILENT
    ).run()
    assert isinstance(found, Invariant) == expected
    if isinstance(found, Invariant):
        cubes = [cube for orbit in found.orbits for cube in orbit.images]
        held = [atoms.clause([-lit for lit in cube]) for cube in cubes]
        assert all(all(evaluate(held, state)) for state in states)
    else:
        interpreter = Interpreter(drawn.model, drawn.world.domains)
        replay(interpreter, [system.decode(s) for s in found.states], from_initial=False)
        assert list(found.states[0]) in states
        assert not all(evaluate(goals, found.states[-1]))


def learning_agrees(
    system: TransitionSystem,
    symmetry: Symmetry,
    states: list[list[int]],
    goals: list[Node],
    always: tuple[Orbit, ...],
    expected: bool,
    grows: bool,
) -> None:
    """What is learned from all states holds in these, is inductive and implies the goals.

    So does, where it ``grows``, what is learned if the initial states, and perhaps another one, are
    all that is known to begin with: these are the system's own. It is learned without and with
    orbits that hold ``always``.
    """
    atoms = Atoms(system)
    begun: list[tuple[Sample | KnownStates, tuple[Orbit, ...]]] = [
        (_sampled(atoms, states, complete=True), ())
    ]
    for told in ((), always) if grows else ():
        few = Explored(system, 0)
        few.explore(1, 60.0, SILENT)
        begun.append((KnownStates(atoms, symmetry, few), told))
    for known, told in begun:
        learned = Learner(
            system, atoms, symmetry, [], goals[:1], known, Deadline(None), SILENT, told
        ).run()
        assert (learned is not None) == expected
        if learned is None:
            return
        cubes = [cube for orbit in learned for cube in orbit.images]
        held = [atoms.clause([-lit for lit in cube]) for cube in cubes]
        assert all(all(evaluate(held, state)) for state in states)
        both = [_conjunct("learned", held), _conjunct("goal", goals)]
        induction = Induction(system, "cadical", SILENT, Deadline(None))
        assert len(induction.strengthen(both, (), 1).survivors) == 2


def _sample(
    drawn: Drawn,
    system: TransitionSystem,
    atoms: Atoms,
    states: list[list[int]],
    data: st.DataObject,
) -> Sample:
    others = [system.encode(state) for state in drawn.states]
    chosen = data.draw(st.lists(st.sampled_from([*states, *others]), max_size=6))
    return _sampled(atoms, chosen)


def _sampled(atoms: Atoms, states: list[list[int]], complete: bool = False) -> Sample:
    nodes = [atom.node for atom in atoms.all]
    rows = [[bool(held) for held in evaluate(nodes, numbers)] for numbers in states]
    return Sample(np.array(rows, np.bool_).reshape(len(rows), len(nodes)).T, complete)


def _conjunct(name: str, formulas: list[Node]) -> Conjunct:
    instances = tuple(Instance(name, (), node) for node in formulas)
    return Conjunct(name, None, instances, instances)


@effort(60)
@given(protocols(), st.data())
def test_random_protocols_agree(drawn: Drawn, data: st.DataObject) -> None:
    interpreter = Interpreter(drawn.model, drawn.world.domains)
    try:
        system = TransitionSystem(drawn.model, drawn.world.parameters)
        initial = list(interpreter.initial_states())
    except BoundTooSmall:
        reject()
    states = reachable(interpreter, system, initial)
    agrees(drawn, system, symmetry_of(system, Atoms(system)), states, data)


@effort(60)
@given(protocols(), st.data())
def test_random_protocols_agree_from_any_state(drawn: Drawn, data: st.DataObject) -> None:
    """Few random protocols get far from where they start, so others start anywhere."""
    interpreter = Interpreter(drawn.model, drawn.world.domains)
    try:
        system = TransitionSystem(drawn.model, drawn.world.parameters)
        starts = [state for state in drawn.states if interpreter.inside(state)]
    except BoundTooSmall:
        reject()
    if not starts:
        reject()
    c = system.circuit
    equal = [
        c.all(
            system.shapes.equal(
                system.leaf_node(i), c.constant(bool(n)) if leaf.boolean else c.number(n)
            )
            for i, (leaf, n) in enumerate(zip(system.leaves, system.encode(state), strict=True))
        )
        for state in starts
    ]
    system.initial = c.and_(system.constraint, c.any(equal))
    symmetry = symmetry_of(system, Atoms(system))
    # What starts anywhere is not symmetric.
    symmetry.whole = False
    agrees(drawn, system, symmetry, reachable(interpreter, system, starts), data, grows=False)


@effort(150)
@given(protocols(), st.data())
def test_atoms_say_all_of_a_state_and_move_with_its_names(
    drawn: Drawn, data: st.DataObject
) -> None:
    try:
        system = TransitionSystem(drawn.model, drawn.world.parameters)
    except BoundTooSmall:
        reject()
    atoms, domains = Atoms(system), drawn.world.domains

    def literals(state: ConcreteState) -> frozenset[int]:
        held = evaluate([atom.node for atom in atoms.all], system.encode(state))
        return frozenset(n if h else -n for n, h in enumerate(held, 1))

    one, other = drawn.states
    assert (literals(one) == literals(other)) == (system.encode(one) == system.encode(other))
    assert all(atoms.literal(atoms.text(literal)) == literal for literal in literals(one))
    symmetry = symmetry_of(system, atoms)
    if symmetry.whole:
        sorts = {p for s in drawn.model.variables.values() for p in symmetric_parts(s)}
        order = sorted(sorts, key=lambda s: s.name)
        names = {s: data.draw(st.permutations(domains.values(s))) for s in order}
        moved = {
            name: rename(domains, sort, one[name], names)
            for name, sort in drawn.model.variables.items()
        }
        naming = tuple((s.name, tuple(names[s])) for s in order)
        assert symmetry.renamed(literals(one), naming) == literals(moved)
