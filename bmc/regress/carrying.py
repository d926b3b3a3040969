"""Whether an old proof still proves: its conjunction, said of the model as it is now."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from bmc.evidence.certificate import Certificate, CertificateError, Statement
from bmc.evidence.statements import furnished
from bmc.lang.errors import UnknownName
from bmc.lang.fingerprint import fingerprint
from bmc.lang.properties import Kind
from bmc.lang.suite import Suite


def carried_over(
    certificate: Certificate, suite: Suite, parameters: Mapping[str, int]
) -> Certificate | None:
    """The certificate with the same statements, by name, as the suite makes them now.

    Statements that are gone are left out; None when no claim is left. That it says so proves
    nothing: it has to be certified.
    """
    # Carried lemmas that the model as it is now has no words for are left out with what is gone.
    with suppress(CertificateError):
        suite = furnished(certificate.lemmas, suite)
    model = suite.model(True)

    def now(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        found = []
        for old in statements:
            if old == Statement.bounds():
                found.append(old)
                continue
            try:
                declared = suite.find(old.name)
            except UnknownName:
                continue
            if declared.kind is not Kind.WITNESS:
                found.append(Statement.of(suite.describe(declared, model)))
        return tuple(found)

    claims = now(certificate.claims)
    if not claims:
        return None
    conjuncts = tuple(s for s in now(certificate.conjuncts) if s.kind != Kind.STEP_INVARIANT.value)
    return replace(
        certificate,
        protocol=suite.name,
        parameters=dict(parameters),
        fingerprint=fingerprint(model, parameters),
        claims=claims,
        conjuncts=conjuncts,
    )


def says_the_same(old: Certificate, now: Certificate) -> bool:
    """Whether the statements that a certificate leans on are what they were when it was made.

    A lemma may change without its model, and then the old proof fails without being damaged.
    """
    return old.claims == now.claims and old.conjuncts == now.conjuncts
