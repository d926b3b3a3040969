"""Circuits: scalar formulas over Booleans and small integers, with structural hashing.

A circuit is what remains of a model once parameters have values, binders are expanded and
structured values are split into scalars. Every symbolic reading (z3, bitwuzla, numpy) is a
short translation of these few operators. Constructors fold constants and use the interval that
each integer node carries, so most of what a bound makes impossible disappears here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from bmc.lang.errors import LanguageError

BOOL_OPS = frozenset({"const", "var", "not", "and", "or", "iff", "eq", "le"})
"""Operators of Bool nodes. ``eq`` and ``le`` compare integer nodes."""

INT_OPS = frozenset({"num", "ivar", "ite", "add", "sub"})
"""Operators of integer nodes; ``ite`` takes a Bool and two integers."""

_GATES = (BOOL_OPS | INT_OPS) - {"const", "var", "num", "ivar"}

_DEPTH, _WIDE, _MANY = 6, 32, 64
"""How deep, and in gates of how many arguments, a condition is looked for inside of another."""

_CONSTRUCTORS = {"not": "not_", "and": "and_", "or": "or_"}


class Node:
    """One gate. ``low`` and ``high`` bound an integer node; a Bool node has 0 and 1.

    ``data`` is the constant's value or the variable's index.
    """

    __slots__ = ("args", "op", "uid")

    op: str
    args: tuple[Node, ...]
    uid: int
    data = 0
    low = 0
    high = 1

    def __repr__(self) -> str:
        inside = ", ".join(map(repr, self.args)) if self.args else str(self.data)
        return f"{self.op}({inside})"


class _Scalar(Node):
    """A constant, a variable or an integer: what says more of itself than Bool gates do."""

    __slots__ = ("data", "high", "low")

    data: int
    low: int
    high: int


class Circuit:
    """An arena of nodes. Nodes of different circuits do not mix."""

    def __init__(self) -> None:
        # By operator, and then by arguments: these are kept anyway, and are told apart by identity.
        self._gates: dict[str, dict[tuple[Node, ...], Node]] = {op: {} for op in _GATES}
        self._variables: dict[int, Node] = {}
        self._numbers: dict[int, Node] = {}
        self._integers: dict[tuple[int, int, int], Node] = {}
        self._count = 0
        self._split: dict[tuple[int, int], Node] = {}
        self.false = self._new("const", (), 0, 0, 1)
        self.true = self._new("const", (), 1, 0, 1)

    def __len__(self) -> int:
        return self._count

    def _make(self, op: str, args: tuple[Node, ...]) -> Node:
        known = self._gates[op]
        node = known.get(args)
        if node is None:
            node = known[args] = Node()
            node.op, node.args, node.uid = op, args, self._count
            self._count += 1
        return node

    def _integer(self, op: str, args: tuple[Node, ...], low: int, high: int) -> Node:
        known = self._gates[op]
        node = known.get(args)
        if node is None:
            node = known[args] = self._new(op, args, 0, low, high)
        return node

    def _new(self, op: str, args: tuple[Node, ...], data: int, low: int, high: int) -> Node:
        node = _Scalar()
        node.op, node.args, node.data, node.low, node.high = op, args, data, low, high
        node.uid = self._count
        self._count += 1
        return node

    def constant(self, value: bool) -> Node:
        """TRUE or FALSE."""
        return self.true if value else self.false

    def variable(self, index: int) -> Node:
        """The Bool variable with this index."""
        node = self._variables.get(index)
        if node is None:
            node = self._variables[index] = self._new("var", (), index, 0, 1)
        return node

    def number(self, value: int) -> Node:
        """An integer constant."""
        node = self._numbers.get(value)
        if node is None:
            node = self._numbers[value] = self._new("num", (), value, value, value)
        return node

    def integer_variable(self, index: int, low: int, high: int) -> Node:
        """The integer variable with this index and range."""
        key = index, low, high
        node = self._integers.get(key)
        if node is None:
            node = self._integers[key] = self._new("ivar", (), index, low, high)
        return node

    def not_(self, a: Node) -> Node:
        """Negation."""
        if a.op == "const":
            return self.false if a.data else self.true
        if a.op == "not":
            return a.args[0]
        return self._make("not", (a,))

    def and_(self, *parts: Node) -> Node:
        """Conjunction."""
        return self._junction("and", parts, self.true, self.false)

    def or_(self, *parts: Node) -> Node:
        """Disjunction."""
        return self._junction("or", parts, self.false, self.true)

    def all(self, parts: Iterable[Node]) -> Node:
        """Conjunction of an iterable."""
        return self._junction("and", tuple(parts), self.true, self.false)

    def any(self, parts: Iterable[Node]) -> Node:
        """Disjunction of an iterable."""
        return self._junction("or", tuple(parts), self.false, self.true)

    def _junction(self, op: str, parts: Sequence[Node], unit: Node, zero: Node) -> Node:
        kept: dict[int, Node] = {}
        for part in parts:
            if part is zero:
                return zero
            if part is unit:
                continue
            for inner in part.args if part.op == op else (part,):
                kept[inner.uid] = inner
        for node in kept.values():
            if node.op == "not" and node.args[0].uid in kept:
                return zero
        if not kept:
            return unit
        if len(kept) == 1:
            return next(iter(kept.values()))
        return self._make(op, tuple(kept[u] for u in sorted(kept)))

    def implies(self, a: Node, b: Node) -> Node:
        """``~a \\/ b``."""
        if b is self.true:
            return b
        return self.or_(self.not_(a), b)

    def needed(self, a: Node, b: Node) -> Node:
        """``~a \\/ b``, less what ``b`` says that ``a`` says as well.

        Where a term has a value is said with such conditions of conditions, and mostly says
        nothing: it is asked of an element of a sequence whether it is one, at each place again.
        """
        if a.op == "const" or b.op == "const":
            return self.implies(a, b)
        holds = a.args if a.op == "and" else (a,)
        known = {part.uid: self.true for part in holds}
        known |= {part.args[0].uid: self.false for part in holds if part.op == "not"}
        return self.implies(a, self._under(known, b, _DEPTH, len(known) + _MANY))

    def _under(self, known: dict[int, Node], node: Node, depth: int, most: int) -> Node:
        """Return what is left of a node where some are known, by their numbers.

        What is found joins them, since parts are shared, until they are too many.
        """
        left = known.get(node.uid)
        if left is not None:
            return left
        if node.op not in ("and", "or", "not") or not depth or len(known) > most:
            return node
        if len(node.args) > _WIDE:
            return node
        parts = tuple([self._under(known, part, depth - 1, most) for part in node.args])
        left = known[node.uid] = node if parts == node.args else self.rebuilt(node, parts)
        return left

    def iff(self, a: Node, b: Node) -> Node:
        """Equality of Bool nodes."""
        if a is b:
            return self.true
        if a.op == "const":
            return b if a.data else self.not_(b)
        if b.op == "const":
            return a if b.data else self.not_(a)
        if a.op == "not" and b.op == "not":
            a, b = a.args[0], b.args[0]
        if (a.op == "not" and a.args[0] is b) or (b.op == "not" and b.args[0] is a):
            return self.false
        if a.uid > b.uid:
            a, b = b, a
        return self._make("iff", (a, b))

    def choose(self, condition: Node, then: Node, otherwise: Node) -> Node:
        """``IF condition THEN then ELSE otherwise`` on Bool nodes."""
        if condition.op == "const":
            return then if condition.data else otherwise
        if then is otherwise:
            return then
        return self.and_(self.implies(condition, then), self.or_(condition, otherwise))

    def ite(self, condition: Node, then: Node, otherwise: Node) -> Node:
        """``IF condition THEN then ELSE otherwise`` on integer nodes."""
        if condition.op == "const":
            return then if condition.data else otherwise
        if then is otherwise:
            return then
        if condition.op == "not":
            return self.ite(condition.args[0], otherwise, then)
        if then.op == "ite" and then.args[0] is condition:
            then = then.args[1]
        if otherwise.op == "ite" and otherwise.args[0] is condition:
            otherwise = otherwise.args[2]
        low, high = min(then.low, otherwise.low), max(then.high, otherwise.high)
        return self._integer("ite", (condition, then, otherwise), low, high)

    def add(self, a: Node, b: Node) -> Node:
        """Sum of integer nodes."""
        if a.op == "num":
            a, b = b, a
        if a.op == "num":
            return self.number(a.data + b.data)
        if b.op == "num" and b.data == 0:
            return a
        if b.op == "num" and a.op == "add" and a.args[1].op == "num":
            return self.add(a.args[0], self.number(a.args[1].data + b.data))
        return self._integer("add", (a, b), a.low + b.low, a.high + b.high)

    def sub(self, a: Node, b: Node) -> Node:
        """Difference of integer nodes."""
        if b.op == "num":
            return self.add(a, self.number(-b.data))
        if a is b:
            return self.number(0)
        return self._integer("sub", (a, b), a.low - b.high, a.high - b.low)

    def eq(self, a: Node, b: Node) -> Node:
        """Equality of integer nodes."""
        if a is b:
            return self.true
        if a.high < b.low or b.high < a.low:
            return self.false
        if a.op == "num":
            a, b = b, a
        if b.op == "num":
            if a.op == "num":
                return self.constant(a.data == b.data)
            if a.op == "ite":
                return self._either_equals(a, b)
            if a.op == "add" and a.args[1].op == "num":
                return self.eq(a.args[0], self.number(b.data - a.args[1].data))
            if b.data == a.high == a.low + 1:
                # The other of two values: what is not of one of two kinds is of the other.
                return self.not_(self.eq(a, self.number(a.low)))
        elif a.uid > b.uid:
            a, b = b, a
        return self._make("eq", (a, b))

    def _either_equals(self, a: Node, number: Node) -> Node:
        # Conditionals share their branches: unremembered, this takes time exponential in depth.
        key = a.uid, number.data
        found = self._split.get(key)
        if found is None:
            then, otherwise = self.eq(a.args[1], number), self.eq(a.args[2], number)
            found = self._split[key] = self.choose(a.args[0], then, otherwise)
        return found

    def le(self, a: Node, b: Node) -> Node:
        """``a <= b`` on integer nodes."""
        if a is b or a.high <= b.low:
            return self.true
        if a.low > b.high:
            return self.false
        if a.op == "add" and a.args[1].op == "num" and b.op == "num":
            return self.le(a.args[0], self.number(b.data - a.args[1].data))
        if b.op == "add" and b.args[1].op == "num" and a.op == "num":
            return self.le(self.number(a.data - b.args[1].data), b.args[0])
        if a.op == "num":
            # One gate for `1 <= n` and `~(n <= 0)`: what a guard says of a length, a step asks.
            return self.not_(self.le(b, self.number(a.data - 1)))
        return self._make("le", (a, b))

    def lt(self, a: Node, b: Node) -> Node:
        """``a < b`` on integer nodes."""
        return self.not_(self.le(b, a))

    def rebuilt(self, node: Node, args: Sequence[Node]) -> Node:
        """The operator of ``node``, which has arguments, on others."""
        made: Node = getattr(self, _CONSTRUCTORS.get(node.op, node.op))(*args)
        return made


def cone(roots: Iterable[Node]) -> Iterator[Node]:
    """Every node that the roots depend on, arguments before what uses them."""
    seen: set[int] = set()
    for root in roots:
        stack = [(root, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                yield node
            elif node.uid not in seen:
                seen.add(node.uid)
                stack.append((node, True))
                stack.extend((child, False) for child in node.args if child.uid not in seen)


def scalars_read(roots: Iterable[Node]) -> set[int]:
    """Return the indices of the variables that the roots depend on."""
    return {node.data for node in cone(roots) if node.op in ("var", "ivar")}


def evaluate(nodes: Sequence[Node], numbers: Sequence[int]) -> list[int]:
    """Return the values of circuit nodes where variable ``i`` has the value ``numbers[i]``."""
    known: dict[int, int] = {}
    for node in cone(nodes):
        a = [known[x.uid] for x in node.args]
        match node.op:
            case "const" | "num":
                result = node.data
            case "var" | "ivar":
                result = int(numbers[node.data])
            case "not":
                result = 1 - a[0]
            case "and":
                result = min(a)
            case "or":
                result = max(a)
            case "iff" | "eq":
                result = int(a[0] == a[1])
            case "le":
                result = int(a[0] <= a[1])
            case "ite":
                result = a[1] if a[0] else a[2]
            case "add":
                result = a[0] + a[1]
            case "sub":
                result = a[0] - a[1]
            case _:
                raise LanguageError(f"no rule to evaluate {node.op!r}")
        known[node.uid] = result
    return [known[n.uid] for n in nodes]


class Substitution:
    """Circuits with other nodes in the place of variables; what it has rewritten is remembered.

    ``instead`` gives the node that takes the place of a variable.
    """

    def __init__(self, circuit: Circuit, instead: Callable[[Node], Node]) -> None:
        self._circuit = circuit
        self._instead = instead
        self._known: dict[int, Node] = {}

    @classmethod
    def by_index(cls, circuit: Circuit, values: Mapping[int, Node]) -> Substitution:
        """Return the one that puts ``values[i]``, if there is one, in place of variable ``i``."""
        return cls(circuit, lambda variable: values.get(variable.data, variable))

    def __call__(self, root: Node) -> Node:
        """Return what ``root`` becomes."""
        known = self._known
        if root.uid not in known:
            for node in cone([root]):
                if node.uid not in known:
                    args = [known[a.uid] for a in node.args]
                    known[node.uid] = self._rebuilt(node, args) if args else self._leaf(node)
        return known[root.uid]

    def _rebuilt(self, node: Node, args: Sequence[Node]) -> Node:
        return self._circuit.rebuilt(node, args)

    def _leaf(self, node: Node) -> Node:
        return self._instead(node) if node.op in ("var", "ivar") else node
