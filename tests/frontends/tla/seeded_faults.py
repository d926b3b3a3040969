"""Faults of the translator that are planted one at a time, and whether the comparison finds them.

A fault is a method of the translator put in the place of the right one. Each is a mistake that
somebody could make, and translates silently: what is refused with an error needs no finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla.agreement import Disagreement, compare_reachable
from bmc.frontends.tla.errors import TlaError
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Search
from bmc.frontends.tla.translate import model, one_point, properties
from bmc.frontends.tla.translate.actions import Actions, Taken
from bmc.frontends.tla.translate.constraints import Constraints
from bmc.frontends.tla.translate.expressions import Expressions
from bmc.frontends.tla.translate.model import translate
from bmc.frontends.tla.translate.next_state import NextState
from bmc.frontends.tla.translated_model import TranslatedModel
from bmc.lang import build
from bmc.lang.state import state_variable
from bmc.lang.substitution import TermSubstitution
from tests.frontends.tla.small_texts import TEXTS, Text

STATES = 1_000  # at which a fault has to be found

Wrong = Callable[[Any], Any]  # the wrong function, made of the right one


@dataclass(frozen=True)
class Fault:
    """A fault: what is wrong, whose `attribute` is replaced, and by what."""

    name: str
    owner: Any
    attribute: str
    wrong: Wrong

    @contextmanager
    def planted(self) -> Iterator[None]:
        """Put the fault into the translator for a while."""
        own = self.attribute in vars(self.owner)
        right = getattr(self.owner, self.attribute)
        setattr(self.owner, self.attribute, self.wrong(right))
        try:
            yield
        finally:
            if own:
                setattr(self.owner, self.attribute, right)
            else:
                delattr(self.owner, self.attribute)

    def found(self, folder: Path, texts: tuple[Text, ...] = TEXTS) -> str:
        """Return what the comparison says of the fault; empty if it does not notice."""
        for text in texts:
            specification = load(text.write(folder))
            search = Search(Machine(specification))
            try:
                with self.planted():
                    translated = TranslatedModel(translate(specification))
                    compared = compare_reachable(search, translated, STATES)
                if compared.skipped:
                    return f"{text.name}: {compared}"
            except Disagreement as said:
                return f"{text.name}: {said}"
            except TlaError:
                continue
        return ""


def _swapped(right: Any) -> Any:
    return lambda self, a, b: right(self, b, a)


def _first(right: Any) -> Any:
    return lambda self, a, b: a


def _without_test(right: Any) -> Any:
    return lambda self, members, test, name: right(self, members, lambda x: True, name)


def _guard_dropped(right: Any) -> Any:
    def under(self: Any, formula: Any, context: Any) -> Any:
        if formula is not False:
            yield context

    return under


def _last_guard_dropped(right: Any) -> Any:
    def branches(self: Any, node: Any, context: Any = None) -> Any:
        for taken in right(self, node, context):
            yield Taken(taken.arguments, taken.guards[:-1], taken.updates)

    return branches


def _unprimed(right: Any) -> Any:
    def value_of(self: Any, node: Any, context: Any) -> Any:
        if isinstance(node, c.Prime):
            return self.value_of(node.operand, context)
        return right(self, node, context)

    return value_of


def _by_value(right: Any) -> Any:
    def argument(self: Any, node: Any, context: Any, of_step: bool = False) -> Any:
        if self.initial or isinstance(node, c.Lambda) or level(node) < Level.ACTION:
            return right(self, node, context, of_step)
        before = {name: state_variable(name, sort) for name, sort in self.sorts.items()}
        return self.value_of(node, replace(context, updates=before))

    return argument


def _updates(order: slice) -> Wrong:
    def wrong(right: Any) -> Any:
        def updated(self: Any, node: c.Except, context: Any) -> Any:
            return right(self, c.Except(node.span, node.function, node.updates[order]), context)

        return updated

    return wrong


def _at_is_the_beginning(right: Any) -> Any:
    def updated(self: Any, node: c.Except, context: Any) -> Any:
        whole = self.value_of(node.function, context)
        for update in node.updates:
            path = [
                step.name
                if isinstance(step, c.FieldStep)
                else self.value_of(step.arguments[0], context)
                for step in update.path
            ]
            old = self.value_of(node.function, context)
            for key in path:
                old = self.applied(old, key)
            inner = replace(context, environment={**context.environment, update.at: old})
            new = self.value_of(update.value, inner)
            whole = self.updated(whole, path, lambda _old, new=new: new)
        return whole

    return updated


def _overwrite(right: Any) -> Any:
    def assign(self: Any, name: str, node: Any, context: Any) -> Any:
        updates = {n: value for n, value in context.updates.items() if n != name}
        yield from right(self, name, node, replace(context, updates=updates))

    return assign


def _arms_reversed(right: Any) -> Any:
    def case(self: Any, node: c.Case, context: Any) -> Any:
        return right(self, c.Case(node.span, node.arms[::-1], node.other), context)

    return case


def _sub_sequence(by: int, end: int) -> Wrong:
    def wrong(right: Any) -> Any:
        def sub_sequence(self: Any, value: Any, first: Any, last: Any) -> Any:
            return right(self, value, self.plus(first, by, -1), self.plus(last, end, -1))

        return sub_sequence

    return wrong


def _in_front(right: Any) -> Any:
    return lambda self, sequence, element: self.concatenated(self.tuple_of([element]), sequence)


def _negated_test(right: Any) -> Any:
    return lambda self, value, test: right(self, value, lambda x: self.negated(test(x)))


def _renamed_actions(right: Any) -> Any:
    def top_actions(self: Any, name: str, node: Any, context: Any) -> Any:
        for _, inner, where in right(self, name, node, context):
            yield name, inner, where

    return top_actions


def _no_conclusion(right: Any) -> Any:
    def implied(self: Any, premise: Any, conclusion: Any) -> Any:
        return self.any_of((premise, conclusion()))

    return implied


def _no_stutter(right: Any) -> Any:
    def value_of(self: Any, node: Any, context: Any) -> Any:
        if isinstance(node, c.BoxAction):
            return self.value_of(node.action, context)
        return right(self, node, context)

    return value_of


def _initial_disjunct(right: Any) -> Any:
    def branches(self: Any, node: Any, context: Any = None) -> Any:
        found = list(right(self, node, context))
        return iter(found[:1] if self.initial else found)

    return branches


def _updates_kept(right: Any) -> Any:
    def rule(branch: Taken, is_partial: Any) -> Taken:
        found = right(branch, is_partial)
        gone = {a.variable for a in branch.arguments} - {a.variable for a in found.arguments}
        low = TermSubstitution({v: build.make("int", (), v.sort, 0) for v in gone})
        updates = {name: low(term) for name, term in branch.updates.items()}
        return Taken(found.arguments, found.guards, updates)

    return rule


FAULTS = (
    Fault("every guard of an action is dropped", Actions, "_under", _guard_dropped),
    Fault("the last guard of a branch is dropped", Actions, "branches", _last_guard_dropped),
    Fault("x' is read as x", Expressions, "value_of", _unprimed),
    Fault("an argument with primes is passed by value", Expressions, "argument", _by_value),
    Fault("a second x' = e overwrites the first", Actions, "assign", _overwrite),
    Fault(
        "UNCHANGED is no test where x' has a value",
        Actions,
        "keep",
        lambda right: (
            lambda self, name, node, context: (
                iter([context]) if name in context.updates else right(self, name, node, context)
            )
        ),
    ),
    Fault("EXCEPT's updates in reverse", Expressions, "_except", _updates(slice(None, None, -1))),
    Fault("EXCEPT's later updates are lost", Expressions, "_except", _updates(slice(0, 1))),
    Fault("EXCEPT's @ is the value at the start", Expressions, "_except", _at_is_the_beginning),
    Fault("CASE takes the last arm", Expressions, "_case", _arms_reversed),
    Fault("SubSeq begins one early", Expressions, "sub_sequence", _sub_sequence(1, 0)),
    Fault("SubSeq ends one early", Expressions, "sub_sequence", _sub_sequence(0, 1)),
    Fault("Append puts in front", Expressions, "appended", _in_front),
    Fault(
        "Head is the second element",
        Expressions,
        "head",
        lambda right: lambda self, value: self.sequence(value).at(2),
    ),
    Fault("Tail keeps the head", Expressions, "tail", lambda right: lambda self, value: value),
    Fault("\\o the other way round", Expressions, "concatenated", _swapped),
    Fault("SelectSeq keeps what it should drop", Expressions, "selected", _negated_test),
    Fault("@@ prefers the right", Expressions, "merged", _swapped),
    Fault("\\cup forgets the right", Expressions, "union", _first),
    Fault("\\cap forgets the right", Expressions, "intersection", _first),
    Fault("\\ forgets the right", Expressions, "difference", _first),
    Fault("\\subseteq the other way round", Expressions, "subset", _swapped),
    Fault("a filter keeps everything", Expressions, "filtered", _without_test),
    Fault(
        "CHOOSE ignores its condition",
        Expressions,
        "chosen",
        lambda right: lambda self, members, name, test: right(self, members, name, lambda x: True),
    ),
    Fault(
        "Cardinality is one too many",
        Expressions,
        "cardinality",
        lambda right: lambda self, value: self.plus(right(self, value), 1),
    ),
    Fault(
        "low..high loses high",
        Expressions,
        "interval",
        lambda right: (
            lambda self, low, high, name="i": right(self, low, self.plus(high, 1, -1), name)
        ),
    ),
    Fault(
        "<= is read as <",
        Expressions,
        "at_most",
        lambda right: lambda self, left, other, strict=False: right(self, left, other, True),
    ),
    Fault(
        "< is read as <=",
        Expressions,
        "at_most",
        lambda right: lambda self, left, other, strict=False: right(self, left, other, False),
    ),
    Fault(
        "- is read as +",
        Expressions,
        "plus",
        lambda right: lambda self, left, other, sign=1: right(self, left, other),
    ),
    Fault("\\A is read as \\E", Expressions, "forall", lambda right: Expressions.exists),
    Fault("=> is read as \\/", Expressions, "implied", _no_conclusion),
    Fault("[A]_v without its stutter", Expressions, "value_of", _no_stutter),
    Fault(
        "ENABLED is taken to hold",
        model,
        "enabled",
        lambda right: lambda actions, node, context: True,
    ),
    Fault(
        "CONSTRAINT is ignored",
        Constraints,
        "constraint",
        lambda right: lambda self: None,
    ),
    Fault(
        "ACTION_CONSTRAINT is ignored",
        Constraints,
        "allowed",
        lambda right: lambda self, one: iter([one]),
    ),
    Fault("an action has its caller's name", NextState, "top_actions", _renamed_actions),
    Fault("Init loses a disjunct", Actions, "branches", _initial_disjunct),
    Fault(
        "an argument determined by a guard leaves its range",
        one_point,
        "_inside",
        lambda right: lambda value, sort, is_partial: iter(()),
    ),
    Fault("a determined argument is forgotten in the updates", model, "one_point", _updates_kept),
    Fault(
        "deadlock is never seen",
        properties,
        "possible",
        lambda right: lambda arguments, guards: build.TRUE,
    ),
)
