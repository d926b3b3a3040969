"""Recursive operators that say what next values are.

An action runs its continuation once for each way to satisfy it, and what goes on behind a call
reads the caller's slots. So a call's slots are put back for as long as its continuation runs, which
differs from call to call while the operator's body is compiled once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import calls
from .code import ANY_STEP, Code, Frame, Reader, Recursive, Run, Unit
from .compiler import Compiler


@dataclass(slots=True, eq=False)
class Steps(Unit):
    """A recursive action: what stood in its slots before each call under way, what follows it."""

    waiting: list[tuple[list[Any], Run]] = field(default_factory=list)

    def go_on(self, frame: Frame) -> None:
        """Run what follows the last call, in the slots of whoever called."""
        before, proceed = self.waiting.pop()
        within = frame[self.low : self.high]
        frame[self.low : self.high] = before
        try:
            proceed(frame)
        finally:
            frame[self.low : self.high] = within
            self.waiting.append((before, proceed))


def recursive_steps(
    compiler: Compiler,
    called: Recursive,
    proceed: Run,
    read: Callable[[Run], Reader],
) -> Code:
    """Compile a call of a recursive action, behind which `proceed` runs.

    ``read`` compiles an action with what follows it. Raises EvaluationLimit where the operator is
    called with ever new operators.
    """
    unit = calls.unit(compiler, called, Steps, lambda made: read(made.go_on))
    codes = calls.argument_codes(compiler, called)
    runs = [code.run for code in codes]
    after = unit.low + len(runs)

    def call(frame: Frame) -> None:
        calls.require_shallow(compiler, called.node.span)
        assert unit.code is not None
        values = calls.values_of(runs, frame)
        before = frame[unit.low : unit.high]
        frame[unit.low : after] = values
        unit.waiting.append((before, proceed))
        compiler.depth += 1
        try:
            unit.code.run(frame)
        finally:
            compiler.depth -= 1
            unit.waiting.pop()
            frame[unit.low : unit.high] = before

    return Code(call, ANY_STEP)
