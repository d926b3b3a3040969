"""Inference: from a protocol and its properties to lemmas with which they are inductive."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from bmc.analysis.inference.beside import Beside, Race
from bmc.analysis.inference.clauses import ClauseLemmas
from bmc.analysis.inference.gathering import Gathering
from bmc.analysis.inference.minimise import needed
from bmc.analysis.inference.naming import named
from bmc.analysis.inference.nodes import Objective, OpenNode
from bmc.analysis.inference.prospect import Prospect
from bmc.analysis.inference.search import LemmaSearch
from bmc.analysis.inference.smaller import Smaller
from bmc.analysis.inference.spoken import NotSayable
from bmc.analysis.inference.state import LemmaFolder, candidate
from bmc.analysis.inference.subject import Subject
from bmc.analysis.inference.worlds import explored_worlds
from bmc.analysis.mining.candidates import Candidate, distinct
from bmc.analysis.mining.houdini import Asker, asked_here
from bmc.analysis.mining.mine import require_true
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
from bmc.evidence.certificate import WITHIN_BOUNDS
from bmc.evidence.verdict import Result
from bmc.lang.historic import ghosts_of
from bmc.lang.properties import Property
from bmc.lang.terms import Term, subterms
from bmc.running.files import UnwritableFile

GROUP = "inferred"
_EXPLORING = 0.25
_SMALLER = 0.25
"""The share of the time in which lemmas of smaller sizes are looked for."""
_SEARCHING = 0.7
_ALONE = 20.0
"""Seconds of the search before it gives way to a proof of IC3: its lemmas say more."""
_CLAUSES = 0.1
"""The share of the time, beyond the search's, in which IC3's clauses may close what is open."""
_PATIENCE = 0.9
"""The share of the time until which IC3 is waited for where it learns from all states: it comes to
its end sooner than an engine that begins then."""
_NEEDED = 0.1
"""The share of the time that may at least be spent on what is needed of a proof that closed."""
_PUT_IN_WORDS = 1000
"""Of more clauses than these nobody reads the words: IC3's proof has them as they are."""
_GATHERING = 0.8
"""The share of the search's time in which lemmas are gathered, where they are."""
_IN_WORDS = 20.0
"""Seconds in which a proof that IC3 has may become one of lemmas, and as many to leave some out."""


@dataclass(frozen=True)
class InferenceOptions:
    """``states`` bounds the exploration, ``arguments`` the bound variables of a lemma, ``seconds``
    all of it. ``seed`` decides what is sampled; ``folder`` keeps what was found; ``offered`` are
    lemmas to begin with, of which those are used that hold in the explored states. With ``larger``
    what is gathered beside ghosts has to be preserved at the larger sizes, too.

    Raises OptionError for values that cannot be used.
    """

    states: int = 1_000_000
    seconds: float = 300.0
    arguments: int = 4
    seed: int = 0
    folder: Path | None = None
    offered: tuple[Property, ...] = ()
    larger: bool = False

    def __post_init__(self) -> None:
        if self.states < 1:
            raise OptionError(f"explore 1 state or more, you gave {self.states}")
        require_seconds(self.seconds)
        require_seed(self.seed)
        if not 1 <= self.arguments <= 4:
            raise OptionError(
                f"a lemma has 1 to 4 bound variables, you gave {self.arguments}: more make too "
                "many candidates"
            )


@dataclass(frozen=True)
class World:
    """Parameters at which states were explored: all that are reachable if ``complete``."""

    parameters: Mapping[str, int]
    states: int
    complete: bool


@dataclass(frozen=True)
class Inferred:
    """Lemmas that were found, and what is known of them; nothing is proved by that.

    ``closed`` says that every target is preserved with them, by every step from any state: then
    ``lemmas`` are those that are needed, and no part of them suffices if ``minimal``. Otherwise
    they are all that was found, ``kept`` names those that are preserved together, and ``open`` are
    the nodes that are not. They hold in all states of the ``worlds``; but ``clauses`` names those
    that are IC3's clauses with numbers of the first world in them, which need not hold at any other
    size, and ``configured`` those that name values which only a text's configuration names.
    ``found`` counts all lemmas, ``asked`` the questions of induction.
    """

    lemmas: tuple[Property, ...]
    closed: bool
    minimal: bool
    kept: tuple[str, ...]
    clauses: tuple[str, ...]
    configured: tuple[str, ...]
    open: tuple[OpenNode, ...]
    found: int
    asked: int
    worlds: tuple[World, ...]
    stopped: str | None
    seconds: float
    proofs: tuple[Result, ...] = ()
    """IC3's own proofs of the properties at the first world's size, where it has come to them."""
    lost: UnwritableFile | None = None
    """Why no lemma is kept in the folder for the next run."""


def infer(
    task: Task, options: InferenceOptions, observer: Observer = SILENT, asker: Asker = asked_here
) -> Inferred:
    """Look for lemmas with which the task's properties are preserved by every step.

    The task's bound, timeout, lemmas and solver are not used. ``asker`` asks which lemmas a
    step preserves together: a cluster can. A limit of time or an interruption ends in the best
    set so far. Raises ClaimViolated, which names a property that is false in an explored state,
    OptionError where the model leaves its bounds while it is explored, and FolderInUse where
    another process keeps its lemmas in the folder.
    """
    with Beside(replace(task, timeout=options.seconds)) as beside, _kept(task, options) as state:
        return _Inference(task, options, beside, state, observer, asker).run()


def _kept(task: Task, options: InferenceOptions) -> AbstractContextManager[LemmaFolder | None]:
    if options.folder is None:
        return nullcontext()
    return LemmaFolder(options.folder, task.model(ghosts=False), dict(task.parameters))


class _Inference:
    def __init__(
        self,
        task: Task,
        options: InferenceOptions,
        beside: Beside,
        state: LemmaFolder | None,
        observer: Observer,
        asker: Asker,
    ) -> None:
        self.started = monotonic()
        self.task = replace(task, lemmas=False)
        self.options = options
        self.beside = beside
        self.observer = observer
        self._said: list[tuple[Candidate, ...]] = []
        self._asked = False
        self._plain: set[int] = set()
        self._general: set[Term] = set()
        self._everywhere: set[int] = set()
        self.state = state
        observer.phase("building the transition system")
        self.subject = Subject.of(self.task)
        system = self.subject.system
        self.model = system.model
        limits = options.states, options.seconds * _EXPLORING, options.seed
        try:
            self.worlds = explored_worlds(system, *limits, observer, beside.know)
        except BoundMet as met:
            require_true(self.task, self.subject.targets[:-1], met.explored)
            raise
        require_true(self.task, self.subject.targets, self.worlds[0])
        self.prospect = Prospect(self.subject.words(), self.worlds, options.arguments)
        race = self._race(_SEARCHING)
        self.search = LemmaSearch(
            system, self.subject.targets, self.prospect, race, observer, asker
        )

    def _race(self, share: float) -> Race:
        """Return a limit at a share of the time, which IC3 may end before."""
        left = self.options.seconds * share - (monotonic() - self.started)
        return Race(max(0.0, left), self.beside, _ALONE)

    def run(self) -> Inferred:
        stopped = None
        try:
            self._offer()
            self._learn_from_smaller()
            self._gather()
            self.search.run(self._tell, self._generalised)
        except OutOfTime as limit:
            stopped = str(limit)
        except KeyboardInterrupt:
            stopped = "it was interrupted"
        if stopped != "it was interrupted" and not self.search.closed:
            stopped = self._at_this_size() or stopped
        return self._result(stopped)

    def _orbits(self, share: float) -> list[tuple[Candidate, ...]]:
        """Return what IC3's clauses say, if it has a proof within a share of the time."""
        clauses = () if self._said else self.beside.clauses(self.options.seconds * share)
        if 0 < len(clauses) <= _PUT_IN_WORDS:
            try:
                made = ClauseLemmas(self.search.system, self.prospect.words.variables)
                self._said = list(made.orbits(clauses))
            except NotSayable as unsaid:
                self.observer.fact(f"IC3's clauses are no lemmas: {unsaid}")
        return self._said

    def _generalised(self) -> list[Candidate]:
        """Return, once, what IC3's clauses say more generally, if it has them by now."""
        if self._asked:
            return []
        orbits = self._orbits(0.0)
        self._asked = bool(self.beside.proofs)
        return self._most_general(orbits)

    def _most_general(self, left: list[tuple[Candidate, ...]]) -> list[Candidate]:
        """Return for each orbit the most general candidate that holds in all worlds, if any."""
        found: list[Candidate] = []
        while left:
            first = self.prospect.valid([orbit[0] for orbit in left], self.search.deadline)
            held = {one.body for one, _ in first}
            found += [orbit[0] for orbit in left if orbit[0].body in held]
            left = [orbit[1:] for orbit in left if orbit[0].body not in held and orbit[1:]]
        self._general = {one.body for one in found}
        return found

    def _is_of_this_size(self, one: Candidate) -> bool:
        """Whether nothing is known of a lemma at any other size, or that it is false there."""
        if one.body not in self._general:
            return True
        return len(self.worlds) == 1 and any(t.op == "int" for t in subterms([one.body]))

    def _at_this_size(self) -> str | None:
        """Close what is open with IC3's clauses as they are; return why that was cut short."""
        search = self.search
        try:
            orbits = self._orbits(max(_CLAUSES, self._patience()))
            seconds = self.options.seconds * _CLAUSES
            search.deadline.extend(min(seconds, _IN_WORDS) if self.beside.proofs else seconds)
            if orbits:
                # Whatever else was thought of would be asked again beside each of them.
                search.forget_spare()
                search.think_of(self._most_general(orbits))
                plain = [orbit[-1] for orbit in orbits]
                self._plain = {one.body.uid for one in plain if self._is_of_this_size(one)}
                search.think_of(plain)
                search.together()
        except OutOfTime as limit:
            return str(limit)
        except KeyboardInterrupt:
            return "it was interrupted"
        return None

    def _patience(self) -> float:
        """Return the share of the time in which nobody but IC3 has more to say."""
        if not self.worlds[0].complete:
            return 0.0
        return _PATIENCE - (monotonic() - self.started) / self.options.seconds

    def _offer(self) -> None:
        """Begin with what is known from before, as far as it holds."""
        known = [candidate(one.arguments, one.body) for one in self.options.offered]
        known += self.state.known if self.state is not None else ()
        if known:
            held = [one for one, _ in self.prospect.valid(distinct(known), self.search.deadline)]
            self.observer.fact(f"{len(held)} of {len(known)} lemmas known from before still hold")
            self.search.offer(held)

    def _learn_from_smaller(self) -> None:
        """Begin with lemmas of smaller sizes, where there are too many states at this one."""
        known = self.options.offered or (self.state is not None and self.state.known)
        if known or self.worlds[0].complete:
            return
        options = self.options
        smaller = Smaller(
            self.task,
            self.worlds[0],
            options.states,
            options.arguments,
            options.seed,
            self.observer,
        )
        limit = _SMALLER + (monotonic() - self.started) / options.seconds
        found = smaller.lemmas(self._race(limit)).of(self.model)
        held = found.enter(self.search)
        count = len(found.needed) + len(found.others)
        if count:
            self.observer.fact(f"{held} of {count} lemmas of smaller sizes hold at this one")

    def _gather(self) -> None:
        """Begin with lemmas that are gathered, beside ghosts: IC3 has nothing to say of these."""
        if not ghosts_of(self.task.suite):
            return
        left = self.search.deadline.remaining()
        limit = Deadline(None if left is None else left * _GATHERING)
        sizes = self.worlds if self.options.larger else self.worlds[:1]
        gathering = Gathering(
            [self.subject.targets_at(size.system) for size in sizes],
            self.prospect,
            limit,
            self.observer,
            self.options.seed,
        )
        gathering.begin_with([one.candidate for one in self._lemmas() if one.candidate is not None])
        with suppress(OutOfTime):
            gathering.run()
        self.search.think_of(gathering.lemmas)
        self.search.together()
        if self.options.larger and gathering.closed:
            self._everywhere = {one.body.uid for one in gathering.lemmas}

    def _tell(self) -> None:
        if self.state is not None:
            self.state.keep(self._properties(self._lemmas()))

    def _lemmas(self) -> list[Objective]:
        return [node for node in self.search.nodes.values() if node.candidate is not None]

    def _properties(self, nodes: list[Objective]) -> list[Property]:
        taken = [d.name for d in (*self.task.suite.properties, *self.task.suite.lemmas)]
        origin = self.task.suite.origin
        taken += origin.names if origin is not None else ()
        capitals = origin is not None
        bodies = [node.candidate.body for node in nodes if node.candidate is not None]
        names = named(bodies, [*taken, *self.model.variables, WITHIN_BOUNDS], capitals)
        found = []
        for name, node in zip(names, nodes, strict=True):
            if node.candidate is not None:
                found.append(replace(node.candidate.stated(name), group=GROUP))
        return found

    def _configured(self, stated: list[Property]) -> tuple[str, ...]:
        origin = self.task.suite.origin
        return tuple(one.name for one in stated if origin is not None and origin.configured(one))

    def _result(self, stopped: str | None) -> Inferred:
        search = self.search
        closed, minimal = search.closed, False
        lemmas = self._lemmas()
        if closed and self._everywhere:
            # Fewer would do at this size, and not at the others.
            uids = self._everywhere
            lemmas = [one for one in lemmas if one.candidate and one.candidate.body.uid in uids]
        kept: list[Objective] = [node for node in lemmas if node.closed]
        if closed and not self._everywhere and stopped != "it was interrupted":
            seconds = self.options.seconds
            left = max(seconds * _NEEDED, (seconds - (monotonic() - self.started)) / 2)
            search.deadline.extend(min(left, _IN_WORDS) if self._plain else left)
            try:
                lemmas, minimal = needed(search, [t.name for t in search.targets], self.observer)
                kept = lemmas
            except KeyboardInterrupt:
                stopped = "it was interrupted"
        stated = self._properties(lemmas)
        of = {id(node): one for node, one in zip(lemmas, stated, strict=True)}
        if self.state is not None:
            self.state.keep(stated, now=True)
        return Inferred(
            lemmas=tuple(stated),
            closed=closed,
            minimal=minimal,
            kept=tuple(of[id(node)].name for node in kept),
            clauses=tuple(
                one.name
                for node, one in zip(lemmas, stated, strict=True)
                if node.candidate is not None and node.candidate.body.uid in self._plain
            ),
            configured=self._configured(stated),
            open=tuple(search.open()),
            found=len(self._lemmas()),
            asked=search.asked,
            worlds=tuple(_world(world) for world in self.worlds),
            stopped=stopped,
            seconds=monotonic() - self.started,
            proofs=self.beside.proofs,
            lost=None if self.state is None else self.state.lost,
        )


def _world(explored: Explored) -> World:
    return World(explored.system.parameters, len(explored), explored.complete)
