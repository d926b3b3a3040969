"""Mining: lemmas of one or two literals first, then whatever excludes what an induction meets.

First all short candidates that hold in the explored states go through Houdini. Then, as long as a
claim is not inductive, the states before the failing steps are excluded by longer candidates
(Schultz, Dardik and Tripakis, *Plain and simple inductive invariant inference for distributed
protocols in TLA+*, 2022): those of the claims, and those of candidates that would have helped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from time import monotonic

import numpy as np

from bmc.analysis.mining.blocking import excluding
from bmc.analysis.mining.candidates import Candidate, distinct
from bmc.analysis.mining.consecution import BreakingStep, Consecution
from bmc.analysis.mining.houdini import Survivors, houdini
from bmc.analysis.mining.pairs import Pairs
from bmc.analysis.mining.table import LiteralTable, Truth
from bmc.analysis.mining.vocabulary import signatures
from bmc.engines.conjuncts import Conjunct, conjunct, conjuncts, names, within_bounds
from bmc.engines.explicit import explore
from bmc.engines.induction import Induction
from bmc.engines.samples import BoundMet, Explored
from bmc.engines.task import (
    SILENT,
    Deadline,
    Observer,
    OptionError,
    OutOfTime,
    Task,
    require_seconds,
    require_seed,
)
from bmc.evidence.verdict import Verdict
from bmc.readings.circuit import evaluate
from bmc.readings.value import ConcreteState
from bmc.system.transition import TransitionSystem

_SAMPLE = 1500
_LAYERS = 6
_BLOCKED_A_ROUND = 6
_ENOUGH = 12
_EACH = 6
_SHORT = 2
_LONGEST = 4
_LAST_SECONDS = 20.0
"""What may be spent, beyond the limit, on leaving out what nobody needs."""


class ClaimViolated(OptionError):
    """A claim is false in an explored state: there is no lemma to look for."""

    def __init__(self, claim: str, task: Task) -> None:
        # Parameters that were looked at beside the default ones may be those that matter.
        at = "".join(f" -p {name}={value}" for name, value in task.parameters.items())
        super().__init__(
            f"{claim} is violated, so no lemma proves it: `bmc explore {task.suite.name}{at}` "
            "shows the shortest trace"
        )
        self.claim = claim
        self.parameters = task.parameters


def require_true(task: Task, targets: Sequence[Conjunct], explored: Explored) -> None:
    """Raise ClaimViolated where one of a task's targets is false in an explored state."""
    violated = explored.violated(targets)
    if violated is not None:
        raise ClaimViolated(violated, task)


@dataclass(frozen=True)
class MiningOptions:
    """``states`` bounds the exploration, ``arguments`` the bound variables of a candidate,
    ``seconds`` all of it. ``beside_lemmas`` starts from the suite's own lemmas instead of from
    nothing; ``history`` lets candidates speak of the ghosts of its history, as those lemmas do.
    ``seed`` decides what is sampled.

    Raises OptionError for values that cannot be used.
    """

    states: int = 1_000_000
    seconds: float = 60.0
    arguments: int = 3
    beside_lemmas: bool = False
    history: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.states < 1:
            raise OptionError(f"explore 1 state or more, you gave {self.states}")
        require_seconds(self.seconds)
        require_seed(self.seed)
        if not 1 <= self.arguments <= 4:
            raise OptionError(
                f"a candidate has 1 to 4 bound variables, you gave {self.arguments}: more make "
                "too many candidates"
            )


@dataclass(frozen=True)
class Mined:
    """Lemmas that are inductive together (beside ``given``, the suite's own that were used).

    None follows from the others. ``needed`` names those that the ``proved`` claims need;
    ``open`` names the claims that are not inductive with them. They hold in all ``states``
    explored states, which are all there are if ``complete``.
    """

    lemmas: tuple[Candidate, ...]
    needed: tuple[Candidate, ...]
    given: tuple[str, ...]
    proved: tuple[str, ...]
    open: tuple[str, ...]
    tried: int
    states: int
    complete: bool
    stopped: str | None
    seconds: float


def mine(task: Task, options: MiningOptions, observer: Observer = SILENT) -> Mined:
    """Look for lemmas with which the task's properties are inductive, from states up.

    The task's bound, timeout, lemmas and solver are not used. Raises OptionError where the
    model leaves its bounds while it is explored.
    """
    return _Mining(task, options, observer).run()


class ExploredStates:
    """The explored states of a system and the vocabularies to speak of them."""

    def __init__(
        self, system: TransitionSystem, options: MiningOptions, observer: Observer, seconds: float
    ) -> None:
        self.system = system
        self.options = options
        self.explored = Explored(system, options.seed)
        self.explored.explore(options.states, seconds, observer)
        self._sample = self.explored.sample(_SAMPLE)
        # Of members that a sort has none of at these parameters there is nothing to say.
        self._choices = [
            bound
            for n in range(1, options.arguments + 1)
            for bound in signatures(system.model, n)
            if all(system.domains.values(variable.sort) for variable in bound)
        ] or [()]
        self._known: dict[int, tuple[LiteralTable, Truth]] = {}

    def __len__(self) -> int:
        return len(self._choices)

    def vocabulary(self, number: int) -> tuple[LiteralTable, Truth]:
        """A vocabulary and its truth in the sampled states; fewest variables first."""
        if number not in self._known:
            made = LiteralTable(self.system, self.explored.packing, self._choices[number])
            self._known[number] = made, made.truth(self._sample)
        return self._known[number]

    def valid(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those that hold in every explored state, and not in every state whatever."""
        circuit, stated = self.system.circuit, [one.stated("") for one in candidates]
        nodes = [circuit.all(i.holds for i in self.system.representatives(s)) for s in stated]
        saying = [(c, n) for c, n in zip(candidates, nodes, strict=True) if n is not circuit.true]
        failing = self.explored.failing([node for _, node in saying])
        return [one for (one, _), rows in zip(saying, failing, strict=True) if not len(rows)]

    def excluding(self, state: ConcreteState, deadline: Deadline) -> list[Candidate]:
        """Candidates that hold in every explored state and not in this one, simplest first.

        Those of more than two variables are looked for only where there are few others. When
        the deadline passes, it is what was found until then.
        """
        row = self.explored.pack([state])
        found: list[Candidate] = []
        for number in range(len(self)):
            vocabulary, known = self.vocabulary(number)
            many = len(found) >= _ENOUGH and len(vocabulary.bound) > _SHORT
            if many or deadline.remaining() == 0:
                break
            made = distinct(excluding(vocabulary, row, known, _LONGEST, _EACH))
            found = distinct([*found, *self.valid(made)])
        return found


class _Mining:
    def __init__(self, task: Task, options: MiningOptions, observer: Observer) -> None:
        self.started = monotonic()
        self.observer = observer
        self.options = options
        self.deadline = Deadline(options.seconds)
        self.task = replace(task, lemmas=options.beside_lemmas)
        self.model = self.task.model(ghosts=options.history or options.beside_lemmas)
        observer.phase("building the transition system")
        self.system = TransitionSystem(self.model, task.parameters)
        stated = self.task.stated(self.model)
        self.targets = [*conjuncts(self.system, stated), within_bounds(self.system)]
        try:
            self.prospect = ExploredStates(self.system, options, observer, options.seconds / 3)
        except BoundMet as met:
            require_true(self.task, self.targets[:-1], met.explored)
            raise
        require_true(self.task, self.targets, self.prospect.explored)
        self._require_true_steps()
        self.consecution = Consecution(self.system, self.deadline)
        self.given: tuple[Conjunct, ...] = ()
        self.pool: dict[str, tuple[Candidate, Conjunct]] = {}
        self.names: dict[int, str] = {}
        self.found = Survivors()

    def _require_true_steps(self) -> None:
        of_steps = tuple(target.name for target in self.targets if target.of_steps)
        if not of_steps:
            return
        asked = replace(self.task, properties=of_steps, timeout=self.options.seconds / 3)
        try:
            found = explore(asked, max_states=self.options.states, stop_at_violation=True)
        except OptionError:
            # What reads ghosts is not explored: a step that breaks it leaves it open.
            return
        for one in found.verdicts():
            if one.verdict is Verdict.VIOLATED:
                raise ClaimViolated(one.property, self.task)

    def run(self) -> Mined:
        stopped = None
        try:
            self._given()
            self._short()
            while self._open() and self._longer():
                pass
        except OutOfTime as limit:
            stopped = str(limit)
        return self._result(stopped)

    def _given(self) -> None:
        if self.options.beside_lemmas:
            induction = Induction(self.system, self.task.solver, self.observer, self.deadline)
            own = conjuncts(self.system, self.task.strengthening(self.model))
            initially = induction.fails_initially(own)
            left = [one for one in own if one.name not in initially]
            self.given = induction.strengthen(left, (), 1).survivors
            for one in self.given:
                self.consecution.know(one)

    def _short(self) -> None:
        """Candidates of one and two literals, layer by layer."""
        random = np.random.default_rng(self.options.seed)
        sources = []
        for number in range(len(self.prospect)):
            self.observer.phase(
                f"short candidates: vocabulary {number + 1} of {len(self.prospect)}"
            )
            sources.append(Pairs(*self.prospect.vocabulary(number), random))
            self.deadline.check()
        tried: set[int] = set()
        for _ in range(_LAYERS):
            made = distinct(one for source in sources for one in source.candidates())
            new = [one for one in made if one.body.uid not in tried]
            if not new:
                break
            tried |= {one.body.uid for one in new}
            self.observer.phase(f"short candidates: {len(new)} in every explored state?")
            good = self._saying_something(self.prospect.valid(new))
            self._enter(good)
            self._strengthen()
            alive = set(names(self.found.survivors))
            gone = [one for one in new if self.names.get(one.body.uid) not in alive]
            for source in sources:
                for one in gone:
                    source.drop(one)
        if not tried:
            # There is nothing to be said in short, and the claims may be inductive without it.
            self._strengthen()

    def _saying_something(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        kept = []
        for one in candidates:
            goals = conjunct(self.system, one.stated("")).goals
            if any(self.consecution.implied(goal, names(self.given)) is None for goal in goals):
                kept.append(one)
        return kept

    def _enter(self, candidates: Iterable[Candidate]) -> bool:
        new = False
        for one in candidates:
            if one.body.uid not in self.names:
                name = self.names[one.body.uid] = f"mined_{len(self.names) + 1}"
                self.pool[name] = one, conjunct(self.system, one.stated(name))
                new = True
        return new

    def _strengthen(self) -> None:
        everything = [*self.targets, *(one for _, one in self.pool.values())]
        self.found = houdini(self.consecution, everything, names(self.given), self.observer)
        mined = len(self.found.survivors) - len(self.targets) + len(self._open())
        self.observer.fact(f"{mined} of {len(self.pool)} candidates are inductive together")

    def _open(self) -> list[Conjunct]:
        alive = names(self.found.survivors)
        return [target for target in self.targets if target.name not in alive]

    def _longer(self) -> bool:
        """Exclude states from which the claims fail; False when nothing new excludes any."""
        new = False
        for broken in self._demanded():
            self.deadline.check()
            self.observer.phase("candidates that exclude what the induction meets")
            new |= self._enter(self.prospect.excluding(broken.before, self.deadline))
        if new:
            self._strengthen()
        return new

    def _demanded(self) -> list[BreakingStep]:
        """Steps to exclude: those that break claims, then those that break what excludes them."""
        dropped = self.found.broken
        demanded = [dropped[target.name] for target in self._open()]
        for broken in demanded:
            if len(demanded) >= _BLOCKED_A_ROUND:
                break
            numbers = self.system.encode(broken.before)
            for name, (_, one) in self.pool.items():
                useful = name in dropped and dropped[name] not in demanded
                if useful and not all(evaluate([i.holds for i in one.instances], numbers)):
                    demanded.append(dropped[name])
        return demanded[:_BLOCKED_A_ROUND]

    def _result(self, stopped: str | None) -> Mined:
        found, closed = self.found, names(self.found.survivors)
        mined = [self.pool[n][0] for n in closed if n in self.pool]
        needed: list[Candidate] = []
        self.consecution.deadline = Deadline(_LAST_SECONDS)
        try:
            independent = self._independent(mined)
            proved = [target for target in self.targets if target.name in closed]
            again = houdini(
                self.consecution,
                [*proved, *(self._conjunct(one) for one in independent)],
                names(self.given),
                self.observer,
            )
            mined, found = independent, again
            needed = self._fewest(proved, self._needed(found, names(proved)))
        except OutOfTime:
            needed = needed or self._needed(found, closed)
        return Mined(
            lemmas=tuple(sorted(mined, key=lambda one: one.cost)),
            needed=tuple(sorted(needed, key=lambda one: one.cost)),
            given=names(self.given),
            proved=tuple(t.name for t in self.targets if t.name in closed),
            open=names(self._open()),
            tried=len(self.pool),
            states=len(self.prospect.explored),
            complete=self.prospect.explored.complete,
            stopped=stopped,
            seconds=monotonic() - self.started,
        )

    def _conjunct(self, one: Candidate) -> Conjunct:
        return self.pool[self.names[one.body.uid]][1]

    def _independent(self, mined: Sequence[Candidate]) -> list[Candidate]:
        """Without what the others imply, dropping what is hardest to read first."""
        kept = {self.names[one.body.uid]: one for one in mined}
        for one in sorted(mined, key=lambda one: one.cost, reverse=True):
            name = self.names[one.body.uid]
            others = [*names(self.given), *(other for other in kept if other != name)]
            goals = self._conjunct(one).goals
            if all(self.consecution.implied(goal, others) is not None for goal in goals):
                del kept[name]
        return list(kept.values())

    def _needed(self, found: Survivors, proved: Iterable[str]) -> list[Candidate]:
        """The candidates that the claims need, and what those need in turn."""
        seen: set[str] = set()
        stack = [name for name in proved if name not in self.pool]
        while stack:
            name = stack.pop()
            if name not in seen:
                seen.add(name)
                stack.extend(found.needs.get(name, ()))
        return [self.pool[name][0] for name in seen if name in self.pool]

    def _fewest(self, proved: Sequence[Conjunct], needed: list[Candidate]) -> list[Candidate]:
        """A part of the needed candidates with which everything is still inductive, and with no
        smaller part of it."""
        for one in sorted(needed, key=lambda one: one.cost, reverse=True):
            rest = [other for other in needed if other is not one]
            tried = [*proved, *(self._conjunct(other) for other in rest)]
            found = houdini(self.consecution, tried, names(self.given), self.observer)
            if set(names(proved)) <= set(names(found.survivors)):
                needed = self._needed(found, names(proved))
        return needed
