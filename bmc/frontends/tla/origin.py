"""What a specification's text has to say to its translation: words, comparison and replay."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from bmc.lang.errors import BmcError
from bmc.lang.properties import Kind
from bmc.lang.quotation import Quotation
from bmc.lang.ready import ReadySuite
from bmc.lang.suite import Suite

from .agreement import (
    Compared,
    Disagreement,
    Enough,
    compare_at,
    compare_walks,
    replay,
    why_unvalued,
)
from .anywhere import steps_unlike, unlike
from .assumptions import require_assumptions
from .bounds import bound_lines
from .digest import digest
from .errors import Span, TlaError, TlaUndefined, TlaWithoutValue
from .gathering import beyond
from .oracle.machine import Machine, State
from .oracle.paths import numbers_of, states_at
from .oracle.search import DEADLOCK, Search
from .quoting import quotation
from .samples import Samples
from .specification import Specification, with_fewer, without_claims
from .translate.model import Translation, translate
from .translated_model import TranslatedModel
from .translated_model import told as told_in
from .undefined import judged, require_starts
from .unused import unused
from .worded import Worded

ANYWHERE = 0.25
"""How long states that nobody need reach are looked at, for each second of walks."""


class Text(Worded):
    """The text of a specification and its translation."""

    first_position = 1
    fairness_advice = r"State it in a SPECIFICATION: Init /\ [][Next]_vars /\ WF_vars(Next), say."

    def __init__(
        self,
        specification: Specification,
        translation: Translation,
        samples: Samples,
        names: tuple[str, str],
        unevaluated: tuple[str, ...],
        paths: tuple[tuple[int, ...], ...],
    ) -> None:
        self.specification = specification
        self._unevaluated = unevaluated
        self.translation = translation
        self._samples = samples
        self._names = names
        self._paths = paths
        self._models: dict[bool, TranslatedModel] = {}
        self._compared: Compared | None = None
        self._met: dict[State, None] = {}
        self._without_value: dict[str, str] = {}

    @staticmethod
    def translated(
        name: str,
        file: str,
        specification: Specification,
        samples: Samples,
        paths: tuple[tuple[int, ...], ...] = (),
        before: Translation | None = None,
    ) -> ReadySuite:
        """Return the suite of a specification, its bounds guessed from samples.

        ``before`` is the translation from which ``paths`` lead to more of them. Raises TlaError.
        """
        unevaluated = require_assumptions(specification)
        translation = translate(specification, samples=samples, before=before)
        refused = translation.refused
        why = {name: f"{error.span}: {error.message}" for name, error in refused.items()}
        return ReadySuite.made(
            name,
            f"module {specification.module} of {file}",
            translation.model,
            translation.properties,
            Text(specification, translation, samples, (name, file), unevaluated, paths),
            translation.inside,
            translation.temporal,
            translation.specifications,
            parts=translation.parts,
            unjudged={**translation.unchecked, **why},
            goes_on=translation.goes_on,
            refused=refused.values(),
        )

    def widened(self, states: Sequence[Mapping[str, Any]]) -> Suite | None:
        """Translate anew with room for the steps out of a path's last state."""
        told = [told_in(self.translation, state) for state in states]
        machine = self._machine()
        try:
            with machine.limited(None):
                path = numbers_of(machine, told)
            suite = self._with_room(machine, told, path)
        except (TlaError, ValueError):
            return None
        return None if suite.given.variables == self.translation.model.variables else suite

    def _with_room(
        self, machine: Machine, states: Sequence[State], path: tuple[int, ...]
    ) -> ReadySuite:
        with machine.limited(None):
            after = machine.successors(states[-1])
        met = beyond(self._samples, self.translation, states[-1], after)
        samples = self._samples.and_more([*states, *after, *met])
        paths = (*self._paths, path)
        return Text.translated(*self._names, self.specification, samples, paths, self.translation)

    def smaller(self) -> Suite | None:
        """Translate anew with one model value less in each set of interchangeable ones."""
        names = {sort.name for sort in self.translation.layout.scalarsets}
        fewer = with_fewer(self.specification, names)
        if fewer is None:
            return None
        try:
            return Text.translated(*self._names, fewer, Samples(fewer))
        except BmcError:
            return None

    @property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """The paths that the bounds have been made larger by, each by the numbers of its steps."""
        return self._paths

    def along(self, paths: Sequence[Sequence[int]]) -> Suite | None:
        """Return the suite with bounds made larger by these paths; None where they are no paths."""
        text, suite = self, None
        for path in paths:
            machine = text._machine()
            try:
                with machine.limited(None):
                    states = states_at(machine, path)
                suite = text._with_room(machine, states, tuple(path))
            except (TlaError, IndexError):
                return None
            assert isinstance(suite.origin, Text)
            text = suite.origin
        return suite

    def stuck(self, state: Mapping[str, Any]) -> str | None:
        """Return TLC's error where a constraint or the next-state relation has no value in a state.

        So it is where a constraint has none of a step out of the state, or of where that leads.
        """
        search, told = self._text(), told_in(self.translation, state)
        try:
            with search.machine.limited(None):
                search.steps(told)
                search.successors(told)
        except TlaError as error:
            return _told_of(error)
        return None

    def require_starts(self) -> None:
        """Raise TlaUndefined where the text has no value in an initial state."""
        require_starts(self._machine())

    def bounds(self) -> tuple[str, ...]:
        """Return where each bound of the model comes from."""
        return tuple(bound_lines(self.specification, self.translation))

    def notes(self, asked: Container[str] = ()) -> tuple[str, ...]:
        """Return what is not checked, what is ignored, and how much was compared."""
        specification = self.specification
        found = [
            f"{name} ({why}) is a temporal property: it is NOT checked"
            for name, why in self.translation.unchecked.items()
        ]
        found += [
            f"{name} is NOT checked: {error.span}: {error.message}"
            for name, error in self.translation.refused.items()
        ]
        found += [
            f"{one.name} is a temporal property: it is NOT checked unless --property {one.name} "
            "asks for it"
            for one in self.translation.temporal
            if one.name not in asked
        ]
        found += [*self._unevaluated, *self.translation.warnings]
        found += [*specification.edited, *unused(specification)]
        if self._compared is not None:
            found.append(f"{self._compared}{self._never_taken(self._compared)}")
        return tuple(found)

    def _never_taken(self, compared: Compared) -> str:
        """Return which actions the comparison has no step of, unless it has met all states."""
        names = sorted(set(self.translation.actions.values()) - compared.taken)
        if not names or compared.complete:
            return ""
        return f", where no step is one of {', '.join(names)}"

    def digest(self) -> str:
        """Return the digest of the text at its configuration."""
        return digest(self.specification)

    def files(self) -> tuple[Path, ...]:
        """Return the files of the specification's own modules, and its configuration."""
        return tuple(Path(file) for file in self.specification.files)

    def _model(self, behaviours: bool) -> TranslatedModel:
        if behaviours not in self._models:
            self._models[behaviours] = TranslatedModel(self.translation, behaviours)
        return self._models[behaviours]

    @cached_property
    def _judged(self) -> Specification:
        """The text without the claims that cannot be translated: the model says nothing of them."""
        return without_claims(self.specification, self.translation.refused)

    def _text(self) -> Search:
        return Search(self._machine())

    def _machine(self) -> Machine:
        """The text, anew: a limit may have left an evaluation of it in the middle."""
        return Machine(self._judged, folded=self._samples.folded)

    def compare(self, seconds: float, states: int | None = None, behaviours: bool = False) -> str:
        """Compare along random walks; see `agreement`. Raises Disagreement.

        With ``behaviours`` what temporal claims and fairness are made of is compared as well.
        """
        self._met.clear()
        model = self._model(behaviours)
        enough = None if states is None else Enough(states, {*self.translation.actions.values()})
        found = compare_walks(self._text(), model, seconds, met=self._met, enough=enough)
        self._learn(found)
        if not found.complete:
            self._learn_anywhere(model, seconds * ANYWHERE)
        self._compared = found
        return str(found)

    def compare_at(
        self, states: Sequence[Mapping[str, Any]], seconds: float, behaviours: bool = False
    ) -> None:
        """Compare at these states within so much processor time. Raises Disagreement."""
        found = compare_at(self._text(), self._model(behaviours), self._new(states), seconds)
        self._learn(found)
        self._compared = found if self._compared is None else self._compared.and_also(found)

    def unvalued(self, states: Sequence[Mapping[str, Any]], seconds: float) -> str | None:
        """Return the place and the reason of a formula of behaviours that has no value there.

        It is one that has none by the translation either.
        """
        model = self._model(behaviours=True)
        told = [told_in(self.translation, state) for state in states]
        error = why_unvalued(self._text(), model, told, seconds)
        return None if error is None else _told_of(error)

    def _learn(self, compared: Compared) -> None:
        """Remember which claims have no value somewhere: a formula of behaviours may be of each."""
        whole = self.translation.whole
        for one in self.translation.properties:
            if (error := compared.failing.get(whole(one.name))) is not None:
                self._without_value[one.name] = _told_of(error)
        if compared.unvalued is not None:
            for claim in self.translation.temporal:
                self._without_value[claim.name] = _told_of(compared.unvalued)

    def _learn_anywhere(self, model: TranslatedModel, seconds: float) -> None:
        """Remember which claims the translation alone has true, be it where nothing leads to.

        What it alone says of steps is of each claim.
        """
        met, each = list(self._met), seconds / 2
        found = unlike(self._text(), model, met, each)
        of_steps = steps_unlike(self._text(), model, met, each)
        judged = [one.name for one in self.translation.properties]
        judged += [one.name for one in self.translation.temporal]
        for name in judged:
            if (why := found.get(self.translation.whole(name), of_steps)) is not None:
                self._without_value.setdefault(name, why)

    @property
    def without_value(self) -> Mapping[str, str]:
        """The claims that have no value at a compared state, with the place and the reason.

        Those that the translation alone has true in a state, reachable or not, are among them.
        """
        return self._without_value

    def _new(self, states: Iterable[Mapping[str, Any]]) -> Iterator[State]:
        """Yield those of the model's states that nothing was compared at, in the text's values."""
        for state in states:
            told = told_in(self.translation, state)
            if told not in self._met:
                self._met[told] = None
                yield told

    def replay(self, actions: Sequence[str | None], states: Sequence[Mapping[str, Any]]) -> None:
        """Take a trace's steps on the text. Raises Disagreement."""
        told = [told_in(self.translation, state) for state in states]
        named = [None if a is None else self.translation.actions.get(a) for a in actions]
        search = Search(self._machine())
        with search.machine.limited(None):
            replay(search, named, told)

    def refute(self, name: str, states: Sequence[Mapping[str, Any]]) -> None:
        """Evaluate a claim where a trace says that it is false.

        Raises Disagreement where the text says that it is true, TlaUndefined, with the place,
        where the claim has no value there, and TlaWithoutValue where its translation has none: then
        nothing is violated.
        """
        stated = {one.name: one for one in self.translation.properties}.get(name)
        if stated is None:
            return  # WithinBounds, which is none of the text's.
        told = [told_in(self.translation, state) for state in states[-2:]]
        search, whole = self._text(), self.translation.whole(name)
        lemma = {one.name: one.expression for one in self.specification.lemmas}.get(name)
        with judged(search.machine):
            if lemma is not None:
                denied = not search.machine.holds(lemma, told[-1])
            elif stated.kind is Kind.STEP_INVARIANT:
                # Another claim, or a step, may have no value there: that takes nothing from it.
                denied = search.denies_step(whole, told[0], told[-1])
            else:
                denied = search.denies(whole, told[-1])
        if denied:
            return
        if not TranslatedModel(self.translation).has_value(stated, told[0], told[-1]):
            raise TlaWithoutValue(
                self._place(name),
                f"{name} is true at a trace's end, and its translation has no value there",
                "write CHECK_DEADLOCK FALSE to leave it out"
                if name == DEADLOCK
                else "say of each CHOOSE from a large set which one member it takes, ask for "
                "i \\in DOMAIN f before f[i], and let each recursion end after as many calls as "
                "its arguments have values",
            )
        raise Disagreement(f"{name} is false only for the translation at the trace's end")

    def _place(self, name: str) -> Span:
        """Return where the claim of the text is that a property states, or is a conjunct of.

        That a step is possible is said where the steps are.
        """
        named = self.specification
        if name == DEADLOCK and named.next is not None:
            return named.next.span
        claims = (*named.invariants, *named.properties, *named.lemmas)
        places = {one.name: one.expression.span for one in claims}
        return places[self.translation.whole(name)]

    def quoted(self, name: str, states: Sequence[Mapping[str, Any]]) -> Quotation | None:
        """Return the conjunct that is false at a trace's end, with the values that it reads."""
        told = [told_in(self.translation, state) for state in states[-2:]]
        return quotation(self.specification, self.translation.whole(name), told[0], told[-1])

    def replay_lasso(
        self,
        actions: Sequence[str | None],
        states: Sequence[Mapping[str, Any]],
        loop: int,
        closing: str | None,
    ) -> None:
        """Take a lasso's steps on the text, the one that closes it too. Raises Disagreement.

        In each of its states the text and the model have the same steps, and what claims and
        fairness are made of has the same value.
        """
        end = [] if closing is None else [states[loop]]
        self.replay([*actions, *([closing] if end else [])], [*states, *end])
        told = [told_in(self.translation, state) for state in states]
        found = compare_at(self._text(), self._model(behaviours=True), told)
        if (error := found.unvalued) is not None:
            raise TlaUndefined(error.span, error.message, error.hint) from error


def _told_of(error: TlaError) -> str:
    return f"{error.span}: {error.message}; {error.hint}".removesuffix("; ")
