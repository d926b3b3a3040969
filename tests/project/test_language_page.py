"""What docs/language.md says of its example is true, and it leaves out no word of the language."""

from pathlib import Path

from bmc import lang
from tests.cli.running import bmc

ROOT = Path(__file__).parents[2]
EXAMPLE = f"{ROOT / 'docs/examples/two_phase_commit.py'}:TwoPhaseCommit"

# Lamport's TwoPhase.tla with three resource managers has as many.
STATES = 288


def test_the_example_has_as_many_states_as_its_source() -> None:
    answered = bmc("explore", EXAMPLE, "--json")
    assert answered.code == 0
    assert answered.document["distinct_states"] == STATES


def test_the_example_is_proven_and_needs_its_lemmas() -> None:
    assert bmc("prove", EXAMPLE).code == 0
    alone = ("--no-lemmas", "--engine", "kinduction", "--k", "3")
    assert bmc("prove", EXAMPLE, *alone).code == 3


def test_ic3_proves_the_example_without_lemmas() -> None:
    answered = bmc("prove", EXAMPLE, "--no-lemmas", "--engine", "ic3", "--json")
    assert answered.code == 0
    assert [r["engine"] for r in answered.document["results"]] == ["ic3"]


def test_nothing_of_the_example_is_vacuous() -> None:
    assert bmc("cover", EXAMPLE).code == 0


def test_every_word_is_explained() -> None:
    page = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    plumbing = {"Amount", "Bound", "Expr", "Operand", "Protocol", "State", "Step", "Suite", "Term"}
    errors = {name for name in lang.__all__ if name.endswith("Error")}
    words = set(lang.__all__) - plumbing - errors - {"BoundTooSmall", "UnknownName"}
    missing = sorted(word for word in words if word not in page)
    assert missing == []
