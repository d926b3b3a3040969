"""How many faults planted in the expansion from terms to circuits are caught, protocol by protocol.

For each protocol of the project at small parameters a proof is found, and further certificates are
made of it by leaving out a conjunct each, most of which are wrong. Then each fault is planted, and
`certify` judges all of them, on circuits that have the fault. Its verdict is *wrong* where it
differs from that without the fault; the fault is *caught* there if the independent judge, which
does not expand, differs from it. A fault that makes bmc fail loudly is counted beside them.

    python benchmarks/expansion_faults.py --protocol kafka-kip320 --dropped 3
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bmc.cli.shared import catalogue
from bmc.engines.kinduction import prove
from bmc.engines.task import Task
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.certify import certify
from bmc.evidence.independent.judge import judge
from bmc.lang.operator_table import OperatorName
from bmc.lang.properties import Kind
from bmc.lang.protocol import parameter_values
from bmc.lang.suite import Suite
from bmc.lang.terms import Term
from bmc.readings.expand.expander import RULES, Environment, Expanded, Expander, Rule
from tests.semantics.expansion_faults import FAULTS
from tests.semantics.planting import Fault

KAFKA = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
VERIFIED_LOG = {"log_nodes": 1, "num_replicas": 1, "max_segments": 1}
SMALL: dict[str, dict[str, int]] = {
    "kafka-kip320": KAFKA,
    "kafka-kip101": KAFKA,
    "kafka-kip279": KAFKA,
    "kafka-kip320-first-try": KAFKA,
    "kafka-truncate-to-hw": KAFKA,
    "kafka-kip320-deployed": KAFKA | {"restarts": 1},
    "kafka-kip320-deployed-unclean": KAFKA | {"restarts": 1},
    "kafka-transactions": {"clients": 1, "brokers": 1},
    "verified-log-waiting": VERIFIED_LOG,
    "verified-log-repaired-waiting": VERIFIED_LOG,
    "kafka-async-isr": {"replicas": 2},
    "id-sequence": {"max_id": 3},
    "replicated-log": {"replicas": 2},
    "replicated-log-retention": {"replicas": 2, "log_size": 1, "log_records": 1},
}


@dataclass
class Score:
    """What happened to one fault."""

    wrong: int = 0
    caught: int = 0
    failed: int = 0


def accepts(judge_one: Callable[[Certificate], object], certificate: Certificate) -> str:
    """What a judge says: accepted, rejected, or that it failed loudly."""
    try:
        judge_one(certificate)
    except CertificateError:
        return "rejected"
    except Exception as error:
        # A fault may break bmc in any way; what fails loudly is no wrong verdict.
        return f"failed: {type(error).__name__}"
    return "accepted"


def certificates(suite: Suite, parameters: dict[str, int], dropped: int) -> Iterator[Certificate]:
    """A proof, and some that lack a conjunct each."""
    claims = [
        d.name
        for d in suite.properties
        if d.kind in (Kind.INVARIANT, Kind.STEP_INVARIANT) and d.name not in suite.refuted
    ]
    values = parameter_values(suite.protocol, parameters)
    results = prove(Task(suite, values, tuple(claims), 2))
    whole = next((r.certificate for r in results if r.certificate is not None), None)
    if whole is None:
        return
    yield whole
    step = len(whole.conjuncts) // dropped if dropped else 0
    for number in range(0, len(whole.conjuncts), max(1, step)) if dropped else ():
        rest = whole.conjuncts[:number] + whole.conjuncts[number + 1 :]
        yield replace(whole, conjuncts=rest)


def operators(suite: Suite, made: Sequence[Certificate]) -> set[OperatorName]:
    """What `certify` expands of some certificates: a fault elsewhere is never met."""
    met: set[OperatorName] = set()
    before = dict(RULES)

    def noted(op: OperatorName, rule: Rule) -> Rule:
        def note(x: Expander, term: Term, env: Environment) -> Expanded:
            met.add(op)
            return rule(x, term, env)

        return note

    RULES.update({op: noted(op, rule) for op, rule in before.items()})
    try:
        for certificate in made:
            accepts(by_certify(suite), certificate)
    finally:
        RULES.update(before)
    return met


def judged(fault: Fault, suite: Suite, made: Sequence[Certificate], truth: Sequence[str]) -> Score:
    """Judge all certificates with a fault planted; ``truth`` is what they are without it."""
    score = Score()
    first, second = by_certify(suite), by_independent(suite)
    with fault.planted():
        for certificate, right in zip(made, truth, strict=True):
            said = accepts(first, certificate)
            if said.startswith("failed"):
                score.failed += 1
            elif said != right:
                score.wrong += 1
                score.caught += accepts(second, certificate) == right
    return score


def by_certify(suite: Suite) -> Callable[[Certificate], object]:
    """The judge that expands terms."""
    return lambda certificate: certify(certificate, suite, every_instance=True)


def by_independent(suite: Suite) -> Callable[[Certificate], object]:
    """The judge that does not."""
    return lambda certificate: judge(certificate, suite, solvers=("z3",))


def main() -> None:
    """Print a table, and the sum."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--protocol", action="append", choices=sorted(SMALL))
    parser.add_argument("--dropped", type=int, default=3, help="certificates that lack a conjunct")
    options = parser.parse_args()
    wrong = caught = biting = 0
    bites: dict[str, int] = dict.fromkeys((f.name for f in FAULTS), 0)
    for name in options.protocol or SMALL:
        suite = catalogue.find(name)
        made = list(certificates(suite, SMALL[name], options.dropped))
        truth = [accepts(by_independent(suite), one) for one in made]
        before = [accepts(by_certify(suite), one) for one in made]
        if before != truth:
            raise SystemExit(f"{name}: certify says {before}, the independent judge {truth}")
        if not made:
            raise SystemExit(f"{name}: nothing is proved, so there is no verdict to change")
        met = operators(suite, made)
        for fault in (f for f in FAULTS if met.intersection(f.ops)):
            score = judged(fault, suite, made, truth)
            bites[fault.name] += score.wrong + score.failed
            wrong, caught = wrong + score.wrong, caught + score.caught
            if score.wrong or score.failed:
                biting += 1
                loud = f", {score.failed} failed loudly" if score.failed else ""
                print(
                    f"{name}: {fault.name}: {score.caught}/{score.wrong} caught{loud}", flush=True
                )
    print(f"{caught}/{wrong} wrong verdicts caught, of {biting} pairs of a protocol and a fault")
    silent = [name for name, times in bites.items() if not times]
    print(
        f"{len(FAULTS) - len(silent)}/{len(FAULTS)} faults change a verdict; no verdict: {silent}"
    )
    raise SystemExit(caught != wrong)


if __name__ == "__main__":
    main()
