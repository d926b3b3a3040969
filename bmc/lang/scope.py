"""Where the names of a term mean something: in the method that is read, in the binder's body.

``s.x`` is *x* of the state that the method under way is about, an argument is the choice of this
action, and a bound variable stands for the members of its own binder's domain. Kept by one method
(in a default argument, in a table of the module) and used by another, the same term would say
something else without looking so. Whatever a protocol holds knows the scope that it was made in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from inspect import unwrap
from types import CodeType
from typing import Any, Protocol

from bmc.lang.carried import Changed
from bmc.lang.errors import DecidedByPython, LanguageError, OutOfScope, is_asked
from bmc.lang.places import Line, Spot, a_protocol_asks, here, is_a_protocols, spot


class Named(Protocol):
    """What scopes need to know of a term; terms are made above this module."""

    @property
    def op(self) -> str: ...
    @property
    def args(self) -> Sequence[Named]: ...
    @property
    def free(self) -> frozenset[Any]: ...
    @property
    def uid(self) -> int: ...


@dataclass(frozen=True)
class Block:
    """An `either` block: which list of disjuncts it is of, and the calls that it is entered in."""

    group: int
    calls: tuple[tuple[CodeType, int], ...]
    """Each a function and the place of its last instruction."""
    changed: tuple[Changed, ...]
    """What has changed in it."""
    before: tuple[Changed, ...]
    """What has changed since the block before it in its list."""


class MethodScope:
    """The reading of one method (``bound`` is None), or the body of one binder.

    ``unread`` has the formulas that the method has made and nothing has read, by number, with
    where each was made; the binders in it share it. ``counted`` has the other values that it has
    made and nothing has read, and ``told`` the instructions that made one which something has.
    ``blocks`` are those that it has entered, and ``wrapped`` is the method that a decorator of the
    user's own has put another one around.
    """

    __slots__ = (
        "blocks",
        "bound",
        "counted",
        "open",
        "outer",
        "title",
        "told",
        "unread",
        "wrapped",
    )

    def __init__(self, title: str, outer: MethodScope | None, bound: Named | None) -> None:
        self.title = title
        self.outer = outer
        self.bound = bound
        self.open = True
        self.blocks: list[Block] = []
        self.wrapped: CodeType | None = None
        whole = None if bound is None else outer
        self.unread: dict[int, tuple[object, Line]] = whole.unread if whole else {}
        self.counted: dict[int, tuple[object, Spot]] = whole.counted if whole else {}
        self.told: set[tuple[int, int]] = whole.told if whole else set()

    def note_counted(self, made: object) -> None:
        """Note that this makes a value that nothing has read yet."""
        if (made_at := spot()) is not None:
            self.counted[id(made)] = made, made_at

    def note_read(self, made: object) -> None:
        """Note that something reads what this has made."""
        self.unread.pop(id(made), None)
        if (counted := self.counted.pop(id(made), None)) is not None:
            self.told.add((id(counted[1].code), counted[1].offset))

    def never_read(self) -> list[Spot]:
        """Return where values were made of which nothing has ever read one."""
        spots = [made_at for _, made_at in self.counted.values()]
        return [one for one in spots if (id(one.code), one.offset) not in self.told]


_innermost: ContextVar[MethodScope | None] = ContextVar("innermost scope", default=None)


def current_scope() -> MethodScope | None:
    """Return the scope that is being read, None where no protocol is."""
    return _innermost.get()


def note_unread(made: object) -> None:
    """Note that a method of a protocol makes something that nothing has read yet."""
    if (made_in := _innermost.get()) is not None and is_a_protocols():
        made_in.unread[id(made)] = made, here()


def note_read(made: object) -> None:
    """Note that something reads what a method has made, or that nobody wants it."""
    if (made_in := _innermost.get()) is not None:
        made_in.note_read(made)


def note_run(function: Callable[..., object]) -> None:
    """Note which method is run, perhaps by what a decorator has put around it."""
    inner = unwrap(function)
    if inner is not function and (read := _innermost.get()) is not None:
        read.wrapped = getattr(inner, "__code__", None)


@contextmanager
def scope(title: str, bound: Named | None = None) -> Iterator[MethodScope]:
    """Read a method, or a binder's body whose variable is ``bound``; yield its scope."""
    made = MethodScope(title, _innermost.get(), bound)
    before = _innermost.set(made)
    try:
        yield made
    finally:
        made.open = False
        _innermost.reset(before)


def require_in_scope(term: Named, made_in: MethodScope | None) -> None:
    """Raise OutOfScope where a term names what means nothing any more."""
    left = made_in
    while left is not None and not left.open:
        if _names_of(term, left):
            raise OutOfScope(
                f"{here()}: {term!r} was made in {left.title} and is used outside of it, where "
                "its names mean something else: make it anew where it is used (a function of the "
                "state that gives it back can be called everywhere), or write it without names of "
                "a state, of an argument or of a binder"
            )
        left = left.outer


def require_open(what: str, made_in: MethodScope | None) -> None:
    """Raise OutOfScope where a state is used that was given to another method."""
    if made_in is not None and not made_in.open:
        raise OutOfScope(
            f"{here()}: {what} belongs to {made_in.title}, which has been read to its end: use "
            "the state that this method is given"
        )
    if made_in is not None and current_scope() is None:
        raise OutOfScope(
            f"{here()}: {what} belongs to {made_in.title} and is used where no method is read, in "
            "a thread or a context of its own: use it in the method itself"
        )


def require_read(what: str) -> None:
    """Raise LanguageError where no method is read, whose tables are looked at afterwards."""
    if _innermost.get() is None:
        raise LanguageError(
            f"Python would look {what} up in a table by what it is called, not by its value: "
            "write ite(...) or a map of the language, and keep such things in a list or a tuple"
        )


def pythons_own(value: object, name: str) -> Any:
    """Return what Python calls by a name with two underscores, for whoever asks a value of ours.

    Raises DecidedByPython where the text of a method does.
    """
    read = name != "__class__" and _innermost.get() is not None and not is_asked()
    if read and a_protocol_asks(2):
        raise DecidedByPython(
            f"{here()}: `{name}` is not written by hand: write an operator or a plain name"
        )
    return object.__getattribute__(value, name)


def require_no_binder() -> None:
    """Raise OutOfScope where a binder's body is read, in which nothing acts.

    It would act once and for all, whatever the binder says and whichever member is meant.
    """
    innermost = _innermost.get()
    if innermost is not None and innermost.bound is not None:
        raise OutOfScope(
            f"{here()}: {innermost.title} is read once, for all members together, and nothing is "
            "required or assigned in it: return the formula, assign a map as a whole, "
            "s.m = mapping(...), and make a choice an argument of the action"
        )


def _names_of(term: Named, left: MethodScope) -> bool:
    if left.bound is not None:
        return left.bound in term.free
    return bool(term.free) or _reads_state(term)


def _reads_state(term: Named) -> bool:
    met: set[int] = set()
    stack = [term]
    while stack:
        one = stack.pop()
        if one.op == "variable":
            return True
        if one.uid not in met:
            met.add(one.uid)
            stack.extend(one.args)
    return False
