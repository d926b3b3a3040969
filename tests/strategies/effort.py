"""How many examples a test looks at: its share of what the profile allows."""

from hypothesis import settings

ORDINARY = 100
"""The examples an ordinary test gets in the default profile, by which profiles are scaled."""


def effort(examples: int) -> settings:
    """The settings of a test that looks at ``examples`` examples in the default profile."""
    return settings(max_examples=max(1, examples * settings.default.max_examples // ORDINARY))
