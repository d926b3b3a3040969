"""Gathering: lemmas of few literals that are preserved together, in whatever order they are found.

Of all that can be said in few literals there is one greatest part that is preserved, and it is
approached from two sides. The state before a step that breaks something is denied by a lemma that
holds in all that was seen. Where there is none, no such lemma ever denies that state, nor the one
after the step: what is seen there is entered as if it were reached, with what further steps lead
to, and lemmas that are false there are dropped. So no lemma that says too much stays for ever, and
its like is not found again.

What is found is only proposed: it is asked elsewhere which of it is preserved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from bmc.analysis.inference.denials import Denial, Denials, Sight
from bmc.analysis.inference.prospect import Prospect
from bmc.analysis.mining.candidates import Candidate
from bmc.analysis.mining.consecution import BreakingStep, Consecution, Preserved
from bmc.engines.conjuncts import Conjunct, conjunct
from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Rows
from bmc.engines.samples import BoundMet, Explored
from bmc.engines.task import Deadline, Observer
from bmc.system.transition import Instance

_LITERALS = 4
_TOGETHER = 16
"""Breaking steps whose states are read in one go."""
_TRIED = 6
"""Lemmas of which it is asked whether they are preserved at once."""
_STEPS, _STATES = 6, 200
"""How far, and in how many states at a time, what cannot be denied is followed."""


@dataclass
class _Lemma:
    """Something to be preserved, a target where there is no candidate. ``needs`` has by size at
    which it is preserved what its steps lean on; what is gathered is a ``denial``."""

    candidate: Candidate | None
    denial: Denial | None = None
    needs: dict[int, frozenset[str]] = field(default_factory=dict)


class _Size:
    """Induction at one size: what is said there, and which steps break it."""

    def __init__(self, explored: Explored, deadline: Deadline) -> None:
        self.explored = explored
        self.said: dict[str, Conjunct] = {}
        self._consecution = Consecution(explored.system, deadline)

    def after_step(self, one: Conjunct, assumed: Iterable[str]) -> Preserved | BreakingStep:
        """Return whether all that something says holds after a step."""
        before = [self.said[name] for name in assumed if not self.said[name].of_steps]
        if one.name not in self.said:
            before.append(one)
        for each in before:
            self._consecution.know(each)
        circuit = self.explored.system.circuit
        whole = Instance(one.name, (), circuit.all(goal.holds for goal in one.goals))
        ask = self._consecution.over_step if one.of_steps else self._consecution.after_step
        return ask(whole, [each.name for each in before])

    def false_in(self, states: Rows, names: Iterable[str]) -> set[str]:
        """Return which of the named is false in one of some states."""
        circuit = self.explored.system.circuit
        said = [self.said[name] for name in names if not self.said[name].of_steps]
        nodes = [circuit.all(i.holds for i in one.instances) for one in said]
        held = np.all(Formulas(self.explored.packing, nodes).evaluate(states), axis=1)
        return {one.name for one, holds in zip(said, held.tolist(), strict=True) if not holds}


class Gathering:
    """Gathers lemmas for ``targets``, which are given by size: the first sizes that a prospect has
    explored, all of which every lemma has to be preserved at."""

    def __init__(
        self,
        targets: Sequence[Sequence[Conjunct]],
        prospect: Prospect,
        deadline: Deadline,
        observer: Observer,
        seed: int,
    ) -> None:
        self._prospect, self._observer = prospect, observer
        self._sizes = [_Size(prospect.worlds[i], deadline) for i in range(len(targets))]
        self._deadline, self._seed = deadline, seed
        self._random = np.random.default_rng(seed)
        self._lemmas: dict[str, _Lemma] = {}
        self._count = 0
        self._reached = 0
        self.refuted = False
        """Whether lemmas of few literals cannot suffice, as far as greed tells."""
        self.closed = False
        """Whether all that there is is preserved together at each size."""
        for same in zip(*targets, strict=True):
            self._enter(None, same)

    @property
    def lemmas(self) -> list[Candidate]:
        """The lemmas that there are by now, those first that are preserved at most sizes."""
        found = sorted(self._lemmas.values(), key=lambda one: -len(one.needs))
        return [one.candidate for one in found if one.candidate is not None]

    def begin_with(self, candidates: Sequence[Candidate]) -> None:
        """Enter lemmas that hold in all explored states."""
        for one in candidates:
            stated = one.stated(self._name())
            self._enter(one, [conjunct(size.explored.system, stated) for size in self._sizes])

    def run(self) -> None:
        """Gather until everything is preserved, or ``refuted``. Raises OutOfTime.

        What was gathered stays.
        """
        denials = Denials(self._prospect, self._deadline, self._seed)
        while not self.refuted and (number := self._first_open()) is not None:
            self._exclude(denials, number, self._broken(number))
        if not self.refuted:
            self._drop(self._lemmas.keys() - self._wanted())
            self.closed = True

    def _wanted(self) -> dict[str, None]:
        """Return the targets and what their steps lean on at any size, and so on, as far as known.

        Nothing else need be preserved: what was gathered for something that is gone may go too.
        """
        found = {name: None for name, one in self._lemmas.items() if one.candidate is None}
        stack = list(found)
        while stack:
            for by in self._lemmas[stack.pop()].needs.values():
                new = [name for name in self._lemmas if name in by and name not in found]
                found |= dict.fromkeys(new)
                stack += new
        return found

    def _after_step(
        self, size: _Size, one: Conjunct, known: Sequence[str]
    ) -> Preserved | BreakingStep:
        """Return whether something holds after a step, beside what is known and few other lemmas,
        of which those that are hardest to read are left out first."""
        answer = size.after_step(one, known)
        if isinstance(answer, Preserved):
            return answer
        answer = size.after_step(one, self._lemmas)
        if isinstance(answer, BreakingStep):
            return answer
        others = [name for name in self._lemmas if name in answer.by and name not in known]
        for name in sorted(others, key=self._cost, reverse=True):
            if name in answer.by:
                rest = [each for each in others if each in answer.by and each != name]
                fewer = size.after_step(one, [*known, *rest])
                answer = fewer if isinstance(fewer, Preserved) else answer
        return answer

    def _cost(self, name: str) -> tuple[object, ...]:
        candidate = self._lemmas[name].candidate
        return candidate.cost if candidate is not None else ()

    def _by_size(self) -> list[int]:
        """Return the numbers of the sizes, the smallest first."""
        leaves = [len(size.explored.system.leaves) for size in self._sizes]
        return sorted(range(len(leaves)), key=leaves.__getitem__)

    def _first_open(self) -> int | None:
        """Return a size at which something wanted may not be preserved, None if there is none.

        The smallest come first, but none of them is come back to as long as something is open at
        the largest so far: what is preserved there mostly is at the smaller ones, too.
        """
        order = self._by_size()
        behind = self._reached + 1
        for number in (*reversed(order[:behind]), *order[behind:]):
            if any(number not in self._lemmas[name].needs for name in self._wanted()):
                self._reached = max(self._reached, order.index(number))
                return number
        return None

    def _name(self) -> str:
        self._count += 1
        return f"gathered_{self._count}"

    def _enter(
        self,
        candidate: Candidate | None,
        said: Sequence[Conjunct],
        denial: Denial | None = None,
    ) -> None:
        self._lemmas[said[0].name] = _Lemma(candidate, denial)
        for size, one in zip(self._sizes, said, strict=True):
            size.said[one.name] = one

    def _broken(self, number: int) -> list[tuple[str, BreakingStep]]:
        """Return some lemmas that a step of one size breaks, with the step."""
        size, found = self._sizes[number], list[tuple[str, BreakingStep]]()
        known = [name for name, one in self._lemmas.items() if number in one.needs]
        left = [name for name in self._wanted() if name not in known]
        known += left
        told = ", ".join(f"{k}={v}" for k, v in size.explored.system.parameters.items())
        self._observer.phase(
            f"{len(self._lemmas)} lemmas and claims gathered, {len(left)} to be preserved at {told}"
        )
        for name in left:
            answer = self._after_step(size, size.said[name], known)
            if isinstance(answer, BreakingStep):
                found.append((name, answer))
                if len(found) == _TOGETHER:
                    break
            else:
                self._lemmas[name].needs[number] = answer.by
        return found

    def _exclude(
        self, denials: Denials, number: int, broken: Sequence[tuple[str, BreakingStep]]
    ) -> None:
        """Deny the states before steps of one size, or enter what no lemma denies."""
        size = self._sizes[number]
        pack = size.explored.packing.pack
        if not broken:
            return
        states: Rows = pack([step.left for _, step in broken])
        chosen: list[Denial] = []
        every = denials.seen(number, states)
        for (name, step), seen, state in zip(broken, every, states, strict=True):
            if name not in self._lemmas or any(one.is_met(seen) for one in chosen):
                continue
            denial = None
            if not size.explored.has(state):
                denials.meet(seen)
                denial = self._denial(denials, number, seen)
                # One size is closed sooner without the larger tables.
                several = len(self._sizes) > 1
                while denial is None and several and denials.widen(number, states, every):
                    denial = self._denial(denials, number, seen, len(seen) - 1)
            if denial is None:
                # A claim of steps is broken by this one, whatever state it leads to.
                self.refuted |= size.said[name].of_steps
                self._admit(denials, number, pack([step.left, step.reached]))
                continue
            chosen.append(denial)
            called = self._name()
            said = [denials.conjunct(denial, called, i) for i in range(len(self._sizes))]
            self._enter(denials.candidate(denial), said, denial)

    def _denial(
        self, denials: Denials, number: int, seen: Sequence[Sight], first: int = 0
    ) -> Denial | None:
        """Return what denies a state, by tables from the ``first`` on: what is preserved at once,
        or else is the best."""
        size = self._sizes[number]
        found: list[Denial] = []
        for most in (2, _LITERALS):
            made = denials.of(seen, most, first)
            for denial in made[:_TRIED]:
                one = denials.conjunct(denial, self._name(), number)
                if not isinstance(size.after_step(one, self._lemmas), BreakingStep):
                    return denial
            found += made
            if len(found) >= _TRIED:
                break
        return min(found, default=None)

    def _admit(self, denials: Denials, number: int, states: Rows) -> None:
        """Enter states that no lemma denies, and where steps lead from there."""
        size = self._sizes[number]
        every, now = [states], states
        with suppress(BoundMet):
            for _ in range(_STEPS):
                now = size.explored.stepped(now).rows.copy()
                if len(now) > _STATES:
                    kept = self._random.choice(len(now), _STATES, replace=False)
                    now = now[np.sort(kept)]
                every.append(now)
        admitted = np.concatenate(every)
        rows = denials.enter(number, admitted)
        lemmas = self._lemmas.items()
        gone = size.false_in(admitted, [name for name, one in lemmas if one.denial is None])
        gone |= {name for name, one in lemmas if one.denial and one.denial.is_entered(rows)}
        self.refuted |= any(self._lemmas[name].candidate is None for name in gone)
        self._drop({name for name in gone if self._lemmas[name].candidate is not None})

    def _drop(self, dropped: Set[str]) -> None:
        """Forget lemmas, and that anything is preserved thanks to them."""
        for name in dropped:
            del self._lemmas[name]
            for other in self._sizes:
                del other.said[name]
        for one in self._lemmas.values():
            one.needs = {i: by for i, by in one.needs.items() if not by & dropped}
