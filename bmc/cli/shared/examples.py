"""The examples that come with bmc: beside the package in a wheel, in docs/ of a checkout."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import bmc
from bmc.lang.errors import BmcError, UnknownName, suggest
from bmc.running.files import write_file

_ENDINGS = (".py", ".tla")


class AlreadyThere(BmcError):
    """A file of the name of what is to be made."""


@dataclass(frozen=True)
class Example:
    """A protocol in a file, and its configurations; ``about`` is its first sentence."""

    name: str
    about: str
    files: tuple[Path, ...]


def examples() -> tuple[Example, ...]:
    """Return all examples, by name."""
    package = Path(bmc.__file__).parent
    folder = package / "examples"
    if not folder.is_dir():
        folder = package.parent / "docs" / "examples"
    found = sorted(path for path in folder.rglob("*") if path.suffix in _ENDINGS)
    return tuple(Example(path.stem, _about(path), _files(path)) for path in found)


def copy_example(name: str, folder: Path) -> list[Path]:
    """Copy an example's files into a folder, and return their new places.

    Raises UnknownName, and AlreadyThere, before anything is written.
    """
    known = {one.name: one for one in examples()}
    if name not in known:
        raise UnknownName(f"there is no example {name!r}: {suggest(name, list(known))}")
    places = {path: folder / path.name for path in known[name].files}
    for place in places.values():
        if place.exists():
            raise AlreadyThere(f"{place} is there already: choose another folder, or remove it")
    for path, place in places.items():
        write_file(place, path.read_bytes())
    return list(places.values())


def _files(path: Path) -> tuple[Path, ...]:
    """A protocol, and for a specification the configurations beside it that no other one names."""
    if path.suffix == ".py":
        return (path,)
    others = {one.stem for one in path.parent.glob("*.tla")} - {path.stem}
    return (path, *sorted(one for one in path.parent.glob("*.cfg") if one.stem not in others))


def _about(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    return "a TLA+ specification"
