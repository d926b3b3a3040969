"""Values that nothing has run: generators, iterators, functions in part, blocks without ``with``.

Each is true in Python whatever it says, and loses what it says where nobody wants its value.
"""

from __future__ import annotations

import ast
import contextlib
from functools import partial

from bmc.lang.function_text import FunctionText
from bmc.lang.instructions import is_generator
from bmc.lang.uncalled import UNCALLED
from bmc.lang.value_kinds import ValueKind

UNENTERED = "a block that is not entered does nothing: write `with` before it"
_ASLEEP = (
    "an iterator that nobody runs to its end does nothing more: write a loop, or a function "
    "without yield"
)
_IN_PART = (all, any)
"""What asks an iterator no further than it has to."""


def asleep(text: FunctionText, value: ast.expr) -> str | None:
    """Return what to say of what is not run to its end where its value is not wanted."""
    if isinstance(value, ast.Call) and any(text.value(value.func) is one for one in _IN_PART):
        return _ASLEEP
    return unrun_value(text, value)


def unrun_value(text: FunctionText, value: ast.expr) -> str | None:
    """Return what to say of a function, a generator, a block or the like that nothing has run."""
    match value:
        case ast.Lambda():
            return UNCALLED
        case ast.GeneratorExp():
            return _ASLEEP
        case ast.Call(called):
            return _of_call(text, called)
    return None


def _of_call(text: FunctionText, called: ast.expr) -> str | None:
    function = text.value(called)
    function = getattr(function, "__func__", function)
    if function is partial:
        return UNCALLED
    if _enters(text, called, function):
        return UNENTERED
    code = getattr(function, "__code__", None)
    waits = code is not None and is_generator(code)
    return _ASLEEP if waits or _iterates(function) else None


def _iterates(function: object) -> bool:
    """Whether what is called is a class of iterators of Python's own, such as ``map``."""
    return isinstance(function, type) and hasattr(function, "__next__")


def _enters(text: FunctionText, called: ast.expr, function: object) -> bool:
    """Whether a call makes a block that ``with`` enters."""
    if isinstance(called, ast.Attribute) and called.attr == "either":
        return text.kind(called.value) is ValueKind.STATE
    return getattr(function, "__globals__", None) is vars(contextlib)
