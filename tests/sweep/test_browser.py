"""The report as a person meets it: in a real browser, wide and narrow, light and dark."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.by import By

from bmc.reports.sweeps.glossary import Glossary
from bmc.reports.sweeps.html import html
from tests.browsers import chromium, complaints, faint, look, overhang
from tests.sweep.tables import AGAIN, FACTS, GLOSSARY, TEXT, TRACE, rows

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(html(rows(), {TRACE: TEXT}, GLOSSARY, FACTS, AGAIN), encoding="utf-8")
    return path.as_uri()


def test_everything_is_there(browser: Any, page: str) -> None:
    for width, scheme in product((1280, 390), ("light", "dark")):
        look(browser, page, width, scheme)
        require_everything(browser, width)


def require_everything(browser: Any, width: int) -> None:
    assert complaints(browser) == []
    assert browser.execute_script("return innerWidth") == width
    assert overhang(browser) <= 0
    cells = browser.find_elements(By.CSS_SELECTOR, "#facets .cell")
    assert len(cells) == len(rows()) // 4
    assert all(cell.is_displayed() for cell in cells)
    names = browser.find_elements(By.CSS_SELECTOR, "#names dt")
    assert [name.text for name in names] == ["kafka-kip101", "WeakIsr", "replicas"]
    assert browser.find_element(By.ID, "reading").text.startswith("In a cell: ")
    plots = browser.find_elements(By.CSS_SELECTOR, "svg.plot")
    assert len(plots) == 5
    for plot in plots:
        assert plot.size["width"] > 250
        assert plot.find_elements(By.CSS_SELECTOR, "circle")
        assert plot.find_elements(By.CSS_SELECTOR, "line.fit")


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read(browser: Any, page: str, scheme: str) -> None:
    look(browser, page, scheme=scheme)
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") is (scheme == "light")
    assert faint(browser, "p, td, th, .cell, .mark, .word, pre, dt, label, figcaption") == []


def choose(browser: Any, name: str, value: str) -> None:
    browser.find_element(By.CSS_SELECTOR, f"#{name} option[value='{value}']").click()


@pytest.mark.nightly
def test_any_two_parameters_span_the_matrix(browser: Any, page: str) -> None:
    look(browser, page)
    names = list(rows()[0]["parameters"])
    for across in names:
        for down in names:
            if across == down:
                continue
            choose(browser, "across", across)
            choose(browser, "down", down)
            corner = browser.find_element(By.CSS_SELECTOR, ".facet .name").text
            assert corner == f"{down} ↓ {across} →"
            assert len(browser.find_elements(By.CSS_SELECTOR, "#facets .cell")) == 36
    assert complaints(browser) == []


@pytest.mark.nightly
def test_a_cell_tells_how_to_ask_again(browser: Any, page: str) -> None:
    look(browser, page)
    browser.find_elements(By.CSS_SELECTOR, ".go")[-1].click()
    protocol = browser.execute_script("return document.getElementById('protocol').value")
    assert protocol == "kafka-kip320"
    browser.find_elements(By.CSS_SELECTOR, "#facets .cell.proved")[0].click()
    detail = browser.find_element(By.ID, "detail").text
    assert "bmc prove kafka-kip320 -p replicas=2" in detail
    assert "bitwuzla" in detail
    assert complaints(browser) == []


@pytest.mark.nightly
def test_a_report_without_rows_is_sound(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(html([], {}, Glossary(), FACTS, AGAIN), encoding="utf-8")
    look(browser, path.as_uri())
    assert complaints(browser) == []
