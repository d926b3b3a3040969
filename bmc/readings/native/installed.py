"""Whether machine code can be made here, found out without importing what makes it."""

from __future__ import annotations

import sys
from importlib.util import find_spec


def installed() -> bool:
    """Return whether llvmlite is there. Packed states are little-endian where code reads them."""
    return sys.byteorder == "little" and find_spec("llvmlite") is not None
