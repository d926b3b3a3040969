"""Fingerprints: equal for equal models, different as soon as one operator differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import assert_never

from bmc.lang.model import Action, Model
from bmc.lang.properties import Property
from bmc.lang.ranking import Rank, Ranking
from bmc.lang.temporal import (
    Both,
    Condition,
    FairSteps,
    Formula,
    Not,
    Now,
    Specification,
    Taken,
    TemporalProperty,
    Until,
)
from bmc.lang.terms import Term


class _Digests:
    """Merkle hashes of terms: each from its operator, sort, data and arguments' hashes."""

    def __init__(self) -> None:
        self._known: dict[Term, str] = {}

    def of(self, term: Term) -> str:
        found = self._known.get(term)
        if found is None:
            parts = [term.op, repr(term.sort), repr(term.data), *(self.of(a) for a in term.args)]
            found = self._known[term] = _hash(parts)
        return found

    def formula(self, formula: Formula) -> str:
        match formula:
            case Now(term) | Taken(term):
                return _hash([type(formula).__name__, self.of(term)])
            case Not(inner):
                return _hash(["Not", self.formula(inner)])
            case Both(left, right) | Until(left, right):
                parts = [self.formula(left), self.formula(right)]
                return _hash([type(formula).__name__, *parts])
            case _:
                assert_never(formula)

    def condition(self, one: Condition) -> str:
        if not isinstance(one, FairSteps):
            return str(one)
        terms = (*one.arguments, one.enabled, one.step)
        return _hash([f"{one.strong}", *(self.of(term) for term in terms)])

    def rank(self, whole: Rank) -> str:
        parts = ["rank", *(self.of(part) for part in whole.measure), self.of(whole.meanwhile)]
        for one in whole.helpful:
            parts += ["by", *one.actions, self.of(one.when)]
            parts += [f"{name} {self.of(value)}" for name, value in sorted(one.per.items())]
            parts.append("-" if one.waiting is None else self.rank(one.waiting))
        return _hash(parts)

    def action(self, action: Action) -> str:
        parts = [action.name]
        for argument in action.arguments:
            collection = self.of(argument.collection) if argument.collection is not None else "-"
            parts += [argument.name, self.of(argument.variable), collection]
        for branch in action.branches:
            parts += ["branch", *(self.of(g) for g in branch.guards)]
            parts += [f"{n} {self.of(t)}" for n, t in sorted(branch.updates.items())]
        return _hash(parts)


def _hash(parts: Iterable[str]) -> str:
    return sha256("\x1f".join(parts).encode()).hexdigest()


def fingerprint(model: Model, parameters: Mapping[str, int]) -> str:
    """A SHA-256 over all that decides a model's behaviour at given parameters.

    Names of files, comments and texts for readers are left out.
    """
    digests = _Digests()
    parts = [f"{n}={v}" for n, v in sorted(parameters.items())]
    parts += [f"{n}: {sort!r}" for n, sort in model.variables.items()]
    parts += ["ghosts", *sorted(model.ghosts), "initial", digests.action(model.initial)]
    parts += [digests.action(action) for action in model.actions]
    parts += ["constraint", digests.of(model.constraint)]
    return _hash(parts)


def term_digest(term: Term) -> str:
    """Return a SHA-256 over a term."""
    return _Digests().of(term)


def property_digest(stated: Property) -> str:
    """A SHA-256 over a property's formula, arguments and kind."""
    digests = _Digests()
    arguments = [digests.of(a) for a in stated.arguments]
    return _hash([stated.kind.value, *arguments, digests.of(stated.body)])


def temporal_digest(stated: TemporalProperty, specification: Specification) -> str:
    """Return a SHA-256 over a temporal claim's formula, its arguments, and its fairness.

    Names of specifications are left out, and the order of their conditions.
    """
    digests = _Digests()
    parts = ["temporal", *(digests.of(a) for a in stated.arguments)]
    parts += [digests.formula(stated.formula), "fairness"]
    parts += sorted({digests.condition(one) for one in specification.fairness})
    return _hash(parts)


def ranking_digest(stated: Ranking) -> str:
    """Return a SHA-256 over a ranking's terms, and the actions that make it fall."""
    digests = _Digests()
    return _hash([*(digests.of(a) for a in stated.arguments), digests.rank(stated.rank)])
