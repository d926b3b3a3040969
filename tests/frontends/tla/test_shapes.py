"""The shapes of variables are found without reading anything twice, and are what they would be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest

from bmc.cli.app import run
from bmc.frontends.tla import core as c
from bmc.frontends.tla.abstract.context import Context, Known
from bmc.frontends.tla.abstract.domain import (
    NOTHING,
    Sequences,
    Shape,
    integers,
    join,
    join_all,
    meet,
    sequence_of,
    shape_of,
)
from bmc.frontends.tla.abstract.evaluator import UnderWay
from bmc.frontends.tla.abstract.expressions import Expressions
from bmc.frontends.tla.abstract.memory import Memory
from bmc.frontends.tla.abstract.operations import arithmetic
from bmc.frontends.tla.abstract.reachable import NoFiniteSort, Reachable, Steps
from bmc.frontends.tla.agreement import compare_reachable
from bmc.frontends.tla.errors import Span
from bmc.frontends.tla.load import load
from bmc.frontends.tla.operators import Operator
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.translate.constants import Constants
from bmc.frontends.tla.translate.model import translate
from bmc.frontends.tla.translated_model import TranslatedModel

from .small_texts import TEXTS, Text

LEVELS = 12
NESTED = "\n".join(
    f"D{n} == IF D{n - 1} > {n} \\/ D{n - 1} = 0 THEN D{n - 1} ELSE D{n - 1} % 4"
    for n in range(1, LEVELS + 1)
)
RECURSIVE = """
VARIABLES s, n
RECURSIVE Sum(_), Down(_, _)
Sum(t) == IF t = <<>> THEN 0 ELSE Head(t) + Sum(Tail(t))
Down(k, by) == IF k <= 0 THEN by ELSE Down(k - 1, by) + Down(k - 2, by)
Init == s = <<>> /\\ n = 0
Next == \\/ Len(s) < 2 /\\ (\\E e \\in 1 .. 2 : s' = Append(s, e)) /\\ n' = Down(1, Len(s))
        \\/ Sum(s) > 2 /\\ s' = Tail(s) /\\ n' = Down(2, 1)
Inv == n <= 10
"""


def _shapes(path: Path) -> dict[str, Shape]:
    specification = load(path)
    return Reachable(specification, Constants(specification)).shapes()


@contextmanager
def _reads(most: int) -> Iterator[list[c.Expression]]:
    """What expressions are read within; an assertion fails if they are as many as ``most``."""
    reads: list[c.Expression] = []
    read = Expressions._known

    def counted(self: Expressions, node: c.Expression, context: Context) -> Known:
        reads.append(node)
        assert len(reads) < most
        return read(self, node, context)

    with patch.object(Expressions, "_known", counted):
        yield reads


def test_what_definitions_mention_often_is_read_once(tmp_path: Path) -> None:
    """Twelve definitions that mention each other four times are read some hundred times."""
    module = f"VARIABLE x\nD0 == x\n{NESTED}\nInit == x = 3\nNext == x' = D{LEVELS}"
    path = Text("nested", module, "INIT Init\nNEXT Next\n").write(tmp_path)
    with _reads(2_000) as reads:
        found = _shapes(path)
    assert found["x"].integers is not None
    assert reads


def test_what_is_said_of_all_members_of_a_set_is_known_of_it(tmp_path: Path) -> None:
    """A piece that is moved off the board stays where it was: no place is beyond the board."""
    module = """
VARIABLE s
Init == s = {1}
Moved == {{e + d : e \\in s} : d \\in {-1, 1}}
Next == s' \\in {m \\in Moved : \\A e \\in m : e \\in 0 .. 2}
"""
    found = _shapes(Text("moved", module, "INIT Init\nNEXT Next\n").write(tmp_path))
    assert found["s"].elements == integers(0, 2)


def test_a_recursion_that_goes_deep_is_read_once_a_call(tmp_path: Path) -> None:
    """Its argument never is the same again, so no call asks for what another has found so far."""
    module = """
VARIABLES x, y
RECURSIVE Digits(_, _)
Digits(k, at) == IF k = 0 THEN 0 ELSE (k % 2) + at + Digits(k \\div 2, at + 1)
Init == x = 0 /\\ y = 0
Next == x' = x + 1 /\\ y' = Digits(x, 0) % 4
"""
    path = Text("digits", module, "INIT Init\nNEXT Next\n").write(tmp_path)
    with _reads(50_000) as reads, pytest.raises(NoFiniteSort):
        _shapes(path)
    assert reads


def test_a_recursion_with_two_branches_is_read_once_for_what_is_known(tmp_path: Path) -> None:
    """Either call knows of the sequence what the other does: 2^24 calls without a memory."""
    module = """
VARIABLES s, n
RECURSIVE Kept(_)
Kept(o) == LET this == Kept([log |-> Tail(o.log), prev |-> Head(o.log)])
               other == Kept([log |-> Tail(o.log), prev |-> o.prev])
           IN IF o.log = <<>> THEN 0
              ELSE IF Head(o.log) = o.prev THEN other + 0 ELSE (this + 1) % 3
Init == s = <<>> /\\ n = 0
Next == \\/ Len(s) < 24 /\\ (\\E e \\in 1 .. 2 : s' = Append(s, e)) /\\ UNCHANGED n
        \\/ n' = Kept([log |-> s, prev |-> 0]) /\\ UNCHANGED s
"""
    path = Text("branches", module, "INIT Init\nNEXT Next\n").write(tmp_path)
    with _reads(100_000) as reads:
        found = _shapes(path)
    assert found["s"].sequences is not None
    assert found["s"].sequences.longest == 24
    assert found["n"] == integers(0, 2)
    assert reads


@pytest.mark.parametrize(
    "text",
    [*TEXTS, Text("recursion", RECURSIVE, "INIT Init\nNEXT Next\nINVARIANT Inv\n")],
    ids=lambda text: text.name,
)
def test_shapes_are_those_that_are_found_without_a_memory(text: Text, tmp_path: Path) -> None:
    """What is remembered is what would be found again, in a recursion as well."""
    path = text.write(tmp_path)
    found = _shapes(path)
    with patch.object(Memory, "find", lambda self, key: None):
        assert _shapes(path) == found


@pytest.mark.parametrize("seed", range(200))
def test_each_element_of_sequences_of_several_lengths_has_its_shape(seed: int) -> None:
    chance = Random(seed)
    values = [(1, "a", "b", 2), ("a", 3, 4), (5,), ()]
    given = [chance.choice(values)[: chance.randrange(5)] for _ in range(chance.randrange(1, 6))]
    shapes = [shape_of(one) for one in given]
    if chance.random() < 0.3:
        given.append((7, 8, "c"))
        shapes.append(sequence_of(join(integers(7, 8), shape_of("c")), 3, 3))
    chance.shuffle(shapes)
    found = join_all(shapes)
    assert join(found, found) is found
    narrowed = meet(found, sequence_of(join(integers(0, 4), shape_of("a")), 0, 4))
    for other in (found, narrowed):
        held = other.sequences
        for value in given if other is found else ():
            assert join(found, shape_of(value)) is found
            for number, element in enumerate(value, 1):
                assert isinstance(held, Sequences)
                assert join(held.at(number), shape_of(element)) is held.at(number)
        if held is not None:
            assert all(join(held.element, one) is held.element for one in held.first)


def test_what_is_first_in_sequences_of_two_lengths_is_known(tmp_path: Path) -> None:
    """The keys were taken to be whatever stands anywhere in the arguments."""
    text = Text(
        "arguments",
        """
VARIABLES given, keys, held
Init == given = "none" /\\ keys = {} /\\ held = "none"
Next == \\/ \\E k \\in 1 .. 3 : given' = <<k>> /\\ UNCHANGED <<keys, held>>
        \\/ \\E k \\in 1 .. 3, v \\in {"x", "y"} : given' = <<k, v>> /\\ UNCHANGED <<keys, held>>
        \\/ /\\ given # "none" /\\ given' = "none"
           /\\ keys' = (keys \\cup {Head(given)}) \\ {given[1] - 1}
           /\\ held' = IF Len(given) = 2 THEN given[2] ELSE held
Inv == keys \\subseteq 1 .. 3 /\\ held \\in {"none", "x", "y"}
""",
        "INIT Init\nNEXT Next\nINVARIANT Inv\n",
    )
    path = text.write(tmp_path)
    shapes = _shapes(path)
    assert shapes["keys"].elements == integers(1, 3)
    assert shapes["held"].atoms == {"none", "x", "y"}
    specification = load(path)
    model = TranslatedModel(translate(specification))
    compared = compare_reachable(Search(Machine(specification)), model, 10_000)
    assert compared.complete
    assert compared.skipped == 0


GIVEN_TWICE = """
VARIABLES s, x
RECURSIVE Other(_, _), All(_), Made(_, _)
Some(T) == CHOOSE y \\in T : TRUE
Other(T, to) == IF T = {} THEN to ELSE Other(T \\ {Some(T)}, to \\cup {Some(T)})
All(T) == IF T = {} THEN s ELSE All(T \\ {Some(T)})
Made(T, to) == IF T # {} THEN Made(T \\ {Some(T)}, to)
               ELSE IF \\E y \\in to : TRUE THEN [i \\in to \\cup {2} |-> 0] ELSE [i \\in {2} |-> 0]
Init == s = {} /\\ x = %s
Next == s' \\in SUBSET (1 .. 3) /\\ x' = %s
Inv == x # {7}
"""


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("{}", "Other(s, s)"),
        ("{}", "All(s)"),
        ("{}", "UNION {Other(t, t) : t \\in {s}}"),
        ("[i \\in {2} |-> 0]", "Made(s, s)"),
    ],
)
def test_what_is_given_twice_to_a_recursion_is_known_of_its_first_call_alone(
    first: str, then: str, tmp_path: Path
) -> None:
    """Only there one being empty says that the other is: a variable had room for no members."""
    module = GIVEN_TWICE % (first, then)
    path = Text("twice", module, "INIT Init\nNEXT Next\nINVARIANT Inv\n").write(tmp_path)
    specification = load(path)
    model = TranslatedModel(translate(specification))
    assert not compare_reachable(Search(Machine(specification)), model, 99).skipped


def test_a_function_of_more_arguments_than_a_sort_has_is_no_value_of_it(tmp_path: Path) -> None:
    """Its others were lost where a sort was too small: a step led to another state."""
    module = GIVEN_TWICE % ("[i \\in {2} |-> 0]", "Made(s, s)")
    path = Text("twice", module, "INIT Init\nNEXT Next\nINVARIANT Inv\n").write(tmp_path)
    specification = load(path)
    with patch.object(UnderWay, "answers", lambda self, given, _: self.arguments == given):
        model = TranslatedModel(translate(specification))
    assert compare_reachable(Search(Machine(specification)), model, 99).skipped


@pytest.mark.parametrize("operator", [Operator.DIVIDE, Operator.POWER])
def test_the_range_of_a_quotient_and_of_a_power_has_all_of_them(operator: Operator) -> None:
    ends = range(-4, 5)
    ranges = [range(low, high + 1) for low in ends for high in ends if low <= high]
    for left in ranges:
        for right in ranges:
            given = (integers(one[0], one[-1]) for one in (left, right))
            found = arithmetic(operator, *given)
            for x, y in product(left, right):
                if operator is Operator.POWER and y >= 0:
                    assert join(found, integers(x**y, x**y)) == found
                if operator is Operator.DIVIDE and y:
                    assert join(found, integers(x // y, x // y)) == found


SHAPED = """
INSTANCE SequencesExt
INSTANCE FiniteSetsExt
INSTANCE Functions
INSTANCE Bags
VARIABLES x, s, f, t
Some(T) == CHOOSE y \\in T : TRUE
Down(T, result) == LET RECURSIVE R(_)
                       R(U) == IF U = {} THEN result ELSE R(U \\ {Some(U)})
                   IN R(T)
By(Op(_), T) == LET RECURSIVE R(_)
                    R(U) == IF U = {} THEN Op(0) ELSE R(U \\ {Some(U)})
                IN R(T)
Sequential == DOMAIN f = 1 .. 2
Pairs == {w \\in t : Len(w) = 2}
Init == /\\ x = 1 /\\ s = (1 :> 1) /\\ t = {<<1, 2>>, <<7>>}
        /\\ f \\in {<<5>>, <<6, 4>>, (4 :> 2), (0 :> 3)}
Next == x' \\in 1 .. 2 /\\ UNCHANGED <<f, t>> /\\ %s
"""


@pytest.mark.parametrize(
    "step",
    [
        "\\E y \\in SUBSET (1 .. 3) : s' = <<Down(y, y)>>",
        "\\E y \\in SUBSET (1 .. 3) : s' = <<By(LAMBDA z : y, y)>>",
        "\\E y \\in SUBSET (1 .. 3) : s' = <<By(LAMBDA z : {w \\in y : w > z}, y)>>",
        "Sequential /\\ s' = <<9>> \\o f",
        "Sequential /\\ s' = Append(f, 9)",
        "Sequential /\\ s' = Tail(f)",
        "Sequential /\\ s' = SelectSeq(f, LAMBDA i : i > 2)",
        "Sequential /\\ s' = SortSeq(f, LAMBDA i, j : i < j)",
        "Sequential /\\ s' = <<FoldLeft(LAMBDA i, j : i + j, 0, f)>>",
        "\\E <<a, b>> \\in [1 .. 2 -> 0 .. 3] : s' = <<a + b>>",
        "\\E <<a, b>> \\in Pairs : s' = <<a + b>>",
        "s' = <<{a + b : <<a, b>> \\in Pairs}>>",
        "s' = <<(CHOOSE <<a, b>> \\in Pairs : TRUE)[2] + 8>>",
        "\\E g \\in [1 .. 5 -> 0 .. 1] : s' = <<SumFunction(g)>>",
        "\\E y \\in SUBSET (1 .. 3) : s' = <<MapThenSumSet(LAMBDA z : 9, y)>>",
        "\\E y \\in SUBSET (1 .. 3) : s' = <<BagCardinality(SetToBag(y))>>",
        "\\E y \\in SUBSET (1 .. 3) : s' = <<FoldSet(LAMBDA z, w : w + 9, 0, y)>>",
        "s' = [(2 :> 9) EXCEPT ![x] = 7]",
        "s' = [(2 :> {9}) EXCEPT ![x] = {7}]",
    ],
)
def test_a_step_s_values_are_in_its_shapes(step: str, tmp_path: Path) -> None:
    """Sorts of which nothing is guessed never grow: a step that they lack has no answer."""
    path = Text("shaped", SHAPED % step, "INIT Init\nNEXT Next\n").write(tmp_path)
    specification = load(path)
    model = TranslatedModel(translate(specification))
    compared = compare_reachable(Search(Machine(specification)), model, 999)
    assert compared.complete
    assert compared.states > 4
    assert not compared.skipped


@pytest.mark.parametrize(
    ("init", "guard", "updates"),
    [
        ("[a |-> [b |-> 0, c |-> 0]]", "r.a.b < 2", "!.a.b = @ + 1, !.a.c = 1"),
        ("[a |-> [b |-> 0, c |-> 0]]", "r.a.b < 2 /\\ r.a.c < 3", "!.a.b = @ + 1, !.a.c = @ + 1"),
        ("[i \\in {1, 2} |-> [b |-> 0, c |-> 0]]", "r[1].b < 2", "![1].b = @ + 1, ![1].c = 1"),
        (
            "[i \\in {1, 2} |-> [b |-> 0, c |-> 0]]",
            "\\E i \\in {1, 2} : r[i].c < 3 /\\ (\\A j \\in {1, 2} : r[j].b < 2)",
            "![i].b = @ + 1, ![i].c = @ + 1",
        ),
        (
            "[a |-> [b |-> [c |-> 0, d |-> 0], e |-> 0]]",
            "r.a.b.c < 2",
            "!.a.b.c = @ + 1, !.a.e = 1, !.a.b.d = 2",
        ),
        (
            "[a |-> [b |-> <<>>, c |-> 0]]",
            "Len(r.a.b) < 2",
            "!.a.b = Append(@, 1), !.a.c = Len(r.a.b)",
        ),
        (
            "[a |-> [b |-> 0, c |-> 0]]",
            "r.a \\in [b : 0..1, c : 0..1]",
            "!.a.b = @ + 1, !.a.c = @ + 1",
        ),
    ],
)
def test_what_one_update_of_a_record_leads_to_is_known_behind_the_next(
    init: str, guard: str, updates: str, tmp_path: Path
) -> None:
    """What guards said of the first place was taken to hold after its update, too."""
    module = f"""
VARIABLE r
Init == r = {init}
Next == {guard} /\\ r' = [r EXCEPT {updates}]
"""
    path = Text("updates", module, "INIT Init\nNEXT Next\n").write(tmp_path)
    specification = load(path)
    compared = compare_reachable(
        Search(Machine(specification)), TranslatedModel(translate(specification)), 10_000
    )
    assert compared.complete
    assert compared.skipped == 0


def test_shapes_grow_by_the_steps_that_leave_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the text was read to end at was never made larger: a step beyond had no answer."""
    module = """
VARIABLES x, s, f
Init == x = 0 /\\ s = <<>> /\\ f = [i \\in 1 .. 2 |-> {}]
Next == /\\ x' = (x + 1) % 7
        /\\ s' = IF Len(s) < 3 THEN Append(s, x) ELSE <<>>
        /\\ \\E i \\in 1 .. 2 : f' = [f EXCEPT ![i] = IF x = 3 THEN {} ELSE @ \\cup {<<x, i>>}]
Small == x < 7 /\\ Len(s) <= 3
"""
    config = "INIT Init\nNEXT Next\nINVARIANT Small\nCHECK_DEADLOCK FALSE\n"
    path, proof = Text("grown", module, config).write(tmp_path), tmp_path / "proof.json"
    states = list(Search(Machine(load(path))).breadth_first())
    given = Steps._given

    def initial(
        self: Steps, name: str, shape: Shape, span: Span, context: Context
    ) -> Iterator[Context]:
        known = self.expressions.state.get(name, NOTHING)
        yield from given(self, name, shape if known.empty else known, span, context)

    with patch.object(Steps, "_given", initial):
        assert run(["explore", str(path), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["complete"], found["distinct_states"]) == (True, len(states))
        assert run(["prove", str(path), "--certificate", str(proof)]) == 0
        assert run(["certify", str(proof), "--protocol", str(path)]) == 0
