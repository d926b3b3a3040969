"""The comparison of translation and text finds faults that are planted in the translator.

All of them, with what is said of each: `python benchmarks/tla_faults.py`.
"""

from pathlib import Path

import pytest

from tests.frontends.tla.seeded_faults import FAULTS, Fault

FIRST = {"x' is read as x", "the last guard of a branch is dropped", "SubSeq ends one early"}


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=[] if at % 3 == 0 or fault.name in FIRST else pytest.mark.nightly)
        for at, fault in enumerate(FAULTS)
    ],
    ids=lambda fault: fault.name,
)
def test_a_planted_fault_is_found(fault: Fault, tmp_path: Path) -> None:
    assert fault.found(tmp_path)


def test_no_fault_is_found_where_none_is_planted(tmp_path: Path) -> None:
    nothing = Fault("none", FAULTS[0].owner, FAULTS[0].attribute, lambda right: right)
    assert not nothing.found(tmp_path)


def test_there_are_thirty_faults_of_different_names() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 30
