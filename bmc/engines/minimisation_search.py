"""The search for the simplest trace of one property, question by question to a solver.

The solver is that of the search that found the violation: what it has learnt on its way answers
most questions at once. How long a question may take is counted in conflicts, not in seconds, so
that the outcome does not depend on how fast the machine is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from bmc.engines.simplicity import messages, rule_order, rules_by_member
from bmc.engines.task import Deadline
from bmc.evidence.replay import replay, require_violation
from bmc.evidence.trace import Trace
from bmc.lang.properties import Property
from bmc.layout.renaming import Naming, different_namings, renamed
from bmc.readings.value import ConcreteState, Interpreter
from bmc.solving.interface import Answer, Handle
from bmc.system.unrolling import Unrolling

MOST_IMAGES = 720
"""How many images of a trace under renamings are excluded: those of six members that differ."""

CONFLICTS = 5_000
"""How many conflicts "is there a simpler one?" may cost: half a second for kafka."""
MOST_GIVEN_UP = 3
"""After so many questions that cost more nothing further is made simpler."""

_Found = tuple[list[ConcreteState], list[int]]
"""The states of a trace, and the number of the rule of each step."""


class Simplification:
    """The traces that violate one property and are as long as the unrolling.

    The solver's last model is one of them, and ``broken`` says in its last frame that the property
    is violated. Nothing is asserted but what needs an assumption of this search's own, so the
    unrolling can be used further.

    ``improved`` hears of each trace on the way to the first; ``given_up`` counts the questions
    that were too hard, each taken for a no; ``too_many_images`` says that further traces were not
    looked for, because those that are known could not be excluded under every naming.
    """

    def __init__(
        self,
        unrolling: Unrolling,
        stated: Property,
        broken: Handle,
        seed: int,
        deadline: Deadline,
    ) -> None:
        self._system = unrolling.system
        self._solver = unrolling.solver
        self._unrolling = unrolling
        self._stated = stated
        self._broken = broken
        self._last = len(unrolling.frames) - 1
        self._deadline = deadline
        self._interpreter = Interpreter(self._system.model, self._system.domains)
        self._order = rule_order(self._system.rules, seed)
        self._start = self._found()
        self.improved: Callable[[Trace], None] = ignore
        self.given_up = 0
        self.too_many_images = False

    def traces(self) -> Iterator[Trace]:
        """Simplest first; at first each has another sequence of actions than those before it.

        When there are no such traces any more, those that another naming of interchangeable
        members does not make equal to one before.
        """
        actions, states_too = self._solver.boolean(), self._solver.boolean()
        found: list[list[ConcreteState]] = []
        best: _Found | None = self._better(self._start, [actions])
        while best is not None:
            states, rules = best
            found.append(states)
            yield self._judged(states)
            taken = [
                self._taken(k, self._system.rules[rule].action) for k, rule in enumerate(rules)
            ]
            self._solver.clause(*map(self._solver.negation, (actions, *taken)))
            best = self._best([actions])
        if not all(self._block(states, states_too) for states in found):
            return
        while (best := self._best([states_too])) is not None:
            yield self._judged(best[0])
            if not self._block(best[0], states_too):
                return

    def _taken(self, k: int, action: str) -> Handle:
        selectors = self._unrolling.frames[k].selectors
        pairs = zip(self._system.rules, selectors, strict=True)
        return self._solver.any([s for rule, s in pairs if rule.action == action])

    def _judged(self, states: list[ConcreteState]) -> Trace:
        trace = replay(self._interpreter, states)
        require_violation(self._interpreter, trace, self._stated)
        return trace

    def _best(self, wanted: list[Handle]) -> _Found | None:
        """The simplest trace under these assumptions, None where none is found."""
        found = self._ask(wanted)
        return None if found is None else self._better(found, wanted)

    def _better(self, found: _Found, wanted: list[Handle]) -> _Found:
        """The simplest trace under these assumptions; ``found`` is one of them."""
        kept = list(wanted)
        for absent, group in self._absences():
            better = found if absent(found) else self._ask([*kept, *group])
            if better is not None:
                found, kept = better, [*kept, *group]
                self.improved(self._judged(found[0]))
        for k in range(self._last):
            place = self._order.index(found[1][k])
            while place:
                fewer = [self._unrolling.frames[k].selectors[r] for r in self._order[:place]]
                better = self._ask([*kept, self._solver.any(fewer)])
                if better is None:
                    break
                found = better
                self.improved(self._judged(found[0]))
                place = self._order.index(found[1][k])
            kept.append(self._unrolling.frames[k].selectors[found[1][k]])
        return found

    def _ask(self, assumptions: list[Handle]) -> _Found | None:
        """A trace under these assumptions; None if there is none, or that is too hard to say."""
        self._deadline.check()
        if self.given_up >= MOST_GIVEN_UP:
            return None
        asked = [self._broken, *assumptions]
        answer = self._solver.check(asked, self._deadline.remaining(), CONFLICTS)
        self._deadline.check()
        self.given_up += answer is Answer.UNKNOWN
        return self._found() if answer is Answer.SAT else None

    def _found(self) -> _Found:
        rules = [self._selected(k) for k in range(self._last)]
        return self._unrolling.states(self._last), rules

    def _selected(self, k: int) -> int:
        selectors = self._unrolling.frames[k].selectors
        return next(i for i, one in enumerate(selectors) if self._solver.value(one))

    def _absences(self) -> Iterator[tuple[Callable[[_Found], bool], list[Handle]]]:
        """What should rather not be there: members that take part, messages at the end.

        Each with how to see that it is not there in a trace.
        """
        frames = self._unrolling.frames
        for rules in rules_by_member(self._system):
            selectors = [frames[k].selectors[i] for k in range(self._last) for i in rules]
            absent = partial(_takes_none, rules)
            yield absent, [self._solver.negation(one) for one in selectors]
        for leaf in messages(self._system):
            handle = self._unrolling.frame(self._last).handles[leaf]
            yield partial(self._is_off, leaf), [self._solver.negation(handle)]

    def _is_off(self, leaf: int, found: _Found) -> bool:
        return not self._system.encode(found[0][-1])[leaf]

    def _block(self, states: list[ConcreteState], when: Handle) -> bool:
        """Exclude a trace under every naming; False where it has too many images."""
        variables, domains = self._system.model.variables, self._system.domains

        def image(state: ConcreteState, naming: Naming) -> ConcreteState:
            return {n: renamed(domains, sort, state[n], naming) for n, sort in variables.items()}

        def fixes(naming: Naming) -> bool:
            return all(image(state, naming) == state for state in states)

        different = different_namings(domains, variables.values(), fixes)
        ways = list(islice(different, MOST_IMAGES + 1))
        if len(ways) > MOST_IMAGES:
            self.too_many_images = True
            return False
        for naming in ways:
            clause = [self._solver.negation(when)]
            for k, state in enumerate(states):
                parts = self._unrolling.parts_of(k, image(state, naming))
                clause += map(self._solver.negation, parts)
            self._solver.clause(*clause)
        return True


def ignore(trace: Trace) -> None:
    """Nobody wants to know."""


def _takes_none(rules: frozenset[int], found: _Found) -> bool:
    return rules.isdisjoint(found[1])
