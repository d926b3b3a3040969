"""A history is invented from the text and from steps, follows only, and is what its text says."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bmc.analysis.inference.historic import with_history
from bmc.cli.shared.catalogue import find
from bmc.engines.kinduction import prove
from bmc.engines.samples import Explored
from bmc.engines.task import SILENT, Task
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.certify import certify
from bmc.evidence.independent.judge import judge
from bmc.evidence.statements import suite_of_certificate
from bmc.evidence.verdict import Verdict
from bmc.lang import (
    Expr,
    Integer,
    MapSort,
    OptionSort,
    Parameter,
    Protocol,
    Scalarset,
    Sequence,
    SetSort,
    State,
    Step,
    Variable,
    action,
    append,
    conj,
    empty,
    forall,
    implies,
    insert,
    invariant,
    is_some,
    lemma,
    mapping,
    member,
    one_of,
    remove,
    size,
    some,
    the,
)
from bmc.lang.build import argument
from bmc.lang.describe import model_of
from bmc.lang.errors import LanguageError, ParameterError
from bmc.lang.fingerprint import fingerprint
from bmc.lang.ghosts import with_ghosts
from bmc.lang.historic import ghosts_of
from bmc.lang.ready import with_lemmas_instead
from bmc.lang.show import show
from bmc.lang.sorts import RecordSort
from bmc.lang.state import state_variable
from bmc.lang.substitution import substituted
from bmc.lang.suite import Suite
from bmc.lang.terms import truth
from bmc.reports.proofs.history_text import history_lines
from bmc.system.transition import TransitionSystem
from tests.project.pages import block


class Marked(Protocol):
    """Nodes copy a log from each other, mark what they have, and forget how far they marked it."""

    nodes = Parameter("nodes", 2, 2, 3, "how many nodes there are")
    slots = Parameter("slots", 2, 1, 3, "how long a log is")

    Node = Scalarset("Node", nodes)
    Slot = Integer("Slot", 0, slots - 1)
    Text = Integer("Text", 0, 1)
    Term = Integer("Term", 0, 1)
    log = Variable(MapSort(Node, MapSort(Slot, OptionSort(Text))))
    mark = Variable(MapSort(Node, Slot.to(slots)))
    term = Variable(MapSort(Node, Term))

    @action()
    def Init(self, s: Step) -> None:
        nothing = mapping(self.Slot, lambda slot: None, OptionSort(self.Text))
        s.log = mapping(self.Node, lambda node: nothing, MapSort(self.Slot, OptionSort(self.Text)))
        s.mark = mapping(self.Node, lambda node: 0, self.Slot.to(self.slots))
        s.term = mapping(self.Node, lambda node: 0, self.Term)

    @action(node=Node, slot=Slot, text=Text)
    def Write(self, s: Step, node: Expr, slot: Expr, text: Expr) -> None:
        s.require(forall(self.Node, lambda other: ~is_some(s.log[other][slot])))
        s.log[node][slot] = some(text)

    @action(node=Node, source=Node, slot=Slot)
    def Copy(self, s: Step, node: Expr, source: Expr, slot: Expr) -> None:
        s.require(is_some(s.log[source][slot]), ~is_some(s.log[node][slot]))
        s.log[node][slot] = s.log[source][slot]

    @action(node=Node)
    def Advance(self, s: Step, node: Expr) -> None:
        s.require(s.mark[node] < self.slots, is_some(s.log[node][s.mark[node]]))
        s.mark[node] = s.mark[node] + 1

    @action(node=Node)
    def Forget(self, s: Step, node: Expr) -> None:
        s.require(s.mark[node] > 0, s.term[node] < 1)
        s.mark[node] = 0
        s.term[node] = s.term[node] + 1

    Next = one_of(Write, Copy, Advance, Forget)

    @invariant("what is marked is there", node=Node, slot=Slot)
    def Kept(self, s: State, node: Expr, slot: Expr) -> Expr:
        return implies(slot < s.mark[node], is_some(s.log[node][slot]))

    @invariant("two nodes have marked the same", node=Node, other=Node, slot=Slot)
    def Same(self, s: State, node: Expr, other: Expr, slot: Expr) -> Expr:
        marked = conj(slot < s.mark[node], slot < s.mark[other])
        return implies(marked, s.log[node][slot] == s.log[other][slot])


class Drained(Protocol):
    """A counter that is reset, tickets that are taken back, and a queue that is emptied."""

    most = Parameter("most", 2, 1, 3, "how far is counted")
    places = Parameter("places", 2, 1, 3, "how many places there are")

    Place = Scalarset("Place", places)
    Count = Integer("Count", 0, most)
    count = Variable(MapSort(Place, Count))
    taken = Variable(SetSort(Place))
    queue = Variable(Sequence(Count, 2))

    @action()
    def Init(self, s: Step) -> None:
        s.count = mapping(self.Place, lambda place: 0, self.Count)
        s.taken = empty(SetSort(self.Place))
        s.queue = ()

    @action(place=Place)
    def Add(self, s: Step, place: Expr) -> None:
        s.require(s.count[place] < self.most, size(s.queue) < 2)
        s.count[place] = s.count[place] + 1
        s.taken = insert(s.taken, place)
        s.queue = append(s.queue, s.count[place])

    @action(place=Place)
    def Reset(self, s: Step, place: Expr) -> None:
        s.count[place] = 0
        s.taken = remove(s.taken, place)
        s.queue = ()

    Next = one_of(Add, Reset)

    @invariant("what counts is taken", place=Place)
    def Taken(self, s: State, place: Expr) -> Expr:
        return implies(s.count[place] > 0, member(place, s.taken) | (size(s.queue) < 1))


def test_where_no_premise_has_a_content_the_most_that_parts_ever_were_is_kept() -> None:
    suite = Suite.of(Drained, "drained")
    found = with_history(Task(suite, {}, ("Taken",)), 600.0, 0, SILENT)
    assert found is not None
    ghosts = {ghost.name: ghost for ghost in ghosts_of(found.suite)}
    assert set(ghosts) == {"ever_count", "ever_taken", "ever_queue"}
    # Reset makes all of them less, and adds to none.
    assert all(set(ghost.after) == {"Add"} for ghost in ghosts.values())
    assert "taken" in show(ghosts["ever_taken"].after["Add"])
    explored = Explored(TransitionSystem(found.suite.model(ghosts=True), found.parameters), 0)
    explored.explore(200_000, 60.0, SILENT)
    for claim in (no_more_than_ever, ever_taken):
        stated = claim.describe(Drained(), found.suite.model(ghosts=True).variables)
        holds = [i.holds for i in explored.system.instances(stated)]
        assert not any(len(rows) for rows in explored.failing(holds))


@lemma("a count is no more than it ever was", place=Drained.Place)
def no_more_than_ever(m: Drained, s: State, place: Expr) -> Expr:
    return conj(s.count[place] <= s.ever_count[place], size(s.queue) <= size(s.ever_queue))


@lemma("who is taken was ever taken")
def ever_taken(m: Drained, s: State) -> Expr:
    return s.taken <= s.ever_taken


@cache
def invented() -> Task:
    """The protocol with the history that is invented for its first claim."""
    suite = Suite.of(Marked, "marked")
    found = with_history(Task(suite, {}, ("Kept",)), 600.0, 0, SILENT)
    assert found is not None
    return found


def test_what_was_ever_marked_comes_out_with_what_was_marked_then_and_when() -> None:
    (ghost,) = ghosts_of(invented().suite)
    assert isinstance(ghost.sort, MapSort)
    assert isinstance(ghost.sort.value, OptionSort)
    kept = ghost.sort.value.inner
    assert isinstance(kept, RecordSort)
    assert ghost.name == "ever_mark"
    # Of the numbers of a node the term alone never goes back.
    assert [name for name, _ in kept.fields] == ["log", "term"]
    # It is advanced only: Forget moves the mark as well, and makes nothing marked.
    assert set(ghost.after) == {"Advance"}
    assert "slot < mark[node] + 1" in show(ghost.after["Advance"])


def test_it_restricts_no_step_and_assigns_nothing_else() -> None:
    suite = invented().suite
    plain, beside = suite.model(ghosts=False), suite.model(ghosts=True)
    assert beside.ghosts == {"ever_mark"}
    pairs = zip((plain.initial, *plain.actions), (beside.initial, *beside.actions), strict=True)
    for one, other in pairs:
        for before, after in zip(one.branches, other.branches, strict=True):
            assert [t.uid for t in before.guards] == [t.uid for t in after.guards]
            kept = {n: t.uid for n, t in after.updates.items() if n != "ever_mark"}
            assert kept == {n: t.uid for n, t in before.updates.items()}


@pytest.mark.parametrize(("protocol", "claim"), [(Marked, "Kept"), (Drained, "Taken")])
def test_its_text_is_read_as_the_very_history(
    protocol: type[Protocol], claim: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = with_history(Task(Suite.of(protocol, "told"), {}, (claim,)), 600.0, 0, SILENT)
    assert task is not None
    suite, name = task.suite, f"pasted_{claim}"
    (tmp_path / f"{name}.py").write_text("\n".join(history_lines(suite)) + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    pasted: Any = __import__(name)
    read = model_of(protocol, pasted.Invented)
    assert fingerprint(read, {}) == fingerprint(suite.model(ghosts=True), {})


def test_the_page_shows_what_is_invented_for_kafka() -> None:
    kafka = find("kafka")
    sizes = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}
    task = with_history(Task(kafka, sizes, ("WeakIsr", "StrongIsr")), 3_000.0, 0, SILENT)
    assert task is not None
    shown, said = block("inference.md", "class Invented(").splitlines(), history_lines(task.suite)
    assert [one for one in shown if one.strip()] == [one for one in said if one.strip()]


def test_it_holds_what_was_there_when_a_mark_first_passed() -> None:
    model = invented().suite.model(ghosts=True)
    explored = Explored(TransitionSystem(model, {"nodes": 2, "slots": 2}), 0)
    explored.explore(200_000, 60.0, SILENT)
    assert explored.complete
    for claim in (ever_marked, marked_in_order):
        stated = claim.describe(Marked(), model.variables)
        holds = [i.holds for i in explored.system.instances(stated)]
        assert not any(len(rows) for rows in explored.failing(holds))


@lemma("what is marked was ever marked", node=Marked.Node, slot=Marked.Slot)
def ever_marked(m: Marked, s: State, node: Expr, slot: Expr) -> Expr:
    return implies(slot < s.mark[node], is_some(s.ever_mark[slot]))


@lemma("what was ever marked was there", slot=Marked.Slot)
def marked_in_order(m: Marked, s: State, slot: Expr) -> Expr:
    return implies(is_some(s.ever_mark[slot]), is_some(the(s.ever_mark[slot]).log))


def proved() -> Certificate:
    """A certificate whose lemma speaks of a ghost that no file declares."""
    task = invented()
    model = task.suite.model(ghosts=True)
    stated = [one.describe(Marked(), model.variables) for one in (ever_marked,)]
    suite = with_lemmas_instead(task.suite, stated, ())
    (result,) = prove(replace(task, suite=suite, properties=("Kept",)), SILENT)
    assert result.verdict is Verdict.PROVED
    assert result.certificate is not None
    return result.certificate


def test_a_certificate_carries_it_and_both_judges_accept() -> None:
    certificate = Certificate.from_json(proved().to_json())
    assert [one["name"] for one in certificate.history] == ["ever_mark"]
    suite = Suite.of(Marked, "marked")
    certify(certificate, suite)
    judge(certificate, suite)


def test_a_certificate_without_its_history_is_of_another_model() -> None:
    with pytest.raises(CertificateError):
        certify(replace(proved(), history=()), Suite.of(Marked, "marked"))


@pytest.mark.parametrize("name", ["mark", "_ever", "require", "no name"])
def test_what_would_assign_the_protocols_state_is_no_history(name: str) -> None:
    certificate = proved()
    forged = {**certificate.history[0], "name": name}
    with pytest.raises(CertificateError):
        certify(replace(certificate, history=(forged,)), Suite.of(Marked, "marked"))


def test_no_ghost_stands_for_one_of_the_protocols_own_history() -> None:
    """A claim about that one would be proved of another that never changes."""
    suite = find("kafka")
    (own, *_) = sorted(suite.model(ghosts=True).ghosts)
    still: dict[str, Any] = {"name": own, "sort": "Bool", "about": "", "after": {}}
    still["initially"] = ["bool", "Bool", False]
    forged = replace(proved(), history=(still,))
    with pytest.raises(CertificateError, match=f"own history has a ghost {own}"):
        suite_of_certificate(forged, suite)


def test_no_ghost_holds_a_record_that_has_a_field_twice() -> None:
    """At all parameters both fields were one symbol: that they differ contradicted itself."""
    twice: Any = ["record", "Twice", [["n", "Bool"], ["n", "Bool"]]]
    both = [["bool", "Bool", value] for value in (False, True)]
    ghost = {"name": "both", "sort": twice, "about": "", "after": {}}
    forged = replace(proved(), history=({**ghost, "initially": ["record", twice, None, *both]},))
    with pytest.raises(CertificateError, match="a field of Twice is told by its name"):
        suite_of_certificate(forged, Suite.of(Marked, "marked"))


def test_the_size_of_a_ghost_is_made_of_parameters_that_there_are() -> None:
    """It was an internal failure."""
    wide: Any = ["int", "Wide", [0, []], [0, [[["nobodys"], 1]]]]
    ghost = {"name": "wide", "sort": wide, "about": "", "initially": ["int", wide, 0], "after": {}}
    forged = replace(proved(), history=(ghost,), lemmas=(), conjuncts=())
    suite = suite_of_certificate(forged, Suite.of(Marked, "marked"))
    with pytest.raises(ParameterError, match="there is no parameter 'nobodys'"):
        TransitionSystem(suite.model(ghosts=True), {"nodes": 2, "slots": 2})


def test_a_ghost_follows_actions_and_begins_without_reading() -> None:
    model = Suite.of(Marked, "marked").model(ghosts=False)
    (ghost,) = ghosts_of(invented().suite)
    reading = ghost.after["Advance"]
    (node,), nobody = reading.free, argument("nobody", Marked.Node)
    elsewhere = state_variable("elsewhere", ghost.sort)
    later = state_variable("ever_mark", ghost.sort, primed=True)
    for wrong in (
        replace(ghost, initially=reading),
        replace(ghost, after={"Nowhere": ghost.initially}),
        replace(ghost, after={"Advance": truth(True)}),
        replace(ghost, after={"Forget": substituted(reading, {node: nobody})}),
        replace(ghost, after={"Advance": elsewhere}),
        replace(ghost, after={"Advance": later}),
    ):
        with pytest.raises(LanguageError):
            with_ghosts(model, [wrong])
