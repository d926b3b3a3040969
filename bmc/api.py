"""bmc from Python: in a notebook, or in a test of your own.

    from bmc import prove

    def test_the_isr_is_safe():
        assert prove("kafka", "StrongIsr", replicas=3, k=10).proved

A protocol is its class, its class at parameter values (``Kafka(replicas=3)``), a
:class:`~bmc.lang.suite.Suite`, or a name as on the command line: one of `bmc list`,
``file.py:Class`` or ``Spec.tla``. A :class:`~bmc.engines.task.Task` is a whole question. Engines
run in processes of their own, within the same limits, and give the same evidence as there.
Calls of several threads take turns.
"""

from __future__ import annotations

import html
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from time import monotonic
from typing import NoReturn, TypeVar

from bmc.cli.shared import catalogue, specifications
from bmc.cli.shared.decide import overflow_of
from bmc.cli.shared.progress import Progress
from bmc.cli.shared.request import Request
from bmc.cli.shared.user_file import checked, suite_of
from bmc.cli.shared.widening import in_the_text_s_words, roomy, with_room
from bmc.engines.confirmation import (
    VerdictsTold,
    confirmed,
    confirmed_temporal,
    verdicts_told,
)
from bmc.engines.engine import AUTO, temporal_engine
from bmc.engines.engine import engine as engine_of
from bmc.engines.liveness.decide_by import decide_by
from bmc.engines.liveness.question import Question
from bmc.engines.portfolio import prove as auto
from bmc.engines.preference import TracePreference
from bmc.engines.shortest import shortest_violations
from bmc.engines.task import (
    SILENT,
    Explores,
    Listener,
    Observer,
    OptionError,
    Silent,
    Task,
    require_seconds,
    require_values,
)
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Result, Verdict
from bmc.lang.advice import shown
from bmc.lang.errors import BmcError, ParameterError, UnknownName, suggest
from bmc.lang.protocol import Protocol, parameter_values, parameters_of, values_given
from bmc.lang.suite import Suite
from bmc.reports.page import Page
from bmc.reports.proofs.scope import Scope, write_scope
from bmc.reports.proofs.verdicts import ResultWriter, is_clean, write_heading
from bmc.reports.traces.lasso import TemporalWriter
from bmc.reports.vocabulary import Vocabulary
from bmc.running.turns import in_turn

__all__ = [
    "Answered",
    "BmcError",
    "Result",
    "Suite",
    "Task",
    "TemporalResult",
    "Trace",
    "Verdict",
    "check",
    "explore",
    "find",
    "prove",
]

_NOTHING: Mapping[str, int] = {}

_LEAST_SECONDS = 0.05
"""What temporal claims have where the other properties took all the time."""

Named = str | Suite | type[Protocol] | Protocol
"""A protocol, perhaps at parameter values, or what the command line calls it."""

_Told = TypeVar("_Told", bound=Observer)
Run = Callable[[Task, Observer], tuple[Result, ...]]
"""What decides the properties of a task."""


class StaysInItsProcess(BmcError):
    """An answer holds its protocol, which is no data that another process could be given."""


@dataclass(frozen=True)
class Answered:
    """What is known of some properties of a protocol at some parameters, with its evidence.

    ``results`` has a :class:`~bmc.evidence.verdict.Result` for each property, in order, and behind
    them a :class:`~bmc.evidence.lasso.TemporalResult` for each temporal claim; ``searched`` is the
    depth of a search that proves nothing, None where proofs were looked for. ``str()`` is the page
    that the command line prints.
    """

    suite: Suite
    parameters: Mapping[str, int]
    results: tuple[Result | TemporalResult, ...]
    searched: int | None = None

    @property
    def proved(self) -> bool:
        """Whether every property is proved, and there is one."""
        return {result.verdict for result in self.results} == {Verdict.PROVED}

    @property
    def violated(self) -> bool:
        """Whether some property is violated, by a trace that the interpreter has replayed."""
        return any(result.verdict is Verdict.VIOLATED for result in self.results)

    @property
    def clean(self) -> bool:
        """Whether a search found no violation within the depth that was asked for."""
        depth = self.searched
        return depth is not None and all(is_clean(result, depth) for result in self._plain)

    @property
    def _plain(self) -> tuple[Result, ...]:
        return tuple(result for result in self.results if isinstance(result, Result))

    @property
    def _temporal(self) -> tuple[TemporalResult, ...]:
        return tuple(result for result in self.results if isinstance(result, TemporalResult))

    def __getitem__(self, name: str) -> Result | TemporalResult:
        """Return the result of one property; UnknownName with the nearest names otherwise."""
        for result in self.results:
            if result.property == name:
                return result
        known = [result.property for result in self.results]
        raise UnknownName(f"{name} was not asked: {suggest(str(name), known)}")

    def __iter__(self) -> Iterator[Result | TemporalResult]:
        """Go through ``results``; Python would ask for a property that is called 0."""
        return iter(self.results)

    @in_turn
    def __str__(self) -> str:
        stream = io.StringIO()
        page = Page(stream)
        words = Vocabulary.of(self.suite, self.parameters)
        writer = ResultWriter(page, self.suite, words, searched=self.searched)
        write_heading(page, self.suite.name, self.parameters)
        temporal = self._temporal
        names = tuple(result.property for result in temporal)
        write_scope(page, Scope.of(self.suite, self.parameters, names))
        if plain := self._plain:
            writer.table(plain)
            writer.evidence(plain)
            writer.lemmas(plain)
        if temporal:
            about_behaviours = TemporalWriter(page, self.suite, words)
            about_behaviours.table(temporal)
            for result in temporal:
                about_behaviours.evidence(result)
        page.flush()
        return stream.getvalue()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def __reduce__(self) -> NoReturn:
        """Raise StaysInItsProcess: pickle finds something within, and names that alone."""
        raise StaysInItsProcess(
            "an answer stays in the process that asked: let what it calls return .results, which "
            "are data, or str() of the answer, as in `def ask(name): return prove(name).results`"
        )


@in_turn
def prove(
    protocol: Named | Task,
    *properties: str,
    k: int = 10,
    engine: str = AUTO,
    lemmas: bool = True,
    timeout: float | None = None,
    memory: int | None = None,
    observer: Listener | None = None,
    at: Mapping[str, int] = _NOTHING,
    **parameters: int,
) -> Answered:
    """Prove properties for every depth, or all claims that are not known to be refuted.

    A temporal claim is decided where it is named. ``k`` is the greatest depth of induction,
    ``timeout`` in seconds, ``memory`` in megabytes. A limit makes what is open unknown. ``at`` has
    parameters whose names are taken here. A task has its own properties, parameters and limits, so
    that nothing but ``engine`` and ``observer`` is given beside it. The call waits for what it
    tells an observer, and other threads' calls wait for this one: an observer that waits for one
    of them waits for ever. Raises what the command line
    calls bad usage (a subclass of :class:`~bmc.lang.errors.BmcError`), and Contradiction, which is
    a bug in bmc.
    """
    if isinstance(protocol, Task):
        limits = {"k": k, "lemmas": lemmas, "timeout": timeout, "memory": memory}
        _require_alone(prove, properties, {**parameters, **_named(at)}, limits)
        task = replace(protocol, explores=Explores.AT_ONCE)
        return _answered(task, _by(engine), _heard(observer))
    began = monotonic()
    request = _asked(prove, protocol, parameters, at, timeout, partly=bool(properties))
    named = request.meant(properties)
    temporal = tuple(filter(request.suite.is_temporal, named))
    plain = [name for name in named if name not in temporal]
    if temporal and engine != AUTO:
        temporal_engine(engine)
    results: tuple[Result | TemporalResult, ...] = ()
    if plain or not temporal:
        # An engine for temporal claims is none for the others, and is refused.
        task = Task(
            request.suite,
            request.parameters,
            request.claims(plain, everything=False),
            depth=k,
            lemmas=lemmas,
            timeout=request.left(timeout),
            memory=memory,
            explores=Explores.AT_ONCE,
        )
        request, results = _decided(request, task, _by(engine), _heard(observer))
    if temporal:
        seconds = None if timeout is None else timeout - (monotonic() - began)
        request = replace(request, suite=roomy(request.suite, request.parameters, seconds))
        left = None if timeout is None else max(timeout - (monotonic() - began), _LEAST_SECONDS)
        asked = Question(request.suite, request.parameters, temporal, left, memory)
        heard = _heard(observer)
        found = decide_by(engine, asked, heard, tell=verdicts_told(request.suite, heard))
        results += confirmed_temporal(request.suite, found)
    return Answered(request.suite, request.parameters, results)


@in_turn
def check(
    protocol: Named | Task,
    *properties: str,
    depth: int = 10,
    timeout: float | None = None,
    memory: int | None = None,
    observer: Observer | None = None,
    at: Mapping[str, int] = _NOTHING,
    **parameters: int,
) -> Answered:
    """Search for violations up to a depth, in steps; nothing found is clean, and no proof."""
    run = partial(shortest_violations, taste=TracePreference())
    if isinstance(protocol, Task):
        limits = {"depth": depth, "timeout": timeout, "memory": memory}
        _require_alone(check, properties, {**parameters, **_named(at)}, limits)
        return _answered(protocol, run, _heard(observer), protocol.depth)
    request = _asked(check, protocol, parameters, at, timeout, partly=bool(properties))
    claims = request.claims(properties, everything=False)
    left = request.left(timeout)
    task = Task(request.suite, request.parameters, claims, depth, left, memory=memory)
    request, results = _decided(request, task, run, _heard(observer))
    return Answered(request.suite, request.parameters, results, depth)


@in_turn
def explore(
    protocol: Named | Task,
    *properties: str,
    timeout: float | None = None,
    memory: int | None = None,
    observer: Observer | None = None,
    at: Mapping[str, int] = _NOTHING,
    **parameters: int,
) -> Answered:
    """Look at every reachable state, and prove what none of them violates."""
    run = engine_of("explicit").prove
    if isinstance(protocol, Task):
        limits = {"timeout": timeout, "memory": memory}
        _require_alone(explore, properties, {**parameters, **_named(at)}, limits)
        return _answered(protocol, run, _heard(observer))
    request = _asked(explore, protocol, parameters, at, timeout, partly=bool(properties))
    claims = request.claims(properties, everything=False)
    left = request.left(timeout)
    task = Task(request.suite, request.parameters, claims, timeout=left, memory=memory)
    request, results = _decided(request, task, run, _heard(observer))
    return Answered(request.suite, request.parameters, results)


@in_turn
def find(protocol: Named, **constants: int) -> Suite:
    """Return a protocol with what is claimed of it, for a task or to look at.

    ``constants`` are those of a specification, which is another model at other ones. Raises
    ParameterError where there are none, and what :func:`prove` raises of an unknown protocol.
    """
    held = values_given(protocol) if isinstance(protocol, Protocol) else {}
    request = _request(protocol, constants)
    if (given := {**held, **constants}) and request.parameters:
        raise ParameterError(
            f"what is claimed of {request.name} is the same at all parameters: say them where it "
            f"is asked, as in Task(find(…), {given!r}, …)"
        )
    return request.suite


def _named(at: Mapping[str, int]) -> Mapping[str, int]:
    require_values("at= has", at)
    return at


def _heard(observer: _Told | None) -> _Told | Silent:
    """Return who is told; OptionError for what cannot be, rather late in a long run."""
    if observer is None:
        return SILENT
    for called in ("phase", "fact", "decided"):
        if not callable(getattr(observer, called, None)):
            raise OptionError(
                f"observer= has no {called}(…): give an object with phase, fact and decided, of "
                "which each takes one argument"
            )
    return observer


def _by(engine: str) -> Run:
    return auto if engine == AUTO else engine_of(engine, proving=True).prove


def _require_alone(
    call: Callable[..., Answered],
    properties: Sequence[str],
    parameters: Mapping[str, int],
    limits: Mapping[str, object],
) -> None:
    """Raise OptionError where something is given beside a task that the task says itself."""
    usual = signature(call).parameters
    given = [*properties, *parameters]
    given += [name for name, value in limits.items() if value != usual[name].default]
    if given:
        raise OptionError(
            f"{given[0]} is given beside a task, which has its own properties, parameters and "
            f"limits: say it in Task(…), or leave it out of {call.__name__}(…)"
        )


def _answered(task: Task, run: Run, observer: Observer, searched: int | None = None) -> Answered:
    """Return what is known of a task's properties, or of all its suite's claims if it has none."""
    request = Request(task.suite.name, checked(task.suite), dict(task.parameters))
    claims = request.claims(task.properties, everything=False)
    request, results = _decided(request, replace(task, properties=claims), run, observer)
    return Answered(request.suite, request.parameters, results, searched)


def _asked(
    call: Callable[..., Answered],
    protocol: Named,
    parameters: Mapping[str, int],
    at: Mapping[str, int],
    timeout: float | None,
    partly: bool,
) -> Request:
    """Return what a call is about, its parameters within their ranges.

    It is read within ``timeout`` seconds, else LimitMet. ``partly`` where properties are named:
    what else a text claims need not be translated.
    """
    require_seconds(timeout)
    if twice := sorted(set(_named(at)).intersection(parameters)):
        raise ParameterError(f"{twice[0]} is given twice: leave it out of at=")
    if isinstance(protocol, Protocol):
        # What is given so is meant as a parameter, whatever options are called.
        held = values_given(protocol)
        if twice := sorted(set(held).intersection([*parameters, *at])):
            called = type(protocol).__name__
            raise ParameterError(f"{twice[0]} is given twice: leave it out of {called}(…)")
        at = {**at, **held}
    request = _request(protocol, {**parameters, **at}, timeout, partly=partly)
    _require_distinct(call.__name__, signature(call).parameters, request, at)
    values = parameter_values(request.suite.protocol, request.parameters, request.suite.name)
    return replace(request, parameters=values)


def _decided(
    request: Request, task: Task, run: Run, observer: Observer
) -> tuple[Request, tuple[Result, ...]]:
    """Return the results, and what they are about: bounds that were guessed may have grown."""
    told: set[str] = set()

    def decide(_: Request, asked: Task, __: Progress) -> tuple[Result, ...]:
        if observer is SILENT:
            # To compare verdicts one by one takes time, and nobody would hear of them.
            return confirmed(asked, run(asked, observer))
        heard = VerdictsTold(observer, asked, told)
        results = confirmed(asked, run(asked, heard))
        heard.rest(results)
        return results

    request, _, _, results = with_room(request, task, decide, overflow_of)
    return request, in_the_text_s_words(request, results)


def _require_distinct(call: str, options: Iterable[str], asked: Request, at: Iterable[str]) -> None:
    """Raise ParameterError where an option could have been meant as a parameter of its name."""
    if specifications.names_a_specification(asked.name):
        names = specifications.constants_of(asked.name)
    else:
        names = frozenset(one.name for one in parameters_of(asked.suite.protocol))
    for name in sorted(names.intersection(options).difference(at)):
        raise ParameterError(
            f"{name} is a parameter of {asked.name} and an option of {call}(): say what the "
            f"parameter is, as in {call}(…, at={{{name!r}: 3}})"
        )


def _request(
    protocol: object,
    parameters: Mapping[str, int],
    timeout: float | None = None,
    partly: bool = False,
) -> Request:
    words = [f"{name}={value}" for name, value in parameters.items()]
    if isinstance(protocol, str):
        return Request.of(protocol, words, timeout, partly=partly)
    if isinstance(protocol, Protocol):
        parameters = {**values_given(protocol), **parameters}
        protocol = type(protocol)
    if isinstance(protocol, type) and issubclass(protocol, Protocol):
        protocol = catalogue.built_in_of(protocol) or protocol
    name = getattr(protocol, "name" if isinstance(protocol, Suite) else "__name__", "it")
    suite = checked(suite_of(protocol, name, shown(protocol)))
    return Request(suite.name, suite, dict(parameters))
