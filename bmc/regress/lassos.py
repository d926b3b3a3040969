"""Lassos kept beside a lock: a recorded trace, where it returns to, and whom the claim is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bmc.evidence import untrusted
from bmc.evidence.lasso import Lasso, judged
from bmc.evidence.untrusted import integer_of
from bmc.evidence.verdict import Contradiction
from bmc.lang.errors import BoundTooSmall, LanguageError
from bmc.lang.suite import Suite
from bmc.layout.domain import Domains, Value
from bmc.readings.value import Interpreter
from bmc.regress.errors import EvidenceError
from bmc.regress.recording import Recording, fits, plain, value_of

FORMAT = "bmc-lock-lasso/1"


@dataclass(frozen=True)
class RecordedLasso:
    """A trace from whose last state a step leads to state ``loop``.

    ``values`` are those of the claim's arguments, in order.
    """

    trace: Recording
    loop: int
    values: tuple[Value, ...]

    @property
    def text(self) -> str:
        """The file's content, equal for equal lassos."""
        values = [plain(value) for value in self.values]
        return self.trace.text_as(FORMAT, {"loop": self.loop, "arguments": values})

    @staticmethod
    def read(text: str, name: str) -> RecordedLasso:
        """Read a file's content; EvidenceError when it is no recorded lasso."""
        trace = Recording.read(text, name, FORMAT)
        try:
            document = untrusted.document(text)
            loop = integer_of(document["loop"])
            values = tuple(value_of(part) for part in document["arguments"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise EvidenceError(f"{name} is no recorded lasso: {error}") from None
        if not 0 <= loop < len(trace.states):
            raise EvidenceError(f"{name} is no recorded lasso: it has no state {loop}")
        return RecordedLasso(trace, loop, values)


def taken_again(
    recorded: RecordedLasso, suite: Suite, parameters: Mapping[str, int]
) -> Lasso | None:
    """Return the recorded lasso on the suite's model, judged as one that was just found.

    None where it is none any more: a step is not possible, the loop does not close, a fairness
    condition is not met, or the claim holds on it.
    """
    model, domains = suite.model(False), Domains(parameters)
    stated = suite.describe_temporal(recorded.trace.name, model)
    if len(recorded.values) != len(stated.arguments):
        return None
    pairs = zip(stated.arguments, recorded.values, strict=True)
    if not all(fits(domains, one.sort, value) for one, value in pairs):
        return None
    for state in recorded.trace.states:
        if set(state) != set(model.variables):
            return None
        if not all(fits(domains, model.variables[name], v) for name, v in state.items()):
            return None
    try:
        return judged(
            Interpreter(model, domains),
            recorded.trace.states,
            recorded.loop,
            suite.specification(stated.specification, model),
            stated,
            recorded.values,
        )
    except (Contradiction, BoundTooSmall, LanguageError):
        return None
