"""Whether a log is an execution of a protocol: conforms, impossible at a line, or unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any, assert_never

from bmc.conformance.coverage import GuardCoverage, GuardWatch
from bmc.conformance.crowded import Crowded
from bmc.conformance.demands import Demand, Survey, demands
from bmc.conformance.errors import LogError
from bmc.conformance.events import Event
from bmc.conformance.execution import Broken, Execution
from bmc.conformance.mapping import LogMapping
from bmc.conformance.order import InLine, Partial, Schedule
from bmc.conformance.reason import Reason, reason_of
from bmc.conformance.rules import RuleBook
from bmc.conformance.search import INTERRUPTED, Followed, GaveUp, Limits, Search, Stuck
from bmc.conformance.stepping import Stepper
from bmc.conformance.values import Meanings
from bmc.evidence.sources import variables_of
from bmc.lang.guards import DecidingGuard
from bmc.lang.model import Model
from bmc.lang.properties import Kind, Property
from bmc.lang.protocol import parameters_of
from bmc.lang.suite import Suite
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter
from bmc.running.interruption import LimitMet, interrupted


@dataclass(frozen=True)
class Conforms:
    """The log is one of ``execution``; ``broken`` are invariants that do not hold in it.

    ``guards`` says which guards it exercises, None where nobody asked.
    """

    execution: Execution
    broken: tuple[Broken, ...]
    guards: GuardCoverage | None


@dataclass(frozen=True)
class Impossible:
    """No execution of the protocol has the events up to ``event``."""

    event: Event
    reason: Reason


@dataclass(frozen=True)
class Unknown:
    """Nothing is known beyond the events before ``event``.

    ``reason`` is why the event is no step of the executions that were found, None where a limit
    was met before all of them were tried.
    """

    event: Event
    why: str
    reason: Reason | None


@dataclass(frozen=True)
class Conformance:
    """A verdict on a log, and how it was found.

    ``explained`` counts the mapped events that an execution was found for, ``widest`` the most
    states that were possible at once, and ``members`` has what the log calls them, by scalarset.
    ``shown`` is an execution of all events, or of those before the one that the verdict is about,
    to the state that its reason is about; None where there is no reason.
    """

    verdict: Conforms | Impossible | Unknown
    survey: Survey
    explained: int
    widest: int
    members: Mapping[str, Sequence[Any]]
    shown: Execution | None


def check_log(
    log: Path,
    mapping: LogMapping,
    survey: Survey,
    suite: Suite,
    invariants: Sequence[str],
    limits: Limits,
    rules: RuleBook | None = None,
    guards: Sequence[DecidingGuard] = (),
    since: float | None = None,
) -> Conformance:
    """Return whether a log is an execution of a suite's protocol.

    ``invariants`` and ``guards`` are looked at in every state of the execution that is found;
    ``rules`` are those of the suite's model without ghosts, kept from earlier logs, and ``guards``
    that model's. The limit's seconds are counted ``since`` then, None for now. Raises LogError
    for a line that the mapping cannot read, and KeyboardInterrupt unless the limits have it told.
    """
    began = monotonic() if since is None else since
    looked = _Look(log, mapping, rules or RuleBook(suite.model(False)), limits, began)
    found, stepper, meanings, schedule = looked.at(survey.parameters)
    if isinstance(found, Stuck) and found.missed and stepper.rules.is_constrained:
        # A system knows of no state constraint, and what it does beyond one may be impossible too.
        free = replace(looked, rules=looked.rules.unconstrained)
        further = free.at(survey.parameters)
        if isinstance(further[0], Stuck) and further[0].missed is None:
            looked, (found, stepper, meanings, schedule) = free, further
    shown: Execution | None = None
    _require_same_length(log, survey, found)
    match found:
        case Followed():
            stated = [suite.describe(suite.find(n), suite.model(True)) for n in invariants]
            # Who asks for no invariants has a long log.
            sought = suite.declared(Kind.WITNESS) if invariants or guards else ()
            witnesses = [suite.describe(one, suite.model(True)) for one in sought]
            model = judging(suite, (*stated, *witnesses))
            execution = Execution(found.node, Interpreter(model, Domains(survey.parameters)))
            again = _Again(schedule.again(execution.event_lines()))
            watch = GuardWatch(stepper.rules, guards) if guards else None
            verdict: Conforms | Impossible | Unknown
            try:
                with interrupted("what is asked of the execution", looked.seconds_left()):
                    broken = execution.replay(again, stated, witnesses, watch, suite.origin)
                covered = None if watch is None else watch.found()
                shown, verdict = execution, Conforms(execution, broken, covered)
            except LimitMet:
                # What was not replayed is not believed.
                if again.last is None:
                    raise
                late = f"the time limit of {limits.seconds:g} s was reached in the replay"
                verdict = Unknown(again.last.event, late, None)
            except KeyboardInterrupt:
                if again.last is None or not limits.told_when_interrupted:
                    raise
                verdict = Unknown(again.last.event, f"{INTERRUPTED} in the replay", None)
        case Stuck():
            why = found.missed or _beyond(found, looked, survey, suite)
            event, reason = found.demand.event, reason_of(found, stepper)
            shown = Execution(reason.node, stepper.interpreter)
            verdict = Unknown(event, why, reason) if why else Impossible(event, reason)
        case GaveUp():
            verdict = Unknown(found.demand.event, found.why, None)
        case _:
            assert_never(found)
    members = {name: meanings.members(name) for name in meanings.scalarsets()}
    return Conformance(verdict, survey, found.events, found.widest, members, shown)


def judging(suite: Suite, asked: Sequence[Property]) -> Model:
    """Return the model whose states these are asked of: with the history where one reads it.

    A history that nobody asks may have no value, whatever the protocol does.
    """
    model = suite.model(True)
    read = variables_of(one.body for one in asked)
    return suite.model(not read.isdisjoint(model.ghosts))


def _require_same_length(log: Path, survey: Survey, found: Followed | Stuck | GaveUp) -> None:
    """Refuse a log that somebody writes to: parameters are read off what was there at first."""
    seen = found.events if isinstance(found, Followed) else found.events + 1
    if seen > survey.mapped or (isinstance(found, Followed) and seen < survey.mapped):
        raise LogError(
            f"{log} had {survey.mapped} mapped events and now has {seen}: check a copy that nobody "
            "writes to"
        )


class _Again:
    """The events of a log once more; ``last`` is the one that was read last, at first the first."""

    def __init__(self, coming: Iterator[Demand]) -> None:
        self.last = next(coming, None)
        self._coming = coming

    def __iter__(self) -> Iterator[Demand]:
        while self.last is not None:
            yield self.last
            if (coming := next(self._coming, None)) is None:
                return
            self.last = coming


@dataclass(frozen=True)
class _Look:
    """Follows one log, at parameters that may change."""

    log: Path
    mapping: LogMapping
    rules: RuleBook
    limits: Limits
    since: float

    def seconds_left(self) -> float | None:
        """Return the seconds that are left for all that is asked of the log; None has no limit."""
        seconds = self.limits.seconds
        return None if seconds is None else max(0.0, self.since + seconds - monotonic())

    def at(
        self, parameters: Mapping[str, int], most: int | None = None
    ) -> tuple[Followed | Stuck | GaveUp, Stepper, Meanings, Schedule]:
        """Return how far executions follow the log's first ``most`` events, and what was used."""
        rules = self.rules.at(parameters)
        meanings = self.mapping.meanings(rules.interpreter.domains)
        silent, steps = self.mapping.silent, self.mapping.silent_steps

        def events() -> Iterator[Demand]:
            return demands(self.log, self.mapping, rules.interpreter.domains, meanings)

        def scheduled() -> Schedule:
            order = self.mapping.order
            if order is None:
                return InLine(events)
            return Partial(self.log, events(), self.mapping, order)

        def searched(stepper: Stepper, eager: bool) -> Followed | Stuck | GaveUp:
            search = Search(stepper, silent, steps, self.limits, eager, self.since)
            found = search.run(schedule, most)
            if isinstance(found, GaveUp) and found.nodes and isinstance(schedule, InLine):
                try:
                    return Crowded(stepper, silent, steps, search).beyond(found, schedule, most)
                except KeyboardInterrupt:
                    if not self.limits.told_when_interrupted:
                        raise
                    return replace(found, why=f"{found.why}, and SAT was {INTERRUPTED}")
            return found

        schedule = scheduled()
        stepper = Stepper(rules)
        found = searched(stepper, eager=False)
        if isinstance(found, Stuck) and silent and steps:
            # Fewer silent steps than there might have been were taken on the way.
            schedule = scheduled()
            stepper = Stepper(rules)
            found = searched(stepper, eager=True)
        return found, stepper, meanings, schedule


def _beyond(found: Stuck, looked: _Look, survey: Survey, suite: Suite) -> str | None:
    """Return why an event may be possible in executions that go on where the parameters end them.

    A parameter that nobody chose says nothing of the system. None if the event is as impossible
    with more room.
    """
    more = {
        parameter.name: 2 * survey.parameters[parameter.name] + 2
        for parameter in parameters_of(suite.protocol)
        if parameter.ends and parameter.name not in survey.chosen
    }
    if not more:
        return None
    further, *_ = looked.at({**survey.parameters, **more}, found.events + 1)
    shown = ", ".join(f"{name}={value}" for name, value in more.items())
    remedy = "set the parameters as the system has them, with -p or in the mapping"
    match further:
        case Stuck(missed=None):
            return None
        case Stuck():
            return f"with {shown}, {further.missed}; {remedy}"
        case GaveUp():
            return f"with {shown}, {further.why}; {remedy}"
        case Followed():
            return f"with {shown}, an execution has the event; {remedy}"
        case _:
            assert_never(further)
