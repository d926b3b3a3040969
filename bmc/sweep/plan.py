"""What a sweep has to do: its jobs, those that are done already, and the order of the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bmc.lang.suite import Suite
from bmc.layout.size import bits_at, state_bits
from bmc.sweep.estimate import Estimate
from bmc.sweep.job import Job, JobLimits, Method, identity_of, together
from bmc.sweep.rows import Row, settles
from bmc.sweep.seeds import Seeds


@dataclass(frozen=True)
class Share:
    """One protocol's share of a sweep: the points and properties to decide.

    ``at`` is the suite at each point, where the model depends on it: that of a specification.
    """

    suite: Suite
    points: Sequence[Mapping[str, int]]
    properties: Sequence[str]
    at: Callable[[Mapping[str, int]], Suite] | None = None


@dataclass(frozen=True)
class Plan:
    """``todo`` in the order it should run, longest expected first; ``done`` by key.

    ``expected`` has the seconds of every job, ``forms`` the closed form of each protocol's
    state bits where it has one, ``monotone`` the names of its monotone parameters, ``estimate``
    what made ``expected``.
    """

    jobs: tuple[Job, ...]
    todo: tuple[Job, ...]
    done: Mapping[str, Row]
    expected: Mapping[str, float]
    forms: Mapping[str, str]
    monotone: Mapping[str, frozenset[str]]
    estimate: Estimate


def jobs_of(
    requests: Iterable[Share],
    method: Method,
    limits: JobLimits,
    tools: str,
    seeds: Sequence[Seeds] = (),
) -> list[Job]:
    """Every job of the requests; no point of a protocol is asked about a property twice.

    With ``seeds`` a job watches all properties of a request, on the walks of one of the ranges.
    """
    jobs: dict[str, Job] = {}
    for request in requests:
        names = (together(request.properties),) if seeds else request.properties
        asked = _Asked.of(request.suite, names, method)
        for point in request.points:
            if request.at is not None:
                asked = _Asked.of(request.at(point), names, method)
            for name, identity in asked.identities.items():
                for own in seeds or (None,):
                    job = Job(
                        request.suite.name,
                        dict(point),
                        name,
                        method,
                        limits,
                        identity,
                        tools,
                        bits_at(asked.form, point),
                        own,
                    )
                    jobs.setdefault(job.key, job)
    return list(jobs.values())


@dataclass(frozen=True)
class _Asked:
    """What is asked of a model, by property, and the form of its state bits."""

    form: Any
    identities: Mapping[str, str]

    @staticmethod
    def of(suite: Suite, properties: Iterable[str], method: Method) -> _Asked:
        form = state_bits(suite.model(ghosts=False))
        return _Asked(form, {name: identity_of(suite, name, method) for name in properties})


def plan(requests: Sequence[Share], jobs: Sequence[Job], known: Iterable[Row]) -> Plan:
    """What is left of ``jobs``, given the rows that exist."""
    rows = {str(row["key"]): row for row in known}
    estimate = Estimate(rows.values())
    expected = {job.key: estimate.seconds(job) for job in jobs}
    monotone = {request.suite.name: request.suite.monotone for request in requests}
    by_key = {job.key: job for job in jobs}
    done = {
        key: rows[key]
        for key, job in by_key.items()
        if key in rows
        # Where what implies it is asked for no more, nobody knows whether that stands.
        and (settles(rows[key], job) or rows[key]["implied_by"] in by_key)
    }
    todo = sorted((j for j in jobs if j.key not in done), key=lambda j: -expected[j.key])
    return Plan(
        tuple(jobs),
        tuple(todo),
        done,
        expected,
        {
            request.suite.name: str(state_bits(request.suite.model(ghosts=False)))
            for request in requests
            if request.at is None
        },
        monotone,
        estimate,
    )
