"""One group of a large log: its verdict as a row, whatever is wrong with its lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, assert_never

from bmc.conformance.coverage import GuardWatch
from bmc.conformance.demands import survey
from bmc.conformance.errors import LogError
from bmc.conformance.events import Written, read_objects
from bmc.conformance.execution import Execution, violated_first
from bmc.conformance.mapping import LogMapping
from bmc.conformance.paths import NOWHERE
from bmc.conformance.reason import Difference, Reason
from bmc.conformance.rules import RuleBook
from bmc.conformance.search import Limits
from bmc.conformance.values import Raw, as_logged
from bmc.conformance.verdict import (
    Conformance,
    Conforms,
    Impossible,
    Unknown,
    check_log,
    judging,
)
from bmc.conformance.windows import WINDOW, Window, WindowView, cut, look_into
from bmc.lang.errors import BmcError
from bmc.lang.guards import DecidingGuard, guards_of
from bmc.lang.properties import Kind, Property
from bmc.lang.suite import Suite
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter


@dataclass(frozen=True)
class GroupVerdict:
    """What is found of one group.

    ``verdict`` is conforms, violated (it conforms, and an invariant is false), impossible, unknown
    (also where it conforms, and the protocol's text gives an invariant no value) or unreadable;
    ``line`` is that of the group's event which it is about, from 1, and ``event`` the event itself,
    as JSON. ``actions`` counts the steps of an execution by their action; ``guards`` are those that
    refuse a step in it, and ``witnesses`` what it meets, if asked for.
    """

    verdict: str
    events: int
    line: int | None = None
    event: str | None = None
    why: str | None = None
    actions: Mapping[str, int] | None = None
    guards: Sequence[str] | None = None
    witnesses: Sequence[str] | None = None


@dataclass(frozen=True)
class GroupChecker:
    """Checks groups against one protocol with one mapping."""

    suite: Suite
    mapping: LogMapping
    given: Mapping[str, int]
    invariants: Sequence[str]
    limits: Limits
    fields: Sequence[str] = ()
    """What the events were grouped by, as text: that may be one of different values."""
    coverage: bool = False
    """Whether it is looked which guards and witnesses an execution exercises."""
    window: int = WINDOW
    """Steps of an execution after which a long group is cut, where windows are asked for."""

    @cached_property
    def _guards(self) -> tuple[DecidingGuard, ...]:
        return guards_of(self.suite, self._rules.model) if self.coverage else ()

    @cached_property
    def _asked(self) -> tuple[Sequence[Property], Sequence[Property]]:
        """The invariants, and the witnesses that are looked for."""
        model = self.suite.model(True)
        sought = self.suite.declared(Kind.WITNESS) if self.coverage else ()
        stated = [self.suite.describe(self.suite.find(n), model) for n in self.invariants]
        return stated, [self.suite.describe(one, model) for one in sought]

    def _judging(self, parameters: Mapping[str, int]) -> Interpreter:
        stated, witnesses = self._asked
        return Interpreter(judging(self.suite, (*stated, *witnesses)), Domains(parameters))

    @cached_property
    def _rules(self) -> RuleBook:
        return RuleBook(self.suite.model(False))

    def verdict(self, lines: Iterable[bytes]) -> GroupVerdict:
        """Return the verdict on a group's events, in order, as they stand in the log."""
        return self._found(lines, whole=True)[0]

    def begun(self, lines: Iterable[bytes]) -> tuple[GroupVerdict, Iterator[Window]]:
        """Return a verdict as above, and what is left to look into before it is known.

        A long group has windows, where it conforms: its invariants and what it covers are asked of
        each by itself (:meth:`look_into`), and stand in no verdict before.
        """
        found, execution, parameters = self._found(lines, whole=False)
        if execution is None:
            return found, iter(())
        judged = execution.within(self._judging(parameters))
        return found, cut(judged, parameters, self.window)

    def look_into(self, window: Window) -> WindowView:
        """Return what one window of a group's execution shows. Raises Contradiction."""
        stated, witnesses = self._asked
        rules = self._rules.at(window.parameters)
        watch = GuardWatch(rules, self._guards) if self._guards else None
        interpreter = self._judging(window.parameters)
        return look_into(window, interpreter, stated, witnesses, watch, self.suite.origin)

    def _found(
        self, lines: Iterable[bytes], whole: bool
    ) -> tuple[GroupVerdict, Execution | None, Mapping[str, int]]:
        """A verdict; an execution that is to be looked into, and the parameters of it."""
        with NamedTemporaryFile(prefix="bmc-group-") as out:
            log = Path(out.name)
            number = 0
            for text in lines:
                number += 1
                out.write(text.replace(b"\n", b" ") + b"\n")
            out.flush()
            try:
                return self._checked(log, whole)
            except BmcError as error:
                # The file's name says nothing: the group is the row's own.
                why = str(error).replace(f"{log}, ", "").replace(str(log), "the group")
                return GroupVerdict("unreadable", number, why=why), None, {}

    def _checked(
        self, log: Path, whole: bool
    ) -> tuple[GroupVerdict, Execution | None, Mapping[str, int]]:
        self._require_one_group(log)
        told = survey(log, self.mapping, self.suite.model(False), self.given)
        asks = bool(self.invariants) or self.coverage
        later = not whole and asks and told.mapped > self.window
        found = check_log(
            log,
            self.mapping,
            told,
            self.suite,
            () if later else self.invariants,
            self.limits,
            self._rules,
            () if later else self._guards,
        )
        verdict = self._said(found)
        if later and verdict.verdict == "conforms":
            return replace(verdict, guards=None, witnesses=None), found.shown, told.parameters
        return verdict, None, told.parameters

    def _said(self, found: Conformance) -> GroupVerdict:
        told = found.survey
        match found.verdict:
            case Conforms(execution=execution, broken=broken, guards=guards):
                first = violated_first(broken)
                verdict = "conforms"
                if first is not None:
                    verdict = "violated" if first.undecided is None else "unknown"
                return GroupVerdict(
                    verdict,
                    told.events,
                    None if first is None else first.line,
                    None,
                    None if first is None else first.why(),
                    dict(execution.taken()),
                    None if guards is None else tuple(guards.decided),
                    tuple(execution.met) if self.coverage else None,
                )
            case Impossible(event=event, reason=reason):
                said = json.dumps(event.fields)
                why = _words(reason, found.members)
                return GroupVerdict("impossible", told.events, event.line, said, why)
            case Unknown(event=event, why=why):
                said = json.dumps(event.fields)
                return GroupVerdict("unknown", told.events, event.line, said, why)
            case _:
                assert_never(found.verdict)

    def _require_one_group(self, log: Path) -> None:
        """Raise LogError where the events are of several groups that are written alike."""
        first: dict[str, tuple[int, str]] = {}
        for line, fields in read_objects(log) if self.fields else ():
            for name in self.fields:
                value = fields.get(name)
                if isinstance(value, list | dict):
                    raise LogError(
                        f"line {line}: it is grouped by {name!r}, which is "
                        f"{json.dumps(value):.60}: group by strings, numbers or truth values"
                    )
                # Numbers have several texts, and their groups are told apart by these.
                said = "a number" if type(value) in (int, float, Written) else json.dumps(value)
                earlier, other = first.setdefault(name, (line, said))
                if said != other:
                    raise LogError(
                        f"line {line}: its {name!r} is {said}, and {other} in line {earlier}, "
                        "which are one group as they are written: log it in one way"
                    )


def _words(reason: Reason, members: Mapping[str, Sequence[Raw]]) -> str:
    """The nearest step and what is in its way, in one line; `bmc trace check` says it at length.

    A row has no list of the members' names, so they are called as the log calls them.
    """
    parts = [f"nearest is {reason.action}" if reason.action else "the event is no step"]
    parts += [f"no {one.argument} fits" for one in reason.no_choice]
    parts += [f"{one.term!r} is false" for one in reason.failing]
    parts += [
        f"{one.claim.check.path.text} is {_found(one, members)}, logged {one.claim.raw!r}"
        for one in reason.differing
    ]
    return "; ".join(parts)


def _found(one: Difference, members: Mapping[str, Sequence[Raw]]) -> str:
    if one.found is NOWHERE:
        return "nothing there"
    return as_logged(one.claim.check.path.sort, one.found, members)


def row_of(found: GroupVerdict) -> dict[str, Any]:
    """Return a verdict as the columns of a table; counts by action are JSON."""
    return {
        "verdict": found.verdict,
        "events": found.events,
        "line": found.line,
        "event": found.event,
        "why": found.why,
        "actions": None if found.actions is None else json.dumps(dict(found.actions)),
        "guards": found.guards,
        "witnesses": found.witnesses,
    }
