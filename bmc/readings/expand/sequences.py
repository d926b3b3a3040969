"""Sequences: a length, and that many slots."""

from __future__ import annotations

from bmc.lang.sorts import SequenceSort
from bmc.lang.terms import Term
from bmc.readings.expand.expander import Environment, Expanded, Expander, rule


@rule("append", "at", "tail", "take")
def _sequences(x: Expander, term: Term, env: Environment) -> Expanded:
    parts, defined = x.all(term, env)
    c = x.circuit
    length, slots = parts[0]
    sort = term.args[0].sort
    assert isinstance(sort, SequenceSort)
    blank = x.shapes.default(sort.element)
    match term.op:
        case "append":
            grown = tuple(
                x.shapes.ite(c.eq(length, c.number(i)), parts[1], slot)
                for i, slot in enumerate(slots)
            )
            room = c.lt(length, c.number(len(slots)))
            return Expanded((c.add(length, c.number(1)), grown), c.and_(defined, room))
        case "at":
            index = parts[1]
            inside = c.and_(c.le(c.number(0), index), c.lt(index, length))
            shape = blank
            for i, slot in enumerate(slots):
                shape = x.shapes.ite(c.eq(index, c.number(i)), slot, shape)
            return Expanded(shape, c.and_(defined, inside))
        case "tail":
            shrunk = c.sub(length, c.number(1))
            filled = c.lt(c.number(0), length)
            return Expanded((shrunk, (*slots[1:], blank)[: len(slots)]), c.and_(defined, filled))
    kept = parts[1]
    cut = tuple(x.shapes.ite(c.lt(c.number(i), kept), slot, blank) for i, slot in enumerate(slots))
    inside = c.and_(c.le(c.number(0), kept), c.le(kept, length))
    return Expanded((kept, cut), c.and_(defined, inside))
