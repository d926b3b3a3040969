"""What a name can stand for while names are resolved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from . import tree as t
from .core import Binding, Definition, Expression, HiddenVariable
from .errors import Span, TlaNameError
from .node import node
from .operators import Operator


@node
class ConstantName:
    """A CONSTANT of the root module."""

    span: Span
    name: str
    arity: int


@node
class VariableName:
    """A VARIABLE of the root module."""

    span: Span
    name: str


@dataclass(slots=True, eq=False)
class LocalName:
    """A bound variable or a parameter; `used` once something refers to it."""

    binding: Binding
    used: bool = False


@dataclass(frozen=True, slots=True)
class BuiltinName:
    """An operator with a built-in meaning."""

    operator: Operator


@dataclass(frozen=True, slots=True)
class RefusedName:
    """An operator of a standard module that has no meaning here, and what to do instead."""

    name: str
    hint: str


@dataclass(slots=True, eq=False)
class OperatorName:
    """A defined operator or function, where it is defined; `definition` once it is asked for.

    `is_in_let`: a LET defines it, and it is called without the parameters of the instances around.
    """

    unit: t.OperatorOf | t.FunctionNamed
    scope: Scope
    is_recursive: bool = False
    definition: Definition | None = None
    is_in_let: bool = False


@dataclass(slots=True, eq=False)
class InstanceName:
    """`Name(parameters) == INSTANCE …`; `context` once it is asked for."""

    unit: t.InstanceOf
    scope: Scope
    context: Context | None = None


@dataclass(slots=True, eq=False)
class SubstitutedName:
    """A constant or variable of an instantiated module; `replacement` stands for it in `scope`."""

    replacement: t.Expression
    scope: Scope
    expression: Expression | None = None


@node
class HiddenName:
    """A variable whose next value is hidden: inside of an ENABLED, or of what is composed first.

    ``entity`` is what stands for it in the state.
    """

    name: str
    entity: Entity
    variable: HiddenVariable


@node
class MiddleName:
    """A variable in the second of two composed actions; ``entity`` stands for its next value."""

    name: str
    entity: Entity
    variable: HiddenVariable


@node
class ValueName:
    """A name to which the configuration gives a value."""

    name: str
    expression: Expression


@node
class MissingName:
    """A constant or variable that an INSTANCE leaves without a meaning."""

    message: str


Entity: TypeAlias = (
    ConstantName
    | VariableName
    | LocalName
    | BuiltinName
    | RefusedName
    | OperatorName
    | InstanceName
    | SubstitutedName
    | HiddenName
    | MiddleName
    | ValueName
    | MissingName
)


@dataclass(slots=True, eq=False)
class Context:
    """The root module, or one instance of a module: what its declared names stand for.

    `parameters` are those that its definitions have before their own; `prefix` is what stands
    before their names; `declare` gives the meaning of a CONSTANT or VARIABLE of the module;
    `home` collects the definitions of an instance inside a LET. `instance` is None of the root
    module; `hidden` are the variables whose primes are hidden, None where none is.
    """

    prefix: str
    parameters: tuple[Binding, ...]
    declare: Callable[[Span, str, int, bool], Entity]
    home: list[Definition] | None = None
    namespaces: dict[t.Module, Namespace] = field(default_factory=dict)
    instance: InstanceName | None = None
    hidden: dict[str, HiddenName] | None = None

    def within_let(self, home: list[Definition]) -> Context:
        """The same context, definitions being collected for a LET."""
        return replace(self, home=home)


@dataclass(slots=True, eq=False)
class Namespace:
    """The names of a module in a context; `exported` are those that others get from it.

    `declared` are its CONSTANTs and VARIABLEs, which an INSTANCE does not give on. `places` says
    of each name where the module gives it; what it extends is there from the beginning. `beyond`
    are the modules of bmc's library that it extends, each in the context of the root.
    """

    module: t.Module
    names: dict[str, Entity] = field(default_factory=dict)
    exported: dict[str, Entity] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)
    modules: dict[str, t.Module] = field(default_factory=dict)
    constants: list[ConstantName] = field(default_factory=list)
    variables: list[VariableName] = field(default_factory=list)
    assumptions: list[tuple[t.Assumption, Scope]] = field(default_factory=list)
    places: dict[str, Span] = field(default_factory=dict)
    beyond: set[str] = field(default_factory=set)

    def add(self, name: str, entity: Entity, is_local: bool = False) -> None:
        """Give a name its meaning."""
        self.names[name] = entity
        if not is_local:
            self.exported[name] = entity


@node
class Scope:
    """Where an expression stands: its module in a context, and the names bound around it."""

    namespace: Namespace
    context: Context
    locals: Mapping[str, Entity] = field(default_factory=dict)

    def with_names(self, names: Mapping[str, Entity]) -> Scope:
        """The scope with more names; :meth:`require_new` says that they are names of nothing."""
        return Scope(self.namespace, self.context, {**self.locals, **names})

    def require_new(self, name: str, span: Span) -> None:
        """Raise TlaNameError if a name that is bound here stands for something already.

        What the module defines further down, or just now, is no conflict: it is not known yet, as
        in ``x == CHOOSE x \\in S : TRUE``.
        """
        known = self.find(name)
        if known is None or isinstance(known, RefusedName):
            return
        place = _place(known) if name in self.locals else self.namespace.places.get(name)
        if place is None or place.file != span.file or _ends(place) <= _starts(span):
            raise defined_twice(name, span, place)

    def find(self, name: str) -> Entity | None:
        """What the name stands for here."""
        found = self.locals.get(name)
        return found if found is not None else self.namespace.names.get(name)


def is_before(one: Span, other: Span) -> bool:
    """Return whether a place stands before another one of the same file."""
    return one.file == other.file and _starts(one) < _starts(other)


def _starts(span: Span) -> tuple[int, int]:
    return span.line, span.column


def _ends(span: Span) -> tuple[int, int]:
    return span.end_line, span.end_column


def defined_twice(name: str, span: Span, place: Span | None) -> TlaNameError:
    """Return the error that a name has a meaning already: TLA+ has no name that hides another."""
    where = "a module that is extended" if place is None else f"line {place.line}"
    if place is not None and place.file != span.file:
        where += f" of {place.file}"
    return TlaNameError(
        span,
        f"{name} is defined or declared already, in {where}",
        "no name of TLA+ hides another: remove one if both are meant to be the same, and give "
        "one of the two another name if not",
    )


def _place(entity: Entity) -> Span | None:
    match entity:
        case LocalName(binding=binding):
            return binding.span
        case OperatorName(unit=unit) | InstanceName(unit=unit):
            return unit.span
        case _:
            return None
