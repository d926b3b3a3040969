"""z3, with the library that is beside it in its package and with no other.

The package looks for its library in the working directory first, where anybody may have put one,
and takes the system's, of whatever version, where its own cannot be loaded.
"""

from __future__ import annotations

import builtins
import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

_NAMES = ("libz3.so.*", "libz3.so", "libz3.dylib", "libz3.dll")
"""As the package looks for them, the first one first."""


def own_library() -> Path | None:
    """Return the library of the package, None where it has none and uses the system's."""
    package = find_spec("z3")
    folders = package.submodule_search_locations if package is not None else None
    for folder in folders or ():
        for name in _NAMES:
            for found in sorted(Path(folder, "lib").glob(name)):
                return found
    return None


@contextmanager
def found_there(library: Path) -> Iterator[None]:
    """Let the block import z3 with this library; ImportError where it cannot be loaded."""
    try:
        ctypes.CDLL(str(library))
    except OSError as error:
        raise ImportError(str(error)) from error
    before = getattr(builtins, "Z3_LIB_DIRS", None)
    builtins.Z3_LIB_DIRS = [str(library.parent)]  # type: ignore[attr-defined]
    try:
        yield
    finally:
        if before is None:
            del builtins.Z3_LIB_DIRS  # type: ignore[attr-defined]
        else:
            builtins.Z3_LIB_DIRS = before  # type: ignore[attr-defined]


if (_library := own_library()) is None:
    import z3
else:
    with found_there(_library):
        import z3

__all__ = ["found_there", "own_library", "z3"]
