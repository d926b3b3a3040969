"""What cannot be written as TLA+."""

from bmc.lang.errors import BmcError


class NoTla(BmcError):
    """A protocol says something for which there is no TLA+, or too much of it."""
