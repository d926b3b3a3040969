"""Lassos written to files, in the form that the file's name asks for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from bmc.cli.commands.trace_output import file_of_trace, form_of
from bmc.evidence.trace import Trace
from bmc.running.files import write_file

if TYPE_CHECKING:
    from bmc.evidence.lasso import Lasso, TemporalResult
    from bmc.lang.suite import Suite
    from bmc.reports.vocabulary import Vocabulary


class _Unicode(StringIO):
    encoding = "utf-8"


def write_lassos(
    suite: Suite,
    words: Vocabulary,
    results: Sequence[TemporalResult],
    path: Path,
    before: int = 0,
) -> dict[str, Path]:
    """Write the lasso of each violated claim; where it is, by claim.

    Further ones are numbered, all of them if there are traces of other claims ``before``.
    """
    form = form_of(path)
    found: dict[str, Path] = {}
    for result in results:
        if result.lasso is not None:
            file = file_of_trace(path, before + len(found) + 1)
            write_file(file, lasso_text(suite, words, result, result.lasso, form))
            found[result.property] = file
    return found


def lasso_text(
    suite: Suite, words: Vocabulary, result: TemporalResult, lasso: Lasso, form: str
) -> str:
    """Return a violated claim's lasso in one of the forms of traces."""
    if form == "html":
        return _page(suite, words, result, lasso)
    if form == "itf":
        from bmc.reports.traces.itf import itf_json

        whole = itf_json(words, suite.name, lasso.trace, result.property, lasso.loop)
        return json.dumps(whole, indent=1) + "\n"
    if form == "json":
        from bmc.reports.traces.lasso import temporal_json

        about = {"protocol": suite.name, "parameters": words.parameters}
        return json.dumps({**about, **temporal_json(words, result)}, indent=1) + "\n"
    if form == "tla":
        from bmc.reports.traces.tlc import lasso_tlc_text

        return lasso_tlc_text(words, lasso)
    from bmc.reports.page import Page
    from bmc.reports.proofs.verdicts import write_heading
    from bmc.reports.traces.lasso import TemporalWriter

    stream = _Unicode()
    page = Page(stream)
    write_heading(page, suite.name, words.parameters)
    TemporalWriter(page, suite, words).evidence(result)
    return stream.getvalue()


def _page(suite: Suite, words: Vocabulary, result: TemporalResult, lasso: Lasso) -> str:
    from bmc.reports.notation import call_text
    from bmc.reports.traces.html import LoopShown, trace_html
    from bmc.reports.traces.lasso import claim_text, condition_text, hints, reason_text

    stated = suite.describe_temporal(result.property, suite.model(ghosts=False))
    sorts = words.property_arguments(result.property)
    steps = lasso.trace.steps
    loop = LoopShown(
        result.property,
        stated.text,
        call_text(words, result.property, sorts, result.arguments or {}),
        claim_text(words, stated),
        result.specification,
        lasso.loop,
        lasso.closing is None,
        [(condition_text(words, met), reason_text(met)) for met in lasso.met],
        hints(suite, words, lasso),
    )
    closed = steps if lasso.closing is None else (*steps, lasso.closing)
    return trace_html(suite, words, Trace(closed), loop=loop)
