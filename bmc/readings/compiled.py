"""Terms as Python functions: the value reading for whoever evaluates the same terms very often.

It says what :mod:`bmc.readings.value` says (`tests/semantics/test_compiled.py` holds them against
each other on random terms) about ten times as fast. What it finds is judged by the interpreter.
A term becomes a Python expression, a long one a function of its own; nothing of a term's data but
integers and the names of variables, as literals, goes into the text. An operator without a rule
here is left to the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bmc.lang.bounds import Bound
from bmc.lang.errors import LanguageError, SortError
from bmc.lang.operator_table import BINDERS, OVER_SETS, OperatorName
from bmc.lang.sort_parts import field_index, key_index
from bmc.lang.sorts import (
    BoundedSetSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    Scalarset,
    SetSort,
    Sort,
)
from bmc.lang.terms import Term
from bmc.layout.domain import Domains, Value
from bmc.readings.compiled_calls import HELPERS
from bmc.readings.compiled_memory import Memory, Repeated
from bmc.readings.value import Evaluator

Function = Callable[..., Value]
"""Of the state, the state after (or None), and the values of the free variables that were named."""

_LONGEST = 300
"""Characters of an expression before it becomes a function: Python nests 200 brackets at most."""


class Compiler:
    """Makes functions of terms, at one choice of parameter values.

    With ``remembers`` the value of a term that loops is kept as long as one state is asked of, by
    what its free variables stand for, where :meth:`look` has found that it is asked for again:
    as a part of several terms, or of a loop's body that the loop does not change. The states that
    are given must not be changed then.
    """

    def __init__(self, domains: Domains, remembers: bool = False) -> None:
        self.domains = domains
        self._memory = Memory() if remembers else None
        self._repeated = Repeated()
        self._texts: dict[Term, str] = {}
        self._names: dict[Term, str] = {}
        self._constants: dict[tuple[type, Any], str] = {}
        self._scope: dict[str, Any] = dict(HELPERS)

    def function(self, term: Term, arguments: Sequence[Term] = ()) -> Function:
        """Return the term as a function of a state, a state after, and these free variables.

        It raises BoundTooSmall where the interpreter does. Raises LanguageError for a term with
        other free variables.
        """
        missing = term.free.difference(arguments)
        if missing:
            raise LanguageError(f"{next(iter(missing))!r} is used outside its binder")
        return self._defined(self.text(term), arguments)

    def look(self, terms: Sequence[Term], arguments: int) -> None:
        """Find out what is worth remembering in terms before functions are made of them.

        Each is asked for at all values of so many arguments, whether it reads them or not.
        """
        if self._memory is not None:
            for found in self._repeated.look(terms, arguments):
                self._texts.pop(found, None)

    def text(self, term: Term) -> str:
        """Return the term as an expression of ``s``, ``a`` and the names of its free variables."""
        found = self._texts.get(term)
        if found is None:
            found = _RULES.get(term.op, _interpreted)(self, term)
            again = self._memory is not None and term in self._repeated.terms
            if len(found) > _LONGEST or (again and term.op in BINDERS):
                free = sorted(term.free, key=self.name)
                name = f"t{len(self._scope)}"
                made = self._defined(found, free)
                self._scope[name] = self._memory.keeping(made) if self._memory and again else made
                found = f"{name}({', '.join(['s', 'a', *map(self.name, free)])})"
            self._texts[term] = found
        return found

    def name(self, variable: Term) -> str:
        """Return what a bound variable is called in the text."""
        return self._names.setdefault(variable, f"v{len(self._names)}")

    def constant(self, value: Any) -> str:
        """Return the name under which the text reads a value."""
        key = (type(value), id(value))
        if key not in self._constants:
            name = self._constants[key] = f"k{len(self._scope)}"
            self._scope[name] = value
        return self._constants[key]

    def _defined(self, text: str, arguments: Sequence[Term]) -> Function:
        names = ", ".join(["s", "a", *map(self.name, arguments)])
        made: Function = eval(f"lambda {names}: {text}", self._scope)
        return made


Rule = Callable[[Compiler, Term], str]
_RULES: dict[OperatorName, Rule] = {}


def _rule(*ops: OperatorName) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        for op in ops:
            _RULES[op] = rule
        return rule

    return register


def _written(form: str) -> Rule:
    """A rule that puts the arguments' texts into a form."""
    return lambda c, term: form.format(*(c.text(child) for child in term.args))


_RULES |= {
    "not": _written("(not {})"),
    "implies": _written("((not {}) or {})"),
    "eq": _written("({} == {})"),
    "le": _written("({} <= {})"),
    "lt": _written("({} < {})"),
    "add": _written("({} + {})"),
    "sub": _written("({} - {})"),
    "mul": _written("({} * {})"),
    "some": _written("{}"),
    "is_none": _written("({} is None)"),
    "remove": _written("({} - {{{}}})"),
    "intersection": _written("({} & {})"),
    "difference": _written("({} - {})"),
    "subset": _written("({} <= {})"),
    "member": _written("({} in {})"),
    "size": _written("len({})"),
}


@_rule("bool", "int", "enum", "none")
def _literal(c: Compiler, term: Term) -> str:
    value = term.data if term.op != "none" else None
    return c.constant(value) if isinstance(value, str) else f"({value!r})"


@_rule("bound")
def _bound(c: Compiler, term: Term) -> str:
    assert isinstance(term.data, Bound)
    return f"({term.data.at(c.domains.parameters)})"


@_rule("variable")
def _variable(c: Compiler, term: Term) -> str:
    data: Any = term.data
    name, primed = data
    return f"_after(a, {name!r})" if primed else f"s[{name!r}]"


@_rule("bound_variable")
def _bound_variable(c: Compiler, term: Term) -> str:
    return c.name(term)


@_rule("and")
def _and(c: Compiler, term: Term) -> str:
    return f"({' and '.join(map(c.text, term.args)) or 'True'})"


@_rule("or")
def _or(c: Compiler, term: Term) -> str:
    return f"({' or '.join(map(c.text, term.args)) or 'False'})"


@_rule("ite")
def _ite(c: Compiler, term: Term) -> str:
    condition, then, otherwise = map(c.text, term.args)
    return f"({then} if {condition} else {otherwise})"


@_rule("div", "mod")
def _divided(c: Compiler, term: Term) -> str:
    dividend, divisor = map(c.text, term.args)
    sign = "//" if term.op == "div" else "%"
    return f"({dividend} {sign} _positive({divisor}, {c.constant(term)}))"


@_rule("narrow")
def _narrow(c: Compiler, term: Term) -> str:
    return _fitting(c, term.sort, c.text(term.args[0]), term.args[0])


def _fitting(c: Compiler, sort: Sort, text: str, term: Term) -> str:
    """What raises BoundTooSmall where a value is outside the sort."""
    if isinstance(sort, IntSort):
        low, high = c.domains.range(sort)
        return f"_ranged({text}, {low}, {high}, {c.constant(sort)}, {c.constant(term)})"
    return f"_fits({c.constant(c.domains)}, {c.constant(sort)}, {text}, {c.constant(term)})"


def _with_room(c: Compiler, text: str, term: Term) -> str:
    """What raises BoundTooSmall where a set is too large.

    Its elements are those of sets of its sort, and terms of its element's sort, which fit.
    """
    if isinstance(term.sort, KeyedSetSort):
        # Two elements may have one key.
        return _fitting(c, term.sort, text, term)
    if not isinstance(term.sort, BoundedSetSort):
        return text
    capacity = term.sort.capacity.at(c.domains.parameters)
    return f"_roomy({text}, {capacity}, {c.constant(term)})"


def _values(c: Compiler, variable: Term) -> str:
    try:
        return c.constant(c.domains.values(variable.sort))
    except SortError:
        # Too many to list: so it is said where they are wanted, if they ever are.
        return f"{c.constant(c.domains)}.values({c.constant(variable.sort)})"


def _each(c: Compiler, term: Term) -> tuple[str, str, str]:
    """The variable, what it ranges over, and the body of a binder."""
    variable = term.args[0]
    ranged = len(term.args) == 3 and term.op in OVER_SETS
    domain = c.text(term.args[1]) if ranged else _values(c, variable)
    return c.name(variable), domain, c.text(term.args[-1])


@_rule("lambda", "forall", "exists", "union_of")
def _binder(c: Compiler, term: Term) -> str:
    # Lists, not generators: whether a term has a value must not depend on an order of values.
    name, domain, body = _each(c, term)
    listed = f"[{body} for {name} in {domain}]"
    match term.op:
        case "forall":
            return f"all({listed})"
        case "exists":
            return f"any({listed})"
        case "lambda":
            return f"tuple({listed})"
        case _:
            return _with_room(c, f"frozenset().union(*{listed})", term)


@_rule("filter")
def _filter(c: Compiler, term: Term) -> str:
    name, domain, body = _each(c, term)
    return f"frozenset([{name} for {name} in {domain} if {body}])"


@_rule("choose")
def _choose(c: Compiler, term: Term) -> str:
    name, domain, body = _each(c, term)
    return f"_chosen([{name} for {name} in {domain} if {body}], {c.constant(term)})"


@_rule("last", "first")
def _extreme(c: Compiler, term: Term) -> str:
    variable, body, default = term.args
    name, position = c.name(variable), -1 if term.op == "last" else 0
    found = f"[{name} for {name} in {_values(c, variable)} if {c.text(body)}]"
    return f"_extreme({found}, {position}, lambda: {c.text(default)})"


@_rule("append", "at", "tail", "take")
def _sequence(c: Compiler, term: Term) -> str:
    texts = list(map(c.text, term.args))
    if term.op == "append":
        return _fitting(c, term.sort, f"(*{texts[0]}, {texts[1]})", term)
    return f"_{term.op}({', '.join(texts)}, {c.constant(term)})"


@_rule("empty")
def _empty(c: Compiler, term: Term) -> str:
    return c.constant(c.domains.default(term.sort))


@_rule("full")
def _full(c: Compiler, term: Term) -> str:
    assert isinstance(term.sort, SetSort)
    return c.constant(frozenset(c.domains.values(term.sort.element)))


@_rule("insert")
def _insert(c: Compiler, term: Term) -> str:
    collection, element = map(c.text, term.args)
    if isinstance(term.sort, KeyedSetSort):
        index, sort = key_index(term.sort), c.constant(term.sort)
        inserted = f"_keyed({collection}, {element}, {index}, {sort})"
    else:
        inserted = f"({collection} | {{{element}}})"
    return _with_room(c, inserted, term)


@_rule("union")
def _union(c: Compiler, term: Term) -> str:
    left, right = map(c.text, term.args)
    return _with_room(c, f"({left} | {right})", term)


@_rule("lookup")
def _lookup(c: Compiler, term: Term) -> str:
    sort = term.args[0].sort
    assert isinstance(sort, KeyedSetSort)
    collection, key = map(c.text, term.args)
    return f"_lookup({collection}, {key}, {key_index(sort)})"


@_rule("the")
def _the(c: Compiler, term: Term) -> str:
    return f"_the({c.text(term.args[0])}, {c.constant(term)})"


@_rule("record")
def _record(c: Compiler, term: Term) -> str:
    return f"({''.join(c.text(child) + ', ' for child in term.args)})"


@_rule("field")
def _field(c: Compiler, term: Term) -> str:
    return f"{c.text(term.args[0])}[{field_index(term.args[0].sort, term.data)}]"


@_rule("with_field")
def _with_field(c: Compiler, term: Term) -> str:
    whole, part = map(c.text, term.args)
    return f"_with({whole}, {field_index(term.sort, term.data)}, {part})"


@_rule("inject")
def _inject(c: Compiler, term: Term) -> str:
    return f"({c.constant(term.data)}, {c.text(term.args[0])})"


@_rule("is_case")
def _is_case(c: Compiler, term: Term) -> str:
    return f"({c.text(term.args[0])}[0] == {c.constant(term.data)})"


@_rule("payload")
def _payload(c: Compiler, term: Term) -> str:
    return f"_payload({c.text(term.args[0])}, {c.constant(term.data)}, {c.constant(term)})"


@_rule("select")
def _select(c: Compiler, term: Term) -> str:
    collection, key = map(c.text, term.args)
    sort = term.args[0].sort
    assert isinstance(sort, MapSort)
    return f"_select({collection}, {_index(c, sort, key)}, {c.constant(term)})"


@_rule("store")
def _store(c: Compiler, term: Term) -> str:
    collection, key, part = map(c.text, term.args)
    assert isinstance(term.sort, MapSort)
    return f"_store({collection}, {_index(c, term.sort, key)}, {part}, {c.constant(term)})"


def _index(c: Compiler, sort: MapSort, key: str) -> str:
    """The position of a key, -1 or beyond the end for one that is outside its sort."""
    if isinstance(sort.key, IntSort | Scalarset):
        low, _ = c.domains.range(sort.key)
        return f"({key} - {low})" if low else key
    return f"{c.constant(c.domains.positions(sort.key))}.get({key}, -1)"


def _interpreted(c: Compiler, term: Term) -> str:
    """An operator that has no rule here has the value that the interpreter gives it."""
    free = sorted(term.free, key=c.name)
    bound = ", ".join(f"{c.constant(one)}: {c.name(one)}" for one in free)
    return f"{c.constant(Evaluator(c.domains))}.evaluate({c.constant(term)}, s, {{{bound}}}, a)"
