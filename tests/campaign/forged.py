"""Certificates forged by somebody who knows the format, and the truth that they are held against.

Fingerprints, digests and texts are those of the protocol, so nothing is refused for its form: what
the judges are asked is whether a conjunction that was drawn at random proves claims that were drawn
at random. The protocols are the campaign's, whose truth a blind evaluator found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

from bmc.evidence.certificate import Certificate, CertificateError, Clause, Disproved, Statement
from bmc.evidence.certify import certify
from bmc.evidence.independent.judge import NotJudged, judge
from bmc.lang import LanguageError, Suite
from bmc.lang.fingerprint import fingerprint
from bmc.lang.properties import Kind, Property
from bmc.system.atoms import Atoms
from bmc.system.transition import NoInitialState, TransitionSystem
from tests.campaign.engines import Disagreement, Truth

SECONDS = 60.0
FORMULAS = 20_000
"""The second judge leaves undecided what takes it more: some random unions do."""


def forgeries(truth: Truth, random: Random, number: int) -> Iterator[Certificate]:
    """Yield ``number`` certificates of a protocol, most of which prove nothing."""
    suite, parameters = truth.suite, truth.plan.parameters
    ghosts = random.random() < 0.5
    model = suite.model(ghosts)
    stated = [suite.describe(declared, model) for declared in (*suite.properties, *suite.lemmas)]
    claimed = [p for p in stated if p.kind is not Kind.LEMMA]
    inductive = [p for p in stated if p.kind is not Kind.STEP_INVARIANT]
    atoms = Atoms(TransitionSystem(model, parameters))
    true = [p for p in inductive if truth.fails.get(p.name, 0) is None]
    for _ in range(number):
        conjuncts = _some(random, random.choice((inductive, true)))
        claims = random.choice((claimed, [p for p in conjuncts if p.kind is not Kind.LEMMA]))
        statements = [Statement.bounds()] * (random.random() < 0.9)
        statements += map(Statement.of, conjuncts)
        random.shuffle(statements)
        yield Certificate(
            suite.name,
            parameters,
            fingerprint(model, parameters),
            random.choice((1, 1, 1, 2, 3)),
            tuple(map(Statement.of, _some(random, claims) or [random.choice(claimed)])),
            tuple(statements),
            "cadical 1.9.5",
            _clauses(random, atoms) if random.random() < 0.3 else (),
        )


def _some(random: Random, stated: list[Property]) -> list[Property]:
    share = random.choice((0.2, 0.5, 0.8, 1.0))
    return [one for one in stated if random.random() < share]


def _clauses(random: Random, atoms: Atoms) -> tuple[Clause, ...]:
    literals = range(1, len(atoms) + 1)
    if not literals:
        return ()
    return tuple(
        tuple(
            atoms.text(random.choice((1, -1)) * random.choice(literals))
            for _ in range(random.randint(1, 3))
        )
        for _ in range(random.randint(1, 4))
    )


def _judge(certificate: Certificate, suite: Suite) -> None:
    judge(certificate, suite, timeout=SECONDS, most=FORMULAS)


def held_against(truth: Truth, certificate: Certificate, told: Counter[str]) -> None:
    """Ask both judges. Raises Disagreement where one accepts what is not so."""
    false = [s.name for s in certificate.claims if truth.fails[s.name] is not None]
    left = truth.found.overflow is not None
    for name, asked in (("certify", certify), ("independent", _judge)):
        try:
            asked(certificate, truth.suite)
        except Disproved:
            told[f"{name} disproves"] += 1
            continue
        except (CertificateError, LanguageError, NoInitialState, NotJudged) as error:
            told[f"{name} refuses: {type(error).__name__}"] += 1
            continue
        told[f"{name} accepts"] += 1
        if false or left:
            why = f"which fail: {', '.join(false)}" if false else "but the bounds are left"
            raise Disagreement(f"{name} accepts a forged certificate of claims {why}")
