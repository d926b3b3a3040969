"""bmc from Python: in a notebook, or in a test of your own.

    from bmc import prove

    def test_the_isr_is_safe():
        assert prove("kafka", "StrongIsr", replicas=3, k=10).proved

A protocol is its class, a :class:`~bmc.lang.suite.Suite`, or a name as on the command line: one
of `bmc list`, ``file.py:Class`` or ``Spec.tla``. Engines run in processes of their own, within the
same limits, and give the same evidence as there.
"""

from __future__ import annotations

import html
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from time import monotonic
from typing import Any

from bmc.cli.shared import specifications
from bmc.cli.shared.decide import overflow_of
from bmc.cli.shared.request import Request
from bmc.cli.shared.user_file import UserModelError, checked, suite_of
from bmc.cli.shared.widening import in_the_text_s_words, with_room
from bmc.engines.confirmation import confirmed, confirmed_temporal
from bmc.engines.engine import AUTO, temporal_engine
from bmc.engines.engine import engine as engine_of
from bmc.engines.liveness.decide_by import decide_by
from bmc.engines.liveness.question import Question
from bmc.engines.portfolio import prove as auto
from bmc.engines.preference import TracePreference
from bmc.engines.shortest import shortest_violations
from bmc.engines.task import SILENT, Explores, Observer, Task
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Result, Verdict
from bmc.lang.errors import ParameterError, UnknownName, suggest
from bmc.lang.protocol import Protocol, parameter_values, parameters_of
from bmc.lang.suite import Suite
from bmc.reports.page import Page
from bmc.reports.proofs.scope import Scope, write_scope
from bmc.reports.proofs.verdicts import ResultWriter, is_clean, write_heading
from bmc.reports.traces.lasso import TemporalWriter
from bmc.reports.vocabulary import Vocabulary

__all__ = [
    "Answered",
    "Result",
    "TemporalResult",
    "Trace",
    "Verdict",
    "check",
    "explore",
    "prove",
]

_NOTHING: Mapping[str, int] = {}

_LEAST_SECONDS = 0.05
"""What temporal claims have where the other properties took all the time."""

Named = str | Suite | type[Protocol]
"""A protocol, or what the command line calls it."""


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
        """Whether every property is proved."""
        return all(result.verdict is Verdict.PROVED for result in self.results)

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
        raise UnknownName(f"{name} was not asked: {suggest(name, known)}")

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


def prove(
    protocol: Named,
    *properties: str,
    k: int = 10,
    engine: str = AUTO,
    lemmas: bool = True,
    timeout: float | None = None,
    memory: int | None = None,
    observer: Observer = SILENT,
    at: Mapping[str, int] = _NOTHING,
    **parameters: int,
) -> Answered:
    """Prove properties for every depth, or all claims that are not known to be refuted.

    A temporal claim is decided where it is named. ``k`` is the greatest depth of induction,
    ``timeout`` in seconds, ``memory`` in megabytes. A limit makes what is open unknown. ``at`` has
    parameters whose names are taken here. Raises what the command line calls bad usage (a subclass
    of :class:`~bmc.lang.errors.BmcError`), and Contradiction, which is a bug in bmc.
    """
    began = monotonic()
    request = _asked(prove, protocol, parameters, at)
    named = request.meant(properties)
    temporal = tuple(filter(request.suite.is_temporal, named))
    plain = [name for name in named if name not in temporal]
    if temporal and engine != AUTO:
        temporal_engine(engine)
    results: tuple[Result | TemporalResult, ...] = ()
    if plain or not temporal:
        # An engine for temporal claims is none for the others, and is refused.
        run = auto if engine == AUTO else engine_of(engine, proving=True).prove
        request, results = _decided(
            request,
            plain,
            run,
            observer,
            depth=k,
            lemmas=lemmas,
            timeout=timeout,
            memory=memory,
            explores=Explores.AT_ONCE,
        )
    if temporal:
        left = None if timeout is None else max(timeout - (monotonic() - began), _LEAST_SECONDS)
        asked = Question(request.suite, request.parameters, temporal, left, memory)
        results += confirmed_temporal(request.suite, decide_by(engine, asked, observer))
    return Answered(request.suite, request.parameters, results)


def check(
    protocol: Named,
    *properties: str,
    depth: int = 10,
    timeout: float | None = None,
    memory: int | None = None,
    observer: Observer = SILENT,
    at: Mapping[str, int] = _NOTHING,
    **parameters: int,
) -> Answered:
    """Search for violations up to a depth, in steps; nothing found is clean, and no proof."""
    run = partial(shortest_violations, taste=TracePreference())
    request, results = _decided(
        _asked(check, protocol, parameters, at),
        properties,
        run,
        observer,
        depth=depth,
        timeout=timeout,
        memory=memory,
    )
    return Answered(request.suite, request.parameters, results, depth)


def explore(
    protocol: Named,
    *properties: str,
    timeout: float | None = None,
    memory: int | None = None,
    observer: Observer = SILENT,
    at: Mapping[str, int] = _NOTHING,
    **parameters: int,
) -> Answered:
    """Look at every reachable state, and prove what none of them violates."""
    run = engine_of("explicit").prove
    request, results = _decided(
        _asked(explore, protocol, parameters, at),
        properties,
        run,
        observer,
        timeout=timeout,
        memory=memory,
    )
    return Answered(request.suite, request.parameters, results)


def _asked(
    call: Callable[..., Answered],
    protocol: Named,
    parameters: Mapping[str, int],
    at: Mapping[str, int],
) -> Request:
    """Return what a call is about, its parameters within their ranges."""
    if twice := sorted(set(at).intersection(parameters)):
        raise ParameterError(f"{twice[0]} is given twice: leave it out of at=")
    request = _request(protocol, {**parameters, **at})
    _require_distinct(call.__name__, signature(call).parameters, request, at)
    values = parameter_values(request.suite.protocol, request.parameters, request.suite.name)
    return replace(request, parameters=values)


def _decided(
    request: Request,
    properties: Sequence[str],
    run: Callable[[Task, Observer], tuple[Result, ...]],
    observer: Observer,
    **options: Any,
) -> tuple[Request, tuple[Result, ...]]:
    """Return the results, and what they are about: bounds that were guessed may have grown."""
    claims = request.claims(properties, everything=False)
    request, _, _, results = with_room(
        request,
        Task(request.suite, request.parameters, claims, **options),
        lambda _, task, __: confirmed(task, run(task, observer)),
        overflow_of,
    )
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


def _request(protocol: object, parameters: Mapping[str, int]) -> Request:
    words = [f"{name}={value}" for name, value in parameters.items()]
    if isinstance(protocol, str):
        return Request.of(protocol, words)
    if isinstance(protocol, Protocol):
        called = type(protocol).__name__
        raise UserModelError(f"give the class {called} itself, and not {called}()")
    name = getattr(protocol, "name" if isinstance(protocol, Suite) else "__name__", "it")
    suite = checked(suite_of(protocol, name, f"{protocol!r}"))
    return Request(suite.name, suite, dict(parameters))
