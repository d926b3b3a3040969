"""A job: one property of one protocol at one choice of parameters, and how to decide it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from bmc.engines.engine import TemporalEngine, engine_of_row
from bmc.engines.task import MOST_MEMORY, OptionError
from bmc.lang.fingerprint import (
    fingerprint,
    property_digest,
    ranking_digest,
    temporal_digest,
)
from bmc.lang.properties import Kind
from bmc.lang.suite import Suite
from bmc.sweep.seeds import Seeds, read_seeds

LEAST_MEMORY = 64
_BETWEEN_CLAIMS = ", "


@dataclass(frozen=True)
class Method:
    """How every job of a sweep is decided, apart from its limits.

    ``engine`` is the name of one, which decides a job on one core; ``depth`` the greatest depth of
    those that know one. Raises UnknownEngine or OptionError when they cannot be used.
    """

    engine: str
    depth: int
    solver: str
    lemmas: bool

    def __post_init__(self) -> None:
        least = engine_of_row(self.engine).least_depth
        if least is not None and self.depth < least:
            raise OptionError(
                f"the depth of {engine_of_row(self.engine).title} must be {least} or more: "
                f"you gave {self.depth}"
            )

    @property
    def uses_lemmas(self) -> bool:
        """Whether the suite's lemmas take part."""
        return self.lemmas and self.proves

    @property
    def proves(self) -> bool:
        """Whether the engine proves, and does not only search for violations."""
        return engine_of_row(self.engine).proves


@dataclass(frozen=True)
class JobLimits:
    """Wall-clock seconds, and megabytes of address space that a job may take.

    Raises OptionError when nothing can run in so little memory, and no system has so much.
    """

    timeout: float
    memory_mb: int

    def __post_init__(self) -> None:
        if not LEAST_MEMORY <= self.memory_mb <= MOST_MEMORY:
            raise OptionError(
                f"--memory is in megabytes, at least {LEAST_MEMORY} and at most a billion: "
                f"you gave {self.memory_mb}"
            )


@dataclass(frozen=True)
class Job:
    """What an executor is told.

    ``identity`` is :func:`identity_of` what is asked; ``tools`` are the versions that answer.
    A job with ``seeds`` takes random walks, and watches all claims that ``property`` names.
    """

    protocol: str
    parameters: Mapping[str, int]
    property: str
    method: Method
    limits: JobLimits
    identity: str
    tools: str
    state_bits: int
    seeds: Seeds | None = None

    @cached_property
    def key(self) -> str:
        """Names the answer: equal for jobs that must have the same one.

        Limits are left out: what is decided stays decided under any.
        """
        return key_of(as_question(self))

    @cached_property
    def slug(self) -> str:
        """A file name that a person recognises."""
        name = "".join(c if c.isalnum() or c in "-_" else "-" for c in self.protocol).strip("-")
        values = "-".join(str(v) for v in self.parameters.values())
        about = self.property if self.seeds is None else f"seeds-{self.seeds.text}"
        return f"{name[-60:]}-{values}-{about}-{self.key[:10]}"

    @cached_property
    def title(self) -> str:
        """The job in a line."""
        values = " ".join(f"{n}={v}" for n, v in self.parameters.items())
        seeds = "" if self.seeds is None else f" seeds {self.seeds.text}"
        return f"{self.protocol} {values} {self.property}{seeds}"


def together(claims: Sequence[str]) -> str:
    """Return what a job's ``property`` is where it watches several claims."""
    return _BETWEEN_CLAIMS.join(claims)


def claims_of(property: str) -> tuple[str, ...]:
    """Return the claims that a job's or a row's ``property`` names."""
    return tuple(property.split(_BETWEEN_CLAIMS))


def identity_of(suite: Suite, name: str, method: Method) -> str:
    """A digest of everything in a suite that the answer about ``name`` may depend on.

    Parameter values are not part of it; by which parameters an answer implies others is. ``name``
    may name several claims.
    """
    if suite.is_temporal(name):
        plain = suite.model(ghosts=False)
        claim = suite.describe_temporal(name, plain)
        fair = suite.specification(claim.specification, plain)
        said = [fingerprint(plain, {}), temporal_digest(claim, fair)]
        said += _helping(suite, name, method)
        return sha256("\n".join(said).encode()).hexdigest()
    model = suite.model(ghosts=method.uses_lemmas)
    parts = [fingerprint(model, {}), *sorted(suite.monotone)]
    stated = [suite.find(claim) for claim in claims_of(name)]
    if method.uses_lemmas:
        stated += suite.declared(Kind.LEMMA)
    parts += [property_digest(suite.describe(declared, model)) for declared in stated]
    return sha256("\n".join(parts).encode()).hexdigest()


def _helping(suite: Suite, name: str, method: Method) -> list[str]:
    """Digests of what people wrote for a proof: it decides no verdict, and whether there is one."""
    asked = engine_of_row(method.engine)
    if not isinstance(asked, TemporalEngine) or not asked.certifies:
        return []
    model, plain = suite.model(ghosts=True), suite.model(ghosts=False)
    said = [property_digest(suite.describe(one, model)) for one in suite.declared(Kind.LEMMA)]
    if asked.ranks:
        for ranking in suite.rankings_of(name):
            said.append(ranking_digest(suite.describe_ranking(ranking, name, plain)))
    return said


def key_of(row: Mapping[str, Any]) -> str:
    """Return the key of the question that a row's columns ask. Raises SeedsError."""
    parts: list[object] = [
        row["protocol"],
        dict(row["parameters"]),
        row["property"],
        {
            "engine": row["asked"],
            "depth": row["bound"],
            "solver": row["solver"],
            "lemmas": row["lemmas"],
        },
        row["identity"],
        row["tools"],
    ]
    if row["seeds"] is not None:
        parts.append(asdict(read_seeds(row["seeds"], row["walks"])))
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def as_row(job: Job) -> dict[str, Any]:
    """The columns of a row that are known before the job runs."""
    return {
        **as_question(job),
        "key": job.key,
        "timeout": job.limits.timeout,
        "memory_mb": job.limits.memory_mb,
        "state_bits": job.state_bits,
    }


def as_question(job: Job) -> dict[str, Any]:
    """The columns of a row that say what was asked, from which its key follows."""
    return {
        "protocol": job.protocol,
        "parameters": dict(job.parameters),
        "property": job.property,
        "asked": job.method.engine,
        "bound": job.method.depth,
        "solver": job.method.solver,
        "lemmas": job.method.lemmas,
        "seeds": None if job.seeds is None else job.seeds.text,
        "walks": None if job.seeds is None else job.seeds.walks,
        "identity": job.identity,
        "tools": job.tools,
    }
