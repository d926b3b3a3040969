"""Whether a term has a value where conditions hold: a case's payload where it is that case."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from bmc.frontends.tla.translate.formulas import PARTIAL, narrowed_keys
from bmc.frontends.tla.translate.kinds import negation
from bmc.lang.sorts import VariantSort
from bmc.lang.terms import Term

MOST_LOOKED_AT = 2000
"""The most terms that are looked at for one answer, since parts of a term may be shared."""


class Surely:
    """Tells of terms whether they have a value, given which terms may be without one at all."""

    def __init__(self, is_partial: Callable[[Term], bool]) -> None:
        self._is_partial = is_partial
        self._left = 0

    def has_value(self, term: Term, where: Iterable[Term]) -> bool:
        """Tell whether a term surely has a value where these conditions hold."""
        if not self._is_partial(term):
            return True
        self._left = MOST_LOOKED_AT
        return self._has(term, frozenset(part for one in where for part in _parts(one)))

    def _has(self, term: Term, known: frozenset[Term]) -> bool:
        if not self._is_partial(term):
            return True
        self._left -= 1
        if self._left < 0:
            return False
        match term.op:
            case "and" | "or" | "implies" | "ite":
                return self._has_in_order(term, known)
            case "payload":
                return _is_case(term, known) and self._has(term.args[0], known)
            case "the":
                return _is_some(term.args[0], known) and self._has(term.args[0], known)
        if term.op in PARTIAL or narrowed_keys(term):
            return False
        return all(self._has(one, known) for one in term.args)

    def _has_in_order(self, term: Term, known: frozenset[Term]) -> bool:
        """Look at parts of which each is read where those before it have not decided."""
        if term.op == "ite":
            condition, then, otherwise = term.args
            return (
                self._has(condition, known)
                and self._has(then, known.union(_parts(condition)))
                and self._has(otherwise, known.union(_parts(_not(condition))))
            )
        for part in term.args:
            if not self._has(part, known):
                return False
            known = known.union(_parts(_not(part) if term.op == "or" else part))
        return True


def _not(formula: Term) -> Term:
    return formula.args[0] if formula.op == "not" else negation(formula)


def _parts(formula: Term) -> tuple[Term, ...]:
    if formula.op == "and":
        return tuple(part for one in formula.args for part in _parts(one))
    return (formula,)


def _is_case(payload: Term, known: frozenset[Term]) -> bool:
    held, tag = payload.args[0], payload.data
    assert isinstance(held.sort, VariantSort)
    excluded: set[Any] = set()
    for one in known:
        inner = one.args[0] if one.op == "not" else one
        if inner.op == "is_case" and inner.args[0] is held:
            if inner is one:
                return bool(inner.data == tag)
            excluded.add(inner.data)
    return tag not in excluded and len(excluded) == len(held.sort.cases) - 1


def _is_some(held: Term, known: frozenset[Term]) -> bool:
    return any(
        one.op == "not" and one.args[0].op == "is_none" and one.args[0].args[0] is held
        for one in known
    )
