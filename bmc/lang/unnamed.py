"""What nothing names: a method that lacks its decorator, and what no word or suite lists.

Python cannot tell whether one is left over or was meant, so whoever asks is told of them.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from bmc.lang.declared import Declaration
from bmc.lang.fairness import Fairness, FairSteps, Specification
from bmc.lang.protocol import ActionDeclaration, History, Protocol
from bmc.lang.slips import bound_by

_BY_OTHER_MEANS = {"getattr", "vars", "dir", "__dict__", "attrgetter", "methodcaller", "inspect"}
"""What may come to a method whose name no text has."""


def unnamed(
    owner: type[Protocol] | type[History], modules: Iterable[ModuleType]
) -> tuple[str, ...]:
    """Return a sentence for what no text of its modules names: methods, actions, fairness.

    The class is a protocol or a history. Methods that take a state, or anything else beside
    ``self``, are looked at, and what ``one_of`` makes, in its own body and in classes of its file
    that it inherits: one of another file may well have more than one protocol needs. Of fairness,
    which ``weak`` and ``strong`` make, that is told, too. Beside a protocol, at the top of its
    file, a specification and a history wait for a suite as well. Nothing is said where a module has
    no text, or reaches for names that are made while it runs.
    """
    known = History if issubclass(owner, History) else Protocol
    said = _said(owner, known)
    methods = ((name, _method(one)) for name, (_, one) in said.items() if name[:2] != "__")
    own = [(name, one) for name, one in methods if one is not None]
    defaults = [one for _, one in said.values() if _defaults(one)]
    lists = [
        (base, name) for name, (base, one) in said.items() if name != "Next" and _lists_actions(one)
    ]
    fair = [(base, name) for base in owner.__mro__ for name in _fairness_of(base, known)]
    beside = _beside(owner) if known is Protocol else ()
    if not own and not defaults and not lists and not fair and not beside:
        return ()
    read: set[str] = set()
    parts: set[str] = set()
    quoted: set[str] = set()
    try:
        for module in modules:
            _gather_words(inspect.getsource(module), read, parts, quoted)
    except (OSError, TypeError, SyntaxError):
        return ()
    read |= parts
    words = read | quoted
    if words & _BY_OTHER_MEANS:
        return ()
    return (
        *(_note(one, _METHOD, name) for name, one in own if name not in words),
        # Another method runs it as self.Up(s), so that a name alone is no call.
        *(_note_of_defaults(one) for one in defaults if one.name not in parts | quoted),
        *(_note_of(base, name, _ACTIONS) for base, name in lists if name not in words),
        # specification="Spec" is answered by a Specification, and by no tuple of that name.
        *(_note_of(base, name, _FAIRNESS) for base, name in fair if name not in read),
        *(note for name, note in beside if name not in read),
    )


def _said(owner: type, known: type) -> dict[str, tuple[type, Any]]:
    """Return what a class has under names that its file says: each with the class that says it."""
    said = {
        name: (base, one) for base in reversed(owner.__mro__) for name, one in vars(base).items()
    }
    return {
        name: (base, one)
        for name, (base, one) in said.items()
        if base.__module__ == owner.__module__ and not hasattr(known, name)
    }


def _method(value: object) -> FunctionType | None:
    """Return the function of a method that could be meant to declare something, else None."""
    if isinstance(value, Declaration):
        return None
    if isinstance(value, staticmethod | classmethod):
        value = value.__func__
    method: object = inspect.unwrap(value) if callable(value) else value
    # What knows neither a state nor anything else says nothing of a step.
    if isinstance(method, FunctionType) and {*inspect.signature(method).parameters} - {"self"}:
        return method
    return None


def _fairness_of(owner: type, known: type) -> list[str]:
    held = (name for name, one in vars(owner).items() if _holds_fairness(one))
    return [name for name in held if not hasattr(known, name)]


def _lists_actions(value: object) -> bool:
    return isinstance(value, tuple) and any(isinstance(one, ActionDeclaration) for one in value)


def _holds_fairness(value: object) -> bool:
    """Return whether a value is fairness, or holds some; a specification by itself is none."""
    return any(
        isinstance(one, Fairness | FairSteps)
        or (isinstance(one, Specification) and one is not value)
        for one in _held(value, 3)
    )


def _held(value: object, deep: int) -> Iterator[object]:
    """Yield a value, and what it holds as a tuple, a list, a set or a table."""
    yield value
    if deep and isinstance(value, tuple | list | set | frozenset | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _held(one, deep - 1)


def _beside(owner: type) -> tuple[tuple[str, str], ...]:
    """Return what the top of a protocol's file makes for a suite: names, each with its note."""
    module = inspect.getmodule(owner)
    if module is None:
        return ()
    said = {
        name: sentence
        for name, one in vars(module).items()
        if (sentence := _sentence_beside(one, module.__name__))
        and name not in vars(module).get("__all__", ())
    }
    try:
        statements = ast.parse(inspect.getsource(module)).body if said else []
    except (OSError, TypeError, SyntaxError):
        return ()
    return tuple(
        (name, _at(module, one.lineno, said[name].format(name=name)))
        for one in statements
        if not isinstance(one, ast.ImportFrom)
        for name in bound_by(one)
        if name in said
    )


def _sentence_beside(value: object, module: str) -> str:
    if isinstance(value, type):
        written = issubclass(value, History) and value.__module__ == module
        return _HISTORY if written else ""
    if _lists_actions(value):
        return _ACTIONS
    if isinstance(value, Specification):
        return _SPECIFICATION
    return _FAIRNESS if _holds_fairness(value) else ""


def _defaults(one: Any) -> list[str]:
    """Return the arguments with a default of an action or a claim, which its decorator gives."""
    function = one.function if isinstance(one, Declaration) and hasattr(one, "function") else None
    taken = inspect.signature(function).parameters.values() if function else ()
    return [argument.name for argument in taken if argument.default is not argument.empty]


def _gather_words(text: str, read: set[str], parts: set[str], quoted: set[str]) -> None:
    """Add the names that a text reads, those of parts (``self.x``), and those that a string is."""
    for part in ast.walk(ast.parse(text)):
        match part:
            case ast.Attribute(attr=name):
                parts.add(name)
            case ast.Name(name, ast.Load()) | ast.alias(name=name):
                read.add(name)
            case ast.Constant(value=str() as name):
                quoted.add(name)


def _note(one: FunctionType, sentence: str, name: str, given: str = "") -> str:
    code = one.__code__
    place = f"{Path(code.co_filename).name}, line {code.co_firstlineno}"
    return f"{place}: {sentence.format(name=name, given=given)}"


def _note_of_defaults(one: Any) -> str:
    return _note(inspect.unwrap(one.function), _DEFAULT, one.name, " and ".join(_defaults(one)))


_METHOD = (
    "nothing names the method {name}: a claim, an action, or what follows one is that by its "
    "decorator; leave out what nobody needs"
)

_DEFAULT = (
    "nothing reads the default of {given}: {name} is read for each value of the sort that its "
    "decorator names, and no other method calls it; leave the default out"
)

_ACTIONS = (
    "nothing names the actions that {name} lists: what a protocol does is its Next; leave out what "
    "nobody needs"
)

_FAIRNESS = (
    "nothing names the fairness {name}: claims are under what their specification lists, "
    'Specification("Name", (weak("Action"),)), and under @action(fairness="weak"); leave out what '
    "nobody needs"
)

_SPECIFICATION = (
    "nothing names the specification {name}: claims are under those in the body of their class, "
    "and those that a Suite lists; leave out what nobody needs"
)

_HISTORY = (
    "nothing names the history {name}: lemmas speak of the one that their Suite has, "
    "Suite(…, history={name}); leave out what nobody needs"
)


def _at(module: ModuleType, line: int | None, sentence: str) -> str:
    return f"{Path(str(module.__file__)).name}{f', line {line}' if line else ''}: {sentence}"


def _note_of(owner: type, name: str, sentence: str) -> str:
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
    return _at(module, lines[-1] if lines else None, sentence.format(name=name))
