"""The judge of proofs at all parameter values accepts what was proven and nothing else."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest

from bmc.engines.allparams.prove import ParametricTask, prove_for_all
from bmc.engines.task import SILENT
from bmc.evidence.certificate import CertificateError
from bmc.evidence.parametric_certificate import ParametricCertificate
from bmc.evidence.parametric_certify import certify_parametric
from bmc.evidence.verdict import Verdict
from bmc.lang import (
    Expr,
    Integer,
    MapSort,
    Parameter,
    Protocol,
    Scalarset,
    State,
    Step,
    Suite,
    Term,
    Variable,
    action,
    invariant,
    lemma,
    mapping,
    one_of,
)
from bmc.lang.historic import beside_ghosts
from bmc.lang.ready import with_lemmas
from bmc.lang.written import read_lemma
from bmc.lang.written_ghosts import read_ghosts
from bmc.readings.quantified.structures import NotQuantified
from bmc.system.parametric import INITIAL, Name, ParametricSystem


class Chase(Protocol):
    """Runners that follow a leader, each at its own pace."""

    runners = Parameter("runners", 2, 1, 4, "runners")
    length = Parameter("length", 3, 1, 9, "the last place")
    Runner = Scalarset("Runner", runners)
    Place = Integer("Place", 0, length)
    leader = Variable(Place)
    at = Variable(MapSort(Runner, Place))

    @action()
    def Init(self, s: Step) -> None:
        s.leader = 0
        s.at = mapping(self.Runner, lambda runner: 0, self.Place)

    @action()
    def Lead(self, s: Step) -> None:
        s.require(s.leader < self.length)
        s.leader = s.leader + 1

    @action(runner=Runner, other=Runner)
    def Follow(self, s: Step, runner: Expr, other: Expr) -> None:
        s.require(s.at[runner] < s.at[other])
        s.at[runner] = s.at[other]

    @action(runner=Runner)
    def Run(self, s: Step, runner: Expr) -> None:
        s.require(s.at[runner] < s.leader)
        s.at[runner] = s.at[runner] + 1

    Next = one_of(Lead, Follow, Run)

    @lemma("nobody is ahead", group="a", runner=Runner)
    def behind(self, s: State, runner: Expr) -> Term:
        return s.at[runner] <= s.leader

    @invariant("nobody leaves the course", runner=Runner)
    def OnCourse(self, s: State, runner: Expr) -> Term:
        return (s.at[runner] <= s.leader) & (s.leader <= self.length)

    @invariant("the leader stays: false")
    def Standing(self, s: State) -> Term:
        return s.leader == 0


class Unguarded(Chase):
    """Runners may overtake the leader."""

    @action(runner=Chase.Runner)
    def Run(self, s: Step, runner: Expr) -> None:
        s.require(s.at[runner] < self.length)
        s.at[runner] = s.at[runner] + 1

    Next = one_of(Chase.Lead, Chase.Follow, Run)


CHASE = Suite.of(Chase, "chase")
Document = dict[str, Any]


@lru_cache
def proven() -> Document:
    task = ParametricTask(CHASE, ("OnCourse",), goal_seconds=10.0, processes=1)
    certificate = prove_for_all(task, SILENT).certificate
    assert certificate is not None
    return certificate.to_json()


def judge(document: Document, suite: Suite = CHASE) -> None:
    certify_parametric(ParametricCertificate.from_json(document), suite)


def test_a_proof_is_accepted() -> None:
    judge(proven())


def test_the_dependencies_are_those_of_the_cores() -> None:
    assert ParametricCertificate.from_json(proven()).supports("OnCourse") == {"behind"}


def _condition(document: Document, goal: str, action_name: str) -> Document:
    found: Document = next(
        c for c in document["conditions"] if c["goal"] == goal and c["action"] == action_name
    )
    return found


def _drop_condition(document: Document) -> None:
    document["conditions"].remove(_condition(document, "behind", "Run"))


def _drop_initiation(document: Document) -> None:
    document["conditions"].remove(_condition(document, "behind", "!Init"))


def _drop_bounds(document: Document) -> None:
    document["conditions"].remove(_condition(document, "WithinBounds", "Run"))


def _drop_goal(document: Document) -> None:
    _condition(document, "behind", "Run")["refutations"].pop()


def _drop_instances(document: Document) -> None:
    for refutation in _condition(document, "behind", "Run")["refutations"]:
        del refutation[1:]


def _other_term(document: Document) -> None:
    for refutation in _condition(document, "behind", "Follow")["refutations"]:
        for instance in refutation:
            if instance[0].startswith("behind#"):
                instance[1] = "!arg.runner"


def _unknown_term(document: Document) -> None:
    for refutation in _condition(document, "behind", "Follow")["refutations"]:
        for instance in refutation:
            if instance[0].startswith("behind#"):
                instance[1] = "nobody"


def _wrong_sort(document: Document) -> None:
    for refutation in _condition(document, "behind", "Follow")["refutations"]:
        for instance in refutation:
            if instance[0].startswith("behind#"):
                instance[1] = "7"


def _lemma_initially(document: Document) -> None:
    _condition(document, "behind", "!Init")["refutations"] = [[["behind#1", "!goal!runner1"]]]


def _foreign_formula(document: Document) -> None:
    _condition(document, "behind", "Run")["refutations"][0].append(["Standing#1"])


def _no_invariant(document: Document) -> None:
    document["invariants"] = []


def _another_claim(document: Document) -> None:
    document["claims"][0]["name"] = "Standing"


def _other_text(document: Document) -> None:
    document["claims"][0]["digest"] = "0" * 64


def _nothing(document: Document) -> None:
    document["claims"] = []


def _same_solver(document: Document) -> None:
    document["found_by"] = "cvc5 1.0"


def _lower_least_values(document: Document) -> None:
    document["parameters_from"]["length"] = -5


def _no_least_values(document: Document) -> None:
    document["parameters_from"] = {}


@pytest.mark.parametrize(
    "tamper",
    [
        _lower_least_values,
        _no_least_values,
        _drop_condition,
        _drop_initiation,
        _drop_bounds,
        _drop_goal,
        _drop_instances,
        _other_term,
        _unknown_term,
        _wrong_sort,
        _lemma_initially,
        _foreign_formula,
        _no_invariant,
        _another_claim,
        _other_text,
        _nothing,
        _same_solver,
    ],
)
def test_a_changed_certificate_is_rejected(tamper: Callable[[Document], None]) -> None:
    document = copy.deepcopy(proven())
    tamper(document)
    with pytest.raises(CertificateError):
        judge(document)


def test_a_certificate_of_another_protocol_is_rejected() -> None:
    document = copy.deepcopy(proven())
    with pytest.raises(CertificateError, match="another model"):
        judge(document, Suite.of(Unguarded, "chase"))


def test_a_false_claim_has_no_certificate_even_when_it_is_forged() -> None:
    """The forger has the fingerprint of the wrong protocol right, and still no refutation."""
    from bmc.evidence.parametric_certificate import parametric_fingerprint

    wrong = Suite.of(Unguarded, "chase")
    document = copy.deepcopy(proven())
    document["fingerprint"] = parametric_fingerprint(wrong.model(True))
    with pytest.raises(CertificateError, match="behind after Run"):
        judge(document, wrong)


def test_a_ghost_whose_key_has_no_parts_is_told_from_what_it_holds() -> None:
    """Both were one symbol: a map that is there and holds nothing contradicted itself."""
    nothing: Any = ["record", "Nothing", []]
    inner: Any = ["option", "Bool"]
    held: Any = ["map", nothing, inner]
    key = ["bound_variable", nothing, [0, "e"]]
    holding_none = ["lambda", held, None, key, ["none", inner, None]]
    sort: Any = ["option", held]
    ghost = {"name": "ever", "sort": sort, "about": "", "after": {}}
    history = read_ghosts([{**ghost, "initially": ["some", sort, None, holding_none]}], {})
    beside = beside_ghosts(CHASE, history)
    there = ["variable", sort, ["ever", False]]
    found = ["select", inner, None, ["the", held, None, there], ["record", nothing, None]]
    bodies = {
        "it_is_there": ["not", "Bool", None, ["is_none", "Bool", None, there]],
        "it_holds_nothing": ["is_none", "Bool", None, found],
    }
    written = [{"name": n, "text": "", "arguments": [], "body": b} for n, b in bodies.items()]
    lemmas = [read_lemma(one, beside.model(ghosts=True).variables) for one in written]
    task = ParametricTask(with_lemmas(beside, lemmas), ("Standing",), processes=1)
    (result,) = prove_for_all(task, SILENT).results
    assert result.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("names", [["other"], ["other", "runners"]])
def test_a_ghost_of_a_size_that_is_no_parameter_is_refused(names: list[str]) -> None:
    """A product with it ended the judge with an error of Python's own."""
    sort: Any = ["int", "Far", [0, []], [0, [[names, 1]]]]
    ghost: Any = {"name": "far", "sort": sort, "about": "", "after": {}}
    ghost["initially"] = ["int", sort, 0]
    beside = beside_ghosts(CHASE, read_ghosts([ghost], {}))
    with pytest.raises(NotQuantified, match="there is no parameter 'other'"):
        ParametricSystem(beside.model(ghosts=True), (), ()).build(Name("WithinBounds", INITIAL))
