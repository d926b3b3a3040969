"""What nothing names: a method that lacks its decorator, or a list of actions that is no Next.

Python cannot tell whether one is left over or was meant, so whoever asks is told of them.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from pathlib import Path
from types import FunctionType, ModuleType

from bmc.lang.protocol import ActionDeclaration, History, Protocol

_BY_OTHER_MEANS = {"getattr", "vars", "dir", "__dict__", "attrgetter", "methodcaller", "inspect"}
"""What may come to a method whose name no text has."""


def unnamed(
    owner: type[Protocol] | type[History], modules: Iterable[ModuleType]
) -> tuple[str, ...]:
    """Return a sentence for each method or list of actions that no text of its modules names.

    The class is a protocol or a history. Only methods of its own body that take a state, or
    anything else beside ``self``, are looked at, and what ``one_of`` makes: a class that is mixed
    in may well have more than one protocol needs. Nothing is said where a module has no text, or
    reaches for names that are made while it runs.
    """
    known = History if issubclass(owner, History) else Protocol
    said = {name: one for name, one in vars(owner).items() if not hasattr(known, name)}
    own = [
        one
        for name, one in said.items()
        if isinstance(one, FunctionType)
        and one.__code__.co_argcount > 1
        and not name.startswith("__")
    ]
    lists = [name for name, one in said.items() if name != "Next" and _lists_actions(one)]
    if not own and not lists:
        return ()
    try:
        words = {word for module in modules for word in _words(inspect.getsource(module))}
    except (OSError, TypeError, SyntaxError):
        return ()
    if words & _BY_OTHER_MEANS:
        return ()
    return (
        *(_note(one) for one in own if one.__name__ not in words),
        *(_note_of_actions(owner, name) for name in lists if name not in words),
    )


def _lists_actions(value: object) -> bool:
    return isinstance(value, tuple) and any(isinstance(one, ActionDeclaration) for one in value)


def _words(text: str) -> set[str]:
    """Return the names that a text reads, those that a string alone is as well."""
    found: set[str] = set()
    for part in ast.walk(ast.parse(text)):
        match part:
            case ast.Name(name, ast.Load()) | ast.Attribute(attr=name) | ast.alias(name=name):
                found.add(name)
            case ast.Constant(value=str() as name):
                found.add(name)
    return found


def _note(one: FunctionType) -> str:
    code = one.__code__
    return (
        f"{Path(code.co_filename).name}, line {code.co_firstlineno}: nothing names the method "
        f"{one.__name__}: a claim, an action, or what follows one is that by its decorator; leave "
        "out what nobody needs"
    )


def _note_of_actions(owner: type, name: str) -> str:
    module = inspect.getmodule(owner)
    assert module is not None, "its text was read"
    bodies = [
        made
        for made in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(made, ast.ClassDef) and made.name == owner.__name__
    ]
    lines = [
        part.lineno
        for body in bodies
        for part in ast.walk(body)
        if isinstance(part, ast.Name) and part.id == name
    ]
    place = f"{Path(str(module.__file__)).name}{f', line {lines[-1]}' if lines else ''}"
    return (
        f"{place}: nothing names the actions that {name} lists: what a protocol does is its Next; "
        "leave out what nobody needs"
    )
