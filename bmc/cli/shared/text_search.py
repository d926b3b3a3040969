"""`bmc explore Spec.tla --on-text`: the states of the text itself, without a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bmc.cli.shared import outcome, specifications
from bmc.cli.shared.answer import Answer
from bmc.lang.text_names import text_parted

if TYPE_CHECKING:
    from bmc.cli.shared.exploring import SearchLimits
    from bmc.frontends.tla.on_text import TextSearch
    from bmc.frontends.tla.oracle.machine import Step
    from bmc.frontends.tla.oracle.search import Explored
    from bmc.reports.exploration.on_text import TextExploration, TextState


@dataclass(frozen=True)
class TextQuestion:
    """What of a text is asked: constants, claims, and how far to go."""

    name: str
    constants: Sequence[str]
    claims: Sequence[str]
    deadlock: bool
    symmetry: bool
    limits: SearchLimits
    timeout: float | None
    memory: int | None


@dataclass(frozen=True)
class _Ending:
    """Why a search saw no more (None: there is no more), and whether it was to stop there."""

    reason: str | None = None
    as_asked: bool = True
    without_value: bool = False


def require_only(given: Mapping[str, object]) -> None:
    """Raise OptionError for options, by name, of which a search on the text knows nothing."""
    from bmc.engines.task import OptionError

    for option, value in given.items():
        if value:
            raise OptionError(f"{option} is not offered with --on-text: leave it out")


def search_text(answer: Answer, asked: TextQuestion) -> None:
    """Search, and answer with the counts and the first violation.

    The path of a violation is taken again before it is shown; raises Contradiction where it does
    not lead there, and what :func:`bmc.frontends.tla.on_text.text_search` raises.
    """
    from bmc.cli.shared.request import read_parameters
    from bmc.engines.pace import ExplorationLimits
    from bmc.engines.task import require_seconds
    from bmc.evidence.verdict import Contradiction
    from bmc.frontends.tla.agreement import Disagreement
    from bmc.frontends.tla.on_text import text_search
    from bmc.frontends.tla.suite import showing_the_line
    from bmc.reports.exploration.on_text import text_exploration_json, write_text_exploration

    require_seconds(asked.timeout)
    ExplorationLimits(asked.timeout, asked.limits.states, asked.limits.steps, asked.memory)
    given = read_parameters(asked.constants)
    name, specification = specifications.text_of(specifications.at(asked.name, given))
    with showing_the_line(Path(text_parted(asked.name)[0])):
        search = text_search(specification, asked.claims, asked.deadlock, asked.symmetry)
        ending = _run(search, name, asked)
    violation = search.found.violation
    if violation is not None:
        try:
            search.require_again(violation)
        except Disagreement as error:
            raise Contradiction(str(error)) from None
        answer.code = outcome.VIOLATION
    elif not ending.as_asked:
        answer.code = outcome.UNKNOWN
    found = _told(name, search, ending)
    if answer.as_json:
        said = text_exploration_json(found, answer.seconds)
        _tell(answer, said)
        answer.document(said)
        return
    write_text_exploration(answer.page, found, answer.seconds)
    answer.cost()


def _tell(answer: Answer, said: Mapping[str, Any]) -> None:
    """Write what is decided as a line of JSON, where lines are asked for."""
    if answer.streams:
        asked = {name: said[name] for name in ("protocol", "parameters")}
        for one in said["results"]:
            if one["verdict"] != "unknown":
                answer.event("decided", {**asked, "result": one})


def _run(search: TextSearch, name: str, asked: TextQuestion) -> _Ending:
    from bmc.cli.shared.progress import Progress
    from bmc.frontends.tla.oracle.errors import EvaluationError
    from bmc.running import memory
    from bmc.running.interruption import LimitMet, interrupted

    room = asked.memory
    if room is None:
        room = memory.room_of_a_search() // memory.MEGABYTE
    with Progress() as progress:

        def told(found: Explored) -> None:
            level = len(found.levels)
            progress.phase(f"level {level} of the text, {found.distinct:,} states")

        try:
            with interrupted(f"the rest of {name}", asked.timeout, room):
                found = search.run(asked.limits.states, asked.limits.steps, told)
        except EvaluationError as error:
            said = f"{error.span}: {error.message}; {error.hint}".removesuffix("; ")
            return _Ending(said, as_asked=False, without_value=True)
        except LimitMet as error:
            return _Ending(str(error), as_asked=False)
        except KeyboardInterrupt:
            return _Ending("interrupted", as_asked=False)
    if found.violation is not None:
        return _Ending(f"{found.violation.property} is violated", as_asked=False)
    return _Ending() if found.complete else _Ending("it was to go no further")


def _told(name: str, search: TextSearch, ending: _Ending) -> TextExploration:
    from bmc.reports.exploration.on_text import TextClaim, TextExploration

    found, ended = search.found, ending.reason is None
    partly = "; its temporal part is not judged"
    path: Sequence[Step] = search.path_here() if ending.without_value else ()
    if found.violation is not None:
        path = found.violation.steps
    return TextExploration(
        name,
        found.distinct,
        found.generated,
        tuple(found.levels),
        tuple(
            TextClaim(one, search.judged_within(one, ended), partly if one in search.partly else "")
            for one in search.claims
        ),
        ending.reason,
        ending.as_asked,
        None if found.violation is None else found.violation.property,
        tuple(_state(search, number, step) for number, step in enumerate(path)),
        search.notes,
        search.merges,
    )


def _state(search: TextSearch, number: int, step: Step) -> TextState:
    from bmc.frontends.tla.values import show
    from bmc.reports.exploration.on_text import TextState

    names = search.search.machine.variables
    return TextState(
        step.action if number else None,
        {name: show(value) for name, value in step.arguments},
        {name: show(value) for name, value in zip(names, step.state, strict=True)},
    )
