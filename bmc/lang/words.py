"""How a protocol calls what makes terms.

It gets handles, and so do the functions that it gives to binders: on a term itself its own
attributes would hide fields of the same name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

from bmc.lang.terms import Handle, Term

Arguments = ParamSpec("Arguments")


def word(make: Callable[Arguments, Term]) -> Callable[Arguments, Handle]:
    """Return a function that makes terms as a protocol calls it."""

    @wraps(make)
    def said(*args: Arguments.args, **others: Arguments.kwargs) -> Handle:
        bodies: tuple[Any, ...] = tuple(_given_handles(a) for a in args)
        named: dict[str, Any] = {name: _given_handles(a) for name, a in others.items()}
        return Handle(make(*bodies, **named))

    return said


def _given_handles(argument: Any) -> Any:
    if not callable(argument):
        return argument
    body: Callable[..., object] = argument

    @wraps(body)
    def read(*bound: Term) -> object:
        return body(*map(Handle, bound))

    return read
