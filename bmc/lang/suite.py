"""A suite: a protocol together with all that is stated about it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from bmc.lang.advice import shown
from bmc.lang.by_parts import ByParts
from bmc.lang.deadlock import DEADLOCK, NO_DEADLOCK, deadlock_properties
from bmc.lang.describe import ghosts_told, model_of
from bmc.lang.errors import BmcError, LanguageError, UnknownName, placed, suggest
from bmc.lang.listed import LISTS, formula_given, listed, require_classes, require_of_kind
from bmc.lang.model import Model, Source
from bmc.lang.named import require_no_slip, require_reasons, require_stated
from bmc.lang.properties import Kind, Property, PropertyDeclaration
from bmc.lang.protocol import History, Protocol, declared_in, parameters_of
from bmc.lang.quotation import Quotation
from bmc.lang.ranking import Ranking, RankingDeclaration
from bmc.lang.show import show_sort
from bmc.lang.sorts import RecordSort, Sort
from bmc.lang.temporal import (
    Specification,
    TemporalDeclaration,
    TemporalProperty,
    specifications,
)
from bmc.lang.terms import Term


@dataclass(frozen=True)
class Unreached:
    """Why an action never happens or a witness is never reached, in a line.

    It is so while every parameter of ``at_most`` is at most the value it has there, and at all
    parameters when there are none.
    """

    reason: str
    at_most: Mapping[str, int] = field(default_factory=dict)

    def applies(self, parameters: Mapping[str, int]) -> bool:
        """Whether it is claimed of these parameters."""
        return all(parameters[name] <= most for name, most in self.at_most.items())


class Origin(ABC):
    """The text that a model was translated from, in a language that is not Python."""

    first_position = 0
    """What that language calls the first element of a sequence."""
    fairness_advice: str
    """How that language states fairness, as a sentence."""

    @abstractmethod
    def value_text(self, sort: Sort, value: Any) -> str:
        """Return a value of a sort as that language writes it."""

    def part_text(self, sort: RecordSort, name: str) -> str:
        """Return how a record's field is selected, after the text of the record."""
        return f".{name}"

    def set_text(self, sort: Sort) -> str:
        """Return what the set of a sort's values is called."""
        return show_sort(sort)

    def is_listed(self, sort: Sort) -> bool:
        """Tell whether numbers in values of a sort are places in a list of other values."""
        return False

    @abstractmethod
    def step_text(self, action: str, arguments: Mapping[str, Any]) -> str:
        """Return a step as the checker of that language names it, with its place in the text."""

    @abstractmethod
    def formula_text(self, formula: Term) -> str:
        """Return a formula over the model's variables as that language writes it."""

    @property
    def names(self) -> frozenset[str]:
        """The names that have a meaning in the text already: a lemma needs another."""
        return frozenset()

    def configured(self, stated: Property) -> tuple[str, ...]:
        """Return the values that a lemma names and the text does not: its configuration does."""
        return ()

    @abstractmethod
    def lemma_text(self, stated: Property) -> list[str]:
        """Return the lines to add to the text for a lemma to be offered to `bmc prove`."""

    @abstractmethod
    def notes(self, asked: Container[str] = ()) -> tuple[str, ...]:
        """Return what has to be said with an answer about the temporal claims that were asked for.

        That is what of the text the answer is not about.
        """

    def bounds(self) -> tuple[str, ...]:
        """Return a line for each bound of the model: how far something goes, and who says so."""
        return ()

    def widened(self, states: Sequence[Mapping[str, Any]]) -> Suite | None:
        """Return the suite with larger bounds, where a step out of the last state leaves them.

        None where no bound was guessed, or none of them is larger then.
        """
        return None

    def smaller(self) -> Suite | None:
        """Return the suite with each set of interchangeable members one smaller.

        None where there is no such set of three or more, or nothing is said at that size.
        """
        return None

    @property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """The paths that the bounds have been made larger by, each by the numbers of its steps.

        They are what else than the text the bounds depend on: see `along`.
        """
        return ()

    def along(self, paths: Sequence[Sequence[int]]) -> Suite | None:
        """Return the suite with bounds made larger by these paths; None where they are no paths."""
        return None

    def stuck(self, state: Mapping[str, Any]) -> str | None:
        """Return what the text says of no step out of a state, with its place.

        None where all the steps have a value: then it is the model that has no room for one.
        """
        return None

    def require_starts(self) -> None:
        """Raise ClaimUndefined, with the place, where the text has no value in an initial state."""
        return

    @abstractmethod
    def digest(self) -> str:
        """Return a digest of what the text says, which no later version of bmc changes."""

    @abstractmethod
    def files(self) -> tuple[Path, ...]:
        """Return the files that the text stands in."""

    @abstractmethod
    def compare(self, seconds: float, states: int | None = None, behaviours: bool = False) -> str:
        """Return how far text and model were compared within so much processor time.

        It may end once that was done at so many ``states``, of which several have a step of each
        action. With ``behaviours`` what temporal claims and fairness are made of is compared as
        well. Raises whatever says that they differ: then there is no verdict. Claims that the text
        gives no value at some state are in :attr:`without_value` then.
        """

    @abstractmethod
    def compare_at(
        self, states: Sequence[Mapping[str, Any]], seconds: float, behaviours: bool = False
    ) -> None:
        """Compare text and model at these states, as many as so much processor time allows.

        ``behaviours`` and what is raised are those of :meth:`compare`.
        """

    @property
    def without_value(self) -> Mapping[str, str]:
        """The claims that a comparison met a state for where the text gives them no value.

        Each has the place and the reason. Nothing is proved of them, whatever the model says.
        """
        return {}

    def unvalued(self, states: Sequence[Mapping[str, Any]], seconds: float) -> str | None:
        """Return what of behaviours the text gives no value in these states or of a step from them.

        That is the place and the reason of the first such formula; None where it finds none in so
        much processor time.
        """
        return None

    @abstractmethod
    def replay(self, actions: Sequence[str | None], states: Sequence[Mapping[str, Any]]) -> None:
        """Take a trace's steps on the text; raise if it does not allow one of them."""

    @abstractmethod
    def refute(self, name: str, states: Sequence[Mapping[str, Any]]) -> None:
        """Look at a trace's end in the text; raise unless the claim of that name is false there.

        ClaimUndefined where the text gives it no value there.
        """

    def quoted(self, name: str, states: Sequence[Mapping[str, Any]]) -> Quotation | None:
        """Return what of the claim of that name is false at a trace's end, as the text has it."""
        return None

    @abstractmethod
    def replay_lasso(
        self,
        actions: Sequence[str | None],
        states: Sequence[Mapping[str, Any]],
        loop: int,
        closing: str | None,
    ) -> None:
        """Take a lasso's steps on the text; raise if it does not allow one of them.

        ClaimUndefined where the text gives what behaviours are described by no value there.
        ``loop`` is the number of the state to which the step ``closing`` returns; None where the
        behaviour stays in its last state for ever.
        """


class NoFreeParameters(BmcError):
    """A proof for all parameter values is asked for where every constant has its value."""


@dataclass(frozen=True)
class Suite(ByParts):
    """A protocol, its properties and lemmas, and the history its lemmas speak of.

    ``refuted`` names published claims that are false, each with the reason in a line; they
    stay listed and can be checked, and are left out of what ``prove`` proves by default.
    ``explained`` says of actions and witnesses why they are not reached; it is a claim as well,
    which ``cover`` finds false as soon as one is. ``aliases`` are further names of the catalogue.
    ``temporal`` are claims about whole behaviours, each of a specification: one of
    ``specifications``, or ``Spec``, whose fairness stands with the actions; ``rankings`` say why
    some of them hold. ``origin`` is the text that the protocol was translated from, None for one
    that was written in Python. ``counted`` says of a state whether an exploration counts it, None
    if it counts them all. ``carried`` names the lemmas that no file of the protocol states: whoever
    proves with them hands them on.
    ``parts`` are claims that are decided part by part, with the parts' names, and ``unjudged``
    those that nothing decides, each with the reason. ``goes_on`` says of a state that it is no
    deadlock, None where that a step of the model follows says it. ``refused`` is said with every
    answer about all claims: why some of ``unjudged`` are not judged, where an answer owes them.
    ``notes`` say of which executions every answer speaks, beyond what parameters say.
    """

    name: str
    protocol: type[Protocol]
    about: str
    properties: tuple[PropertyDeclaration, ...]
    lemmas: tuple[PropertyDeclaration, ...] = ()
    history: type[History] | None = None
    refuted: Mapping[str, str] = field(default_factory=dict)
    explained: Mapping[str, Unreached] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    temporal: tuple[TemporalDeclaration, ...] = ()
    specifications: tuple[Specification, ...] = ()
    origin: Origin | None = None
    counted: Term | None = None
    carried: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rankings: tuple[RankingDeclaration, ...] = ()
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unjudged: Mapping[str, str] = field(default_factory=dict)
    goes_on: Term | None = None
    refused: tuple[BmcError, ...] = ()

    def __post_init__(self) -> None:
        require_classes(self.name, self.protocol, self.history)
        require_of_kind(self.name, "origin", self.origin, Origin | None)
        require_of_kind(self.name, "explained", self.explained, Mapping)
        require_of_kind(self.name, "parts", self.parts, Mapping)
        for part in LISTS:
            members = listed(self.name, part, getattr(self, part))
            object.__setattr__(self, part, members)
        for said in ("counted", "goes_on"):
            formula = formula_given(f"{said} of {self.name}", getattr(self, said))
            object.__setattr__(self, said, formula)
        stated: list[PropertyDeclaration | TemporalDeclaration | RankingDeclaration] = [
            *self.properties,
            *self.lemmas,
            *self.temporal,
            *self.rankings,
        ]
        names = [*(d.name for d in stated), *self.parts, *self.unjudged]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            self._refuse_twice(twice[0], [d for d in stated if d.name == twice[0]])
        require_reasons(f"{self.name} refutes", self.refuted)
        require_reasons(f"{self.name} leaves unjudged", self.unjudged)
        require_stated(f"{self.name} refutes", self.refuted, names)
        for whole, parts in self.parts.items():
            require_stated(f"{self.name} decides {whole} by", parts, names)
        require_stated(f"{self.name} carries", self.carried, [d.name for d in self.lemmas])
        if self.origin is None:
            claims = (PropertyDeclaration, TemporalDeclaration)
            declared = [n for kind in claims for n in declared_in(self.protocol, kind)]
            require_no_slip(f"{self.name} leaves unjudged", self.unjudged, declared)
        for ranking in self.rankings:
            if not self.is_temporal(ranking.claim):
                known = [d.name for d in self.temporal]
                source = Source.of(ranking.function)
                with placed(source.file, source.line):
                    raise LanguageError(
                        f"{self.name}: {ranking.name} proves {ranking.claim}, which is no temporal "
                        f"claim: {suggest(ranking.claim, known)}"
                    )
        self._check_explanations()

    def _refuse_twice(
        self,
        name: str,
        stated: Sequence[PropertyDeclaration | TemporalDeclaration | RankingDeclaration],
    ) -> NoReturn:
        error = LanguageError(
            f"{self.name} states {name} twice: rename one of them, or leave out what is a second "
            f'name of it; where a function makes both, {name}.__name__ = "..." before the '
            "decorator is called"
        )
        # The functions of a translated text are none of its own.
        if stated and self.origin is None:
            source = Source.of(stated[-1].function)
            error.place = (source.file, source.line)
        raise error

    @property
    def monotone(self) -> frozenset[str]:
        """The parameters at whose larger values the same is violated, as the protocol declares."""
        return frozenset(p.name for p in parameters_of(self.protocol) if p.monotone)

    def _check_explanations(self) -> None:
        if not self.explained:
            return
        reached = {d.name for d in self.declared(Kind.WITNESS)}
        reached.update(action.name for action in self.protocol.Next)
        known = {p.name for p in parameters_of(self.protocol)}
        for name, unreached in self.explained.items():
            if name not in reached:
                raise LanguageError(
                    f"{self.name} explains {name}, which is neither an action nor a witness of "
                    f"its: {suggest(name, reached)}"
                )
            if not isinstance(unreached, Unreached):
                raise LanguageError(
                    f'{self.name} explains {name} by {shown(unreached)}: write Unreached("why")'
                )
            for parameter in unreached.at_most:
                if parameter not in known:
                    raise LanguageError(
                        f"{self.name} explains {name} by a parameter {parameter!r}, which it has "
                        f"not: {suggest(parameter, known)}"
                    )

    def unreached(self, parameters: Mapping[str, int]) -> dict[str, str]:
        """The actions and witnesses that are not reached at these parameters, and why."""
        return {n: u.reason for n, u in self.explained.items() if u.applies(parameters)}

    def __reduce__(self) -> NoReturn:
        """Raise LanguageError: pickle finds something within, and names that alone."""
        raise LanguageError(
            "a suite, and a task that has one, stay in their process: send the protocol's name and "
            "parameters, and let what is called there ask, as in `def ask(name): return "
            "prove(name).results`"
        )

    @staticmethod
    def of(protocol: type[Protocol], name: str) -> Suite:
        """The suite of a class that carries its properties as decorated methods."""
        declared = declared_in(protocol, PropertyDeclaration)
        temporal = tuple(declared_in(protocol, TemporalDeclaration).values())
        lemmas = tuple(d for d in declared.values() if d.kind is Kind.LEMMA)
        others = tuple(d for d in declared.values() if d.kind is not Kind.LEMMA)
        about = (protocol.__doc__ or "").strip()
        named = tuple(declared_in(protocol, Specification).values())
        rankings = tuple(declared_in(protocol, RankingDeclaration).values())
        return Suite(
            name,
            protocol,
            about,
            others,
            lemmas,
            temporal=temporal,
            specifications=named,
            rankings=rankings,
        )

    def model(self, ghosts: bool) -> Model:
        """The model, with the history's ghosts or as the specification has it."""
        return self._read(self.history if ghosts else None)

    def _read(self, history: type[History] | None) -> Model:
        if history not in self._models:
            # Never a suite's own :meth:`model`, which may be another one than the text's.
            plain = None if history is None else self._read(None)
            self._models[history] = model_of(self.protocol, history, self.name, plain)
        return self._models[history]

    @cached_property
    def _models(self) -> dict[type[History] | None, Model]:
        """What was read of the protocol's text, by history: it is read once a suite."""
        return {}

    @cached_property
    def _described(
        self,
    ) -> dict[tuple[int, int], tuple[PropertyDeclaration, Mapping[str, Sort], Property]]:
        """What was read of the properties' texts, by the numbers of declaration and variables.

        Both are held, so that their numbers are not given to others.
        """
        return {}

    def declared(self, *kinds: Kind) -> tuple[PropertyDeclaration, ...]:
        """The properties of the given kinds, in order of declaration."""
        return tuple(d for d in (*self.properties, *self.lemmas) if d.kind in kinds)

    def require_free(self) -> None:
        """Raise NoFreeParameters where nothing is left that "all parameter values" could mean.

        A text is a model at the constants of its configuration, and of others nothing is said.
        """
        if self.origin is not None:
            raise NoFreeParameters(
                f"{self.name} is a specification at the constants of its configuration, and a "
                "proof of it says nothing of other values: leave --all-parameters out, and ask at "
                "several constants with `bmc sweep`"
            )

    def find(self, name: str) -> PropertyDeclaration:
        """A property or lemma by name; UnknownName with the nearest names otherwise.

        NO_DEADLOCK and DEADLOCK are there for every protocol; a text may have its own.
        """
        for declared in (*self.properties, *self.lemmas):
            if declared.name == name:
                return declared
        if name in (NO_DEADLOCK, DEADLOCK):
            claim, witness = deadlock_properties(
                self.protocol, self.model(ghosts=False), self.goes_on
            )
            return claim if name == NO_DEADLOCK else witness
        if name in self.parts:
            raise UnknownName(
                f"{name} of {self.name} is decided part by part: ask for "
                f"{', '.join(self.parts[name])}"
            )
        if name in self.unjudged:
            raise UnknownName(f"{name} of {self.name} is NOT checked: {self.unjudged[name]}")
        if self.is_temporal(name):
            raise UnknownName(
                f"{name} of {self.name} is a claim about whole behaviours, and this asks about "
                f"states and steps: `bmc prove {self.name} -P {name}` decides it, and from Python "
                f"prove(…, {name!r}) without a task"
            )
        known = [d.name for d in (*self.properties, *self.lemmas)] + [d.name for d in self.temporal]
        raise UnknownName(f"{self.name} has no property {name!r}: {suggest(name, known)}")

    def is_temporal(self, name: str) -> bool:
        """Whether a name is that of a temporal claim."""
        return any(declared.name == name for declared in self.temporal)

    def describe_temporal(self, name: str, model: Model) -> TemporalProperty:
        """Return a temporal claim over the variables of this suite's model; UnknownName if none."""
        for declared in self.temporal:
            if declared.name == name:
                with ghosts_told(self.history):
                    return declared.describe(self.protocol(), model.variables)
        known = [d.name for d in self.temporal]
        raise UnknownName(f"{self.name} has no temporal claim {name!r}: {suggest(name, known)}")

    def rankings_of(self, claim: str) -> tuple[str, ...]:
        """Return the names of the rankings that say why a temporal claim holds."""
        return tuple(declared.name for declared in self.rankings if declared.claim == claim)

    def describe_ranking(self, name: str, claim: str, model: Model) -> Ranking:
        """Return a ranking of a temporal claim over the variables of this suite's model.

        Raises UnknownName where the claim has no ranking of that name.
        """
        for declared in self.rankings:
            if (declared.name, declared.claim) == (name, claim):
                stated = self.describe_temporal(claim, model)
                with ghosts_told(self.history):
                    return declared.describe(self.protocol(), model.variables, stated)
        known = self.rankings_of(claim)
        raise UnknownName(f"{claim} has no ranking {name!r}: {suggest(name, known)}")

    def specification(self, name: str, model: Model) -> Specification:
        """Return the specification of that name, checked against the model.

        Raises UnknownName, and LanguageError where it is fair to what the model does not have.
        """
        known = specifications(model, self.specifications)
        if name not in known:
            raise UnknownName(f"{self.name} has no specification {name!r}: {suggest(name, known)}")
        known[name].check(model)
        return known[name]

    def describe(self, declared: PropertyDeclaration, model: Model) -> Property:
        """A property over the variables of this suite's model."""
        variables = model.variables
        key = (id(declared), id(variables))
        if key not in self._described:
            stated = declared.describe(self.protocol(), variables)
            # A model with a fault in it is made anew each time, and has the variables of the other.
            if not any(variables is known.variables for known in self._models.values()):
                return stated
            self._described[key] = (declared, variables, stated)
        return self._described[key][2]
