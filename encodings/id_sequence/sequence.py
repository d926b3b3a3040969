"""IdSequence.tla of hachikuji/kafka-specification."""

from bmc.lang import (
    Amount,
    Expr,
    Integer,
    Parameter,
    Protocol,
    State,
    Step,
    Variable,
    action,
    conj,
    one_of,
)


class Sequencer:
    """IdSequence's operators on one variable (``INSTANCE IdSequence WITH nextId <- …``).

    ``max_id`` is the specification's MaxId.
    """

    def __init__(self, next_id: str, max_id: Amount | Parameter) -> None:
        self.next_id = next_id
        self.max_id = max_id

    def NextId(self, s: Step, id: Expr) -> None:
        """``/\\ id <= MaxId /\\ id = nextId /\\ nextId' = nextId + 1``."""
        next_id = getattr(s, self.next_id)
        s.require(next_id <= self.max_id, id == next_id)
        setattr(s, self.next_id, next_id + 1)

    def Init(self, s: Step) -> None:
        """``nextId = 0``."""
        setattr(s, self.next_id, 0)

    def TypeOk(self, s: State) -> Expr:
        """``nextId \\in IdSet \\union {MaxId + 1}``."""
        next_id = getattr(s, self.next_id)
        return conj(next_id >= 0, next_id <= self.max_id + 1)


class IdSequence(Protocol):
    """A sequence that hands out the ids 0 .. MaxId, each once."""

    max_id = Parameter("max_id", 10, 0, 1000, "the last id", ends="no id after the last")

    Id = Integer("Id", 0, max_id)
    nextId = Variable(Id.to(max_id + 1), "the id handed out next")

    sequence = Sequencer("nextId", max_id)

    @action()
    def Init(self, s: Step) -> None:
        self.sequence.Init(s)

    @action(id=Id)
    def NextId(self, s: Step, id: Expr) -> None:
        self.sequence.NextId(s, id)

    Next = one_of(NextId)
