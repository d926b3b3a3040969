"""Rules for scalars, records, options, variants, connectives and binders."""

from __future__ import annotations

from typing import Any

from bmc.lang.bounds import Bound
from bmc.lang.sort_parts import case_index, field_index
from bmc.lang.sorts import (
    BitSet,
    CountedSet,
    EnumSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalar,
    SequenceSort,
    VariantSort,
    unknown_sort,
)
from bmc.lang.terms import Term
from bmc.readings.quantified.formulas import (
    FALSE,
    TRUE,
    add,
    and_,
    eq,
    implies,
    ite,
    le,
    lt,
    not_,
    number,
    or_,
    sub,
    total,
    truth,
)
from bmc.readings.quantified.reader import Environment, Read, Reader, rule, truth_of
from bmc.readings.quantified.structures import (
    ABSENT,
    Alternatives,
    Fields,
    Function,
    Indexed,
    NotQuantified,
    Optional,
    Structure,
    merge,
)
from bmc.readings.quantified.vocabulary import every, some


@rule("bool", "int", "enum", "bound", "none", "empty", "full")
def _constant(x: Reader, term: Term, env: Environment) -> Read:
    data: Any = term.data
    match term.op:
        case "bool":
            return Read(truth(data), TRUE)
        case "int":
            return Read(number(data), TRUE)
        case "bound":
            assert isinstance(data, Bound)
            return Read(x.vocabulary.bound(data), TRUE)
        case "enum":
            assert isinstance(term.sort, EnumSort)
            return Read(number(term.sort.values.index(data)), TRUE)
        case "none":
            return Read(Optional(FALSE, ABSENT), TRUE)
        case "full":
            return Read(Function(lambda element: TRUE), TRUE)
    sort = term.sort
    match sort:
        case _ if isinstance(sort, BitSet):
            return Read(Function(lambda element: FALSE), TRUE)
        case KeyedSetSort():
            return Read(Function(lambda key: Optional(FALSE, ABSENT)), TRUE)
        case SequenceSort():
            return Read(Indexed(number(0), Function(lambda index: ABSENT)), TRUE)
        case _ if isinstance(sort, CountedSet):
            raise NotQuantified(f"an empty {sort} holds a number of elements: a cardinality")
        case _ if isinstance(sort, Scalar | OptionSort | RecordSort | VariantSort | MapSort):
            raise NotQuantified(f"{sort} has no empty value")
        case _:
            unknown_sort(sort)


@rule("variable")
def _variable(x: Reader, term: Term, env: Environment) -> Read:
    key: Any = term.data
    if key not in x.variables:
        raise NotQuantified(f"{term!r} has no value here: only a step invariant reads it")
    return Read(x.variables[key], TRUE)


@rule("bound_variable")
def _bound_variable(x: Reader, term: Term, env: Environment) -> Read:
    if term not in env:
        raise NotQuantified(f"{term!r} is used outside its binder")
    return Read(env[term], TRUE)


@rule("not")
def _not(x: Reader, term: Term, env: Environment) -> Read:
    part = x.read(term.args[0], env)
    return Read(not_(truth_of(part.value)), part.defined)


@rule("and", "or", "implies")
def _connective(x: Reader, term: Term, env: Environment) -> Read:
    values, reached, defined = [], TRUE, []
    for i, child in enumerate(term.args):
        part = x.read(child, env)
        value = truth_of(part.value)
        value = not_(value) if term.op == "implies" and i == 0 else value
        defined.append(implies(reached, part.defined))
        values.append(value)
        reached = and_(reached, value if term.op == "and" else not_(value))
    joined = and_(*values) if term.op == "and" else or_(*values)
    return Read(joined, and_(*defined))


@rule("ite")
def _ite(x: Reader, term: Term, env: Environment) -> Read:
    condition, then, otherwise = (x.read(child, env) for child in term.args)
    test = truth_of(condition.value)
    value = merge(test, then.value, otherwise.value)
    return Read(value, and_(condition.defined, ite(test, then.defined, otherwise.defined)))


@rule("eq")
def _eq(x: Reader, term: Term, env: Environment) -> Read:
    (left, right), defined = x.all(term, env)
    return Read(x.vocabulary.equal(term.args[0].sort, left, right), defined)


@rule("le", "lt", "add", "sub")
def _integers(x: Reader, term: Term, env: Environment) -> Read:
    (left, right), defined = x.all(term, env)
    if left is ABSENT or right is ABSENT:
        return Read(FALSE if term.op in ("le", "lt") else ABSENT, defined)
    return Read({"le": le, "lt": lt, "add": add, "sub": sub}[term.op](left, right), defined)


@rule("mul")
def _mul(x: Reader, term: Term, env: Environment) -> Read:
    (left, right), defined = x.all(term, env)
    if left is ABSENT or right is ABSENT:
        return Read(ABSENT, defined)
    for one, other in ((left, right), (right, left)):
        if one.op == "int":
            return Read(total(((one.data, other),)), defined)
    raise NotQuantified(
        f"{term!r} is a product of two terms, which no solver decides for all sizes"
    )


@rule("narrow")
def _narrow(x: Reader, term: Term, env: Environment) -> Read:
    (value,), defined = x.all(term, env)
    return Read(value, and_(defined, x.vocabulary.inside(term.sort, value)))


@rule("some")
def _some(x: Reader, term: Term, env: Environment) -> Read:
    (inner,), defined = x.all(term, env)
    return Read(Optional(TRUE, inner), defined)


@rule("is_none")
def _is_none(x: Reader, term: Term, env: Environment) -> Read:
    (option,), defined = x.all(term, env)
    return Read(FALSE if option is ABSENT else not_(option.present), defined)


@rule("the")
def _the(x: Reader, term: Term, env: Environment) -> Read:
    (option,), defined = x.all(term, env)
    if option is ABSENT:
        return Read(ABSENT, defined)
    return Read(option.content, and_(defined, option.present))


@rule("record")
def _record(x: Reader, term: Term, env: Environment) -> Read:
    parts, defined = x.all(term, env)
    return Read(Fields(tuple(parts)), defined)


@rule("field")
def _field(x: Reader, term: Term, env: Environment) -> Read:
    (whole,), defined = x.all(term, env)
    if whole is ABSENT:
        return Read(ABSENT, defined)
    return Read(whole.parts[field_index(term.args[0].sort, term.data)], defined)


@rule("with_field")
def _with_field(x: Reader, term: Term, env: Environment) -> Read:
    (whole, part), defined = x.all(term, env)
    if whole is ABSENT:
        return Read(ABSENT, defined)
    index = field_index(term.sort, term.data)
    return Read(Fields((*whole.parts[:index], part, *whole.parts[index + 1 :])), defined)


@rule("inject")
def _inject(x: Reader, term: Term, env: Environment) -> Read:
    (content,), defined = x.all(term, env)
    assert isinstance(term.sort, VariantSort)
    chosen = case_index(term.sort, term.data)
    contents: list[Structure] = [ABSENT] * len(term.sort.cases)
    contents[chosen] = content
    return Read(Alternatives(number(chosen), tuple(contents)), defined)


@rule("is_case", "payload")
def _case(x: Reader, term: Term, env: Environment) -> Read:
    (value,), defined = x.all(term, env)
    if value is ABSENT:
        return Read(FALSE if term.op == "is_case" else ABSENT, defined)
    index = case_index(term.args[0].sort, term.data)
    is_it = eq(value.tag, number(index))
    if term.op == "is_case":
        return Read(is_it, defined)
    return Read(value.contents[index], and_(defined, is_it))


@rule("lambda", "filter")
def _lambda(x: Reader, term: Term, env: Environment) -> Read:
    bound, body = term.args
    defined = every(
        (one, x.read(body, {**env, bound: one.structure}).defined)
        for one in x.elements(term, env)[0]
    )

    def value(key: Structure) -> Structure:
        found = x.read(body, {**env, bound: key}).value
        return truth_of(found) if term.op == "filter" else found

    return Read(Function(value), defined)


@rule("forall", "exists")
def _quantifier(x: Reader, term: Term, env: Environment) -> Read:
    bound, body = term.args[0], term.args[-1]
    found, defined = x.elements(term, env)
    parts = [(one, x.read(body, {**env, bound: one.structure})) for one in found]
    quantify = every if term.op == "forall" else some
    joined = quantify((one, truth_of(part.value)) for one, part in parts)
    return Read(joined, and_(defined, every((one, part.defined) for one, part in parts)))


@rule("choose", "last", "first")
def _extreme(x: Reader, term: Term, env: Environment) -> Read:
    bound, body = term.args[:2]
    defined = every(
        (one, x.read(body, {**env, bound: one.structure}).defined)
        for one in x.elements(term, env)[0]
    )
    found = x.extreme("last" if term.op == "last" else "first", bound, env, body)
    if term.op == "choose":
        return Read(found.value, and_(defined, found.found))
    otherwise = x.read(term.args[2], env)
    value = merge(found.found, found.value, otherwise.value)
    return Read(value, and_(defined, or_(found.found, otherwise.defined)))
