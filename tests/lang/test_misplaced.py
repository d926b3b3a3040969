"""What is declared where nothing reads it is refused, and what is listed is read more than once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from bmc.cli.shared.user_file import UserModelError, load
from bmc.lang import (
    BOOL,
    History,
    Integer,
    LanguageError,
    Protocol,
    SetSort,
    State,
    Step,
    Suite,
    Variable,
    action,
    after,
    alias,
    invariant,
    lemma,
    one_of,
)
from bmc.lang.declared import Declaring
from bmc.lang.describe import model_of
from bmc.lang.errors import DeclaredTwice
from bmc.lang.misplaced import require_of_a_protocol
from bmc.lang.temporal import Specification, eventually, temporal, weak

Count = Integer("Count", 0, 3)


class Counter(Protocol):
    """A counter beside two sets."""

    x = Variable(Count)
    few = Variable(SetSort(Count))
    many = Variable(SetSort(Count))

    @action()
    def Init(self, s: Step) -> None:
        s.x, s.few, s.many = 0, {1}, {2, 3}

    @action(k=few)
    def Take(self, s: Step, k: Any) -> None:
        s.x = k

    Next = one_of(Take)


class Past(History):
    """Whether something was taken."""

    taken = Variable(BOOL)

    def initially(self, s: Step) -> None:
        s.taken = False

    @after("Take")
    def Follow(self, s: Step) -> None:
        s.taken = True


def made(name: str, bases: tuple[type, ...], members: dict[str, Any]) -> Any:
    return Declaring(name, bases, members)


@lemma()
def Low(m: Counter, s: State) -> Any:
    return s.x < 3


@invariant("it is small")
def Small(m: Counter, s: State) -> Any:
    return s.x < 3


@temporal("it is taken", specification="Fair")
def Taken(m: Counter, s: State) -> Any:
    return eventually(s.x == 1)


def test_a_variable_has_one_name() -> None:
    """A choice from it would be one from the other."""
    both = Variable(SetSort(Count))

    class Doubled(Counter):
        few = many = both

        @action(k=few)
        def Take(self, s: Step, k: Any) -> None:
            s.x = k

        Next = one_of(Take)

    with pytest.raises(LanguageError, match="few is a variable that many names as well"):
        model_of(Doubled)
    history = made("Remembered", (Past,), {"other": Past.taken})
    try:
        with pytest.raises(LanguageError, match="taken is a variable that other names as well"):
            model_of(Counter, history)
    finally:
        Past.taken.name = "taken"


def test_a_choice_is_not_made_from_a_variable_of_another_class() -> None:
    class Other(Protocol):
        few = Variable(SetSort(Count))

    taking = action(k=Other.few)(lambda self, s, k: None)
    with pytest.raises(LanguageError, match="k ranges over a variable few that is none of Chosen"):
        model_of(made("Chosen", (Counter,), {"<lambda>": taking, "Next": one_of(taking)}))


def ghostly(self: Any, s: Any) -> Any:
    return s.taken


def test_a_protocol_follows_no_action() -> None:
    mixed = type("Mixed", (), {"Follow": after("Take")(ghostly)})
    with pytest.raises(LanguageError, match="Made has a Follow that nothing would read"):
        model_of(made("Made", (mixed, Counter), {}))


SAID = {
    "Always": invariant("it is so")(ghostly),
    "Seen": alias("what is seen")(ghostly),
    "Act": action()(ghostly),
    "Fair": Specification("Fair", (weak("Take"),)),
    "Constraint": ghostly,
    "terminated": ghostly,
    "Next": Counter.Next,
}


@pytest.mark.parametrize("name", SAID)
def test_a_history_says_nothing_of_a_protocol(name: str) -> None:
    with pytest.raises(LanguageError, match=f"Made has a {name} that nothing would read"):
        model_of(Counter, made("Made", (Past,), {name: SAID[name]}))


def test_a_body_binds_a_declaration_once_by_update_too() -> None:
    body = Declaring.__prepare__("Made", ())
    body.update(Low=Low)
    with pytest.raises(DeclaredTwice, match="Made declares Low a second time"):
        body.update({"Low": Taken})


def test_what_is_listed_by_an_iterator_is_not_lost() -> None:
    fair = Specification("Fair", (weak(name, per=iter(("k",))) for name in ("Take",)))  # type: ignore[arg-type]
    suite = Suite(
        "counter",
        Counter,
        "",
        (one for one in (Small,)),  # type: ignore[arg-type]
        temporal=iter([Taken]),  # type: ignore[arg-type]
        specifications=(one for one in [fair]),  # type: ignore[arg-type]
    )
    assert suite.properties == (Small,)
    assert suite.temporal == (Taken,)
    assert suite.specifications[0].fairness == fair.fairness == (weak("Take", per=("k",)),)


FILE = """
from bmc.lang import *
{top}
class P(Protocol):
    Number = Integer("Number", 0, 9)
    x = Variable(Number)
    @action()
    def Init(self, s): s.x = 0
    @action()
    def Go(self, s): s.x = 1
    Next = one_of(Go)
{body}
"""

ASKED_NOWHERE = [
    "@invariant('i')\ndef Small(m, s): return s.x < 2",
    "@action()\ndef Stop(self, s): s.x = 0",
    "    claims = [invariant('i')(lambda m, s: s.x < 2)]",
    "    claims = {'small': invariant('i')(lambda m, s: s.x < 2)}",
    "    def low(self, s, small=invariant('i')(lambda m, s: s.x < 2)): return s.x < 3",
    "    Small = invariant('i')(lambda m, s: s.x < 2)\n    vars().pop('Small')",
    "@lemma('l')\ndef Low(m, s): return s.x < 3\nS = Suite('s', P, '', ())",
]


@pytest.mark.parametrize("said", ["Constraint", "terminated"])
def test_what_all_protocols_may_say_stands_in_the_body_of_one(tmp_path: Path, said: str) -> None:
    """A line that is indented by four spaces too few lost the constraint."""
    path = tmp_path / "dedented.py"
    beside = f"def {said}(self, s): return s.x < 1"
    path.write_text(FILE.format(top="", body=beside), encoding="utf-8")
    with pytest.raises(UserModelError, match=rf"line 1\d: {said} stands beside the protocols"):
        load(f"{path}:P")
    called = f"    def {said}(self, s): return HELPER(self, s)".replace(
        "HELPER", f"LATER['{said}']"
    )
    named = f"{called}\n{beside}\nLATER = {{'{said}': {said}}}"
    path = tmp_path / "called.py"
    path.write_text(FILE.format(top="", body=named), encoding="utf-8")
    load(f"{path}:P").model(False)


@pytest.mark.parametrize("said", ["Constraint", "terminated"])
@pytest.mark.parametrize(
    "beside",
    [
        "def {said}(s): return s.x < 1",
        "def {said}(this, s): return s.x < 1",
        "{said} = lambda s: s.x < 1",
        "class Bounds:\n    def {said}(self, s): return s.x < 1",
    ],
)
def test_what_nothing_speaks_of_bounds_nothing_however_it_is_written(
    tmp_path: Path, said: str, beside: str
) -> None:
    path = tmp_path / "beside.py"
    path.write_text(FILE.format(top="", body=beside.format(said=said)), encoding="utf-8")
    with pytest.raises(UserModelError, match=rf"line 1\d: {said} stands beside the protocols"):
        load(f"{path}:P")
    asked = "    @invariant('i')\n    def Low(self, s): return " + (
        f"Bounds().{said}(s)" if "class" in beside else f"{said}({'self, ' * ('this' in beside)}s)"
    )
    path = tmp_path / "asked.py"
    path.write_text(FILE.format(top="", body=f"{asked}\n{beside.format(said=said)}"))
    load(f"{path}:P").model(False)


@pytest.mark.parametrize("body", ASKED_NOWHERE)
def test_what_is_declared_beside_its_class_is_refused(tmp_path: Path, body: str) -> None:
    path = tmp_path / "asked_nowhere.py"
    path.write_text(FILE.format(top="", body=body), encoding="utf-8")
    with pytest.raises(UserModelError, match=r"line 1\d: .* is declared and part of no protocol"):
        load(f"{path}:P")


@pytest.mark.parametrize(
    "body",
    [
        "    more = [Variable(BOOL), Variable(BOOL)]",
        "    more = {'a': Variable(BOOL)}",
        "    def low(self, s, more=Variable(BOOL)): return s.x < 2",
        "more = [Variable(BOOL)]",
        "more = Variable(BOOL)",
    ],
)
def test_a_variable_has_a_name_in_a_class(tmp_path: Path, body: str) -> None:
    path = tmp_path / "without_a_name.py"
    path.write_text(FILE.format(top="", body=body), encoding="utf-8")
    with pytest.raises(UserModelError, match=r"line 1\d: a variable is declared here and has no"):
        load(f"{path}:P")


@pytest.mark.parametrize(
    "body",
    [
        "class Q(P):\n    for name in ('a', 'b'): locals()[name] = Variable(BOOL)\n    del name",
        "Q = type('Q', (P,), {'more': Variable(BOOL)})",
    ],
)
def test_a_variable_that_is_given_its_name_by_python_has_one(tmp_path: Path, body: str) -> None:
    path = tmp_path / "named.py"
    path.write_text(FILE.format(top="", body=body), encoding="utf-8")
    load(f"{path}:P")


ASKED = [
    ("", "@lemma('l')\ndef Low(m, s): return s.x < 3\nS = [Suite('s', P, '', (), (Low,))]"),
    ("", "@lemma('l')\ndef Low(m, s): return s.x < 3\nP.Low = Low"),
    ("class Mixed:\n    @invariant('i')\n    def Small(m, s): return s.x < 2", ""),
    ("def below(k): return invariant('i')(lambda m, s: s.x < k)", "    Small = below(2)"),
    (
        "",
        "def of(k):\n    class Q(P):\n        Small = invariant('i')(lambda m, s: s.x < k)\n"
        "    return Q\nqs = [of(2), of(3)]",
    ),
]


@pytest.mark.parametrize(("top", "body"), ASKED)
def test_what_is_listed_or_written_in_a_class_is_asked(tmp_path: Path, top: str, body: str) -> None:
    path = tmp_path / "asked_somewhere.py"
    path.write_text(FILE.format(top=top, body=body), encoding="utf-8")
    assert load(f"{path}:P").model(False).actions


def test_claims_that_a_suite_leaves_out_are_named(tmp_path: Path) -> None:
    file = tmp_path / "left.py"
    text = """
        from bmc.lang import *
        from bmc.lang.temporal import eventually, temporal

        class P(Protocol):
            x = Variable(BOOL)
            @action()
            def Init(self, s):
                s.x = False
            @action()
            def Go(self, s):
                s.x = True
            Next = one_of(Go)
            @invariant("one")
            def One(self, s):
                return s.x | ~s.x
            @step_invariant("never back")
            def Stays(self, s, t):
                return implies(s.x, t.x)
            @temporal("it goes")
            def Goes(self, s):
                return eventually(s.x)
            @witness("it went")
            def Went(self, s):
                return s.x

        Some = Suite("Some", P, "", (P.One,))
        All = Suite("All", P, "", (P.One, P.Stays, P.Went), temporal=(P.Goes,))

        @invariant("called as another one")
        def One(m, s):
            return s.x | ~s.x

        Other = Suite("Other", P, "", (One, P.Stays, P.Went), temporal=(P.Goes,))
    """
    file.write_text(dedent(text), encoding="utf-8")
    assert load(f"{file}:Some").notes == ("left out by the suite, so not asked: Stays, Went, Goes",)
    assert load(f"{file}:Other").notes == ("left out by the suite, so not asked: One",)
    assert load(f"{file}:All").notes == load(f"{file}:P").notes == ()


@pytest.mark.parametrize("wrapping", [staticmethod, classmethod, property])
def test_a_word_spelt_otherwise_is_refused_in_every_wrapping(
    wrapping: Callable[[Any], Any],
) -> None:
    def constraint(s: Any) -> Any:
        return s.x == 0

    made = type("Made", (Protocol,), {"constraint": wrapping(constraint)})
    with pytest.raises(LanguageError, match="Made has a constraint that nothing would read"):
        require_of_a_protocol(made)


def bounded(self: Any, s: Any) -> Any:
    return s.x == 0


def bounding(self: Any, s: Any) -> None:
    s.require(self.StateConstraint(s))


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("StateConstraint", "Constraint"),
        ("constraints", "Constraint"),
        ("is_terminated", "terminated"),
        ("terminate", "terminated"),
        ("Contraint", "Constraint"),
        ("Constriant", "Constraint"),
        ("termiated", "terminated"),
    ],
)
def test_a_word_that_others_call_otherwise_is_refused_where_nothing_reads_it(
    name: str, read: str
) -> None:
    made = type("Made", (Protocol,), {name: bounded})
    with pytest.raises(LanguageError, match=rf"Made has a {name} .* bmc reads {read}; call it so"):
        require_of_a_protocol(made)


def test_a_helper_of_such_a_name_is_read() -> None:
    require_of_a_protocol(
        type("Made", (Protocol,), {"StateConstraint": bounded, "Go": action()(bounding)})
    )
    require_of_a_protocol(
        type("Made", (Protocol,), {"StateConstraint": bounded, "Constraint": bounded})
    )


@pytest.mark.parametrize("name", ["next", "NEXT", "next_", "Nxt", "Netx", "next_state"])
def test_actions_under_another_spelling_of_next_are_refused(name: str) -> None:
    """The inherited Next would stand, and another protocol be judged than the one written."""
    require_of_a_protocol(type("Made", (Counter,), {"Next": one_of(Counter.Take)}))
    require_of_a_protocol(type("Made", (Counter,), {"steps": one_of(Counter.Take)}))
    with pytest.raises(LanguageError, match=rf"Made has a {name} .* bmc reads Next; call it so"):
        require_of_a_protocol(type("Made", (Counter,), {name: one_of(Counter.Take)}))
