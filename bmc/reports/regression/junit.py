"""A look at a lock as JUnit XML: a suite a model, a case a property.

What is known to be wrong is a failure; what nobody can say is an error.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from bmc.reports.regression.details import details
from bmc.reports.regression.view import LockView, ModelView, PropertyView
from bmc.reports.regression.words import location, parameters_text, sentence, short

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(view: LockView) -> str:
    """The XML document."""
    root = ElementTree.Element("testsuites", name=_clean(f"bmc regress {view.lock}"))
    totals = {"tests": 0, "failures": 0, "errors": 0}
    for model in view.models:
        suite = _suite(model)
        root.append(suite)
        for name in totals:
            totals[name] += int(suite.attrib[name])
    for name, number in totals.items():
        root.set(name, str(number))
    root.set("time", f"{sum(m.seconds for m in view.models):.3f}")
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(model: ModelView) -> ElementTree.Element:
    title = " ".join(filter(None, (model.protocol, parameters_text(model.parameters))))
    cases = [_case(model, stated, title) for stated in model.properties]
    suite = ElementTree.Element(
        "testsuite",
        name=_clean(title),
        tests=str(len(cases)),
        failures=str(sum(c.find("failure") is not None for c in cases)),
        errors=str(sum(c.find("error") is not None for c in cases)),
        time=f"{model.seconds:.3f}",
    )
    suite.extend(cases)
    return suite


def _case(model: ModelView, stated: PropertyView, title: str) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase",
        classname=_clean(title),
        name=_clean(stated.name),
        time=f"{stated.seconds:.3f}",
    )
    if found := location(stated.source):
        case.set("file", _clean(found[0]))
        case.set("line", str(found[1]))
    if stated.unchecked or (stated.new and stated.verdict in ("", "unknown")):
        ElementTree.SubElement(case, "skipped", message=_clean(sentence(stated)))
    elif not stated.green:
        kind = "failure" if stated.known_wrong else "error"
        said = [f"{stated.name} {sentence(stated)}"]
        said += [change.text for change in model.changes_for(stated.name)]
        told = ElementTree.SubElement(
            case, kind, type=short(stated), message=_clean("; ".join(said))
        )
        told.text = _clean(details(model, stated))
    return case


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("�", text)
