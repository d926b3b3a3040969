"""Reading a method leaves all that the files of a protocol hold as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from bmc.cli.shared.catalogue import built_in
from bmc.cli.shared.user_file import UserModelError, checked, load
from bmc.lang.outliving import Keeping, modules_of

FILE = """
from __future__ import annotations
from bmc.lang import *
import collections, functools, itertools, operator, types
{top}
class P(Protocol):
    x = Variable(Integer("X", 0, 9))
    table = {{}}
    @action()
    def Init(self, s):
        s.x = 0
    @action()
    def Go(self, s):
        {body}
        s.x = 1 + {value}
    Next = one_of(Go)
"""

CHANGED = {
    "an element": ("CALLS = {'n': 0}", "CALLS['n'] += 1", "int(CALLS['n'] > 9)"),
    "a list": ("CALLS = []", "CALLS.append(1)", "len(CALLS) // 9"),
    "a list in a table": ("CALLS = {'n': []}", "CALLS['n'].append(1)", "len(CALLS['n']) // 9"),
    "a set": ("CALLS = set()", "CALLS.add(len(CALLS))", "len(CALLS) // 9"),
    "a queue": ("CALLS = collections.deque()", "CALLS.append(1)", "len(CALLS) // 9"),
    "a count": ("CALLS = collections.Counter()", "CALLS.update('a')", "CALLS['a'] // 9"),
    "by a word": ("CALLS = [0]", "operator.setitem(CALLS, 0, CALLS[0] + 1)", "CALLS[0] // 9"),
    "in the class": ("", "self.table[len(self.table)] = 1", "len(self.table) // 9"),
    "of the class": ("", "setattr(P, 'calls', getattr(P, 'calls', 0) + 1)", "P.calls // 9"),
    "of a module": (
        "import sys\nHERE = sys.modules[__name__]\nN = 0",
        "setattr(HERE, 'N', HERE.N + 1)",
        "N // 9",
    ),
    "a default": (
        "def calls(seen=[]):\n    seen.append(1)\n    return len(seen)",
        "calls()",
        "calls() // 99",
    ),
    "of a function": (
        "def calls():\n    calls.n += 1\n    return calls.n\ncalls.n = 0",
        "calls()",
        "calls() // 99",
    ),
    "a name around": (
        "def counting():\n    n = 0\n    def calls():\n        nonlocal n\n        n += 1\n"
        "        return n\n    return calls\ncalls = counting()",
        "calls()",
        "calls() // 99",
    ),
    "of an object": (
        "class Calls:\n    n = 0\n    def more(self):\n        self.n += 1\nCALLS = Calls()",
        "CALLS.more()",
        "CALLS.n // 9",
    ),
    "of an object with slots": (
        "class Calls:\n    __slots__ = ('n',)\n    def __init__(self):\n        self.n = 0\n"
        "CALLS = Calls()",
        "CALLS.n += 1",
        "CALLS.n // 9",
    ),
    "of an object with one slot": (
        "class Calls:\n    __slots__ = 'count'\n    def __init__(self):\n        self.count = 0\n"
        "CALLS = Calls()",
        "CALLS.count += 1",
        "CALLS.count // 9",
    ),
    "of an object with a slot of its own": (
        "class Calls:\n    __slots__ = ('__n',)\n    def __init__(self):\n        self.__n = 0\n"
        "    def more(self):\n        self.__n += 1\n        return self.__n\nCALLS = Calls()",
        "CALLS.more()",
        "CALLS.more() // 9",
    ),
    "of a plain object": ("CALLS = types.SimpleNamespace(n=0)", "CALLS.n += 1", "CALLS.n // 9"),
    "of a partial function": (
        "def more(seen):\n    seen.append(1)\n    return len(seen)\n"
        "calls = functools.partial(more, [])",
        "calls()",
        "calls() // 99",
    ),
    "in its own iterator": (
        "class Calls:\n    n = 0\n    def __iter__(self):\n        return self\n"
        "    def __next__(self):\n        self.n += 1\n        return self.n\nCALLS = Calls()",
        "_ = next(CALLS)",
        "CALLS.n // 9",
    ),
}


def written(folder: Path, top: str, body: str, value: str) -> str:
    """Return how a protocol of such a text is called."""
    path = folder / "of_notes.py"
    path.write_text(FILE.format(top=top, body=body, value=value), encoding="utf-8")
    return f"{path}:P"


@pytest.mark.parametrize("what", CHANGED)
def test_what_a_method_changes_for_later_is_refused(tmp_path: Path, what: str) -> None:
    said = r"of_notes\.py, line \d+.*: .* is changed while methods are read"
    with pytest.raises(UserModelError, match=said):
        load(written(tmp_path, *CHANGED[what]))


ITERATORS = [
    "itertools.count()",
    "itertools.cycle([0, 0, 0, 0, 0, 0, 1])",
    "iter([0] * 9)",
    "(0 for _ in range(9))",
    "map(abs, [0] * 9)",
    "zip([0] * 9, [0] * 9)",
]


@pytest.mark.parametrize("made", ITERATORS)
@pytest.mark.parametrize("asks", ["next(GIVES)", "next([GIVES][0])"])
def test_an_iterator_of_a_file_is_not_asked(tmp_path: Path, made: str, asks: str) -> None:
    with pytest.raises(UserModelError, match=r"of_notes\.py, line \d+"):
        load(written(tmp_path, f"GIVES = {made}", f"_ = {asks}", "0"))


KEPT = [
    ("NAMES = ['a']", "found = [*NAMES]\n        found.append('b')", "len(found) - 2"),
    ("@functools.cache\ndef size(n):\n    return n", "size(3)", "size(3) - 3"),
    ("import enum\nclass K(enum.Flag):\n    A = 1\n    B = 2", "_ = K.A | K.B", "K.A.value - 1"),
    ("UNUSED = itertools.cycle([1])", "seen = {}\n        seen['a'] = 1", "seen['a'] - 1"),
]


@pytest.mark.parametrize(("top", "body", "value"), KEPT)
def test_what_a_method_makes_for_itself_stays(
    tmp_path: Path, top: str, body: str, value: str
) -> None:
    assert load(written(tmp_path, top, body, value)).model(False).actions


@pytest.mark.parametrize("name", ["kafka-kip320", "verified-log-waiting"])
def test_the_protocols_of_bmc_keep_to_it(name: str) -> None:
    suite = built_in()[name]
    assert checked(suite) is suite


def test_what_is_filled_elsewhere_is_found_by_its_module(tmp_path: Path) -> None:
    (tmp_path / "beside_notes.py").write_text("NOTES = []\n", encoding="utf-8")
    top, body = "import beside_notes", "beside_notes.NOTES.append(1)"
    with pytest.raises(UserModelError, match="NOTES is changed while methods are read"):
        load(written(tmp_path, top, body, "len(beside_notes.NOTES) // 9"))


def test_nothing_is_found_where_nothing_is_changed() -> None:
    keeping = Keeping(modules_of([type(built_in()["id-sequence"])]))
    keeping.require_unchanged()


OF_ONE_TEXT = """import functools
from bmc.lang import *
{line}
def not_nine(s):
    s.require(s.x != 9)

def guard(s):
    not_nine(s)

class P(Protocol):
    Number = Integer("Number", 0, 9)
    x = Variable(Number)
    @action()
    def Init(self, s):
        s.x = 0
    @action()
    def Go(self, s):
        guard(s)
        s.x = s.x + 1
    Next = one_of(Go)
"""


def test_a_function_is_judged_anew_where_its_words_mean_something_else(tmp_path: Path) -> None:
    """Python holds equal what it makes of one text in two files; the first was judged for both."""
    for name, line in (("a", "# each time"), ("b", "@functools.cache")):
        (tmp_path / f"{name}.py").write_text(OF_ONE_TEXT.format(line=line), encoding="utf-8")
    first = load(f"{tmp_path / 'a.py'}:P")
    assert first is not None
    with pytest.raises(UserModelError, match=r"b\.py, line 8, in Go: `not_nine`"):
        load(f"{tmp_path / 'b.py'}:P")
