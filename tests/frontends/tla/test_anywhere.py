"""What is proved of a translation is asked of the text at states that nobody reaches, too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from bmc.frontends.tla.anywhere import unlike
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.samples import Samples
from bmc.frontends.tla.specification import Named, Specification
from bmc.frontends.tla.suite import suite_of
from bmc.frontends.tla.translate.model import Translation, translate
from bmc.frontends.tla.translate.properties import Properties
from bmc.frontends.tla.translated_model import TranslatedModel
from bmc.lang import build
from bmc.lang.properties import Kind, Property
from bmc.lang.state import Branch, state_variable
from tests.frontends.tla import test_claims_without_a_value as without_a_value

LATE = """---- MODULE Late ----
EXTENDS Integers, Sequences
VARIABLES x, q
Init == x = 0 /\\ q = <<1>>
Next == x < 800000 /\\ x' = x + 1 /\\ q' = IF x > 700000 THEN <<>> ELSE <<1>>
Read == Head(q) # 77
Short == Len(q) < 2
====
"""


@pytest.fixture
def late(tmp_path: Path) -> Path:
    text = tmp_path / "Late.tla"
    text.write_text(LATE)
    config = "INIT Init NEXT Next INVARIANTS Read Short CHECK_DEADLOCK FALSE"
    text.with_suffix(".cfg").write_text(config)
    return text


@pytest.fixture
def _a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """The translation of `Read` is TRUE, as one of which nobody reads the operand."""
    made = Properties.invariant

    def wrong(self: Properties, named: Named, kind: Kind) -> Property:
        found = made(self, named, kind)
        return replace(found, body=build.TRUE) if named.name == "Read" else found

    monkeypatch.setattr(Properties, "invariant", wrong)


@pytest.mark.usefixtures("_a_fault")
def test_a_fault_far_behind_what_is_compared_is_found(late: Path) -> None:
    """The sequence is empty behind 700,000 steps, where nobody compares: `Read` was *proved*."""
    origin = suite_of("Late", late).origin
    assert origin is not None
    origin.compare(0.4)
    (unlike_it,) = origin.without_value.items()
    assert unlike_it[0] == "Read"
    assert f"{late}:6:9: Head of the empty sequence at [x = " in unlike_it[1]
    assert "where its translation has it true" in unlike_it[1]


STEPS = """---- MODULE Steps ----
EXTENDS Integers, Sequences
VARIABLES x, q
Init == x = 0 /\\ q = <<1>>
Next == x < 800000 /\\ x' = x + 1 /\\ q' = IF x > 700000 THEN FAR ELSE q
Full == Len(q) = 1
====
"""


def compared_steps(folder: Path, far: str) -> dict[str, str]:
    text = folder / "Steps.tla"
    text.write_text(STEPS.replace("FAR", far))
    text.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Full CHECK_DEADLOCK FALSE")
    origin = suite_of("Steps", text).origin
    assert origin is not None
    origin.compare(1.0)
    return dict(origin.without_value)


@pytest.fixture
def _a_lost_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """The translation of the step reads nothing far away, and leaves the sequence as it is."""

    def wrong(specification: Specification, *, samples: Samples, before: None) -> Translation:
        found = translate(specification, samples=samples, before=before)
        queue = state_variable("q", found.model.variables["q"])
        (action,) = found.model.actions
        (branch,) = action.branches
        silent = Branch(branch.guards[:1], {**branch.updates, "q": queue})
        actions = (replace(action, branches=(silent,)),)
        return replace(found, model=replace(found.model, actions=actions))

    monkeypatch.setattr("bmc.frontends.tla.origin.translate", wrong)


@pytest.mark.usefixtures("_a_lost_step")
@pytest.mark.parametrize(
    ("far", "why"),
    [("<<>>", "only the text has a step Next from [x = "), ("Tail(Tail(q))", "Tail of the empty")],
)
def test_a_step_that_is_lost_far_behind_what_is_compared_is_found(
    tmp_path: Path, far: str, why: str
) -> None:
    """`Full` was *proved*: its translation alone never makes the sequence shorter."""
    assert why in compared_steps(tmp_path, far)["Full"]


@pytest.mark.parametrize("far", ["<<>>", "Tail(Tail(q))"])
def test_steps_that_are_the_same_take_nothing_from_a_claim(tmp_path: Path, far: str) -> None:
    """Where a step has no value for text and translation, no more is known of it."""
    assert compared_steps(tmp_path, far) == {}


def at_any_states(text: Path, claims: Iterable[str]) -> dict[str, str]:
    specification = load(text, text.with_suffix(".cfg"))
    search, model = Search(Machine(specification)), TranslatedModel(translate(specification))
    assert {one.name for one in model.claims} == {*claims}
    return dict(unlike(search, model, search.machine.initial_states(), 1.0))


def test_a_translation_is_one_at_states_that_nobody_reaches(tmp_path: Path) -> None:
    """Each claim has a value in some states only; nothing is true by the translation alone."""
    claims = without_a_value.CLAIMS
    names = [f"Claim{number}" for number in range(len(claims))]
    stated = "\n".join(f"{name} == {claim}" for name, claim in zip(names, claims, strict=True))
    text = tmp_path / "M.tla"
    text.write_text(f"---- MODULE M ----{without_a_value.TEXT}{stated}\n====\n")
    config = f"INIT Init NEXT Next CONSTANT None = None INVARIANTS {' '.join(names)}"
    text.with_suffix(".cfg").write_text(f"{config} CHECK_DEADLOCK FALSE")
    assert at_any_states(text, names) == {}
