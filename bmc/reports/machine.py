"""The machine a report was made on: versions of what took part, and memory."""

from __future__ import annotations

import platform
import sys

from bmc import __version__

PACKAGES = {
    "z3": "z3-solver",
    "python-sat": "python-sat",
    "bitwuzla": "bitwuzla",
    "cvc5": "cvc5",
    "numpy": "numpy",
}
"""What a verdict can depend on, with the name of its distribution."""


def version_of(distribution: str) -> str | None:
    """The installed version of a distribution; None when it is missing."""
    from importlib import metadata

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def versions() -> dict[str, str | None]:
    """bmc, Python and the packages a verdict can depend on; None for what is missing."""
    found: dict[str, str | None] = {"bmc": __version__, "python": platform.python_version()}
    return found | {name: version_of(package) for name, package in PACKAGES.items()}


def peak_memory_mb() -> tuple[float, float] | None:
    """The peak resident memory of this process and of its largest child so far, in megabytes.

    None where the system does not tell.
    """
    try:
        import resource
    except ImportError:
        return None
    # Linux counts in kilobytes, macOS in bytes.
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit
    return round(own, 1), round(children, 1)
