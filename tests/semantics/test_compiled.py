"""Terms made Python functions have the values that the interpreter gives them, or none as there."""

from unittest.mock import patch

from hypothesis import given

from bmc.lang import BoundTooSmall
from bmc.readings.compiled import _RULES, Compiler
from tests.semantics.outcomes import TOO_SMALL
from tests.semantics.test_readings_agree import require_agreement
from tests.strategies import Case, cases, effort
from tests.strategies.values import Value


def compiled(case: Case) -> list[Value]:
    arguments = dict(case.arguments)
    function = Compiler(case.world.domains).function(case.term, tuple(arguments))
    try:
        return [function(case.state, case.after, *arguments.values())]
    except BoundTooSmall:
        return [TOO_SMALL]


@effort(150)
@given(cases())
def test_compiled_terms_agree(case: Case) -> None:
    require_agreement(case, compiled)


@effort(60)
@given(cases())
def test_operators_without_a_rule_agree_too(case: Case) -> None:
    kept = dict(list(_RULES.items())[::2])
    with patch("bmc.readings.compiled._RULES", kept):
        require_agreement(case, compiled)
