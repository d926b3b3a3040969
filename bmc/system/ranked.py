"""A ranking as safety: a monitor that tells where the rank does not do what it has to.

The monitor follows the automaton of what the claim denies (:class:`bmc.system.follower.Follower`).
The claim is *open* where a run may stay for ever and be accepted. Let ``r`` be the rank, and ``A``
an action that is helpful where ``h`` holds; of each step from a state in which the claim is open to
another one (primed) the monitor asks that

* some ``h`` holds,
* ``r' <= r``,
* if ``r' = r`` and ``h`` then ``h'``, and the arguments of ``A`` are the same,
* if ``h`` then ``<<A>>_vars`` can be taken; of a strongly fair ``A`` with a rank of its own for
  waiting, the same is asked of that rank where ``A`` cannot be taken, of steps with ``r' = r``,
* if ``h`` and the step is ``<<A>>_vars`` then ``r' < r``.

On a run on which the claim stays open ``r`` changes finitely often, since there are finitely many
states. From then on one ``A`` stays helpful and is not taken, but if it is weakly fair it could be
all the while; if it is strongly fair, it could be infinitely often, or the rank for waiting has the
rest of the run to itself. So no fair run keeps the claim open where there is nothing to tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bmc.lang.build import FALSE, TRUE, conj, disj, implies, ite
from bmc.lang.by_parts import ByParts
from bmc.lang.errors import LanguageError, SortError
from bmc.lang.model import Action, Argument, Model
from bmc.lang.ranking import Helpful, Rank, Ranking
from bmc.lang.sorts import BOOL, EnumSort
from bmc.lang.state import Branch, state_variable
from bmc.lang.substitution import substituted
from bmc.lang.temporal import Fairness, Specification, TemporalProperty
from bmc.lang.terms import Term, coerce, make
from bmc.system.fair_conditions import FairCondition, fair_conditions
from bmc.system.follower import Follower, constant, equal, name_of, negation

NO_FAULT = "none"

Renaming = Mapping[Term, Term]


class NotFair(LanguageError):
    """A ranking calls an action helpful that the claim's specification is not fair to."""


@dataclass(frozen=True)
class _Move:
    """A step of a model as a ranking sees it: by a branch of an action, or of nothing."""

    action: Action | None
    branch: Branch | None
    after: Renaming

    def later(self, term: Term) -> Term:
        """What a term of the state before the step means after it."""
        return substituted(term, self.after)

    def takes(self, condition: FairCondition) -> Term:
        """Whether the step is one that a fairness condition asks for."""
        if self.action is None or self.branch is None:
            return FALSE
        return condition.taken(self.action, self.branch)


@dataclass(frozen=True)
class _Open(ByParts):
    """Where a rank has something to do: in a state, and after a step (a formula of before it)."""

    now: Term
    later: Term


class RankMonitor(Follower):
    """The monitor of a ranking: ``fault`` is what was wrong with the last step."""

    def __init__(
        self,
        model: Model,
        prefix: str,
        stated: TemporalProperty,
        specification: Specification,
        ranking: Ranking,
    ) -> None:
        super().__init__(model, prefix, stated)
        self._ranking = ranking
        self._rank = _over(ranking.rank, self.frozen)
        conditions = fair_conditions(_with_own_arguments(model), specification)
        self._fair = {
            (frozenset(one.fairness.actions), frozenset(one.fairness.per)): one
            for one in conditions
            if isinstance(one.fairness, Fairness)
        }
        self.faults = tuple(text for text, _ in self._found(self._rank, _NOWHERE, _STILL, TRUE))
        numbered = (NO_FAULT, *(str(number) for number in range(len(self.faults))))
        self.fault = self._variable("fault", EnumSort("RankingFault", numbered))

    def never(self) -> Term:
        """The invariant: the rank did what it has to on the last step."""
        return equal(self.fault, constant(self.fault, NO_FAULT))

    def meanwhile(self) -> Term:
        """What the ranking says of all states in which the claim is open."""
        return implies(self._open(self._node, {}), self._rank.meanwhile)

    def _remembered(self) -> Iterable[Term]:
        yield self.fault

    def _at_first(self, known: Mapping[str, Term]) -> Mapping[str, Term]:
        return {name_of(self.fault): constant(self.fault, NO_FAULT)}

    def _seeing(
        self, node: Argument, action: Action | None, branch: Branch | None
    ) -> dict[str, Term]:
        updates = {} if branch is None else branch.updates
        after = {state_variable(n, self._inner.variables[n]): v for n, v in updates.items()}
        # Out of a state that is not as the automaton's node demands there is no step.
        where = _Open(self._active, self._open(node.variable, after))
        found = constant(self.fault, NO_FAULT)
        told = self._found(self._rank, where, _Move(action, branch, after), TRUE)
        for number, (_, wrong) in reversed(list(enumerate(told))):
            found = ite(wrong, constant(self.fault, str(number)), found)
        return {name_of(self._node): node.variable, name_of(self.fault): found}

    def _open(self, node: Term, after: Renaming) -> Term:
        """Whether the claim is open at a node, in a state that has these values."""
        found = []
        for number in sorted(self._recurring):
            demands = self._automaton.nodes[number].demands.items()
            wanted = [
                substituted(a, after) if w else negation(substituted(a, after)) for a, w in demands
            ]
            found.append(conj(equal(node, constant(node, str(number))), *wanted))
        return disj(*found)

    def _found(
        self, rank: Rank, where: _Open, move: _Move, same: Term
    ) -> Iterator[tuple[str, Term]]:
        """What may be wrong, in words and as a formula of a step on which ``same`` holds."""
        steps = (where.now, where.later, same)
        rises, falls, stays = _compared(rank.measure, move)
        anybody = disj(*(one.when for one in rank.helpful))
        yield "no action is helpful", conj(where.now, negation(anybody))
        yield "the rank rises", conj(*steps, rises)
        for one in rank.helpful:
            condition, chosen = self._condition(one)
            called = _called(one)
            here = conj(where.now, one.when)
            can = substituted(condition.enabled, chosen)
            kept = [move.later(one.when)]
            kept += [equal(term, move.later(term)) for term in chosen.values()]
            yield (
                f"{called} is helpful no more though the rank did not fall",
                conj(here, where.later, same, stays, negation(conj(*kept))),
            )
            taken = substituted(move.takes(condition), chosen)
            yield (
                f"{called} is taken and the rank does not fall",
                conj(here, where.later, same, taken, negation(falls)),
            )
            if one.waiting is None:
                yield f"{called} cannot be taken", conj(here, negation(can))
                continue
            waits = _Open(
                conj(here, negation(can)),
                conj(where.later, *kept, negation(move.later(can))),
            )
            for text, wrong in self._found(one.waiting, waits, move, conj(same, stays)):
                yield f"while {called} waits, {text}", wrong

    def _condition(self, one: Helpful) -> tuple[FairCondition, Renaming]:
        """The fairness condition that asks for a helpful action, and the values it is for.

        Raises NotFair where there is none.
        """
        condition = self._fair.get((frozenset(one.actions), frozenset(one.per)))
        if condition is None:
            known = ", ".join(str(other.fairness) for other in self._fair.values()) or "nothing"
            raise NotFair(
                f"{self._written_at} calls {_called(one)} helpful, which the specification of "
                f"{self._ranking.claim} is not fair to: it has {known}; lean on what it has, or "
                f"add {_asked(one)} to it"
            )
        if one.waiting is not None and not condition.fairness.strong:
            raise NotFair(
                f"{self._written_at} lets {_called(one)} wait, which is weakly fair: it has to "
                "be taken only where it can be taken all the while; ask for strong fairness or "
                "leave waiting out"
            )
        if one.waiting is not None and one.waiting.meanwhile is not TRUE:
            raise LanguageError(
                f"{self._written_at}: say what holds meanwhile in the whole rank, not in the one "
                "for waiting"
            )
        assert isinstance(condition.fairness, Fairness)
        named = zip(condition.fairness.per, condition.variables, strict=True)
        try:
            return condition, {each: coerce(one.per[name], each.sort) for name, each in named}
        except SortError as error:
            raise SortError(f"{self._written_at}: the per of {_called(one)}: {error}") from error

    @property
    def _written_at(self) -> str:
        """The ranking, and where it is written."""
        return f"{self._ranking.name} ({self._ranking.source})"


_NOWHERE = _Open(FALSE, FALSE)
_STILL = _Move(None, None, {})


def _called(one: Helpful) -> str:
    alike = " \\/ ".join(one.actions)
    return f"{alike}({', '.join(one.per)})" if one.per else alike


def _asked(one: Helpful) -> str:
    """The fairness that a helpful action needs, as it is written."""
    names = ", ".join(f'"{action}"' for action in one.actions)
    per = "".join(f'"{name}", ' for name in one.per).rstrip()
    word = "weak" if one.waiting is None else "strong"
    return f"{word}({names}, per=({per}))" if one.per else f"{word}({names})"


def _compared(measure: Sequence[Term], move: _Move) -> tuple[Term, Term, Term]:
    """Whether a tuple becomes greater, less, and stays the same, compared from the left."""
    rises, falls, stays = FALSE, FALSE, TRUE
    for before in reversed(measure):
        after = move.later(before)
        same = equal(before, after)
        rises = disj(make("lt", (before, after), BOOL), conj(same, rises))
        falls = disj(make("lt", (after, before), BOOL), conj(same, falls))
        stays = conj(same, stays)
    return rises, falls, stays


def _over(rank: Rank, frozen: Renaming) -> Rank:
    """A rank over the variables that hold the claim's arguments."""
    return Rank(
        tuple(substituted(part, frozen) for part in rank.measure),
        tuple(
            Helpful(
                one.actions,
                substituted(one.when, frozen),
                {name: substituted(value, frozen) for name, value in one.per.items()},
                None if one.waiting is None else _over(one.waiting, frozen),
            )
            for one in rank.helpful
        ),
        substituted(rank.meanwhile, frozen),
    )


def _with_own_arguments(model: Model) -> Model:
    """The model with other variables for its actions' arguments.

    What an action can do after a step is said with the step's own arguments, which must not be
    taken for those that it chooses.
    """
    return replace(model, actions=tuple(_with_own(action) for action in model.actions))


def _with_own(action: Action) -> Action:
    own = {
        one.variable: make("bound_variable", (), one.variable.sort, (-1, f"then {one.name}"))
        for one in action.arguments
    }
    arguments = tuple(replace(one, variable=own[one.variable]) for one in action.arguments)
    branches = tuple(
        Branch(
            tuple(substituted(guard, own) for guard in branch.guards),
            {name: substituted(value, own) for name, value in branch.updates.items()},
        )
        for branch in action.branches
    )
    return replace(action, arguments=arguments, branches=branches)
