"""Where modules come from: the specification's folder, then the texts that are shipped."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import assert_never

from . import tree as t
from .errors import LIBRARY, Span, TlaError, TlaNameError
from .lexer import LARGEST, module_head
from .pluscal import edited_translation, untranslated
from .standard import BUILT_IN, REFUSED
from .syntax import parse

_STANDARD = ("Naturals", "Integers", "Reals", "Sequences", "FiniteSets", "TLC")

_MOST = 500
"""Modules that one specification may have."""


class Library:
    """The modules of a specification, each read once, and their texts for messages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._modules: dict[str, t.Module | None] = {}
        self._texts: dict[str, str] = {}
        self._lines: dict[str, list[str]] = {}

    def read(self, path: Path, name: str) -> t.Module:
        """Read a file. Raises TlaError: it cannot be read, or has another module."""
        file = str(path)
        try:
            with path.open(encoding="utf-8") as stream:
                # A device may have no end.
                text = stream.read(LARGEST + 1)
        except OSError as error:
            raise TlaError(_start(file), f"cannot read the file: {error.strerror}") from None
        except UnicodeDecodeError:
            raise TlaError(_start(file), "the file is not UTF-8", "save it as UTF-8") from None
        self._lines[file] = text.split("\n")
        self._texts[file] = text
        module = parse(text, file)
        if module.name != name:
            raise TlaNameError(
                module.span,
                f"the file holds module {module.name}, not {name}",
                f"call the file {module.name}.tla, or the module {name}",
            )
        self._modules[name] = module
        return module

    def find(self, name: t.Name) -> t.Module | None:
        """Return the module of a name; None for one that is built in. Raises TlaNameError."""
        if name.text in self._modules:
            return self._modules[name.text]
        if name.text in _STANDARD:
            return None
        if len(self._modules) >= _MOST:
            raise TlaNameError(name.span, f"the specification has more than {_MOST} modules")
        for folder in (self.folder, LIBRARY):
            path = folder / f"{name.text}.tla"
            if path.is_file():
                return self.read(path, name.text)
        for file, text in self._texts.items():
            if module_head(text, name.text) is not None:
                module = parse(text, file, name.text)
                self._modules[name.text] = module
                return module
        if name.text in BUILT_IN or name.text in REFUSED:
            return None
        near = get_close_matches(name.text, sorted({*_STANDARD, *BUILT_IN}))
        raise TlaNameError(
            name.span,
            f"there is no module {name.text}",
            (f"did you mean {' or '.join(near)}? Else " if near else "")
            + f"put {name.text}.tla into {self.folder}, beside the specification",
        )

    @staticmethod
    def is_own(module: t.Module) -> bool:
        """Tell whether a module is one of the texts that are shipped."""
        return LIBRARY in Path(module.span.file).parents

    def files(self) -> tuple[str, ...]:
        """Return the files that were read and are not those of bmc's own library."""
        return tuple(file for file in self._texts if LIBRARY not in Path(file).parents)

    def texts(self) -> Mapping[str, str]:
        """Return the text of each file as it was read, bmc's own library included."""
        return dict(self._texts)

    def edited(self) -> tuple[str, ...]:
        """Return a note for each of these files whose translation of PlusCal was edited."""
        found = ((file, edited_translation(self._texts[file])) for file in self.files())
        return tuple(
            f"{Path(file).name}:{line}: this translation of PlusCal has changed since it was made: "
            "it is read as it stands here, and not its algorithm"
            for file, line in found
            if line is not None
        )

    def untranslated(self) -> str | None:
        """Return the name of one of these files whose PlusCal has no translation."""
        found = (file for file in self.files() if untranslated(self._texts[file]))
        return next((Path(file).name for file in found), None)

    def line_of(self, span: Span) -> str | None:
        """Return the line that a span begins in, its file read if need be; None without one."""
        if span.file not in self._lines:
            try:
                text = Path(span.file).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                return None
            self._lines[span.file] = text.split("\n")
        return self.line(span)

    def line(self, span: Span) -> str | None:
        """Return the line of the text that the span begins in, if it is one of these files."""
        lines = self._lines.get(span.file)
        if lines is None or not 1 <= span.line <= len(lines):
            return None
        return lines[span.line - 1].rstrip("\r")


def _start(file: str) -> Span:
    return Span(file, 1, 1, 1, 1)


def sharing(module: t.Module) -> tuple[t.Name, ...]:
    """Return the modules whose names are a module's as well."""
    instances = (one for one in module.units if isinstance(one, t.InstanceOf) and one.name is None)
    return (*module.extends, *(one.module for one in instances))


def names_in(module: t.Module | None) -> Iterator[str]:
    """Yield what a module itself declares and defines."""
    for unit in () if module is None else module.units:
        match unit:
            case t.Constants(declared=declared):
                yield from (one.name for one in declared)
            case t.Variables(names=names):
                yield from (one.text for one in names)
            case (
                t.OperatorOf(name=name)
                | t.FunctionNamed(name=name)
                | t.InstanceOf(name=t.Name() as name)
            ):
                yield name.text
            case t.Assumption():
                yield unit.name
            case t.Recursive() | t.InstanceOf() | t.Module():
                pass
            case _:
                assert_never(unit)
