"""This repository's own lock is green; and a guard that is lost in kafka is found by it."""

import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bmc.cli import catalogue
from tests.cli.running import ROOT, bmc

LOCK = ROOT / "bmc.lock"
WEAKENINGS = {
    "commits without its ISR": (
        "kip320.py",
        "member(follower, s.replicaState[leader].isr),",
        "follower == leader,",
        ("action", "FencedLeaderIncHighWatermark"),
        {"WeakIsr", "StrongIsr"},
    ),
    "becomes leader at an old epoch": (
        "replication.py",
        "            leaderAndIsrRequest.leaderEpoch > s.replicaState[leader].leaderEpoch,\n"
        "        )\n        s.replicaState[leader].leaderEpoch",
        "        )\n        s.replicaState[leader].leaderEpoch",
        ("action", "BecomeLeader"),
        {"WeakIsr", "StrongIsr"},
    ),
    "elects outside the ISR": (
        "replication.py",
        "s.require(member(newLeader, s.quorumState.isr), s.quorumState.leader != newLeader)",
        "s.require(s.quorumState.leader != newLeader)",
        ("action", "ControllerElectLeader"),
        {"ElectedLeaderInIsr"},
    ),
}
"""A file, a guard in it, what takes its place; and what has to be named for it."""


def test_the_lock_is_green_in_under_a_minute() -> None:
    # In processor time: a busy machine is no failure.
    before = _processor_seconds()
    answered = bmc("regress", "--baseline", str(LOCK), "--jobs", "2", "--json")
    said = [
        (m["protocol"], p["property"], p["said"], p["reason"])
        for m in answered.document["models"]
        for p in m["properties"]
        if not p["green"]
    ]
    assert answered.code == 0, said
    assert _processor_seconds() - before < 60


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_the_lock_holds_the_kafka_family() -> None:
    text = LOCK.read_text(encoding="utf-8")
    for name in catalogue.BUILT_IN:
        if name.startswith("kafka-kip") or name == "kafka-truncate-to-hw":
            assert f'protocol = "{name}"' in text


@pytest.mark.nightly
def test_everything_in_the_lock_is_decided_again_from_nothing() -> None:
    options = ("--from-scratch", "--timeout", "900", "--jobs", "2")
    answered = bmc("regress", "--baseline", str(LOCK), *options)
    assert answered.code == 0, answered.out


@pytest.mark.parametrize("why", WEAKENINGS)
def test_a_weakened_guard_of_kafka_is_named(why: str, tmp_path: Path) -> None:
    file, guard, weaker, changed, broken = WEAKENINGS[why]
    for name in ("bmc", "encodings", "properties", "bmc.lock.d"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(LOCK, tmp_path)
    source = tmp_path / "encodings" / "kafka" / file
    text = source.read_text(encoding="utf-8")
    assert text.count(guard) == 1
    source.write_text(text.replace(guard, weaker), encoding="utf-8")
    code, found = regressed(tmp_path)
    assert code == 1
    for model in found["models"]:
        assert changed in {(c["kind"], c["name"]) for c in model["changed"]}
    bad = {p["property"]: p for m in found["models"] for p in m["properties"] if not p["green"]}
    assert set(bad) >= broken
    for name in broken:
        assert bad[name]["standing"] == "violated"
        assert changed[1] in {step["action"] for step in bad[name]["trace"]}


def regressed(folder: Path) -> tuple[int, Any]:
    """The answer about KIP-320 in a copy of this repository, whose own modules it runs."""
    import json

    command = [sys.executable, "-m", "bmc.cli.main", "regress", "--json"]
    done = subprocess.run(
        [*command, "--protocol", "kafka", "--jobs", "2", "--timeout", "300"],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "PATH": ""},
        capture_output=True,
        text=True,
    )
    return done.returncode, json.loads(done.stdout)
