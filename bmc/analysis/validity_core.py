"""Why a proof holds: what was proven from what, what is not needed, and that it says something.

Cores name what each conjunct's step leans on. They are an account of the proof and no evidence:
that is the certificate, which was judged by another solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic

import networkx as nx

from bmc.analysis.inference.clauses import ClauseLemmas
from bmc.analysis.inference.spoken import NotSayable
from bmc.analysis.mining.consecution import Consecution, Preserved
from bmc.analysis.mining.vocabulary import variables
from bmc.engines.conjuncts import Conjunct, conjunct, names, within_bounds
from bmc.engines.explicit import Exploration, explore
from bmc.engines.found_clauses import conjuncts_of
from bmc.engines.task import SILENT, Deadline, Observer, OutOfTime, Task
from bmc.evidence.certificate import (
    WITHIN_BOUNDS,
    Certificate,
    Clause,
    Statement,
    formula_text,
)
from bmc.evidence.verdict import Result, Verdict
from bmc.lang.fingerprint import fingerprint
from bmc.lang.properties import Kind
from bmc.lang.suite import Origin
from bmc.system.transition import Instance, TransitionSystem


@dataclass(frozen=True)
class ValidityCore:
    """An account of what was proved, at the task's parameters.

    ``claims`` are the proved properties. ``needs`` gives for each conjunct of the reduced proof
    what its own step leans on, itself left out; for a claim in ``implied`` what it follows from
    in one and the same state, and for one in ``of_steps``, a step invariant, in both states of a
    step. ``clauses`` has the text of the conjuncts that no lemma states but IC3 found, of one for
    those that differ in names only. ``minimal`` says that no single conjunct can be left out of it
    (claims may be inductive together, or by another proof), ``redundant`` names those that were.
    ``bounds`` names the actions that leave the model's bounds from some state of the sorts.
    ``vacuity`` is what an exploration reached at exactly these parameters. ``without`` names
    proved properties that are left out of the account, having been proved at another depth of
    induction than the others, or in a model with other ghosts. Where the time did not suffice,
    ``needs`` lacks the claims.
    """

    claims: tuple[str, ...]
    implied: frozenset[str]
    of_steps: frozenset[str]
    clauses: Mapping[str, str]
    needs: Mapping[str, tuple[str, ...]]
    k: int
    redundant: tuple[str, ...]
    minimal: bool
    bounds: tuple[str, ...]
    vacuity: Exploration | None
    without: tuple[str, ...]
    seconds: float

    def graph(self) -> nx.DiGraph[str]:
        """An edge from each conjunct to each that it leans on."""
        graph: nx.DiGraph[str] = nx.DiGraph()
        for name, leant in self.needs.items():
            graph.add_node(name)
            graph.add_edges_from((name, other) for other in leant)
        return graph

    def behind(self, claim: str) -> tuple[str, ...]:
        """All conjuncts that a claim leans on, directly or not, by name."""
        return tuple(sorted(nx.descendants(self.graph(), claim) - {claim}))


def explain(
    task: Task, results: Sequence[Result], seconds: float, observer: Observer = SILENT
) -> ValidityCore | None:
    """Explain what is proved among the results; None where nothing is.

    It takes about ``seconds``, half of which may go into the vacuity check.
    """
    proved = [r for r in results if r.verdict is Verdict.PROVED and r.certificate is not None]
    if not proved:
        return None
    started = monotonic()
    certificate = _together([r.certificate for r in proved if r.certificate is not None])
    account = _Account(task, certificate, Deadline(seconds / 2), observer)
    account.reduce()
    observer.phase("which actions and witnesses are reached")
    vacuity = _vacuity(task, seconds / 2, observer)
    return ValidityCore(
        claims=account.claims,
        implied=account.implied,
        of_steps=account.of_steps,
        clauses=account.clauses,
        needs=account.needs,
        k=certificate.k,
        redundant=account.redundant,
        minimal=account.minimal,
        bounds=account.bounds,
        vacuity=vacuity,
        without=tuple(r.property for r in proved if r.property not in account.claims),
        seconds=monotonic() - started,
    )


def _together(found: Sequence[Certificate]) -> Certificate:
    """One certificate for all that prove at the same depth in the same model as the first.

    What each of them has is inductive, so all of it together is.
    """
    first = found[0]
    fitting = [c for c in found if (c.k, c.fingerprint) == (first.k, first.fingerprint)]
    return replace(
        first,
        claims=tuple(dict.fromkeys(s for c in fitting for s in c.claims)),
        conjuncts=tuple(dict.fromkeys(s for c in fitting for s in c.conjuncts)),
        clauses=tuple(dict.fromkeys(clause for c in fitting for clause in c.clauses)),
    )


def _vacuity(task: Task, seconds: float, observer: Observer) -> Exploration:
    witnesses = tuple(declared.name for declared in task.suite.declared(Kind.WITNESS))
    asked = Task(task.suite, task.parameters, witnesses, timeout=max(seconds, 1.0))
    return explore(asked, observer)


def names_of(statements: Iterable[Statement]) -> tuple[str, ...]:
    """The names, in order."""
    return tuple(statement.name for statement in statements)


def _in_words(
    system: TransitionSystem, clauses: Sequence[Clause], names: Iterable[str], origin: Origin | None
) -> dict[str, str]:
    """What clauses say as formulas of the protocol or, where it was translated, of its text.

    ``names`` are those of their orbits, in order. Nothing is said of a state with parts that no
    formula names.
    """
    try:
        said = ClauseLemmas(system, variables).exactly(clauses)
        stated = [one.stated(name) for name, one in zip(names, said, strict=True)]
    except NotSayable:
        return {}
    if origin is None:
        return {one.name: formula_text(one) for one in stated}
    return {one.name: origin.lemma_text(one)[0].partition(" == ")[2] for one in stated}


class _Account:
    def __init__(
        self, task: Task, certificate: Certificate, deadline: Deadline, observer: Observer
    ) -> None:
        self.observer = observer
        self.suite = task.suite
        # The certificate speaks of the model its proof was found in.
        models = (task.model(ghosts=ghosts) for ghosts in (task.lemmas, not task.lemmas))
        fitting = (m for m in models if fingerprint(m, task.parameters) == certificate.fingerprint)
        self.model = next(fitting)
        self.system = TransitionSystem(self.model, task.parameters)
        self.step = Consecution(self.system, deadline, certificate.k)
        self.state = Consecution(self.system, deadline, 0)
        self.across = Consecution(self.system, deadline, 1, to_the_end=True)
        found, texts = conjuncts_of(self.system, certificate.clauses)
        words = _in_words(self.system, certificate.clauses, texts, task.suite.origin)
        self.clauses = {**texts, **words}
        self.conjuncts = [*(self._conjunct(s) for s in certificate.conjuncts), *found]
        inductive = names(self.conjuncts)
        claims = certificate.claims
        self.of_steps = frozenset(s.name for s in claims if s.kind == Kind.STEP_INVARIANT.value)
        self.goals = [
            self._conjunct(s) for s in (*claims, Statement.bounds()) if s.name not in inductive
        ]
        self.claims = names_of(claims)
        self.implied = frozenset(names(self.goals)) - self.of_steps
        self.required = {*self.claims, WITHIN_BOUNDS} & {*inductive}
        self.overflows = within_bounds(self.system).goals
        self.bounds = self._actions_of(self.overflows)
        self.needs: dict[str, tuple[str, ...]] = {}
        self.redundant: tuple[str, ...] = ()
        self.minimal = False

    def _actions_of(self, overflows: Iterable[Instance]) -> tuple[str, ...]:
        named = {one.arguments[0] for one in overflows}
        return tuple(a.name for a in self.model.actions if a.name in named)

    def _conjunct(self, statement: Statement) -> Conjunct:
        if statement.name == WITHIN_BOUNDS:
            return within_bounds(self.system)
        declared = self.suite.find(statement.name)
        return conjunct(self.system, self.suite.describe(declared, self.model))

    def reduce(self) -> None:
        """Find what each conjunct leans on, and leave out what nothing leans on."""
        for one in self.conjuncts:
            self.step.know(one)
            self.state.know(one)
            self.across.know(one)
        try:
            leading_out = [o for o in self.overflows if self.state.implied(o, ()) is None]
            self.bounds = self._actions_of(leading_out)
            self.needs = self._leaning(names(self.conjuncts)) or {}
            while self._leave_one_out():
                pass
            self._sharpen()
            self.minimal = True
        except OutOfTime:
            pass
        left = set(self._reached(self.needs)) if self.needs else set(names(self.conjuncts))
        self.needs = {n: by for n, by in self.needs.items() if n in left | {*names(self.goals)}}
        lemmas = [one.name for one in self.conjuncts if one.name not in self.required]
        self.redundant = tuple(name for name in lemmas if name not in left)

    def _leave_one_out(self) -> bool:
        """Try without each lemma in turn; whether one could be left out."""
        tried = [name for name in self._reached(self.needs) if name not in self.required]
        before = len(self.needs)
        for number, name in enumerate(reversed(tried), 1):
            self.observer.phase(f"is {name} needed? ({number} of {len(tried)})")
            left = [other for other in self._reached(self.needs) if other != name]
            self.needs = self._leaning(left) or self.needs
        return len(self.needs) < before

    def _sharpen(self) -> None:
        """Take from each conjunct's needs, one by one, what it does without."""
        for one in (*self.goals, *self.conjuncts):
            self.observer.phase(f"what {one.name} leans on")
            for name in self.needs.get(one.name, ()):
                rest = [other for other in self.needs[one.name] if other != name]
                if self._uses(one, rest) is not None:
                    self.needs[one.name] = tuple(rest)

    def _reached(self, needs: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
        """What the claims and the bounds lean on, in the certificate's order, themselves too."""
        seen = set()
        stack = [*self.required, *(other for one in self.goals for other in needs[one.name])]
        while stack:
            name = stack.pop()
            if name not in seen:
                seen.add(name)
                stack.extend(needs[name])
        return tuple(name for name in names(self.conjuncts) if name in seen)

    def _leaning(self, assumed: Sequence[str]) -> dict[str, tuple[str, ...]] | None:
        """What each conjunct leans on when only these are assumed; None when one fails."""
        found: dict[str, tuple[str, ...]] = {}
        for one in (*self.goals, *self.conjuncts):
            if one in self.goals or one.name in assumed:
                used = self._uses(one, assumed)
                if used is None:
                    return None
                found[one.name] = tuple(n for n in names(self.conjuncts) if n in used - {one.name})
        return found

    def _uses(self, one: Conjunct, assumed: Sequence[str]) -> frozenset[str] | None:
        """What of ``assumed`` it takes for one conjunct, which its step may assume as well."""
        used: frozenset[str] = frozenset()
        for goal in one.goals:
            by: frozenset[str] | None
            if one in self.goals and not one.of_steps:
                by = self.state.implied(goal, assumed)
            else:
                answer = (
                    self.across.over_step(goal, assumed)
                    if one.of_steps
                    else self.step.after_step(goal, {*assumed, one.name})
                )
                by = answer.by if isinstance(answer, Preserved) else None
            if by is None:
                return None
            used |= by
        return used
