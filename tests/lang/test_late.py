"""What reads a name that is set once more before it is run says the last value: it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from bmc.cli.shared.user_file import UserModelError, load
from tests.lang.test_loaded import written

KEPT = {
    "a list": ("", "[lambda x: x + k for k in (1, 2)]"),
    "a table": ("", "list({k: lambda x: x + k for k in (1, 2)}.values())"),
    "a tuple": ("", "tuple(lambda x: x + k for k in (1, 2))"),
    "objects": ("", "[one.v for one in [Data(lambda x: x + k) for k in (1, 2)]]"),
    "by a condition": ("", "[k and (lambda x: x + k) for k in (1, 2)]"),
    "spread": ("", "[*((lambda x: x + k) for k in (1, 2))]"),
    "of a generator": (
        "def made():\n    for k in (1, 2):\n        yield lambda x: x + k\nALL = [*made()]",
        "ALL",
    ),
    "a name of a pattern": (
        "ALL = []\nfor i in (1, 2):\n    match i:\n        case k:\n"
        "            ALL.append(lambda x: x + k)",
        "ALL",
    ),
    "of the module": ("ALL = []\nfor k in (1, 2):\n    ALL.append(lambda x: x + k)", "ALL"),
    "under a name": (
        "ALL = []\nfor k in (1, 2):\n    f = lambda x: x + k\n    ALL.append(f)",
        "ALL",
    ),
    "one more": ("ALL = []\nfor k in (1, 2):\n    ALL = [*ALL, lambda x: x + k]", "ALL"),
    "added": ("ALL = []\nfor k in (1, 2):\n    ALL += [lambda x: x + k]", "ALL"),
    "a name of the loop": (
        "ALL = {}\nfor i in (1, 2):\n    k = i + 1\n    ALL[i] = lambda x: x + k",
        "list(ALL.values())",
    ),
    "a class": (
        "ALL = []\nfor k in (1, 2):\n    class Of:\n        @staticmethod\n"
        "        def f(x): return x + k\n    ALL.append(Of)",
        "[one.f for one in ALL]",
    ),
    "a function": (
        "def made():\n    found = []\n    for k in (1, 2):\n        def f(x):\n"
        "            return x + k\n        found.append(f)\n    return found\nALL = made()",
        "ALL",
    ),
    "by a helper that gives it back": (
        "def keep(f): return f",
        "[keep(lambda x: x + k) for k in (1, 2)]",
    ),
    "by a helper that keeps it": (
        "def keep(f, into): into.append(f)\nALL = []\n"
        "for k in (1, 2):\n    keep(lambda x: x + k, ALL)",
        "ALL",
    ),
    "by a helper of a helper": (
        "def same(f): return f\ndef keep(*, f): return same(f)",
        "[keep(f=lambda x: x + k) for k in (1, 2)]",
    ),
    "in a function of a helper's": (
        "def keep(f):\n    def later(x): return f(x)\n    return later",
        "[keep(lambda x: x + k) for k in (1, 2)]",
    ),
    "among many arguments": (
        "def keep(*fs): return fs[0]",
        "[keep(lambda x: x + k) for k in (1, 2)]",
    ),
    "under an attribute": (
        "class Of: pass\nALL = [Of(), Of()]\n"
        "for k in (0, 1):\n    setattr(ALL[k], 'f', lambda x: x + k)",
        "[one.f for one in ALL]",
    ),
    "a name that is set again": (
        "def made():\n    k = 1\n    f = lambda x: x + k\n    k = 2\n    return f\nALL = [made()]",
        "ALL",
    ),
    "an argument that is set again": (
        "def made(k):\n    def f(x): return x + k\n    k += 1\n    return f\nALL = [made(1)]",
        "ALL",
    ),
    "a name of the file": ("k = 1\ndef f(x): return x + k\nk = 2", "[f]"),
    "by a comprehension": (
        "def made():\n    k = 1\n    f = lambda x: x + k\n    _ = [k := i for i in (1, 2)]\n"
        "    return f\nALL = [made()]",
        "ALL",
    ),
}


@pytest.mark.parametrize("kind", KEPT)
def test_what_is_run_later_has_what_it_reads_as_arguments(tmp_path: Path, kind: str) -> None:
    top, functions = KEPT[kind]
    with pytest.raises(UserModelError, match=r"line \d+, in Go: `k` .* is set once more.* k=k"):
        load(written(tmp_path, top, value=f"sum(f(s.x) for f in {functions})"))


STAYS = {
    "an argument": ("", "sum(f(s.x) for f in [lambda x, k=k: x + k for k in (1, 2)])"),
    "what is run at once": (
        "",
        "sum(last(X, lambda x: x <= k, 0) for k in (1, 2))",
    ),
    "what a helper runs": (
        "def run(f, x): return f(x)",
        "sum([run(lambda x: x + k, s.x) for k in (1, 2)])",
    ),
    "what an iterator runs": (
        "",
        "sum([y for k in (1, 2) for y in list(map(lambda x: x + k, [s.x]))])",
    ),
    "what another function makes": (
        "def made(k): return lambda x: x + k\nALL = [made(k) for k in (1, 2)]",
        "sum(f(s.x) for f in ALL)",
    ),
    "a class of another function's": (
        "def made(k):\n    class Of:\n        @staticmethod\n        def f(x): return x + k\n"
        "    return Of\nALL = [made(k) for k in (1, 2)]",
        "sum(one.f(s.x) for one in ALL)",
    ),
    "what a method runs": (
        "class Of:\n    def run(self, f, x): return Of.again(f, x)\n"
        "    @staticmethod\n    def again(f, x):\n        y = f(x)\n        return y",
        "sum([Of().run(lambda x: x + k, s.x) for k in (1, 2)])",
    ),
    "what a helper binds": (
        "def least(f): return last(X, lambda x: f(x), 0)",
        "sum([least(lambda x: x <= k) for k in (1, 2)])",
    ),
    "what is run before": (
        "def made(x):\n    k = 1\n    f = lambda x: x + k\n    y = f(x)\n    k = 2\n"
        "    return y + k",
        "made(s.x)",
    ),
    "what is set below alone": ("def f(x): return x + k\nk = 2", "f(s.x)"),
    "what is chosen before": (
        "try:\n    k = 1\nexcept OSError:\n    k = 2\ndef f(x): return x + k",
        "f(s.x)",
    ),
    "a name of its own": ("", "sum(f(s.x) for f in [lambda k: k + 1 for k in (1, 2)])"),
}


@pytest.mark.parametrize("kind", STAYS)
def test_what_is_run_in_its_turn_stays(tmp_path: Path, kind: str) -> None:
    top, value = STAYS[kind]
    top = f'X = Integer("X", 0, 9)\n{top}'
    assert load(written(tmp_path, top, value=value)).model(False).actions
