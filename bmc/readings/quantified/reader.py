"""Reading terms: each as a structure, and a formula that says where it is defined.

Definedness follows the order in which the `value` reading reads, so that all readings agree on
what "a bound was too small" means. The rules stand in the modules beside this one, which register
them here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bmc.lang.operator_table import OperatorName
from bmc.lang.sorts import (
    AnySet,
    BitSet,
    BoolSort,
    CountedSet,
    EnumSort,
    IntSort,
    KeyedSetSort,
    Scalarset,
    Sort,
    unknown_sort,
)
from bmc.lang.terms import Term
from bmc.readings.quantified.counting import NamedSet, named
from bmc.readings.quantified.formulas import (
    BOOL,
    FALSE,
    TRUE,
    Expression,
    Symbol,
    and_,
    app,
    implies,
    le,
    variable,
)
from bmc.readings.quantified.structures import (
    ABSENT,
    Function,
    NotQuantified,
    Structure,
    identity,
    scalar_sort,
)
from bmc.readings.quantified.vocabulary import Choice, Symbols


@dataclass(frozen=True)
class Read:
    """A structure and where it is defined."""

    value: Structure
    defined: Expression


Environment = Mapping[Term, Structure]
Rule = Callable[["Reader", Term, Environment], Read]
RULES: dict[OperatorName, Rule] = {}


def rule(*ops: OperatorName) -> Callable[[Rule], Rule]:
    """Register how operators are read."""

    def register(function: Rule) -> Rule:
        for op in ops:
            RULES[op] = function
        return function

    return register


def truth_of(value: Structure) -> Expression:
    """A truth value, also where nothing was read: there, the term is not defined."""
    return FALSE if value is ABSENT else value


def of_nothing(term: Term, parts: Sequence[Structure], defined: Expression) -> Read | None:
    """What an operator gives that reads something absent: there, the term is not defined."""
    if not any(part is ABSENT for part in parts):
        return None
    return Read(FALSE if isinstance(term.sort, BoolSort) else ABSENT, defined)


@dataclass(frozen=True)
class Definition:
    """A symbol for an extreme value, with what defines it.

    ``found`` says that some value matches, and ``value`` is then the least or greatest one that
    does; both are applied to ``arguments``, the variables that occur free in ``matches`` beside
    ``bound``. ``axioms`` are closed but for these.
    """

    op: str
    arguments: tuple[Expression, ...]
    found: Expression
    value: Expression
    bound: Expression
    matches: Expression
    axioms: tuple[Expression, ...]


class Reader:
    """Reads terms over given structures of the state's variables.

    ``variables`` maps ``(name, primed)`` to a structure; ``scope`` begins the names of the symbols
    that are defined on the way, which :attr:`definitions` lists.
    """

    def __init__(
        self,
        vocabulary: Symbols,
        variables: Mapping[tuple[str, bool], Structure],
        scope: str,
    ) -> None:
        self.vocabulary = vocabulary
        self.variables = dict(variables)
        self.scope = scope
        self.definitions: list[Definition] = []
        self.sets: dict[Symbol, NamedSet] = {}
        self._memory: dict[tuple[object, ...], Read] = {}

    def read(self, term: Term, environment: Environment | None = None) -> Read:
        """The structure of a term and where it is defined; NotQuantified if it has none."""
        env = environment or {}
        free = sorted(term.free, key=lambda v: v.uid)
        key = (term, *(identity(env[v]) for v in free if v in env))
        found = self._memory.get(key)
        if found is None:
            rule = RULES.get(term.op)
            if rule is None:
                raise NotQuantified(f"{term.op} has no first-order reading, in {term!r}")
            found = self._memory[key] = rule(self, term, env)
        return found

    def holds(self, term: Term, environment: Environment | None = None) -> Expression:
        """That a Bool term is defined and true."""
        found = self.read(term, environment)
        return and_(found.defined, truth_of(found.value))

    def all(self, term: Term, env: Environment) -> tuple[list[Structure], Expression]:
        """The structures of all arguments, and where all are defined."""
        parts = [self.read(child, env) for child in term.args]
        return [p.value for p in parts], and_(*(p.defined for p in parts))

    def elements(self, term: Term, env: Environment) -> tuple[list[Choice], Expression]:
        """What a binder's variable can be, and where that is defined."""
        bound = term.args[0]
        hint = name_of(bound)
        if len(term.args) < 3 or term.op not in ("forall", "exists"):
            return list(self.vocabulary.values(bound.sort, hint)), TRUE
        collection = self.read(term.args[1], env)
        found = list(self.members(term.args[1], collection.value, hint))
        return found, collection.defined

    def members(self, term: Term, held: Structure, hint: str) -> list[Choice]:
        """The elements of a set as symbolic cases, each in range where it is an element."""
        found: list[Choice] = []
        if held is ABSENT:
            return found
        sort = term.sort
        match sort:
            case _ if isinstance(sort, BitSet):
                for one in self.vocabulary.values(sort.element, hint):
                    inside = and_(one.range, held(one.structure))
                    found.append(Choice(one.variables, one.structure, inside))
                return found
            case KeyedSetSort():
                for one in self.vocabulary.values(sort.key_sort, hint):
                    slot = held(one.structure)
                    inside = and_(one.range, slot.present)
                    found.append(Choice(one.variables, slot.content, inside))
                return found
            case _ if isinstance(sort, CountedSet):
                raise NotQuantified(f"{term!r} holds a number of elements, which is a cardinality")
            case _ if not isinstance(sort, AnySet):
                raise NotQuantified(f"{term!r} has no elements: it is no set")
            case _:
                unknown_sort(sort)

    def extreme(self, op: str, bound: Term, env: Environment, body: Term) -> Definition:
        """A new symbol for the least (first) or greatest (last) value that makes ``body`` true."""
        sort = bound.sort
        if not isinstance(sort, IntSort | EnumSort):
            raise NotQuantified(f"an extreme value of {sort}: only integers have one")
        logic = scalar_sort(sort)
        own = variable(logic, name_of(bound))

        def matching(value: Expression) -> Expression:
            inside = self.vocabulary.well_formed(sort, value)
            return and_(inside, truth_of(self.read(body, {**env, bound: value}).value))

        matches = matching(own)
        arguments = tuple(sorted(matches.free - {own}, key=lambda v: v.data[0]))
        name = f"{self.scope}!!{op}{len(self.definitions) + 1}"
        domain = tuple(a.sort for a in arguments)
        found = app(Symbol(f"{name}!found", domain, BOOL), *arguments)
        value = app(Symbol(name, domain, logic), *arguments)
        ordered = le(own, value) if op == "last" else le(value, own)
        axioms = (implies(matches, and_(found, ordered)), implies(found, matching(value)))
        new = Definition(op, arguments, found, value, own, matches, axioms)
        self.definitions.append(new)
        return new

    def size(self, term: Term, members: Function) -> Expression:
        """The size of the set in ``term``, which has these members: a number that axioms are of."""
        sort = term.args[0].sort
        element: Sort | None = None
        if isinstance(sort, KeyedSetSort):
            # No two of its records share their key: there are as many as there are keys.
            element = sort.key_sort
        elif isinstance(sort, BitSet):
            element = sort.element
        if not isinstance(element, IntSort | EnumSort | Scalarset):
            raise NotQuantified(
                f"only sets of members of a scalarset, of numbers and of names are counted at all "
                f"parameters, and those with such a key, not a {sort}: {term!r}"
            )
        self.vocabulary.require_inhabited(element)
        logic = scalar_sort(element)
        own = variable(logic, "counted")
        inside = self.vocabulary.well_formed(element, own)
        held = members(own)
        there = held.present if isinstance(sort, KeyedSetSort) else truth_of(held)
        matches = and_(inside, there)
        whole = self.vocabulary.bound(element.size) if isinstance(element, Scalarset) else None
        found = named(own, matches, whole)
        self.sets.setdefault(found.value.data, found)
        return found.words.size(found.value)


def name_of(bound: Term) -> str:
    """What a bound variable is called."""
    data: Any = bound.data
    return str(data[1])
