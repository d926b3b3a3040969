"""What claims lean on that may hold no longer: their premises, and what they say of the state then.

A premise such as "the offset is below the replica's high watermark" can cease to hold, and what was
promised under it may be leant on all the same. What was read under it is its content.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bmc.lang.properties import Property
from bmc.lang.sorts import BoolSort
from bmc.lang.state import state_variable_name
from bmc.lang.terms import Term, subterms

_READING = ("field", "select", "lookup", "the", "payload")


# Terms have no equality that Python could use.
@dataclass(frozen=True, eq=False)
class Premise:
    """A formula under which a claim says something, and the parts of the state that it reads then.

    Each part of the ``contents`` is addressed by all variables of the premise.
    """

    formula: Term
    contents: tuple[Term, ...]


def premises(stated: Property) -> list[Premise]:
    """Return the premises of a claim that has variables, each once."""
    found: dict[Term, Premise] = {}
    for formula, conclusion in _under(stated.body):
        if formula.free and isinstance(formula.sort, BoolSort):
            parts = [p for p in parts_read(conclusion) if p.free == formula.free]
            known = found[formula].contents if formula in found else ()
            found[formula] = Premise(formula, tuple(dict.fromkeys((*known, *parts))))
    return list(found.values())


def _under(term: Term) -> Iterator[tuple[Term, Term]]:
    """Yield what is a premise, with what stands under it."""
    match term.op:
        case "implies":
            premise, conclusion = term.args
            for one in premise.args if premise.op == "and" else (premise,):
                yield one, conclusion
            yield from _under(conclusion)
        case "or":
            for one in term.args:
                if one.op == "not":
                    yield from ((one.args[0], other) for other in term.args if other is not one)
                yield from _under(one)
        case "and":
            for one in term.args:
                yield from _under(one)
        case "forall":
            yield from _under(term.args[-1])


def parts_read(term: Term) -> Iterator[Term]:
    """Yield the parts of the state that a term reads, an option for its value."""
    inner = {id(a) for one in subterms([term]) if one.op in _READING for a in one.args[:1]}
    for one in subterms([term]):
        if _is_part(one) and id(one) not in inner:
            while one.op == "the":
                one = one.args[0]
            yield one


def _is_part(term: Term) -> bool:
    """Whether a term is a variable of the state, or a part of one."""
    while term.op in _READING:
        term = term.args[0]
    return term.op == "variable"


def root_of(part: Term) -> str:
    """Return the name of the variable that a part is of."""
    while part.op != "variable":
        part = part.args[0]
    return state_variable_name(part)


def last_name(part: Term) -> str:
    """Return the name of the field or variable that a part is found under."""
    while part.op not in ("variable", "field"):
        part = part.args[0]
    return state_variable_name(part) if part.op == "variable" else str(part.data)
