"""The engines: what each is called, what it decides, and where it is.

An engine is a module with two functions. ``prove(task, observer)`` decides the task's properties
and returns a :class:`~bmc.evidence.verdict.Result` for each, in the task's order; it works in a
process of its own (:func:`bmc.engines.isolation.isolated`), so that the task's limits hold inside a
solver. The function named by ``part`` does the same in the process it is called in, for the
portfolio, and tells a :class:`~bmc.engines.team.Relay` what it learns on the way.

To add an engine, write such a module and add a line to :data:`ENGINES`: the command line, sweeps,
reports and the portfolio read what they say of engines from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from bmc.lang.errors import BmcError, suggest
from bmc.running.memory import loading

if TYPE_CHECKING:
    from bmc.engines.liveness.question import Question
    from bmc.engines.task import Observer, Task
    from bmc.engines.team import Relay, Work
    from bmc.evidence.lasso import TemporalResult
    from bmc.evidence.verdict import Result

Run = Callable[["Task", "Observer"], "tuple[Result, ...]"]

AUTO = "auto"
"""By this name the portfolio is asked for, which runs several engines side by side."""


class UnknownEngine(BmcError):
    """There is no engine of that name, or it does not do what is asked."""


def _loaded(module: str) -> ModuleType:
    with loading():
        return import_module(module)


@dataclass(frozen=True)
class Engine:
    """An engine; its module is loaded when it is first used.

    ``name`` is what ``--engine`` and results call it, ``title`` what sentences call it. It
    ``proves``, or only searches for violations: ``bmc prove`` does not offer it then.
    ``least_depth`` is the least depth of a task that makes sense for it, None where the depth is
    not used. ``about`` says in a sweep's report how it decided, ``{depth}`` being the task's.
    ``also`` is another name that users have for it.
    """

    name: str
    title: str
    module: str
    part: str
    about: str
    proves: bool = True
    least_depth: int | None = None
    also: str | None = None

    def prove(self, task: Task, observer: Observer) -> tuple[Result, ...]:
        """Return what the engine decides of the task, from a process of its own."""
        run: Run = _loaded(self.module).prove
        return run(task, observer)

    @property
    def work(self) -> Work:
        """What the engine does in the process it is called in."""
        found: Work = getattr(_loaded(self.module), self.part)
        return found


ENGINES = (
    Engine(
        "kinduction",
        "k-induction",
        "bmc.engines.kinduction",
        "induct",
        "k-induction up to k = {depth}",
        least_depth=1,
    ),
    Engine(
        "ic3",
        "IC3",
        "bmc.engines.ic3.prove",
        "find_invariant",
        "ic3, which looks for an inductive invariant",
    ),
    Engine(
        "explicit",
        "exploration",
        "bmc.engines.explored",
        "explore_all",
        "an exploration of all reachable states",
    ),
    Engine(
        "bounded",
        "bounded search",
        "bmc.engines.bounded",
        "search_to_bound",
        "a bounded search to depth {depth}",
        proves=False,
        least_depth=0,
        also="check",
    ),
)

WALKS = Engine(
    "simulate",
    "simulation",
    "bmc.engines.simulate",
    "simulate",
    "random walks of up to {depth} steps",
    proves=False,
    least_depth=1,
)
"""What a sweep by seeds asks. It decides nothing but the violations that it meets, and is offered
by a command of its own."""


@dataclass(frozen=True)
class TemporalEngine:
    """An engine for temporal claims; its module is loaded when it is first used.

    The function named by ``part`` decides a question's claims in the process it is called in, and
    returns a result for each. It ``proves``, or only searches for lassos; what it proves it
    ``certifies``, where its evidence is a certificate. One that ``ranks`` has nothing to say of
    claims without rankings. ``least_depth`` and ``about`` are as an engine's.
    """

    name: str
    title: str
    module: str
    part: str
    about: str
    proves: bool = True
    certifies: bool = False
    ranks: bool = False
    least_depth: int | None = None

    def decide(self, question: Question, observer: Relay) -> tuple[TemporalResult, ...]:
        """Return what the engine decides of the question, in this process."""
        run: Callable[[Question, Relay], tuple[TemporalResult, ...]] = getattr(
            _loaded(self.module), self.part
        )
        return run(question, observer)


TEMPORAL_ENGINES = (
    TemporalEngine(
        "explicit",
        "exploration",
        "bmc.engines.liveness.decide",
        "decide_on_graph",
        "an exploration of all reachable states and steps",
    ),
    TemporalEngine(
        "lasso",
        "a search for lassos",
        "bmc.engines.liveness.lasso_search",
        "search_lassos",
        "a search for lassos of {depth} steps",
        proves=False,
        least_depth=0,
    ),
    TemporalEngine(
        "ranked",
        "induction over a ranking",
        "bmc.engines.liveness.ranked",
        "prove_by_ranking",
        "induction over the claim's ranking",
        certifies=True,
        ranks=True,
    ),
    TemporalEngine(
        "inductive",
        "k-induction beside a monitor",
        "bmc.engines.liveness.inductive",
        "prove_by_induction",
        "k-induction beside a monitor of the claim",
        certifies=True,
    ),
    TemporalEngine(
        "monitored",
        "IC3 beside a monitor",
        "bmc.engines.liveness.monitored",
        "prove_by_monitor",
        "IC3 beside a monitor of the claim",
        certifies=True,
    ),
)
"""Those for temporal claims, in the order in which they are started side by side."""


def temporal_engine(name: str) -> TemporalEngine:
    """Return the engine for temporal claims of that name. Raises UnknownEngine."""
    for one in TEMPORAL_ENGINES:
        if one.name == name:
            return one
    offered = [AUTO, *(one.name for one in TEMPORAL_ENGINES)]
    alone = " (ask it of the others alone, by --property)" if _is_named(name, ENGINES) else ""
    raise UnknownEngine(
        f"there is no engine {name!r} for temporal claims{alone}: {suggest(name, offered)}"
    )


def engine_of_row(name: str) -> Engine | TemporalEngine:
    """Return the engine that a sweep's rows name: for temporal claims, others, or walks.

    Where both kinds have one of that name, what rows ask of it is the same. Raises UnknownEngine.
    """
    for one in TEMPORAL_ENGINES:
        if one.name == name and all(name != other.name for other in ENGINES):
            return one
    return WALKS if name == WALKS.name else engine(name)


def engine(name: str, *, proving: bool = False) -> Engine:
    """Return the engine of a name, if ``proving`` one that proves.

    Raises UnknownEngine with the nearest names.
    """
    known = [one for one in ENGINES if one.proves or not proving]
    for one in known:
        if name in (one.name, one.also or one.name):
            return one
    offered = [*([AUTO] if proving else []), *(one.also or one.name for one in known)]
    alone = (
        " for other than temporal claims (ask it of those alone, by --property)"
        if _is_named(name, TEMPORAL_ENGINES)
        else ""
    )
    raise UnknownEngine(f"there is no engine {name!r}{alone}: {suggest(name, offered)}")


def _is_named(name: str, engines: Iterable[Engine | TemporalEngine]) -> bool:
    """Return whether one of the engines has this name."""
    return any(one.name == name for one in engines)


def title_of(name: str) -> str:
    """Return what sentences call an engine that a result or a row names."""
    return next((one.title for one in (*ENGINES, WALKS) if one.name == name), name)
