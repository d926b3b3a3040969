"""`bmc export tla`: names and strings of a protocol are those of the text, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import bmc
from tests.exports.test_tla import exported

NAMED = """
from bmc.lang import *


class Named(Protocol):
    Word = EnumSort("{sort}", ("a|b", 'q"q', "b\\\\s", "x\\n====\\n", "\\t\\f\\r"))
    Pair = Record("Pair", {field}=Word)
    word = Variable(Word)
    pair = Variable(Pair)

    @action()
    def Init(self, s):
        s.word = "a|b"
        s.pair = record(self.Pair, {field}="a|b")

    @action(word=Word)
    def Say(self, s, word):
        s.word = word

    Next = one_of(Say)

    @invariant("nobody says it")
    def Unsaid(self, s):
        return s.word != "x\\n====\\n"
"""


def test_strings_of_several_lines_are_read_back(tmp_path: Path) -> None:
    file = tmp_path / "named.py"
    file.write_text(NAMED.format(sort="Word", field="said"))
    exported(tmp_path, f"{file}:Named", {})
    answer = bmc("explore", str(tmp_path / "Out.tla"))
    assert answer.code == 1
    assert 'word  "a|b" → "x\\n====\\n"' in answer.out


@pytest.mark.parametrize(("sort", "field"), [("Wörd", "said"), ("Word", "sägt"), ("Word", "IF")])
def test_what_is_no_name_in_tla_is_refused(tmp_path: Path, sort: str, field: str) -> None:
    file = tmp_path / "named.py"
    file.write_text(NAMED.format(sort=sort, field=field))
    answer = bmc("export", "tla", f"{file}:Named", "-o", str(tmp_path / "Out.tla"))
    assert answer.code == 2
    assert f"{file}:Named: TLA+ has no " in answer.err
    assert "by letters of ASCII" in answer.err


@pytest.mark.parametrize("name", ["Len", "IF", "Out", "_few"])
def test_a_parameter_that_cannot_be_called_so_in_tla_is_named(tmp_path: Path, name: str) -> None:
    file = tmp_path / "named.py"
    text = NAMED.format(sort="Word", field="said").replace(
        "    Word = Enum",
        f'    {name} = Parameter("{name}", default=1, low=1, high=2, about="x")\n    Word = Enum',
    )
    file.write_text(text)
    answer = bmc("export", "tla", f"{file}:Named", "-o", str(tmp_path / "Out.tla"))
    assert answer.code == 2
    assert f"{file}:Named: TLA+ has no parameter '{name}'" in answer.err


SPECIFIED = """
from bmc.lang import *
from bmc.lang.temporal import Specification, eventually, temporal, weak


class Named(Protocol):
    Word = EnumSort("Fair", ("said", "unsaid", "unheard"))
    Spec = Variable(Word)
    IF = Specification("IF", (weak("Say", per=("word",)),))
    Fair = Specification("Fair", (weak("Say"),))

    @action()
    def Init(self, s):
        s.Spec = "unsaid"

    @action(word=Word)
    def Say(self, s, word):
        s.Spec = word

    Next = one_of(Say)

    @invariant("nobody shouts")
    def VIEW(self, s):
        return s.Spec != "unsaid"

    @temporal("it is said", specification="Fair")
    def Said(self, s):
        return eventually(s.Spec == "said")

    @temporal("each is said", specification="IF", word=Word)
    def AllSaid(self, s, word):
        return eventually(s.Spec == word)
"""


@pytest.mark.parametrize(("claim", "code"), [("Said", 1), ("AllSaid", 0)])
def test_a_specification_may_have_the_name_of_something_else(
    tmp_path: Path, claim: str, code: int
) -> None:
    file = tmp_path / "named.py"
    file.write_text(SPECIFIED)
    exported(tmp_path, f"{file}:Named", {}, "-P", claim)
    answer = bmc("prove", str(tmp_path / "Out.tla"), "-P", claim)
    assert answer.code == code, answer.out + answer.err


def test_a_claim_is_not_called_by_a_word_of_configurations(tmp_path: Path) -> None:
    file = tmp_path / "named.py"
    file.write_text(SPECIFIED)
    exported(tmp_path, f"{file}:Named", {}, "-P", "VIEW")
    answer = bmc("explore", str(tmp_path / "Out.tla"))
    assert (answer.code, "VIEW2 is violated" in answer.out) == (1, True), answer.out + answer.err


CASES = """
from bmc.lang import *


class Named(Protocol):
    Said = Variant("Said", {case}=Integer("Number", 0, 1), Other=BOOL)
    said = Variable(Said)

    @action()
    def Init(self, s):
        s.said = inject(self.Said, "{case}", 0)

    Next = one_of(Init)

    @invariant("it is as it was")
    def Same(self, s):
        return payload(s.said, "{case}") == 0
"""


@pytest.mark.parametrize("case", ["DOMAIN", "Größe", "SF_x"])
def test_a_case_that_is_no_field_in_tla_is_refused(tmp_path: Path, case: str) -> None:
    file = tmp_path / "named.py"
    file.write_text(CASES.format(case=case))
    answer = bmc("export", "tla", f"{file}:Named", "-o", str(tmp_path / "Out.tla"))
    assert answer.code == 2
    assert "by letters of ASCII" in answer.err


@pytest.mark.parametrize("said", ["ends *) here", "begins (* here"])
def test_a_docstring_may_say_how_comments_begin_and_end(tmp_path: Path, said: str) -> None:
    file = tmp_path / "named.py"
    text = NAMED.format(sort="Word", field="said")
    file.write_text(text.replace("(Protocol):", f'(Protocol):\n    """What {said}."""\n', 1))
    exported(tmp_path, f"{file}:Named", {})
    assert f"\\* What {said}." in (tmp_path / "Out.tla").read_text()
    assert bmc("explore", str(tmp_path / "Out.tla")).code == 1
