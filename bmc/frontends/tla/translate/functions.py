"""Functions, records, tuples and sequences: application, EXCEPT, DOMAIN, and what `Sequences` has.

A sequence that an expression makes is its length and its elements by position; it is written down
element by element where it meets the sort of a variable.
"""

from __future__ import annotations

from bmc.frontends.tla.translate.arithmetic import Arithmetic
from bmc.frontends.tla.translate.sequences import Sequences
from bmc.frontends.tla.translate.updates import Updates


class Functions(Updates, Sequences, Arithmetic):
    """Functions of every kind."""
