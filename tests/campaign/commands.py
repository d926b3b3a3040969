"""A random protocol as a user's file: proved, certified, swept and locked by the commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from bmc.cli.shared.user_file import load
from bmc.evidence.verdict import Verdict
from bmc.lang import Protocol
from bmc.sweep.job import Job, JobLimits, Method, identity_of
from bmc.sweep.runner import Tools, run_job
from tests.campaign.engines import Disagreement, Tally, Truth
from tests.cli.running import ROOT, bmc

FILE = """
from tests.campaign.commands import numbered

Random = numbered({number})
"""


def numbered(number: int) -> type[Protocol]:
    """Return the protocol that is drawn by a number, its claims in the class."""
    from tests.campaign.campaign import truth_numbered

    suite = truth_numbered(number).suite
    stated = {d.name: d for d in (*suite.properties, *suite.lemmas)}
    return type("Random", (suite.protocol,), {"__module__": __name__, **stated})


def by_commands(truth: Truth, tally: Tally) -> None:
    """What the commands say of the protocol, each in a process of its own where that matters."""
    number = truth.plan.number
    if number is None:
        raise Disagreement("only what was drawn by a number is in a file")
    if truth.plan.ghost is not None:
        # A class carries no history.
        tally.verdicts["commands: not with a history"] += 1
        return
    given = [word for n, v in truth.plan.parameters.items() for word in ("-p", f"{n}={v}")]
    with TemporaryDirectory() as folder, chdir(folder):
        Path("drawn.py").write_text(FILE.format(number=number), encoding="utf-8")
        _proved(truth, given, tally)
        _swept(truth, tally)
        _locked(given, tally)


def _proved(truth: Truth, given: list[str], tally: Tally) -> None:
    engine = ("--engine", "kinduction", "--timeout", "60", "--json")
    told = bmc("prove", "drawn.py:Random", *given, *engine, "--certificate", "proof.json")
    for one in json.loads(told.out)["results"]:
        _require(truth, one["property"], Verdict(one["verdict"]), "bmc prove", tally)
    if Path("proof.json").exists():
        again = _apart("certify", "proof.json", "--protocol", "drawn.py:Random")
        if again.returncode not in (0, 3):
            raise Disagreement(f"certify exits {again.returncode}: {again.stdout}{again.stderr}")
        tally.verdicts[f"bmc certify exits {again.returncode}"] += 1


def _apart(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bmc", *words]
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": paths}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def _swept(truth: Truth, tally: Tally) -> None:
    """Each claim as a job of a sweep, without Spark."""
    tools = Tools(load, lambda suite, parameters, result: "")
    suite = tools.find("drawn.py:Random")
    for name in list(truth.fails)[:2]:
        identity = identity_of(suite, name, METHOD)
        values = truth.plan.parameters
        job = Job("drawn.py:Random", values, name, METHOD, LIMITS, identity, "these", 64)
        row = run_job(tools, job).row
        _require(truth, name, Verdict(row["verdict"]), "a sweep", tally)


METHOD = Method("ic3", 8, "cadical", lemmas=True)
LIMITS = JobLimits(60.0, 4096)


def _locked(given: list[str], tally: Tally) -> None:
    one = ("regress", "--protocol", "drawn.py:Random", *given, "--timeout", "60")
    written = bmc(*one, "--update")
    if written.code not in (0, 3):
        raise Disagreement(f"regress --update exits {written.code}: {written.out}{written.err}")
    if written.code == 0:
        again = bmc(*one)
        if again.code != 0:
            raise Disagreement(f"regress exits {again.code} on its own lock: {again.out}")
    tally.verdicts[f"a lock exits {written.code}"] += 1


def _require(truth: Truth, name: str, verdict: Verdict, who: str, tally: Tally) -> None:
    tally.verdicts[f"{who} {verdict.value}"] += 1
    fails = truth.fails[name]
    beyond = truth.found.overflow is not None
    if verdict is Verdict.PROVED and (fails is not None or beyond):
        raise Disagreement(f"{who} says proved of {name}, which fails at {fails}")
    if verdict is Verdict.VIOLATED and fails is None:
        raise Disagreement(f"{who} says violated of {name}, which holds")
