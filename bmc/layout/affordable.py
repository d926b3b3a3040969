"""Models that are too large to build: refused at once, with the size that they would have.

What is estimated are upper bounds by arithmetic on the sorts; nothing is listed for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

from bmc.lang.errors import BmcError
from bmc.lang.model import Action, Model
from bmc.lang.operator_table import BINDERS, OVER_SETS
from bmc.lang.sorts import (
    BitSet,
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
    Sort,
    VariantSort,
    unknown_sort,
)
from bmc.lang.terms import Term, subterms

MOST_AMOUNTS = 900_000
"""Amounts that the scalars of a state can take, all together: a literal each in a SAT solver."""
MOST_INSTANCES = 10**11
"""Instances of one action's formula: choices of its arguments and of its quantifiers.

Most of them fold to nothing in protocols that are checked every day, so this is a generous bound.
"""
MOST_LISTED = 4_000_000
"""Values of one sort that are listed."""
_HUGE = 10**30


class TooLarge(BmcError):
    """A model at these parameters would take more memory or time to build than anybody has."""


def require_affordable(model: Model, parameters: Mapping[str, int], *, wide: bool = False) -> None:
    """TooLarge when a state, or an action, is beyond what can be built at these parameters.

    With ``wide`` integers a scalar counts once, whatever its range: only a SAT solver's encoding
    has a literal for each amount, and :func:`require_narrow` is what asks there.
    """
    sizes = _Sizes(parameters, wide)
    named = ", ".join(f"{name}={value}" for name, value in parameters.items())
    at = f"at {named} " if named else ""
    for name, sort in model.variables.items():
        amounts = sizes.amounts(sort)
        if amounts > MOST_AMOUNTS:
            raise TooLarge(
                f"{at}the variable {name} alone has parts with {_said(amounts)} amounts, and "
                f"{_said(MOST_AMOUNTS)} is the most that bmc builds: choose smaller parameters"
            )
    for action in (model.initial, *model.actions):
        instances = sizes.instances(action)
        if instances > MOST_INSTANCES:
            raise TooLarge(
                f"{action.source}: {at}the action {action.name} has {_said(instances)} instances"
                f"{sizes.widest(action)}, and {_said(MOST_INSTANCES)} is the most that bmc builds: "
                "choose smaller parameters"
            )


def too_wide(formula: Term, parameters: Mapping[str, int]) -> Sort | None:
    """Return a sort of more values than are listed that a formula's variable runs over, if any."""
    sizes = _Sizes(parameters)
    binders = (term for term in subterms([formula]) if term.op in BINDERS)
    return next((one.args[0].sort for one in binders if sizes.listed(one) > MOST_LISTED), None)


def require_narrow(amounts: int) -> None:
    """TooLarge when one integer has more amounts than literals can be made for."""
    if amounts > MOST_AMOUNTS:
        raise TooLarge(
            f"a number of {_said(amounts)} amounts is too wide for a SAT solver, and "
            f"{_said(MOST_AMOUNTS)} is the most: choose smaller parameters, or `bmc explore`"
        )


def _said(number: int) -> str:
    return f"{number:,}" if number < 10**15 else "more than 10^15"


class _Sizes:
    def __init__(self, parameters: Mapping[str, int], wide: bool = False) -> None:
        self._parameters = parameters
        self._wide = wide

    def amounts(self, sort: Sort) -> int:
        """The sum over the scalars of a sort of how many amounts each can take."""
        match sort:
            case BoolSort():
                return 1
            case IntSort():
                return 1 if self._wide else self.count(sort)
            case Scalarset() | EnumSort():
                return self.count(sort)
            case OptionSort():
                return 1 + self.amounts(sort.inner)
            case RecordSort():
                return _sum(self.amounts(part) for _, part in sort.fields)
            case VariantSort():
                return _sum([len(sort.cases), *(self.amounts(part) for _, part in sort.cases)])
            case MapSort():
                return _times(self.count(sort.key), self.amounts(sort.value))
            case _ if isinstance(sort, BitSet):
                return self.count(sort.element)
            case KeyedSetSort():
                return _times(self.count(sort.key_sort), 1 + self.amounts(sort.element))
            case SequenceSort() | BoundedSetSort():
                capacity = max(0, sort.capacity.at(self._parameters))
                return _sum([capacity, _times(capacity, self.amounts(sort.element))])
            case _:
                unknown_sort(sort)

    def count(self, sort: Sort) -> int:
        """How many values a listable sort has; of others, how many slots hold its elements."""
        match sort:
            case BoolSort():
                return 2
            case EnumSort():
                return len(sort.values)
            case IntSort():
                low, high = (bound.at(self._parameters) for bound in sort.range())
                return min(_HUGE, max(0, high - low + 1))
            case Scalarset():
                return min(_HUGE, max(0, sort.size.at(self._parameters)))
            case OptionSort():
                return 1 + self.count(sort.inner)
            case RecordSort():
                return _times(*(self.count(part) for _, part in sort.fields))
            case _ if isinstance(sort, BitSet):
                elements = self.count(sort.element)
                return 2**elements if elements < 90 else _HUGE
            case KeyedSetSort():
                return self.count(sort.key_sort)
            case SequenceSort() | BoundedSetSort():
                return max(0, sort.capacity.at(self._parameters))
            case VariantSort():
                return _sum(self.count(part) for _, part in sort.cases)
            case MapSort():
                keys, values = self.count(sort.key), self.count(sort.value)
                return min(_HUGE, values**keys) if keys * values.bit_length() < 100 else _HUGE
            case _:
                unknown_sort(sort)

    def widest(self, action: Action) -> str:
        """What to say of the argument of an action with the most values, where it has many."""
        values = {a.name: self._among(a.variable.sort, a.collection) for a in action.arguments}
        name = max(values, key=values.__getitem__, default="")
        if values.get(name, 0) < MOST_LISTED:
            return ""
        return f" (its argument {name} is one of {_said(values[name])} values)"

    def instances(self, action: Action) -> int:
        """Choices of an action's arguments, or what a formula in it is read at, if that is more.

        A formula is read once for each choice of the variables that are free in it.
        """
        domains = {a.variable: self._among(a.variable.sort, a.collection) for a in action.arguments}
        choices = _times(*domains.values())
        terms: set[Term] = set()
        stack = [
            t for branch in action.branches for t in (*branch.guards, *branch.updates.values())
        ]
        while stack:
            term = stack.pop()
            if term in terms:
                continue
            terms.add(term)
            stack += term.args
            if term.op in BINDERS:
                variable = term.args[0]
                domains[variable] = max(self.listed(term), domains.get(variable, 1))
        read = {term.free for term in terms}
        return max(choices, *(_times(*(domains[v] for v in free)) for free in read), 0)

    def listed(self, binder: Term) -> int:
        """How many values the variable of a binder is given one by one."""
        over_a_set = binder.op in OVER_SETS and len(binder.args) == 3
        return self._among(binder.args[0].sort, binder.args[1] if over_a_set else None)

    def _among(self, sort: Sort, collection: Term | None) -> int:
        """How many values of a sort are tried one by one: of a set in slots, one a slot."""
        held = sort if collection is None else collection.sort
        return self.count(held if isinstance(held, KeyedSetSort | BoundedSetSort) else sort)


def _times(*factors: int) -> int:
    return min(_HUGE, prod(factors))


def _sum(parts: Iterable[int]) -> int:
    return min(_HUGE, sum(parts))
