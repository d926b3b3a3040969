"""A campaign: protocols by number, each by some of the checks, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from bmc.lang import BoundTooSmall, LanguageError, Term
from bmc.lang.sorts import MapSort, Sort
from bmc.lang.terms import subterms
from bmc.readings.value import Evaluator
from tests.campaign.commands import by_commands
from tests.campaign.engines import (
    CHECKS,
    Disagreement,
    NothingToCheck,
    Tally,
    TooMany,
    Truth,
    drawn,
    known,
    refused,
    truth_of,
)
from tests.campaign.protocols import Act, Plan, restarted
from tests.campaign.reference import NoValue, Reference, Value
from tests.strategies.cases import Case, case_of
from tests.strategies.draw import MOST_CHOICES, Draw
from tests.strategies.world import World

ALWAYS = ("explicit",)
"""What is cheap enough for every protocol; of the others each protocol gets one.

Protocols are drawn anew for each number, so each engine meets every construct.
"""

IN_TURN = (
    *("k-induction", "symmetry", "IC3", "bounded", "k-induction", "simulate", "IC3"),
    *("symmetry", "no lemmas", "bounded", "bounded z3"),
)

NOW_AND_THEN = {"auto": 150, "independent": 37, "all parameters": 13, "commands": 400}
"""What starts processes or is slow: for one protocol of so many."""

TERMS = 6
"""Random terms beside each protocol."""


@dataclass
class Failure:
    """A disagreement: the protocol's number, the check, what it says, and a smaller protocol."""

    number: int
    check: str
    said: str
    plan: Plan | Case


@dataclass
class Figures:
    """What a campaign has looked at and found."""

    protocols: int = 0
    starting_nowhere: int = 0
    too_large: int = 0
    leaving_bounds: int = 0
    terms: int = 0
    random_terms: int = 0
    undefined_terms: int = 0
    runs: Counter[str] = field(default_factory=Counter)
    failing_at: Counter[int | None] = field(default_factory=Counter)
    tally: Tally = field(default_factory=Tally)
    failures: list[Failure] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The figures for a reader."""
        yield f"protocols                {self.protocols}"
        yield f"  that start nowhere     {self.starting_nowhere}  (engines refuse them)"
        yield f"  that leave the bounds  {self.leaving_bounds}"
        yield f"  too large, left out    {self.too_large}"
        yield f"terms, with their parts  {self.terms}"
        yield f"random terms in a state  {self.random_terms}, {self.undefined_terms} without value"
        deep = sum(n for depth, n in self.failing_at.items() if depth)
        yield f"claims                   {sum(self.failing_at.values())}"
        yield f"  that hold              {self.failing_at[None]}"
        yield f"  false at the start     {self.failing_at[0]}"
        deepest = max((depth or 0 for depth in self.failing_at), default=0)
        yield f"  false deeper           {deep}, up to {deepest} steps"
        yield f"certificates read again  {self.tally.certificates}"
        yield f"  by the second judge    {self.tally.judged}"
        yield "runs: " + ", ".join(f"{n} {name}" for name, n in sorted(self.runs.items()))
        for name, number in sorted(self.tally.verdicts.items()):
            yield f"  {name:24} {number}"
        yield f"disagreements            {len(self.failures)}"


def run(numbers: Iterator[int], figures: Figures, go_on: Callable[[], bool]) -> None:
    """Look at protocols by their numbers while ``go_on`` says so."""
    for number in numbers:
        if not go_on():
            return
        random = Random(number)
        try:
            truth = _truth(random, figures, number)
        except TooMany:
            figures.too_large += 1
            continue
        except Disagreement as error:
            figures.failures.append(Failure(number, "start", str(error), Plan({}, {}, NOBODY, ())))
            continue
        if truth is None:
            continue
        _look(number, truth, figures)
        for _ in range(TERMS):
            _term(number, random, figures)


def truth_numbered(number: int) -> Truth:
    """Return what is true of the protocol that is drawn by a number."""
    truth = _truth(Random(number), Figures(), number)
    assert truth is not None
    return truth


def _truth(random: Random, figures: Figures, number: int) -> Truth | None:
    author, plan = drawn(random.randbytes(2500))
    plan = replace(plan, number=number)
    figures.protocols += 1
    prune = random.random() < 0.8
    try:
        truth = truth_of(author, plan, prune)
    except NothingToCheck:
        refused(plan)
        figures.starting_nowhere += 1
        try:
            truth = truth_of(author, restarted(author, plan), prune)
        except NothingToCheck:
            # Members of an empty sort cannot be given to a variable.
            return None
    figures.leaving_bounds += truth.found.overflow is not None
    figures.failing_at.update(truth.fails.values())
    figures.terms += sum(1 for _ in subterms(_terms(truth.plan)))
    return truth


def _terms(plan: Plan) -> list[Term]:
    found = [claim.body for claim in plan.claims]
    for act in (plan.initial, *plan.actions):
        for disjunct in act.disjuncts:
            found += [*disjunct.guards, *disjunct.updates.values()]
    return found


def checks_of(number: int) -> Sequence[str]:
    """The names of the checks that a protocol gets."""
    rare = (name for name, of in NOW_AND_THEN.items() if number % of == 0)
    return *ALWAYS, IN_TURN[number % len(IN_TURN)], *rare


def _look(number: int, truth: Truth, figures: Figures) -> None:
    for name in checks_of(number):
        figures.runs[name] += 1
        said = complaint(truth, name, figures.tally)
        if said is not None:
            smaller = minimised(truth.plan, name)
            figures.failures.append(Failure(number, name, said, smaller))


def complaint(truth: Truth, name: str, tally: Tally) -> str | None:
    """What a check has against a protocol, a crash included; None if nothing."""
    check = by_commands if name == "commands" else CHECKS[name]
    try:
        check(truth, tally)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def minimised(plan: Plan, name: str) -> Plan:
    """A smaller plan against which a check still has something, of the same kind."""
    first = _kind(plan, name)
    smaller = True
    while smaller:
        smaller = False
        for candidate in _reductions(plan):
            if _kind(candidate, name) == first:
                plan, smaller = candidate, True
                break
    return plan


def _kind(plan: Plan, name: str) -> str | None:
    try:
        said = complaint(known(plan), name, Tally())
    except (TooMany, NothingToCheck, LanguageError):
        return None
    return None if said is None else said.split(":")[0]


def _reductions(plan: Plan) -> Iterator[Plan]:
    if plan.ghost is not None:
        yield replace(plan, ghost=None)
    if plan.constraint is not None:
        yield replace(plan, constraint=None)
    for i in range(len(plan.claims)):
        yield replace(plan, claims=plan.claims[:i] + plan.claims[i + 1 :])
    for i, act in enumerate(plan.actions):
        if len(plan.actions) > 1:
            yield replace(plan, actions=plan.actions[:i] + plan.actions[i + 1 :])
        for other in _smaller(act):
            yield replace(plan, actions=(*plan.actions[:i], other, *plan.actions[i + 1 :]))


def _smaller(act: Act) -> Iterator[Act]:
    for i, disjunct in enumerate(act.disjuncts):
        front, back = act.disjuncts[:i], act.disjuncts[i + 1 :]
        if front or back:
            yield replace(act, disjuncts=(*front, *back))
        for j in range(len(disjunct.guards)):
            guards = disjunct.guards[:j] + disjunct.guards[j + 1 :]
            yield replace(act, disjuncts=(*front, replace(disjunct, guards=guards), *back))
        for name in disjunct.updates:
            updates = {n: t for n, t in disjunct.updates.items() if n != name}
            yield replace(act, disjuncts=(*front, replace(disjunct, updates=updates), *back))


NOBODY = Act("Init", {}, ())


# Single terms in any state, reachable or not: the blind evaluator and the interpreter.


def _term(number: int, random: Random, figures: Figures) -> None:
    case = case_of(Draw(random.randbytes(MOST_CHOICES)))
    figures.random_terms += 1
    figures.terms += sum(1 for _ in subterms([case.term]))
    ours, theirs = by_reference(case), by_value(case)
    figures.undefined_terms += ours is NO_VALUE
    if ours != theirs:
        said = f"{ours!r}, but the interpreter says {theirs!r}"
        figures.failures.append(Failure(number, "value", said, case))


NO_VALUE = "no value"


def by_reference(case: Case) -> Value:
    """What the blind evaluator says of a term."""
    reference = Reference(case.world.parameters)
    before, after = (
        {n: _raised(case.world, case.variables[n], v) for n, v in state.items()}
        for state in (case.state, case.after)
    )
    env = {a: _raised(case.world, a.sort, v) for a, v in case.arguments.items()}
    try:
        found = reference.value(case.term, before, after, env)
    except NoValue:
        return NO_VALUE
    return _canonical(case.term.sort, found)


def by_value(case: Case) -> Value:
    """What the interpreter says of it, in the same form."""
    evaluator = Evaluator(case.world.domains)
    try:
        found = evaluator.evaluate(case.term, case.state, dict(case.arguments), case.after)
    except BoundTooSmall:
        return NO_VALUE
    return _canonical(case.term.sort, _raised(case.world, case.term.sort, found))


def _canonical(sort: Sort, value: Value) -> Value:
    """A value in which the order of a map's keys does not matter."""
    return _Changed(lambda key, pairs: frozenset(pairs)).of(sort, value)


def _raised(world: World, sort: Sort, value: Value) -> Value:
    """A value of the interpreter, whose maps are rows of values, as the blind evaluator has it."""
    reference = Reference(world.parameters)

    def pairs(key: Sort, row: Value) -> Value:
        entries = dict(zip(world.domains.values(key), row, strict=True))
        return tuple((k, entries[k]) for k in reference.values(key))

    return _Changed(pairs, rows=True).of(sort, value)


@dataclass
class _Changed:
    """Values with their maps changed, those inside first."""

    change: Callable[[Sort, Value], Value]
    rows: bool = False

    def of(self, sort: Sort, value: Value) -> Value:
        from bmc.lang.sorts import OptionSort, RecordSort, SequenceSort, VariantSort
        from bmc.lang.terms import is_set

        match sort:
            case MapSort(key, part):
                if self.rows:
                    return self.change(key, [self.of(part, v) for v in value])
                return self.change(key, [(k, self.of(part, v)) for k, v in value])
            case OptionSort(inner):
                return None if value is None else self.of(inner, value)
            case RecordSort(_, fields):
                return tuple(self.of(s, v) for (_, s), v in zip(fields, value, strict=True))
            case VariantSort():
                return value[0], self.of(sort.case(value[0]), value[1])
            case SequenceSort(element, _):
                return tuple(self.of(element, v) for v in value)
            case _ if is_set(sort):
                return frozenset(self.of(sort.element, v) for v in value)  # type: ignore[union-attr]
        return value


__all__ = ["Figures", "Mapping", "run"]
