"""Terms that have no value where the protocol has none, also where TLA+ has one.

`None` is a value of TLA+, as is a number outside of its sort and a container that is too full. TLC
has an error of its own for a position, a key or a case that is not there, and for `None` where a
number, a record or a set is computed with; `InSorts` of the module speaks of what is stored. What
is left of partial terms, and is not known to have a value by what is read before, is marked: a
`narrow` with an :class:`Sought`, which is written as an operator that is undefined there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple, assert_never

from bmc.lang.bounds import Bound
from bmc.lang.formulas import Both, Formula, Not, Now, Taken, Until
from bmc.lang.model import Action, Model
from bmc.lang.operator_table import BINDERS, OVER_SETS, OperatorName
from bmc.lang.sort_parts import inside as inside_of
from bmc.lang.sorts import (
    BOOL,
    BoundedSetSort,
    IntSort,
    KeyedSetSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    VariantSort,
)
from bmc.lang.state import Branch
from bmc.lang.substitution import substituted
from bmc.lang.terms import Term, make, subterms
from bmc.reports.exports.tla.facts import Extents, Facts
from bmc.reports.exports.tla.sorts import is_flat
from bmc.reports.exports.tla.stated import Stated


@dataclass(frozen=True)
class Sought:
    """What a value is asked to be: `operator` is the module's, ``of`` what else it is given."""

    operator: str
    of: object = None


IS_THERE = Sought("The")
IS_IN_SORT = Sought("Within")
IS_NATURAL = Sought("Within", "Nat")
IS_SHORT = Sought("Short")
IS_SMALL = Sought("Few")
HAS_ONE_OF_EACH_KEY = Sought("Keyed")

EVERY = "every"
"""The data of a quantifier whose body is to be read for all members, as the protocol's is."""


class _Told(NamedTuple):
    """What is said where a term stands, and need not be asked of the term.

    ``none``: that it is `None`, of a term that has to be there. ``outside``: that it, or a part of
    it, is outside of its sort.
    """

    none: bool
    outside: bool


_PLAIN, _USED, _STORED = _Told(False, False), _Told(True, False), _Told(True, True)
_MAY_LACK: frozenset[OperatorName] = frozenset(
    {"narrow", "the", "payload", "insert", "union", "union_of", "append", "take", "div"}
)
"""Operators that TLA+ may give a value where the protocol has none."""


def is_asked(term: Term) -> bool:
    """Tell whether a term is marked."""
    return term.op == "narrow" and term.data is not None


def has_marks(term: Term) -> bool:
    """Tell whether a part of a term is marked."""
    return any(is_asked(one) or one.data == EVERY for one in subterms([term]))


def valued(stated: Stated) -> Stated:
    """Return what is to be written with the terms of it that may have no value marked."""
    marks = Marks({one.name: (one.low, one.high) for one in stated.model.parameters})
    return replace(
        stated,
        model=marks.model(stated.model),
        properties=[replace(one, body=marks.formula(one.body)) for one in stated.properties],
        temporal=[replace(one, formula=marks.temporal(one.formula)) for one in stated.temporal],
    )


class Marks:
    """Marks what may have no value in terms."""

    def __init__(self, extents: Extents) -> None:
        self._nothing = Facts(extents)
        self._made: dict[tuple[Term, Facts, _Told], tuple[Term, bool]] = {}
        self._is_partial: dict[Term, bool] = {}

    def formula(self, term: Term) -> Term:
        """Return a formula that is read where nothing is known."""
        return self._of(term, self._nothing, _USED)[0]

    def value(self, term: Term) -> Term:
        """Return a term that is read where nothing is known."""
        return self._of(term, self._nothing, _PLAIN)[0]

    def temporal(self, formula: Formula) -> Formula:
        """Return a temporal formula of marked formulas."""
        match formula:
            case Now(term) | Taken(term):
                return type(formula)(self.formula(term))
            case Not(inner):
                return Not(self.temporal(inner))
            case Both(left, right) | Until(left, right):
                return type(formula)(self.temporal(left), self.temporal(right))
            case _:
                assert_never(formula)

    def model(self, model: Model) -> Model:
        """Return a model whose actions are marked, and its constraint."""
        return replace(
            model,
            initial=self._action(model.initial, model),
            actions=tuple(self._action(one, model) for one in model.actions),
            constraint=self.formula(model.constraint),
        )

    def _action(self, action: Action, model: Model) -> Action:
        known = self._nothing
        arguments = []
        for chosen in action.arguments:
            if chosen.collection is None:
                arguments.append(chosen)
                continue
            collection, _ = self._of(chosen.collection, known, _USED)
            arguments.append(replace(chosen, collection=collection))
            known = _of_a_member(known, chosen.variable, chosen.collection)
        branches = tuple(self._branch(one, known, model.ghosts) for one in action.branches)
        return replace(action, arguments=tuple(arguments), branches=branches)

    def _branch(self, branch: Branch, known: Facts, ghosts: frozenset[str]) -> Branch:
        guards = []
        for guard in branch.guards:
            guards.append(self._of(guard, known, _USED)[0])
            known = known.where(guard)
        updates = {}
        for name, value in branch.updates.items():
            # `InSorts` speaks of no ghost.
            place = _PLAIN if name in ghosts else _STORED
            updates[name], _ = self._of(value, known, place)
        return Branch(tuple(guards), updates)

    def _of(self, term: Term, known: Facts, told: _Told) -> tuple[Term, bool]:
        """Return a term with its marks, and whether it has any."""
        if not self._partial(term):
            return term, False
        key = (term, known, told)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._marked(term, known, told)
        return found

    def _partial(self, term: Term) -> bool:
        found = self._is_partial.get(term)
        if found is None:
            for one in subterms([term]):
                if one not in self._is_partial:
                    own = one.op in _MAY_LACK
                    self._is_partial[one] = own or any(self._is_partial[a] for a in one.args)
            found = self._is_partial[term]
        return found

    def _marked(self, term: Term, known: Facts, told: _Told) -> tuple[Term, bool]:
        match term.op:
            case "and" | "or" | "implies":
                parts = []
                for part in term.args:
                    parts.append(self._of(part, known, _USED))
                    known = known.where(part, term.op != "or")
                return _joined(term, parts)
            case "ite":
                condition, then, otherwise = term.args
                parts = [
                    self._of(condition, known, _USED),
                    self._of(then, known.where(condition), told),
                    self._of(otherwise, known.where(condition, False), told),
                ]
                return _joined(term, parts)
            case op if op in BINDERS:
                return self._binder(term, known, told)
        lacks = may_lack(term, known)
        places = zip(term.args, _places(term, told, lacks), strict=True)
        made, is_marked = _joined(term, [self._of(part, known, place) for part, place in places])
        asked = _asked(term, made, known, told) if lacks else made
        return asked, is_marked or asked is not made

    def _binder(self, term: Term, known: Facts, told: _Told) -> tuple[Term, bool]:
        variable, *others = term.args
        inside = known.inside(variable)
        parts = [(variable, False)]
        if len(others) == 2 and term.op in OVER_SETS:
            parts.append(self._of(others[0], known, _USED))
            inside = _of_a_member(inside, variable, others[0])
            others = others[1:]
        place = _Told(True, term.op == "union_of" and told.outside)
        if term.op == "lambda":
            place = _Told(told.outside, told.outside)
        body, is_marked = self._of(others[0], inside, place)
        asked_whole = (
            is_marked
            and not told.outside
            and term.op in ("lambda", "filter")
            # TLC lists all sequences to find one.
            and not any(isinstance(one, SequenceSort) for one in inside_of(term.sort))
        )
        if term.op == "lambda" and asked_whole:
            # What the whole map is asked to be says it of each of its values.
            body, _ = self._of(others[0], inside, _STORED)
        parts.append((body, is_marked))
        parts += [self._of(one, known, told) for one in others[1:]]
        made, are_marked = _joined(term, parts)
        if term.op in ("forall", "exists") and is_marked:
            made = make(made.op, made.args, made.sort, EVERY)
        elif asked_whole:
            made = _marked(made, IS_IN_SORT)
        elif term.op == "union_of" and may_lack(term, known):
            made = _asked(term, made, known, told)
        return made, are_marked or made.data is not None


def _places(term: Term, told: _Told, lacks: bool) -> list[_Told]:
    """Return where the parts of a term stand."""
    kept, part = _Told(True, told.outside), _Told(told.outside, told.outside)
    match term.op:
        case "narrow":
            return [_USED if lacks and not told.outside else told]
        case "some":
            return [_Told(False, told.outside)]
        case "eq" | "is_none":
            return [_PLAIN] * len(term.args)
        case "record" | "inject":
            return [part] * len(term.args)
        case "with_field":
            return [kept if _is_kept(term) else _USED, part]
        case "store":
            return [_USED, _PLAIN, part]
        case "select":
            return [_USED, _STORED]
        case "insert" | "append":
            return [kept, part]
        case "union":
            return [kept, kept]
        case "remove" | "lookup":
            return [_USED, _PLAIN]
        case "member":
            return [_PLAIN, _USED]
    return [_USED] * len(term.args)


def _is_kept(changed: Term) -> bool:
    """Whether all that a record's parts were changed to is in it: none is changed twice."""
    names = []
    while changed.op == "with_field":
        names.append(changed.data)
        changed = changed.args[0]
    return len(names) == len(set(names)) and changed.op not in ("record", "ite")


def _asked(term: Term, made: Term, known: Facts, told: _Told) -> Term:
    """Return a marked term that may have no value itself, marked where TLA+ has one."""
    match term.op:
        case "the" if not told.none:
            return _marked(made, IS_THERE)
        case "narrow" if not told.outside:
            return make("narrow", made.args, made.sort, IS_IN_SORT)
        case "payload":
            return _with(made, 0, Sought("Having", term.data))
        case "take" | "div":
            return _with(made, 1, IS_NATURAL)
        case "append" if not told.outside:
            return _marked(made, IS_SHORT)
        case "insert" | "union" | "union_of" if not told.outside:
            keyed = isinstance(term.sort, KeyedSetSort)
            return _marked(made, HAS_ONE_OF_EACH_KEY if keyed else IS_SMALL)
    return made


def may_lack(term: Term, known: Facts) -> bool:
    """Tell whether a term may have no value, and TLC one, though its parts have one."""
    if term in known.read:
        return False
    match term.op, term.args, term.sort:
        case "narrow", (number,), IntSort() as sort:
            return not known.fits(number, sort)
        case "the", (option,), _:
            return option.op != "lookup" and not _is_there(option, known)
        case "payload", (held,), _:
            return _is_shared(term) and not _is_case(held, term.data, known)
        case "append", (whole, _), SequenceSort(_, capacity):
            return not known.has_at_most(capacity - 1, whole)
        case "insert", (whole, one), BoundedSetSort(_, capacity):
            there = make("member", (one, whole), BOOL)
            return not (known.holds(there) or known.has_at_most(capacity - 1, whole))
        case "union", (left, right), BoundedSetSort(_, capacity):
            return not known.has_at_most(capacity, left, right)
        case "insert", (whole, one), KeyedSetSort():
            return not (whole.op == "empty" or _is_new(one, whole, known))
        case "union", (left, right), KeyedSetSort():
            return "empty" not in (left.op, right.op)
        case "union_of", _, sort:
            return isinstance(sort, KeyedSetSort | BoundedSetSort)
        case (("take" | "div"), (_, number), _):
            return not known.is_at_least(number, Bound(0))
    return False


def _is_there(option: Term, known: Facts) -> bool:
    if option.op == "some" or known.is_false(make("is_none", (option,), BOOL)):
        return True
    equal = [one.args for one in known.formulas if one.op == "eq"]
    return any(
        (left is option and right.op == "some") or (right is option and left.op == "some")
        for left, right in equal
    )


def _is_case(held: Term, tag: object, known: Facts) -> bool:
    assert isinstance(held.sort, VariantSort)
    asked = {case: make("is_case", (held,), BOOL, case) for case, _ in held.sort.cases}
    if held.op == "inject":
        return held.data == tag
    others = (one for case, one in asked.items() if case != tag)
    return known.holds(asked[str(tag)]) or all(map(known.is_false, others))


def _is_new(one: Term, whole: Term, known: Facts) -> bool:
    """Whether a set of records surely has none with the key of one."""
    sort = whole.sort
    assert isinstance(sort, KeyedSetSort)
    names = [name for name, _ in sort.element.fields]
    if one.op == "record":
        key = one.args[names.index(sort.key)]
    else:
        key = make("field", (one,), sort.key_sort, sort.key)
    found = make("lookup", (whole, key), OptionSort(sort.element))
    return known.holds(make("is_none", (found,), BOOL))


def _is_shared(payload: Term) -> bool:
    """Whether records of another case have a field that is read of this one."""
    sort = payload.args[0].sort
    assert isinstance(sort, VariantSort)
    read = _fields(sort, str(payload.data))
    return any(case != payload.data and read & _fields(sort, case) for case, _ in sort.cases)


def _fields(sort: VariantSort, case: str) -> set[str]:
    held = sort.case(case)
    if isinstance(held, RecordSort) and is_flat(sort, case):
        return {name for name, _ in held.fields}
    return {case}


def _of_a_member(known: Facts, variable: Term, collection: Term) -> Facts:
    """Return what is known of a variable that stands for a member of a set."""
    known = known.where(make("member", (variable, collection), BOOL))
    if collection.op == "filter":
        known = known.where(substituted(collection.args[1], {collection.args[0]: variable}))
    return known


def _joined(term: Term, parts: Iterable[tuple[Term, bool]]) -> tuple[Term, bool]:
    given = list(parts)
    args = tuple(part for part, _ in given)
    same = all(new is old for new, old in zip(args, term.args, strict=True))
    made = term if same else make(term.op, args, term.sort, term.data)
    return made, any(lacks for _, lacks in given)


def _marked(term: Term, asked: Sought) -> Term:
    return make("narrow", (term,), term.sort, asked)


def _with(term: Term, place: int, asked: Sought) -> Term:
    args = list(term.args)
    args[place] = _marked(args[place], asked)
    return make(term.op, args, term.sort, term.data)
