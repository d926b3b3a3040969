"""Random temporal claims under random fairness, decided by every engine that can.

The engines share the claim's automaton or the rules that a condition speaks of, never both: the
one that holds the graph has rules and automaton, the search for lassos has rules and the meaning
of *until*, the monitor has the automaton and the actions' guards as terms. Every lasso is judged by
the interpreter besides. Ranks are drawn with each claim: most are wrong, and one that is shown to
be right must be that of a claim which the others find true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from random import Random
from typing import Any

from bmc.engines.liveness.decide import decide
from bmc.engines.liveness.inductive import prove_by_induction
from bmc.engines.liveness.lasso_search import search_lassos
from bmc.engines.liveness.monitored import prove_by_monitor
from bmc.engines.liveness.question import Question
from bmc.engines.liveness.ranked import prove_by_ranking
from bmc.evidence.certify import certify
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.verdict import Verdict
from bmc.lang import Suite, Term
from bmc.lang.build import FALSE, argument, ite
from bmc.lang.properties import Kind
from bmc.lang.ranking import Helpful, Rank, RankingDeclaration, helpful, rank
from bmc.lang.sorts import BOOL
from bmc.lang.state import state_variable
from bmc.lang.temporal import (
    Fairness,
    Formula,
    Specification,
    TemporalDeclaration,
    always,
    both,
    either_of,
    eventually,
    every_step,
    formula_of,
    happens,
    leads_to,
    never,
    until,
)
from bmc.lang.terms import Handle, Operand, term_of
from tests.campaign.engines import Disagreement, NothingToCheck, TooMany, drawn
from tests.campaign.machine import Machine
from tests.campaign.protocols import COUNT, Author, Claim, Ghost, Plan, restarted, without

MOST_STATES = 150
LONGEST = 14
"""Steps to the last state of a lasso; what is longer is left to the others."""


class Nobody:
    """Is told what happens, and does nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda told: None


@dataclass
class Tally:
    """What was decided, by engine and verdict, and how many protocols were left out.

    ``compared`` counts those that the graph of all states and a symbolic engine both decided.
    """

    verdicts: Counter[str] = field(default_factory=Counter)
    left_out: int = 0
    compared: int = 0
    certificates: int = 0
    longest: int = 0

    def lines(self) -> Iterator[str]:
        """Yield the figures for a reader."""
        yield from (f"  {name:24} {number}" for name, number in sorted(self.verdicts.items()))
        yield f"decided in both ways     {self.compared}"
        yield f"certificates judged      {self.certificates}"
        yield f"longest lasso            {self.longest} states"
        yield f"left out                 {self.left_out}"


def formula(author: Author, terms: dict[str, Term], depth: int) -> Formula:
    """Draw a formula; the first kinds are those that people write."""
    draw = author.draw
    if depth == 0:
        # The counter goes somewhere; what is drawn at large is mostly always true or never.
        count = state_variable("count", COUNT) == draw.number(-2, 1)
        return formula_of(Handle(author.writer(terms).truth()) if draw.chance(3) else count)

    def inner() -> Formula:
        return formula(author, terms, depth - 1 - draw.number(0, 1) if depth > 1 else 0)

    match draw.one_of(
        ("~>", "[]<>", "<>[]", "<>", "[]", "<><<>>", "[][]", "U", "and", "or", "never")
    ):
        case "<><<>>":
            return happens(step(author, terms))
        case "[][]":
            return every_step(step(author, terms))
        case "~>":
            return leads_to(inner(), inner())
        case "[]<>":
            return always(eventually(inner()))
        case "<>[]":
            return eventually(always(inner()))
        case "<>":
            return eventually(inner())
        case "[]":
            return always(inner())
        case "U":
            return until(inner(), inner())
        case "and":
            return both(inner(), inner())
        case "or":
            return either_of(inner(), inner())
        case _:
            return never(inner())


def step(author: Author, terms: dict[str, Term]) -> Operand:
    """Draw a formula of a step."""
    if author.draw.chance(3):
        return Handle(author.writer(terms, primes=True).truth())
    before, after = state_variable("count", COUNT), state_variable("count", COUNT, primed=True)
    return after != before if author.draw.truth() else after == author.draw.number(-2, 1)


def fairness(author: Author, plan: Plan) -> Specification:
    """Draw fairness of some actions, alone or several together, perhaps for each argument."""
    draw = author.draw
    found = []
    for act in plan.actions:
        if draw.chance(3):
            continue
        names = [act.name]
        free = [n for n, c in act.choices.items() if not isinstance(c, str)]
        per = tuple(n for n in free if draw.truth())
        if not per and draw.chance(3):
            names.append(draw.one_of(plan.actions).name)
        found.append(Fairness(draw.truth(), tuple(dict.fromkeys(names)), per))
    return Specification("Drawn", tuple(found))


RANKS = 3
"""How many ranks are drawn for a claim."""


def rank_of(author: Author, terms: dict[str, Term], fair: Specification, waits: bool) -> Rank:
    """Draw what falls, and by which of the actions that the specification is fair to."""
    draw = author.draw
    count = Handle(state_variable("count", COUNT))

    def part() -> Operand:
        if draw.chance(3):
            return ite(Handle(author.writer(terms).truth()), 0, 1)
        return count if draw.truth() else 0 - count

    def one(condition: Fairness) -> Helpful:
        when = Handle(author.writer(terms).truth()) if draw.chance(3) else count == count
        waiting = None
        if condition.strong and waits and draw.truth():
            waiting = rank_of(author, terms, fair, False)
        return helpful(*condition.actions, when=when, waiting=waiting)

    known = [condition for condition in fair.fairness if not condition.per]
    by = [one(draw.one_of(known)) for _ in range(draw.number(1, 2))]
    return rank(*(part() for _ in range(draw.number(1, 2))), by=by)


def rankings(
    author: Author, terms: dict[str, Term], sorts: dict[str, Any], fair: Specification
) -> tuple[RankingDeclaration, ...]:
    """Draw some ranks for the claim, where the specification is fair to any whole action."""
    if all(condition.per for condition in fair.fairness):
        return ()
    drawn_ranks = [rank_of(author, terms, fair, True) for _ in range(RANKS)]
    return tuple(_declared(number, one, sorts) for number, one in enumerate(drawn_ranks))


def _declared(number: int, drawn_rank: Rank, sorts: dict[str, Any]) -> RankingDeclaration:
    def why(m: object, s: object) -> Rank:
        return drawn_rank

    def why_of(m: object, s: object, q: object) -> Rank:
        return drawn_rank

    function: Any = why_of if sorts else why
    function.__name__ = f"Why{number}"
    return RankingDeclaration(function, "drawn", "Claim", sorts)


def suite_of(author: Author, plan: Plan) -> Suite:
    """A protocol of a plan with one temporal claim, perhaps of each value of a sort."""
    sorts = {"q": author.world.listable(author.draw, 3)} if author.draw.chance(3) else {}
    terms = {name: argument(name, sort) for name, sort in sorts.items()}
    stated = formula(author, terms, author.draw.number(1, 2))

    def claim(m: object, s: object, *given: object) -> Formula:
        return stated

    def claim_of(m: object, s: object, q: object) -> Formula:
        return stated

    function = claim_of if sorts else claim
    function.__name__ = "Claim"
    if not sorts:
        function = lambda m, s: stated  # noqa: E731
        function.__name__ = "Claim"
    declared = TemporalDeclaration(function, "drawn", "Drawn", sorts)
    specification = fairness(author, plan)
    return replace(
        plan.suite(),
        temporal=(declared,),
        specifications=(specification,),
        rankings=rankings(author, terms, sorts, specification),
    )


def question_of(number: int) -> Question:
    """The protocol of a number. Raises TooMany and NothingToCheck where it is none to look at."""
    random = Random(number)
    author, plan = drawn(random.randbytes(2500))
    plan = replace(plan, ghost=None)
    for attempt in range(4):
        machine = Machine(plan.suite().model(False), plan.parameters)
        try:
            found = machine.explore(MOST_STATES, 20 * MOST_STATES)
        except NothingToCheck:
            if attempt:
                raise
            plan = restarted(author, plan)
            continue
        if not found.beyond:
            break
        plan = without(plan, found.beyond)
    plan = ticking(plan) if number % 3 == 0 else plan
    return Question(suite_of(author, plan), plan.parameters, ("Claim",))


def ticking(plan: Plan) -> Plan:
    """The plan with a history that sees each step, and a lemma for which a proof has it."""
    past = Handle(state_variable("past", BOOL))
    ghost = Ghost("past", BOOL, FALSE, {act.name: term_of(~past) for act in plan.actions})
    return replace(plan, ghost=ghost, claims=(Claim("ticks", Kind.LEMMA, term_of(past | ~past)),))


def look(number: int, tally: Tally, monitor: bool = True, seconds: float | None = None) -> None:
    """Decide the claim of a number by every engine, those beside a monitor within ``seconds``.

    Raises Disagreement.
    """
    try:
        question = question_of(number)
    except (TooMany, NothingToCheck):
        tally.left_out += 1
        return
    results = [
        decide(question),
        search_lassos(replace(question, depth=LONGEST), Nobody()),
    ]
    if monitor:
        limited = replace(question, timeout=seconds)
        # Where all states are looked at first, the monitor hardly waits for one to come back.
        results.append(prove_by_monitor(limited, Nobody(), look_first=bool(number % 2)))
        results.append(prove_by_induction(limited, Nobody()))
    if question.suite.rankings:
        limited = replace(question, timeout=seconds)
        results.append(prove_by_ranking(limited, Nobody()))
    found = [one for (one,) in results]
    for one in found:
        tally.verdicts[f"{one.engine} {one.verdict.value}"] += 1
    agree(number, found)
    explicit, *symbolic = (one.verdict is not Verdict.UNKNOWN for one in found)
    tally.compared += explicit and any(symbolic)
    for one in found:
        if one.lasso is not None:
            tally.longest = max(tally.longest, len(one.lasso.trace))
        if one.certificate is not None:
            certify(one.certificate, question.suite)
            tally.certificates += 1


def agree(number: int, found: list[TemporalResult]) -> None:
    """Raise Disagreement where two answers exclude each other."""
    for one, other in product(found, found):
        if (one.verdict, other.verdict) == (Verdict.PROVED, Verdict.VIOLATED):
            raise Disagreement(f"{number}: {one.engine} proves what {other.engine} refutes")
    explicit, search = found[0], found[1]
    if explicit.verdict is Verdict.UNKNOWN:
        return
    if search.lasso is None:
        shown = explicit.lasso
        clean = -1 if search.depth is None else search.depth
        if shown is not None and len(shown.trace) - 1 <= clean:
            raise Disagreement(f"{number}: a lasso of {len(shown.trace)} states was missed")
    elif explicit.lasso is not None and len(search.lasso.trace) > len(explicit.lasso.trace):
        raise Disagreement(f"{number}: the shortest lasso is longer than another one")
