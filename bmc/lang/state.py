"""States as an encoding sees them: places to read and, in an action, to assign.

Reading a place always gives the value *before* the step, as an unprimed variable does in TLA+;
an assignment reads like EXCEPT and what is not assigned stays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NoReturn

from bmc.lang.advice import instead_of_variable
from bmc.lang.assigned import Assigned, part_of, require_apart, require_both_stay
from bmc.lang.beside import BlocksBeside, another, places_of
from bmc.lang.carried import Carried
from bmc.lang.errors import LanguageError, UnknownVariable, suggest
from bmc.lang.places import here
from bmc.lang.scope import Block, current_scope, pythons_own, require_no_binder, require_open
from bmc.lang.sorts import Sort
from bmc.lang.terms import (
    Held,
    Operand,
    Term,
    boolean,
    coerce,
    make,
    map_key,
    select,
    term_of,
)
from bmc.lang.terms import field as field_of
from bmc.lang.updates import Path, updated


def state_variable(name: str, sort: Sort, primed: bool = False) -> Term:
    """The term of a state variable, before or (``primed``) after the step."""
    return make("variable", (), sort, (name, primed))


def state_variable_name(variable: Term) -> str:
    """Return the name of a state variable's term."""
    name: str = variable.data[0]  # type: ignore[index]
    return name


def _slot(owner: type, name: str) -> tuple[Callable[[Any], Any], Callable[[Any, Any], None]]:
    """How a slot is read and written past ``__getattribute__``, which knows only the user's."""
    held = vars(owner)[f"_{owner.__name__}__{name}"]
    return held.__get__, held.__set__


class Place(Held):
    """A variable, or a part of one: an expression that an action can also assign."""

    __slots__ = ("__path", "__root", "__step")

    def __init__(self, term: Term, root: str, path: Path, step: Step | None) -> None:
        super().__init__(term)
        for put, value in ((_put_root, root), (_put_path, path), (_put_step, step)):
            put(self, value)

    def __getattribute__(self, name: str) -> Place:
        if name[:2] == "__":
            found: Place = pythons_own(self, name)
            return found
        return _part(self, field_of(term_of(self), name), name)

    def __getitem__(self, key: Operand) -> Place:
        where = map_key(term_of(self), key)
        return _part(self, select(term_of(self), where), where)

    def __setattr__(self, name: str, value: Operand) -> None:
        assign(_assignable(_get_step(self)), _get_root(self), (*_get_path(self), name), value)

    def __setitem__(self, key: Operand, value: Operand) -> None:
        path = (*_get_path(self), map_key(term_of(self), key))
        assign(_assignable(_get_step(self)), _get_root(self), path, value)


_get_root, _put_root = _slot(Place, "root")
_get_path, _put_path = _slot(Place, "path")
_get_step, _put_step = _slot(Place, "step")


def _part(whole: Place, term: Term, where: str | Term) -> Place:
    return Place(term, _get_root(whole), (*_get_path(whole), where), _get_step(whole))


def _assignable(step: Step | None) -> Step:
    if step is None:
        raise LanguageError("a property only reads the state: assign in an action instead")
    return step


class State:
    """The variables of a state by name; read only.

    ``owner`` is whose method is given it, and ``arguments`` what that is given besides: a name that
    is one of theirs and no variable is answered with how it is written.
    """

    __slots__ = ("__arguments", "__owner", "__primed", "__scope", "__sorts")

    def __init__(
        self,
        sorts: Mapping[str, Sort],
        primed: bool = False,
        owner: object = None,
        arguments: Container[str] = (),
    ) -> None:
        _put_sorts(self, dict(sorts))
        _put_primed(self, primed)
        _put_owner(self, owner)
        _put_arguments(self, arguments)
        _put_scope(self, current_scope())

    def __getattribute__(self, name: str) -> Place:
        if name[:2] == "__":
            found: Place = pythons_own(self, name)
            return found
        sort = _sort(self, name)
        return Place(state_variable(name, sort, _get_primed(self)), name, (), None)

    def __setattr__(self, name: str, value: Operand) -> None:
        raise LanguageError(f"a property only reads the state: {name} is assigned in actions")

    def __eq__(self, other: object) -> NoReturn:
        raise LanguageError(
            "states are not compared as a whole: write what is equal in them, s.x == t.x"
        )

    __ne__ = __eq__
    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise LanguageError("a state has no truth value: write what is to hold in it")


_get_sorts, _put_sorts = _slot(State, "sorts")
_get_primed, _put_primed = _slot(State, "primed")
_get_scope, _put_scope = _slot(State, "scope")
_get_owner, _put_owner = _slot(State, "owner")
_get_arguments, _put_arguments = _slot(State, "arguments")


def variable_sorts(state: State) -> Mapping[str, Sort]:
    """Return the sorts of a state's variables by name."""
    sorts: dict[str, Sort] = _get_sorts(state)
    return sorts


def is_over(state: State) -> bool:
    """Return whether the method that a state was given to has been read to its end."""
    scope = _get_scope(state)
    return scope is not None and not scope.open


def _sort(state: State, name: str) -> Sort:
    require_open("the state", _get_scope(state))
    sorts: dict[str, Sort] = _get_sorts(state)
    if name in WORDS:
        raise LanguageError(f"s.{name} is a word of actions: a claim returns its formula")
    if name not in sorts:
        known = (*sorts, *WORDS) if isinstance(state, Step) else sorts
        said = instead_of_variable(name, _get_owner(state), _get_arguments(state))
        message = f"there is no variable {name!r}: {said or suggest(name, known)}"
        raise UnknownVariable(message, name)
    return sorts[name]


@dataclass(frozen=True)
class Branch:
    """One disjunct of an action: its guards in order, and the new values of what changes."""

    guards: tuple[Term, ...]
    updates: Mapping[str, Term]


@dataclass
class _Draft:
    guards: list[Term] = field(default_factory=list)
    updates: dict[str, Term] = field(default_factory=dict)
    assigned: list[Assigned] = field(default_factory=list)


@dataclass
class _Disjuncts:
    """A list of disjuncts, of which a step takes one, and how many shared guards stand before."""

    behind: int
    drafts: list[_Draft] = field(default_factory=list)


@dataclass
class _Pen:
    """What an action has written so far."""

    action: str
    writable: frozenset[str]
    base: _Draft = field(default_factory=_Draft)
    inner: _Draft | None = None
    groups: list[_Disjuncts] = field(default_factory=list)
    beside: BlocksBeside | None = None
    carried: Carried = field(default_factory=Carried)

    def draft(self) -> _Draft:
        """Return the disjunct that is being written, or what all of them share."""
        if self.inner is not None:
            return self.inner
        self.beside = None
        return self.base


WORDS = frozenset({"require", "either"})
"""What is no variable of a step: the two words that an action says of it."""


class Step(State):
    """What an action receives: the state before, and the pen for the state after."""

    __slots__ = ("__pen",)

    def __init__(
        self,
        sorts: Mapping[str, Sort],
        writable: frozenset[str],
        action: str = "an action",
        owner: object = None,
        arguments: Container[str] = (),
    ) -> None:
        super().__init__(sorts, False, owner, arguments)
        _put_pen(self, _Pen(action, writable))

    def __getattribute__(self, name: str) -> Place:
        if name[:2] == "__":
            special: Place = pythons_own(self, name)
            return special
        if name in WORDS:
            found: Place = object.__getattribute__(self, name)
            return found
        return Place(state_variable(name, _sort(self, name)), name, (), self)

    def __setattr__(self, name: str, value: Operand) -> None:
        _sort(self, name)
        assign(self, name, (), value)

    def require(self, *guards: Operand) -> None:
        """Enable the action only where these hold; each is read only where those before do."""
        draft = _pen(self).draft()
        if not guards:
            raise LanguageError(
                "s.require() is given nothing to require: write its guard, or leave it out"
            )
        draft.guards.extend(boolean(guard) for guard in guards)

    @contextmanager
    def either(self) -> Iterator[None]:
        """Write one disjunct; neighbouring blocks are the disjuncts of one ``\\/`` list."""
        pen = _pen(self)
        if pen.inner is not None:
            raise LanguageError("`either` blocks do not nest: write the cases side by side")
        # Two frames up: past this one and the one of contextlib.
        beside = another(pen.beside, sys._getframe(2))
        calls = places_of(beside)
        if pen.beside is None:
            pen.carried = Carried()
        # A step that no method is given is judged by nobody.
        read_in = _get_scope(self)
        before = pen.carried.changed(sys._getframe(2)) if read_in is not None else ()
        draft = pen.inner = _Draft()
        try:
            yield
        finally:
            pen.inner = None
        if read_in is not None:
            group = len(pen.groups) - (pen.beside is not None)
            changed = pen.carried.changed(sys._getframe(2))
            read_in.blocks.append(Block(group, calls, changed, before))
        if not (draft.guards or draft.updates):
            raise LanguageError(
                "an `either` block is empty: write its guard or what it assigns, or "
                "s.require(TRUE) where it is the case in which nothing more happens"
            )
        if pen.beside is None:
            pen.groups.append(_Disjuncts(len(pen.base.guards)))
        pen.groups[-1].drafts.append(draft)
        pen.beside = beside


_get_pen, _put_pen = _slot(Step, "pen")


def _pen(step: Step) -> _Pen:
    require_open("the step", _get_scope(step))
    require_no_binder()
    found: _Pen = _get_pen(step)
    return found


def assign(step: Step, root: str, path: Path, value: Operand) -> None:
    """Write ``root' = [root EXCEPT !path = value]`` down in a step.

    Parts that may be different, and parts of what was assigned as a whole, are assigned one after
    the other, as in ``[x EXCEPT ![k] = a, ![l] = b]``. Raises AssignedTwice where
    an assignment would take back one before it.
    """
    pen = _pen(step)
    if root not in pen.writable:
        raise LanguageError(
            f"{root} cannot be assigned here: actions write the protocol's variables, "
            "a history writes only its own"
        )
    draft = pen.draft()
    # The disjuncts beside this one are other steps; those of earlier lists are part of it.
    earlier = pen.groups if pen.beside is None else pen.groups[:-1]
    if any(root in d.updates for group in earlier for d in group.drafts):
        raise LanguageError(
            f"{root} is assigned both inside `either` and after it: keep it in one place"
        )
    line = here()
    shared = () if draft is pen.base else pen.base.assigned
    for old in (*shared, *draft.assigned):
        require_both_stay(pen.action, old, root, path, line)
    before = draft.updates.get(root, pen.base.updates.get(root))
    whole = state_variable(root, _sort(step, root))
    draft.updates[root] = updated(before if before is not None else whole, path, value)
    part = part_of(whole, path)
    draft.assigned.append(Assigned(root, path, line, part, coerce(value, part.sort)))


def branches(step: Step, drawn: Sequence[Term] | None = None) -> tuple[Branch, ...]:
    """Return the disjuncts that a step has so far.

    Raises AssignedTwice where an assignment may take back one before it, as far as the guards and
    what ``drawn`` says of the arguments leave that; it is not asked where ``drawn`` is None.
    """
    pen: _Pen = _get_pen(step)
    pen.beside = None
    result = []
    starts = [group.behind for group in pen.groups]
    ends = (*starts[1:], None)
    for chosen in product(*(group.drafts for group in pen.groups)):
        guards = pen.base.guards[: starts[0] if starts else None]
        updates = dict(pen.base.updates)
        for draft, start, end in zip(chosen, starts, ends, strict=False):
            guards += [*draft.guards, *pen.base.guards[start:end]]
            updates.update(draft.updates)
        if drawn is not None:
            assigned = [*pen.base.assigned, *(a for draft in chosen for a in draft.assigned)]
            require_apart(pen.action, assigned, (*drawn, *guards))
        result.append(Branch(tuple(guards), updates))
    return tuple(result)
