"""Whether a term is one that the language could have made: for terms that come as data.

The constructors of :mod:`bmc.lang.build` refuse what has no meaning before there is a term. A term
that is read from a file was made by nobody of them, and every reading relies on what they refuse:
also that no term names a member of a scalarset. An operator with a function of its own is asked of
that function; the others, of which arguments are compared by more than their sorts or come with
data, of the rules here.
"""

from __future__ import annotations

from bmc.lang import build
from bmc.lang.bounds import Bound
from bmc.lang.errors import LanguageError, SortError
from bmc.lang.operator_table import BINDERS, OPERATORS
from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import (
    BOOL,
    AnySet,
    BitSet,
    EnumSort,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
    require_enumerable,
)
from bmc.lang.terms import Term, term_of


def require_well_sorted(term: Term) -> None:
    """Raise SortError unless the operator is applied to what it takes, and gives its sort.

    The arguments are taken for well sorted. A variable of the state is not looked at: which there
    are is the model's to say.
    """
    try:
        good = _is_good(term)
    except AssertionError:
        good = False
    if not good:
        raise SortError(f"{term.op} is applied to what it does not take, or has not this sort")


def _is_good(term: Term) -> bool:
    args, data = term.args, term.data
    sorts = [one.sort for one in args]
    if term.op in BINDERS and (args[0].op != "bound_variable" or _rebinds(term)):
        return False
    match term.op:
        case "bool":
            return term.sort == BOOL and type(data) is bool
        case "int":
            return isinstance(term.sort, IntSort) and type(data) is int
        case "enum":
            return isinstance(term.sort, EnumSort) and data in term.sort.values
        case "bound":
            return isinstance(term.sort, IntSort) and isinstance(data, Bound)
        case "variable":
            return True
        case "bound_variable":
            match data:
                case (int(level), str()):
                    return type(level) is int and level >= -1
            return False
        case "field" | "with_field" | "inject" | "is_case" | "payload":
            return _is_part(term, sorts)
        case _:
            return data is None and _gives(term, sorts)


def _gives(term: Term, sorts: list[Sort]) -> bool:
    """Whether an operator without data is applied as it may be, and gives its sort."""
    match term.op, sorts:
        case "narrow", [IntSort()]:
            return isinstance(term.sort, IntSort) and term.sort.bounded
        case "not" | "and" | "or", _:
            return all(sort == BOOL for sort in [*sorts, term.sort])
        case "ite", [condition, *branches]:
            return condition == BOOL and all(_fits(one, term.sort) for one in branches)
        case "eq", [left, right]:
            return _fits(left, right) and term.sort == BOOL
        case "le" | "lt", [IntSort(), IntSort()]:
            return term.sort == BOOL
        case "add" | "sub" | "mul" | "div" | "mod", [IntSort(), IntSort()]:
            divides = term.op in ("div", "mod") and term.args[1].op == "int"
            positive = not divides or int(str(term.args[1].data)) > 0
            return positive and isinstance(term.sort, IntSort)
        case "none", []:
            return isinstance(term.sort, OptionSort)
        case "some", [inner]:
            return term.sort == OptionSort(inner)
        case "record", _:
            return isinstance(term.sort, RecordSort) and sorts == [s for _, s in term.sort.fields]
        case "select", [MapSort(key, value), index]:
            return index == key and term.sort == value
        case "store", [MapSort(key, value) as whole, index, new]:
            return index == key and new == value and term.sort == whole
        case "forall" | "exists" | "union_of", [bound, *_]:
            return _runs(term, sorts, bound)
        case "lambda", [bound, value]:
            return term.sort == MapSort(bound, value)
        case "filter", [bound, body]:
            return body == BOOL and term.sort == SetSort(bound)
        case "choose", [bound, body]:
            return body == BOOL and term.sort == bound and not symmetric_parts(bound)
        case "last" | "first", [IntSort() as bound, body, IntSort()]:
            return body == BOOL and bound.bounded and isinstance(term.sort, IntSort)
        case "empty", []:
            return isinstance(term.sort, AnySet | SequenceSort)
        case "full", []:
            if isinstance(term.sort, SetSort):
                require_enumerable(term.sort.element, "a set's element", sets=True)
                return True
            return False
        case "union", [whole, other]:
            return isinstance(whole, AnySet) and whole == other == term.sort
        case "intersection" | "difference", [whole, other]:
            return isinstance(whole, BitSet) and whole == other == term.sort
        case "subset", [whole, other]:
            return isinstance(whole, AnySet) and whole == other and term.sort == BOOL
        case _:
            return _is_said(term)


def _is_said(term: Term) -> bool:
    """Whether the operator's function makes this very term of its arguments."""
    make = getattr(build, OPERATORS[term.op].python or "", None)
    try:
        return make is not None and term_of(make(*term.args)) is term
    except LanguageError:
        return False


def _runs(term: Term, sorts: list[Sort], bound: Sort) -> bool:
    """Whether a binder runs over what it can, and gives a truth value or the union of sets."""
    body = sorts[-1]
    if len(sorts) == 3:
        whole = sorts[1]
        if not isinstance(whole, AnySet) or whole.element != bound:
            return False
    else:
        require_enumerable(bound, "what a binder runs over", sets=True)
    if term.op == "union_of":
        return isinstance(body, AnySet) and term.sort == body
    return body == BOOL and term.sort == BOOL


def _is_part(term: Term, sorts: list[Sort]) -> bool:
    """Whether a part of a record or of a variant is one, and of the right sort."""
    name = term.data
    if not isinstance(name, str):
        return False
    try:
        match term.op, sorts:
            case "field", [RecordSort() as whole]:
                return term.sort == whole.field(name)
            case "with_field", [RecordSort() as whole, new]:
                return new == whole.field(name) and term.sort == whole
            case "inject", [content]:
                return isinstance(term.sort, VariantSort) and content == term.sort.case(name)
            case "is_case", [VariantSort() as whole]:
                return whole.case(name) is not None and term.sort == BOOL
            case "payload", [VariantSort() as whole]:
                return term.sort == whole.case(name)
    except LanguageError:
        return False
    return False


def _rebinds(term: Term) -> bool:
    """Whether what stands beside a binder's body has its variable free, which is another one."""
    beside = {"last": 2, "first": 2}.get(term.op, 1)
    return len(term.args) > 2 and term.args[0] in term.args[beside].free


def _fits(one: Sort, other: Sort) -> bool:
    """Whether values are compared or chosen between: integers are, whatever their ranges."""
    return one == other or (isinstance(one, IntSort) and isinstance(other, IntSort))
