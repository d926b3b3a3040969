"""Where a file is loaded all of Python is free, and it decides nothing about parameters."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from bmc.cli.shared.user_file import UserModelError, load

FILE = """
from __future__ import annotations
from bmc.lang import *
from bmc.lang.temporal import strong, weak
import collections, contextlib, dataclasses, enum, functools, typing
N = Parameter("n", 3, 1, 5, "a number")
@dataclasses.dataclass(frozen=True)
class Data:
    v: typing.Any
@functools.lru_cache
def once(k): return 4
def typed(f): return f
{top}
class P(Protocol):
    n = N
    m = Parameter("m", 3, 1, 5, "another")
    Server = Scalarset("Server", n)
    Client = Scalarset("Client", m)
    x = Variable(Integer("X", 0, 9))
    flag = Variable(BOOL)
    {body}
    @action()
    def Init(self, s):
        s.x = 0
        s.flag = False
    @action()
    def Go(self, s):
        s.x = {value}
    Next = one_of(Go)
"""

SIZES = [
    "{3: 4}.get(n, 1)",
    "4 if n in {3, 5} else 1",
    "4 if n in [3, 5] else 1",
    "4 if n in {3: 1} else 1",
    "4 if n in range(4) else 1",
    '{"3": 4}.get(f"{n}", 1)',
    '{"3": 4}.get(f"{n + 0}", 1)',
    '{"3": 4}.get(str(n), 1)',
    '{"3": 4}.get("%s" % n, 1)',
    '{"3": 4}.get("{}".format(n), 1)',
    "4 if n == 3 else 1",
    "4 if n.__eq__(3) is True else 1",
    "4 if (n,) == (3,) else 1",
    "[4, 3, 2].index(n)",
    "collections.Counter([n, m])[3]",
    "collections.defaultdict(lambda: 1)[n]",
    "len({n, m})",
    "len({n: 1, m: 2})",
    "(n - 3) or 4",
    "min(n, 4)",
    "max([1, 2], key=lambda k: n * k)",
    "any([n == 3])",
    "sum([n == 3, m == 3])",
    "{True: 4}.get(n == 3, 1)",
    "once(n)",
    "{Data(3): 4}.get(Data(n), 1)",
    "4 if Data(3) == Data(n) else 1",
    "4 if Server.size == 3 else 1",
    "4 if Server.size == Client.size else 1",
    "{3: 4}.get(Server.size, 1)",
    '{"3": 4}.get(f"{Server.size}", 1)',
    "4 if flag else 1",
    "4 if not flag else 1",
    "4 if n is m else 1",
    "4 if isinstance(n, int) else 1",
    "4 if type(n) is int else 1",
    "4 if hasattr(n, '__index__') else 1",
    "{'3': 4}.get(repr(n), 1)",
    "range(n)[0]",
]


def written(folder: Path, top: str = "", body: str = "", value: str = "1") -> str:
    """Return how a protocol of such a text is called."""
    path = folder / "of_a_file.py"
    path.write_text(FILE.format(top=top, body=body, value=value), encoding="utf-8")
    return f"{path}:P"


@pytest.mark.parametrize("size", SIZES)
def test_a_class_body_decides_nothing_about_a_parameter(tmp_path: Path, size: str) -> None:
    with pytest.raises(UserModelError, match=r"of_a_file\.py, line \d+"):
        load(written(tmp_path, body=f"size = {size}", value="self.size"))


OF_FILES = [
    "SIZE = {3: 4}.get(N, 1)",
    "class K(enum.Enum):\n    A = N\n    B = N + 0\nSIZE = len(K)",
    "class Mix:\n    size = {3: 4}.get(N, 1)\nSIZE = Mix.size",
    "class Mix:\n    def __init_subclass__(cls): cls.size = {3: 4}.get(cls.n, 1)\n"
    "class Q(Mix):\n    n = N\nSIZE = Q.size",
    "class Meta(type):\n    def __new__(m, name, bases, body):\n"
    "        body['size'] = {3: 4}.get(body['n'], 1)\n"
    "        return super().__new__(m, name, bases, body)\n"
    "class Q(metaclass=Meta):\n    n = N\nSIZE = Q.size",
    "def f(k={3: 4}.get(N, 1)): return k\nSIZE = f()",
    "@lambda f: {3: 4}.get(N, 1)\ndef SIZE(): pass",
    "try:\n    SIZE = 4 if N == 3 else 1\nexcept Exception:\n    SIZE = 1",
    "SIZE = 1\nwith contextlib.suppress(Exception):\n    SIZE = 4 if N == 3 else 1",
    "match N:\n    case 3:\n        SIZE = 4\n    case _:\n        SIZE = 1",
    "match N:\n    case int():\n        SIZE = 4\n    case _:\n        SIZE = 1",
    "def sized(k): return 4 if isinstance(k, int) else 1\nSIZE = sized(N)",
    "def sized(k): return 4 if not isinstance(k + 1, (str, list)) else 1\nSIZE = sized(N)",
    "def sized(k):\n    match k:\n        case int(): return 4\n        case _: return 1\n"
    "SIZE = sized(N)",
    "@functools.singledispatch\ndef sized(k): return 1\n"
    "@sized.register\ndef _(k: int): return 4\nSIZE = sized(N)",
    "SIZE = [1, 4][N.__class__ is int]",
    "if 1 < 2:\n    class Mix:\n        size = 4 if isinstance(N, int) else 1\n    SIZE = Mix.size",
]


@pytest.mark.parametrize("top", OF_FILES)
def test_nor_does_what_stands_beside_it(tmp_path: Path, top: str) -> None:
    with pytest.raises(UserModelError, match=r"of_a_file\.py, line \d+"):
        load(written(tmp_path, top, value="SIZE"))


LOST = {
    "n <= m": "says nothing: write s.require",
    "implies(n <= m, n + 1 <= m + 1)": "says nothing",
    "Variable(BOOL)": "without a name",
    "one_of(Base.Go)": "without a name",
    "weak('Go')": "without a name",
    "strong('Go'), weak('Go')": "without a name",
    "[weak(name) for name in ('Go',)]": "without a name",
    "{weak('Go')}": "without a name",
    "weak('Go') if 1 else strong('Go')": "without a name",
    "y: Variable(BOOL)": "write x = ...",
    "y: BOOL": "write x = ...",
    "k: Parameter('k', 1, 1, 2, '')": "write x = ...",
}


@pytest.mark.parametrize("line", LOST)
def test_what_says_nothing_is_refused_where_it_is_loaded(tmp_path: Path, line: str) -> None:
    base = "class Base(Protocol):\n    @action()\n    def Go(self, s): pass"
    with pytest.raises(UserModelError, match=rf"line \d+.*: `.*{LOST[line]}"):
        load(written(tmp_path, top=base, body=line))


REPLACED = [
    "@lambda f: None",
    "@lambda f: (lambda self, s: TRUE)",
    "@property",
    "@classmethod",
    "@once",
]


@pytest.mark.parametrize("above", REPLACED)
@pytest.mark.parametrize("declared", ["@action()", "@invariant('it is small')"])
def test_what_stands_above_a_declaration_leaves_it_there(
    tmp_path: Path, above: str, declared: str
) -> None:
    body = f"{above}\n    {declared}\n    def More(self, s):\n        return s.x < 3"
    once = "def once(f):\n    return functools.lru_cache(f)"
    with pytest.raises(UserModelError, match=r"line \d+.*takes its place, so nothing is declared"):
        load(written(tmp_path, once, body))


ASKED_NOWHERE = {
    "in a class inside": (
        "",
        "class Claims:\n        @invariant('it is small')\n"
        "        def Small(self, s): return s.x < 3",
    ),
    "behind a condition": (
        "class Mix:\n    if 1 < 2:\n        class Claims:\n"
        "            @invariant('it is small')\n            def Small(self, s): return s.x < 3",
        "",
    ),
    "deleted in the class": (
        "class Mix:\n    @invariant('it is small')\n    def Small(self, s): return s.x < 3\n"
        "    del Small",
        "",
    ),
    "deleted with its class": (
        "class Mix:\n    @invariant('it is small')\n    def Small(self, s): return s.x < 3\n"
        "del Mix",
        "",
    ),
}


@pytest.mark.parametrize("kind", ASKED_NOWHERE)
def test_a_claim_that_is_part_of_no_protocol_is_refused(tmp_path: Path, kind: str) -> None:
    top, body = ASKED_NOWHERE[kind]
    with pytest.raises(UserModelError, match=r"line \d+.*(part of no protocol|is never asked)"):
        load(written(tmp_path, top, body))


TAKEN_AWAY = ["del P.Go", "P.Go = None", "P.x = Variable(BOOL)", "setattr(P, 'n', N + 1)"]


@pytest.mark.parametrize("after", TAKEN_AWAY)
def test_what_a_class_has_declared_stays_declared(tmp_path: Path, after: str) -> None:
    file = written(tmp_path)
    path = Path(file.rpartition(":")[0])
    path.write_text(f"{path.read_text()}{after}\n")
    with pytest.raises(UserModelError, match=r"line \d+.*which would be gone"):
        load(file)


NEVER_RUN = [
    "return TRUE\n        return s.x < 3",
    "for k in (1, 2):\n            continue\n            self.other(s)\n        return TRUE",
    "if self.size:\n            return TRUE\n            self.other(s)\n        return TRUE",
]


@pytest.mark.parametrize("text", NEVER_RUN)
def test_what_stands_behind_the_end_of_a_block_is_refused(tmp_path: Path, text: str) -> None:
    body = f"size = 1\n    @invariant('it is small')\n    def Small(self, s):\n        {text}"
    with pytest.raises(UserModelError, match=r"line \d+, in Small: .* nothing comes to this"):
        load(written(tmp_path, body=body))


STAYS = [
    ("", "def none(self):\n        return\n        yield", "sum(self.none())"),
    ("", "if 2 < 1:\n        @invariant('off')\n        def More(self, s): return FALSE", "1"),
    ("", "lim = Integer('L', -n, n * 2 + m)", "3 - self.n"),
    ("", "lim = Integer('L', 0, n if n is not None else m)", "sum([self.n, 1])"),
    ("", "size = {'n': 4}.get(n.name, 1) + n.default", "self.size"),
    ("", "sizes = {'a': n, 'b': m}", "self.sizes['a']"),
    ("GUARDS = [N == 3, N > 4]", "", "ite(GUARDS[0], 1, 2)"),
    ("try:\n    import nothing_of_this_name\nexcept ImportError:\n    pass", "", "1"),
    ("", "class Note:\n        text = 'of nothing'\n    k = 1\n    del k", "1"),
    ("print(repr(N))", "count: int = 3\n    limit: int", "self.count"),
    ("KINDS = {isinstance(k, int): k for k in (1, 'a')}", "", "KINDS[True]"),
]


@pytest.mark.parametrize(("top", "body", "value"), STAYS)
def test_the_rest_of_python_is_free_there(tmp_path: Path, top: str, body: str, value: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load(written(tmp_path, top, body, value)).model(False).actions


def test_a_file_is_judged_anew_where_what_lies_beside_it_has_changed(tmp_path: Path) -> None:
    """Its text is as before, and its names mean something else."""
    path, beside = tmp_path / "loaded_again.py", tmp_path / "beside_it.py"
    path.write_text(
        "from bmc.lang import *\nfrom beside_it import K\nK > 2\nclass P(Protocol):\n"
        "    Number = Integer('Number', 0, 9)\n    x = Variable(Number)\n    @action()\n"
        "    def Init(self, s):\n        s.x = 0\n    @action()\n"
        "    def Go(self, s):\n        s.x = s.x + 1\n    Next = one_of(Go)\n"
    )
    beside.write_text("K = 3\n")
    assert load(f"{path}:P") is not None
    beside.write_text("from bmc.lang import Parameter\nK = Parameter('k', 2, 0, 3, 'k')\n")
    with pytest.raises(UserModelError, match=r"loaded_again\.py, line 3.*stands alone"):
        load(f"{path}:P")
