"""At no particular parameters two things have two names, whatever a user calls them."""

from __future__ import annotations

from bmc.readings.quantified.clauses import Universal, universals
from bmc.readings.quantified.counting import SetWords, axioms_about, is_set
from bmc.readings.quantified.formulas import (
    BOOL,
    LogicSort,
    Symbol,
    and_,
    app,
    exists,
    le,
    subterms,
    variable,
)
from bmc.readings.quantified.texts import TermReader, text

SERVER = LogicSort("Elem", "Server[n]")
INDEX = LogicSort("Int", "index of Log")


def test_the_eleventh_x_is_not_the_first_x1() -> None:
    """Who was seen first and who was seen last were one, and a false claim was certified."""
    formulas = []
    for number, hint in enumerate(["x1", *["y"] * 9, "x"]):
        bound = variable(SERVER, hint)
        seen = Symbol(f"seen{number}", (SERVER,), BOOL)
        formulas.append(exists(bound, app(seen, bound)))
    found = [node for one in universals(and_(*formulas), "!step") for node in subterms(one.matrix)]
    chosen = {node.data.name for node in found if node.op == "app" and not node.args}
    assert len(chosen) == 11


def test_what_a_lemma_has_is_not_what_its_definitions_have() -> None:
    """A carried lemma's ``definition!x`` was the x of its definitions: false claims were proved."""

    def chosen(origin: str, hint: str) -> Symbol:
        bound = variable(SERVER, hint)
        (one,) = universals(exists(bound, app(Symbol("seen", (SERVER,), BOOL), bound)), origin)
        (found,) = (n.data for n in subterms(one.matrix) if n.op == "app" and not n.args)
        assert isinstance(found, Symbol)
        return found

    assert chosen("L", "definition!x") != chosen("L!definition", "x")


def test_sets_of_numbers_that_are_called_as_a_scalarset_are_others() -> None:
    """A range of numbers called ``Server[n]`` had the axioms of the scalarset, and its sets."""
    members, numbers = SetWords(SERVER, True), SetWords(LogicSort("Int", "Server[n]"), False)

    def names(words: SetWords) -> set[str]:
        symbols = (words.membership, words.cardinality, words.number)
        return {words.sort.identity, *(s.name for s in symbols)} | {
            axiom.name for axiom in axioms_about(words)
        }

    assert names(members).isdisjoint(names(numbers))
    assert is_set(members.sort)
    assert is_set(numbers.sort)


def test_a_scalarset_is_no_sort_of_sets() -> None:
    assert not is_set(LogicSort("Elem", "!sets.Server[n]"))


def test_a_symbol_is_read_back_whatever_its_sort_is_called() -> None:
    """A scalarset of n + 1 members that was counted ended as a proof that did not survive."""
    for identity in ("Server[n + 1]", "My (own) 100%[n]"):
        words = SetWords(LogicSort("Elem", identity), True)
        some = app(Symbol("some", (), words.sort))
        size = words.size(some)
        known = TermReader([Universal("known#1", (), le(size, words.all))])
        for term in (size, words.all, some):
            assert known.read(text(term), term.sort) is term


def test_the_length_of_a_sequence_is_not_that_of_those_in_it() -> None:
    """A proof about a sequence of sequences did not survive, since both lengths have one name."""
    outer, index = (app(Symbol(name, (), INDEX)) for name in ("log!length", "i"))
    inner = app(Symbol("log!length", (INDEX,), INDEX), index)
    known = TermReader([Universal("known#1", (), le(inner, outer))])
    for term in (outer, inner):
        assert known.read(text(term), INDEX) is term
