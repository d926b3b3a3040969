"""Hypothesis strategies: random sorts, values, terms, small protocols and circuits.

They know the language and how its values look, and are shared by every test that hunts for two
parts of bmc that disagree. No test and no judgement about a reading belongs here.
"""

from tests.strategies.cases import Case, cases
from tests.strategies.draw import Draw, draws
from tests.strategies.effort import effort
from tests.strategies.protocols import Drawn, guarded_protocols, protocols
from tests.strategies.values import Values, count, rename
from tests.strategies.world import World, world_of
from tests.strategies.writer import Writer

__all__ = [
    "Case",
    "Draw",
    "Drawn",
    "Values",
    "World",
    "Writer",
    "cases",
    "count",
    "draws",
    "effort",
    "guarded_protocols",
    "protocols",
    "rename",
    "world_of",
]
