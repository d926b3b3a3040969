"""Sets of every kind."""

from __future__ import annotations

from bmc.lang.errors import BoundTooSmall
from bmc.lang.sorts import KeyedSetSort, SetSort
from bmc.lang.terms import Term
from bmc.layout.domain import Value, key_of
from bmc.readings.value.evaluator import Environment, Evaluation, rule


@rule("empty")
def _empty(run: Evaluation, term: Term, env: Environment) -> Value:
    return run.domains.default(term.sort)


@rule("full")
def _full(run: Evaluation, term: Term, env: Environment) -> Value:
    assert isinstance(term.sort, SetSort)
    return frozenset(run.domains.values(term.sort.element))


@rule("insert")
def _insert(run: Evaluation, term: Term, env: Environment) -> Value:
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


@rule("remove")
def _remove(run: Evaluation, term: Term, env: Environment) -> Value:
    collection, element = run.all(term, env)
    return collection - {element}


@rule("union")
def _union(run: Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return run.fits(term.sort, left | right, term)


@rule("union_of")
def _union_of(run: Evaluation, term: Term, env: Environment) -> Value:
    parts = [run.run(term.args[-1], inner) for _, inner in run.elements(term, env)]
    return run.fits(term.sort, frozenset().union(*parts), term)


@rule("intersection")
def _intersection(run: Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left & right


@rule("difference")
def _difference(run: Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left - right


@rule("subset")
def _subset(run: Evaluation, term: Term, env: Environment) -> Value:
    left, right = run.all(term, env)
    return left <= right


@rule("member")
def _member(run: Evaluation, term: Term, env: Environment) -> Value:
    element, collection = run.all(term, env)
    return element in collection


@rule("lookup")
def _lookup(run: Evaluation, term: Term, env: Environment) -> Value:
    collection, key = run.all(term, env)
    sort = term.args[0].sort
    assert isinstance(sort, KeyedSetSort)
    return next((e for e in collection if key_of(sort, e) == key), None)


@rule("size")
def _size(run: Evaluation, term: Term, env: Environment) -> Value:
    return len(run.run(term.args[0], env))
