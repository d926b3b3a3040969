"""Sets of messages that are too many for a bit each: filtered, mapped, counted, taken from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.frontends.tla import samples
from bmc.frontends.tla.agreement import compare_reachable
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle import wandering
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.samples import Samples
from bmc.frontends.tla.translate.model import translate
from bmc.frontends.tla.translated_model import TranslatedModel
from bmc.lang.sorts import BoundedSetSort, KeyedSetSort, SetSort, VariantSort
from bmc.lang.terms import Term
from tests.frontends.tla.models import explored

START = """---- MODULE M ----
EXTENDS Naturals, FiniteSets
VARIABLES sent, n
Init == sent = {} /\\ n = 0
Ask == /\\ n < 60 /\\ n' = n + 30
       /\\ sent' = sent \\cup {[kind |-> "ask", n |-> n, of |-> n + 30]}
Answer == /\\ \\E m \\in sent : /\\ m.kind = "ask"
                            /\\ sent' = {[kind |-> "reply", of |-> m.n]} \\cup (sent \\ {m})
          /\\ UNCHANGED n
Inv == \\A m \\in sent : m.kind = "ask" => m.of = m.n + 30
"""

STEPS = {
    "filtered": "sent' = {m \\in sent : m.of > 30} /\\ n' = n",
    "mapped": """sent' = {[kind |-> "reply", of |-> m.of] : m \\in sent} /\\ n' = n""",
    "paired": """/\\ sent' = {[kind |-> "ask", n |-> a.of, of |-> b.of] : a, b \\in sent}
                 /\\ n = 30 /\\ n' = 60""",
    "met": "sent' = sent \\cap {m \\in sent : m.of = 0} /\\ n' = n",
    "counted": """n' = Cardinality({m \\in sent : m.kind = "ask"}) /\\ UNCHANGED sent /\\ n = 60""",
    "among": """sent' = {m \\in sent : m \\notin {o \\in sent : o.kind = "ask"}} /\\ n' = n""",
    "known": """/\\ sent \\subseteq {[kind |-> "ask", n |-> n - 30, of |-> n], [kind |-> "no"]}
                /\\ n > 0 /\\ sent' = {CHOOSE m \\in sent : m.kind = "ask"} /\\ n' = n""",
    "numbers": """/\\ sent # {} /\\ ~(sent \\subseteq 0..99)
                  /\\ sent' = UNION {{m} : m \\in sent} /\\ n' = n""",
    "compared": "{m \\in sent : m.of = 30} = sent /\\ sent' = {} /\\ n' = 0",
}


@pytest.mark.parametrize("slots", [False, True], ids=["numbered", "slots"])
@pytest.mark.parametrize("name", STEPS)
def test_steps_on_many_possible_messages_are_those_of_the_text(
    name: str, slots: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every reachable state both have the same steps and the same truths.

    Messages are numbered as walks meet them, or have slots where these are too many.
    """
    if slots:
        monkeypatch.setattr(samples, "MANY", 0)
    step = f"Step == {STEPS[name]}\nNext == Ask \\/ Answer \\/ Step\n====\n"
    (tmp_path / "M.tla").write_text(START + step)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nINVARIANT Inv\n")
    specification = load(tmp_path / "M.tla")
    translation = translate(specification, samples=Samples(specification))
    sort = translation.model.variables["sent"]
    if slots:
        assert isinstance(sort, BoundedSetSort)
        assert isinstance(sort.element, VariantSort)
    else:
        assert isinstance(sort, SetSort)
        assert sort.element in translation.layout.tables
    compared = compare_reachable(
        Search(Machine(specification)), TranslatedModel(translation), 1_000
    )
    assert compared.complete
    assert compared.skipped == 0
    assert compared.states > 4


PORTS = """---- MODULE Ports ----
EXTENDS Naturals, FiniteSets
VARIABLES last, open
Init == last = 0 /\\ open = {}
Open == \\E of \\in 1 .. 2 : /\\ Cardinality(open) < 4
                        /\\ last' = last + 1
                        /\\ open' = open \\union {[port |-> 20000 + 9000 * last, of |-> of]}
Close == \\E one \\in open : open' = open \\ {one} /\\ last' = last
Next == (last < 5 /\\ Open) \\/ Close
Few == Cardinality(open) <= 4
====
"""


def test_a_key_with_many_values_has_no_place_for_each(tmp_path: Path) -> None:
    """No two members have one port: there was a place for each of 36,001 ports."""
    (tmp_path / "Ports.tla").write_text(PORTS)
    (tmp_path / "Ports.cfg").write_text("INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Few")
    specification = load(tmp_path / "Ports.tla")
    translation = translate(specification, samples=Samples(specification))
    assert not isinstance(translation.model.variables["open"], KeyedSetSort)
    compared = compare_reachable(
        Search(Machine(specification)), TranslatedModel(translation), 1_000
    )
    assert (compared.complete, compared.skipped) == (True, 0)


@pytest.mark.parametrize("command", ["explore", "check", "prove"])
def test_a_message_that_no_walk_has_met_is_not_lost(
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A step that sends it leaves the bounds; without it the false claim would hold."""
    monkeypatch.setattr(samples, "_NEAR", 1)
    monkeypatch.setattr(samples, "_WALKS", 0)
    monkeypatch.setattr(wandering, "MOST", 1)
    claim = 'Never == \\A m \\in sent : m.kind = "ask" => m.of # 60\n'
    (tmp_path / "M.tla").write_text(f"{START}{claim}Next == Ask \\/ Answer\n====\n")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nINVARIANT Never\n")
    assert run([command, str(tmp_path / "M.tla"), "--json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result["verdict"] == "violated"


def test_bounds_say_how_many_messages_were_met(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "M.tla").write_text(f"{START}Next == Ask \\/ Answer\n====\n")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nINVARIANT Inv\n")
    assert run(["prove", str(tmp_path / "M.tla"), "--explain"]) == 0
    assert "sent the 4 members that were met: guessed" in capsys.readouterr().out


SELECTED = """---- MODULE M ----
EXTENDS Naturals, FiniteSets
VARIABLES sent, n
Message == [kind : {"ask"}, from : 1..3, first : BOOLEAN] \\cup [kind : {"reply"}, to : 1..3]
Init == sent = {} /\\ n = 0
Send == \\E i \\in 1..3 : /\\ sent' = sent \\cup {[kind |-> "ask", from |-> i, first |-> sent = {}]}
                        /\\ n' = Cardinality({m \\in sent : m.kind = "ask" /\\ m.from >= i})
Answer == \\E m \\in sent : /\\ m.kind = "ask"
                          /\\ sent' = {o \\in sent : o # m}
                                     \\cup {[kind |-> "reply", to |-> m.from]}
                          /\\ UNCHANGED n
Clear == \\E m \\in sent : m.kind = "reply" /\\ n' = 0 /\\ sent' = {o \\in sent : o.kind = "ask"}
Next == Send \\/ Answer \\/ Clear
Known == sent \\subseteq Message
Few == Cardinality({m \\in {o \\in sent : o.kind = "ask"} : m.first}) <= 1
====
"""


def test_a_selection_of_messages_is_asked_of_each_by_itself(tmp_path: Path) -> None:
    """For each message all were looked at once more: as many questions as pairs of messages."""
    (tmp_path / "M.tla").write_text(SELECTED)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nINVARIANT Few\n")
    specification = load(tmp_path / "M.tla")
    translation = translate(specification)
    assert isinstance(translation.model.variables["sent"], SetSort)
    terms = [t for one in translation.model.actions for b in one.branches for t in b.guards]
    terms += [
        t for one in translation.model.actions for b in one.branches for t in b.updates.values()
    ]
    terms += [claim.body for claim in translation.properties]
    filters = {t for term in terms for t in parts(term) if t.op == "filter"}
    assert len(filters) >= 4
    for one in filters:
        assert not any(t.op == "exists" for t in parts(one))
    compared = compare_reachable(
        Search(Machine(specification)), TranslatedModel(translation), 2_000
    )
    assert compared.complete
    assert compared.skipped == 0
    assert compared.states > 100


def parts(term: Term) -> Iterator[Term]:
    """Yield a term and all that it is made of."""
    yield term
    for one in term.args:
        yield from parts(one)


MADE = """---- MODULE M ----
EXTENDS Naturals, Sequences
VARIABLES todo, done
Init == todo = {<<>>} /\\ done = {}
Extend == \\E s \\in todo :
    /\\ Len(s) < 3
    /\\ LET next == {c \\in 1..3 : \\A i \\in 1..Len(s) : s[i] # c /\\ s[i] + 1 # c}
           more == {Append(s, c) : c \\in next}
       IN /\\ todo' = (todo \\ {s}) \\cup {m \\in more : Len(m) < 3}
          /\\ done' = done \\cup {m \\in more : Len(m) = 3}
Move == \\E s \\in done : todo' = {<<x>> : x \\in {s[i] : i \\in 1..2}} /\\ done' = {}
Next == Extend \\/ Move
====
"""


def test_a_set_that_is_made_is_made_element_by_element(tmp_path: Path) -> None:
    """Each sequence that there could be was asked whether some choice makes it."""
    (tmp_path / "M.tla").write_text(MADE)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    specification = load(tmp_path / "M.tla")
    translation = translate(specification, samples=Samples(specification))
    updates = [
        t for one in translation.model.actions for b in one.branches for t in b.updates.values()
    ]
    assert any(t.op == "union_of" for term in updates for t in parts(term))
    asked = [t for term in updates for t in parts(term) if t.op == "filter"]
    assert not any(t.op == "exists" for one in asked for t in parts(one))
    compared = compare_reachable(
        Search(Machine(specification)), TranslatedModel(translation), 2_000
    )
    assert compared.complete
    assert compared.skipped == 0
    assert compared.states > 10


def test_a_set_of_sets_is_no_set_of_messages(tmp_path: Path) -> None:
    """Walks meet few of the members that it comes to have: its bounds were widened without end."""
    (tmp_path / "Board.tla").write_text(
        "---- MODULE Board ----\nEXTENDS Naturals\nVARIABLE board\nInit == board = {{1, 2}}\n"
        "Next == \\E p \\in board, k \\in 1..14 :\n"
        "  board' = (board \\ {p}) \\cup {p \\cup {k}}\n====\n"
    )
    (tmp_path / "Board.cfg").write_text("INIT Init\nNEXT Next\n")
    specification = load(tmp_path / "Board.tla")
    model = translate(specification, samples=Samples(specification)).model
    assert isinstance(model.variables["board"], BoundedSetSort)


CHANGING = """---- MODULE M ----
EXTENDS Naturals
VARIABLES sent, n
Init == sent = {} /\\ n = 0
Copy(m) == [m EXCEPT !.n = IF n > 30 THEN 0 ELSE @ + 30]
Next == \\/ n < 60 /\\ n' = n + 30 /\\ sent' = sent \\cup {[kind |-> "ask", n |-> n, of |-> n + 30]}
        \\/ \\E m \\in sent :
             /\\ sent' = (sent \\ {m}) \\cup {IF m.of >= n THEN [Copy(m) EXCEPT !.of = 30] ELSE m}
             /\\ UNCHANGED n
Inv == \\A m \\in sent : m.n <= 60
====
"""


def test_the_number_of_a_message_is_found_by_comparing_it_as_one(tmp_path: Path) -> None:
    """All of its conditions were made anew for each of the messages that it may be."""
    (tmp_path / "M.tla").write_text(CHANGING)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nINVARIANT Inv\n")
    specification = load(tmp_path / "M.tla")
    translation = translate(specification, samples=Samples(specification))
    found = [
        t
        for one in translation.model.actions
        for branch in one.branches
        for term in branch.updates.values()
        for t in parts(term)
        if t.op == "choose" and t.sort in translation.layout.tables
    ]
    assert found
    assert all(one.args[-1].op == "eq" for one in found)
    compared = compare_reachable(Search(Machine(specification)), TranslatedModel(translation), 200)
    assert compared.skipped == 0
    assert compared.states == 200


@pytest.mark.parametrize("other", ['[t |-> 0, v |-> "n"]', '[t |-> 0, v |-> "a"]', "<<>>"])
def test_a_part_that_no_message_has_in_one_case_is_in_none_then(
    other: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was FALSE as TLC has it where it stood alone, and without a value in a conditional."""
    (tmp_path / "M.tla").write_text(
        f"""---- MODULE M ----
EXTENDS Naturals, Sequences, FiniteSets
VARIABLES term, log, msgs
Init == term = 0 /\\ log = <<>> /\\ msgs = {{}}
Bump == term < 2 /\\ term' = term + 1 /\\ UNCHANGED <<log, msgs>>
Put == /\\ Len(log) < 1
       /\\ \\E w \\in {{"a", "b"}} : log' = Append(log, [t |-> term, v |-> w])
       /\\ UNCHANGED <<term, msgs>>
Sent(last) == [term |-> term, last |-> last, log |-> log]
Send == /\\ Cardinality(msgs) < 2
        /\\ msgs' = msgs \\cup {{Sent([t |-> 1, v |-> "a"])}}
        /\\ UNCHANGED <<term, log>>
Next == Bump \\/ Put \\/ Send
Inv == Sent(IF Len(log) > 0 THEN log[1] ELSE {other}) \\notin msgs
====
"""
    )
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nINVARIANT Inv\n")
    run(["explore", str(tmp_path / "M.tla"), "--continue", "--json"])
    said = json.loads(capsys.readouterr().out)
    (claim,) = (one for one in said["results"] if one["property"] == "Inv")
    assert (said["distinct_states"], len(claim["trace"])) == (115, 4)  # TLC's


@pytest.mark.parametrize("kinds", ["{None}", "{None, 7}", '{"a"}', "{<<1, 2>>, {1}}"])
def test_what_has_no_room_among_messages_of_several_kinds_is_none_of_them(
    tmp_path: Path, kinds: str
) -> None:
    (tmp_path / "M.tla").write_text(f"""---- MODULE M ----
EXTENDS Naturals, FiniteSets, TLC
CONSTANT None
VARIABLES sent, held, asked
Ask == [kind : {{"ask"}}, n : 0 .. 1]
Reply == [kind : {{"reply"}}, of : {{"a", "b"}}]
Init == sent = {{}} /\\ held \\in {kinds} /\\ asked = None
Send == \\E m \\in Ask \\cup Reply : sent' = sent \\cup {{m}} /\\ UNCHANGED <<held, asked>>
Take == \\E m \\in sent : held' = m /\\ sent' = sent \\ {{m}} /\\ asked' = None
Wait == asked' \\in [kind : {{"ask"}}, n : 0 .. 3] /\\ UNCHANGED <<sent, held>>
Next == Send \\/ Take \\/ Wait
Count == (held :> 1) @@ [m \\in sent |-> 2]
Inv == /\\ (held \\in sent => held \\in Ask \\cup Reply)
       /\\ (held \\in {kinds} => held \\notin sent)
       /\\ Cardinality(sent \\ {{held}}) <= Cardinality(sent)
       /\\ (asked \\in sent => asked.n < 2) /\\ ({{asked}} \\subseteq sent => asked # None)
       /\\ Count[held] = 1 /\\ [[m \\in sent |-> 2] EXCEPT ![held] = 2] = [m \\in sent |-> 2]
====
""")
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next CONSTANT None = None INVARIANT Inv")
    specification = load(tmp_path / "M.tla")
    translation = translate(specification, samples=Samples(specification))
    compared = compare_reachable(
        Search(Machine(specification)), TranslatedModel(translation), 1_000
    )
    assert (compared.complete, compared.skipped) == (True, 0)
    assert explored(translation).holds == ("Inv", "Deadlock")


@pytest.mark.parametrize(
    ("values", "members"),
    [
        ("[Node -> 0 .. 2]", "[Node -> 0 .. 1]"),
        ("[Node -> {<<>>, <<1>>, <<2>>}]", "[Node -> {<<>>, <<1>>}]"),
        ("{<<0, 1, 2>>, <<3>>, <<>>}", "{<<>>, <<0>>, <<1, 1, 0>>}"),
        ("{<<>>, <<<<1>>>>, <<<<2>>, <<>>>>}", "{<<>>, <<<<1>>>>, <<<<>>>>}"),
        ("{<<>>, <<[a |-> 2]>>, <<[a |-> 0]>>}", "{<<>>, <<[a |-> 0]>>}"),
        ("{None} \\cup 0 .. 3", "{None, 0}"),
        ('{"x"} \\cup [a : 0 .. 2]', "{None, [a |-> 0]}"),
        ("SUBSET (0 .. 1 \\cup {None})", "SUBSET {0, None}"),
        ("UNION {[T -> 0 .. 2] : T \\in SUBSET {1, 3}}", "{<<>>, 3 :> 0, 1 :> 1}"),
    ],
)
def test_what_a_set_has_no_room_for_within_a_value_is_none_of_its_members(
    tmp_path: Path, values: str, members: str
) -> None:
    """Whether `clock \\in seen` had no value where one of its numbers is in no member's range."""
    (tmp_path / "M.tla").write_text(f"""---- MODULE M ----
EXTENDS Naturals, FiniteSets, TLC
CONSTANTS None, Node
VARIABLES seen, x
Init == seen = {{}} /\\ x \\in {values}
Next == \\/ x' \\in {values} /\\ seen' = seen
        \\/ \\E y \\in {members} : Cardinality(seen) < 2 /\\ seen' = seen \\cup {{y}} /\\ x' = x
Inv == /\\ (x \\in seen) = (\\E y \\in seen : y = x)
       /\\ Cardinality({{x}} \\cup seen) = Cardinality(seen) + (IF x \\in seen THEN 0 ELSE 1)
       /\\ \\A T \\in {{seen, {{x}}}} : x \\in T => T \\cap {{x}} = {{x}}
====
""")
    (tmp_path / "M.cfg").write_text(
        "INIT Init NEXT Next CONSTANTS None = None Node = {n1, n2} INVARIANT Inv"
    )
    specification = load(tmp_path / "M.tla")
    translation = translate(specification)
    compared = compare_reachable(
        Search(Machine(specification)), TranslatedModel(translation), 1_000
    )
    assert (compared.complete, compared.skipped) == (True, 0)
    assert explored(translation).holds == ("Inv", "Deadlock")
