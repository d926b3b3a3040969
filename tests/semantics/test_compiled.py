"""Terms made Python functions have the values that the interpreter gives them, or none as there."""

from unittest.mock import patch

from hypothesis import given

from bmc.lang import BoundTooSmall
from bmc.lang.bounds import Bound
from bmc.lang.build import bound_variable
from bmc.lang.sorts import BOOL, IntSort, MapSort, SetSort
from bmc.lang.terms import make
from bmc.layout.domain import Domains
from bmc.readings.compiled import _RULES, Compiler
from tests.semantics.outcomes import TOO_SMALL, subterms
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


def remembered(case: Case) -> list[Value]:
    """Return a value that was asked for in another state before, and asked for again."""
    arguments = dict(case.arguments)
    compiler = Compiler(case.world.domains, remembers=True)
    compiler.look(list(subterms(case.term)), arguments=100)
    function = compiler.function(case.term, tuple(arguments))
    steps = [(case.after, case.state), (case.state, case.state), *[(case.state, case.after)] * 2]
    found: list[Value] = []
    for state, after in steps:
        try:
            found.append(function(state, after, *arguments.values()))
        except BoundTooSmall:
            found.append(TOO_SMALL)
    return found[2:]


@effort(150)
@given(cases())
def test_remembered_values_are_those_of_the_state(case: Case) -> None:
    require_agreement(case, remembered)


def test_what_a_loop_does_not_change_is_worked_out_once() -> None:
    number = IntSort("Number", Bound.of(0), Bound.of(3))
    index, member = bound_variable("index", 0, number), bound_variable("member", 1, number)
    held = make("variable", (), SetSort(number), ("held", False))
    small = make("lt", (member, make("int", (), number, 2)), BOOL)
    there = make("member", (member, held), BOOL)
    large = make("filter", (member, make("and", (there, small), BOOL)), SetSort(number))
    each = make("lambda", (index, large), MapSort(number, SetSort(number)))
    for remembers, objects in ((True, 1), (False, 4)):
        compiler = Compiler(Domains({}), remembers)
        compiler.look([each], 0)
        found = compiler.function(each)({"held": frozenset({1, 3})}, None)
        assert found == (frozenset({1}),) * 4
        assert len({id(one) for one in found}) == objects
