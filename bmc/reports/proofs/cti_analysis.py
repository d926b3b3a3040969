"""The next step after a failed induction, for a person who has never proven anything by one."""

from __future__ import annotations

import re
from typing import Any

from bmc.analysis.cti import Blocker, CtiAnalysis, Reach
from bmc.evidence.certificate import formula_text
from bmc.lang.suite import Suite
from bmc.reports.documents import ResultDocuments
from bmc.reports.page import Page
from bmc.reports.proofs.lemma_text import LemmaText
from bmc.reports.traces.text import count, write_trace
from bmc.reports.vocabulary import Vocabulary

_SHOWN = 5
_A_LINE = 4


def study_json(suite: Suite, words: Vocabulary, study: CtiAnalysis) -> dict[str, Any]:
    """A study as JSON data."""
    text = LemmaText(suite)
    whole = study.violation
    return {
        "conjunct": study.conjunct,
        "first_state": study.reach.value,
        "explored_states": study.states,
        "explored_all": study.complete,
        "reached_in": study.reached_in,
        "not_reached_within": None if study.clean < 0 else study.clean,
        "violation": None if whole is None else ResultDocuments(suite, words).trace(whole),
        "preserved_by": list(study.preserved_by),
        "broken_by": list(study.broken_by),
        "lemmas_needed": list(study.needed),
        "relevant": [_scalar(words, text) for text in study.relevant],
        "candidates": [
            {
                "formula": formula_text(one.candidate.stated("")),
                "text": "\n".join(text.lemma(one.candidate.stated(f"candidate_{n}"))) + "\n",
                "inductive": one.inductive,
                "mends": list(one.mends),
                "closes": one.closes,
            }
            for n, one in enumerate(study.blockers, 1)
        ],
        "stopped_because": study.stopped,
        "seconds": round(study.seconds, 3),
    }


def write_study(
    page: Page,
    suite: Suite,
    words: Vocabulary,
    study: CtiAnalysis,
    protocol: str,
    full: bool = False,
) -> None:
    """Whether the first state is reachable, what holds so far, and which lemmas would help."""
    page.line(("What next", "bold"), f" about {study.conjunct}")
    page.blank()
    page.line(f"  {_reach(study)}")
    if study.relevant:
        parts = list(dict.fromkeys(_scalar(words, text) for text in study.relevant))
        page.line("  What matters of state 0 (with it, the step goes wrong whatever the rest is):")
        for first in range(0, len(parts), _A_LINE):
            page.line(f"    {', '.join(parts[first : first + _A_LINE])}")
    if study.broken_by:
        page.line(f"  Broken by:     {', '.join(study.broken_by)}")
        page.line(f"  Preserved by:  {', '.join(study.preserved_by) or 'no action'}")
        if study.needed:
            page.line(f"                 thanks to {', '.join(study.needed)}")
    page.blank()
    if study.violation is not None:
        steps = count(len(study.violation) - 1, "step")
        page.line(f"  So no lemma excludes it: {study.conjunct} is violated after {steps}.")
        page.blank()
        write_trace(page, words, study.violation, full)
    elif study.reach is Reach.REACHABLE:
        page.line(f"  `bmc explore {protocol} -P {study.conjunct}` shows a trace to a violation.")
    elif study.blockers:
        _write_blockers(page, suite, study)
    else:
        page.line("  No candidate excludes state 0: look at it, say in words why it cannot be")
        page.line("  reached, and write that as a lemma. `bmc mine` tries more, for longer.")
    if study.stopped:
        page.line(f"  Something may be missing: {study.stopped}")
    page.blank()


def _scalar(words: Vocabulary, text: str) -> str:
    """A scalar's text in the words of a trace, without the signs of what it is inside."""

    def member(found: re.Match[str]) -> str:
        return words.member_named(found[1], int(found[2])) or found[0]

    plain = re.sub(r"[!?]", "", re.sub(r"(\w+?)(\d+)(?=\])", member, text))
    return f"the size of {plain[:-1]}" if plain.endswith("#") else plain


def _reach(study: CtiAnalysis) -> str:
    states = count(study.states, "state")
    if study.reached_in is not None:
        steps = count(study.reached_in, "step")
        return f"State 0 is reachable in {steps}: this is the end of a real execution."
    if study.reach is Reach.REACHABLE:
        return "State 0 is reachable: this is the end of a real execution."
    if study.reach is Reach.UNREACHABLE:
        return f"State 0 is unreachable: it is none of the {states} that can be reached."
    within = ""
    if study.clean >= 0:
        within = f", and not reached within {count(study.clean, 'step')}"
    return (
        f"Whether state 0 is reachable is not known: it is none of the {states} explored{within}."
    )


def _write_blockers(page: Page, suite: Suite, study: CtiAnalysis) -> None:
    whole = "reachable" if study.complete else "explored"
    page.line(f"  Lemmas that exclude state 0; each holds in all {study.states:,} {whole} states:")
    page.blank()
    for number, one in enumerate(study.blockers[:_SHOWN], 1):
        page.line(f"  {number}. {formula_text(one.candidate.stated(''))}")
        page.line(f"     {_worth(one, study.conjunct)}")
    if study.blockers[_SHOWN:]:
        page.line(f"  and {len(study.blockers) - _SHOWN} more (--json has them all)")
    page.blank()
    if study.broken_by and not any(one.mends for one in study.blockers):
        page.line("  None of them keeps a step from going wrong. Say in words why what matters of")
        page.line("  state 0 cannot come together, and write that as a lemma.")
        page.blank()
    page.line("  Take the one you can believe for a reason, and prove again. The first, as text:")
    page.blank()
    text = LemmaText(suite)
    lines = text.lemma(study.blockers[0].candidate.stated("candidate_1"))
    for line in (*text.imports(), "", *lines):
        page.line(f"      {line}")
    page.blank()
    page.line("  docs/first-proof.md walks from here to a proof.")


def _worth(one: Blocker, target: str) -> str:
    own = "inductive" if one.inductive else "needs lemmas of its own"
    if one.closes:
        return f"{own}; {target} is inductive with it"
    if one.mends:
        return f"{own}; with it {', '.join(one.mends)} would preserve {target}"
    return f"{own}; excludes this state and leaves others like it"
