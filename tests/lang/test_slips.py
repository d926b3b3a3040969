"""What is written twice, in the wrong place or for the first of several alone is refused."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from bmc.cli.shared.user_file import UserModelError, load

FILE = """
from bmc.lang import *
from bmc.lang.temporal import Specification, strong, weak
{top}
class P(Protocol):
    x = Variable(Integer("X", 0, 3))
    flag = Variable(BOOL)
    kind = "slow"
{inside}
    @action()
    def Init(self, s):
        s.x = 0
        s.flag = False
    @action()
    def Go(self, s):
{body}
{below}
"""

NEXT = "Next = one_of(Go)"


def loaded(
    folder: Path, body: str = "s.x = 1", inside: str = "", top: str = "", below: str = NEXT
) -> None:
    path = folder / "of_a_file.py"
    text = FILE.format(
        top=top,
        inside=indent(inside, " " * 4),
        body=indent(body, " " * 8),
        below=indent(below, "    "),
    )
    path.write_text(text, encoding="utf-8")
    load(f"{path}:P")


LOST_IN_ACTIONS = [
    # A text is true, whatever it says.
    'if self.kind == "quick" or "none":\n    s.x = 1',
    'ready = self.kind == "quick" or "none"\nif ready:\n    s.x = 1',
    'if self.kind == ("quick" or "none"):\n    s.x = 1\ns.flag = True',
    'if "quick":\n    s.x = 1',
    's.x = 1 if self.kind != "quick" and "none" else 2',
    # What an assertion says where it fails is made by nobody where it does not.
    "assert True, s.x == 3\ns.x = 1",
    "assert self.kind, s.require\ns.x = 1",
    # A name of Python's is no variable.
    "x = 1\ns.flag = True",
    "flag = True\ns.x = 1",
    "flag: bool = True\ns.x = 1",
    "x, flag = 1, True",
    # A loop that is left in its first turn says nothing of the others.
    "for k in (1, 2):\n    s.require(s.x != k)\n    break\ns.flag = True",
    "for k in (1, 2):\n    if k == 1:\n        s.require(s.x != k)\n        break\n"
    "    else:\n        s.require(s.flag)\n        return",
    # What was asked before is not asked again.
    'for k in ("a", "b"):\n    if k == "a":\n        s.require(s.x < 1)\n'
    '    elif k == "a":\n        s.require(s.flag)\n    else:\n        s.require(s.x < 3)',
    'match self.kind:\n    case "slow":\n        s.x = 1\n    case "slow":\n        s.x = 2',
    's.x = {"slow": 1, "slow": 2}["slow"]',
    # So does `zip`, which ends with the shortest.
    "for k, _ in zip((1, 2, 3), (1, 2)):\n    s.require(s.x != k)\ns.flag = True",
    "for k, _ in zip(self.kind, (1, 2)):\n    s.require(s.flag == (k == 's'))\ns.x = 1",
    "s.require(conj(*[s.x != k for k, _ in zip([1, 2], (1,))]))\ns.x = 1",
    # `+=` with its signs turned round counts on nothing.
    "s.x =+ 1",
    "s.flag = True\ns.x =- 1",
    "x = s.x\nx =+ 1\ns.x = x",
    # One text in parentheses is no tuple, and has letters.
    'for k in ("slow"):\n    if self.kind == k:\n        s.require(s.x < 1)\ns.x = 1',
    'if self.kind in ("slower"):\n    s.require(s.x < 1)\ns.x = 1',
    's.x = sum([1 for k in ( "slow") if k == self.kind])',
]


@pytest.mark.parametrize("body", LOST_IN_ACTIONS)
def test_no_guard_or_value_of_an_action_is_lost_by_a_slip(tmp_path: Path, body: str) -> None:
    with pytest.raises(UserModelError, match=r"of_a_file\.py, line \d+"):
        loaded(tmp_path, body)


CLAIM = '@invariant("small")\ndef Small(self, s):\n    return s.x < 2\n'

LOST_IN_CLASSES = [
    # Moved to the right by mistake.
    "def helper(self, s):\n" + indent(CLAIM, "    ") + "    return s.flag\n",
    "def helper(self, s):\n    return s.flag\n" + indent(CLAIM, "    "),
    '@invariant("a")\ndef A(self, s):\n' + indent(CLAIM, "    ") + "    return s.x < 4\n",
    "@action()\ndef Other(self, s):\n    s.x = 2\n    @action()\n    def More(self, s):\n"
    "        s.x = 3\n",
    "def helper(self, s):\n    if TRUE is not None:\n" + indent(CLAIM, " " * 8),
    # Copied, and half of it changed.
    "LOW = 1\nLOW = 2\n",
    "LOW = 1\ndef LOW(self, s): return s.x < 2\n",
    'AFTER = {"slow": 1, "slow": 2}\n',
    "LOW: int = 1\nHIGH = 3\nLOW = 2\n",
    '@invariant("a")\ndef A(self, s):\n    for k in (2, 3):\n        return s.x != k\n',
    # Given more when it has been read.
    'FAIR = (weak("Go"),)\nFair = Specification("Fair", FAIR)\nFAIR += (strong("Go"),)\n',
    'FAIR = (weak("Go"),)\nFair = Specification("Fair", FAIR)\nFAIR = FAIR + (strong("Go"),)\n',
]


@pytest.mark.parametrize("inside", LOST_IN_CLASSES)
def test_nothing_that_a_class_says_is_lost_by_a_slip(tmp_path: Path, inside: str) -> None:
    with pytest.raises(UserModelError, match=r"of_a_file\.py, line \d+"):
        loaded(tmp_path, inside=inside)


def test_a_list_of_actions_is_given_once(tmp_path: Path) -> None:
    with pytest.raises(UserModelError, match="before anything reads it"):
        loaded(tmp_path, below=f"{NEXT}\n{NEXT}")


@pytest.mark.parametrize(
    ("top", "guard"),
    [
        ("def low(s): return s.x < 2\ndef low(s): return s.x < 3\n", "low(s)"),
        ("class Low:\n    end = 2\nclass Low:\n    end = 3\n", "s.x < Low.end"),
        ("from math import floor as low\nfrom math import ceil as low\n", "s.x < low(1.5)"),
        ("from math import floor as low\ndef low(k): return 3\n", "s.x < low(1.5)"),
    ],
)
def test_a_name_of_a_file_has_one_meaning(tmp_path: Path, top: str, guard: str) -> None:
    with pytest.raises(UserModelError, match="before anything reads it"):
        loaded(tmp_path, f"s.require({guard})", top=top)


def test_a_class_that_is_mixed_in_is_defined_once(tmp_path: Path) -> None:
    claims = "".join(
        f'class Claims:\n    @invariant("below {n}")\n    def Low(self, s):\n'
        f"        return s.x < {n}\n"
        for n in (1, 3)
    )
    beside = tmp_path / "claims_beside.py"
    beside.write_text(f"from bmc.lang import *\n{claims}", encoding="utf-8")
    with pytest.raises(UserModelError, match=r"claims_beside\.py.*before anything reads it"):
        loaded(tmp_path, top="import claims_beside\n", inside="Low = claims_beside.Claims.Low\n")


@pytest.mark.parametrize(
    "states", ["s1, s0", "s_next, s", "next_state, old_state", "later_2, later_1"]
)
def test_the_states_of_a_step_are_in_their_order(tmp_path: Path, states: str) -> None:
    claim = f'@step_invariant("a")\ndef A(self, {states}):\n    return TRUE\n'
    with pytest.raises(UserModelError, match="the first of a step's states is the one before"):
        loaded(tmp_path, inside=claim)


PLAIN = [
    {"body": 'kind = self.kind or "none"\nif kind == "slow":\n    s.x = 1'},
    {"body": "x = 1\ns.x = x"},
    {"body": "x =-1\ns.x = x + 2"},
    {"body": "x = - 1\ns.x = x + 2"},
    {"body": "x=-1\ns.x = x + 2"},
    {"body": "s.x = +1"},
    {"body": "limit = 1\ns.x = 1"},
    {"body": "for k in (1, 2):\n    if k == 2:\n        s.require(s.x < k)\n        break"},
    {
        "body": "for k in (1, 2):\n    if k == 1:\n        continue\n    s.require(s.x < 2)\n"
        "    break"
    },
    {
        "body": "s.x = self.first()",
        "inside": "def first(self):\n    for k in (1, 2):\n        return k",
    },
    {"inside": "LOW = 1\nLOW = LOW + 1\nLOW += 1\n"},
    {"inside": "LOW = []\nfor k in (1, 2):\n    LOW.append(k)\nLOW = tuple(LOW)\n"},
    {"inside": "@property\ndef low(self): return 1\n@low.setter\ndef low(self, k): pass\n"},
    {"inside": '@step_invariant("a")\ndef A(self, s1, s2):\n    return s1.x <= s2.x\n'},
    {"inside": '@step_invariant("a")\ndef A(self, s, s_next):\n    return s.x <= s_next.x\n'},
    {
        "inside": 'def claim(k):\n    @invariant("a")\n    def A(self, s):\n'
        "        return s.x < k\n    return A\nA = claim(3)\n"
    },
    {
        "body": "KINDS = ('slow', 'quick')\nfor _, k in zip(KINDS, KINDS[1:]):\n"
        "    s.require(s.x != len(k))"
    },
    {"body": "for k, _ in zip((1, 2), (1, 2)):\n    s.require(s.x != k)\ns.flag = True"},
    {"body": "s.require(conj(*[s.x != ord(k) for k in 'ab']))\ns.flag = True"},
    {"body": "if self.kind in ('slow',) and 's' in self.kind:\n    s.x = 1"},
    {
        "inside": 'LOW = (1,)\nA = EnumSort("A", tuple(map(str, LOW)))\nLOW += (2,)\n'
        'B = EnumSort("B", tuple(map(str, LOW)))\n'
    },
    {"inside": "LOW = (1,)\nA = tuple(LOW)\nLOW += (2,)\ndef low(self): return self.LOW\n"},
    {"top": "from math import floor\nfrom math import floor\n", "body": "s.x = floor(1.5)"},
    {"top": "try:\n    LOW = 1\nexcept Exception:\n    LOW = 2\nTABLE = {1: 2, True: 3, '1': 4}\n"},
]


@pytest.mark.parametrize("parts", PLAIN)
def test_plain_texts_that_look_alike_are_read(tmp_path: Path, parts: dict[str, str]) -> None:
    loaded(tmp_path, **parts)
