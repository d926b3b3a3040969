"""Verdicts on a page: a line a property, then the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bmc.engines.engine import title_of
from bmc.evidence.trace import CounterexampleToInduction, Trace
from bmc.evidence.verdict import Result, Verdict
from bmc.evidence.wording import count
from bmc.lang.suite import Suite
from bmc.reports.page import Page
from bmc.reports.vocabulary import Vocabulary

if TYPE_CHECKING:
    from bmc.reports.traces.instances import Violation

_STYLES = {
    Verdict.PROVED: "bold green",
    Verdict.VIOLATED: "bold red",
    Verdict.UNKNOWN: "bold yellow",
}


def write_heading(page: Page, protocol: str, parameters: Mapping[str, int]) -> None:
    """What the rest of the page is about."""
    shown = " ".join(f"{name}={value}" for name, value in parameters.items())
    page.line((protocol, "bold"), f"  {shown}" if shown else "")
    page.blank()


def is_clean(result: Result, depth: int) -> bool:
    """Whether a search that looks for violations only did all that was asked of it."""
    reached = result.depth is not None and result.depth >= depth
    return result.verdict is Verdict.UNKNOWN and reached and result.overflow is None


class ResultWriter:
    """Writes results about one suite.

    ``searched`` is the depth that was asked of a search for violations, None for a proof;
    ``walked`` says that random walks were asked for and taken to their end; ``full`` shows whole
    states; ``verbose`` names the lemmas.
    """

    def __init__(
        self,
        page: Page,
        suite: Suite,
        words: Vocabulary,
        *,
        searched: int | None = None,
        walked: bool = False,
        full: bool = False,
        verbose: bool = False,
    ) -> None:
        self._page = page
        self._suite = suite
        self._words = words
        self._searched = searched
        self._walked = walked
        self._full = full
        self._verbose = verbose

    def table(self, results: Sequence[Result]) -> None:
        """A line a property: its verdict, how it was found, and how long it took."""
        if not results:
            return
        verdicts = [self._verdict(r) for r in results]
        details = [self._detail(r) for r in results]
        name_width = max(len(r.property) for r in results)
        verdict_width = max(len(v) for v in verdicts)
        detail_width = max((len(d) for d in details if len(d) <= 60), default=0)
        for result, verdict, detail in zip(results, verdicts, details, strict=True):
            style = _STYLES[result.verdict]
            if self._clean(result):
                style = "bold green"
            self._page.line(
                f"  {result.property.ljust(name_width)}  ",
                (verdict.ljust(verdict_width), style),
                f"  {detail.ljust(detail_width)}  {result.seconds:.1f} s",
            )
        self._page.blank()

    def _clean(self, result: Result) -> bool:
        """Whether all that was asked for was done, and no violation was met."""
        if self._searched is not None:
            return is_clean(result, self._searched)
        return self._walked and result.verdict is Verdict.UNKNOWN

    def _verdict(self, result: Result) -> str:
        if self._clean(result):
            return "clean"
        return result.verdict.value

    def _detail(self, result: Result) -> str:
        if result.verdict is Verdict.VIOLATED:
            lacks = f"; {result.reason}" if result.reason else ""
            return f"by a trace of {count(len(result.trace or ()), 'state')}{lacks}"
        if result.verdict is Verdict.PROVED:
            if result.engine == "explicit":
                again = f", looked at again by {result.checked_by}" if result.checked_by else ""
                return f"in every reachable state{again}"
            remark = f"; {result.reason}" if result.reason else ""
            return f"for every depth, {self._means(result)}{remark}"
        if self._clean(result):
            if result.engine == "explicit" and result.reason and result.depth is not None:
                return f"no violation within {count(result.depth, 'step')}; {result.reason}"
            return result.reason or f"no violation within {count(result.depth or 0, 'step')}"
        searched = ""
        if result.depth is not None:
            searched = f"; no violation within {count(result.depth, 'step')}"
        return f"{result.reason or 'not decided'}{searched}"

    def _means(self, result: Result) -> str:
        means = [f"by {title_of(result.engine)}"]
        if result.k is not None:
            means[0] += f" at k = {result.k}"
        if result.lemmas:
            means[0] += f" with {count(len(result.lemmas), 'lemma')}"
        if result.checked_by is not None:
            means.append(f"re-checked by {result.checked_by}")
        return ", ".join(means)

    def evidence(self, results: Sequence[Result]) -> None:
        """Every trace once, and a counterexample to induction (all of them when verbose)."""
        if any(r.trace or r.overflow or r.undefined or r.induction_failure for r in results):
            # What shows traces is imported where there is one.
            self._traces_of(results)

    def _traces_of(self, results: Sequence[Result]) -> None:
        from bmc.reports.proofs.cti import write_further_failures, write_induction_failure
        from bmc.reports.traces.text import write_overflow, write_undefined, write_violation

        traces: list[tuple[Trace, list[Violation]]] = []
        for result in results:
            for trace in () if result.trace is None else (result.trace, *result.more_traces):
                self._sorted_in(traces, result.property, trace)
        for trace, violated in traces:
            write_violation(self._page, self._words, trace, violated, self._full)
            self._page.blank()
        overflow = next((r.overflow for r in results if r.overflow is not None), None)
        if overflow is not None:
            write_overflow(self._page, self._words, overflow, None, self._full)
        for result in results:
            if result.undefined is not None:
                write_undefined(self._page, self._words, result, result.undefined, self._full)
        failures: list[CounterexampleToInduction] = []
        for result in results:
            failure = result.induction_failure
            if failure is not None and failure not in failures:
                failures.append(failure)
        shown = failures if self._verbose else failures[:1]
        for failure in shown:
            write_induction_failure(self._page, self._words, failure, self._full)
            self._page.blank()
        if failures[len(shown) :]:
            write_further_failures(self._page, self._words, failures[len(shown) :])
            self._page.blank()

    def _sorted_in(
        self, traces: list[tuple[Trace, list[Violation]]], name: str, trace: Trace
    ) -> None:
        from bmc.reports.traces.instances import violation

        found = violation(self._suite, self._words.parameters, name, trace)
        for known, violated in traces:
            if known == trace:
                violated.append(found)
                return
        traces.append((trace, [found]))

    def lemmas(self, results: Sequence[Result]) -> None:
        """The lemmas that were proven (when verbose), and by name those that were not."""
        stated = [declared.name for declared in self._suite.lemmas]
        proven = {name for result in results for name in result.lemmas if name in stated}
        missing = [name for name in stated if name not in proven]
        open_ = any(result.verdict is not Verdict.PROVED for result in results)
        at_fault = {name for result in results for name in result.at_fault}
        if (proven or at_fault) and missing and (open_ or self._verbose):
            shown = ", ".join(missing)
            self._page.line(f"Lemmas not proven here ({len(missing)} of {len(stated)}): {shown}")
            first = [name for name in missing if name in at_fault]
            if first and len(first) < len(missing):
                asked = " ".join(f"-P {name}" for name in first)
                self._page.line(
                    f"  first {', '.join(first)}, with all lemmas assumed before the step; the "
                    f"others may only lean on that: ask {asked}"
                )
            self._page.blank()
        if proven and self._verbose:
            self._page.line("Proven lemmas:")
            texts = {declared.name: declared.text for declared in self._suite.lemmas}
            kept = [name for name in stated if name in proven]
            width = max((len(name) for name in kept), default=0)
            for name in kept:
                self._page.line(f"  {name.ljust(width)}  {texts[name]}")
            self._page.blank()

    def left_out(self, searches: Sequence[Result]) -> None:
        """One line: the published claims that are refuted, and what was found of each."""
        if not searches:
            return
        said = []
        for search in searches:
            if search.trace is not None:
                found = f"violated by a trace of {count(len(search.trace), 'state')}"
            elif search.depth is not None:
                found = f"no violation within {count(search.depth, 'step')} at these parameters"
            else:
                found = search.reason or "not searched"
            said.append(f"{search.property} ({found})")
        self._page.line(f"Refuted claims, left out (--all includes them): {', '.join(said)}")
