"""An exported expression has the protocol's value, and has none where the protocol has none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import assume, given

from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.errors import EvaluationError
from bmc.frontends.tla.oracle.machine import Machine
from bmc.lang.operator_table import BINDERS
from bmc.lang.sorts import Scalarset
from bmc.lang.state import state_variable
from bmc.lang.substitution import substituted
from bmc.lang.terms import Term, subterms
from bmc.layout.domain import Domains
from bmc.reports.exports.tla import NoTla
from bmc.reports.exports.tla.helpers import needed_helpers
from bmc.reports.exports.tla.names import Names
from bmc.reports.exports.tla.sorts import Sorts
from bmc.reports.exports.tla.terms import Terms
from bmc.reports.exports.tla.valued import Marks
from bmc.reports.tla_values import tla_text
from tests.semantics.outcomes import TOO_SMALL, by_value
from tests.strategies import Case, cases, effort
from tests.strategies.values import Value
from tests.strategies.world import PARAMETERS

EXTENTS = {one.name: (one.low, one.high) for one in PARAMETERS}
# What has no value in TLA+ either.
TLC_ITSELF = frozenset({"at", "tail", "take", "choose", "payload", "select", "div", "mod", "the"})


@dataclass(frozen=True)
class Words:
    """What values are called in the module."""

    domains: Domains
    origin: None = None

    def member(self, sort: Scalarset, value: int) -> str:
        return f"{sort.name.lower()}{value}"


def spelled(case: Case) -> tuple[Term, Mapping[str, tuple[Term, Value]]]:
    """Return the term over variables of one state alone, and what these are."""
    variables = {n: (state_variable(n, s), case.state[n]) for n, s in case.variables.items()}
    instead = {}
    for one in subterms([case.term]):
        data: Any = one.data
        if one.op == "variable" and data[1]:
            name = f"{data[0]}After"
            instead[one] = state_variable(name, one.sort)
            variables[name] = instead[one], case.after[data[0]]
    for number, (one, value) in enumerate(case.arguments.items()):
        instead[one] = state_variable(f"given{number}", one.sort)
        variables[f"given{number}"] = instead[one], value
    return substituted(case.term, instead), variables


def module(case: Case, expected: Value) -> tuple[str, str]:
    """Return a module that says that the term has the value, or itself, and its configuration."""
    term, variables = spelled(case)
    words: Any = Words(case.world.domains)
    names = Names()
    for one in PARAMETERS:
        names.declare(one.name)
    called = {name: names.declare(name) for name in variables}
    used = [one.sort for one in subterms([term, *(v for v, _ in variables.values())])]
    sorts = Sorts((s for s in used), names, words.member, case.world.domains)
    terms = Terms(sorts, names, called)
    marked = Marks(EXTENTS).value(term)
    text = terms.show(marked, 6)
    same = text if expected is TOO_SMALL else tla_text(words, term.sort, expected)
    claim = f"Said == {text} = ({same})"
    members = [one for some in sorts.member_sets().values() for one in some]
    constants = [*case.world.parameters, *sorts.constants(), *members, "None"]
    init = [f"/\\ {called[n]} = {tla_text(words, v.sort, x)}" for n, (v, x) in variables.items()]
    lines = [
        "---- MODULE Case ----",
        "EXTENDS Integers, FiniteSets, Sequences, TLC",
        f"CONSTANTS {', '.join(constants)}",
        *sorts.definitions(),
        *needed_helpers([claim], names).values(),
        f"VARIABLES {', '.join([*called.values(), 'clock'])}",
        "Init ==",
        *init,
        "/\\ clock = 0",
        f"Next == UNCHANGED <<{', '.join([*called.values(), 'clock'])}>>",
        claim,
        "====",
    ]
    config = ["INIT Init", "NEXT Next", "INVARIANT Said", "CONSTANTS", "None = None"]
    config += [f"{name} = {value}" for name, value in case.world.parameters.items()]
    config += [f"{one} = {one}" for one in members]
    config += [f"{n} = {{{', '.join(some)}}}" for n, some in sorts.member_sets().items()]
    return "\n".join(lines), "\n".join(config)


def is_read_in_order(case: Case) -> bool:
    """Whether a member may be passed over for which TLA+ has no value of its own."""
    return any(
        one.op in BINDERS and any(part.op in TLC_ITSELF for part in subterms([one]))
        for one in subterms([case.term])
    )


def require_same(case: Case) -> None:
    expected = by_value(case)
    try:
        text, config = module(case, expected)
    except NoTla:
        assume(False)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "Case.tla"
        path.write_text(text)
        path.with_suffix(".cfg").write_text(config)
        specification = load(path)
        machine = Machine(specification)
        (state,) = machine.initial_states()
        try:
            found = machine.holds(specification.invariants[0].expression, state)
        except EvaluationError:
            found = None
    assert found is not False, text
    if expected is not TOO_SMALL or not is_read_in_order(case):
        assert (found is None) == (expected is TOO_SMALL), text


@effort(150)
@given(cases())
def test_an_expression_has_the_value_of_its_term(case: Case) -> None:
    require_same(case)
