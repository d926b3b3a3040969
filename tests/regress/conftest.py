"""A project with a lock, for every test that wants one."""

from pathlib import Path

import pytest

from tests.regress.project import Project


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with its lock, to be copied and left alone."""
    found = Project(tmp_path_factory.mktemp("project"))
    found.write()
    found.create()
    return found


@pytest.fixture
def project(finished: Project, tmp_path: Path) -> Project:
    """A project whose lock is made and green."""
    finished.copy(tmp_path)
    return Project(tmp_path)
