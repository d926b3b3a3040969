"""What a sweep has to do: its jobs, those that are done already, and the order of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bmc.lang.protocol import parameters_of
from bmc.lang.suite import Suite
from bmc.layout.size import bits_at, state_bits
from bmc.sweep.estimate import Estimate
from bmc.sweep.job import Job, Limits, Method, identity_of
from bmc.sweep.rows import Row, settles


@dataclass(frozen=True)
class Request:
    """One protocol's share of a sweep: the points and properties to decide."""

    suite: Suite
    points: Sequence[Mapping[str, int]]
    properties: Sequence[str]


@dataclass(frozen=True)
class Plan:
    """``todo`` in the order it should run, longest expected first; ``done`` by key.

    ``expected`` has the seconds of every job, ``forms`` the closed form of each protocol's
    state bits, ``monotone`` the names of its monotone parameters, ``estimate`` what made
    ``expected``.
    """

    jobs: tuple[Job, ...]
    todo: tuple[Job, ...]
    done: Mapping[str, Row]
    expected: Mapping[str, float]
    forms: Mapping[str, str]
    monotone: Mapping[str, frozenset[str]]
    estimate: Estimate


def jobs_of(requests: Iterable[Request], method: Method, limits: Limits, tools: str) -> list[Job]:
    """Every job of the requests; no point of a protocol is asked about a property twice."""
    jobs: dict[str, Job] = {}
    for request in requests:
        form = state_bits(request.suite.model(ghosts=False))
        for name in request.properties:
            identity = identity_of(request.suite, name, method)
            for point in request.points:
                job = Job(
                    request.suite.name,
                    dict(point),
                    name,
                    method,
                    limits,
                    identity,
                    tools,
                    bits_at(form, point),
                )
                jobs.setdefault(job.key, job)
    return list(jobs.values())


def plan(requests: Sequence[Request], jobs: Sequence[Job], known: Iterable[Row]) -> Plan:
    """What is left of ``jobs``, given the rows that exist."""
    rows = {str(row["key"]): row for row in known}
    estimate = Estimate(rows.values())
    expected = {job.key: estimate.seconds(job) for job in jobs}
    done = {
        job.key: rows[job.key] for job in jobs if job.key in rows and settles(rows[job.key], job)
    }
    todo = sorted((j for j in jobs if j.key not in done), key=lambda j: -expected[j.key])
    suites = {request.suite.name: request.suite for request in requests}
    return Plan(
        tuple(jobs),
        tuple(todo),
        done,
        expected,
        {name: str(state_bits(suite.model(ghosts=False))) for name, suite in suites.items()},
        {
            name: frozenset(p.name for p in parameters_of(suite.protocol) if p.monotone)
            for name, suite in suites.items()
        },
        estimate,
    )


def current(rows: Iterable[Row], jobs: Iterable[Job]) -> list[Row]:
    """The rows a report is about: of each question in the directory, the latest answer.

    Rows of other sweeps stay, but of a question among ``jobs`` only the answer to it as it is
    asked now, and of their properties no row about another text of the model.
    """
    wanted = {_question(job.protocol, job.parameters, job.property): job.key for job in jobs}
    texts = {(job.protocol, job.property, job.method): job.identity for job in jobs}
    latest: dict[object, Row] = {}
    for row in rows:
        question = _question(row["protocol"], row["parameters"], row["property"])
        method = Method(row["asked"], row["bound"], row["solver"], row["lemmas"])
        text = texts.get((row["protocol"], row["property"], method), row["identity"])
        if wanted.get(question, row["key"]) != row["key"] or row["identity"] != text:
            continue
        known = latest.get(question)
        if known is None or row["finished"] > known["finished"]:
            latest[question] = row
    return sorted(
        latest.values(),
        key=lambda r: (r["protocol"], r["property"], tuple(r["parameters"].values())),
    )


def _question(protocol: str, parameters: Mapping[str, int], name: str) -> object:
    return protocol, tuple(sorted(parameters.items())), name
