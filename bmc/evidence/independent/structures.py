"""Rules of options, records, variants and maps."""

from __future__ import annotations

from bmc.evidence.independent.formula import Formula
from bmc.evidence.independent.reading import Environment, Read, Reading, rule
from bmc.evidence.independent.values import Fields, Perhaps, Table, Tagged, Truth, Value, want
from bmc.lang.sorts import MapSort, OptionSort, RecordSort, Sort, VariantSort
from bmc.lang.terms import Term


@rule("none")
def _none(run: Reading, term: Term, env: Environment) -> Read:
    inner = want(OptionSort, term.sort).inner
    return Read(run.formulas.true, Perhaps(run.formulas.false, run.universe.void(inner)))


@rule("some")
def _some(run: Reading, term: Term, env: Environment) -> Read:
    defined, value = run.read(term.args[0], env)
    return Read(defined, Perhaps(run.formulas.true, value))


@rule("is_none")
def _is_none(run: Reading, term: Term, env: Environment) -> Read:
    defined, value = run.read(term.args[0], env)
    return Read(defined, Truth(run.formulas.negation(want(Perhaps, value).present)))


@rule("the")
def _the(run: Reading, term: Term, env: Environment) -> Read:
    defined, value = run.read(term.args[0], env)
    option = want(Perhaps, value)
    return Read(run.formulas.both(defined, option.present), option.value)


@rule("record")
def _record(run: Reading, term: Term, env: Environment) -> Read:
    defined, parts = run.arguments(term, env)
    return Read(defined, Fields(tuple(parts)))


def _position(sort: Sort, field: object) -> int:
    return [name for name, _ in want(RecordSort, sort).fields].index(want(str, field))


@rule("field")
def _field(run: Reading, term: Term, env: Environment) -> Read:
    defined, value = run.read(term.args[0], env)
    position = _position(term.args[0].sort, term.data)
    return Read(defined, want(Fields, value).parts[position])


@rule("with_field")
def _with_field(run: Reading, term: Term, env: Environment) -> Read:
    defined, (whole, part) = run.arguments(term, env)
    parts = list(want(Fields, whole).parts)
    parts[_position(term.sort, term.data)] = part
    return Read(defined, Fields(tuple(parts)))


def _case(sort: Sort, tag: object) -> int:
    return [name for name, _ in want(VariantSort, sort).cases].index(want(str, tag))


@rule("inject")
def _inject(run: Reading, term: Term, env: Environment) -> Read:
    defined, content = run.read(term.args[0], env)
    case = _case(term.sort, term.data)
    payloads = [run.universe.void(part) for _, part in want(VariantSort, term.sort).cases]
    payloads[case] = content
    return Read(defined, Tagged(run.formulas.number(case), tuple(payloads)))


@rule("is_case")
def _is_case(run: Reading, term: Term, env: Environment) -> Read:
    defined, value = run.read(term.args[0], env)
    case = run.formulas.number(_case(term.args[0].sort, term.data))
    return Read(defined, Truth(run.formulas.same(want(Tagged, value).tag, case)))


@rule("payload")
def _payload(run: Reading, term: Term, env: Environment) -> Read:
    f = run.formulas
    defined, value = run.read(term.args[0], env)
    case, variant = _case(term.args[0].sort, term.data), want(Tagged, value)
    return Read(f.both(defined, f.same(variant.tag, f.number(case))), variant.payloads[case])


def _hits(run: Reading, sort: Sort, key: Value) -> list[Formula]:
    """Return for each key of a map the condition that it is the given one."""
    return [run.universe.same(one, key) for one in run.universe.listed(want(MapSort, sort).key)]


@rule("select")
def _select(run: Reading, term: Term, env: Environment) -> Read:
    f = run.formulas
    defined, (value, key) = run.arguments(term, env)
    hits = _hits(run, term.args[0].sort, key)
    entries = want(Table, value).entries
    if not entries:
        return Read(f.false, run.universe.void(term.sort))
    found = entries[-1]
    for hit, entry in reversed(list(zip(hits, entries, strict=True))[:-1]):
        found = run.universe.choose(hit, entry, found)
    known = run.universe.inside(want(MapSort, term.args[0].sort).key, key)
    return Read(f.both(defined, known), found)


@rule("store")
def _store(run: Reading, term: Term, env: Environment) -> Read:
    defined, (value, key, part) = run.arguments(term, env)
    hits = _hits(run, term.sort, key)
    entries = tuple(
        run.universe.choose(hit, part, entry)
        for hit, entry in zip(hits, want(Table, value).entries, strict=True)
    )
    known = run.universe.inside(want(MapSort, term.sort).key, key)
    return Read(run.formulas.both(defined, known), Table(entries))
