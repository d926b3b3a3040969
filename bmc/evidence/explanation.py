"""Why a formula is false in a state: the sub-formula, and the instance of its quantifiers.

It reads the `value` interpreter only, like replay: what is explained is what was replayed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from bmc.evidence.replay import failing_instance
from bmc.lang.by_parts import ByParts
from bmc.lang.errors import BoundTooSmall
from bmc.lang.operator_table import BINDERS
from bmc.lang.properties import Property
from bmc.lang.sorts import BOOL
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState, Environment, Evaluator, Interpreter

MOST_INSTANCES = 8
"""How many instances of one quantifier are explained; the others are counted."""


class Truth(Enum):
    """What a formula is in a state. A partial operator may leave it without a value."""

    TRUE = "true"
    FALSE = "false"
    NO_VALUE = "no value"


@dataclass(frozen=True)
class Explanation(ByParts):
    """A formula, what it is, and the parts that make it so.

    ``environment`` has the values of the variables that occur free in ``term``; ``chosen`` those
    that the quantifier directly above has given. An atom has the values of its ``operands`` (of
    those that have one) instead of parts. ``reason`` says why there is no value. ``more`` counts
    the instances that are left out.
    """

    term: Term
    environment: Mapping[Term, Value]
    truth: Truth
    chosen: Mapping[Term, Value]
    operands: tuple[tuple[Term, Value], ...] = ()
    parts: tuple[Explanation, ...] = ()
    reason: str | None = None
    more: int = 0

    def leaves(self) -> Iterator[Explanation]:
        """The parts that have no parts."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()

    @property
    def without_value(self) -> Explanation | None:
        """The innermost part that has no value, or None."""
        if self.truth is not Truth.NO_VALUE:
            return None
        return next((leaf for leaf in self.leaves() if leaf.truth is Truth.NO_VALUE), None)


def explain_failure(
    interpreter: Interpreter, state: ConcreteState, after: ConcreteState | None, stated: Property
) -> Explanation | None:
    """Why the first failing instance of a property fails, or None where all hold.

    The explanation's environment is the instance; ``after`` is the state after the step, for a
    step invariant.
    """
    instance = failing_instance(interpreter, state, after, stated)
    if instance is None:
        return None
    return Explainer(interpreter.evaluator, state, after).explain(stated.body, instance)


class Explainer:
    """Explains formulas in one state, or over one step."""

    def __init__(
        self, evaluator: Evaluator, state: ConcreteState, after: ConcreteState | None = None
    ) -> None:
        self._evaluator = evaluator
        self._state = state
        self._after = after

    def explain(
        self, term: Term, environment: Environment, chosen: Mapping[Term, Value] | None = None
    ) -> Explanation:
        """What a formula is under values for its free variables, and why."""
        chosen = chosen or {}
        truth, reason = self._truth(term, environment)
        if truth is Truth.NO_VALUE:
            parts = self._without_value(term, environment)
            return Explanation(term, environment, truth, chosen, parts=parts, reason=reason)
        if term.op in ("forall", "exists"):
            parts, more = self._instances(term, environment, truth)
            return Explanation(term, environment, truth, chosen, parts=parts, more=more)
        parts = tuple(self._parts(term, environment, truth))
        operands = () if parts else tuple(self._operands(term, environment))
        return Explanation(term, environment, truth, chosen, operands, parts)

    def _truth(self, term: Term, environment: Environment) -> tuple[Truth, str | None]:
        try:
            value = self._value(term, environment)
        except BoundTooSmall as event:
            return Truth.NO_VALUE, str(event)
        return Truth.TRUE if value else Truth.FALSE, None

    def _value(self, term: Term, environment: Environment) -> Value:
        return self._evaluator.evaluate(term, self._state, environment, self._after)

    def _parts(self, term: Term, env: Environment, truth: Truth) -> Iterator[Explanation]:
        """The parts that make a connective what it is; none of an atom."""
        explained = (self.explain(child, env) for child in term.args)
        match term.op:
            case "not":
                yield from explained
            case "and" | "or":
                # One part decides (the first that is read), or all of them do.
                decides = Truth.FALSE if term.op == "and" else Truth.TRUE
                found = list(explained) if truth is not decides else None
                if found is None:
                    found = [next(part for part in explained if part.truth is decides)]
                yield from found
            case "implies":
                premise = next(explained)
                yield premise
                if premise.truth is Truth.TRUE:
                    yield next(explained)
            case "ite" if term.sort == BOOL:
                condition = next(explained)
                yield condition
                taken = term.args[1 if condition.truth is Truth.TRUE else 2]
                yield self.explain(taken, env)
            case "eq" if term.args[0].sort == BOOL:
                yield from explained

    def _instances(
        self, term: Term, env: Environment, truth: Truth
    ) -> tuple[tuple[Explanation, ...], int]:
        """The instances that decide a quantifier; all of them where none alone does.

        A universal statement that holds is not explained instance by instance.
        """
        decides = Truth.FALSE if term.op == "forall" else Truth.TRUE
        if term.op == "forall" and truth is Truth.TRUE:
            return (), 0
        found: list[Explanation] = []
        others = 0
        for instance in self._environments(term, env):
            held, _ = self._truth(term.args[-1], instance)
            if truth is decides and held is not decides:
                continue
            if len(found) == MOST_INSTANCES or (truth is decides and found):
                others += 1
                continue
            found.append(self._instance(term, instance))
        return tuple(found), others

    def _instance(self, binder: Term, instance: Environment) -> Explanation:
        variable = binder.args[0]
        return self.explain(binder.args[-1], instance, {variable: instance[variable]})

    def _environments(self, term: Term, env: Environment) -> Iterator[Environment]:
        variable = term.args[0]
        if len(term.args) == 3 and term.op not in ("last", "first"):
            domain = tuple(sorted(self._value(term.args[1], env), key=repr))
        else:
            domain = self._evaluator.domains.values(variable.sort)
        for value in domain:
            yield {**env, variable: value}

    def _operands(self, term: Term, env: Environment) -> Iterator[tuple[Term, Value]]:
        for child in term.args if term.op not in BINDERS else ():
            if child.op in ("int", "bound", "bool", "enum", "none", "empty", "full"):
                continue
            try:
                yield child, self._value(child, env)
            except BoundTooSmall:
                continue

    def _without_value(self, term: Term, env: Environment) -> tuple[Explanation, ...]:
        """The first part that is read and has no value."""
        if term.op in BINDERS:
            if len(term.args) == 3 and term.op not in ("last", "first"):
                truth, _ = self._readable(term.args[1], env)
                if not truth:
                    return (self.explain(term.args[1], env),)
            body = term.args[1 if term.op in ("last", "first") else -1]
            for instance in self._environments(term, env):
                readable, _ = self._readable(body, instance)
                if not readable:
                    variable = term.args[0]
                    return (self.explain(body, instance, {variable: instance[variable]}),)
            return ()
        for child in self._read(term, env):
            readable, _ = self._readable(child, env)
            if not readable:
                return (self.explain(child, env),)
        return ()

    def _read(self, term: Term, env: Environment) -> Iterator[Term]:
        """The parts of a term that are read, in order, up to one without a value."""
        stops = {"and": False, "or": True}
        for number, child in enumerate(term.args):
            readable, value = self._readable(child, env)
            if term.op == "ite" and number == 0 and readable:
                yield child
                yield term.args[1 if value else 2]
                return
            yield child
            if not readable or (term.op in stops and bool(value) is stops[term.op]):
                return
            if term.op == "implies" and not value:
                return

    def _readable(self, term: Term, env: Environment) -> tuple[bool, Value]:
        try:
            return True, self._value(term, env)
        except BoundTooSmall:
            return False, None
