"""What can be wrong with a log or with the file that maps it."""

from bmc.lang.errors import BmcError


class MappingError(BmcError):
    """A mapping file is not what its schema asks for, or does not fit the protocol."""


class LogError(BmcError):
    """A line of a log cannot be read; the message names it."""


class UnreadableValue(BmcError):
    """A logged value is none of the sort that the mapping puts it at."""
