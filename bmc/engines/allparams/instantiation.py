"""Model-driven ground instantiation (after Ge and de Moura, *Complete instantiation for
quantified formulas in satisfiability modulo theories*, 2009).

The ground part is solved; in its model every universal formula is evaluated at all ground terms
seen so far, and the violated instances are added; when none is violated, the terms are widened.
What contradicts itself in the end is a handful of instances.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from time import monotonic

from bmc.engines.allparams.tables import Compiled, Strict, Tables, Value, evaluate
from bmc.readings.quantified.clauses import Universal
from bmc.readings.quantified.formulas import TRUE, Expression, LogicSort, Symbol, subterms
from bmc.solving.first_order_z3 import GroundSolver, Z3Terms, core

AT_ONCE = 24
"""Instances of one formula that are added in one round."""
LEVELS = 2
"""How often the terms may be widened by those of instances that hold."""


@dataclass(frozen=True)
class GroundInstance:
    """A universal formula and ground terms for its variables."""

    universal: Universal
    values: tuple[Expression, ...]

    @property
    def formula(self) -> Expression:
        """The ground formula."""
        return self.universal.instance(self.values)


@dataclass(frozen=True)
class Refutation:
    """What a search for a contradiction came to.

    ``instances`` contradict each other, or are None with ``reason`` saying why none were found;
    ``rounds`` counts the models that were looked at.
    """

    instances: tuple[GroundInstance, ...] | None
    rounds: int
    reason: str = ""


class Instantiation:
    """Looks for contradicting instances of universal formulas; one for a process.

    ``triggered`` formulas (type facts) are instantiated for a term as soon as it appears.
    """

    def __init__(self, triggered: Iterable[Universal]) -> None:
        self.translation = Z3Terms()
        self._compiled: dict[Universal, Compiled] = {}
        self._triggers: dict[Symbol, list[tuple[Universal, Expression]]] = {}
        for universal in triggered:
            trigger = _trigger(universal)
            if trigger is not None:
                self._triggers.setdefault(trigger.data, []).append((universal, trigger))

    def compiled(self, universal: Universal) -> Compiled:
        """A formula compiled, remembered."""
        found = self._compiled.get(universal)
        if found is None:
            found = self._compiled[universal] = Compiled(universal)
        return found

    def refute(self, formulas: Sequence[Universal], seconds: float) -> Refutation:
        """Search ground instances of ``formulas`` that contradict each other."""
        return _Search(self, formulas, seconds).run()

    def triggered_by(self, term: Expression) -> Iterable[GroundInstance]:
        """The instances that a new term brings along."""
        for universal, trigger in self._triggers.get(term.data, ()):
            known = dict(zip(trigger.args, term.args, strict=True))
            yield GroundInstance(universal, tuple(known[v] for v in universal.variables))


def _trigger(universal: Universal) -> Expression | None:
    wanted = set(universal.variables)
    for node in subterms(universal.matrix):
        if node.op == "app" and set(node.args) == wanted and len(node.args) == len(wanted):
            return node
    return None


class _Search:
    def __init__(self, owner: Instantiation, formulas: Sequence[Universal], seconds: float):
        self.owner = owner
        self.end = monotonic() + seconds
        self.solver = GroundSolver(owner.translation, max(1, int(seconds * 1000)))
        self.formulas = [owner.compiled(u) for u in formulas if u.variables]
        self.instances: list[GroundInstance] = []
        self.ground: list[Expression] = []
        self.known: set[Expression] = set()
        self.terms: dict[Expression, None] = {}
        self.universe: dict[LogicSort, dict[Expression, None]] = {}
        for universal in formulas:
            if not universal.variables:
                self.add(GroundInstance(universal, ()))

    def run(self) -> Refutation:
        rounds, level = 0, 0
        while True:
            if monotonic() > self.end:
                return Refutation(None, rounds, "the time limit has passed")
            satisfied = self.solver.check()
            if satisfied is None:
                return Refutation(None, rounds, "the solver gave up")
            if not satisfied:
                return self.contradiction(rounds)
            rounds += 1
            tables = self.tables()
            classes = self.classes(tables)
            if self.violated(tables, tables, classes):
                continue
            elements = {s: [v for v, _ in c] for s, c in classes.items()}
            everywhere = tables.completed(elements)
            if self.violated(everywhere, tables.with_named_sets(everywhere), classes):
                continue
            if level >= LEVELS or not self.widened(classes):
                said = "its instances have a model: perhaps a lemma is missing"
                return Refutation(None, rounds, said)
            level += 1

    def contradiction(self, rounds: int) -> Refutation:
        left = max(1, int((self.end - monotonic()) * 1000))
        chosen = core(self.owner.translation, self.ground, left)
        if chosen is None:
            return Refutation(None, rounds, "the solver gave up")
        return Refutation(tuple(self.instances[i] for i in chosen), rounds)

    def add(self, instance: GroundInstance) -> bool:
        """Assert an instance; False if it says nothing new."""
        formula = instance.formula
        if formula is TRUE or formula in self.known:
            return False
        self.known.add(formula)
        self.instances.append(instance)
        self.ground.append(formula)
        self.solver.add(formula)
        self.see(formula)
        return True

    def see(self, formula: Expression) -> bool:
        """Take in the ground terms of a formula; whether one of them is new."""
        new = False
        for node in subterms(formula):
            if node.op == "app":
                if node not in self.terms:
                    new = True
                    self.terms[node] = None
                    for argument, sort in zip(node.args, node.data.domain, strict=True):
                        self._into(sort, argument)
                    self._into(node.sort, node)
                    for brought in self.owner.triggered_by(node):
                        self.add(brought)
            elif node.op == "sum":
                self._into(node.sort, node)
            elif node.op in ("eq", "le", "lt"):
                left, right = node.args
                self._into(left.sort, right)
                self._into(right.sort, left)
        return new

    def _into(self, sort: LogicSort, term: Expression) -> None:
        if sort.kind == "Bool" or (sort.kind == "Int" and not sort.identity):
            return
        if term.op in ("app", "sum", "int"):
            self.universe.setdefault(sort, {})[term] = None

    def tables(self) -> Strict:
        """What the model says of the terms seen so far."""
        terms = list(self.terms)
        values = self.solver.values(terms)
        known = dict(zip(terms, values, strict=True))
        tables = Strict()
        for term, value in known.items():
            args = tuple(self._value(a, known) for a in term.args)
            tables.setdefault(term.data, {})[args if len(args) != 1 else args[0]] = value
        return tables

    def _value(self, node: Expression, known: dict[Expression, Value]) -> Value:
        if node in known:
            return known[node]
        if node.op == "int":
            return node.data
        (value,) = self.solver.values([node])
        known_value: Value = value
        return known_value

    def classes(self, tables: Tables) -> dict[LogicSort, list[tuple[Value, Expression]]]:
        """For each sort the values there are, each with the first term that has it."""
        found = {}
        for sort, terms in self.universe.items():
            first: dict[Value, Expression] = {}
            for term in terms:
                try:
                    first.setdefault(evaluate(term, tables), term)
                except KeyError:
                    (value,) = self.solver.values([term])
                    first.setdefault(value, term)
            found[sort] = list(first.items())
        return found

    def violated(
        self,
        tables: Tables,
        named: Tables,
        classes: dict[LogicSort, list[tuple[Value, Expression]]],
    ) -> bool:
        """Add the instances that are false in these tables; whether there are any.

        Those that define sets are looked for in ``named``.
        """
        new = False
        wanted: list[GroundInstance] = []
        for compiled in self.formulas:
            lists = [classes.get(sort, []) for sort in compiled.sorts]
            values = [[v for v, _ in one] for one in lists]
            known = named if compiled.defines_set else tables
            for chosen in compiled.violated(known, values, AT_ONCE):
                terms = tuple(one[i][1] for one, i in zip(lists, chosen, strict=True))
                wanted.append(GroundInstance(compiled.universal, terms))
        for instance in wanted:
            new = self.add(instance) or new
        return new

    def widened(self, classes: dict[LogicSort, list[tuple[Value, Expression]]]) -> bool:
        """Take in the terms of instances that hold; whether one of them is new."""
        new = False
        for compiled in self.formulas:
            lists = [classes.get(sort, []) for sort in compiled.sorts]
            for chosen in product(*lists):
                if monotonic() > self.end:
                    return new
                formula = compiled.universal.instance(tuple(term for _, term in chosen))
                new = self.see(formula) or new
        return new
