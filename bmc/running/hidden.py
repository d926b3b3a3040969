"""Modules of Python's own, and installed ones, that a file elsewhere has taken the place of.

A folder on PYTHONPATH comes before Python's library and before what is installed: a ``random.py``
in it is what `import random` finds, for bmc and for all that bmc uses. What fails then is no bug,
and whoever reads of it has to know which file it is.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder


def said_of_hidden() -> str | None:
    """Say which file hides a module that was imported, and what to do; None if none does."""
    return _said_of_pythons() or _said_of_installed()


def _said_of_pythons() -> str | None:
    library = os.path.dirname(os.__file__)
    for name in sorted(sys.stdlib_module_names & sys.modules.keys()):
        file = getattr(sys.modules[name], "__file__", None)
        # What is installed stands in the library, or in an environment behind it on the path.
        if file is None or "site-packages" in file or "dist-packages" in file:
            continue
        if not _lies_in(library, file):
            return (
                f"{file} hides Python's own module {name}, which bmc needs: rename it, or take its "
                "folder out of PYTHONPATH"
            )
    return None


def _said_of_installed() -> str | None:
    """Say it of a module of a package that is installed, which its own folder has as well."""
    from importlib.metadata import distribution, packages_distributions

    installed = packages_distributions()
    for name in sorted(installed.keys() & sys.modules.keys()):
        file = getattr(sys.modules[name], "__file__", None)
        roots = [str(distribution(one).locate_file("")) for one in installed[name]]
        # What a developer works on is installed by its name alone, and stands elsewhere.
        there = [r for r in roots if PathFinder.find_spec(name, [r]) is not None]
        if file is None or not there:
            continue
        if not any(_lies_in(root, file) for root in there):
            return (
                f"{file} hides the package {name} that is installed, which bmc needs: rename it, "
                "or take its folder out of PYTHONPATH"
            )
    return None


def _lies_in(folder: str, file: str) -> bool:
    return os.path.realpath(file).startswith(os.path.realpath(folder) + os.sep)
