"""Sets: comprehensions whose binders stay binders, quantifiers, membership, set algebra, CHOOSE."""

from __future__ import annotations

from bmc.frontends.tla.translate.choosing import Choosing
from bmc.frontends.tla.translate.comprehensions import Comprehensions
from bmc.frontends.tla.translate.fitting import Fitting
from bmc.frontends.tla.translate.membership import Membership


class Collections(Comprehensions, Membership, Fitting, Choosing):
    """Sets of every kind."""
