"""What says that a protocol is no model at the parameters it is asked at."""

from bmc.lang.errors import BoundTooSmall, LanguageError
from bmc.layout.affordable import TooLarge
from bmc.layout.inhabited import EmptySort
from bmc.system.transition import NoInitialState

NO_MODEL = (BoundTooSmall, EmptySort, LanguageError, NoInitialState, TooLarge)
"""Failures that are no fault of bmc: who judges several models has them cost this one alone."""
