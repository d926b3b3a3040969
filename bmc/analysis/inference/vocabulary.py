"""What lemmas may speak of: choices of bound variables, and literals over them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement, product

from bmc.analysis.inference.kinds import Kinds
from bmc.analysis.inference.members import collections, compares
from bmc.analysis.inference.quorums import Quorum
from bmc.analysis.inference.weights import accidents
from bmc.analysis.mining.literals import Literal, literals, opposite
from bmc.analysis.mining.vocabulary import Variables, key_sorts, readings
from bmc.lang.build import argument, member, record
from bmc.lang.model import Model
from bmc.lang.operator_table import BINDERS
from bmc.lang.sort_parts import inside
from bmc.lang.sorts import (
    BoolSort,
    EnumSort,
    IntSort,
    MapSort,
    RecordSort,
    Scalarset,
    SetSort,
    Sort,
)
from bmc.lang.state import state_variable
from bmc.lang.substitution import substituted
from bmc.lang.terms import Term, select, subterms, term_of

_DEEPEST = 4
_READ, _READ_BESIDE = 400, 700
"""Literals of what can be read. Beside a history, whose claims compare what several members have at
several places, more of them are needed."""
_MOST, _MOST_BESIDE = 700, 800
_SAME = 3
_FIELDS = 5
_KINDS = 6
_SHALLOW = 2
"""How deep in the state a set is that can stand where an action chose one."""
_BESIDE = 2
"""Bound variables beside which there are words of quorums and members: beside more there are too
many."""
_MEMBER = "member of a set"
_TOLD = 40
"""What is said of a quorum's members beside one of the bound variables, or none."""
_QUORUM = 3
"""What a word about a quorum weighs more than what it says of the members."""


class Words:
    """The formulas and sorts of one protocol, from which vocabularies are made.

    ``formulas`` are those it uses itself (:func:`bmc.analysis.inference.harvest.harvested`), and
    ``quorums`` what it demands of sets that it counts. Numbers of different ``kinds`` are not
    compared.
    """

    def __init__(
        self,
        model: Model,
        formulas: Sequence[Term],
        quorums: Sequence[Quorum] = (),
        kinds: Kinds | None = None,
    ) -> None:
        self.model = model
        self.formulas = formulas
        self.sorts = _quantified(model)
        self._called = _called(model)
        self._quorums = quorums
        self._kinds = kinds
        self._comparisons: dict[tuple[Term, Term], tuple[Literal, ...]] = {}
        self._read, self._most = (_READ_BESIDE, _MOST_BESIDE) if model.ghosts else (_READ, _MOST)

    def signatures(self, most: int) -> tuple[Variables, ...]:
        """Return the choices of up to ``most`` bound variables, those of fewest first.

        A choice that holds another one says all that the other does, so only the greatest stand
        for themselves: all of one variable, all of two, and so on.
        """
        found = []
        for count in range(most + 1):
            for chosen in combinations_with_replacement(self.sorts, count):
                if all(chosen.count(sort) <= _SAME for sort in chosen):
                    found.append(self.variables(chosen))
        return tuple(found)

    def variables(self, sorts: Sequence[Sort]) -> Variables:
        """Return variables of these sorts, called as the actions' arguments of the sort are."""
        made: list[Term] = []
        taken: set[str] = set()
        for sort in sorts:
            word = self._called.get(sort) or "".join(filter(str.isalpha, sort.name)).lower()[:6]
            word = word or "_"
            name, number = word, 2
            while name in taken:
                name, number = f"{word}{number}", number + 1
            taken.add(name)
            made.append(argument(name, sort))
        return tuple(made)

    def literals(self, bound: Variables) -> tuple[Literal, ...]:
        """Return what can be said in one literal of the bound variables and the state.

        Of a literal and its negation one is returned. The shallowest come first.
        """
        few = len(bound) <= _BESIDE
        counted = (*self._of_quorums(bound), *self._of_members(bound)) if few else ()
        return _distinct((*self._plain(bound), *counted))[: self._most]

    def _plain(self, bound: Variables) -> Iterator[Literal]:
        """Yield what is said of no quorum that is made up."""
        keys = {sort for sort in self.sorts if isinstance(sort, EnumSort)}
        yield from self._used(bound)
        yield from self._members(bound)
        for one in literals(readings(self.model, bound, _DEEPEST), self._read):
            if not _names_a_key(one.formula, keys) and self._is_sensible(one.formula):
                yield one

    def _is_sensible(self, formula: Term) -> bool:
        """Whether a literal compares no numbers of different kinds."""
        if self._kinds is None or formula.op not in ("eq", "le", "lt"):
            return True
        one, other = formula.args
        return not isinstance(one.sort, IntSort) or self._kinds.alike(one, other)

    def _used(self, bound: Variables) -> Iterator[Literal]:
        for formula in self.formulas:
            weight = 1 + len(formula.free) + sum(1 for _ in subterms([formula])) // 4
            for instead in self._chosen(formula.free, bound):
                yield Literal(substituted(formula, instead), (), weight)

    def _of_quorums(self, bound: Variables) -> Iterator[Literal]:
        """Yield that there is a quorum of whose members something holds, each beside one of the
        bound variables at most."""
        for element in dict.fromkeys(quorum.element for quorum in self._quorums):
            member = argument(_MEMBER, element)
            told = list(self._told(bound, member))
            for quorum in self._quorums:
                if quorum.element != element:
                    continue
                for instead in self._chosen(quorum.others, bound):
                    named = quorum.of(instead)
                    for one in told:
                        for said in (one, one.negated):
                            word = named.with_members(said, member)
                            yield Literal(word, (), _QUORUM + len(instead) + one.weight)

    def _of_members(self, bound: Variables) -> Iterator[Literal]:
        """Yield how all members of a set in the state compare with one of the bound variables."""
        for held, beside in product(collections(self.model, bound), bound):
            member = argument(_MEMBER, held.element)
            for one in self._compared(member, beside):
                yield from (held.of_all(said, member) for said in (one, one.negated))

    def _compared(self, member: Term, beside: Term) -> tuple[Literal, ...]:
        """Return how a member of a set can compare with a variable beside it."""
        if (member, beside) not in self._comparisons:
            read = literals(readings(self.model, (beside, member), _DEEPEST), _READ)
            self._comparisons[member, beside] = tuple(
                one
                for one in read
                if compares(one.formula, member, beside) and self._is_sensible(one.formula)
            )
        return self._comparisons[member, beside]

    def _told(self, bound: Variables, member: Term) -> Iterator[Literal]:
        """Yield what can be said of a member of a quorum."""
        for beside in ((), *((variable,) for variable in bound)):
            about = [
                one
                for one in _distinct(self._plain((*beside, member)))
                if {member, *beside} <= one.formula.free and _is_plain(one.formula)
            ]
            yield from about[:_TOLD]

    def _chosen(self, free: Iterable[Term], bound: Variables) -> Iterator[dict[Term, Term]]:
        """Yield what variables can stand for: bound variables of their sorts, and parts of the
        state in the place of sets, which nobody quantifies over."""
        ordered = sorted(free, key=lambda variable: variable.uid)
        sets = {x.sort for x in ordered if isinstance(x.sort, SetSort)}
        parts = readings(self.model, bound, _SHALLOW) if sets else ()
        choices: list[list[Term]] = []
        for x in ordered:
            if x.sort in sets:
                fitting = [one.term for one in parts if one.sort == x.sort and not one.guards]
            else:
                fitting = [v for v in bound if v.sort == x.sort]
            choices.append(fitting)
        for chosen in product(*choices):
            yield dict(zip(ordered, chosen, strict=True))

    def _members(self, bound: Variables) -> Iterator[Literal]:
        """Yield that a record of bound variables is in a set, or what a map has for one."""
        for name, sort in self.model.variables.items():
            whole = state_variable(name, sort)
            match sort:
                case SetSort(RecordSort() as keys):
                    for key in self._records(keys, bound):
                        yield Literal(term_of(member(key, whole)), (), 1 + len(keys.fields))
                case MapSort(RecordSort() as keys, BoolSort()):
                    for key in self._records(keys, bound):
                        yield Literal(select(whole, key), (), 1 + len(keys.fields))
                case MapSort(RecordSort() as keys, EnumSort(_, values)):
                    for key, value in product(self._records(keys, bound), values):
                        said = term_of(select(whole, key) == value)
                        yield Literal(said, (), 2 + len(keys.fields))

    def _records(self, sort: RecordSort, bound: Variables) -> Iterator[Term]:
        """Yield the records of bound variables; a field that tells kinds apart has a name."""
        if len(sort.fields) > _FIELDS:
            return
        choices: list[list[object]] = []
        for _, part in sort.fields:
            fitting: list[object] = [v for v in bound if v.sort == part]
            named = isinstance(part, EnumSort) and part not in self.sorts
            if named and isinstance(part, EnumSort) and len(part.values) <= _KINDS:
                fitting = list(part.values)
            choices.append(fitting)
        for chosen in product(*choices):
            given = dict(zip((n for n, _ in sort.fields), chosen, strict=True))
            yield record(sort, **given)  # type: ignore[arg-type]


def _called(model: Model) -> dict[Sort, str]:
    """Return for each sort the shortest word that an action has for one of its members."""
    found: dict[Sort, str] = {}
    taken = set(model.variables)
    for action in model.actions:
        for one in action.arguments:
            known = found.get(one.variable.sort)
            if one.name not in taken and (known is None or len(one.name) < len(known)):
                found[one.variable.sort] = one.name
    return found


def _is_plain(formula: Term) -> bool:
    """Whether a formula reads the state, and neither quantifies nor leans on a size."""
    parts = {part.op for part in subterms([formula])}
    return "variable" in parts and not parts & BINDERS and not accidents(formula)


def _distinct(found: Iterable[Literal]) -> tuple[Literal, ...]:
    """Return each literal once, and of a literal and its negation one; the shallowest first."""
    kept: dict[Term, Literal] = {}
    for one in found:
        if one.formula not in kept and opposite(one.formula) not in kept:
            kept[one.formula] = one
    return tuple(sorted(kept.values(), key=lambda one: one.weight))


def _quantified(model: Model) -> tuple[Sort, ...]:
    """Return the sorts that are quantified over, the most used first.

    These are the keys of maps, the elements of sets and the fields of those that are records,
    and the scalarsets wherever they are.
    """
    used: dict[Sort, int] = {}
    for key in key_sorts(model):
        for component in _components(key):
            if isinstance(component, EnumSort | IntSort | Scalarset):
                used.setdefault(component, 1)
    for sort in model.variables.values():
        for part in inside(sort):
            if isinstance(part, Scalarset):
                used[part] = used.get(part, 0) + 1
            elif isinstance(part, SetSort):
                for one in _components(part.element):
                    if isinstance(one, EnumSort | IntSort):
                        used[one] = used.get(one, 0) + 1
    for action in model.actions:
        for given in action.arguments:
            if given.variable.sort in used:
                used[given.variable.sort] += 1
    taken = {s for s in used if isinstance(s, EnumSort) and not _is_key(model, s)}
    return tuple(sorted((s for s in used if s not in taken), key=lambda sort: -used[sort]))


def _is_key(model: Model, sort: Sort) -> bool:
    """Whether an action chooses a value of the sort: then it is one of names, not of states."""
    return any(a.variable.sort == sort for action in model.actions for a in action.arguments)


def _components(element: Sort) -> Iterator[Sort]:
    if isinstance(element, RecordSort):
        for _, part in element.fields:
            yield part
    else:
        yield element


def _names_a_key(formula: Term, keys: set[EnumSort]) -> bool:
    """Whether a formula compares something with one member of a sort that is quantified over."""
    return any(one.op == "enum" and one.sort in keys for one in subterms([formula]))
