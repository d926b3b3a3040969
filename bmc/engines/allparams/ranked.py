"""Temporal claims at all parameter values, by their rankings.

What a ranking has to do is an invariant of the model beside a monitor of it
(:mod:`bmc.system.ranked`), and that model is read as first-order formulas like any other. At each
choice of parameters there are finitely many states, so a rank that never rises changes finitely
often, however it is read: no least rank has to be shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bmc.engines.allparams.prove import ParametricProof, ParametricTask, prove_for_all
from bmc.engines.liveness.ranked import fault_shown
from bmc.engines.task import Deadline, Observer
from bmc.evidence.verdict import Result, Verdict
from bmc.lang.errors import BmcError
from bmc.lang.ranking import terms_of
from bmc.lang.suite import Suite
from bmc.readings.quantified.structures import NotQuantified
from bmc.system.parametric import ParametricSystem
from bmc.system.watched import Ranked, WatchedSuite, watched


class NoRanking(BmcError):
    """A temporal claim is asked for at all parameter values, and nobody says why it holds."""


@dataclass(frozen=True)
class RankedProof:
    """The proof by ``ranking``, or the attempt, about the suite ``beside`` its monitor."""

    ranking: str
    beside: WatchedSuite
    proof: ParametricProof


def prove_by_rankings_for_all(
    suite: Suite,
    claim: str,
    observer: Observer,
    timeout: float | None = None,
    lemmas: bool = True,
) -> RankedProof:
    """Decide a temporal claim at all parameter values by the first of its rankings that does.

    Where none does it is the last one's attempt. Raises NoRanking; NotQuantified, with the place,
    where the protocol or a ranking has no first-order reading; NotFair where a ranking leans on
    fairness that is not there; and Contradiction when a certificate does not survive its re-check.
    """
    deadline = Deadline(timeout)
    found = None
    for ranking in suite.rankings_of(claim):
        beside = watched(suite, claim, Ranked(ranking))
        _require_readable(suite, claim, ranking)
        observer.phase(f"{claim}: by {ranking}")
        task = ParametricTask(beside, (claim,), timeout, lemmas=lemmas, needed=True)
        proof = prove_for_all(task.within(deadline), observer)
        found = RankedProof(ranking, beside, _told(ranking, beside, proof))
        if all(result.verdict is Verdict.PROVED for result in proof.results):
            break
    if found is None:
        raise NoRanking(
            f"{claim} has no ranking: at all parameter values a temporal claim is proved by one "
            f'that a person wrote, @ranking("why", proves="{claim}"); see docs/liveness.md'
        )
    return found


def _require_readable(suite: Suite, claim: str, ranking: str) -> None:
    """Raise NotQuantified with the ranking's name and place, where it cannot be read."""
    model = suite.model(False)
    stated = suite.describe_ranking(ranking, claim, model)
    system = ParametricSystem(model, (), ())
    try:
        system.check_terms(terms_of(stated.rank), stated.arguments)
    except NotQuantified as error:
        raise error.at(ranking, stated.source) from None


def _told(ranking: str, beside: WatchedSuite, proof: ParametricProof) -> ParametricProof:
    """A proof whose open claim says what was found to be wrong with the rank."""
    return replace(proof, results=tuple(_result(ranking, beside, proof, r) for r in proof.results))


def _result(ranking: str, beside: WatchedSuite, proof: ParametricProof, result: Result) -> Result:
    if result.verdict is Verdict.PROVED:
        return result
    reason = result.reason
    small = proof.small
    if small is not None and small.failure.conjunct == result.property:
        said = fault_shown(beside, small.failure.path.steps[-1])
        values = ", ".join(f"{name}={value}" for name, value in small.parameters.items())
        at = f" at {values}" if values else ""
        reason = f"{said},{at} in a state that no lemma excludes"
    return replace(result, reason=f"by {ranking}: {reason}")
