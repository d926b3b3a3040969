"""First-order expressions: immutable, hash-consed, simplified as they are built.

Formulas are kept in negation normal form: a negation stands only before an atom or an
equivalence. Quantifiers are pushed inwards as far as they go, and one that is pinned to a value
(``\\E x : x = t /\\ …``) is replaced by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any
from weakref import WeakValueDictionary


@dataclass(frozen=True)
class LogicSort:
    """``Bool``, ``Int`` or ``Elem`` (uninterpreted), and the identity its values have.

    Integers of different identity are all integers; the identity only says where a value is worth
    trying. It is part of an uninterpreted sort.
    """

    kind: str
    identity: str = ""


BOOL = LogicSort("Bool")


@dataclass(frozen=True)
class Symbol:
    """An uninterpreted function (a constant when ``domain`` is empty)."""

    name: str
    domain: tuple[LogicSort, ...]
    sort: LogicSort


class Expression:
    """A term or formula: an operator, its arguments, its sort and the operator's own data.

    ``free`` holds the variables that occur free; ``quantified`` says whether a quantifier occurs.
    """

    __slots__ = ("__weakref__", "args", "data", "free", "op", "quantified", "sort", "uid")

    op: str
    args: tuple[Expression, ...]
    sort: LogicSort
    data: Any
    uid: int
    free: frozenset[Expression]
    quantified: bool

    def __repr__(self) -> str:
        return f"({self.op} {self.data} {self.args})"


_interned: WeakValueDictionary[tuple[object, ...], Expression] = WeakValueDictionary()
_numbers = count(1)
_variables = count(1)


def _make(op: str, args: Sequence[Expression], sort: LogicSort, data: Any = None) -> Expression:
    key = (op, tuple(a.uid for a in args), sort, data)
    found = _interned.get(key)
    if found is not None:
        return found
    node = object.__new__(Expression)
    node.op, node.args, node.sort, node.data = op, tuple(args), sort, data
    node.uid = next(_numbers)
    node.quantified = op in ("forall", "exists") or any(a.quantified for a in args)
    if op == "var":
        node.free = frozenset([node])
    elif len(args) == 1:
        node.free = args[0].free
    else:
        node.free = frozenset().union(*(a.free for a in args))
        if op in ("forall", "exists"):
            node.free -= {args[0]}
    _interned[key] = node
    return node


TRUE = _make("true", (), BOOL)
FALSE = _make("false", (), BOOL)


def truth(value: bool) -> Expression:
    """TRUE or FALSE."""
    return TRUE if value else FALSE


def number(value: int) -> Expression:
    """An integer."""
    return _make("int", (), LogicSort("Int"), value)


def variable(sort: LogicSort, hint: str = "x") -> Expression:
    """A variable that is no other; ``hint`` is what a reader may call it."""
    return _make("var", (), sort, (next(_variables), hint))


def app(symbol: Symbol, *args: Expression) -> Expression:
    """``symbol(args)``."""
    assert len(args) == len(symbol.domain), symbol.name
    return _make("app", args, symbol.sort, symbol)


def linear(term: Expression) -> tuple[int, dict[Expression, int]]:
    """An integer term as ``constant + Σ coefficient · term``."""
    if term.op == "int":
        return term.data, {}
    if term.op == "sum":
        constant, factors = term.data
        return constant, dict(zip(term.args, factors, strict=True))
    return 0, {term: 1}


def total(parts: Iterable[tuple[int, Expression]], constant: int = 0) -> Expression:
    """``constant + Σ factor · part``."""
    found: dict[Expression, int] = {}
    for factor, part in parts:
        offset, factors = linear(part)
        constant += factor * offset
        for term, times in factors.items():
            found[term] = found.get(term, 0) + factor * times
    found = {term: times for term, times in found.items() if times}
    if not found:
        return number(constant)
    if not constant and list(found.values()) == [1]:
        return next(iter(found))
    identity = next((t.sort.identity for t in found if t.sort.identity), "")
    data = (constant, tuple(found.values()))
    return _make("sum", tuple(found), LogicSort("Int", identity), data)


def add(left: Expression, right: Expression) -> Expression:
    """``left + right``."""
    return total(((1, left), (1, right)))


def sub(left: Expression, right: Expression) -> Expression:
    """``left - right``."""
    return total(((1, left), (-1, right)))


def _distance(left: Expression, right: Expression) -> int | None:
    difference = sub(left, right)
    return difference.data if difference.op == "int" else None


def eq(left: Expression, right: Expression) -> Expression:
    """Equality of two terms or truth values."""
    if left is right:
        return TRUE
    if left.sort.kind == "Bool":
        return iff(left, right)
    if left.sort.kind == "Int":
        distance = _distance(left, right)
        if distance is not None:
            return truth(distance == 0)
    first, second = sorted((left, right), key=_order)
    return _make("eq", (first, second), BOOL)


def _order(term: Expression) -> tuple[bool, bool]:
    # Only what any process finds: numbers of nodes depend on what was built before.
    return term.op == "int", term.op == "var"


def le(left: Expression, right: Expression) -> Expression:
    """``left <= right``."""
    distance = _distance(left, right)
    return truth(distance <= 0) if distance is not None else _make("le", (left, right), BOOL)


def lt(left: Expression, right: Expression) -> Expression:
    """``left < right``."""
    distance = _distance(left, right)
    return truth(distance < 0) if distance is not None else _make("lt", (left, right), BOOL)


_OPPOSITE = {"and": "or", "or": "and", "forall": "exists", "exists": "forall"}


def not_(formula: Expression) -> Expression:
    """The negation, pushed inwards."""
    match formula.op:
        case "true":
            return FALSE
        case "false":
            return TRUE
        case "not":
            return formula.args[0]
        case "le":
            return lt(formula.args[1], formula.args[0])
        case "lt":
            return le(formula.args[1], formula.args[0])
        case "and" | "or":
            return _make(_OPPOSITE[formula.op], [not_(a) for a in formula.args], BOOL)
        case "forall" | "exists":
            variable, body = formula.args
            return _make(_OPPOSITE[formula.op], (variable, not_(body)), BOOL)
    return _make("not", (formula,), BOOL)


def and_(*parts: Expression) -> Expression:
    """The conjunction."""
    return _junction("and", parts)


def or_(*parts: Expression) -> Expression:
    """The disjunction."""
    return _junction("or", parts)


def _junction(op: str, parts: Iterable[Expression]) -> Expression:
    neutral, absorbing = (TRUE, FALSE) if op == "and" else (FALSE, TRUE)
    found: dict[Expression, None] = {}
    for part in parts:
        for one in part.args if part.op == op else (part,):
            if one is absorbing or not_(one) in found:
                return absorbing
            if one is not neutral:
                found[one] = None
    opposite = _OPPOSITE[op]
    kept = []
    for one in found:
        if one.op == opposite:
            # A \/ (~A /\ B) is A \/ B, and A \/ (A /\ B) is A: guards that are repeated vanish.
            if any(inner in found for inner in one.args):
                continue
            left = [inner for inner in one.args if not_(inner) not in found]
            if len(left) < len(one.args):
                kept.append(_junction(opposite, left))
                continue
        kept.append(one)
    if kept != list(found):
        return _junction(op, kept)
    if not kept:
        return neutral
    return kept[0] if len(kept) == 1 else _make(op, kept, BOOL)


def implies(premise: Expression, conclusion: Expression) -> Expression:
    """``premise => conclusion``."""
    return or_(not_(premise), conclusion)


def iff(left: Expression, right: Expression) -> Expression:
    """Equivalence."""
    if left is right:
        return TRUE
    if left is not_(right):
        return FALSE
    for one, other in ((left, right), (right, left)):
        if one is TRUE:
            return other
        if one is FALSE:
            return not_(other)
    if left.quantified or right.quantified:
        return and_(implies(left, right), implies(right, left))
    return _make("iff", (left, right), BOOL)


def ite(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """``IF condition THEN then ELSE otherwise``, of terms or formulas."""
    if then is otherwise or condition is TRUE:
        return then
    if condition is FALSE:
        return otherwise
    if then.sort.kind == "Bool":
        return and_(implies(condition, then), or_(condition, otherwise))
    identity = then.sort if then.sort.identity else otherwise.sort
    return _make("ite", (condition, then, otherwise), identity)


def forall(bound: Expression, body: Expression) -> Expression:
    """``\\A bound : body``; what the variable ranges over is not empty."""
    return _quantify("forall", bound, body)


def exists(bound: Expression, body: Expression) -> Expression:
    """``\\E bound : body``; what the variable ranges over is not empty."""
    return _quantify("exists", bound, body)


def _quantify(op: str, bound: Expression, body: Expression) -> Expression:
    if bound not in body.free:
        return body
    through, over = ("and", "or") if op == "forall" else ("or", "and")
    if body.op == through:
        return _junction(through, [_quantify(op, bound, part) for part in body.args])
    if body.op == over:
        value = _pinned(op, bound, body.args)
        if value is not None:
            return substitute(body, {bound: value})
        inside = [part for part in body.args if bound in part.free]
        outside = [part for part in body.args if bound not in part.free]
        if outside:
            return _junction(over, [*outside, _quantify(op, bound, _junction(over, inside))])
        parts = [part for part in inside if part.op == through]
        if len(inside) > 1 and len(parts) == 1:
            # Distributing over one junction frees quantifiers and makes more of them pinned.
            rest = [part for part in inside if part is not parts[0]]
            if any(part.quantified for part in rest):
                return _make(op, (bound, body), BOOL)
            spread = [_junction(over, [*rest, part]) for part in parts[0].args]
            return _junction(through, [_quantify(op, bound, part) for part in spread])
    value = _pinned(op, bound, (body,))
    if value is not None:
        return substitute(body, {bound: value})
    return _make(op, (bound, body), BOOL)


def _pinned(op: str, bound: Expression, parts: Sequence[Expression]) -> Expression | None:
    for part in parts:
        equality = part
        if op == "forall":
            if part.op != "not":
                continue
            equality = part.args[0]
        if equality.op != "eq":
            continue
        for one, other in (equality.args, equality.args[::-1]):
            if one is bound and bound not in other.free:
                return other
    return None


def substitute(whole: Expression, values: Mapping[Expression, Expression]) -> Expression:
    """``whole`` with variables replaced; bound variables are renamed where they would capture."""
    wanted = {v: t for v, t in values.items() if v in whole.free}
    if not wanted:
        return whole
    arriving = frozenset().union(*(t.free for t in wanted.values()))
    memory: dict[Expression, Expression] = {}

    def run(node: Expression) -> Expression:
        if node.op == "var":
            return wanted.get(node, node)
        if node.free.isdisjoint(wanted):
            return node
        found = memory.get(node)
        if found is None:
            if node.op in ("forall", "exists") and node.args[0] in arriving:
                fresh = variable(node.args[0].sort, node.args[0].data[1])
                node_body = substitute(node.args[1], {node.args[0]: fresh})
                found = _quantify(node.op, fresh, run(node_body))
            else:
                found = rebuild(node, [run(a) for a in node.args])
            memory[node] = found
        return found

    return run(whole)


def rebuild(node: Expression, args: Sequence[Expression]) -> Expression:
    """The same operator on other arguments, simplified again."""
    match node.op:
        case "app":
            return app(node.data, *args)
        case "sum":
            constant, factors = node.data
            return total(zip(factors, args, strict=True), constant)
        case "eq":
            return eq(*args)
        case "le":
            return le(*args)
        case "lt":
            return lt(*args)
        case "not":
            return not_(*args)
        case "and" | "or":
            return _junction(node.op, args)
        case "iff":
            return iff(*args)
        case "ite":
            return ite(*args)
        case "forall" | "exists":
            return _quantify(node.op, args[0], args[1])
    return node


def subterms(whole: Expression) -> Iterator[Expression]:
    """Every node of an expression once, children first."""
    seen: set[Expression] = set()
    stack = [(whole, False)]
    while stack:
        node, done = stack.pop()
        if done:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(node.args))
