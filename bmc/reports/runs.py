"""How a run went: what was learnt on the way, and what took how long."""

from __future__ import annotations

from collections.abc import Sequence

from bmc.reports.page import Page

_MOST = 12


def write_facts(page: Page, facts: Sequence[str]) -> None:
    """What is known apart from the verdicts."""
    if not facts:
        return
    page.line("Known apart from that:")
    for fact in facts:
        page.line(f"  {fact}")
    page.blank()


def write_interruption(page: Page, seconds: float, learnt: Sequence[str]) -> None:
    """That the run was interrupted, and what it leaves behind."""
    page.line(("interrupted", "bold yellow"), f" after {seconds:.0f} s")
    write_facts(page, learnt)


def write_phases(page: Page, spent: Sequence[tuple[str, float]]) -> None:
    """The phases that took longest, with their seconds."""
    for text, seconds in spent[:_MOST]:
        if seconds >= 0.005:
            page.line(f"  {seconds:8.2f} s  {text}")
    rest = sum(seconds for _, seconds in spent[_MOST:])
    if rest >= 0.005:
        page.line(f"  {rest:8.2f} s  everything else")
