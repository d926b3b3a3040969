"""What is mined is true, says something, is inductive, and can be pasted and proven."""

from itertools import product

import numpy as np
import pytest
from bmc.properties.kafka import KAFKA_KIP279, KAFKA_KIP320

import bmc.lang
from bmc.analysis.cti import Reach, study
from bmc.analysis.mining.blocking import hitting_sets
from bmc.analysis.mining.candidates import Candidate, never
from bmc.analysis.mining.literals import literals
from bmc.analysis.mining.mine import Mined, MiningOptions, mine
from bmc.analysis.mining.vocabulary import readings, signatures
from bmc.engines.conjuncts import conjunct, within_bounds
from bmc.engines.induction import Induction
from bmc.engines.kinduction import prove
from bmc.engines.samples import Explored
from bmc.engines.task import SILENT, Deadline, OptionError, Task
from bmc.lang.show import show
from bmc.lang.terms import Handle, term_of
from bmc.readings.value import Interpreter
from bmc.reports.proofs.lemma_text import LemmaText
from bmc.system.transition import TransitionSystem
from tests.engines import machines

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("mining")

SMALL = {"replicas": 2, "max_leader_epoch": 1, "log_size": 1, "max_records": 1}


def mined(arguments: int = 2) -> Mined:
    task = Task(KAFKA_KIP320, SMALL, ("TypeOk", "ElectedLeaderInIsr"))
    return mine(task, MiningOptions(arguments=arguments))


@pytest.fixture(scope="module")
def kafka() -> Mined:
    return mined()


def shown(found: tuple[Candidate, ...]) -> list[str]:
    return [show(one.body) for one in found]


def test_the_lemma_that_a_person_wrote_is_found() -> None:
    suite = machines.suite(machines.Pair)
    found = mine(Task(suite, {}, ("OtherBelowLimit",)), MiningOptions())
    assert found.proved == ("OtherBelowLimit", "WithinBounds")
    assert found.open == ()
    assert found.complete
    assert shown(found.needed) == ["one = other"]


def test_claims_of_kafka_are_inductive_with_what_is_found(kafka: Mined) -> None:
    assert set(kafka.proved) == {"TypeOk", "ElectedLeaderInIsr", "WithinBounds"}
    assert kafka.complete
    assert 0 < len(kafka.needed) < len(kafka.lemmas)


def test_what_is_found_is_inductive_for_an_engine_that_did_not_find_it(kafka: Mined) -> None:
    system = TransitionSystem(KAFKA_KIP320.model(False), SMALL)
    induction = Induction(system, "z3", SILENT, Deadline(None))
    found = [conjunct(system, c.stated(f"c{n}")) for n, c in enumerate(kafka.lemmas)]
    assert not induction.fails_initially(found)
    assert len(induction.strengthen([*found, within_bounds(system)], (), 1).survivors) == (
        len(found) + 1
    )


def test_what_is_found_holds_where_the_interpreter_walks_and_not_everywhere(kafka: Mined) -> None:
    system = TransitionSystem(KAFKA_KIP320.model(False), SMALL)
    interpreter = Interpreter(system.model, system.domains)
    states = list(interpreter.initial_states())
    for state in states:
        if len(states) > 60:
            break
        states += [step.state for step in interpreter.successors(state)]
    for one in kafka.lemmas:
        domains = [system.domains.values(a.sort) for a in one.arguments]
        for values in product(*domains):
            environment = dict(zip(one.arguments, values, strict=True))
            assert all(interpreter.evaluator.holds(one.body, s, environment) for s in states)
        goals = system.representatives(one.stated("it"))
        assert any(goal.holds is not system.circuit.true for goal in goals)


def test_none_follows_from_the_others(kafka: Mined) -> None:
    system = TransitionSystem(KAFKA_KIP320.model(False), SMALL)
    induction = Induction(system, "z3", SILENT, Deadline(None))
    made = [conjunct(system, c.stated(f"c{n}")) for n, c in enumerate(kafka.lemmas)]
    for one in made[::4]:
        rest = [other for other in made if other is not one]
        assert not induction.implied([one], rest)


def test_the_same_is_found_again(kafka: Mined) -> None:
    assert shown(mined().lemmas) == shown(kafka.lemmas)


@pytest.mark.parametrize("suite", [KAFKA_KIP320, machines.suite(machines.Tokens)])
def test_a_literals_text_is_the_very_term(suite: bmc.lang.Suite) -> None:
    model = suite.model(True)
    text = LemmaText(suite)
    words = {name: getattr(bmc.lang, name) for name in bmc.lang.__all__}
    for bound in signatures(model, 3):
        names = {str(v): Handle(v) for v in bound} | {"s": bmc.lang.State(model.variables)}
        for literal in literals(readings(model, bound, 4), 10_000):
            lemma = never([literal], bound)
            written = text.formula(lemma.body)
            known = {str(v): Handle(v) for v in lemma.arguments}
            homes = {c.__name__: c for c in suite.protocol.__mro__}
            within = dict(vars(suite.protocol)) | words | homes | names | known
            assert term_of(eval(written, within)) is lemma.body, written


class Group(bmc.lang.Protocol):
    """Names that are words of Python or of the language, or have quotes."""

    Member = bmc.lang.Scalarset("Member", 2)
    Kind = bmc.lang.EnumSort("Kind", ("it's", 'a"b', "back\\"))
    Mark = bmc.lang.Record("Mark", **{"from": Member}, **{"class": Kind})
    inside = bmc.lang.Variable(bmc.lang.SetSort(Member))
    marks = bmc.lang.Variable(bmc.lang.MapSort(Member, Mark))

    @bmc.lang.action(mark=Mark)
    def Init(self, s: bmc.lang.Step, mark: bmc.lang.Expr) -> None:
        s.inside = set()
        s.marks = bmc.lang.mapping(self.Member, lambda _: mark, self.Mark)

    @bmc.lang.action()
    def Stay(self, s: bmc.lang.Step) -> None:
        s.require(bmc.lang.TRUE)

    Next = bmc.lang.one_of(Stay)

    @bmc.lang.lemma("it's all here, twice, or \\", member=Member, other=Member)
    def named(
        self, s: bmc.lang.State, member: bmc.lang.Expr, other: bmc.lang.Expr
    ) -> bmc.lang.Term:
        kind = getattr(s.marks[member], "class")
        either = bmc.lang.disj(kind == "it's", kind == 'a"b', kind == "back\\")
        made = bmc.lang.record(self.Mark, **{"from": other, "class": kind})
        return bmc.lang.implies(
            bmc.lang.member(member, s.inside), either & (s.marks[other] == made)
        )


def test_what_is_pasted_reads_no_name_as_another_thing() -> None:
    suite = bmc.lang.Suite.of(Group, "group")
    model = suite.model(True)
    stated = suite.describe(suite.find("named"), model)
    text = LemmaText(suite)
    within = {**vars(bmc.lang), **vars(Group), "lemma": lambda said, **_: lambda method: method}
    exec("\n".join(text.lemma(stated)), within)
    given = [Handle(one) for one in stated.arguments]
    written = within["named"](Group, bmc.lang.State(model.variables), *given)
    assert term_of(written) is stated.body


def test_hitting_sets_are_all_hit_and_minimal() -> None:
    random = np.random.default_rng(3)
    for _ in range(30):
        truth = random.random((9, 40)) < 0.7
        for chosen in hitting_sets(truth, 4, 20):
            assert not truth[list(chosen)].all(axis=0).any()
            for fact in chosen:
                others = [other for other in chosen if other != fact]
                assert not others or truth[others].all(axis=0).any()


def test_a_state_like_a_reachable_one_is_excluded_by_nothing() -> None:
    truth = np.array([[True, False], [True, True], [True, False]])
    assert hitting_sets(truth, 3, 10) == []


def test_what_is_violated_is_not_mined_for() -> None:
    task = Task(machines.suite(machines.DeadEnd), {}, ("NeverAtTheEnd",))
    with pytest.raises(OptionError, match="NeverAtTheEnd is violated, so no lemma proves it"):
        mine(task, MiningOptions())


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [("states", 0, "1 state or more"), ("seconds", 0, "positive"), ("arguments", 5, "1 to 4")],
)
def test_options_that_cannot_be_used(option: str, value: int, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        MiningOptions(**{option: value})


def test_random_walks_go_on_where_breadth_ends_and_leave_the_reachable_nowhere() -> None:
    system = TransitionSystem(KAFKA_KIP279.model(False), {**SMALL, "max_leader_epoch": 2})
    every, some = Explored(system, 0), Explored(system, 1)
    every.explore(10**6, 30.0, SILENT)
    some.explore(50, 30.0, SILENT)
    assert every.complete
    assert not some.complete
    assert 50 < len(some) < len(every)
    for row in some.sample(40):
        assert system.decode(some.packing.numbers(row)) in every


def test_a_failed_induction_is_studied() -> None:
    suite = machines.suite(machines.Pair)
    task = Task(suite, {}, ("OtherBelowLimit",), depth=1, lemmas=False)
    (result,) = prove(task)
    assert result.induction_failure is not None
    found = study(task, result.induction_failure, result.lemmas, MiningOptions())
    assert found.reach is Reach.UNREACHABLE
    assert (found.preserved_by, found.broken_by) == (("Reset",), ("Advance",))
    best = found.blockers[0]
    assert show(best.candidate.body) == "one = other"
    assert best.inductive
    assert best.closes
