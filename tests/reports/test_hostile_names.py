"""Names are shown in every report and mean nothing in any: no element, no link, no new cell."""

from __future__ import annotations

import io
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bmc.evidence.markdown import code, fenced, plain, table
from bmc.reports.page import Page
from bmc.reports.regression.junit import junit
from bmc.reports.regression.markdown import markdown as regression_markdown
from bmc.reports.regression.view import LockView, ModelView, PartChange, PropertyView
from bmc.reports.sweeps.glossary import Glossary
from bmc.reports.sweeps.html import html
from bmc.reports.sweeps.markdown import markdown
from tests.cli.running import bmc
from tests.sweep.tables import FACTS, TRACE, rows

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "[here](https://example.org)",
    "![here](https://example.org/x.png)",
    "https://example.org",
    "a | b | c",
    "`` ` ```` code",
    "*bold* _it_ ~~no~~",
    "one\n\n# two\n",
    "&lt;b&gt; \\| \\<b>",
    "a file of \udcff",
]
READER = MarkdownIt("commonmark", {"html": True}).enable("table")


def tokens(text: str) -> Iterator[Token]:
    for token in READER.parse(text):
        yield token
        yield from token.children or ()


def require_harmless(text: str, lines_of_tables: int | None = None) -> None:
    """Nothing but what reports write themselves: tables, headings, code, bold, and evidence."""
    # What no file in UTF-8 can hold fails when it is written.
    text.encode()
    found = list(tokens(text))
    written = [t.content.strip() for t in found if t.type in ("html_inline", "html_block")]
    own = ("<details><summary>", "</details>")
    assert all(element.startswith(own) and "<script" not in element for element in written)
    targets = [t.attrs["href"] for t in found if t.type == "link_open"]
    assert all(str(target).startswith("traces/") for target in targets)
    assert not [t for t in found if t.type == "image"]
    heads = [t for t in found if t.type == "thead_open"]
    cells, lines = 0, 0
    for token in found:
        if token.type == "tr_open":
            lines += 1
        if token.type in ("td_open", "th_open"):
            cells += 1
    assert lines_of_tables is None or lines - len(heads) == lines_of_tables
    assert not [t for t in found if t.type == "text" and "\n" in t.content]


text = st.text(st.sampled_from("ab _*`|<>&[]()!\\~#-+.:/w\n\t1") | st.characters(codec="utf-8"))


@given(st.text(st.sampled_from("a *_`<>[]()&\\;|!"), max_size=12) | text)
def test_a_name_is_shown_letter_by_letter(name: str) -> None:
    # At the start of a line even a digit may begin a list: names never stand there.
    written = f"x {plain(name)} x"
    assert len([t for t in READER.parse(written) if t.type == "inline"]) == 1
    assert {t.type for t in tokens(written)} <= {
        "paragraph_open",
        "inline",
        "text",
        "text_special",
        "paragraph_close",
    }
    read = "".join(t.content for t in tokens(written) if t.type in ("text", "text_special"))
    assert "".join(read.split()) == "".join(f"x{name}x".split()).replace("\0", "\ufffd")


@given(st.text(st.sampled_from("ab`| \\<>&[]*_"), min_size=1))
def test_code_is_shown_letter_by_letter(name: str) -> None:
    (inline,) = (t.content for t in tokens(f"x {code(name)} x") if t.type == "code_inline")
    assert inline.strip() == name.strip()


@given(st.text(st.sampled_from("ab`\n~ ")))
def test_a_block_of_code_is_closed_by_nothing_in_it(lines: str) -> None:
    (block,) = READER.parse(fenced(lines))
    assert (block.type, block.content) == ("fence", f"{lines}\n")


@given(st.lists(st.tuples(text, text), max_size=4))
def test_a_table_has_as_many_cells_as_were_given(lines: list[tuple[str, str]]) -> None:
    written = table(["one", "two"], [(plain(f"x{a}"), code(f"x{b}")) for a, b in lines])
    types = [t.type for t in READER.parse(written)]
    assert types.count("tr_open") == len(lines) + 1
    assert types.count("td_open") == 2 * len(lines)


@pytest.mark.parametrize("evil", HOSTILE)
def test_a_sweep_in_markdown(evil: str) -> None:
    mean = [
        {**row, "protocol": evil, "property": evil, "reason": evil, "host": evil}
        for row in rows()[:6]
    ]
    glossary = Glossary(((evil, evil),), ((evil, evil),), ((evil, evil),))
    made = markdown(mean, {TRACE: evil}, glossary, {**FACTS, evil: evil}, evil)
    require_harmless(made)
    titles = [t for t in READER.parse(made) if t.type == "heading_open" and t.tag == "h1"]
    assert len(titles) == 1


class Elements(HTMLParser):
    """The elements of a page, each with its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))


def elements(page: str) -> list[tuple[str, tuple[str, ...]]]:
    page.encode()
    parser = Elements()
    parser.feed(page)
    return parser.found


@pytest.mark.parametrize("evil", HOSTILE)
def test_a_sweep_in_html(evil: str) -> None:
    def page(name: str) -> str:
        mean = [
            {**row, "protocol": name, "property": name, "reason": name, "host": name}
            for row in rows()
        ]
        glossary = Glossary(((name, name),), ((name, name),), ((name, name),))
        return html(mean, {TRACE: name}, glossary, {**FACTS, name: name}, name)

    assert elements(page(evil)) == elements(page("harmless"))


def lock_view(evil: str) -> LockView:
    stated = PropertyView(
        *(evil, "violated", False, True, False, False, "proved", None, None, None),
        *("violated", "bounded", None, None, None, None, None, evil, 1.0, None),
    )
    change = PartChange("action", evil, "changed", None, True)
    model = ModelView(evil, {evil: 3}, None, (change,), (stated,), (evil,), ((evil, evil),), 1.0)
    return LockView(evil, (model,), (evil,), ((evil, evil),), None, False)


@pytest.mark.parametrize("evil", HOSTILE)
def test_a_lock_in_markdown_and_junit(evil: str) -> None:
    made = regression_markdown(lock_view(evil))
    require_harmless(made, lines_of_tables=1)
    names = {element.tag for element in ElementTree.fromstring(junit(lock_view(evil))).iter()}
    assert names <= {"testsuites", "testsuite", "testcase", "failure", "error", "system-out"}


PROTOCOL = '''
from bmc.lang import EnumSort, Protocol, State, Step, Term, Variable, action, invariant, one_of

Kind = EnumSort("Kind", ({evil!r}, "other"))


class Evil(Protocol):
    """<script>alert(0)</script> is what it is about."""

    kind = Variable(Kind)

    @action()
    def Init(self, s: Step) -> None:
        """<script>alert(1)</script> happens."""
        s.kind = "other"

    @action()
    def Turn(self, s: Step) -> None:
        s.kind = {evil!r}

    Next = one_of(Turn)

    @invariant("<script>alert(2)</script> never")
    def Never(self, s: State) -> Term:
        return s.kind == "other"
'''


@pytest.mark.parametrize("evil", ["<script>alert(3)</script>", "</script><b>", '" onload="x'])
def test_a_trace_in_html(evil: str, tmp_path: Path) -> None:
    pages = []
    for number, name in enumerate((evil, "harmless")):
        file = tmp_path / f"{number}.py"
        file.write_text(PROTOCOL.format(evil=name))
        page = tmp_path / f"{number}.html"
        answered = bmc("check", f"{file}:Evil", "--depth", "3", "--trace", str(page))
        assert answered.code == 1, answered.err
        pages.append(elements(page.read_text()))
    assert pages[0] == pages[1]


def test_a_terminal_is_given_no_commands() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    page = Page(stream)
    page.line("name \x1b]0;title\x07 \x9b2J →")
    page.flush()
    raw = stream.buffer
    assert isinstance(raw, io.BytesIO)
    assert raw.getvalue().decode() == "name ?]0;title? ?2J →\n"
