"""Inference before a proof: what `bmc infer` does, and `bmc prove --infer` does as well."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bmc.analysis.inference.infer import InferenceOptions, Inferred
    from bmc.cli.shared.cluster_inference import ClusterInference
    from bmc.cli.shared.progress import Progress
    from bmc.engines.allparams.prove import ParametricProof
    from bmc.engines.allparams.small import SmallFailure
    from bmc.engines.task import Task
    from bmc.evidence.verdict import Result

_LEAST = 20.0
"""Seconds that the proof may take at least, whatever the inference has left of the limit: but no
more than the limit once more, since whoever asks for three seconds does not wait for twenty."""
_FOR_PROOF = 0.5
"""The share of the limit that it may take at least where the lemmas are an induction: they were
found for it, and without it nothing is known."""


@dataclass(frozen=True)
class InferenceOutcome:
    """What an inference came to: verdicts in the order of the task, and the lemmas behind them.

    ``task`` is the task with the lemmas among its own; ``inferred`` is None where every property
    is violated, or a bound is met; ``for_all`` is the proof at all parameters, where one was asked
    for.
    """

    task: Task
    results: tuple[Result, ...]
    inferred: Inferred | None
    for_all: ParametricProof | None = None


def inferred_and_proved(
    task: Task, options: InferenceOptions, progress: Progress, there: ClusterInference | None = None
) -> InferenceOutcome:
    """Infer lemmas for a task's properties and prove with them; what is violated gets its trace.

    ``there`` is a cluster that answers a part of it. An interruption leaves what is open
    unknown, and so do bounds that are met where something is violated before. Raises OptionError
    where nothing can be inferred.
    """
    from bmc.analysis.inference.infer import infer
    from bmc.analysis.mining.houdini import asked_here
    from bmc.analysis.mining.mine import ClaimViolated
    from bmc.cli.shared.decide import INTERRUPTED
    from bmc.engines.confirmation import confirmed
    from bmc.engines.samples import BoundMet
    from bmc.evidence.verdict import Result, Verdict

    began = monotonic()
    known: dict[str, Result] = {}
    found: Inferred | None = None
    asked = task
    with progress:
        while len(known) < len(task.properties):
            asked = replace(task, properties=tuple(n for n in task.properties if n not in known))
            try:
                asker = asked_here if there is None else there.asker(asked)
                found = infer(asked, options, progress, asker)
                break
            except ClaimViolated as refusal:
                violated = shortest_violation(replace(asked, properties=(refusal.claim,)), progress)
                if not violated:
                    raise
                known |= {result.property: result for result in violated}
            except BoundMet:
                # Guessed bounds are made larger by who asks, for all claims.
                if not known or task.suite.origin is not None:
                    raise
                asked = replace(asked, lemmas=False, timeout=_left(began, options))
                known |= {r.property: r for r in _proved(asked, False, progress)}
        if found is not None and there is None:
            asked, found = _beside_history(asked, found, options, began, progress)
        if found is not None:
            if found.stopped == STOPPED:
                known |= {
                    name: Result(
                        name,
                        Verdict.UNKNOWN,
                        "infer",
                        monotonic() - began,
                        reason=INTERRUPTED.text,
                        why=INTERRUPTED.why,
                    )
                    for name in asked.properties
                }
            else:
                left = _left(began, options)
                if found.closed:
                    left = max(left, options.seconds * _FOR_PROOF)
                asked = replace(furnished(asked, found), timeout=left)
                known |= {r.property: r for r in _decided(asked, found, progress, there)}
    results = confirmed(asked, tuple(known[name] for name in task.properties))
    return InferenceOutcome(asked, results, found)


def _beside_history(
    task: Task, found: Inferred, options: InferenceOptions, began: float, progress: Progress
) -> tuple[Task, Inferred]:
    """Return a search with words for what was ever so where it closes what was left open.

    It has half of the time that is left, and begins with the lemmas that are there.
    """
    from bmc.analysis.inference.infer import infer
    from bmc.analysis.mining.mine import ClaimViolated

    left = (options.seconds - (monotonic() - began)) / 2
    if found.closed or found.proofs or found.stopped == STOPPED or left <= 0:
        return task, found
    historic = _historic(task, options, began, progress)
    if historic is None:
        return task, found
    again = replace(options, seconds=left, offered=found.lemmas, folder=None)
    try:
        more = infer(historic, again, progress)
    except ClaimViolated:
        # Nothing needs a lemma then: the engines find the trace.
        return task, found
    return (historic, replace(more, lost=found.lost)) if more.closed else (task, found)


STOPPED = "it was interrupted"


def furnished(task: Task, found: Inferred) -> Task:
    """Return the task with the inferred lemmas instead of the suite's own, and without history but
    for what its claims speak of, and the invented ghosts that the lemmas do."""
    from bmc.analysis.inference.infer import GROUP
    from bmc.engines.task import reads
    from bmc.lang.historic import beside_ghosts, ghosts_of
    from bmc.lang.ready import with_lemmas_instead

    bodies = [one.body for one in found.lemmas]
    suite = task.suite
    if invented := ghosts_of(suite):
        spoken = (g for g in invented if any(reads(b, frozenset([g.name])) for b in bodies))
        suite = beside_ghosts(suite, tuple(spoken))
    suite = with_lemmas_instead(suite, found.lemmas, task.properties)
    groups = (GROUP,) if found.lemmas else ()
    return replace(task, suite=suite, lemmas=True, lemma_groups=groups)


def shortest_violation(task: Task, progress: Progress) -> tuple[Result, ...]:
    """Return the shortest trace to what an explored state violates, if exploring comes to it."""
    from bmc.engines.bounded import check
    from bmc.engines.explicit import explore
    from bmc.engines.stated import of_history
    from bmc.evidence.verdict import Verdict

    explored: tuple[Result, ...] = ()
    if not of_history(task):
        explored = explore(task, progress, stop_at_violation=True).verdicts()
    results = tuple(r for r in explored if r.verdict is Verdict.VIOLATED)
    if results:
        return results
    searched = check(replace(task, depth=40), progress)
    return tuple(r for r in searched if r.verdict is Verdict.VIOLATED)


def _decided(
    task: Task, found: Inferred, progress: Progress, there: ClusterInference | None
) -> tuple[Result, ...]:
    """Prove with the lemmas; what they leave open is what IC3 made of it beside the search.

    Where they are no induction and IC3 has its proofs, nobody is asked for them again.
    """
    from bmc.evidence.verdict import Verdict

    if found.proofs and not found.closed:
        return found.proofs
    beside = {result.property: result for result in found.proofs}
    if there is not None and found.closed:
        results = there.prove(task, found.lemmas)
    else:
        results = _proved(task, found.closed, progress)
    return tuple(
        beside.get(result.property, result) if result.verdict is Verdict.UNKNOWN else result
        for result in results
    )


def _proved(task: Task, closed: bool, progress: Progress) -> tuple[Result, ...]:
    """Prove with the lemmas: by induction where they suffice, or else by whoever can."""
    from bmc.engines.kinduction import prove
    from bmc.engines.portfolio import prove as auto

    return prove(task, progress) if closed else auto(task, progress)


def inferred_for_all(task: Task, options: InferenceOptions, progress: Progress) -> InferenceOutcome:
    """Infer lemmas and prove with them at all parameter values, unless some show a violation.

    Then its trace is the answer, at those; of the other properties nothing is known.
    """
    from bmc.analysis.mining.mine import ClaimViolated
    from bmc.engines.confirmation import confirmed
    from bmc.evidence.verdict import Result, Verdict

    began = monotonic()
    with progress:
        try:
            return _inferred_for_all(task, options, progress)
        except ClaimViolated as refusal:
            at = replace(task, parameters=refusal.parameters)
            asked = replace(at, properties=(refusal.claim,), timeout=options.seconds)
            found = shortest_violation(asked, progress)
            violated = {result.property: result for result in found}
            if not violated:
                raise
            told = f"{refusal.claim} is violated, which ended the inference: ask for this one alone"
        seconds = monotonic() - began
        results = tuple(
            violated.get(name) or Result(name, Verdict.UNKNOWN, "infer", seconds, reason=told)
            for name in task.properties
        )
        return InferenceOutcome(at, confirmed(at, results), None)


def _inferred_for_all(
    task: Task, options: InferenceOptions, progress: Progress
) -> InferenceOutcome:
    """Infer lemmas and prove with them at all parameter values.

    What stays open there is an induction that fails at a larger size, so lemmas are looked for
    beside an invented history that larger sizes preserve as well, or there where none is invented,
    for as long as the limit allows. Raises ClaimViolated for a property that is false in an
    explored state.
    """
    from bmc.analysis.inference.infer import infer
    from bmc.engines.allparams.prove import ParametricTask, prove_for_all
    from bmc.evidence.verdict import Verdict

    began = monotonic()
    given = replace(options, larger=True)
    asked = task
    while True:
        left = _left(began, options)
        found = infer(asked, replace(given, seconds=left * _FOR_LEMMAS), progress)
        over = found.stopped == STOPPED or _is_over(began, options)
        if not (found.closed or over):
            historic = _historic(asked, options, began, progress)
            if historic is not None:
                given, asked = replace(given, offered=found.lemmas, folder=None), historic
                continue
        suite = furnished(asked, found).suite
        left = _left(began, options)
        proof = prove_for_all(ParametricTask(suite, task.properties, left), progress)
        outcome = InferenceOutcome(replace(task, suite=suite), proof.results, found, proof)
        closed = all(result.verdict is Verdict.PROVED for result in proof.results)
        if closed or not found.closed or _is_over(began, options):
            return outcome
        historic = _historic(asked, options, began, progress)
        if historic is not None:
            # What suffices without a history leans on the size: it would only be in the way.
            given, asked = replace(options, larger=True, folder=None), historic
            continue
        larger = _larger(asked, proof.small)
        if larger is None:
            return outcome
        told = ", ".join(f"{name}={value}" for name, value in larger.parameters.items())
        progress.fact(f"{len(found.lemmas)} lemmas leave something open: looking at {told}")
        given = replace(given, offered=found.lemmas, folder=None)
        asked = larger


def _historic(
    task: Task, options: InferenceOptions, began: float, progress: Progress
) -> Task | None:
    """Return the task with an invented history, and say so; None where there is none to invent."""
    from bmc.analysis.inference.historic import with_history
    from bmc.lang.historic import ghosts_of

    left = _left(began, options)
    found = with_history(task, left * _INVENTING, options.seed, progress)
    if found is not None:
        told = ", ".join(ghost.name for ghost in ghosts_of(found.suite))
        progress.fact(f"words for what was ever so: {told}")
    return found


_INVENTING = 0.1
"""The share of what is left of the limit in which a history may be invented."""
_FOR_LEMMAS = 0.5
"""The share of what is left of the limit that a search for lemmas may take before a proof."""


def _left(began: float, options: InferenceOptions) -> float:
    """Return the seconds that are left of the limit, or those that a proof has in any case."""
    return max(min(_LEAST, options.seconds), options.seconds - (monotonic() - began))


def _is_over(began: float, options: InferenceOptions) -> bool:
    return monotonic() - began > options.seconds


def _larger(task: Task, failing: SmallFailure | None) -> Task | None:
    """Return the task at the parameters at which an induction was seen to fail, or else with each
    parameter one larger; None where they are as large as can be."""
    highest = {p.name: p.high for p in task.model(ghosts=False).parameters}
    before = task.parameters
    grown = {name: min(value + 1, highest[name]) for name, value in before.items()}
    if failing is not None:
        met = {name: max(value, failing.parameters[name]) for name, value in before.items()}
        grown = grown if met == before else met
    return None if grown == before else replace(task, parameters=grown)


class Prepared(NamedTuple):
    """A task with inferred lemmas in the place of the suite's own.

    ``proofs`` is what IC3 proved beside an inference that did not close, of all properties or of
    none; ``remark`` what a user is to know then.
    """

    task: Task
    proofs: tuple[Result, ...] = ()
    remark: str | None = None


def with_inferred_lemmas(task: Task, progress: Progress) -> Prepared:
    """Return the task with lemmas inferred for its properties instead of the suite's own.

    Half of its limit of time is for the inference. A property that an explored state violates needs
    no lemma: the task is returned as it is, for its engines to find the trace.
    """
    from bmc.analysis.inference.infer import InferenceOptions, infer
    from bmc.analysis.mining.mine import ClaimViolated
    from bmc.evidence.wording import count

    began = monotonic()
    options = (
        InferenceOptions() if task.timeout is None else InferenceOptions(seconds=task.timeout / 2)
    )
    try:
        with progress:
            found = infer(task, options, progress)
    except ClaimViolated:
        return Prepared(replace(task, lemmas=False))
    if found.stopped == STOPPED:
        raise KeyboardInterrupt
    left = None if task.timeout is None else task.timeout - (monotonic() - began)
    left = None if left is None else max(0.05, left)
    ready = replace(furnished(task, found), timeout=left)
    if found.closed:
        return Prepared(ready)
    said = (
        f"The inference did not close: {count(len(found.open), 'node')} of its proof "
        f"{'is' if len(found.open) == 1 else 'are'} open, with {count(found.found, 'lemma')} "
        "found. `bmc infer` shows them; the verdicts here are what the engines came to."
    )
    return Prepared(ready, found.proofs, said)
