"""Functions that a text names and does not call: each is true whatever it says, and does nothing.

What acts and gives nothing back is false in the same way, whatever it requires. Only what is so for
certain is found, so a hook that may be None can still be asked for.
"""

from __future__ import annotations

import ast
import inspect
from types import FunctionType, ModuleType
from typing import Any

from bmc.lang.declared import Declaration
from bmc.lang.function_text import FunctionText
from bmc.lang.instructions import returns_nothing
from bmc.lang.value_kinds import ValueKind

UNCALLED = "a function that is only named does nothing: write its call, with parentheses"
_GIVES_NOTHING = (
    "this acts and gives nothing back, which is false whatever it requires: write it on a line of "
    "its own, and what is to be asked as a formula, with & | ~ or `either`"
)
_FUNCTIONS = (FunctionType, staticmethod, classmethod)


def is_a_function(text: FunctionText, e: ast.expr) -> bool:
    """Return whether this names a function of a module, of a class or of an object, or many."""
    return _is_a_function(text, e, frozenset())


def asked(text: FunctionText, test: ast.expr) -> str | None:
    """Return what to say of what is asked for its truth, where that is the same in all states."""
    if is_a_function(text, test):
        return UNCALLED
    return _GIVES_NOTHING if _gives_nothing(text, test) else None


def _gives_nothing(text: FunctionText, test: ast.expr) -> bool:
    match test:
        case ast.Call(ast.Attribute(base, "require")) if text.kind(base) is ValueKind.STATE:
            return True
        case ast.Call(called, given) if _of_a_state(text, given):
            function = text.value(called)
            function = getattr(function, "__func__", function)
            return isinstance(function, FunctionType) and returns_nothing(function.__code__)
    return False


def _of_a_state(text: FunctionText, given: list[ast.expr]) -> bool:
    """Whether a function is told of a state: one that is not may say that there is no name."""
    return any(text.kind(one) in (ValueKind.STATE, ValueKind.SYMBOLIC) for one in given)


def does_nothing(text: FunctionText, e: ast.expr) -> bool:
    """Return whether what is said by a line of its own only names functions, or one in passing."""
    match e:
        case ast.Tuple(parts) | ast.List(parts) | ast.Set(parts):
            return any(does_nothing(text, part) for part in parts)
        case ast.IfExp(_, one, other):
            return does_nothing(text, one) or does_nothing(text, other)
        case ast.Name() | ast.Attribute():
            return callable(text.value(e)) or is_a_function(text, e) or _is_declared(text, e)
    return False


def _is_declared(text: FunctionText, e: ast.expr) -> bool:
    """Whether this names an action or a claim: it is run, and asked, where it is called."""
    found = _found(text, e.value, e.attr) if isinstance(e, ast.Attribute) else text.value(e)
    return isinstance(found, Declaration)


def _is_a_function(text: FunctionText, e: ast.expr, asked: frozenset[str]) -> bool:
    match e:
        case ast.Name(name) if name in text.local:
            given = _given(text, name) if name not in asked else []
            return bool(given) and all(_is_a_function(text, g, asked | {name}) for g in given)
        case ast.Name(name) if name not in text.formals:
            return _is_of_that_name(text.value(e), name)
        case ast.Attribute(base, name):
            found = _found(text, base, name)
            return isinstance(found, _FUNCTIONS)
        case ast.Call(ast.Name("getattr"), [base, ast.Constant(str(name))]):
            return isinstance(_found(text, base, name), _FUNCTIONS)
        case ast.Subscript(base):
            held = _held(text, base)
            said = bool(held) and all(_is_a_function(text, one, asked) for one in held)
            return said or isinstance(text.value(e), _FUNCTIONS)
        case ast.NamedExpr(_, value):
            return _is_a_function(text, value, asked)
        case ast.Tuple(parts) | ast.List(parts) | ast.Set(parts):
            return any(_is_a_function(text, part, asked) for part in parts)
    return False


def _held(text: FunctionText, e: ast.expr) -> list[ast.expr]:
    """Return all that a table or a list holds where its text shows that."""
    match e:
        case ast.Dict(keys, values):
            return values if None not in keys else []
        case ast.Tuple(parts) | ast.List(parts):
            return parts
        case ast.Name(name) if name in text.local and _only_looked_up(text, name):
            match _given(text, name):
                case [ast.Dict() | ast.Tuple() | ast.List() as display]:
                    return _held(text, display)
    return []


def _only_looked_up(text: FunctionText, name: str) -> bool:
    """Whether nobody can put something else into what a name is given."""
    named = looked_up = 0
    for part in ast.walk(text.node):
        match part:
            case ast.Subscript(ast.Name(one), _, ast.Load()) if one == name:
                looked_up += 1
            case ast.Name(one, ast.Load()) if one == name:
                named += 1
    return named == looked_up


def _given(text: FunctionText, name: str) -> list[ast.expr]:
    """Return all that a name is given; nothing where some of it has no text."""
    given: list[ast.expr] = []
    stored = 0
    for part in text.parts:
        match part:
            case ast.Assign(targets, value):
                given += [value for t in targets if isinstance(t, ast.Name) and t.id == name]
            case ast.AnnAssign(ast.Name(one), _, value) | ast.NamedExpr(ast.Name(one), value) if (
                one == name and value is not None
            ):
                given.append(value)
            case ast.For(ast.Name(one), ast.Tuple(each) | ast.List(each)) if one == name:
                given += each
                stored += len(each) - 1
            case ast.Name(one, ast.Store()) if one == name:
                stored += 1
    return given if len(given) == stored and name not in text.formals else []


def _found(text: FunctionText, base: ast.expr, name: str) -> Any:
    """Return what an attribute is where it is declared, None where that is not known."""
    match base:
        case ast.Call(ast.Name("super")):
            return _inherited(text, name)
        case ast.Call(ast.Name("type"), [of]):
            return inspect.getattr_static(type(text.value(of)), name, None)
        case ast.Call(made):
            owner = text.value(made)
            return inspect.getattr_static(owner, name, None) if isinstance(owner, type) else None
        case ast.Name(local) if local in text.local:
            given = _given(text, local)
            # One step, so that names which are given to each other come to an end.
            known = len(given) == 1 and not (
                isinstance(given[0], ast.Name) and given[0].id in text.local
            )
            return _found(text, given[0], name) if known else None
    whole = text.value(base)
    if isinstance(whole, ModuleType):
        found = vars(whole).get(name)
        return found if _is_of_that_name(found, name) else None
    owner = whole if isinstance(whole, type) else type(whole)
    # A hook that a class above declares to be none is asked for there, whatever this one makes it.
    if any(vars(base).get(name, whole) is None for base in owner.__mro__):
        return None
    return inspect.getattr_static(owner, name, None)


def _inherited(text: FunctionText, name: str) -> Any:
    """Return what the classes above the one that a method was called on declare under a name."""
    first = next(iter(text.run.values.values()), None)
    owner = first if isinstance(first, type) else type(first)
    return next((vars(base)[name] for base in owner.__mro__[1:] if name in vars(base)), None)


def _is_of_that_name(found: object, name: str) -> bool:
    """A name of a module may be given a function or nothing; that of the function itself is it."""
    return isinstance(found, FunctionType) and found.__name__ == name
