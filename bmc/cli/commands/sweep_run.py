"""A sweep put together: what is asked, on which Spark, and the reports at the end."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache, partial
from pathlib import Path
from typing import Any, assert_never

from bmc.analysis.mutants import MutatedSuite, faults, mutated, parted, without_lemma
from bmc.cli.commands.sweep_progress import watcher
from bmc.cli.shared import catalogue, specifications
from bmc.cli.shared.request import NothingAsked, Request, read_parameters
from bmc.cli.shared.sweep_evidence import describe
from bmc.cli.shared.temporal import names_temporal
from bmc.cli.shared.widening import find_with_room
from bmc.engines.engine import WALKS, engine_of_row, temporal_engine
from bmc.engines.engine import engine as engine_named
from bmc.engines.task import OptionError, Task
from bmc.evidence.wording import count
from bmc.lang.suite import Suite
from bmc.reports.machine import versions
from bmc.reports.sweeps.campaigns import campaign
from bmc.reports.sweeps.glossary import Glossary
from bmc.reports.sweeps.html import html
from bmc.reports.sweeps.markdown import markdown
from bmc.reports.sweeps.totals import Totals
from bmc.reports.sweeps.walks import walks_page
from bmc.sweep.current import Texts
from bmc.sweep.dispatch import Dispatcher
from bmc.sweep.findings import walked
from bmc.sweep.grid import Axes, choices, points, read_axes, where_all
from bmc.sweep.job import JobLimits, Method, as_row
from bmc.sweep.places import Folder, place
from bmc.sweep.plan import Plan, jobs_of, plan
from bmc.sweep.plan import Share as Share
from bmc.sweep.rows import Row
from bmc.sweep.runner import Tools
from bmc.sweep.seeds import Seeds, blocks, read_seeds
from bmc.sweep.spark import Cluster, SparkExecutors, log_of
from bmc.sweep.store import BRIEF, Store
from bmc.sweep.work import Work

# What an answer can depend on: another version of these is another question.
_DECISIVE = ("bmc", "python-sat", "z3", "bitwuzla")


class Campaign(Enum):
    """Variants of a protocol that are asked about besides itself."""

    MUTANTS = "mutants"
    LEMMA_SUBSETS = "lemma-subsets"

    def variants(self, suite: Suite) -> list[Suite]:
        """Return a protocol's variants: with one fault each, or without one lemma each."""
        match self:
            case Campaign.MUTANTS:
                model = suite.model(ghosts=False)
                return [mutated(suite, fault.name) for fault in faults(model)]
            case Campaign.LEMMA_SUBSETS:
                return [without_lemma(suite, declared.name) for declared in suite.lemmas]
            case _:
                assert_never(self)


@dataclass(frozen=True)
class Asked:
    """The questions of a sweep, and how each is to be decided."""

    shares: tuple[Share, ...]
    method: Method = field(default_factory=lambda: Method("ic3", 10, "cadical", True))
    limits: JobLimits = field(default_factory=lambda: JobLimits(300.0, 4096))
    seeds: tuple[Seeds, ...] = ()

    @staticmethod
    def of(
        protocols: tuple[str, ...],
        grid: Sequence[str],
        where: Sequence[str],
        properties: Sequence[str] | None,
        parameters: Sequence[str],
        every: bool,
        campaign: Campaign | None = None,
    ) -> Asked:
        """Read the command line's words; a ``campaign`` adds variants of each protocol.

        Raises GridError, ConditionError, what :class:`bmc.cli.shared.request.Request` raises, and
        NothingAsked for a campaign that has no variant to add.
        """
        axes = read_axes(grid)
        fixed = read_parameters(parameters)
        shares = []
        for protocol in dict.fromkeys(protocols):
            if specifications.names_a_specification(protocol):
                if campaign is not None:
                    raise NothingAsked(
                        f"--{campaign.value}: no variants are made of a specification's text: "
                        f"leave {protocol} or the option out"
                    )
                shares.append(_share_of_text(protocol, axes, fixed, where, properties, every))
        named = [one for one in protocols if not specifications.names_a_specification(one)]
        # Under its own name, so that an alias asks the same questions.
        suites = {suite.name: suite for suite in map(catalogue.find, named)}
        for name, suite in suites.items():
            chosen = points(suite.protocol, axes, fixed, where)
            claims = _claims(Request(name, suite, chosen[0]), properties, every)
            if campaign is not None and any(suite.is_temporal(claim) for claim in claims):
                raise NothingAsked("variants of a protocol are asked about its other claims only")
            shares.append(Share(suite, chosen, claims))
            if campaign is not None:
                shares += [Share(one, chosen, claims) for one in campaign.variants(suite)]
        if campaign is not None and len(shares) == len(suites):
            raise NothingAsked(
                f"--{campaign.value}: there is no variant of {' or '.join(suites)}: leave it out"
            )
        return Asked(tuple(shares))

    @property
    def temporal(self) -> bool:
        """Whether temporal claims are asked about; NothingAsked where others are, too."""
        kinds = {
            share.suite.is_temporal(name) for share in self.shares for name in share.properties
        }
        if len(kinds) > 1:
            raise NothingAsked("temporal claims are swept by themselves: ask for the others again")
        return kinds == {True}

    def by(
        self,
        engine: str | None,
        depth: int,
        solver: str,
        lemmas: bool,
        timeout: float,
        memory_mb: int,
    ) -> Asked:
        """The same, decided in this way; without an engine by the one for such claims.

        Raises OptionError, UnknownEngine or UnknownName.
        """
        kind = temporal_engine if self.temporal else engine_named
        engine = kind(engine or ("explicit" if self.temporal else "ic3")).name
        method, limits = Method(engine, depth, solver, lemmas), JobLimits(timeout, memory_mb)
        share = self.shares[0]
        # Judges what is left better than a copy of its rules would.
        values = share.points[0] if share.at is None else {}
        Task(share.suite, values, (), depth, timeout, lemmas, solver)
        return Asked(self.shares, method, limits)

    def walking(
        self, seeds: str, walks: int, a_job: int, length: int, timeout: float, memory_mb: int
    ) -> Asked:
        """The same, watched on random walks of these seeds, so many of them a job.

        Raises SeedsError, OptionError, and NothingAsked for temporal claims.
        """
        if self.temporal:
            raise NothingAsked("walks end: temporal claims cannot be watched on them")
        asked = self.by("bounded", length, "cadical", False, timeout, memory_mb)
        points = sum(len(share.points) for share in self.shares)
        cut = blocks(read_seeds(seeds, walks), a_job, points)
        method = Method(WALKS.name, length, "cadical", False)
        return replace(asked, method=method, seeds=tuple(cut))


def _claims(request: Request, names: Sequence[str] | None, every: bool) -> Sequence[str]:
    """Return what is asked of a protocol: temporal claims, or others."""
    meant = request.meant(names)
    return meant if names_temporal(request, meant) else request.claims(meant, every)


def _share_of_text(
    protocol: str,
    axes: Axes,
    fixed: Mapping[str, int],
    where: Sequence[str],
    properties: Sequence[str] | None,
    every: bool,
) -> Share:
    """Return a specification's share: at each choice of its constants it is another model."""
    base = specifications.without_constants(protocol)
    chosen = where_all(choices(axes, fixed), [*axes, *fixed], where)

    @cache
    def named(name: str) -> Suite:
        return find_with_room(name)

    def at(point: Mapping[str, int]) -> Suite:
        return named(specifications.at(base, point))

    first = at(chosen[0])
    claims = _claims(Request(first.name, first, {}), properties, every)
    return Share(replace(first, name=base), chosen, claims, at)


def planned(asked: Asked, known: Iterable[Row]) -> Plan:
    """The sweep's plan, given the rows that exist."""
    used = versions()
    tools = ", ".join(f"{name} {used[name]}" for name in _DECISIVE)
    jobs = jobs_of(asked.shares, asked.method, asked.limits, tools, asked.seeds)
    return plan(asked.shares, jobs, known)


def known_rows(where: str) -> list[dict[str, Any]]:
    """The rows of a sweep's directory, which need not exist, as far as resuming needs them."""
    there = place(where)
    if isinstance(there, Folder) and not there.path.is_dir():
        return []
    return list(Store(there).scan(BRIEF).believed.values())


def cores(master: str) -> int:
    """How many jobs run at once, as far as the master's name tells."""
    found = re.fullmatch(r"local\[(\d+).*\]", master)
    return int(found[1]) if found else 1 if master == "local" else os.cpu_count() or 1


def settings_of(words: Sequence[str]) -> dict[str, str]:
    """``name=value`` words as settings of Spark. Raises OptionError."""
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not name.startswith("spark.") or not equals:
            raise OptionError(f"--spark {word!r}: write spark.some.name=value")
        found[name] = value
    return found


def run(
    asked: Asked,
    plan: Plan,
    store: Store,
    cluster: Cluster,
    prune: bool,
    as_json: bool,
) -> None:
    """Run what the plan has left to do; Spark is started only if there is something."""
    if not plan.todo:
        return
    with watcher(plan, as_json) as watching, store.token() as token:
        watching.starts(cluster.master, cores(cluster.master))
        with SparkExecutors(cluster, Work(_tools(), store.where, token)) as executors:
            watching.runs()
            Dispatcher(plan, store, executors, watching, prune).run()


def _tools() -> Tools:
    # Executors have working folders of their own.
    find = partial(catalogue.find_from, Path.cwd(), find_with_room)
    return Tools(find, describe, specifications.point, catalogue.is_built_in)


def cluster_of(
    asked: Asked, plan: Plan, store: Store, master: str, ship: bool, settings: Mapping[str, str]
) -> Cluster:
    """Where a sweep runs, and what its executors are sent."""
    paths = [Path(job.protocol.rpartition(":")[0]) for job in plan.jobs]
    files = tuple(dict.fromkeys(path for path in paths if path.suffix == ".py"))
    files += _texts(asked)
    return Cluster(master, ship, _log(store), files, settings)


def _log(store: Store) -> Path:
    """Where Spark's messages go: beside the rows, if that is a folder of this machine."""
    if store.folder is not None:
        return store.folder / "spark.log"
    return log_of("sweep")


def _texts(asked: Asked) -> tuple[Path, ...]:
    """Return the files of all specifications: their modules, and their configurations."""
    origins = [share.suite.origin for share in asked.shares]
    found = [file for one in origins if one is not None for file in one.files()]
    return tuple(dict.fromkeys(found))


def write_reports(
    asked: Asked,
    store: Store,
    rows: Sequence[Row],
    before: int,
    seconds: float,
    totals: Totals,
) -> dict[str, str]:
    """Write the table and both reports, and return where they are.

    ``before`` of the sweep's answers were in the directory when it began.
    """
    written, rows = rows, listed(rows)
    traces = {row["trace"]: _text(store.evidence(row)["trace"]) for row in rows if row["trace"]}
    facts = _facts(asked, totals, before, seconds)
    names = Glossary.of([share.suite for share in asked.shares], rows)
    # Typer has taken the words apart; what was typed is what can be typed again.
    again = shlex.join(["bmc", *sys.argv[1:]])
    text = markdown(rows, traces, names, facts, again, totals)
    page = html(rows, traces, names, facts, again, totals)
    return {
        "table": store.place.shown("table") if totals.files else store.table(written),
        "markdown": store.write("report.md", text.encode()),
        "html": store.write("report.html", page.encode()),
        **_campaign(asked, store, written),
    }


def listed(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that a report lists: of walks one a claim, for all seeds together."""
    others = [row for row in rows if row["seeds"] is None]
    return [*others, *(row for one in walked(rows) for row in one.by_claim())]


def _campaign(asked: Asked, store: Store, rows: Sequence[Row]) -> dict[str, str]:
    """Write what became of the variants of protocols, if any were asked about."""
    if asked.seeds:
        found = [
            {"row": one.rows[0], "claims": one.claims, "met": json.loads(one.met.to_json())}
            for one in walked(rows)
        ]
        return {"campaign": store.write("campaign.md", walks_page(found).encode())}
    variants = [share.suite for share in asked.shares if parted(share.suite.name)[1]]
    if not variants:
        return {}
    abouts = {one.name: one.fault_text for one in variants if isinstance(one, MutatedSuite)}
    names = [one.name for one in variants]
    return {"campaign": store.write("campaign.md", campaign(names, abouts, rows).encode())}


def digested(
    asked: Asked, plan: Plan, store: Store, cluster: Cluster, known: Iterable[Row]
) -> tuple[Totals, list[Row]]:
    """Have a cluster count more rows than this process should read.

    ``known`` are those there are, as far as they say what was asked.
    """
    from bmc.cli.shared.cluster_report import Current, digested, method_of

    methods = {(job.protocol, job.property): method_of(as_row(job)) for job in plan.jobs}
    now = Current(methods, Texts.of(asked.shares, plan.jobs, known))
    with SparkExecutors(cluster, Work(_tools(), store.where, "")) as executors:
        totals, rows = digested(executors, store.where, now)
    return totals, list(rows)


def _rechecked(totals: Totals, before: int) -> str:
    said = (
        f"{count(totals.counts['proved'], 'proof')} by another solver and "
        f"{count(totals.traces, 'trace')} by replay, each by the job that found it"
    )
    if before:
        said += (
            f"; {count(before, 'answer')} of earlier runs were as they were written, and their "
            "evidence was not judged again"
        )
    return f"{said} (bmc sweep verify DIR does so for all)"


def _text(path: Path) -> str:
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["text"])
    except (OSError, ValueError, KeyError):
        return ""


def _facts(asked: Asked, totals: Totals, before: int, seconds: float) -> dict[str, str]:
    method, limits = asked.method, asked.limits
    how = engine_of_row(method.engine).about.format(depth=method.depth)
    if asked.seeds:
        first, last = asked.seeds[0], asked.seeds[-1]
        how += f", {count(first.walks, 'walk')} with each seed of {first.first}..{last.last}"
    else:
        how += f" with {method.solver}, lemmas {'on' if method.lemmas else 'off'}"
    finished = totals.finished
    return {
        "method": how,
        "limits": f"{limits.timeout:g} seconds and {limits.memory_mb} MB a job",
        "solver seconds in all": f"{totals.seconds:.1f}",
        "this run": f"{seconds:.1f} seconds",
        "re-checked": _rechecked(totals, before),
        "rows finished": f"{finished[0]:%Y-%m-%d %H:%M} to {finished[1]:%Y-%m-%d %H:%M} UTC"
        if finished
        else "none",
        "hosts": ", ".join(totals.hosts) or "none",
        "versions": "; ".join(totals.tools),
    }


__all__ = [
    *("Asked", "Campaign", "cluster_of", "cores", "digested", "known_rows", "listed", "planned"),
    *("run", "settings_of", "write_reports"),
]
