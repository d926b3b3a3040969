"""Which instance of a property the end of a trace violates."""

from __future__ import annotations

from collections.abc import Mapping

from bmc.evidence.replay import failing_instance
from bmc.evidence.trace import Trace
from bmc.lang.errors import LanguageError
from bmc.lang.properties import Kind
from bmc.lang.suite import Suite
from bmc.readings.domain import Domains, Value
from bmc.readings.value import Interpreter


def violated_instance(
    suite: Suite, parameters: Mapping[str, int], name: str, trace: Trace
) -> Mapping[str, Value]:
    """The arguments for which property ``name`` fails at the end of ``trace``.

    Empty when it has none, or when the trace does not hold the ghosts it speaks of.
    """
    declared = suite.find(name)
    if not declared.arguments:
        return {}
    final = trace.steps[-1].state
    model = suite.model(True)
    if not all(variable in final for variable in model.variables):
        model = suite.model(False)
    try:
        stated = suite.describe(declared, model)
    except LanguageError:
        return {}
    before, after = final, None
    if declared.kind is Kind.STEP_INVARIANT:
        before, after = trace.steps[-2].state, final
    found = failing_instance(Interpreter(model, Domains(parameters)), before, after, stated)
    if found is None:
        return {}
    pairs = zip(declared.arguments, stated.arguments, strict=True)
    return {argument: found[variable] for argument, variable in pairs}
