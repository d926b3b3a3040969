"""Exploration as a prover: what no reachable state violates is proved, once all were seen.

Of small protocols it is the quickest proof there is, and it needs no lemma. Its evidence is of
another kind than a certificate: the interpreter, which shares no code with the exploration, takes
all steps out of reachable states anew and finds each property true there. It looks at every state
where there is time for that, and otherwise at a random part, which the verdict says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from time import process_time

from bmc.engines.confirmation import REACHED, open_unproved, require_value
from bmc.engines.explicit import ExplicitSearch
from bmc.engines.exploration import Exploration
from bmc.engines.isolation import Relay, isolated
from bmc.engines.pace import ExplorationLimits, MemoryReached, Pace, Stopped
from bmc.engines.packed.table import TableFull
from bmc.engines.stated import of_history
from bmc.engines.task import SILENT, Observer, OutOfTime, Task
from bmc.evidence.certificate import CertificateError, Disproved
from bmc.evidence.exploration_certificate import ExplorationCertificate
from bmc.evidence.panel import NotDecided
from bmc.evidence.replay import failing_instance, is_reached
from bmc.evidence.verdict import Contradiction, Result, Verdict, Why
from bmc.lang.errors import UnknownName
from bmc.lang.fingerprint import fingerprint, property_digest
from bmc.lang.properties import Kind, Property
from bmc.lang.suite import Suite
from bmc.readings.value import ConcreteState, Interpreter

ENGINE = "explicit"

MOST_STATES = 5_000_000
"""Where the exploration gives up: what is larger is for engines that do not hold every state.

That many take about half a gigabyte.
"""
_SECONDS = 2.0
"""Processor seconds that the interpreter may take to look at states again."""

_SECONDS_OF_A_JUDGE = 20.0
"""The same where somebody asks for nothing else."""


@dataclass(frozen=True)
class Budget:
    """Seconds, and megabytes, that judging may take; None for no limit."""

    timeout: float | None = None
    memory: int | None = None


def prove(task: Task, observer: Observer = SILENT) -> tuple[Result, ...]:
    """Explore in a process of its own; see :func:`explore_all`."""
    return isolated(explore_all, task, observer)


def explore_all(task: Task, observer: Relay) -> tuple[Result, ...]:
    """Return proved for what no reachable state or step violates, violated with shortest traces.

    More than :data:`MOST_STATES` states, a limit, or a step out of the bounds make what is open
    unknown; a property that reads ghosts is, beside others that are decided. Raises
    NoInitialState, Contradiction when the interpreter takes another view of a state, and what says
    that the text that the protocol was translated from does.
    """
    known = {
        name: Result(name, Verdict.UNKNOWN, ENGINE, 0.0, reason=why)
        for name, why in of_history(task).items()
    }
    wanted = task.properties
    task = replace(task, properties=tuple(name for name in wanted if name not in known))
    if not task.properties:
        return tuple(known[name] for name in wanted)
    search, found, limit = _explored(task, observer, MOST_STATES)
    results = {
        r.property: replace(
            r, overflow=found.overflow, why=limit if r.verdict is Verdict.UNKNOWN else None
        )
        for r in found.verdicts()
    }
    if found.complete and found.holds:
        _held_against_the_text(task, found)
        results = {name: open_unproved(task.suite, one) for name, one in results.items()}
        proved = [n for n in found.holds if results[n].verdict is Verdict.PROVED]
        checked = _rechecked(search, task, tuple(proved), _SECONDS)
        held = _certificate(search, task, found, proved)
        results |= {n: replace(results[n], checked_by=checked, explored=held) for n in proved}
    results |= known
    return tuple(results[name] for name in wanted)


def shown_by(
    certificate: ExplorationCertificate, suite: Suite
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return which claims a certificate says to hold, and which witnesses never to be reached.

    Raises UnknownName for what the suite does not state.
    """
    witnesses = [n for n in certificate.holds if suite.find(n).kind is Kind.WITNESS]
    return tuple(n for n in certificate.holds if n not in witnesses), tuple(witnesses)


def _task_of(certificate: ExplorationCertificate, suite: Suite, limits: Budget) -> Task:
    names = tuple(certificate.holds)
    try:
        return Task(
            suite, certificate.parameters, names, timeout=limits.timeout, memory=limits.memory
        )
    except UnknownName as error:
        raise CertificateError(str(error)) from None


def certify(
    certificate: ExplorationCertificate, suite: Suite, limits: Budget, observer: Observer = SILENT
) -> str:
    """Explore again what a certificate is of, and return who looked at how many of its states.

    Raises CertificateError where it is of another model, does not state what the suite does, or
    counts otherwise; Disproved where a state violates a claim; NotDecided at a limit.
    """
    model = suite.model(ghosts=False)
    names = tuple(certificate.holds)
    task = _task_of(certificate, suite, limits)
    if unsaid := sorted(set(task.parameters) - set(certificate.parameters)):
        raise CertificateError(
            f"it leaves out {', '.join(unsaid)}: an exploration is of one value of every parameter"
        )
    if fingerprint(model, task.parameters) != certificate.fingerprint:
        raise CertificateError(
            f"it belongs to another model than {suite.name}: the protocol, its parameters or the "
            "certificate have changed"
        )
    if historic := of_history(task):
        raise CertificateError("; ".join(historic.values()))
    for one in task.stated(model):
        if certificate.holds[one.name] != property_digest(one):
            raise CertificateError(f"it claims another {one.name} than {suite.name} states")
    if not names:
        raise CertificateError("it claims nothing")

    def again(task: Task, observer: Relay) -> tuple[Result, ...]:
        search, found, _ = _explored(task, observer, certificate.distinct_states)
        reached = [name for name, trace in found.witnesses.items() if trace is not None]
        if false := [*found.violations, *reached]:
            raise Disproved(f"a reachable state shows otherwise of {', '.join(false)}")
        more = found.distinct_states > certificate.distinct_states
        same = certificate.counts_as(found.levels, found.generated_states)
        if more or (found.complete and not same):
            raise CertificateError("the reachable states are not those that it counts")
        if not found.complete:
            raise NotDecided(f"exploring it again: {found.stopped_because}")
        _held_against_the_text(task, found)
        require_value(task.suite, names)
        checked = _rechecked(search, task, names, _SECONDS_OF_A_JUDGE)
        return tuple(
            Result(name, Verdict.PROVED, ENGINE, found.seconds, checked_by=checked)
            for name in task.properties
        )

    first, *_ = isolated(again, task, observer)
    if first.checked_by is None:
        raise NotDecided(first.reason or "the process died")
    return first.checked_by


def _explored(
    task: Task, observer: Relay, most: int
) -> tuple[ExplicitSearch, Exploration, Why | None]:
    """Return a search, what it found, and which limit from outside ended it, if one did."""
    pace = Pace(ExplorationLimits(task.timeout, most, None, task.memory), observer)
    search = ExplicitSearch(task, observer, pace)
    try:
        search.run()
    except OutOfTime as reason:
        return search, search.result(str(reason)), Why.TIME
    except (MemoryReached, TableFull) as reason:
        return search, search.result(str(reason)), Why.MEMORY
    except Stopped as reason:
        return search, search.result(str(reason)), None
    except MemoryError:
        return search, search.result("there is no more memory"), Why.MEMORY
    observer.phase("looking at states again with the interpreter")
    return search, search.result(None), None


def _certificate(
    search: ExplicitSearch, task: Task, found: Exploration, proved: Sequence[str]
) -> ExplorationCertificate:
    model = search.system.model
    return ExplorationCertificate(
        task.suite.name,
        dict(task.parameters),
        fingerprint(model, task.parameters),
        found.levels,
        found.generated_states,
        {one.name: property_digest(one) for one in task.stated(model) if one.name in proved},
    )


def _held_against_the_text(task: Task, found: Exploration) -> None:
    """Raise what says that the text has other steps or truths at states that were reached."""
    if task.suite.origin is not None:
        task.suite.origin.compare_at(found.reached, REACHED)


def _rechecked(search: ExplicitSearch, task: Task, claims: tuple[str, ...], seconds: float) -> str:
    """Take the steps out of reachable states anew, and say how many states were looked at."""
    system = search.system
    interpreter = Interpreter(system.model, system.domains)
    stated = tuple(one for one in task.stated(system.model) if one.name in claims)
    for start in interpreter.initial_states():
        search.require_found([start])
    numbers = list(range(search.found))
    Random(0).shuffle(numbers)
    began, looked = process_time(), 0
    for number in numbers:
        _look(search, interpreter, stated, search.state(number))
        looked += 1
        if process_time() - began > seconds:
            break
    if looked == search.found:
        return f"the interpreter at all {looked:,} states"
    return f"the interpreter at {looked:,} of {search.found:,} states"


def _look(
    search: ExplicitSearch,
    interpreter: Interpreter,
    stated: tuple[Property, ...],
    state: ConcreteState,
) -> None:
    following = [step.state for step in interpreter.successors(state)]
    search.require_found(following)
    for one in stated:
        if one.kind is Kind.WITNESS:
            if is_reached(interpreter, state, one):
                raise Contradiction(
                    f"an exploration never reaches {one.name}, and the interpreter finds it "
                    "reached in a state that it explored"
                )
            continue
        steps = following if one.kind is Kind.STEP_INVARIANT else [None]
        for after in steps:
            if failing_instance(interpreter, state, after, one) is not None:
                raise Contradiction(
                    f"an exploration proves {one.name}, and the interpreter finds it false in a "
                    "state that it explored"
                )
