"""The monitor of fair behaviours that violate a claim: what it remembers, and what is bad.

It runs the automaton of the claim's negation and watches the fairness conditions. A run of the
model that is fair and violates the claim is one in which the monitor sees every condition met, and
every accepting set visited, again and again. There are two ways to say that of states:

* :class:`Rounds`: it counts how often all of them were seen. That it never counts to ``most``
  excludes such a run (Claessen and Sörensson, *A liveness checking algorithm that counts*, 2012).
* :class:`Return`: at some time it remembers the state. That the state never comes back once all
  of them were seen since then excludes a loop, and with it, in finitely many states, such a run
  (Biere, Artho and Schuppan, *Liveness checking as safety checking*, 2002).

Checkers that know of justice themselves need neither: with :class:`Recurring` it says of states
what such a run shows again and again.

``SF(A)`` is met if ``A`` is taken for ever or is never enabled from some time on: the monitor
guesses that time (it *gives up* ``A``), and is stuck where it was wrong. Steps that stutter are
steps here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import assert_never

from bmc.lang.build import FALSE, TRUE, conj, disj, implies, ite
from bmc.lang.by_parts import ByParts
from bmc.lang.errors import BmcError
from bmc.lang.model import Action, Argument, Model
from bmc.lang.show import excerpt
from bmc.lang.sorts import BOOL, BitSet, EnumSort
from bmc.lang.state import Branch, state_variable
from bmc.lang.substitution import substituted
from bmc.lang.temporal import Specification, TemporalProperty
from bmc.lang.terms import Term
from bmc.system.fair_conditions import fair_conditions
from bmc.system.follower import OFF, Follower, constant, equal, name_of, negation


class NotMonitored(BmcError):
    """A monitor cannot hold what a fairness condition asks for."""


@dataclass(frozen=True)
class Rounds:
    """That all is seen ``most`` times, which is at least 1, is bad."""

    most: int


@dataclass(frozen=True)
class Return:
    """That a remembered state comes back once all was seen is bad."""


@dataclass(frozen=True)
class Recurring:
    """Nothing is bad: a flag is true after each step that meets its condition, and in no other."""


Closing = Rounds | Return | Recurring


@dataclass(frozen=True)
class Recurrence(ByParts):
    """A formula of states, for each choice of ``variables``, and what it is called."""

    name: str
    holds: Term
    variables: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Justice:
    """What a run of a monitored model sees again and again exactly if it is a violation.

    ``fairness`` are the conditions of the specification, ``accepting`` is what the automaton of the
    claim's negation has to visit. Steps that change nothing count as steps.
    """

    fairness: tuple[Recurrence, ...]
    accepting: tuple[Recurrence, ...]


class FairMonitor(Follower):
    def __init__(
        self,
        model: Model,
        prefix: str,
        stated: TemporalProperty,
        specification: Specification,
        closing: Closing,
    ) -> None:
        super().__init__(model, prefix, stated)
        self._closing = closing
        self._conditions = fair_conditions(model, specification)
        for condition in self._conditions:
            if any(isinstance(one.sort, BitSet) for one in condition.variables):
                raise NotMonitored(
                    f"{condition.fairness} is a condition for each of several sets, which a "
                    "monitor cannot tell apart: decide the claim with --engine explicit or lasso"
                )
        recurring = self._recurring
        self._visits = [
            chosen & recurring for chosen in self._automaton.accepting if not recurring <= chosen
        ]
        self._met = [self._variable(f"met{n}", c.flags()) for n, c in enumerate(self._conditions)]
        if isinstance(closing, Return) and not self._conditions and not self._visits:
            # A loop has a step, out of which the state is looked at: nothing else asks for one.
            self._visits = [recurring]
        held = [] if isinstance(closing, Recurring) else self._visits
        self._visited = [self._variable(f"visited{n}", BOOL) for n in range(len(held))]
        self._gave_up = {
            n: self._variable(f"gave_up{n}", c.flags())
            for n, c in enumerate(self._conditions)
            if c.fairness.strong
        }
        self._saved = self._variable("saved", BOOL)
        if isinstance(closing, Rounds):
            counted = tuple(str(n) for n in range(closing.most + 1))
            self._rounds = self._variable("rounds", EnumSort("MonitorRounds", counted))

    # What is bad.

    def never(self) -> Term:
        """The invariant: what a run that is fair and violates the claim reaches does not hold."""
        match self._closing:
            case Rounds(most):
                return negation(equal(self._rounds, constant(self._rounds, str(most))))
            case Return():
                same = [equal(now, then) for now, then in self._copies().items()]
                return negation(conj(self._saved, *same, self._all_seen()))
            case Recurring():
                raise NotMonitored("no state is bad by itself where things have to recur")
            case _:
                assert_never(self._closing)

    def justice(self) -> Justice:
        """What recurs on a run that is fair and violates the claim."""
        fairness = tuple(
            Recurrence(str(condition.fairness), condition.flag(met), condition.variables)
            for condition, met in zip(self._conditions, self._met, strict=True)
        )
        visits = [disj(*(self._at(n) for n in sorted(chosen))) for chosen in self._visits]
        named = [Recurrence(f"accepting {n}", one) for n, one in enumerate(visits)]
        return Justice(fairness, (Recurrence("accepting", self._active), *named))

    def remarks(self) -> tuple[tuple[Recurrence, ...], tuple[Recurrence, ...]]:
        """Where the monitor may stand, and what else can be said of a state."""
        places = [
            Recurrence(
                f"at {n}",
                conj(self._at(n), *(a if yes else negation(a) for a, yes in node.demands.items())),
            )
            for n, node in enumerate(self._automaton.nodes)
        ]
        places += [Recurrence("active", self._active), Recurrence("off", self._at(OFF))]
        said = [Recurrence(f"visited {n}", one) for n, one in enumerate(self._visited)]
        said += [Recurrence(_called(n, one), one) for n, one in enumerate(self._atoms)]
        for number, condition in enumerate(self._conditions):
            flags = {"met": self._met[number], "gave up": self._gave_up.get(number)}
            named = {n: condition.flag(f) for n, f in flags.items() if f is not None}
            named["enabled"] = condition.enabled
            own = [
                [one for one in self.frozen.values() if one.sort == variable.sort]
                for variable in condition.variables
            ]
            for chosen in product(*own) if condition.variables else ():
                given = dict(zip(condition.variables, chosen, strict=True))
                named_of = ", ".join(map(excerpt, chosen))
                said += [
                    Recurrence(
                        f"{name} {condition.fairness} of {named_of}", substituted(holds, given)
                    )
                    for name, holds in named.items()
                ]
            said += [
                Recurrence(f"{name} {condition.fairness}", holds, condition.variables)
                for name, holds in named.items()
            ]
        match self._closing:
            case Rounds(most):
                said += [
                    Recurrence(f"rounds {n}", equal(self._rounds, constant(self._rounds, str(n))))
                    for n in range(most)
                ]
            case Return():
                said.append(Recurrence("saved", self._saved))
                then = self._copies()
                said += [
                    Recurrence(f"once {one.name}", substituted(one.holds, then), one.variables)
                    for one in said
                    if not one.name.startswith(("met", "visited", "saved"))
                ]
                places += [
                    Recurrence(f"once {one.name}", substituted(one.holds, then)) for one in places
                ]
            case Recurring():
                pass
            case _:
                assert_never(self._closing)
        return tuple(places), tuple(said)

    def _copies(self) -> dict[Term, Term]:
        """What has to come back, and where it is remembered."""
        inner = [
            state_variable(name, sort)
            for name, sort in self._inner.variables.items()
            if name not in self._inner.ghosts
        ]
        known = [*inner, self._node, *self._gave_up.values()]
        return {one: self._variable(f"was_{name_of(one)}", one.sort) for one in known}

    def _all_seen(self) -> Term:
        seen = [
            condition.everywhere(condition.flag(met))
            for condition, met in zip(self._conditions, self._met, strict=True)
        ]
        return conj(*seen, *self._visited)

    # What it remembers.

    def _remembered(self) -> Iterable[Term]:
        yield from (*self._met, *self._visited, *self._gave_up.values())
        match self._closing:
            case Rounds():
                yield self._rounds
            case Return():
                yield from (self._saved, *self._copies().values())
            case Recurring():
                pass
            case _:
                assert_never(self._closing)

    def _at_first(self, known: Mapping[str, Term]) -> Mapping[str, Term]:
        first = {}
        for condition, met in zip(self._conditions, self._met, strict=True):
            first[name_of(met)] = condition.collected(FALSE)
        for number, flags in self._gave_up.items():
            first[name_of(flags)] = self._conditions[number].collected(FALSE)
        first |= {name_of(visited): FALSE for visited in self._visited}
        match self._closing:
            case Rounds():
                first[name_of(self._rounds)] = constant(self._rounds, "0")
            case Return():
                first[name_of(self._saved)] = FALSE
                for now, then in self._copies().items():
                    first[name_of(then)] = {**known, **first}[name_of(now)]
            case Recurring():
                pass
            case _:
                assert_never(self._closing)
        return first

    def _moves(self, node: Argument, branch: Branch | None) -> Iterator[Term]:
        """That the automaton can move along, and no action was given up wrongly."""
        # It is not asked everywhere whether a condition is met, and what has no value where nobody
        # asks would be no reason to doubt: so all are read of every state, and of every step.
        for condition in self._conditions:
            yield from condition.read(branch)
        yield from super()._moves(node, branch)
        for number, flags in self._gave_up.items():
            condition = self._conditions[number]
            rightly = implies(condition.flag(flags), negation(condition.enabled))
            yield condition.everywhere(rightly)

    def _seeing(
        self, node: Argument, action: Action | None, branch: Branch | None
    ) -> dict[str, Term]:
        """What the monitor has seen after a step (None: of nothing) out of a state."""
        updates = {name_of(self._node): node.variable}
        match self._closing:
            case Rounds():
                watching, full = self._active, self._all_seen()
                updates[name_of(self._rounds)] = self._counted(conj(watching, full))
            case Return():
                watching, full = conj(self._active, self._saved), FALSE
            case Recurring():
                watching, full = TRUE, TRUE
            case _:
                assert_never(self._closing)
        for number, condition in enumerate(self._conditions):
            met = condition.flag(self._met[number])
            now = negation(condition.enabled)
            if number in self._gave_up:
                now = condition.flag(self._gave_up[number])
            if action is not None and branch is not None:
                now = disj(condition.taken(action, branch), now)
            kept = disj(conj(met, negation(full)), now)
            updates[name_of(self._met[number])] = condition.collected(ite(watching, kept, met))
        for visited, chosen in zip(self._visited, self._visits, strict=False):
            now = disj(*(self._at(n) for n in sorted(chosen)))
            kept = disj(conj(visited, negation(full)), now)
            updates[name_of(visited)] = ite(watching, kept, visited)
        return updates

    def _counted(self, again: Term) -> Term:
        assert isinstance(self._closing, Rounds)
        after = constant(self._rounds, str(self._closing.most))
        for number in reversed(range(self._closing.most)):
            here = equal(self._rounds, constant(self._rounds, str(number)))
            after = ite(here, constant(self._rounds, str(number + 1)), after)
        return ite(again, after, self._rounds)

    def _alone(self) -> Iterator[Action]:
        yield from self._giving_up()
        yield from self._saving()

    def _giving_up(self) -> Iterator[Action]:
        """Steps of the monitor alone: from now on an action will never be enabled."""
        for number, flags in self._gave_up.items():
            condition = self._conditions[number]
            chosen = [
                self._argument(f"each{n}", variable.sort)
                for n, variable in enumerate(condition.variables)
            ]
            own = dict(zip(condition.variables, (a.variable for a in chosen), strict=True))
            here = conj(*(equal(each, variable) for each, variable in own.items()))
            already = substituted(condition.flag(flags), own)
            given = {name_of(flags): condition.collected(disj(condition.flag(flags), here))}
            branch = Branch((self._active, negation(already)), given)
            yield self._step(f"GiveUp{number}", tuple(chosen), branch)

    def _saving(self) -> Iterator[Action]:
        """The step of the monitor alone that remembers the state."""
        if isinstance(self._closing, Return):
            updates = {name_of(then): now for now, then in self._copies().items()}
            updates[name_of(self._saved)] = TRUE
            branch = Branch((self._active, negation(self._saved)), updates)
            yield self._step("Remember", (), branch)


def _called(number: int, atom: Term) -> str:
    """Two long atoms may have the same beginning, and lemmas are told apart by their names."""
    text = excerpt(atom)
    return f"{text} ({number})" if "…" in text else text
