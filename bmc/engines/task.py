"""What an engine is asked, and whom it tells how far it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from time import monotonic, process_time
from typing import Any, Protocol

from bmc.evidence.lasso import TemporalResult
from bmc.evidence.verdict import Result
from bmc.lang.advice import shown
from bmc.lang.errors import BmcError, suggest
from bmc.lang.model import Model
from bmc.lang.named import require_names
from bmc.lang.properties import Kind, Property, PropertyDeclaration
from bmc.lang.protocol import parameter_values
from bmc.lang.suite import Suite
from bmc.lang.terms import Term, subterms
from bmc.solving.factory import NAMES


class OptionError(BmcError):
    """An option's value is outside what the engine can use."""


class OutOfTime(BmcError):
    """The time limit has passed; what is not decided yet is unknown."""


class Interrupted(KeyboardInterrupt):
    """Somebody's Ctrl-C, with what an engine had ``found`` by then."""

    def __init__(self, found: object) -> None:
        super().__init__()
        self.found = found


class Explores(Enum):
    """When an exploration joins other engines: at once, or when they have had a head start.

    It is the quickest for a small model, but of a proof by induction more can be judged again.
    """

    NEVER = "never"
    AT_LAST = "at last"
    AT_ONCE = "at once"


@dataclass(frozen=True)
class Task:
    """Decide ``properties`` of a suite at given parameters.

    ``depth`` is the greatest induction depth or search depth, in steps; ``timeout`` is in
    seconds for the whole task, None for none; ``lemmas`` allows the suite's strengthening, of
    which ``lemma_groups`` names the groups (None for all); ``solver`` is one of
    :data:`bmc.solving.factory.NAMES`. ``memory`` limits what all engines of the task hold
    together, in megabytes, None for no limit. ``judges`` processes re-check a proof;
    ``explores`` says when an exploration takes part where several engines do; a question from
    Python (:func:`bmc.api.prove`) has it take part at once, whatever its task says.
    Raises ParameterError, UnknownName or OptionError when a value cannot be used.
    """

    suite: Suite
    parameters: Mapping[str, int]
    properties: tuple[str, ...]
    depth: int = 10
    timeout: float | None = None
    lemmas: bool = True
    solver: str = "cadical"
    lemma_groups: tuple[str, ...] | None = None
    memory: int | None = None
    judges: int = 1
    explores: Explores = Explores.NEVER

    def __post_init__(self) -> None:
        _require_suite(self.suite)
        require_values("the parameters of a task are", self.parameters)
        values = parameter_values(self.suite.protocol, self.parameters, self.suite.name)
        object.__setattr__(self, "parameters", values)
        _require_several("the names of its properties", self.properties)
        # What is iterated can be read once, and a list can change: what is looked at here is asked.
        object.__setattr__(self, "properties", tuple(self.properties))
        if self.lemma_groups is not None:
            _require_several("the names of the groups of lemmas it may use", self.lemma_groups)
            object.__setattr__(self, "lemma_groups", tuple(self.lemma_groups))
        require_names(self.properties)
        for name in self.properties:
            self.suite.find(name)
        require_depth(self.depth)
        if not isinstance(self.lemmas, bool):
            raise OptionError(f"lemmas is True or False, you gave {self.lemmas!r}")
        if self.solver not in NAMES:
            raise OptionError(f"there is no solver {self.solver!r}: {suggest(self.solver, NAMES)}")
        groups = list(dict.fromkeys(d.group for d in self.suite.lemmas))
        for group in self.lemma_groups or ():
            if group not in groups:
                known = suggest(group, groups)
                raise OptionError(f"{self.suite.name} has no lemmas of group {group!r}: {known}")
        require_seconds(self.timeout)
        require_memory(self.memory)
        require_whole("the number of judges", self.judges)
        if self.judges < 1:
            raise OptionError(f"a proof needs 1 judge or more, you gave {shown(self.judges)}")
        _require_explores(self.explores)

    def within(self, deadline: Deadline) -> Task:
        """The same task for what is left until a deadline.

        Raises OutOfTime when nothing is left: that is no option that somebody gave.
        """
        left = deadline.remaining()
        if left is not None and left <= 0:
            raise OutOfTime("the time limit has passed")
        return replace(self, timeout=left)

    def model(self, ghosts: bool) -> Model:
        """Return the suite's model; a property that speaks of ghosts brings its history along."""
        return self.suite.model(ghosts or self._claims_speak_of_ghosts())

    def stated(self, model: Model) -> tuple[Property, ...]:
        """The properties to decide, over a model's variables."""
        return tuple(self.suite.describe(self.suite.find(n), model) for n in self.properties)

    def strengthening(self, model: Model) -> tuple[Property, ...]:
        """The suite's lemmas of the allowed groups, or nothing when they are not allowed."""
        return tuple(self.suite.describe(d, model) for d in self._allowed())

    def plain_strengthening(self) -> tuple[Property, ...]:
        """The allowed lemmas that read no ghost, over the specification's own variables."""
        full = self.model(ghosts=True)
        allowed = self.strengthening(full)
        return tuple(lemma for lemma in allowed if not reads(lemma.body, full.ghosts))

    def speaks_of_ghosts(self) -> bool:
        """Whether an allowed lemma reads a ghost, so that the model needs its history."""
        model = self.model(ghosts=True)
        described = self.strengthening(model) if model.ghosts else ()
        return any(reads(stated.body, model.ghosts) for stated in described)

    def _claims_speak_of_ghosts(self) -> bool:
        model = self.suite.model(True)
        stated = self.stated(model) if model.ghosts else ()
        return any(reads(one.body, model.ghosts) for one in stated)

    def _allowed(self) -> list[PropertyDeclaration]:
        if not self.lemmas:
            return []
        groups = self.lemma_groups
        found = self.suite.declared(Kind.LEMMA)
        return [d for d in found if groups is None or d.group in groups]


def reads(term: Term, names: frozenset[str]) -> bool:
    """Whether a term mentions one of these variables, before or after a step."""
    found: Any = (one.data for one in subterms([term]) if one.op == "variable")
    return any(name in names for name, _ in found)


class ReChecking(str):
    """A phase in which a proof is there, and is being re-checked: no time to be disturbed."""

    __slots__ = ()


class Observer(Protocol):
    """Is told what happens, so that a long run is never silent and an interrupted one not lost."""

    def phase(self, text: str) -> None:
        """What is being done now, in a few words."""

    def fact(self, text: str) -> None:
        """Something that is known from now on, worth saying after an interruption."""

    def decided(self, result: Result) -> None:
        """A verdict that will not change any more."""


class Listener(Observer, Protocol):
    """The observer of a question from Python: temporal claims may be asked beside the others."""

    def decided(self, result: Result | TemporalResult) -> None:
        """A verdict that will not change any more."""


class Silent:
    """An observer that listens to nothing."""

    def phase(self, text: str) -> None:
        """Ignore it."""

    def fact(self, text: str) -> None:
        """Ignore it."""

    def decided(self, result: object) -> None:
        """Ignore it."""


SILENT = Silent()


_LONGEST = 2e6
"""Seconds: systems and solvers count what is waited for in milliseconds, in 31 or 32 bits."""
MOST_MEMORY = 10**9
"""Megabytes that a system can still be told as a limit."""


def require_values(said: str, values: object) -> None:
    """Raise OptionError, which begins with what is ``said``, unless values stand under names."""
    if not isinstance(values, Mapping):
        raise OptionError(f'{said} values under names, as in {{"k": 3}}, you gave {shown(values)}')


def _require_suite(suite: object) -> None:
    """Raise OptionError for a protocol, or its name, in place of what is claimed of it."""
    if not isinstance(suite, Suite):
        given = shown(suite)
        raise OptionError(f"a task has a suite, as find(…) gives it of a protocol, not {given}")


def _require_several(said: str, names: object) -> None:
    """Raise OptionError where nothing can hold names, or where one name would be its letters."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise OptionError(f'a task has {said}, as in ("Safe",), you gave {shown(names)}')


def _require_explores(when: object) -> None:
    """Raise OptionError for what is none of the times at which an exploration joins."""
    if not isinstance(when, Explores):
        known = ", ".join(f"Explores.{one.name}" for one in Explores)
        raise OptionError(f"explores is one of {known}, you gave {shown(when)}")


def require_depth(depth: object) -> None:
    """Raise OptionError for a depth that is no number of steps."""
    require_whole("the depth", depth)
    if isinstance(depth, int) and depth < 0:
        raise OptionError(f"the depth must be 0 or more, you gave {shown(depth)}")


def require_whole(what: str, number: object) -> None:
    """Raise OptionError for what is no whole number, as True and 1.5 are not."""
    if isinstance(number, bool) or not isinstance(number, int):
        raise OptionError(f"{what} must be a whole number, you gave {number!r}")


def require_seed(seed: int) -> None:
    """Raise OptionError for a seed that no generator of random numbers takes."""
    if seed < 0:
        raise OptionError(f"the seed must be 0 or more, you gave {shown(seed)}")


def require_seconds(timeout: object) -> None:
    """Raise OptionError for a limit that no time is, or one longer than systems can wait."""
    if timeout is None:
        return
    if isinstance(timeout, bool) or not isinstance(timeout, int | float):
        raise OptionError(f"the timeout must be a number of seconds, you gave {timeout!r}")
    if not 0 < timeout <= _LONGEST:
        given = f"{timeout:g}" if isinstance(timeout, float) else shown(timeout)
        raise OptionError(
            f"the timeout must be positive and two million seconds at most, you gave {given}: "
            "leave it out for none"
        )


def require_memory(megabytes: object) -> None:
    """Raise OptionError for a limit in which nothing has room, or that no system can be told."""
    if megabytes is None:
        return
    require_whole("the memory limit", megabytes)
    if isinstance(megabytes, int) and not 1 <= megabytes <= MOST_MEMORY:
        raise OptionError(
            "the memory limit must be 1 MB or more and a billion MB at most, you gave "
            f"{shown(megabytes)}"
        )


class Deadline:
    """A point in time after which an engine stops; seconds from now, None for never.

    With ``processor`` it stops as well once this process has worked for so many seconds: what a
    busy machine finds by then is what an idle one does.
    """

    def __init__(self, seconds: float | None, processor: float | None = None) -> None:
        self._end = None if seconds is None else monotonic() + seconds
        self._worked = None if processor is None else process_time() + processor

    def remaining(self) -> float | None:
        """Seconds left, never negative; None when there is no limit."""
        return None if self._end is None else max(0.0, self._end - monotonic())

    def extend(self, seconds: float) -> None:
        """Stop so many seconds from now instead."""
        self._end = monotonic() + seconds

    def within(self, processor: float | None) -> Deadline:
        """Return a deadline that passes when this one does, and once this process has worked for
        so many seconds more."""
        found = Deadline(None, processor)
        found._end = self._end
        limits = [one for one in (self._worked, found._worked) if one is not None]
        found._worked = min(limits, default=None)
        return found

    def has_passed(self) -> bool:
        """Whether the limit has passed."""
        passed = self._end is not None and monotonic() > self._end
        return passed or (self._worked is not None and process_time() > self._worked)

    def check(self) -> None:
        """Raise OutOfTime once the limit has passed."""
        if self.has_passed():
            raise OutOfTime("the time limit has passed")
