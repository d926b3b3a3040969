"""Inferred lemmas: as text to paste, what they rest on, and what stays open."""

from __future__ import annotations

from typing import Any

from bmc.analysis.inference.infer import Inferred
from bmc.analysis.inference.search import OpenNode
from bmc.evidence.certificate import formula_text
from bmc.evidence.wording import count
from bmc.lang.errors import LanguageError
from bmc.lang.properties import Property
from bmc.lang.suite import Suite
from bmc.reports.page import Page
from bmc.reports.proofs.lemma_text import LemmaText

_SHOWN = 12


def inferred_json(suite: Suite, found: Inferred, proved: bool) -> dict[str, Any]:
    """What was inferred, as JSON data; ``proved`` says that the lemmas are part of a proof."""
    text = LemmaText(suite)
    lemmas = [
        {
            "name": one.name,
            "formula": formula_text(one),
            "text": "\n".join(_lines(text, one)) + "\n",
            "proved": proved,
        }
        for one in found.lemmas
    ]
    return {
        "lemmas": lemmas,
        "imports": text.imports(),
        "open": [{"node": _said(one), "action": one.action} for one in found.open],
        "found": found.found,
        "questions": found.asked,
        "explored": [
            {
                "parameters": dict(one.parameters),
                "distinct_states": one.states,
                "complete": one.complete,
            }
            for one in found.worlds
        ],
        "stopped_because": found.stopped,
    }


def write_inferred(page: Page, suite: Suite, found: Inferred, proved: bool) -> None:
    """The lemmas as text of the language, and how they were come by."""
    first, *others = found.worlds
    whole = "reachable" if first.complete else "explored"
    page.line(
        f"{count(found.found, 'lemma')} found with {count(found.asked, 'question')} of induction; "
        f"all hold in all {first.states:,} {whole} states"
        + (f", and in {sum(w.states for w in others):,} at larger parameters." if others else ".")
    )
    if found.stopped:
        page.line(f"It stopped because {found.stopped}.")
    if not found.closed:
        page.line(
            ("not proven", "bold yellow"),
            f": {count(len(found.kept), 'lemma')} of them are preserved beside the others, "
            f"{count(len(found.open), 'node')} open:",
        )
        for one in found.open[:_SHOWN]:
            action = f", broken by {one.action}" if one.action else ", not looked at yet"
            page.line(f"  {_said(one)}{action}")
        if found.open[_SHOWN:]:
            page.line(f"  and {len(found.open) - _SHOWN} more (--json has them all)")
    elif found.lemmas:
        page.line(f"{count(len(found.lemmas), 'lemma')} of them suffice, and no part of those.")
    page.blank()
    if not found.lemmas:
        return
    if proved:
        where = "the module, each to be named with --lemma" if suite.origin else "the protocol"
        page.line(f"To paste into {where}:")
    else:
        page.line("The best set so far. Nobody has proved these lemmas:")
    page.blank()
    text = LemmaText(suite)
    written = [_lines(text, one) for one in found.lemmas]
    for line in text.imports():
        page.line(line)
    for lines in written:
        if suite.origin is None:
            page.blank()
        for line in lines:
            page.line(line)
    page.blank()


def _lines(text: LemmaText, stated: Property) -> list[str]:
    try:
        return text.lemma(stated)
    except LanguageError:
        return [f"# in words of the model only, {stated.name}: {formula_text(stated)}"]


def _said(one: OpenNode) -> str:
    return one.name if one.lemma is None or not _is_lemma(one) else formula_text(one.lemma)


def _is_lemma(one: OpenNode) -> bool:
    return one.name.startswith("lemma_")
