"""What once ended as an internal failure, or with the exit code of another answer."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .running import bmc

DEEP = """
from bmc.lang import *

class Deep(Protocol):
    n = Variable(Integer("N", 0, 3))

    @action()
    def Init(self, s):
        s.n = 0

    @action()
    def Step(self, s):
        value = s.n
        for number in range(5_000):
            value = ite(s.n == number % 4, (number + 1) % 4, value)
        s.n = value

    Next = one_of(Step)

    @invariant("small")
    def Small(self, s):
        return s.n <= 3
"""


@pytest.mark.parametrize("command", ["check", "mine"])
def test_five_thousand_nested_conditionals_are_refused(command: str, tmp_path: Path) -> None:
    file = tmp_path / "deep.py"
    file.write_text(DEEP)
    answered = bmc(command, f"{file}:Deep")
    assert answered.code == 2
    assert "nested too deeply" in answered.err


SETS = """
from bmc.lang import *

class Sets(Protocol):
    Node = Scalarset("Node", 2)
    Mark = Variant("Mark", number=Integer("Number", 0, 1), node=Node)
    Some = BoundedSet({element}, 2)

    some = Variable(Some)

    @action()
    def Init(self, s):
        s.some = empty(self.Some)

    @action(x={argument})
    def Put(self, s, x):
        s.require(size(s.some) < 2)
        s.some = insert(s.some, {value})

    Next = one_of(Put)

    @invariant("few")
    def Few(self, s):
        return size(s.some) <= 2
"""


@pytest.mark.parametrize(
    ("element", "argument", "value"),
    [
        ("Mark", "Node", 'inject(self.Mark, "node", x)'),
        ("Sequence(Node, 1)", "Node", "append(empty(Sequence(self.Node, 1)), x)"),
        ("Node", "Node", "x"),
    ],
    ids=["variants", "sequences", "members"],
)
def test_sets_of_which_no_short_formula_speaks_are_mined(
    element: str, argument: str, value: str, tmp_path: Path
) -> None:
    """A vocabulary without any literal was an array that cannot be reshaped."""
    file = tmp_path / "sets.py"
    file.write_text(SETS.format(element=element, argument=argument, value=value))
    answered = bmc("mine", f"{file}:Sets", "-P", "Few", "--json")
    assert answered.code == 0
    assert answered.document["inductive"] == ["Few", "WithinBounds"]


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file = tmp_path_factory.mktemp("proof") / "proof.json"
    assert bmc("prove", "id-sequence", "--certificate", str(file)).code == 0
    return json.loads(file.read_text())


CHANGES: dict[str, Callable[[Any], object]] = {
    "nobody found it": lambda d: d.update(found_by=""),
    "by something else": lambda d: d.update(found_by=[{}]),
    "an empty claim": lambda d: d.update(claims=[{}]),
    "an empty conjunct": lambda d: d.update(conjuncts=[{}]),
    "no parameters": lambda d: d.update(parameters={}),
    "an infinite parameter": lambda d: d["parameters"].update(max_id=float("inf")),
    "an infinite depth": lambda d: d.update(k=float("inf")),
    "a depth that is no number": lambda d: d.update(k=float("nan")),
    "an empty clause": lambda d: d.update(clauses=[[]]),
    "an empty literal": lambda d: d.update(clauses=[[""]]),
    "nobody watches": lambda d: d.update(watching={}),
    "an empty lemma": lambda d: d.update(lemmas=[{}]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_certificate_with_a_hole_is_judged_or_refused(
    change: str, proof: Any, tmp_path: Path
) -> None:
    document = json.loads(json.dumps(proof))
    CHANGES[change](document)
    file = tmp_path / "changed.json"
    file.write_text(json.dumps(document))
    answered = bmc("certify", str(file))
    assert answered.code == (0 if change == "no parameters" else 2)
    assert "internal failure" not in answered.err


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 100_000 + "1" + "}" * 100_000])
@pytest.mark.parametrize("command", ["certify", "trace show"])
def test_data_that_is_nested_deeply_is_refused(command: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "deep.json"
    file.write_text(text)
    answered = bmc(*command.split(), str(file))
    assert answered.code == 2
    assert "internal failure" not in answered.err


UNHASHABLE: list[Any] = [
    [],
    {},
    {"#set": [{}, []]},
    {"#map": [[{}, 1]]},
    {"#tup": [[], {}]},
    {"tag": [], "value": {}},
]


TRUNCATING = ("kafka-truncate-to-hw", "-p", "replicas=2")


@pytest.fixture(scope="module")
def execution(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A violation of kafka in Apalache's format."""
    file = tmp_path_factory.mktemp("traces") / "trace.itf.json"
    assert bmc("check", *TRUNCATING, "-P", "WeakIsr", "--trace", str(file)).code == 1
    return file.read_text()


@pytest.mark.parametrize("value", UNHASHABLE, ids=json.dumps)
def test_values_of_a_trace_that_no_set_can_hold_are_refused(
    value: Any, execution: str, tmp_path: Path
) -> None:
    for name in json.loads(execution)["vars"]:
        changed = json.loads(execution)
        changed["states"][-1][name] = value
        hurt = tmp_path / "hurt.itf.json"
        hurt.write_text(json.dumps(changed))
        answered = bmc("trace", "replay", str(hurt), "--protocol", *TRUNCATING)
        assert answered.code in {1, 2}, (name, answered.err)
        assert "internal failure" not in answered.err


LARGE = ("-p", "replicas=5", "-p", "log_size=5", "-p", "max_records=5", "-p", "max_leader_epoch=5")


@pytest.mark.parametrize("command", ["prove", "check", "explore", "simulate"])
def test_time_that_ends_at_larger_parameters_is_unknown(command: str) -> None:
    """It was an error of usage, exit code 2, while the system was still being built."""
    answered = bmc(command, "kafka", *LARGE, "--timeout", "0.5", "--json")
    assert answered.code == 3
    # A busy machine may not even come to the claims.
    assert {one["verdict"] for one in answered.document.get("results", ())} <= {"unknown"}


def test_an_exploration_judges_what_is_claimed_without_being_told(tmp_path: Path) -> None:
    """Without `-P` it judged nothing, and ended as if all held."""
    file = tmp_path / "sets.py"
    text = SETS.format(element="Node", argument="Node", value="x")
    file.write_text(text.replace("<= 2", "<= 1"))
    answered = bmc("explore", f"{file}:Sets", "--json")
    assert answered.code == 1
    assert [r["property"] for r in answered.document["results"]] == ["Few"]
