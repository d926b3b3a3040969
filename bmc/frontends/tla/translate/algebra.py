"""Formulas, equality and coercion: where values without a sort meet sorts.

`coerce` is the only place where a value takes a shape that it does not have by itself: a record
literal becomes a record of the variable's sort, `Nil` becomes none, a number is narrowed to the
variable's range. Where nothing fits, the two sides of an equation differ.
"""

from __future__ import annotations

from bmc.frontends.tla.translate.coercion import Coercion
from bmc.frontends.tla.translate.equality import Equality
from bmc.frontends.tla.translate.extents import Extents
from bmc.frontends.tla.translate.tables import Tables


class Algebra(Extents, Coercion, Equality, Tables):
    """Builds formulas and brings values to sorts."""
