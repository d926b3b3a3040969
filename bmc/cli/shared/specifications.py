"""Protocols that are TLA+ specifications: `Spec.tla`, at the .cfg of the same name or another.

The options `--config`, `--lemma` and `--bound` stand on every command that takes a PROTOCOL.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from bmc.lang.errors import BmcError
from bmc.lang.suite import Suite
from bmc.lang.text_names import text_parted
from bmc.running.files import real

if TYPE_CHECKING:
    from bmc.frontends.tla.specification import Specification
    from bmc.frontends.tla.suite import Complaints

ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE.cfg", help="The configuration of a .tla protocol."),
]
LemmaOption = Annotated[
    list[str] | None,
    typer.Option("--lemma", metavar="NAME", help="Offer an operator of a .tla for induction."),
]
BoundOption = Annotated[
    list[str] | None,
    typer.Option("--bound", metavar="NAME=LOW..HIGH", help="Bound a variable of a .tla protocol."),
]


_T = TypeVar("_T")


class NoSpecification(BmcError):
    """An option for specifications stands where there is none, or cannot be read."""


@dataclass(frozen=True)
class _Options:
    config: Path | None = None
    lemmas: Sequence[str] = ()
    bounds: Sequence[str] = ()


_given = _Options()


def names_a_specification(name: str) -> bool:
    """Tell whether a protocol's name is that of a .tla file, perhaps `@` its configuration."""
    return text_parted(name)[0].endswith(".tla")


def load(name: str, partly: bool = False) -> Suite:
    """Return the suite that `Spec.tla@Other.cfg,N=3` or `Spec.tla@N=3` means, with the options.

    A configuration is named as seen from the specification's folder; `N=3` gives the constant N
    that value, or, if the configuration gives N a set of model values, so many of them. ``partly``
    is as in :func:`bmc.frontends.tla.suite.suite_of`. Raises TlaError and NoSpecification.
    """
    from bmc.frontends.tla.suite import suite_of

    asked = _asked(name)
    return suite_of(
        asked.known, asked.path, asked.config, asked.lemmas, asked.bounds, asked.constants, partly
    )


def text_of(name: str) -> tuple[str, Specification]:
    """Return the text that a name stands for, nothing translated, and what it is known by.

    Raises what :func:`load` raises.
    """
    from bmc.frontends.tla.suite import specification_of

    if not names_a_specification(name):
        raise NoSpecification(f"{name!r} is no specification: --on-text is of a .tla file")
    asked = _asked(name)
    return asked.known, specification_of(
        asked.path, asked.config, asked.lemmas, asked.bounds, asked.constants
    )


@dataclass(frozen=True)
class _Asked:
    """What a specification's name and the options say; it is known by what others can ask for."""

    known: str
    path: Path
    config: Path | None
    lemmas: tuple[str, ...]
    bounds: dict[str, tuple[int, int]]
    constants: dict[str, int]


def _asked(name: str) -> _Asked:
    where, _, rest = text_parted(name)
    named, constants = _named(rest)
    path = Path(where)
    config = _configuration(path, named)
    if not named and config is not None:
        named = _relative(config, path.parent)
    known = where + (
        f"@{','.join(filter(None, [named, *constants]))}" if named or constants else ""
    )
    return _Asked(
        known,
        path,
        config,
        tuple(_given.lemmas),
        _each_once("--bound", map(_bound, _given.bounds)),
        _each_once(known, map(_constant, constants)),
    )


def _configuration(path: Path, named: str) -> Path | None:
    """Return the configuration that a name or --config names; None for the specification's own.

    Raises NoSpecification where they name two.
    """
    if not named:
        return _given.config
    config = path.parent / named
    # What a command was given is asked again by the name that it became, beside the same option.
    if _given.config is not None and real(_given.config) != real(config):
        raise NoSpecification(
            f"{path}@{named} names its configuration, and --config another one: leave one out"
        )
    return config


def _each_once(whose: str, pairs: Iterable[tuple[str, _T]]) -> dict[str, _T]:
    """Return what names are given. Raises NoSpecification for one that is given two values."""
    found: dict[str, _T] = {}
    for name, value in pairs:
        if found.setdefault(name, value) != value:
            raise NoSpecification(f"{name} of {whose} is given twice: say it once")
    return found


def constants_of(name: str) -> frozenset[str]:
    """Return the names of a specification's constants. Raises TlaError."""
    from bmc.frontends.tla import suite

    where, _, rest = text_parted(name)
    path, named = Path(where), _named(rest)[0]
    return suite.constants_of(path, _configuration(path, named))


def point(name: str, parameters: Mapping[str, int]) -> tuple[str, dict[str, int]]:
    """Return the name of a protocol at parameter values, and which of them are still parameters.

    The constants of a specification are part of its name, for its model is another one at each
    choice of them; a protocol in Python keeps its parameters.
    """
    if names_a_specification(name):
        return at(name, parameters), {}
    return name, dict(parameters)


def without_constants(name: str) -> str:
    """Return the name of a specification at its configuration, which other places have to know.

    Raises NoSpecification where the command line gives what no name can say, and where the name
    gives constants already.
    """
    require_sayable()
    where, _, rest = text_parted(name)
    named, constants = _named(rest)
    if constants:
        raise NoSpecification(f"{name} gives constants: write -p {constants[0]} in their place")
    if not named and _given.config is not None:
        named = _relative(_given.config, Path(where).parent)
    return f"{where}@{named}" if named else where


def require_sayable() -> None:
    """Raise NoSpecification where the command line gives what no specification's name says."""
    if _given.lemmas or _given.bounds:
        raise NoSpecification(
            "--lemma and --bound are known to this process alone: write them into the "
            "configuration, as \\* bmc: lemma NAME and \\* bmc: bound NAME LOW..HIGH"
        )


def bounds_given() -> bool:
    """Tell whether this command line bounds variables, which a text without a model has not."""
    return bool(_given.bounds)


def require_a_text(others: Mapping[str, object]) -> None:
    """Raise NoSpecification for what is given beside no text: ``others``, or what is of texts."""
    of_texts = {"--config": _given.config, "--lemma": _given.lemmas, "--bound": _given.bounds}
    for option, value in (*others.items(), *of_texts.items()):
        if value:
            raise NoSpecification(f"{option} is of a specification: name a .tla file, too")


def options_given() -> str:
    """Return the options of this command line that no specification's name says."""
    lemmas = [f" --lemma {quote(name)}" for name in _given.lemmas]
    return "".join(lemmas + [f" --bound {quote(one)}" for one in _given.bounds])


def is_here(name: str) -> bool:
    """Tell whether a specification and its configuration lie below the working directory."""
    where, _, rest = text_parted(name)
    path, named = Path(where), _named(rest)[0]
    files = [path, *([path.parent / named] if named else [])]
    here = real(Path.cwd())
    return all(file.is_file() and real(file).is_relative_to(here) for file in files)


def complaints(name: str) -> Complaints:
    """Return what keeps a specification from being checked, and what else its user has to know.

    Raises TlaError and NoSpecification.
    """
    from bmc.frontends.tla.suite import complaints as found

    if not names_a_specification(name):
        raise NoSpecification(f"{name!r} is no specification: name a .tla file")
    asked = _asked(name)
    return found(asked.path, asked.config, asked.lemmas, asked.bounds, asked.constants)


def at(name: str, constants: Mapping[str, object]) -> str:
    """Return the name of a specification with further constants given."""
    if not constants:
        return name
    given = ",".join(f"{constant}={value}" for constant, value in constants.items())
    return f"{name},{given}" if text_parted(name)[1] else f"{name}@{given}"


def _named(rest: str) -> tuple[str, list[str]]:
    """Return the configuration (or nothing) and the constants of a name, from behind its `@`."""
    first, *others = rest.split(",") if rest else [""]
    return ("", [first, *others]) if "=" in first else (first, others)


def _constant(word: str) -> tuple[str, int]:
    found = re.fullmatch(r"(\w+)=(-?\d{1,9})", word)
    if found is None and word.endswith(".cfg"):
        raise NoSpecification(
            f"{word!r} gives no constant a number: a configuration stands in the name, as in "
            "Spec.tla@Other.cfg"
        )
    if found is None:
        raise NoSpecification(
            f"{word!r} gives no constant a number: write, for example, -p Replicas=3"
        )
    return found[1], int(found[2])


def _relative(config: Path, folder: Path) -> str:
    try:
        return str(real(config).relative_to(real(folder)))
    except ValueError:
        return str(real(config))


def _bound(word: str) -> tuple[str, tuple[int, int]]:
    found = re.fullmatch(r"\s*(\w+)\s*=\s*(-?\d{1,9})\s*\.\.\s*(-?\d{1,9})\s*", word)
    if found is None:
        raise NoSpecification(f"{word!r} is no bound: write, for example, --bound clock=0..7")
    return found[1], (int(found[2]), int(found[3]))


def _require_a_specification(chosen: dict[str, Any], options: dict[str, Any]) -> None:
    """Raise BadParameter for what would say nothing: no protocol that is named is a .tla file."""
    words = {"of_config": "--config", "of_lemmas": "--lemma", "of_bounds": "--bound"}
    said = [words[name] for name, value in chosen.items() if value]
    named = [*(options.get("protocols") or []), *filter(None, [options.get("protocol")])]
    # Faults and values stand behind a file's name, so it need not end in this.
    if said and named and not any(".tla" in name for name in named):
        raise typer.BadParameter(
            f"it is of a .tla protocol, and {named[0]!r} is none: leave it out", param_hint=said[0]
        )


def for_specifications(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the options of specifications besides its own."""
    added = {"of_config": ConfigOption, "of_lemmas": LemmaOption, "of_bounds": BoundOption}

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        global _given
        chosen = {name: options.pop(name, None) for name in added}
        _require_a_specification(chosen, options)
        before = _given
        _given = _Options(chosen["of_config"], chosen["of_lemmas"] or (), chosen["of_bounds"] or ())
        try:
            command(*args, **options)
        finally:
            _given = before

    signature = inspect.signature(command, eval_str=True)
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in added.items()
    ]
    whole = signature.replace(parameters=[*signature.parameters.values(), *more])
    run.__signature__ = whole  # type: ignore[attr-defined]
    run.__annotations__ = {**command.__annotations__, **added}
    return run
