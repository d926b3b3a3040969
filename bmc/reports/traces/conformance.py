"""What a log says of a protocol: verdict, reason and coverage, as text and as JSON."""

from __future__ import annotations

import json
from typing import Any, assert_never

from bmc.conformance.checks import Claim, Comparison
from bmc.conformance.core import Core, Logged, LoggedValue
from bmc.conformance.coverage import GuardCoverage
from bmc.conformance.events import Event
from bmc.conformance.execution import Broken
from bmc.conformance.paths import NOWHERE
from bmc.conformance.reason import Difference, NoChoice, Reason
from bmc.conformance.verdict import Conformance, Conforms, Impossible, Unknown
from bmc.evidence.sources import variables_of
from bmc.evidence.wording import count
from bmc.lang.suite import Suite
from bmc.layout.domain import Value
from bmc.reports.notation import call_text, value_lines, value_text
from bmc.reports.page import Page
from bmc.reports.traces.explanations import explanation_json, explanation_lines, formula_text
from bmc.reports.values import arguments_json, state_json
from bmc.reports.vocabulary import Vocabulary

_SIGNS = {
    Comparison.EQUAL: "=",
    Comparison.AT_LEAST: ">=",
    Comparison.AT_MOST: "<=",
    Comparison.CONTAINS: "contains",
    Comparison.LACKS: "lacks",
}
_WIDEST_EVENT = 300


class ConformanceReport:
    """Shows what was found out about one log."""

    def __init__(self, suite: Suite, words: Vocabulary, found: Conformance) -> None:
        self._suite = suite
        self._words = words
        self._found = found
        self._actions = {one.name: len(one.branches) for one in suite.model(False).actions}

    def write(self, page: Page, full: bool) -> None:
        """Write the verdict, what stands behind it, and how often each action happened."""
        verdict, read = self._found.verdict, count(self._found.survey.mapped, "event")
        match verdict:
            case Conforms():
                page.line(("conforms", "bold green"), f": an execution has all {read}")
                self._write_members(page)
                self._write_execution(page, verdict, full)
            case Impossible():
                page.line(
                    ("impossible", "bold red"),
                    f" at line {verdict.event.line}: no execution has the events up to it",
                )
                self._write_members(page)
                self._write_event(page, verdict.event)
                self._write_reason(page, verdict.reason, full)
            case Unknown():
                page.line(
                    ("unknown", "bold yellow"), f" from line {verdict.event.line}: {verdict.why}"
                )
                self._write_members(page)
                self._write_event(page, verdict.event)
                if verdict.reason is not None:
                    self._write_reason(page, verdict.reason, full)
            case _:
                assert_never(verdict)

    def _write_members(self, page: Page) -> None:
        for scalarset, raw in self._found.members.items():
            named = self._named(scalarset)
            said = ", ".join(f"{n} is {r!s:.60}" for n, r in zip(named, raw, strict=False))
            page.line(f"  {scalarset}: {said}")

    def _named(self, scalarset: str) -> list[str]:
        number = len(self._found.members[scalarset])
        names = (self._words.member_named(scalarset, i) for i in range(1, number + 1))
        return [name for name in names if name is not None]

    def _write_execution(self, page: Page, verdict: Conforms, full: bool) -> None:
        branches = verdict.execution.branches()
        taken, silent = verdict.execution.taken(), verdict.execution.silent()
        steps = count(verdict.execution.length, "step")
        page.line(
            f"  {steps}, {silent} of them silent; at most "
            f"{count(self._found.widest, 'state')} possible at once; replayed by the interpreter"
        )
        width = max(len(name) for name in self._actions)
        for name, ways in self._actions.items():
            said = count(taken[name], "step") if taken[name] else ("never", "bold yellow")
            seen = len(branches.get(name, ()))
            by = f" by {seen} of its {ways} branches" if 0 < seen < ways else ""
            page.line(f"  action  {name:<{width}}  ", said, by)
        for name, line in verdict.execution.met.items():
            page.line(f"  witness {name} ", "is met " + _where(line))
        if verdict.guards is not None:
            self._write_guards(page, verdict.guards, full)
        for broken in verdict.broken:
            where = f" {_where(broken.line)}, in state {broken.position + 1} of this execution"
            name, why = broken.property.name, broken.undecided
            if why is None:
                page.line((f"  {name} is violated", "bold red"), where)
            else:
                page.line((f"  {name} is unknown", "bold yellow"), f"{where}: {why}")

    def _write_guards(self, page: Page, guards: GuardCoverage, full: bool) -> None:
        decided, whole = len(guards.decided), len(guards.decided) + len(guards.never)
        more = "" if full or not guards.never else " (--full lists the others)"
        page.line(f"  guards  {decided} of {whole} refuse a step in some state{more}")
        if guards.partly:
            page.line(
                f"          of {len(guards.partly)} others not every state was looked at: there "
                "are too many choices of arguments"
            )
        for name in guards.never if full else ():
            page.line("  guard   ", (name, "yellow"), " refuses no step")

    def _write_event(self, page: Page, event: Event) -> None:
        text = json.dumps(event.fields, ensure_ascii=False)
        shown = text if len(text) <= _WIDEST_EVENT else f"{text[: _WIDEST_EVENT - 1]}…"
        page.blank()
        page.line(f"  line {event.line}  ", (shown, "bold"))

    def _write_reason(self, page: Page, reason: Reason, full: bool) -> None:
        before = "the state" if reason.states == 1 else f"one of {reason.states} states"
        if reason.sample:
            before = "one of the states"
        page.line(f"  {before} before it" + ("" if full else ", where it matters") + ":")
        variables = self._variables_of(reason) if not full else set(self._words.variables)
        for name, sort in self._words.variables.items():
            if name in variables and name in reason.node.state:
                for part, text in value_lines(self._words, sort, reason.node.state[name], 90):
                    page.line(f"    {name}{part} = {text}")
        if reason.action is None:
            page.line("  the event is no step, and shows what is not so:")
        else:
            sorts = self._words.action_arguments(reason.action)
            call = call_text(self._words, reason.action, sorts, reason.arguments)
            page.line("  the step that comes nearest is ", (call, "bold"))
        for missing in reason.no_choice:
            page.line(f"    {self._no_choice(missing)}")
        for guard in reason.failing:
            text = formula_text(self._words, guard.term, guard.environment)
            page.line("    guard ", (text, "bold"), f" is {guard.truth.value}")
            for line in explanation_lines(self._words, guard):
                if line.text != text or line.values:
                    values = f"  ({line.values})" if line.values else ""
                    page.line(f"      {'  ' * line.deep}{line.text}{values}")
        for difference in reason.differing:
            page.line(f"    {self._difference(difference)}")
        if reason.core is not None:
            self._write_core(
                page, reason.core, reason.core.states == reason.states and not reason.sample
            )

    def _write_core(self, page: Page, core: Core, everywhere: bool) -> None:
        where = "" if everywhere else " in that state"
        fixed = f" ({', '.join(core.fixed)} as logged)" if core.fixed else ""
        page.line(f"  no arguments have all of this{where}{fixed}, and some have all but one:")
        for guard in core.guards:
            page.line("    guard ", (formula_text(self._words, guard, {}), "bold"))
        for one in core.logged:
            page.line(f"    {self._logged(one)}")

    def _logged(self, one: LoggedValue) -> str:
        match one.where:
            case Logged.ARGUMENT:
                return f"logged {self._claim(one.claim)}"
            case Logged.BEFORE:
                return f"logged {self._claim(one.claim)} before the step"
            case Logged.AFTER:
                return f"logged {self._claim(one.claim)} after the step"
            case _:
                assert_never(one.where)

    def _variables_of(self, reason: Reason) -> set[str]:
        found = {difference.claim.root for difference in reason.differing}
        found |= variables_of(guard.term for guard in reason.failing)
        return found or set(self._words.variables)

    def _no_choice(self, missing: NoChoice) -> str:
        claims = " and ".join(self._claim(claim) for claim in missing.claims)
        return f"there is no {missing.argument}" + (f" with {claims}" if claims else "")

    def _difference(self, difference: Difference) -> str:
        found = self._value(difference.claim, difference.found)
        side = "before the step" if difference.before else "after the step"
        return f"logged {self._claim(difference.claim)}, the model has {found} {side}"

    def _claim(self, claim: Claim) -> str:
        sign = _SIGNS[claim.check.comparison]
        value = value_text(self._words, claim.check.sort, claim.value)
        return f"{self._place(claim)} {sign} {value}"

    def _place(self, claim: Claim) -> str:
        """The claim's path with the protocol's names for its keys."""
        return claim.where.text(
            lambda sort, position: value_text(
                self._words, sort, self._words.domains.values(sort)[position]
            )
        )

    def _value(self, claim: Claim, found: Value) -> str:
        if found is NOWHERE:
            return "nothing there"
        return value_text(self._words, claim.check.path.sort, found)

    def document(self) -> dict[str, Any]:
        """Return the verdict as JSON data."""
        verdict = self._found.verdict
        content: dict[str, Any] = {
            "verdict": "",
            "line": None,
            "event": None,
            "why": None,
            "events": self._found.survey.events,
            "mapped": self._found.survey.mapped,
            "explained": self._found.explained,
            "widest": self._found.widest,
            "members": {
                name: [
                    {"member": member, "logged": raw}
                    for member, raw in zip(self._named(name), raws, strict=False)
                ]
                for name, raws in self._found.members.items()
            },
            "reason": None,
            "steps": None,
            "silent": None,
            "actions": {},
            "branches": {},
            "witnesses": {},
            "guards": None,
            "violated": [],
            "undecided": [],
        }
        match verdict:
            case Conforms():
                taken = verdict.execution.taken()
                content |= {
                    "verdict": "conforms",
                    "steps": verdict.execution.length,
                    "silent": verdict.execution.silent(),
                    "actions": {name: taken[name] for name in self._actions},
                    "branches": self._branches(verdict),
                    "witnesses": dict(verdict.execution.met),
                    "guards": _guards(verdict.guards),
                    "violated": [_place(one) for one in verdict.broken if one.undecided is None],
                    "undecided": [
                        _place(one) | {"why": one.undecided}
                        for one in verdict.broken
                        if one.undecided is not None
                    ],
                }
            case Impossible():
                content |= {"verdict": "impossible"} | self._at(verdict.event, verdict.reason)
            case Unknown():
                content |= {"verdict": "unknown", "why": verdict.why}
                content |= self._at(verdict.event, verdict.reason)
            case _:
                assert_never(verdict)
        return content

    def _branches(self, verdict: Conforms) -> dict[str, list[int]]:
        taken = verdict.execution.branches()
        return {name: sorted(taken.get(name, ())) for name, n in self._actions.items() if n > 1}

    def _at(self, event: Event, reason: Reason | None) -> dict[str, Any]:
        return {
            "line": event.line,
            "event": event.fields,
            "reason": None if reason is None else self._reason(reason),
        }

    def _reason(self, reason: Reason) -> dict[str, Any]:
        sorts = self._words.action_arguments(reason.action or "")
        return {
            "states": reason.states,
            "state": state_json(self._words, reason.node.state),
            "action": reason.action,
            "arguments": arguments_json(self._words, sorts, reason.arguments),
            "no_choice": [self._no_choice(missing) for missing in reason.no_choice],
            "failing": [explanation_json(self._words, guard) for guard in reason.failing],
            "differing": [
                {
                    "part": self._place(one.claim),
                    "comparison": one.claim.check.comparison.value,
                    "logged": value_text(self._words, one.claim.check.sort, one.claim.value),
                    "model": self._value(one.claim, one.found),
                    "before": one.before,
                }
                for one in reason.differing
            ],
            "core": None if reason.core is None else self._core(reason.core),
        }

    def _core(self, core: Core) -> dict[str, Any]:
        return {
            "guards": [formula_text(self._words, guard, {}) for guard in core.guards],
            "logged": [self._logged(one).removeprefix("logged ") for one in core.logged],
            "states": core.states,
            "fixed": list(core.fixed),
        }


def _guards(found: GuardCoverage | None) -> dict[str, Any] | None:
    """Which guards refuse a step: the line before it; the others, and those partly looked at."""
    if found is None:
        return None
    return {
        "decided": dict(found.decided),
        "never": list(found.never),
        "partly": sorted(found.partly),
    }


def _place(broken: Broken) -> dict[str, Any]:
    return {"property": broken.property.name, "line": broken.line, "state": broken.position}


def _where(line: int | None) -> str:
    return "before all events" if line is None else f"at line {line}"
