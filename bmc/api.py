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
from dataclasses import dataclass
from inspect import signature
from typing import Any

from bmc.cli.shared import specifications
from bmc.cli.shared.request import Request
from bmc.cli.shared.user_file import UserModelError, checked, suite_of
from bmc.engines.confirmation import confirmed
from bmc.engines.engine import AUTO
from bmc.engines.engine import engine as engine_of
from bmc.engines.portfolio import prove as auto
from bmc.engines.task import SILENT, Explores, Observer, Task
from bmc.evidence.verdict import Result, Verdict
from bmc.lang.errors import ParameterError, UnknownName, suggest
from bmc.lang.protocol import Protocol, parameters_of
from bmc.lang.suite import Suite
from bmc.reports.page import Page
from bmc.reports.proofs.scope import Scope, write_scope
from bmc.reports.proofs.verdicts import ResultWriter, is_clean, write_heading
from bmc.reports.vocabulary import Vocabulary

__all__ = ["Answered", "check", "explore", "prove"]

_NOTHING: Mapping[str, int] = {}

Named = str | Suite | type[Protocol]
"""A protocol, or what the command line calls it."""


@dataclass(frozen=True)
class Answered:
    """What is known of some properties of a protocol at some parameters, with its evidence.

    ``results`` has a :class:`~bmc.evidence.verdict.Result` for each property, in order;
    ``searched`` is the depth of a search that proves nothing, None where proofs were looked for.
    ``str()`` is the page that the command line prints.
    """

    suite: Suite
    parameters: Mapping[str, int]
    results: tuple[Result, ...]
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
        return depth is not None and all(is_clean(result, depth) for result in self.results)

    def __getitem__(self, name: str) -> Result:
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
        write_scope(page, Scope.of(self.suite, self.parameters))
        writer.table(self.results)
        writer.evidence(self.results)
        writer.lemmas(self.results)
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

    ``k`` is the greatest depth of induction, ``timeout`` in seconds, ``memory`` in megabytes. A
    limit makes what is open unknown. ``at`` has parameters whose names are taken here. Raises what
    the command line calls bad usage (a subclass of :class:`~bmc.lang.errors.BmcError`), and
    Contradiction, which is a bug in bmc.
    """
    run = auto if engine == AUTO else engine_of(engine, proving=True).prove
    return _decided(
        prove,
        protocol,
        properties,
        parameters,
        at,
        run,
        observer,
        depth=k,
        lemmas=lemmas,
        timeout=timeout,
        memory=memory,
        explores=Explores.AT_ONCE,
    )


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
    run = engine_of("bounded").prove
    limits: dict[str, Any] = {
        "searched": depth,
        "depth": depth,
        "timeout": timeout,
        "memory": memory,
    }
    return _decided(check, protocol, properties, parameters, at, run, observer, **limits)


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
    limits: dict[str, Any] = {"timeout": timeout, "memory": memory}
    return _decided(explore, protocol, properties, parameters, at, run, observer, **limits)


def _decided(
    call: Callable[..., Answered],
    protocol: Named,
    properties: Sequence[str],
    parameters: Mapping[str, int],
    at: Mapping[str, int],
    run: Callable[[Task, Observer], tuple[Result, ...]],
    observer: Observer,
    *,
    searched: int | None = None,
    **options: Any,
) -> Answered:
    if twice := sorted(set(at).intersection(parameters)):
        raise ParameterError(f"{twice[0]} is given twice: leave it out of at=")
    request = _request(protocol, {**parameters, **at})
    _require_distinct(call.__name__, signature(call).parameters, request, at)
    claims = request.claims(properties, everything=False)
    task = Task(request.suite, request.parameters, claims, **options)
    results = confirmed(task, run(task, observer))
    return Answered(request.suite, task.parameters, results, searched)


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
