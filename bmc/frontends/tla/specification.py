"""What is checked: a root module at a configuration, every name that it reaches resolved."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace

from .core import Expression, SetEnumeration
from .errors import Span, TlaError

BY_INIT_AND_NEXT = "INIT and NEXT"
"""What names the behaviours of a configuration without SPECIFICATION."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A VARIABLE of the root module or of one that it extends."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Named:
    """A formula and the name that the configuration or the module gives it.

    An ASSUME without a name has an empty one.
    """

    name: str
    expression: Expression


@dataclass(frozen=True, slots=True)
class Specification:
    """A root module at a configuration.

    - `constants`: each CONSTANT that is not replaced by a definition, with its value: literals,
      model values and enumerated sets of them;
    - `variables`: in the order of their declaration;
    - `init`, `next`: without `[…]_v`; None where the configuration names neither (ASSUME alone);
    - `fairness`: the conjuncts of the specification's formula beside those two;
    - `behaviours`: what names them: SPECIFICATION's operator, or `INIT and NEXT`;
    - `invariants`, `properties`, `constraints`, `action_constraints`: in the configuration's order;
    - `symmetry`, `view`, `alias`, `postcondition`, `periodic`: what the configuration names so,
      or None;
    - `check_deadlock`: as in TLC, true unless the configuration says otherwise;
    - `lemmas`: state formulas that the user offers for induction;
    - `bounds`: intervals that the user gives to variables, by name, both ends included;
    - `taken`: all names that have a meaning in the root module, which no other name may hide;
    - `files`: the modules' files that are not shipped with bmc, and the configuration;
    - `edited`: what a user has to know of translations of PlusCal that were edited;
    - `partly`: whether claims are judged beside others that cannot be translated;
    - `texts`: what the modules' files said when they were read, for quotations.
    """

    module: str
    constants: Mapping[str, Expression]
    variables: tuple[Variable, ...]
    assumptions: tuple[Named, ...]
    init: Expression | None
    next: Expression | None
    fairness: tuple[Expression, ...]
    invariants: tuple[Named, ...]
    properties: tuple[Named, ...]
    constraints: tuple[Named, ...]
    action_constraints: tuple[Named, ...]
    symmetry: Named | None
    view: Named | None
    alias: Named | None
    postcondition: Named | None
    periodic: Named | None
    check_deadlock: bool
    lemmas: tuple[Named, ...]
    bounds: Mapping[str, tuple[int, int]]
    files: tuple[str, ...]
    taken: frozenset[str] = frozenset()
    edited: tuple[str, ...] = ()
    partly: bool = False
    behaviours: str = BY_INIT_AND_NEXT
    texts: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)


_SMALLEST = 2
"""Members of a set of model values that none is taken from: of one alone there is little to say."""


def names_no_behaviour(specification: Specification) -> TlaError:
    """Return the refusal of a configuration without SPECIFICATION, and INIT or NEXT."""
    *_, configuration = specification.files
    return TlaError(
        Span(configuration, 1, 1, 1, 1),
        "the configuration names no behaviour",
        "give it SPECIFICATION, or INIT and NEXT",
    )


def with_fewer(specification: Specification, sets: Container[str]) -> Specification | None:
    """Return the specification with one element less in some of its constants, which are sets.

    None where all of them are as small as they can be.
    """
    fewer = {
        name: SetEnumeration(value.span, value.elements[:-1])
        for name, value in specification.constants.items()
        if name in sets and isinstance(value, SetEnumeration) and len(value.elements) > _SMALLEST
    }
    if not fewer:
        return None
    return replace(specification, constants={**specification.constants, **fewer})


def without_claims(specification: Specification, names: Container[str]) -> Specification:
    """Return the specification without the invariants and properties of these names."""
    return replace(
        specification,
        invariants=tuple(one for one in specification.invariants if one.name not in names),
        properties=tuple(one for one in specification.properties if one.name not in names),
    )


def expressions(specification: Specification) -> tuple[Expression, ...]:
    """Return the formulas that a configuration asks about, those of liveness left out."""
    one = specification
    named = (
        *one.assumptions,
        *one.invariants,
        *one.properties,
        *one.constraints,
        *one.action_constraints,
        *one.lemmas,
    )
    behaviour = tuple(part for part in (one.init, one.next) if part is not None)
    return (*behaviour, *(formula.expression for formula in named))
