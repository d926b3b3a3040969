"""docs/mistakes.md shows what is said about common mistakes: each is made here, and answered so."""

import re
from pathlib import Path
from textwrap import indent

import pytest

from bmc.cli.shared.user_file import UserModelError, load

PAGE = (Path(__file__).parents[2] / "docs" / "mistakes.md").read_text(encoding="utf-8")
SKELETON, BODIES, CLASSES = re.split(r"^## .*$", PAGE, flags=re.MULTILINE)
CASE = re.compile(r"^```python\n(.*?)^```\n\n> (.*?)$", re.MULTILINE | re.DOTALL)
ASSIGNMENT = "        s.count = 1\n"


def cases(section: str) -> list[tuple[str, str]]:
    found = CASE.findall(section)
    assert len(found) == section.count("```python")
    return found


def skeleton() -> str:
    (text,) = re.findall(r"^```python\n(.*?)^```$", SKELETON, re.MULTILINE | re.DOTALL)
    assert text.endswith(ASSIGNMENT)
    return str(text)


def refused(folder: Path, text: str, first: int, last: int, action: str = "") -> str:
    """What is said of a protocol, which names a line of the mistake or of what is round it.

    It names the action, too, where the mistake is in one.
    """
    file = folder / "protocol.py"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserModelError) as error:
        load(f"{file}:P")
    parts = re.fullmatch(r"(.*), line (\d+)(?:, in (\w+))?: (.*)", str(error.value))
    assert parts is not None, error.value
    place, line, within, said = parts.groups()
    assert place == str(file)
    assert int(line) == text[: text.index("class P")].count("\n") + 1 or first <= int(line) <= last
    assert not re.search(r"0x[0-9a-f]{6}|<class|<function|object at", said)
    assert within == action or re.search(rf"\b{action}\b", said)
    return str(said)


@pytest.mark.parametrize(("mistake", "said"), cases(BODIES))
def test_in_an_action(mistake: str, said: str, tmp_path: Path) -> None:
    before = skeleton().removesuffix(ASSIGNMENT)
    text = before + indent(mistake, " " * 8) + "\n    Next = one_of(Go)\n"
    lines = before.count("\n")
    # The decorator of the action and its header, then the mistake.
    assert refused(tmp_path, text, lines - 1, lines + mistake.count("\n"), "Go") == said


@pytest.mark.parametrize(("mistake", "said"), cases(CLASSES))
def test_in_the_class(mistake: str, said: str, tmp_path: Path) -> None:
    text = skeleton() + "\n" + indent(mistake, " " * 4)
    first = skeleton().count("\n") + 1
    if "Next" not in mistake:
        follow = "Go, Bad" if "def Bad" in mistake else "Go"
        text += f"\n    Next = one_of({follow})\n"
    # An Init that assigns too little is named by its own line.
    assert refused(tmp_path, text, 1, first + mistake.count("\n") + 1) == said


@pytest.mark.parametrize(
    "advised",
    [
        "s.count = s.count // 2",
        "s.count = s.count * s.count",
        "s.count = ite(s.count == 0, 1, ite(s.count == 1, 2, 4))",
        "s.count = 0 - s.count",
        "s.count = maximum(s.count, 0 - s.count)",
        "s.require(member(x, s.group))",
        "s.require(member(x, everything(self.Server)))",
        "s.require(forall(self.Number, lambda i: implies(i < s.count, s.flag)))",
        "Index = Integer('Number', 0, self.n - 1)\ns.require(forall(Index, lambda i: s.count > i))",
        "s.group = filtered(self.Server, lambda a: member(a, s.group) & s.flag)",
        "s.group = s.group | {x}",
        "s.group = everything(self.Server) - {x}",
        "s.count = s.count // 2 + s.count % 2",
        "s.group = {x}",
        "s.require(s.group == {x})",
        "s.group = insert(s.group, x)",
        "s.group = s.group | one(x)",
        "s.group = s.group | coerce({x}, SetSort(self.Server))",
        "s.group = empty(SetSort(self.Server))",
        "s.queue = append(s.queue, 1)",
        "s.queue = take(tail(s.queue), size(s.queue))",
        "s.count = at(s.queue, 0)",
        "s.require(s.flag & (s.count == 1))",
        "s.require((s.owner == None) | is_none(s.owner))",
        "s.require((s.color == 'red') & s.flag)",
        "s.msgs = insert(s.msgs, record(self.Msg, to=x, num=1))",
        "s.require(exists(s.msgs, lambda m: conj(m.to == x, disj(m.num == 1, s.flag))))",
        "s.count = minimum(maximum(s.count, 1), 2)",
        "s.nums = mapping(self.Server, lambda a: 0, self.Number)",
        "s.flag = s.flag != s.flag",
        "s.require(is_case(at(s.inbox, 0), 'Note'))\ns.count = payload(at(s.inbox, 0), 'Note').num",
        "s.inbox = append(s.inbox, inject(self.Mail, 'Note', record(self.Msg, to=x, num=1)))",
        "with s.either():\n    s.require(TRUE)\nwith s.either():\n    s.count = 1",
        "_ = s.flag",
    ],
)
def test_what_is_advised_is_read(advised: str, tmp_path: Path) -> None:
    """One piece of advice was refused as the mistake was."""
    file = tmp_path / "protocol.py"
    before = skeleton().removesuffix(ASSIGNMENT)
    file.write_text(before + indent(advised, " " * 8) + "\n    Next = one_of(Go)\n")
    assert load(f"{file}:P").model(False).actions[0].name == "Go"


@pytest.mark.parametrize(
    ("beginning", "read"),
    [
        ("s.count = 3 - s.count", "count"),
        ("s.require(size(s.group) == 0)\n        s.count = 0", "group"),
    ],
)
def test_what_init_reads_is_told_with_the_line_of_init(
    beginning: str, read: str, tmp_path: Path
) -> None:
    file = tmp_path / "protocol.py"
    text = skeleton().replace("s.count = 0", beginning) + "    Next = one_of(Go)\n"
    file.write_text(text)
    line = text[: text.index("@action()")].count("\n") + 1
    said = f"P.Init reads a variable, and {read} has no value yet: write what it begins with"
    with pytest.raises(UserModelError, match=re.escape(f"{file}, line {line}: {said}")):
        load(f"{file}:P")


def test_there_are_many() -> None:
    assert len(cases(BODIES)) + len(cases(CLASSES)) >= 70


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (
            '@alias("what it is")\ndef seen(self, s):\n    s.count',
            r"line 38: seen returns no expression over the state: return what to show",
        ),
        (
            '@alias("what it is")\ndef seen(self, s):\n    return s.cuont',
            r"line 40, in seen: there is no variable 'cuont': did you mean count\?",
        ),
        (
            '@alias("what it is")\n@invariant()\ndef seen(self, s):\n    return s.flag',
            r"line 38: seen is decorated twice: leave one of its decorators",
        ),
        (
            "def terminated(self, s):\n    return s.cuont == 1",
            r"line 39, in terminated: there is no variable 'cuont': did you mean count\?",
        ),
        (
            "def terminated(self, s):\n    return s.count",
            r"line 38, in terminated: expected a truth value",
        ),
        (
            "def terminated(s):\n    return s.count == 1",
            r"line 38: terminated takes \(s\): write def terminated\(self, s\)",
        ),
        (
            "def drawn(self, s):\n    return Drawingg(())",
            r"line 39, in drawn: NameError: name 'Drawingg' is not defined",
        ),
    ],
)
def test_in_what_readers_see(method: str, said: str, tmp_path: Path) -> None:
    """It decides no verdict, and is run before any is given."""
    file = tmp_path / "protocol.py"
    file.write_text(f"{skeleton()}\n    Next = one_of(Go)\n{indent(method, ' ' * 4)}\n")
    with pytest.raises(UserModelError, match=said):
        load(f"{file}:P")
