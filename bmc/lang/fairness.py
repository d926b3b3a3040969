"""Fairness of actions, of some of their instances, and of steps: what a specification asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from bmc.lang.advice import shown
from bmc.lang.by_parts import ByParts
from bmc.lang.declared import Declaration
from bmc.lang.errors import DeclaredTwice, LanguageError, placed
from bmc.lang.model import Model
from bmc.lang.places import Line, here
from bmc.lang.set_orders import require_an_order
from bmc.lang.terms import Term
from bmc.lang.undecided import Undecided


def name_of_argument(variable: Term) -> str:
    """Return what an argument of a claim or of a fairness condition is called."""
    assert isinstance(variable.data, tuple)
    return str(variable.data[1])


@dataclass(frozen=True)
class Fairness:
    """``WF_vars(A)`` or, if ``strong``, ``SF_vars(A)``, for each choice of some arguments.

    ``A`` is the disjunction of ``actions`` over all their other arguments. With ``per``
    naming ``("c",)`` it is ``\\A c : WF_vars(\\E … : A(c, …))``: the conditions are as many as
    ``c`` has values. An argument that is drawn from a set in the state cannot be named.
    """

    strong: bool
    actions: tuple[str, ...]
    per: tuple[str, ...] = ()
    given: Iterable[str] = field(init=False, repr=False, compare=False)
    """What ``per`` was given as; a list may change, and is refused then."""

    def __post_init__(self) -> None:
        require_names_of_actions("fairness", "weak", self.actions)
        if not self.actions:
            raise LanguageError('a fairness condition names no action: write weak("Action")')
        given = _listed(self.per)
        require_an_order(f"per of {', '.join(self.actions)}", given)
        object.__setattr__(self, "per", tuple(given))
        object.__setattr__(self, "given", _kept(given, self.per))

    def __str__(self) -> str:
        alike = " \\/ ".join(self.actions)
        called = f"{alike}({', '.join(self.per)})" if self.per else alike
        return f"{'SF' if self.strong else 'WF'}_vars({called})"


def require_names_of_actions(speaker: str, word: str, given: Iterable[object]) -> None:
    """Raise LanguageError where ``word`` is given something other than the names of actions."""
    for name in given:
        if not isinstance(name, str):
            raise LanguageError(
                f"{speaker} names actions by their names, and {shown(name)} is none: write "
                f'{word}("Action"), and {word}("One", "Other") of several together'
            )


def _listed(names: Iterable[str]) -> Iterable[str]:
    """Return the names that are given; ``per=("node")`` is one name, not its letters."""
    return (names,) if isinstance(names, str) else names


def _kept(given: Iterable[Any], copied: tuple[Any, ...]) -> Iterable[Any]:
    """Return what can be compared with its copy later; an iterator is at its end."""
    return copied if isinstance(given, Iterator) else given


def weak(*actions: str, per: tuple[str, ...] = ()) -> Fairness:
    """``WF_vars``: what stays enabled is taken."""
    return Fairness(False, actions, per)


def strong(*actions: str, per: tuple[str, ...] = ()) -> Fairness:
    """``SF_vars``: what is enabled again and again is taken."""
    return Fairness(True, actions, per)


@dataclass(frozen=True)
class FairSteps(Undecided, ByParts):
    """``WF_v(A)`` or, if ``strong``, ``SF_v(A)`` of steps that no list of actions is.

    It is one condition for each choice of ``arguments``. ``enabled`` says of a state that there is
    a step ``<<A>>_v`` out of it, whether or not the next-state relation has it; ``step`` says of a
    step that it is one. ``text`` is the condition as the specification writes it.
    """

    strong: bool
    arguments: tuple[Term, ...]
    enabled: Term
    step: Term
    text: str

    def __str__(self) -> str:
        return self.text


Condition = Fairness | FairSteps


@dataclass(frozen=True)
class Specification(Declaration):
    """``Init /\\ [][Next]_vars`` and its fairness, under the name the text has for it."""

    name: str
    fairness: tuple[Condition, ...]
    given: Iterable[Condition] = field(init=False, repr=False, compare=False)
    """What ``fairness`` was given as; a list may change, and is refused then."""
    line: Line = field(init=False, repr=False, compare=False)
    """Where it is written."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "line", here())
        if isinstance(self.fairness, Fairness | FairSteps):
            raise LanguageError(
                f"{self.name} has a single condition: write a tuple of them, as in "
                f'Specification("{self.name}", (weak("Action"),))'
            )
        require_an_order(f"the fairness of {self.name}", self.fairness)
        # An iterator would be at its end when it is read again.
        given, conditions = self.fairness, tuple(self.fairness)
        for one in conditions:
            if not isinstance(one, Fairness | FairSteps):
                raise LanguageError(
                    f"{self.name} is fair to {shown(one)}, which is no condition: write a tuple of "
                    f'them, as in Specification("{self.name}", (weak("Action"),))'
                )
        if isinstance(given, Iterator) and not conditions:
            raise LanguageError(
                f"{self.name} is given an iterator that has nothing in it, or nothing more: write "
                "a tuple of conditions, () where there is none"
            )
        object.__setattr__(self, "fairness", conditions)
        object.__setattr__(self, "given", _kept(given, conditions))

    def check(self, model: Model) -> None:
        """Raise LanguageError where a condition names what the model does not have.

        So it does where what was given as a list is no longer what was copied of it.
        """
        with placed(self.line.file, self.line.number):
            self._check(model)

    def _check(self, model: Model) -> None:
        lists: list[tuple[Iterable[Any], tuple[Any, ...]]] = [(self.given, self.fairness)]
        lists += [(one.given, one.per) for one in self.fairness if isinstance(one, Fairness)]
        if any(tuple(given) != copied for given, copied in lists):
            raise LanguageError(
                f"{self.name} was written before the list that it is given was changed, and is "
                "what the list held then: fill the list first, or write a tuple"
            )
        known = {action.name: action for action in model.actions}
        for condition in self.fairness:
            if isinstance(condition, FairSteps):
                continue
            for name in condition.actions:
                if name not in known:
                    raise LanguageError(
                        f"{self.name} is fair to {name}, which is no action: "
                        f"the actions are {', '.join(known)}"
                    )
                free = {a.name for a in known[name].arguments if a.collection is None}
                for wanted in condition.per:
                    if wanted not in free:
                        raise LanguageError(
                            f"{self.name}: {name} has no argument {wanted!r} that ranges over a "
                            f"sort; fairness for each can be asked of "
                            f"{', '.join(sorted(free)) or 'none of its arguments'}"
                        )
            for wanted in condition.per:
                sorts = [
                    one.variable.sort
                    for name in condition.actions
                    for one in known[name].arguments
                    if one.name == wanted
                ]
                if any(sort != sorts[0] for sort in sorts):
                    raise LanguageError(
                        f"{self.name}: {wanted!r} ranges over different sorts in "
                        f"{', '.join(condition.actions)}: ask fairness of each action by itself"
                    )


def declared_with_actions(model: Model) -> Specification:
    """Return ``Spec``: each action with the fairness it was declared with, over all arguments."""
    return Specification(
        "Spec",
        tuple(
            Fairness(action.fairness == "strong", (action.name,))
            for action in model.actions
            if action.fairness is not None
        ),
    )


def specifications(model: Model, stated: Iterable[Specification]) -> dict[str, Specification]:
    """Return by their names what a model's actions declare and what is stated beside it.

    Raises DeclaredTwice where a name would mean two of them.
    """
    known: dict[str, Specification] = {}
    for one in stated:
        if one.name in known:
            raise DeclaredTwice(f"two specifications are called {one.name}: rename one of them")
        known[one.name] = one
    declared = declared_with_actions(model)
    if declared.fairness and declared.name in known:
        raise DeclaredTwice(
            f"{declared.name} is the fairness that the actions declare, "
            f"{', '.join(map(str, declared.fairness))}: give the specification another name"
        )
    return {declared.name: declared, **known}
