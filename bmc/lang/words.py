"""The words of the language: how a protocol calls what makes terms.

Most are functions of :mod:`bmc.lang.build`, which other code calls too. One that protocols alone
need may stand here, decorated with :func:`word`. A protocol gets handles, and so do the functions
that it gives to binders: on a term itself its own attributes would hide fields of the same name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

from bmc.lang import build, terms
from bmc.lang.terms import Handle, Term

__all__ = [
    "FALSE",
    "TRUE",
    "append",
    "at",
    "choose",
    "coerce",
    "conj",
    "disj",
    "empty",
    "everything",
    "exists",
    "filtered",
    "first",
    "forall",
    "implies",
    "inject",
    "insert",
    "integer",
    "is_case",
    "is_none",
    "is_some",
    "ite",
    "last",
    "lookup",
    "mapping",
    "maximum",
    "member",
    "minimum",
    "one",
    "payload",
    "record",
    "remove",
    "size",
    "some",
    "tail",
    "take",
    "the",
    "union_of",
]

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


TRUE, FALSE = Handle(build.TRUE), Handle(build.FALSE)

coerce = word(terms.coerce)
integer = word(terms.integer)
append = word(build.append)
at = word(build.at)
choose = word(build.choose)
conj = word(build.conj)
disj = word(build.disj)
empty = word(build.empty)
everything = word(build.everything)
exists = word(build.exists)
filtered = word(build.filtered)
first = word(build.first)
forall = word(build.forall)
implies = word(build.implies)
inject = word(build.inject)
insert = word(build.insert)
is_case = word(build.is_case)
is_none = word(build.is_none)
is_some = word(build.is_some)
ite = word(build.ite)
last = word(build.last)
lookup = word(build.lookup)
mapping = word(build.mapping)
maximum = word(build.maximum)
member = word(build.member)
minimum = word(build.minimum)
one = word(build.one)
payload = word(build.payload)
record = word(build.record)
remove = word(build.remove)
size = word(build.size)
some = word(build.some)
tail = word(build.tail)
take = word(build.take)
the = word(build.the)
union_of = word(build.union_of)
