"""Which instance of a property the end of a trace violates, and why it is false there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bmc.evidence.causes import Cause, causes
from bmc.evidence.explanation import Explanation, explain_failure
from bmc.evidence.sources import ReadPart, sources, variables_of
from bmc.evidence.trace import Trace
from bmc.lang.deadlock import NO_DEADLOCK
from bmc.lang.errors import LanguageError
from bmc.lang.properties import Kind
from bmc.lang.quotation import Quotation
from bmc.lang.suite import Suite
from bmc.layout.domain import Domains, Value
from bmc.readings.value import Interpreter


@dataclass(frozen=True)
class Violation:
    """A property's failing instance: its arguments by name, and why its formula is not true.

    Without an explanation where the trace does not hold the ghosts that the property speaks of.
    ``causes`` say which steps made the formula what it is, and ``sources`` what those had read.
    ``quoted`` is what is false in the words of the text that the protocol was translated from.
    """

    property: str
    arguments: Mapping[str, Value]
    why: Explanation | None
    causes: tuple[Cause, ...] = ()
    sources: tuple[ReadPart, ...] = ()
    quoted: Quotation | None = None


def violation(suite: Suite, parameters: Mapping[str, int], name: str, trace: Trace) -> Violation:
    """What property ``name`` says that is false at the end of ``trace``."""
    nothing = Violation(name, {}, None)
    declared = suite.find(name)
    if name == NO_DEADLOCK and declared not in suite.properties:
        # Why each action is impossible is every guard of the protocol.
        return nothing
    final = trace.steps[-1].state
    model = suite.model(True)
    if not all(variable in final for variable in model.variables):
        model = suite.model(False)
    try:
        stated = suite.describe(declared, model)
    except LanguageError:
        return nothing
    before, after = final, None
    if declared.kind is Kind.STEP_INVARIANT:
        if len(trace) < 2:
            return nothing
        before, after = trace.steps[-2].state, final
    interpreter = Interpreter(model, Domains(parameters))
    why = explain_failure(interpreter, before, after, stated)
    if why is None:
        return nothing
    pairs = zip(declared.arguments, stated.arguments, strict=True)
    arguments = {n: why.environment[variable] for n, variable in pairs}
    came = causes(interpreter.evaluator, trace, why, declared.kind)
    steps = sorted({cause.step for cause in came})
    read = (
        source
        for step in steps
        for source in sources(
            interpreter, trace, step, variables_of(c.part for c in came if c.step == step)
        )
    )
    states = [step.state for step in trace.steps]
    quoted = None if suite.origin is None else suite.origin.quoted(name, states)
    return Violation(name, arguments, why, came, tuple(read), quoted)
