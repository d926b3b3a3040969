"""What the text's evaluator and its translation say of states, with what they remember and without.

Both keep values as long as they are asked of one state, or by the values that were read. What is
kept too long is no crash: it is the truth of another state, and the comparison of text and
translation would find both wrong alike, or accuse the wrong one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bmc.frontends.tla import translated_model
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle import calls
from bmc.frontends.tla.oracle.machine import Machine, State
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.specification import Specification
from bmc.frontends.tla.translate.model import Translation, translate
from bmc.frontends.tla.translated_model import TranslatedModel
from bmc.readings.compiled import Compiler
from tests.frontends.tla.small_texts import Text

LOOPS = Text(
    "loops in states, steps and arguments",
    """
CONSTANT N
VARIABLES f, x, y
vars == <<f, x, y>>
D == 0..N
High == {i \\in D : f[i] > x}
Most == CHOOSE m \\in D : \\A i \\in D : f[i] <= f[m]
Sum[i \\in D] == f[i] + (IF i = 0 THEN 0 ELSE Sum[i - 1])
Above(s, e) == {i \\in s : f[i] >= e}
Both(s) == s \\cup Above(s, Cardinality(s)) \\cup Above(s, y)
Differs(e) == e' # e
Below(e) == \\E v \\in 0..1 : y' = v /\\ Cardinality(e) < 2
Init == f = [i \\in D |-> 0] /\\ x \\in 0..1 /\\ y = 0
Up(i) == /\\ f[i] < 2
         /\\ f' = [f EXCEPT ![i] = @ + 1]
         /\\ x' \\in {x, Cardinality({j \\in D : f'[j] > 1})}
         /\\ y' = Cardinality(Above(High, x))
Flip == /\\ UNCHANGED f
        /\\ x' = 1 - x
        /\\ \\E s \\in SUBSET D : s = High' /\\ y' = Cardinality(Both(s))
Down == /\\ Sum[N] > 2
        /\\ f' = [i \\in D |-> IF i \\in Above(D, f[Most]) THEN 0 ELSE f[i]]
        /\\ UNCHANGED <<x, y>>
Turn == /\\ x' = x
        /\\ \\E i \\in D : f' = [f EXCEPT ![i] = 2 - @] /\\ Differs(Cardinality(Above(D, 1)))
        /\\ Below({i \\in D : f[i] > y'})
Next == (\\E i \\in D : Up(i)) \\/ Flip \\/ Down \\/ Turn
Spec == Init /\\ [][Next]_vars
FewHigh == Cardinality(High) < 2
NotAll == Both(High) # D \\/ Most = 0
EachAbove == \\A i, j \\in D : f[i] > f[j] => Above(D, f[i]) \\subseteq Above(High, f[j])
Apart(a, b) == a = 1 => b = 3
Ordered == \\A i, j \\in D :
    f[i] > f[j] => Apart(Cardinality(Above(D, f[i])), Cardinality(Above(D, f[j])))
Kept == [][High \\subseteq High' \\/ Cardinality(Above(D, x)) >= Cardinality(Above(D, x)')]_vars
Other == [][Differs(Cardinality(Above(High, x))) => Differs(Sum[N]) \\/ f[Most] > 1]_vars
Grown == [][\\A i \\in D : i < Cardinality({j \\in D : f'[j] > 0}) => f'[i] >= f[i]]_vars
Moved == [][Most' = Most \\/ \\E i \\in D : Sum[i]' # Sum[i] /\\ i \\in Both(High)']_vars
""",
    "SPECIFICATION Spec\nCONSTANT N = 2\nINVARIANTS FewHigh NotAll EachAbove Ordered\n"
    "PROPERTIES Kept Moved Other Grown\nCHECK_DEADLOCK FALSE\n",
)


ENDS = Text(
    "states without steps",
    """
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == /\\ x < 4
        /\\ x' \\in x + 1 .. x + 2
        /\\ y' \\in {y, 1 - y}
Spec == Init /\\ [][Next]_<<x, y>>
Low == x < 5
""",
    "SPECIFICATION Spec\nINVARIANT Low\n",
)


def asked(
    search: Search, model: TranslatedModel, states: list[State]
) -> Iterator[tuple[object, object]]:
    """Yield all that is said of these states and of the steps out of them, by text and model."""
    for state in states:
        steps = search.steps(state)
        yield {(one.action, one.state) for one in steps}, set(model.steps(state))
        yield set(search.false_claims(state)), model.judged(state).false
        for after in search.successors(state):
            found = search.false_step_claims(state, after)
            yield set(found), model.judged_step(state, after).false
        for after in search.successors(state):
            # Of the state after, whose steps are not those that were asked for last.
            yield set(search.false_claims(after)), model.judged(after).false


def both(specification: Specification, translation: Translation) -> tuple[Search, TranslatedModel]:
    return Search(Machine(specification)), TranslatedModel(translation)


def require_same(text: Text, folder: Path, step: int = 1) -> int:
    """Ask of one state in so many twice, in two orders, with memories and without.

    Returns how many answers there were.
    """
    specification = load(text.write(folder))
    translation = translate(specification)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calls, "remembered", lambda code, slot: code)
        patch.setattr(calls, "remembered_by_state", lambda code, slot: code)
        patch.setattr(translated_model, "Compiler", lambda domains, remembers: Compiler(domains))
        plain = both(specification, translation)
        states = list(plain[0].breadth_first())[::step]
        order = [*states, *reversed(states)]
        expected = list(asked(*plain, order))
        assert all(of_text == of_model for of_text, of_model in expected), text.name
    for tries in (calls._TRIALS, 0):
        with pytest.MonkeyPatch.context() as patch:
            # Without tries what is read is remembered by its values, however quick it is.
            patch.setattr(calls, "_TRIALS", tries)
            found = list(asked(*both(specification, translation), order))
        assert found == expected, text.name
    return len(expected)


def of_states(*texts: Text) -> None:
    """Ask of all states of these texts."""
    for text in texts:
        with TemporaryDirectory() as folder:
            assert require_same(text, Path(folder)) > 20
