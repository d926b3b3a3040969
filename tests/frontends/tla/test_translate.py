"""Translated texts have the states that the texts have: counts and verdicts by hand or by TLC."""

from __future__ import annotations

from pathlib import Path

import pytest

from bmc.frontends.tla.agreement import compare_reachable
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.translated_model import TranslatedModel
from bmc.lang.sorts import IntSort, MapSort, OptionSort, SetSort, VariantSort
from bmc.lang.terms import subterms
from tests.frontends.tla.models import explored, translated

JUGS = """
EXTENDS Naturals
VARIABLES big, small
Min(m, n) == IF m < n THEN m ELSE n
Init == big = 0 /\\ small = 0
FillSmall == small' = 3 /\\ big' = big
FillBig == big' = 5 /\\ small' = small
EmptySmall == small' = 0 /\\ big' = big
EmptyBig == big' = 0 /\\ small' = small
SmallToBig == /\\ big' = Min(big + small, 5)
              /\\ small' = small - (big' - big)
BigToSmall == /\\ small' = Min(big + small, 3)
              /\\ big' = big - (small' - small)
Next == FillSmall \\/ FillBig \\/ EmptySmall \\/ EmptyBig \\/ SmallToBig \\/ BigToSmall
NotSolved == big # 4
TypeOk == big \\in 0 .. 5 /\\ small \\in 0 .. 3
"""


def test_two_jugs(tmp_path: Path) -> None:
    """The puzzle of two jugs: 16 states, and 4 litres after six steps."""
    config = "INIT Init\nNEXT Next\nINVARIANTS NotSolved TypeOk\n"
    translation = translated(tmp_path, JUGS, config)
    found = explored(translation)
    assert found.distinct_states == 16
    assert len(found.violations["NotSolved"]) == 7
    assert set(found.holds) == {"TypeOk", "Deadlock"}
    assert found.overflow is None


COMMIT = """
CONSTANT RM
VARIABLES rmState, tmState, prepared, msgs
Message == [type : {"Prepared"}, rm : RM] \\union [type : {"Commit", "Abort"}]
Init == /\\ rmState = [r \\in RM |-> "working"] /\\ tmState = "init"
        /\\ prepared = {} /\\ msgs = {}
RcvPrepared(r) == /\\ tmState = "init" /\\ [type |-> "Prepared", rm |-> r] \\in msgs
                  /\\ prepared' = prepared \\union {r} /\\ UNCHANGED <<rmState, tmState, msgs>>
Commit == /\\ tmState = "init" /\\ prepared = RM /\\ tmState' = "committed"
          /\\ msgs' = msgs \\union {[type |-> "Commit"]} /\\ UNCHANGED <<rmState, prepared>>
Abort == /\\ tmState = "init" /\\ tmState' = "aborted"
         /\\ msgs' = msgs \\union {[type |-> "Abort"]} /\\ UNCHANGED <<rmState, prepared>>
Prepare(r) == /\\ rmState[r] = "working" /\\ rmState' = [rmState EXCEPT ![r] = "prepared"]
              /\\ msgs' = msgs \\union {[type |-> "Prepared", rm |-> r]}
              /\\ UNCHANGED <<tmState, prepared>>
Chosen(r) == /\\ rmState[r] = "working" /\\ rmState' = [rmState EXCEPT ![r] = "aborted"]
             /\\ UNCHANGED <<tmState, prepared, msgs>>
Told(r, type, state) == /\\ [type |-> type] \\in msgs /\\ rmState' = [rmState EXCEPT ![r] = state]
                        /\\ UNCHANGED <<tmState, prepared, msgs>>
Next == \\/ Commit \\/ Abort
        \\/ \\E r \\in RM : \\/ RcvPrepared(r) \\/ Prepare(r) \\/ Chosen(r)
                         \\/ Told(r, "Commit", "committed") \\/ Told(r, "Abort", "aborted")
Consistent == \\A r, s \\in RM : ~ (rmState[r] = "aborted" /\\ rmState[s] = "committed")
TypeOk == msgs \\subseteq Message
"""


def test_messages_of_two_kinds(tmp_path: Path) -> None:
    """Two-phase commit with three managers has 288 states (Gray and Lamport, by TLC)."""
    config = "INIT Init\nNEXT Next\nINVARIANTS Consistent TypeOk\nCONSTANT RM = {r1, r2, r3}\n"
    config += "CHECK_DEADLOCK FALSE\n"
    translation = translated(tmp_path, COMMIT, config)
    sort = translation.model.variables["msgs"]
    assert isinstance(sort, SetSort)
    assert isinstance(sort.element, VariantSort)
    found = explored(translation)
    assert (found.distinct_states, len(found.levels)) == (288, 11)
    assert set(found.holds) == {"Consistent", "TypeOk"}


LOG = """
EXTENDS Integers
CONSTANTS Nodes, Size
Nil == -1
None == "NONE"
VARIABLES log, leader
Init == /\\ log = [n \\in Nodes |-> [end |-> 0, at |-> [o \\in 0 .. Size - 1 |-> Nil]]]
        /\\ leader = None
Append(n, o) == /\\ log[n].end # Size /\\ o = log[n].end
                /\\ log' = [log EXCEPT ![n].at[o] = o, ![n].end = @ + 1]
Next == \\/ \\E n \\in Nodes : leader' = n /\\ UNCHANGED log
        \\/ \\E n \\in Nodes, o \\in 0 .. Size - 1 :
             leader = n /\\ Append(n, o) /\\ UNCHANGED leader
"""


def test_guards_bound_what_grows(tmp_path: Path) -> None:
    """The end of a log stops at its size, no leader is none, and a chosen offset is no argument."""
    config = "INIT Init\nNEXT Next\nCONSTANTS Nodes = {a, b} Size = 2\n"
    translation = translated(tmp_path, LOG, config)
    sorts = translation.model.variables
    assert isinstance(sorts["leader"], OptionSort)
    assert isinstance(sorts["log"], MapSort)
    end = dict(sorts["log"].value.fields)["end"]  # type: ignore[union-attr]
    assert isinstance(end, IntSort)
    assert [bound.at({}) for bound in end.range()] == [0, 2]
    assert [len(a.arguments) for a in translation.model.actions] == [1, 1]
    found = explored(translation)
    # Both logs have 0, 1 or 2 entries; before anybody leads they are empty.
    assert found.distinct_states == 1 + 9 * 2
    assert found.overflow is None


BAG = """
EXTENDS Naturals, TLC
VARIABLE bag
Init == bag = [m \\in {[kind |-> "ask", n |-> 0]} |-> 1]
Next == \\E m \\in DOMAIN bag, r \\in [kind : {"ask", "reply"}, n : 0 .. 1] :
            /\\ bag[m] > 0 /\\ r \\notin DOMAIN bag
            /\\ bag' = [bag EXCEPT ![m] = @ - 1] @@ (r :> 1)
"""


def test_what_a_bag_has_is_asked_of_each_message_once(tmp_path: Path) -> None:
    """Whether a message is in the domain is no search through all messages, for each of them."""
    translation = translated(tmp_path, BAG, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    (branch,) = (b for action in translation.model.actions for b in action.branches)
    assert branch.updates["bag"].op == "lambda"
    assert not [one.op for one in subterms([branch.updates["bag"]]) if one.op == "exists"]
    # One message is there once; the others of the domain, among them the first, are gone.
    assert explored(translation).distinct_states == 1 + 3 * 1 + 3 * 2 + 1 * 3


HOLDERS = """
EXTENDS Naturals, TLC
CONSTANT C
VARIABLES n, held
Free(c) == n' = 1 \\/ c \\notin held
Init == n = 0 /\\ held = {}
Next == \\/ n' = 1 - n /\\ (\\A c \\in C : Free(c)) /\\ UNCHANGED held
        \\/ n' = n /\\ \\E c \\in C : c \\notin held /\\ n = 0 /\\ held' = held \\union {c}
        \\/ n' = n /\\ n = 1 /\\ \\E c \\in held : held' = held \\ {c}
"""
SYMMETRIC = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nCONSTANT C = {c1, c2}\nSYMMETRY Sym\n"


def test_what_is_asked_of_all_members_after_the_step_is_a_guard(tmp_path: Path) -> None:
    """It assigns nothing, so that it need not be taken apart, one member after the other."""
    translation = translated(tmp_path, f"{HOLDERS}Sym == Permutations(C)", SYMMETRIC)
    specification = load(tmp_path / "M.tla")
    compared = compare_reachable(
        Search(Machine(specification)), TranslatedModel(translation), 1_000
    )
    assert compared.complete
    assert compared.states == 2 * 2**2


def test_members_that_an_action_is_taken_for_one_by_one_are_told_apart(tmp_path: Path) -> None:
    """It was refused, as an action for each member of a set that is not constant."""
    said = "(c)) /\\ n' \\in 0 .. 1"
    text = HOLDERS.replace("n' = 1 - n /", "TRUE /").replace("(c))", said)
    translation = translated(tmp_path, text, SYMMETRIC.replace("SYMMETRY Sym\n", ""))
    compared = compare_reachable(
        Search(Machine(load(tmp_path / "M.tla"))), TranslatedModel(translation), 1_000
    )
    assert compared.complete
    assert compared.states == 2 * 2**2


def test_an_action_for_each_member_of_a_set_that_varies_is_refused(tmp_path: Path) -> None:
    text = HOLDERS.replace("n' = 1 - n /", "TRUE /").replace("\\A c \\in C", "\\A c \\in held")
    with pytest.raises(TlaUnsupported, match="an action for each member of a set"):
        translated(tmp_path, text, SYMMETRIC.replace("SYMMETRY Sym\n", ""))


@pytest.mark.parametrize(
    "step",
    [
        "\\E Q \\in {{1, 2}, {2}} : \\A k \\in Q : x' = 1",
        "\\E <<Q, r>> \\in {<<{1}, 1>>, <<{2}, 1>>} : \\A k \\in Q : x' = r",
        "\\E q \\in {1} : \\A k \\in 0..q : x = 0 /\\ x' = q",
    ],
)
def test_what_is_assigned_for_each_member_of_a_chosen_set_is_a_value(
    tmp_path: Path, step: str
) -> None:
    body = f"EXTENDS Naturals\nVARIABLE x\nSpec == x = 0 /\\ [][{step}]_x\nOk == x < 2"
    translation = translated(tmp_path, body, "SPECIFICATION Spec\nINVARIANT Ok")
    compared = compare_reachable(
        Search(Machine(load(tmp_path / "M.tla"))), TranslatedModel(translation), 1_000
    )
    assert compared.complete
    assert compared.states == 2


CHOSEN_TWICE = r"""
EXTENDS Naturals
VARIABLES x, y
Init == \/ x \in {1, 2} /\ y \in {1, 2} \ {x}
        \/ x = 3 /\ y \in 1..3 /\ y # x
        \/ \E x_2 \in {5, 7} : x \in {x_2, x_2 + 1} /\ \E q \in 0..1 : y = q + x
        \/ \E q \in {7, 8} : x = q /\ y \in {q}
Next == UNCHANGED <<x, y>>
"""


def test_disjuncts_of_an_initial_predicate_may_choose_from_several_sets(tmp_path: Path) -> None:
    """TLC has these twelve states; it was refused that two sets have a choice of one name."""
    translation = translated(tmp_path, CHOSEN_TWICE, "INIT Init\nNEXT Next\n")
    assert explored(translation).distinct_states == 2 + 2 + 8 + 2 - 2
