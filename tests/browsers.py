"""A real browser for looking at pages: how it starts, at what it looks, what it complains of."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

WIDTHS = {"wide": 1280, "narrow": 390}


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """A headless chromium; the test fails where there is none."""
    found = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if None in found:
        pytest.fail(
            "reports are looked at in chromium, which is missing: "
            "apt-get install chromium chromium-driver"
        )
    options = webdriver.ChromeOptions()
    options.binary_location = str(found[0])
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(found[1])))
    try:
        yield driver
    finally:
        driver.quit()


def look(browser: Any, page: str, width: int = 1280, scheme: str = "light") -> None:
    """Open a page at a width, in the light or the dark."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    browser.get(page)


def complaints(browser: Any) -> list[str]:
    """What the browser has logged since it was asked last: script errors, failed loads."""
    return [entry["message"] for entry in browser.get_log("browser")]


def overhang(browser: Any) -> int:
    """By how many pixels the page is wider than the window."""
    found: int = browser.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return found


_CONTRAST = """
const channel = (c) => { c /= 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; };
const light = (rgb) => { const [r, g, b] = rgb.match(/[\\d.]+/g).map(Number).map(channel);
  return .2126 * r + .7152 * g + .0722 * b; };
const paper = (node) => { for (; node; node = node.parentElement) {
    const found = getComputedStyle(node).backgroundColor;
    if (!/rgba\\(0, 0, 0, 0\\)|transparent/.test(found)) return found; }
  return "rgb(255,255,255)"; };
return [...document.querySelectorAll(arguments[0])]
  .filter((node) => node.getClientRects().length)
  .map((node) => { const a = light(getComputedStyle(node).color), b = light(paper(node));
    return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), node.outerHTML.slice(0, 80)]; })
  .filter(([ratio]) => ratio < 4.5);
"""


def faint(browser: Any, selector: str) -> list[Any]:
    """What is visible of a selection and has too little contrast to be read (WCAG's 4.5)."""
    found: list[Any] = browser.execute_script(_CONTRAST, selector)
    return found
