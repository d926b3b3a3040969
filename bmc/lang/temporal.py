"""Temporal claims and the fairness they are made under.

A temporal formula is linear temporal logic without *next* over formulas of states, as TLA+ has it:
what it says does not depend on how often a state is repeated. A claim is a function
``(m, s, *arguments)`` like an invariant's, and is about every behaviour that a
:class:`Specification` admits: one that starts in an initial state, in which each step is an action
or leaves everything as it is, and which meets each of the specification's fairness conditions
(Lamport, *Specifying Systems*, chapter 8).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from bmc.lang.build import TRUE, argument
from bmc.lang.decided import nothing_decided
from bmc.lang.declared import Declaration, require_arguments
from bmc.lang.errors import LanguageError
from bmc.lang.model import Model, Source
from bmc.lang.show import show
from bmc.lang.sorts import BOOL, Sort
from bmc.lang.state import State
from bmc.lang.terms import Handle, Operand, Term, boolean, make, subterms
from bmc.lang.undecided import Undecided


@dataclass(frozen=True)
class Now(Undecided):
    """A formula of the state it is read in."""

    holds: Term


@dataclass(frozen=True)
class Taken(Undecided):
    """``<<step>>_vars``: the step out of the state it is read in changes something, and is so.

    ``holds`` reads variables of both states. It stands below *eventually* only (:func:`happens`,
    :func:`every_step`), so that a formula does not depend on how often a state is repeated.
    """

    holds: Term


@dataclass(frozen=True)
class Not(Undecided):
    """``~ formula``."""

    formula: Formula


@dataclass(frozen=True)
class Both(Undecided):
    """``left /\\ right``."""

    left: Formula
    right: Formula


@dataclass(frozen=True)
class Until(Undecided):
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


def shown(formula: Formula) -> str:
    """Return a formula as a TLA+ user writes it."""
    match formula:
        case Now(term):
            return show(term)
        case Taken(term):
            return f"<<{show(term)}>>_vars"
        case Not(Until(Now(true), Taken(term))) if _is_true(true) and term.op == "not":
            return f"[][{show(term.args[0])}]_vars"
        case Until(Now(true), Taken(term)) if _is_true(true):
            return f"<><<{show(term)}>>_vars"
        case Not(Until(Now(true), Not(Not(Both(premise, Not(Until(Now(also), goal))))))) if (
            _is_true(true) and _is_true(also)
        ):
            return f"({shown(premise)}) ~> ({shown(goal)})"
        case Not(Until(Now(true), Not(inner))) if _is_true(true):
            return f"[]({shown(inner)})"
        case Not(Both(Not(left), Not(right))):
            return f"({shown(left)}) \\/ ({shown(right)})"
        case Not(Both(premise, Not(conclusion))):
            return f"({shown(premise)}) => ({shown(conclusion)})"
        case Not(inner):
            return f"~({shown(inner)})"
        case Both(left, right):
            return f"({shown(left)}) /\\ ({shown(right)})"
        case Until(Now(true), right) if _is_true(true):
            return f"<>({shown(right)})"
        case Until(left, right):
            return f"({shown(left)}) \\U ({shown(right)})"
        case _:
            assert_never(formula)


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


@dataclass(frozen=True)
class TemporalProperty:
    """A temporal claim over a model's variables: ``\\A arguments : formula``."""

    name: str
    arguments: tuple[Term, ...]
    formula: Formula
    text: str
    specification: str
    source: Source


def name_of_argument(variable: Term) -> str:
    """Return what an argument of a claim or of a fairness condition is called."""
    assert isinstance(variable.data, tuple)
    return str(variable.data[1])


_AFTER = "t"
"""The name of a claim's third parameter, if that is the state after a step."""


def _is_primed(term: Term) -> bool:
    return term.op == "variable" and isinstance(term.data, tuple) and bool(term.data[1])


class TemporalDeclaration(Declaration):
    """A temporal claim as it is written: a function, and the sorts of its arguments.

    A function ``(m, s, t, *arguments)`` reads the state after a step as ``t``.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        text: str,
        specification: str,
        arguments: Mapping[str, Sort],
    ) -> None:
        self.function = function
        self.name = function.__name__
        self.text = text or inspect.getdoc(function) or ""
        self.specification = specification
        self.arguments = dict(arguments)
        extra = list(inspect.signature(function).parameters)[2:3]
        self.reads_steps = extra == [_AFTER] and _AFTER not in self.arguments
        require_arguments(function, self.arguments, 2 + self.reads_steps, "its state")

    def describe(self, protocol: object, sorts: Mapping[str, Sort]) -> TemporalProperty:
        """Return the claim over the given variables."""
        variables = tuple(argument(n, s) for n, s in self.arguments.items())
        with nothing_decided(self.name):
            states = [State(sorts)]
            if self.reads_steps:
                states.append(State(sorts, primed=True))
            stated = self.function(protocol, *states, *map(Handle, variables))
        if not isinstance(stated, Formula):
            raise LanguageError(
                f"{self.name} returns no temporal formula: say when its formula holds, with "
                "always(...), eventually(...) or leads_to(..., ...)"
            )
        for atom in (*atoms(stated), *steps(stated)):
            if atom.free - frozenset(variables):
                raise LanguageError(f"{self.name} uses a bound variable outside its binder")
        for atom in atoms(stated):
            if any(_is_primed(part) for part in subterms([atom])):
                raise LanguageError(
                    f"{self.name} reads the state after a step where it speaks of one state: say "
                    "what holds of a step with happens(...) or every_step(...)"
                )
        return TemporalProperty(
            self.name,
            variables,
            stated,
            self.text,
            self.specification,
            Source.of(self.function),
        )


def temporal(
    text: str = "", /, specification: str = "Spec", **arguments: Sort
) -> Callable[[Callable[..., Any]], TemporalDeclaration]:
    """Declare ``(m, s, *arguments)`` to hold of every behaviour of a specification, by its name.

    A function ``(m, s, t, *arguments)`` may say what holds of the step from ``s`` to ``t`` as well.
    """
    if not isinstance(text, str):
        raise LanguageError('write the decorator with parentheses, @temporal("what it says")')

    def declare(function: Callable[..., Any]) -> TemporalDeclaration:
        return TemporalDeclaration(function, text, specification, arguments)

    return declare


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

    def __str__(self) -> str:
        alike = " \\/ ".join(self.actions)
        called = f"{alike}({', '.join(self.per)})" if self.per else alike
        return f"{'SF' if self.strong else 'WF'}_vars({called})"


def weak(*actions: str, per: tuple[str, ...] = ()) -> Fairness:
    """``WF_vars``: what stays enabled is taken."""
    return Fairness(False, actions, per)


def strong(*actions: str, per: tuple[str, ...] = ()) -> Fairness:
    """``SF_vars``: what is enabled again and again is taken."""
    return Fairness(True, actions, per)


@dataclass(frozen=True)
class FairSteps(Undecided):
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
class Specification:
    """``Init /\\ [][Next]_vars`` and its fairness, under the name the text has for it."""

    name: str
    fairness: tuple[Condition, ...]

    def check(self, model: Model) -> None:
        """Raise LanguageError where a condition names what the model does not have."""
        known = {action.name: action for action in model.actions}
        for condition in self.fairness:
            if isinstance(condition, FairSteps):
                continue
            if not condition.actions:
                raise LanguageError(f"{self.name}: a fairness condition names no action")
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
