"""The search: backwards from the targets, one lemma for each step that breaks something.

All lemmas hold in every explored state, and all are assumed before a step from the moment they
are there: they have to be preserved together. A lemma that nothing can protect is given up, and
what leant on it is asked again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from math import log2

import numpy as np
from numpy.typing import NDArray

from bmc.analysis.inference.nodes import Objective, OpenNode, action_of
from bmc.analysis.inference.prospect import Cube, Prospect
from bmc.analysis.inference.weights import accidents
from bmc.analysis.mining.candidates import Candidate
from bmc.analysis.mining.consecution import BreakingStep, Consecution, Preserved
from bmc.analysis.mining.houdini import Asker, asked_here, houdini
from bmc.engines.conjuncts import Conjunct, conjunct
from bmc.engines.packed.formulas import Formulas
from bmc.engines.task import Deadline, Observer
from bmc.system.transition import Instance, TransitionSystem

_ACTIONS = 6
_LOOKED_AT = 40
_TRIED = 14
_MOST = 4
_ENOUGH = 8
_BUDGET = 3000
_WEAKENED = 6
_LONGEST = 7
_REMEMBERED = 1500
_ANEW = 8
"""New lemmas after which it is asked what is preserved together."""
_ASIDE = 3
_SPARE = 400


class LemmaSearch:
    """Lemmas for some targets of one system; ``nodes`` holds all that has to be preserved."""

    def __init__(
        self,
        system: TransitionSystem,
        targets: Sequence[Conjunct],
        prospect: Prospect,
        deadline: Deadline,
        observer: Observer,
        asker: Asker = asked_here,
    ) -> None:
        self.system = system
        self.asker = asker
        self.targets = targets
        self.prospect = prospect
        self.observer = observer
        self.deadline = deadline
        self.consecution = Consecution(system, deadline)
        self.nodes: dict[str, Objective] = {}
        self.stuck: dict[str, BreakingStep] = {}
        self.asked = 0
        self._waiting: deque[str] = deque()
        self._banned: set[int] = set()
        self._broken: dict[bytes, NDArray[np.uint64]] = {}
        self._count = 0
        self._spare: dict[int, Objective] = {}
        self._more: Callable[[], Iterable[Candidate]] = tuple
        self._looked_at = len(targets)
        self._actions = tuple(dict.fromkeys(rule.action for rule in system.rules))
        for target in targets:
            self._enter(Objective(target))

    def _enter(self, node: Objective) -> None:
        if not node.one.of_steps:
            self.consecution.know(node.one)
        self.nodes[node.one.name] = node
        if node.candidate is not None:
            # Kept among those not taken it would be entered again, under another name.
            self._spare.pop(node.candidate.body.uid, None)
        self._waiting.append(node.one.name)

    def offer(self, candidates: Sequence[Candidate]) -> None:
        """Enter lemmas that are known to hold in the explored states."""
        taken = self._taken()
        for candidate in candidates:
            if candidate.body.uid not in taken:
                taken.add(candidate.body.uid)
                self._enter(Objective(self._named(candidate), candidate))

    def _taken(self) -> set[int]:
        """Return the bodies of the lemmas that have to be preserved."""
        found = self.nodes.values()
        return {node.candidate.body.uid for node in found if node.candidate is not None}

    def run(
        self,
        told: Callable[[], None] = lambda: None,
        more: Callable[[], Iterable[Candidate]] = tuple,
    ) -> None:
        """Close every node that can be closed. Raises OutOfTime; what is known stays.

        ``told`` is called whenever something is new, and ``more`` before it is asked what is
        preserved together: it returns lemmas to be looked at then.
        """
        self._more = more
        while self._waiting:
            name = self._waiting.popleft()
            if name in self.nodes and not self.nodes[name].closed:
                self._close(self.nodes[name])
                told()

    def think_of(self, candidates: Iterable[Candidate]) -> None:
        """Have lemmas looked at when it is asked what is preserved together."""
        taken = self._taken()
        for one in candidates:
            if one.body.uid not in self._spare and one.body.uid not in taken:
                self._spare[one.body.uid] = Objective(self._named(one), one)

    def forget_spare(self) -> None:
        """Look no more at lemmas that were thought of and not taken."""
        self._spare.clear()

    def together(self) -> None:
        """Close what is preserved together; when the targets are, nothing else is asked any more.

        Lemmas that were thought of and not taken are looked at as well: what does not preserve
        itself may be preserved beside others.
        """
        self._looked_at = len(self.nodes)
        spare = [node for node in self._spare.values() if node.candidate is not None]
        told = [*self.nodes.values(), *spare]
        stated = [node.one for node in told]
        found = houdini(self.consecution, stated, (), self.observer, self.asker)
        survivors = {one.name for one in found.survivors}
        closed = all(t in survivors for t, node in self.nodes.items() if node.candidate is None)
        for node in told:
            name = node.one.name
            if name in survivors:
                self.nodes[name] = node
                node.needs, node.closed = set(found.needs.get(name, ())), True
            elif closed:
                self.nodes.pop(name, None)
        self._spare = {b: n for b, n in self._spare.items() if n.one.name not in self.nodes}
        self._looked_at = len(self.nodes)
        if closed:
            self._waiting.clear()
            self.stuck.clear()

    @property
    def closed(self) -> bool:
        """Whether all targets, and all lemmas that they lean on, are preserved."""
        return not self.stuck and all(node.closed for node in self.nodes.values())

    def open(self) -> list[OpenNode]:
        """Return what is not preserved, the targets first."""
        found = []
        for name, node in self.nodes.items():
            if not node.closed:
                broken = self.stuck.get(name)
                action = None if broken is None else action_of(self.system, broken)
                found.append(OpenNode(name, node.one.stated, action, broken))
        return found

    def _close(self, node: Objective) -> None:
        name = node.one.name
        left = sum(not other.closed for other in self.nodes.values())
        self.observer.phase(f"{len(self.nodes)} lemmas and claims, {left} to be preserved: {name}")
        needs: set[str] = set()
        for goal in node.one.goals:
            while True:
                answer = self._after(node.one, goal)
                if isinstance(answer, Preserved):
                    needs |= answer.by
                    break
                if not self._excluded(node, goal, answer):
                    return
                if len(self.nodes) >= self._looked_at + _ANEW:
                    self.think_of(self._more())
                    self.together()
                if node.closed or node.one.name not in self.nodes:
                    return
        node.needs, node.closed = needs, True

    def _excluded(self, node: Objective, goal: Instance, broken: BreakingStep) -> bool:
        """Find a lemma that excludes a step; give the node up, and return False, if none does."""
        chosen = self._separator(broken, self._alike(node.one, goal, broken))
        name = node.one.name
        if chosen is not None:
            self._enter(chosen)
            return True
        if node.candidate is None:
            self.stuck[name] = broken
        else:
            self._give_up(node)
        return False

    def _give_up(self, node: Objective) -> None:
        assert node.candidate is not None
        name = node.one.name
        self._banned.add(node.candidate.body.uid)
        del self.nodes[name]
        for other in self.nodes.values():
            if name in other.needs:
                other.closed = False
                self._waiting.append(other.one.name)

    def _assumed(self) -> list[str]:
        """Return what is assumed before a step: all that speaks of a state."""
        return [name for name, node in self.nodes.items() if not node.one.of_steps]

    def _after(
        self, one: Conjunct, goal: Instance, action: str | None = None
    ) -> Preserved | BreakingStep:
        """Return whether a goal of a conjunct holds after a step, or of it."""
        self.asked += 1
        ask = self.consecution.over_step if one.of_steps else self.consecution.after_step
        return ask(goal, self._assumed(), action)

    def _alike(self, of: Conjunct, goal: Instance, broken: BreakingStep) -> list[BreakingStep]:
        """Return further steps that break a goal, by other actions."""
        found = [broken]
        for action in self._actions:
            if len(found) > _ACTIONS:
                break
            answer = self._after(of, goal, action)
            if isinstance(answer, BreakingStep):
                found.append(answer)
        return found

    def _separator(self, broken: BreakingStep, alike: Sequence[BreakingStep]) -> Objective | None:
        """Return a lemma that excludes the state before a step: one that is preserved at once, if
        there is one, or else the one that excludes most."""
        state = self.prospect.pack(broken.left)
        for one in alike:
            self._remember(one)
        best: list[tuple[tuple[object, ...], Candidate, Conjunct]] = []
        tried: set[int] = set(self._banned)
        cubes: dict[int, Cube] = {}
        for late, tables in self.prospect.layers():
            if late and best:
                break
            made: list[Cube] = []
            for table in tables:
                self.deadline.check()
                made += self.prospect.separating(table, state, _MOST, _ENOUGH, _BUDGET)
            new: list[Candidate] = []
            for cube in sorted(made, key=lambda one: one.cost):
                denied = self.prospect.denied(cube)
                if denied.body.uid not in tried:
                    tried.add(denied.body.uid)
                    cubes[denied.body.uid] = cube
                    new.append(denied)
                if len(new) == _LOOKED_AT:
                    break
            ranked = self._ranked(self.prospect.valid(new, self.deadline))
            node = self._first_preserved(lemma for _, lemma, _ in ranked[:_TRIED])
            if node is not None:
                return node
            if len(self._spare) < _SPARE:
                self.think_of(one for _, one, _ in ranked[:_ASIDE])
            best = sorted([*best, *ranked[:_TRIED]], key=lambda entry: entry[0])
            if len(best) >= _TRIED * 2:
                break
        if not best:
            return None
        for _, weak, _ in best[:_WEAKENED]:
            node = self._weakened(cubes[weak.body.uid])
            if node is not None:
                return node
        _, chosen, _ = best[0]
        return Objective(self._named(chosen), chosen)

    def _first_preserved(self, found: Iterable[Candidate]) -> Objective | None:
        for one in found:
            answer = self._preserved(one)
            if isinstance(answer, Objective):
                return answer
        return None

    def _weakened(self, cube: Cube) -> Objective | None:
        """Return a lemma that says less, as much less as it takes to be preserved.

        Of what else is seen of the excluded state, that is added to the premises which is not seen
        where the lemma was broken.
        """
        while len(cube.columns) <= _LONGEST:
            one = self.prospect.denied(cube)
            if one.body.uid in self._banned:
                return None
            answer = self._preserved(one)
            if isinstance(answer, Objective):
                return answer
            further = self.prospect.apart(cube, answer.reached)
            if further is None:
                return None
            cube = further
        return None

    def _remember(self, broken: BreakingStep) -> None:
        """Keep the state before a step among those that lemmas are compared by."""
        (row,) = self.prospect.pack(broken.left)
        self._broken[row.tobytes()] = row

    def _ranked(
        self, valid: Sequence[tuple[Candidate, Conjunct]]
    ) -> list[tuple[tuple[object, ...], Candidate, Conjunct]]:
        """Return lemmas with what they are sorted by: short ones first, and those that exclude
        many of the states from which steps have broken something. Twice as many outweigh a
        literal."""
        if not valid:
            return []
        circuit = self.system.circuit
        nodes = [circuit.all(instance.holds for instance in c.instances) for _, c in valid]
        states = np.array(list(self._broken.values())[-_REMEMBERED:])
        held = Formulas(self.prospect.worlds[0].packing, nodes).evaluate(states)
        kills = (~held).sum(axis=1)
        found: list[tuple[tuple[object, ...], Candidate, Conjunct]] = []
        for (one, c), killed in zip(valid, kills.tolist(), strict=True):
            merit = one.literals + 2 * accidents(one.body) - log2(1 + killed)
            found.append(((merit, one.cost), one, c))
        return sorted(found, key=lambda entry: entry[0])

    def _named(self, one: Candidate) -> Conjunct:
        self._count += 1
        return conjunct(self.system, one.stated(f"lemma_{self._count}"))

    def _preserved(self, one: Candidate) -> Objective | BreakingStep:
        """Return a candidate as a closed node, or a step that breaks it."""
        named = self._named(one)
        self.consecution.know(named)
        needs: set[str] = set()
        for goal in named.goals:
            answer = self.consecution.after_step(goal, [*self._assumed(), named.name])
            self.asked += 1
            if isinstance(answer, BreakingStep):
                self._remember(answer)
                return answer
            needs |= answer.by
        return Objective(named, one, needs, True)
