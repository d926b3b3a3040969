"""Kinds of numbers: what a text never brings together is not compared by a lemma either."""

from pathlib import Path

from bmc.analysis.inference.harvest import harvested
from bmc.analysis.inference.kinds import Kinds
from bmc.analysis.inference.vocabulary import Words
from bmc.frontends.tla.suite import suite_of
from bmc.lang.model import Model
from bmc.lang.show import show
from bmc.lang.state import state_variable
from bmc.lang.terms import Term, field, select

TEXT = r"""
---- MODULE Kinds ----
EXTENDS Naturals
CONSTANT Node
VARIABLES term, seen, version, sent, turn

Init ==
    /\ term = [n \in Node |-> 0] /\ seen = [n \in Node |-> 0]
    /\ version = [n \in Node |-> 0] /\ sent = [of |-> 0, as |-> 0] /\ turn = 0

Grow(n) ==
    /\ term[n] < 2 /\ version[n] < 2 /\ turn < 2
    /\ term' = [term EXCEPT ![n] = @ + 1]
    /\ version' = [version EXCEPT ![n] = @ + 1]
    /\ sent' = [of |-> term[n] + 1, as |-> version[n]]
    /\ turn' = turn + 1
    /\ UNCHANGED seen

See(n) ==
    /\ seen[n] < sent.of
    /\ seen' = [seen EXCEPT ![n] = sent.of]
    /\ UNCHANGED <<term, version, sent, turn>>

Next == \E n \in Node : Grow(n) \/ See(n)

Seen == \A n \in Node : seen[n] <= 2
====
"""

CONFIG = """
INIT Init
NEXT Next
CONSTANT Node = {a, b}
INVARIANT Seen
"""


def model(folder: Path) -> Model:
    (folder / "Kinds.tla").write_text(TEXT, encoding="utf-8")
    (folder / "Kinds.cfg").write_text(CONFIG, encoding="utf-8")
    return suite_of("Kinds", folder / "Kinds.tla").model(False)


def test_numbers_are_of_one_kind_where_the_text_compares_or_copies_them(tmp_path: Path) -> None:
    read = model(tmp_path)
    (node,) = Words(read, ()).signatures(1)[1]
    whole = {name: state_variable(name, sort) for name, sort in read.variables.items()}
    kinds = Kinds(read, ())

    def alike(one: Term, other: Term) -> bool:
        return kinds.alike(one, other)

    term, seen, version = (select(whole[name], node) for name in ("term", "seen", "version"))
    of, last = field(whole["sent"], "of"), field(whole["sent"], "as")
    assert alike(seen, of)
    assert alike(of, term)
    assert alike(seen, term)
    assert alike(last, version)
    assert not alike(term, version)
    assert not alike(of, last)
    assert not alike(seen, whole["turn"])


def test_lemmas_compare_no_numbers_of_different_kinds(tmp_path: Path) -> None:
    read = model(tmp_path)
    formulas = harvested(read, ())
    (node,) = Words(read, formulas).signatures(1)[1]
    every = {show(one.formula) for one in Words(read, formulas).literals((node,))}
    kept = {
        show(one.formula) for one in Words(read, formulas, kinds=Kinds(read, ())).literals((node,))
    }
    name = show(node)
    assert f"term[{name}] = version[{name}]" in every - kept
    assert f"term[{name}] = seen[{name}]" in kept
