"""A step is taken where its text has one, to the same states; where TLC has an error there is none.

The claims of `undefined_operands` as parts of actions: guards, conditions, next values, choices.
The translation's steps are taken in two states, before and after an operand has lost its value, and
compared with those that the evaluator of the text takes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.frontends.tla import core as c
from bmc.frontends.tla.abstract.reachable import Reachable
from bmc.frontends.tla.errors import TlaError
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.errors import EvaluationError
from bmc.frontends.tla.oracle.machine import Machine, State
from bmc.frontends.tla.stepping import Steps
from bmc.frontends.tla.translate.constants import Constants
from bmc.frontends.tla.translate.expressions import Expressions
from bmc.frontends.tla.translate.model import _Translator
from bmc.frontends.tla.translate.one_point import one_point
from bmc.frontends.tla.translated_model import TranslatedModel
from bmc.lang.errors import BoundTooSmall
from bmc.lang.model import Action, Source
from bmc.lang.state import Branch
from tests.frontends.tla.models import explored, translated
from tests.frontends.tla.symmetric_operands import SYMMETRIC
from tests.frontends.tla.undefined_operands import PLAIN, Claimed

OTHERS = PLAIN.others
SAME = f"b' = b /\\ UNCHANGED {OTHERS}"
FORMS = {
    "guard": f"(@) /\\ {SAME}",
    "negated": f"~(@) /\\ {SAME}",
    "next value": f"b' = (@) /\\ UNCHANGED {OTHERS}",
    "next value, then a guard that is false": f"b' = (@) /\\ n > 1 /\\ UNCHANGED {OTHERS}",
    "condition": f"(IF @ THEN b' = b ELSE b' = ~b) /\\ UNCHANGED {OTHERS}",
    "primed": f"{SAME} /\\ (@)'",
    "argument": f"Given(@) /\\ UNCHANGED {OTHERS}",
    "disjunct": f"((@) \\/ b' = b) /\\ {SAME}",
    "premise": f"((@) => b' = b) /\\ {SAME}",
    "arm": f"(CASE @ -> b' = b [] OTHER -> b' = ~b) /\\ UNCHANGED {OTHERS}",
    "chosen": f"(\\E x \\in {{u \\in 1..2 : @}} : x = 1) /\\ {SAME}",
    "one of a set": f"b' \\in {{u \\in BOOLEAN : @}} /\\ UNCHANGED {OTHERS}",
    "choice of a step": f"\\E x \\in {{u \\in 1..2 : @}} : {SAME}",
    "assigned twice": f"{SAME} /\\ b' = (@)",
    "enabled": f"(ENABLED ((@) /\\ {SAME})) /\\ {SAME}",
    "enabled before another way": f"(ENABLED (((@) /\\ FALSE /\\ {SAME}) \\/ ({SAME}))) /\\ {SAME}",
    "determined": f"\\E x \\in 0..1 : x = (IF @ THEN 0 ELSE 1) /\\ {SAME}",
    "asked before it is determined": f"\\E x \\in 0..1 : (x = n \\/ (@)) /\\ x = n /\\ {SAME}",
    "behind an empty set": f"\\E x \\in {{}}, y \\in {{@}} : {SAME}",
    "each, behind an empty set": f"(\\A x \\in {{}}, y \\in {{@}} : b' = b) /\\ {SAME}",
}


def differences(
    folder: Path, form: str, start: int, step: int, claimed: Claimed = PLAIN
) -> Counter[str]:
    """Return how often the steps of an action differ from those of its text, and how."""
    asked = [claim for _, claim in claimed.claims()][start::step]
    text = claimed.text.replace("Next ==", "First ==")
    text += "Given(z) == IF z THEN b' = b ELSE b' = ~b\n"
    formed = FORMS[form].replace(OTHERS, claimed.others)
    text += "".join(f"A{i} == {formed.replace('@', one)}\n" for i, one in enumerate(asked))
    text += "Next == First" + "".join(f" \\/ A{i}" for i in range(len(asked)))
    (folder / "M.tla").write_text(f"---- MODULE M ----\n{text}\n====\n")
    (folder / "M.cfg").write_text(claimed.config)
    whole = load(folder / "M.tla")
    assert isinstance(whole.next, c.Call)
    disjuncts = whole.next.definition.body
    assert isinstance(disjuncts, c.Builtin)
    first, *rest = disjuncts.arguments
    specification = replace(whole, next=first)
    machine = Machine(specification)
    before = machine.initial_states()
    after = [state for one in before for state in machine.successors(one)]
    constants = Constants(specification)
    shapes = Reachable(specification, constants, None).shapes()
    translator = _Translator(specification, constants, shapes, {}, None)
    model = TranslatedModel(translator.translation())
    found: Counter[str] = Counter()
    for node in rest:
        stepping = Machine(replace(specification, next=node))
        try:
            taken = list(translator.actions.branches(node))
        except TlaError:
            found["refused"] += 1
            continue
        determined = [one_point(one, translator.expressions.is_partial) for one in taken]
        actions = [
            Action("A", one.arguments, (Branch(one.guards, one.updates),), Source("", 0))
            for one in determined
        ]
        for state in (*before, *after):
            text_steps = outcome(partial(stepping.successors, state))
            steps = outcome(partial(_taken, model, actions, state))
            if text_steps == steps:
                found["without a value" if steps is None else "the same"] += 1
            elif text_steps is None:
                found["taken without a value"] += 1
            else:
                found["lost" if steps is None else "other steps"] += 1
    return found


def _taken(model: TranslatedModel, actions: list[Action], state: State) -> list[State]:
    held = model._encoded(state)
    steps = [Steps(action, model._compiler) for action in actions]
    return [model._told(after) for one in steps for after in one.after(held)]


def outcome(steps: Callable[[], list[State]]) -> set[State] | None:
    try:
        return set(steps())
    except (EvaluationError, BoundTooSmall):
        return None


EVERY = [92, pytest.param(23, marks=pytest.mark.nightly)]
"""Of the claims one in so many is asked in each form."""


@pytest.mark.parametrize("step", EVERY)
@pytest.mark.parametrize(("start", "form"), list(enumerate(FORMS)))
def test_steps_are_those_of_the_text(tmp_path: Path, start: int, form: str, step: int) -> None:
    found = differences(tmp_path, form, start, step)
    assert found["the same"] > 20 < found["without a value"]
    assert found["taken without a value"] == found["other steps"] == 0
    assert found["lost"] + found["refused"] <= 5


@pytest.mark.parametrize("step", EVERY)
@pytest.mark.parametrize(("start", "form"), list(enumerate(FORMS)))
def test_steps_of_symmetric_members_are_those_of_the_text(
    tmp_path: Path, start: int, form: str, step: int
) -> None:
    found = differences(tmp_path, form, start, step, SYMMETRIC)
    assert found["the same"] > 20 < found["without a value"]
    assert set(found) == {"the same", "without a value"}


@pytest.mark.parametrize("form", ["guard", "next value", "condition"])
def test_what_is_read_makes_the_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Without it, steps are taken where TLC has an error."""
    monkeypatch.setattr(Expressions, "may_lose", lambda *_: False)
    assert differences(tmp_path, form, 0, 46)["taken without a value"] > 20


SHORT = """
EXTENDS Integers, Sequences
VARIABLES x, q
Init == x = 0 /\\ q = <<1>>
Step == x < 2 /\\ x' = x + 1 /\\ q' = IF x = 1 THEN <<>> ELSE q
Rest == UNCHANGED <<x, q>>
Inv == x \\in 0..2
"""


@pytest.mark.parametrize(
    ("text", "config"),
    [
        ("Next == Step \\/ (Len(<<Head(q)>>) # 77 /\\ Rest)", "INIT Init NEXT Next"),
        ("Next == Step \\/ (Len(<<Head(q)>>) = 77 /\\ FALSE /\\ Rest)", "INIT Init NEXT Next"),
        ("Next == Step \\/ (x' = Len(<<Head(q)>>) - 1 /\\ q' = q)", "INIT Init NEXT Next"),
        ("Next == Step\nC == Len(<<Head(q)>>) # 77", "INIT Init NEXT Next CONSTRAINT C"),
        ("Next == Step\nC == Len(<<Head(q')>>) # 77", "INIT Init NEXT Next ACTION_CONSTRAINT C"),
    ],
)
def test_nothing_is_proved_where_a_step_cannot_be_evaluated(
    tmp_path: Path, text: str, config: str
) -> None:
    made = translated(tmp_path, SHORT + text, f"{config} CHECK_DEADLOCK FALSE INVARIANT Inv")
    assert explored(made).overflow is not None


NO_ARM = "CASE x > 7 -> x' = 3 [] x > 8 -> x' = 4"


@pytest.mark.parametrize(
    "action",
    [
        NO_ARM,
        f"x = 2 /\\ ({NO_ARM})",
        f"({NO_ARM}) /\\ FALSE",
        f"x' = 1 /\\ ({NO_ARM})",
        f"\\E n \\in 1..2 : n = x /\\ ({NO_ARM})",
        "\\E n \\in 0..2 : CASE x > n -> x' = 1 [] x < n -> x' = 2",
        f"x' = 1 /\\ ENABLED ({NO_ARM})",
        f"x' = 1 /\\ ~ENABLED ({NO_ARM})",
        f"x' = 1 /\\ (TRUE \\/ x = 9) /\\ (LET a == {NO_ARM} IN a)",
    ],
)
def test_nothing_is_proved_where_no_arm_of_an_action_s_case_holds(
    tmp_path: Path, action: str
) -> None:
    """There was no such step, where TLC has an error: CASE was taken apart into its arms alone."""
    require_no_answer(tmp_path, f"{SHORT}Next == Step \\/ (({action}) /\\ q' = q)")


def require_no_answer(folder: Path, text: str) -> None:
    made = translated(folder, text, "INIT Init NEXT Next CHECK_DEADLOCK FALSE")
    assert explored(made).overflow is not None


CHOSEN = """
EXTENDS Integers
VARIABLES x, n, s
f == [i \\in 1..2 |-> i]
Init == x = 0 /\\ n = 1 /\\ s = {1}
Step == x = 0 /\\ x' = 1 /\\ n' = 0 /\\ s' = {}
"""


@pytest.mark.parametrize(
    "action",
    [
        "f[n] > 0 /\\ x' \\in s",
        "f[n] > 7 /\\ x' \\in s",
        "f[n] # 7 /\\ \\E w \\in s : x' = w",
        "1 \\div n > 0 /\\ \\E w, y \\in s : x' = w",
        "f[n] > 0 /\\ x' \\in s /\\ x' > 7",
        "f[n] > 0 /\\ x' \\in s \\cap {2}",
        "f[n] > 0 /\\ x' \\in {}",
        "f[n] > 0 /\\ \\E w \\in {} : x' = w",
        "\\E w \\in 0..1 : f[n + w] > 0 /\\ \\E y \\in s : x' = y",
        "(IF f[n] > 0 THEN TRUE ELSE TRUE) /\\ x' \\in s",
        "x' = 1 /\\ ~ENABLED (f[n] > 0 /\\ x' \\in s)",
    ],
)
def test_nothing_is_proved_where_what_stands_before_a_choice_has_no_value(
    tmp_path: Path, action: str
) -> None:
    """Where the set is empty nobody read it: there was no choice to read it under."""
    require_no_answer(tmp_path, f"{CHOSEN}Next == Step \\/ (({action}) /\\ UNCHANGED <<n, s>>)")


@pytest.mark.parametrize(
    "action",
    [
        "\\E w \\in s : x' = f[n] /\\ w > 0",
        "n > 0 /\\ f[n] > 0 /\\ x' \\in s",
        "x' \\in s /\\ f[n] > 0",
    ],
)
def test_what_stands_behind_a_choice_from_nothing_is_not_read(tmp_path: Path, action: str) -> None:
    text = f"{CHOSEN}Next == Step \\/ (({action}) /\\ UNCHANGED <<n, s>>)"
    made = translated(tmp_path, text, "INIT Init NEXT Next CHECK_DEADLOCK FALSE")
    assert explored(made).complete


def test_enabled_reads_nothing_behind_a_way_that_can_be_taken(tmp_path: Path) -> None:
    enabled = "ENABLED ((Rest) \\/ (Len(<<Head(q)>>) = 1 /\\ FALSE /\\ Rest))"
    text = f"{SHORT}Next == Step \\/ ({enabled} /\\ Rest)"
    made = translated(tmp_path, text, "INIT Init NEXT Next CHECK_DEADLOCK FALSE")
    assert explored(made).complete


def test_a_case_whose_arms_are_all_there_are_has_a_value(tmp_path: Path) -> None:
    text = f"{SHORT}Next == CASE x < 2 -> Step [] x = 2 -> Rest"
    made = translated(tmp_path, text, "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Inv")
    assert explored(made).complete


def test_nothing_is_proved_where_an_initial_state_cannot_be_evaluated(tmp_path: Path) -> None:
    text = (
        f"{SHORT}Next == Step\nStart == x = 0 /\\ q \\in {{<<>>, <<1>>}} /\\ Len(<<Head(q)>>) = 1"
    )
    config = "INIT Start NEXT Next CHECK_DEADLOCK FALSE INVARIANT Inv"
    with pytest.raises(BoundTooSmall):
        explored(translated(tmp_path, text, config))


@pytest.mark.parametrize(
    "claim",
    ["<>[](Len(<<Head(q)>>) # 77)", "[]<>(Len(<<Head(q)>>) # 77)", "(x = 2) ~> (<<Head(q)>> # 77)"],
)
def test_a_temporal_claim_without_a_value_is_not_proved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], claim: str
) -> None:
    text = f"{SHORT}Spec == Init /\\ [][Step]_<<x, q>> /\\ WF_<<x, q>>(Step)\nLive == {claim}"
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{text}\n====\n")
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec CHECK_DEADLOCK FALSE PROPERTY Live")
    run(["prove", str(tmp_path / "M.tla"), "-P", "Live", "--json"])
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert found["verdict"] == "unknown"


@pytest.mark.parametrize(
    "condition",
    ["x = 0 \\/ 1 \\div x = 1", "\\A q \\in {1, 2} : x = 0 \\/ 1 \\div x = q \\/ q = 2"],
)
def test_of_a_condition_on_a_whole_initial_state_the_first_part_decides(
    tmp_path: Path, condition: str
) -> None:
    """As in TLC; the text was refused, since the other part was read as one more way to begin."""
    text = f"""
EXTENDS Integers
VARIABLES x, z
Init == x \\in {{0, 1}} /\\ z = 0 /\\ ({condition})
Next == UNCHANGED <<x, z>>
P == x < 9
"""
    config = "INIT Init NEXT Next INVARIANT P CHECK_DEADLOCK FALSE"
    assert explored(translated(tmp_path, text, config)).distinct_states == 2
    assert len(Machine(load(tmp_path / "M.tla")).initial_states()) == 2
