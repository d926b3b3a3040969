"""Modules of Python's own that a file of another folder has taken the place of.

A folder on PYTHONPATH comes before Python's library: a ``random.py`` in it is what `import random`
finds, for bmc and for all that bmc uses. What fails then is no bug, and whoever reads of it has to
know which file it is.
"""

from __future__ import annotations

import os
import sys


def said_of_hidden() -> str | None:
    """Say which file hides a module of Python's that was imported, and what to do; None if none."""
    library = os.path.realpath(os.path.dirname(os.__file__))
    for name in sorted(sys.stdlib_module_names & sys.modules.keys()):
        file = getattr(sys.modules[name], "__file__", None)
        # What is installed stands in the library, or in an environment behind it on the path.
        if file is None or "site-packages" in file or "dist-packages" in file:
            continue
        if not os.path.realpath(file).startswith(library + os.sep):
            return (
                f"{file} hides Python's own module {name}, which bmc needs: rename it, or take its "
                "folder out of PYTHONPATH"
            )
    return None
