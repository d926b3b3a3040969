"""``[old EXCEPT !path = value]``: parts of a variable's new value, one after the other.

Written one inside the other, n assignments to the fields of one map entry would make a term whose
tree has 2^n nodes: each reads the entry that the one before has written. So an entry or field that
was written is read from what was written there, and written in its place (read-over-write). Only
what is part of the new value is taken out of the old one, so the whole is undefined where it was.
"""

from __future__ import annotations

from bmc.lang.terms import Operand, Term, coerce, field, make, select

Path = tuple[str | Term, ...]
"""Fields, by name, and keys of maps, from a variable to a part of it."""


def updated(old: Term, path: Path, value: Operand) -> Term:
    """Return ``[old EXCEPT !path = value]``."""
    if not path:
        return coerce(value, old.sort)
    where, rest = path[0], path[1:]
    within, others = _taken_out(old, where) if rest else (None, old)
    if isinstance(where, str):
        part = within if within is not None else field(_unwritten(old, where), where)
        return make("with_field", (others, updated(part, rest, value)), old.sort, where)
    part = within if within is not None else select(_unwritten(old, where), where)
    return make("store", (others, where, updated(part, rest, value)), old.sort)


def _taken_out(old: Term, where: str | Term) -> tuple[Term | None, Term]:
    """What was written at ``where``, None if nothing was, and ``old`` without that."""
    if isinstance(where, str):
        if old.op != "with_field":
            return None, old
        if old.data == where:
            return old.args[1], old.args[0]
    else:
        if old.op != "store":
            return None, old
        if old.args[1] is where:
            return old.args[2], old.args[0]
        if not _different(old.args[1], where):
            return None, old
    within, others = _taken_out(old.args[0], where)
    if within is None:
        return None, old
    return within, make(old.op, (others, *old.args[1:]), old.sort, old.data)


def _unwritten(old: Term, where: str | Term) -> Term:
    """``old`` without what was written elsewhere: there ``where`` is read of it."""
    if isinstance(where, str):
        while old.op == "with_field" and old.data != where:
            old = old.args[0]
    else:
        while old.op == "store" and _different(old.args[1], where):
            old = old.args[0]
    return old


def _different(key: Term, other: Term) -> bool:
    """Whether two keys are constants, and not the same."""
    return key is not other and _constant(key) and _constant(other)


def _constant(key: Term) -> bool:
    while key.op == "narrow":
        key = key.args[0]
    return key.op in ("enum", "int", "bool")
