"""How many examples a test looks at: its share of what the profile allows."""

from hypothesis import settings

ORDINARY = 100
"""The examples of an ordinary test, by which profiles are scaled."""


def effort(examples: int) -> settings:
    """Return the settings of a test that looks at ``examples`` where an ordinary one has 100."""
    return settings(max_examples=max(1, examples * settings.default.max_examples // ORDINARY))
