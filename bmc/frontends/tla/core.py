"""Core: TLA+ with every name resolved and no substitution left.

A definition of an instantiated module is elaborated once for each instance, with the constants and
variables of that module standing for the expressions of the WITH clause. So `x'` under
`INSTANCE M WITH x <- e` is `Prime(e)`, and `VariableRef` names variables of the root module only.

Nodes are compared by identity; `span` says where the text is. The order of a node's fields is the
text's order. Trees are closed unions: a `match` over `Expression` ends with `assert_never`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from .errors import Span
from .node import node
from .operators import Operator


@node
class Binding:
    """What a bound variable or an operator's parameter is: its identity, not its name.

    `arity` is 0 but for operator parameters (`Op(_, _)` has 2). `is_parameter` tells parameters,
    whose level is that of the argument, from bound variables, whose values are constants.
    """

    span: Span
    name: str
    arity: int = 0
    is_parameter: bool = False


@dataclass(slots=True, eq=False, weakref_slot=True)
class Definition:
    """An operator that the specification defines: `Name(parameters) == body`.

    `name` is as a user would write it from the root module (`Inner!Next`). Definitions of a
    parametrised instance `M(p) == INSTANCE …` have its parameters before their own. Definitions in
    a LET may use the bound variables around it. `body` is set once; a recursive operator's body
    calls it.
    """

    span: Span
    name: str
    module: str
    parameters: tuple[Binding, ...] = ()
    is_local: bool = False
    is_recursive: bool = False
    _body: Expression | None = field(default=None, repr=False)

    @property
    def body(self) -> Expression:
        assert self._body is not None, f"{self.name} was not elaborated"
        return self._body

    def define(self, body: Expression) -> None:
        assert self._body is None, f"{self.name} was elaborated before"
        self._body = body

    @property
    def is_defined(self) -> bool:
        return self._body is not None


@node
class Node:
    """What all expressions have: their place in the text."""

    span: Span


# Names.


@node
class ConstantRef(Node):
    """A CONSTANT of the root module; its value is in `Specification.constants`."""

    name: str


@node
class VariableRef(Node):
    """A VARIABLE of the root module."""

    name: str


@dataclass(slots=True, eq=False)
class HiddenVariable:
    """A variable whose next value is that of an ENABLED, or of the first of two composed actions.

    In the state it is `expression`, what stands for the variable there; that is set once, if
    anything reads it. Its next value is its own, and no next value of the root module's variables
    says anything of it.
    """

    name: str
    _expression: Expression | None = field(default=None, repr=False)

    @property
    def expression(self) -> Expression:
        assert self._expression is not None, f"{self.name} was not elaborated"
        return self._expression

    def define(self, expression: Expression) -> None:
        self._expression = expression

    @property
    def is_defined(self) -> bool:
        return self._expression is not None


@node
class HiddenRef(Node):
    """A hidden variable; it stands only inside of the `Enabled` or `Composition` that hides it."""

    variable: HiddenVariable

    @property
    def name(self) -> str:
        return self.variable.name


@node
class MiddleRef(Node):
    """A variable in the second of two composed actions.

    In its state it is the next value of `middle`, which the first one gives; its next value is that
    of `after`.
    """

    middle: HiddenVariable
    after: Expression

    @property
    def name(self) -> str:
        return self.middle.name


def elsewhere(node: HiddenRef | MiddleRef, primed: bool) -> Expression | None:
    """Return what a variable is where its value is not the hidden next one; None where it is."""
    if isinstance(node, HiddenRef):
        return None if primed else node.variable.expression
    return node.after if primed else None


@node
class LocalRef(Node):
    """A bound variable, a parameter, EXCEPT's `@`, or a recursive function inside itself.

    As an argument it may be an operator parameter (`binding.arity > 0`) that is passed on.
    """

    binding: Binding


@node
class Call(Node):
    """`Op(arguments)` of an operator defined in the specification; `Op` alone has no argument."""

    definition: Definition
    arguments: tuple[Expression, ...]


@node
class CallParameter(Node):
    """`Op(arguments)` where `Op` is an operator parameter."""

    binding: Binding
    arguments: tuple[Expression, ...]


@node
class Builtin(Node):
    """An operator with a built-in meaning at its arguments."""

    operator: Operator
    arguments: tuple[Expression, ...]


# Operators as arguments of operators; they stand nowhere else.


@node
class OperatorRef(Node):
    """A defined operator passed by its name: `FoldSet(Add, 0, S)`."""

    definition: Definition


@node
class BuiltinRef(Node):
    """A built-in operator passed by its sign or name: `FoldSet(+, 0, S)`."""

    operator: Operator


@node
class Lambda(Node):
    """`LAMBDA parameters : body`."""

    parameters: tuple[Binding, ...]
    body: Expression


# Literals.


@node
class BooleanLiteral(Node):
    """`TRUE` or `FALSE`."""

    value: bool


@node
class IntegerLiteral(Node):
    """`12`, also as `\\b1100`, `\\o14`, `\\hC`."""

    value: int


@node
class StringLiteral(Node):
    """`"text"`, escapes resolved."""

    value: str


@node
class ModelValueLiteral(Node):
    """A model value of the configuration (`None = None`, `Replicas = {r1, r2}`); never in a text.

    Equal to itself alone. An unbounded CHOOSE that the configuration does not replace is none.
    """

    name: str


# Structure.


@node
class If(Node):
    """`IF condition THEN then ELSE otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class CaseArm:
    """`guard -> value` of a CASE."""

    guard: Expression
    value: Expression


@node
class Case(Node):
    """`CASE g1 -> e1 [] g2 -> e2 [] OTHER -> other`; TLC takes the first arm that holds."""

    arms: tuple[CaseArm, ...]
    other: Expression | None


@node
class Let(Node):
    """`LET definitions IN body`; also those of an INSTANCE in the LET that are used."""

    definitions: tuple[Definition, ...]
    body: Expression


# Binders.


@dataclass(frozen=True, slots=True)
class Bound:
    """`x \\in domain`, or `<<x, y>> \\in domain` if `is_tuple`; no domain: unbounded.

    `\\A x, y \\in S` are two bounds. Domains do not see the variables of their own binder.
    """

    variables: tuple[Binding, ...]
    is_tuple: bool
    domain: Expression | None


class Quantification(Enum):
    """Which quantifier."""

    FORALL = "\\A"
    EXISTS = "\\E"


@node
class Quantifier(Node):
    """`\\A x \\in S, y \\in T : body`, `\\E …`."""

    kind: Quantification
    bounds: tuple[Bound, ...]
    body: Expression


@node
class Choose(Node):
    """`CHOOSE x \\in S : body`; the bound may have no domain."""

    bound: Bound
    body: Expression


@node
class SetEnumeration(Node):
    """`{e1, e2}`; `{}` has no element."""

    elements: tuple[Expression, ...]


@node
class SetFilter(Node):
    """`{x \\in S : predicate}`."""

    bound: Bound
    predicate: Expression


@node
class SetMap(Node):
    """`{element : x \\in S, y \\in T}`."""

    element: Expression
    bounds: tuple[Bound, ...]


@node
class FunctionLiteral(Node):
    """`[x \\in S |-> body]`; with several variables its arguments are tuples."""

    bounds: tuple[Bound, ...]
    body: Expression


@node
class RecursiveFunction(Node):
    """What `f[x \\in S] == body` defines where `body` reads `f`, which is `LocalRef(itself)`."""

    itself: Binding
    bounds: tuple[Bound, ...]
    body: Expression


# Functions, records, tuples.


@node
class FunctionSet(Node):
    """`[domain -> codomain]`."""

    domain: Expression
    codomain: Expression


@node
class RecordLiteral(Node):
    """`[a |-> e, b |-> f]`."""

    fields: tuple[tuple[str, Expression], ...]


@node
class RecordSet(Node):
    """`[a : S, b : T]`."""

    fields: tuple[tuple[str, Expression], ...]


@node
class TupleLiteral(Node):
    """`<<e1, e2>>`, a sequence as well; `<<>>` has no element."""

    elements: tuple[Expression, ...]


@node
class Product(Node):
    """`S1 \\X S2 \\X S3`: one product of three factors."""

    factors: tuple[Expression, ...]


@node
class Apply(Node):
    """`f[arguments]`; several arguments are the tuple of them."""

    function: Expression
    arguments: tuple[Expression, ...]


@node
class Field(Node):
    """`record.name`, which is `record["name"]`."""

    record: Expression
    name: str


@dataclass(frozen=True, slots=True)
class IndexStep:
    """`[arguments]` of an EXCEPT path; several arguments are the tuple of them."""

    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class FieldStep:
    """`.name` of an EXCEPT path."""

    name: str


PathStep: TypeAlias = IndexStep | FieldStep


@dataclass(frozen=True, slots=True)
class Update:
    """`!path = value` of an EXCEPT; `@` in the value is `LocalRef(at)`, the old value there."""

    path: tuple[PathStep, ...]
    at: Binding
    value: Expression


@node
class Except(Node):
    """`[function EXCEPT !p1 = e1, !p2 = e2]`: the updates one after the other."""

    function: Expression
    updates: tuple[Update, ...]


# Actions and behaviours.


@node
class Prime(Node):
    """`operand'`: the operand in the next state."""

    operand: Expression


@node
class Unchanged(Node):
    """`UNCHANGED operand`, which is `operand' = operand`."""

    operand: Expression


@node
class Enabled(Node):
    """`ENABLED action`: the action has a next state, some values of its own for what it hides."""

    action: Expression
    hidden: tuple[HiddenVariable, ...] = ()


@node
class Composition(Node):
    """`first \\cdot second`: a step of the first to some state, and of the second from there.

    `hidden` are the variables of that state: in the first action they are `HiddenRef`s, in the
    second one `MiddleRef`s.
    """

    first: Expression
    second: Expression
    hidden: tuple[HiddenVariable, ...]


@node
class BoxAction(Node):
    """`[action]_subscript`: the action, or the subscript is unchanged."""

    action: Expression
    subscript: Expression


@node
class AngleAction(Node):
    """`<<action>>_subscript`: the action, and the subscript changes."""

    action: Expression
    subscript: Expression


@node
class Always(Node):
    """`[]operand`."""

    operand: Expression


@node
class Eventually(Node):
    """`<>operand`."""

    operand: Expression


@node
class LeadsTo(Node):
    """`before ~> after`."""

    before: Expression
    after: Expression


class FairnessKind(Enum):
    """Weak or strong."""

    WEAK = "WF"
    STRONG = "SF"


@node
class Fairness(Node):
    """`WF_subscript(action)` or `SF_subscript(action)`.

    `guard` is ENABLED <<action>>_subscript, of which fairness speaks, where it hides variables of
    an instance; None where it is that of the action as it stands here.
    """

    kind: FairnessKind
    subscript: Expression
    action: Expression
    guard: Expression | None = None


@node
class Unsupported(Node):
    """A construct that is read but has no meaning here; whoever needs it refuses it.

    `what` names it (`TLCGet`), `hint` is the remedy.
    """

    what: str
    hint: str


Expression: TypeAlias = (
    ConstantRef
    | VariableRef
    | HiddenRef
    | MiddleRef
    | LocalRef
    | Call
    | CallParameter
    | Builtin
    | OperatorRef
    | BuiltinRef
    | Lambda
    | BooleanLiteral
    | IntegerLiteral
    | StringLiteral
    | ModelValueLiteral
    | If
    | Case
    | Let
    | Quantifier
    | Choose
    | SetEnumeration
    | SetFilter
    | SetMap
    | FunctionLiteral
    | RecursiveFunction
    | FunctionSet
    | RecordLiteral
    | RecordSet
    | TupleLiteral
    | Product
    | Apply
    | Field
    | Except
    | Prime
    | Unchanged
    | Enabled
    | Composition
    | BoxAction
    | AngleAction
    | Always
    | Eventually
    | LeadsTo
    | Fairness
    | Unsupported
)
