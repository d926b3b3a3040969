"""Liveness as safety: a model with a monitor beside it, whose bad states no run may reach.

The monitor runs the automaton of a claim's negation and watches the fairness conditions. A run of
the model that is fair and violates the claim is one in which the monitor sees every condition met,
and every accepting set visited, again and again. There are two ways to say that of states:

* :class:`Rounds`: it counts how often all of them were seen. That it never counts to ``most``
  excludes such a run (Claessen and Sörensson, *A liveness checking algorithm that counts*, 2012).
* :class:`Return`: at some time it remembers the state. That the state never comes back once all
  of them were seen since then excludes a loop, and with it, in finitely many states, such a run
  (Biere, Artho and Schuppan, *Liveness checking as safety checking*, 2002).

Checkers that know of justice themselves need neither: :func:`recurring` says of states what such a
run shows again and again.

``SF(A)`` is met if ``A`` is taken for ever or is never enabled from some time on: the monitor
guesses that time (it *gives up* ``A``), and is stuck where it was wrong. Steps that stutter are
steps here. Nothing is asked of a run that the monitor does not follow, so one of its runs follows
no claim at all: on it the model's bounds are watched everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from bmc.lang.build import FALSE, TRUE, conj, disj, implies, ite
from bmc.lang.errors import BmcError
from bmc.lang.model import Action, Argument, Model
from bmc.lang.properties import Kind, PropertyDeclaration
from bmc.lang.sorts import BOOL, EnumSort, SetSort, Sort
from bmc.lang.state import Branch, state_variable
from bmc.lang.substitution import substituted
from bmc.lang.suite import Suite
from bmc.lang.temporal import Specification, TemporalProperty, atoms, steps, with_atoms
from bmc.lang.terms import Term, make
from bmc.system.automaton import Automaton, TableauNode, automaton
from bmc.system.fair_conditions import changes, fair_conditions


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
class Recurrence:
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


@dataclass(frozen=True)
class WatchedSuite(Suite):
    """A suite beside a monitor of one temporal claim, which is an invariant here.

    The invariant has the claim's name; lemmas and history are those of the suite itself.
    """

    watched: Suite | None = None
    claim: str = ""
    closing: Closing = field(default_factory=Return)

    def model(self, ghosts: bool) -> Model:
        """Return the model with its monitor."""
        return self._monitor(ghosts).model()

    def _monitor(self, ghosts: bool) -> _Monitor:
        assert self.watched is not None
        model = self.watched.model(ghosts)
        stated = self.watched.describe_temporal(self.claim, self.watched.model(False))
        specification = self.watched.specification(stated.specification, model)
        return _Monitor(model, stated, specification, self.closing)


def recurring(suite: Suite, claim: str) -> tuple[WatchedSuite, Justice]:
    """Return a suite beside a monitor that bans nothing, and what a violation shows for ever.

    A run violates the claim if it sees everything of the :class:`Justice` infinitely often. Raises
    what :func:`watched` raises.
    """
    beside = replace(watched(suite, claim, Recurring()), properties=())
    return beside, beside._monitor(False).justice()


def watched(suite: Suite, claim: str, closing: Closing) -> WatchedSuite:
    """Return a suite beside the monitor of its temporal claim of that name.

    Raises UnknownName where there is no such claim, or no such specification; NotMonitored where a
    condition is one for each of several sets.
    """

    def never(protocol: object, state: object) -> Term:
        # Of a state, its monitor alone is looked at.
        return found._monitor(False).never()

    never.__name__ = claim
    text = f"the monitor of {claim} never sees all that a fair behaviour shows which violates it"
    stated = PropertyDeclaration(never, Kind.INVARIANT, text, "", {})
    found = WatchedSuite(
        suite.name,
        suite.protocol,
        suite.about,
        (stated,),
        suite.lemmas,
        suite.history,
        watched=suite,
        claim=claim,
        closing=closing,
    )
    found.model(False)
    return found


_OFF = "off"


def prefix_of(model: Model) -> str:
    """Return what the names of a monitor's variables begin with, and no name of the model."""
    prefix = "watch"
    while any(name.startswith(prefix) for name in model.variables):
        prefix += "_"
    return prefix


def frozen_name(prefix: str, argument: Term) -> str:
    """Return the name of the variable that holds an argument of the claim."""
    assert isinstance(argument.data, tuple)
    return f"{prefix}_for_{argument.data[1]}"


class _Monitor:
    def __init__(
        self,
        model: Model,
        stated: TemporalProperty,
        specification: Specification,
        closing: Closing,
    ) -> None:
        self._inner = model
        self._closing = closing
        self._prefix = prefix_of(model)
        self._frozen = {
            one: state_variable(frozen_name(self._prefix, one), one.sort)
            for one in stated.arguments
        }
        formula = with_atoms(stated.formula, lambda atom: substituted(atom, self._frozen))
        self._atoms = atoms(formula)
        self._steps = steps(formula)
        self._automaton = automaton(formula, positive=False)
        self._conditions = fair_conditions(model, specification)
        for condition in self._conditions:
            if any(isinstance(one.sort, SetSort) for one in condition.variables):
                raise NotMonitored(
                    f"{condition.fairness} is a condition for each of several sets, which a "
                    "monitor cannot tell apart: decide the claim with --engine explicit or lasso"
                )
        numbers = tuple(str(n) for n in range(len(self._automaton.nodes)))
        self._node = self._variable("node", EnumSort("MonitorNode", (*numbers, _OFF)))
        recurring = _recurring(self._automaton)
        self._active = disj(*(self._at(n) for n in sorted(recurring)))
        self._visits = [
            chosen & recurring for chosen in self._automaton.accepting if not recurring <= chosen
        ]
        self._met = [self._variable(f"met{n}", c.flags()) for n, c in enumerate(self._conditions)]
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

    def _variable(self, name: str, sort: Sort) -> Term:
        return state_variable(f"{self._prefix}_{name}", sort)

    def _at(self, node: int | str) -> Term:
        return make("eq", (self._node, _constant(self._node, str(node))), BOOL)

    # What is bad.

    def never(self) -> Term:
        """The invariant: what a run that is fair and violates the claim reaches does not hold."""
        match self._closing:
            case Rounds(most):
                return _not(_equal(self._rounds, _constant(self._rounds, str(most))))
            case Return():
                same = [_equal(now, then) for now, then in self._copies().items()]
                return _not(conj(self._saved, *same, self._all_seen()))
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

    def _copies(self) -> dict[Term, Term]:
        """What has to come back, and where it is remembered."""
        inner = [
            state_variable(name, sort)
            for name, sort in self._inner.variables.items()
            if name not in self._inner.ghosts
        ]
        known = [*inner, self._node, *self._gave_up.values()]
        return {one: self._variable(f"was_{_name(one)}", one.sort) for one in known}

    def _all_seen(self) -> Term:
        seen = [
            condition.everywhere(condition.flag(met))
            for condition, met in zip(self._conditions, self._met, strict=True)
        ]
        return conj(*seen, *self._visited)

    # The model with the monitor.

    def model(self) -> Model:
        """The model with the monitor's variables and steps."""
        own = [self._node, *self._frozen.values(), *self._met, *self._visited]
        own += self._gave_up.values()
        match self._closing:
            case Rounds():
                own.append(self._rounds)
            case Return():
                own += [self._saved, *self._copies().values()]
            case Recurring():
                pass
            case _:
                assert_never(self._closing)
        inner = self._inner
        return replace(
            inner,
            variables={**inner.variables, **{_name(one): one.sort for one in own}},
            initial=self._initial(),
            actions=(
                *(self._followed(action) for action in inner.actions),
                self._stutter(),
                *self._giving_up(),
                *self._saving(),
            ),
        )

    def _initial(self) -> Action:
        before = self._inner.initial
        node = self._argument("node", self._node.sort)
        frozen = {
            variable: self._argument(frozen_name("for", one), one.sort)
            for one, variable in self._frozen.items()
        }
        starts = [_equal(node.variable, self._named(n)) for n in self._automaton.initial]
        first = disj(*starts, _equal(node.variable, self._named(_OFF)))
        updates = {_name(v): one.variable for v, one in frozen.items()}
        updates[_name(self._node)] = node.variable
        for condition, met in zip(self._conditions, self._met, strict=True):
            updates[_name(met)] = condition.collected(FALSE)
        for number, flags in self._gave_up.items():
            updates[_name(flags)] = self._conditions[number].collected(FALSE)
        updates |= {_name(visited): FALSE for visited in self._visited}
        branches = []
        for branch in before.branches:
            added = dict(updates)
            match self._closing:
                case Rounds():
                    added[_name(self._rounds)] = _constant(self._rounds, "0")
                case Return():
                    added[_name(self._saved)] = FALSE
                    known = {**branch.updates, **updates}
                    for now, then in self._copies().items():
                        added[_name(then)] = known[_name(now)]
                case Recurring():
                    pass
                case _:
                    assert_never(self._closing)
            branches.append(Branch((*branch.guards, first), {**branch.updates, **added}))
        arguments = (*before.arguments, *frozen.values(), node)
        return replace(before, arguments=arguments, branches=tuple(branches))

    def _argument(self, name: str, sort: Sort) -> Argument:
        called = f"{self._prefix}_{name}"
        return Argument(called, make("bound_variable", (), sort, (-1, called)), None)

    def _named(self, node: int | str) -> Term:
        return _constant(self._node, str(node))

    def _followed(self, action: Action) -> Action:
        """An action of the model, on which the monitor moves along."""
        node = self._argument("next", self._node.sort)
        branches = tuple(
            Branch(
                (*branch.guards, *self._moves(node, branch)),
                {**branch.updates, **self._seeing(node, action, branch)},
            )
            for branch in action.branches
        )
        return replace(action, arguments=(*action.arguments, node), branches=branches)

    def _stutter(self) -> Action:
        """A step in which the model stays where it is."""
        node = self._argument("next", self._node.sort)
        # Wherever an atom of the claim has no value, a bound is said to be too small.
        read = [disj(atom, _not(atom)) for atom in self._atoms]
        branch = Branch((*read, *self._moves(node, None)), self._seeing(node, None, None))
        return self._step("Stutter", (node,), branch)

    def _moves(self, node: Argument, branch: Branch | None) -> Iterator[Term]:
        """That the state is as the automaton's node demands, and no action was given up wrongly.

        So is the step by a ``branch``, None for one that stutters.
        """
        taken = {step: self._taken(step, branch) for step in self._steps}
        if branch is not None:
            yield from (disj(one, _not(one)) for one in taken.values())
        edges = [conj(self._at(_OFF), _equal(node.variable, self._named(_OFF)))]
        for number, one in enumerate(self._automaton.nodes):
            demanded = [atom if wanted else _not(atom) for atom, wanted in one.demands.items()]
            demanded += [
                taken[step] if wanted else _not(taken[step]) for step, wanted in one.steps.items()
            ]
            yield implies(self._at(number), conj(*demanded))
            edges += [
                conj(self._at(number), _equal(node.variable, self._named(after)))
                for after in one.following
            ]
        yield disj(*edges)
        for number, flags in self._gave_up.items():
            condition = self._conditions[number]
            rightly = implies(condition.flag(flags), _not(condition.enabled))
            yield condition.everywhere(rightly)

    def _taken(self, step: Term, branch: Branch | None) -> Term:
        """Whether a step by a branch changes something and is as a formula says."""
        if branch is None:
            return FALSE
        variables = self._inner.variables.items()
        afterwards = {
            state_variable(name, sort, primed=True): branch.updates.get(
                name, state_variable(name, sort)
            )
            for name, sort in variables
        }
        return conj(changes(branch), substituted(step, afterwards))

    def _seeing(
        self, node: Argument, action: Action | None, branch: Branch | None
    ) -> dict[str, Term]:
        """What the monitor has seen after a step (None: of nothing) out of a state."""
        updates = {_name(self._node): node.variable}
        match self._closing:
            case Rounds():
                watching, full = self._active, self._all_seen()
                updates[_name(self._rounds)] = self._counted(conj(watching, full))
            case Return():
                watching, full = conj(self._active, self._saved), FALSE
            case Recurring():
                watching, full = TRUE, TRUE
            case _:
                assert_never(self._closing)
        for number, condition in enumerate(self._conditions):
            met = condition.flag(self._met[number])
            now = _not(condition.enabled)
            if number in self._gave_up:
                now = condition.flag(self._gave_up[number])
            if action is not None and branch is not None:
                now = disj(condition.taken(action, branch), now)
            kept = disj(conj(met, _not(full)), now)
            updates[_name(self._met[number])] = condition.collected(ite(watching, kept, met))
        for visited, chosen in zip(self._visited, self._visits, strict=False):
            now = disj(*(self._at(n) for n in sorted(chosen)))
            kept = disj(conj(visited, _not(full)), now)
            updates[_name(visited)] = ite(watching, kept, visited)
        return updates

    def _counted(self, again: Term) -> Term:
        assert isinstance(self._closing, Rounds)
        after = _constant(self._rounds, str(self._closing.most))
        for number in reversed(range(self._closing.most)):
            here = _equal(self._rounds, _constant(self._rounds, str(number)))
            after = ite(here, _constant(self._rounds, str(number + 1)), after)
        return ite(again, after, self._rounds)

    def _giving_up(self) -> Iterator[Action]:
        """Steps of the monitor alone: from now on an action will never be enabled."""
        for number, flags in self._gave_up.items():
            condition = self._conditions[number]
            chosen = [
                self._argument(f"each{n}", variable.sort)
                for n, variable in enumerate(condition.variables)
            ]
            own = dict(zip(condition.variables, (a.variable for a in chosen), strict=True))
            here = conj(*(_equal(each, variable) for each, variable in own.items()))
            already = substituted(condition.flag(flags), own)
            given = {_name(flags): condition.collected(disj(condition.flag(flags), here))}
            branch = Branch((self._active, _not(already)), given)
            yield self._step(f"GiveUp{number}", tuple(chosen), branch)

    def _saving(self) -> Iterator[Action]:
        """The step of the monitor alone that remembers the state."""
        if isinstance(self._closing, Return):
            updates = {_name(then): now for now, then in self._copies().items()}
            updates[_name(self._saved)] = TRUE
            branch = Branch((self._active, _not(self._saved)), updates)
            yield self._step("Remember", (), branch)

    def _step(self, name: str, arguments: tuple[Argument, ...], branch: Branch) -> Action:
        source = self._inner.initial.source
        return Action(f"{self._prefix}.{name}", arguments, (branch,), source)


def _name(variable: Term) -> str:
    assert isinstance(variable.data, tuple)
    return str(variable.data[0])


def _constant(variable: Term, value: str) -> Term:
    return make("enum", (), variable.sort, value)


def _equal(left: Term, right: Term) -> Term:
    return make("eq", (left, right), BOOL)


def _not(formula: Term) -> Term:
    return make("not", (formula,), BOOL)


def _recurring(whole: Automaton) -> frozenset[int]:
    """The nodes of the components in which a run can stay and be accepted."""
    reach = [_reached(whole.nodes, node.following) for node in whole.nodes]
    found: set[int] = set()
    for number in range(len(whole.nodes)):
        component = {other for other in reach[number] if number in reach[other]}
        if component and all(component & chosen for chosen in whole.accepting):
            found |= component
    return frozenset(found)


def _reached(nodes: Sequence[TableauNode], starts: Iterable[int]) -> set[int]:
    found: set[int] = set()
    todo = list(starts)
    while todo:
        number = todo.pop()
        if number not in found:
            found.add(number)
            todo += nodes[number].following
    return found
