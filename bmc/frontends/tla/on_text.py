"""A search through the states of a text itself, by its evaluator: no model of it is made.

It finds what TLC finds, and takes texts whose model cannot be made or would take long. What it
holds nobody else has read, so it is no proof: a violation is one, since its path is taken again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bmc.lang.errors import UnknownName, suggest

from .agreement import Disagreement, replay
from .assumptions import require_assumptions
from .errors import TlaError, of_no_state
from .oracle.machine import Machine, Step
from .oracle.obligations import obligations
from .oracle.search import DEADLOCK, Explored, Search, Violation
from .oracle.symmetry import NoRenamings
from .specification import Specification, names_no_behaviour
from .unused import unused


class OnlyTemporal(TlaError):
    """A claim was asked for of which a search through states decides nothing."""


@dataclass(frozen=True)
class TextSearch:
    """What a search is to do.

    ``claims`` are the names of what it judges: invariants, properties of states and steps, lemmas
    that were asked for, and that there is no deadlock; ``partly`` are those that have a temporal
    part besides, which it does not judge. ``notes`` say what else is not looked at.
    """

    specification: Specification
    claims: tuple[str, ...]
    partly: frozenset[str]
    notes: tuple[str, ...]
    search: Search

    @property
    def merges(self) -> bool:
        """Whether of several states that are one to VIEW or SYMMETRY one is looked at."""
        return self.search.merges

    @property
    def found(self) -> Explored:
        """What has been found so far."""
        return self.search.explored

    def run(
        self, states: int | None, steps: int | None, told: Callable[[Explored], None]
    ) -> Explored:
        """Explore as `Search.run` does.

        Raises EvaluationError where the text has no value, and TlaError where there is no state.
        """
        with self.search.machine.limited(None):
            found = self.search.run(states, steps, told)
        if found.complete and not found.generated:
            assert self.specification.init is not None
            raise of_no_state(self.specification.init.span)
        return found

    def judged_within(self, claim: str, ended: bool) -> int | None:
        """Return within how many steps a claim was judged; None if not even at initial states.

        Unless the search has ``ended`` with nothing left to look at, all states of the last level
        were found, and whether there is a step out of them is not known.
        """
        steps = len(self.found.levels) - (2 if claim == DEADLOCK and not ended else 1)
        return steps if steps >= 0 else None

    def path_here(self) -> tuple[Step, ...]:
        """Return a path to the state at which a search ended by an error."""
        return self.search.path_here()

    def require_again(self, violation: Violation) -> None:
        """Take a violation's path once more, by an evaluator that has read nothing yet.

        Raises Disagreement where it does not lead to the violation.
        """
        again = Search(Machine(self.specification), DEADLOCK in self.claims)
        states = [step.state for step in violation.steps]
        replay(again, [None, *(step.action for step in violation.steps[1:])], states)
        # Only what it breaks: another claim may have no value there, which takes nothing from it.
        name = violation.property
        if not again.denies(name, states[-1]) and not (
            len(states) > 1 and again.denies_step(name, *states[-2:])
        ):
            raise Disagreement(
                f"{violation.property} is true at the end of the path that breaks it"
            )


def text_search(
    specification: Specification,
    asked: Sequence[str] = (),
    deadlock: bool = False,
    symmetry: bool = False,
) -> TextSearch:
    """Return the search for violations of the claims ``asked``, or of all that there are.

    With ``deadlock`` states without a step are violations whatever the configuration says, with
    ``symmetry`` states that its SYMMETRY renames into each other are one, as they are for TLC.
    Raises UnknownName, OnlyTemporal, AssumptionFalse, and TlaError where nothing can be searched.
    """
    if specification.init is None or specification.next is None:
        raise names_no_behaviour(specification)
    chosen = _of_claims(specification, asked)
    judged = obligations(chosen)
    temporal = {named.name for named in judged.temporal}
    stated = (*judged.invariants, *judged.initial, *judged.steps)
    names = tuple(dict.fromkeys(named.name for named in stated))
    for one in chosen.properties:
        if asked and one.name not in names:
            raise OnlyTemporal(
                one.expression.span,
                f"{one.name} is a claim about whole behaviours",
                "`bmc prove` decides it where the text can be translated",
            )
    if symmetry and specification.symmetry is None:
        raise UnknownName("--symmetry: the configuration names no SYMMETRY: leave the option out")
    of_text = DEADLOCK in names
    asks = DEADLOCK in asked and not of_text if asked else specification.check_deadlock
    stops = deadlock or asks
    if stops and of_text:
        raise UnknownName(
            f"{specification.module} has a claim called {DEADLOCK}, as is that there is none: "
            "rename it, or write CHECK_DEADLOCK FALSE"
        )
    try:
        search = Search(Machine(chosen), stops, symmetry)
    except NoRenamings as error:
        assert specification.symmetry is not None
        place = specification.symmetry.expression.span
        raise TlaError(place, str(error), "leave --symmetry out") from None
    notes = [f"{name} is a temporal property: it is NOT checked" for name in sorted(temporal)]
    notes += [*require_assumptions(specification), *specification.edited]
    notes += unused(specification, symmetry, view=True)
    notes += _merging(specification, symmetry)
    claims = (*names, *((DEADLOCK,) if stops else ()))
    return TextSearch(chosen, claims, frozenset(temporal) & set(names), tuple(notes), search)


def _merging(specification: Specification, symmetry: bool) -> list[str]:
    """Return a note for each word of the configuration by which states are one."""
    used = {"VIEW": specification.view, "SYMMETRY": specification.symmetry if symmetry else None}
    return [
        f"{word} {named.name} is believed, as TLC does: of states that are one by it one is kept"
        for word, named in used.items()
        if named is not None
    ]


def _of_claims(specification: Specification, asked: Sequence[str]) -> Specification:
    """Return the specification with the claims that were asked for, of which a lemma is one."""
    if not asked:
        return specification
    known = {
        one.name
        for one in (*specification.invariants, *specification.properties, *specification.lemmas)
    }
    for name in asked:
        if name not in known and name != DEADLOCK:
            raise UnknownName(
                f"{specification.module} has no claim {name!r} at this configuration: "
                f"{suggest(name, known)}"
            )
    stated = (*specification.invariants, *specification.lemmas)
    return replace(
        specification,
        invariants=tuple(one for one in stated if one.name in asked),
        properties=tuple(one for one in specification.properties if one.name in asked),
    )
