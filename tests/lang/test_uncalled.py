"""A function that is only named says nothing, and what acts is asked for no truth."""

from __future__ import annotations

from pathlib import Path

import pytest

from bmc.cli.shared.user_file import UserModelError, load

RULES = """
def low(s):
    return s.x < 1


hook = None
CHECKS = {"low": low, "none": None}
"""

PROTOCOL = """
from functools import partial
import rules
from bmc.lang import *


class Rules:
    def low(self, s):
        return s.x < 1

    def held(self, s):
        s.require(s.x < 1)


class Base(Protocol):
    Count = Integer("Count", 0, 4)
    x = Variable(Count, "x")

    @action()
    def Init(self, s):
        s.x = 0

    def low(self, s):
        return s.x < 1

    def held(self, s):
        s.require(s.x < 1)

    def extra(self):
        return None

    later = None

    @action()
    def Down(self, s):
        s.require(s.x > 0)
        s.x = s.x - 1

    @invariant("small")
    def Small(self, s):
        return s.x < 4

    Next = one_of(Down)


class P(Base):
    def later(self, s):
        s.require(s.x < 1)

    @action()
    def Up(self, s):
        k = 1
        {line}
        s.require(s.x < 3)
        s.x = s.x + 1

    Next = one_of(Base.Down, Up)
"""


def load_with(folder: Path, line: str) -> None:
    (folder / "rules.py").write_text(RULES)
    file = folder / "counted_up.py"
    file.write_text(PROTOCOL.format(line=line.replace("\n", "\n        ")))
    load(f"{file}:P").model(False)


NAMED = [
    "if super().low: s.require(s.x < 1)",
    "if super(P, self).low: s.require(s.x < 1)",
    "if Base.low: s.require(s.x < 1)",
    "if not Base.low: s.require(s.x < 1)",
    "if rules.low: s.require(s.x < 1)",
    "if Rules().low: s.require(s.x < 1)",
    "if [self.low]: s.require(s.x < 1)",
    "if all([self.low]): s.require(s.x < 1)",
    "told = self.low\nif told: s.require(s.x < 1)",
    "match 1:\n    case 1 if self.low: s.require(s.x < 1)",
    "if told := self.low: s.require(s.x < 1)",
    "for told in (self.low, rules.low):\n    if told: s.require(s.x < 1)",
    "told = rules\nif told.low: s.require(s.x < 1)",
    "s.require(TRUE if super().low else FALSE)",
    "s.require(*[s.x < k for k in (1, 2) if self.low])",
    "if k == 1 and self.low: s.require(s.x < 1)",
    "if k == 2 or self.low: s.require(s.x < 1)",
    "if not (k == 2 or self.low): s.require(s.x < 1)",
    "if (self.low if k == 1 else None): s.require(s.x < 1)",
    "if (told := self.low): s.require(s.x < 1)",
    "if bool(rules.low): s.require(s.x < 1)",
    "assert k == 1 and self.low",
    "s.require(*[s.x < 1 for k in (1, 2) if k == 1 and self.low])",
    "s.require(*{k: s.x < k for k in (1, 2) if self.low}.values())",
    "s.require(*[s.x < 1 for k in (1, 2) if (lambda: s.x < 2)])",
    "s.require(*[s.x < 1 for k in (1, 2) if partial(self.low, s)])",
    "if k == 1 and (lambda: s.x < 2): s.require(s.x < 1)",
    "match k:\n    case 1 if super().low: s.require(s.x < 1)",
    "match k:\n    case 1 if (lambda: s.x < 2): s.require(s.x < 1)",
    "match k:\n    case 1 if partial(self.low, s): s.require(s.x < 1)",
    "s.require(*[s.x < 1 for k in filter(lambda k: self.low, (1, 2))])",
    "s.require(*[s.x < 1 for k in filter(lambda k: k == 1 and self.low, (1, 2))])",
    "if all(self.low for k in (1, 2)): s.require(s.x < 1)",
    "if any([self.low for k in (1, 2)]): s.require(s.x < 1)",
    "if all(map(lambda k: self.low, (1, 2))): s.require(s.x < 1)",
    "if getattr(self, 'low'): s.require(s.x < 1)",
    "if getattr(super(), 'low'): s.require(s.x < 1)",
    "if type(self).low: s.require(s.x < 1)",
    "if {'low': self.low}['low']: s.require(s.x < 1)",
    "told = {'low': self.low, 'none': rules.low}\nif told['low']: s.require(s.x < 1)",
    "told = [self.low, rules.low]\nif told[k - 1]: s.require(s.x < 1)",
    "if rules.CHECKS['low']: s.require(s.x < 1)",
    "super().held",
    "Rules().held",
    "self.held, self.low",
    "[self.held]",
    "self.held if True else None",
    "told = super().held",
    "told = [self.held]",
    "super().Down",
    "super().Small",
    "Base.Down",
    "self.Up",
    "told = super().Down",
]


@pytest.mark.parametrize("line", NAMED)
def test_a_function_that_is_only_named_is_refused_wherever_it_is_declared(
    tmp_path: Path, line: str
) -> None:
    with pytest.raises(UserModelError, match="only named does nothing: write its call"):
        load_with(tmp_path, line)


ASKED = [
    "s.require(s.x < 2) and s.require(s.x < 1)",
    "s.require(s.x < 2) or s.require(s.x < 1)",
    "if s.require(s.x < 2): s.require(s.x < 1)",
    "if self.held(s): s.require(s.x < 1)",
    "if not self.held(s): s.require(s.x < 1)",
    "s.require(s.x < 1) if self.held(s) else None",
    "if k == 1 and self.held(s): s.require(s.x < 1)",
    "if (told := self.held(s)): s.require(s.x < 1)",
    "match k:\n    case 1 if not self.held(s): s.require(s.x < 1)",
]


@pytest.mark.parametrize("line", ASKED)
def test_what_acts_is_not_asked_for_its_truth(tmp_path: Path, line: str) -> None:
    with pytest.raises(UserModelError, match="acts and gives nothing back"):
        load_with(tmp_path, line)


PLAIN = [
    "self.held(s)",
    "super().held(s)",
    "Rules().held(s)",
    "s.require(s.x < 1), s.require(s.x < 2)",
    "for told in (self.low, rules.low): _ = s",
    "told = self.low\ns.require(told(s))",
    "told = self.low if self.extra() else None\nif told: s.require(told(s))",
    "for told in (self.extra(), None):\n    if told: s.require(s.x < 1)",
    "if (told := self.low if self.extra() else None): s.require(told(s))",
    "if k == 1 and (self.extra() or k == 2): s.require(s.x < 1)",
    "match k:\n    case 1 if k == 2 or self.extra(): s.require(s.x < 1)",
    "s.require(*[s.x < k for k in filter(lambda low: low, (1, 2))])",
    "if any(low for low in (None, 1)): s.require(s.x < 1)",
    "if bool(rules.hook): s.require(s.x < 1)",
    "if self.extra(): s.require(s.x < 1)",
    "if self.later: self.later(s)",
    "if rules.hook: s.require(s.x < 1)",
    "if rules.CHECKS['none']: s.require(s.x < 1)",
    "if rules.CHECKS.get('low'): s.require(rules.CHECKS['low'](s))",
    "told = {'low': self.low, 'none': None}\nif told['none']: s.require(s.x < 1)",
    "told = {'low': self.low}\ntold['none'] = None\nif told['none']: s.require(s.x < 1)",
    "told = [self.low]\ntold.append(None)\nif told[k]: s.require(s.x < 1)",
    "if getattr(self, 'none', None): s.require(s.x < 1)",
    "'what is said of this step'",
]


@pytest.mark.parametrize("line", PLAIN)
def test_calls_and_what_may_be_none_are_read(tmp_path: Path, line: str) -> None:
    load_with(tmp_path, line)


WRAPPED = """
from bmc.lang import *
from functools import wraps
def around(function):
    @wraps(function)
    def inner(self, s, *given):
        {around}
    return inner
class P(Protocol):
    x = Variable(Integer("X", 0, 3))
    @action()
    def Init(self, s):
        s.x = 0
    @action()
    {above}
    def Go(self, s):
        s.x = 1
    @invariant("small")
    {claim}
    def Small(self, s):
        return s.x < 2
    Next = one_of(Go)
"""


@pytest.mark.parametrize(
    ("around", "above", "claim", "lost"),
    [
        ("return function(self, s, *given)", "@around", "", None),
        ("s.x += 1", "@around", "", 14),
        ("s.x += 1", "@around\n    @around", "", 14),
        ("return s.x < 3", "", "@around", 18),
    ],
)
def test_a_method_that_its_decorator_leaves_out_is_refused(
    tmp_path: Path, around: str, above: str, claim: str, lost: int | None
) -> None:
    path = tmp_path / "wrapped.py"
    path.write_text(WRAPPED.format(around=around, above=above, claim=claim), encoding="utf-8")
    if lost is None:
        load(f"{path}:P")
        return
    with pytest.raises(UserModelError, match=f"line {lost}, in .*nothing has run this function"):
        load(f"{path}:P")
