"""Rankings: why a temporal claim holds, as a person says it.

A ranking names what becomes less as long as the claim is open, and which fair action sees to that.
The rank is a tuple of integers, compared from the left. While the claim is open

* no step makes the rank greater,
* in each state an action is *helpful*, and stays so, for the same arguments, until the rank falls,
* a step of the helpful action makes the rank fall,
* a weakly fair one can be taken all the while; a strongly fair one again and again, of which
  another rank may be the reason.

Then the claim cannot stay open for ever (Manna and Pnueli, *Completing the temporal picture*, 1991:
the rules for response under justice and compassion).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bmc.lang.build import TRUE, argument
from bmc.lang.by_parts import ByParts
from bmc.lang.decided import nothing_decided
from bmc.lang.declared import Declaration, require_arguments, require_undecorated, run_with
from bmc.lang.errors import LanguageError, placed
from bmc.lang.fairness import require_names_of_actions
from bmc.lang.model import Source
from bmc.lang.sorts import Sort
from bmc.lang.state import State
from bmc.lang.stated import require_well_stated
from bmc.lang.temporal import TemporalProperty
from bmc.lang.terms import Handle, Operand, Term, boolean, integer, lift
from bmc.lang.undecided import Undecided

__all__ = ["Helpful", "Rank", "Ranking", "RankingDeclaration", "helpful", "rank", "ranking"]


@dataclass(frozen=True)
class Helpful(Undecided, ByParts):
    """A fair action that makes a rank fall, in the states where ``when`` holds.

    ``per`` are values for the arguments that its fairness condition is for each of. Where it can
    be taken only again and again, ``waiting`` is the rank that falls while it cannot.
    """

    actions: tuple[str, ...]
    when: Term
    per: Mapping[str, Term]
    waiting: Rank | None


@dataclass(frozen=True)
class Rank(Undecided, ByParts):
    """A tuple of integers, the actions that make it fall, and what holds all the while."""

    measure: tuple[Term, ...]
    helpful: tuple[Helpful, ...]
    meanwhile: Term


def helpful(
    *actions: str,
    when: Operand = TRUE,
    per: Mapping[str, Operand] | None = None,
    waiting: Rank | None = None,
) -> Helpful:
    """Return that a step of one of the actions makes the rank fall, where ``when`` holds.

    The specification has to be fair to them as they are named here: ``weak("Take", per=("p",))`` is
    fairness to ``helpful("Take", per={"p": s.next})``. ``waiting`` is for a strongly fair action:
    the rank that falls until it can be taken. Raises LanguageError where one of them is of another
    kind.
    """
    require_names_of_actions("a ranking", "helpful", actions)
    if not actions:
        raise LanguageError('a rank falls by fair actions: name them, helpful("Action")')
    if not isinstance(per, Mapping | None):
        raise LanguageError(
            f"per says which value each argument has, and {per!r} does not: "
            'write helpful("Action", per={"argument": value})'
        )
    if not isinstance(waiting, Rank | None):
        raise LanguageError(
            f"waiting is a rank, and {waiting!r} is none: "
            'write waiting=rank(…, by=helpful("Action"))'
        )
    given = {} if per is None else {name: lift(value) for name, value in per.items()}
    return Helpful(actions, boolean(when), given, waiting)


def rank(*measure: Operand, by: Sequence[Helpful] | Helpful, meanwhile: Operand = TRUE) -> Rank:
    """Return a rank of integers, compared from the left, and the actions that make it fall.

    ``meanwhile`` is what holds as long as the claim is open, which is proven with it. Raises
    LanguageError where no action makes it fall, or ``by`` is something else.
    """
    chosen = tuple(by) if isinstance(by, Iterable) else (by,)
    if not chosen or not all(isinstance(one, Helpful) for one in chosen):
        raise LanguageError("a rank falls by fair actions: name them, rank(..., by=[helpful(...)])")
    return Rank(tuple(integer(part) for part in measure), chosen, boolean(meanwhile))


def terms_of(whole: Rank) -> tuple[Term, ...]:
    """Return every formula and integer that a rank is made of."""
    found = [*whole.measure, whole.meanwhile]
    for one in whole.helpful:
        found += [one.when, *one.per.values()]
        if one.waiting is not None:
            found += terms_of(one.waiting)
    return tuple(found)


@dataclass(frozen=True)
class Ranking:
    """A rank over a model's variables and the arguments of the temporal claim that it proves."""

    name: str
    claim: str
    arguments: tuple[Term, ...]
    rank: Rank
    text: str
    source: Source


class RankingDeclaration(Declaration):
    """A ranking as it is written: a function of a state and of its claim's arguments."""

    def __init__(
        self, function: Callable[..., Any], text: str, claim: str, arguments: Mapping[str, Sort]
    ) -> None:
        require_undecorated(function)
        self.function = function
        self.name = function.__name__
        self.text = text or inspect.getdoc(function) or ""
        self.claim = claim
        self.arguments = dict(arguments)
        require_arguments(function, self.arguments, 2, "its state")

    def describe(
        self, protocol: object, sorts: Mapping[str, Sort], claim: TemporalProperty
    ) -> Ranking:
        """Return the ranking over the given variables, of the arguments of its claim."""
        source = Source.of(self.function)
        with placed(source.file, source.line):
            return self._described(protocol, sorts, claim, source)

    def _described(
        self,
        protocol: object,
        sorts: Mapping[str, Sort],
        claim: TemporalProperty,
        source: Source,
    ) -> Ranking:
        variables = tuple(argument(name, sort) for name, sort in self.arguments.items())
        if variables != claim.arguments:
            raise LanguageError(
                f"{self.name} ranks {claim.name}, whose arguments are "
                f"({', '.join(_called(one) for one in claim.arguments)}): give it the same ones, "
                "of the same sorts, in that order"
            )
        with nothing_decided(self.name):
            stated = run_with(
                self.function,
                (protocol, State(sorts, False, protocol, self.arguments)),
                map(Handle, variables),
            )
            if not isinstance(stated, Rank):
                raise LanguageError(
                    f"{self.name} returns no rank: say what falls and by which actions, "
                    "rank(..., by=[helpful(...)])"
                )
        require_well_stated(self.name, protocol, sorts, variables, terms_of(stated))
        return Ranking(self.name, claim.name, variables, stated, self.text, source)


def _called(argument_: Term) -> str:
    data: Any = argument_.data
    return f"{data[1]}: {argument_.sort}"


def ranking(
    text: str = "", /, *, proves: str, **arguments: Sort
) -> Callable[[Callable[..., Any]], RankingDeclaration]:
    """Declare ``(m, s, *arguments)`` to return the rank that is why a temporal claim holds.

    ``proves`` is the claim's name; the arguments are the claim's. A ranking is believed no more
    than a lemma: what it says is proven, or it proves nothing. Raises LanguageError where either
    is no text.
    """
    if not all(isinstance(given, str) for given in (text, proves)):
        raise LanguageError(
            'a ranking says why, and names its claim by a text: @ranking("why", proves="Claim")'
        )

    def declare(function: Callable[..., Any]) -> RankingDeclaration:
        return RankingDeclaration(function, text, proves, arguments)

    return declare
