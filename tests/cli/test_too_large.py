"""Parameters that nobody can build a model at are refused at once, with the size."""

import time
from pathlib import Path

import pytest
from bmc.properties.kafka import KAFKA_KIP320

from bmc.lang import Integer, Parameter, Protocol, Step, Variable, action, empty, exists, one_of
from bmc.lang.bounds import Bound
from bmc.lang.describe import model_of
from bmc.lang.errors import ParameterError
from bmc.lang.sorts import BoundedSetSort, RecordSort
from bmc.layout.affordable import TooLarge, require_affordable
from tests.cli.running import bmc

MODEL = """
from bmc.lang import *

n = Parameter("n", 3, 1, 10**6, "how many")
Node = Scalarset("Node", n)
Count = Integer("Count", 0, n)


class Counts(Protocol):
    n = n
    counts = Variable(MapSort(Node, Count))

    @action()
    def Init(self, s):
        s.counts = mapping(Node, lambda node: 0, Count)

    @action(a=Node, b=Node)
    def Copy(self, s, a, b):
        s.counts[a] = s.counts[b]

    Next = one_of(Copy)

    @invariant("none is too large", a=Node)
    def Small(self, s, a):
        return s.counts[a] <= self.n


class Number(Counts):
    counts = Variable(Count)

    @action()
    def Init(self, s):
        s.counts = 0

    @action(a=Node, b=Node)
    def Copy(self, s, a, b):
        s.counts = 0

    Next = one_of(Copy)

    @invariant("not too large")
    def Small(self, s):
        return s.counts <= self.n
"""

COMMANDS = ("prove", "check", "explore", "simulate", "cover", "infer", "mine", "export smtlib")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["Counts", "Number"])
def test_a_million_is_refused_at_once(command: str, name: str, tmp_path: Path) -> None:
    file = tmp_path / "counts.py"
    file.write_text(MODEL)
    started = time.process_time()
    answered = bmc(*command.split(), f"{file}:{name}", "-p", "n=1000000", *_more(command, tmp_path))
    assert time.process_time() - started < 2
    assert answered.code == 2
    assert "at n=1000000" in answered.err
    assert "1,000,001" in answered.err


def _more(command: str, folder: Path) -> tuple[str, ...]:
    return ("-P", "Small", "-o", str(folder / "model.smt2")) if command.startswith("export") else ()


SUBSETS = """
---- MODULE Chosen ----
EXTENDS Integers, FiniteSets
VARIABLE s
Init == s = 0
Next == \\E chosen \\in SUBSET (1 .. 30) : s' = Cardinality(chosen)
Inv == s < 31
====
"""


@pytest.mark.parametrize("command", ["prove", "check", "explore", "simulate"])
def test_a_choice_among_too_many_sets_is_refused_where_it_stands(
    command: str, tmp_path: Path
) -> None:
    (tmp_path / "Chosen.tla").write_text(SUBSETS.lstrip())
    (tmp_path / "Chosen.cfg").write_text("INIT Init NEXT Next INVARIANT Inv")
    answered = bmc(command, str(tmp_path / "Chosen.tla"))
    assert answered.code == 2
    assert "Chosen.tla:5: the choice of chosen in Next" in answered.err
    assert "choose smaller parameters or a smaller sort" in answered.err


FAR = """
from bmc.lang import *


class Far(Protocol):
    N = Integer("N", 2**32, 2**32 + 3)
    n = Variable(N)

    @action()
    def Init(self, s):
        s.n = 2**32

    @action()
    def Up(self, s):
        s.require(s.n < 2**32 + 3)
        s.n = s.n + 1

    Next = one_of(Up)

    @invariant("never less")
    def Least(self, s):
        return s.n >= 2**32
"""


@pytest.mark.parametrize("command", ["prove --engine kinduction", "prove --engine ic3", "infer"])
def test_numbers_that_no_solver_computes_with_are_bad_usage_and_no_failure_of_bmc(
    command: str, tmp_path: Path
) -> None:
    file = tmp_path / "far.py"
    file.write_text(FAR)
    answered = bmc(*command.split(), f"{file}:Far")
    assert answered.code == 2
    assert "numbers from 4294967296 to 4294967299 do not fit into the 16 bits" in answered.err
    assert "or `bmc explore`" in answered.err
    assert bmc("explore", f"{file}:Far").code == bmc("prove", f"{file}:Far").code == 0


@pytest.mark.parametrize(
    ("short", "long", "line"),
    [
        ('"n", 3, 1, 10**6', '"n", 3, 1, 10**5000', 4),
        ('"n", 3, 1, 10**6', '"n", 10**5000, 1, 10**5001', 4),
        ('"n", 3, 1, 10**6', '"n", 3, -(10**5000), 10**6', 4),
        ('"Count", 0, n', '"Count", 0, n * 10**5000', 6),
        ("node: 0, Count", "node: 10**5000, Count", 15),
        ("s.counts[b]", "s.counts[b] - 10**5000", 19),
        ("s.counts[a] <=", "10**5000 * s.counts[a] <=", 25),
        ("<= self.n", "<= self.n * 10**5000", 25),
    ],
)
def test_a_number_that_python_cannot_write_is_refused_where_it_stands(
    short: str, long: str, line: int, tmp_path: Path
) -> None:
    file = tmp_path / "counts.py"
    file.write_text(MODEL.replace(short, long, 1))
    answered = bmc("explore", f"{file}:Counts")
    assert answered.code == 2
    assert f"counts.py, line {line}" in answered.err
    assert "a number of more than 1000 digits" in answered.err


def test_a_parameter_s_value_that_python_cannot_write_is_refused() -> None:
    with pytest.raises(ParameterError, match="you gave a number of more than 1000 digits"):
        Parameter("n", 3, 1, 9, "how many").check(10**5000)


def test_what_is_proved_every_day_is_not_refused() -> None:
    large = {"replicas": 5, "log_size": 14, "max_records": 14, "max_leader_epoch": 14}
    require_affordable(KAFKA_KIP320.model(True), large)
    with pytest.raises(TooLarge):
        require_affordable(KAFKA_KIP320.model(True), {**large, "log_size": 10**6})


Part = Integer("Part", 0, 999)
Message = RecordSort("Message", (("kind", Part), ("sender", Part), ("at", Part)))
Messages = BoundedSetSort(Message, Bound.of(8))


class Sends(Protocol):
    """Messages, of which there are 10^9 that could be sent, and room for eight."""

    sent = Variable(Messages)

    @action()
    def Init(self, s: Step) -> None:
        s.sent = empty(Messages)

    @action()
    def Clash(self, s: Step) -> None:
        s.require(exists(s.sent, lambda m: exists(s.sent, lambda n: m.kind < n.kind)))
        s.sent = empty(Messages)

    Next = one_of(Clash)


def test_a_set_in_slots_costs_a_choice_for_each_slot() -> None:
    require_affordable(model_of(Sends), {})


CHOSEN = """---- MODULE Chosen ----
EXTENDS Integers
VARIABLES sent, seen
Init == sent = {} /\\ seen = {}
Send == \\E a, b \\in 0..9 : \\/ sent' = sent \\union {[kind |-> "of two", one |-> a, other |-> b]}
                           \\/ sent' = sent \\union {[kind |-> "of one", one |-> a]}
See == \\E some \\in SUBSET sent : seen' = some /\\ UNCHANGED sent
Next == (Send /\\ UNCHANGED seen) \\/ See
Inv == seen \\subseteq sent
====
"""


@pytest.mark.parametrize("command", ["explore", "prove", "check"])
def test_an_argument_of_too_many_values_is_named_with_its_place(
    command: str, tmp_path: Path
) -> None:
    (tmp_path / "Chosen.tla").write_text(CHOSEN)
    (tmp_path / "Chosen.cfg").write_text("INIT Init NEXT Next INVARIANT Inv")
    answered = bmc(command, str(tmp_path / "Chosen.tla"))
    assert answered.code == 2
    assert f"{tmp_path / 'Chosen.tla'}:7: the action See has more than 10^15" in answered.err
    assert "its argument some is one of more than 10^15 values" in answered.err
