"""Which protocols a lock is about, and the names it has for them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bmc.analysis.mutants import original, parted, variant
from bmc.cli.shared import catalogue, specifications, user_file
from bmc.cli.shared.widening import roomy
from bmc.engines.confirmation import COMPARED
from bmc.lang.errors import BmcError, UnknownName, suggest
from bmc.lang.protocol import parameter_values
from bmc.lang.suite import Suite
from bmc.lang.text_names import text_parted
from bmc.regress.cases import case_of, lockable, lockable_for_all, new_case
from bmc.regress.errors import LockError
from bmc.regress.lock import CATALOGUE, Lock, LockedModel, key_of
from bmc.regress.outcome import Case
from bmc.running.files import real
from bmc.running.interruption import interrupted


class LockedProtocols:
    """The protocols of a lock that lies in ``folder``.

    A lock names a user's file by its path from the lock, so that it means the same in every
    checkout, wherever bmc is called from.

    A lock is data, too. Files that it names are run where it is the lock of the project that one
    works in: it lies in the working directory or above it, and the file inside its folder. Any
    other file is run only if the command line names it: ``named`` are its words for protocols. Each
    is read within ``timeout`` seconds.
    """

    def __init__(
        self, folder: Path, named: Sequence[str] = (), timeout: float | None = None
    ) -> None:
        self.folder, self._timeout = folder, timeout
        root, here = real(folder), real(Path.cwd())
        self._own = root == here or root in here.parents
        self._named = frozenset(
            original(self.name(one)) for one in named if user_file.names_a_file(one)
        )

    def find(self, name: str) -> Suite:
        """The suite that a lock's name stands for, under that name.

        A specification is text and nothing of it is run; it is compared with its translation.
        """
        catalogue.require_text(name)
        base, changed = parted(name)
        if changed:
            return replace(variant(self.find(base), changed), name=name)
        if specifications.names_a_specification(name):
            where, at, rest = text_parted(name)
            suite = specifications.load(f"{os.path.relpath(self.folder / where)}{at}{rest}")
            suite = roomy(suite, {})
            if suite.origin is not None:
                suite.origin.compare(COMPARED)
                for claim, why in suite.origin.without_value.items():
                    raise LockError(
                        f"{claim} of {name} has no value in a state: {why}: write it so that it "
                        "has one, or take it out of the configuration"
                    )
            return replace(suite, name=name)
        if not user_file.names_a_file(name):
            return catalogue.find(name)
        where, colon, wanted = name.rpartition(":")
        path = os.path.relpath(self.folder / where)
        if name not in self._named and not self._is_own(where):
            lock = os.path.relpath(self.folder)
            return catalogue.named_by_data(
                f"{path}{colon}{wanted}", f"the lock in {lock}", "regress --baseline FILE"
            )
        return replace(user_file.load(f"{path}{colon}{wanted}"), name=name)

    def _found(self, name: str) -> Suite:
        with interrupted(f"what {name} means", self._timeout):
            return self.find(name)

    def _is_own(self, where: str) -> bool:
        inside = real(self.folder / where).is_relative_to(real(self.folder))
        return self._own and inside

    def name(self, given: str) -> str:
        """A lock's name for what the command line calls ``given``."""
        if specifications.names_a_specification(given):
            where, at, rest = text_parted(given)
            return f"{os.path.relpath(where, self.folder).replace(os.sep, '/')}{at}{rest}"
        if not user_file.names_a_file(given):
            return catalogue.find(given).name
        where, colon, wanted = given.rpartition(":")
        path = os.path.relpath(where, self.folder).replace(os.sep, "/")
        return f"{path}{colon}{wanted}"

    def chosen(
        self,
        lock: Lock,
        given: Sequence[str],
        parameters: dict[str, int],
        add: bool,
        for_all: bool = False,
        named: Sequence[str] = (),
    ) -> Iterator[Case]:
        """The models that were asked for by name; with ``add`` also those not in the lock yet.

        With ``for_all`` only what is locked at all parameter values at once. Of a new model the
        lock is to hold the claims that are ``named``, if any are. What is locked at all parameter
        values, or claim by claim, does not stand for the whole model, which is added beside it.

        Raises LockError for one that the lock does not hold, or that it could hold nothing of, and
        what finding them raises.
        """
        for name in dict.fromkeys(self.name(word) for word in given):
            held = [m for m in lock.models if m.protocol == name]
            if for_all:
                held = [m for m in held if m.for_all]
            if parameters:
                values = parameter_values(self._found(name).protocol, parameters)
                held = [m for m in held if m.key == key_of(name, values)]
            part = add and not for_all and not named and not any(map(_is_whole, held))
            if held:
                cases = [case_of(m, self.find, self._timeout) for m in held]
                readable = all(case.suite is not None for case in cases)
                yield from self._widened(cases, name, parameters) if part and readable else cases
            elif add:
                limits = for_all, bool(named), self._timeout
                made = new_case(name, parameters, self.find, *limits)
                _require_claims(made)
                yield made
            else:
                raise LockError(
                    f"the lock does not hold {name} at these parameters: --update adds it"
                )

    def _widened(self, cases: Sequence[Case], name: str, parameters: dict[str, int]) -> list[Case]:
        """Cases of which one at these parameters is to hold all that a lock holds.

        One that holds claims by name there is that one: of two cases of one model an update would
        write the block of the second alone.

        Raises what finding the protocol or reading the parameters raises.
        """
        made = new_case(name, parameters, self.find, seconds=self._timeout)
        key = key_of(name, made.parameters)
        for number, case in enumerate(cases):
            if case.locked is not None and case.locked.key == key:
                whole = replace(case, named=False)
                return [*cases[:number], whole, *cases[number + 1 :]]
        return [*cases, made] if _adds(made, cases) else list(cases)

    def meant(self, given: str, claims: Sequence[str]) -> tuple[str, ...]:
        """Return the claims of a protocol that a lock is to hold: of one in parts, all of these.

        Raises UnknownName for a claim that the protocol does not state, or that nothing decides.
        """
        if not claims:
            return ()
        name = self.name(given)
        suite = self._found(name)
        found = [part for claim in claims for part in suite.parts.get(claim, (claim,))]
        for claim in found:
            if claim in suite.unjudged:
                suite.find(claim)
            if claim not in lockable(suite) and not suite.is_temporal(claim):
                known = [*lockable(suite), *(d.name for d in suite.temporal)]
                raise UnknownName(
                    f"{name} has no claim {claim!r} that a lock can hold: {suggest(claim, known)}"
                )
        return tuple(dict.fromkeys(found))

    def missing(self, lock: Lock) -> tuple[list[str], list[tuple[str, str]]]:
        """What a lock that follows the catalogue lacks of it, and what cannot be had of that."""
        if lock.follows != CATALOGUE:
            return [], []
        held = {m.protocol for m in lock.models if _is_whole(m)}
        missing, unavailable = [], []
        for entry in catalogue.entries():
            if entry.alias_of is not None or entry.name in held:
                continue
            if entry.suite is None:
                unavailable.append((entry.name, entry.unavailable or ""))
            else:
                missing.append(entry.name)
        return missing, unavailable

    def everything(
        self, lock: Lock, add: bool
    ) -> tuple[list[Case], list[str], list[tuple[str, str]]]:
        """All models of a lock; what it lacks, added or only named; and what cannot be had."""
        cases = [case_of(m, self.find, self._timeout) for m in lock.models]
        missing, unavailable = self.missing(lock)
        if not add:
            return cases, missing, unavailable
        for name in missing:
            try:
                cases = self._widened(cases, name, {})
            except BmcError as error:
                unavailable.append((name, str(error)))
        return cases, [], unavailable


def _is_whole(model: LockedModel) -> bool:
    """Whether a lock holds all of a protocol at the parameters of this entry."""
    return not model.for_all and not model.named


def _adds(made: Case, cases: Sequence[Case]) -> bool:
    """Whether a new model has anything for a lock; a temporal claim is held at some parameters."""
    suite = made.suite
    assert suite is not None, "a new model was found"
    blocks = (c.locked for c in cases if c.protocol == made.protocol)
    held = {p.name for block in blocks if block is not None for p in block.properties}
    return bool(lockable(suite)) or any(claim.name not in held for claim in suite.temporal)


def _require_claims(case: Case) -> None:
    """Raise LockError for a new model of which a lock would hold nothing."""
    suite = case.suite
    assert suite is not None, "a new model was found"
    held = lockable_for_all(suite) if case.for_all else (*lockable(suite), *suite.temporal)
    if not held:
        where = " at all parameter values" if case.for_all else ""
        rest = ": its temporal claims are locked without --all-parameters" if suite.temporal else ""
        raise LockError(f"{case.protocol} states nothing that a lock holds{where}{rest}")
