"""The page of a trace as a person meets it: in a real browser, wide and narrow, light and dark."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.browsers import WIDTHS, chromium, complaints, faint, look, overhang
from tests.cli.running import ROOT, bmc

pytestmark = [pytest.mark.nightly, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("trace") / "weak.html"
    asked = ("kafka-truncate-to-hw", "-p", "replicas=2", "--depth", "8", "-P", "WeakIsr")
    assert bmc("check", *asked, "--trace", str(path)).code == 1
    return path.as_uri()


def step(browser: Any) -> int:
    (shown,) = [s for s in browser.find_elements(By.CSS_SELECTOR, ".state") if s.is_displayed()]
    (row,) = browser.find_elements(By.CSS_SELECTOR, ".row.now")
    assert shown.get_attribute("data-step") == row.get_attribute("data-step")
    assert browser.find_element(By.ID, "slider").get_attribute("value") == row.get_attribute(
        "data-step"
    )
    return int(row.get_attribute("data-step"))


def click(browser: Any, selector: str) -> None:
    """A click that does not depend on what the fixed bar covers."""
    browser.execute_script("document.querySelector(arguments[0]).click()", selector)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", list(WIDTHS.values()), ids=list(WIDTHS))
def test_everything_is_there_and_readable(browser: Any, page: str, width: int, scheme: str) -> None:
    look(browser, page, width, scheme)
    assert complaints(browser) == []
    assert overhang(browser) <= 0
    assert browser.execute_script("return innerWidth") == width
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") is (scheme == "light")
    assert len(browser.find_elements(By.CSS_SELECTOR, ".row")) == 9
    assert len(browser.find_elements(By.CSS_SELECTOR, "#arrows path.arrow")) >= 6
    for number in range(9):
        click(browser, f"#row-{number} .number")
        assert step(browser) == number
        texts = "p, h1, h2, h3, h4, td, dt, dd, li, em, code, button, output, .label span, .mark, "
        assert faint(browser, texts + ".slot span, .mini b, .role, .head, .quiet, .none") == []
        assert overhang(browser) <= 0


def test_the_page_says_who_lost_what_when_and_why(browser: Any, page: str) -> None:
    look(browser, page)
    *_, last = browser.find_elements(By.CSS_SELECTOR, ".story li")
    lost = last.text
    assert lost.startswith("step 8 r2 truncates to its own high watermark, 0")
    assert "0 < replicaLog[r2].endOffset is false from here on" in lost
    assert "It takes what was sent in step 4: controller: epoch 0 → 1" in lost
    assert "loses offset 0 (id 0, epoch" in lost
    assert "counts as committed" in lost
    false = browser.find_element(By.CSS_SELECTOR, "tr.false").text
    assert ".endOffset" in false
    assert "0 < 0" in false
    last = browser.find_element(By.ID, "step-8")
    assert last.is_displayed()
    assert [s.text.splitlines()[0] for s in last.find_elements(By.CSS_SELECTOR, ".slot.gone")] == [
        "0"
    ]
    assert len(last.find_elements(By.CSS_SELECTOR, ".slot.blamed")) == 2


SHOWN = {
    "narrow light": (WIDTHS["narrow"], "light"),
    "narrow dark": (WIDTHS["narrow"], "dark"),
    "wide dark": (WIDTHS["wide"], "dark"),
    "wide light": (WIDTHS["wide"], "light"),
}

TOUCHING = """
const boxes = (nodes) => [...nodes].map((one) => [one.textContent, one.getBoundingClientRect()])
  .filter(([, box]) => box.width);
const labels = boxes(document.querySelectorAll("#arrows text"));
const others = boxes(document.querySelectorAll("#diagram .label, #diagram .after"));
const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
  && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
return labels.flatMap(([text, box], i) => [...labels.slice(i + 1), ...others]
  .filter(([, other]) => over(box, other)).map(([other]) => [text, other]));
"""


@pytest.fixture(scope="module")
def elasticsearch(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("elasticsearch") / "pending.html"
    stored = ROOT / "docs" / "traces" / "elasticsearch.itf.json"
    assert bmc("trace", "export", str(stored), "--to", str(path)).code == 0
    return path.as_uri()


@pytest.mark.parametrize("shown", SHOWN)
def test_many_lifelines_and_messages_are_readable(
    browser: Any, elasticsearch: str, shown: str
) -> None:
    width, scheme = SHOWN[shown]
    look(browser, elasticsearch, width, scheme)
    assert complaints(browser) == []
    assert overhang(browser) <= 0
    assert browser.execute_script(TOUCHING) == []
    labels = [one.text for one in browser.find_elements(By.CSS_SELECTOR, "#arrows text")]
    assert all("…" not in label for label in labels)
    if width == WIDTHS["wide"]:
        assert "confirmed to 1" in labels
    assert faint(browser, ".story span, .story code, .story s, .story b, .legend, .legend b") == []
    told = browser.find_element(By.CSS_SELECTOR, ".story").text
    assert "node n4 learns of term 2 and knows the global checkpoint 0" in told
    assert "globalCheckPoint[n4] <= MaxConfirmedSeq(tlog[n4]) is false from here on" in told
    # An entry that is marked is not lost.
    assert "loses" not in told
    row = browser.find_element(By.ID, "row-12")
    assert len(row.find_elements(By.CSS_SELECTOR, ".mini b.changed")) == 1


def test_keys_and_the_slider_step(browser: Any, page: str) -> None:
    look(browser, page)
    body = browser.find_element(By.TAG_NAME, "body")
    assert step(browser) == 8
    for key, expected in (
        (Keys.HOME, 0),
        (Keys.ARROW_LEFT, 0),
        (Keys.ARROW_RIGHT, 1),
        (Keys.ARROW_RIGHT, 2),
        (Keys.ARROW_LEFT, 1),
        (Keys.END, 8),
        (Keys.ARROW_RIGHT, 8),
    ):
        body.send_keys(key)
        assert step(browser) == expected
    slider = browser.find_element(By.ID, "slider")
    slider.send_keys(Keys.ARROW_LEFT)
    assert step(browser) == 7
    browser.find_element(By.CSS_SELECTOR, "[data-by='first']").click()
    assert step(browser) == 0
    browser.find_element(By.CSS_SELECTOR, ".story li:last-child .go").click()
    assert step(browser) == 8
    assert complaints(browser) == []


def test_a_link_leads_to_a_step(browser: Any, page: str) -> None:
    look(browser, "about:blank")
    look(browser, f"{page}#step-3")
    assert step(browser) == 3


def test_nothing_is_fetched(browser: Any, page: str) -> None:
    look(browser, page)
    loaded = browser.execute_script(
        "return performance.getEntriesByType('resource').map((one) => one.name)"
    )
    assert [name for name in loaded if not name.startswith("data:")] == []
    wanted = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [
        one["params"]["request"]["url"]
        for one in wanted
        if one["method"] == "Network.requestWillBeSent"
    ]
    assert [u for u in asked if not u.startswith(("file:", "data:", "about:", "chrome:"))] == []


OWN = '''
from bmc.lang import *

Node = Scalarset("Node", 2)
Number = Integer("Number", 0, 3)
Letter = Record("Letter", source=Node, dest=Node, text=EnumSort("Text", ("<b>hi</b>", "bye")))


class Post(Protocol):
    """Nodes <script>that</script> write to each other."""

    log = Variable(MapSort(Node, Sequence(Number, 2)))
    letters = Variable(BoundedSet(Letter, 2))

    @action()
    def Init(self, s):
        s.log = mapping(Node, lambda n: empty(Sequence(Number, 2)), Sequence(Number, 2))
        s.letters = frozenset()

    @action(sender=Node, receiver=Node)
    def Send(self, s, sender, receiver):
        s.require(sender != receiver, size(s.letters) == 0)
        s.letters = insert(
            s.letters, record(Letter, source=sender, dest=receiver, text="<b>hi</b>"))

    @action(receiver=Node, letter=letters)
    def Receive(self, s, receiver, letter):
        s.require(letter.dest == receiver, size(s.log[receiver]) < 2)
        s.letters = remove(s.letters, letter)
        s.log[receiver] = append(s.log[receiver], 3)

    @action(node=Node)
    def Forget(self, s, node):
        s.require(size(s.log[node]) > 1)
        s.log[node] = take(s.log[node], 1)

    Next = one_of(Send, Receive, Forget)

    @alias("<i>how many</i>")
    def letters_under_way(self, s):
        return size(s.letters)

    @step_invariant("nothing is forgotten & all is <kept>", node=Node)
    def Kept(self, s, t, node):
        return size(s.log[node]) <= size(t.log[node])
'''


def test_a_protocol_that_says_nothing_is_drawn_by_its_sorts(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "post.py").write_text(OWN, encoding="utf-8")
    path = tmp_path / "post.html"
    found = bmc("check", f"{tmp_path}/post.py:Post", "--depth", "6", "--trace", str(path))
    assert found.code == 1, found.err
    look(browser, path.as_uri())
    assert complaints(browser) == []
    heads = [head.text for head in browser.find_elements(By.CSS_SELECTOR, ".head")]
    # The letters are arrows, so nothing is left that belongs to nobody.
    assert heads == ["n1", "n2"]
    assert "loses offset 1 (entry 3)" in browser.find_element(By.CSS_SELECTOR, ".story").text
    assert len(browser.find_elements(By.CSS_SELECTOR, "#arrows path.arrow.late")) == 2
    assert "<b>hi</b>" in browser.find_element(By.CSS_SELECTOR, "#step-1").get_attribute(
        "textContent"
    )
    assert "nothing is forgotten & all is <kept>" in browser.page_source.replace(
        "&lt;", "<"
    ).replace("&gt;", ">").replace("&amp;", "&")
    assert "letters_under_way" in browser.page_source
