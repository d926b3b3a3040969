r"""The temporal properties of published models, each model decided by `bmc prove` as a process.

    python benchmarks/tla_temporal.py --corpus DIR [--tlc COMMAND] [--only WORD] [--skip WORD,WORD]
        [--seconds 100]

DIR is a checkout of tlaplus/Examples. A model of its manifests counts whose configuration names
temporal properties that bmc translates; those that it does not are listed with the reason. Where
the manifest calls the search a success, TLC found no property violated, so that `violated` is a
disagreement; where it says `liveness failure` one has to be. With --tlc TLC is run too, with one
worker, and its seconds stand beside. A disagreement is exit code 1.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tla_corpus import Model
from whole_process import run

from bmc.frontends.tla.errors import TlaError
from bmc.frontends.tla.suite import suite_of
from bmc.lang.errors import LanguageError


def configured(corpus: Path) -> Iterator[Model]:
    """Yield the models of all states whose configuration names a PROPERTY."""
    for manifest in sorted(corpus.glob("specifications/*/manifest.json")):
        for module in json.loads(manifest.read_text())["modules"]:
            for model in module["models"]:
                file = corpus / model["path"]
                text = re.sub(r"\\\*.*", "", file.read_text())
                if model["mode"] == "exhaustive search" and re.search(r"\bPROPERT", text):
                    yield Model(corpus / module["path"], file, None, None, model["result"])


def temporal(model: Model) -> tuple[list[str], list[str]]:
    """Return the temporal properties that are translated, and what is said of the others."""
    try:
        suite = suite_of(model.name, model.module, model.configuration)
    except (TlaError, LanguageError) as error:
        return [], [f"{type(error).__name__} {str(error).splitlines()[0]}"]
    assert suite.origin is not None
    names = [one.name for one in suite.temporal]
    return names, [note for note in suite.origin.notes(names) if "NOT checked" in note]


def decided(model: Model, names: list[str], seconds: float) -> tuple[dict[str, str], float]:
    """Return the verdict of each property, and the seconds of processors."""
    asked = [word for name in names for word in ("-P", name)]
    limits = ("--engine", "explicit", "--timeout", str(seconds), "--json")
    where = (str(model.module), "--config", str(model.configuration))
    command = [sys.executable, "-m", "bmc", "prove", *where, *limits, *asked]
    done = run(command, 2 * seconds)
    try:
        results = json.loads(done.output).get("results", ())
    except json.JSONDecodeError:
        results = ()
    found = {one["property"]: one["verdict"] for one in results}
    return {name: found.get(name, "unknown") for name in names}, done.processor


def told(tlc: list[str], model: Model, seconds: float) -> str:
    """Return what TLC says of a model, and its seconds of processors."""
    with tempfile.TemporaryDirectory() as folder:
        files = ("-metadir", folder, "-config", str(model.configuration), str(model.module))
        done = run([*tlc, "-workers", "1", "-noGenerateSpecTE", *files], seconds)
    if "No error has been found" in done.output:
        said = "proved"
    elif re.search(r"[Tt]emporal propert.* violated", done.output):
        said = "violated"
    else:
        said = "stopped" if done.stopped else "unknown"
    return f"{said} {done.processor:.1f} |"


def main() -> int:
    """Print a row for each model and what was decided in all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, required=True, help="a checkout of tlaplus/Examples")
    parser.add_argument("--tlc", help="TLC's command; without it the manifests alone are asked")
    parser.add_argument("--only", default="", help="models with this in their name")
    parser.add_argument("--skip", default="", help="words; no model with one of them in its name")
    parser.add_argument("--seconds", type=float, default=100.0, help="limit for a model")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    wrong = 0
    for model in configured(given.corpus.resolve()):
        skipped = any(word in model.name for word in filter(None, given.skip.split(",")))
        if given.only not in model.name or skipped:
            continue
        names, others = temporal(model)
        for note in others:
            print(f"{model.name}: {note}", flush=True)
        if not names:
            continue
        verdicts, spent = decided(model, names, given.seconds)
        counts.update(verdicts.values())
        refuted = "violated" in verdicts.values()
        disagree = refuted and model.result == "success"
        missed = model.result == "liveness failure" and set(verdicts.values()) == {"proved"}
        wrong += disagree or missed
        row = f"| {model.name} | {model.result} | "
        row += ", ".join(f"{name} {verdict}" for name, verdict in verdicts.items())
        row += f" | {spent:.1f} |"
        if given.tlc is not None:
            row += f" {told(shlex.split(given.tlc), model, given.seconds)}"
        print(row, flush=True)
    print(", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items())))
    print(f"disagreements: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
