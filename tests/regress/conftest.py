"""A project with a lock, for every test that wants one."""

import shutil
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
    # Without what Python has compiled: it tells sources apart by their second and size.
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(finished.folder, tmp_path, ignore=ignored, dirs_exist_ok=True)
    return Project(tmp_path)
