"""The alternating-bit protocol over channels that lose (Bartlett, Scantlebury and Wilkinson, 1969).

A message is sent with a bit until it is acknowledged with that bit; then the next one has the other
bit. A channel that may lose everything for ever gets nothing across, whatever is weakly fair. If
what is in a channel again and again is received at last, every message arrives.
"""

from bmc.lang import (
    BOOL,
    Integer,
    Parameter,
    Protocol,
    Sequence,
    Variable,
    action,
    append,
    at,
    forall,
    implies,
    ite,
    last,
    lemma,
    one_of,
    size,
    tail,
)
from bmc.lang.ranking import helpful, rank, ranking
from bmc.lang.temporal import Specification, always, both, eventually, strong, temporal, weak


class AlternatingBit(Protocol):
    """A sender, a receiver, and a lossy channel each way."""

    capacity = Parameter("capacity", default=2, low=1, high=6, about="messages in a channel")
    Place = Integer("Place", 0, capacity - 1)

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

    def all_are(self, channel, bit):
        return forall(self.Place, lambda i: implies(i < size(channel), at(channel, i) == bit))

    def old_before(self, channel, bit):
        """Behind a bit that is ``bit`` there are such bits only."""

        def kept(i, j):
            within = (i < j) & (j < size(channel))
            return implies(within & (at(channel, i) == bit), at(channel, j) == bit)

        return forall(self.Place, lambda i: forall(self.Place, lambda j: kept(i, j)))

    @lemma("until the sender has learnt that a message arrived, it sends nothing else")
    def SendsTheSame(self, s):
        return implies(s.sending != s.expected, self.all_are(s.messages, s.sending))

    @lemma("a new message is behind the old ones")
    def MessagesInOrder(self, s):
        return self.old_before(s.messages, s.sending)

    @lemma("until a message arrives, no answer says that it did")
    def AnswersTheSame(self, s):
        return implies(s.sending == s.expected, self.all_are(s.answers, ~s.expected))

    @lemma("a new answer is behind the old ones")
    def AnswersInOrder(self, s):
        return self.old_before(s.answers, ~s.expected)

    def last_old(self, channel, bit):
        """The place of the last old bit in a channel: it is received before the new ones."""

        def there(i):
            return (i < size(channel)) & (at(channel, i) != bit)

        return last(self.Place, there, otherwise=-1)

    @ranking("a message has to be learnt of, then the next one has to arrive", proves="Arrive")
    def OldBitsGo(self, s):
        learnt = s.sending == s.expected
        sent = rank(0, by=helpful("Send"))
        answered = rank(0, by=helpful("Answer"))
        return rank(
            ite(learnt, 0, 1),
            ite(learnt, self.last_old(s.messages, s.sending), self.last_old(s.answers, s.sending)),
            by=[
                helpful("Receive", when=learnt, waiting=sent),
                helpful("Learn", when=~learnt, waiting=answered),
            ],
        )
