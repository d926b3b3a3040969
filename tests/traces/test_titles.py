"""A page is called what its protocol is called, not where that lies."""

import pytest

from bmc.reports.traces.html import title_of


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("kafka", "kafka"),
        ("/home/me/model/lift.py:Lift", "Lift"),
        ("lift.py:Lift", "Lift"),
        (r"C:\model\lift.py:Lift", "Lift"),
        ("specs/Backup.tla", "Backup"),
        ("specs/Backup.tla@Careless.cfg,N=3", "Backup"),
        ("kafka~without-fencing", "kafka~without-fencing"),
    ],
)
def test_the_title_is_the_protocols_name(name: str, title: str) -> None:
    assert title_of(name) == title
