"""Sets written out, functions, records, tuples: making, applying and updating them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_never

from .. import core as c
from ..errors import Span
from ..lazy_sets import Functions, LazySet, NotASet, Records, Tuples
from ..values import Function, domain_of, show
from .code import Code, Env, Frame, Run, Slot
from .compiler import Compiler
from .errors import OutsideDomain, WrongKind
from .lazy_functions import LazyFunction

Constructor = (
    c.SetEnumeration
    | c.FunctionSet
    | c.RecordLiteral
    | c.RecordSet
    | c.TupleLiteral
    | c.Product
    | c.Apply
    | c.Field
    | c.Except
)


def value(compiler: Compiler, node: Constructor, env: Env) -> Code:
    """Compile a constructor, an application or an EXCEPT."""
    match node:
        case c.SetEnumeration():
            parts = [compiler.strict(element, env) for element in node.elements]
            runs = [part.run for part in parts]
            if len(runs) == 1:
                (only,) = runs
                return compiler.make(lambda frame: frozenset((only(frame),)), parts)
            return compiler.make(lambda frame: frozenset([run(frame) for run in runs]), parts)
        case c.TupleLiteral():
            parts = [compiler.strict(element, env) for element in node.elements]
            runs = [part.run for part in parts]
            return compiler.make(lambda frame: tuple([run(frame) for run in runs]), parts)
        case c.RecordLiteral():
            return _record(compiler, node, env)
        case c.FunctionSet():
            parts = [compiler.value(node.domain, env), compiler.value(node.codomain, env)]
            source, target = (_set_run(part, node.span) for part in parts)
            return compiler.make(
                lambda frame: Functions(source(frame), target(frame)), parts, lazy=True
            )
        case c.RecordSet():
            names = tuple(name for name, _ in node.fields)
            parts = [compiler.value(factor, env) for _, factor in node.fields]
            runs = [_set_run(part, node.span) for part in parts]
            return compiler.make(
                lambda frame: Records(names, tuple(run(frame) for run in runs)), parts, lazy=True
            )
        case c.Product():
            parts = [compiler.value(factor, env) for factor in node.factors]
            runs = [_set_run(part, node.span) for part in parts]
            return compiler.make(
                lambda frame: Tuples(tuple(run(frame) for run in runs)), parts, lazy=True
            )
        case c.Apply():
            function = compiler.value(node.function, env)
            return application(compiler, function, key(compiler, node.arguments, env), node.span)
        case c.Field():
            return field(compiler, compiler.value(node.record, env), node)
        case c.Except():
            return _except(compiler, node, env)
        case _:
            assert_never(node)


def key(compiler: Compiler, arguments: tuple[c.Expression, ...], env: Env) -> Code:
    """Compile the argument of an application; several are the tuple of them."""
    parts = [compiler.strict(argument, env) for argument in arguments]
    if len(parts) == 1:
        return parts[0]
    runs = [part.run for part in parts]
    return compiler.make(lambda frame: tuple([run(frame) for run in runs]), parts)


def _set_run(code: Code, span: Span) -> Run:
    run = code.run

    def checked(frame: Frame) -> Any:
        found = run(frame)
        if type(found) is frozenset or isinstance(found, LazySet):
            return found
        raise WrongKind(span, f"{show(found)} is no set")

    return checked


def _record(compiler: Compiler, node: c.RecordLiteral, env: Env) -> Code:
    by_name = {name: compiler.strict(item, env) for name, item in node.fields}
    domain = domain_of(frozenset(by_name))
    runs = [by_name[name].run for name in domain.keys]
    return compiler.make(
        lambda frame: Function([domain, *[run(frame) for run in runs]]), by_name.values()
    )


def application(compiler: Compiler, function: Code, argument: Code, span: Span) -> Code:
    """Compile `function[argument]`; raise OutsideDomain, WrongKind at `span`."""
    find, ask = function.run, argument.run

    def apply(frame: Frame) -> Any:
        found, key = find(frame), ask(frame)
        if type(found) is Function:
            at = found[0].positions.get(key)
            if at is not None:
                return found[at]
        elif type(found) is tuple and type(key) is int and 0 < key <= len(found):
            return found[key - 1]
        return unusual(found, key, span)

    return compiler.make(apply, [function, argument])


def unusual(function: Any, key: Any, span: Span) -> Any:
    """Return what a lazy function is at `key`; raise OutsideDomain, WrongKind."""
    if isinstance(function, LazyFunction):
        try:
            return function.at(key)
        except KeyError:
            pass
        except NotASet as reason:
            raise WrongKind(span, str(reason)) from None
    elif not isinstance(function, tuple):
        raise WrongKind(span, f"{show(function)} is no function, it is applied to {show(key)}")
    raise OutsideDomain(span, f"{show(key)} is not in the domain of {show(function)}")


def field(compiler: Compiler, record: Code, node: c.Field) -> Code:
    """Compile `record.name`."""
    find, name, span = record.run, node.name, node.span

    def get(frame: Frame) -> Any:
        found = find(frame)
        if type(found) is Function:
            at = found[0].positions.get(name)
            if at is not None:
                return found[at]
        return unusual(found, name, span)

    return compiler.make(get, [record])


Change = Callable[[Frame, Any], Any]  # the new value of a function, from the old one


def _except(compiler: Compiler, node: c.Except, env: Env) -> Code:
    function = compiler.strict(node.function, env)
    parts, own, changes = [function], [], []
    for update in node.updates:
        slot = compiler.slot()
        own.append(slot)
        new = compiler.strict(update.value, env.bind({update.at: Slot(slot)}))
        parts.append(new)
        change = _replace(slot, new.run)
        behind: tuple[Run, ...] = ()
        for step in reversed(update.path):
            match step:
                case c.IndexStep():
                    index = key(compiler, step.arguments, env)
                    parts.append(index)
                    change = _deeper(index, change, behind, node.span)
                    behind = (index.run, *behind)
                case c.FieldStep():
                    change = _deeper(_name(step.name), change, behind, node.span)
                case _:
                    assert_never(step)
        changes.append(change)
    run = function.run
    if len(changes) == 1:
        (only,) = changes
        return compiler.make(lambda frame: only(frame, run(frame)), parts, own)

    def change_all(frame: Frame) -> Any:
        found = run(frame)
        for change in changes:
            found = change(frame, found)
        return found

    return compiler.make(change_all, parts, own)


def _name(name: str) -> Code:
    return Code(lambda _frame: name, known=name)


def _replace(slot: int, new: Run) -> Change:
    def replace(frame: Frame, old: Any) -> Any:
        frame[slot] = old
        return new(frame)

    return replace


def _deeper(index: Code, change: Change, behind: tuple[Run, ...], span: Span) -> Change:
    """Return the change of a function at one argument; outside of its domain nothing changes.

    There the rest of the path is read all the same, as TLC reads a path before it follows it.
    """
    ask = index.run

    def unchanged(frame: Frame, function: Any) -> Any:
        for argument in behind:
            argument(frame)
        return function

    def deeper(frame: Frame, function: Any) -> Any:
        key = ask(frame)
        if type(function) is Function:
            at = function[0].positions.get(key)
            if at is None:
                return unchanged(frame, function)
            items = list(function)
            items[at] = change(frame, items[at])
            return Function(items)
        if type(function) is tuple:
            if type(key) is not int or not 0 < key <= len(function):
                return unchanged(frame, function)
            return (*function[: key - 1], change(frame, function[key - 1]), *function[key:])
        raise WrongKind(span, f"{show(function)} is no function, EXCEPT changes it at {show(key)}")

    return deeper
