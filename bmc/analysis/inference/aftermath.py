"""What a term is after a step, said of the state before it: the assignments put in and read."""

from __future__ import annotations

from collections.abc import Mapping

from bmc.lang.build import ite
from bmc.lang.state import state_variable
from bmc.lang.substitution import substituted
from bmc.lang.terms import Term, make, term_of, truth


def after_step(term: Term, updates: Mapping[str, Term]) -> Term:
    """Return what a term over one state is after a step that makes these assignments.

    No bound variable of theirs may be free in the term, or bound around what it reads.
    """
    instead = {state_variable(name, value.sort): value for name, value in updates.items()}
    return _read(substituted(term, instead), {})


def _read(term: Term, known: dict[Term, Term]) -> Term:
    """Return a term in which what was written is read where it was written."""
    if term not in known:
        args = [_read(one, known) for one in term.args]
        known[term] = _part(make(term.op, args, term.sort, term.data))
    return known[term]


def _part(term: Term) -> Term:
    whole = term.args[0] if term.args else term
    match term.op, whole.op:
        case "field", "with_field":
            if whole.data == term.data:
                return whole.args[1]
            return _part(make("field", whole.args[:1], term.sort, term.data))
        case "field", "record":
            names = [name for name, _ in getattr(whole.sort, "fields", ())]
            return whole.args[names.index(term.data)]
        case "select", "store":
            before = _part(make("select", (whole.args[0], term.args[1]), term.sort))
            if whole.args[1] is term.args[1]:
                return whole.args[2]
            return ite(term_of(whole.args[1] == term.args[1]), whole.args[2], before)
        case "select", "lambda":
            return _read(substituted(whole.args[1], {whole.args[0]: term.args[1]}), {})
        case "the", "some":
            return whole.args[0]
        case "is_none", "some" | "none":
            return truth(whole.op == "none")
        case (("lt" | "le" | "eq"), _):
            # What is compared need not fit the sort of the part that it is stored in.
            bare = [one.args[0] if one.op == "narrow" else one for one in term.args]
            return make(term.op, bare, term.sort, term.data)
        case _:
            return term


def keys_written(value: Term) -> tuple[Term, ...]:
    """Return the keys at which an assignment writes into a map, or into one inside."""
    found: dict[Term, None] = {}
    stack = [value]
    while stack:
        one = stack.pop()
        if one.op == "store":
            found[one.args[1]] = None
            stack += (one.args[2], one.args[0])
        elif one.op == "with_field":
            stack += one.args
    return tuple(found)
