"""The writer of random terms: what is in scope, how much may still be written, and leaves.

What a term of a sort can look like is said by *productions*, functions of the writer and the
sort; the modules ``scalar_terms``, ``structure_terms`` and ``set_terms`` register them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from bmc.lang import (
    BOOL,
    Expr,
    Operand,
    Sort,
    Term,
)
from bmc.lang.build import (
    empty,
    inject,
    insert,
    ite,
    mapping,
    record,
)
from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import (
    BoolSort,
    BoundedSetSort,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    SetSort,
    VariantSort,
)
from bmc.lang.state import state_variable
from bmc.lang.terms import coerce, select
from bmc.lang.terms import field as field_of
from tests.strategies.draw import Draw
from tests.strategies.world import World

Production = Callable[["Writer", Sort], Expr]
_PRODUCTIONS: dict[type[Sort], list[Production]] = {}
FOCUSES: list[tuple[Production, tuple[type[Sort], ...]]] = []
"""Every production and the kinds of sorts it writes."""

ANY = (
    BoolSort,
    IntSort,
    EnumSort,
    Scalarset,
    OptionSort,
    RecordSort,
    VariantSort,
    MapSort,
    SetSort,
    KeyedSetSort,
    SequenceSort,
    BoundedSetSort,
)


def production(*kinds: type[Sort], weight: int = 1) -> Callable[[Production], Production]:
    """Register a way to write terms of sorts of these kinds; a heavier one is taken more often."""

    def register(function: Production) -> Production:
        FOCUSES.append((function, kinds))
        for kind in kinds:
            _PRODUCTIONS.setdefault(kind, []).extend([function] * weight)
        return function

    return register


class Refused(Exception):
    """A production has nothing to say about this sort; another is tried."""


@dataclass
class Writer:
    """Writes terms.

    ``variables`` are the state's, declared when a term first needs them unless ``closed``;
    ``arguments`` are variables bound outside all binders. ``depth`` and ``budget`` limit how
    deep a term nests and how many productions are used in all. ``focus`` is a production that
    is taken in half the places where it can be: uses of one operator on another's result are
    found only where there are many of it.
    """

    draw: Draw
    world: World
    closed: bool = False
    primes: bool = False
    depth: int = 5
    budget: int = 50
    variables: dict[str, Sort] = field(default_factory=dict)
    arguments: list[Term] = field(default_factory=list)
    bound: list[Term] = field(default_factory=list)
    most_variables: int = 8
    nested: int = 0
    focus: Production | None = None

    def chance(self, of: int = 2) -> bool:
        """True in one of so many cases."""
        return self.draw.chance(of)

    def term(self, sort: Sort) -> Term:
        """A term of exactly this sort."""
        # The first choice is the leaf: an example shrinks towards it.
        if self.depth <= 0 or self.budget <= 0 or (self.nested and not self.draw.number(0, 5)):
            return self.leaf(sort)
        self.depth -= 1
        self.nested += 1
        try:
            for _ in range(3):
                self.budget -= 1
                with suppress(Refused):
                    return coerce(self.choose(sort)(self, sort), sort)
            return self.leaf(sort)
        finally:
            self.depth += 1
            self.nested -= 1

    def choose(self, sort: Sort) -> Production:
        """A production for a sort."""
        options = _PRODUCTIONS[type(sort)]
        if self.focus is not None and self.focus in options and self.chance():
            return self.focus
        return self.draw.one_of(options)

    def truth(self) -> Term:
        """A Bool term."""
        return self.term(BOOL)

    def under(self, variable: Term, write: Callable[[], Operand]) -> Operand:
        """What ``write`` writes where a binder's variable is in scope."""
        self.bound.append(variable)
        try:
            return write()
        finally:
            self.bound.pop()

    @contextmanager
    def shallow(self) -> Iterator[None]:
        """Write less: inside what is multiplied by its context."""
        self.depth -= 1
        try:
            yield
        finally:
            self.depth += 1

    def in_scope(self, fits: Callable[[Sort], bool]) -> list[Term]:
        """The variables of fitting sorts, innermost first."""
        found = [t for t in (*reversed(self.bound), *self.arguments) if fits(t.sort)]
        if not self.closed:
            for name, sort in self.variables.items():
                if fits(sort):
                    found.append(state_variable(name, sort))
                    if self.primes:
                        found.append(state_variable(name, sort, primed=True))
        return found

    def sort_like(self, fits: Callable[[Sort], bool], make: Callable[[], Sort]) -> Sort:
        """A sort that fits: one that occurs in what is in scope, or a new one.

        Most terms should be about the variables that are there.
        """
        known = [s for v in self.in_scope(lambda s: True) for s in sorts_within(v.sort) if fits(s)]
        return self.draw.one_of(known) if known and not self.chance(4) else make()

    def leaf(self, sort: Sort) -> Term:
        """A term without parts to choose: a variable, a part of one, or a plain value."""
        near = [v for v in reversed(self.bound) if v.sort == sort]
        if near and self.chance():
            return near[0]
        known = self.in_scope(lambda s: s == sort)
        if sort == BOOL and not self.chance(3):
            known.extend(self.comparisons())
        for whole in self.in_scope(lambda s: isinstance(s, RecordSort | MapSort)):
            match whole.sort:
                case RecordSort(_, fields):
                    known.extend(field_of(whole, name) for name, s in fields if s == sort)
                case MapSort(key, value) if value == sort:
                    keys = [t for t in self.in_scope(lambda s: True) if t.sort == key]
                    known.extend(select(whole, k) for k in keys[:1])
        room = not self.closed and len(self.variables) < self.most_variables
        if (room and (not known or self.chance(4))) or (not known and isinstance(sort, Scalarset)):
            known.append(self.declare(sort))
        few = 2 if len(known) < 2 else 4
        if not known or (not isinstance(sort, Scalarset) and self.chance(few)):
            return self.plain(sort)
        return self.draw.one_of(known)

    def comparisons(self) -> Iterator[Term]:
        """That a variable equals another, or a plain value."""
        everything = self.in_scope(lambda s: s != BOOL)
        if everything:
            # The innermost variable: a body that does not mention it says little.
            left = everything[0] if self.bound and self.chance() else self.draw.one_of(everything)
            others = [t for t in everything if t.sort == left.sort and t is not left]
            if others:
                yield left == self.draw.one_of(others)
            elif not symmetric_parts(left.sort):
                yield left == self.plain(left.sort)

    def declare(self, sort: Sort) -> Term:
        """A new state variable; where there can be none, arguments must do."""
        assert not self.closed
        name = f"v{len(self.variables)}"
        self.variables[name] = sort
        return state_variable(name, sort)

    def plain(self, sort: Sort) -> Term:
        """A value as the language writes it; it has no word for a scalarset's members."""
        match sort:
            case BoolSort():
                return coerce(self.draw.truth(), sort)
            case IntSort():
                low, high = self.world.domains.range(sort)
                return coerce(self.draw.number(low, high), sort)
            case EnumSort():
                return coerce(self.draw.one_of(sort.values), sort)
            case OptionSort(inner):
                return coerce(None if self.chance() else self.plain(inner), sort)
            case RecordSort():
                return record(sort, **{name: self.plain(part) for name, part in sort.fields})
            case VariantSort():
                tag, part = self.draw.one_of(sort.cases)
                return inject(sort, tag, self.plain(part))
            case MapSort():
                value = self.plain(sort.value)
                return mapping(sort.key, lambda x: value, sort.value)
            case SetSort(element) | KeyedSetSort(element) | BoundedSetSort(element):
                return insert(empty(sort), self.plain(element)) if self.chance() else empty(sort)
            case SequenceSort():
                return empty(sort)
        return self.leaf(sort)


def sorts_within(sort: Sort) -> Iterator[Sort]:
    """The sort and all that it is made of."""
    yield sort
    match sort:
        case RecordSort(_, parts) | VariantSort(_, parts):
            inner = [part for _, part in parts]
        case MapSort(key, value):
            inner = [key, value]
        case OptionSort(one) | SetSort(one) | SequenceSort(one) | BoundedSetSort(one):
            inner = [one]
        case KeyedSetSort(one):
            inner = [one]
        case _:
            inner = []
    for part in inner:
        yield from sorts_within(part)


@production(*ANY)
def _conditional(w: Writer, sort: Sort) -> Expr:
    return ite(w.truth(), w.term(sort), w.term(sort))
