"""Protocols from a user's own file: `path/to/file.py:ClassName`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

from bmc.cli.shared.blame import UserModelError as UserModelError
from bmc.cli.shared.blame import blaming as blaming
from bmc.cli.shared.unasked import require_asked
from bmc.cli.shared.user_modules import run
from bmc.lang.aliases import aliases_of
from bmc.lang.deadlock import require_own_names, terminated_in
from bmc.lang.errors import LanguageError, UnknownName, placed, suggest
from bmc.lang.fingerprint import fingerprint, property_digest, temporal_digest, term_digest
from bmc.lang.function_text import require_as_loaded
from bmc.lang.model import Action, Source
from bmc.lang.outliving import Keeping, modules_of
from bmc.lang.properties import Kind, PropertyDeclaration
from bmc.lang.protocol import Protocol, drawing_said
from bmc.lang.ranking import terms_of
from bmc.lang.state import State
from bmc.lang.suite import Suite
from bmc.lang.temporal import TemporalDeclaration
from bmc.lang.unnamed import unnamed
from bmc.lang.unread import gathered


def names_a_file(name: str) -> bool:
    """Whether a protocol's name is a path rather than a word of the catalogue."""
    path = name.rpartition(":")[0] or name
    return path.endswith(".py") or "/" in path or "\\" in path


def load(name: str) -> Suite:
    """The suite that ``path/to/file.py:ClassName`` means, under that name.

    The file runs as an import of it would; its folder is searched for what it imports.
    """
    where, _, wanted = name.rpartition(":")
    if not where or wanted.endswith(".py"):
        where, wanted = name, ""
    path = Path(where)
    module, others, made = run(path)
    if not wanted:
        raise UnknownName(f"name the protocol as {where}:ClassName: {_offer(module)}")
    found = getattr(module, wanted, None)
    if found is None:
        raise UnknownName(f"{where} has no {wanted!r}: {suggest(wanted, _candidates(module))}")
    with blaming(str(path)):
        suite = checked(suite_of(found, name, f"{where}:{wanted}"))
        # Last, since what is wrong with a text says more than that something is lost.
        require_asked(made, module, others)
        return suite


def suite_of(found: object, name: str, what: str) -> Suite:
    """A suite or a protocol class as the suite ``name``; UserModelError for anything else."""
    if isinstance(found, Suite):
        # A certificate must name the protocol as the command line can find it again.
        return replace(found, name=name, notes=_with_what_it_leaves_out(found))
    if isinstance(found, type) and issubclass(found, Protocol) and found is not Protocol:
        return Suite.of(found, name)
    raise UserModelError(
        f"{what} is neither a protocol (a subclass of bmc.lang.Protocol) nor a Suite"
    )


def _with_what_it_leaves_out(suite: Suite) -> tuple[str, ...]:
    """Return a suite's notes, and which claims of its protocol's class it does not list."""
    whole = Suite.of(suite.protocol, suite.name)
    claims: list[PropertyDeclaration | TemporalDeclaration] = [*whole.temporal]
    claims[:0] = whole.declared(Kind.INVARIANT, Kind.STEP_INVARIANT, Kind.WITNESS)
    # Another claim may have the name of one that is left out.
    listed = {id(one) for one in (*suite.properties, *suite.lemmas, *suite.temporal)}
    left_out = [one.name for one in claims if id(one) not in listed]
    if not left_out:
        return suite.notes
    told = f"left out by the suite, so not asked: {', '.join(left_out)}"
    return suite.notes if told in suite.notes else (*suite.notes, told)


def checked(suite: Suite) -> Suite:
    """The suite, once all of it has been described: what its author wrote has run by then.

    It is described twice. A text that says something else the second time (it reads the time, a
    random number, a counter) is refused: each engine would judge a model of its own. Its notes say
    which values of its text nothing reads, and which methods nothing names.
    """
    if suite.origin is None:
        stated: list[PropertyDeclaration | TemporalDeclaration]
        stated = [*suite.properties, *suite.lemmas, *suite.temporal]
        for one in stated:
            source = Source.of(one.function)
            with placed(source.file, source.line):
                require_own_names(suite.protocol.__name__, [one.name])
    written = _written(suite)
    modules = modules_of(written)
    theirs = {module.__name__ for module in modules}
    require_as_loaded(w for w in written if isinstance(w, type) and w.__module__ in theirs)
    kept = Keeping(modules)
    # A copy has read nothing yet.
    again = replace(suite)
    with gathered() as unread:
        first = _described(again)
        _run_what_readers_see(again)
    left = (*unread.notes(), *unnamed(suite.protocol, modules))
    if suite.history is not None:
        left += unnamed(suite.history, modules)
    if notes := [note for note in left if note not in suite.notes]:
        suite = replace(suite, notes=(*suite.notes, *notes))
    if _described(suite) != first:
        raise UserModelError(
            f"{_restless(suite, again)} says something else each time it is read: let nothing in "
            "it depend on random numbers, the time, or variables of Python that change"
        )
    kept.require_unchanged()
    return suite


def _written(suite: Suite) -> list[object]:
    """Return the classes and functions that a suite is written in."""
    stated = (*suite.properties, *suite.lemmas)
    return [
        *suite.protocol.__mro__,
        *(() if suite.history is None else suite.history.__mro__),
        *(one.function for one in stated),
        *(one.function for one in suite.temporal),
        *(one.function for one in suite.rankings),
    ]


def _restless(suite: Suite, again: Suite) -> str:
    """The first action or claim that two readings differ in, with its line; else the protocol."""
    model, other = suite.model(False), again.model(False)
    pairs = zip((model.initial, *model.actions), (other.initial, *other.actions), strict=False)
    for one, two in pairs:
        if _steps(one) != _steps(two):
            return f"{one.source.file}, line {one.source.line}: {one.name}"
    if not model.ghosts:
        for declared in (*suite.properties, *suite.lemmas):
            said = suite.describe(declared, model)
            if said.body is not again.describe(declared, model).body:
                return f"{said.source.file}, line {said.source.line}: {said.name}"
    return suite.name


def _steps(one: Action) -> list[list[str]]:
    return [
        [*map(term_digest, b.guards), *(n + term_digest(v) for n, v in b.updates.items())]
        for b in one.branches
    ]


def _run_what_readers_see(suite: Suite) -> None:
    """Run what decides no verdict, so that its mistakes are told with their line, and at once."""
    model = suite.model(False)
    aliases_of(suite.protocol, model.variables)
    terminated_in(suite.protocol, model)
    drawing_said(suite.protocol(), State(model.variables))


def _described(suite: Suite) -> list[str]:
    models = [suite.model(False)]
    if suite.history is not None:
        models.append(suite.model(True))
    stated = (*suite.properties, *suite.lemmas)
    digests = [property_digest(suite.describe(declared, models[-1])) for declared in stated]
    for claim in suite.temporal:
        # Of behaviours no ghost can be asked.
        said = suite.describe_temporal(claim.name, models[0])
        source = Source.of(claim.function)
        with placed(source.file, source.line, claim.name):
            try:
                fair = suite.specification(said.specification, models[0])
            except UnknownName as unknown:
                raise LanguageError(str(unknown)) from None
        digests.append(temporal_digest(said, fair))
    for one in suite.rankings:
        ranking = suite.describe_ranking(one.name, one.claim, models[0])
        digests += map(term_digest, terms_of(ranking.rank))
    return [*(fingerprint(model, {}) for model in models), *digests]


def _candidates(module: ModuleType) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if isinstance(value, Suite)
        or (
            isinstance(value, type)
            and issubclass(value, Protocol)
            and value.__module__ == module.__name__
        )
    ]


def _offer(module: ModuleType) -> str:
    found = _candidates(module)
    return f"it has {', '.join(found)}" if found else "it has no subclass of bmc.lang.Protocol"
