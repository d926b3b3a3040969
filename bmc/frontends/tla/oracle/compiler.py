"""The compiler of expressions to closures: slots, folding of constants, tests as values and back.

Which file compiles which expression is said in :mod:`.dispatch`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from .. import core as c
from ..errors import Span, TlaLimit, TlaUnsupported
from ..lazy_sets import LazySet
from ..specification import Specification
from ..values import FALSE, TRUE, boolean, show
from .code import MISSING, NOTHING, Code, Env, Frame, Reader, Run, Unit, constant
from .errors import EvaluationError, EvaluationLimit, NothingToChoose, WrongKind, at
from .lazy_functions import LazyFunction, written_out

LARGEST_PROGRAM = 100_000  # compiled expressions, arguments and operators inlined
DEEPEST_RECURSION = 2_500


class Compiler(ABC):
    """Compiles the expressions of one specification; all of them share one frame.

    `stop` is empty until a limit is met; whoever meets it puts the reason in. Loops look at it in
    every round, so that a limit may be one of rounds. `depth` counts the calls of recursive
    operators and functions that are under way. `folded` has the constants that another compiler
    of the specification has worked out, and takes this one's.
    """

    def __init__(
        self,
        specification: Specification,
        stop: list[str] | None = None,
        folded: dict[c.Node, Code] | None = None,
    ) -> None:
        self.places = {name.name: at for at, name in enumerate(specification.variables)}
        self.width = len(self.places)
        self.frame: Frame = [MISSING] * (2 * self.width)
        self.stop: list[str] = [] if stop is None else stop
        self.folded: dict[c.Node, Code] = {} if folded is None else folded
        self.depth = 0
        self.state_memos: list[int] = []
        self.units: dict[Any, Unit] = {}
        self.values = Values(self)
        self.tests = Tests(self)
        self._hidden: dict[c.HiddenVariable, int] = {}
        self._constants = specification.constants
        self._constant_codes: dict[str, Code] = {}
        self._compiled = 0

    def slot(self) -> int:
        """Return the index of a new slot of the frame."""
        self.frame.append(MISSING)
        return len(self.frame) - 1

    def hidden(self, variable: c.HiddenVariable) -> int:
        """Return the slot of the next value of a variable that ENABLED hides."""
        if variable not in self._hidden:
            self._hidden[variable] = self.slot()
        return self._hidden[variable]

    def reads_next(self, needs: frozenset[int]) -> bool:
        """Tell whether one of these slots is a variable's next value."""
        width, hidden = self.width, self._hidden.values()
        return any(width <= slot < 2 * width or slot in hidden for slot in needs)

    def make(
        self, run: Run, parts: Iterable[Code], own: Iterable[int] = (), lazy: bool = False
    ) -> Code:
        """Return the code of `run`, which reads `parts` and binds the slots `own`.

        A constant expression is evaluated at once; if that fails it is left as it is, since the
        text may never need it.
        """
        needs = NOTHING.union(*(part.needs for part in parts)).difference(own)
        if needs:
            return Code(run, needs, lazy=lazy)
        try:
            value = run(self.frame)
        except (EvaluationError, TlaUnsupported):
            if self.stop:
                raise
            return Code(run, lazy=lazy)
        return constant(value, lazy=isinstance(value, LazySet | LazyFunction))

    def expired(self, span: Span) -> EvaluationLimit:
        """Return the error for a limit that was met."""
        reason = self.stop[0] if self.stop else "stopped"
        return EvaluationLimit(span, reason, "Give it more time, or smaller constants.")

    def count(self, node: c.Expression) -> None:
        """Count one more compiled expression; raise TlaLimit beyond `LARGEST_PROGRAM`."""
        self._compiled += 1
        if self._compiled > LARGEST_PROGRAM:
            raise TlaLimit(
                node.span,
                "the operators called from here are too large once they are put in their places",
                "Pass fewer operators through each other.",
            )

    @abstractmethod
    def value(self, node: c.Expression, env: Env) -> Code:
        """Compile `node` to its value, which may be lazy."""

    @abstractmethod
    def test(self, node: c.Expression, env: Env) -> Code:
        """Compile a formula to its truth, a Python bool; raise WrongKind where it has none."""

    def strict(self, node: c.Expression, env: Env) -> Code:
        """Compile `node` to its value, written out."""
        return self.force(self.value(node, env), node.span)

    def force(self, code: Code, span: Span) -> Code:
        """Return `code` with its value written out."""
        if not code.lazy:
            return code
        run = code.run

        def force(frame: Frame) -> Any:
            value = run(frame)
            if isinstance(value, LazySet | LazyFunction):
                return at(span, written_out, value)
            return value

        return self.make(force, [code])


class Values(Reader):
    """Compiles expressions to their values."""

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler
        self.known = {}

    def __call__(self, node: c.Expression, env: Env) -> Code:
        return self._compiler.value(node, env)

    def adapt(self, code: Code, span: Span) -> Code:
        return code


class Tests(Reader):
    """Compiles formulas to their truth."""

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler
        self.known = {}

    def __call__(self, node: c.Expression, env: Env) -> Code:
        return self._compiler.test(node, env)

    def adapt(self, code: Code, span: Span) -> Code:
        return truth(self._compiler, code, span)


def no_arm(span: Span) -> EvaluationError:
    """Return the error of a CASE of which no arm holds."""
    return NothingToChoose(span, "no arm of this CASE holds", "Add OTHER, or the missing arm.")


def refused(error: Exception) -> Code:
    """Return code that raises `error` where it is reached."""

    def refuse(_frame: Frame) -> Any:
        raise error

    return Code(refuse)


def truth_value(compiler: Compiler, test: Code) -> Code:
    """Return a test's code as that of a value: TRUE or FALSE."""
    run = test.run
    return compiler.make(lambda frame: boolean(run(frame)), [test])


def truth(compiler: Compiler, code: Code, span: Span) -> Code:
    """Return a value's code as a test; raise WrongKind where it is neither TRUE nor FALSE."""
    run = code.run

    def truth(frame: Frame) -> bool:
        value = run(frame)
        if value is TRUE:
            return True
        if value is FALSE:
            return False
        raise WrongKind(span, f"{show(value)} is neither TRUE nor FALSE")

    return compiler.make(truth, [code])
