"""Whether what a user's file imports is what lies beside it.

The folder of a file is searched after all others, so that nothing in it takes the place of a module
that bmc needs. Where another module of the same name is found first, the protocol would be judged
with what its author has not written.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from bmc.lang.errors import LanguageError
from bmc.running.files import real

_IMPORT_BY_A_CALL = {"importlib", "pkgutil", "runpy"}


def require_its_own(module: ModuleType, main: ModuleType, folder: Path) -> None:
    """Raise LanguageError with file and line where a module imports another one than its folder's.

    ``folder`` is the one that is searched for what the module imports, and ``main`` what was asked
    for: who imports that runs its file once more, and what is declared there is not asked.
    """
    file = Path(str(module.__file__))
    for line, name in _imported(ast.parse(file.read_bytes())):
        found = getattr(sys.modules.get(name), "__file__", None)
        if found is not None and real(found) == real(str(main.__file__)):
            raise LanguageError(
                f"{file.name}:{line}: {name} is the file that was asked for, which would be run "
                "a second time, as another module: move what both of them need into a third file"
            )
        beside = [
            one for one in (folder / f"{name}.py", folder / name / "__init__.py") if one.is_file()
        ]
        if name == "bmc" or not beside or name not in sys.modules:
            continue
        if len(beside) > 1:
            raise LanguageError(
                f"{file.name}:{line}: {name} is {beside[0]} and {beside[1].parent}, of which "
                "Python reads the folder alone: give one of them another name"
            )
        if found is None or real(found) not in [real(one) for one in beside]:
            raise LanguageError(
                f"{file.name}:{line}: {name} is {found or 'a module of Python'}, which is found "
                f"before {beside[0]}: give the file beside it a name that no other module has"
            )


def _imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the lines and the first names of what a text imports, or may import by a call.

    What is called, and with which of a text's strings, is known when it runs alone: where a text
    has a word that imports, each string may be the name.
    """
    parts = list(ast.walk(tree))
    calls = any(_imports_by_a_call(part) for part in parts)
    for part in parts:
        match part:
            case ast.Import(names):
                yield from ((part.lineno, one.name.partition(".")[0]) for one in names)
            case ast.ImportFrom(str(name), _, 0):
                yield part.lineno, name.partition(".")[0]
            case ast.Constant(str(name)) if calls:
                if (first := re.split("[.:]", name)[0]).isidentifier():
                    yield part.lineno, first


def _imports_by_a_call(part: ast.AST) -> bool:
    match part:
        case ast.Import(names):
            return any(one.name.partition(".")[0] in _IMPORT_BY_A_CALL for one in names)
        case ast.ImportFrom(str(name)):
            return name.partition(".")[0] in _IMPORT_BY_A_CALL
        case ast.Name(word) | ast.Attribute(_, word):
            return word == "__import__"
    return False
