"""The alternating-bit protocol over channels that lose (Bartlett, Scantlebury and Wilkinson, 1969).

A message is sent with a bit until it is acknowledged with that bit; then the next one has the other
bit. A channel that may lose everything for ever gets nothing across, whatever is weakly fair. If
what is in a channel again and again is received at last, every message arrives.
"""

from bmc.lang import (
    BOOL,
    Parameter,
    Protocol,
    Sequence,
    Variable,
    action,
    append,
    at,
    one_of,
    size,
    tail,
)
from bmc.lang.temporal import Specification, always, both, eventually, strong, temporal, weak


class AlternatingBit(Protocol):
    """A sender, a receiver, and a lossy channel each way."""

    capacity = Parameter("capacity", default=2, low=1, high=6, about="messages in a channel")

    sending = Variable(BOOL, "the bit of the message that is sent")
    expected = Variable(BOOL, "the bit of the message that is waited for")
    messages = Variable(Sequence(BOOL, capacity))
    answers = Variable(Sequence(BOOL, capacity))

    Weakly = Specification(
        "Weakly", tuple(weak(name) for name in ("Send", "Receive", "Answer", "Learn"))
    )
    Strongly = Specification(
        "Strongly", (weak("Send"), strong("Receive"), weak("Answer"), strong("Learn"))
    )

    @action()
    def Init(self, s):
        s.sending = False
        s.expected = False
        s.messages = ()
        s.answers = ()

    @action()
    def Send(self, s):
        s.require(size(s.messages) < self.capacity)
        s.messages = append(s.messages, s.sending)

    @action()
    def Receive(self, s):
        s.require(size(s.messages) > 0)
        with s.either():
            s.require(at(s.messages, 0) == s.expected)
            s.messages = tail(s.messages)
            s.expected = ~s.expected
        with s.either():
            s.require(at(s.messages, 0) != s.expected)
            s.messages = tail(s.messages)

    @action()
    def Answer(self, s):
        s.require(size(s.answers) < self.capacity)
        s.answers = append(s.answers, ~s.expected)

    @action()
    def Learn(self, s):
        s.require(size(s.answers) > 0)
        with s.either():
            s.require(at(s.answers, 0) == s.sending)
            s.answers = tail(s.answers)
            s.sending = ~s.sending
        with s.either():
            s.require(at(s.answers, 0) != s.sending)
            s.answers = tail(s.answers)

    @action()
    def LoseMessage(self, s):
        s.require(size(s.messages) > 0)
        s.messages = tail(s.messages)

    @action()
    def LoseAnswer(self, s):
        s.require(size(s.answers) > 0)
        s.answers = tail(s.answers)

    Next = one_of(Send, Receive, Answer, Learn, LoseMessage, LoseAnswer)

    @temporal("message after message arrives", specification="Strongly")
    def Arrive(self, s):
        return both(always(eventually(s.expected)), always(eventually(~s.expected)))

    @temporal("message after message arrives", specification="Weakly")
    def ArriveWeakly(self, s):
        return both(always(eventually(s.expected)), always(eventually(~s.expected)))
