"""Evidence as the lock means it: about this model and this property, and no other."""

from __future__ import annotations

import json
from collections.abc import Iterable

from bmc.evidence.certificate import Certificate, CertificateError
from bmc.regress.errors import EvidenceError
from bmc.regress.folder import Stored
from bmc.regress.lock import LockedProperty
from bmc.regress.outcome import Case
from bmc.regress.recording import Recording


def certificates(proved: Iterable[LockedProperty]) -> list[list[LockedProperty]]:
    """The properties that share a certificate, together."""
    groups: dict[str, list[LockedProperty]] = {}
    for one in proved:
        groups.setdefault(one.evidence.name, []).append(one)
    return list(groups.values())


def require_about(case: Case, group: list[LockedProperty], stored: Stored) -> Certificate:
    """The certificate of a group of locked properties.

    Raises EvidenceError when it is missing or damaged, belongs to another model than the lock
    says, or does not claim these properties as the lock has them.
    """
    locked = case.locked
    assert locked is not None
    file = group[0].evidence
    text = stored.text(file)
    try:
        found = Certificate.from_json(json.loads(text))
    except (ValueError, CertificateError) as error:
        raise EvidenceError(f"{file.name} is no certificate: {error}") from None
    fingerprints = (locked.fingerprint, locked.plain_fingerprint)
    same = found.protocol == locked.protocol and dict(found.parameters) == dict(locked.parameters)
    if not same or found.fingerprint not in fingerprints:
        raise EvidenceError(f"{file.name} is the certificate of another model")
    claims = {c.name: c.digest for c in found.claims}
    for one in group:
        if claims.get(one.name) != one.statement:
            raise EvidenceError(f"{file.name} does not claim {one.name} as the lock has it")
    return found


def trace_of(case: Case, one: LockedProperty, stored: Stored) -> Recording:
    """The recorded trace of a locked property.

    Raises EvidenceError when it is missing or damaged, or is not the trace the lock speaks of.
    """
    locked = case.locked
    assert locked is not None
    found = Recording.read(stored.text(one.evidence), one.evidence.name)
    about = (found.protocol, dict(found.parameters), found.name)
    if about != (locked.protocol, dict(locked.parameters), one.name):
        raise EvidenceError(f"{one.evidence.name} is the trace of another model or property")
    if len(found.states) != one.trace_length:
        raise EvidenceError(
            f"{one.evidence.name} has {len(found.states)} states, and the lock says "
            f"{one.trace_length}"
        )
    return found
