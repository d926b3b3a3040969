"""Terms: immutable, hash-consed trees over sorts, with the operators of the specifications.

Binders (quantifiers, comprehensions, choices) stay terms with bound variables; a reading
expands them. A bound variable is known by its name and its nesting level, so no binder captures
another's variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import NoReturn
from weakref import WeakValueDictionary

from bmc.lang.advice import instead_of_field, standing_alone, to_make
from bmc.lang.bounds import Bound, Parameter
from bmc.lang.errors import LanguageError, SortError
from bmc.lang.operator_table import BINDERS, OperatorName, require_operator
from bmc.lang.sorts import (
    BOOL,
    BoolSort,
    BoundedSetSort,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    SetSort,
    Sort,
)


class Expr:
    """Anything that stands for a term: a term itself, or a place in a state.

    ``==`` builds an equality term; ``&``, ``|``, ``~`` are the connectives, and on sets
    intersection, union and (with ``-``) difference; ``<=`` on sets is inclusion.
    """

    __slots__ = ()

    @property
    def term(self) -> Term:
        """The term this expression stands for."""
        raise SortError(f"{type(self).__name__} stands for no term")

    def __bool__(self) -> NoReturn:
        raise LanguageError(
            "a term has no truth value in Python: use & | ~ and implies(...), not "
            "and / or / not / if, and do not chain comparisons"
        )

    # Python would index a term with 0, 1, … to find its elements, and on a map never stop.
    def __iter__(self) -> NoReturn:
        raise LanguageError(
            "a term cannot be iterated in Python: use forall, exists, filtered or mapping"
        )

    def __len__(self) -> NoReturn:
        raise LanguageError("len() has no answer in Python: use size(collection)")

    def __contains__(self, element: object) -> NoReturn:
        raise LanguageError("`in` has no answer in Python: use member(element, collection)")

    def __eq__(self, other: object) -> Term:  # type: ignore[override]
        left, right = unify(self.term, other)
        return make("eq", (left, right), BOOL)

    def __ne__(self, other: object) -> Term:  # type: ignore[override]
        return ~(self == other)

    def __hash__(self) -> int:
        return hash(self.term)

    def __invert__(self) -> Term:
        return make("not", (boolean(self),), BOOL)

    def __and__(self, other: Operand) -> Term:
        if is_set(self.term.sort):
            return _set_operation("intersection", self, other)
        return make("and", (boolean(self), boolean(other)), BOOL)

    def __rand__(self, other: Operand) -> Term:
        return make("and", (boolean(other), boolean(self)), BOOL)

    def __or__(self, other: Operand) -> Term:
        if is_set(self.term.sort):
            return _set_operation("union", self, other)
        return make("or", (boolean(self), boolean(other)), BOOL)

    def __ror__(self, other: Operand) -> Term:
        return make("or", (boolean(other), boolean(self)), BOOL)

    def __add__(self, other: Operand) -> Term:
        return _arithmetic("add", self, other)

    def __radd__(self, other: Operand) -> Term:
        return _arithmetic("add", other, self)

    def __sub__(self, other: Operand) -> Term:
        if is_set(self.term.sort):
            return _set_operation("difference", self, other)
        return _arithmetic("sub", self, other)

    def __rsub__(self, other: Operand) -> Term:
        return _arithmetic("sub", other, self)

    def __le__(self, other: Operand) -> Term:
        if is_set(self.term.sort):
            left, right = unify(self.term, other)
            return make("subset", (left, right), BOOL)
        return _compare("le", self, other)

    def __lt__(self, other: Operand) -> Term:
        return _compare("lt", self, other)

    def __ge__(self, other: Operand) -> Term:
        if is_set(self.term.sort):
            left, right = unify(self.term, other)
            return make("subset", (right, left), BOOL)
        return _compare("le", other, self)

    def __gt__(self, other: Operand) -> Term:
        return _compare("lt", other, self)

    def __getitem__(self, key: Operand) -> Expr:
        return select(self.term, key)

    def __getattr__(self, name: str) -> Expr:
        if name.startswith("__"):
            raise AttributeError(name)
        return field(self.term, name)


Operand = Expr | Parameter | Bound | bool | int | str | None | Set["Operand"]


class Term(Expr):
    """A node: an operator, its arguments, its sort and the operator's own data.

    ``uid`` numbers nodes in order of creation; ``free`` holds the bound variables (by name
    and level) that occur free, which is what a reading needs to remember results.
    """

    __slots__ = ("__weakref__", "args", "data", "free", "op", "sort", "uid")

    op: OperatorName
    args: tuple[Term, ...]
    sort: Sort
    data: object
    uid: int
    free: frozenset[Term]

    @property
    def term(self) -> Term:
        """The term itself."""
        return self

    def __hash__(self) -> int:
        return self.uid

    def __repr__(self) -> str:
        from bmc.lang.show import show

        return show(self)

    def __reduce__(self) -> NoReturn:
        raise LanguageError("terms are not pickled: send the protocol's name and parameters")


_interned: WeakValueDictionary[tuple[object, ...], Term] = WeakValueDictionary()
_count = 0


def make(op: OperatorName, args: Iterable[Term], sort: Sort, data: object = None) -> Term:
    """The one node with these parts. No sort check: the public constructors do that."""
    global _count
    children = tuple(args)
    key = (op, tuple(child.uid for child in children), sort, type(data), data)
    found = _interned.get(key)
    if found is not None:
        return found
    require_operator(op, len(children))
    node = object.__new__(Term)
    _count += 1
    node.op, node.args, node.sort, node.data, node.uid = op, children, sort, data, _count
    node.free = _free(node)
    _interned[key] = node
    return node


def _free(node: Term) -> frozenset[Term]:
    if node.op == "bound_variable":
        return frozenset([node])
    below: frozenset[Term] = frozenset().union(*(child.free for child in node.args))
    return below - {node.args[0]} if node.op in BINDERS else below


def literal(value: int) -> Term:
    """A number; it takes the identity of what it is used with."""
    return make("int", (), IntSort(""), value)


def truth(value: bool) -> Term:
    """TRUE or FALSE."""
    return make("bool", (), BOOL, value)


def field(record: Term, name: str) -> Term:
    """``record.name``."""
    sort = record.sort
    if not isinstance(sort, RecordSort):
        raise SortError(
            f"{record!r} is a {sort}, not a record: it has no field {name!r}"
            + instead_of_field(sort, name)
        )
    return make("field", (record,), sort.field(name), name)


def select(collection: Term, key: Operand) -> Term:
    """``collection[key]`` of a map; partial where the key can leave its sort."""
    sort = collection.sort
    if not isinstance(sort, MapSort):
        raise SortError(f"{collection!r} is a {sort}, not a map: it cannot be indexed")
    return make("select", (collection, coerce(key, sort.key)), sort.value)


def lift(value: object) -> Term:
    """A Python value or expression as a term, by its own looks alone."""
    if isinstance(value, Expr):
        return value.term
    if isinstance(value, bool):
        return truth(value)
    if isinstance(value, int):
        return literal(value)
    if isinstance(value, Bound | Parameter):
        return make("bound", (), IntSort(""), Bound.of(value))
    raise SortError(
        f"{value!r} cannot be read as a term without knowing its sort" + standing_alone(value)
    )


def coerce(value: object, sort: Sort) -> Term:
    """``value`` as a term of exactly ``sort``.

    Numbers and intermediate integers are narrowed (checked against the range by every
    reading), names become enumeration values, None is none, ``X`` lifts to ``X?``, and a
    Python set becomes a set. Raises SortError when nothing fits.
    """
    if isinstance(sort, OptionSort):
        return _coerce_option(value, sort)
    if isinstance(value, str) and isinstance(sort, EnumSort):
        if value not in sort.values:
            raise SortError(f"{value!r} is no {sort.name}: use one of {', '.join(sort.values)}")
        return make("enum", (), sort, value)
    if isinstance(value, Set):
        return _coerce_set(value, sort)
    if value is None or (isinstance(value, str) and to_make(sort)):
        return _mismatch(value, sort)
    term = lift(value)
    if term.sort == sort:
        return term
    if isinstance(sort, IntSort) and isinstance(term.sort, IntSort):
        if term.sort.name not in ("", sort.name):
            raise SortError(f"{term!r} is a {term.sort.name}, not a {sort.name}: they do not mix")
        return make("narrow", (term,), sort) if sort.bounded else term
    return _mismatch(term, sort)


def _coerce_option(value: object, sort: OptionSort) -> Term:
    if value is None:
        return make("none", (), sort)
    if isinstance(value, Expr) and value.term.sort == sort:
        return value.term
    return make("some", (coerce(value, sort.inner),), sort)


def _coerce_set(value: Set[object], sort: Sort) -> Term:
    if not isinstance(sort, SetSort | KeyedSetSort | BoundedSetSort):
        return _mismatch(set(value), sort)
    result = make("empty", (), sort)
    members = sorted((coerce(member, sort.element) for member in value), key=lambda t: t.uid)
    for member in members:
        result = make("insert", (result, member), sort)
    return result


def _mismatch(value: object, sort: Sort) -> NoReturn:
    found = f" (a {value.sort})" if isinstance(value, Term) else ""
    raise SortError(f"expected a {sort}, found {value!r}{found}{to_make(sort)}")


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
        raise SortError(f"expected a truth value, found {term!r}, a {term.sort}")
    return term


def integer(value: object) -> Term:
    """``value`` as an integer term of any identity."""
    term = lift(value)
    if not isinstance(term.sort, IntSort):
        raise SortError(f"expected an integer, found {term!r}, a {term.sort}")
    return term


def is_set(sort: Sort) -> bool:
    """Whether the sort is one of the three kinds of sets."""
    return isinstance(sort, SetSort | KeyedSetSort | BoundedSetSort)


def common_identity(left: Term, right: Term) -> IntSort:
    """The identity two integer terms share; SortError when they do not mix."""
    names = {t.sort.name for t in (left, right)} - {""}
    if len(names) > 1:
        raise SortError(
            f"{left!r} and {right!r} are integers of different identity "
            f"({' and '.join(sorted(names))}): they do not mix"
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
    right = other.term
    if left.sort == right.sort:
        return left, right
    if isinstance(right.sort, OptionSort) and not isinstance(left.sort, OptionSort):
        return coerce(left, right.sort), right
    return left, coerce(right, left.sort)


def _arithmetic(op: OperatorName, left: object, right: object) -> Term:
    a, b = integer(left), integer(right)
    return make(op, (a, b), common_identity(a, b))


def _compare(op: OperatorName, left: object, right: object) -> Term:
    a, b = integer(left), integer(right)
    common_identity(a, b)
    return make(op, (a, b), BOOL)


def _set_operation(op: OperatorName, left: Expr, right: Operand) -> Term:
    a = left.term
    b = coerce(right, a.sort)
    if not isinstance(a.sort, SetSort) and op != "union":
        raise SortError(f"{op} is for sets with a bit an element, not for a {a.sort}")
    return make(op, (a, b), a.sort)
