"""A user's file and the modules that lie beside it, run as their texts say."""

from __future__ import annotations

import sys
from importlib import invalidate_caches
from importlib.abc import PathEntryFinder
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
)
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType

from bmc.cli.shared.blame import UserModelError, blaming
from bmc.cli.shared.neighbours import require_its_own
from bmc.lang.declared import Declaration, noted_declarations
from bmc.lang.errors import none_swallowed
from bmc.running.files import real


def run(path: Path) -> tuple[ModuleType, list[ModuleType], list[Declaration]]:
    """Return a file's module, those that it imports from its folder, and all that they declare.

    Raises UserModelError for what is no Python file, and for what its text raises.
    """
    try:
        # A pipe would be waited for, and it is read more than once.
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise UserModelError(f"{path} is no file but a pipe or a device: write it into a file")
        with path.open("rb") as file:
            file.read(1)
    except OSError as error:
        raise UserModelError(f"cannot read {path}: {error.strerror}") from None
    if path.suffix not in SOURCE_SUFFIXES:
        raise UserModelError(f"{path} is not a Python file: its name must end in .py")
    name = f"_bmc_user_{path.stem}"
    loader = _FromText(name, str(path))
    spec = spec_from_loader(name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    folder = real(path).parent
    _search(folder)
    before = set(sys.modules)
    with blaming(str(path)), none_swallowed(), noted_declarations() as made:
        try:
            loader.exec_module(module)
        finally:
            imported = {n for n in set(sys.modules) - before if _lies_in(folder, n)}
            _beside.update(imported)
        others = [sys.modules[name] for name in imported]
        for one in (module, *others):
            require_its_own(one, module, folder)
    return module, others, made


class _FromText(SourceFileLoader):
    """Compiles a module from its text, whatever bytecode lies beside it.

    Python takes bytecode for that of a text of the same length and second, which it need not be.
    """

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def _search(folder: Path) -> None:
    """Let imports search a folder, last, and read what they find there as it is written now."""
    # Of two folders that hold a module of one name the earlier one's would be taken.
    sys.path[:] = [one for one in sys.path if one not in _searched]
    for earlier in _searched:
        # Who reads many files would look at the folders of all of them each time.
        sys.path_importer_cache.pop(earlier, None)
    _searched.clear()
    if str(folder) not in sys.path:
        # Last, so that nothing in it takes the place of a module that bmc itself needs.
        sys.path.append(str(folder))
        _searched.add(str(folder))
    _read_from.clear()
    _read_from.add(folder)
    if _finder not in sys.path_hooks:
        sys.path_hooks.insert(0, _finder)
    for name in _beside:
        sys.modules.pop(name, None)
    for known in [one for one in sys.path_importer_cache if _is_read_from_text(Path(one))]:
        del sys.path_importer_cache[known]
    invalidate_caches()


def _finder(path: str) -> PathEntryFinder:
    if not _is_read_from_text(Path(path)):
        raise ImportError
    return _find_texts(path)


_find_texts = FileFinder.path_hook(
    (ExtensionFileLoader, EXTENSION_SUFFIXES), (_FromText, SOURCE_SUFFIXES)
)


def _is_read_from_text(where: Path) -> bool:
    """Whether a folder is that of the file, or below it and of no other place that is searched."""
    where = real(where)
    if not any(where.is_relative_to(folder) for folder in _read_from):
        return False
    searched = (real(one) for one in sys.path)
    around = [one for one in searched if where.is_relative_to(one)]
    return max(around, key=lambda one: len(one.parts), default=None) in _read_from


_searched: set[str] = set()
"""The folder of the file that was run last, where it was searched for that file alone."""

_read_from: set[Path] = set()
"""The folder of the file that was run last."""

_beside: set[str] = set()
"""The modules that files imported from their own folders: a file that is run again after one of
them has changed would be judged with what it was."""


def _lies_in(folder: Path, name: str) -> bool:
    """Whether a module is its author's own: neither bmc's nor installed below the folder."""
    file = getattr(sys.modules[name], "__file__", None)
    if file is None or name.partition(".")[0] == "bmc" or not file.endswith(".py"):
        return False
    where = real(file)
    installed = {"site-packages", "dist-packages"}.intersection(where.parts)
    return where.is_relative_to(folder) and not installed
