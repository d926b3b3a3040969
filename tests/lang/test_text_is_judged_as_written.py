"""What a text swallows, or says differently each time it is read, is refused."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared.user_file import UserModelError, checked, load
from bmc.lang import Integer, LanguageError, Protocol, State, Step, Suite, Variable, action, one_of
from bmc.lang.describe import model_of
from bmc.lang.errors import AssignedTwice, DecidedByPython, TextUnknown
from bmc.lang.properties import invariant
from bmc.lang.temporal import Formula, eventually, temporal
from bmc.lang.terms import Expr
from bmc.lang.whose import PYTHONS_OWN
from tests.lang.acting import acting


class Bit(Protocol):
    """A number."""

    Number = Integer("Number", 0, 9)
    number = Variable(Number)

    @action()
    def Init(self, s: Step) -> None:
        s.number = 0

    @action()
    def Up(self, s: Step) -> None:
        s.require(s.number < 9)
        s.number = s.number + 1

    Next = one_of(Up)


def test_a_refusal_that_the_text_catches_is_still_one() -> None:
    class Swallowing(Bit):
        @action()
        def Up(self, s: Step) -> None:
            try:
                s.number = 2
                s.number = 3
            except LanguageError:
                pass

        Next = one_of(Up)

    with pytest.raises(AssignedTwice):
        Suite.of(Swallowing, "swallowing").model(False)


def test_a_text_that_changes_is_refused() -> None:
    read = []

    class Counting(Bit):
        @invariant("below how often it was read")
        def Below(self, s: State) -> Expr:
            read.append(None)
            return s.number < len(read)

    with pytest.raises(UserModelError, match=r"py, line \d+: Below says something else each time"):
        checked(Suite.of(Counting, "counting"))
    assert checked(Suite.of(Bit, "bit")).name == "bit"


def test_an_action_that_changes_is_named() -> None:
    read = []

    class Counting(Bit):
        @action()
        def Up(self, s: Step) -> None:
            read.append(None)
            s.require(s.number < len(read))
            s.number = 1

        Next = one_of(Up)

    with pytest.raises(UserModelError, match=r"py, line \d+: Up says something else each time"):
        checked(Suite.of(Counting, "counting"))


def test_a_temporal_claim_that_changes_is_refused() -> None:
    read = []

    class Counting(Bit):
        @temporal("it gets as far as how often it was read")
        def GetsThere(self, s: State) -> Formula:
            read.append(None)
            return eventually(s.number == len(read))

    with pytest.raises(UserModelError, match="says something else each time it is read"):
        checked(Suite.of(Counting, "counting"))


def test_a_mistake_in_a_temporal_claim_is_its_authors(tmp_path: Path) -> None:
    file = tmp_path / "gone.py"
    file.write_text(
        "from bmc.lang import *\n"
        "from bmc.lang.temporal import eventually, temporal\n"
        "class Gone(Protocol):\n"
        "    flag = Variable(BOOL)\n"
        "    @action()\n"
        "    def Init(self, s):\n"
        "        s.flag = False\n"
        "    Next = one_of(Init)\n"
        "    @temporal('it does')\n"
        "    def Comes(m, s):\n"
        "        return eventually(self.done(s))\n",
        encoding="utf-8",
    )
    with pytest.raises(UserModelError, match=r"gone.py, line 11, in Comes: NameError: name 'self'"):
        load(f"{file}:Gone")


DECIDES = """
from bmc.lang import *

class Decides(Protocol):
    Number = Integer("Number", 0, 9)
    last = Variable(OptionSort(Number))

    @action()
    def Init(self, s):
        s.last = None

    @action()
    def Up(self, s):
        s.last = 1

    Next = one_of(Up)

    @invariant("nothing, as soon as there is a last number")
    def Never(self, s):
        return s.last == 2 if s.last is None else TRUE
"""


def imported(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> type[Any]:
    (folder / f"{name}.py").write_text(DECIDES, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, name, raising=False)
    found: type[Any] = __import__(name).Decides
    return found


@pytest.mark.parametrize("file", ["<stdin>", "<string>", "nowhere.py"])
def test_a_text_that_nobody_can_read_is_refused(file: str) -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(DECIDES, file, "exec"), space)
    with pytest.raises(TextUnknown, match="write the protocol in a file"):
        checked(Suite.of(space["Decides"], "decides"))


def test_a_text_that_is_installed_is_read_as_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    found = imported(folder, "installed_decides", monkeypatch)
    monkeypatch.setattr("bmc.lang.whose.PYTHONS_OWN", (*PYTHONS_OWN, str(tmp_path)))
    with pytest.raises(DecidedByPython, match=r"`s\.last is None`"):
        checked(Suite.of(found, "decides"))


@pytest.mark.parametrize(
    "later", [f"\n{DECIDES}", DECIDES.replace("s.last is None", "s.last == None"), "("]
)
def test_a_file_that_has_changed_since_is_not_read_for_what_was_loaded(
    later: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = imported(tmp_path, "changed_decides", monkeypatch)
    (tmp_path / "changed_decides.py").write_text(later, encoding="utf-8")
    with pytest.raises(TextUnknown, match="load it again"):
        checked(Suite.of(found, "decides"))


def test_what_a_file_imports_from_its_folder_is_read_again_with_it(tmp_path: Path) -> None:
    helper, file = tmp_path / "lent_limit.py", tmp_path / "borrows.py"
    file.write_text(
        "from lent_limit import LIMIT\n"
        + DECIDES.replace("s.last == 2 if s.last is None else TRUE", "s.last != LIMIT"),
        encoding="utf-8",
    )
    found = []
    for limit in ("1", "22"):
        helper.write_text(f"LIMIT = {limit} % 9\n", encoding="utf-8")
        suite = load(f"{file}:Decides")
        found.append(str(suite.describe(suite.find("Never"), suite.model(False)).body))
    assert found[0] != found[1]


def test_a_function_is_judged_with_each_that_is_given_to_who_made_it() -> None:
    def acts(m: Any, s: Any) -> None:
        s.require(s.x < 3)

    def sleeps(m: Any, s: Any) -> Iterator[None]:
        s.require(s.x < 3)
        yield

    assert model_of(acting(acts)).actions
    with pytest.raises(DecidedByPython, match="an iterator that nobody runs"):
        model_of(acting(sleeps))  # type: ignore[arg-type]
