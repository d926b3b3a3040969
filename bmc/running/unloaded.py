"""Libraries and modules that were not loaded for want of memory.

Nothing is imported here: whoever has no memory to load the rest asks this.
"""

LIMIT_TO_RAISE = "the system's limit of memory (`ulimit -v`, `ulimit -d`) is to be raised"
"""What is to be done where the system limits the memory of a process."""

# The loader of shared objects has no code for it.
_SAID = ("failed to map segment", "annot allocate memory", "cannot map zero-fill pages")


def lacked_memory_to_load(error: BaseException) -> bool:
    """Return whether an import failed since the process got no memory, in whatever words."""
    if isinstance(error, ImportError):
        return any(words in str(error) for words in _SAID)
    return isinstance(error, MemoryError)
