"""What a certificate speaks of, looked up again: the model and the statements that it names."""

from __future__ import annotations

from collections.abc import Mapping

from bmc.evidence.certificate import Certificate, CertificateError, Statement
from bmc.lang.errors import UnknownName
from bmc.lang.fingerprint import fingerprint
from bmc.lang.properties import Kind, Property
from bmc.lang.protocol import Model
from bmc.lang.suite import Suite


def model_of_certificate(
    certificate: Certificate, suite: Suite, parameters: Mapping[str, int]
) -> Model:
    """Return the suite's model that a certificate was made for: with its history, or without.

    Raises CertificateError when it is neither.
    """
    for ghosts in (True, False):
        model = suite.model(ghosts)
        if fingerprint(model, parameters) == certificate.fingerprint:
            return model
    raise CertificateError(
        f"it belongs to another model than {suite.name} at these parameters: the protocol "
        "(or the certificate) has changed since; prove it again"
    )


def resolve(statement: Statement, suite: Suite, model: Model) -> Property:
    """Return the property that a certificate speaks of.

    Raises CertificateError when it is not there now.
    """
    try:
        stated = suite.describe(suite.find(statement.name), model)
    except UnknownName as error:
        raise CertificateError(f"it uses a statement that does not exist: {error}") from None
    if Statement.of(stated) != statement:
        raise CertificateError(
            f"{statement.name} is not what the certificate says it is: the statement (or the "
            "certificate) has changed since; prove it again"
        )
    return stated


def conjunct_of(statement: Statement, suite: Suite, model: Model) -> Property | None:
    """Return the property that a conjunct names, None if it says that the bounds suffice.

    Raises CertificateError when it is not there now, or cannot be a conjunct.
    """
    if statement == Statement.bounds():
        return None
    stated = resolve(statement, suite, model)
    if stated.kind is Kind.STEP_INVARIANT:
        raise CertificateError(f"{stated.name} speaks of steps: it cannot be a conjunct")
    return stated
