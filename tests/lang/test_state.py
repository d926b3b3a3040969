"""Reading gives the state before the step; assigning reads like EXCEPT."""

from collections.abc import Callable

import pytest

from bmc.lang import LanguageError, SortError, Step, empty, record
from bmc.lang.state import branches
from bmc.lang.terms import term_of
from tests.lang.zoo import SORTS, Entry, state, step


def updates(s: Step) -> dict[str, str]:
    """What a step without disjuncts assigns, as text."""
    (branch,) = branches(s)
    return {name: repr(term) for name, term in branch.updates.items()}


def test_what_is_not_assigned_is_not_mentioned() -> None:
    s = step()
    s.epoch = s.epoch + 1
    assert updates(s) == {"epoch": "(epoch + 1)"}


def test_reading_gives_the_value_before_the_step() -> None:
    s = step()
    s.epoch = 3
    s.epochs[s.offset] = s.epoch
    assert updates(s)["epochs"] == "[epochs EXCEPT ![offset] = epoch]"


def test_assignments_compose_like_except() -> None:
    s = step()
    s.logs[s.node].end = 1
    s.logs[s.node].entries[0] = None
    s.logs[s.peer].end = 2
    first = (
        "[logs EXCEPT ![node] = [[logs[node] EXCEPT !.end = 1] EXCEPT !.entries = "
        "[logs[node].entries EXCEPT ![0] = None]]]"
    )
    assert updates(s)["logs"] == f"[{first} EXCEPT ![peer] = [{first}[peer] EXCEPT !.end = 2]]"


def test_a_later_assignment_of_the_whole_is_refused() -> None:
    s = step()
    s.entry.epoch = 1
    with pytest.raises(LanguageError, match=r"s\.entry is assigned, and s\.entry\.epoch before it"):
        s.entry = record(Entry, epoch=2, owner=None)


def test_augmented_assignment_adds_to_the_value_before() -> None:
    s = step()
    s.epochs[s.offset] += 1
    s.isr -= frozenset([term_of(s.node)])
    assert updates(s) == {
        "epochs": "[epochs EXCEPT ![offset] = (epochs[offset] + 1)]",
        "isr": "isr \\ {node}",
    }


def test_guards_are_kept_in_order() -> None:
    s = step()
    s.require(s.flag, s.epoch > 0)
    s.require(s.node != s.peer)
    (branch,) = branches(s)
    assert [repr(g) for g in branch.guards] == ["flag", "0 < epoch", "node # peer"]


def test_neighbouring_disjuncts_are_alternatives() -> None:
    s = step()
    s.require(s.flag)
    with s.either():
        s.require(s.epoch == 0)
        s.epoch = 1
    with s.either():
        s.require(s.epoch == 1)
        s.offset = 0
    s.node = s.peer
    found = [(list(map(repr, b.guards)), sorted(b.updates)) for b in branches(s)]
    assert found == [
        (["flag", "epoch = 0"], ["epoch", "node"]),
        (["flag", "epoch = 1"], ["node", "offset"]),
    ]


def test_lists_of_disjuncts_multiply() -> None:
    s = step()
    for name in ("epoch", "offset"):
        for value in (0, 1):
            with s.either():
                setattr(s, name, value)
        s.require(s.flag)
    found = [{n: repr(t) for n, t in b.updates.items()} for b in branches(s)]
    assert found == [{"epoch": e, "offset": o} for e in "01" for o in "01"]


def test_guards_behind_a_list_are_read_behind_it() -> None:
    s = step()
    s.require(s.flag)
    for one in (s.epoch, s.offset):
        with s.either():
            s.require(one > 0)
        with s.either():
            s.require(one == 0)
        s.require(one < 2)
    first, *_ = branches(s)
    read = ["flag", "0 < epoch", "epoch < 2", "0 < offset", "offset < 2"]
    assert list(map(repr, first.guards)) == read


def test_a_disjunct_builds_on_what_was_assigned_before() -> None:
    s = step()
    s.entry.epoch = 1
    with s.either():
        s.entry.owner = None
    with s.either():
        s.flag = True
    one, other = branches(s)
    assert repr(one.updates["entry"]) == ("[[entry EXCEPT !.epoch = 1] EXCEPT !.owner = None]")
    assert repr(other.updates["entry"]) == "[entry EXCEPT !.epoch = 1]"


def assigned_after() -> None:
    s = step()
    with s.either():
        s.entry.epoch = 1
    s.entry.owner = None


def assigned_in_two_lists() -> None:
    s = step()
    with s.either():
        s.entry.epoch = 1
    s.flag = True
    with s.either():
        s.entry.owner = None


def assigned_in_one_of_two_lists() -> None:
    s = step()
    with s.either():
        s.epoch = 1
    with s.either():
        s.offset = 1
    s.flag = True
    with s.either():
        s.node = s.peer
    with s.either():
        s.offset = 0


@pytest.mark.parametrize(
    "write", [assigned_after, assigned_in_two_lists, assigned_in_one_of_two_lists]
)
def test_an_assignment_that_would_be_lost_is_refused(write: Callable[[], None]) -> None:
    with pytest.raises(LanguageError, match="assigned both inside `either` and after it"):
        write()


def nested() -> None:
    s = step()
    with s.either(), s.either():
        s.flag = True


def unknown_variable() -> None:
    step().epok = 1


def unknown_variable_read() -> None:
    step().lgs[0].end  # noqa: B018


def unknown_field() -> None:
    step().entry.epok = 1


def foreign_value() -> None:
    step().epoch = state.offset


def in_a_property() -> None:
    state.epoch = 1


def a_part_in_a_property() -> None:
    state.entry.epoch = 1


def an_element_in_a_property() -> None:
    state.epochs[0] = 1


def not_writable() -> None:
    Step(SORTS, frozenset({"flag"})).epoch = 1


def part_not_writable() -> None:
    Step(SORTS, frozenset({"flag"})).epochs[0] = 1


@pytest.mark.parametrize(
    ("write", "kind", "message"),
    [
        (nested, LanguageError, "do not nest"),
        (unknown_variable, LanguageError, "no variable 'epok': did you mean epoch"),
        (unknown_variable_read, LanguageError, "no variable 'lgs': did you mean logs"),
        (unknown_field, SortError, "Entry has no field 'epok': did you mean epoch"),
        (foreign_value, SortError, "is a Offset, not a Epoch: they do not mix"),
        (in_a_property, LanguageError, "epoch is assigned in actions"),
        (a_part_in_a_property, LanguageError, "assign in an action instead"),
        (an_element_in_a_property, LanguageError, "assign in an action instead"),
        (not_writable, LanguageError, "epoch cannot be assigned here"),
        (part_not_writable, LanguageError, "epochs cannot be assigned here"),
    ],
)
def test_a_wrong_assignment_is_explained(
    write: Callable[[], None], kind: type[LanguageError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        write()


def test_an_exception_inside_a_disjunct_leaves_it() -> None:
    s = step()
    with pytest.raises(ZeroDivisionError), s.either():
        raise ZeroDivisionError
    s.queue = empty(SORTS["queue"])
    assert updates(s) == {"queue": "<<>>"}
