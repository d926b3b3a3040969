"""Evaluating a term: what runs the rules, and the table that they stand in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from bmc.lang.errors import BoundTooSmall
from bmc.lang.operator_table import BINDERS, OVER_SETS, OperatorName
from bmc.lang.sorts import Sort
from bmc.lang.terms import MANY_NODES, Term
from bmc.layout.domain import Domains, Value, outside

ConcreteState = Mapping[str, Value]
Environment = dict[Term, Value]


class Evaluator:
    """Evaluates terms at one choice of parameter values."""

    def __init__(self, domains: Domains) -> None:
        self.domains = domains

    def evaluate(
        self,
        term: Term,
        state: ConcreteState,
        environment: Environment | None = None,
        after: ConcreteState | None = None,
    ) -> Value:
        """The value of ``term``; ``after`` gives the primed variables.

        Connectives and conditionals read from left to right and stop as TLA+'s do; binders
        read every instance. Raises BoundTooSmall where a partial operator has no value.
        """
        return self.at(state, after).run(term, environment or {})

    def at(self, state: ConcreteState, after: ConcreteState | None = None) -> Evaluation:
        """Return what evaluates several terms at one state, which must not change meanwhile."""
        return Evaluation(self.domains, state, after)

    def holds(self, term: Term, state: ConcreteState, environment: Environment) -> bool:
        """The truth of a Bool term."""
        return bool(self.evaluate(term, state, environment))


class Evaluation:
    """Evaluates terms at one state.

    What a loop says is kept: it may be a part of several terms, or of another loop's body that
    reads nothing of what that loop goes over. So is what a term of many nodes says: terms share
    their parts, and would be gone through once for each way to a part.
    """

    def __init__(self, domains: Domains, state: ConcreteState, after: ConcreteState | None) -> None:
        self.domains = domains
        self.state = state
        self.after = after
        self._kept: dict[tuple[Value, ...], Value] = {}

    def run(self, term: Term, env: Environment) -> Value:
        if term.nodes < MANY_NODES and term.op not in BINDERS:
            return RULES[term.op](self, term, env)
        key = (term.uid, *map(env.get, term.free))
        if key not in self._kept:
            self._kept[key] = RULES[term.op](self, term, env)
        return self._kept[key]

    def all(self, term: Term, env: Environment) -> list[Value]:
        return [self.run(child, env) for child in term.args]

    def elements(self, term: Term, env: Environment) -> Iterator[tuple[Value, Environment]]:
        variable = term.args[0]
        if len(term.args) == 3 and term.op in OVER_SETS:
            domain = tuple(sorted(self.run(term.args[1], env), key=repr))
        else:
            domain = self.domains.values(variable.sort)
        for value in domain:
            yield value, {**env, variable: value}

    def fits(self, sort: Sort, value: Value, term: Term) -> Value:
        if not self.domains.contains(sort, value):
            raise BoundTooSmall(outside(term, value, sort))
        return value


Rule = Callable[[Evaluation, Term, Environment], Value]
RULES: dict[OperatorName, Rule] = {}


def rule(*ops: OperatorName) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        for op in ops:
            RULES[op] = rule
        return rule

    return register
