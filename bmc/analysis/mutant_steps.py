"""All mutants of a protocol at once: what each does that the protocol does not, what notices it.

The protocol's reachable states and steps are found once. Every fault of an action is a further
branch of it in one system, so that it is grounded once, too. A mutant whose steps out of the
protocol's states lead to such states has no others: then its steps are counted on the protocol's
graph. Only a mutant that leaves that graph is explored by itself.

A mutant whose every step is one of the protocol's is only executed as the protocol is: no claim
about executions that holds of the protocol fails of it. One that takes new steps between states
which the protocol reaches as well violates no claim about states.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bmc.analysis.mutants import Fault
from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Packing, Rows
from bmc.engines.packed.starts import initial_rows
from bmc.engines.packed.successors import BeyondBounds, Expansion
from bmc.lang.errors import BmcError
from bmc.lang.model import Model
from bmc.lang.properties import Kind, Property
from bmc.system.transition import Rule, TransitionSystem

_AT_ONCE = 1 << 14
BEYOND = "WithinBounds"
"""The name under which it is noticed that a mutant leaves the bounds of the model."""

Keys = NDArray[np.void]


class TooManyStates(BmcError):
    """A protocol has too many states to compare its mutants with it: choose smaller parameters."""


class New(Enum):
    """What is new in a mutant: nothing, steps between states that were reached, or states."""

    NOTHING = "nothing"
    STEPS = "steps"
    STATES = "states"


@dataclass(frozen=True)
class Did:
    """What a mutant did: what is ``new``, which actions ``happened``, and what ``noticed`` it.

    ``noticed`` has for claims and lemmas that fail of it the states of a shortest trace; the search
    ends at the first that is no lemma. ``complete`` says that all states were seen, if not.
    """

    new: New
    happened: frozenset[str]
    noticed: Mapping[str, int] = field(default_factory=dict)
    complete: bool = True


class ReachedGraph:
    """The reachable states and steps of a model at given parameters.

    Raises TooManyStates beyond ``most`` states, or where the model itself leaves its bounds.
    """

    def __init__(self, model: Model, parameters: Mapping[str, int], most: int) -> None:
        self.model, self.parameters, self.most = model, dict(parameters), most
        self.system = TransitionSystem(model, parameters)
        self.packing = Packing(self.system.leaves)
        self.constraint = Formulas(self.packing, [self.system.constraint])
        self.starts = initial_rows(self.system, self.packing, self.constraint)
        states, steps = self._reached()
        self.states = states
        self._source = np.searchsorted(states, steps["before"])
        self._target = np.searchsorted(states, steps["after"])
        self._rule = steps["rule"]
        self._steps = np.unique(self._source * len(states) + self._target)
        self._begin = np.searchsorted(states, np.unique(_keys(self.starts)))
        labels = [(rule.action, rule.branch) for rule in self.system.rules]
        self._actions = np.array([action for action, _ in labels])[self._rule]
        self._branches = np.array([branch for _, branch in labels])[self._rule]
        self.happened = frozenset(map(str, np.unique(self._actions)))

    def _reached(self) -> tuple[Keys, Any]:
        expansion = Expansion(self.system, self.packing)
        size = 8 * self.packing.words
        kind = [("before", f"V{size}"), ("after", f"V{size}"), ("rule", np.int64)]
        new, states, parts = self.starts, np.unique(_keys(self.starts)), []
        while len(new):
            after = []
            for start in range(0, len(new), _AT_ONCE):
                block = new[start : start + _AT_ONCE]
                found = expansion.steps(block)
                if isinstance(found, BeyondBounds):
                    raise TooManyStates(
                        f"{self.model.name} leaves its bounds: choose other parameters"
                    )
                (inside,) = self.constraint.evaluate(found.rows)
                found = found.where(inside)
                part = np.empty(len(found.rows), kind)
                part["before"], part["after"] = _keys(block)[found.lanes], _keys(found.rows)
                part["rule"] = found.rules
                parts.append(part)
                after.append(np.unique(_keys(found.rows)))
            fresh = np.unique(np.concatenate(after))
            fresh = fresh[~_among(fresh, states)]
            states = np.union1d(states, fresh)
            if len(states) > self.most:
                raise TooManyStates(f"{self.model.name} has more than {self.most:,} states")
            new = self.rows(fresh)
        return states, np.concatenate(parts)

    def rows(self, keys: Keys) -> Rows:
        """Return states as rows again."""
        return keys.view(np.uint64).reshape(len(keys), self.packing.words)

    def satisfies(self, claim: Property) -> bool:
        """Return whether a claim about states, or about steps, holds of all that were reached."""
        held = self.system.circuit.all(one.holds for one in self.system.instances(claim))
        formula, rows = Formulas(self.packing, [held]), self.rows(self.states)
        if claim.kind is not Kind.STEP_INVARIANT:
            return all(
                next(iter(formula.evaluate(rows[start : start + _AT_ONCE]))).all()
                for start in range(0, len(rows), _AT_ONCE)
            )
        pairs = np.unique(np.stack((self._source, self._target), axis=1), axis=0)
        blocks = (pairs[start : start + _AT_ONCE] for start in range(0, len(pairs), _AT_ONCE))
        return all(
            next(iter(formula.evaluate(rows[block[:, 0]], rows[block[:, 1]]))).all()
            for block in blocks
        )

    def instead(
        self, fault: Fault, source: NDArray[np.int64], target: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], New, frozenset[str]]:
        """Return the states reached if these steps take the place of the branch with the fault.

        And what is new in it, and which actions happen. A target of -1 is no state of the protocol.
        """
        kept = (self._actions != fault.action) | (self._branches != fault.number)
        inside = target >= 0
        sources = np.concatenate((self._source[kept], source[inside]))
        targets = np.concatenate((self._target[kept], target[inside]))
        reached = np.zeros(len(self.states), np.bool_)
        reached[self._begin] = True
        count = 0
        while count != reached.sum():
            count = int(reached.sum())
            reached[targets[reached[sources]]] = True
        used = reached[source] & inside
        own = source[used] * len(self.states) + target[used]
        own = own[source[used] != target[used]]
        new = New.NOTHING if _among(own, self._steps).all() else New.STEPS
        happened = set(map(str, np.unique(self._actions[kept & reached[self._source]])))
        happened |= {fault.action} if reached[source].any() else set()
        return reached, new, frozenset(happened)


class Mutants:
    """The mutants of one action of a model, on the graph of the model."""

    def __init__(
        self, graph: ReachedGraph, action: str, faults: Sequence[Fault], claims: Sequence[Property]
    ) -> None:
        self._graph, self._faults = graph, list(faults)
        own = next(one for one in graph.model.actions if one.name == action)
        branches = (*own.branches, *(fault.branch for fault in faults))
        many = [
            replace(one, branches=branches) if one is own else one for one in graph.model.actions
        ]
        system = TransitionSystem(replace(graph.model, actions=tuple(many)), graph.parameters)
        self._first = len(own.branches)
        self._system, self._packing = system, graph.packing
        by_branch: dict[int, list[Rule]] = defaultdict(list)
        others = []
        for rule in system.rules:
            if rule.action == action:
                by_branch[rule.branch].append(rule)
            else:
                others.append(rule)
        self._rules = by_branch
        self._others = _Piece.of(self, others)
        self._own = {n: _Piece.of(self, by_branch[n]) for n in range(self._first)}
        self._lemmas = {one.name for one in claims if one.kind is Kind.LEMMA}
        stepwise = [one for one in claims if one.kind is Kind.STEP_INVARIANT]
        self._of_states = self._watched([one for one in claims if one not in stepwise])
        self._of_steps = self._watched(stepwise)

    def expansion(self, rules: Sequence[Rule]) -> Expansion:
        """Return what computes the successors that some of the rules have."""
        part = _Part(self._system.circuit, tuple(rules))
        return Expansion(cast(TransitionSystem, part), self._packing)

    def _watched(self, claims: Iterable[Property]) -> tuple[list[str], Formulas]:
        named = {
            one.name: self._system.circuit.all(i.holds for i in self._system.instances(one))
            for one in claims
        }
        return list(named), Formulas(self._packing, list(named.values()))

    def did(self, number: int) -> Did:
        """Return what the mutant of that number did."""
        fault, graph = self._faults[number], self._graph
        planted = _Piece.of(self, self._rules[self._first + number])
        rows = graph.rows(graph.states)
        sources, targets = [], []
        for start in range(0, len(rows) if planted is not None else 0, _AT_ONCE):
            assert planted is not None
            found = planted.expansion.steps(rows[start : start + _AT_ONCE])
            if isinstance(found, BeyondBounds):
                return self._explored(fault, planted)
            (inside,) = graph.constraint.evaluate(found.rows)
            found = found.where(inside)
            sources.append(found.lanes.astype(np.int64) + start)
            keys = _keys(found.rows)
            known = _among(keys, graph.states)
            targets.append(np.where(known, np.searchsorted(graph.states, keys), -1))
        source = np.concatenate(sources) if sources else np.empty(0, np.int64)
        target = np.concatenate(targets) if targets else np.empty(0, np.int64)
        reached, new, happened = graph.instead(fault, source, target)
        if reached[source[target < 0]].any() or (new is New.STEPS and self._of_steps[0]):
            return self._explored(fault, planted)
        return Did(new, happened)

    def _explored(self, fault: Fault, planted: _Piece | None) -> Did:
        graph = self._graph
        own = [piece for n, piece in self._own.items() if n != fault.number]
        pieces = [one for one in (self._others, *own, planted) if one is not None]
        new, states = graph.starts, np.unique(_keys(graph.starts))
        noticed: dict[str, int] = {}
        happened: set[str] = set()
        astray = False
        level = 1
        self._judge(self._of_states, noticed, level, new)
        while len(new) and not set(noticed) - self._lemmas:
            after: list[Keys] = []
            for piece in pieces:
                for start in range(0, len(new), _AT_ONCE):
                    block = new[start : start + _AT_ONCE]
                    found = piece.expansion.steps(block)
                    if isinstance(found, BeyondBounds):
                        return Did(New.STATES, frozenset(happened), {**noticed, BEYOND: level})
                    (inside,) = graph.constraint.evaluate(found.rows)
                    found = found.where(inside)
                    happened |= {piece.rules[int(n)].action for n in np.flatnonzero(found.fired)}
                    self._judge(
                        self._of_steps, noticed, level + 1, block[found.lanes], found.rows.copy()
                    )
                    after.append(np.unique(_keys(found.rows)))
            fresh = np.unique(np.concatenate(after)) if after else states[:0]
            fresh = fresh[~_among(fresh, states)]
            astray = astray or not _among(fresh, graph.states).all()
            states = np.union1d(states, fresh)
            level += 1
            new = graph.rows(fresh)
            self._judge(self._of_states, noticed, level, new)
            if len(states) > graph.most:
                return Did(New.STATES, frozenset(happened), noticed, complete=False)
        return Did(New.STATES if astray else New.STEPS, frozenset(happened), noticed)

    def _judge(
        self,
        watched: tuple[list[str], Formulas],
        noticed: dict[str, int],
        level: int,
        rows: Rows,
        after: Rows | None = None,
    ) -> None:
        names, formulas = watched
        if not names or not len(rows):
            return
        for name, held in zip(names, formulas.evaluate(rows, after), strict=True):
            if not held.all():
                noticed.setdefault(name, level)


@dataclass(frozen=True)
class _Piece:
    """Some rules of a system, and what computes their successors."""

    rules: Sequence[Rule]
    expansion: Expansion

    @staticmethod
    def of(mutants: Mutants, rules: Sequence[Rule]) -> _Piece | None:
        """Return a piece of these rules, None where there is no rule."""
        return _Piece(rules, mutants.expansion(rules)) if rules else None


@dataclass(frozen=True)
class _Part:
    """As much of a system as an expansion of some of its rules needs."""

    circuit: Any
    rules: tuple[Rule, ...]


def _keys(rows: Rows) -> Keys:
    """Each row as one value that can be sorted and compared."""
    whole: NDArray[Any] = np.ascontiguousarray(rows)
    return whole.view(np.dtype((np.void, 8 * whole.shape[1]))).ravel()


def _among(wanted: NDArray[Any], known: NDArray[Any]) -> NDArray[np.bool_]:
    """Of each value whether it is among the known ones, which are sorted."""
    if not len(known):
        return np.zeros(len(wanted), np.bool_)
    places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    same: NDArray[np.bool_] = known[places] == wanted
    return same
