"""Whether a conjunction is k-inductive, decided by going through every state there is.

A plan is plain data with two readings: terms of the language, of which a certificate speaks, and
Python's own numbers, of which :func:`is_proof` decides what the judges have to say. Of
docs/language.md the second one takes what has a value, what leaves the bounds, and what a state
constraint keeps out; it shares no code with the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

from bmc.evidence.certificate import Certificate, Clause, Disproved, Statement
from bmc.evidence.certify import certify
from bmc.evidence.independent.judge import judge
from bmc.lang import (
    BOOL,
    Expr,
    Integer,
    MapSort,
    Protocol,
    Scalarset,
    Suite,
    Variable,
    action,
    exists,
    forall,
    ite,
    mapping,
)
from bmc.lang.fingerprint import fingerprint
from bmc.lang.properties import Kind, PropertyDeclaration
from tests.campaign.engines import Disagreement
from tests.campaign.enumerated_plans import TOPS, Act, Part, Plan, State, plan_of

NODE = Scalarset("Node", 2)
NODES = (0, 1)
RANGES = {name: Integer("Number", 0, top) for name, top in TOPS.items()}
STATES: tuple[State, ...] = tuple(
    (x, y, b, (one, other))
    for x, y, b, one, other in product(range(3), range(4), (False, True), range(2), range(2))
)


class NoValue(Exception):
    """A part divides by zero: what reads it has no value either."""


class LeavesBounds(Exception):
    """A step of a state has a guard or a next value without a value of its sort."""


def value(part: Part, state: State, node: int) -> Any:
    """Return a formula's truth or a number in one state. Raises NoValue."""
    word, *rest = part
    match word:
        case "x" | "y" | "b":
            return state["xyb".index(word)]
        case "m":
            return state[3][node]
        case "is":
            return rest[0]
        case "+":
            return value(rest[0], state, node) + value(rest[1], state, node)
        case "//":
            above, below = (value(one, state, node) for one in rest)
            if below < 1:
                raise NoValue
            return above // below
        case "<":
            return value(rest[0], state, node) < value(rest[1], state, node)
        case "=":
            return value(rest[0], state, node) == value(rest[1], state, node)
        case "not":
            return not value(rest[0], state, node)
        case "and":
            return value(rest[0], state, node) and value(rest[1], state, node)
        case "or":
            return value(rest[0], state, node) or value(rest[1], state, node)
        case "all" | "any":
            # Each is read, also behind one that decides: a part without a value has its say.
            truths = [value(rest[0], state, one) for one in NODES]
            return all(truths) if word == "all" else any(truths)
    raise AssertionError(word)


def term(part: Part, s: Any, node: Any) -> Any:
    """Return the same as a term of the language."""
    word, *rest = part
    match word:
        case "x" | "y" | "b":
            return getattr(s, word)
        case "m":
            return s.m[node]
        case "is":
            return rest[0]
        case "all" | "any":
            return (forall if word == "all" else exists)(NODE, lambda one: term(rest[0], s, one))
        case "not":
            return ~term(rest[0], s, node)
    left, right = (term(one, s, node) for one in rest)
    match word:
        case "+":
            return left + right
        case "//":
            return left // right
        case "<":
            return left < right
        case "=":
            return left == right
        case "and":
            return left & right
        case "or":
            return left | right
    raise AssertionError(word)


def successors(plan: Plan, state: State) -> set[State]:
    """Return the states that steps lead to. Raises LeavesBounds."""
    found = set()
    try:
        for act, node in product(plan.acts, NODES):
            if all(value(guard, state, node) for guard in act.guards):
                after = _changed(state, node, act.changes)
                if plan.constraint is None or value(plan.constraint, after, 0):
                    found.add(after)
    except NoValue:
        raise LeavesBounds from None
    return found


def _changed(state: State, node: int, changes: Sequence[tuple[str, Part]]) -> State:
    x, y, b, m = state
    for name, part in changes:
        new = value(part, state, node)
        if name != "b" and not 0 <= new <= TOPS[name]:
            raise LeavesBounds
        match name:
            case "x":
                x = new
            case "y":
                y = new
            case "b":
                b = new
            case _:
                m = (new, m[1]) if node == 0 else (m[0], new)
    return x, y, b, m


def holds(claim: Part, state: State) -> bool:
    """Return whether a claim holds of both nodes: one without a value does not."""
    try:
        return all(value(claim, state, node) for node in NODES)
    except NoValue:
        return False


LITERALS: dict[str, frozenset[State]] = {
    **{f"x >= {n}": frozenset(s for s in STATES if s[0] >= n) for n in (1, 2)},
    **{f"y >= {n}": frozenset(s for s in STATES if s[1] >= n) for n in (1, 2, 3)},
    "b": frozenset(s for s in STATES if s[2]),
    **{f"m[Node{n + 1}] >= 1": frozenset(s for s in STATES if s[3][n]) for n in NODES},
}
"""What the clauses of a certificate speak of, by its text, and the states of which it is true."""


def one_of(clause: Clause, state: State) -> bool:
    """Return whether a literal of the clause holds."""
    return any(
        (state in LITERALS[one.removeprefix("~ ")]) is not one.startswith("~ ") for one in clause
    )


@dataclass(frozen=True)
class Conjunction:
    """What a certificate assumes: claims, clauses, and whether that the bounds are kept."""

    claims: Sequence[Part]
    clauses: Sequence[Clause]
    bounded: bool


@dataclass(frozen=True)
class Space:
    """All states of a plan within its constraint, and their steps: None leaves the bounds."""

    plan: Plan
    states: frozenset[State]
    steps: dict[State, set[State] | None]

    @staticmethod
    def of(plan: Plan) -> Space:
        """Go through every state, reachable or not."""
        inside = [s for s in STATES if plan.constraint is None or value(plan.constraint, s, 0)]
        steps: dict[State, set[State] | None] = {}
        for state in inside:
            try:
                steps[state] = successors(plan, state)
            except LeavesBounds:
                steps[state] = None
        return Space(plan, frozenset(inside), steps)

    def after(self, states: set[State]) -> set[State]:
        """Return where one step leads to from states that do not leave the bounds."""
        return {after for state in states for after in self.steps[state] or ()}

    def reachable(self) -> set[State]:
        """Return every reachable state, as far as steps stay within the bounds."""
        found = set(self.plan.first & self.states)
        while not (more := self.after(found)) <= found:
            found |= more
        return found

    def is_proof(self, k: int, claims: Sequence[Part], shown: Conjunction) -> bool:
        """Return whether the conjunction is k-inductive, and implies claims and the bounds."""
        good = {
            state
            for state in self.states
            if all(holds(one, state) for one in shown.claims)
            and all(one_of(one, state) for one in shown.clauses)
            and not (shown.bounded and self.steps[state] is None)
        }
        if any(self.steps[s] is None or not all(holds(c, s) for c in claims) for s in good):
            return False
        begun = set(self.plan.first & self.states)
        if not begun:
            return False
        walked = good
        for _ in range(k - 1):
            if not begun <= good:
                return False
            begun, walked = self.after(begun), self.after(walked) & good
        return begun <= good and self.after(walked) <= good


def suite_of(plan: Plan) -> Suite:
    """Return the plan as a protocol of the language, claim n of it called ``Claim<n>``."""

    x, y, b, (one, other) = min(plan.first)

    def Init(self: Any, s: Any, p: Any) -> None:
        s.x, s.y, s.b = x, y, b
        s.m = mapping(NODE, lambda node: ite(node == p, one, other), RANGES["m"])

    body: dict[str, Any] = {n: Variable(RANGES[n]) for n in ("x", "y")}
    body |= {"b": Variable(BOOL), "m": Variable(MapSort(NODE, RANGES["m"]))}
    body["Init"] = action(p=NODE)(Init)
    taken = []
    for number, act in enumerate(plan.acts):
        body[f"Act{number}"] = _action(f"Act{number}", act)
        taken.append(body[f"Act{number}"])
    body["Next"] = tuple(taken)
    constraint = plan.constraint
    if constraint is not None:
        body["Constraint"] = lambda self, s: term(constraint, s, None)
    claims = tuple(
        PropertyDeclaration(
            _claim(f"Claim{number}", claim), Kind.INVARIANT, "drawn", "", {"p": NODE}
        )
        for number, claim in enumerate(plan.claims)
    )
    return Suite("Enumerated", type("Enumerated", (Protocol,), body), "drawn", claims, ())


def _action(name: str, act: Act) -> Any:
    def take(self: Any, s: Any, p: Any) -> None:
        for guard in act.guards:
            s.require(term(guard, s, p))
        for changed, part in act.changes:
            if changed == "m":
                s.m[p] = term(part, s, p)
            else:
                setattr(s, changed, term(part, s, p))

    take.__name__ = name
    return action(p=NODE)(take)


def _claim(name: str, claim: Part) -> Callable[..., Expr]:
    def stated(self: Any, s: Any, p: Any) -> Any:
        return term(claim, s, p)

    stated.__name__ = name
    return stated


def certificates(space: Space, random: Random, number: int) -> Iterator[tuple[Certificate, bool]]:
    """Yield certificates and whether each is a proof; some of what is reachable, and its whole."""
    plan, suite = space.plan, suite_of(space.plan)
    model = suite.model(False)
    stated = [Statement.of(suite.describe(declared, model)) for declared in suite.properties]
    reached = space.reachable()
    true = [n for n, claim in enumerate(plan.claims) if all(holds(claim, s) for s in reached)]
    for _ in range(number):
        pool = true if true and random.random() < 0.7 else range(len(plan.claims))
        chosen = [n for n in pool if random.random() < random.choice((0.3, 0.7, 1.0))]
        claimed = [n for n in chosen if random.random() < 0.3] or [random.choice(pool)]
        clauses = tuple(_clauses(random, reached)) if random.random() < 0.5 else ()
        bounded = random.random() < 0.8
        k = random.randint(1, 3)
        certificate = Certificate(
            suite.name,
            {},
            fingerprint(model, {}),
            k,
            tuple(stated[n] for n in claimed),
            (*[Statement.bounds()] * bounded, *(stated[n] for n in chosen)),
            "cadical 1.9.5",
            clauses,
        )
        shown = Conjunction([plan.claims[n] for n in chosen], clauses, bounded)
        yield certificate, space.is_proof(k, [plan.claims[n] for n in claimed], shown)


def _clauses(random: Random, reached: set[State]) -> Iterator[Clause]:
    """Yield clauses of which most hold in every reachable state."""
    literals = [sign + one for one in LITERALS for sign in ("", "~ ")]
    for _ in range(random.randint(1, 12)):
        clause = tuple(random.sample(literals, random.randint(1, 3)))
        if all(one_of(clause, state) for state in reached) or random.random() < 0.03:
            yield clause


def held_against_enumeration(number: int, certified: int, told: Counter[str]) -> None:
    """Ask both judges about certificates of the protocol of that number.

    Raises Disagreement where one of them accepts what is no proof, or rejects what is one.
    """
    random = Random(number)
    space = Space.of(plan_of(random))
    suite = suite_of(space.plan)
    asked: dict[str, Callable[[Certificate], object]] = {
        "certify": lambda one: certify(one, suite),
        "certify of every instance": lambda one: certify(one, suite, every_instance=True),
        "the independent judge": lambda one: judge(one, suite),
    }
    for certificate, right in certificates(space, random, certified):
        clauses = " with clauses" if certificate.clauses else ""
        told[("proofs" if right else "none") + clauses] += 1
        for name, decide in asked.items():
            try:
                decide(certificate)
            except Disproved as error:
                if right:
                    raise Disagreement(f"{number}: {name} rejects a proof: {error}") from None
            else:
                if not right:
                    raise Disagreement(f"{number}: {name} accepts what is not inductive")
