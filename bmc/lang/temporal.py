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
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bmc.lang.build import TRUE, argument
from bmc.lang.by_parts import ByParts
from bmc.lang.decided import nothing_decided
from bmc.lang.declared import Declaration, require_arguments, require_undecorated, run_with
from bmc.lang.errors import LanguageError, placed
from bmc.lang.fairness import (
    Condition,
    Fairness,
    FairSteps,
    Specification,
    name_of_argument,
    specifications,
    strong,
    weak,
)
from bmc.lang.formulas import (
    Both,
    Formula,
    Not,
    Now,
    Statement,
    Taken,
    Until,
    always,
    atoms,
    both,
    either_of,
    entails,
    eventually,
    every_step,
    formula_of,
    happens,
    leads_to,
    never,
    shown,
    steps,
    until,
    with_atoms,
)
from bmc.lang.model import Source
from bmc.lang.scope import note_read
from bmc.lang.sorts import Sort
from bmc.lang.state import State
from bmc.lang.stated import require_well_stated
from bmc.lang.terms import Handle, Term, subterms

__all__ = [
    "Both",
    "Condition",
    "FairSteps",
    "Fairness",
    "Formula",
    "Not",
    "Now",
    "Specification",
    "Statement",
    "Taken",
    "TemporalDeclaration",
    "TemporalProperty",
    "Until",
    "always",
    "atoms",
    "both",
    "either_of",
    "entails",
    "eventually",
    "every_step",
    "formula_of",
    "happens",
    "leads_to",
    "name_of_argument",
    "never",
    "shown",
    "specifications",
    "steps",
    "strong",
    "temporal",
    "until",
    "weak",
    "with_atoms",
]


@dataclass(frozen=True)
class TemporalProperty(ByParts):
    """A temporal claim over a model's variables: ``\\A arguments : formula``.

    Where it is about the behaviours alone that stay within ``limits``, a formula of states, then
    ``formula`` says so: `[]limits => ...`.
    """

    name: str
    arguments: tuple[Term, ...]
    formula: Formula
    text: str
    specification: str
    source: Source
    limits: Term | None = None

    def within(self, limits: Term) -> TemporalProperty:
        """Return the same claim about the behaviours that stay within limits."""
        return replace(self, formula=entails(always(Now(limits)), self.formula), limits=limits)

    def instance(self, values: Iterable[Any]) -> dict[str, Any]:
        """Return values of the claim's arguments, in order, by the arguments' names."""
        names = (str(one.data[1]) for one in self.arguments)  # type: ignore[index]
        return dict(zip(names, values, strict=True))

    def about(self) -> Formula:
        """Return what the behaviours have in common that the claim is about."""
        return Now(TRUE) if self.limits is None else always(Now(self.limits))

    def of_none(self) -> TemporalProperty:
        """Return the claim that there is no behaviour of the kind that this one is about."""
        return replace(self, arguments=(), formula=Not(self.about()), text="FALSE")


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
        require_undecorated(function)
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
        source = Source.of(self.function)
        with placed(source.file, source.line, self.name):
            return self._described(protocol, sorts, source)

    def _described(
        self, protocol: object, sorts: Mapping[str, Sort], source: Source
    ) -> TemporalProperty:
        variables = tuple(argument(n, s) for n, s in self.arguments.items())
        with nothing_decided(self.name):
            states = [State(sorts, False, protocol, self.arguments)]
            if self.reads_steps:
                states.append(State(sorts, True, protocol, self.arguments))
            stated = run_with(self.function, (protocol, *states), map(Handle, variables))
            if not isinstance(stated, Formula):
                raise LanguageError(
                    f"{self.name} returns no temporal formula: say when its formula holds, with "
                    "always(...), eventually(...) or leads_to(..., ...)"
                )
            note_read(stated)
        written = [*atoms(stated), *steps(stated)]
        require_well_stated(self.name, protocol, sorts, variables, written)
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
            source,
        )


def temporal(
    text: str = "", /, specification: str = "Spec", **arguments: Sort
) -> Callable[[Callable[..., Any]], TemporalDeclaration]:
    """Declare ``(m, s, *arguments)`` to hold of every behaviour of a specification, by its name.

    A function ``(m, s, t, *arguments)`` may say what holds of the step from ``s`` to ``t`` as well.
    """
    if not isinstance(text, str):
        raise LanguageError('write the decorator with parentheses, @temporal("what it says")')

    if not isinstance(specification, str):
        raise LanguageError(
            "a claim says its specification by its name: "
            f'specification="{getattr(specification, "name", "Name")}"'
        )

    def declare(function: Callable[..., Any]) -> TemporalDeclaration:
        return TemporalDeclaration(function, text, specification, arguments)

    return declare
