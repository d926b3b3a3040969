"""What a command is asked to do, read from its words: protocol, parameters, properties."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from bmc.cli.shared import catalogue, specifications
from bmc.lang.deadlock import NO_DEADLOCK
from bmc.lang.errors import BmcError, ParameterError, UnknownName
from bmc.lang.named import require_names
from bmc.lang.properties import Kind
from bmc.lang.protocol import parameter_values
from bmc.lang.suite import Suite
from bmc.layout.affordable import require_affordable
from bmc.running.interruption import interrupted

_SMALL = 1_000
"""No parameter up to this makes the mere names of a protocol's values too many."""

_LEAST_SECONDS = 0.05

CLAIMS = (Kind.INVARIANT, Kind.STEP_INVARIANT)


class NothingAsked(BmcError):
    """There is no property to decide, or one that the command cannot decide."""


@dataclass(frozen=True)
class Request:
    """A suite at parameter values, under the name it was asked for by.

    ``spent`` is how many seconds it took to read: a user's file is run, a specification translated.
    """

    name: str
    suite: Suite
    parameters: dict[str, int]
    spent: float = 0.0

    @staticmethod
    def of(
        name: str,
        parameters: Iterable[str] | None,
        timeout: float | None = None,
        memory: int | None = None,
        partly: bool = False,
    ) -> Request:
        """Look the protocol up and check the parameters.

        A file is run, and a specification translated, within ``timeout`` seconds; a specification
        within ``memory`` megabytes as well, and ``partly`` where the answer says of which claims.
        Raises OptionError, UnknownName, UserModelError, ParameterError, TooLarge or LimitMet.
        """
        from bmc.engines.task import require_memory, require_seconds

        require_seconds(timeout)
        require_memory(memory)
        given = read_parameters(parameters or ())
        start = monotonic()
        if specifications.names_a_specification(name):
            # Its constants are in its name: the model is another one at other constants.
            with interrupted(f"what {name} means", timeout, memory):
                suite = catalogue.find(specifications.at(name, given), partly)
            return Request(suite.name, suite, {}, monotonic() - start)
        with interrupted(f"what {name} means", timeout):
            suite = catalogue.find(name)
        values = parameter_values(suite.protocol, given, name)
        if max(values.values(), default=0) > _SMALL:
            # Names and values are listed before a system is built, which looks at its size itself.
            require_affordable(suite.model(False), values)
        return Request(name, suite, values, monotonic() - start)

    def no_deadlock(self) -> str:
        """Return the name of the claim that there is no deadlock.

        Raises UnknownName where a text gives that name to a claim of its own.
        """
        stated = [one.name for one in (*self.suite.properties, *self.suite.lemmas)]
        if NO_DEADLOCK in [*stated, *(one.name for one in self.suite.temporal)]:
            raise UnknownName(
                f"{self.name} has a {NO_DEADLOCK} of its own, so that no other one can be asked: "
                "rename it, or leave --deadlock out"
            )
        return NO_DEADLOCK

    def claims(
        self, chosen: Sequence[str] | None, everything: bool, deadlock: bool = False
    ) -> tuple[str, ...]:
        """The properties to decide: those chosen, or the claims (refuted ones with ``everything``).

        That there is no ``deadlock`` may be one more. Raises UnknownName, and NothingAsked when
        there is none or one is a witness.
        """
        if deadlock:
            try:
                others = self.claims(chosen, everything)
            except NothingAsked:
                if chosen:
                    raise
                others = ()
            return tuple(dict.fromkeys((*others, self.no_deadlock())))
        if chosen:
            chosen = self.meant(chosen)
            self.refuse_temporal(chosen)
            for name in chosen:
                if self.suite.find(name).kind is Kind.WITNESS:
                    raise NothingAsked(
                        f"{name} is a witness, a state that must be reachable: "
                        f"`bmc explore {self.name} --property {name}` looks for it"
                    )
            return chosen
        stated = [d.name for d in self.suite.declared(*CLAIMS)]
        found = [n for n in stated if everything or n not in self.suite.refuted]
        if not found:
            raise NothingAsked(f"{self.name} states no invariant: {self._remedy()}")
        return tuple(found)

    def meant(self, names: Sequence[str] | None) -> tuple[str, ...]:
        """Return the properties that names on the command line stand for: all parts of a claim.

        Raises UnknownName for a part that nothing decides, which leaves the whole undecided, and
        for what is no name.
        """
        require_names(names or ())
        whole = self.suite.parts
        found = tuple(dict.fromkeys(p for name in names or () for p in whole.get(name, (name,))))
        for name in found:
            if name in self.suite.unjudged:
                self.suite.find(name)
        return found

    def decidable(
        self, names: Sequence[str] | None
    ) -> tuple[tuple[str, ...], tuple[BmcError, ...]]:
        """Return what names stand for, as far as it is decided, and the refusals of the others.

        Without names everything is asked for. Raises UnknownName where nothing is left of them.
        """
        if not names:
            return (), self.suite.refused
        found: list[str] = []
        refused: list[BmcError] = []
        for name in (part for whole in names for part in self.suite.parts.get(whole, (whole,))):
            try:
                found += self.meant([name])
            except UnknownName as error:
                refused.append(error)
        if refused and not found:
            raise refused[0]
        return tuple(dict.fromkeys(found)), tuple(refused)

    def refuse_temporal(self, names: Iterable[str], symmetry: bool = False) -> None:
        """Raise NothingAsked for a temporal claim: what is asked for looks at states.

        With ``symmetry`` states that differ in names are one, and so would be who waits and who is
        served, of whom fairness and the claim speak one by one.
        """
        for name in filter(self.suite.is_temporal, names):
            why = ", which --symmetry does not keep apart" if symmetry else ""
            raise NothingAsked(
                f"{name} is a claim about whole behaviours{why}: "
                f"`bmc prove {self.name} --property {name}` decides it"
            )

    def _remedy(self) -> str:
        if not self.suite.temporal:
            return "declare one with @invariant(...), or name a lemma with --property"
        asked = " ".join(f"-P {one.name}" for one in self.suite.temporal)
        return f"`bmc prove {self.name} {asked}` decides its temporal claims"

    def plain_claims(self) -> tuple[str, ...]:
        """Return the claims that are not known to be refuted and do not speak of history."""
        stated = [d.name for d in self.suite.declared(*CLAIMS)]
        _, plain = self.explorable([name for name in stated if name not in self.suite.refuted])
        return plain

    def explorable(self, names: Sequence[str]) -> tuple[Request, tuple[str, ...]]:
        """Return the names without those of what speaks of history, and this request noting these.

        States and counts of an exploration are those of the specification, which has no history.
        """
        from bmc.engines.stated import of_history
        from bmc.engines.task import Task

        historic = of_history(Task(self.suite, self.parameters, tuple(names)))
        witnesses = {d.name for d in self.suite.declared(Kind.WITNESS)}
        left_out = [name for name in names if name in historic]
        said = "of history, which an exploration leaves out, so not asked"
        notes = [
            f"{said}: {', '.join(those)}; {who}"
            for those, who in (
                (
                    [n for n in left_out if n not in witnesses],
                    f"`bmc prove {self.name}` decides them",
                ),
                (
                    [n for n in left_out if n in witnesses],
                    "`bmc regress` looks for them to a depth",
                ),
            )
            if those
        ]
        suite = replace(self.suite, notes=(*self.suite.notes, *notes))
        return replace(self, suite=suite), tuple(name for name in names if name not in historic)

    def left(self, timeout: float | None) -> float | None:
        """Return the seconds of a timeout that the reading has left; a few hundredths at least.

        None, and what is no timeout, stay what they are.
        """
        if timeout is None or timeout <= 0:
            return timeout
        return max(timeout - self.spent, min(timeout, _LEAST_SECONDS))

    def refuted(self) -> tuple[str, ...]:
        """The published claims that are refuted, in order of declaration."""
        return tuple(d.name for d in self.suite.declared(*CLAIMS) if d.name in self.suite.refuted)


_MOST_DIGITS = 18
"""Of a number that is a machine's word, whatever is done with it next."""


def read_parameters(given: Iterable[str]) -> dict[str, Any]:
    """``name=value`` words as parameters; what is no integer stays a text, for the range check."""
    found: dict[str, Any] = {}
    for word in given:
        name, equals, value = (part.strip() for part in word.partition("="))
        if not name or not equals or not value:
            raise ParameterError(f"{word!r} is not NAME=VALUE: write, for example, -p replicas=3")
        if name in found:
            raise ParameterError(f"{name} is given twice: say it once")
        whole = re.fullmatch(r"[+-]?([0-9]+)", value)
        if whole and len(whole[1]) > _MOST_DIGITS:
            raise ParameterError(
                f"{name} has more digits than bmc reads: write at most {_MOST_DIGITS}"
            )
        found[name] = int(value) if whole else value
    return found
