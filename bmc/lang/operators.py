"""Operators: defined words of a specification, which reports call by their names.

A Python function that builds a term leaves no trace in it. Under ``@operator`` a report for
people writes ``MaxSeq(log[n])`` where it would have to write out what that means. Terms are what
they would be without, so nothing that decides, and no digest, depends on it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from bmc.lang.terms import Expr, Term, named_by

Arguments = ParamSpec("Arguments")

Made = TypeVar("Made", bound=Expr)


def operator(function: Callable[Arguments, Made]) -> Callable[Arguments, Made]:
    """Declare a function from terms to a term (and of a state or protocol) to keep its name."""

    @wraps(function)
    def applied(*args: Arguments.args, **others: Arguments.kwargs) -> Made:
        found = function(*args, **others)
        made = named_by(found)
        told = tuple(named_by(a) for a in (*args, *others.values()) if isinstance(a, Expr))
        # One term may be what several operators mean: the first to say so keeps it.
        if made.applied is None and not any(a is made for a in told):
            made.applied = function.__name__, told
        return found

    return applied


def application(term: Term) -> tuple[str, tuple[Term, ...]] | None:
    """Return the operator and the arguments that gave a term; None where it was written out."""
    return term.applied
