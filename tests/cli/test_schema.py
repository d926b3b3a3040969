"""Every command that answers in JSON does so to the published schema, and to nothing beside it."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import typer

from bmc.cli.app import application
from bmc.sweep.job import key_of
from bmc.sweep.store import Store
from tests.cli.running import ROOT, bmc
from tests.regress.project import Project

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text(encoding="utf-8"))
WITHOUT_EVIDENCE = {
    "protocol": "id-sequence",
    "parameters": {"max_id": 1},
    "property": "TypeOk",
    "verdict": "unknown",
    "ended": "timeout",
    "asked": "kinduction",
    "bound": 10,
    "solver": "cadical",
    "lemmas": True,
    "timeout": 60.0,
    "memory_mb": 2048,
    "identity": "",
    "tools": "",
    "seeds": None,
    "finished": datetime(2026, 1, 1, tzinfo=UTC),
}
SMALL = ("id-sequence", "-p", "max_id=2")


def leaves(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The commands that do something, by their whole names."""
    for own, inner in getattr(command, "commands", {}).items():
        yield from leaves(inner, f"{name} {own}".strip())
    if not getattr(command, "commands", {}):
        yield name, command


def in_json() -> list[str]:
    return sorted(
        name
        for name, command in leaves(typer.main.get_command(application()))
        if any("--json" in option.opts for option in command.params)
    )


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, ...]]:
    """A small question to each command."""
    folder = tmp_path_factory.mktemp("asked")
    swept = folder / "swept before"
    Store(swept).add({"key": key_of(WITHOUT_EVIDENCE), **WITHOUT_EVIDENCE})
    proof, trace = folder / "proof.json", folder / "trace.itf.json"
    violated = ("replicated-log-retention", "-p", "replicas=2", "-P", "TypeOk")
    out = ("--out", str(folder / "swept"))
    one = ("prove", *SMALL, "--engine", "kinduction", "--certificate", str(proof))
    log, mapping = folder / "log.ndjson", folder / "map.toml"
    log.write_text('{"event": "next"}\n', encoding="utf-8")
    mapping.write_text('event = [{ name = "next", actions = ["NextId"] }]\n', encoding="utf-8")
    return {
        "list": ("list",),
        "prove": one,
        "check": ("check", *violated, "--depth", "4", "--trace", str(trace)),
        "explore": ("explore", *SMALL, "-P", "TypeOk"),
        "simulate": ("simulate", *SMALL, "--walks", "2"),
        "cover": ("cover", *SMALL),
        "testgen": ("testgen", *SMALL, "--out", str(folder / "executions")),
        "infer": ("infer", *SMALL),
        "mine": ("mine", *SMALL),
        "doctor": ("doctor",),
        "sweep run": ("sweep", "id-sequence", "--grid", "max_id=1..2", "--dry-run", *out),
        "sweep verify": ("sweep", "verify", str(swept)),
        "certify": ("certify", str(proof), "--independent"),
        "certificate export": ("certificate", "export", str(proof), "--smtlib", str(folder / "q")),
        "export aiger": ("export", "aiger", *SMALL, "--output", str(folder / "one.aag")),
        "export smtlib": ("export", "smtlib", *SMALL, "--output", str(folder / "one.smt2")),
        "export tla": ("export", "tla", *SMALL, "--output", str(folder / "One.tla")),
        "trace show": ("trace", "show", str(trace)),
        "trace replay": ("trace", "replay", str(trace)),
        "trace check": ("trace", "check", *SMALL, "--log", str(log), "--map", str(mapping)),
        "trace map": ("trace", "map", SMALL[0], "--log", str(log)),
        "trace export": ("trace", "export", str(trace), "--to", str(folder / "one.txt")),
    }


def test_each_answers_to_the_schema(asked: dict[str, tuple[str, ...]], tmp_path: Path) -> None:
    said = {}
    for name, words in asked.items():
        answered = bmc(*words, "--json")
        assert answered.code in (0, 1, 3), answered.err
        said[name] = answered.document
    project = Project(tmp_path)
    project.write()
    project.create()
    said["regress"] = project.regress("--json").document
    assert sorted(said) == in_json()
    assert all("error" not in document for document in said.values())
    assert said["check"]["results"][0]["causes"]
    assert said["check"]["traces"]


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if "properties" in schema and "object" in schema.get("type", ()):
            yield schema
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


def test_the_schema_leaves_nothing_unsaid() -> None:
    """An answer with a field that the schema does not name is not to the schema."""
    loose = [
        sorted(one["properties"])
        for one in objects(SCHEMA)
        if one.get("additionalProperties", True)
    ]
    assert loose == []
