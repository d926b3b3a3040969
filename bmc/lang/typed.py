"""What `bmc stubs` writes classes of: editors and type checkers know a protocol's variables by it.

Nothing here is used when a protocol is read: there, ``s`` is a :class:`~bmc.lang.state.Step`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Generic, TypeVar

from bmc.lang.terms import Expr, Operand

Kind = TypeVar("Kind", bound=Expr)


class Known(Expr):
    """An expression whose fields are known: it has those that its class declares, and no other."""

    __slots__ = ()

    if TYPE_CHECKING:
        # An expression as such has any field; to a type checker what is no function gives none.
        __getattr__: None  # type: ignore[assignment, misc]


class Table(Known, Generic[Kind]):
    """A map to values of one kind."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __getitem__(self, key: Operand) -> Kind: ...


class Cell(Generic[Kind]):
    """A variable, or a field of a record: read as its own kind, assigned whatever fits its sort."""

    if TYPE_CHECKING:

        def __get__(self, whole: object, owner: type | None = None) -> Kind: ...

        def __set__(self, whole: object, value: Operand) -> None: ...


class Variables:
    """The base of a protocol's state: what else an action says of its step."""

    if TYPE_CHECKING:

        def require(self, *conditions: Operand) -> None: ...

        def either(self) -> AbstractContextManager[None]: ...
