"""What a certificate claims, as questions to a solver."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bmc.evidence.assumptions import IN_ONE_STATE, OF_A_STEP, Assumptions, consecution
from bmc.evidence.independent.formula import Formula
from bmc.evidence.independent.machine import Machine, Move
from bmc.evidence.independent.reading import Reading, State
from bmc.lang.properties import Kind, Property


@dataclass(frozen=True)
class Obligation:
    """One question: can the assertions be satisfied together?

    ``expected`` is the answer that the certificate needs, None where either will do; ``about``
    says what the question means. ``complaint`` is what another answer shows.
    """

    name: str
    expected: bool | None
    about: str
    complaint: str
    assertions: tuple[Formula, ...]


@dataclass(frozen=True)
class Conjunct:
    """A part of the conjunction: its condition on a state, and the condition that it fails."""

    name: str
    holds: Callable[[State], Formula]
    fails: Callable[[State], Formula]


def of_property(machine: Machine, stated: Property) -> Conjunct:
    """Return a stated property as a conjunct."""
    return Conjunct(
        stated.name,
        lambda state: machine.everywhere(stated, machine.reading(state)),
        lambda state: machine.somewhere_not(stated, machine.reading(state)),
    )


def of_bounds(machine: Machine) -> Conjunct:
    """Return as a conjunct that no enabled action leaves the model's bounds."""
    f = machine.formulas
    return Conjunct(
        "WithinBounds",
        lambda state: f.negation(f.any(move.leaves for move in machine.ground_moves(state))),
        lambda state: f.any(move.leaves for move in machine.moves(state, "next.")),
    )


class Questions:
    """The obligations of a k-inductive conjunction and of its claims."""

    def __init__(
        self,
        machine: Machine,
        k: int,
        conjuncts: Sequence[Conjunct],
        claims: Sequence[Property],
    ) -> None:
        self._machine = machine
        self._f = machine.formulas
        self._k = k
        self._conjuncts = conjuncts
        self._claims = claims
        self._state, self._facts = machine.any_state()
        self._starts = machine.starts()
        self._moves = machine.moves(self._state)

    def all(self) -> Iterator[Obligation]:
        """Yield every obligation; the first ones show that the others are not vacuous."""
        yield from self._not_vacuous()
        yield from self._initiation()
        for claim in self._claims:
            if claim.kind is Kind.STEP_INVARIANT:
                yield from self._safety_of_steps(claim)
            else:
                yield self._safety(claim)
        yield from self._bounds()
        # What takes longest comes last: a wrong certificate is mostly rejected before.
        yield from self._consecution()

    def _not_vacuous(self) -> Iterator[Obligation]:
        yield Obligation(
            "vacuity-initial-state",
            True,
            "An initial state that satisfies the state constraint.",
            "no state is initial, so that everything would hold of all reachable states",
            (self._f.any(start.taken for start in self._starts),),
        )
        known = self._known()
        yield Obligation(
            "vacuity-conjunction",
            True,
            "A state that satisfies all conjuncts together.",
            "no state satisfies the conjunction",
            known,
        )
        yield Obligation(
            "vacuity-step",
            None,
            "A step from a state of the conjunction. Where there is none, nothing ever happens.",
            "no action can be taken",
            (*known, self._f.any(move.taken for move in self._moves)),
        )

    def _initiation(self) -> Iterator[Obligation]:
        yield Obligation(
            "initiation-bounds",
            False,
            "An initial state in which a variable has no value of its sort, or of which the state "
            "constraint has no value.",
            "Init leaves the model's bounds",
            (self._f.any(start.leaves for start in self._starts),),
        )
        path, state = self._one_of(self._starts, "Init")
        for depth in range(self._k):
            if depth:
                prefix = f"{depth}."
                more, state = self._one_of(self._machine.moves(state, prefix), prefix)
                path = [*path, *more]
            after = f"after {depth} steps from an initial one" if depth else "at the beginning"
            yield Obligation(
                f"initiation-{depth}" if depth else "initiation",
                False,
                f"A state {after} in which a conjunct fails, or a variable has no value of its "
                "sort.",
                f"a conjunct does not hold {after}",
                (*path, self._some_fails(state)),
            )

    def _consecution(self) -> Iterator[Obligation]:
        assumed = consecution(self._k)
        path, states = self._walked(assumed, assumed.candidates, assumed.steps - 1)
        moves = self._moves if self._k == 1 else self._machine.moves(states[-1], f"{self._k}.")
        row = f", the last of {self._k} such in a row," if self._k > 1 else ""
        for move, name in _named(moves):
            yield Obligation(
                f"consecution-{name}",
                False,
                f"A step of {move.action} from a state of the conjunction{row} to one in which a "
                "conjunct fails, or a variable has no value of its sort.",
                f"{move.action} does not keep the conjunction",
                (*path, move.taken, self._some_fails(move.after)),
            )

    def _bounds(self) -> Iterator[Obligation]:
        known = self._known()
        for move, name in _named(self._moves):
            yield Obligation(
                f"bounds-{name}",
                False,
                f"A state of the conjunction in which {move.action} is enabled and leaves the "
                "model's bounds: a value leaves its sort, a container is full, or an operator has "
                "no value.",
                f"the conjunction does not imply that {move.action} keeps within the bounds",
                (*known, move.leaves),
            )

    def _safety(self, claim: Property) -> Obligation:
        fails = self._machine.somewhere_not(claim, self._machine.reading(self._state))
        return Obligation(
            f"safety-{claim.name}",
            False,
            f"A state of the conjunction in which {claim.name} fails.",
            f"the conjunction does not imply {claim.name}",
            (*self._known(), fails),
        )

    def _safety_of_steps(self, claim: Property) -> Iterator[Obligation]:
        for move, name in _named(self._moves):
            assumed = [move.taken]
            for position, state in ((0, self._state), (OF_A_STEP.shown, move.after)):
                if position in OF_A_STEP.proven:
                    assumed += [one.holds(state) for one in self._conjuncts]
            step = Reading(self._machine.universe, self._state, move.after)
            yield Obligation(
                f"safety-{claim.name}-{name}",
                False,
                f"A step of {move.action} between states of the conjunction that breaks "
                f"{claim.name}.",
                f"the conjunction does not imply {claim.name}",
                (*self._facts, *assumed, self._machine.somewhere_not(claim, step)),
            )

    def _known(self) -> tuple[Formula, ...]:
        """Return what is known of one reachable state once the induction is shown."""
        return tuple(self._walked(IN_ONE_STATE, IN_ONE_STATE.proven, 0)[0])

    def _walked(
        self, assumed: Assumptions, positions: Sequence[int], steps: int
    ) -> tuple[list[Formula], list[State]]:
        """Return a path of some steps, with the conjunction assumed at some of its positions."""
        assert assumed.steps >= steps
        path, states = list(self._facts), [self._state]
        for position in range(steps + 1):
            if position:
                prefix = f"{position}."
                more, state = self._one_of(self._machine.moves(states[-1], prefix), prefix)
                path += more
                states.append(state)
            if position in positions:
                path += [one.holds(states[-1]) for one in self._conjuncts]
        return path, states

    def _some_fails(self, state: State) -> Formula:
        failing = [one.fails(state) for one in self._conjuncts]
        return self._f.any((*failing, self._f.negation(self._machine.within(state))))

    def _one_of(self, moves: Sequence[Move], name: str) -> tuple[list[Formula], State]:
        """Return that some move is taken, and where it leads: an unknown number chooses it."""
        f = self._f
        possible = [move for move in moves if move.taken is not f.false]
        if not possible:
            return [f.false], self._state
        which = f.integer(f"{name}move", 0, len(possible) - 1) if possible[1:] else f.number(0)
        state = possible[-1].after
        facts = []
        for number, move in reversed(list(enumerate(possible))):
            chosen = f.same(which, f.number(number))
            facts.append(f.implies(chosen, move.taken))
            state = {
                n: self._machine.universe.choose(chosen, value, state[n])
                for n, value in move.after.items()
            }
        return facts, state


def _named(moves: Sequence[Move]) -> Iterator[tuple[Move, str]]:
    """Yield each branch of an action with a name: the action's, and a number if it has several."""
    count = Counter(move.action for move in moves)
    seen: Counter[str] = Counter()
    for move in moves:
        seen[move.action] += 1
        number = f"-{seen[move.action]}" if count[move.action] > 1 else ""
        yield move, f"{move.action}{number}"
