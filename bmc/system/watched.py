"""Liveness as safety: a suite with a monitor beside it, whose bad states no run may reach.

Two monitors can stand there: the one of fair behaviours that violate the claim
(:mod:`bmc.system.fair_monitor`), and, where a person says why the claim holds, the one of a
ranking (:mod:`bmc.system.ranked`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from bmc.lang.build import TRUE
from bmc.lang.model import Model
from bmc.lang.properties import Kind, PropertyDeclaration
from bmc.lang.suite import Suite
from bmc.lang.terms import Term
from bmc.system.fair_monitor import Closing, FairMonitor, Justice, Recurrence, Recurring, Return
from bmc.system.follower import prefix_of
from bmc.system.ranked import RankMonitor


@dataclass(frozen=True)
class Ranked:
    """That the ranking of that name is wrong about a step is bad."""

    ranking: str


@dataclass(frozen=True)
class WatchedSuite(Suite):
    """A suite beside a monitor of one temporal claim, which is an invariant here.

    The invariant has the claim's name; lemmas and history are those of the suite itself, and what
    a ranking says of all states in which the claim is open is one more lemma.
    """

    watched: Suite | None = None
    claim: str = ""
    closing: Closing | Ranked = field(default_factory=Return)

    def model(self, ghosts: bool) -> Model:
        """Return the model with its monitor."""
        return monitor(self, ghosts).model()


def recurring(suite: Suite, claim: str) -> tuple[WatchedSuite, Justice]:
    """Return a suite beside a monitor that bans nothing, and what a violation shows for ever.

    A run violates the claim if it sees everything of the :class:`Justice` infinitely often. Raises
    what :func:`watched` raises.
    """
    beside = replace(watched(suite, claim, Recurring()), properties=())
    watching = monitor(beside, False)
    assert isinstance(watching, FairMonitor)
    return beside, watching.justice()


def watched(suite: Suite, claim: str, closing: Closing | Ranked) -> WatchedSuite:
    """Return a suite beside the monitor of its temporal claim of that name.

    Raises UnknownName where there is no such claim, ranking or specification; NotMonitored where a
    condition is one for each of several sets; LanguageError where a ranking is none of this claim,
    and NotFair where it leans on fairness that is not there.
    """

    def never(protocol: object, state: object) -> Term:
        # Of a state, its monitor alone is looked at.
        return monitor(found, False).never()

    def meanwhile(protocol: object, state: object) -> Term:
        watching = monitor(found, False)
        assert isinstance(watching, RankMonitor)
        return watching.meanwhile()

    never.__name__ = claim
    text = f"the monitor of {claim} never sees all that a fair behaviour shows which violates it"
    lemmas = suite.lemmas
    if isinstance(closing, Ranked):
        text = f"the rank {closing.ranking} does on every step what it has to"
        meanwhile.__name__ = f"{closing.ranking}.Meanwhile"
        ranking = suite.describe_ranking(closing.ranking, claim, suite.model(False))
        if ranking.rank.meanwhile is not TRUE:
            said = f"what {closing.ranking} says of all states in which {claim} is open"
            lemmas = (*lemmas, PropertyDeclaration(meanwhile, Kind.LEMMA, said, "", {}))
    stated = PropertyDeclaration(never, Kind.INVARIANT, text, "", {})
    found = WatchedSuite(
        suite.name,
        suite.protocol,
        suite.about,
        (stated,),
        lemmas,
        suite.history,
        watched=suite,
        claim=claim,
        closing=closing,
    )
    found.model(False)
    return found


def monitor(suite: WatchedSuite, ghosts: bool) -> FairMonitor | RankMonitor:
    """Return what stands beside a suite's model."""
    beside = suite.watched
    assert beside is not None
    model, plain = beside.model(ghosts), beside.model(False)
    prefix = prefix_of(beside.model(True))
    stated = beside.describe_temporal(suite.claim, plain)
    specification = beside.specification(stated.specification, model)
    if isinstance(suite.closing, Ranked):
        ranking = beside.describe_ranking(suite.closing.ranking, suite.claim, plain)
        return RankMonitor(model, prefix, stated, specification, ranking)
    return FairMonitor(model, prefix, stated, specification, suite.closing)


def remarks(suite: WatchedSuite) -> tuple[tuple[Recurrence, ...], tuple[Recurrence, ...]]:
    """Return where the monitor of a suite may stand, and what else can be said of a state there.

    That is what it remembers, and the formulas of the claim and of its fairness.
    """
    watching = monitor(suite, False)
    assert isinstance(watching, FairMonitor)
    return watching.remarks()
