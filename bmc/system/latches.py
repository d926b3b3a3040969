"""A transition system as a sequential circuit: latches, inputs, bad outputs, constraints.

Every latch is a literal of the order encoding of a scalar. Inputs choose a rule by its number; a
rule that is chosen and not enabled (or a number without a rule) leaves the state as it is, so the
circuit is total without a system having to be: stuttering reaches no state. A number that
chooses an enabled rule takes it, unless that leads out of the state constraint or the model's
bounds.

With one initial state the latches are reset to it. Otherwise a latch of its own says that an
initial state has been entered, which the inputs choose in the first step; traces are then one
step longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from bmc.lang.errors import LanguageError
from bmc.readings.circuit import Node, evaluate
from bmc.readings.gates import Gates
from bmc.readings.order import TRUE, Unary
from bmc.system.atoms import Atoms
from bmc.system.no_model import no_initial_state
from bmc.system.transition import TransitionSystem

ENTERED = "an initial state was entered"
MOVED = "a rule was taken"


@dataclass(frozen=True)
class Latch:
    """A bit of memory: its literal, the literal of its next value, its first value."""

    name: str
    literal: int
    following: int
    reset: bool


@dataclass(frozen=True)
class Output:
    """A named literal."""

    name: str
    literal: int


@dataclass(frozen=True)
class LatchClaim:
    """What is to hold in every state, or (``of_steps``) of every step."""

    name: str
    holds: Node
    of_steps: bool = False


@dataclass(frozen=True)
class Sequential:
    """The circuit. A claim's ``bad`` output is true where it is violated; constraints are true
    in every reachable state, whatever the inputs. A temporal claim is violated by a run on which
    all outputs of its ``justice`` and all of ``fairness`` are true again and again."""

    gates: Gates
    inputs: tuple[Output, ...]
    latches: tuple[Latch, ...]
    bad: tuple[Output, ...]
    constraints: tuple[Output, ...]
    justice: tuple[tuple[Output, ...], ...] = ()
    fairness: tuple[Output, ...] = ()

    def roots(self) -> list[int]:
        """All literals that the circuit is about."""
        outputs = [*self.bad, *self.constraints, *chain(*self.justice), *self.fairness]
        return [*(latch.following for latch in self.latches), *(out.literal for out in outputs)]


Handles = list[int | Unary]


@dataclass(frozen=True)
class Recurrent:
    """Formulas of states that are true again and again on the runs that are looked for.

    ``justice`` are those of one claim, ``fairness`` those of the specification it is made of.
    """

    justice: Sequence[tuple[str, Node]]
    fairness: Sequence[tuple[str, Node]]


def sequential(
    system: TransitionSystem,
    claims: Sequence[LatchClaim],
    known: Iterable[tuple[str, Node]] = (),
    recurrent: Recurrent | None = None,
) -> Sequential:
    """The circuit of a system, with a bad output a claim and a constraint for what is ``known``.

    ``known`` must hold in every reachable state: it is the caller's to have proven it. With
    ``recurrent`` a latch says that the last step took a rule, and the justice asks for that again
    and again: the circuit may stay where it is, and that is no run of the system. Raises
    NoInitialState when the system has none.
    """
    return _Builder(system, recurrent).build(claims, known)


class _Builder:
    def __init__(self, system: TransitionSystem, recurrent: Recurrent | None) -> None:
        self.system = system
        self.recurrent = recurrent
        self.gates = Gates()
        self.starts = _starts(system)
        choices = max(len(system.rules), len(self.starts))
        self.choice = [self.gates.input() for _ in range((choices - 1).bit_length())]
        self.now: Handles = [
            self.gates.input() if leaf.boolean else self.gates.integer(leaf.low, leaf.high)
            for leaf in system.leaves
        ]
        self.entered = self.gates.input() if len(self.starts) > 1 else TRUE
        self.moved = self.gates.input() if recurrent is not None else TRUE

    def build(self, claims: Sequence[LatchClaim], known: Iterable[tuple[str, Node]]) -> Sequential:
        gates = self.gates
        after, moved = self._step()
        both = [*self.now, *after]

        def violated(claim: LatchClaim) -> int:
            (holds,) = self._literals([claim.holds], both)
            when = moved if claim.of_steps else TRUE
            return gates.conjunction([self.entered, when, -holds])

        def always(node: Node) -> int:
            (holds,) = self._literals([node], self.now)
            return gates.disjunction([-self.entered, holds])

        def again(asked: Sequence[tuple[str, Node]]) -> tuple[Output, ...]:
            return tuple(
                Output(name, gates.both(self.entered, self._literals([node], self.now)[0]))
                for name, node in asked
            )

        justice: tuple[tuple[Output, ...], ...] = ()
        if self.recurrent is not None:
            justice = ((Output(MOVED, self.moved), *again(self.recurrent.justice)),)
        return Sequential(
            gates,
            tuple(Output(f"choice {i}", lit) for i, lit in enumerate(self.choice)),
            tuple(self._latches(after, moved)),
            tuple(Output(claim.name, violated(claim)) for claim in claims),
            tuple(Output(name, always(node)) for name, node in known),
            justice,
            () if self.recurrent is None else again(self.recurrent.fairness),
        )

    def _literals(self, nodes: Sequence[Node], handles: Handles) -> list[int]:
        return [lit for lit in self.gates.read(nodes, handles) if isinstance(lit, int)]

    def _step(self) -> tuple[Handles, int]:
        """The state after the chosen rule, and whether it is taken."""
        gates, c, rules = self.gates, self.system.circuit, self.system.rules
        enabled = self._literals([c.and_(r.guard, c.not_(r.overflow)) for r in rules], self.now)
        chosen = decoded(gates, self.choice, len(rules))
        taken = [gates.both(a, b) for a, b in zip(chosen, enabled, strict=True)]
        written: dict[int, list[tuple[int, int | Unary]]] = {}
        for rule, on in zip(rules, taken, strict=True):
            values = gates.read(list(rule.updates.values()), self.now)
            for index, value in zip(rule.updates, values, strict=True):
                written.setdefault(index, []).append((on, value))
        after: Handles = list(self.now)
        for index, writers in written.items():
            after[index] = self._written(self.now[index], writers)
        (inside,) = self._literals([self.system.constraint], after)
        return after, gates.conjunction([self.entered, gates.disjunction(taken), inside])

    def _written(self, now: int | Unary, writers: Sequence[tuple[int, int | Unary]]) -> int | Unary:
        kept = -self.gates.disjunction([on for on, _ in writers])
        if isinstance(now, Unary):
            bounds = range(now.low + 1, now.high + 1)
            numbers = [(on, v) for on, v in writers if isinstance(v, Unary)]
            return Unary(
                now.low,
                tuple(
                    self._selected(
                        [(kept, now.at_least(b)), *((on, v.at_least(b)) for on, v in numbers)]
                    )
                    for b in bounds
                ),
            )
        return self._selected([(kept, now), *((on, v) for on, v in writers if isinstance(v, int))])

    def _selected(self, ways: Sequence[tuple[int, int]]) -> int:
        return self.gates.disjunction([self.gates.both(on, value) for on, value in ways])

    def _latches(self, after: Handles, moved: int) -> Iterable[Latch]:
        gates = self.gates
        first = decoded(gates, self.choice, len(self.starts)) if self.entered != TRUE else []
        entering = gates.both(-self.entered, gates.disjunction(first))
        subjects = Atoms(self.system).subjects()
        for leaf, subject in zip(self.system.leaves, subjects, strict=True):
            now, then = self.now[leaf.index], after[leaf.index]
            bits = [
                (f"{subject} >= {bound}", now.at_least(bound), then.at_least(bound), bound)
                for bound in range(leaf.low + 1, leaf.high + 1)
                if isinstance(now, Unary) and isinstance(then, Unary)
            ]
            if isinstance(now, int) and isinstance(then, int):
                bits = [(subject, now, then, 1)]
            for name, here, there, bound in bits:
                moves = gates.choice(moved, there, here)
                starts = [start[leaf.index] >= bound for start in self.starts]
                if self.entered != TRUE:
                    begins = [lit for lit, on in zip(first, starts, strict=True) if on]
                    moves = gates.choice(entering, gates.disjunction(begins), moves)
                yield Latch(name, here, moves, self.entered == TRUE and starts[0])
        if self.entered != TRUE:
            yield Latch(ENTERED, self.entered, gates.disjunction([self.entered, entering]), False)
        if self.moved != TRUE:
            yield Latch(MOVED, self.moved, moved, False)


def decoded(gates: Gates, bits: Sequence[int], count: int) -> list[int]:
    """For each number below ``count``, the literal that says the bits (least first) are it."""
    found = [TRUE]
    for bit in reversed(bits):
        found = [gates.both(lit, side) for lit in found for side in (-bit, bit)]
    # Numbers without a meaning cost nothing: nobody reads their gates.
    return found[:count]


def _starts(system: TransitionSystem) -> list[list[int]]:
    """The initial states inside the constraint, as numbers of their scalars."""
    found: dict[tuple[int, ...], None] = {}
    for guard, values in system.starts:
        nodes = [values[leaf.index] for leaf in system.leaves]
        if any(node.op not in ("const", "num") for node in (guard, *nodes)):
            raise LanguageError("Init reads the state it is to describe: it cannot be exported")
        numbers = [node.data for node in nodes]
        if guard.data and evaluate([system.constraint], numbers)[0]:
            found[tuple(numbers)] = None
    if not found:
        raise no_initial_state(system.model, system.parameters)
    return [list(numbers) for numbers in found]
