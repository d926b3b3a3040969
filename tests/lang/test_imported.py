"""What a file imports takes the place of nothing in it, and is not left unasked."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

import bmc.lang
from bmc.cli.shared.user_file import UserModelError, load
from bmc.lang import drawing, ranking, temporal


@pytest.mark.parametrize("module", [drawing, ranking, temporal])
def test_a_star_import_hides_no_word(module: ModuleType) -> None:
    given = set(module.__all__)
    assert given
    for name in given & set(bmc.lang.__all__):
        assert getattr(module, name) is getattr(bmc.lang, name)


FILE = """from bmc.lang import *
{above}
class P(Protocol):
    x = Variable(Integer("X", 0, 3))
    @action()
    def Init(self, s):
        s.x = 0
    @action()
    def Go(self, s):
        held(s)
        s.x = 1
    Next = one_of(Go)
{below}
"""
BESIDE = {
    "one": "from bmc.lang import *\nK = 2\ndef held(s): s.require(s.x == 2)\n_own = 1\n",
    "two": "def held(s): s.require(s.x == 1)\nK = 2\n",
    "three": "from one import *\n",
    "claims": "from bmc.lang import *\n@invariant('i')\ndef Small(m, s): return s.x < 2\n",
    "four": '__all__ = ["K"]\nK = 3\ndef held(s): s.require(s.x == 1)\n',
}


def read(folder: Path, above: str, below: str = "") -> None:
    for name, text in BESIDE.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    path = folder / "starred.py"
    path.write_text(FILE.format(above=above, below=below), encoding="utf-8")
    load(f"{path}:P")


@pytest.mark.parametrize(
    ("above", "name", "line"),
    [
        ("def held(s): s.require(s.x == 0)\nfrom one import *", "held", 2),
        ("held = lambda s: s.require(s.x == 0)\nfrom one import *", "held", 2),
        ("from two import held\nfrom one import *", "held", 2),
        ("from two import held as K\nfrom one import *", "K", 2),
        ("from one import *\nfrom two import *", "held", 2),
        ("from two import *\nfrom three import *", "held", 2),
        ("class K: pass\nfrom one import *", "K", 2),
    ],
)
def test_what_a_star_import_takes_the_place_of_is_told(
    above: str, name: str, line: int, tmp_path: Path
) -> None:
    with pytest.raises(UserModelError) as refused:
        read(tmp_path, above)
    said = str(refused.value)
    assert f"line {line}" in said or f":{line}" in said
    assert f"gives {name} another meaning" in said


@pytest.mark.parametrize(
    "above",
    [
        "from one import *",
        "from one import *\nfrom three import *",
        "from one import held\nfrom one import *",
        "from two import held\nfrom four import *",
        "from two import K\nfrom one import *",
        # Nothing reads K, and what is written below an import stands there for all to read.
        "from two import *\nfrom four import *",
        "from one import *\ndef held(s): s.require(s.x == 0)",
    ],
)
def test_star_imports_that_give_the_same_are_taken(above: str, tmp_path: Path) -> None:
    read(tmp_path, above)


@pytest.mark.parametrize(
    ("above", "below", "told"),
    [
        ("from claims import Small", "", True),
        ("from claims import Small as S", "", True),
        ("from claims import Small", "W = Suite('w', P, '', (Small,))", False),
        ("from claims import Small", "    Own = Small", False),
        ("import claims", "", False),
        ("from claims import *", "", False),
        ("from claims import Small", "__all__ = ['Small', 'P']", False),
    ],
)
def test_what_is_imported_by_name_and_asked_nowhere_is_refused(
    tmp_path: Path, above: str, below: str, told: bool
) -> None:
    above = f"{above}\nfrom two import held"
    if not told:
        read(tmp_path, above, below)
        return
    with pytest.raises(UserModelError, match=r"line 2: .* is imported here and part of no"):
        read(tmp_path, above, below)
