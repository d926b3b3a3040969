"""A suite whose model and properties are at hand, not written as a Python class."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bmc.lang.errors import BmcError, LanguageError
from bmc.lang.model import Model
from bmc.lang.properties import Kind, Property, PropertyDeclaration
from bmc.lang.protocol import Protocol
from bmc.lang.sorts import Sort
from bmc.lang.suite import Origin, Suite
from bmc.lang.temporal import Specification, TemporalDeclaration, TemporalProperty
from bmc.lang.terms import Term, subterms


class _Ready:
    """What a property and a temporal claim that are described already have in common."""

    name: str

    def _no_function(self, *_: Any) -> Any:
        raise LanguageError(f"{self.name} is no Python function: it cannot be called")


class ReadyProperty(_Ready, PropertyDeclaration):
    """The declaration of a property that is described already."""

    def __init__(self, stated: Property) -> None:
        self.stated = stated
        self.kind = stated.kind
        self.name = stated.name
        self.text = stated.text
        self.group = stated.group
        self.arguments = {_name(argument): argument.sort for argument in stated.arguments}
        self.function = self._no_function

    def describe(self, protocol: object, sorts: Mapping[str, Sort]) -> Property:
        """The property."""
        return self.stated


class ReadyTemporal(_Ready, TemporalDeclaration):
    """The declaration of a temporal claim that is described already."""

    def __init__(self, stated: TemporalProperty) -> None:
        self.stated = stated
        self.name = stated.name
        self.text = stated.text
        self.specification = stated.specification
        self.arguments = {_name(argument): argument.sort for argument in stated.arguments}
        self.function = self._no_function

    def describe(self, protocol: object, sorts: Mapping[str, Sort]) -> TemporalProperty:
        """The claim."""
        return self.stated


def _name(variable: Term, place: int = 1) -> str:
    data: Any = variable.data
    return str(data[place])


@dataclass(frozen=True)
class ReadySuite(Suite):
    """A suite with a model at hand; it has no history."""

    given: Model = field(kw_only=True)

    @staticmethod
    def made(
        name: str,
        about: str,
        model: Model,
        stated: Iterable[Property],
        origin: Origin,
        counted: Term | None = None,
        temporal: Iterable[TemporalProperty] = (),
        specifications: Iterable[Specification] = (),
        parts: Mapping[str, tuple[str, ...]] | None = None,
        unjudged: Mapping[str, str] | None = None,
        goes_on: Term | None = None,
        refused: Iterable[BmcError] = (),
    ) -> ReadySuite:
        """Return the suite of a model with properties over it."""
        declared = [ReadyProperty(one) for one in stated]
        parameters = {parameter.name: parameter for parameter in model.parameters}
        return ReadySuite(
            name,
            type(model.name, (Protocol,), {"__doc__": about, **parameters}),
            about,
            tuple(one for one in declared if one.kind is not Kind.LEMMA),
            tuple(one for one in declared if one.kind is Kind.LEMMA),
            origin=origin,
            counted=counted,
            temporal=tuple(ReadyTemporal(one) for one in temporal),
            specifications=tuple(specifications),
            parts=parts or {},
            unjudged=unjudged or {},
            goes_on=goes_on,
            refused=tuple(refused),
            given=model,
        )

    def model(self, ghosts: bool) -> Model:
        """The model."""
        return self.given


def with_lemmas_instead(suite: Suite, lemmas: Iterable[Property], kept: Collection[str]) -> Suite:
    """Return the suite with lemmas in the place of its own and of its history.

    Its own lemmas of the names ``kept`` stay, and the history where one of what is named so speaks
    of it. Raises LanguageError as `with_lemmas` does.
    """
    whole = suite.model(ghosts=True)
    bodies = [suite.describe(suite.find(name), whole).body for name in kept]
    spoken = {_name(t, 0) for t in subterms(bodies) if t.op == "variable"} & whole.ghosts
    history = suite.history if spoken else None
    own = tuple(declared for declared in suite.lemmas if declared.name in kept)
    carried = tuple(name for name in suite.carried if name in kept)
    return with_lemmas(replace(suite, lemmas=own, history=history, carried=carried), lemmas)


def with_lemmas(suite: Suite, lemmas: Iterable[Property]) -> Suite:
    """Return the suite with further lemmas, which are candidates as its own are.

    Raises LanguageError where one is called as something that the suite states.
    """
    added = tuple(ReadyProperty(one) for one in lemmas)
    names = (*suite.carried, *(one.name for one in added))
    return replace(suite, lemmas=(*suite.lemmas, *added), carried=names)
