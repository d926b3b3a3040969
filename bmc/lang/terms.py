"""Terms: immutable, hash-consed trees over sorts, with the operators of the specifications.

Binders (quantifiers, comprehensions, choices) stay terms with bound variables; a reading
expands them. A bound variable is known by its name and its nesting level, so no binder captures
another's variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from typing import TYPE_CHECKING, ClassVar, NoReturn
from weakref import WeakValueDictionary

from bmc.lang.advice import (
    NONE_IS_OF_OPTIONS,
    instead_of_field,
    instead_of_index,
    instead_of_number,
    instead_of_option,
    shown,
    standing_alone,
    to_make,
)
from bmc.lang.bounds import Bound, Quantity, require_short
from bmc.lang.errors import LanguageError, SortError, is_asked
from bmc.lang.operator_table import BINDERS, OperatorName, require_operator
from bmc.lang.places import here
from bmc.lang.scope import (
    MethodScope,
    current_scope,
    pythons_own,
    require_in_scope,
    require_read,
)
from bmc.lang.sorts import (
    BOOL,
    AnySet,
    BitSet,
    BoolSort,
    EnumSort,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    Sort,
)
from bmc.lang.undecided import NoValue, Undecided


class Expr(NoValue):
    """Anything that stands for a term, which :func:`term_of` tells.

    ``==`` builds an equality; ``&``, ``|``, ``~`` are the connectives, and on sets
    intersection, union and (with ``-``) difference; ``<=`` on sets is inclusion. A protocol
    only ever holds a :class:`Handle`, whose attributes are the fields of a record.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> Expr:  # type: ignore[override]
        return _beside(self, make("eq", unify(term_of(self), other), BOOL))

    def __ne__(self, other: object) -> Expr:  # type: ignore[override]
        return ~(self == other)

    def __hash__(self) -> int:
        require_read("a term")
        return hash(named_by(self))

    def __invert__(self) -> Expr:
        return _beside(self, make("not", (boolean(self),), BOOL))

    def __and__(self, other: Operand) -> Expr:
        if is_set(term_of(self).sort):
            return _beside(self, _set_operation("intersection", self, other))
        return _beside(self, make("and", (boolean(self), boolean(other)), BOOL))

    def __rand__(self, other: Operand) -> Expr:
        if is_set(term_of(self).sort):
            return _beside(
                self, _set_operation("intersection", coerce(other, term_of(self).sort), self)
            )
        return _beside(self, make("and", (boolean(other), boolean(self)), BOOL))

    def __or__(self, other: Operand) -> Expr:
        if is_set(term_of(self).sort):
            return _beside(self, _set_operation("union", self, other))
        return _beside(self, make("or", (boolean(self), boolean(other)), BOOL))

    def __ror__(self, other: Operand) -> Expr:
        if is_set(term_of(self).sort):
            return _beside(self, _set_operation("union", coerce(other, term_of(self).sort), self))
        return _beside(self, make("or", (boolean(other), boolean(self)), BOOL))

    def __add__(self, other: Operand) -> Expr:
        return _beside(self, _arithmetic("add", self, other))

    def __radd__(self, other: Operand) -> Expr:
        return _beside(self, _arithmetic("add", other, self))

    def __sub__(self, other: Operand) -> Expr:
        if is_set(term_of(self).sort):
            return _beside(self, _set_operation("difference", self, other))
        return _beside(self, _arithmetic("sub", self, other))

    def __rsub__(self, other: Operand) -> Expr:
        if is_set(term_of(self).sort):
            return _beside(
                self, _set_operation("difference", coerce(other, term_of(self).sort), self)
            )
        return _beside(self, _arithmetic("sub", other, self))

    def __mul__(self, other: Operand) -> Expr:
        return _beside(self, _product(self, other))

    def __rmul__(self, other: Operand) -> Expr:
        return _beside(self, _product(other, self))

    def __floordiv__(self, divisor: Operand) -> Expr:
        return _beside(self, _divided("div", self, divisor))

    def __rfloordiv__(self, dividend: Operand) -> Expr:
        return _beside(self, _divided("div", dividend, self))

    def __mod__(self, divisor: Operand) -> Expr:
        return _beside(self, _divided("mod", self, divisor))

    def __rmod__(self, dividend: Operand) -> Expr:
        return _beside(self, _divided("mod", dividend, self))

    def __le__(self, other: Operand) -> Expr:
        if is_set(term_of(self).sort):
            return _beside(self, make("subset", unify(term_of(self), other), BOOL))
        return _beside(self, _compare("le", self, other))

    def __lt__(self, other: Operand) -> Expr:
        return _beside(self, _compare("lt", self, other))

    def __ge__(self, other: Operand) -> Expr:
        if is_set(term_of(self).sort):
            left, right = unify(term_of(self), other)
            return _beside(self, make("subset", (right, left), BOOL))
        return _beside(self, _compare("le", other, self))

    def __gt__(self, other: Operand) -> Expr:
        return _beside(self, _compare("lt", other, self))

    def __getitem__(self, key: Operand) -> Expr:
        return _beside(self, select(term_of(self), key))

    def __setitem__(self, key: Operand, value: Operand) -> None:
        raise LanguageError(_READ_ONLY)

    if TYPE_CHECKING:
        # A record's fields; what is not a record has none, and says so.
        def __getattr__(self, name: str) -> Expr: ...


_READ_ONLY = "only a variable or a part of one is assigned: write s.variable.part = …"


_FOUND: frozenset[OperatorName] = frozenset(
    {"variable", "bound", "int", "enum", "none", "empty", "full", "narrow", "select", "field"}
)
"""What is there already, and is only named."""


class Held(Expr):
    """An expression as a protocol holds it.

    Its attributes are the fields of the record it stands for, whatever they are called: nothing
    of ours can be read off it by name, so no field can be hidden by anything of ours. What Python
    itself looks up begins with two underscores, as no field does.
    """

    __slots__ = ("__scope", "__term")

    def __init__(self, term: Term) -> None:
        made_in = current_scope()
        _put_term(self, term)
        _put_scope(self, made_in)
        if made_in is None or term.op == "bound_variable":
            return
        if isinstance(term.sort, BoolSort):
            if not is_asked():
                made_in.unread[id(self)] = self, here()
        elif term.op not in _FOUND and not is_asked():
            made_in.note_counted(self)

    def __getattribute__(self, name: str) -> Expr:
        if name[:2] == "__":
            found: Expr = pythons_own(self, name)
            return found
        return Handle(field(term_of(self), name))

    def __setattr__(self, name: str, value: Operand) -> None:
        raise LanguageError(_READ_ONLY)

    def __delattr__(self, name: str) -> NoReturn:
        raise LanguageError("a record always has all its fields: assign another value instead")

    def __delitem__(self, key: Operand) -> NoReturn:
        raise LanguageError(
            "terms are never changed in place: assign a value without it, such as "
            "remove(set, element), tail(sequence) or None of an option"
        )

    def __repr__(self) -> str:
        return repr(_get_term(self))

    def __str__(self) -> str:
        raise LanguageError(
            "a term has no text while a protocol is read: print(repr(x)) shows what it stands for"
        )

    def __format__(self, spec: str) -> str:
        return str(self)

    def __reduce__(self) -> NoReturn:
        raise LanguageError("terms are not pickled: send the protocol's name and parameters")


class Handle(Held):
    """An expression that is no place."""

    # Places are no subclass of this: Python would turn a comparison of the two around.
    __slots__ = ()


_held_term = vars(Held)["_Held__term"]
_get_term, _put_term = _held_term.__get__, _held_term.__set__
_held_scope = vars(Held)["_Held__scope"]
_get_scope, _put_scope = _held_scope.__get__, _held_scope.__set__


def is_of_a_read_method(held: Held) -> bool:
    """Return whether the method that an expression was made in has been read to its end."""
    made_in: MethodScope | None = _get_scope(held)
    while made_in is not None and made_in.bound is not None:
        made_in = made_in.outer
    return made_in is not None and not made_in.open


def term_of(expression: Expr) -> Term:
    """Return the term an expression stands for; OutOfScope where its names mean nothing.

    A number or a truth value, given in an expression's place, is read by its own looks.
    """
    if isinstance(expression, Held) and (made_in := _get_scope(expression)) is not None:
        made_in.note_read(expression)
    return named_by(expression)


def named_by(expression: Expr) -> Term:
    """Return what :func:`term_of` does, for whoever only looks: nothing is said with it thereby."""
    if isinstance(expression, Term):
        return expression
    if not isinstance(expression, Held):
        return lift(expression)
    found: Term = _get_term(expression)
    made_in: MethodScope | None = _get_scope(expression)
    if made_in is not None and not made_in.open:
        require_in_scope(found, made_in)
    return found


def sort_held(expression: Held) -> Sort:
    """Return the sort of what a protocol holds, whether or not its names mean something here."""
    found: Term = _get_term(expression)
    return found.sort


def _beside(one: Expr, made: Term) -> Expr:
    """What was made of ``one``, for whoever holds ``one``."""
    return made if isinstance(one, Term) else Handle(made)


Operand = Expr | Quantity | Bound | bool | int | str | None | tuple[()] | Set["Operand"]


class Term(Expr):
    """A node: an operator, its arguments, its sort and the operator's own data.

    ``uid`` numbers nodes in order of creation; ``free`` holds the bound variables (by name
    and level) that occur free, which is what a reading needs to remember results. ``nodes`` is
    how many nodes it has when each part is written out as often as it occurs, counted to
    MANY_NODES: shared parts make that exponential in its depth. ``applied`` is for readers of
    reports (:mod:`bmc.lang.operators`).
    """

    __slots__ = ("__weakref__", "applied", "args", "data", "free", "nodes", "op", "sort", "uid")

    op: OperatorName
    args: tuple[Term, ...]
    sort: Sort
    data: object
    uid: int
    free: frozenset[Term]
    nodes: int
    applied: tuple[str, tuple[Term, ...]] | None

    written: ClassVar[Callable[[Term], str]]
    """How a person reads it. :mod:`bmc.lang.show` says so, which stands above this module."""

    def __hash__(self) -> int:
        return self.uid

    def __repr__(self) -> str:
        return Term.written(self)

    def __reduce__(self) -> NoReturn:
        raise LanguageError("terms are not pickled: send the protocol's name and parameters")


MANY_NODES = 64
"""Of so many a reading remembers what it found: to look that up costs nothing beside them."""

_interned: WeakValueDictionary[tuple[object, ...], Term] = WeakValueDictionary()
_count = 0


def make(op: OperatorName, args: Iterable[Term], sort: Sort, data: object = None) -> Term:
    """The one node with these parts. No sort check: the public constructors do that."""
    global _count
    children = tuple(args)
    key = (op, tuple([child.uid for child in children]), sort, type(data), data)
    found = _interned.get(key)
    if found is not None:
        return found
    require_operator(op, len(children))
    node = object.__new__(Term)
    _count += 1
    node.op, node.args, node.sort, node.data, node.uid = op, children, sort, data, _count
    node.free = _free(node)
    node.nodes = min(MANY_NODES, 1 + sum([child.nodes for child in children]))
    node.applied = None
    _interned[key] = node
    return node


def _free(node: Term) -> frozenset[Term]:
    if node.op == "bound_variable":
        return frozenset([node])
    below: frozenset[Term] = frozenset().union(*(child.free for child in node.args))
    return below - {node.args[0]} if node.op in BINDERS else below


def subterms(terms: Iterable[Term]) -> Iterator[Term]:
    """Yield every term that occurs in these, each once, what it is made of before it."""
    met: set[int] = set()
    stack = [(term, False) for term in reversed(list(terms))]
    while stack:
        term, made = stack.pop()
        if made:
            yield term
        elif term.uid not in met:
            met.add(term.uid)
            stack.append((term, True))
            stack.extend((child, False) for child in reversed(term.args))


def literal(value: int) -> Term:
    """A number; it takes the identity of what it is used with."""
    require_short(value)
    return make("int", (), IntSort(""), int(value))


def truth(value: bool) -> Term:
    """TRUE or FALSE."""
    return make("bool", (), BOOL, value)


def field(record: Term, name: str) -> Term:
    """Return ``record.name``."""
    sort = record.sort
    if not isinstance(sort, RecordSort):
        raise SortError(
            f"{record!r} is a {sort}, not a record: it has no field {name!r}"
            + instead_of_field(sort, name)
        )
    return make("field", (record,), sort.field(name), name)


def map_key(collection: Term, key: Operand) -> Term:
    """Return an index of a map, narrowed to the sort of its keys."""
    sort = collection.sort
    if not isinstance(sort, MapSort):
        raise SortError(
            f"{collection!r} is a {sort}, not a map: it cannot be indexed{instead_of_index(sort)}"
        )
    return coerce(key, sort.key)


def select(collection: Term, key: Operand) -> Term:
    """Return ``collection[key]`` of a map; partial where the key can leave its sort."""
    where, sort = map_key(collection, key), collection.sort
    assert isinstance(sort, MapSort)
    return make("select", (collection, where), sort.value)


def lift(value: object) -> Term:
    """A Python value or expression as a term, by its own looks alone."""
    if isinstance(value, Expr):
        return term_of(value)
    if isinstance(value, bool):
        return truth(value)
    if isinstance(value, int):
        return literal(value)
    if isinstance(value, Bound | Quantity):
        return make("bound", (), IntSort(""), Bound.of(value))
    if isinstance(value, Undecided) and not isinstance(value, NoValue):
        raise SortError(
            "a formula of a state is asked for here, and this speaks of whole behaviours: a claim "
            "with eventually, always or leads_to is declared with @temporal"
        )
    what = "a function" if callable(value) else shown(value)
    raise SortError(
        f"{what} cannot be read as a term without knowing its sort" + standing_alone(value)
    )


def coerce(value: object, sort: Sort) -> Term:
    """``value`` as a term of exactly ``sort``.

    Numbers and intermediate integers are narrowed (checked against the range by every
    reading), names become enumeration values, None is none, ``X`` lifts to ``X?``, a
    Python set becomes a set, and ``()`` an empty sequence. Raises SortError when nothing fits.
    """
    if isinstance(sort, OptionSort):
        return _coerce_option(value, sort)
    if isinstance(value, Expr):
        return _coerce_term(term_of(value), sort)
    if isinstance(value, str) and isinstance(sort, EnumSort):
        if value not in sort.values:
            raise SortError(f"{value!r} is no {sort.name}: use one of {', '.join(sort.values)}")
        # An `enum.Enum` may be a string as well, and has a text of its own.
        return make("enum", (), sort, sort.values[sort.values.index(value)])
    if isinstance(value, Set):
        return _coerce_set(value, sort)
    if isinstance(value, tuple) and not value and isinstance(sort, SequenceSort):
        return make("empty", (), sort)
    if isinstance(value, dict | tuple | list):
        return _mismatch(value, sort)
    if value is None or (isinstance(value, str) and to_make(sort)):
        return _mismatch(value, sort)
    return _coerce_term(lift(value), sort)


def _coerce_term(term: Term, sort: Sort) -> Term:
    if term.sort == sort:
        return term
    if isinstance(sort, IntSort) and isinstance(term.sort, IntSort):
        if term.sort.name not in ("", sort.name):
            raise SortError(
                f"{term!r} is a {term.sort.name}, not a {sort.name}: they do not mix"
                "; give what is compared or assigned to each other one sort"
            )
        return make("narrow", (term,), sort) if sort.bounded else term
    return _mismatch(term, sort)


def _coerce_option(value: object, sort: OptionSort) -> Term:
    if value is None:
        return make("none", (), sort)
    if isinstance(value, Expr) and term_of(value).sort == sort:
        return term_of(value)
    return make("some", (coerce(value, sort.inner),), sort)


def _coerce_set(value: Set[object], sort: Sort) -> Term:
    if not isinstance(sort, AnySet):
        return _mismatch(set(value), sort)
    result = make("empty", (), sort)
    for member in _members(value, sort):
        result = make("insert", (result, member), sort)
    return result


def _members(value: Set[object], sort: AnySet) -> list[Term]:
    members = [coerce(member, sort.element) for member in value]
    # Python's own order, and that in which terms are made, is another one in each process.
    return sorted(members, key=lambda t: (Term.written(t), t.uid))


def _mismatch(value: object, sort: Sort) -> NoReturn:
    found = f" (a {value.sort})" if isinstance(value, Term) else ""
    remedy = to_make(sort) or (NONE_IS_OF_OPTIONS if value is None else "")
    if isinstance(value, Term) and isinstance(value.sort, OptionSort) and value.sort.inner == sort:
        remedy = instead_of_option(value.sort)
    raise SortError(f"expected a {sort}, found {shown(value)}{found}{remedy}")


def boolean(value: object) -> Term:
    """``value`` as a Bool term.

    A Python truth value is refused: it is what remains of a comparison that Python decided while
    it read the protocol (``s.x is None``, or of two things that are no terms).
    """
    if isinstance(value, bool):
        raise LanguageError(
            f"found Python's {value} where a formula is expected: a comparison was decided while "
            "the protocol was read (for none write == None or is_none(...); a constant is TRUE "
            "or FALSE)"
        )
    term = lift(value)
    if not isinstance(term.sort, BoolSort):
        raise SortError(
            f"expected a truth value, found {term!r}, a {term.sort}; comparisons bind weaker than "
            "& and |: write (a == b) & c"
        )
    return term


def integer(value: object) -> Term:
    """``value`` as an integer term of any identity."""
    term = lift(value)
    if not isinstance(term.sort, IntSort):
        raise SortError(
            f"expected an integer, found {term!r}, a {term.sort}{instead_of_number(term.sort)}"
        )
    return term


def is_set(sort: Sort) -> bool:
    """Whether the sort is one of the three kinds of sets."""
    return isinstance(sort, AnySet)


def common_identity(left: Term, right: Term) -> IntSort:
    """The identity two integer terms share; SortError when they do not mix."""
    names = list(dict.fromkeys(t.sort.name for t in (left, right) if t.sort.name))
    if len(names) > 1:
        raise SortError(
            f"{left!r} and {right!r} are integers of different identity "
            f"({' and '.join(names)}): they do not mix; give both one sort, or their "
            "sorts one name"
        )
    return IntSort(names.pop() if names else "")


def unify(left: Term, other: object) -> tuple[Term, Term]:
    """Both sides of an equality or a conditional, brought to one sort."""
    if isinstance(left.sort, IntSort) and not isinstance(other, str | None):
        right = lift(other)
        if isinstance(right.sort, IntSort):
            common_identity(left, right)
            return left, right
    if not isinstance(other, Expr):
        return left, coerce(other, left.sort)
    right = term_of(other)
    if left.sort == right.sort:
        return left, right
    if isinstance(right.sort, OptionSort) and not isinstance(left.sort, OptionSort):
        return coerce(left, right.sort), right
    return left, coerce(right, left.sort)


def _arithmetic(op: OperatorName, left: object, right: object) -> Term:
    a, b = integer(left), integer(right)
    return make(op, (a, b), common_identity(a, b))


def _product(left: object, right: object) -> Term:
    a, b = integer(left), integer(right)
    # Three times an offset is one; an offset times an epoch is a number and nothing else.
    names = {t.sort.name for t in (a, b)} - {""}
    return make("mul", (a, b), IntSort(names.pop() if len(names) == 1 else ""))


def _divided(op: OperatorName, left: object, right: object) -> Term:
    """``left // right`` or ``left % right``, numbers of no identity: ``view % n`` is an index."""
    a, b = integer(left), integer(right)
    if b.op == "int" and isinstance(b.data, int) and b.data <= 0:
        sign = "//" if op == "div" else "%"
        raise LanguageError(f"{sign} {b.data} has no value: a divisor is positive")
    return make(op, (a, b), IntSort(""))


def _compare(op: OperatorName, left: object, right: object) -> Term:
    a, b = integer(left), integer(right)
    common_identity(a, b)
    return make(op, (a, b), BOOL)


def _set_operation(op: OperatorName, left: Expr, right: Operand) -> Term:
    a, sort = term_of(left), term_of(left).sort
    if isinstance(sort, AnySet) and not isinstance(sort, BitSet) and op != "union":
        # Such sets have no operator for it: what is taken away is removed one by one.
        if op == "difference" and isinstance(right, Set):
            for member in _members(right, sort):
                a = make("remove", (a, member), sort)
            return a
        remedy = "write remove(S, x), or S - {x, …}, of each element that goes"
        raise SortError(
            f"{op} is for sets with a bit an element, not for a {sort}: "
            f"{remedy if op == 'difference' else f'declare SetSort({sort.element})'}"
        )
    return make(op, (a, coerce(right, sort)), sort)
