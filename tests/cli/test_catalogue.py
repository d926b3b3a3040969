"""Protocols are found by name, by announcement and by file."""

import sys
from importlib import metadata
from pathlib import Path

import pytest

from bmc.cli.shared import catalogue
from bmc.cli.shared.user_file import UserModelError
from bmc.lang.errors import UnknownName
from tests.cli.conftest import COUNTER
from tests.cli.running import bmc


def test_every_built_in_name_has_the_suite_of_that_name() -> None:
    for name in catalogue.built_in():
        assert catalogue.find(name).name == name


def test_kafka_is_kip320() -> None:
    assert catalogue.find("kafka") is catalogue.find("kafka-kip320")


@pytest.mark.parametrize(
    ("word", "meant"),
    [("kafka-kip329", "kafka-kip320"), ("idsequence", "id-sequence"), ("kafak", "kafka")],
)
def test_suggestions(word: str, meant: str) -> None:
    with pytest.raises(UnknownName, match=meant):
        catalogue.find(word)


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Another package that announces three protocols, one of them broken."""
    (tmp_path / "their_protocols.py").write_text(COUNTER, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "their_protocols", raising=False)
    group = catalogue.GROUP
    entries = [
        metadata.EntryPoint("their-counter", "their_protocols:Counter", group),
        metadata.EntryPoint("their-suite", "their_protocols:SUITE", group),
        metadata.EntryPoint("their-mistake", "their_protocols:Nothing", group),
        metadata.EntryPoint("kafka", "their_protocols:Counter", group),
    ]
    monkeypatch.setattr(metadata, "entry_points", lambda group: entries)


@pytest.mark.usefixtures("announced")
def test_other_packages_announce_protocols() -> None:
    assert catalogue.find("their-counter").name == "their-counter"
    assert catalogue.find("their-suite").name == "their-suite"
    assert bmc("explore", "their-counter", "--json").document["distinct_states"] == 4
    with pytest.raises(UnknownName, match="their-counter"):
        catalogue.find("their-counters")


@pytest.mark.usefixtures("announced")
def test_a_broken_package_is_named_and_does_not_hide_the_others() -> None:
    with pytest.raises(UserModelError, match=r"their-mistake \(announced as their_protocols"):
        catalogue.find("their-mistake")
    answered = bmc("list", "--json")
    assert answered.code == 0
    assert [entry["name"] for entry in answered.document["unavailable"]] == ["their-mistake"]
    assert "their-suite" in [suite["name"] for suite in answered.document["protocols"]]
    assert "not available" in bmc("list").out


@pytest.mark.usefixtures("announced")
def test_nobody_takes_a_built_in_name() -> None:
    assert catalogue.find("kafka").name == "kafka-kip320"


def test_a_file_may_import_its_neighbours(
    counter: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("neighbours")
    (folder / "bmc_test_neighbour.py").write_text(COUNTER, encoding="utf-8")
    path = folder / "mine.py"
    path.write_text("from bmc_test_neighbour import Counter\n", encoding="utf-8")
    assert bmc("explore", f"{path}:Counter", "-P", "InRange").code == 0
