"""Evidence as the lock means it: about this model and this property, and no other."""

from __future__ import annotations

from collections.abc import Iterable

from bmc.evidence import untrusted
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.exploration_certificate import ExplorationCertificate
from bmc.regress.errors import EvidenceError
from bmc.regress.folder import Stored
from bmc.regress.lock import EvidenceFile, LockedModel, LockedProperty
from bmc.regress.outcome import Case
from bmc.regress.recording import Recording

Shared = tuple[EvidenceFile, list[LockedProperty]]
"""An evidence file, and the properties that it is evidence for."""


def by_file(locked: Iterable[LockedProperty]) -> list[Shared]:
    """Properties together with those that share their evidence."""
    groups: dict[EvidenceFile, list[LockedProperty]] = {}
    for one in locked:
        assert one.evidence is not None, "what has no evidence is not judged by it"
        groups.setdefault(one.evidence, []).append(one)
    return list(groups.items())


def certificate_of(case: Case, shared: Shared, stored: Stored) -> Certificate:
    """The certificate of a group of locked properties.

    Raises EvidenceError when it is missing or damaged, belongs to another model than the lock
    says, or does not claim these properties as the lock has them.
    """
    file, group = shared
    locked = _locked(case)
    try:
        found = Certificate.from_json(untrusted.document(stored.text(file)))
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


def exploration_of(case: Case, shared: Shared, stored: Stored) -> ExplorationCertificate:
    """The recorded exploration of a group of locked properties.

    Raises EvidenceError when it is missing or damaged, or not the one that the lock speaks of.
    """
    file, group = shared
    locked = _locked(case)
    try:
        found = ExplorationCertificate.read(stored.text(file), file.name)
    except CertificateError as error:
        raise EvidenceError(str(error)) from None
    about = (found.protocol, dict(found.parameters), found.fingerprint)
    if about != (locked.protocol, dict(locked.parameters), locked.plain_fingerprint):
        raise EvidenceError(f"{file.name} is the exploration of another model")
    for one in group:
        if found.holds.get(one.name) != one.statement:
            raise EvidenceError(f"{file.name} does not tell of {one.name} as the lock has it")
        if found.distinct_states != one.distinct_states:
            raise EvidenceError(
                f"{file.name} has {found.distinct_states} states, and the lock says "
                f"{one.distinct_states}"
            )
    return found


def trace_of(case: Case, one: LockedProperty, stored: Stored) -> Recording:
    """The recorded trace of a locked property.

    Raises EvidenceError when it is missing or damaged, or is not the trace the lock speaks of.
    """
    locked, file = _locked(case), one.evidence
    assert file is not None
    found = Recording.read(stored.text(file), file.name)
    about = (found.protocol, dict(found.parameters), found.name)
    if about != (locked.protocol, dict(locked.parameters), one.name):
        raise EvidenceError(f"{file.name} is the trace of another model or property")
    if len(found.states) != one.trace_length:
        raise EvidenceError(
            f"{file.name} has {len(found.states)} states, and the lock says {one.trace_length}"
        )
    return found


def _locked(case: Case) -> LockedModel:
    assert case.locked is not None, "only what is locked has evidence"
    return case.locked
