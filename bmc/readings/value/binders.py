"""Maps by comprehension, quantifiers, filters and choices."""

from __future__ import annotations

from bmc.lang.errors import NothingThere
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.readings.value.evaluator import Environment, Evaluation, rule


@rule("lambda")
def _lambda(run: Evaluation, term: Term, env: Environment) -> Value:
    return tuple(run.run(term.args[-1], inner) for _, inner in run.elements(term, env))


# The quantifiers read every instance before they join them (a list, not a generator): whether
# a term has a value must not depend on the order of a sort's values.
@rule("forall")
def _forall(run: Evaluation, term: Term, env: Environment) -> Value:
    return all([run.run(term.args[-1], inner) for _, inner in run.elements(term, env)])  # noqa: C419


@rule("exists")
def _exists(run: Evaluation, term: Term, env: Environment) -> Value:
    return any([run.run(term.args[-1], inner) for _, inner in run.elements(term, env)])  # noqa: C419


@rule("filter")
def _filter(run: Evaluation, term: Term, env: Environment) -> Value:
    return frozenset([v for v, inner in run.elements(term, env) if run.run(term.args[-1], inner)])


@rule("choose")
def _choose(run: Evaluation, term: Term, env: Environment) -> Value:
    found = [v for v, inner in run.elements(term, env) if run.run(term.args[-1], inner)]
    if not found:
        raise NothingThere(f"{term!r} chooses from nothing")
    return found[0]


@rule("last", "first")
def _extreme(run: Evaluation, term: Term, env: Environment) -> Value:
    variable, body, default = term.args
    found = [v for v in run.domains.values(variable.sort) if run.run(body, {**env, variable: v})]
    if found:
        return found[-1] if term.op == "last" else found[0]
    return run.run(default, env)
