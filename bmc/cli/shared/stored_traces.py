"""A trace from a file, replayed by the interpreter before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from bmc.cli.shared import catalogue, specifications
from bmc.cli.shared.request import Request, read_parameters
from bmc.engines.confirmation import open_without_a_value
from bmc.engines.task import Task
from bmc.evidence.replay import overflowing_action, replay
from bmc.evidence.trace import Trace, TraceStep
from bmc.evidence.verdict import Contradiction, Result, Verdict
from bmc.lang.errors import ParameterError, UnknownName
from bmc.lang.properties import Kind
from bmc.lang.protocol import parameter_values
from bmc.layout.affordable import require_affordable
from bmc.layout.domain import Domains, Value
from bmc.readings.value import Interpreter, Successor
from bmc.reports.notation import call_text
from bmc.reports.traces.files import StoredTrace, read_trace
from bmc.reports.traces.instances import Violation, violation
from bmc.reports.traces.parsing import TraceFileError
from bmc.reports.vocabulary import Vocabulary
from bmc.running.files import operand

Given: TypeAlias = Mapping[str, Value]


@dataclass(frozen=True)
class Replayed:
    """An execution of a protocol that stood in a file.

    ``property`` is what its end was judged by, None where nothing was asked; ``violated`` says
    how it is false there, None where it holds, and ``undecided`` why neither is so: the text of a
    specification gives it no value. ``overflow`` is what is wrong with a step out of the last
    state, if the model's bounds are too small for one and no property was asked for.
    """

    request: Request
    words: Vocabulary
    trace: Trace
    property: str | None
    violated: Violation | None
    undecided: str | None
    overflow: str | None


def replayed(
    file: Path,
    name: str | None,
    protocol: str | None,
    parameters: Sequence[str] | None,
    command: str = "trace replay",
) -> Replayed:
    """The trace in ``file``, of property ``name`` if there are several.

    ``protocol`` and ``parameters`` stand in for what the file does not say, and before what it
    says. A protocol that the file names is one of the catalogue, or NamesCode is raised, which
    advises ``command``. Raises TraceFileError when it is no execution, besides what looking up the
    protocol raises.
    """
    stored = read_trace(file, name)
    request = _request(stored, protocol, parameters, command)
    words = Vocabulary.of(request.suite, request.parameters)
    model = request.suite.model(stored.has_ghosts(request.suite))
    interpreter = Interpreter(model, Domains(request.parameters))
    try:
        found = replay(interpreter, stored.read(request.suite, words))
    except Contradiction as error:
        raise TraceFileError(f"{file} is no execution of {request.name}: {error}") from None
    trace = _with_its_actions(interpreter, stored, found, words)
    judged = name or stored.property
    violated, undecided = None, None
    if judged is not None:
        with nullcontext() if name is not None else _said_by(stored, "its property"):
            kind = request.suite.find(judged).kind
        if kind is Kind.WITNESS:
            judged = None
        else:
            said = violation(request.suite, request.parameters, judged, trace)
            if said.why is not None:
                undecided = _undecided(request, judged, trace)
                violated = said if undecided is None else None
    # Taking every step out of the last state is dear, and of interest where nothing is violated.
    overflow = None
    if judged is None:
        overflow = overflowing_action(interpreter, trace.steps[-1].state)
    return Replayed(request, words, trace, judged, violated, undecided, overflow)


def _undecided(request: Request, name: str, trace: Trace) -> str | None:
    """Why a trace decides nothing: the text gives the property no value at its end."""
    task = Task(request.suite, request.parameters, (name,))
    shown = Result(name, Verdict.VIOLATED, "", 0.0, trace=trace)
    return open_without_a_value(task, shown).reason


def _request(
    stored: StoredTrace, protocol: str | None, parameters: Sequence[str] | None, command: str
) -> Request:
    asked = protocol or stored.protocol
    if asked is None:
        raise TraceFileError(
            f"{stored.file} does not say of which protocol it is: name it with --protocol"
        )
    # The constants of a specification are in its name.
    asked, told = specifications.point(asked, read_parameters(parameters or ()))
    if protocol is None:
        remedy = f"{command} {operand(stored.file)}"
        suite = catalogue.named_by_data(asked, str(stored.file), remedy)
    else:
        suite = catalogue.find(asked, partly=True)
    said = {one: v for one, v in (stored.parameters or {}).items() if one not in told}
    with _said_by(stored, "its parameters"):
        parameter_values(suite.protocol, said)
    values = parameter_values(suite.protocol, {**said, **told})
    require_affordable(suite.model(False), values)
    return Request(asked, suite, values)


@contextmanager
def _said_by(stored: StoredTrace, part: str) -> Iterator[None]:
    try:
        yield
    except (ParameterError, UnknownName) as error:
        raise TraceFileError(f"{stored.file}, {part}: {error}") from None


def _with_its_actions(
    interpreter: Interpreter, stored: StoredTrace, found: Trace, words: Vocabulary
) -> Trace:
    """The trace with the steps that the file names, where several lead to one state."""
    steps: list[TraceStep] = list(found.steps)
    # Others call the first state by a word of theirs (Init); an action of this protocol is a step.
    first = stored.steps[0].action
    if first in {one.name for one in interpreter.model.actions}:
        raise TraceFileError(
            f"{stored.file}: state 0 is where it begins, and it says that {first} led "
            "there: leave that out, or put the state before it first"
        )
    for i, told in enumerate(stored.steps):
        name = told.action
        if i == 0 or name is None:
            continue
        # Listed again for each question: most are answered by the first of a great many.
        ways = partial(interpreter.steps_to, steps[i - 1].state, steps[i].state)
        if steps[i].action != name and all(way.action != name for way in ways()):
            raise TraceFileError(
                f"{stored.file}: state {i} is not reached by {name}, as it says, but by "
                f"{steps[i].action}"
            )
        given = stored.arguments(i, words)

        def is_told(way: TraceStep | Successor, name: str = name, given: Given = given) -> bool:
            return way.action == name and given.items() <= way.arguments.items()

        if is_told(steps[i]):
            continue
        fitting = next(filter(is_told, ways()), None)
        if fitting is None:
            said = call_text(words, name, words.action_arguments(name), given)
            raise TraceFileError(f"{stored.file}: state {i} is not reached by {said}, as it says")
        steps[i] = replace(steps[i], action=name, arguments=fitting.arguments)
    return Trace(tuple(steps))
