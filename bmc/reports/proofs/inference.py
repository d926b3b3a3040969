"""Inferred lemmas: as text to paste, what they rest on, and what stays open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bmc.analysis.inference.infer import Inferred
from bmc.analysis.inference.nodes import OpenNode
from bmc.evidence.certificate import formula_text
from bmc.evidence.verdict import Result, Verdict
from bmc.evidence.wording import count
from bmc.lang.suite import Suite
from bmc.reports.page import Page
from bmc.reports.proofs.history_text import history_lines
from bmc.reports.proofs.lemma_text import LemmaText

_SHOWN = 12


def inferred_json(suite: Suite, found: Inferred, results: Sequence[Result]) -> dict[str, Any]:
    """What was inferred, as JSON data, beside the verdicts that the lemmas led to."""
    text, proved = LemmaText(suite), _proved(results)
    lemmas = [
        {
            "name": one.name,
            "formula": formula_text(one),
            "text": "\n".join(text.lemma(one)) + "\n",
            "proved": one.name in proved,
        }
        for one in found.lemmas
    ]
    return {
        "lemmas": lemmas,
        "imports": text.imports(),
        "history": "\n".join(history_lines(suite)),
        "open": [{"node": _said(one), "action": one.action} for one in found.open],
        "clauses": _clauses(results),
        "at_this_size": list(found.clauses),
        "of_this_configuration": list(found.configured),
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


def write_inferred(page: Page, suite: Suite, found: Inferred, results: Sequence[Result]) -> None:
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
    if found.closed:
        fewer = (
            ", and no part of those" if found.minimal else "; there was no time to leave more out"
        )
        verb = "suffices" if len(found.lemmas) == 1 else "suffice"
        page.line(f"{count(len(found.lemmas), 'lemma')} of them {verb}{fewer}.")
        if found.clauses:
            page.line(
                f"{len(found.clauses)} of these are clauses of IC3, with numbers of this size in "
                "them: they need not hold at any other."
            )
        if found.configured:
            page.line(
                f"{len(found.configured)} of these name values that only the configuration names: "
                "they say nothing of other constants."
            )
    else:
        _write_open(page, found)
    page.blank()
    proved = _proved(results)
    parts = [one for one in found.lemmas if one.name in proved]
    rest = [one for one in found.lemmas if one.name not in proved]
    if _clauses(results):
        page.line(
            f"The proof has {count(_clauses(results), 'clause')} of IC3 besides, which are about "
            "this size; its certificate has them."
        )
        page.blank()
    _write_history(page, suite)
    text = LemmaText(suite)
    written = {one.name: text.lemma(one) for one in found.lemmas}
    where = "the module, each to be named with --lemma" if suite.origin else "the protocol"
    imports = text.imports()
    for title, some in (
        (f"Proven, to paste into {where}:", parts),
        ("Not proven: the best set so far of what else holds in the explored states:", rest),
    ):
        if not some:
            continue
        page.line(title)
        page.blank()
        for line in imports:
            page.line(line)
        imports = []
        for one in some:
            if suite.origin is None:
                page.blank()
            for line in written[one.name]:
                page.line(line)
        page.blank()


def _write_history(page: Page, suite: Suite) -> None:
    """A history that was invented, where the lemmas speak of one."""
    lines = history_lines(suite)
    if lines:
        page.line("They speak of what was ever so. This is the suite's history, to paste as well:")
        page.blank()
        for line in lines:
            page.line(line)
        page.blank()


def _write_open(page: Page, found: Inferred) -> None:
    """What is not preserved, as far as is known."""
    page.line(
        ("not closed", "bold yellow"),
        f": {count(len(found.open), 'node')} of the proof {'is' if len(found.open) == 1 else 'are'}"
        " open:",
    )
    for one in found.open[:_SHOWN]:
        action = f", broken by {one.action}" if one.action else ", not shown to be preserved yet"
        page.line(f"  {_said(one)}{action}")
    if found.open[_SHOWN:]:
        page.line(f"  and {len(found.open) - _SHOWN} more (--json has them all)")


def _proved(results: Sequence[Result]) -> set[str]:
    """Return the names of what is part of a proof."""
    return {n for r in results if r.verdict is Verdict.PROVED for n in r.lemmas}


def _clauses(results: Sequence[Result]) -> int:
    """Return how many clauses that nobody stated are in the proofs."""
    return max((len(r.certificate.clauses) for r in results if r.certificate), default=0)


def _said(one: OpenNode) -> str:
    return one.name if one.lemma is None or not _is_lemma(one) else formula_text(one.lemma)


def _is_lemma(one: OpenNode) -> bool:
    return one.name.startswith("lemma_")
