"""Terms made Python functions have the values that the interpreter gives them, or none as there."""

from hypothesis import given

from bmc.lang import BoundTooSmall
from bmc.readings.compiled import Compiler
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
