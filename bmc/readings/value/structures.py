"""Options, records, variants and maps."""

from __future__ import annotations

from bmc.lang.errors import BoundTooSmall, LanguageError, NothingThere
from bmc.lang.sorts import MapSort, RecordSort, Sort
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.readings.value.evaluator import Environment, Evaluation, rule


@rule("none")
def _none(run: Evaluation, term: Term, env: Environment) -> Value:
    return None


@rule("some")
def _some(run: Evaluation, term: Term, env: Environment) -> Value:
    return run.run(term.args[0], env)


@rule("is_none")
def _is_none(run: Evaluation, term: Term, env: Environment) -> Value:
    return run.run(term.args[0], env) is None


@rule("the")
def _the(run: Evaluation, term: Term, env: Environment) -> Value:
    value = run.run(term.args[0], env)
    if value is None:
        raise NothingThere(f"{term.args[0]!r} is none where its value is read")
    return value


@rule("record")
def _record(run: Evaluation, term: Term, env: Environment) -> Value:
    return tuple(run.all(term, env))


@rule("field")
def _field(run: Evaluation, term: Term, env: Environment) -> Value:
    return run.run(term.args[0], env)[_field_index(term.args[0].sort, term.data)]


@rule("with_field")
def _with_field(run: Evaluation, term: Term, env: Environment) -> Value:
    whole, part = run.all(term, env)
    index = _field_index(term.sort, term.data)
    return (*whole[:index], part, *whole[index + 1 :])


def _field_index(sort: Sort, name: object) -> int:
    assert isinstance(sort, RecordSort)
    for index, (known, _) in enumerate(sort.fields):
        if known == name:
            return index
    raise LanguageError(f"{sort} has no field {name!r}")


@rule("inject")
def _inject(run: Evaluation, term: Term, env: Environment) -> Value:
    return term.data, run.run(term.args[0], env)


@rule("is_case")
def _is_case(run: Evaluation, term: Term, env: Environment) -> Value:
    return run.run(term.args[0], env)[0] == term.data


@rule("payload")
def _payload(run: Evaluation, term: Term, env: Environment) -> Value:
    tag, content = run.run(term.args[0], env)
    if tag != term.data:
        raise NothingThere(f"{term.args[0]!r} is a {tag} where a {term.data} is read")
    return content


@rule("select")
def _select(run: Evaluation, term: Term, env: Environment) -> Value:
    collection, key = run.all(term, env)
    sort = term.args[0].sort
    assert isinstance(sort, MapSort)
    return collection[_key_position(run, sort, key, term)]


@rule("store")
def _store(run: Evaluation, term: Term, env: Environment) -> Value:
    collection, key, part = run.all(term, env)
    assert isinstance(term.sort, MapSort)
    index = _key_position(run, term.sort, key, term)
    # One copy: a log of many thousand entries is a map.
    changed = list(collection)
    changed[index] = part
    return tuple(changed)


def _key_position(run: Evaluation, sort: MapSort, key: Value, term: Term) -> int:
    index = run.domains.position(sort.key, key)
    if index is None:
        raise BoundTooSmall(f"{term!r} indexes with {key!r}, which is outside {sort.key}")
    return index
