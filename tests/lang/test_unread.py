"""A value that a text makes and that nothing in it reads is told, with file and line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import indent

import pytest

from bmc.cli.shared.catalogue import built_in
from bmc.cli.shared.user_file import load
from bmc.lang.unread import gathered
from tests.cli.running import bmc

FILE = """
from bmc.lang import *

class Box:
    def __init__(self, n):
        self.n = n
    def set(self, n):
        self.n = n

class P(Protocol):
    raising = False
    {named}
    x = Variable(Integer("X", 0, 9))
    y = Variable(Integer("X", 0, 9))
    def parts(self, s):
        return s.x + 1, s.y + 1
    @action()
    def Init(self, s):
        s.x, s.y = 0, 0
    @action()
    def Go(self, s):
{body}
        s.y = 0
    @action()
    def More(self, s):
{more}
        s.y = 1
    @invariant("none is above")
    def Small(self, s):
        return s.x < 1
    Next = one_of(Go, More)
"""


def file(folder: Path, body: str, more: str = "s.x = 0", named: str = "known = ('parts',)") -> str:
    path = folder / "of_a_file.py"
    parts = {"body": indent(body, " " * 8), "more": indent(more, " " * 8), "named": named}
    path.write_text(FILE.format(**parts))
    return f"{path}:P"


def notes(folder: Path, body: str, more: str = "s.x = 0") -> tuple[str, ...]:
    return load(file(folder, body, more)).notes


LEFT = [
    "box = Box(s.x)\nbox.set(box.n + 1)",
    'box = Box(s.x)\nsetattr(box, "n", box.n + 1)',
    "def raised(n=s.x + 1):\n    s.x = 0\nraised()",
    "one, other = self.parts(s)\ns.x = ite(one > 3, 0, s.x)",
    "new = {}\nnew.setdefault('x', maximum(s.x, 1))",
]


@pytest.mark.parametrize("body", LEFT)
def test_what_nothing_reads_is_told_with_its_line(tmp_path: Path, body: str) -> None:
    told = notes(tmp_path, body)
    assert len(told) == 1
    assert told[0].startswith("of_a_file.py, line ")
    assert "makes a value that nothing reads" in told[0]


READ = [
    ("box = Box(s.x)\nbox.set(box.n + 1)\ns.x = ite(box.n > 3, 0, s.x)", "s.x = 0"),
    # By another method.
    ("s.x = minimum(self.parts(s)[0], 3)", "s.x = minimum(self.parts(s)[1], 3)"),
    # In another turn.
    ("last = s.x\nfor k in (1, 2):\n    s.require(last != 7)\n    last = last + k", "s.x = 0"),
    # Not made.
    ("if self.raising:\n    new = Box(s.x + 1)", "s.x = 0"),
    ("_ = s.x + 1", "s.x = 0"),
]


@pytest.mark.parametrize(("body", "more"), READ)
def test_what_is_read_somewhere_is_not(tmp_path: Path, body: str, more: str) -> None:
    assert notes(tmp_path, body, more) == ()


NAMED = [
    "known = ('parts',)",
    "known = lambda self: self.parts",
    "def known(self): getattr(self, 'p' + self.x)",
]


@pytest.mark.parametrize(("named", "told"), [("pass", 1), *((text, 0) for text in NAMED)])
def test_a_method_that_nothing_names_is_told(named: str, told: int, tmp_path: Path) -> None:
    """A claim or an action without its decorator was asked by nobody, without a word."""
    path = Path(file(tmp_path, "s.x = 0", named=named).rpartition(":")[0])
    path.write_text(path.read_text() + "\nclass Own(P):\n    pass\n")
    # What a class inherits is as little asked for.
    for name in ("P", "Own"):
        notes = load(f"{path}:{name}").notes
        assert [one.split(":")[0] for one in notes] == ["of_a_file.py, line 15"] * told
        assert all("nothing names the method parts" in one for one in notes)


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ("@invariant('none is high')\n    def High(self, s):\n        return s.x < 9", 0),
        ("@invariant('none is low')\n    def Low(self, s):\n        return self.High(s)", 0),
        ("pass", 1),
    ],
)
def test_an_inherited_method_is_told_unless_the_class_names_it_or_has_its_own(
    own: str, told: int, tmp_path: Path
) -> None:
    path = Path(file(tmp_path, "s.x = 0").rpartition(":")[0])
    mixed = "class Mixed:\n    def High(self, s):\n        return s.x < 2\n"
    text = path.read_text().replace("class P(", f"{mixed}\nclass P(")
    path.write_text(f"{text}\nclass Own(Mixed, P):\n    {own}\n")
    notes = load(f"{path}:Own").notes
    assert ["nothing names the method High" in one for one in notes] == [True] * told


@pytest.mark.parametrize(
    ("caller", "told"),
    [
        ("", 2),
        ("def two(self, s): self.Go(s)\n    others = 'two'", 1),
        ("def two(self, s): P.Go(self, s)\n    others = 'two'", 1),
        ("others = 'Go', 'Few'", 0),
    ],
)
def test_a_default_that_nothing_reads_is_told(caller: str, told: int, tmp_path: Path) -> None:
    """An action is taken with each value of its sort, whatever its argument is without one."""
    named = (
        'X = Integer("X", 0, 9)\n    known = "parts"\n'
        "    @action(by=X)\n    def Go(self, s, by=1):\n        s.x, s.y = by, 0\n"
        '    @invariant("few", n=X)\n    def Few(self, s, *, n=2):\n        return s.x < 9\n'
    )
    written = file(tmp_path, "s.x = 0", named=f"{named}    {caller}")
    text = Path(written.rpartition(":")[0])
    gone = "    @action()\n    def Go(self, s):\n        s.x = 0\n        s.y = 0\n"
    assert gone in text.read_text()
    text.write_text(text.read_text().replace(gone, ""))
    notes = load(written).notes
    begun = ["nothing reads the default of by: Go", "nothing reads the default of n: Few"]
    assert [one.split(": ", 1)[1].split(" is read")[0] for one in notes] == begun[2 - told :]


@pytest.mark.parametrize(
    "written",
    [
        "def Few(s): return s.x < 2",
        "@staticmethod\n    def Few(s): return s.x < 2",
        "@classmethod\n    def Few(self, s): return s.x < 2",
        "@operator\n    def Few(self, s): return s.x < 2",
        "def Few(*given): return given[1].x < 2",
        "def Few(self, *, s): return s.x < 2",
        "Few = lambda self, s: s.x < 2",
    ],
)
def test_however_a_method_is_written_that_nothing_names_it_is_told(
    written: str, tmp_path: Path
) -> None:
    notes = load(file(tmp_path, "s.x = 0", named=f"known = ('parts',)\n    {written}")).notes
    assert [one.split(":")[1] for one in notes] == [" nothing names the method Few"]


@pytest.mark.parametrize(
    ("lists", "told"),
    [
        ("Steps = one_of(Go)", 1),
        ("Steps = one_of(Go)\n    Next = one_of(*Steps, More)", 0),
        ("Steps = one_of(Go)\n    known = 'Steps'", 0),
    ],
)
def test_actions_that_are_listed_and_no_next_are_told(
    lists: str, told: int, tmp_path: Path
) -> None:
    """Where a class inherits its Next, another protocol was judged than the one that is written."""
    base = file(tmp_path, "s.x = 0").rpartition(":")[0]
    text = Path(base).read_text()
    text += f"\nGo, More = P.Go, P.More\nclass Own(P):\n    {lists}\n"
    Path(base).write_text(text)
    notes = load(f"{base}:Own").notes
    line = text[: text.index("Steps")].count("\n") + 1
    assert (
        notes
        == (
            f"of_a_file.py, line {line}: nothing names the actions that Steps lists: what a "
            "protocol does is its Next; leave out what nobody needs",
        )[:told]
    )


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        ("Fair = (weak('Go'),)", 1),
        ("Fair = [strong('Go')]", 1),
        ("Fair = weak('Go')", 1),
        # What the string names is a specification, and this is none.
        ("Fair = (weak('Go'),)\n    known = 'Fair'", 1),
        ("Fair = (weak('Go'),)\n    Under = Specification('Under', Fair)", 0),
        ("Under = Specification('Under', (weak('Go'),))", 0),
        ("Fair = {'a': weak('Go')}", 1),
        ("Fair = ((weak('Go'),),)", 1),
        ("Fair = (Specification('Under', (weak('Go'),)),)", 1),
    ],
)
def test_fairness_that_no_specification_lists_is_told(
    listed: str, told: int, tmp_path: Path
) -> None:
    """A claim was violated for want of the fairness that the class seems to declare."""
    path = Path(file(tmp_path, "s.x = 0", named=listed).rpartition(":")[0])
    text = "from bmc.lang.temporal import *\n" + path.read_text().replace("parts", "Small")
    text = text.replace("    def Small(self, s):\n        return s.x + 1, s.y + 1\n", "")
    path.write_text(text + "\nclass Own(P):\n    pass\n")
    line = text[: text.index("Fair")].count("\n") + 1 if told else 0
    # What a class inherits is as little asked for.
    for name in ("P", "Own"):
        notes = load(f"{path}:{name}").notes
        assert [one.split(": claims")[0] for one in notes] == [
            f"of_a_file.py, line {line}: nothing names the fairness Fair"
        ] * told


@pytest.mark.parametrize(
    ("beside", "told"),
    [
        ("Fair = weak('Go')", "fairness Fair"),
        ("Fair = {'a': (weak('Go'),)}", "fairness Fair"),
        ("Fair = Specification('Fair', (weak('Go'),))", "specification Fair"),
        ("Next = one_of(P.Go)", "actions that Next lists"),
        ("class Past(History):\n    def initially(self, s): pass", "history Past"),
        ("Fair = (weak('Go'),)\nclass Own(P):\n    F = Specification('F', Fair)", ""),
        (
            "Fair = Specification('Fair', (weak('Go'),))\n"
            "SUITE = Suite('p', P, 'x', properties=(P.Small,), specifications=(Fair,))",
            "",
        ),
        (
            "class Past(History):\n    def initially(self, s): pass\n"
            "SUITE = Suite('p', P, 'x', properties=(P.Small,), history=Past)",
            "",
        ),
        ("Fair = (weak('Go'),)\n__all__ = ('P', 'Fair')", ""),
    ],
)
def test_what_waits_beside_its_class_for_a_suite_is_told(
    beside: str, told: str, tmp_path: Path
) -> None:
    """A claim was judged without the fairness that stands below its class."""
    path = Path(file(tmp_path, "s.x = 0", named="known = ('parts',)").rpartition(":")[0])
    text = f"from bmc.lang.temporal import *\n{path.read_text()}\n"
    path.write_text(f"{text}{beside}\n")
    notes = load(f"{path}:P").notes
    assert len(notes) == bool(told)
    place = f"of_a_file.py, line {text.count(chr(10)) + 1}: "
    assert all(one.startswith(f"{place}nothing names the {told}") for one in notes)


HISTORY = """

class Past(History):
    seen = Variable(BOOL)

    def initially(self, s):
        s.seen = False

    {decorator}
    def steps(self, s):
        s.seen = True


PAST = Suite("past", P, "a", (P.Small,), history=Past)
"""


@pytest.mark.parametrize(("decorator", "told"), [("", 1), ('@after("Go")', 0)])
def test_a_method_of_a_history_that_follows_nothing_is_told(
    decorator: str, told: int, tmp_path: Path
) -> None:
    """Its ghosts stood still, without a word."""
    path = Path(file(tmp_path, "s.x = 0").rpartition(":")[0])
    path.write_text(path.read_text() + HISTORY.format(decorator=decorator))
    notes = load(f"{path}:PAST").notes
    assert ["nothing names the method steps" in one for one in notes] == [True] * told


def test_every_answer_says_so(tmp_path: Path) -> None:
    asked = file(tmp_path, LEFT[0])
    commands = {name: (name, asked) for name in ("explore", "prove", "check", "cover", "infer")}
    commands["mine"] = ("mine", asked, "--states", "10")
    for words in commands.values():
        assert "nothing reads" in bmc(*words).out, words
        document = bmc(*words, "--json").document
        assert "nothing reads" in document["scope"]["notes"][0], words
    out = str(tmp_path / "executions")
    assert "nothing reads" in bmc("testgen", asked, "--out", out).out


@pytest.mark.nightly
def test_protocols_of_the_catalogue_make_nothing_in_vain() -> None:
    for suite in built_in().values():
        # A copy has read nothing yet.
        anew = replace(suite)
        with gathered() as unread:
            model = anew.model(ghosts=anew.history is not None)
            for declared in (*anew.properties, *anew.lemmas):
                anew.describe(declared, model)
        assert unread.notes() == (), suite.name
