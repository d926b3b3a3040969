"""A specification that can be run: initial states, steps, and the truth of its formulas."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from .. import core as c
from ..levels import Level, level
from ..operators import Operator
from ..specification import Specification
from .actions import action
from .calls import entries, fresh
from .code import ANY_STEP, EMPTY, EMPTY_PRIMED, MISSING, ByName, Code, Env, Frame, Run
from .dispatch import Dispatcher
from .errors import EvaluationLimit, Unassigned
from .limits import in_time
from .loops import every, loops
from .mentions import references

State: TypeAlias = tuple[Any, ...]
DEEPEST_PYTHON = 60_000


@dataclass(frozen=True, slots=True)
class Step:
    """A step: the action as TLC names it, its arguments by parameter, and the state after it."""

    action: str
    arguments: tuple[tuple[str, Any], ...]
    state: State


@dataclass(frozen=True, slots=True)
class Label:
    """The definition whose disjunct an action is, and what reads its arguments in a frame."""

    name: str
    readers: tuple[tuple[str, Run], ...]


class _Enough(Exception):
    """Ends an enumeration of initial states of which no more are wanted."""


class Machine:
    """A specification, compiled. A state is the tuple of the variables' values, in their order.

    Without ``steps`` it evaluates expressions only, and has no states: constants that Init and
    Next are made of can take long. ``folded`` has those that another machine of the specification
    has worked out, and takes this one's.

    Every method raises `EvaluationError` with its place where the text has no value, and
    `EvaluationLimit` where a limit is met. Nothing of the text is executed but its mathematics.
    """

    def __init__(
        self,
        specification: Specification,
        stop: list[str] | None = None,
        steps: bool = True,
        folded: dict[c.Node, Code] | None = None,
    ) -> None:
        self.specification = specification
        self.variables = tuple(variable.name for variable in specification.variables)
        self.compiler = Dispatcher(specification, stop, folded)
        self._found: list[tuple[int, State, tuple[Any, ...]]] = []
        self._labels: list[Label] = []
        self._labelled = False
        self._most: int | None = None
        self._tests: dict[c.Node, Run] = {}
        with _deep():
            self._init = self._compile_init() if steps else None
            self._next = self._compile_next() if steps else None
        self._width = len(self.variables)
        self._blank = (MISSING,) * self._width

    @contextmanager
    def limited(self, seconds: float | None) -> Iterator[None]:
        """Raise EvaluationLimit in what is evaluated here after this much processor time.

        Raises MemoryError where there is none left to look at the time in.
        """
        with _deep():
            if seconds is None:
                yield
                return
            with in_time(seconds, self.compiler.stop):
                yield

    def initial_states(self, most: int | None = None) -> list[State]:
        """Return the initial states in TLC's order; one may be there several times.

        With ``most`` they are the first so many, and no others are looked for.
        """
        if self._init is None:
            return []
        self._most = most
        # Init says what becomes of the variables: those of a step looked at before are none of it.
        self.load(self._blank)
        try:
            self._steps(self._init)
        except _Enough:
            pass
        finally:
            self._most = None
        return [state for _, state, _ in self._found]

    def begun(self) -> list[tuple[str, Any]]:
        """Return which variables the initial state has a value of that was being looked at."""
        told = zip(self.variables, self.compiler.frame[self._width :], strict=False)
        return [(name, value) for name, value in told if value is not MISSING]

    def begins(self, state: State) -> bool:
        """Tell whether a state is an initial one, without a list of these."""
        if self._init is None:
            return False
        self.load(self._blank, state)
        self._most = 1
        try:
            self._steps(self._init)
        except _Enough:
            return True
        finally:
            self._most = None
        return False

    def successors(self, state: State) -> list[State]:
        """Return the states after `state`, in TLC's order; one may be there several times."""
        if self._next is None:
            return []
        self.load(state)
        return [after for _, after, _ in self._steps(self._next)]

    def steps(self, state: State) -> list[Step]:
        """Return the steps out of `state`, in TLC's order; one may be there several times."""
        if self._next is None:
            return []
        self.load(state)
        self._labelled = True
        try:
            found = self._steps(self._next)
        finally:
            self._labelled = False
        return [self._step(label, after, values) for label, after, values in found]

    def holds(self, formula: c.Expression, state: State) -> bool:
        """Tell whether a state formula holds in `state`."""
        self.load(state)
        return bool(self.run(self._test(formula)))

    def first_false(self, formulas: Sequence[c.Expression], state: State) -> int | None:
        """Return the position of the first state formula that does not hold in `state`."""
        if not formulas:
            return None
        self.load(state)
        for at, formula in enumerate(formulas):
            if not self.run(self._test(formula)):
                return at
        return None

    def holds_of_step(self, formula: c.Expression, before: State, after: State) -> bool:
        """Tell whether an action formula holds of the step from `before` to `after`."""
        self.load(before, after)
        return bool(self.run(self._test(formula)))

    def value(self, expression: c.Expression, state: State) -> Any:
        """Return the value of a state expression, written out."""
        self.load(state)
        known = self._tests.get(expression)
        if known is None:
            with _deep():
                known = self._tests[expression] = self.compiler.strict(expression, EMPTY).run
        return self.run(known)

    def constant(self, expression: c.Expression) -> Any:
        """Return the value of a constant expression, written out."""
        with _deep():
            return self.run(self.compiler.strict(expression, EMPTY).run)

    def assumes(self, formula: c.Expression) -> bool:
        """Tell whether an ASSUME is true at these constants."""
        with _deep():
            return bool(self.run(self.compiler.test(formula, EMPTY).run))

    def _test(self, formula: c.Expression) -> Run:
        known = self._tests.get(formula)
        if known is None:
            with _deep():
                test = self.compiler.test(formula, EMPTY).run
            known = self._tests[formula] = test
        return known

    def load(self, state: State, after: State | None = None) -> None:
        """Make a state the one that formulas are evaluated in, or a step the one they are of."""
        frame = self.compiler.frame
        frame[: self._width] = state
        frame[self._width : 2 * self._width] = self._blank if after is None else after
        for memo in self.compiler.state_memos:
            frame[memo] = MISSING

    def _steps(self, run: Run) -> list[tuple[int, State, tuple[Any, ...]]]:
        found: list[tuple[int, State, tuple[Any, ...]]] = []
        self._found = found
        self.run(run)
        return found

    def run(self, run: Run) -> Any:
        """Return what compiled code gives in the state that is loaded. Raises EvaluationError."""
        frame = self.compiler.frame
        try:
            return run(frame)
        except RecursionError:
            raise EvaluationLimit(
                self.specification.variables[0].span, "expressions nested too deeply"
            ) from None

    def _step(self, label: int, after: State, values: tuple[Any, ...]) -> Step:
        known = self._labels[label]
        names = (name for name, _ in known.readers)
        return Step(known.name, tuple(zip(names, values, strict=True)), after)

    # Compiling Init and Next.

    def _compile_init(self) -> Run | None:
        init = self.specification.init
        if init is None:
            return None
        emit = self._emitter(Label("Initial predicate", ()), init)
        return action(self.compiler, init, EMPTY_PRIMED, emit).run

    def _compile_next(self) -> Run | None:
        root = self.specification.next
        if root is None:
            return None
        return self._disjuncts(root, EMPTY, Label("Next", ())).run

    def _emitter(self, label: Label, node: c.Expression) -> Run:
        at = len(self._labels)
        self._labels.append(label)
        width = len(self.variables)
        readers = [run for _, run in label.readers]
        span, variables, name = node.span, self.variables, label.name
        compiler = self.compiler

        def emit(frame: Frame) -> None:
            after = tuple(frame[width : 2 * width])
            if MISSING in after:
                missing = variables[after.index(MISSING)]
                raise Unassigned(
                    span,
                    f"{name} does not say what {missing} becomes",
                    f"say so, or UNCHANGED {missing}",
                )
            if compiler.stop:
                raise compiler.expired(span)
            values = tuple([run(frame) for run in readers]) if self._labelled else ()
            self._found.append((at, after, values))
            if self._most is not None and len(self._found) >= self._most:
                raise _Enough

        return emit

    def _disjuncts(self, node: c.Expression, env: Env, label: Label) -> Code:
        """Compile Next with a label for each of TLC's actions: disjuncts, by their definitions."""
        compiler = self.compiler
        match node:
            case c.Builtin(operator=Operator.OR):
                runs = [self._disjuncts(part, env, label).run for part in node.arguments]

                def in_turn(frame: Frame) -> None:
                    for run in runs:
                        run(frame)

                return Code(in_turn, ANY_STEP)
            case c.Quantifier() if node.kind is c.Quantification.EXISTS and _over_constants(
                node, env
            ):
                found, inner = loops(compiler, node.bounds, env)
                run = every(found, self._disjuncts(node.body, inner, label).run)
                return Code(run, ANY_STEP)
            case c.Let():
                inner, site = env.let(node.definitions)
                return fresh(
                    compiler, site.values.values(), self._disjuncts(node.body, inner, label)
                )
            case c.Call() if not node.definition.is_recursive:
                return self._called(node, env)
            case _:
                return action(compiler, node, env, self._emitter(label, node))

    def _called(self, node: c.Call, env: Env) -> Code:
        compiler, definition = self.compiler, node.definition
        if not all(_is_constant(argument, env) for argument in node.arguments):
            emit = self._emitter(Label(definition.name, ()), node)
            return action(compiler, node, env, emit)
        arguments = entries(node.arguments, env)
        inner = env.lets[definition].env if definition in env.lets else EMPTY
        bound = inner.bind(dict(zip(definition.parameters, arguments, strict=True)))
        readers = tuple(
            (parameter.name, compiler.strict(c.LocalRef(node.span, parameter), bound).run)
            for parameter in definition.parameters
            if parameter.arity == 0
        )
        code = self._disjuncts(definition.body, bound, Label(definition.name, readers))
        return fresh(compiler, arguments, code)


def _is_constant(node: c.Expression, env: Env) -> bool:
    if level(node) > Level.CONSTANT:
        return False
    for reference in references(node):
        entry = env.names.get(reference.binding)
        if isinstance(entry, ByName) and not _is_constant(entry.expression, entry.env):
            return False
    return True


def _over_constants(node: c.Quantifier, env: Env) -> bool:
    return all(
        bound.domain is not None and _is_constant(bound.domain, env) for bound in node.bounds
    )


@contextmanager
def _deep() -> Iterator[None]:
    """Let Python nest calls as deeply as the limits of recursion here allow."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST_PYTHON))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
