"""What claims about behaviours are made of is compared with the text before a verdict is given."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.engines.confirmation import confirmed_temporal
from bmc.engines.liveness.decide import decide
from bmc.engines.liveness.decide_by import decide_by
from bmc.engines.liveness.question import Question
from bmc.frontends.tla import core as c
from bmc.frontends.tla.agreement import Disagreement
from bmc.frontends.tla.suite import suite_of
from bmc.frontends.tla.translate.atoms import Atom
from bmc.frontends.tla.translate.expressions import Expressions
from bmc.frontends.tla.translate.temporal import Temporal
from bmc.frontends.tla.translate.translator import Context
from bmc.lang.build import TRUE
from bmc.lang.sorts import BOOL
from bmc.lang.terms import Term, make

TEXT = """---- MODULE Turns ----
EXTENDS Integers
CONSTANTS Who, n
VARIABLES x, y, has
f == [i \\in 0..2 |-> i]
Init == x = 0 /\\ y = 0 /\\ has = [p \\in Who |-> FALSE]
Up == x < 3 /\\ x' = x + 1 /\\ UNCHANGED <<y, has>>
Back == x = 3 /\\ x' = 0 /\\ y' = 1 - y /\\ UNCHANGED has
Give(p) == has' = [has EXCEPT ![p] = ~@] /\\ UNCHANGED <<x, y>>
Next == Up \\/ Back \\/ \\E p \\in Who : Give(p)
Spec == Init /\\ [][Next]_<<x, y, has>> /\\ WF_<<x, y, has>>(Up) /\\ WF_<<x, y, has>>(Back)
Again == []<>(x = 1)
Stays == <>[](x = 1)
Moves == []<><<y' # y>>_y
Rests == <>[][FALSE]_y
Able == WF_y(Next)
Strong == SF_x(x = 2 /\\ Next)
Gives == \\A p \\in Who : <>has[p]
Swaps == \\A p \\in Who : []<><<has'[p] # has[p]>>_has
Fair == \\A p \\in Who : WF_has(Give(p))
Passes == \\A i \\in {1, n} : []<>(x = i)
Within(i) == LET next == i + 1 back(j) == next - j IN x = back(1) ~> x = next
Follows == Within(1)
Lasts == \\A i \\in {n} : LET last == i IN []<><<x # last /\\ x' = last>>_x
Beyond == <><<Up>>_<<x, f[x]>>
Aside == []<>(<<x, f[x]>>[1] >= 0)
====
"""


def judge(folder: Path, claim: str) -> str:
    (folder / "Turns.tla").write_text(TEXT)
    (folder / "Turns.cfg").write_text(
        f"SPECIFICATION Spec\nPROPERTY {claim}\nCONSTANTS n = 3 Who = {{a, b}}\n"
    )
    suite = suite_of("Turns", folder / "Turns.tla")
    (found,) = confirmed_temporal(suite, decide(Question(suite, {}, (claim,))))
    return found.verdict.value


CLAIMS = {
    "Again": "proved",
    "Stays": "violated",
    "Moves": "proved",
    "Rests": "violated",
    "Able": "proved",
    "Strong": "proved",
    "Gives": "violated",
    "Swaps": "violated",
    "Fair": "violated",
    "Passes": "proved",
    "Follows": "proved",
    "Lasts": "proved",
    "Beyond": "unknown",
    "Aside": "unknown",
}


@pytest.mark.parametrize(("claim", "verdict"), CLAIMS.items())
def test_where_they_agree_there_is_a_verdict(tmp_path: Path, claim: str, verdict: str) -> None:
    assert judge(tmp_path, claim) == verdict


def of_states(node: c.Expression, of_step: bool) -> bool:
    return not of_step and not isinstance(node, c.Enabled)


def of_steps(node: c.Expression, of_step: bool) -> bool:
    return of_step


def of_what_is_possible(node: c.Expression, of_step: bool) -> bool:
    return isinstance(node, c.Enabled)


Kind = Callable[[c.Expression, bool], bool]


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("Again", of_states),
        ("Stays", of_states),
        ("Moves", of_steps),
        ("Rests", of_steps),
        ("Able", of_steps),
        ("Gives", of_states),
        ("Passes", of_states),
        ("Follows", of_states),
        ("Lasts", of_steps),
        ("Swaps", of_steps),
        ("Fair", of_what_is_possible),
        ("Fair", of_steps),
        ("Able", of_what_is_possible),
        ("Strong", of_what_is_possible),
    ],
)
def test_what_is_translated_wrongly_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, kind: Kind
) -> None:
    """The opposite of each formula of a kind is taken."""
    noted = Temporal._noted

    def wrong(self: Temporal, made: Atom, context: Context) -> Term:
        if kind(made.node, made.of_step):
            made = replace(made, term=make("not", (made.term,), BOOL))
        return noted(self, made, context)

    monkeypatch.setattr(Temporal, "_noted", wrong)
    with pytest.raises(Disagreement, match="only for the translation"):
        judge(tmp_path, claim)


def test_a_value_that_only_the_translation_has_gives_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Expressions, "reads", lambda *_: True)
    assert judge(tmp_path, "Aside") == "unknown"
    assert judge(tmp_path, "Again") == "proved"


IN_TURN = """---- MODULE Turns ----
EXTENDS Integers, Sequences
VARIABLES k, q, j
Init == k = 0 /\\ q = <<1>> /\\ j = 0
Next == \\/ k = 0 /\\ k' = 1 /\\ q' = <<>> /\\ j' = 1
        \\/ k = 1 /\\ k' = 1 /\\ q' = <<>> /\\ j' = 1 - j
Spec == Init /\\ [][Next]_<<k, q, j>> /\\ WF_<<k, q, j>>(Next)
Steps == [][k' = 1]_<<j, q[1]>>
Same == [][q[1] = 1]_k
Lastly == <>[][k' = 1]_<<j, q[1]>>
LastlySame == <>[][q[1] = 1]_k
Moves == []<><<k' = 7>>_<<j, q[1]>>
Changes == []<><<q[1] = 1>>_k
Again == []<>(j = 1)
====
"""


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Steps", "proved"),
        ("Same", "unknown"),
        ("Lastly", "proved"),
        ("LastlySame", "unknown"),
        ("Moves", "unknown"),
        ("Changes", "violated"),
        ("Again", "proved"),
    ],
)
def test_action_and_subscript_are_read_in_the_order_in_which_tlc_reads_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], claim: str, verdict: str
) -> None:
    """TLC's answers: of `[A]_v` it reads `A` first, of `<><<A>>_v` whether `v` changes.

    The commands ended with an error where the text was read in another order than its model.
    """
    (tmp_path / "Turns.tla").write_text(IN_TURN)
    (tmp_path / "Turns.cfg").write_text(f"SPECIFICATION Spec PROPERTIES {claim} Lastly Moves")
    run(["prove", str(tmp_path / "Turns.tla"), "-P", claim, "--engine", "explicit", "--json"])
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert found["verdict"] == verdict


FAR = """---- MODULE Turns ----
EXTENDS Integers
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == \\/ x < 300 /\\ x' = x + 1 /\\ y' = y
        \\/ y < 300 /\\ y' = y + 1 /\\ x' = x
        \\/ x' = 0 /\\ y' = 0
Spec == Init /\\ [][Next]_<<x, y>> /\\ WF_<<x, y>>(x' = 0 /\\ y' = 0)
Near == []<>(x + y < 500)
====
"""


def test_what_is_wrong_far_from_the_initial_states_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Walks start again from zero long before; one of twenty states of the graph is far."""
    (tmp_path / "Turns.tla").write_text(FAR)
    (tmp_path / "Turns.cfg").write_text("SPECIFICATION Spec PROPERTY Near\n")
    noted = Temporal._noted

    def wrong(self: Temporal, made: Atom, context: Context) -> Term:
        if of_states(made.node, made.of_step):
            made = replace(made, term=TRUE)
        return noted(self, made, context)

    monkeypatch.setattr(Temporal, "_noted", wrong)
    suite = suite_of("Turns", tmp_path / "Turns.tla")
    (found,) = decide_by("explicit", Question(suite, {}, ("Near",)))
    with pytest.raises(Disagreement, match="this is true only for the translation at"):
        confirmed_temporal(suite, (found,))


SHARED = """---- MODULE Shared ----
EXTENDS Naturals
CONSTANTS Who, Main
VARIABLES at, asked
Users == Who \\union {Main}
Init == at = Main /\\ asked = 0
Pass(p) == at # p /\\ at' = p /\\ UNCHANGED asked
Ask == asked' = 1 - asked /\\ UNCHANGED at
Tagged == Who \\union {<<p, 0>> : p \\in Who}
Next == Ask \\/ \\E p \\in Users \\union Tagged : Pass(p)
Spec == Init /\\ [][Next]_<<at, asked>> /\\ \\A p \\in Users : SF_at(Pass(p))
Kinds == Init /\\ [][Next]_<<at, asked>> /\\ \\A t \\in Tagged : WF_at(at # t /\\ at' = t)
Round == \\A p \\in Who : []<>(at = p)
Pairs == \\A <<p, i>> \\in Users \\X {0, 1} : []<>(at = p /\\ asked = i)
Sets == \\A S \\in SUBSET Users : S = {} \\/ []<>(at \\in S)
====
"""


@pytest.mark.parametrize("behaviours", ["Spec", "Kinds"])
def test_fairness_of_members_of_several_kinds_is_compared_by_its_parts(
    tmp_path: Path, behaviours: str
) -> None:
    # A choice of one part of the set was compared with the whole set: an internal failure.
    (tmp_path / "Shared.tla").write_text(SHARED)
    (tmp_path / "Shared.cfg").write_text(
        f"SPECIFICATION {behaviours}\nPROPERTY Round\nCONSTANTS Who = {{a, b}} Main = Main\n"
    )
    suite = suite_of("Shared", tmp_path / "Shared.tla")
    (found,) = confirmed_temporal(suite, decide(Question(suite, {}, ("Round",))))
    assert found.verdict.value == "proved"


def test_a_temporal_formula_may_be_of_each_pair_and_each_set_of_members_of_several_kinds(
    tmp_path: Path,
) -> None:
    # It was refused with advice about actions.
    (tmp_path / "Shared.tla").write_text(SHARED)
    (tmp_path / "Shared.cfg").write_text(
        "SPECIFICATION Spec\nPROPERTIES Pairs Sets\nCONSTANTS Who = {a, b} Main = Main\n"
    )
    suite = suite_of("Shared", tmp_path / "Shared.tla")
    found = confirmed_temporal(suite, decide(Question(suite, {}, ("Pairs", "Sets"))))
    assert [one.verdict.value for one in found] == ["violated", "proved"]
