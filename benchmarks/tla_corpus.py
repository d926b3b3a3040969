"""How the TLA+ front end fares on a folder of published specifications.

    python benchmarks/tla_corpus.py --corpus DIR [--up-to 20000] [--seconds 60] [--only NAME]

DIR is a checkout of tlaplus/Examples: its manifests name each model's configuration, the number of
states that TLC finds, and whether it meets a violation. Each model is read and explored by the
evaluator of `bmc.frontends.tla.oracle` in a process of its own. The table says, for each, whether
the number is the published one; it ends with how many are. With --compare the translated model is
compared with the text instead: steps, actions' names and properties at every one of the first
thousand states. With --read it is only said how many texts below DIR are parsed (DIR may be any
folder then), and of how many models every name resolves.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path

VIOLATIONS = ("safety failure", "deadlock failure")


@dataclass(frozen=True)
class Model:
    """A model of a manifest: a module at a configuration, and what TLC finds there."""

    module: Path
    configuration: Path
    distinct: int | None
    generated: int | None
    result: str

    @property
    def name(self) -> str:
        return f"{self.configuration.parent.name}/{self.configuration.stem}"


@dataclass(frozen=True)
class Row:
    """What the evaluator says of a model: `outcome` is one of OUTCOMES, `detail` the reason."""

    name: str
    outcome: str
    expected: int | None
    distinct: int | None
    generated: int | None
    depth: int | None
    seconds: float
    detail: str = ""


OUTCOMES = ("equal", "different", "violated", "unsupported", "too slow", "too small", "failed")
COMPARED = 1_000  # states at which a translation is compared


def models(corpus: Path) -> Iterator[Model]:
    """Yield the models that a manifest gives a positive count, or an exhaustive violation."""
    for manifest in sorted(corpus.glob("specifications/*/manifest.json")):
        for module in json.loads(manifest.read_text())["modules"]:
            for model in module["models"]:
                violated = model["result"] in VIOLATIONS and model["mode"] == "exhaustive search"
                if model.get("distinctStates") or violated:
                    yield Model(
                        corpus / module["path"],
                        corpus / model["path"],
                        model.get("distinctStates"),
                        model.get("totalStates"),
                        model["result"],
                    )


def evaluate(model: Model, seconds: float) -> Row:
    """Explore a model with the evaluator."""
    from bmc.frontends.tla.errors import TlaError
    from bmc.frontends.tla.load import load
    from bmc.frontends.tla.oracle.errors import EvaluationLimit
    from bmc.frontends.tla.oracle.machine import Machine
    from bmc.frontends.tla.oracle.search import Search

    start = time.process_time()

    def row(outcome: str, detail: str = "", **found: int) -> Row:
        counts = {"distinct": None, "generated": None, "depth": None, **found}
        spent = time.process_time() - start
        return Row(model.name, outcome, model.distinct, **counts, seconds=spent, detail=detail)

    try:
        machine = Machine(load(model.module, model.configuration))
        with machine.limited(seconds):
            explored = Search(machine, symmetry=True).run()
    except EvaluationLimit as limit:
        slow = "no answer after" in limit.message
        return row("too slow" if slow else "unsupported", str(limit).splitlines()[0])
    except TlaError as error:
        return row("unsupported", f"{type(error).__name__} {str(error).splitlines()[0]}")
    found = {
        "distinct": explored.distinct,
        "generated": explored.generated,
        "depth": explored.depth,
    }
    if explored.violation is not None:
        broken = f"{explored.violation.property}, {len(explored.violation.steps)} states"
        expected = model.result in VIOLATIONS
        return row("violated" if expected else "different", broken, **found)
    if model.distinct is None:
        return row("different", "no violation", **found)
    return row("equal" if explored.distinct == model.distinct else "different", **found)


def compare(model: Model, seconds: float) -> Row:
    """Compare the translation of a model with its text, at every state of the first thousands."""
    from bmc.frontends.tla.agreement import Disagreement, compare_reachable
    from bmc.frontends.tla.errors import TlaError
    from bmc.frontends.tla.load import load
    from bmc.frontends.tla.oracle.errors import EvaluationLimit
    from bmc.frontends.tla.oracle.machine import Machine
    from bmc.frontends.tla.oracle.search import Search
    from bmc.frontends.tla.samples import Samples
    from bmc.frontends.tla.translate.model import translate
    from bmc.frontends.tla.translated_model import TranslatedModel
    from bmc.lang.errors import LanguageError

    start = time.process_time()

    def row(outcome: str, detail: str = "", states: int | None = None) -> Row:
        spent = time.process_time() - start
        return Row(model.name, outcome, model.distinct, states, None, None, spent, detail)

    try:
        specification = load(model.module, model.configuration)
        search = Search(Machine(specification))
        translation = translate(specification, samples=Samples(specification))
        translated = TranslatedModel(translation)
        with search.machine.limited(seconds):
            compared = compare_reachable(search, translated, COMPARED)
    except EvaluationLimit as limit:
        slow = "no answer after" in limit.message
        return row("too slow" if slow else "unsupported", str(limit).splitlines()[0])
    except Disagreement as found:
        return row("different", str(found))
    except (TlaError, LanguageError) as error:
        return row("unsupported", f"{type(error).__name__} {str(error).splitlines()[0]}")
    outcome = "equal" if compared.states and not compared.skipped else "too small"
    return row(outcome, f"{compared.skipped} outside of the sorts", compared.states)


def _serve(
    connection: Connection, work: Callable[[Model, float], Row], model: Model, seconds: float
) -> None:
    connection.send(work(model, seconds))


def alone(work: Callable[[Model, float], Row], model: Model, seconds: float) -> Row:
    """Do `work` on a model in a process of its own, which may die or hang without harm."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(
        target=_serve, args=(theirs, work, model, seconds), daemon=True
    )
    process.start()
    theirs.close()
    try:
        if ours.poll(seconds * 2 + 60):
            row: Row = ours.recv()
            return row
        outcome = "too slow"
    except EOFError:
        outcome = "failed"
    finally:
        process.kill()
        process.join()
    return Row(model.name, outcome, model.distinct, None, None, None, seconds)


def line(row: Row) -> str:
    """Return a row as one of a Markdown table."""
    cells = (
        row.name,
        row.outcome,
        row.expected,
        row.distinct,
        row.generated,
        row.depth,
        f"{row.seconds:.1f}",
        row.detail,
    )
    return "| " + " | ".join("" if cell is None else str(cell) for cell in cells) + " |"


def read(corpus: Path) -> int:
    """Say how many texts below a folder are parsed, and of how many models every name resolves."""
    from bmc.frontends.tla.errors import TlaError
    from bmc.frontends.tla.load import load
    from bmc.frontends.tla.syntax import parse

    refused: list[str] = []
    files = sorted(corpus.rglob("*.tla"))
    for file in files:
        try:
            parse(file.read_text(encoding="utf-8"), str(file))
        except (TlaError, UnicodeDecodeError) as error:
            refused.append(str(error))
    parsed = len(files) - len(refused)
    configured = [
        (corpus / module["path"], corpus / model["path"])
        for manifest in sorted(corpus.glob("specifications/*/manifest.json"))
        for module in json.loads(manifest.read_text())["modules"]
        for model in module["models"]
    ]
    resolved = 0
    for module, configuration in configured:
        try:
            load(module, configuration)
            resolved += 1
        except TlaError as error:
            refused.append(str(error))
    print("| read | of | |")
    print("|--:|--:|---|")
    print(f"| {parsed} | {len(files)} | files parsed |")
    print(f"| {resolved} | {len(configured)} | models of which every name resolves |")
    print("\n".join(["", *refused]))
    return 1 if refused else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, required=True, help="a checkout of tlaplus/Examples")
    parser.add_argument("--from", dest="least", type=int, default=0, help="least published count")
    parser.add_argument("--up-to", type=int, default=20_000, help="largest published count")
    parser.add_argument("--seconds", type=float, default=60, help="limit for a model")
    parser.add_argument("--only", default="", help="models with this in their name")
    parser.add_argument(
        "--compare", action="store_true", help="compare the translation with the text instead"
    )
    parser.add_argument("--read", action="store_true", help="say what can be read at all instead")
    parser.add_argument("--json", type=Path, help="write the rows here as well")
    options = parser.parse_args()
    if options.read:
        return read(options.corpus)
    chosen = [
        model
        for model in models(options.corpus)
        if options.least <= (model.distinct or 0) <= options.up_to and options.only in model.name
    ]
    print("| model | outcome | TLC | states | generated | depth | seconds | |")
    print("|---|---|--:|--:|--:|--:|--:|---|", flush=True)
    rows = []
    for model in sorted(chosen, key=lambda model: (model.distinct or 0, model.name)):
        rows.append(alone(compare if options.compare else evaluate, model, options.seconds))
        print(line(rows[-1]), flush=True)
    tally = Counter(row.outcome for row in rows)
    print()
    print(", ".join(f"{outcome} {tally[outcome]}" for outcome in OUTCOMES if tally[outcome]))
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return 1 if tally["different"] or tally["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
