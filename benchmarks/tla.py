"""TLC and Apalache on the published specifications: what they are asked, and what they answer.

BMC_TLC_JAR and BMC_APALACHE name their jars. BMC_TLA names the folders in which the modules are
found, separated as in PATH: that of hachikuji/kafka-specification, and `data/tla` of
elastic/elasticsearch-formal-models. Apalache wants types, which the published modules do not say:
BMC_APALACHE_TLA names the folders of an annotated copy, which it is run on instead. (The text of
kafka_transactions_for_web.tla has lost its indentation, so that TLC cannot parse it.) What is run
is a copy of the module, which ends with two more definitions: what is interchangeable, and the
state constraint. A module that extends the published one would not do, because some keep their Next
to themselves.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from whole_process import Run, run

KAFKA = {
    "kafka": "Kip320",
    "kafka-kip320": "Kip320",
    "kafka-kip320-first-try": "Kip320FirstTry",
    "kafka-kip279": "Kip279",
    "kafka-kip101": "Kip101",
    "kafka-truncate-to-hw": "KafkaTruncateToHighWatermark",
}
TLC, APALACHE = "BMC_TLC_JAR", "BMC_APALACHE"
FOLDERS, ANNOTATED = "BMC_TLA", "BMC_APALACHE_TLA"


@dataclass(frozen=True)
class Specification:
    """A published module at parameters; ``constants`` and ``constraint`` are TLA+.

    ``sets`` are constants that are sets of so many interchangeable model values, ``itself`` those
    that are model values.
    """

    module: str
    constants: Mapping[str, int] = field(default_factory=dict)
    sets: Mapping[str, int] = field(default_factory=dict)
    itself: Sequence[str] = ()
    constraint: str = ""
    symmetric: Sequence[str] = ()

    def folder(self, folders: str = FOLDERS) -> Path | None:
        """Where the module is, if one of the folders that a variable names has it."""
        given = [Path(f) for f in os.environ.get(folders, "").split(os.pathsep) if f]
        return next((f for f in given if (f / f"{self.module}.tla").is_file()), None)

    def write(
        self, files: Path, invariant: str = "", *, symmetry: bool = False, folders: str = FOLDERS
    ) -> Path:
        """The copy of the module in ``files``, with its configuration beside it."""
        folder = self.folder(folders)
        if folder is None:
            raise FileNotFoundError(f"{self.module}.tla is in no folder of {folders}")
        images = " \\union ".join(f"Permutations({name})" for name in self.symmetric)
        more = ["LOCAL INSTANCE TLC", f"Interchangeable == {images}"] if symmetry else []
        more += [f"Inside == {self.constraint}"] if self.constraint else []
        text = (folder / f"{self.module}.tla").read_text(encoding="utf-8")
        body, end, _ = re.split(r"^(====+)", text, maxsplit=1, flags=re.MULTILINE)
        module = files / f"{self.module}.tla"
        module.write_text("\n".join([body, *more, end, ""]), encoding="utf-8")
        values = [f"{name} = {value}" for name, value in self.constants.items()]
        values += [f"{name} = {{{_members(name, n)}}}" for name, n in self.sets.items()]
        values += [f"{name} = {name}" for name in self.itself]
        config = ["CONSTANTS", *(f"  {value}" for value in values), "INIT Init", "NEXT Next"]
        config += ["SYMMETRY Interchangeable"] if symmetry else []
        config += ["CONSTRAINT Inside"] if self.constraint else []
        config += [f"INVARIANT {invariant}"] if invariant else []
        module.with_suffix(".cfg").write_text("\n".join([*config, ""]))
        return module


def specification(protocol: str, parameters: Mapping[str, int]) -> Specification:
    """The published specification behind a protocol of `bmc`. Raises KeyError where none is."""
    p = parameters
    if protocol in KAFKA:
        return Specification(
            KAFKA[protocol],
            {
                "LogSize": p["log_size"],
                "MaxRecords": p["max_records"],
                "MaxLeaderEpoch": p["max_leader_epoch"],
            },
            {"Replicas": p["replicas"]},
            symmetric=("Replicas",),
        )
    if protocol == "elasticsearch":
        kinds = ("Replication", "TrimTranslog", "Primary", "Replica", "Unassigned", "Nil")
        return Specification(
            "replication",
            sets={"Nodes": p["nodes"], "DocumentIds": p["document_ids"]},
            itself=kinds,
            constraint=f"nextClientValue <= {p['max_client_value']}"
            f" /\\ Cardinality(messages) <= {p['max_messages']}"
            " /\\ 0 < Cardinality(Assigned(clusterStateOnMaster.routingTable))",
            symmetric=("Nodes", "DocumentIds"),
        )
    raise KeyError(protocol)


def missing(variable: str, *specifications: Specification, folders: str = FOLDERS) -> str:
    """What is not given, in words; nothing where everything is."""
    wanted = [name for name in (variable, folders) if not os.environ.get(name)]
    if wanted:
        return f"not given: {' and '.join(wanted)}"
    unknown = sorted({s.module for s in specifications if s.folder(folders) is None})
    return f"not in {folders}: {', '.join(unknown)}" if unknown else ""


def apalaches() -> str:
    """The variable of the folders that Apalache's modules are in: an annotated copy, if one is."""
    return ANNOTATED if os.environ.get(ANNOTATED) else FOLDERS


def tlc(
    one: Specification, files: Path, invariant: str = "", *, symmetry: bool = False
) -> list[str]:
    """TLC's command: one worker, dead ends allowed. What it needs is written to ``files``."""
    module = one.write(files, invariant, symmetry=symmetry)
    return [
        *("java", "-XX:+UseParallelGC", f"-DTLA-Library={one.folder()}"),
        *("-cp", os.environ[TLC], "tlc2.TLC", "-workers", "1", "-deadlock", "-cleanup"),
        *("-noGenerateSpecTE", "-metadir", str(files / "states"), str(module)),
    ]


def apalache(one: Specification, files: Path, invariant: str, depth: int) -> list[str]:
    """Apalache's command: dead ends allowed, so many steps."""
    folders = apalaches()
    module = one.write(files, invariant, folders=folders)
    return [
        *("java", f"-DTLA-Library={one.folder(folders)}", "-jar", os.environ[APALACHE], "check"),
        *(f"--length={depth}", "--no-deadlock", f"--out-dir={files / 'apalache'}"),
        *(f"--config={module.with_suffix('.cfg')}", str(module)),
    ]


def tlc_says(done: Run) -> str:
    """TLC's verdict on the invariant; whatever else it complains of is a failure, not an answer."""
    said = done.output
    if re.search(r"^Error: Invariant \w+ is violated by the initial state", said, re.MULTILINE):
        return "violated at 0 steps"
    if re.search(r"^Error: Invariant \w+ is violated\.", said, re.MULTILINE):
        states = re.findall(r"^State (\d+): ", said, re.MULTILINE)
        return f"violated at {int(states[-1]) - 1} steps" if states else "violated"
    error = re.search(r"^(?:Error: .*|.*Exception.*)", said, re.MULTILINE)
    if error:
        return f"failed: {' '.join(error[0].split())[:100]}"
    ended = "Model checking completed. No error has been found." in said
    return "proved" if ended and distinct(done) is not None else "unknown"


def distinct(done: Run) -> int | None:
    """TLC's count of distinct states in the end, if it came there and left none on the queue."""
    counted = r"^[\d,]+ states generated, ([\d,]+) distinct states found, 0 states left on queue\."
    found = re.search(counted, done.output, re.MULTILINE)
    return int(found[1].replace(",", "")) if found else None


def apalache_says(done: Run) -> str:
    """Apalache's verdict up to its depth: what it has not seen, it has not proved."""
    found = re.search(r"State (\d+): state invariant \d+.* violated\.", done.output)
    if found:
        return f"violated at {found[1]} steps"
    clean = re.search(r"no error up to computation length (\d+)", done.output)
    if clean and "EXITCODE: OK" in done.output:
        return f"nothing up to {clean[1]} steps"
    error = re.search(r"^(.*?)\s+E@[\d:.]+$", done.output, re.MULTILINE)
    return f"failed: {' '.join(error[1].split())[:100]}" if error else "unknown"


def tlc_version() -> str:
    """TLC's banner, or that it is not given."""
    if not os.environ.get(TLC):
        return "not given"
    said = run(["java", "-cp", os.environ[TLC], "tlc2.TLC", "-h"], 30).output
    found = re.search(r"Version (.*)", said)
    return found[1].strip() if found else "unknown"


def _members(constant: str, count: int) -> str:
    return ", ".join(f"{constant}{number}" for number in range(1, count + 1))
