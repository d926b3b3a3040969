"""From Python the answers are those of the command line, with their evidence."""

import subprocess
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from bmc.encodings.kafka import Kafka

import bmc
from bmc import Answered, Task, check, explore, find, prove
from bmc.cli.shared.request import NothingAsked, Request
from bmc.cli.shared.user_file import UserModelError
from bmc.cli.shared.widening import roomy, roomy_request
from bmc.engines.engine import UnknownEngine
from bmc.engines.task import OptionError
from bmc.evidence.verdict import Verdict
from bmc.frontends.tla import samples
from bmc.lang import Expr, Parameter, State, invariant
from bmc.lang.errors import BmcError, ParameterError, TextUnknown, UnknownName
from tests.api.texts import ENDLESS, GROWS, MUTEX
from tests.engines import machines


def test_a_proof_by_name_has_a_certificate() -> None:
    answered = prove("id-sequence", "TypeOk", engine="kinduction", max_id=3)
    assert answered.proved
    assert answered["TypeOk"].certificate is not None
    assert answered.parameters == {"max_id": 3}


def test_a_class_is_a_protocol() -> None:
    answered = prove(machines.Pair, "OtherBelowLimit", limit=5)
    assert answered.proved
    assert not answered.violated


def test_what_is_false_has_its_trace() -> None:
    for answered in (
        prove(machines.DeadEnd, "NeverAtTheEnd"),
        check(machines.DeadEnd, "NeverAtTheEnd", depth=3),
        explore(machines.DeadEnd, "NeverAtTheEnd"),
    ):
        assert answered.violated
        assert not answered.proved
        trace = answered["NeverAtTheEnd"].trace
        assert trace is not None
        assert len(trace) == 3


def test_what_an_answer_holds_has_a_public_type() -> None:
    false = check(machines.DeadEnd, "NeverAtTheEnd", depth=3)["NeverAtTheEnd"]
    assert isinstance(false, bmc.Result)
    assert isinstance(false.trace, bmc.Trace)
    assert false.verdict is bmc.Verdict.VIOLATED
    assert {name: getattr(bmc, name).__name__ for name in bmc.__all__} == {
        name: name for name in bmc.__all__
    }
    with pytest.raises(bmc.BmcError, match="did you mean kafka"):
        check("kafkas")


def test_a_search_that_finds_nothing_is_clean_and_no_proof() -> None:
    answered = check(machines.Ring, "NotSeven", depth=4)
    assert answered.clean
    assert not answered.proved


def test_a_limit_is_no_answer() -> None:
    answered = prove("kafka", "StrongIsr", engine="ic3", lemmas=False, timeout=0.2)
    assert answered["StrongIsr"].verdict is Verdict.UNKNOWN
    assert not answered.proved


def test_it_is_shown_as_the_command_line_shows_it() -> None:
    answered = prove("id-sequence", "TypeOk", engine="kinduction")
    assert "TypeOk  proved  for every depth, by k-induction" in str(answered)
    assert answered._repr_html_().startswith("<pre>")
    assert "<script>" not in answered._repr_html_()


def test_bad_usage_is_an_exception_that_says_what_to_do() -> None:
    with pytest.raises(UnknownName, match="did you mean"):
        prove("kafkaa")
    with pytest.raises(ParameterError, match="no parameter 'replica'"):
        prove("kafka", replica=3)
    for engine in ("magic", 3, None):
        with pytest.raises(UnknownEngine, match="there is no engine"):
            prove("kafka", engine=engine)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="was not asked"):
        _ = explore(machines.Ring)["Other"]


def test_answers_are_gone_through_as_their_results() -> None:
    """Python asked for a property that is called 0, which was a TypeError."""
    answered = explore("id-sequence", max_id=2)
    assert tuple(answered) == answered.results


@pytest.mark.parametrize("ask", [prove, check, explore])
def test_a_class_at_values_is_a_protocol_at_parameters(ask: Callable[..., Answered]) -> None:
    answered = ask(machines.Pair(limit=5), "OtherBelowLimit")
    assert answered.parameters == {"limit": 5}
    assert ask(machines.Pair(), "OtherBelowLimit").parameters == {"limit": 4}
    assert repr(machines.Pair(limit=5)) == "Pair(limit=5)"
    with pytest.raises(ParameterError, match=r"leave it out of Pair\(…\)"):
        ask(machines.Pair(limit=5), "OtherBelowLimit", limit=5)
    with pytest.raises(ParameterError, match="no parameter 'limits'"):
        machines.Pair(limits=5)
    with pytest.raises(ParameterError):
        machines.Pair(limit=-1)


def test_a_class_of_bmc_s_own_has_what_is_claimed_of_it() -> None:
    answered = prove(Kafka(replicas=2), "StrongIsr", k=10)
    assert answered.proved
    assert answered.suite.name == find("kafka").name == "kafka-kip320"


class Made(machines.Pair):
    """Is made in a way of its own, so nobody knows at which parameters."""

    def __init__(self, limit: int) -> None:
        pass


def test_values_that_nobody_kept_are_no_defaults() -> None:
    with pytest.raises(ParameterError, match="an __init__ of its own"):
        prove(Made(5), "OtherBelowLimit")


def test_values_of_a_class_are_no_options() -> None:
    """A parameter that is called as an option is meant where the class is given it."""
    answered = check(Bounded(limit=5, k=1, depth=2, timeout=3), depth=1)
    assert (answered.searched, answered.parameters["depth"]) == (1, 2)


def test_nothing_is_not_proved() -> None:
    suite = find("id-sequence")
    assert not Answered(suite, {}, ()).proved
    assert prove("id-sequence").proved


def test_a_task_is_a_question_as_a_whole() -> None:
    pair = find(machines.Pair)
    task = Task(pair, {"limit": 5}, ("OtherBelowLimit",), depth=2)
    assert prove(task).proved
    assert explore(task).proved
    searched = check(task)
    assert searched.clean
    assert (searched.searched, searched.parameters) == (2, {"limit": 5})
    asked = [result.property for result in explore(Task(pair, {}, ())).results]
    assert asked == [result.property for result in explore(machines.Pair).results] != []
    read_once: Any = iter(["NeverAtTheEnd"])
    assert prove(Task(find(machines.DeadEnd), {}, read_once)).violated
    for given in ({"limit": 4}, {"at": {"limit": 4}}, {"timeout": 4.0}):
        with pytest.raises(OptionError, match="given beside a task"):
            prove(task, **given)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="OtherBelowLimit is given beside a task"):
        explore(task, "OtherBelowLimit")


class Bounded(machines.Pair):
    """Parameters that are called like options of the three functions."""

    k = Parameter("k", 1, 0, 9, "how often")
    depth = Parameter("depth", 1, 0, 9, "how often")
    timeout = Parameter("timeout", 1, 0, 9, "how often")


@pytest.mark.parametrize(
    ("ask", "given"), [(prove, {"k": 3}), (check, {"depth": 3}), (explore, {"timeout": 3})]
)
def test_an_option_is_not_taken_for_a_parameter_of_its_name(
    ask: Callable[..., Answered], given: dict[str, int]
) -> None:
    with pytest.raises(ParameterError, match="at="):
        ask(Bounded, **given)
    answered = ask(Bounded, limit=5, at={"k": 1, "depth": 2, "timeout": 3})
    assert answered.parameters == {"limit": 5, "k": 1, "depth": 2, "timeout": 3}
    with pytest.raises(ParameterError, match="given twice"):
        ask(Bounded, limit=5, at={"limit": 5})


def test_a_specification_with_a_temporal_property_is_asked_by_its_suite(tmp_path: Path) -> None:
    (tmp_path / "Turn.cfg").write_text(
        "SPECIFICATION Spec\nINVARIANT Small\nPROPERTIES Returns Stays\n"
    )
    (tmp_path / "Turn.tla").write_text(
        "---- MODULE Turn ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
        "Next == x' = (x + 1) % 3\nSpec == Init /\\ [][Next]_x /\\ WF_x(Next)\nSmall == x < 3\n"
        "Returns == []<>(x = 0)\nStays == <>[](x = 0)\n====\n"
    )
    suite = find(str(tmp_path / "Turn.tla"))
    assert explore(suite).proved
    assert prove(suite, "Returns", engine="explicit").proved
    assert prove(suite, "Stays", engine="explicit").violated


def test_an_option_is_not_taken_for_a_constant_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "Up.cfg").write_text("CONSTANT k = 3\nSPECIFICATION Spec\nINVARIANT Small\n")
    (tmp_path / "Up.tla").write_text(
        "---- MODULE Up ----\nEXTENDS Naturals\nCONSTANT k\nVARIABLE x\nInit == x = 0\n"
        "Next == x < k /\\ x' = x + 1\nSpec == Init /\\ [][Next]_x\nSmall == x <= 3\n====\n"
    )
    with pytest.raises(ParameterError, match="at="):
        prove(str(tmp_path / "Up.tla"), k=5)
    assert prove(str(tmp_path / "Up.tla"), at={"k": 5}).violated
    assert prove(Task(find(str(tmp_path / "Up.tla"), k=5), {}, ("Small",))).violated
    assert prove(Task(find(str(tmp_path / "Up.tla")), {}, ("Small",))).proved
    for ask in (lambda: find(machines.Pair, limit=5), lambda: find(machines.Pair(limit=5))):
        with pytest.raises(ParameterError, match=r"as in Task\(find\(…\), {'limit': 5}"):
            ask()


def test_temporal_claims_are_decided_beside_others() -> None:
    answered = prove(f"{MUTEX}:TicketLine", "Enters", "Exclusion")
    assert [one.property for one in answered.results] == ["Exclusion", "Enters"]
    assert answered.proved
    assert "Enters  proved  under Weakly" in str(answered)


@pytest.mark.parametrize("engine", ["auto", "lasso"])
def test_a_violated_temporal_claim_has_its_lasso(engine: str) -> None:
    answered = prove(f"{MUTEX}:TestAndSet", "EntersWeakly", engine=engine)
    assert answered.violated
    found = answered["EntersWeakly"]
    assert found.trace is not None
    assert found.trace.steps[0].action is None
    assert "and so" in str(answered)
    with pytest.raises(UnknownEngine):
        prove(f"{MUTEX}:TestAndSet", "EntersWeakly", engine="kinduction")


def test_a_task_refuses_what_it_could_not_use() -> None:
    suite = find(machines.Pair)
    refused: list[tuple[dict[str, Any], str]] = [
        ({"lemma_groups": 5}, "the names of the groups of lemmas"),
        ({"lemma_groups": "order"}, "the names of the groups of lemmas"),
        ({"lemma_groups": (5,)}, "has no lemmas of group 5"),
        ({"explores": "at once"}, "explores is one of Explores.NEVER"),
        ({"explores": True}, "explores is one of Explores.NEVER"),
    ]
    for given, message in refused:
        with pytest.raises(OptionError, match=message):
            Task(suite, {}, (), **given)


def test_a_search_refuses_temporal_claims() -> None:
    with pytest.raises(UnknownName, match="claim about whole behaviours"):
        Task(find(f"{MUTEX}:TestAndSet"), {}, ("EntersWeakly",))
    with pytest.raises(NothingAsked, match="claim about whole behaviours"):
        check(f"{MUTEX}:TestAndSet", "EntersWeakly")


def test_guessed_bounds_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "_NEAR", 3)
    monkeypatch.setattr(samples, "_WALKS", 0)
    (tmp_path / "Up.cfg").write_text("INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Low")
    (tmp_path / "Up.tla").write_text(
        "---- MODULE Up ----\nEXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\n"
        "Next == /\\ x + y < 9\n        /\\ (x' = x + 1 /\\ y' = y) \\/ (y' = y + 1 /\\ x' = x)\n"
        "Low == x + y <= 9\n====\n"
    )
    for ask in (explore, prove):
        assert ask(str(tmp_path / "Up.tla")).proved
    with pytest.raises(BmcError, match=r"Spec\.tla@Other\.cfg"):
        explore(str(tmp_path / "Up.tla"), config="Other.cfg")  # type: ignore[arg-type]


def test_guessed_bounds_grow_before_a_temporal_claim_is_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "_NEAR", 5)
    monkeypatch.setattr(samples, "_WALKS", 0)
    (tmp_path / "Grows.tla").write_text(GROWS)
    config = "SPECIFICATION Spec CHECK_DEADLOCK FALSE CONSTANT Side = 3 PROPERTY Ends"
    (tmp_path / "Grows.cfg").write_text(config)
    assert prove(str(tmp_path / "Grows.tla"), "Ends", engine="explicit").proved
    request = Request.of(str(tmp_path / "Grows.tla"), [])
    wider = roomy_request(request, None)
    assert wider.suite is not request.suite
    assert wider.spent > request.spent
    assert roomy(request.suite, {}, 0.0) is request.suite, "no time is left to look at states"


@pytest.mark.parametrize("ask", [prove, check, explore])
def test_a_limit_of_time_counts_what_reading_a_text_takes(
    tmp_path: Path, ask: Callable[..., Answered]
) -> None:
    (tmp_path / "Endless.tla").write_text(ENDLESS)
    (tmp_path / "Endless.cfg").write_text("INIT Init NEXT Next INVARIANT Ok")
    with pytest.raises(BmcError, match=r"Endless\.tla means is unknown: the time limit"):
        ask(str(tmp_path / "Endless.tla"), timeout=1.0)


def test_of_a_specification_claims_that_are_named_are_judged_beside_one_that_cannot_be(
    tmp_path: Path,
) -> None:
    (tmp_path / "Up.tla").write_text(
        "---- MODULE Up ----\nEXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\n"
        "Next == x' = 1 - x\nSmall == x < 2\nRandom == x = RandomElement({0, 1})\n====\n"
    )
    (tmp_path / "Up.cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Small Random\n")
    for ask in (prove, check, explore):
        answer = ask(str(tmp_path / "Up.tla"), "Small")
        assert not answer.violated
        assert [result.property for result in answer.results] == ["Small"]
        assert "Random is NOT checked" in str(answer)
        with pytest.raises(BmcError, match=r"Random of .* is NOT checked"):
            ask(str(tmp_path / "Up.tla"), "Small", "Random")
        # Without names it is all claims, and an answer would be silent about one of them.
        with pytest.raises(BmcError, match="RandomElement"):
            ask(str(tmp_path / "Up.tla"))


def test_a_text_that_changes_is_refused() -> None:
    read: list[None] = []

    class Counting(machines.Pair):
        @invariant("below how often it was read")
        def Below(self, s: State) -> Expr:
            read.append(None)
            return s.one < len(read)

    with pytest.raises(UserModelError, match="says something else each time it is read"):
        prove(Counting)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 2", "LIMIT = 3"),
        ("T', 0, 3", "T', 0, 9"),
        ("one_of(Go, Turn)", "one_of(Turn, Go)"),
        ("# more", "@invariant('more')\n    def More(self, s): return s.x < 1"),
    ],
)
def test_a_module_whose_file_has_changed_is_refused(tmp_path: Path, old: str, new: str) -> None:
    """Also where all that it says of states stands as it was."""
    path = tmp_path / "changes_later.py"
    text = (
        "from bmc.lang import *\nLIMIT = 2\nclass P(Protocol):\n    T = Integer('T', 0, 3)\n"
        "    x = Variable(T)\n    @action()\n    def Init(self, s): s.x = 0\n    @action()\n"
        "    def Go(self, s): s.x = LIMIT\n    @action()\n    def Turn(self, s): s.x = 1\n"
        "    Next = one_of(Go, Turn)\n    @invariant('low')\n    def Low(self, s): return s.x < 3\n"
        "    # more\nexec('class Q(P): pass')\n"
    )
    path.write_text(text)
    spec = spec_from_file_location("changes_later", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "changes_later", module)
        spec.loader.exec_module(module)
        assert explore(module.P).proved
        assert explore(module.Q).proved
        path.write_text(text.replace(old, new))
        with pytest.raises(TextUnknown, match=r"changes_later\.py: has changed since P was loaded"):
            explore(module.P)
        path.write_text(text)
        assert explore(module.P).proved


@pytest.mark.parametrize("timeout", [0.0, -1.0, float("nan"), float("inf"), 1e300, 10**400])
def test_a_limit_of_time_is_one_that_can_be_waited_for(timeout: float) -> None:
    with pytest.raises(OptionError, match="timeout must be positive"):
        check(machines.Ring, timeout=timeout)


def test_importing_bmc_loads_no_solver() -> None:
    said = subprocess.run(
        [sys.executable, "-c", "import sys, bmc; print('z3' in sys.modules, len(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert said[0] == "False"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"depth": 1.5}, "the depth must be a whole number, you gave 1.5"),
        ({"depth": True}, "the depth must be a whole number, you gave True"),
        ({"depth": -1}, "the depth must be 0 or more, you gave -1"),
        ({"depth": "3"}, "the depth must be a whole number, you gave '3'"),
        ({"depth": None}, "the depth must be a whole number, you gave None"),
        ({"timeout": "3"}, "the timeout must be a number of seconds, you gave '3'"),
        ({"memory": 10.5}, "the memory limit must be a whole number, you gave 10.5"),
        ({"depth": -(10**5000)}, "you gave a number of more than 1000 digits"),
        ({"memory": 10**5000}, "you gave a number of more than 1000 digits"),
    ],
)
def test_what_is_no_number_of_steps_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        check(machines.DeadEnd, "NeverAtTheEnd", **given)


def test_a_word_is_neither_with_nor_without_lemmas() -> None:
    with pytest.raises(OptionError, match="lemmas is True or False, you gave 'no'"):
        prove(machines.DeadEnd, "NeverAtTheEnd", lemmas="no")  # type: ignore[arg-type]


@pytest.mark.parametrize("ask", [prove, check, explore])
@pytest.mark.parametrize("at", [None, [("limit", 5)], "limit", 5])
def test_values_stand_under_names(ask: Any, at: object) -> None:
    """What Python makes of others is an error of its own, which tells nobody what to write."""
    task = Task(find(machines.Pair), {}, ())
    for asked in (machines.Pair, task):
        with pytest.raises(OptionError, match="at= has values under names, as in"):
            ask(asked, at=at)


@pytest.mark.parametrize(
    ("suite", "parameters", "properties", "message"),
    [
        (machines.Pair, {}, (), "a task has a suite, as find"),
        ("id-sequence", {}, (), "a task has a suite, as find.*, not 'id-sequence'"),
        (find(machines.Pair), None, (), "the parameters of a task are values under names"),
        (find(machines.Pair), {}, None, "a task has the names of its properties"),
        (find(machines.Pair), {}, "Safe", "a task has the names of its properties"),
    ],
)
def test_what_a_task_cannot_hold_is_refused(
    suite: Any, parameters: Any, properties: Any, message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        Task(suite, parameters, properties)


@pytest.mark.parametrize("ask", [prove, check, explore])
def test_a_list_of_names_is_no_name(ask: Any) -> None:
    with pytest.raises(UnknownName, match=r"a property is named by a text.*: write .*\*names"):
        ask(machines.DeadEnd, ["NeverAtTheEnd"])
    with pytest.raises(UnknownName, match="a property is named by a text"):
        Task(find(machines.DeadEnd), {}, (["NeverAtTheEnd"],))  # type: ignore[arg-type]


def test_a_claim_is_not_told_by_its_address() -> None:
    claim: Any = machines.DeadEnd.NeverAtTheEnd
    with pytest.raises(UnknownName, match="you gave NeverAtTheEnd: write the names in quotes"):
        prove(machines.DeadEnd, claim)
    with pytest.raises(UserModelError, match=r"^NeverAtTheEnd is neither a protocol"):
        prove(claim)
