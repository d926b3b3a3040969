"""The words of the language check what they are given, and partial ones say where they stop."""

from collections.abc import Callable

import pytest

from bmc.lang import (
    BOOL,
    TRUE,
    BoundTooSmall,
    Expr,
    Integer,
    KeyedSetSort,
    OptionSort,
    Protocol,
    Record,
    SortError,
    Step,
    Variable,
    action,
    append,
    at,
    choose,
    conj,
    disj,
    empty,
    everything,
    filtered,
    forall,
    implies,
    inject,
    insert,
    is_case,
    is_none,
    is_some,
    ite,
    last,
    lookup,
    mapping,
    maximum,
    member,
    minimum,
    one,
    one_of,
    payload,
    record,
    remove,
    size,
    some,
    tail,
    take,
    the,
)
from bmc.lang.describe import model_of
from bmc.lang.sorts import IntSort
from bmc.lang.terms import coerce, term_of
from bmc.layout.domain import Domains
from bmc.readings.value import Evaluator
from tests.lang.zoo import SORTS, Entry, Epoch, Letter, Node, state

s = state


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda: choose(Node, lambda x: TRUE), "CHOOSE over Node would break its symmetry"),
        (lambda: choose(OptionSort(Node), lambda x: TRUE), "would break its symmetry"),
        (lambda: choose(Entry, lambda x: TRUE), "would break its symmetry"),
        (lambda: record(Entry, epoch=1), "a Entry also needs owner"),
        (lambda: record(Entry, epoch=1, ownr=None), "did you mean owner"),
        (lambda: record(Node), "not a record sort"),
        (lambda: inject(Letter, "aks", 1), "Letter has no case 'aks': did you mean ask"),
        (lambda: inject(Entry, "ask", 1), "not a variant sort"),
        (lambda: is_case(s.letter, "told"), "did you mean tell"),
        (lambda: is_case(s.epoch, "ask"), "not a variant"),
        (lambda: payload(s.letter, "told"), "did you mean tell"),
        (lambda: payload(s.epoch, "ask"), "not a variant"),
        (lambda: the(s.node), "not an option"),
        (lambda: is_none(s.node), "not an option"),
        (lambda: some(s.epoch + 1), "has no range"),
        (lambda: some(s.leader), "option of an option"),
        (lambda: some(1), "made by assigning it"),  # type: ignore[arg-type]
        (lambda: implies(lambda m: m.flag, s.flag), "a function cannot be read as a term"),
        (lambda: empty(Entry), "never empty"),
        (lambda: everything(SORTS["requests"]), "cannot be SUBSET"),
        (lambda: one(s.requests), "cannot be SUBSET"),
        (lambda: insert(s.queue, 1), "not a set"),
        (lambda: remove(s.queue, 1), "not a set"),
        (lambda: member(1, s.queue), "not a set"),
        (lambda: lookup(s.isr, s.node), "not a set with a key"),
        (lambda: lookup(s.requests, s.node), "expected a Epoch"),
        (lambda: size(s.epoch), "has no size"),
        (lambda: append(s.isr, s.node), "not a sequence"),
        (lambda: at(s.isr, 0), "not a sequence"),
        (lambda: tail(s.epochs), "not a sequence"),
        (lambda: take(s.queue, s.node), "expected an integer"),
        (lambda: at(s.queue, s.flag), "expected an integer"),
        (lambda: forall(s.queue, lambda x: TRUE), "not over queue"),
        (lambda: forall(IntSort("Epoch"), lambda x: TRUE), "must have a range"),
        (lambda: filtered(Node, lambda x: x), "expected a truth value"),
        (lambda: last(IntSort("Epoch"), lambda x: TRUE, 0), "has no range"),
        (lambda: last(Epoch, lambda x: TRUE, s.offset), "do not mix"),
        (lambda: last(Node, lambda x: TRUE, 0), "last runs over numbers, and Node has none"),  # type: ignore[arg-type]
        (lambda: last(s.isr, lambda x: TRUE, 0), r"of a state: write last\(Node, "),  # type: ignore[arg-type]
        (lambda: choose(s.isr, lambda x: TRUE), r"of a state: write choose\(Node, "),  # type: ignore[arg-type]
        (lambda: mapping(s.isr, lambda x: 0, Epoch), "mapping ranges over sorts, and isr is none"),  # type: ignore[arg-type]
        (lambda: empty(s.isr), "empty ranges over sorts, and isr is none"),  # type: ignore[arg-type]
        (lambda: everything(s.isr), "everything ranges over sorts, and isr is none"),  # type: ignore[arg-type]
        (lambda: last(Epoch, lambda x: TRUE, None), "cannot be read as a term"),
        (lambda: mapping(SORTS["requests"], lambda x: True, BOOL), "a map's key"),
        (lambda: mapping(Node, lambda x: x, BOOL), "expected a Bool"),
        (lambda: minimum(s.epoch, s.offset), "do not mix"),
        (lambda: maximum(s.epoch, s.flag), "expected an integer"),
        (lambda: ite(s.flag, s.node, s.client), "expected a Node"),
        (lambda: ite(s.flag, "up", "down"), r"write ite\(…, coerce\('up', sort\), 'down'\)"),
        (lambda: ite(s.flag, None, None), r"write ite\(…, coerce\(None, sort\), None\)"),
        (lambda: ite(s.flag, None, s.node), r"found None.* beside it a value is some\(x\)"),
        (lambda: s.requests - s.requests, r"write remove\(S, x\), or S - \{x, …\}"),
        (lambda: implies(s.flag, s.epoch), "expected a truth value"),
    ],
)
def test_what_cannot_be_meant_is_refused(write: Callable[[], object], message: str) -> None:
    with pytest.raises(SortError, match=message):
        write()


Count = Integer("Count", 0, 3)
Row = Record("Row", key=Count, value=Count)


class Taken(Protocol):
    """What is taken from a set with a key, written in two ways."""

    entries = Variable(KeyedSetSort(Row, "key"))

    @action()
    def Init(self, s: Step) -> None:
        s.entries = set()

    @action(e=Row)
    def Minus(self, s: Step, e: Expr) -> None:
        s.entries = s.entries - {e}

    @action(e=Row)
    def Removed(self, s: Step, e: Expr) -> None:
        s.entries = remove(s.entries, e)

    Next = one_of(Minus, Removed)


def test_what_is_taken_from_a_set_with_a_key_is_removed() -> None:
    minus, removed = (one.branches[0].updates["entries"] for one in model_of(Taken).actions)
    assert minus is removed


def test_an_undeclared_sum_is_a_number_of_its_identity() -> None:
    assert term_of(last(Epoch, lambda x: TRUE, -1)).sort == IntSort("Epoch")
    assert term_of(minimum(s.epoch, 2)).sort == IntSort("Epoch")
    assert term_of(minimum(s.epoch, s.epoch)).sort == Epoch
    assert term_of(size(s.isr)).sort == IntSort("")


def test_junctions_of_few_parts() -> None:
    assert term_of(conj(s.flag)) is term_of(s.flag)
    assert repr(conj()) == "TRUE"
    assert repr(disj()) == "FALSE"
    assert repr(is_some(s.leader)) == "leader # None"


def test_a_membership_of_an_option_asks_whether_there_is_one() -> None:
    assert repr(member(s.leader, s.isr)) == "leader # None /\\ leader \\in isr"
    with pytest.raises(SortError, match="expected a Node"):
        member(None, s.isr)


def test_numbers_are_checked_where_they_are_stored() -> None:
    assert coerce(s.epoch + 1, Epoch).op == "narrow"
    assert coerce(s.epoch, Epoch).op == "variable"
    assert term_of(s.epochs[s.offset + 1]).args[1].op == "narrow"
    assert term_of(member(3, one(s.epoch))).args[0].op == "narrow"


VALUES = {
    "flag": True,
    "epoch": 2,
    "offset": 1,
    "node": 0,
    "leader": None,
    "isr": frozenset({1}),
    "requests": frozenset({(1, None)}),
    "queue": (3, 0),
    "network": frozenset({("ask", 0), ("ask", 1), ("ask", 2)}),
    "letter": ("ask", 1),
    "epochs": (0, 3),
    "entry": (1, None),
}


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda: the(s.leader), "leader is none where its value is read"),
        (lambda: s.leader == the(s.leader), "leader is none"),
        (lambda: payload(s.letter, "tell"), "letter is a ask where a tell is read"),
        (lambda: at(s.queue, 2), "reads position 2 of 2 elements"),
        (lambda: at(s.queue, -1), "reads position -1"),
        (lambda: tail(tail(tail(s.queue))), "the tail of an empty sequence"),
        (lambda: take(s.queue, 3), "takes 3 of 2 elements"),
        (lambda: append(s.queue, 1), "is a sequence of 3, which is outside"),
        (lambda: term_of(s.epochs[s.offset + 1]), "offset . 1 is 2, which is outside Offset"),
        (lambda: coerce(s.epoch + 2, Epoch), "is 4, which is outside Epoch"),
        (lambda: coerce(s.epoch - 3, Epoch), "is -1, which is outside Epoch"),
        (lambda: choose(Epoch, lambda x: x > 3), "chooses from nothing"),
        (lambda: insert(s.requests, record(Entry, epoch=1, owner=s.node)), "epoch is not a key"),
        (lambda: insert(s.network, inject(Letter, "ask", 3)), "outside"),
    ],
)
def test_a_partial_operator_says_where_it_has_no_value(
    write: Callable[[], Expr], message: str
) -> None:
    evaluator = Evaluator(Domains({"size": 2, "nodes": 3}))
    with pytest.raises(BoundTooSmall, match=message):
        evaluator.evaluate(term_of(write()), VALUES)


class Marks:
    def marked(self, node: Expr) -> Expr:
        return member(node, s.isr)


def test_a_method_that_is_given_to_a_binder_binds_what_it_is_given() -> None:
    assert repr(forall(Node, Marks().marked)) == repr(
        forall(Node, lambda node: member(node, s.isr))
    )
