"""Sets: comprehensions whose binders stay binders, quantifiers, membership, set algebra, CHOOSE."""

from __future__ import annotations

from bmc.frontends.tla.translate.comprehensions import Comprehensions
from bmc.frontends.tla.translate.fitting import Fitting
from bmc.frontends.tla.translate.membership import Membership
from bmc.frontends.tla.translate.set_operations import SetOperations


class Collections(Comprehensions, Membership, Fitting, SetOperations):
    """Sets of every kind."""
