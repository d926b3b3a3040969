"""Names of declarations: each means one thing.

What a class body binds twice, Python keeps once, and of an action or invariant that is gone
nothing is ever judged. So the bodies of protocols and histories refuse it, and a model refuses
names that two of its parts would share.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.machinery import SourceFileLoader
from inspect import signature
from types import CodeType, FunctionType
from typing import Any, Self, get_args, overload
from weakref import WeakKeyDictionary

from bmc.lang.bounds import Bound
from bmc.lang.errors import DeclaredTwice, LanguageError, suggest
from bmc.lang.parameters import Parameter
from bmc.lang.places import Line, here, require_none_asks
from bmc.lang.scope import note_run
from bmc.lang.sort_parts import bounds
from bmc.lang.sorts import (
    EnumSort,
    RecordSort,
    Scalarset,
    Sort,
    VariantSort,
    parts,
    require_enumerable,
    require_sort,
)
from bmc.lang.terms import Handle, Term, subterms

_noted: ContextVar[list[Declaration] | None] = ContextVar("noted", default=None)


@contextmanager
def noted_declarations() -> Iterator[list[Declaration]]:
    """Give the list of what is declared in here, which grows until the end."""
    noted: list[Declaration] = []
    before = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(before)


class Declaration:
    """Base of what a class body declares under a name: a variable, an action, a property, …"""

    def __new__(cls, *_: object, **__: object) -> Self:
        """Make what is declared, and note it where somebody asks for that."""
        made = super().__new__(cls)
        if (noted := _noted.get()) is not None:
            noted.append(made)
        return made

    def __bool__(self) -> bool:
        require_none_asks(
            "what is declared is neither true nor false: write `is None` where it may be missing, "
            "and s.x in a method for the value of x"
        )
        return True


_KEPT = (Declaration, Parameter, FunctionType, staticmethod, classmethod, *get_args(Sort))
_OVERLOADED = overload(lambda: None).__code__


class _Body(dict[str, Any]):
    """A class body that binds the name of a declaration once."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._owner = name
        self._lines: dict[str, Line] = {}

    def __setitem__(self, name: str, value: Any) -> None:
        old = self.get(name)
        if isinstance(old, _KEPT) and getattr(old, "__code__", None) is not _OVERLOADED:
            raise DeclaredTwice(
                f"{here()}: {self._owner} declares {name} a second time (the first is at "
                f"{self._lines[name]}): the first would be gone; give one of them another name"
            )
        self._lines[name] = here()
        super().__setitem__(name, value)

    def update(self, *others: Any, **more: Any) -> None:
        """Bind names as their assignment does."""
        for name, value in dict(*others, **more).items():
            self[name] = value


_made_by: WeakKeyDictionary[type, CodeType] = WeakKeyDictionary()


def made_by(owner: type) -> CodeType | None:
    """Return what was run to make a protocol or history, None where it is not its file's text."""
    return _made_by.get(owner)


class Declaring(type):
    """The class of protocols and histories."""

    @classmethod
    def __prepare__(mcs, name: str, bases: tuple[type, ...], /, **_: Any) -> dict[str, Any]:
        """Return the namespace that the class body is read into."""
        return _Body(name)

    def __new__(
        mcs, name: str, bases: tuple[type, ...], body: dict[str, Any], /, **others: Any
    ) -> Declaring:
        """Make the class of what its body has declared."""
        made = super().__new__(mcs, name, bases, dict(body), **others)
        by = sys._getframe(1)
        loader = type(by.f_globals.get("__loader__"))
        # Others, such as pytest's, compile something else than the text that they read.
        of_text = getattr(loader, "source_to_code", None) is SourceFileLoader.source_to_code
        # What is made by `exec` has no text that could change.
        if of_text and by.f_code.co_filename == by.f_globals.get("__file__"):
            _made_by[made] = by.f_code
        return made

    def __setattr__(cls, name: str, value: Any) -> None:
        cls._require_free(name)
        super().__setattr__(name, value)

    def __delattr__(cls, name: str) -> None:
        cls._require_free(name)
        super().__delattr__(name)

    def _require_free(cls, name: str) -> None:
        if isinstance(cls.__dict__.get(name), _KEPT):
            raise DeclaredTwice(
                f"{here()}: {cls.__name__} has declared {name}, which would be gone: say it in the "
                "body of the class alone, or in a subclass"
            )


def require_one_meaning(owner: type) -> None:
    """Refuse a name that two classes give different meanings, neither replacing the other.

    A class replaces what its own bases declare, by the same kind of declaration. Raises
    DeclaredTwice where bases beside each other disagree, or a name changes its kind.
    """
    winners: dict[str, tuple[type, Any]] = {}
    for base in owner.__mro__:
        for name, value in vars(base).items():
            if name not in winners:
                winners[name] = (base, value)
                continue
            winner, kept = winners[name]
            stated = (Declaration, Parameter, *get_args(Sort))
            if value is kept or not (isinstance(value, stated) or _is_said_by(name, base)):
                continue
            if not issubclass(winner, base):
                raise DeclaredTwice(
                    f"{owner.__name__} gets {name} from {winner.__name__} and from "
                    f"{base.__name__}: say in {owner.__name__} which it is, or rename one of them"
                )
            if isinstance(value, get_args(Sort)):
                if kept != value:
                    raise DeclaredTwice(
                        f"{winner.__name__} gives the sort {name} another meaning than "
                        f"{base.__name__}, whose variables and arguments keep theirs: make what "
                        "differs a parameter, or give it another name"
                    )
                continue
            if not _declares(value):
                continue
            if not _declares(kept):
                raise DeclaredTwice(
                    f"{winner.__name__} gives {name}, which is {_kind(value)} of "
                    f"{base.__name__}, a meaning that is none: decorate it as {base.__name__} "
                    "does, or give it another name"
                )
            if type(kept) is not type(value) or _claimed(kept) is not _claimed(value):
                raise DeclaredTwice(
                    f"{winner.__name__} declares {name}, which is {_kind(value)} of "
                    f"{base.__name__}, as {_kind(kept)}: give it another name"
                )


_SAID = frozenset({"Constraint", "terminated", "drawn"})
"""Methods that say something of all states, or draw them: of two bases' Python would take one."""


def _is_said_by(name: str, base: type) -> bool:
    """Return whether a class says something of states that bmc's own says nothing of."""
    return name in _SAID and not base.__module__.startswith("bmc.lang.")


def _claimed(declared: object) -> object:
    """Return what kind of claim is declared, None where it is none."""
    return getattr(declared, "kind", None)


def _declares(value: object) -> bool:
    return isinstance(value, Declaration | Parameter)


def _kind(value: object) -> str:
    claimed: Any = _claimed(value)
    if claimed is not None:
        return str(claimed.value)
    return type(value).__name__.removesuffix("Declaration").lower()


def require_own_names(
    owner: str, parameters: Iterable[Parameter], variables: Iterable[str]
) -> None:
    """Refuse two parameters of one name, and a parameter that is called as a variable."""
    known: dict[str, Parameter] = {}
    for parameter in parameters:
        if known.setdefault(parameter.name, parameter) is not parameter:
            raise DeclaredTwice(f"{owner} has two parameters {parameter.name}: rename one of them")
    for name in variables:
        if name in known:
            raise DeclaredTwice(
                f"{owner} has a parameter and a variable {name}: rename one of them"
            )


def require_declared_parameters(
    owner: str, declared: Iterable[Parameter], written: Iterable[Term], sorts: Iterable[Sort] = ()
) -> None:
    """Refuse a parameter in terms and sorts that a protocol does not declare: it has no value."""
    known = {parameter.name for parameter in declared}
    met = set(sorts)
    named: list[Bound] = []
    for term in subterms(written):
        met.add(term.sort)
        if isinstance(term.data, Bound):
            named.append(term.data)
    for sort in met:
        named += bounds(sort)
    used = {name for bound in named for names, _ in bound.coefficients for name in names}
    if missing := sorted(used - known):
        raise LanguageError(
            f"{owner} uses the parameter {missing[0]}, which the protocol does not declare "
            f"({suggest(missing[0], known)}): declare it in the class, as "
            f'{missing[0]} = Parameter("{missing[0]}", …)'
        )


def require_one_definition(owner: str, sorts: Iterable[Sort]) -> None:
    """Refuse two scalarsets, enumerations, records or variants of one name that differ.

    Integer sorts of one name are one identity with different ends, as it should be.
    """
    known: dict[tuple[type, str], Sort] = {}
    met: set[int] = set()
    for sort in sorts:
        for part in _parts(sort, met):
            if isinstance(part, Scalarset | EnumSort | RecordSort | VariantSort):
                first = known.setdefault((type(part), part.name), part)
                if first != part:
                    raise DeclaredTwice(
                        f"{owner} has two sorts {part.name} that differ, {_shown(first)} and "
                        f"{_shown(part)}: rename one of them"
                    )


def _parts(sort: Sort, met: set[int]) -> Iterator[Sort]:
    if id(sort) in met:
        return
    met.add(id(sort))
    yield sort
    for inner in parts(sort):
        yield from _parts(inner, met)


def _shown(sort: Sort) -> str:
    match sort:
        case Scalarset(_, size):
            return f"of {size} members"
        case EnumSort(_, values):
            return f"{{{', '.join(values)}}}"
        case RecordSort(_, parts) | VariantSort(_, parts):
            return f"[{', '.join(f'{name}: {part}' for name, part in parts)}]"
        case _:
            return str(sort)


def require_undecorated(function: object) -> None:
    """LanguageError where what a decorator is written above is decorated already."""
    if isinstance(function, Declaration):
        called = getattr(function, "name", _kind(function))
        raise LanguageError(f"{called} is decorated twice: leave one of its decorators")


def require_arguments(
    function: Callable[..., object], declared: Mapping[str, Sort], first: int, after: str
) -> None:
    """LanguageError unless a method takes the declared arguments, listable ones, in this order.

    They begin at position ``first`` of its parameters, which ``after`` says in words.
    """
    taken = list(signature(function).parameters)
    if len(taken) < first:
        names = ["self", "s", "t"][:first]
        raise LanguageError(
            f"{function.__name__} takes ({', '.join(taken)}): write "
            f"def {function.__name__}({', '.join([*names, *declared])})"
        )
    expected = taken[first:]
    if expected != list(declared):
        raise LanguageError(
            f"{function.__name__} takes ({', '.join(expected)}) after {after}, but its decorator "
            f"declares ({', '.join(declared)}): give each argument its sort, in order"
        )
    require_one_each(function)
    for name, sort in declared.items():
        _require_listable(sort, f"{function.__name__}'s argument {name}")


def require_one_each(function: Callable[..., object]) -> None:
    """LanguageError where a parameter of a method takes several arguments (``*args``)."""
    for name, one in signature(function).parameters.items():
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            raise LanguageError(
                f"{function.__name__}: write {name}, without a * it is one argument"
            )


def run_with(function: Callable[..., Any], first: Iterable[object], given: Iterable[Handle]) -> Any:
    """Return what a method gives back, run with its states and arguments, by name behind ``*``."""
    note_run(function)
    parameters = signature(function).parameters.values()
    values = [*first, *given]
    named = {
        one.name: value
        for one, value in zip(parameters, values, strict=True)
        if one.kind is one.KEYWORD_ONLY
    }
    return function(*values[: len(values) - len(named)], **named)


def _require_listable(given: Sort | Declaration, called: str) -> None:
    if isinstance(given, Declaration):
        raise LanguageError(
            f"{called} ranges over sorts, and a variable is none: of a set of the state write "
            "forall(s.variable, lambda x: …) or exists(…)"
        )
    require_sort(given, called)
    require_enumerable(given, called)
