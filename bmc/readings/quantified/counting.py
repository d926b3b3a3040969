"""Sizes of sets in first-order logic: sets as members of a sort, with a size that is a number.

``size(S)`` is read as the size of a constant (or of a function of the variables around it) of a
sort of sets, whose members are those of ``S``. Nothing defines a size; a few axioms say what all
sizes have in common: two sets meet when together they are more than everything, and so on (after
Padon et al., *Paxos made EPR*, OOPSLA 2017, and Berkovits et al., *Verification of threshold-based
distributed algorithms*, CAV 2019, who choose such axioms for one threshold; these know none). Each
is true of all finite sets. `bmc.evidence.counting` shows it, and nothing here needs to be believed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from bmc.readings.quantified.formulas import (
    BOOL,
    Expression,
    LogicSort,
    Symbol,
    add,
    and_,
    app,
    eq,
    exists,
    forall,
    implies,
    le,
    lt,
    not_,
    number,
    or_,
    subterms,
    variable,
)

ORIGIN = "!cardinality"
"""How the names of formulas begin that are axioms about sizes."""

DEFINED = "!set."
"""How the names of sets, and of the formulas that define them, begin."""

_SETS = "!sets."
_END = "!"
"""How the identities of these end, and none of a scalarset, which has its size at its end."""


def is_set(sort: LogicSort) -> bool:
    """Whether a logical sort is one of sets."""
    return sort.identity.startswith(_SETS) and sort.identity.endswith(_END)


@dataclass(frozen=True)
class SetWords:
    """The symbols that speak of sets with elements of one logical sort.

    ``whole`` says whether the sort is a scalarset, whose members are a set with a size as well.
    """

    element: LogicSort
    whole: bool

    @property
    def called(self) -> str:
        """What its names say of the elements: numbers may be called as a scalarset and its size."""
        return self.element.identity + (_END if self.element.kind == "Int" else "")

    @property
    def sort(self) -> LogicSort:
        """The sort of the sets: all finite ones."""
        return LogicSort("Elem", f"{_SETS}{self.called}{_END}")

    @property
    def membership(self) -> Symbol:
        """Whether an element is in a set."""
        return Symbol(f"!in.{self.called}", (self.element, self.sort), BOOL)

    @property
    def cardinality(self) -> Symbol:
        """How many elements a set has."""
        return Symbol(f"!size.{self.called}", (self.sort,), LogicSort("Int"))

    @property
    def number(self) -> Symbol:
        """How many elements there are."""
        return Symbol(f"!number.{self.called}", (), LogicSort("Int"))

    def has(self, collection: Expression, element: Expression) -> Expression:
        """That a set has an element."""
        return app(self.membership, element, collection)

    def size(self, collection: Expression) -> Expression:
        """The size of a set."""
        return app(self.cardinality, collection)

    @property
    def all(self) -> Expression:
        """How many elements there are, as a term."""
        return app(self.number)

    def some(self, *parts: Callable[[Expression], Expression]) -> Expression:
        """That one element has all of these."""
        one = variable(self.element, "member")
        return exists(one, and_(*(part(one) for part in parts)))

    def within(self, collection: Expression) -> Callable[[Expression], Expression]:
        """Whether an element is in a set."""
        return lambda element: self.has(collection, element)

    def outside(self, collection: Expression) -> Callable[[Expression], Expression]:
        """Whether an element is not in a set."""
        return lambda element: not_(self.has(collection, element))


@dataclass(frozen=True)
class NamedSet:
    """A set that is counted: a symbol of a sort of sets, applied to the variables around it.

    ``matches`` says of ``bound`` whether it is a member, and has ``arguments`` free beside it.
    ``number`` is how many elements there are, for a scalarset.
    """

    words: SetWords
    arguments: tuple[Expression, ...]
    value: Expression
    bound: Expression
    matches: Expression
    number: Expression | None

    @property
    def axioms(self) -> tuple[Expression, ...]:
        """What makes it the set that it is, closed."""
        held = self.words.has(self.value, self.bound)
        found = []
        for part in (implies(self.matches, held), implies(held, self.matches)):
            for one in (self.bound, *reversed(self.arguments)):
                part = forall(one, part)
            found.append(part)
        return tuple(found)


def named(bound: Expression, matches: Expression, number: Expression | None) -> NamedSet:
    """Name the set of the values of ``bound`` that match; ``number`` is how many values there are.

    The name says what the set is, whoever reads it: sets that are said in the same way, in a lemma
    and after a step that leaves them alone, are one term.
    """
    words = SetWords(bound.sort, number is not None)
    digest, met = _canonical(matches, bound)
    arguments = tuple(v for v in met if v in matches.free and v is not bound)
    symbol = Symbol(f"{DEFINED}{digest}", tuple(a.sort for a in arguments), words.sort)
    return NamedSet(words, arguments, app(symbol, *arguments), bound, matches, number)


def _canonical(matches: Expression, bound: Expression) -> tuple[str, list[Expression]]:
    """A digest that says what a formula says, and its variables in the order it meets them."""
    numbers: dict[Expression, int] = {}
    met: list[Expression] = []
    rows = []
    for node in (bound, *subterms(matches)):
        if node in numbers:
            continue
        data: Any = node.data
        if node.op == "var":
            data = len(met)
            met.append(node)
        numbers[node] = len(numbers)
        rows.append(f"{node.op} {data} {node.sort} {[numbers[a] for a in node.args]}")
    return sha256("\n".join(rows).encode()).hexdigest(), met


@dataclass(frozen=True)
class CountingAxiom:
    """A fact about all finite sets: ``says`` in words, and ``body`` of sets and elements.

    Where ``whole`` is set it speaks of how many elements there are.
    """

    name: str
    says: str
    sets: int
    elements: int
    whole: bool
    body: Callable[[SetWords, Sequence[Expression], Sequence[Expression]], Expression]

    def of(self, words: SetWords) -> StatedAxiom:
        """The axiom for sets with elements of one sort."""
        sets = tuple(variable(words.sort, f"set{i}_") for i in range(self.sets))
        elements = tuple(variable(words.element, f"one{i}_") for i in range(self.elements))
        body = self.body(words, sets, elements)
        return StatedAxiom(self, words, sets, elements, body)


@dataclass(frozen=True)
class StatedAxiom:
    """An axiom for one sort of elements: ``body`` holds for all sets and elements."""

    axiom: CountingAxiom
    words: SetWords
    sets: tuple[Expression, ...]
    elements: tuple[Expression, ...]
    body: Expression

    @property
    def name(self) -> str:
        """What formulas made of it are named after."""
        return f"{ORIGIN}.{self.axiom.name}.{self.words.called}"

    @property
    def closed(self) -> Expression:
        """The axiom as a closed formula."""
        found = self.body
        for one in (*self.elements, *self.sets):
            found = forall(one, found)
        return found


def axioms_about(words: SetWords) -> tuple[StatedAxiom, ...]:
    """The axioms about sets with elements of one sort."""
    return tuple(one.of(words) for one in AXIOMS if words.whole or not one.whole)


def used_axiom(name: str) -> str | None:
    """The axiom that a formula of this name is made of, None for any other formula."""
    return name.rpartition("#")[0] if name.startswith(f"{ORIGIN}.") else None


Sets = Sequence[Expression]


def _meeting(count: int) -> Callable[[SetWords, Sets, Sets], Expression]:
    """Sets share an element that together are larger than one less than them times everything."""

    def body(x: SetWords, sets: Sets, _: Sets) -> Expression:
        together, most = number(0), number(0)
        for i, one in enumerate(sets):
            together = add(together, x.size(one))
            most = add(most, x.all) if i else most
        return or_(le(together, most), x.some(*(x.within(one) for one in sets)))

    assert count > 1
    return body


AXIOMS: tuple[CountingAxiom, ...] = (
    CountingAxiom(
        "no_size_is_negative",
        "a size is 0 or more",
        1,
        0,
        False,
        lambda x, s, e: le(number(0), x.size(s[0])),
    ),
    CountingAxiom(
        "what_has_a_size_has_a_member",
        "a set of size 1 or more has a member",
        1,
        0,
        False,
        lambda x, s, e: or_(le(x.size(s[0]), number(0)), x.some(x.within(s[0]))),
    ),
    CountingAxiom(
        "a_member_counts",
        "a set with a member has a size of 1 or more",
        1,
        1,
        False,
        lambda x, s, e: or_(not_(x.has(s[0], e[0])), le(number(1), x.size(s[0]))),
    ),
    CountingAxiom(
        "two_members_count_twice",
        "a set with two members has a size of 2 or more",
        1,
        2,
        False,
        lambda x, s, e: or_(
            not_(x.has(s[0], e[0])),
            not_(x.has(s[0], e[1])),
            eq(e[0], e[1]),
            le(number(2), x.size(s[0])),
        ),
    ),
    CountingAxiom(
        "a_lone_member_counts_once",
        "a set with no member but one has a size of 1 or less",
        1,
        1,
        False,
        lambda x, s, e: or_(
            le(x.size(s[0]), number(1)),
            x.some(x.within(s[0]), lambda one: not_(eq(one, e[0]))),
        ),
    ),
    CountingAxiom(
        "a_subset_is_no_larger",
        "a set is no larger than one that has all its members",
        2,
        0,
        False,
        lambda x, s, e: or_(
            le(x.size(s[0]), x.size(s[1])), x.some(x.within(s[0]), x.outside(s[1]))
        ),
    ),
    CountingAxiom(
        "a_proper_subset_is_smaller",
        "a set is smaller than one that has all its members and another one",
        2,
        1,
        False,
        lambda x, s, e: or_(
            x.has(s[0], e[0]),
            not_(x.has(s[1], e[0])),
            lt(x.size(s[0]), x.size(s[1])),
            x.some(x.within(s[0]), x.outside(s[1])),
        ),
    ),
    CountingAxiom(
        "one_more_member_counts_once",
        "a set that has one member more than another is larger by 1 at most",
        2,
        1,
        False,
        lambda x, s, e: or_(
            le(x.size(s[1]), add(x.size(s[0]), number(1))),
            x.some(x.within(s[1]), x.outside(s[0]), lambda one: not_(eq(one, e[0]))),
        ),
    ),
    CountingAxiom(
        "two_sets_meet_inside_a_third",
        "two subsets of a set that together are larger than it share a member",
        3,
        0,
        False,
        lambda x, s, e: or_(
            le(add(x.size(s[0]), x.size(s[1])), x.size(s[2])),
            x.some(x.within(s[0]), x.within(s[1])),
            x.some(x.within(s[0]), x.outside(s[2])),
            x.some(x.within(s[1]), x.outside(s[2])),
        ),
    ),
    CountingAxiom(
        "no_set_is_larger_than_all",
        "a set is no larger than the set of everything",
        1,
        0,
        True,
        lambda x, s, e: le(x.size(s[0]), x.all),
    ),
    CountingAxiom(
        "what_lacks_nobody_is_all",
        "a set that lacks no member is as large as the set of everything",
        1,
        0,
        True,
        lambda x, s, e: or_(le(x.all, x.size(s[0])), x.some(x.outside(s[0]))),
    ),
    CountingAxiom(
        "what_lacks_one_is_smaller_than_all",
        "a set that lacks a member is smaller than the set of everything",
        1,
        1,
        True,
        lambda x, s, e: or_(x.has(s[0], e[0]), lt(x.size(s[0]), x.all)),
    ),
    CountingAxiom(
        "two_sets_meet",
        "two sets that together are larger than the set of everything share a member",
        2,
        0,
        True,
        _meeting(2),
    ),
    CountingAxiom(
        "three_sets_meet",
        "three sets that together are larger than twice the set of everything share a member",
        3,
        0,
        True,
        _meeting(3),
    ),
)
"""What is assumed of sizes. Adding one is adding a row: a false one is refused by the judge."""
