"""Whether a log is an execution of a protocol: conforms, impossible at a line, or unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, assert_never

from bmc.conformance.demands import Survey, demands
from bmc.conformance.events import Event
from bmc.conformance.execution import Broken, Execution, broken_invariants, execution_to
from bmc.conformance.mapping import LogMapping
from bmc.conformance.reason import Reason, reason_of
from bmc.conformance.search import Found, GaveUp, Limits, Search, Stuck
from bmc.conformance.stepping import Stepper
from bmc.lang.suite import Suite
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter


@dataclass(frozen=True)
class Conforms:
    """The log is one of ``execution``; ``broken`` are invariants that are false in it."""

    execution: Execution
    broken: tuple[Broken, ...]


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
    """

    verdict: Conforms | Impossible | Unknown
    survey: Survey
    explained: int
    widest: int
    members: Mapping[str, Sequence[Any]]


def check_log(
    log: Path,
    mapping: LogMapping,
    survey: Survey,
    suite: Suite,
    invariants: Sequence[str],
    limits: Limits,
) -> Conformance:
    """Return whether a log is an execution of a suite's protocol.

    ``invariants`` are looked at in every state of the execution that is found. Raises LogError for
    a line that the mapping cannot read.
    """
    model = suite.model(False)
    domains = Domains(survey.parameters)
    interpreter = Interpreter(model, domains)
    meanings = mapping.meanings()
    silent, steps = mapping.silent, mapping.silent_steps

    def searched(stepper: Stepper, eager: bool) -> Found | Stuck | GaveUp:
        search = Search(stepper, silent, steps, limits, eager)
        return search.run(demands(log, mapping, domains, meanings))

    stepper = Stepper(model, interpreter)
    found = searched(stepper, eager=False)
    if isinstance(found, Stuck) and silent and steps:
        # Fewer silent steps than there might have been were taken on the way.
        stepper = Stepper(model, interpreter)
        found = searched(stepper, eager=True)
    match found:
        case Found():
            # Only the execution that was found needs the history that invariants may speak of.
            with_ghosts = Interpreter(suite.model(True), domains)
            execution = execution_to(found.node, with_ghosts)
            stated = [suite.describe(suite.find(n), with_ghosts.model) for n in invariants]
            broken = broken_invariants(execution, with_ghosts, stated)
            verdict: Conforms | Impossible | Unknown = Conforms(execution, broken)
        case Stuck(missed=None):
            verdict = Impossible(found.demand.event, reason_of(found, stepper))
        case Stuck():
            why = found.missed or ""
            verdict = Unknown(found.demand.event, why, reason_of(found, stepper))
        case GaveUp():
            verdict = Unknown(found.demand.event, found.why, None)
        case _:
            assert_never(found)
    members = {name: meanings.members(name) for name in meanings.scalarsets()}
    return Conformance(verdict, survey, found.events, found.widest, members)
