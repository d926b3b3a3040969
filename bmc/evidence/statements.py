"""What a certificate speaks of, looked up again: the model and the statements that it names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from bmc.evidence.certificate import Certificate, CertificateError, Statement, Watching
from bmc.lang.errors import BmcError, LanguageError, UnknownName
from bmc.lang.fingerprint import fingerprint
from bmc.lang.historic import beside_ghosts, ghosts_of
from bmc.lang.model import Model
from bmc.lang.properties import Kind, Property
from bmc.lang.ready import with_lemmas
from bmc.lang.suite import Suite
from bmc.lang.temporal import shown
from bmc.lang.written import read_lemma, write_property
from bmc.lang.written_ghosts import read_ghosts, write_ghost
from bmc.system.fair_monitor import Closing, Return, Rounds
from bmc.system.ranked import NotFair
from bmc.system.watched import Ranked, WatchedSuite, watched

if TYPE_CHECKING:
    # A name only: the independent judge reads this file, and nothing that reads terms with it.
    from bmc.evidence.parametric_certificate import ParametricCertificate

AnyCertificate = TypeVar("AnyCertificate", Certificate, "ParametricCertificate")
"""A proof at fixed parameters, or at all of them."""


def suite_of_certificate(certificate: Certificate | ParametricCertificate, suite: Suite) -> Suite:
    """Return the suite that a certificate's statements are of, made from the suite that it names.

    A proof of a temporal claim is one about the model beside the claim's monitor. Raises
    CertificateError when the claim is not there now, or says something else.
    """
    watching = certificate.watching
    if watching is None:
        return furnished(certificate.lemmas, _with_history(certificate.history, suite))
    if certificate.history:
        raise CertificateError("it carries a history beside the monitor of a temporal claim")
    try:
        stated = suite.describe_temporal(watching.claim, suite.model(False))
    except UnknownName as error:
        raise CertificateError(f"it proves a claim that does not exist: {error}") from None
    if (shown(stated.formula), stated.specification) != (watching.formula, watching.specification):
        raise CertificateError(
            f"{watching.claim} is not what the certificate says it is: the claim (or the "
            "certificate) has changed since; prove it again"
        )
    try:
        beside = watched(suite, watching.claim, closing_of(watching))
    except (UnknownName, NotFair) as error:
        raise CertificateError(f"it leans on what does not exist: {error}") from None
    return furnished(certificate.lemmas, beside)


def closing_of(watching: Watching) -> Closing | Ranked:
    """Return what the monitor that a certificate speaks of is asked."""
    if watching.ranking is not None:
        return Ranked(watching.ranking)
    return Return() if watching.rounds is None else Rounds(watching.rounds)


def as_judged(certificate: AnyCertificate, suite: Suite) -> tuple[AnyCertificate, Suite]:
    """Return a finder's certificate as its judge gets it, and the suite that the judge has.

    Whoever proved something of a model beside a monitor says so, and the judge makes the monitor.
    """
    watching = watching_of(suite)
    if watching is None:
        return certificate, suite
    assert isinstance(suite, WatchedSuite)
    assert suite.watched is not None
    return replace(certificate, watching=watching), suite.watched


def watching_of(suite: Suite) -> Watching | None:
    """Return which temporal claim a suite stands beside the monitor of, None where it does not."""
    if not isinstance(suite, WatchedSuite) or suite.watched is None:
        return None
    stated = suite.watched.describe_temporal(suite.claim, suite.watched.model(False))
    closing = suite.closing
    return Watching(
        suite.claim,
        shown(stated.formula),
        stated.specification,
        closing.most if isinstance(closing, Rounds) else None,
        closing.ranking if isinstance(closing, Ranked) else None,
    )


def furnished(lemmas: Iterable[Mapping[str, Any]], suite: Suite) -> Suite:
    """Return the suite with lemmas that a certificate carries, where it does not state them.

    Raises CertificateError for a lemma that cannot be read.
    """
    known = {declared.name for declared in (*suite.properties, *suite.lemmas)}
    added: dict[str, Property] = {}
    try:
        for written in lemmas:
            stated = read_lemma(written, suite.model(ghosts=True).variables)
            if stated.name not in known:
                added[stated.name] = stated
        return with_lemmas(suite, added.values()) if added else suite
    except LanguageError as error:
        raise CertificateError(str(error)) from None


def _with_history(history: Sequence[Mapping[str, Any]], suite: Suite) -> Suite:
    """Return the suite with the ghosts that a certificate carries in the place of its history.

    Raises CertificateError where they are no history.
    """
    if not history:
        return suite
    try:
        ghosts = read_ghosts(history, suite.model(ghosts=False).variables)
        found = beside_ghosts(suite, ghosts)
        found.model(ghosts=True)
    except LanguageError as error:
        raise CertificateError(str(error)) from None
    return found


def carried_history(suite: Suite, model: Model) -> tuple[dict[str, Any], ...]:
    """Return the ghosts of a suite that a certificate of a model with them has to carry."""
    return tuple(write_ghost(one) for one in ghosts_of(suite) if one.name in model.ghosts)


def carried(suite: Suite, names: Iterable[str]) -> tuple[dict[str, Any], ...]:
    """Return those of the named lemmas that a certificate of the suite has to carry."""
    model = suite.model(ghosts=True)
    described = (suite.describe(suite.find(name), model) for name in suite.carried)
    wanted = set(names)
    return tuple(write_property(stated) for stated in described if stated.name in wanted)


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
        # An operator of a text is a lemma where the command line says so.
        offered = f": if it was proved with --lemma {statement.name}, give that again"
        remedy = "" if suite.origin is None else offered
        raise CertificateError(
            f"it uses a statement that does not exist: {error}{remedy}"
        ) from None
    if Statement.of(stated) != statement:
        raise CertificateError(
            f"{statement.name} is not what the certificate says it is: the statement (or the "
            "certificate) has changed since; prove it again"
        )
    return stated


def claim_of(statement: Statement, suite: Suite, model: Model) -> Property:
    """Return the property that a certificate claims: one that the protocol states.

    Raises CertificateError when it is not there now, is a lemma that the certificate carries, or
    a witness: a formula that holds in every state would be taken for one that no state satisfies.
    """
    if statement.name in suite.carried:
        raise CertificateError(f"it claims {statement.name}, which nobody but itself states")
    stated = resolve(statement, suite, model)
    if stated.kind is Kind.WITNESS:
        raise CertificateError(f"{stated.name} is a witness: nothing claims that it holds")
    return stated


@contextmanager
def expanding(certificate: Certificate) -> Iterator[None]:
    """Make it a rejection that a lemma which a certificate carries cannot be expanded.

    What it carries was read as data: operators and sorts, which need not fit.
    """
    try:
        yield
    except Exception as error:
        # Other errors of ours say that something is too much, not that it is no formula.
        ours = isinstance(error, BmcError) and not isinstance(error, LanguageError)
        if ours or not certificate.lemmas:
            raise
        said = f"{type(error).__name__}: {error}"
        raise CertificateError(f"a lemma that it carries is no formula: {said}") from None


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
