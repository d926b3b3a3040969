"""What is stated about the id sequence."""

from bmc.encodings.id_sequence import IdSequence

from bmc.lang import (
    Expr,
    State,
    Suite,
    invariant,
    witness,
)


@invariant("The next id is an id, or one more than the last.")
def TypeOk(m: IdSequence, s: State) -> Expr:
    """IdSequence!TypeOk."""
    return m.sequence.TypeOk(s)


@witness("every id is handed out")
def Exhausted(m: IdSequence, s: State) -> Expr:
    return s.nextId == m.max_id + 1


ID_SEQUENCE = Suite(
    name="id-sequence",
    protocol=IdSequence,
    about="Successive ids out of a bounded range",
    properties=(TypeOk, Exhausted),
)

__all__ = ["ID_SEQUENCE"]
