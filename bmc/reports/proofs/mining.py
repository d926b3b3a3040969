"""Mined lemmas: as text to paste, and as JSON data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bmc.analysis.mining.candidates import Candidate
from bmc.analysis.mining.mine import Mined
from bmc.evidence.certificate import formula_text
from bmc.lang.suite import Suite
from bmc.reports.page import Page
from bmc.reports.proofs.lemma_text import LemmaText
from bmc.reports.traces.text import count


def _named(found: Mined) -> Iterator[tuple[str, Candidate]]:
    """The lemmas with their names, those that are needed first."""
    ordered = sorted(found.lemmas, key=lambda one: (one not in found.needed, one.cost))
    for number, one in enumerate(ordered, 1):
        yield f"mined_{number}", one


def mined_json(suite: Suite, found: Mined) -> dict[str, Any]:
    """What was mined, as JSON data."""
    text = LemmaText(suite)
    lemmas = [
        {
            "name": name,
            "formula": formula_text(one.stated(name)),
            "text": "\n".join(text.lemma(one.stated(name))) + "\n",
            "needed": one in found.needed,
        }
        for name, one in _named(found)
    ]
    return {
        "lemmas": lemmas,
        "imports": text.imports(),
        "given": list(found.given),
        "inductive": list(found.proved),
        "open": list(found.open),
        "candidates": found.tried,
        "distinct_states": found.states,
        "complete": found.complete,
        "stopped_because": found.stopped,
    }


def write_mined(page: Page, suite: Suite, found: Mined) -> None:
    """The lemmas as text of the language, and what they are good for."""
    whole = "reachable" if found.complete else "explored"
    hold = "holds" if found.tried == 1 else "hold"
    page.line(f"{count(found.tried, 'candidate')} {hold} in all {found.states:,} {whole} states.")
    others = f" beside {count(len(found.given), 'lemma')} of its own" if found.given else ""
    kept = "is inductive" if len(found.lemmas) == 1 else "are inductive together"
    page.line(f"{count(len(found.lemmas), 'lemma')} of them {kept}{others}.")
    if found.proved:
        with_ = f" with the {len(found.needed)} marked * below" if found.needed else " as they are"
        page.line(("inductive", "bold green"), f"{with_}: {', '.join(found.proved)}")
    if found.open:
        page.line(("not yet", "bold yellow"), f" inductive: {', '.join(found.open)}")
    if found.stopped:
        page.line(f"It stopped because {found.stopped}; --timeout gives it longer.")
    page.blank()
    if suite.origin is not None and found.lemmas:
        page.line("To paste into the module, each to be named with --lemma:")
        page.blank()
    text = LemmaText(suite)
    written = [(one in found.needed, text.lemma(one.stated(name))) for name, one in _named(found)]
    for line in text.imports():
        page.line(line)
    for needed, lines in written:
        page.blank()
        if needed:
            mark = "#" if suite.origin is None else "\\*"
            page.line(f"{mark} * needed for what is inductive")
        for line in lines:
            page.line(line)
    page.blank()
