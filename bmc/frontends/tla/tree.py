"""What the parser makes: a module as it is written, names not yet resolved."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import TypeAlias

from .core import FairnessKind, Quantification
from .errors import Span
from .node import node


@node
class Syntax:
    """What every part of a text has: its place."""

    span: Span


# Expressions.


@node
class Number(Syntax):
    value: int


@node
class Text(Syntax):
    value: str


@node
class Truth(Syntax):
    value: bool


@node
class At(Syntax):
    """`@` in an EXCEPT."""


@node
class Part(Syntax):
    """`M!` or `M(e)!` before a name."""

    name: str
    arguments: tuple[Expression, ...]


@node
class Operation(Syntax):
    """A name or a sign at arguments: `x`, `F(x)`, `x + y`, `x'`, `M!F(x)`.

    `place` is the name's or sign's own.
    """

    path: tuple[Part, ...]
    name: str
    arguments: tuple[Expression, ...]
    place: Span


@node
class PieceOf(Syntax):
    """`Op!2!1`: the first part of the second part of what `Op`, without parameters, is defined as.

    `place` is the operator's own.
    """

    path: tuple[Part, ...]
    name: str
    numbers: tuple[int, ...]
    place: Span


@node
class SignArgument(Syntax):
    """A sign that stands for its operator: `Fold(+, 0, S)`."""

    name: str


@node
class LambdaOf(Syntax):
    parameters: tuple[Parameter, ...]
    body: Expression


@node
class Junction(Syntax):
    """A list of `/\\` or `\\/`, also written in a line: `a /\\ b /\\ c`."""

    sign: str
    items: tuple[Expression, ...]


@node
class ProductOf(Syntax):
    factors: tuple[Expression, ...]


@node
class IfElse(Syntax):
    condition: Expression
    then: Expression
    otherwise: Expression


@node
class CaseOf(Syntax):
    arms: tuple[tuple[Expression, Expression], ...]
    other: Expression | None


@node
class LetIn(Syntax):
    units: tuple[Unit, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class Name:
    """A name where it is introduced."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Range:
    """`x \\in domain`, `<<x, y>> \\in domain` if `is_tuple`; without a domain: unbounded."""

    names: tuple[Name, ...]
    is_tuple: bool
    domain: Expression | None


@node
class Quantified(Syntax):
    kind: Quantification
    ranges: tuple[Range, ...]
    body: Expression


@node
class Chosen(Syntax):
    range: Range
    body: Expression


@node
class SetOf(Syntax):
    elements: tuple[Expression, ...]


@node
class SetWhere(Syntax):
    range: Range
    predicate: Expression


@node
class SetFrom(Syntax):
    element: Expression
    ranges: tuple[Range, ...]


@node
class FunctionOf(Syntax):
    ranges: tuple[Range, ...]
    body: Expression


@node
class FunctionsFrom(Syntax):
    domain: Expression
    codomain: Expression


@node
class RecordOf(Syntax):
    fields: tuple[tuple[str, Expression], ...]


@node
class RecordsOf(Syntax):
    fields: tuple[tuple[str, Expression], ...]


@node
class TupleOf(Syntax):
    elements: tuple[Expression, ...]


@node
class Applied(Syntax):
    function: Expression
    arguments: tuple[Expression, ...]


@node
class FieldOf(Syntax):
    record: Expression
    name: str


@node
class Change(Syntax):
    """`!path = value`; a step of the path is a field's name or the arguments of `[…]`."""

    path: tuple[str | tuple[Expression, ...], ...]
    value: Expression


@node
class ExceptOf(Syntax):
    function: Expression
    changes: tuple[Change, ...]


@node
class ActionOf(Syntax):
    """`[action]_subscript`, or `<<action>>_subscript` if it is `angle`."""

    angle: bool
    action: Expression
    subscript: Expression


@node
class FairnessOf(Syntax):
    kind: FairnessKind
    subscript: Expression
    action: Expression


@node
class Refused(Syntax):
    """What is grammatical and has no meaning here."""

    what: str
    hint: str


Expression: TypeAlias = (
    Number
    | Text
    | Truth
    | At
    | Operation
    | SignArgument
    | LambdaOf
    | PieceOf
    | Junction
    | ProductOf
    | IfElse
    | CaseOf
    | LetIn
    | Quantified
    | Chosen
    | SetOf
    | SetWhere
    | SetFrom
    | FunctionOf
    | FunctionsFrom
    | RecordOf
    | RecordsOf
    | TupleOf
    | Applied
    | FieldOf
    | ExceptOf
    | ActionOf
    | FairnessOf
    | Refused
)


# Units of a module.


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter or a declared constant: `x` has arity 0, `F(_, _)` and `_ + _` have 2."""

    span: Span
    name: str
    arity: int


@node
class Constants(Syntax):
    declared: tuple[Parameter, ...]


@node
class Variables(Syntax):
    names: tuple[Name, ...]


@node
class Recursive(Syntax):
    declared: tuple[Parameter, ...]


@node
class Assumption(Syntax):
    name: str
    formula: Expression


@node
class OperatorOf(Syntax):
    """`Name(parameters) == body`."""

    name: Name
    parameters: tuple[Parameter, ...]
    body: Expression
    is_local: bool = False


@node
class FunctionNamed(Syntax):
    """`Name[ranges] == body`."""

    name: Name
    ranges: tuple[Range, ...]
    body: Expression
    is_local: bool = False


@node
class Substitution(Syntax):
    """`name <- expression` of a WITH."""

    name: str
    expression: Expression


@node
class InstanceOf(Syntax):
    """`INSTANCE module WITH …`, under a name with parameters, or without (name None)."""

    name: Name | None
    parameters: tuple[Parameter, ...]
    module: Name
    substitutions: tuple[Substitution, ...]
    is_local: bool = False


@node
class Module(Syntax):
    """`---- MODULE name ---- EXTENDS … units ====`."""

    name: str
    extends: tuple[Name, ...]
    units: tuple[Unit, ...]


Unit: TypeAlias = (
    Constants
    | Variables
    | Recursive
    | Assumption
    | OperatorOf
    | FunctionNamed
    | InstanceOf
    | Module
)


def is_same_text(one: object, other: object) -> bool:
    """Return whether two parts of texts say the same, wherever they stand."""
    if isinstance(one, Span) or type(one) is not type(other):
        return isinstance(one, Span) and isinstance(other, Span)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(is_same_text, one, other))
    if is_dataclass(one):
        return all(is_same_text(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    return one == other
