"""Closed formulas as universal ones without quantifiers: Skolem functions, then a prenex form.

A set of closed formulas can be satisfied exactly when the universal ones made of them can. So
ground instances of these that contradict each other prove that the formulas do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bmc.readings.quantified.counting import NamedSet, axioms_about
from bmc.readings.quantified.formulas import (
    TRUE,
    Expression,
    Symbol,
    and_,
    app,
    eq,
    forall,
    not_,
    or_,
    rebuild,
    substitute,
    subterms,
    variable,
)
from bmc.readings.quantified.reader import Definition


@dataclass(frozen=True)
class Universal:
    """``\\A variables : matrix``, with no quantifier in the matrix.

    ``name`` is unique among the formulas of one condition: what it comes from, and a number.
    """

    name: str
    variables: tuple[Expression, ...]
    matrix: Expression

    @property
    def origin(self) -> str:
        """What it comes from, such as the name of a lemma."""
        return self.name.rpartition("#")[0]

    def instance(self, values: tuple[Expression, ...]) -> Expression:
        """The matrix with terms for its variables."""
        return substitute(self.matrix, dict(zip(self.variables, values, strict=True)))


def universals(formula: Expression, origin: str) -> tuple[Universal, ...]:
    """A closed formula as universal ones; Skolem functions are named after ``origin``."""
    return tuple(_Clauses(origin).of(formula))


def axioms(definitions: Iterable[Definition], origin: str) -> tuple[Universal, ...]:
    """What defines symbols, as universal formulas."""
    closed = []
    for one in definitions:
        for axiom in one.axioms:
            for bound in (one.bound, *reversed(one.arguments)):
                axiom = forall(bound, axiom)
            closed.append(axiom)
    return universals(and_(*closed), origin)


def sizes(sets: Iterable[NamedSet]) -> tuple[Universal, ...]:
    """What is known of sets that are counted: their members, and the axioms about their sizes."""
    found: dict[str, tuple[Universal, ...]] = {}
    for one in sets:
        name = f"{one.value.data.name}!definition"
        found[name] = universals(and_(*one.axioms), name)
        for axiom in axioms_about(one.words):
            if axiom.name not in found:
                found[axiom.name] = universals(axiom.closed, axiom.name)
        if one.number is not None:
            name = f"{one.words.number.name}!definition"
            found[name] = universals(eq(one.words.all, one.number), name)
    return tuple(u for several in found.values() for u in several)


def goals(formula: Expression) -> Iterator[Expression]:
    """A closed formula as several that it is the conjunction of."""
    match formula.op:
        case "and":
            for part in formula.args:
                yield from goals(part)
        case "forall":
            bound, body = formula.args
            for part in goals(body):
                yield forall(bound, part)
        case "or":
            inner = next((p for p in formula.args if p.op == "and" and p.quantified), None)
            if inner is None:
                yield formula
                return
            rest = [p for p in formula.args if p is not inner]
            plain = [p for p in inner.args if not p.quantified]
            for part in (and_(*plain), *(p for p in inner.args if p.quantified)):
                yield from goals(or_(*rest, part))
        case "true":
            return
        case _:
            yield formula


class _Clauses:
    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.skolems = 0
        self.named: set[str] = set()
        self.used: set[Expression] = set()

    def of(self, formula: Expression) -> Iterator[Universal]:
        # Clauses over the same variables stay together: their instances are wanted together.
        found: dict[tuple[Expression, ...], list[Expression]] = {}
        for part in self._conjuncts(formula):
            self.used = set()
            matrix = self._matrix(part)
            for clause in matrix.args if matrix.op == "and" else (matrix,):
                if clause is not TRUE:
                    variables = tuple(sorted(clause.free, key=lambda v: v.data[0]))
                    found.setdefault(variables, []).append(clause)
        for number, (variables, clauses) in enumerate(found.items(), 1):
            yield Universal(f"{self.origin}#{number}", variables, and_(*clauses))

    def _conjuncts(self, formula: Expression) -> Iterator[Expression]:
        match formula.op:
            case "and":
                for part in formula.args:
                    yield from self._conjuncts(part)
            case "or" if formula.quantified:
                # One conjunct after the other binds fewer variables than all of them at once.
                inner = next((p for p in formula.args if p.op == "and" and p.quantified), None)
                rest = [p for p in formula.args if p is not inner]
                if inner is None or any(p.quantified for p in rest):
                    yield formula
                    return
                plain = [p for p in inner.args if not p.quantified]
                for part in (and_(*plain), *(p for p in inner.args if p.quantified)):
                    yield from self._conjuncts(or_(*rest, part))
            case _:
                yield formula

    def _matrix(self, node: Expression) -> Expression:
        if not node.quantified:
            return node
        match node.op:
            case "and":
                # What binds the same variable in several conjuncts can bind it once for all.
                before, after, parts = set(self.used), set(self.used), []
                for part in node.args:
                    self.used = set(before)
                    parts.append(self._matrix(part))
                    after |= self.used
                self.used = after
                return and_(*parts)
            case "or":
                return or_(*(self._matrix(part) for part in node.args))
            case "forall":
                bound, body = node.args
                if bound in self.used:
                    fresh = variable(bound.sort, bound.data[1])
                    body, bound = substitute(body, {bound: fresh}), fresh
                self.used.add(bound)
                return self._matrix(body)
            case "exists":
                bound, body = node.args
                arguments = tuple(sorted(node.free, key=lambda v: v.data[0]))
                name = self._new_name(bound.data[1])
                symbol = Symbol(name, tuple(a.sort for a in arguments), bound.sort)
                return self._matrix(substitute(body, {bound: app(symbol, *arguments)}))
        return self._matrix(_lifted(node))

    def _new_name(self, hint: str) -> str:
        """Return a name that no other function has: the eleventh x is not the first x1."""
        # What is before the last sign is the origin, so a variable in a file's data has none in it.
        plain = hint.replace("!", "")
        while True:
            self.skolems += 1
            name = f"{self.origin}!{plain}{self.skolems}"
            if name not in self.named:
                self.named.add(name)
                return name


def _lifted(atom: Expression) -> Expression:
    """An atom with a conditional whose condition has quantifiers, as a choice of two atoms."""
    inner = next(n for n in subterms(atom) if n.op == "ite" and n.args[0].quantified)
    condition, then, otherwise = inner.args
    return and_(
        or_(not_(condition), _replaced(atom, inner, then)),
        or_(condition, _replaced(atom, inner, otherwise)),
    )


def _replaced(whole: Expression, old: Expression, new: Expression) -> Expression:
    found: dict[Expression, Expression] = {old: new}
    for node in subterms(whole):
        if node not in found:
            args = [found[a] for a in node.args]
            same = all(a is b for a, b in zip(args, node.args, strict=True))
            found[node] = node if same else rebuild(node, args)
    return found[whole]
