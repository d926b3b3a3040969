"""What a step relied on: values that it read to compute others, and which earlier step left them.

A cause (:mod:`bmc.evidence.causes`) says that a step wrote a wrong value; this says what the step
saw. It follows the branch that was taken, and in its conditionals the side that was taken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bmc.evidence.trace import Trace
from bmc.lang.build import argument
from bmc.lang.by_parts import ByParts
from bmc.lang.errors import BoundTooSmall
from bmc.lang.model import Action
from bmc.lang.operator_table import BINDERS
from bmc.lang.sorts import OptionSort, Scalar, Sort
from bmc.lang.state import Branch
from bmc.lang.terms import Term, make, subterms
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState, Environment, Interpreter


@dataclass(frozen=True)
class ReadPart(ByParts):
    """A part of the state that step ``step`` read; ``environment`` has the values of its indices.

    It has this ``value`` since the earlier step ``since``.
    """

    step: int
    part: Term
    environment: Environment
    value: Value
    since: int


def sources(
    interpreter: Interpreter, trace: Trace, step: int, variables: Collection[str]
) -> tuple[ReadPart, ...]:
    """What a step read to change these variables, without what they were themselves.

    Only numbers, names and truths that an earlier step of the trace has changed.
    """
    taken = trace.steps[step]
    before = trace.steps[step - 1].state
    action = next(a for a in interpreter.model.actions if a.name == taken.action)
    env = {a.variable: taken.arguments[a.name] for a in action.arguments}
    branch = _branch(interpreter, action, env, before, taken.state)
    if branch is None:
        return ()
    walk = _Walk(interpreter, before, env)
    found: dict[int, ReadPart] = {}
    for name in branch.updates:
        for part in walk.read(branch.updates[name]) if name in variables else ():
            if _variable(part) not in variables and part.uid not in found:
                value = walk.value(part)
                place, at = walk.place(part)
                since = _since(interpreter, trace, step - 1, place, at, value)
                if since:
                    found[part.uid] = ReadPart(step, place, at, value, since)
    return tuple(found.values())


def variables_of(terms: Iterable[Term]) -> frozenset[str]:
    """The variables that terms read."""
    found: Any = (one.data for one in subterms(terms) if one.op == "variable")
    return frozenset(str(name) for name, _ in found)


def _branch(
    interpreter: Interpreter,
    action: Action,
    env: Environment,
    before: ConcreteState,
    after: ConcreteState,
) -> Branch | None:
    """The branch of an action that leads from a state to another."""
    evaluator = interpreter.evaluator
    for branch in action.branches:
        try:
            if all(evaluator.holds(g, before, env) for g in branch.guards) and all(
                evaluator.evaluate(t, before, env) == after[n] for n, t in branch.updates.items()
            ):
                return branch
        except BoundTooSmall:
            continue
    return None


def _since(
    interpreter: Interpreter, trace: Trace, last: int, part: Term, env: Environment, value: Value
) -> int:
    for step in range(last, 0, -1):
        try:
            if interpreter.evaluator.evaluate(part, trace.steps[step - 1].state, env) != value:
                return step
        except BoundTooSmall:
            return step
    return 0


class _Walk:
    """The places that a term reads in a state."""

    def __init__(self, interpreter: Interpreter, state: ConcreteState, env: Environment) -> None:
        self._evaluator = interpreter.evaluator
        self._state = state
        self._env = env
        self._met: set[int] = set()

    def value(self, term: Term) -> Value:
        """The value of a term in the state."""
        return self._evaluator.evaluate(term, self._state, self._env)

    def place(self, term: Term) -> tuple[Term, Environment]:
        """The same place with the indices that it has now, whatever they are in other states."""
        at: Environment = {}

        def fixed(part: Term) -> Term:
            if part.op == "variable":
                return part
            held, *keys = part.args
            indices = [argument(f"index {len(at) + n}", key.sort) for n, key in enumerate(keys)]
            at.update(zip(indices, map(self.value, keys), strict=True))
            return make(part.op, (fixed(held), *indices), part.sort, part.data)

        return fixed(term), at

    def read(self, term: Term) -> Iterator[Term]:
        """Every place of a scalar sort that stands in what of a term is taken, where met first.

        Terms share their parts, and have far more ways through them than parts.
        """
        if term.uid in self._met:
            return
        self._met.add(term.uid)
        if self._is_place(term):
            yield term
            yield from self._indices(term)
            return
        for child in self._taken(term):
            yield from self.read(child)

    def _indices(self, place: Term) -> Iterator[Term]:
        while place.args:
            place, *keys = place.args
            for key in keys:
                yield from self.read(key)

    def _taken(self, term: Term) -> tuple[Term, ...]:
        if term.op == "ite" and term.args[0].free <= self._env.keys():
            condition, then, otherwise = term.args
            try:
                return condition, then if self.value(condition) else otherwise
            except BoundTooSmall:
                return ()  # It stands behind what has decided already.
        if term.op in ("store", "with_field"):
            # All but one part stays as it was.
            return term.args[1:]
        return term.args[1:] if term.op in BINDERS else term.args

    def _is_place(self, term: Term) -> bool:
        if not _is_scalar(term.sort) or not term.free <= self._env.keys():
            return False
        if _variable(term) is None:
            return False
        try:
            self.value(term)
        except BoundTooSmall:
            return False
        return True


def _variable(term: Term) -> str | None:
    """The variable that a chain of fields and indices starts at; None for what is no such."""
    while term.op in ("select", "field", "the", "narrow"):
        term = term.args[0]
    data: Any = term.data
    return str(data[0]) if term.op == "variable" else None


def _is_scalar(sort: Sort) -> bool:
    inner = sort.inner if isinstance(sort, OptionSort) else sort
    return isinstance(inner, Scalar)
