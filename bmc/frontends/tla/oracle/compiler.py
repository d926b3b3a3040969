"""The compiler of expressions to closures: slots, folding of constants, and who compiles what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never

from .. import core as c
from ..errors import Span, TlaLimit, TlaUnsupported
from ..lazy_sets import LazySet
from ..specification import Specification
from ..values import FALSE, TRUE, boolean, model_value, show
from . import actions, binders, builtins, calls, function_literals, functions, predicates
from .code import EMPTY, MISSING, NOTHING, Code, Env, Frame, Reader, Run, constant
from .errors import EvaluationError, EvaluationLimit, NothingToChoose, WrongKind, at
from .lazy_functions import LazyFunction, written_out

LARGEST_PROGRAM = 100_000  # compiled expressions, arguments and operators inlined
DEEPEST_RECURSION = 2_500


class Compiler:
    """Compiles the expressions of one specification; all of them share one frame.

    `stop` is empty until a limit is met; whoever meets it puts the reason in. Loops look at it in
    every round, so that a limit may be one of rounds. `depth` counts the calls of recursive
    operators and functions that are under way.
    """

    def __init__(self, specification: Specification, stop: list[str] | None = None) -> None:
        self.places = {name.name: at for at, name in enumerate(specification.variables)}
        self.width = len(self.places)
        self.frame: Frame = [MISSING] * (2 * self.width)
        self.stop: list[str] = [] if stop is None else stop
        self.depth = 0
        self.state_memos: list[int] = []
        self.units: dict[Any, calls.Unit] = {}
        self.values = Values(self)
        self.tests = Tests(self)
        self._constants = specification.constants
        self._constant_codes: dict[str, Code] = {}
        self._compiled = 0

    def slot(self) -> int:
        """Return the index of a new slot of the frame."""
        self.frame.append(MISSING)
        return len(self.frame) - 1

    def reads_next(self, needs: frozenset[int]) -> bool:
        """Tell whether one of these slots is a variable's next value."""
        width = self.width
        return any(width <= slot < 2 * width for slot in needs)

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

    def value(self, node: c.Expression, env: Env) -> Code:
        """Compile `node` to its value, which may be lazy."""
        self.count(node)
        match node:
            case c.BooleanLiteral():
                return constant(boolean(node.value))
            case c.IntegerLiteral() | c.StringLiteral():
                return constant(node.value)
            case c.ModelValueLiteral():
                return constant(model_value(node.name))
            case c.ConstantRef():
                return self._constant(node)
            case c.VariableRef():
                place = self.places[node.name] + (self.width if env.primed else 0)
                return actions.next_value(self, place, node) if env.primed else calls.read(place)
            case c.LocalRef() | c.Call() | c.CallParameter() | c.Let():
                return calls.named(self, node, env, self.values)
            case c.Builtin():
                return builtins.value(self, node, env)
            case c.If():
                return self._if(node, env, self.values)
            case c.Case():
                return self._case(node, env, self.values)
            case c.Choose() | c.SetFilter() | c.SetMap():
                return binders.value(self, node, env)
            case c.FunctionLiteral():
                return function_literals.literal(self, node, env)
            case c.RecursiveFunction():
                bounds, body = node.bounds, node.body
                return function_literals.lazy(self, bounds, body, env, node.span, node.itself)
            case (
                c.SetEnumeration()
                | c.FunctionSet()
                | c.RecordLiteral()
                | c.RecordSet()
                | c.TupleLiteral()
                | c.Product()
                | c.Apply()
                | c.Field()
                | c.Except()
            ):
                return functions.value(self, node, env)
            case c.Prime():
                return self.value(node.operand, env.prime())
            case c.Quantifier() | c.Unchanged() | c.Enabled() | c.BoxAction() | c.AngleAction():
                return truth_value(self, self.test(node, env))
            case c.Always() | c.Eventually() | c.LeadsTo() | c.Fairness():
                return refused(TlaUnsupported(node.span, "a formula about behaviours has no value"))
            case c.OperatorRef() | c.BuiltinRef() | c.Lambda():
                return refused(TlaUnsupported(node.span, "an operator is no value"))
            case c.Unsupported():
                return refused(
                    TlaUnsupported(node.span, f"{node.what} is not evaluated", node.hint)
                )
            case _:
                assert_never(node)

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

    def test(self, node: c.Expression, env: Env) -> Code:
        """Compile a formula to its truth, a Python bool; raise WrongKind where it has none."""
        self.count(node)
        match node:
            case c.BooleanLiteral():
                return constant(node.value)
            case c.LocalRef() | c.Call() | c.CallParameter() | c.Let():
                return calls.named(self, node, env, self.tests)
            case c.Builtin() if node.operator in predicates.TESTS:
                return predicates.test(self, node, env)
            case c.Quantifier():
                return binders.quantifier(self, node, env)
            case c.If():
                return self._if(node, env, self.tests)
            case c.Case():
                return self._case(node, env, self.tests)
            case c.Unchanged() | c.BoxAction() | c.AngleAction() | c.Enabled():
                return actions.test(self, node, env)
            case c.Prime():
                return self.test(node.operand, env.prime())
            case _:
                return truth(self, self.value(node, env), node.span)

    def _constant(self, node: c.ConstantRef) -> Code:
        known = self._constant_codes.get(node.name)
        if known is None:
            known = self.value(self._constants[node.name], EMPTY)
            self._constant_codes[node.name] = known
        return known

    def _if(self, node: c.If, env: Env, read: Reader) -> Code:
        condition = self.test(node.condition, env)
        if condition.known is not MISSING:
            return read(node.then if condition.known else node.otherwise, env)
        then, other = read(node.then, env), read(node.otherwise, env)
        test, yes, no = condition.run, then.run, other.run
        return self.make(
            lambda frame: yes(frame) if test(frame) else no(frame),
            [condition, then, other],
            lazy=then.lazy or other.lazy,
        )

    def _case(self, node: c.Case, env: Env, read: Reader) -> Code:
        guards = [self.test(arm.guard, env) for arm in node.arms]
        values = [read(arm.value, env) for arm in node.arms]
        if node.other is None:
            values.append(refused(no_arm(node.span)))
        else:
            values.append(read(node.other, env))
        arms = [(guard.run, value.run) for guard, value in zip(guards, values, strict=False)]
        otherwise = values[-1].run

        def case(frame: Frame) -> Any:
            for guard, value in arms:
                if guard(frame):
                    return value(frame)
            return otherwise(frame)

        return self.make(case, [*guards, *values], lazy=any(value.lazy for value in values))


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
