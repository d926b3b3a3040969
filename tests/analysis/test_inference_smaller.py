"""Lemmas of smaller sets: found where all states are known, offered where there are too many."""

from pathlib import Path

import pytest

from bmc.analysis.inference.infer import InferenceOptions, Inferred, infer
from bmc.analysis.inference.smaller import smaller_tasks
from bmc.analysis.inference.worlds import explored_worlds
from bmc.cli.shared.inference import furnished
from bmc.engines.kinduction import prove
from bmc.engines.task import SILENT, Deadline, Silent, Task
from bmc.evidence.independent.judge import judge
from bmc.evidence.verdict import Verdict
from bmc.frontends.tla.suite import suite_of
from bmc.lang.errors import SortError
from bmc.lang.resized import Resizing, scalarsets
from bmc.lang.show import show
from bmc.lang.suite import Suite
from bmc.system.transition import TransitionSystem
from tests.analysis.protocols import Commit
from tests.lang.zoo import SORTS

EVER = Deadline(None)

HANDED_ON = """---- MODULE HandedOn ----
EXTENDS Naturals, FiniteSets
CONSTANTS Node, Colour
VARIABLES holders, sent, painted

Init ==
  /\\ \\E n \\in Node : holders = {n}
  /\\ sent = {}
  /\\ painted = [n \\in Node |-> Cardinality(Colour)]

Send(n, m) ==
  /\\ n \\in holders
  /\\ holders' = holders \\ {n}
  /\\ sent' = sent \\cup {<<n, m>>}
  /\\ UNCHANGED painted

Receive(n, m) ==
  /\\ <<n, m>> \\in sent
  /\\ sent' = sent \\ {<<n, m>>}
  /\\ holders' = holders \\cup {m}
  /\\ painted' = [painted EXCEPT ![m] = 0]

Next == \\E n, m \\in Node : Send(n, m) \\/ Receive(n, m)

Mutex == \\A n, m \\in holders : n = m
====
"""
CONFIG = """INIT Init
NEXT Next
CONSTANTS
  Node = {a, b, c, d}
  Colour = {red}
INVARIANT Mutex
"""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "HandedOn.tla").write_text(HANDED_ON)
    (tmp_path / "HandedOn.cfg").write_text(CONFIG)
    return tmp_path / "HandedOn.tla"


class Heard(Silent):
    """Keeps the facts."""

    def __init__(self) -> None:
        self.facts: list[str] = []

    def fact(self, text: str) -> None:
        self.facts.append(text)


def task_of(text: Path, nodes: int) -> Task:
    return Task(suite_of("HandedOn", text, constants={"Node": nodes}), {}, ("Mutex",))


def sizes(task: Task) -> dict[str, int]:
    known = scalarsets(task.model(ghosts=False).variables)
    return {name: size.at(task.parameters) for name, size in known.items()}


def test_a_text_is_translated_at_smaller_sets_the_smallest_first(text: Path) -> None:
    assert [sizes(one) for one in smaller_tasks(task_of(text, 4), EVER)] == [
        {"Node": 2},
        {"Node": 3},
    ]
    assert smaller_tasks(task_of(text, 2), EVER) == []
    assert smaller_tasks(task_of(text, 4), Deadline(0.0)) == []


def test_a_protocols_parameters_are_smaller_where_they_are_sizes_of_sets() -> None:
    task = Task(Suite.of(Commit, "Commit"), {"nodes": 4}, ("Agreement",))
    assert [one.parameters for one in smaller_tasks(task, EVER)] == [{"nodes": 2}, {"nodes": 3}]


def test_what_is_said_at_one_size_is_the_very_term_of_another(text: Path) -> None:
    small, large = task_of(text, 2), task_of(text, 4)
    (said,) = small.stated(small.model(False))
    (meant,) = large.stated(large.model(False))
    found = Resizing(large.model(False).variables).property(said)
    assert found.body is meant.body
    assert found.arguments == meant.arguments
    assert said.body is not meant.body


def test_every_sort_is_resized_to_itself_where_nothing_is_another_size() -> None:
    here = Resizing(SORTS)
    assert [here.sort(sort) for sort in SORTS.values()] == list(SORTS.values())


def test_what_speaks_of_another_variable_is_no_lemma_here(text: Path) -> None:
    small, other = task_of(text, 2), Suite.of(Commit, "Commit").model(False)
    (said,) = small.stated(small.model(False))
    with pytest.raises(SortError, match="more than the sizes"):
        Resizing(other.variables).property(said)


def inferred(task: Task, states: int) -> tuple[Inferred, list[str]]:
    heard = Heard()
    return infer(task, InferenceOptions(states=states), heard), heard.facts


@pytest.mark.parametrize("kind", ["text", "protocol"])
def test_a_size_with_too_many_states_is_proved_by_lemmas_of_smaller_ones(
    kind: str, text: Path
) -> None:
    python = Task(Suite.of(Commit, "Commit"), {"nodes": 4}, ("Agreement",))
    task = task_of(text, 4) if kind == "text" else python
    found, facts = inferred(task, 40)
    assert not found.worlds[0].complete
    assert any("lemmas of smaller sizes hold at this one" in fact for fact in facts)
    assert found.closed
    assert found.clauses == ()
    (result,) = prove(furnished(task, found))
    assert result.verdict is Verdict.PROVED
    assert result.certificate is not None
    assert judge(result.certificate, task.suite).claims == task.properties
    again, _ = inferred(task, 40)
    assert [show(one.body) for one in again.lemmas] == [show(one.body) for one in found.lemmas]
    assert again.asked == found.asked


def test_nothing_is_asked_at_smaller_sizes_where_all_states_are_known(text: Path) -> None:
    found, facts = inferred(task_of(text, 3), 1_000_000)
    assert found.worlds[0].complete
    assert found.closed
    assert not any("smaller" in fact for fact in facts)


def test_no_larger_size_is_begun_when_the_time_is_over() -> None:
    """Only to build their systems took half a minute of an inference that was given a second."""
    system = TransitionSystem(Suite.of(Commit, "Commit").model(False), {"nodes": 2})

    def sizes(seconds: float) -> int:
        return len(explored_worlds(system, 9, seconds, 0, SILENT, lambda _: None))

    assert sizes(1e-9) == 1
    assert sizes(30.0) == 2
