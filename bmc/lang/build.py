"""How the terms of the language's words are made, besides Python's operators.

A protocol calls these as :mod:`bmc.lang` has them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import ismethod, signature, unwrap
from typing import TYPE_CHECKING

from bmc.lang.advice import shown
from bmc.lang.errors import SortError
from bmc.lang.operator_table import OperatorName
from bmc.lang.scope import scope
from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import (
    BOOL,
    AnySet,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
    require_enumerable,
    require_sort,
)
from bmc.lang.terms import (
    Expr,
    Operand,
    Term,
    boolean,
    coerce,
    common_identity,
    integer,
    is_set,
    lift,
    make,
    term_of,
    truth,
    unify,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_depth: ContextVar[int] = ContextVar("binder depth", default=0)


TRUE = truth(True)
FALSE = truth(False)


def conj(*parts: Operand) -> Term:
    """``/\\``: conjunction, left to right (a part is read only where those before it hold)."""
    if not parts:
        return truth(True)
    return make("and", (boolean(p) for p in parts), BOOL) if len(parts) > 1 else boolean(parts[0])


def disj(*parts: Operand) -> Term:
    """``\\/``: disjunction, left to right (a part is read only where those before it fail)."""
    if not parts:
        return truth(False)
    return make("or", (boolean(p) for p in parts), BOOL) if len(parts) > 1 else boolean(parts[0])


def implies(premise: Operand, conclusion: Operand) -> Term:
    """``=>``; the conclusion is read only where the premise holds."""
    return make("implies", (boolean(premise), boolean(conclusion)), BOOL)


def ite(condition: Operand, then: Operand, otherwise: Operand) -> Term:
    """``IF condition THEN then ELSE otherwise``; only the branch taken is read."""
    if not isinstance(then, Expr) and isinstance(otherwise, Expr):
        b, a = unify(term_of(otherwise), then)
    elif isinstance(then, str | None):
        raise SortError(
            f"of ite(…, {shown(then)}, {shown(otherwise)}) nothing says the sort: write "
            f"ite(…, coerce({shown(then)}, sort), {shown(otherwise)}) with the sort that is meant"
        )
    else:
        a, b = unify(lift(then), otherwise)
    sort = a.sort
    if isinstance(sort, IntSort) and a.sort != b.sort:
        sort = common_identity(a, b)
    return make("ite", (boolean(condition), a, b), sort)


def minimum(left: Operand, right: Operand) -> Term:
    """``Min({left, right})``."""
    a, b = integer(left), integer(right)
    return ite(_at_most(a, b), a, b)


def maximum(left: Operand, right: Operand) -> Term:
    """``Max({left, right})``."""
    a, b = integer(left), integer(right)
    return ite(_at_most(a, b), b, a)


def _at_most(a: Term, b: Term) -> Term:
    common_identity(a, b)
    return make("le", (a, b), BOOL)


def some(value: Expr) -> Term:
    """``value`` as a present option."""
    sort = term_of(value).sort
    if isinstance(sort, IntSort) and not sort.bounded:
        raise SortError(f"{term_of(value)!r} has no range: an option of it is made by assigning it")
    return make("some", (term_of(value),), OptionSort(sort))


def is_none(option: Expr) -> Term:
    """Whether an option holds nothing."""
    if not isinstance(term_of(option).sort, OptionSort):
        raise SortError(f"{term_of(option)!r} is a {term_of(option).sort}, not an option")
    return make("is_none", (term_of(option),), BOOL)


def is_some(option: Expr) -> Term:
    """Whether an option holds a value."""
    return make("not", (is_none(option),), BOOL)


def the(option: Expr) -> Term:
    """The value of an option; partial: reported where there is none."""
    sort = term_of(option).sort
    if not isinstance(sort, OptionSort):
        raise SortError(f"{term_of(option)!r} is a {sort}, not an option")
    return make("the", (term_of(option),), sort.inner)


def record(sort: Sort, /, **fields: Operand) -> Term:
    """``[field |-> value, …]``; every field is given."""
    if not isinstance(sort, RecordSort):
        raise SortError(f"{sort} is not a record sort")
    missing = [name for name, _ in sort.fields if name not in fields]
    for name in fields:
        sort.field(name)
    if missing:
        raise SortError(f"a {sort.name} also needs {', '.join(missing)}")
    return make("record", (coerce(fields[name], part) for name, part in sort.fields), sort)


def inject(sort: Sort, tag: str, payload: Operand) -> Term:
    """A variant's value."""
    if not isinstance(sort, VariantSort):
        raise SortError(f"{sort} is not a variant sort")
    return make("inject", (coerce(payload, sort.case(tag)),), sort, tag)


def is_case(value: Expr, tag: str) -> Term:
    """Whether a variant is of the given case."""
    sort = term_of(value).sort
    if not isinstance(sort, VariantSort):
        raise SortError(f"{term_of(value)!r} is a {sort}, not a variant")
    sort.case(tag)
    return make("is_case", (term_of(value),), BOOL, tag)


def payload(value: Expr, tag: str) -> Term:
    """A variant's payload; partial: reported where the case is another."""
    sort = term_of(value).sort
    if not isinstance(sort, VariantSort):
        raise SortError(f"{term_of(value)!r} is a {sort}, not a variant")
    return make("payload", (term_of(value),), sort.case(tag), tag)


def empty(sort: Sort) -> Term:
    """The empty set or sequence of a sort."""
    require_sort(sort, "empty")
    if not is_set(sort) and not isinstance(sort, SequenceSort):
        raise SortError(f"a {sort} is never empty")
    return make("empty", (), sort)


def everything(sort: Sort) -> Term:
    """The set of all values of a scalar sort (a constant set such as ``Replicas``)."""
    require_sort(sort, "everything")
    require_enumerable(sort, "a set's element", sets=True)
    return make("full", (), SetSort(sort))


def one(element: Expr) -> Term:
    """``{element}``, a set with a bit an element."""
    sort = SetSort(term_of(element).sort)
    return make("insert", (make("empty", (), sort), term_of(element)), sort)


def insert(collection: Expr, element: Operand) -> Term:
    """``collection \\union {element}``; a full container or a taken key is reported."""
    sort = term_of(collection).sort
    if not isinstance(sort, AnySet):
        raise SortError(f"{term_of(collection)!r} is a {sort}, not a set")
    return make("insert", (term_of(collection), coerce(element, sort.element)), sort)


def remove(collection: Expr, element: Operand) -> Term:
    """``collection \\ {element}``."""
    sort = term_of(collection).sort
    if not isinstance(sort, AnySet):
        raise SortError(f"{term_of(collection)!r} is a {sort}, not a set")
    return make("remove", (term_of(collection), coerce(element, sort.element)), sort)


def member(element: Operand, collection: Expr) -> Term:
    """``element \\in collection``."""
    sort = term_of(collection).sort
    if not isinstance(sort, AnySet):
        raise SortError(f"{term_of(collection)!r} is a {sort}, not a set")
    optional = isinstance(element, Expr) and isinstance(term_of(element).sort, OptionSort)
    if optional and not isinstance(sort.element, OptionSort):
        inner = lift(element)
        return conj(is_some(inner), member(the(inner), collection))
    return make("member", (coerce(element, sort.element), term_of(collection)), BOOL)


def lookup(collection: Expr, key: Operand) -> Term:
    """The record a keyed set holds under ``key``, or none."""
    sort = term_of(collection).sort
    if not isinstance(sort, KeyedSetSort):
        raise SortError(f"{term_of(collection)!r} is a {sort}, not a set with a key")
    found = OptionSort(sort.element)
    return make("lookup", (term_of(collection), coerce(key, sort.key_sort)), found)


def size(collection: Expr) -> Term:
    """``Cardinality`` of a set, or ``Len`` of a sequence."""
    sort = term_of(collection).sort
    if not is_set(sort) and not isinstance(sort, SequenceSort):
        raise SortError(
            f"{term_of(collection)!r} is a {sort}: it has no size; sets and sequences have one"
        )
    return make("size", (term_of(collection),), IntSort(""))


def append(sequence: Expr, element: Operand) -> Term:
    """``Append(sequence, element)``; a full sequence is reported."""
    sort = _sequence(sequence)
    return make("append", (term_of(sequence), coerce(element, sort.element)), sort)


def at(sequence: Expr, index: Operand) -> Term:
    """The element at ``index``, counted from 0; partial beyond the length."""
    sort = _sequence(sequence)
    return make("at", (term_of(sequence), integer(index)), sort.element)


def tail(sequence: Expr) -> Term:
    """``Tail(sequence)``; partial on the empty sequence."""
    return make("tail", (term_of(sequence),), _sequence(sequence))


def take(sequence: Expr, length: Operand) -> Term:
    """The first ``length`` elements; partial when there are fewer."""
    return make("take", (term_of(sequence), integer(length)), _sequence(sequence))


def _sequence(sequence: Expr) -> SequenceSort:
    sort = term_of(sequence).sort
    if not isinstance(sort, SequenceSort):
        raise SortError(f"{term_of(sequence)!r} is a {sort}, not a sequence")
    return sort


def binder_depth() -> int:
    """Return how many binders are open around the terms that are being made."""
    return _depth.get()


@contextmanager
def _bound(sort: Sort, body: Callable[..., object]) -> Iterator[Term]:
    level = _depth.get()
    written = unwrap(body)
    code, first = getattr(written, "__code__", None), int(ismethod(written))
    _require_one_argument(body)
    name = code.co_varnames[first] if code is not None and code.co_argcount > first else "x"
    # A front end's binders have the names of its text.
    name = getattr(body, "binds", name)
    token = _depth.set(level + 1)
    variable = bound_variable(name, level, sort)
    try:
        with scope(f"the binder of {name}", variable):
            yield variable
    finally:
        _depth.reset(token)


def _require_one_argument(body: object) -> None:
    """SortError unless a binder's body is a function of one argument."""
    if not callable(body) or isinstance(body, Expr):
        raise SortError(
            "the body of a binder is a function of what it binds: forall(Sort, lambda x: …)"
        )
    try:
        signature(body).bind(None)
    except TypeError:
        taken = ", ".join(signature(body).parameters)
        raise SortError(
            f"the body of a binder takes what it binds, one argument, and this takes ({taken}): "
            "write forall(Sort, lambda x: …), and one binder inside another for two"
        ) from None
    except ValueError:
        # Some functions that are not written in Python do not tell.
        return


def bound_variable(name: str, level: int, sort: Sort) -> Term:
    """The variable a binder at nesting ``level`` introduces."""
    return make("bound_variable", (), sort, (level, name))


def argument(name: str, sort: Sort) -> Term:
    """An action's or property's argument: a variable bound outside every other binder."""
    return make("bound_variable", (), sort, (-1, name))


Domain = Sort | Expr
"""What a binder runs over: a scalar sort, or a set in a state."""


def _bind(op: OperatorName, domain: Domain, body: Callable[[Term], Operand], sort: Sort) -> Term:
    if not isinstance(domain, Expr):
        require_sort(domain, "a binder")
    if isinstance(domain, Sort):
        require_enumerable(domain, "what a binder runs over", sets=True)
        with _bound(domain, body) as variable:
            return make(op, (variable, boolean(body(variable))), sort)
    collection = term_of(domain)
    if not isinstance(collection.sort, AnySet):
        raise SortError(f"a binder runs over a sort or a set, not over {collection!r}")
    with _bound(collection.sort.element, body) as variable:
        return make(op, (variable, collection, boolean(body(variable))), sort)


def forall(domain: Domain, body: Callable[[Term], Operand]) -> Term:
    """``\\A x \\in domain : body(x)``."""
    return _bind("forall", domain, body, BOOL)


def exists(domain: Domain, body: Callable[[Term], Operand]) -> Term:
    """``\\E x \\in domain : body(x)``."""
    return _bind("exists", domain, body, BOOL)


def filtered(domain: Domain, body: Callable[[Term], Operand]) -> Term:
    """``{x \\in domain : body(x)}`` as a set with a bit an element."""
    return _bind("filter", domain, body, SetSort(_a_sort("filtered", domain)))


def _a_sort(word: str, domain: Domain) -> Sort:
    """The sort that a word runs over; SortError where it is a set of a state."""
    if isinstance(domain, Expr):
        element = getattr(term_of(domain).sort, "element", "Sort")
        raise SortError(
            f"{word} runs over a sort, and this is a set of a state: write "
            f"{word}({element}, lambda x: member(x, set) & …), or forall and exists over the set"
        )
    require_sort(domain, word)
    return domain


def union_of(domain: Domain, body: Callable[[Term], Operand], sort: Sort) -> Term:
    """``UNION {body(x) : x \\in domain}``, of sets of one ``sort``: how many are added at once.

    The domain is a sort or a set in a state, so that ``union_of(s.sent, lambda m: ite(p(m),
    insert(empty(T), f(m)), empty(T)), T)`` is ``{f(m) : m \\in {m \\in sent : p(m)}}``. In a set
    with a key, different records under one key are reported; so are more elements than a bounded
    set can hold.
    """
    if not is_set(sort):
        raise SortError(f"union_of makes a set, not a {sort}")
    if isinstance(domain, Sort):
        require_enumerable(domain, "what a binder runs over", sets=True)
        with _bound(domain, body) as variable:
            return make("union_of", (variable, coerce(body(variable), sort)), sort)
    collection = term_of(domain)
    if not isinstance(collection.sort, AnySet):
        raise SortError(f"a binder runs over a sort or a set, not over {collection!r}")
    with _bound(collection.sort.element, body) as variable:
        return make("union_of", (variable, collection, coerce(body(variable), sort)), sort)


def choose(domain: Sort, body: Callable[[Term], Operand]) -> Term:
    """``CHOOSE x \\in domain : body(x)``: the least such value; partial where there is none.

    Refused over scalarsets: a fixed choice among interchangeable values breaks their symmetry.
    """
    if symmetric_parts(_a_sort("choose", domain)):
        raise SortError(
            f"CHOOSE over {domain} would break its symmetry: no member of it is the least. Take "
            "the member as an argument of the action, and require of it what holds of it"
        )
    return _bind("choose", domain, body, domain)


def last(domain: IntSort, body: Callable[[Term], Operand], otherwise: Operand) -> Term:
    """The greatest ``x`` of an integer sort with ``body(x)``, else ``otherwise``."""
    return _extreme("last", domain, body, otherwise)


def first(domain: IntSort, body: Callable[[Term], Operand], otherwise: Operand) -> Term:
    """The least ``x`` of an integer sort with ``body(x)``, else ``otherwise``."""
    return _extreme("first", domain, body, otherwise)


def _extreme(
    op: OperatorName, domain: IntSort, body: Callable[[Term], Operand], otherwise: Operand
) -> Term:
    if not isinstance(_a_sort(op, domain), IntSort):
        raise SortError(f"{op} runs over numbers, and {domain} has none")
    domain.range()
    default = integer(otherwise)
    with _bound(domain, body) as variable:
        sort = common_identity(variable, default)
        return make(op, (variable, boolean(body(variable)), default), sort)


def mapping(domain: Sort, value: Callable[[Term], Operand], sort: Sort) -> Term:
    """``[x \\in domain |-> value(x)]``, a map to ``sort``."""
    require_sort(domain, "mapping")
    with _bound(domain, value) as variable:
        return make("lambda", (variable, coerce(value(variable), sort)), MapSort(domain, sort))
