"""A project with a lock, for every test that wants one."""

from pathlib import Path

import pytest

from tests.regress.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project whose lock is made and green."""
    found = Project(tmp_path)
    found.write()
    found.create()
    return found
