"""What GitHub shows beside a line: one message, however many models the line is part of."""

from bmc.lang.model import Source
from bmc.reports.regression.annotations import github_commands
from bmc.reports.regression.view import LockView, ModelView, PartChange, PropertyView

START = PartChange("action", "Start", "changed", Source("lift.py", 7), True)
SAFE = PropertyView(
    name="Safe",
    standing="unknown",
    green=False,
    known_wrong=False,
    new=False,
    unchecked=False,
    expected="proved",
    expected_length=None,
    expected_states=None,
    expected_depth=None,
    verdict="unknown",
    engine="",
    k=None,
    states=None,
    depth=None,
    trace=None,
    induction_failure=None,
    reason="",
    seconds=0.0,
    source=None,
)


def _model(protocol: str, top: int, *properties: PropertyView) -> ModelView:
    return ModelView(protocol, {"top": top}, None, (START,), properties, (), (), 0.0)


def _said(*models: ModelView) -> list[str]:
    commands = list(github_commands(LockView("bmc.lock", models, (), (), None, False)))
    return [line for line in commands if "line=7" in line]


def test_a_changed_line_is_one_warning_that_names_every_protocol() -> None:
    (said,) = _said(_model("lift", 3, SAFE), _model("lift", 4), _model("hoist", 3, SAFE))
    assert said.startswith("::warning ")
    assert "title=bmc regress%3A lift%2C hoist::" in said
    assert said.endswith(
        "action Start changed since the lock; not as expected:%0Alift  top=3: Safe%0A"
        "hoist  top=3: Safe"
    )


def test_a_change_that_breaks_nothing_is_one_notice() -> None:
    (said,) = _said(_model("lift", 3), _model("lift", 4))
    assert said.startswith("::notice ")
    assert said.endswith("all as expected")
