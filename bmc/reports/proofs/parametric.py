"""Proofs at all parameter values: verdicts, what they rest on, conditions, what stays open."""

from __future__ import annotations

from typing import Any

from bmc.engines.allparams.condition import ConditionOutcome
from bmc.engines.allparams.prove import ParametricProof
from bmc.evidence.statements import watching_of
from bmc.evidence.verdict import Verdict
from bmc.lang.protocol import parameters_of
from bmc.lang.show import show
from bmc.lang.suite import Suite
from bmc.reports.page import Page
from bmc.reports.proofs.cti import write_induction_failure
from bmc.reports.traces.text import count
from bmc.reports.vocabulary import Vocabulary
from bmc.system.parametric import BOUNDS

_SLOWEST = 40
_STYLES = {Verdict.PROVED: "bold green", Verdict.UNKNOWN: "bold yellow"}


class ParametricWriter:
    """Writes one proof; ``words`` are those of the parameters of its counterexample."""

    def __init__(self, page: Page, suite: Suite, words: Vocabulary, full: bool) -> None:
        self._page = page
        self._suite = suite
        self._words = words
        self._full = full

    def heading(self, protocol: str) -> None:
        """What the page is about: from which values on it speaks of all."""
        ranges = [f"{p.name} >= {p.low}" for p in parameters_of(self._suite.protocol)]
        self._page.line((protocol, "bold"), f"  at all parameter values: {', '.join(ranges)}")
        self._page.blank()
        constraint = self._suite.model(ghosts=False).constraint
        if constraint.op != "bool":
            self._page.line(f"  within the state constraint {show(constraint)}")
            self._page.blank()

    def results(self, proof: ParametricProof) -> None:
        """A line a property."""
        width = max(len(r.property) for r in proof.results)
        watching = watching_of(self._suite)
        spoken = "for every depth" if watching is None else "of all behaviours"
        if watching is not None:
            self._page.line(
                f"  {watching.claim} is {watching.formula} under {watching.specification}"
            )
        for result in proof.results:
            said = result.reason or "not decided"
            if result.verdict is Verdict.PROVED:
                rests = proof.supports.get(result.property, ())
                lemmas = count(len([n for n in rests if n != BOUNDS]), "lemma")
                said = f"{spoken}, resting on {lemmas}, re-checked by {result.checked_by}"
                if watching is not None:
                    said = f"by {watching.ranking} {said}"
            self._page.line(
                f"  {result.property.ljust(width)}  ",
                (result.verdict.value.ljust(7), _STYLES.get(result.verdict, "bold")),
                f"  {said}  {result.seconds:.1f} s",
            )
        for axiom in proof.axioms:
            self._page.line(f"  assumed of sizes, and shown by the judge: {axiom.says}")
        self._page.blank()

    def open(self, proof: ParametricProof) -> None:
        """What was not proven, and what is known against it."""
        for name, why in proof.unread.items():
            self._page.line(f"Left out, {name}: {why}")
        if not proof.open:
            return
        self._page.line(f"Open: {count(len(proof.open), 'condition')}")
        for outcome in proof.open[:_SLOWEST]:
            self._page.line(f"  {outcome.name}: {outcome.reason}")
        self._page.blank()
        if proof.small is not None:
            values = ", ".join(f"{n}={v}" for n, v in proof.small.parameters.items())
            self._page.line(f"At {values} there is a step against one of them:")
            write_induction_failure(self._page, self._words, proof.small.failure, self._full)
        elif proof.searched:
            self._page.line(
                "No counterexample to induction was found at small sizes. Usually a lemma is "
                "missing whose lack only shows at larger sizes, or one says of an offset and the "
                "one before it what it should say of all lower offsets."
            )
        for name in proof.one_step:
            self._page.line(f"Lint: {name} speaks of o and o - 1: say it of all lower ones")
        self._page.blank()

    def dependencies(self, proof: ParametricProof) -> None:
        """Which lemmas each property rests on, by the cores of its proof."""
        for name, rests in proof.supports.items():
            shown = ", ".join(n for n in rests if n != BOUNDS) or "nothing but the sorts"
            self._page.line(f"{name} rests on {shown}")
        unused = {d.name for d in self._suite.lemmas}
        unused -= {n for rests in proof.supports.values() for n in rests}
        if proof.supports and unused:
            self._page.line(f"Not needed by any of them: {', '.join(sorted(unused))}")
        self._page.blank()

    def conditions(self, proof: ParametricProof) -> None:
        """The conditions, the slowest first."""
        ordered = sorted((*proof.outcomes, *proof.open), key=lambda o: -o.seconds)
        self._page.line("   seconds  models  goals  instances  condition")
        for one in ordered[:_SLOWEST]:
            goals = one.refutations or ()
            used = sum(len(refutation) for refutation in goals)
            state = "" if one.closed else "  (open)"
            self._page.line(
                f"  {one.seconds:8.2f}  {one.rounds:6}  {len(goals):5}  {used:9}  {one.name}{state}"
            )
        if ordered[_SLOWEST:]:
            rest = sum(one.seconds for one in ordered[_SLOWEST:])
            self._page.line(f"  {rest:8.2f}  {count(len(ordered) - _SLOWEST, 'other condition')}")


def proof_document(suite: Suite, proof: ParametricProof) -> dict[str, Any]:
    """What a proof at all parameter values adds to the JSON document of a proof."""
    small = None if proof.small is None else dict(proof.small.parameters)
    watching = watching_of(suite)
    return {
        "parameters_from": {p.name: p.low for p in parameters_of(suite.protocol)},
        "rests_on": {name: list(rests) for name, rests in proof.supports.items()},
        "unread": dict(proof.unread),
        "induction_failure_at": small,
        "one_step_lemmas": list(proof.one_step),
        **({"watching": watching.to_json()} if watching is not None else {}),
        **({"axioms": {a.name: a.says for a in proof.axioms}} if proof.axioms else {}),
        "conditions": [_condition(o) for o in (*proof.outcomes, *proof.open)],
    }


def _condition(one: ConditionOutcome) -> dict[str, Any]:
    goals = one.refutations or ()
    return {
        "condition": str(one.name),
        "proven": one.closed,
        "seconds": round(one.seconds, 3),
        "models": one.rounds,
        "instances": [len(refutation) for refutation in goals],
        "reason": one.reason or None,
    }
