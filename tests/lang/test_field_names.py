"""A field, payload, argument or variable may be called what it is called in its specification."""

from __future__ import annotations

import keyword
import runpy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bmc.lang import (
    BOOL,
    Integer,
    LanguageError,
    Parameter,
    Protocol,
    Record,
    State,
    Step,
    Suite,
    Variable,
    Variant,
    action,
    inject,
    invariant,
    one_of,
    payload,
    record,
)
from bmc.lang.describe import model_of
from bmc.lang.protocol import drawing_said
from bmc.lang.state import Place, branches
from bmc.lang.terms import Expr, Handle, Held, Term, term_of

Number = Integer("Number", 0, 3)
OWN = sorted(
    {
        name
        for kind in (Expr, Held, Handle, Place, Term, State, Step)
        for name in (*dir(kind), *getattr(kind, "__annotations__", ()))
        if not name.startswith("__")
    }
    | {"term", "root", "path", "step", "sorts", "pen", "self", "s", "m", "sort", "name", "text"}
)
"""What is an attribute of ours, or was one: introspected, so that a new one is met here as well."""

identifiers = st.from_regex(r"\A[A-Za-z_][A-Za-z0-9_]{0,8}\Z").filter(
    lambda name: not name.startswith("__")
)


def reads_each_field(name: str) -> None:
    other = "b" if name == "a" else "a"
    sort = Record("R", **{name: Number, other: BOOL})
    (place,) = (State({"x": sort}).x,)
    for whole in (place, Handle(term_of(place)), record(sort, **{name: 1, other: True})):
        part = getattr(whole, name)
        assert isinstance(part, Held)
        assert term_of(part).op == "field"
        assert term_of(part).data == name
        assert term_of(part).sort == Number
    step = Step({"x": sort}, frozenset({"x"}))
    setattr(step.x, name, 2)
    (branch,) = branches(step)
    assert repr(branch.updates["x"]) == f"[x EXCEPT !.{name} = 2]"


def means_each_case(name: str) -> None:
    sort = Variant("V", **{name: Record("Inner", **{name: Number})})
    inner = record(Record("Inner", **{name: Number}), **{name: 1})
    content = payload(inject(sort, name, inner), name)
    assert term_of(getattr(content, name)).data == name


@pytest.mark.parametrize("name", [*OWN, *keyword.kwlist, *keyword.softkwlist])
def test_no_name_of_ours_hides_a_field(name: str) -> None:
    reads_each_field(name)
    means_each_case(name)


@given(identifiers)
@settings(max_examples=100, deadline=None)
def test_every_identifier_is_a_field(name: str) -> None:
    reads_each_field(name)
    means_each_case(name)


@pytest.mark.parametrize("name", [n for n in OWN if n not in ("require", "either")])
def test_variables_parameters_and_arguments_have_any_name(name: str, tmp_path: Path) -> None:
    if name.startswith("_"):
        return

    def act(self: Any, s: Step, *args: Expr) -> None:
        setattr(s, f"{name}_", args[0])

    def named(**found: Any) -> type[Protocol]:
        return type("Named", (Protocol,), found)

    file = tmp_path / "named.py"
    file.write_text(
        f"def Act(self_, s_, {name}):\n    setattr(s_, {name!r}, {name})\n"
        f"def Init(self_, s_):\n    setattr(s_, {name!r}, 0)\n",
        encoding="utf-8",
    )
    space = runpy.run_path(str(file))
    moves = action(**{name: Number})(space["Act"])
    made = named(
        **{name: Variable(Number)}, Init=action()(space["Init"]), Next=one_of(moves), Act=moves
    )
    (found,) = model_of(made).actions
    assert repr(found.branches[0].updates[name]) == name
    assert [a.name for a in found.arguments] == [name]


@pytest.mark.parametrize("name", ["require", "either", "_hidden"])
def test_the_words_of_a_step_are_no_variables(name: str) -> None:
    body = {name: Variable(Number), "Next": ()}
    with pytest.raises(LanguageError, match="a variable cannot be called"):
        model_of(type("Named", (Protocol,), body))


def test_a_variable_called_drawn_says_nothing_of_how_a_protocol_is_drawn() -> None:
    made = type("Named", (Protocol,), {"drawn": Variable(Number), "Next": ()})
    assert drawing_said(made(), State({"drawn": Number})) is None


def test_an_action_may_be_called_drawn_and_is_no_constraint() -> None:
    def drawn(self: Any, s: Step) -> None:
        s.n = 1

    def Init(self: Any, s: Step) -> None:
        s.n = 0

    body: dict[str, Any] = {"n": Variable(Number), "drawn": action()(drawn)}
    assert drawing_said(type("Named", (Protocol,), body)(), State({"n": Number})) is None
    drawn.__name__ = "Constraint"
    limit = action()(drawn)
    body |= {"Constraint": limit, "Init": action()(Init), "Next": one_of(body["drawn"], limit)}
    with pytest.raises(LanguageError, match="Constraint is a method: def Constraint"):
        model_of(type("Named", (Protocol,), body))


@pytest.mark.parametrize("name", ["__class__", "__private", "not an identifier", ""])
def test_a_name_that_python_reads_otherwise_is_no_field(name: str) -> None:
    with pytest.raises(LanguageError, match="cannot be called"):
        Record("R", **{name: Number})


class Raft(Protocol):
    """A field called ``term``, as Raft's entries have."""

    last = Parameter("last", 1, 1, 3, "the last term")

    Term = Integer("Term", 0, last)
    Entry = Record("Entry", term=Term, data=Term)
    a = Variable(Entry)
    b = Variable(Entry)

    @action()
    def Init(self, s: Step) -> None:
        s.a = record(self.Entry, term=0, data=0)
        s.b = record(self.Entry, term=0, data=1)

    @action()
    def Stay(self, s: Step) -> None:
        s.require(s.a.term == s.b.term)

    Next = one_of(Stay)

    @invariant("the terms agree, whatever the data")
    def Agree(self, s: State) -> Expr:
        return s.a.term == s.b.term

    @invariant("the data agree")
    def SameData(self, s: State) -> Expr:
        return s.a.data == s.b.data


def test_a_field_called_term_is_judged() -> None:
    from bmc.engines.kinduction import prove
    from bmc.engines.task import Task
    from bmc.evidence.verdict import Verdict

    results = prove(Task(Suite.of(Raft, "raft"), {"last": 1}, ("Agree", "SameData")))
    assert [r.verdict for r in results] == [Verdict.PROVED, Verdict.VIOLATED]
