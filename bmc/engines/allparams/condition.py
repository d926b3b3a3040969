"""One condition decided: each of its goals refuted by instances, from few hypotheses to all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from bmc.engines.allparams.instantiation import GroundInstance, Instantiation
from bmc.evidence.parametric_certificate import Refutation
from bmc.readings.quantified.clauses import Universal
from bmc.readings.quantified.counting import ORIGIN
from bmc.readings.quantified.texts import text
from bmc.solving import first_order_cvc5, first_order_z3
from bmc.system.parametric import BOUNDS, GIVEN, INITIAL, PARAMETERS, TYPES, Name, ParametricSystem

_AT_FIRST = 0.5
"""Seconds for a goal of a system that counts, without what counts, before cvc5 is asked."""

Choosing = Callable[[Sequence[Universal], int], list[Universal] | None]
"""Chooses formulas that contradict each other, in so many milliseconds."""


@dataclass(frozen=True)
class ConditionOutcome:
    """What became of a condition.

    ``refutations`` has one for each goal, and is None when a goal stays open, for ``reason``.
    ``rounds`` counts models, ``seconds`` is the wall time of its process.
    """

    name: Name
    refutations: tuple[Refutation, ...] | None
    seconds: float
    rounds: int
    reason: str = ""

    @property
    def closed(self) -> bool:
        """Whether it is proven."""
        return self.refutations is not None


class Decider:
    """Decides conditions of one system, at most ``seconds`` a goal; one for a process.

    ``dropped`` invariants are not assumed.
    """

    def __init__(
        self, system: ParametricSystem, seconds: float, dropped: frozenset[str] = frozenset()
    ) -> None:
        self.system = system
        self.seconds = seconds
        self.dropped = dropped
        self._search: Instantiation | None = None
        self._groups = list(dict.fromkeys(p.group for p in system.invariants.values()))

    @property
    def search(self) -> Instantiation:
        """The search, made where it is first used: z3 does not outlive a fork."""
        if self._search is None:
            self._search = Instantiation(self.system.hypotheses[TYPES])
        return self._search

    def decide(self, name: Name) -> ConditionOutcome:
        """Refute the negation of every goal of a condition."""
        started, rounds = monotonic(), 0
        condition = self.system.build(name)
        stages = self._stages(name)
        refutations: list[Refutation] = []
        for goal in condition.goals:
            everything = [*goal, *condition.given, *stages[-1]]
            instances: tuple[GroundInstance, ...] | None = None
            if any(u.name.startswith(ORIGIN) for u in everything):
                # Models are a poor guide to sets that nobody has named; most goals need none.
                small = [*goal, *condition.given, *self._of_any_state(name)]
                instances = self.search.refute(small, min(_AT_FIRST, self.seconds)).instances
                if instances is None:
                    instances = self._with_quantifiers(everything, (_chosen_by_cvc5,))
            end, reason = monotonic() + self.seconds, ""
            for number, hypotheses in enumerate(stages if instances is None else ()):
                left = end - monotonic()
                share = left if number == len(stages) - 1 else left / 3
                formulas = [*goal, *condition.given, *hypotheses]
                found = self.search.refute(formulas, max(share, 0.01))
                rounds += found.rounds
                instances, reason = found.instances, found.reason
                if instances is not None:
                    break
            if instances is None:
                instances = self._with_quantifiers(
                    everything, (self._chosen_by_z3, _chosen_by_cvc5)
                )
            if instances is None:
                return ConditionOutcome(name, None, monotonic() - started, rounds, reason)
            refutations.append(tuple(_written(i) for i in instances))
        return ConditionOutcome(name, tuple(refutations), monotonic() - started, rounds)

    def _with_quantifiers(
        self, formulas: Sequence[Universal], choosing: Sequence[Choosing]
    ) -> tuple[GroundInstance, ...] | None:
        """Let solvers with quantifiers choose the formulas, and look for instances of these.

        Whoever chooses, the instances are found in z3's models.
        """
        milliseconds = int(250 * self.seconds)
        for choose in choosing:
            needed = choose(formulas, milliseconds)
            found = None if needed is None else self.search.refute(needed, self.seconds / 2)
            if found is not None and found.instances is not None:
                return found.instances
        return None

    def _chosen_by_z3(
        self, formulas: Sequence[Universal], milliseconds: int
    ) -> list[Universal] | None:
        return first_order_z3.quantified_core(self.search.translation, formulas, milliseconds)

    def _of_any_state(self, name: Name) -> tuple[Universal, ...]:
        """What is known of the parameters, and of the state before a step."""
        known = self.system.hypotheses
        return known[PARAMETERS] if name.action == INITIAL else (*known[PARAMETERS], *known[TYPES])

    def _stages(self, name: Name) -> list[tuple[Universal, ...]]:
        """Hypotheses to try: the goal's own group and those before it, then all."""
        known = self.system.hypotheses
        if name.action == INITIAL:
            return [known[PARAMETERS]]
        kept = [n for n in known if n not in self.dropped]
        everything = tuple(u for n in kept for u in known[n])
        stated = self.system.invariants.get(name.goal)
        if stated is None or name.goal == BOUNDS:
            return [everything]
        near = self._groups[: self._groups.index(stated.group) + 1]
        if len(near) == len(self._groups):
            return [everything]
        chosen = [n for n in kept if n in GIVEN or self.system.invariants[n].group in near]
        return [tuple(u for n in chosen for u in known[n]), everything]


def _chosen_by_cvc5(formulas: Sequence[Universal], milliseconds: int) -> list[Universal] | None:
    return first_order_cvc5.quantified_core(formulas, milliseconds)


def _written(instance: GroundInstance) -> tuple[str, ...]:
    return (instance.universal.name, *(text(v) for v in instance.values))
