"""Hypothesis strategies: random sorts, values, terms, small protocols and circuits.

They know the language and how its values look, and are shared by every test that hunts for two
parts of bmc that disagree. No test and no judgement about a reading belongs here.
"""

from tests.strategies.cases import Case, cases
from tests.strategies.effort import effort
from tests.strategies.protocols import Drawn, protocols
from tests.strategies.values import count, draw_value, rename
from tests.strategies.world import World, worlds
from tests.strategies.writer import Writer

__all__ = [
    "Case",
    "Drawn",
    "World",
    "Writer",
    "cases",
    "count",
    "draw_value",
    "effort",
    "protocols",
    "rename",
    "worlds",
]
