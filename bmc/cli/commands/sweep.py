"""`bmc sweep`: every choice of parameters on a grid, on Spark, with a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from bmc.cli.commands.sweep_verify import verify
from bmc.cli.shared import outcome
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.options import (
    SOLVER,
    AllOption,
    JsonOption,
    ParameterOption,
    PropertyOption,
    SolverOption,
    VerboseOption,
    engines_offered,
)
from bmc.cli.shared.specifications import for_specifications

if TYPE_CHECKING:
    from bmc.cli.commands.sweep_run import Asked
    from bmc.reports.sweeps.totals import Totals
    from bmc.sweep.plan import Plan
    from bmc.sweep.spark import Cluster
    from bmc.sweep.store import Store


class _RunUnlessNamed(TyperGroup):
    """A group whose command is `run` unless another one is named: `bmc sweep kafka …`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or args[0] not in self.commands:
            args = ["run", *args]
        return super().parse_args(ctx, args)


sweep = typer.Typer(
    cls=_RunUnlessNamed,
    help="Decide properties at every choice of parameters on a grid; verify the evidence.",
)
sweep.command("verify")(verify)


@sweep.command("run")
@for_specifications
def run_sweep(
    protocols: Annotated[
        list[str],
        typer.Argument(
            metavar="PROTOCOL...",
            help="Spec.tla, path/to/file.py:ClassName, or names; several share the grid.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Where rows, evidence and reports go: a path, or a URI (s3://, hdfs://, gs://).",
        ),
    ],
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid", metavar="NAME=VALUES", help="An axis: 2..4, 1..9:2 or 1,2,8; repeatable."
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where", metavar="CONDITION", help='As in "max_records <= log_size"; repeatable.'
        ),
    ] = None,
    properties: PropertyOption = None,
    parameters: ParameterOption = None,
    every: AllOption = False,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="ENGINE",
            help=f"{engines_offered(proving=False)} Else ic3, for temporal claims explicit.",
        ),
    ] = None,
    bound: Annotated[
        int | None,
        typer.Option(
            "--k",
            "--depth",
            help="The greatest depth of induction or search, else 10; the steps of a walk, else "
            "100.",
            show_default=False,
        ),
    ] = None,
    no_lemmas: Annotated[
        bool, typer.Option("--no-lemmas", help="Prove without the protocol's lemmas.")
    ] = False,
    solver: SolverOption = SOLVER,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", help="The most a job may take.")
    ] = 300.0,
    memory: Annotated[
        int, typer.Option("--memory", metavar="MB", help="The address space a job may take.")
    ] = 4096,
    prune: Annotated[
        bool,
        typer.Option(
            "--prune", help="Imply violations at larger values of parameters declared monotone."
        ),
    ] = False,
    mutants: Annotated[
        bool,
        typer.Option("--mutants", help="Also ask about each protocol with one fault in it, each."),
    ] = False,
    lemma_subsets: Annotated[
        bool,
        typer.Option("--lemma-subsets", help="Also ask without each of the lemmas, one at a time."),
    ] = False,
    seeds: Annotated[
        str | None,
        typer.Option(
            "--seeds", metavar="N..M", help="Walk at random with each of these seeds instead."
        ),
    ] = None,
    walks: Annotated[
        int | None,
        typer.Option(
            "--walks", metavar="N", help="Of --seeds: how many walks each takes, else 1000."
        ),
    ] = None,
    seeds_a_job: Annotated[
        int | None,
        typer.Option(
            "--seeds-a-job", metavar="N", help="Of --seeds: how many a job takes, else 10."
        ),
    ] = None,
    master: Annotated[
        str, typer.Option("--master", metavar="URL", help="Spark's master.")
    ] = "local[*]",
    ship: Annotated[
        bool, typer.Option("--ship", help="Send bmc to executors that do not have it.")
    ] = False,
    spark: Annotated[
        list[str] | None,
        typer.Option("--spark", metavar="NAME=VALUE", help="A setting of Spark; repeatable."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the jobs, their sizes and an estimate.")
    ] = False,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Decide properties at every choice of parameters on a grid.

    One job a property and choice, on Spark; a row in DIR as each one finishes; report.html and
    report.md at the end. Run again, it does what is missing; of what is there, only what is as it
    was written is believed. `bmc sweep verify DIR` judges the evidence again.
    """
    with Answer("sweep", as_json, verbose) as answer:
        from bmc.cli.commands.sweep_run import Asked, Campaign
        from bmc.engines.task import OptionError

        if (mutants, lemma_subsets, seeds is not None).count(True) > 1:
            raise OptionError(
                "--mutants, --lemma-subsets and --seeds are campaigns of their own: ask for one"
            )
        if seeds is None and (walks is not None or seeds_a_job is not None):
            raise OptionError("--walks and --seeds-a-job are of random walks: give --seeds, too")
        words = tuple(protocols), grid or (), where or (), properties, parameters or (), every
        campaign = Campaign.MUTANTS if mutants else None
        asked = Asked.of(*words, Campaign.LEMMA_SUBSETS if lemma_subsets else campaign)
        if seeds is None:
            depth = 10 if bound is None else bound
            asked = asked.by(engine, depth, solver, not no_lemmas, timeout, memory)
            if bound is not None and asked.method.engine == "explicit":
                raise OptionError(
                    "--engine explicit looks at every state, however deep: leave --depth out, or "
                    "write --engine check (of temporal claims: lasso)"
                )
            if asked.method.engine == "explicit" and (no_lemmas or solver != SOLVER):
                raise OptionError(
                    "--engine explicit looks at every state, with no lemma and no solver: leave "
                    "--no-lemmas and --solver out"
                )
        elif engine is not None or prune or no_lemmas or solver != SOLVER:
            raise OptionError(
                "--seeds walks at random: it takes neither --engine nor --prune, --solver or "
                "--no-lemmas"
            )
        else:
            depth = 100 if bound is None else bound
            each, a_job = (
                1000 if walks is None else walks,
                10 if seeds_a_job is None else seeds_a_job,
            )
            asked = asked.walking(seeds, each, a_job, depth, timeout, memory)
        if prune and asked.temporal:
            raise OptionError(
                "--prune is for claims of states: a lasso need not be one at larger values"
            )
        if dry_run:
            _show_plan(answer, asked, out, master)
        else:
            _sweep(answer, asked, out, master, ship, tuple(spark or ()), prune)


def _show_plan(answer: Answer, asked: Asked, out: str, master: str) -> None:
    from bmc.cli.commands.sweep_run import cores, known_rows, planned
    from bmc.reports.sweeps.page import plan_json, write_plan
    from bmc.sweep.estimate import SPARK_START, makespan

    plan = planned(asked, known_rows(out))
    jobs = [
        {
            "protocol": job.protocol,
            "parameters": dict(job.parameters),
            "property": job.property,
            **({} if job.seeds is None else {"seeds": job.seeds.text}),
            "state_bits": job.state_bits,
            "expected_seconds": round(plan.expected[job.key], 2),
            "done": job.key in plan.done,
        }
        for job in sorted(plan.jobs, key=lambda job: -plan.expected[job.key])
    ]
    workers = cores(master)
    left = sorted((plan.expected[job.key] for job in plan.todo), reverse=True)
    seconds = SPARK_START + makespan(left, workers) if left else 0.0
    if answer.as_json:
        answer.document(plan_json(jobs, plan.forms, workers, seconds))
    else:
        write_plan(answer.page, jobs, plan.forms, workers, seconds, answer.verbose)


def _sweep(
    answer: Answer,
    asked: Asked,
    out: str,
    master: str,
    ship: bool,
    spark: tuple[str, ...],
    prune: bool,
) -> None:
    from bmc.cli.commands.sweep_run import cluster_of, planned, run, settings_of
    from bmc.cli.shared.progress import to_stderr
    from bmc.cli.shared.sweep_files import require_own_files
    from bmc.evidence.wording import count
    from bmc.sweep.dispatch import ClusterLost
    from bmc.sweep.places import StoreFull, place
    from bmc.sweep.store import BRIEF, TO_PRUNE, Store

    settings = settings_of(spark)
    there = place(out)
    require_own_files(there)
    store = Store(there)
    found = store.scan(TO_PRUNE if prune else BRIEF)
    if found.changed:
        to_stderr(
            f"bmc sweep: {count(len(found.changed), 'row')} in {out} or their evidence are not as "
            "they were written, and are not used\n"
        )
    plan = planned(asked, found.believed.values())
    cluster = cluster_of(asked, plan, store, master, ship, settings)
    stopped: str | None = None
    try:
        run(asked, plan, store, cluster, prune, answer.as_json)
    except (ClusterLost, StoreFull) as error:
        stopped = str(error)
    except KeyboardInterrupt:
        stopped = "interrupted"
    _report(answer, asked, plan, store, cluster, stopped)


def _report(
    answer: Answer, asked: Asked, plan: Plan, store: Store, cluster: Cluster, stopped: str | None
) -> None:
    """Say what is known: of a sweep that was stopped, what is finished."""
    from bmc.cli.commands.sweep_run import digested, listed, write_reports
    from bmc.reports.sweeps.page import summary_json, write_summary
    from bmc.reports.sweeps.totals import MOST_LISTED, Totals
    from bmc.running.files import UnwritableFile
    from bmc.sweep.current import Texts, current
    from bmc.sweep.places import StoreError
    from bmc.sweep.store import QUESTION

    wanted = {job.key for job in plan.jobs}
    if len(wanted) > MOST_LISTED:
        known = store.scan(QUESTION).believed
        totals, rows = digested(asked, plan, store, cluster, known.values())
        mine: list[Any] = list(rows)
        missing = sum(job.key not in known for job in plan.jobs)
        shown = totals
    else:
        found = store.all()
        rows = current(found, plan.jobs, Texts.of(asked.shares, plan.jobs, found))
        totals = Totals.of(rows)
        mine = [row for row in rows if row["key"] in wanted]
        missing = len(wanted) - len(mine)
        shown = Totals.of(mine)
    if asked.seeds:
        totals = Totals.of(listed(rows))
    files: dict[str, str] = {}
    try:
        files = write_reports(asked, store, rows, len(plan.done), answer.seconds, totals)
    except (UnwritableFile, StoreError) as error:
        # The verdicts are told all the same.
        answer.also([error])
    answer.code = _worst(shown, missing)
    if answer.as_json:
        done = len(plan.done)
        answer.document(summary_json(mine, done, missing, stopped, files, shown))
        return
    write_summary(answer.page, listed(mine), len(plan.done), missing, stopped, shown)
    if files:
        answer.page.line(f"Reports: {files['html']} and {files['markdown']}")
    answer.cost()


def _worst(totals: Totals, missing: int) -> int:
    """The exit code of all answers together."""
    codes = [outcome.OK]
    codes += [outcome.FAILURE] if totals.failed else []
    codes += [outcome.VIOLATION] if totals.counts["violated"] else []
    codes += [outcome.UNKNOWN] if missing or totals.counts["unknown"] > totals.failed else []
    return outcome.worst(codes)
