"""CTI analysis: can its first state be reached, what breaks the claim, which lemmas help."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from time import monotonic

from bmc.analysis.mining.candidates import Candidate
from bmc.analysis.mining.consecution import BreakingStep, Consecution
from bmc.analysis.mining.houdini import houdini
from bmc.analysis.mining.mine import ExploredStates, MiningOptions
from bmc.analysis.mining.relevance import relevant
from bmc.engines.conjuncts import Conjunct, conjunct, names, within_bounds
from bmc.engines.reachability import Reachability, arrival
from bmc.engines.task import SILENT, Deadline, Observer, OutOfTime, Task
from bmc.evidence.certificate import WITHIN_BOUNDS
from bmc.evidence.replay import overflowing_action, replay, require_violation
from bmc.evidence.sources import variables_of
from bmc.evidence.trace import CounterexampleToInduction, Trace
from bmc.evidence.verdict import Contradiction
from bmc.readings.value import Interpreter
from bmc.system.transition import TransitionSystem

SEARCH_SECONDS = 5.0
"""What the search for the first state may take."""


class Reach(Enum):
    """Whether the first state of a failed induction can be reached."""

    UNREACHABLE = "unreachable"
    REACHABLE = "reachable"
    NOT_KNOWN = "not known"


@dataclass(frozen=True)
class Blocker:
    """A candidate that is false in the first state and true in every explored one.

    ``inductive``: every step preserves it, beside what is proven. ``mends``: with it these actions
    preserve the failed conjunct, which they break without it; ``closes``: all of them do.
    """

    candidate: Candidate
    inductive: bool
    mends: tuple[str, ...]
    closes: bool


@dataclass(frozen=True)
class CtiAnalysis:
    """What is known about a failed induction of ``conjunct``.

    ``states`` explored states were compared with the first state of the failure; they are all
    reachable ones if ``complete``. Where these do not settle it, it was searched for:
    ``reached_in`` is the least number of steps to it, and within ``clean`` steps it is not
    reached (-1: not known). ``violation`` is the execution to it and on to where the conjunct
    fails, replayed. ``preserved_by`` and ``broken_by`` part the actions by whether
    they preserve the conjunct; for the former ``needed`` names the proven ones that were leant
    on. ``blockers`` come best first. ``relevant`` are the scalars of the first state that alone
    make the step fail, empty if that is not known. ``stopped`` says why something may be missing.
    """

    conjunct: str
    reach: Reach
    states: int
    complete: bool
    reached_in: int | None
    clean: int
    violation: Trace | None
    preserved_by: tuple[str, ...]
    broken_by: tuple[str, ...]
    needed: tuple[str, ...]
    blockers: tuple[Blocker, ...]
    relevant: tuple[str, ...]
    stopped: str | None
    seconds: float


def study(
    task: Task,
    failure: CounterexampleToInduction,
    proven: Iterable[str],
    options: MiningOptions,
    observer: Observer = SILENT,
) -> CtiAnalysis:
    """CtiAnalysis a failed induction of the task, in which the ``proven`` conjuncts were assumed.

    Raises OptionError where the model leaves its bounds while it is explored, and Contradiction
    where a path to the first state cannot be replayed.
    """
    return _Study(task, failure, tuple(proven), options, observer).run()


class _Study:
    def __init__(
        self,
        task: Task,
        failure: CounterexampleToInduction,
        proven: tuple[str, ...],
        options: MiningOptions,
        observer: Observer,
    ) -> None:
        self.started = monotonic()
        self.deadline = Deadline(options.seconds)
        self.observer = observer
        self.failure = failure
        self.first = failure.path.steps[0].state
        # What the failure was found in, ghosts or not, is what it is studied in.
        self.task = task
        self.model = task.model(ghosts=bool(task.model(True).ghosts & self.first.keys()))
        self.suite = task.suite
        self.system = TransitionSystem(self.model, task.parameters)
        self.consecution = Consecution(self.system, self.deadline)
        self.known = [self._conjunct(n) for n in proven if n != failure.conjunct]
        for one in self.known:
            self.consecution.know(one)
        self.options = options

    def _conjunct(self, name: str) -> Conjunct:
        if name == WITHIN_BOUNDS:
            return within_bounds(self.system)
        return conjunct(self.system, self.suite.describe(self.suite.find(name), self.model))

    def run(self) -> CtiAnalysis:
        self.observer.phase("which actions break it")
        stopped = None
        target = self._target()
        preserved: list[str] = []
        broken: list[str] = []
        needed: set[str] = set()
        try:
            for action in self.model.actions:
                used = self._preserved(target, action.name)
                if used is None:
                    broken.append(action.name)
                else:
                    preserved.append(action.name)
                    needed |= used
        except OutOfTime as limit:
            stopped = str(limit)
        relevant = self._relevant()
        prospect = ExploredStates(self.system, self.options, self.observer, self._share())
        came = self._arrival(prospect)
        reach = self._reach(prospect, came)
        candidates: list[Candidate] = []
        if reach is not Reach.REACHABLE:
            self.observer.phase("candidates that exclude its first state")
            candidates = prospect.excluding(self.first, Deadline(self._share()))
        blockers: list[Blocker] = []
        for one in candidates:
            self.observer.phase(f"what candidates are worth: {len(candidates)}")
            try:
                blockers.append(self._judged(one, target, broken))
            except OutOfTime as limit:
                stopped = f"{limit} before every candidate was tried"
                blockers.append(Blocker(one, False, (), False))
        return CtiAnalysis(
            conjunct=self.failure.conjunct,
            reach=reach,
            states=len(prospect.explored),
            complete=prospect.explored.complete,
            reached_in=None if came.trace is None else len(came.trace) - 1,
            clean=came.clean,
            violation=None if came.trace is None else self._violation(came.trace),
            preserved_by=tuple(preserved),
            broken_by=tuple(broken),
            needed=tuple(sorted(needed - {self.failure.conjunct})),
            blockers=tuple(sorted(blockers, key=partial(_merit, relevant))),
            relevant=relevant,
            stopped=stopped,
            seconds=monotonic() - self.started,
        )

    def _relevant(self) -> tuple[str, ...]:
        name = self.failure.conjunct
        if name == WITHIN_BOUNDS:
            return ()
        self.observer.phase("what of its first state matters")
        stated = self.suite.describe(self.suite.find(name), self.model)
        try:
            return relevant(self.system, self.failure, stated, Deadline(self._share()))
        except OutOfTime:
            return ()

    def _share(self) -> float:
        """Half of the seconds that are left."""
        return max((self.deadline.remaining() or 0.0) / 2, 0.5)

    def _target(self) -> Conjunct:
        """What failed; of states, it is assumed of the first one."""
        target = self._conjunct(self.failure.conjunct)
        if not target.of_steps:
            self.consecution.know(target)
        return target

    def _preserved(self, target: Conjunct, action: str, *beside: str) -> frozenset[str] | None:
        """What it takes for an action to preserve the target, None where it does not."""
        known = [*names(self.known), *beside]
        used: set[str] = set()
        for goal in target.goals:
            if target.of_steps:
                answer = self.consecution.over_step(goal, known, action)
            else:
                answer = self.consecution.after_step(goal, [target.name, *known], action)
            if isinstance(answer, BreakingStep):
                return None
            used |= answer.by
        return frozenset(used)

    def _arrival(self, prospect: ExploredStates) -> Reachability:
        """The way to the first state; not looked for where exploration has ruled it out."""
        if prospect.explored.complete and self.first not in prospect.explored:
            return Reachability(None, -1)
        seconds = min(SEARCH_SECONDS, self._share())
        return arrival(self.task, self.system, self.first, self.observer, seconds)

    def _reach(self, prospect: ExploredStates, came: Reachability) -> Reach:
        if came.trace is not None or self.first in prospect.explored:
            return Reach.REACHABLE
        return Reach.UNREACHABLE if prospect.explored.complete else Reach.NOT_KNOWN

    def _violation(self, came: Trace) -> Trace:
        """The execution to the first state, continued by the failure's own steps."""
        interpreter = Interpreter(self.model, self.system.domains)
        whole = (*came.steps, *self.failure.path.steps[1:])
        trace = replay(interpreter, [step.state for step in whole])
        name = self.failure.conjunct
        if name != WITHIN_BOUNDS:
            stated = self.suite.describe(self.suite.find(name), self.model)
            require_violation(interpreter, trace, stated)
        elif overflowing_action(interpreter, trace.steps[-1].state) is None:
            raise Contradiction("no action leaves the bounds where a failed induction says so")
        return trace

    def _judged(self, one: Candidate, target: Conjunct, broken: list[str]) -> Blocker:
        made = conjunct(self.system, one.stated(f"blocker {one.body.uid}"))
        known = names(self.known)
        inductive = bool(houdini(self.consecution, [made], known, self.observer).survivors)
        mends = tuple(a for a in broken if self._preserved(target, a, made.name) is not None)
        return Blocker(one, inductive, mends, bool(broken) and len(mends) == len(broken))


def _merit(
    relevant: tuple[str, ...], one: Blocker
) -> tuple[int, bool, bool, tuple[int, int, int, str]]:
    """What makes more steps go well first; then what speaks of nothing but what matters."""
    variables = {re.split(r"[\[.!?]", text)[0] for text in relevant}
    beside = not variables_of([one.candidate.body]) <= variables
    return -len(one.mends), beside, not one.inductive, one.candidate.cost
