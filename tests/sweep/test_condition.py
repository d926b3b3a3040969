"""`--where` is read by its own grammar, says what is wrong, and never evaluates Python."""

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bmc.sweep.condition import Condition, ConditionError

NAMES = ("a", "b", "log_size")


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("a < b", True),
        ("a >= b", False),
        ("a < b <= 3", True),
        ("1 < a < b", True),
        ("a == 2 and b != 2", True),
        ("not a == 2", False),
        ("not not a == 2", True),
        ("a > 5 or b % 2 == 1", True),
        ("a > 5 or a > 1 and b > 5", False),
        ("2 * (a + b) - 1 == 9", True),
        ("-a + b == 1", True),
        ("b // 2 == 1", True),
        ("(a < b) and (log_size >= 1)", True),
        ("3 > 2", True),
    ],
)
def test_it_means_what_it_says(text: str, holds: bool) -> None:
    assert Condition(text, NAMES).holds({"a": 2, "b": 3, "log_size": 1}) is holds


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "the end is unexpected"),
        ("a <", "the end is unexpected"),
        ("a", "is a number, not a condition"),
        ("a + 1", "is a number, not a condition"),
        ("log_sise > 1", "did you mean log_size"),
        ("a = 1", "write == for equality"),
        ("a / 2 > 1", "// divides whole numbers"),
        ("a and b", "joins a number"),
        ("not a", "joins a number"),
        ("(a < b) + 1 > 0", "calculates with a condition"),
        ("(a < b) < 3", "compares conditions"),
        ("a < b)", "')' at column 6"),
        ("(a < b", "lacks a )"),
        ("a // 0 > 1", "divides by zero"),
        ("a > 1.5", "'.' at column 6"),
        ("a > 99999999999999999999", "too large"),
        ("1 > 2", "false for every choice"),
        ("(" * 2000 + "a" + ")" * 2000 + " > 1", "nested too deeply"),
        ("__import__('os').system('touch hacked') > 0", "no parameter"),
        ("a.__class__ > 1", "unexpected"),
        ("a ** 99999 > 1", "unexpected"),
        ("lambda: 1", "no parameter"),
    ],
)
def test_what_is_wrong_is_said(text: str, complaint: str) -> None:
    with pytest.raises(ConditionError, match=r"--where") as raised:
        Condition(text, NAMES)
    assert complaint in str(raised.value)


def test_a_division_by_zero_is_found_where_it_happens() -> None:
    condition = Condition("a // b > 0 or a % b == 1", NAMES)
    assert condition.holds({"a": 4, "b": 2, "log_size": 1})
    with pytest.raises(ConditionError, match="divides by zero"):
        condition.holds({"a": 4, "b": 0, "log_size": 1})


_LEAVES = st.sampled_from(["a", "b"]) | st.integers(0, 9).map(str)
_NUMBERS = st.recursive(
    _LEAVES,
    lambda part: st.builds("({} {} {})".format, part, st.sampled_from(["+", "-", "*"]), part),
    max_leaves=5,
)
_STATEMENTS = st.recursive(
    st.builds(
        "{} {} {}".format, _NUMBERS, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), _NUMBERS
    ),
    lambda part: st.builds("({}) {} (not {})".format, part, st.sampled_from(["and", "or"]), part),
    max_leaves=4,
)


@given(_STATEMENTS, st.integers(0, 5), st.integers(0, 5))
def test_it_agrees_with_python(text: str, a: int, b: int) -> None:
    # The texts are made here, so Python may judge them.
    expected = bool(eval(text, {"__builtins__": {}}, {"a": a, "b": b}))
    try:
        condition = Condition(text, ("a", "b"))
    except ConditionError:
        assert not expected
        return
    assert operator.is_(condition.holds({"a": a, "b": b}), expected)
