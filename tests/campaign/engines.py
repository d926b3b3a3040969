"""What the engines say of a plan, held against what is true of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from unittest.mock import patch

from bmc.engines import bounded, explicit, kinduction, portfolio, simulate
from bmc.engines.allparams.prove import ParametricTask, prove_for_all
from bmc.engines.ic3 import prove as ic3
from bmc.engines.task import OptionError, Task
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.certify import certify
from bmc.evidence.independent.judge import judge
from bmc.evidence.verdict import Result, Verdict
from bmc.lang import BoundTooSmall, Suite
from bmc.layout.inhabited import EmptySort
from bmc.readings.quantified.structures import NotQuantified
from bmc.system.renaming import NotSymmetric
from bmc.system.transition import NoInitialState
from tests.campaign.claims import claims
from tests.campaign.described import described_once
from tests.campaign.machine import Found, Machine, NothingToCheck, TooMany
from tests.campaign.protocols import Author, Plan, without
from tests.campaign.reference import NoValue, Reference
from tests.strategies.draw import Draw

MOST_STATES = 300
MOST_STEPS = 3000
SECONDS = 200.0


class Disagreement(AssertionError):
    """An engine says what is not so."""


@dataclass
class Truth:
    """What is true of a plan: how deep each claim fails, None where it holds."""

    plan: Plan
    suite: Suite
    machine: Machine
    found: Found
    fails: Mapping[str, int | None]

    @property
    def depth(self) -> int:
        """The longest of the shortest paths, in steps."""
        return len(self.found.levels) - 1


class Silence:
    """Takes what an engine says on its way, as its process would send it."""

    def phase(self, text: str) -> None:
        """Ignore it."""

    def fact(self, text: str) -> None:
        """Ignore it."""

    def decided(self, result: Result) -> None:
        """Ignore it."""

    def so_far(self, result: object) -> None:
        """Ignore it."""


def drawn(source: bytes) -> tuple[Author, Plan]:
    """A plan without claims, and who can go on drawing."""
    author = Author(Draw(source))
    return author, author.plan()


def truth_of(author: Author, plan: Plan, prune: bool = True) -> Truth:
    """What is true of the plan that these choices make, with claims.

    Raises TooMany and NothingToCheck where there is nothing to compare.
    """
    plan, found = _explored(_started(plan), prune)
    # Claims change nothing that is reachable.
    return known(claims(author, plan, found), found)


def _explored(plan: Plan, prune: bool) -> tuple[Plan, Found]:
    for _ in range(4):
        machine = Machine(plan.suite().model(ghosts=False), plan.parameters)
        found = machine.explore(MOST_STATES, MOST_STEPS)
        if not found.beyond or not prune:
            break
        plan = without(plan, found.beyond)
    return plan, found


def _started(plan: Plan) -> Plan:
    """The plan without a history that has no value at the start: nothing can be said of it."""
    if plan.ghost is None:
        return plan
    try:
        Reference(plan.parameters).value(plan.ghost.first, {})
    except NoValue:
        return replace(plan, ghost=None)
    return plan


def known(plan: Plan, found: Found | None = None) -> Truth:
    """What is true of a plan with its claims, given its states if they are known."""
    suite = described_once(plan.suite())
    model = suite.model(ghosts=False)
    machine = Machine(model, plan.parameters)
    found = found or machine.explore(MOST_STATES, MOST_STEPS)
    stated = [suite.describe(declared, model) for declared in suite.properties]
    fails = {p.name: machine.fails_at(p, found) for p in stated}
    return Truth(plan, suite, machine, found, fails)


def task_of(truth: Truth, **options: object) -> Task:
    """The question to an engine."""
    names = tuple(truth.fails)
    bound = min(truth.depth + 2, 8)
    return Task(
        truth.suite,
        truth.plan.parameters,
        names,
        bound,
        SECONDS,
        **options,  # type: ignore[arg-type]
    )


@dataclass
class Tally:
    """How often what was said."""

    verdicts: Counter[str] = field(default_factory=Counter)
    certificates: int = 0
    judged: int = 0


def require(
    truth: Truth, engine: str, results: Iterable[Result], tally: Tally, shortest: bool = True
) -> list[Result]:
    """Raise Disagreement unless every verdict is true, and every trace as short as can be."""
    told = list(results)
    for one in told:
        tally.verdicts[f"{engine} {one.verdict.value}"] += 1
        fails = truth.fails[one.property]
        said = f"{engine} says {one.verdict.value} of {one.property}"
        match one.verdict:
            case Verdict.PROVED:
                if fails is not None:
                    raise Disagreement(f"{said}, which fails after {fails} steps")
                if truth.found.overflow is not None:
                    raise Disagreement(f"{said}, but the bounds are left")
            case Verdict.VIOLATED:
                if fails is None:
                    raise Disagreement(f"{said}, which holds")
                if one.trace is None:
                    raise Disagreement(f"{said} without a trace")
                steps = len(one.trace) - 1
                if steps < fails or (shortest and steps != fails):
                    raise Disagreement(f"{said} after {steps} steps, but it is {fails}")
            case Verdict.UNKNOWN:
                if one.depth is not None and fails is not None and fails <= one.depth:
                    raise Disagreement(
                        f"{said}: clean to {one.depth}, but {fails} steps violate it"
                    )
    return told


def by_explicit(truth: Truth, tally: Tally, symmetry: bool = False) -> None:
    """Every state by the numpy reading: numbers of states, steps and verdicts."""
    try:
        found = explicit.explore(task_of(truth), symmetry=symmetry)
    except (NotSymmetric, OptionError):
        if not symmetry:
            raise
        tally.verdicts["symmetry refused"] += 1
        return
    engine = "symmetry" if symmetry else "explicit"
    require(truth, engine, found.verdicts(), tally)
    whole = tuple(map(len, truth.found.levels))
    if (found.overflow is None) != (truth.found.overflow is None):
        raise Disagreement(f"{engine}: the bounds are left at {truth.found.overflow}, not so here")
    if found.overflow is None:
        if not found.complete:
            raise Disagreement(f"{engine} is not complete: {found.stopped_because}")
        if found.levels != whole:
            raise Disagreement(f"{engine} counts {found.levels}, not {whole}")
        taken = {name: times for name, times in found.fired.items() if times}
        if taken != truth.found.taken:
            raise Disagreement(f"{engine} takes {taken}, not {truth.found.taken}")
        if any(r.verdict is Verdict.UNKNOWN for r in found.verdicts()):
            raise Disagreement(f"{engine} leaves something open")
    elif len(found.overflow) - 1 != truth.found.overflow:
        raise Disagreement(
            f"{engine} leaves the bounds after {len(found.overflow) - 1} steps, "
            f"not {truth.found.overflow}"
        )


def by_bounded(truth: Truth, tally: Tally, solver: str = "cadical") -> None:
    """The bounded search: whatever fails within its depth is found."""
    task = task_of(truth, solver=solver)
    told = require(truth, f"bounded {solver}", bounded.search_to_bound(task, Silence()), tally)  # type: ignore[arg-type]
    beyond = truth.found.overflow
    for one in told:
        fails = truth.fails[one.property]
        in_reach = fails is not None and fails <= task.depth and (beyond is None or fails <= beyond)
        if in_reach and one.verdict is not Verdict.VIOLATED and one.engine == bounded.ENGINE:
            raise Disagreement(f"bounded search misses {one.property}: {one.reason}")


def by_kinduction(truth: Truth, tally: Tally, lemmas: bool = True) -> list[Result]:
    """K-induction, with every certificate that it makes re-checked."""
    found = kinduction.induct(task_of(truth, lemmas=lemmas), Silence())  # type: ignore[arg-type]
    return require(truth, "k-induction", found, tally)


def by_ic3(truth: Truth, tally: Tally) -> list[Result]:
    """IC3, from all states and by frames; either decides all where the bounds are not left."""
    task = task_of(truth, lemmas=False)
    learned = require(truth, "IC3", ic3.find_invariant(task, Silence()), tally)  # type: ignore[arg-type]
    with patch("bmc.engines.ic3.prove._Proof._learn", lambda *_: False):
        told = require(truth, "IC3", ic3.find_invariant(task, Silence()), tally)  # type: ignore[arg-type]
    for one in (*learned, *told):
        if one.verdict is Verdict.UNKNOWN and truth.found.overflow is None:
            tally.verdicts["IC3 left open"] += 1
    return [*learned, *told]


def by_auto(truth: Truth, tally: Tally) -> list[Result]:
    """All engines in their processes."""
    return require(truth, "auto", portfolio.prove(task_of(truth)), tally)


def by_simulation(truth: Truth, tally: Tally) -> None:
    """Random walks: what they meet is so."""
    walks = simulate.Walks(number=32, length=12)
    found = simulate.simulate(task_of(truth), walks)
    require(truth, "simulate", found.verdicts(), tally, shortest=False)


def by_judges(truth: Truth, results: Iterable[Result], tally: Tally, independent: bool) -> None:
    """Certificates read back from their text, by both judges."""
    met: set[int] = set()
    for one in results:
        if one.certificate is None or id(one.certificate) in met:
            continue
        met.add(id(one.certificate))
        again = Certificate.from_json(one.certificate.to_json())
        certify(again, truth.suite, every_instance=True)
        tally.certificates += 1
        if independent:
            judge(again, truth.suite)
            tally.judged += 1


def refused(plan: Plan) -> None:
    """Raise Disagreement unless engines find no start where there is none."""
    suite = plan.suite()
    task = Task(suite, plan.parameters, ())
    try:
        explicit.explore(task)
    except (NoInitialState, BoundTooSmall):
        return
    raise Disagreement("a start where there is none")


def by_all_parameters(truth: Truth, tally: Tally) -> None:
    """A proof for all parameters is one at these; what has no first-order reading is refused."""
    task = ParametricTask(truth.suite, tuple(truth.fails), 5.0, 2.0, processes=1)
    try:
        found = prove_for_all(task, Silence())
    except (NotQuantified, NoInitialState, CertificateError, BoundTooSmall, EmptySort) as error:
        tally.verdicts[f"all parameters: {type(error).__name__}"] += 1
        return
    require(truth, "all parameters", found.results, tally)


Check = Callable[[Truth, Tally], object]

CHECKS: Mapping[str, Check] = {
    "explicit": by_explicit,
    "symmetry": lambda t, n: by_explicit(t, n, symmetry=True),
    "bounded": by_bounded,
    "bounded z3": lambda t, n: by_bounded(t, n, "z3"),
    "k-induction": lambda t, n: by_judges(t, by_kinduction(t, n), n, independent=False),
    "no lemmas": lambda t, n: by_kinduction(t, n, lemmas=False),
    "IC3": lambda t, n: by_judges(t, by_ic3(t, n), n, independent=False),
    "simulate": by_simulation,
    "all parameters": by_all_parameters,
    "auto": by_auto,
    "independent": lambda t, n: by_judges(t, by_kinduction(t, n), n, independent=True),
}

__all__ = ["CHECKS", "Disagreement", "NothingToCheck", "Tally", "TooMany", "Truth", "truth_of"]
