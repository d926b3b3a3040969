"""Why a formula of the text is false in a state or of a step: which conjunct, at which values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .. import core as c
from ..operators import Operator as O
from .calls import entries
from .code import EMPTY, MISSING, ByName, Entry, Env, Operation, Run
from .errors import EvaluationError
from .loops import Loop, loops
from .machine import Machine, State

COMPARISONS = frozenset(
    (
        O.EQUAL,
        O.NOT_EQUAL,
        O.IN,
        O.NOT_IN,
        O.SUBSET_EQUAL,
        O.LESS,
        O.LESS_EQUAL,
        O.GREATER,
        O.GREATER_EQUAL,
    )
)


@dataclass(frozen=True, slots=True)
class Atom:
    """A formula that is not taken apart, its truth, and the values that it compares."""

    formula: c.Expression
    truth: bool
    operands: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """The conjunct that is false, the values of the variables bound around it, its atoms."""

    conjunct: c.Expression
    chosen: tuple[tuple[str, Any], ...]
    atoms: tuple[Atom, ...]


class Reasons:
    """Finds reasons on a machine."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._compiler = machine.compiler

    def of(self, formula: c.Expression, before: State, after: State | None) -> Reason:
        """Return why a formula is false, of a state or of the step to another one.

        Raises EvaluationError where a part that is read has no value.
        """
        self._machine.load(before, after)
        chosen: list[tuple[str, Any]] = []
        node, env = formula, EMPTY
        while True:
            found = self._entered(node, env)
            if found is None:
                match node:
                    case c.Builtin(operator=O.AND):
                        parts = node.arguments
                        found = next((part, env) for part in parts if not self._truth(part, env))
                    case c.Quantifier(kind=c.Quantification.FORALL):
                        env = self._instance(node, env, False)
                        found = node.body, env
                        chosen += self._values_of(node, env)
                    case _:
                        break
            node, env = found
        atoms = tuple(self._atoms(node, env, False, chosen))
        return Reason(node, tuple(chosen), atoms)

    def _entered(self, node: c.Expression, env: Env) -> tuple[c.Expression, Env] | None:
        """Return what a formula is by definition, if that is what says more of it."""
        match node:
            case c.Call() if not node.definition.is_recursive:
                arguments = entries(node.arguments, env)
                named = dict(zip(node.definition.parameters, arguments, strict=True))
                return node.definition.body, env.around(node.definition).bind(named)
            case c.Let():
                return node.body, env.let(node.definitions)[0]
            case c.Prime(operand=operand):
                return operand, env.prime()
            case c.BoxAction(action=action):
                return action, env
            case c.Always(operand=operand):
                return operand, env
            case _:
                return None

    def _atoms(
        self, node: c.Expression, env: Env, truth: bool, chosen: list[tuple[str, Any]]
    ) -> Iterator[Atom]:
        """Yield what makes a formula true or false, in the order in which it is read.

        ``chosen`` gains the values of variables at which a quantifier is decided.
        """
        match node:
            case c.Builtin(operator=O.AND | O.OR) if truth is (node.operator is O.OR):
                decides = next(p for p in node.arguments if self._truth(p, env) is truth)
                yield from self._atoms(decides, env, truth, chosen)
            case c.Builtin(operator=O.AND | O.OR):
                for part in node.arguments:
                    yield from self._atoms(part, env, truth, chosen)
            case c.Builtin(operator=O.NOT):
                yield from self._atoms(node.arguments[0], env, not truth, chosen)
            case c.Builtin(operator=O.IMPLIES):
                premise, conclusion = node.arguments
                known = self._truth(premise, env)
                yield from self._atoms(premise, env, known, chosen)
                if known:
                    yield from self._atoms(conclusion, env, truth, chosen)
            case c.If():
                known = self._truth(node.condition, env)
                yield from self._atoms(node.condition, env, known, chosen)
                yield from self._atoms(node.then if known else node.otherwise, env, truth, chosen)
            case c.Quantifier() if truth is (node.kind is c.Quantification.EXISTS):
                env = self._instance(node, env, truth)
                chosen += self._values_of(node, env)
                yield from self._atoms(node.body, env, truth, chosen)
            case c.Builtin() if node.operator in COMPARISONS:
                yield Atom(node, truth, self._operands(node, env))
            case _:
                yield Atom(node, truth)

    def _operands(self, node: c.Builtin, env: Env) -> tuple[Any, ...]:
        """Return the values of both sides; none where one is a set that cannot be listed."""
        try:
            return tuple(self._value(one, env) for one in node.arguments)
        except EvaluationError:
            return ()

    def _instance(self, node: c.Quantifier, env: Env, wanted: bool) -> Env:
        """Return the environment of the first instance that has this truth."""
        found, inner = loops(self._compiler, node.bounds, env)
        self._forget(inner)
        test = self._compiler.test(node.body, inner).run
        if not self._reaches(found, test, inner, wanted):
            raise EvaluationError(node.span, "no instance of this decides it")
        return inner

    def _reaches(self, left: list[Loop], test: Run, env: Env, wanted: bool) -> bool:
        """Put the members of the next domains into their slots until the body has this truth."""
        if not left:
            self._forget(env)
            return bool(self._machine.run(test)) is wanted
        loop, frame = left[0], self._compiler.frame
        for member in loop.members.run(frame):
            if loop.take is not None:
                loop.take(frame, member)
            else:
                frame[loop.slots[0]] = member
            if self._reaches(left[1:], test, env, wanted):
                return True
        return False

    def _values_of(self, node: c.Quantifier, env: Env) -> Iterable[tuple[str, Any]]:
        bound = [one for each in node.bounds for one in each.variables]
        return [(one.name, self._value(c.LocalRef(node.span, one), env)) for one in bound]

    def _truth(self, node: c.Expression, env: Env) -> bool:
        run = self._compiler.test(node, env).run
        self._forget(env)
        return bool(self._machine.run(run))

    def _value(self, node: c.Expression, env: Env) -> Any:
        run = self._compiler.strict(node, env).run
        self._forget(env)
        return self._machine.run(run)

    def _forget(self, env: Env) -> None:
        """Forget what was remembered of names at other values of the variables around them."""
        waiting, seen = [env], {env}
        while waiting:
            one = waiting.pop()
            held: list[Entry] = list(one.names.values())
            held += [named for site in one.lets.values() for named in site.values.values()]
            for entry in held:
                if isinstance(entry, ByName):
                    for memo in entry.memos:
                        self._compiler.frame[memo] = MISSING
                if isinstance(entry, ByName | Operation) and entry.env not in seen:
                    seen.add(entry.env)
                    waiting.append(entry.env)
