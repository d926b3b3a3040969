"""Planting a fault in the expansion from terms to circuits, and a model to try it on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bmc.lang import (
    BOOL,
    BoundedSet,
    Integer,
    OptionSort,
    Protocol,
    Record,
    Sequence,
    State,
    Step,
    Term,
    Variable,
    action,
    empty,
    everything,
    inject,
    mapping,
    one_of,
    record,
)
from bmc.lang.operator_table import OperatorName
from bmc.lang.sorts import KeyedSetSort, MapSort, SetSort, Variant
from bmc.lang.terms import make, term_of
from bmc.readings.expand.expander import RULES, Environment, Expanded, Expander, Rule

Count = Integer("Count", 0, 2)
Pair = Record("Pair", a=Count, b=Count)
Kind = Variant("Kind", A=Count, B=BOOL)
Counts = SetSort(Count)


class Probe(Protocol):
    """A variable of each kind; nothing is known of them."""

    flag = Variable(BOOL)
    n = Variable(Count)
    m = Variable(Count)
    opt = Variable(OptionSort(Count))
    rec = Variable(Pair)
    kind = Variable(Kind)
    table = Variable(MapSort(Count, Count))
    bits = Variable(Counts)
    more = Variable(Counts)
    keyed = Variable(KeyedSetSort(Pair, "a"))
    loose = Variable(BoundedSet(Count, 1))
    row = Variable(Sequence(Count, 2))

    @action()
    def Init(self, s: Step) -> None:
        s.flag, s.n, s.m, s.opt = False, 0, 0, None
        s.rec = record(Pair, a=0, b=0)
        s.kind = inject(Kind, "A", 0)
        s.table = mapping(Count, lambda x: x, Count)
        s.bits, s.more = empty(Counts), everything(Count)
        s.keyed = empty(KeyedSetSort(Pair, "a"))
        s.loose = empty(BoundedSet(Count, 1))
        s.row = empty(Sequence(Count, 2))

    @action()
    def Stay(self, s: Step) -> None:
        s.require(s.flag)

    Next = one_of(Stay)


Claim = Callable[[State], Term]
Wrong = Callable[[Rule, Expander, Term, Environment], Expanded]


@dataclass(frozen=True)
class Fault:
    """``wrong`` in the place of the rules of ``ops``, and a claim that is judged wrongly then."""

    name: str
    ops: tuple[OperatorName, ...]
    wrong: Wrong
    claim: Claim

    @contextmanager
    def planted(self) -> Iterator[None]:
        """Expand with the fault inside the context."""
        before = {op: RULES[op] for op in self.ops}
        for op, rule in before.items():
            RULES[op] = lambda x, term, env, rule=rule: self.wrong(rule, x, term, env)
        try:
            yield
        finally:
            RULES.update(before)


def argument(number: int) -> Wrong:
    """The operator is one of its own arguments."""
    return lambda rule, x, term, env: x.expand(term.args[number], env)


def instead(op: OperatorName, change: Callable[[tuple[Term, ...]], Any] = lambda a: a) -> Wrong:
    """Another operator, or other arguments of the same one."""

    def wrong(rule: Rule, x: Expander, term: Term, env: Environment) -> Expanded:
        other = make(op, change(term.args), term.sort, term.data)
        return (rule if op == term.op else RULES[op])(x, other, env)

    return wrong


def always_defined(rule: Rule, x: Expander, term: Term, env: Environment) -> Expanded:
    return Expanded(rule(x, term, env).shape, x.circuit.true)


def strict(rule: Rule, x: Expander, term: Term, env: Environment) -> Expanded:
    """All arguments are read, whatever the first ones are."""
    return Expanded(rule(x, term, env).shape, x.all(term, env)[1])


def constant(value: bool) -> Wrong:
    return lambda rule, x, term, env: Expanded(
        x.circuit.true if value else x.circuit.false, rule(x, term, env).defined
    )


def one_more(rule: Rule, x: Expander, term: Term, env: Environment) -> Expanded:
    found = rule(x, term, env)
    return Expanded(x.circuit.add(found.shape, x.circuit.number(1)), found.defined)


def one_too_few(rule: Rule, x: Expander, term: Term, env: Environment) -> Expanded:
    """A binder leaves out the last of what it runs over."""
    whole = x.shapes.constants
    x.shapes.constants = lambda sort: whole(sort)[:-1]  # type: ignore[method-assign]
    try:
        found = rule(x, term, env)
    finally:
        x.shapes.constants = whole  # type: ignore[method-assign]
    if term.op == "filter":
        return Expanded((*found.shape, x.circuit.false), found.defined)
    return found


def first_part(rule: Rule, x: Expander, term: Term, env: Environment) -> Expanded:
    """The first entry of a map, whatever the key, or the first field of a record."""
    found = x.expand(term.args[0], env)
    return Expanded(found.shape[0], rule(x, term, env).defined)


def nothing(rule: Rule, x: Expander, term: Term, env: Environment) -> Expanded:
    return Expanded(x.shapes.default(term.sort), rule(x, term, env).defined)


def all_like_the_first(rule: Rule, x: Expander, term: Term, env: Environment) -> Expanded:
    found = rule(x, term, env)
    return Expanded(tuple(found.shape[0] for _ in found.shape), found.defined)


def first_element(rule: Rule, x: Expander, term: Term, env: Environment) -> Expanded:
    _, slots = x.expand(term.args[0], env).shape
    return Expanded(slots[0], rule(x, term, env).defined)


def greatest(rule: Rule, x: Expander, term: Term, env: Environment) -> Expanded:
    variable, body = term.args
    default = make("int", (), term.sort, 0)
    chosen = RULES["last"](x, make("last", (variable, body, default), term.sort), env)
    return Expanded(chosen.shape, rule(x, term, env).defined)


def whole(rule: Rule, x: Expander, term: Term, env: Environment) -> Expanded:
    """What was there before, as if nothing were done."""
    return Expanded(x.expand(term.args[0], env).shape, rule(x, term, env).defined)


def same(term: Term) -> Term:
    """True where the term has a value, and nowhere else."""
    return term == term


def stored(s: State) -> Term:
    return make("store", (term_of(s.table), term_of(s.n), term_of(s.m)), term_of(s.table).sort)
