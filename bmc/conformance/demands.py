"""A log read through its mapping: what each event demands of a step, at given parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bmc.conformance.checks import Check, Claim
from bmc.conformance.errors import LogError, UnreadableValue
from bmc.conformance.events import Event, read_events
from bmc.conformance.mapping import EventRule, LogMapping, ReadOff, absent
from bmc.conformance.operands import AbsentField
from bmc.conformance.values import Meanings
from bmc.lang.errors import ParameterError
from bmc.lang.model import Action, Model
from bmc.lang.sort_parts import symmetric_parts
from bmc.layout.domain import Domains


@dataclass(frozen=True)
class DemandedAction:
    """An action that an event can be, and what the event says of each of its arguments."""

    action: Action
    claims: Mapping[str, tuple[Claim, ...]]


@dataclass(frozen=True)
class Demand:
    """What one event says: ``least`` to ``most`` steps of some actions between two states."""

    event: Event
    actions: tuple[DemandedAction, ...]
    least: int
    most: int
    before: tuple[Claim, ...]
    after: tuple[Claim, ...]


@dataclass(frozen=True)
class Survey:
    """What a first look at a whole log told: its length, and the parameters it shows.

    ``chosen`` names the parameters that somebody set: the mapping to a number, or the caller.
    """

    events: int
    mapped: int
    parameters: Mapping[str, int]
    chosen: frozenset[str]


def survey(log: Path, mapping: LogMapping, model: Model, given: Mapping[str, int]) -> Survey:
    """Return what the log tells of the parameters that are not ``given``.

    A parameter is at least what its declaration allows; there is no upper end, since no set of all
    values is listed. Raises LogError with the line of what the mapping cannot read.
    """
    meanings = mapping.meanings()
    events = mapped = 0
    for event in read_events(log, mapping.name_field):
        meanings.line = event.line
        with _at(log, event.line):
            rule = mapping.rule(event)
            events += 1
            if rule is not None:
                mapped += 1
                with _of(rule):
                    mapping.note(event, meanings)
    if not events:
        raise LogError(f"{log} has no events")
    found: dict[str, int] = {}
    for parameter in model.parameters:
        if parameter.name in given:
            found[parameter.name] = given[parameter.name]
            continue
        told = mapping.parameters.get(parameter.name, parameter.default)
        if isinstance(told, ReadOff):
            found[parameter.name] = max(parameter.low, told.value(meanings))
        else:
            if told < parameter.low:
                raise ParameterError(
                    f"{mapping.file}: {parameter.name} must be at least {parameter.low}"
                )
            found[parameter.name] = told
    _require_members(log, model, Domains(found), meanings)
    numbers = (name for name, told in mapping.parameters.items() if isinstance(told, int))
    return Survey(events, mapped, found, frozenset(given).union(numbers))


def demands(
    log: Path, mapping: LogMapping, domains: Domains, meanings: Meanings
) -> Iterator[Demand]:
    """Return what each mapped event demands, in the order of the log. Raises LogError."""
    for event in read_events(log, mapping.name_field):
        with _at(log, event.line):
            rule = mapping.rule(event)
            if rule is None:
                continue
            with _of(rule):
                demand = _demand(event, rule, domains, meanings)
        yield demand


def _demand(event: Event, rule: EventRule, domains: Domains, meanings: Meanings) -> Demand:
    def claims(checks: Iterable[Check]) -> tuple[Claim, ...]:
        found = (check.on(event.fields, meanings, domains) for check in checks)
        return tuple(claim for claim in found if claim is not None)

    actions = []
    for mapped in rule.actions:
        by_name: dict[str, tuple[Claim, ...]] = {}
        for claim in claims(mapped.arguments):
            by_name[claim.root] = (*by_name.get(claim.root, ()), claim)
        actions.append(DemandedAction(mapped.action, by_name))
    least, most = rule.steps(event)
    if least > most:
        raise LogError(f"the event stands for {least} to {most} steps, which is no number")
    return Demand(event, tuple(actions), least, most, claims(rule.before), claims(rule.after))


def _require_members(log: Path, model: Model, domains: Domains, meanings: Meanings) -> None:
    sorts = [*model.variables.values()]
    sorts += [a.variable.sort for action in model.actions for a in action.arguments]
    for scalarset in {part for sort in sorts for part in symmetric_parts(sort)}:
        named, there = meanings.members(scalarset.name), len(domains.values(scalarset))
        if len(named) > there:
            # The mapping's own members have no line.
            line = meanings.lines[scalarset.name][there]
            where = f"{log}, line {line}: the log" if line else str(log)
            raise LogError(
                f"{where} names {len(named)} members of {scalarset.name} "
                f"({', '.join(str(one) for one in named[:8])}) and the protocol has {there} at "
                "these parameters: set them greater with -p, or have the mapping read them off "
                "the log"
            )


@contextmanager
def _at(log: Path, line: int) -> Iterator[None]:
    try:
        yield
    except LogError as error:
        raise LogError(f"{log}, line {line}: {error}") from None


@contextmanager
def _of(rule: EventRule) -> Iterator[None]:
    try:
        yield
    except AbsentField as error:
        raise LogError(absent(rule, error)) from None
    except UnreadableValue as error:
        raise LogError(f"{rule.place}: {error}") from None
