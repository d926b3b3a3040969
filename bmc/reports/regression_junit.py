"""A look at a lock as JUnit XML: a suite a model, a case a property.

What is known to be wrong is a failure; what nobody can say is an error.
"""

from __future__ import annotations

import re
from io import StringIO
from xml.etree import ElementTree

from bmc.regress.outcome import Judgement, Outcome, Standing
from bmc.regress.summary import Summary
from bmc.reports.page import Page
from bmc.reports.regression_words import (
    SHORT,
    changed_steps,
    location,
    parameters_text,
    place,
    sentence,
)
from bmc.reports.traces import write_trace
from bmc.reports.vocabulary import Vocabulary

_WRONG = frozenset({Standing.VIOLATED, Standing.HOLDS, Standing.LONGER})
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(summary: Summary) -> str:
    """The XML document."""
    root = ElementTree.Element("testsuites", name=_clean(f"bmc regress {summary.lock}"))
    totals = {"tests": 0, "failures": 0, "errors": 0}
    for judgement in summary.judgements:
        suite = _suite(summary, judgement)
        root.append(suite)
        for name in totals:
            totals[name] += int(suite.attrib[name])
    for name, number in totals.items():
        root.set(name, str(number))
    root.set("time", f"{sum(j.seconds for j in summary.judgements):.3f}")
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(summary: Summary, judgement: Judgement) -> ElementTree.Element:
    case = judgement.case
    suite = ElementTree.Element("testsuite")
    title = " ".join(filter(None, (case.protocol, parameters_text(case))))
    cases = [_case(summary, judgement, o, title) for o in judgement.outcomes]
    suite.attrib.update(
        name=_clean(title),
        tests=str(len(cases)),
        failures=str(sum(c.find("failure") is not None for c in cases)),
        errors=str(sum(c.find("error") is not None for c in cases)),
        time=f"{judgement.seconds:.3f}",
    )
    suite.extend(cases)
    return suite


def _case(
    summary: Summary, judgement: Judgement, outcome: Outcome, title: str
) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase",
        classname=_clean(title),
        name=_clean(outcome.name),
        time=f"{outcome.seconds:.3f}",
    )
    if found := location(judgement.case.source(outcome.name)):
        case.set("file", _clean(found[0]))
        case.set("line", str(found[1]))
    if outcome.standing is Standing.NEW and outcome.verdict is None:
        ElementTree.SubElement(case, "skipped", message=_clean(sentence(outcome)))
    elif not outcome.green and not summary.accepted(judgement, outcome):
        kind = "failure" if outcome.standing in _WRONG else "error"
        told = ElementTree.SubElement(
            case, kind, type=SHORT[outcome.standing], message=_clean(_message(judgement, outcome))
        )
        told.text = _clean(details(judgement, outcome))
    return case


def _message(judgement: Judgement, outcome: Outcome) -> str:
    changes = judgement.case.changes_for(outcome.name)
    said = f"; {', '.join(c.text for c in changes)}" if changes else ""
    return f"{outcome.name} {sentence(outcome)}{said}"


def details(judgement: Judgement, outcome: Outcome) -> str:
    """Why an outcome is not as expected, in plain text: reason, changes, and the trace."""
    case = judgement.case
    lines = [outcome.reason] if outcome.reason else []
    changes = case.changes_for(outcome.name)
    lines += [f"{c.text}  {place(c.source)}".rstrip() for c in changes]
    if said := changed_steps(outcome, changes):
        lines.append(said)
    if outcome.trace is not None and case.suite is not None:
        stream = StringIO()
        write_trace(Page(stream), Vocabulary.of(case.suite, case.parameters), outcome.trace)
        lines += ["", stream.getvalue()]
    return "\n".join(lines)


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("�", text)
