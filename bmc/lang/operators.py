"""Operators: defined words of a specification, which reports call by their names.

A Python function that builds a term leaves no trace in it. Under ``@operator`` a report for
people writes ``MaxSeq(log[n])`` where it would have to write out what that means. Terms are what
they would be without, so nothing that decides, and no digest, depends on it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from bmc.lang.terms import Expr, Term

Arguments = ParamSpec("Arguments")

_applied: dict[int, tuple[str, tuple[Term, ...]]] = {}
"""By a term's number, since terms are not compared."""


def operator(function: Callable[Arguments, Term]) -> Callable[Arguments, Term]:
    """A function from terms to a term (and of a state or protocol) that keeps its name."""

    @wraps(function)
    def applied(*args: Arguments.args, **others: Arguments.kwargs) -> Term:
        found = function(*args, **others)
        told = tuple(a.term for a in (*args, *others.values()) if isinstance(a, Expr))
        # One term may be what several operators mean: the first to say so keeps it.
        if found.uid not in _applied and not any(a is found for a in told):
            _applied[found.uid] = function.__name__, told
        return found

    return applied


def application(term: Term) -> tuple[str, tuple[Term, ...]] | None:
    """The operator and the arguments that gave a term; None where it was written out."""
    return _applied.get(term.uid)
