"""The schema of mapping files takes what the reader takes, and refuses the keys that it refuses."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from bmc.cli.shared import catalogue
from bmc.conformance.errors import MappingError
from bmc.conformance.mapping_file import read_mapping
from tests.cli.running import ROOT, bmc

SCHEMA = json.loads((ROOT / "docs" / "mapping.schema.json").read_text(encoding="utf-8"))
JUDGE = Draft202012Validator(SCHEMA)
MAPS = sorted((ROOT / "benchmarks" / "conformance").glob("*.map.toml"))
LOGS = Path(__file__).parent / "logs"
WHOLE = """
protocol = "kafka"
[log]
name = "event"
[parameters]
replicas = { members = "Replica", plus = 1 }
[silent]
actions = ["ControllerElectLeader"]
[order]
source = "broker"
[[event]]
name = "lead"
actions = [{ name = "BecomeLeader", arguments = { leader = "$broker" } }]
after = { "replicaState[$broker].leaderEpoch" = { at_least = "$epoch" } }
"""


def said(text: str) -> Iterator[str]:
    return (error.message for error in JUDGE.iter_errors(tomllib.loads(text)))


def pages() -> Iterator[str]:
    """The mappings of the page on logs."""
    text = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    yield from re.findall(r"```toml\n(protocol.*?)```", text, re.S)


def test_it_is_a_schema_and_takes_the_mappings_that_there_are() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    texts = [WHOLE, *pages(), *(file.read_text(encoding="utf-8") for file in MAPS)]
    assert len(texts) >= 5
    for text in texts:
        assert list(said(text)) == []


def test_it_takes_what_is_proposed(tmp_path: Path) -> None:
    out = tmp_path / "map.toml"
    log = LOGS / "kafka-failovers.ndjson"
    proposed = bmc("trace", "map", "kafka", "--log", str(log), "--out", str(out))
    assert proposed.code == 0, proposed.err
    assert list(said(out.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('protocol = "kafka"', 'protocols = "kafka"'),
        ("[log]", "[logs]"),
        ('name = "event"', 'names = "event"'),
        ("plus = 1", "minus = 1"),
        ("plus = 1", 'greatest = "Offset"'),
        ('{ members = "Replica", plus = 1 }', "{ plus = 1 }"),
        ("[silent]", "[silent]\nsteps = -1"),
        ("[silent]", "[silent]\nstates = 1"),
        ('source = "broker"', 'clock = "ms"'),
        ('source = "broker"', 'source = "broker"\nskew = 5'),
        ('name = "lead"', "steps = 1"),
        ('name = "lead"', 'name = "lead"\nstep = 1'),
        ('name = "lead"', 'name = "lead"\nsteps = [1]'),
        ('{ name = "BecomeLeader", ', '{ action = "BecomeLeader", '),
        ("at_least", "atleast"),
    ],
)
def test_both_refuse_what_is_no_mapping(old: str, new: str, tmp_path: Path) -> None:
    assert old in WHOLE
    text = WHOLE.replace(old, new, 1)
    file = tmp_path / "map.toml"
    suite = catalogue.find("kafka")
    file.write_text(WHOLE, encoding="utf-8")
    read_mapping(file, suite)
    file.write_text(text, encoding="utf-8")
    with pytest.raises(MappingError):
        read_mapping(file, suite)
    assert list(said(text))
