"""What the translator remembers is what it would make again, and recursion over a set ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bmc.frontends.tla import core as c
from bmc.frontends.tla.agreement import compare_reachable
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.translate.constants import Constants
from bmc.frontends.tla.translate.expressions import Expressions
from bmc.frontends.tla.translate.formulas import decided
from bmc.frontends.tla.translate.free import Free
from bmc.frontends.tla.translate.joining import Joining
from bmc.frontends.tla.translate.kinds import negation
from bmc.frontends.tla.translate.memory import Key, Memory
from bmc.frontends.tla.translate.model import Translation, translate
from bmc.frontends.tla.translated_model import TranslatedModel
from bmc.frontends.tla.walk import children
from bmc.lang import build
from bmc.lang.sorts import BOOL
from bmc.lang.state import state_variable
from bmc.lang.terms import Term, make
from tests.frontends.tla.counting import calls
from tests.frontends.tla.models import explored, translated
from tests.frontends.tla.small_texts import TEXTS, Text

SAME_WORDS = Text(
    "one operator in many places",
    """
VARIABLES x, y, f
vars == <<x, y, f>>
Sum == x + y
Twice(e) == LET d == e + e IN IF d > 2 THEN Sum ELSE d
Least(s) == CHOOSE a \\in s : \\A b \\in s : a <= b
On(op(_), e) == op(e) + op(e + 1)
Init == /\\ x \\in 0..1
        /\\ y = 0
        /\\ f = [i \\in 0..1 |-> On(Twice, x) % 3]
Step == /\\ x < 2
        /\\ x' = Twice(x) + 1
        /\\ y' = x' % 2
        /\\ f' = [i \\in 0..1 |-> Twice(i) % 3]
Later == /\\ x > 0
         /\\ y' \\in {0, 1}
         /\\ x' = 1
         /\\ Sum' > 1 \\/ Sum > 2
         /\\ f' = [i \\in 0..1 |-> IF Sum' > i THEN Twice(y') % 3 ELSE Least({x, f[i]})]
Back == /\\ x > 1
        /\\ \\E i \\in 0..1 : \\E j \\in 0..1 :
              f[i] <= f[j] /\\ x' = Twice(j) % 2 /\\ y' = Twice(i) % 2
        /\\ UNCHANGED f
Next == Step \\/ Later \\/ Back
Spec == Init /\\ [][Next]_vars
Small == \\A i \\in 0..1 : Twice(f[i]) <= 8 /\\ (\\E i2 \\in 0..1 : f[i2] <= Twice(f[i]) + 3)
Moves == [][Sum' # Sum \\/ f' # f]_Sum
""",
    "SPECIFICATION Spec\nINVARIANT Small\nPROPERTY Moves\nCHECK_DEADLOCK FALSE\n",
)


def parts(translation: Translation) -> Iterator[Term]:
    """Yield every formula and value of a translation, in order."""
    for action in (translation.model.initial, *translation.model.actions):
        for branch in action.branches:
            yield from branch.guards
            yield from (branch.updates[name] for name in sorted(branch.updates))
    yield from (claim.body for claim in translation.properties)


@pytest.mark.parametrize("text", [SAME_WORDS, *TEXTS], ids=lambda text: text.name)
def test_what_is_remembered_is_what_would_be_made_again(
    text: Text, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Terms that are equal are one object, so the two translations have the same objects."""
    specification = load(text.write(tmp_path))
    remembered = list(parts(translate(specification)))

    def nothing(memory: Memory, key: Key) -> None:
        return None

    monkeypatch.setattr(Memory, "find", nothing)
    again = list(parts(translate(specification)))
    assert len(remembered) == len(again)
    assert all(one is other for one, other in zip(remembered, again, strict=True))


def test_an_operator_means_what_its_place_says(tmp_path: Path) -> None:
    """One operator before and after a step, of two arguments, under binders: as in the text."""
    specification = load(SAME_WORDS.write(tmp_path))
    translation = translate(specification)
    compared = compare_reachable(
        Search(Machine(specification)), TranslatedModel(translation), 1_000
    )
    assert compared.complete
    assert compared.skipped == 0
    assert compared.states == 7


def test_definitions_that_mention_each_other_are_translated_once(tmp_path: Path) -> None:
    """Each doubles the one before: 2^40 translations without a memory."""
    doubling = "\n".join(
        f"d{i} == IF d{i - 1} = 1 THEN d{i - 1} ELSE 1 - d{i - 1}" for i in range(1, 41)
    )
    text = f"""
EXTENDS Naturals
VARIABLE x
d0 == x
{doubling}
Init == x = 0
Next == x' = 1 - x
Inv == d40 \\in 0 .. 1
"""
    found = explored(translated(tmp_path, text, "INIT Init\nNEXT Next\nINVARIANT Inv\n"))
    assert found.distinct_states == 2
    assert "Inv" in found.holds


def test_what_decides_a_formula_is_asked_once_of_each_part() -> None:
    """Each level mentions the one below twice: 2^60 questions without a memory."""
    x = state_variable("x", BOOL)
    open_one: Term = x
    settled: Term = make("eq", (x, x), BOOL)
    for _ in range(60):
        open_one = build.implies(open_one, negation(open_one))
        settled = build.conj(settled, build.disj(settled, x))
    with calls(5_000):
        assert decided(open_one) is None
        assert decided(settled) is True
        assert decided(negation(settled)) is False


def test_a_conjunction_says_each_conjunct_once(tmp_path: Path) -> None:
    """Where guards are repeated by what they are in, each level of nesting doubled them."""
    path = Text("still", "VARIABLE x\nInit == x = 0\nNext == UNCHANGED x", "INIT Init\nNEXT Next")
    specification = load(path.write(tmp_path))
    layout = translate(specification).layout
    made = Expressions(layout, Constants(specification), {"x": BOOL})
    first, second = (state_variable(name, BOOL) for name in "ab")
    both = made.all_of((first, second, first))
    assert both is made.all_of((first, made.all_of((first, second)), second))
    assert isinstance(both, Term)
    assert both.args == (first, second)
    either = made.any_of((first, made.any_of((second, first)), second))
    assert isinstance(either, Term)
    assert either.args == (first, second)


SENDING = """
EXTENDS Integers, FiniteSets
VARIABLES sent, n
Least(s) == CHOOSE a \\in s : \\A b \\in s : a <= b
Put(m, msgs, many) == IF many > 0 THEN msgs \\union {m} ELSE msgs
RECURSIVE All(_, _)
All(new, msgs) == IF new = {} THEN msgs ELSE BODY
Init == sent = {} /\\ n = 0
Send == n < 3 /\\ n' = n + 1 /\\ sent' = All({m \\in 0 .. 4 : m # n /\\ m < 2 * n + 1}, sent)
Drop == n = 3 /\\ sent # {} /\\ n' = n /\\ sent' = sent \\ {Least(sent)}
Next == Send \\/ Drop
Inv == sent \\subseteq 0 .. 4
"""
CONFIG = "INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\n"
EACH = """LET m == CHOOSE m \\in new : TRUE
              more == Put(m, msgs, 1)
              rest == new \\ {m}
          IN All(rest, more)"""
OTHERS = {
    "a chosen one": "CHOOSE m \\in new : m > 0 IN All(new \\ {m}, msgs \\union {m})",
    "another is added": "CHOOSE m \\in new : TRUE IN All(new \\ {m}, msgs \\union {m + 1})",
    "another is taken": "CHOOSE m \\in new : TRUE IN All(new \\ {0}, msgs \\union {m})",
    "none is added": "CHOOSE m \\in new : TRUE IN All(new \\ {m}, Put(m, msgs, 0))",
    "they change places": "CHOOSE m \\in new : TRUE IN All(msgs \\union {m}, new \\ {m})",
    "from the other set": "CHOOSE m \\in msgs : TRUE IN All(new \\ {m}, msgs \\union {m})",
}


def test_a_recursion_that_adds_each_member_is_a_union(tmp_path: Path) -> None:
    """The set that is added depends on the state, so the recursion has no end that is constant."""
    text = SENDING.replace("BODY", EACH)
    translation = translated(tmp_path, text, CONFIG)
    specification = load(tmp_path / "M.tla")
    compared = compare_reachable(
        Search(Machine(specification)), TranslatedModel(translation), 1_000
    )
    assert compared.complete
    assert compared.skipped == 0
    assert compared.states == 9


def recursive(node: c.Expression) -> c.Definition:
    """Return the recursive definition that an expression calls."""
    waiting = [node]
    while True:
        one = waiting.pop()
        waiting.extend(children(one))
        if isinstance(one, c.Call):
            if one.definition.is_recursive:
                return one.definition
            waiting.append(one.definition.body)


@pytest.mark.parametrize("name", OTHERS)
def test_other_recursions_are_no_unions(name: str, tmp_path: Path) -> None:
    """What adds something else, or takes something else away, is not taken for a union."""
    (tmp_path / "M.tla").write_text(
        f"---- MODULE M ----\n{SENDING.replace('BODY', f'LET m == {OTHERS[name]}')}\n====\n"
    )
    (tmp_path / "M.cfg").write_text(CONFIG)
    specification = load(tmp_path / "M.tla")
    assert specification.next is not None
    joining = Joining(Constants(specification), Free())
    assert joining.joined(recursive(specification.next)) is None
