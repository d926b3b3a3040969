"""States as an encoding sees them: places to read and, in an action, to assign.

Reading a place always gives the value *before* the step, as an unprimed variable does in TLA+;
an assignment reads like EXCEPT and what is not assigned stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product

from bmc.lang.errors import LanguageError, suggest
from bmc.lang.sorts import Sort
from bmc.lang.terms import Expr, Operand, Term, boolean, coerce, make, select
from bmc.lang.terms import field as field_of

Path = tuple[str | Term, ...]


def state_variable(name: str, sort: Sort, primed: bool = False) -> Term:
    """The term of a state variable, before or (``primed``) after the step."""
    return make("variable", (), sort, (name, primed))


class Place(Expr):
    """A variable, or a part of one: a term that an action can also assign."""

    __slots__ = ("_path", "_root", "_step", "_term")

    _term: Term
    _root: str
    _path: Path
    _step: Step | None

    def __init__(self, term: Term, root: str, path: Path, step: Step | None) -> None:
        for slot, value in (("_term", term), ("_root", root), ("_path", path), ("_step", step)):
            object.__setattr__(self, slot, value)

    @property
    def term(self) -> Term:
        """The value before the step."""
        return self._term

    def __getattr__(self, name: str) -> Place:
        if name.startswith("__"):
            raise AttributeError(name)
        part = field_of(self._term, name)
        return Place(part, self._root, (*self._path, name), self._step)

    def __getitem__(self, key: Operand) -> Place:
        part = select(self._term, key)
        return Place(part, self._root, (*self._path, part.args[1]), self._step)

    def __setattr__(self, name: str, value: Operand) -> None:
        _assignable(self._step).assign(self._root, (*self._path, name), value)

    def __setitem__(self, key: Operand, value: Operand) -> None:
        part = select(self._term, key)
        _assignable(self._step).assign(self._root, (*self._path, part.args[1]), value)


def _assignable(step: Step | None) -> Step:
    if step is None:
        raise LanguageError("a property only reads the state: assign in an action instead")
    return step


class State:
    """The variables of a state by name; read only."""

    def __init__(self, sorts: Mapping[str, Sort], primed: bool = False) -> None:
        object.__setattr__(self, "_sorts", dict(sorts))
        object.__setattr__(self, "_primed", primed)

    def _sort(self, name: str) -> Sort:
        sorts: dict[str, Sort] = object.__getattribute__(self, "_sorts")
        if name not in sorts:
            raise LanguageError(f"there is no variable {name!r}: {suggest(name, sorts)}")
        return sorts[name]

    def __getattr__(self, name: str) -> Place:
        if name.startswith("__"):
            raise AttributeError(name)
        primed: bool = object.__getattribute__(self, "_primed")
        return Place(state_variable(name, self._sort(name), primed), name, (), None)

    def __setattr__(self, name: str, value: Operand) -> None:
        raise LanguageError(f"a property only reads the state: {name} is assigned in actions")


@dataclass(frozen=True)
class Branch:
    """One disjunct of an action: its guards in order, and the new values of what changes."""

    guards: tuple[Term, ...]
    updates: Mapping[str, Term]


@dataclass
class _Draft:
    guards: list[Term] = field(default_factory=list)
    updates: dict[str, Term] = field(default_factory=dict)


class Step(State):
    """What an action receives: the state before, and the pen for the state after."""

    def __init__(self, sorts: Mapping[str, Sort], writable: frozenset[str]) -> None:
        super().__init__(sorts)
        object.__setattr__(self, "_writable", writable)
        object.__setattr__(self, "_base", _Draft())
        object.__setattr__(self, "_inner", None)
        object.__setattr__(self, "_groups", [])
        object.__setattr__(self, "_open", False)

    _writable: frozenset[str]
    _base: _Draft
    _inner: _Draft | None
    _groups: list[list[_Draft]]
    _open: bool

    def __getattr__(self, name: str) -> Place:
        if name.startswith("__"):
            raise AttributeError(name)
        return Place(state_variable(name, self._sort(name)), name, (), self)

    def __setattr__(self, name: str, value: Operand) -> None:
        self._sort(name)
        self.assign(name, (), value)

    def require(self, *guards: Operand) -> None:
        """Enable the action only where these hold; each is read only where those before do."""
        draft = self._draft()
        draft.guards.extend(boolean(guard) for guard in guards)

    def assign(self, root: str, path: Path, value: Operand) -> None:
        """``root' = [root EXCEPT !path = value]``, on top of what was assigned before."""
        if root not in self._writable:
            raise LanguageError(
                f"{root} cannot be assigned here: actions write the protocol's variables, "
                "a history writes only its own"
            )
        draft = self._draft()
        # The disjuncts beside this one are other steps; those of earlier lists are part of it.
        earlier = self._groups[:-1] if self._open else self._groups
        if any(root in d.updates for group in earlier for d in group):
            raise LanguageError(
                f"{root} is assigned both inside `either` and after it: keep it in one place"
            )
        before = draft.updates.get(root, self._base.updates.get(root))
        start = before if before is not None else state_variable(root, self._sort(root))
        draft.updates[root] = _updated(start, path, value)

    @contextmanager
    def either(self) -> Iterator[None]:
        """One disjunct; neighbouring blocks are the disjuncts of one ``\\/`` list."""
        if self._inner is not None:
            raise LanguageError("`either` blocks do not nest: write the cases side by side")
        draft = _Draft()
        object.__setattr__(self, "_inner", draft)
        try:
            yield
        finally:
            object.__setattr__(self, "_inner", None)
        if self._open:
            self._groups[-1].append(draft)
        else:
            self._groups.append([draft])
        object.__setattr__(self, "_open", True)

    def branches(self) -> tuple[Branch, ...]:
        """The disjuncts written so far."""
        result = []
        for chosen in product(*self._groups):
            guards = list(self._base.guards)
            updates = dict(self._base.updates)
            for draft in chosen:
                guards.extend(draft.guards)
                updates.update(draft.updates)
            result.append(Branch(tuple(guards), updates))
        return tuple(result)

    def _draft(self) -> _Draft:
        if self._inner is not None:
            return self._inner
        object.__setattr__(self, "_open", False)
        return self._base


def _updated(old: Term, path: Path, value: Operand) -> Term:
    if not path:
        return coerce(value, old.sort)
    head, rest = path[0], path[1:]
    if isinstance(head, str):
        part = field_of(old, head)
        return make("with_field", (old, _updated(part, rest, value)), old.sort, head)
    part = select(old, head)
    return make("store", (old, head, _updated(part, rest, value)), old.sort)
