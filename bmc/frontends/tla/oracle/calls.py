"""Names: bound variables, arguments, LET, calls of operators, recursive operators."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from time import perf_counter_ns
from typing import Any, TypeVar, assert_never

from .. import core as c
from ..errors import Span, TlaError, TlaUnsupported
from .code import (
    EMPTY,
    EMPTY_PRIMED,
    MISSING,
    ByName,
    Code,
    Entry,
    Env,
    Frame,
    Lacking,
    Operation,
    Reader,
    Recursive,
    Run,
    Slot,
    Unit,
)
from .compiler import DEEPEST_RECURSION, Compiler
from .errors import EvaluationError, EvaluationLimit

_TRIALS, _LONG, _MOST_KNOWN = 20, 50_000, 10_000  # tries, nanoseconds a try, values

MOST_UNITS = 200  # compiled versions of recursive operators

Made = TypeVar("Made", bound=Unit)


def read(entry: Slot) -> Code:
    """Return the code that reads a slot."""
    slot = entry.index

    def run_checked(frame: Frame) -> Any:
        value = frame[slot]
        if type(value) is Lacking:
            raise value.error.with_traceback(None)
        return value

    run: Run = run_checked if entry.may_lack else lambda frame: frame[slot]
    return Code(run, frozenset((slot,)), lazy=entry.lazy, cheap=True)


def values_of(runs: Iterable[Run], frame: Frame) -> list[Any]:
    """Return the values of arguments; one that the operator does not read need not have one."""
    values = []
    for run in runs:
        try:
            values.append(run(frame))
        except EvaluationLimit:
            raise
        except EvaluationError as error:
            values.append(Lacking(error))
    return values


def named(
    compiler: Compiler,
    node: c.LocalRef | c.Call | c.CallParameter | c.Let,
    env: Env,
    reader: Reader,
) -> Code:
    """Compile what a name or a LET stands for, as `reader` compiles expressions."""
    match node:
        case c.LocalRef():
            entry = env.names[node.binding]
            match entry:
                case Slot():
                    code = read(entry)
                    return reader.adapt(code, node.span)
                case ByName():
                    return by_name(compiler, entry, env, node.span, reader)
                case Operation():
                    raise TlaUnsupported(node.span, "an operator is no value")
                case _:
                    assert_never(entry)
        case c.Call():
            if not node.arguments and node.definition in env.lets:
                local = env.lets[node.definition].values.get(node.definition)
                if local is not None:
                    return by_name(compiler, local, env, node.span, reader)
            return call(compiler, node.definition, entries(node.arguments, env), env, node, reader)
        case c.CallParameter():
            operation = env.names[node.binding]
            assert isinstance(operation, Operation), "an operator parameter stands for an operator"
            return apply(compiler, operation, entries(node.arguments, env), env, node, reader)
        case c.Let():
            inner, site = env.let(node.definitions)
            code = reader(node.body, inner)
            return fresh(compiler, site.values.values(), code)
        case _:
            assert_never(node)


def entries(arguments: Iterable[c.Expression], env: Env) -> list[Entry]:
    """Return what parameters stand for in a call with these arguments."""
    found: list[Entry] = []
    for argument in arguments:
        match argument:
            case c.OperatorRef() | c.BuiltinRef() | c.Lambda():
                found.append(Operation(argument, env))
            case c.LocalRef():
                entry = env.names[argument.binding]
                if isinstance(entry, Operation) and env.primed and not entry.env.primed:
                    entry = Operation(entry.operator, entry.env.prime())
                found.append(ByName(argument, env) if isinstance(entry, ByName) else entry)
            case _:
                found.append(ByName(argument, env))
    return found


def by_name(compiler: Compiler, entry: ByName, env: Env, span: Span, reader: Reader) -> Code:
    """Compile the expression that a name stands for; its value is found once and remembered."""
    primed = env.primed or entry.env.primed
    inner = entry.env.prime() if primed else entry.env
    if reader.known is None:
        return reader(entry.expression, inner)
    code = entry.codes.get(primed)
    if code is None:
        code = compiler.value(entry.expression, inner)
        # A next value may be given between two readings.
        if not code.cheap and code.needs and not compiler.reads_next(code.needs):
            memo = compiler.slot()
            entry.memos.append(memo)
            code = remembered(code, memo)
        entry.codes[primed] = code
    return reader.adapt(code, span)


def remembered(code: Code, slot: int) -> Code:
    """Return code that finds its value once and keeps it in `slot`."""
    run = code.run

    def remember(frame: Frame) -> Any:
        value = frame[slot]
        if value is MISSING:
            value = frame[slot] = run(frame)
        return value

    return Code(remember, code.needs, lazy=code.lazy, cheap=True)


def remembered_by_state(code: Code, slot: int) -> Code:
    """Return code that finds a state's value once for the state, in `slot`.

    If finding it turns out to take long, it is also remembered by the values of the variables that
    it reads: most steps leave most variables as they are.
    """
    run, places = code.run, sorted(code.needs)
    known: dict[tuple[Any, ...], Any] = {}
    trials, spent = 0, 0

    def find(frame: Frame) -> Any:
        nonlocal trials, spent
        if trials < _TRIALS:
            trials += 1
            start = perf_counter_ns()
            value = run(frame)
            spent += perf_counter_ns() - start
            return value
        if spent < _TRIALS * _LONG:
            return run(frame)
        key = tuple([frame[place] for place in places])
        value = known.get(key, MISSING)
        if value is MISSING:
            if len(known) >= _MOST_KNOWN:
                known.clear()
            value = known[key] = run(frame)
        return value

    def remember(frame: Frame) -> Any:
        value = frame[slot]
        if value is MISSING:
            value = frame[slot] = find(frame)
        return value

    return Code(remember, code.needs, lazy=code.lazy, cheap=True)


def fresh(compiler: Compiler, names: Iterable[Entry], code: Code) -> Code:
    """Return `code` after forgetting what is remembered of `names`: they are bound anew."""
    memos = [memo for name in names if isinstance(name, ByName) for memo in name.memos]
    if not memos or code.known is not MISSING:
        return code
    run = code.run
    if len(memos) == 1:
        (memo,) = memos

        def forget_one(frame: Frame) -> Any:
            frame[memo] = MISSING
            return run(frame)

        return Code(forget_one, code.needs, lazy=code.lazy)

    def forget(frame: Frame) -> Any:
        for memo in memos:
            frame[memo] = MISSING
        return run(frame)

    return Code(forget, code.needs, lazy=code.lazy)


def call(
    compiler: Compiler,
    definition: c.Definition,
    arguments: list[Entry],
    env: Env,
    node: c.Expression,
    reader: Reader,
) -> Code:
    """Compile `definition(arguments)`: its body with the arguments in their places."""
    if definition in env.lets:
        site = env.lets[definition].env
        inner = site.prime() if env.primed else site
    else:
        inner = EMPTY_PRIMED if env.primed else EMPTY
        if not definition.parameters and not definition.is_recursive:
            return whole(compiler, definition, inner, reader)
    if definition.is_recursive:
        called = Recursive(definition, arguments, env, inner, node)
        steps = reader.steps(called)
        return reader.adapt(_recursive(compiler, called), node.span) if steps is None else steps
    bound = inner.bind(dict(zip(definition.parameters, arguments, strict=True)))
    code = fresh(compiler, arguments, reader(definition.body, bound))
    if definition.span.is_shipped and not node.span.is_shipped and reader.known is not None:
        code = told_at(code, node.span, definition.name)
    return code


def told_at(code: Code, span: Span, called: str) -> Code:
    """Return `code` of a shipped operator, whose errors are told where the text calls it."""
    if code.known is not MISSING:
        return code
    run = code.run

    def tell(frame: Frame) -> Any:
        try:
            return run(frame)
        except TlaError as error:
            error.tell_at(span, called)
            raise

    return replace(code, run=tell)


def whole(compiler: Compiler, definition: c.Definition, env: Env, reader: Reader) -> Code:
    """Compile an operator without parameters once; a state's value is found once for the state."""
    known = reader.known
    if known is None:
        return reader(definition.body, env)
    key = (definition, env.primed)
    code = known.get(key)
    if code is None:
        code = reader(definition.body, env)
        if code.needs and not code.cheap and max(code.needs) < compiler.width:
            slot = compiler.slot()
            compiler.state_memos.append(slot)
            code = remembered_by_state(code, slot)
        known[key] = code
    return code


def apply(
    compiler: Compiler,
    operation: Operation,
    arguments: list[Entry],
    env: Env,
    node: c.Expression,
    reader: Reader,
) -> Code:
    """Compile an operator that came as an argument, applied to `arguments`."""
    inner = operation.env.prime() if env.primed else operation.env
    operator = operation.operator
    match operator:
        case c.Lambda():
            bound = inner.bind(dict(zip(operator.parameters, arguments, strict=True)))
            return fresh(compiler, arguments, reader(operator.body, bound))
        case c.OperatorRef():
            return call(compiler, operator.definition, arguments, inner, node, reader)
        case c.BuiltinRef():
            names = [c.Binding(node.span, f"argument {at}") for at in range(len(arguments))]
            bound = inner.bind(dict(zip(names, arguments, strict=True)))
            references = tuple(c.LocalRef(node.span, name) for name in names)
            code = reader(c.Builtin(node.span, operator.operator, references), bound)
            return fresh(compiler, arguments, code)
        case _:
            assert_never(operator)


def unit(
    compiler: Compiler, called: Recursive, kind: type[Made], reader: Callable[[Made], Reader]
) -> Made:
    """Return the operator of a call compiled as `reader` compiles expressions, once for its kind.

    Raises EvaluationLimit where it is called with ever new operators.
    """
    definition, inner = called.definition, called.inner
    operations = tuple(entry for entry in called.arguments if isinstance(entry, Operation))
    key = (kind, definition, inner.primed, called.env.lets.get(definition), operations)
    known = compiler.units.get(key)
    if isinstance(known, kind):
        return known
    if len(compiler.units) >= MOST_UNITS:
        raise EvaluationLimit(
            called.node.span, f"{definition.name} calls itself with ever new operators"
        )
    low = len(compiler.frame)
    names: dict[c.Binding, Entry] = {}
    for parameter, argument in zip(definition.parameters, called.arguments, strict=True):
        names[parameter] = (
            argument
            if isinstance(argument, Operation)
            else Slot(compiler.slot(), lazy=True, may_lack=True)
        )
    marker = compiler.slot()  # stands for the unit's needs while it is compiled
    made = compiler.units[key] = kind(low, marker + 1, needs=frozenset((marker,)))
    made.code = reader(made)(definition.body, inner.bind(names))
    made.high = len(compiler.frame)
    made.needs = made.code.needs.difference(range(made.low, made.high))
    return made


def argument_codes(compiler: Compiler, called: Recursive) -> list[Code]:
    """Return the codes of the arguments that are values, in their order."""
    primed = called.env.primed
    return [
        compiler.value(entry.expression, entry.env.prime() if primed else entry.env)
        if isinstance(entry, ByName)
        else read(entry)
        for entry in called.arguments
        if not isinstance(entry, Operation)
    ]


def require_shallow(compiler: Compiler, span: Span) -> None:
    """Raise EvaluationLimit where too many calls are under way, or the time is over."""
    if compiler.stop:
        raise compiler.expired(span)
    if compiler.depth >= DEEPEST_RECURSION:
        raise EvaluationLimit(
            span,
            f"more than {DEEPEST_RECURSION:,} calls within each other",
            "Does the recursion end?",
        )


def _recursive(compiler: Compiler, called: Recursive) -> Code:
    """Compile a call of a recursive operator: arguments by value, in slots that it restores."""
    made = unit(compiler, called, Unit, lambda _: compiler.values)
    codes = argument_codes(compiler, called)
    runs = [code.run for code in codes]
    span, low = called.node.span, made.low
    after = low + len(runs)

    def call_unit(frame: Frame) -> Any:
        require_shallow(compiler, span)
        assert made.code is not None
        values = values_of(runs, frame)
        high = made.high
        saved = frame[low:high]
        frame[low:after] = values
        compiler.depth += 1
        try:
            return made.code.run(frame)
        finally:
            compiler.depth -= 1
            frame[low:high] = saved

    return compiler.make(call_unit, [*codes, Code(call_unit, made.needs)], lazy=True)
