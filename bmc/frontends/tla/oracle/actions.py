"""Actions: an expression over two states as the enumeration of the steps that it allows.

As in TLC, conjuncts are read from left to right. `x' = e` says what x' is where nothing has said it
yet, and is a test afterwards; `x' \\in S` tries every member. Whatever else reads x' needs it said
before. A compiled action runs its continuation once for each way to satisfy it, with the next
values in the frame, and leaves the frame as it was. Init is read so with every variable primed.
"""

from __future__ import annotations

from typing import Any

from .. import core as c
from ..errors import Span
from ..operators import Operator
from ..refusals import refusal
from . import calls
from .code import ANY_STEP, MISSING, ByName, Code, Env, Frame, Reader, Recursive, Run, Slot
from .compiler import Compiler, no_arm, refused, truth
from .errors import Unassigned
from .loops import domain, every, loops
from .mentions import speaks_of_next, target
from .recursive_steps import recursive_steps


class StepFound(Exception):
    """Ends an enumeration that only asks whether there is a step."""


def next_value(
    compiler: Compiler, place: int, node: c.VariableRef | c.HiddenRef | c.MiddleRef
) -> Code:
    """Return the code that reads a next value; raise Unassigned where there is none yet."""
    span, name = node.span, node.name

    def read(frame: Frame) -> Any:
        value = frame[place]
        if value is MISSING:
            raise _read_early(span, name, initially=frame[0] is MISSING)
        return value

    return Code(read, frozenset((place,)), cheap=True)


def _read_early(span: Span, name: str, initially: bool) -> Unassigned:
    if initially:
        return Unassigned(
            span,
            f"{name} is read before the initial predicate gives it a value",
            "put the conjunct that gives it one first",
        )
    return Unassigned(
        span,
        f"{name}' is read before the action says what it is",
        "put the conjunct that says it first; what a recursive operator is given is read "
        "for its value, so that an action has to stand in the operator's body",
    )


class Action(Reader):
    """Compiles actions to the enumeration of their steps, each followed by `proceed`."""

    def __init__(self, compiler: Compiler, proceed: Run) -> None:
        self._compiler = compiler
        self._proceed = proceed

    def __call__(self, node: c.Expression, env: Env) -> Code:
        return action(self._compiler, node, env, self._proceed)

    def adapt(self, code: Code, span: Span) -> Code:
        return guard(truth(self._compiler, code, span), self._proceed)

    def steps(self, called: Recursive) -> Code | None:
        if not speaks_of_next(called.definition.body, called.inner):
            return None
        compiler = self._compiler
        return recursive_steps(compiler, called, self._proceed, lambda go: Action(compiler, go))


def guard(test: Code, proceed: Run) -> Code:
    """Return the action that proceeds where `test` holds."""
    if test.known is True:
        return Code(proceed, ANY_STEP)
    run = test.run

    def go_on(frame: Frame) -> None:
        if run(frame):
            proceed(frame)

    return Code(go_on, ANY_STEP)


def action(compiler: Compiler, node: c.Expression, env: Env, proceed: Run) -> Code:
    """Compile `node` as an action; see `Action`."""
    if not speaks_of_next(node, env):
        return guard(compiler.test(node, env), proceed)
    ways = _ways(compiler, node, env, proceed)
    is_choice = isinstance(node, c.Builtin) and node.operator is Operator.OR
    if not env.primed or not (is_choice or isinstance(node, c.Quantifier)):
        return ways
    # A part of Init is a test where all variables have their values, as in TLC: of
    # `x = 0 \/ 1 \div x = 1` the first part decides there.
    test, width = guard(compiler.test(node, env), proceed).run, compiler.width

    def initially(frame: Frame) -> None:
        (ways.run if MISSING in frame[width : 2 * width] else test)(frame)

    return Code(initially, ANY_STEP)


def _ways(compiler: Compiler, node: c.Expression, env: Env, proceed: Run) -> Code:
    match node:
        case c.Builtin(operator=Operator.AND):
            for argument in reversed(node.arguments):
                proceed = action(compiler, argument, env, proceed).run
            return Code(proceed, ANY_STEP)
        case c.Builtin(operator=Operator.OR):
            return _in_turn([action(compiler, part, env, proceed).run for part in node.arguments])
        case c.Builtin(operator=Operator.IMPLIES):
            premise = compiler.test(node.arguments[0], env).run
            then = action(compiler, node.arguments[1], env, proceed).run
            return Code(lambda frame: (then if premise(frame) else proceed)(frame), ANY_STEP)
        case c.Builtin(operator=Operator.EQUAL):
            place = target(compiler, node.arguments[0], env)
            if place is not None:
                return _assign(compiler, place, node.arguments[1], env, proceed)
        case c.Builtin(operator=Operator.IN):
            place = target(compiler, node.arguments[0], env)
            if place is not None:
                return _choose_value(compiler, place, node.arguments[1], env, proceed)
        case c.If():
            test = compiler.test(node.condition, env).run
            then = action(compiler, node.then, env, proceed).run
            other = action(compiler, node.otherwise, env, proceed).run
            return Code(lambda frame: then(frame) if test(frame) else other(frame), ANY_STEP)
        case c.Case():
            return _case(compiler, node, env, proceed)
        case c.LocalRef() | c.Call() | c.CallParameter() | c.Let():
            return calls.named(compiler, node, env, Action(compiler, proceed))
        case c.Quantifier() if node.kind is c.Quantification.EXISTS:
            found, inner = loops(compiler, node.bounds, env)
            return Code(every(found, action(compiler, node.body, inner, proceed).run), ANY_STEP)
        case c.Quantifier():
            return _all(compiler, node, env, proceed)
        case c.Unchanged():
            return _unchanged(compiler, node.operand, env, proceed)
        case c.BoxAction():
            step = action(compiler, node.action, env, proceed)
            same = _unchanged(compiler, node.subscript, env, proceed)
            return _in_turn([step.run, same.run])
        case c.Composition():
            return _composed(compiler, node, env, proceed)
        case c.AngleAction():
            changed = guard(_differs(compiler, node.subscript, env), proceed)
            return action(compiler, node.action, env, changed.run)
        case _:
            pass
    return guard(compiler.test(node, env), proceed)


def test(
    compiler: Compiler, node: c.Unchanged | c.BoxAction | c.AngleAction | c.Enabled, env: Env
) -> Code:
    """Compile what is said of a step whose next state is known, and ENABLED of a state.

    As TLC does, it asks first whether the step is one of the action, then what the subscript is.
    """
    match node:
        case c.Unchanged():
            return _negated(compiler, _differs(compiler, node.operand, env))
        case c.BoxAction():
            step = compiler.test(node.action, env)
            differs = _differs(compiler, node.subscript, env)
            a, b = step.run, differs.run
            return compiler.make(lambda frame: a(frame) or not b(frame), [step, differs])
        case c.AngleAction():
            step = compiler.test(node.action, env)
            differs = _differs(compiler, node.subscript, env)
            a, b = step.run, differs.run
            return compiler.make(lambda frame: a(frame) and b(frame), [step, differs])
        case c.Enabled():
            return _enabled(compiler, node, env)


def _negated(compiler: Compiler, code: Code) -> Code:
    run = code.run
    return compiler.make(lambda frame: not run(frame), [code])


def _differs(compiler: Compiler, node: c.Expression, env: Env) -> Code:
    now = compiler.strict(node, env)
    then = compiler.strict(node, env.prime())
    a, b = now.run, then.run
    return compiler.make(lambda frame: a(frame) != b(frame), [now, then])


def _enabled(compiler: Compiler, node: c.Enabled, env: Env) -> Code:
    if (why := refusal(node, env.primed)) is not None:
        return refused(why)

    def found(_frame: Frame) -> None:
        raise StepFound

    width = compiler.width
    hidden = [compiler.hidden(variable) for variable in node.hidden]
    places = [*range(width, 2 * width), *hidden]
    run = action(compiler, node.action, env, found).run

    def enabled(frame: Frame) -> bool:
        saved = [frame[place] for place in places]
        for place in places:
            frame[place] = MISSING
        try:
            run(frame)
        except StepFound:
            return True
        finally:
            for place, value in zip(places, saved, strict=True):
                frame[place] = value
        return False

    return Code(enabled, frozenset(range(width)))


def _composed(compiler: Compiler, node: c.Composition, env: Env, proceed: Run) -> Code:
    """Compile a step of one action to a state in the middle, and of another one from there."""
    middle = [compiler.hidden(variable) for variable in node.hidden]
    second = action(compiler, node.second, env, proceed).run
    run = action(compiler, node.first, env, second).run

    def composed(frame: Frame) -> None:
        # The same composition may stand behind itself, and an ENABLED ends in the middle of it.
        saved = [frame[place] for place in middle]
        for place in middle:
            frame[place] = MISSING
        try:
            run(frame)
        finally:
            for place, value in zip(middle, saved, strict=True):
                frame[place] = value

    return Code(composed, ANY_STEP)


def _in_turn(runs: list[Run]) -> Code:
    def in_turn(frame: Frame) -> None:
        for run in runs:
            run(frame)

    return Code(in_turn, ANY_STEP)


def _case(compiler: Compiler, node: c.Case, env: Env, proceed: Run) -> Code:
    arms = [
        (compiler.test(arm.guard, env).run, action(compiler, arm.value, env, proceed).run)
        for arm in node.arms
    ]
    if node.other is None:
        otherwise = refused(no_arm(node.span)).run
    else:
        otherwise = action(compiler, node.other, env, proceed).run

    def case(frame: Frame) -> None:
        for test, run in arms:
            if test(frame):
                run(frame)
                return
        otherwise(frame)

    return Code(case, ANY_STEP)


def _assign(compiler: Compiler, place: int, node: c.Expression, env: Env, proceed: Run) -> Code:
    code = compiler.strict(node, env)
    run = code.run

    def assign(frame: Frame) -> None:
        if frame[place] is MISSING:
            frame[place] = run(frame)
            proceed(frame)
            frame[place] = MISSING
        elif frame[place] == run(frame):
            proceed(frame)

    return Code(assign, ANY_STEP)


def _choose_value(
    compiler: Compiler, place: int, node: c.Expression, env: Env, proceed: Run
) -> Code:
    from .lazy_functions import written_out

    listed = domain(compiler, node, env).run
    member = compiler.test(
        c.Builtin(node.span, Operator.IN, (c.LocalRef(node.span, _ASSIGNED), node)),
        env.bind({_ASSIGNED: Slot(place)}),
    ).run

    def choose(frame: Frame) -> None:
        if frame[place] is MISSING:
            for value in listed(frame):
                frame[place] = written_out(value)
                proceed(frame)
            frame[place] = MISSING
        elif member(frame):
            proceed(frame)

    return Code(choose, ANY_STEP)


_ASSIGNED = c.Binding(Span("", 0, 0, 0, 0), "the value so far")


def _unchanged(compiler: Compiler, node: c.Expression, env: Env, proceed: Run) -> Code:
    """Compile `e' = e`: variables of tuples one by one, anything else as a test."""
    variables, others = _parts(node, env)
    for other, scope in reversed(others):
        place = None
        if isinstance(other, c.HiddenRef | c.MiddleRef):
            place = target(compiler, other, scope.prime())
        if place is not None:
            proceed = _assign(compiler, place, other, scope, proceed).run
            continue
        same = _negated(compiler, _differs(compiler, other, scope))
        proceed = guard(same, proceed).run
    width = compiler.width
    places = [compiler.places[variable] for variable in variables]
    pairs = [(at, at + width) for at in places]

    def keep(frame: Frame) -> None:
        assigned = []
        for at, after in pairs:
            if frame[after] is MISSING:
                frame[after] = frame[at]
                assigned.append(after)
            elif frame[after] != frame[at]:
                break
        else:
            proceed(frame)
        for after in assigned:
            frame[after] = MISSING

    return Code(keep, ANY_STEP)


def _parts(node: c.Expression, env: Env) -> tuple[list[str], list[tuple[c.Expression, Env]]]:
    """Return the variables that `node` is a tuple of, and its parts that are something else."""
    match node:
        case c.VariableRef():
            return [node.name], []
        case c.TupleLiteral():
            variables: list[str] = []
            others: list[tuple[c.Expression, Env]] = []
            for element in node.elements:
                found, rest = _parts(element, env)
                variables += found
                others += rest
            return variables, others
        case c.Call(arguments=()):
            definition = node.definition
            if not definition.parameters and not definition.is_recursive:
                return _parts(definition.body, env.around(definition))
        case c.LocalRef():
            entry = env.names[node.binding]
            if isinstance(entry, ByName):
                return _parts(entry.expression, entry.env)
        case _:
            pass
    return [], [(node, env)]


def _all(compiler: Compiler, node: c.Quantifier, env: Env, proceed: Run) -> Code:
    """Compile `\\A x \\in S : A(x)` as the conjunction of its instances, in order."""
    first, *rest = node.bounds
    body: c.Expression = node.body
    if rest:
        body = c.Quantifier(node.span, node.kind, tuple(rest), node.body)
    low = len(compiler.frame)
    (loop,), inner = loops(compiler, [first], env)
    behind, _ = loops(compiler, rest, env)
    position, members = compiler.slot(), compiler.slot()
    high = low  # known when the body is compiled

    def instance(frame: Frame) -> None:
        at, items = frame[position], frame[members]
        if at == len(items):
            proceed(frame)
            return
        saved = frame[low:high]
        frame[position] = at + 1
        if loop.take is None:
            frame[loop.slots[0]] = items[at]
        else:
            loop.take(frame, items[at])
        run(frame)
        frame[low:high] = saved

    run = action(compiler, body, inner, instance).run
    high = len(compiler.frame)
    listed = loop.members.run

    def start(frame: Frame) -> None:
        saved = frame[low:high]
        frame[position], frame[members] = 0, tuple(listed(frame))
        if not frame[members]:
            for one in behind:
                one.members.run(frame)
        instance(frame)
        frame[low:high] = saved

    return Code(start, ANY_STEP)
