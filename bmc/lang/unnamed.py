"""Methods that nothing names: a claim, an action or what follows one, without its decorator.

Python cannot tell whether one is left over or was meant, so whoever asks is told of them.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from pathlib import Path
from types import FunctionType, ModuleType

from bmc.lang.protocol import History, Protocol

_BY_OTHER_MEANS = {"getattr", "vars", "dir", "__dict__", "attrgetter", "methodcaller", "inspect"}
"""What may come to a method whose name no text has."""


def unnamed(
    owner: type[Protocol] | type[History], modules: Iterable[ModuleType]
) -> tuple[str, ...]:
    """Return a sentence for each method of a class that no text of its modules names.

    The class is a protocol or a history. Only methods of its own body that take a state, or
    anything else beside ``self``, are looked at: a class that is mixed in may well have more than
    one protocol needs. Nothing is said where a module has no text, or reaches for names that are
    made while it runs.
    """
    own = [
        one
        for name, one in vars(owner).items()
        if isinstance(one, FunctionType)
        and one.__code__.co_argcount > 1
        and not name.startswith("__")
        and not hasattr(History if issubclass(owner, History) else Protocol, name)
    ]
    if not own:
        return ()
    try:
        words = {word for module in modules for word in _words(inspect.getsource(module))}
    except (OSError, TypeError, SyntaxError):
        return ()
    if words & _BY_OTHER_MEANS:
        return ()
    return tuple(_note(one) for one in own if one.__name__ not in words)


def _words(text: str) -> set[str]:
    """Return the names that a text uses, those that a string alone is as well."""
    found: set[str] = set()
    for part in ast.walk(ast.parse(text)):
        match part:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
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
