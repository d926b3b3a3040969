"""The `value` reading: terms evaluated on concrete states.

It is written from the language's meaning alone, shares no code with the symbolic readings, and
judges them: every counterexample is replayed here before anybody sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bmc.lang.bounds import Bound
from bmc.lang.errors import BoundTooSmall, LanguageError
from bmc.lang.protocol import Action, Argument, Model
from bmc.lang.sorts import KeyedSetSort, MapSort, RecordSort, SetSort, Sort
from bmc.lang.state import Branch
from bmc.lang.terms import Term
from bmc.readings.domain import Domains, Value, key_of

ConcreteState = Mapping[str, Value]
Environment = dict[Term, Value]


@dataclass(frozen=True)
class Successor:
    """One step: the action, the values of its arguments by name, and the state it leads to."""

    action: str
    arguments: Mapping[str, Value]
    state: ConcreteState


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
        return _Evaluation(self.domains, state, after).run(term, environment or {})

    def holds(self, term: Term, state: ConcreteState, environment: Environment) -> bool:
        """The truth of a Bool term."""
        return bool(self.evaluate(term, state, environment))


class _Evaluation:
    def __init__(self, domains: Domains, state: ConcreteState, after: ConcreteState | None) -> None:
        self.domains = domains
        self.state = state
        self.after = after

    def run(self, term: Term, env: Environment) -> Value:
        rule = _RULES.get(term.op)
        if rule is None:
            raise LanguageError(f"the value reading has no rule for {term.op!r}")
        return rule(self, term, env)

    def all(self, term: Term, env: Environment) -> list[Value]:
        return [self.run(child, env) for child in term.args]

    def elements(self, term: Term, env: Environment) -> Iterator[tuple[Value, Environment]]:
        variable = term.args[0]
        if len(term.args) == 3 and term.op in ("forall", "exists"):
            domain = tuple(sorted(self.run(term.args[1], env), key=repr))
        else:
            domain = self.domains.values(variable.sort)
        for value in domain:
            yield value, {**env, variable: value}

    def fits(self, sort: Sort, value: Value, term: Term) -> Value:
        if not self.domains.contains(sort, value):
            raise BoundTooSmall(f"{term!r} is {value!r}, which is outside {sort}")
        return value


Rule = Callable[[_Evaluation, Term, Environment], Value]
_RULES: dict[str, Rule] = {}


def _rule(*ops: str) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        for op in ops:
            _RULES[op] = rule
        return rule

    return register


@_rule("bool", "int", "enum")
def _constant(run: _Evaluation, term: Term, env: Environment) -> Value:
    return term.data


@_rule("bound")
def _bound(run: _Evaluation, term: Term, env: Environment) -> Value:
    assert isinstance(term.data, Bound)
    return term.data.at(run.domains.parameters)


@_rule("variable")
def _variable(run: _Evaluation, term: Term, env: Environment) -> Value:
    name, primed = _pair(term)
    if not primed:
        return run.state[name]
    if run.after is None:
        raise LanguageError(f"{name}' has no value here: only a step invariant reads it")
    return run.after[name]


def _pair(term: Term) -> tuple[str, bool]:
    data: Any = term.data
    return data[0], data[1]


@_rule("bound_variable")
def _bound_variable(run: _Evaluation, term: Term, env: Environment) -> Value:
    if term not in env:
        raise LanguageError(f"{term!r} is used outside its binder")
    return env[term]


@_rule("not")
def _not(run: _Evaluation, term: Term, env: Environment) -> Value:
    return not run.run(term.args[0], env)


@_rule("and")
def _and(run: _Evaluation, term: Term, env: Environment) -> Value:
    return all(run.run(child, env) for child in term.args)


@_rule("or")
def _or(run: _Evaluation, term: Term, env: Environment) -> Value:
    return any(run.run(child, env) for child in term.args)


@_rule("implies")
def _implies(run: _Evaluation, term: Term, env: Environment) -> Value:
    return (not run.run(term.args[0], env)) or run.run(term.args[1], env)


@_rule("ite")
def _ite(run: _Evaluation, term: Term, env: Environment) -> Value:
    condition, then, otherwise = term.args
    return run.run(then if run.run(condition, env) else otherwise, env)


@_rule("eq")
def _eq(run: _Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left == right


@_rule("le")
def _le(run: _Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left <= right


@_rule("lt")
def _lt(run: _Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left < right


@_rule("add")
def _add(run: _Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left + right


@_rule("sub")
def _sub(run: _Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left - right


@_rule("narrow")
def _narrow(run: _Evaluation, term: Term, env: Environment) -> Value:
    return run.fits(term.sort, run.run(term.args[0], env), term.args[0])


@_rule("none")
def _none(run: _Evaluation, term: Term, env: Environment) -> Value:
    return None


@_rule("some")
def _some(run: _Evaluation, term: Term, env: Environment) -> Value:
    return run.run(term.args[0], env)


@_rule("is_none")
def _is_none(run: _Evaluation, term: Term, env: Environment) -> Value:
    return run.run(term.args[0], env) is None


@_rule("the")
def _the(run: _Evaluation, term: Term, env: Environment) -> Value:
    value = run.run(term.args[0], env)
    if value is None:
        raise BoundTooSmall(f"{term.args[0]!r} is none where its value is read")
    return value


@_rule("record")
def _record(run: _Evaluation, term: Term, env: Environment) -> Value:
    return tuple(run.all(term, env))


@_rule("field")
def _field(run: _Evaluation, term: Term, env: Environment) -> Value:
    return run.run(term.args[0], env)[_field_index(term.args[0].sort, term.data)]


@_rule("with_field")
def _with_field(run: _Evaluation, term: Term, env: Environment) -> Value:
    whole, part = run.all(term, env)
    index = _field_index(term.sort, term.data)
    return (*whole[:index], part, *whole[index + 1 :])


def _field_index(sort: Sort, name: object) -> int:
    assert isinstance(sort, RecordSort)
    return [known for known, _ in sort.fields].index(str(name))


@_rule("inject")
def _inject(run: _Evaluation, term: Term, env: Environment) -> Value:
    return term.data, run.run(term.args[0], env)


@_rule("is_case")
def _is_case(run: _Evaluation, term: Term, env: Environment) -> Value:
    return run.run(term.args[0], env)[0] == term.data


@_rule("payload")
def _payload(run: _Evaluation, term: Term, env: Environment) -> Value:
    tag, content = run.run(term.args[0], env)
    if tag != term.data:
        raise BoundTooSmall(f"{term.args[0]!r} is a {tag} where a {term.data} is read")
    return content


@_rule("select")
def _select(run: _Evaluation, term: Term, env: Environment) -> Value:
    collection, key = run.all(term, env)
    sort = term.args[0].sort
    assert isinstance(sort, MapSort)
    return collection[_key_position(run, sort, key, term)]


@_rule("store")
def _store(run: _Evaluation, term: Term, env: Environment) -> Value:
    collection, key, part = run.all(term, env)
    assert isinstance(term.sort, MapSort)
    index = _key_position(run, term.sort, key, term)
    return (*collection[:index], part, *collection[index + 1 :])


def _key_position(run: _Evaluation, sort: MapSort, key: Value, term: Term) -> int:
    index = run.domains.position(sort.key, key)
    if index is None:
        raise BoundTooSmall(f"{term!r} indexes with {key!r}, which is outside {sort.key}")
    return index


@_rule("lambda")
def _lambda(run: _Evaluation, term: Term, env: Environment) -> Value:
    return tuple(run.run(term.args[-1], inner) for _, inner in run.elements(term, env))


@_rule("empty")
def _empty(run: _Evaluation, term: Term, env: Environment) -> Value:
    return run.domains.default(term.sort)


@_rule("full")
def _full(run: _Evaluation, term: Term, env: Environment) -> Value:
    assert isinstance(term.sort, SetSort)
    return frozenset(run.domains.values(term.sort.element))


@_rule("insert")
def _insert(run: _Evaluation, term: Term, env: Environment) -> Value:
    collection, element = run.all(term, env)
    if isinstance(term.sort, KeyedSetSort):
        key = key_of(term.sort, element)
        for other in collection:
            if key_of(term.sort, other) == key and other != element:
                raise BoundTooSmall(
                    f"{term.sort.element} {key!r} is inserted twice with different contents: "
                    f"{term.sort.key} is not a key"
                )
    return run.fits(term.sort, collection | {element}, term)


@_rule("remove")
def _remove(run: _Evaluation, term: Term, env: Environment) -> Value:
    collection, element = run.all(term, env)
    return collection - {element}


@_rule("union")
def _union(run: _Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return run.fits(term.sort, left | right, term)


@_rule("union_of")
def _union_of(run: _Evaluation, term: Term, env: Environment) -> Value:
    parts = [run.run(term.args[-1], inner) for _, inner in run.elements(term, env)]
    return run.fits(term.sort, frozenset().union(*parts), term)


@_rule("intersection")
def _intersection(run: _Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left & right


@_rule("difference")
def _difference(run: _Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left - right


@_rule("subset")
def _subset(run: _Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left <= right


@_rule("member")
def _member(run: _Evaluation, term: Term, env: Environment) -> Value:
    element, collection = run.all(term, env)
    return element in collection


@_rule("lookup")
def _lookup(run: _Evaluation, term: Term, env: Environment) -> Value:
    collection, key = run.all(term, env)
    sort = term.args[0].sort
    assert isinstance(sort, KeyedSetSort)
    return next((e for e in collection if key_of(sort, e) == key), None)


@_rule("size")
def _size(run: _Evaluation, term: Term, env: Environment) -> Value:
    return len(run.run(term.args[0], env))


@_rule("append")
def _append(run: _Evaluation, term: Term, env: Environment) -> Value:
    sequence, element = run.all(term, env)
    return run.fits(term.sort, (*sequence, element), term)


@_rule("at")
def _at(run: _Evaluation, term: Term, env: Environment) -> Value:
    sequence, index = run.all(term, env)
    if not 0 <= index < len(sequence):
        raise BoundTooSmall(f"{term!r} reads position {index} of {len(sequence)} elements")
    return sequence[index]


@_rule("tail")
def _tail(run: _Evaluation, term: Term, env: Environment) -> Value:
    sequence = run.run(term.args[0], env)
    if not sequence:
        raise BoundTooSmall(f"{term!r} is the tail of an empty sequence")
    return sequence[1:]


@_rule("take")
def _take(run: _Evaluation, term: Term, env: Environment) -> Value:
    sequence, length = run.all(term, env)
    if not 0 <= length <= len(sequence):
        raise BoundTooSmall(f"{term!r} takes {length} of {len(sequence)} elements")
    return sequence[:length]


# The quantifiers read every instance before they join them (a list, not a generator): whether
# a term has a value must not depend on the order of a sort's values.
@_rule("forall")
def _forall(run: _Evaluation, term: Term, env: Environment) -> Value:
    return all([run.run(term.args[-1], inner) for _, inner in run.elements(term, env)])  # noqa: C419


@_rule("exists")
def _exists(run: _Evaluation, term: Term, env: Environment) -> Value:
    return any([run.run(term.args[-1], inner) for _, inner in run.elements(term, env)])  # noqa: C419


@_rule("filter")
def _filter(run: _Evaluation, term: Term, env: Environment) -> Value:
    return frozenset([v for v, inner in run.elements(term, env) if run.run(term.args[-1], inner)])


@_rule("choose")
def _choose(run: _Evaluation, term: Term, env: Environment) -> Value:
    found = [v for v, inner in run.elements(term, env) if run.run(term.args[-1], inner)]
    if not found:
        raise BoundTooSmall(f"{term!r} chooses from nothing")
    return found[0]


@_rule("last", "first")
def _extreme(run: _Evaluation, term: Term, env: Environment) -> Value:
    variable, body, default = term.args
    found = [v for v in run.domains.values(variable.sort) if run.run(body, {**env, variable: v})]
    if found:
        return found[-1] if term.op == "last" else found[0]
    return run.run(default, env)


class Interpreter:
    """Runs a model on concrete states."""

    def __init__(self, model: Model, domains: Domains) -> None:
        self.model = model
        self.domains = domains
        self.evaluator = Evaluator(domains)

    def initial_states(self) -> Iterator[ConcreteState]:
        """Every initial state that satisfies the state constraint."""
        for successor in self._branches(self.model.initial, {}):
            if self.inside(successor.state):
                yield successor.state

    def successors(self, state: ConcreteState) -> Iterator[Successor]:
        """Every step out of ``state`` that the state constraint admits, with repetitions.

        Raises BoundTooSmall when an enabled action's result cannot be represented.
        """
        for action in self.model.actions:
            for successor in self._branches(action, state):
                if self.inside(successor.state):
                    yield successor

    def steps_to(self, state: ConcreteState, target: ConcreteState) -> Iterator[Successor]:
        """Every step from ``state`` to ``target``; steps that leave the bounds are passed over."""
        if not self.inside(target):
            return
        for action in self.model.actions:
            for env in self._choices(action.arguments, state):
                for branch in action.branches:
                    try:
                        after = self._apply(branch, env, state)
                    except BoundTooSmall:
                        continue
                    if after is not None and all(after[n] == target[n] for n in after):
                        arguments = {a.name: env[a.variable] for a in action.arguments}
                        yield Successor(action.name, arguments, after)

    def inside(self, state: ConcreteState) -> bool:
        """Whether the state satisfies the state constraint."""
        return self.evaluator.holds(self.model.constraint, state, {})

    def _branches(self, action: Action, state: ConcreteState) -> Iterator[Successor]:
        for env in self._choices(action.arguments, state):
            arguments = {a.name: env[a.variable] for a in action.arguments}
            for branch in action.branches:
                try:
                    after = self._apply(branch, env, state)
                except BoundTooSmall as event:
                    where = f"{Path(action.source.file).name}:{action.source.line}"
                    raise BoundTooSmall(f"in {action.name} ({where}), {event}") from None
                if after is not None:
                    yield Successor(action.name, arguments, after)

    def _choices(
        self, arguments: tuple[Argument, ...], state: ConcreteState
    ) -> Iterator[Environment]:
        if not arguments:
            yield {}
            return
        *front, final = arguments
        for env in self._choices(tuple(front), state):
            if final.collection is None:
                domain = self.domains.values(final.variable.sort)
            else:
                held = self.evaluator.evaluate(final.collection, state)
                domain = tuple(sorted(held, key=repr))
            for value in domain:
                yield {**env, final.variable: value}

    def _apply(
        self, branch: Branch, env: Environment, state: ConcreteState
    ) -> ConcreteState | None:
        if not all(self.evaluator.holds(g, state, env) for g in branch.guards):
            return None
        changed = {n: self.evaluator.evaluate(t, state, env) for n, t in branch.updates.items()}
        return {name: changed.get(name, state.get(name)) for name in self.model.variables}
