"""Guards read before all arguments are chosen leave steps and bounds as the interpreter has them.

They are read where an action has many choices; here every action is taken for one that has.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given

from bmc.evidence.interchange import Interchange
from bmc.lang import BoundTooSmall
from bmc.readings.circuit import evaluate
from bmc.readings.value import Interpreter
from bmc.system import choices
from tests.semantics.test_steps_agree import require_agreement, system_of
from tests.strategies import Drawn, effort, guarded_protocols


@pytest.fixture(autouse=True, scope="module")
def _every_action_has_many_choices() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choices, "_MANY", 0)
        yield


@effort(100)
@given(guarded_protocols())
def test_starts_steps_and_symmetry_are_those_of_the_protocol(drawn: Drawn) -> None:
    interpreter = Interpreter(drawn.model, drawn.world.domains)
    system = system_of(drawn)
    try:
        explicit = list(interpreter.initial_states())
    except BoundTooSmall:
        assert system is None
        return
    assert system is not None
    Interchange(system, [])  # Raises NoCounterpart where a rule has no image.
    for state in drawn.states:
        assert evaluate([system.initial], system.encode(state)) == [state in explicit]
        require_agreement(system, state)
    for state in explicit[:2]:
        assert evaluate([system.initial], system.encode(state)) == [1]
