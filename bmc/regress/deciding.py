"""Deciding from nothing, within a budget: proofs, then every state, then a search for the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bmc.engines.bounded import check
from bmc.engines.confirmation import open_without_a_value
from bmc.engines.explicit import Exploration, explore
from bmc.engines.explored import MOST_STATES
from bmc.engines.kinduction import prove
from bmc.engines.task import Deadline, Observer, OutOfTime, Task, reads
from bmc.evidence.verdict import Result, Verdict
from bmc.lang.properties import Kind
from bmc.lang.suite import Suite
from bmc.regress.witnesses import is_shown, traces_in, with_witnesses_denied
from bmc.running.interruption import LimitMet

EXPLICIT = "explicit"
"""The engine of what was decided by looking at every state."""
DEEPER = 10
"""The depth of an induction for what is open when the one that was locked does not close."""
_SHARE = 0.6
"""How much of what is left of the budget an engine may use, so that the next one gets some."""

_Engine = Callable[[Task, Observer], tuple[Result, ...]]


@dataclass(frozen=True)
class Aim:
    """How far each engine goes, and how long all may take together.

    ``k`` is the greatest depth of an induction, ``depth`` that of a search, in steps.
    ``explore_first`` is for what was decided by an exploration before. ``lost`` names witnesses
    of which it is worth a proof that they are never reached.
    """

    k: int
    depth: int
    seconds: float
    explore_first: bool = False
    lost: frozenset[str] = frozenset()


@dataclass
class Decisions:
    """A result for each name; ``exploration`` is the one that saw every state, if one did."""

    results: dict[str, Result] = field(default_factory=dict)
    exploration: Exploration | None = None


def decide(
    suite: Suite,
    parameters: Mapping[str, int],
    names: Sequence[str],
    observer: Observer,
    aim: Aim,
) -> Decisions:
    """A result for each name: a proof, all states, or the shortest trace up to ``aim.depth``.

    A witness counts as the invariant that it is never reached. An unknown one tells of all that
    was tried: why no proof closes, and how deep no trace was found.
    """
    one = _Deciding(suite, parameters, names, observer, aim)
    claims = [n for n in names if suite.find(n).kind is not Kind.WITNESS]
    if aim.explore_first:
        one.explore()
    one.ask(prove, claims, max(aim.k, 1))
    one.explore()
    # Of a history no state is looked at, and of large models not all: some need a deeper induction.
    one.ask(prove, claims, max(aim.k, DEEPER))
    one.ask(check, names, aim.depth, share=1.0)
    one.ask(prove, sorted(aim.lost), max(aim.k, 1), share=1.0)
    return one.found


class _Deciding:
    def __init__(
        self,
        suite: Suite,
        parameters: Mapping[str, int],
        names: Sequence[str],
        observer: Observer,
        aim: Aim,
    ) -> None:
        self.suite = suite
        self.denying = with_witnesses_denied(suite)
        self.parameters = parameters
        self.observer = observer
        self.deadline = Deadline(aim.seconds)
        self.explored = False
        self.found = Decisions()
        for name in names:
            late = "there was no time to decide it"
            self.found.results[name] = Result(name, Verdict.UNKNOWN, "none", 0.0, reason=late)

    def ask(
        self, engine: _Engine, names: Sequence[str], bound: int, *, share: float = _SHARE
    ) -> None:
        """Let an engine decide those that are open."""
        task = self._task(self.denying, names, bound, share)
        if task is None:
            return
        try:
            for result in engine(task, self.observer):
                self._learn(open_without_a_value(task, self._meant(result)))
        except OutOfTime as limit:
            self._unknown(task.properties, str(limit))

    def explore(self) -> None:
        """Look at every state, unless that was tried already."""
        task = (
            None
            if self.explored
            else self._task(self.suite, of_states(self.suite, list(self.found.results)), 0, _SHARE)
        )
        if task is None:
            return
        self.explored = True
        self.observer.phase("exploring the states")
        try:
            found = explore(task, self.observer, max_states=MOST_STATES)
        except LimitMet as limit:
            self._unknown(task.properties, str(limit))
            return
        traces = traces_in(found)
        for name in task.properties:
            if name in traces:
                trace, verdict = traces[name], Verdict.VIOLATED
                depth: int | None = len(trace) - 1
            else:
                trace, depth = None, found.searched_depth
                verdict = Verdict.PROVED if found.complete else Verdict.UNKNOWN
            reason = found.stopped_because and f"exploring: {found.stopped_because}"
            result = Result(
                name, verdict, EXPLICIT, found.seconds, depth=depth, trace=trace, reason=reason
            )
            self._learn(open_without_a_value(task, result))
        if found.complete:
            self.found.exploration = found

    def _meant(self, result: Result) -> Result:
        """A result, unknown where a trace does not reach the witness whose absence it violates."""
        name, trace = result.property, result.trace
        if trace is None or is_shown(self.suite, self.parameters, name, trace):
            return result
        said = "the witness has no value at the end of the shortest trace on which it is not absent"
        return Result(name, Verdict.UNKNOWN, result.engine, result.seconds, reason=said)

    def _task(self, suite: Suite, names: Sequence[str], bound: int, share: float) -> Task | None:
        results = self.found.results
        open_ = tuple(n for n in names if results[n].verdict is Verdict.UNKNOWN)
        left = self.deadline.remaining()
        if not open_ or not left:
            return None
        return Task(suite, self.parameters, open_, bound, left * share)

    def _unknown(self, names: Sequence[str], reason: str) -> None:
        for name in names:
            self._learn(Result(name, Verdict.UNKNOWN, "none", 0.0, reason=reason))

    def _learn(self, new: Result) -> None:
        """Put together what was known of a property and what an engine says."""
        old = self.found.results[new.property]
        seconds = old.seconds + new.seconds
        decides = new.verdict is not Verdict.UNKNOWN or new.undefined is not None
        if decides or old.engine == "none":
            self.found.results[new.property] = replace(new, seconds=seconds)
            return
        depths = [d for d in (old.depth, new.depth) if d is not None]
        # The deeper of two inductions says how far it did not close.
        why = new.reason if new.engine == old.engine else old.reason
        self.found.results[new.property] = replace(
            old, seconds=seconds, depth=max(depths, default=None), reason=why
        )


def of_states(suite: Suite, names: Sequence[str]) -> list[str]:
    """Return those that do not speak of history, which an exploration leaves out."""
    model = suite.model(True)
    if not model.ghosts:
        return list(names)
    said = {n: suite.describe(suite.find(n), model).body for n in names}
    return [name for name, body in said.items() if not reads(body, model.ghosts)]
