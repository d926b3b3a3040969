"""Protocols with values of every kind, of which the states are many."""

from __future__ import annotations

from bmc.lang import (
    BoundedSet,
    EnumSort,
    Expr,
    Integer,
    KeyedSetSort,
    Operand,
    OptionSort,
    Parameter,
    Protocol,
    Record,
    Scalarset,
    Sequence,
    State,
    Step,
    Term,
    Variable,
    Variant,
    action,
    append,
    at,
    empty,
    exists,
    inject,
    insert,
    is_case,
    is_none,
    lookup,
    member,
    payload,
    record,
    remove,
    size,
    tail,
    the,
)


class Post(Protocol):
    """Letters of two kinds in an unordered network, a queue, and a book with a key."""

    clients = Parameter("clients", 2, 1, 3, "clients")
    Client = Scalarset("Client", clients)
    Number = Integer("Number", -1, 1)
    Colour = EnumSort("Colour", ("red", "green", "blue"))
    Ask = Record("Ask", client=Client, number=Number)
    Letter = Variant("Letter", ask=Ask, tell=Colour)
    Entry = Record("Entry", client=Client, best=OptionSort(Number))

    network = Variable(BoundedSet(Letter, 2))
    queue = Variable(Sequence(Letter, 2))
    book = Variable(KeyedSetSort(Entry, "client"))
    last = Variable(OptionSort(Colour))

    @action()
    def Init(self, s: Step) -> None:
        s.network = empty(BoundedSet(self.Letter, 2))
        s.queue = empty(Sequence(self.Letter, 2))
        s.book = frozenset()
        s.last = None

    @action(client=Client, number=Number)
    def Ask_(self, s: Step, client: Expr, number: Expr) -> None:
        s.require(size(s.network) < 2)
        letter = inject(self.Letter, "ask", record(self.Ask, client=client, number=number))
        s.network = insert(s.network, letter)

    @action(letter=network)
    def Deliver(self, s: Step, letter: Expr) -> None:
        s.require(size(s.queue) < 2)
        s.network = remove(s.network, letter)
        s.queue = append(s.queue, letter)

    @action(colour=Colour)
    def Answer(self, s: Step, colour: Expr) -> None:
        s.require(size(s.queue) > 0, is_case(at(s.queue, 0), "ask"), size(s.network) < 2)
        ask = payload(at(s.queue, 0), "ask")
        s.require(is_none(lookup(s.book, ask.client)))
        s.queue = tail(s.queue)
        s.book = insert(s.book, record(self.Entry, client=ask.client, best=ask.number))
        s.network = insert(s.network, inject(self.Letter, "tell", colour))

    @action()
    def Hear(self, s: Step) -> None:
        s.require(size(s.queue) > 0, is_case(at(s.queue, 0), "tell"))
        s.last = payload(at(s.queue, 0), "tell")
        s.queue = tail(s.queue)

    @action(entry=book)
    def Forget(self, s: Step, entry: Expr) -> None:
        s.require(the(entry.best) > 0)
        s.book = remove(s.book, entry)

    Next = (Ask_, Deliver, Answer, Hear, Forget)

    def Constraint(self, s: State) -> Term | bool:
        return ~exists(self.Client, lambda c: member(self.asked(c), s.network))

    def asked(self, client: Operand) -> Term:
        ask = record(self.Ask, client=client, number=-1)
        return inject(self.Letter, "ask", ask)


class Wide(Protocol):
    """Numbers of every width, that wander."""

    Byte = Integer("Byte", -200, 55)
    Word = Integer("Word", 0, 300)
    Long = Integer("Long", -70_000, 70_000)
    Huge = Integer("Huge", 0, 2**40)
    byte = Variable(Byte)
    word = Variable(Word)
    long = Variable(Long)
    huge = Variable(Huge)

    @action()
    def Init(self, s: Step) -> None:
        s.byte = -200
        s.word = 300
        s.long = -70_000
        s.huge = 0

    @action()
    def Up(self, s: Step) -> None:
        s.require(s.byte + 51 <= 55)
        s.byte = s.byte + 51
        s.huge = s.huge + 2**37

    @action()
    def Down(self, s: Step) -> None:
        s.require(s.word > 99)
        s.word = s.word - 100
        s.long = s.long + 46_000

    Next = (Up, Down)
