"""Failures of a lock, each named after what its reader has to do about it."""

from bmc.lang.errors import BmcError


class LockError(BmcError):
    """A lock, or what lies beside it, cannot be used; nothing was changed."""


class NoLock(LockError):
    """There is no lock where one was looked for."""


class LockFormatError(LockError):
    """The text of a lock is not what bmc wrote: cut short, edited, or merged half-way."""


class NewerLock(LockError):
    """The lock was written by a later bmc."""


class EvidenceError(LockError):
    """An evidence file is missing, damaged, or about something else."""


class LockBusy(LockError):
    """Somebody else is updating this lock."""


class UnwritableLock(LockError):
    """The lock or its evidence cannot be written."""


class NothingToAccept(LockError):
    """An acceptance names nothing that the lock holds."""
