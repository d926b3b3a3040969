"""Temporal formulas: linear temporal logic without *next* over formulas of states and of steps.

What a formula says does not depend on how often a state is repeated, as TLA+ has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn, assert_never

from bmc.lang.build import TRUE
from bmc.lang.by_parts import ByParts
from bmc.lang.errors import LanguageError, is_asked
from bmc.lang.scope import note_read, note_unread
from bmc.lang.show import show
from bmc.lang.sorts import BOOL
from bmc.lang.terms import Operand, Term, boolean, make
from bmc.lang.undecided import Undecided


class _Made(Undecided, ByParts):
    """What a method makes for something to read: a part of a formula is read by the whole."""

    def __post_init__(self) -> None:
        """Note that nothing has read this yet, and that it has read its parts."""
        if not is_asked():
            for part in vars(self).values():
                note_read(part)
            note_unread(self)

    def __and__(self, *other: object) -> NoReturn:
        raise LanguageError(
            "temporal formulas have no &, | and ~: write both(...), either_of(...) and Not(...)"
        )

    __or__ = __rand__ = __ror__ = __invert__ = __and__


@dataclass(frozen=True)
class Now(_Made):
    """A formula of the state it is read in."""

    holds: Term


@dataclass(frozen=True)
class Taken(_Made):
    """``<<step>>_vars``: the step out of the state it is read in changes something, and is so.

    ``holds`` reads variables of both states. It stands below *eventually* only (:func:`happens`,
    :func:`every_step`), so that a formula does not depend on how often a state is repeated.
    """

    holds: Term


class _Joined(_Made):
    """What is made of formulas: one of a state that stands there speaks of the first state."""

    def __post_init__(self) -> None:
        for name, part in list(vars(self).items()):
            object.__setattr__(self, name, formula_of(part))
        super().__post_init__()


@dataclass(frozen=True)
class Not(_Joined):
    """``~ formula``."""

    formula: Formula


@dataclass(frozen=True)
class Both(_Joined):
    """``left /\\ right``."""

    left: Formula
    right: Formula


@dataclass(frozen=True)
class Until(_Joined):
    """``right`` holds now or later, and ``left`` in every state before that."""

    left: Formula
    right: Formula


Formula = Now | Taken | Not | Both | Until

Statement = Formula | Operand
"""What a builder takes: a temporal formula, or a formula of one state."""


def formula_of(stated: Statement) -> Formula:
    """Return a temporal formula; a formula of a state speaks of the first one."""
    return stated if isinstance(stated, Formula) else Now(boolean(stated))


def never(stated: Statement) -> Formula:
    """``[]~ stated``."""
    return Not(eventually(stated))


def eventually(stated: Statement) -> Formula:
    """``<> stated``."""
    return Until(Now(TRUE), formula_of(stated))


def always(stated: Statement) -> Formula:
    """``[] stated``."""
    return Not(eventually(Not(formula_of(stated))))


def both(*parts: Statement) -> Formula:
    """``part /\\ part …``, of temporal formulas."""
    whole = formula_of(parts[0]) if parts else Now(TRUE)
    for part in parts[1:]:
        whole = Both(whole, formula_of(part))
    return whole


def either_of(*parts: Statement) -> Formula:
    """``part \\/ part …``, of temporal formulas."""
    return Not(both(*(Not(formula_of(part)) for part in parts)))


def entails(premise: Statement, conclusion: Statement) -> Formula:
    """``premise => conclusion``, of temporal formulas."""
    return Not(Both(formula_of(premise), Not(formula_of(conclusion))))


def leads_to(premise: Statement, conclusion: Statement) -> Formula:
    """``premise ~> conclusion``: ``[](premise => <>conclusion)``."""
    return always(entails(premise, eventually(conclusion)))


def until(left: Statement, right: Statement) -> Formula:
    """``right`` comes, and ``left`` holds until then."""
    return Until(formula_of(left), formula_of(right))


def happens(step: Operand) -> Formula:
    """``<><<step>>_vars``: a step that changes something is so, now or later."""
    return Until(Now(TRUE), Taken(boolean(step)))


def every_step(step: Operand) -> Formula:
    """``[][step]_vars``: every step that changes something is so, from now on."""
    return Not(happens(make("not", (boolean(step),), BOOL)))


def shown(formula: Formula, text: Callable[[Term], str] = show) -> str:
    """Return a formula as a TLA+ user writes it; ``text`` writes what it says of states."""
    match formula:
        case Now(term):
            return text(term)
        case Taken(term):
            return f"<<{text(term)}>>_vars"
        case Not(Until(Now(true), Taken(term))) if _is_true(true) and term.op == "not":
            return f"[][{text(term.args[0])}]_vars"
        case Until(Now(true), Taken(term)) if _is_true(true):
            return f"<><<{text(term)}>>_vars"
        case Not(Until(Now(true), inner)) if _is_true(true):
            ends = _ends(formula)
            return (
                " ~> ".join(_part(end, text) for end in ends)
                if ends
                else f"[]{_part(negated(inner), text)}"
            )
        case Not():
            return _negation(formula, text)
        case Both(left, right):
            first = shown(left, text) if isinstance(left, Both) else _part(left, text)
            return f"{first} /\\ {_part(right, text)}"
        case Until(Now(true), right) if _is_true(true):
            return f"<>{_part(right, text)}"
        case Until(left, right):
            return f"{_part(left, text)} \\U {_part(right, text)}"
        case _:
            assert_never(formula)


def _ends(formula: Formula) -> tuple[Formula, ...]:
    """Premise and conclusion of a formula that :func:`leads_to` makes; of any other nothing."""
    match formula:
        case Not(Until(Now(true), Not(Not(Both(premise, Not(Until(Now(also), goal))))))) if (
            _is_true(true) and _is_true(also)
        ):
            return premise, goal
        case _:
            return ()


def _negation(formula: Not, text: Callable[[Term], str]) -> str:
    """What is said of a negation that is no ``[]``: a disjunction, an implication or itself."""
    parts = alternatives(formula)
    if len(parts) == 1 and parts[0] != formula:
        return shown(parts[0], text)
    match formula:
        case Not(Both(Not(Until(Now(true), Not())) as ever, Not(conclusion))) if (
            _is_true(true) and len(parts) == 2 and not _asks_what_is_not(conclusion)
        ):
            return f"{_part(ever, text)} => {_part(conclusion, text)}"
    if len(parts) > 1:
        return " \\/ ".join(_part(one, text) for one in parts)
    match formula:
        case Not(Both(premise, Not(conclusion))):
            return f"{_part(premise, text)} => {_part(conclusion, text)}"
        case Not(inner):
            return f"~{_part(inner, text)}"


def _asks_what_is_not(formula: Formula) -> bool:
    """Whether it is ``<>~ something``: beside another such one, an alternative to it."""
    return isinstance(formula, Until) and isinstance(formula.right, Not)


def _part(formula: Formula, text: Callable[[Term], str]) -> str:
    """A formula as a part of another one: in parentheses, unless it is a word or has a sign."""
    said = shown(formula, text)
    match formula:
        case Now() if _WORD.fullmatch(said):
            return said
        case Until(Now(true), _) | Not(Until(Now(true), _)) if _is_true(true):
            return f"({said})" if _ends(formula) else said
        case Not(Now() | Taken() | Until()):
            return said
    return f"({said})"


_WORD = re.compile(r"[A-Za-z_0-9.']+(\[[A-Za-z_0-9.']+\])*")
"""What is read alone beside any operator: a name, a number, an element of a function."""


def negated(formula: Formula) -> Formula:
    """Return the negation of a formula, without a second sign where it has one."""
    return formula.formula if isinstance(formula, Not) else Not(formula)


def alternatives(formula: Formula) -> tuple[Formula, ...]:
    """Return the parts of a disjunction as :func:`either_of` makes it; of others the formula."""
    match formula:
        case Not(Not(inner)):
            return alternatives(inner)
        case Not(Both() as whole):
            parts = _conjuncts(whole)
            denied = [part.formula for part in parts if isinstance(part, Not)]
            return tuple(denied) if len(denied) == len(parts) else (formula,)
        case _:
            return (formula,)


def _conjuncts(formula: Formula) -> list[Formula]:
    if not isinstance(formula, Both):
        return [formula]
    return [*_conjuncts(formula.left), formula.right]


def _is_true(term: Term) -> bool:
    return term is TRUE


def atoms(formula: Formula) -> tuple[Term, ...]:
    """Return the formulas of states that a formula is made of, each once."""
    return tuple(one.holds for one in _leaves(formula) if isinstance(one, Now))


def steps(formula: Formula) -> tuple[Term, ...]:
    """Return the formulas of steps that a formula is made of, each once."""
    return tuple(one.holds for one in _leaves(formula) if isinstance(one, Taken))


def _leaves(formula: Formula) -> tuple[Now | Taken, ...]:
    match formula:
        case Now() | Taken():
            return (formula,)
        case Not(inner):
            return _leaves(inner)
        case Both(left, right) | Until(left, right):
            return tuple(dict.fromkeys((*_leaves(left), *_leaves(right))))
        case _:
            assert_never(formula)


def with_atoms(formula: Formula, changed: Callable[[Term], Term]) -> Formula:
    """Return a formula with other formulas of states and steps in the place of its own."""
    match formula:
        case Now(term):
            return Now(changed(term))
        case Taken(term):
            return Taken(changed(term))
        case Not(inner):
            return Not(with_atoms(inner, changed))
        case Both(left, right):
            return Both(with_atoms(left, changed), with_atoms(right, changed))
        case Until(left, right):
            return Until(with_atoms(left, changed), with_atoms(right, changed))
        case _:
            assert_never(formula)
