"""Universal formulas as Python functions that look for violated instances in a model.

A model is a table for each symbol, from the values of its arguments to a value: an integer, a
truth value, or the name of an element. Where a table has no entry, the strict tables raise
KeyError (the instance is not decided) and the completed ones have a default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from bmc.readings.quantified.clauses import Universal
from bmc.readings.quantified.counting import DEFINED, is_set
from bmc.readings.quantified.formulas import Expression, LogicSort, Symbol

Value = Any
Table = dict[Any, Value]
Tables = Mapping[Symbol, Table]


class Completed(dict[Any, Value]):
    """A table with a default for what it does not hold."""

    def __init__(self, known: Table, default: Value) -> None:
        super().__init__(known)
        self.default = default

    def __missing__(self, key: object) -> Value:
        return self.default


class Strict(dict[Symbol, Table]):
    """Tables that hold what is known and nothing else."""

    def __missing__(self, symbol: Symbol) -> Table:
        return {}

    def completed(self, elements: Mapping[LogicSort, Sequence[Value]]) -> Tables:
        """Tables that have a value everywhere."""
        return _Everywhere(
            {s: Completed(t, default_of(s.sort, elements)) for s, t in self.items()}, elements
        )

    def with_named_sets(self, everywhere: Tables) -> Tables:
        """``everywhere``, where only sets that have a name already are known."""
        return _Named(self, everywhere)


class _Everywhere(dict[Symbol, Table]):
    def __init__(self, known: Tables, elements: Mapping[LogicSort, Sequence[Value]]) -> None:
        super().__init__(known)
        self.elements = elements

    def __missing__(self, symbol: Symbol) -> Table:
        return Completed({}, default_of(symbol.sort, self.elements))


class _Named(dict[Symbol, Table]):
    def __init__(self, known: Tables, everywhere: Tables) -> None:
        super().__init__()
        self.known = known
        self.everywhere = everywhere

    def __missing__(self, symbol: Symbol) -> Table:
        return (self.known if is_set(symbol.sort) else self.everywhere)[symbol]


def default_of(sort: LogicSort, elements: Mapping[LogicSort, Sequence[Value]]) -> Value:
    """The value a completed table has where nothing is known."""
    match sort.kind:
        case "Bool":
            return False
        case "Int":
            return 0
    known = elements.get(sort)
    return known[0] if known else "none"


MOST_CHOICES = 200_000
"""How many choices of values are looked at for one formula in one model; beyond, the last terms of
each sort are left out."""


class Compiled:
    """A universal formula that can be searched for violated instances.

    :attr:`symbols` lists what it speaks of; :attr:`sorts` those of its variables.
    """

    def __init__(self, universal: Universal) -> None:
        self.universal = universal
        self.defines_set = universal.name.startswith(DEFINED)
        self.sorts = tuple(v.sort for v in universal.variables)
        writer = _Writer(universal.variables)
        body = writer.write(universal.matrix)
        self.symbols = tuple(writer.symbols)
        lines = ["def search(tables, universe, limit):", "    found = []"]
        lines += [f"    T{i} = tables[{i}]" for i in range(len(self.symbols))]
        # One loop over all choices: Python nests no more than twenty.
        pairs = "".join(f"(i{i}, x{i}), " for i in range(len(universal.variables)))
        lines.append(f"    for {pairs}in product(*map(enumerate, universe)):")
        indent = "        "
        chosen = "".join(f"i{i}, " for i in range(len(universal.variables)))
        lines += [
            f"{indent}try:",
            f"{indent}    if not ({body}):",
            f"{indent}        found.append(({chosen}))",
            f"{indent}        if len(found) >= limit: return found",
            f"{indent}except KeyError:",
            f"{indent}    pass",
            "    return found",
        ]
        space: dict[str, Any] = {"product": product}
        exec(compile("\n".join(lines), universal.name, "exec"), space)
        self._search = space["search"]

    def violated(
        self, tables: Tables, universe: Sequence[Sequence[Value]], limit: int
    ) -> list[tuple[int, ...]]:
        """Positions in ``universe`` (a list a variable) of instances that are false."""
        own = [tables[s] for s in self.symbols]
        most = max((len(one) for one in universe), default=0)
        while most > 1 and prod(min(len(one), most) for one in universe) > MOST_CHOICES:
            most -= 1
        fewer = [one[:most] for one in universe]
        found: list[tuple[int, ...]] = self._search(own, fewer, limit)
        return found


class _Writer:
    def __init__(self, variables: Sequence[Expression]) -> None:
        self.names = {v: f"x{i}" for i, v in enumerate(variables)}
        self.symbols: dict[Symbol, int] = {}

    def write(self, node: Expression) -> str:
        match node.op:
            case "true" | "false":
                return node.op.capitalize()
            case "int":
                return f"({node.data})"
            case "var":
                return self.names[node]
            case "app":
                index = self.symbols.setdefault(node.data, len(self.symbols))
                args = ",".join(self.write(a) for a in node.args)
                return f"T{index}[{args or '()'}]"
            case "not":
                return f"(not {self.write(node.args[0])})"
            case "and" | "or":
                return f"({f' {node.op} '.join(self.write(a) for a in node.args)})"
            case "ite":
                test, then, otherwise = (self.write(a) for a in node.args)
                return f"({then} if {test} else {otherwise})"
            case "sum":
                constant, factors = node.data
                pairs = zip(factors, node.args, strict=True)
                parts = [f"{f}*{self.write(a)}" for f, a in pairs]
                return f"({constant}+{'+'.join(parts)})"
        left, right = (self.write(a) for a in node.args)
        return f"({left} {_COMPARISONS[node.op]} {right})"


_COMPARISONS = {"eq": "==", "iff": "==", "le": "<=", "lt": "<"}


def evaluate(node: Expression, tables: Tables) -> Value:
    """The value of a ground term; KeyError where a table has no entry."""
    match node.op:
        case "int":
            return node.data
        case "app":
            args = tuple(evaluate(a, tables) for a in node.args)
            return tables[node.data][args if len(args) != 1 else args[0]]
        case "sum":
            constant, factors = node.data
            pairs = zip(factors, node.args, strict=True)
            return constant + sum(f * evaluate(a, tables) for f, a in pairs)
    raise KeyError(node.op)
